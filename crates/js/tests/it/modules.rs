//! Imports, CommonJS, JSON, TypeScript, circles, what is missing.

use crate::user::{check, check_files, run, try_load};
use js::ErrorKind;

#[test]
fn modules_import_each_other() {
    check_files(
        &[
            (
                "main.js",
                "import a, { b as c } from './a.js'; import * as all from './a.js'; export * from './a.js';
                console.log(a, c, Object.keys(all).join(), import.meta.url, import.meta.resolve('./a.js'))",
            ),
            ("a.js", "console.log('runs once'); export default 1; export const b = 2"),
        ],
        "runs once\n1 2 b,default main.js a.js",
    );
}

#[test]
fn names_are_resolved_without_being_loaded() {
    check_files(
        &[
            ("main.js", "console.log(import.meta.resolve('./data.csv'));
                try { import.meta.resolve('./gone.csv') } catch (error) { console.log(error.message) }; export {}"),
            ("data.csv", "no module at all ("),
        ],
        "data.csv\n\"main.js\" names \"./gone.csv\", which is not there",
    );
}

#[test]
fn common_js_is_imported() {
    let common_js =
        "exports.a = 1; exports.b = function () { return this === undefined }; exports.default = 'd'";
    let main =
        "import d, { a, missing } from './c.js'; import * as all from './c.js'; import { b } from './c.js';
        console.log(d, a, missing, all.a, all.default, b())";
    check_files(&[("main.js", main), ("c.js", common_js)], "d 1 undefined 1 d false");
    let whole = "import f, * as all from './c.js'; console.log(f(), f.x, all.x, all.default === f)";
    check_files(
        &[("main.js", whole), ("c.js", "module.exports = () => 7; module.exports.x = 8")],
        "7 8 8 true",
    );
    let sloppy =
        "undeclared = 5; with ({ z: 1 }) { exports.z = z + undeclared } exports.t = this === exports";
    check_files(
        &[("main.js", "import { z, t } from './c.js'; console.log(z, t)"), ("c.js", sloppy)],
        "6 true",
    );
}

#[test]
fn common_js_is_exported_on() {
    check_files(
        &[
            (
                "main.js",
                "import { a, b, c } from './m.js'; import * as all from './m.js'; console.log(a, b, c.a, all.own)",
            ),
            (
                "m.js",
                "export * from './c.js'; export { b } from './c.js'; export * as c from './c.js'; export let own = 3",
            ),
            ("c.js", "exports.a = 1; exports.b = 2"),
        ],
        "1 2 1 3",
    );
}

#[test]
fn required_modules_run_once() {
    check_files(
        &[
            ("main.js", "const a = require('./a.js'), b = require('./a'+'.js'); console.log(a === b, a.c.d, require('host').twice(2));
                try { require('./missing.js') } catch (error) { console.log(error.message) }
                module.exports = { default() { try { require('./a.js') } catch (error) { console.log(error.message) } } }"),
            ("a.js", "console.log('once'); exports.c = require('./d.json')"),
            ("d.json", "{ \"d\": [1, 2] }"),
        ],
        "once\ntrue 1,2 4\n\"main.js\" names \"./missing.js\", which is not there\n\
         require() is only there while the script's modules run",
    );
    check_files(
        &[
            ("main.js", "const m = require('./m.js'); console.log(m.default, m.a)"),
            ("m.js", "export default 1; export let a = 2"),
        ],
        "1 2",
    );
    check_files(
        &[("main.js", "export {}; console.log(require('./c.js').a)"), ("c.js", "exports.a = 1")],
        "1",
    );
    check("export {}; try { require('x' + 1) } catch (error) { console.log(error.name) }", "ReferenceError");
}

#[test]
fn circles_are_closed() {
    check_files(
        &[
            ("main.js", "import { b } from './b.js'; export function a() { return 'a' } console.log(b())"),
            ("b.js", "import { a } from './main.js'; export function b() { return 'b' + a() }"),
        ],
        "ba",
    );
    check_files(
        &[
            (
                "main.js",
                "exports.early = 1; const b = require('./b.js'); console.log(b.seen); exports.late = 2",
            ),
            ("b.js", "const a = require('./main.js'); exports.seen = Object.keys(a).join()"),
        ],
        "early",
    );
    check_files(
        &[
            ("main.js", "import { a } from './b.js'; console.log(a)"),
            ("b.js", "import './main.js'; export { a } from './b.js'"),
        ],
        "threw SyntaxError: circular reference when looking for export 'a' in module 'b.js'",
    );
}

#[test]
fn native_modules_and_json_are_imported() {
    check_files(
        &[
            ("main.js", "import host, { twice, url } from 'host'; import * as all from 'host'; import data from './d.json';
                console.log(twice(3), url, host.twice === twice, all.url, data.a)"),
            ("d.json", "{ \"a\": 1 }"),
        ],
        "6 host true host 1",
    );
}

#[test]
fn typescript_is_run() {
    let main = "import { Options, add } from './lib'; import lib = require('./c.js');
        enum Level { Low = 1, High }
        interface Answer { ok: boolean }
        class Counter<T> { constructor(private step: number, public items: T[] = []) {} next(): number { return this.step + 1 } }
        export const options: Options = { users: 1 };
        export default async function (data?: Answer): Promise<void> {
            const counter = new Counter<string>(add(1, 2)) as Counter<string>;
            console.log(counter.next(), counter!.items.length, Level.High, Level[1], lib.a);
        }";
    let lib = "export interface Options { users: number }\nexport const add = (a: number, b: number): number => a + b;";
    check_files(&[("main.ts", main), ("lib", "export {}"), ("c.js", "exports.a = 9")], {
        "threw SyntaxError: Could not find export 'add' in module 'lib'"
    });
    let main = main.replace("./lib", "./lib.ts");
    check_files(&[("main.ts", &main), ("lib.ts", lib), ("c.js", "exports.a = 9")], "4 0 2 Low 9");
}

#[test]
fn what_is_missing_is_said_at_once() {
    let errors = try_load(&[
        ("main.js", "import './a.js'; import b from './b.js';\nimport './c.js'"),
        ("c.js", "export let a = ;"),
    ])
    .unwrap_err();
    let kinds: Vec<ErrorKind> = errors.iter().map(|error| error.kind).collect();
    assert_eq!(kinds, [ErrorKind::Module, ErrorKind::Module, ErrorKind::Syntax], "{errors:?}");
    assert_eq!(errors[0].message, "\"main.js\" names \"./a.js\", which is not there");
    assert_eq!(errors[2].source_line.as_deref(), Some("export let a = ;"));
    let missing = run(&[("main.js", "import { a } from './b.js'; a()"), ("b.js", "export let b = 1")]);
    assert!(
        missing.starts_with("threw SyntaxError: Could not find export 'a' in module 'b.js'"),
        "{missing}"
    );
    let json = run(&[("main.js", "import './d.json'"), ("d.json", "{ a }")]);
    assert!(json.starts_with("Syntax SyntaxError: d.json: "), "{json}");
}

#[test]
fn what_a_module_is_follows_from_its_text() {
    check("module.exports.default = () => console.log('common')", "common");
    check("var await_ = 1; console.log(typeof module)", "object");
    check("export {}; console.log(typeof module, typeof exports)", "undefined undefined");
    check("const x = await 5; console.log(x, typeof module)", "5 undefined");
    check("#!/usr/bin/env weir\nconsole.log(typeof module)", "object");
    check("#!/usr/bin/env weir\nexport {}; console.log(1)", "1");
    check("\u{feff}export {}; console.log(1)", "1");
    check("", "");
    check("// nothing", "");
    check("import('host').then((host) => console.log(host.url)); import { url } from 'host'; url", "host");
}

#[test]
fn what_is_not_named_is_not_there_but_can_be() {
    check("console.log(typeof globalThis['Uint8' + 'A' + 'rray'])", "undefined");
    check(
        "console.log(new Uint8Array([1, 300]).join(), new DataView(new ArrayBuffer(8)).byteLength)",
        "1,44 8",
    );
    check(
        "console.log(typeof globalThis['M' + 'ap'], typeof globalThis['D' + 'ate'])",
        "undefined undefined",
    );
    check(
        "console.log(Object.keys(Object.groupBy([1, 2, 3], (n) => n % 2 ? 'odd' : 'even')).join())",
        "odd,even",
    );
    check("console.log(typeof WeakRef, typeof FinalizationRegistry)", "function function");
    check(
        "console.log([typeof Date, typeof JSON, typeof RegExp, typeof Map, typeof Set, typeof WeakMap, typeof Proxy, typeof Reflect,
            typeof Promise, typeof BigInt, typeof Symbol, typeof performance.now].join())",
        "function,object,function,function,function,function,function,object,function,function,function,function",
    );
    check(
        "console.log(typeof require, typeof process, typeof fetch, typeof std, typeof os)",
        "function undefined undefined undefined undefined",
    );
}

#[test]
fn a_lenient_module_exports_undefined_for_what_it_lacks() {
    let main = "import d, { a, gone, 'g h' as h } from './lenient.js'; export { other } from './lenient.js';
        import * as all from './lenient.js'; console.log(d, a, gone, h, Object.keys(all).join())";
    check_files(
        &[("main.js", main), ("lenient.js", "const lacking = 1; export const a = lacking")],
        "undefined 1 undefined undefined a,default,g h,gone,other",
    );
}
