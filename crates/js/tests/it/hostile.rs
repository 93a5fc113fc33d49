//! Texts that are meant to break what reads them.

use crate::user::{run, try_load};

/// It loads and runs or says what is wrong; what it must not do is end the process.
fn check(name: &str, text: &str) {
    let outcome = run(&[(name, text)]);
    assert!(outcome.len() < 100_000, "{} bytes", outcome.len());
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
    let outcome = run(&[("main.js", &format!("export default 1;\n{}", "[".repeat(50_000)))]);
    assert_eq!(outcome, "Syntax RangeError: Maximum call stack size exceeded");
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

/// Texts that have everything in them, to be torn apart.
const WHOLE: [&str; 3] = [
    "import a, { b as c, type D } from './c.js'; import * as e from 'host';
abstract class A<T> extends B<T> implements C { private static readonly a?: T = 1; constructor(public x: number) { super(); } get y(): T { return this.x as any } }
enum F { G, H = 5, I = G << 1, J = 'j' }
export default async function run(this: A, p?: Map<string, [number, ...unknown[]]>): Promise<
  void
> { const k = <T,>(l: T): l is T => l!; for await (const m of n satisfies O) { yield_`a${`b${1}`}c` } }
declare module 'x' { let z } type P = { [Q in keyof R]?: S extends infer U ? U : never }; export type { P }; export = 1",
    "export * from './c.js'; export * as d from './c.js'; export { default } from './c.js'; let f = async (a, ...b) => { try { await import('host') } catch { throw /(?<x>a+)+$/u } finally { await 1 } };
label: for (const [g, { h = 1 }] of Object.entries({ i: 2n ** 3n, [`j`]: f?.() ?? 4 })) { if (g) continue label; else break }
export class K { static #l = 1; static { this.#l++ } get [Symbol.iterator]() { return function* () { yield* [] } } } console.log(import.meta.url, ask('x'), new.target)",
    "const m = require('./c.js'); module.exports = { default: () => m.x, n: eval('1') }; with (m) { x = 010 } setTimeout(() => { Promise.reject(1) }, 5); var await = 1, yield_ = `${m}`; begin().then(JSON.stringify)",
];

#[test]
fn torn_texts() {
    let limits = || js::Limits {
        turn_ns: 20_000_000,
        memory_bytes: 4 << 20,
        stack_bytes: 64 << 10,
        ..js::Limits::default()
    };
    let mut random = units::Random::new(11);
    for round in 0..1_500u64 {
        let mut text: Vec<char> = WHOLE[(round % 3) as usize].chars().collect();
        for _ in 0..=random.below(6) {
            let at = random.below(text.len() as u64) as usize;
            let end = (at + random.below(20) as usize).min(text.len());
            match random.below(4) {
                0 => drop(text.drain(at..end)),
                1 => {
                    let part = text[at..end].to_vec();
                    let to = random.below(text.len() as u64) as usize;
                    text.splice(to..to, part);
                }
                2 => {
                    text[at] = ['(', ')', '{', '}', '<', '>', ':', '`', '\n', '\0', 'é', ';', '*', '#']
                        [random.below(14) as usize]
                }
                _ => text.swap(at, end.saturating_sub(1).max(at)),
            }
            if text.is_empty() {
                text.push('a');
            }
        }
        let text: String = text.into_iter().collect();
        let name = if random.below(4) == 0 { "main.js" } else { "main.ts" };
        let (_, ended) =
            crate::user::run_with(&[(name, &text), ("c.js", "exports.x = 1; exports.default = 2")], limits());
        if let Err(error) = ended {
            assert!(error.to_string().len() < 100_000, "round {round}");
        }
    }
}
