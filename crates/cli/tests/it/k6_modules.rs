//! Modules of k6 scripts, run by `weir k6 run`: what a script finds of each, told through checks whose names are shown when one fails.

use crate::command::{Folder, Transcript, weir_in};
use crate::server::target;

/// Runs a script in a folder, against a target.
fn run(folder: &Folder, script: &str) -> Transcript {
    let (running, address) = target();
    folder.write("script.js", script);
    let url = format!("URL=http://{address}");
    let ran = weir_in(folder, &["k6", "run", "-q", "--no-store", "-e", &url, "script.js"]);
    drop(running);
    ran
}

/// Runs `init` as a script's head and `body` once; each call of `is(what, found, expected)` must hold, and there are `count`.
fn check(name: &str, files: &[(&str, &str)], init: &str, body: &str, count: usize) {
    let folder = Folder::new(name);
    for (file, text) in files {
        folder.write(file, text);
    }
    let script = format!(
        "{init}\nlet told = 0;
        function is(what, found, expected = true) {{
          told += 1;
          const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
          if (a !== b) throw new Error(`${{what}}: ${{a}} is not ${{b}}`);
        }}
        function throws(what, work, part) {{
          try {{ work(); }} catch (error) {{ return is(what, String(error).includes(part) || String(error), true); }}
          throw new Error(`${{what}}: nothing was thrown`);
        }}
        export default async function () {{ {body}\n console.log('told ' + told); }}"
    );
    let ran = run(&folder, &script);
    assert!(ran.stderr.contains(&format!("told {count}")), "{name}: {}{}", ran.stderr, ran.stdout);
    assert_eq!(ran.code, Some(0), "{name}: {}", ran.stderr);
}

#[test]
fn digests_and_encodings() {
    let body = "
        is('md5', crypto.md5('abc', 'hex'), '900150983cd24fb0d6963f7d28e17f72');
        const hash = crypto.createHash('sha256');
        hash.update('a'); hash.update(new Uint8Array([98, 99]).buffer);
        is('parts', hash.digest('hex'), crypto.sha256('abc', 'hex'));
        const keyed = crypto.createHMAC('sha1', 'Jefe');
        keyed.update('what do ya want for nothing?');
        is('hmac', keyed.digest('base64'), '7/zfauXrL6LSdBbV8YTfnCWafHk=');
        is('raw', crypto.hmac('sha1', 'Jefe', 'what do ya want for nothing?', 'base64rawurl'), '7_zfauXrL6LSdBbV8YTfnCWafHk');
        is('binary', new Uint8Array(crypto.md4('', 'binary')).length, 16);
        is('random', crypto.randomBytes(33).byteLength, 33);
        is('digits', crypto.hexEncode('az'), '617a');
        throws('algorithm', () => crypto.createHash('md6'), 'invalid algorithm: md6');
        throws('encoding', () => crypto.md5('a', 'base7'), 'invalid output encoding: base7');
        is('base64', encoding.b64decode(encoding.b64encode('h€', 'rawurl'), 'rawurl', 's'), 'h€');";
    check("crypto", &[], "import crypto from 'k6/crypto'; import encoding from 'k6/encoding';", body, 10);
}

#[test]
fn globals_that_browsers_have() {
    let body = "
        is('uuid', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID()));
        const bytes = new TextEncoder().encode('h€');
        is('utf-8', [...bytes], [104, 226, 130, 172]);
        is('text', new TextDecoder().decode(bytes), 'h€');
        const stream = new TextDecoder();
        is('parts', stream.decode(bytes.slice(0, 2), { stream: true }) + stream.decode(bytes.slice(2)), 'h€');
        const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode('abc'));
        is('digest', new Uint8Array(digest)[0], 0xba);
        const key = await crypto.subtle.importKey('raw', new TextEncoder().encode('Jefe'), { name: 'HMAC', hash: 'SHA-1' }, false, ['sign', 'verify']);
        const text = new TextEncoder().encode('what do ya want for nothing?');
        const signed = await crypto.subtle.sign('HMAC', key, text);
        is('sign', new Uint8Array(signed)[0], 0xef);
        is('verify', await crypto.subtle.verify('HMAC', key, signed, text));
        is('forged', await crypto.subtle.verify('HMAC', key, new Uint8Array(20), text), false);
        is('export', await crypto.subtle.exportKey('raw', key).catch((error) => error.name), 'InvalidAccessError');
        is('url', new URL('../x?a=1#h', 'https://e.org:443/a/b/c').href, 'https://e.org/a/x?a=1#h');
        const url = new URL('http://h/p?a=1');
        url.searchParams.append('b', 'c d');
        is('params', url.toString(), 'http://h/p?a=1&b=c+d');
        throws('no url', () => new URL('nothing'), 'Invalid URL');
        is('base64', [btoa('hi'), atob('aGk=')], ['aGk=', 'hi']);
        is('clone', structuredClone({ a: [1, { b: 2 }] }), { a: [1, { b: 2 }] });
        let order = '';
        await new Promise((done) => { setTimeout(() => { order += 'b'; done(); }, 2); order += 'a'; });
        is('timer', order, 'ab');";
    check("globals", &[], "import { setTimeout } from 'k6/timers';", body, 15);
}

#[test]
fn html_is_read_and_gone_through() {
    let page = r#"<title>T</title><div id=a class="x y" data-foo-bar='{"a":1}'><p>one<p>two <b>bold</b></div><ul><li>1<li class=x>2<li>3</ul>
        <form method=post action="/post?x=1"><input name=q value="1 2"><input type=checkbox name=c checked><input type=checkbox name=d>
        <select name=s><option value=1>A<option selected>B</select><textarea name=t>tt</textarea><input type=submit name=go value=Go></form>
        <a href="https://u:p@h.example:81/x/y?z=1#w">go</a><img src=i.png width=7>"#;
    let init = format!(
        "import {{ parseHTML }} from 'k6/html';\nimport http from 'k6/http';\nconst page = `{page}`;"
    );
    let body = "
        const doc = parseHTML(page);
        is('text', doc.find('title').text(), 'T');
        is('eq', doc.find('p').eq(-1).text(), 'two bold');
        is('attr', [doc.find('#a').attr('class'), doc.find('#a').attr('no', 'none')], ['x y', 'none']);
        is('data', [doc.find('#a').data(), doc.find('#a').data('foo-bar')], [{ fooBar: { a: 1 } }, { a: 1 }]);
        is('map', doc.find('li').map((at, one) => at + one.textContent()), ['01', '12', '23']);
        is('siblings', doc.find('li.x').siblings().text(), '13');
        is('until', doc.find('li').first().nextUntil('li:last-child').size(), 1);
        is('closest', doc.find('b').closest('div').attr('id'), 'a');
        is('parents', doc.find('b').parents().size(), 4);
        is('end', doc.find('li').filter('.x').end().size(), 3);
        is('not', doc.find('li').not('.x').text(), '13');
        is('is', [doc.find('li').is('.x'), doc.find('li').has('b').size()], [true, 0]);
        is('html', doc.find('ul').html(), '<li>1</li><li class=\"x\">2</li><li>3</li>');
        is('serialize', doc.find('form').serialize(), 'q=1+2&c=on&s=B&t=tt');
        is('val', [doc.find('select').val(), doc.find('textarea').val()], ['B', 'tt']);
        const a = doc.find('a').get(0);
        is('link', [a.host(), a.pathname(), a.search(), a.hash(), a.protocol(), a.username()], ['h.example:81', '/x/y', '?z=1', '#w', 'https:', 'u']);
        const form = doc.find('form').get(0);
        is('form', [form.method(), form.elements().length, form.enctype()], ['post', 6, 'application/x-www-form-urlencoded']);
        is('select', doc.find('select').get(0).selectedOptions().map((one) => one.text()), ['B']);
        is('typed', [doc.find('img').get(0).width(), doc.find('input').get(1).checked(), doc.find('input').get(0).type()], [7, true, 'text']);
        is('around', form.parentElement().nodeName(), 'body');
        throws('selector', () => doc.find('p:nope'), 'there is no :nope');
        is('response', http.get(`${__ENV.URL}/hello`).html('body').text(), 'Hello world');
        const sent = http.get(`${__ENV.URL}/hello`);
        sent.body = '<form action=\"/echo?old\"><input name=a value=\"b c\"><input type=submit name=go value=1></form><a href=\"hello\">x</a>';
        is('submit', sent.submitForm({ fields: { d: 'e' } }).url.split(__ENV.URL)[1], '/echo?a=b+c&go=1&d=e');
        is('click', sent.clickLink().body, 'Hello world');";
    check("html", &[], &init, body, 24);
}

#[test]
fn arrays_are_shared_and_hold_still() {
    let init = "import { SharedArray } from 'k6/data';
        const all = new SharedArray('all', () => [{ a: 1 }, { a: 2 }, { a: 3 }]);
        let said = '';
        try { new SharedArray('b', async () => []); } catch (error) { said = error.message; }";
    let body = "
        is('length', all.length, 3);
        is('map', all.map((one) => one.a), [1, 2, 3]);
        is('filter', all.filter((one) => one.a > 1).length, 2);
        is('find', all.find((one) => one.a === 2), { a: 2 });
        is('slice', all.slice(1), [{ a: 2 }, { a: 3 }]);
        let sum = 0;
        all.forEach((one) => { sum += one.a; });
        for (const one of all) sum += one.a;
        is('sum', sum, 12);
        is('spread', [...all].length, 3);
        is('json', JSON.stringify(all), '[{\"a\":1},{\"a\":2},{\"a\":3}]');
        is('keys', Object.keys(all), ['0', '1', '2']);
        is('none', [all[3] === undefined, 3 in all, 0 in all, Array.isArray(all)], [true, false, true, true]);
        throws('write', () => { 'use strict'; all[0] = 1; }, 'immutable');
        is('frozen', Object.isFrozen(all[0]));
        is('async', said.includes('async'));";
    check("shared", &[], init, body, 13);
}

#[test]
fn files_are_found_beside_the_module_that_asks() {
    let files = [
        ("a.txt", "outer"),
        ("rows.csv", "name,n\r\n\"a \"\"b\"\"\",1\nc,2\n"),
        ("inner.js", "export const near = open('./a.txt'); export const bytes = open('a.txt', 'b');"),
    ];
    let init = "import { near, bytes } from './inner.js';
        import { open as openFile, SeekMode } from 'k6/experimental/fs';
        import csv from 'k6/experimental/csv';
        const file = await openFile('rows.csv');
        const table = await csv.parse(file, { asObjects: true });
        const parser = new csv.Parser(file, { skipFirstLine: true });
        let missing = '';
        try { open('none.txt'); } catch (error) { missing = error.message; }";
    let body = "
        is('text', near, 'outer');
        is('bytes', bytes.byteLength, 5);
        is('missing', missing.includes('none.txt'));
        throws('late', () => open('a.txt'), 'init context');
        is('table', [...table], [{ name: 'a \"b\"', n: '1' }, { name: 'c', n: '2' }]);
        is('next', [await parser.next(), await parser.next(), await parser.next()], [{ done: false, value: ['a \"b\"', '1'] }, { done: false, value: ['c', '2'] }, { done: true, value: [] }]);
        is('stat', await file.stat(), { name: 'rows.csv', size: 24 });
        const into = new Uint8Array(4);
        is('read', [await file.read(into), String.fromCharCode(...into)], [4, 'name']);
        is('seek', [await file.seek(-1, SeekMode.End), await file.read(into), await file.read(into)], [23, 1, null]);";
    check("files", &files, init, body, 9);
}

#[test]
fn libraries_known_by_their_addresses() {
    let init = "import { uuidv4, randomIntBetween, randomString, findBetween, normalDistributionStages, parseDuration, check } from 'https://jslib.k6.io/k6-utils/1.6.0/index.js';
        import { htmlReport } from 'https://raw.githubusercontent.com/benc-uk/k6-reporter/main/dist/bundle.js';
        import papaparse from 'https://jslib.k6.io/papaparse/5.1.1/index.js';";
    let body = "
        is('uuid', [uuidv4(), uuidv4(true)].every((one) => /^[0-9a-f-]{14}4[0-9a-f-]{21}$/.test(one)));
        const drawn = randomIntBetween(2, 3);
        is('int', drawn === 2 || drawn === 3);
        is('string', /^[ab]{5}$/.test(randomString(5, 'ab')));
        is('between', [findBetween('<a><b>', '<', '>'), findBetween('<a><b>', '<', '>', true)], ['a', ['a', 'b']]);
        is('duration', [parseDuration('1m30s'), parseDuration('5')], [90000, 5]);
        const bell = normalDistributionStages(10, 60, 4);
        is('bell', bell.map((one) => one.target), [1, 6, 10, 6, 1, 0]);
        is('times', bell.map((one) => one.duration), ['10s', '10s', '10s', '10s', '10s', '10s']);
        is('check', await check(1, { later: async (one) => one === 1, now: (one) => one === 1 }));
        is('csv', papaparse.parse('a,b\\n1,x', { header: true, dynamicTyping: true }).data, [{ a: 1, b: 'x' }]);
        const report = htmlReport({ metrics: { m: { type: 'counter', values: { count: 1 }, thresholds: { 'count<1': { ok: false } } } } }, { title: '<t>' });
        is('report', [report.includes('&#60;t&#62;'), report.includes('1 of 1 thresholds failed'), report.includes('<t>')], [true, true, false]);";
    check("libraries", &[], init, body, 10);
}

#[test]
fn console_shows_structures() {
    let folder = Folder::new("console");
    let script = "export default function () {
        const ring = { a: 1 }; ring.self = ring;
        console.log('text', 1, true, null, undefined, [], {}, () => 1);
        console.log([1, 'b', null, undefined], { k: 'v', deep: { x: [1] } }, ring);
        console.log({ at: new Date(0), bytes: new Uint8Array([1, 2]), map: new Map([[1, 2]]) }, new TypeError('no'));
    }";
    let ran = run(&folder, script);
    let said = ran.stderr.replace("\\\"", "\"");
    for expected in [
        "text 1 true null undefined [] {} [object Function]",
        "[ 1, \"b\", null, null ] { k: \"v\", deep: { x: [ 1 ] } } { a: 1, self: [Circular] }",
        "{ at: \"1970-01-01T00:00:00.000Z\", bytes: Uint8Array(2) [ 1, 2 ], map: {} } TypeError: no",
    ] {
        assert!(said.contains(expected), "{expected}\n{said}");
    }
}

#[test]
fn own_parts_are_not_for_scripts() {
    for name in ["weir:core", "weir:markup", "k6/nothing"] {
        let folder = Folder::new("own");
        let ran = run(&folder, &format!("import '{name}'; export default () => {{}}"));
        assert_eq!(ran.code, Some(107), "{name}: {}", ran.stderr);
        assert!(ran.stderr.contains(name), "{}", ran.stderr);
    }
}

#[test]
fn a_script_knows_its_test_and_says_so_only_within() {
    let init = "import exec from 'k6/execution';
        export const options = { scenarios: { mine: { executor: 'shared-iterations', iterations: 1, tags: { a: 'b' } } } };
        let said = [];
        for (const ask of [() => exec.scenario.name, () => exec.vu.idInTest, () => exec.instance.vusActive, () => exec.test.options, () => exec.vu.metrics.tags.a]) {
          try { ask(); said.push('nothing'); } catch (error) { said.push(error.message); }
        }
        export function setup() { try { return exec.scenario.name; } catch (error) { return error.message; } }";
    let body = "
        is('init', said, ['scenario information', 'VU information', 'instance information', 'test options', 'VU information'].map((what) => `getting ${what} in the init context is not supported`));
        is('setup', arguments[0], 'getting scenario information outside of the VU context is not supported');
        is('scenario', [exec.scenario.name, exec.scenario.executor, exec.scenario.iterationInTest], ['mine', 'shared-iterations', 0]);
        is('time', Math.abs(Date.now() - exec.scenario.startTime) < 10000);
        is('vu', [exec.vu.idInTest, exec.vu.iterationInScenario, exec.instance.vusActive], [1, 0, 1]);
        is('options', [exec.test.options.scenarios.mine.iterations, Object.isFrozen(exec.test.options), exec.test.options === exec.test.options], [1, true, true]);
        exec.vu.metrics.tags.c = 1;
        exec.vu.tags.d = true;
        is('tags', [exec.vu.tags.a, exec.vu.tags.c, exec.vu.metrics.tags.d, 'e' in exec.vu.tags], ['b', '1', 'true', false]);
        throws('tag', () => { exec.vu.tags.f = {}; }, 'TypeError');
        delete exec.vu.tags.c;
        is('deleted', exec.vu.tags.c === undefined);
        exec.vu.metrics.metadata.trace = 7;
        is('metadata', exec.vu.metrics.metadata.trace, '7');
        throws('metadata', () => { exec.vu.metrics.metadata.x = []; }, 'TypeError');";
    check("execution", &[], init, body, 11);
}

#[test]
fn names_of_common_js_are_explained_in_es_modules() {
    let files = [("old.js", "module.exports = { a: 1 };")];
    let body = "
        is('old', old.a, 1);
        throws('module', () => { module.exports = {}; }, 'in an ES module');
        throws('exports', () => { exports.a = 1; }, 'in an ES module');";
    check("common_js", &files, "import old from './old.js';", body, 3);
}
