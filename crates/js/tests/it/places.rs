//! Stack traces: function, file, line and column of the source as it was written.

use crate::user::run_with;
use js::Limits;

/// The frames that have a place, as `function file:line:column`.
fn check(files: &[(&str, &str)], expected: &[&str], line: &str) {
    let error = run_with(files, Limits::default()).1.unwrap_err();
    let frames = error.stack.iter().filter(|frame| frame.line > 0);
    let frames: Vec<String> = frames
        .map(|frame| format!("{} {}:{}:{}", frame.function, frame.file, frame.line, frame.column))
        .collect();
    assert_eq!(frames, expected, "{error}");
    assert_eq!(error.source_line.as_deref(), Some(line));
}

#[test]
fn modules() {
    check(
        &[
            ("main.js", "import { f } from './a.js';\nexport default function run() {\n    f();\n}"),
            ("a.js", "export function f() {\n  throw new Error('x');\n}"),
        ],
        &["f a.js:2:13", "run main.js:3:5"],
        "  throw new Error('x');",
    );
}

#[test]
fn common_js_and_its_first_line() {
    check(
        &[
            ("main.js", "const { f } = require('./c.js'); f();"),
            ("c.js", "exports.f = function f() { null.x }"),
        ],
        &["f c.js:1:28", "<anonymous> main.js:1:34"],
        "exports.f = function f() { null.x }",
    );
}

#[test]
fn typescript() {
    check(
        &[(
            "main.ts",
            "interface A { b: string }\ntype C = {\n  d: 1\n};\nexport default function run(a?: A): void {\n  const e: number = 1; (a as A)!.b.trim();\n}",
        )],
        &["run main.ts:6:24"],
        "  const e: number = 1; (a as A)!.b.trim();",
    );
}

#[test]
fn columns_are_those_of_editors() {
    let line = "const a = 'é😀'; null.b; export {}";
    check(&[("main.js", line)], &["<anonymous> main.js:1:18"], line);
    let line = "/* é😀 */ let a: Ä = 1; null.b; export {}";
    check(&[("main.ts", &format!("\n{line}"))], &["<anonymous> main.ts:2:25"], line);
}

#[test]
fn syntax() {
    check(&[("main.js", "let a = 1;\nlet b = ;\nexport {}")], &["<anonymous> main.js:2:9"], "let b = ;");
    check(&[("main.js", "exports.a = ) 1")], &["<anonymous> main.js:1:13"], "exports.a = ) 1");
    check(&[("main.ts", "let a: string = 'x';\nlet b: = 2")], &["<module> main.ts:2:8"], "let b: = 2");
    check(
        &[("main.ts", "let a: string = 'x';\nconst b: A;\nexport {}")],
        &["<module> main.ts:2:7"],
        "const b: A;",
    );
}

#[test]
fn promises_and_timers() {
    check(
        &[(
            "main.js",
            "export default async function run() {\n  await null;\n  throw new Error('later');\n}",
        )],
        &["run main.js:3:13"],
        "  throw new Error('later');",
    );
    check(
        &[(
            "main.js",
            "export default () => {\n  setTimeout(function tick() { throw new Error('t') }, 1);\n}",
        )],
        &["tick main.js:2:42"],
        "  setTimeout(function tick() { throw new Error('t') }, 1);",
    );
}
