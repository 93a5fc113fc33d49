//! `k6/http` as scripts see it, against a target in this process: what they log with `console.error` is what they found wrong.

use crate::command::{Folder, Transcript, weir};
use crate::server::target;
use serde_json::Value;

/// Runs a script whose default function is `body`, with `options` in its options; the transcript and the exported summary.
fn run(name: &str, options: &str, body: &str) -> (Transcript, Value) {
    let (running, address) = target();
    let folder = Folder::new(&format!("k6-http-{name}"));
    let script = format!(
        "import http from 'k6/http';
         import {{ sleep }} from 'k6';
         const base = 'http://{address}';
         const same = (found, wanted, what) => {{
           const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
           if (a !== b) console.error(`${{what}}: ${{a}} and not ${{b}}`);
         }};
         export const options = {{ vus: 1, iterations: 1, {options} }};
         export default async function () {{ {body} console.log('reached its end'); }}"
    );
    let (path, json) = (folder.write("script.js", &script), folder.file("summary.json"));
    let run = weir(&["k6", "run", "--summary-export", &json, &path]);
    running.stop();
    let summary = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    (run, summary)
}

/// Runs a script that must find nothing wrong.
fn sound(name: &str, options: &str, body: &str) -> (Transcript, Value) {
    let (run, summary) = run(name, options, body);
    assert!(run.stderr.contains("reached its end"), "{}", run.stderr);
    assert!(!run.stderr.contains("level=error") && !run.stderr.contains("ERRO"), "{}", run.stderr);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    (run, summary)
}

fn count(summary: &Value, metric: &str) -> f64 {
    summary["metrics"][metric]["count"].as_f64().unwrap_or_else(|| panic!("{metric}: {summary}"))
}

#[test]
fn batches_go_in_parallel_within_their_limits() {
    let (_, summary) = sound(
        "batch",
        "batch: 4, batchPerHost: 3",
        "const begun = Date.now();
         const list = http.batch(Array.from({ length: 6 }, (_, at) => ['GET', `${base}/delay?ms=100&at=${at}`]));
         const ms = Date.now() - begun;
         // Two rounds of three.
         if (ms < 199 || ms > 500) console.error(`took ${ms} ms`);
         same(list.map((one) => one.status), [200, 200, 200, 200, 200, 200], 'statuses');
         same(list.map((one) => one.url.slice(-1)).join(''), '012345', 'order');
         const named = http.batch({ a: base + '/hello', b: { method: 'post', url: base + '/hello', body: { x: 1 } } });
         same(Object.keys(named), ['a', 'b'], 'names');
         same([named.b.request.method, named.b.request.body], ['POST', 'x=1'], 'post');
         same(http.get(base + '/hello').status, 200, 'afterwards');
         same(http.batch([]), [], 'none');",
    );
    assert_eq!(count(&summary, "http_reqs"), 9.0);
}

#[test]
fn promises_and_timers_go_on_beside_requests() {
    let (_, summary) = sound(
        "async",
        "",
        "const begun = Date.now();
         let ticks = 0;
         const timer = setInterval(() => { ticks += 1; }, 20);
         const two = [1, 2].map(() => http.asyncRequest('GET', base + '/delay?ms=150'));
         same((await Promise.all(two)).map((one) => one.status), [200, 200], 'statuses');
         clearInterval(timer);
         const ms = Date.now() - begun;
         if (ms > 290 || ticks < 2) console.error(`${ms} ms, ${ticks} ticks`);
         // A request that goes on while the script sleeps, and one that its iteration waits for.
         http.asyncRequest('GET', base + '/delay?ms=30');
         sleep(0.06);
         http.asyncRequest('GET', base + '/delay?ms=80').then((one) => same(one.status, 200, 'late'));
         const failed = await http.asyncRequest('GET', 'nonsense');
         same([failed.status, failed.error_code], [0, 1020], 'no url');",
    );
    assert_eq!(count(&summary, "http_reqs"), 4.0);
    let lasted = summary["metrics"]["iteration_duration"]["max"].as_f64().unwrap();
    assert!(lasted >= 290.0, "the iteration ends with its last request: {lasted}");
}

#[test]
fn jars_keep_what_they_are_given() {
    sound(
        "jar",
        "",
        "const jar = http.cookieJar();
         same(jar.set(base, 'kept', '1', { path: '/', max_age: 60 }), true, 'set');
         jar.set(base, 'old', '2', { expires: 'Mon, 02 Jan 2006 15:04:05 GMT' });
         jar.set(base, 'new', '3', { expires: 'Fri, 31 Dec 2999 23:59:59 GMT' });
         same(jar.cookiesForURL(base + '/'), { kept: ['1'], new: ['3'] }, 'jar');
         const cookies = (one) => one.request.headers.Cookie;
         same(cookies(http.get(base + '/hello')), ['kept=1; new=3'], 'sent');
         same(cookies(http.get(base + '/hello', { cookies: { a: 'b', kept: { value: 'x', replace: true } } })), ['a=b; kept=x; new=3'], 'own');
         const other = new http.CookieJar();
         same(cookies(http.get(base + '/hello', { jar: other })), undefined, 'other jar');
         jar.delete(base, 'kept');
         same(jar.cookiesForURL(base), { new: ['3'] }, 'deleted');
         jar.clear(base);
         same(jar.cookiesForURL(base), {}, 'cleared');",
    );
}

#[test]
fn bodies_take_every_form() {
    let (run, _) = sound(
        "bodies",
        "",
        "const sent = (body, params) => http.post(base + '/hello', body, params).request;
         const form = sent({ b: [1, 2], a: 'x y', n: null, o: { deep: 1 } });
         same([form.body, form.headers['Content-Type']], ['a=x+y&b=1&b=2&n=&o=', ['application/x-www-form-urlencoded']], 'form');
         same(sent({ a: 1 }, { headers: { 'content-TYPE': 'own' } }).headers['Content-Type'], ['own'], 'own type');
         same(sent(new Uint8Array([97, 98, 99]).subarray(1)).body, 'bc', 'view');
         same(sent(new DataView(new Uint8Array([97, 98, 99]).buffer, 0, 2)).body, 'ab', 'data view');
         const parts = sent({ f: http.file('text', 'a.txt', 'text/plain'), t: 'v' });
         if (!/name=\"f\"; filename=\"a.txt\"/.test(parts.body)) console.error(parts.body);
         if (!/^multipart\\/form-data; boundary=/.test(parts.headers['Content-Type'][0])) console.error('type');
         same(sent('abc', { compression: 'gzip, deflate' }).headers['Content-Encoding'], ['gzip, deflate'], 'encoding');
         same(http.post(base, 'a', { compression: 'lzw' }).error_code, 1000, 'no such compression');
         same(http.post(base, 5).error, 'unknown request body type', 'number');",
    );
    assert_eq!(run.stderr.matches("is an object, and forms hold no objects").count(), 1, "{}", run.stderr);
}

#[test]
fn answers_are_read_as_asked() {
    sound(
        "answers",
        "systemTags: ['status', 'url', 'name']",
        "const json = { body: JSON.stringify({ 'a.b': 1, list: [{ n: 'x', v: 1 }, { n: 'y', v: 2 }], child: { one: { z: [] } } }) };
         const one = http.get(base + '/hello', { responseType: 'binary' });
         same(one.body.byteLength > 0, true, 'binary');
         same(http.get(base + '/hello', { responseType: 'none' }).body, null, 'none');
         const read = (path) => Object.setPrototypeOf({ ...json }, Object.getPrototypeOf(one)).json(path);
         for (const [path, wanted] of [['a\\\\.b', 1], ['list.#', 2], ['list.#.n', ['x', 'y']], ['list.1.v', 2], ['list.#(n==\"y\").v', 2],
           ['list.#(v>=1)#.n', ['x', 'y']], ['list.#(v>1)#|#', 1], ['chi*.o?e.z', []], ['list.#.v|@reverse', [2, 1]], ['none.at.all', undefined], ['child.@keys', ['one']]]) {
           same(read(path), wanted, path);
         }
         try { Object.setPrototypeOf({ body: '{\\n  x' }, Object.getPrototypeOf(one)).json(); console.error('no error'); } catch (error) {
           if (!/line 2, character 3/.test(error.message)) console.error(error.message);
         }
         try { http.get('http://127.0.0.1:1/', { throw: true }); console.error('did not throw'); } catch (error) {
           same(error.message, 'Get \"http://127.0.0.1:1/\": dial: connection refused', 'thrown');
         }
         same(http.request('get', http.url`${base}/hello`).request.method, 'GET', 'lower case');",
    );
}

#[test]
fn options_say_where_requests_may_go() {
    let (run, summary) = run(
        "options",
        "blockHostnames: ['*.blocked.test'], blacklistIPs: ['10.0.0.0/8'], hosts: { 'named.test': '127.0.0.1', 'bad.test': '10.1.2.3' }, noVUConnectionReuse: true, rps: 50",
        "same(http.get('http://a.blocked.test/').error_code, 1111, 'blocked name');
         same(http.get('http://10.9.9.9/').error_code, 1110, 'blocked address');
         same(http.get('http://bad.test/').error_code, 1110, 'blocked by hosts');
         same(http.get(base.replace('127.0.0.1', 'named.test') + '/hello').status, 200, 'hosts');
         same(http.get(base.replace('127.0.0.1', 'localhost') + '/hello').status, 200, 'looked up');
         const begun = Date.now();
         http.batch(Array.from({ length: 5 }, () => base + '/hello'));
         const ms = Date.now() - begun;
         if (ms < 79) console.error(`five requests in ${ms} ms at 50/s`);",
    );
    assert!(run.stderr.contains("reached its end"), "{}", run.stderr);
    assert!(
        !run.stderr.contains("source=console level=error") && !run.stderr.contains("and not"),
        "{}",
        run.stderr
    );
    assert_eq!(count(&summary, "http_reqs"), 10.0);
    assert_eq!(summary["metrics"]["http_req_failed"]["passes"], 3, "{summary}");
}

#[test]
fn redirects_are_hops_with_samples_of_their_own() {
    let (run, summary) = sound(
        "redirects",
        "thresholds: { 'http_reqs{name:chain}': ['count==4'], 'http_req_failed{status:404}': ['rate==1'] }",
        "const chain = http.get(base + '/redirect/3', { tags: { name: 'chain' } });
         same([chain.status, chain.url, chain.request.headers.Referer], [200, base + '/hello', [base + '/redirect/1']], 'chain');
         same(http.get(base + '/redirect/3', { redirects: 1 }).status, 302, 'limited');
         same(http.get(base + '/redirect/12').url, base + '/redirect/2', 'ten at most');
         same(http.get(base + '/redirect?to=/cookie&status=303').request.method, 'GET', '303');
         const posted = http.post(base + '/redirect?to=/echo&status=307', 'kept');
         same([posted.request.method, posted.request.body], ['POST', 'kept'], '307');
         same(http.post(base + '/redirect?to=/echo&status=302', 'lost').request.body, '', '302');
         same(http.get(base + '/status/404', { responseCallback: null }).error_code, 1404, 'not counted');
         same(http.get(base + '/status/404').error_code, 1404, 'counted');",
    );
    assert_eq!(run.stderr.matches("was redirected 10 times").count(), 1, "{}", run.stderr);
    assert_eq!(count(&summary, "http_reqs"), 4.0 + 2.0 + 11.0 + 2.0 + 2.0 + 2.0 + 2.0);
    let failed = &summary["metrics"]["http_req_failed"];
    assert_eq!((&failed["passes"], &failed["fails"]), (&1.into(), &23.into()), "one was not counted");
}

#[test]
fn failures_have_codes_and_times() {
    let (_, summary) = sound(
        "failures",
        "noConnectionReuse: true, discardResponseBodies: true, userAgent: 'own'",
        "const code = (path, params) => http.get(base + path, params).error_code;
         same(code('/reset'), 1220, 'reset');
         same(code('/delay?ms=2000', { timeout: 60 }), 1050, 'timeout');
         same(code('/delay?ms=2000', { timeout: '60ms' }), 1050, 'timeout as text');
         const slow = http.get(base + '/delay?ms=2000', { timeout: 60 });
         if (slow.timings.duration < 59) console.error(`waited ${slow.timings.duration} ms`);
         same([slow.status, slow.body, slow.error], [0, null, 'request timeout'], 'failed');
         same(http.get('http://127.0.0.1:1/').error_code, 1212, 'refused');
         same(http.get(base + '/hello', { tags: { a: {} } }).status, 0, 'tags');
         same(http.get(base + '/hello').body, null, 'discarded');
         const gzip = http.get(base + '/gzip', { responseType: 'text' });
         same(typeof gzip.json(), 'object', 'decoded');
         same(JSON.parse(http.get(base + '/echo', { responseType: 'text', headers: { Host: 'else.test' } }).body).headers.host ?? 'else.test', 'else.test', 'host');
         same(gzip.request.headers['User-Agent'], ['own'], 'agent');",
    );
    assert_eq!(count(&summary, "http_reqs"), 8.0);
    let longest = summary["metrics"]["http_req_duration"]["max"].as_f64().unwrap();
    assert!((59.0..1_000.0).contains(&longest), "a request that timed out waited that long: {longest}");
    assert!(summary["metrics"]["http_req_connecting"]["max"].as_f64().unwrap() > 0.0);
}
