//! TypeScript torn apart and put together: what is left of whatever still is TypeScript is JavaScript, in as many lines.

use super::super::text::{Goal, fault_place};
use super::without_types;
use units::Random;

/// How many texts are tried; `WEIR_TORN=1000000` tries more.
const ROUNDS: u64 = 20_000;

/// Statements that have all in them that types can stand in.
const STATEMENTS: [&str; 33] = [
    "let a: number = 1 as any;",
    "const b = <T,>(c?: T): c is T => c!;",
    "function d<T extends E>(this: F, g: T, h?: string, ...i: J[]): asserts g is K { return }",
    "function l(a: string): void; function l(a: number): void; function l(a: any) { }",
    "abstract class M<T> extends N<T> implements O, P { private static readonly q?: T = 1; declare r: S; abstract t(): U; constructor(public v: W, x = 2) { super(); } get y(): Z { return this.q! } [k: string]: any }",
    "class A1 { static { let a: B1 = 1 } #c?: D1; override e = <F1>1; private async *g<T>(): H1 { yield 1 } }",
    "enum I1 { J1, K1 = 5, L1 = J1 | K1, 'm-1' = 2, N1 = 'n' }",
    "export enum O1 { P1 = 'p'.length }",
    "declare enum Q1 { R1 }",
    "namespace S1 { export const a = 1, b: number = 2; export let c = a; export function d(): void { } const e = 3; f(e) }",
    "namespace T1.U1 { export class V1 { } export enum W1 { X1 } export namespace Y1 { export type Z1 = 1; export const a = 2 } }",
    "function A2() { } namespace A2 { export const b = 1 }",
    "namespace C2 { type D2 = 1; interface E2 { } }",
    "declare module 'f' { export const g: number }",
    "declare global { interface H2 { i: 1 } }",
    "type J2<T> = T extends (infer K2 extends string)[] ? K2 : { readonly [L2 in keyof T as `m${L2}`]-?: T[L2] };",
    "interface N2<T> extends O2, P2<T> { (a: number): void; new (b?: string): N2<T>; readonly [c: string]: any; d?(): void }",
    "import type { Q2 } from 'q';",
    "import r2, { type S2, t2 as u2 } from 'r';",
    "import v2 = require('w');",
    "export type { Q2 };",
    "export * from 'y';",
    "(function <T>(a: T): T { return a as unknown as T });",
    "const z2 = { a: 1, b<T>(c: T) { }, async d(): Promise<void> { }, get e(): number { return 1 } } satisfies Record<string, any>;",
    "for (const a3 of b3 as C3[]) { if (a3! > 1) continue; }",
    "try { f() } catch (d3: unknown) { } finally { }",
    "label: while (e3<F3>(1) as any) { break label }",
    "const { g3, ...h3 }: I3 = j3, [k3, l3 = 1]: M3 = n3;",
    "o3?.p3!.q3<R3>?.[s3 as T3]!(`a${u3 satisfies V3}b`);",
    "const w3 = async <T>(a: T): Promise<T> => await a;",
    "let x3!: Y3, z3: typeof import('a4'), b4: unique symbol, c4: [d: string, e?: number, ...f: boolean[]];",
    "if (a < b && c > (d)) { l4 = a<b>(c) } else m4 = a as B\n(1)",
    "switch (n4 as any) { case <O4>1: p4: { } default: type Q4 = 1; }",
];

fn torn(random: &mut Random) -> String {
    let mut pick = |count: usize| random.below(count as u64) as usize;
    let count = 1 + pick(4);
    let parts: Vec<&str> = (0..count).map(|_| STATEMENTS[pick(STATEMENTS.len())]).collect();
    let mut letters: Vec<char> = parts.join(["\n", " ", "\n\n", "\r\n"][pick(4)]).chars().collect();
    for _ in 0..pick(4) {
        let at = pick(letters.len().max(1)).min(letters.len());
        let end = (at + pick(12)).min(letters.len());
        match pick(5) {
            0 => drop(letters.drain(at..end)),
            1 => {
                let part = letters[at..end].to_vec();
                let to = pick(letters.len() + 1);
                letters.splice(to..to, part);
            }
            2 => letters.insert(
                at,
                ['(', ')', '{', '}', '<', '>', ':', '?', '!', '\n', ';', ',', 'é', '='][pick(14)],
            ),
            3 => {
                let other = STATEMENTS[pick(STATEMENTS.len())].chars();
                letters.splice(at..at, other);
            }
            _ => {
                let (word, with) =
                    [("const", "let"), ("export ", ""), ("a", "\n"), (": ", ":\n"), (" ", "/**/")][pick(5)];
                let text: String = letters.iter().collect();
                letters = text.replacen(word, with, 1 + pick(3)).chars().collect();
            }
        }
    }
    letters.into_iter().collect()
}

#[test]
fn what_is_left_is_javascript() {
    let rounds = std::env::var("WEIR_TORN").ok().and_then(|count| count.parse().ok()).unwrap_or(ROUNDS);
    let mut random = Random::new(29);
    let mut known = 0;
    let mut wrong = Vec::new();
    for round in 0..rounds {
        let text = torn(&mut random);
        let Ok(plain) = without_types("a.ts", &text) else { continue };
        known += 1;
        // What is imported or exported twice, or within a block, is no fault of the types.
        let is_own = |(line, _): &(u32, u32)| {
            let line = plain.split('\n').nth(*line as usize - 1).unwrap_or_default();
            !line.contains("import") && !line.contains("export")
        };
        let fault = fault_place(&plain, Goal::Module).filter(is_own);
        if plain.matches('\n').count() != text.matches('\n').count() || fault.is_some() {
            wrong.push(format!("round {round} {fault:?}: {text}\n---\n{plain}"));
        }
    }
    assert!(known > rounds / 10, "{known} of {rounds}");
    wrong.truncate(10);
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
