use super::*;

/// Text without types, runs of blanks as one.
fn squeezed(text: &str) -> String {
    let lines = text.split('\n').map(|line| line.split_whitespace().collect::<Vec<&str>>().join(" "));
    lines.collect::<Vec<String>>().join("\n")
}

/// What is left of `text`, in the same number of lines.
fn check(text: &str, expected: &str) {
    let stripped = without_types("a.ts", text).unwrap();
    assert_eq!(squeezed(&stripped), expected, "{text}");
    assert_eq!(stripped.split('\n').count(), text.split('\n').count(), "{text}");
}

/// Likewise, and nothing stands in another column.
fn check_blanks(text: &str, expected: &str) {
    check(text, expected);
    let stripped = without_types("a.ts", text).unwrap();
    let lengths = |text: &str| text.split('\n').map(str::len).collect::<Vec<usize>>();
    assert_eq!(lengths(&stripped), lengths(text), "{stripped}");
}

#[test]
fn types_are_blanks() {
    check_blanks("let a: number = 1 as any;", "let a = 1 ;");
    check_blanks("let a!: number;", "let a ;");
    check_blanks("type A = {\n b: 1 };\nlet c", ";\n\nlet c");
    check_blanks("f<T>(a!, <B>b, c satisfies D)", "f (a , b, c )");
    check_blanks("function f(this: A, b?: B, ...c: C[]): D { }", "function f( b , ...c ) { }");
    check_blanks("(a?, b?: B, c?) => a ? b : c", "(a , b , c ) => a ? b : c");
    check_blanks("const f = <T,>(a?: T): a is T => a", "const f = (a ) => a");
    check_blanks("const f = (a): A<\n  B\n> => a", "const f = (a\n\n) => a");
    check_blanks("const f = async <\n  B\n>(a) => a", "const f = async (\n\na) => a");
    check_blanks("a = b as C\n(d)", "a = b;\n(d)");
    check_blanks("a = b as C\n+ d", "a = b\n+ d");
    check_blanks("(a as B)(c)", "(a )(c)");
    check_blanks("interface A { }\nexport interface B { }", ";\n;");
    check_blanks("declare const a: number; declare function f(): void", "; ;");
    check_blanks("export default interface A { }", ";");
    check_blanks("declare module 'a' { let b }\ndeclare global { let c }", ";\n;");
    check_blanks("namespace A { type B = 1 }", ";");
    check_blanks("try { } catch (e: unknown) { }", "try { } catch (e ) { }");
    check_blanks("/* é */ let é: Ä = 1", "/* é */ let é = 1");
    check_blanks("for (const a of b as C[]) { let d: E }", "for (const a of b ) { let d }");
}

#[test]
fn classes_lose_their_types() {
    check_blanks(
        "abstract class A<T> extends B<T> implements C, D { private static readonly a?: T = 1; abstract b(): T; }",
        "class A extends B { static a = 1; ; }",
    );
    check_blanks("export abstract class A { declare b: C; d!: E }", "export class A { ; d }");
    check_blanks("class A { a = 1\nprivate ['b'] = 2 }", "class A { a = 1\n; ['b'] = 2 }");
    check_blanks("class A { f(): void; f(a?: 1) { } [k: string]: any }", "class A { ; f(a ) { } ; }");
    check_blanks(
        "class A { private async *f<T>(): T { } protected get g(): T { } }",
        "class A { async *f () { } get g() { } }",
    );
    check(
        "class A { constructor(private a: B, readonly c = 1, d?: D) { f() } }",
        "class A { constructor( a , c = 1, d ) { this.a = a; this.c = c; f() } }",
    );
    check(
        "class A extends B { constructor(public a) { super(); g() } }",
        "class A extends B { constructor( a) { super();; this.a = a; g() } }",
    );
}

#[test]
fn imports_of_types_are_gone() {
    check_blanks("import { Options } from 'o'; let a: Options", "; let a");
    check_blanks("import a, { B } from 'o'; let c: B = a()", "import a, { } from 'o'; let c = a()");
    check_blanks("import A, { b } from 'o'; let c: A = b()", "import { b } from 'o'; let c = b()");
    check_blanks("import a, * as b from 'o'; let c: b.C = a()", "import a from 'o'; let c = a()");
    check_blanks("import { type A, b } from 'o'; b()", "import { b } from 'o'; b()");
    check_blanks("import { a, B } from 'o'; a()", "import { a, } from 'o'; a()");
    check_blanks("import type { A } from 'o'; export type { A }", "; ;");
    check_blanks("import 'o'; import {} from 'p'", "import 'o'; import {} from 'p'");
    check_blanks("import { a } from 'o'; export { a }", "import { a } from 'o'; export { a }");
    check_blanks("import { a } from 'o'; f`${a}`; ({ a })", "import { a } from 'o'; f`${a}`; ({ a })");
    check_blanks(
        "import { a } from 'o'; class B extends a { }",
        "import { a } from 'o'; class B extends a { }",
    );
    check_blanks("interface A { } const b = 1; export { A, b }", "; const b = 1; export { b }");
    check_blanks("export { type A, b } from 'o'; export type * from 'p'", "export { b } from 'o'; ;");
    check("import a = require('b'); a()", "const a = require('b'); a()");
    check("import A = require('b'); export = 1", "; module.exports = 1");
}

#[test]
fn enums_are_objects() {
    check(
        "export enum A { B, C = 5, D, E = 'e', F = C << 1 }\nlet g = A.B",
        "export var A = ((A) => { A[\"B\"] = 0; A[A[\"B\"]] = \"B\"; const C = A[\"C\"] = 5; A[A[\"C\"]] = \"C\"; \
         A[\"D\"] = A[\"C\"] + 1; A[A[\"D\"]] = \"D\"; A[\"E\"] = 'e'; A[\"F\"] = C << 1; A[A[\"F\"]] = \"F\"; \
         return A })({});\nlet g = A.B",
    );
    check(
        "enum A {\n  B,\n  // b\n  C\n}\nf()",
        "var A = ((A) => {\nA[\"B\"] = 0; A[A[\"B\"]] = \"B\";\n// b\nA[\"C\"] = A[\"B\"] + 1; A[A[\"C\"]] = \"C\";\n\
         return A })({});\nf()",
    );
    check("enum A { }", "var A = ((A) => { return A })({});");
    check("declare enum A { B }", ";");
}

#[test]
fn several_enums_of_a_name_are_one() {
    check(
        "enum A { B } enum A { C = 1 }",
        "var A = ((A) => { A[\"B\"] = 0; A[A[\"B\"]] = \"B\"; return A })(A || {}); \
         var A = ((A) => { A[\"C\"] = 1; A[A[\"C\"]] = \"C\"; return A })(A || {});",
    );
    check(
        "export enum A { } export enum A { }",
        "export var A = ((A) => { return A })(A || {}); var A = ((A) => { return A })(A || {});",
    );
}

#[test]
fn namespaces_are_objects() {
    check(
        "namespace A { type B = 1; export const c: B = 1, d = 2\nfunction e() { }\nexport function f(): void { e() } }",
        "var A = ((A) => { ; const c = 1, d = 2; A.c = c; A.d = d;\nfunction e() { }\nfunction f() { e() }; A.f = f; ;return A })({});",
    );
    check(
        "namespace A { export let b = 1 }",
        "var A = ((A) => { let b = 1; Object.defineProperty(A, \"b\", { get: () => b, set: (it) => { b = it }, enumerable: true }); ;return A })({});",
    );
    check(
        "export namespace A.B { export class C { d: E } }",
        "export var A = ((A) => { const B = A.B = ((B) => { class C { d }; B.C = C; ;return B })(A.B || {}); return A })({});",
    );
    check(
        "function a() { }\nnamespace a { export const b = 1 }",
        "function a() { }\n;((a) => { const b = 1; a.b = b; ;return a })(a);",
    );
    check(
        "namespace A { export namespace B { f() } export interface C { } }",
        "var A = ((A) => { var B = ((B) => { f() ;return B })({});; A.B = B; ; ;return A })({});",
    );
}

#[test]
fn faults_have_places() {
    let error = without_types("a.ts", "let a: number = 1;\nlet b: = 2;").unwrap_err();
    assert_eq!((error.kind, error.stack[0].line, error.stack[0].column), (ErrorKind::Syntax, 2, 8));
    let error = without_types("a.ts", "\n class A { accessor b = 1 }").unwrap_err();
    assert_eq!((error.stack[0].line, error.stack[0].column), (2, 12));
}
