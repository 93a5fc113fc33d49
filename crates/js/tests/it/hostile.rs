//! Texts that are meant to break what reads them.

use crate::user::{run, try_load};

/// It loads and runs or says what is wrong; what it must not do is end the process.
fn check(name: &str, text: &str) {
    let outcome = run(&[(name, text)]);
    assert!(outcome.len() < 10_000, "{} bytes", outcome.len());
}

#[test]
fn nesting() {
    for name in ["main.js", "main.ts"] {
        for (open, close) in [
            ("[", "]"),
            ("(", ")"),
            ("{", "}"),
            ("f(", ")"),
            ("!", ""),
            ("a=>", ""),
            ("`${", "}`"),
            ("if(a)", ""),
            ("a?b:", ""),
            ("x={a:", "}"),
            ("class A{a=", "}"),
            ("function f(){", "}"),
            ("new ", ""),
            ("a**", ""),
            ("-(", ")"),
            ("1+", ""),
            ("a.", ""),
            ("a[", "]"),
            ("async()=>await ", ""),
            ("...", ""),
            ("for(;;)", ""),
            ("<", ""),
            ("/*", "*/"),
            ("a:", ""),
            ("else if(a){}", ""),
            ("a=", ""),
            ("import(", ")"),
            ("typeof ", ""),
        ] {
            let depth = 4_000;
            let text = format!("export default 1;\n{}1{}", open.repeat(depth), close.repeat(depth));
            check(name, &text);
        }
    }
    for (open, close) in
        [("A<", ">"), ("(a:", ")=>b"), ("{a:", "}"), ("[", "]"), ("keyof ", ""), ("A extends B?C:", "")]
    {
        let depth = 5_000;
        check("main.ts", &format!("type T = {}A{}", open.repeat(depth), close.repeat(depth)));
    }
    check("main.json", &"[".repeat(1 << 20));
}

#[test]
fn bytes() {
    for text in [
        "\0",
        "a\0b",
        "'\0'",
        "export default '\0'",
        "\u{feff}\u{feff}",
        "\u{2028}",
        "'\u{d7ff}'",
        "`",
        "/*",
        "'",
        "/",
        "<!--",
        "-->",
        "import",
        "import {",
        "import * as",
        "export *",
        "export * as default from",
        "await",
        "yield",
        "#",
        "#!",
        "@a class B {}",
        "\\u{110000}",
    ] {
        check("main.js", text);
        check("main.ts", text);
        check("main.json", text);
    }
    check("main.js", "export default () => { throw new Error('x\\0y') }");
    check("main.js", "const a = require('\\0'); require('a\0b')");
}

#[test]
fn names() {
    let outcome = run(&[
        (
            "main.js",
            "import { '*namespace*' as a } from './c.js'; import * as b from './c.js'; console.log(a.x, b.x)",
        ),
        ("c.js", "exports.x = 1"),
    ]);
    assert_eq!(outcome, "1 1");
    check(
        "main.js",
        "Object.defineProperty(globalThis, 'require', { get() { throw 1 } }); globalThis.console = null; export default () => {}",
    );
    check(
        "main.js",
        "Math.random = null; Error.prepareStackTrace = () => { throw 1 }; export default () => null.x",
    );
    check("main.js", "Error.prepareStackTrace = (_, calls) => calls; export default () => null.x");
    check(
        "main.js",
        "Error.stackTraceLimit = 1e9; function f(n) { if (n) f(n - 1); else throw new Error('x'.repeat(1e6)) } export default () => f(500)",
    );
    check("main.js", "Promise.prototype.then = () => { throw 1 }; export default async () => { await 1 }");
    check(
        "main.js",
        "Object.prototype.default = 1; Object.prototype.then = (f) => f(1); export default async () => ({})",
    );
    check(
        "main.js",
        "Array.prototype[Symbol.iterator] = null; Object.freeze(globalThis); export default () => setTimeout(() => {})",
    );
    check("main.js", "export default () => { delete globalThis.Promise; return (async () => 1)() }");
    check("main.js", "export const then = (resolve) => resolve(1); export default () => import('./main.js')");
}

#[test]
fn many_modules_in_a_chain() {
    let mut files: Vec<(String, String)> = (0..2000)
        .map(|index| (format!("m{index}.js"), format!("export {{ a }} from './m{}.js'", index + 1)))
        .collect();
    files.push(("m2000.js".to_owned(), "export const a = 5; console.log(a)".to_owned()));
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    assert!(try_load(&files).is_ok());
    // The engine links from module to module, so that a long chain may be deeper than a user's stack.
    let outcome = run(&files);
    assert!(outcome == "5" || outcome.contains("stack"), "{outcome}");
}
