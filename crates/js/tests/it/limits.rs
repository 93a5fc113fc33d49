//! Scripts that take more than they may: the user ends, and nothing else does.

use crate::user::{Seen, drive, new_vm, run_with, shown, try_load};
use js::{ErrorKind, Limits, Outcome, Step};
use std::rc::Rc;

/// The user ends in an error of this kind.
fn check(text: &str, limits: Limits, kind: ErrorKind) {
    let (said, ended) = run_with(&[("main.js", text)], limits);
    let error = ended.expect_err(text);
    assert_eq!(error.kind, kind, "{text}: {error} {said:?}");
    assert!(!said.contains(&"caught".to_owned()), "{text}");
}

/// Time passes by a millisecond at each look at the clock, so this is a hundred looks.
fn short() -> Limits {
    Limits { turn_ns: 100_000_000, ..Limits::default() }
}

fn small() -> Limits {
    Limits { memory_bytes: 4 << 20, ..short() }
}

#[test]
fn a_script_that_loops_forever_is_ended() {
    let time = |text| check(text, short(), ErrorKind::Time);
    time("for (;;);");
    time(
        "export default () => { for (;;) { try { for (;;); } catch { console.log('caught') } finally { console.log('caught') } } }",
    );
    time("export default async () => { for (;;) await null }");
    time("export default async () => { await null; try { for (;;); } catch { console.log('caught') } }");
    time("export default () => { const f = () => Promise.resolve().then(f); f() }");
    time("export default () => { setTimeout(() => { for (;;); }) }");
    time("export default () => { /^(a+)+$/.test('a'.repeat(40) + 'b') }");
    time("export default () => { [1, 2].sort(() => { for (;;); }) }");
    time("export default () => { JSON.stringify({ toJSON() { for (;;); } }) }");
    time("export default () => { throw { toString() { for (;;); } } }");
}

#[test]
fn time_spent_waiting_does_not_count() {
    let text = "export default () => { for (let i = 0; i < 200; i++) { ask('a'); for (let j = 0; j < 30000; j++); } }";
    assert_eq!(run_with(&[("main.js", text)], short()).1, Ok(Outcome::Returned));
}

#[test]
fn a_user_that_was_ended_goes_on() {
    let text = "let forever = true; export default () => { while (forever) { forever = ask('a') === 'yes'; for (; forever;); } return 1 }";
    let script = try_load(&[("main.js", text)]).unwrap();
    let seen = Rc::new(Seen::default());
    seen.tick_ns.set(1_000_000);
    let mut vm = new_vm(&script, &seen, short());
    vm.start();
    vm.call("default", |_| Ok(vec![]));
    let step = vm.reply("yes".to_owned());
    let error = drive(&mut vm, &seen, step).unwrap_err();
    assert_eq!(shown(&error), "Time ran too long without waiting for anything");
    assert_eq!(error.stack.first().map(|frame| frame.line), Some(1));
    vm.call("default", |_| Ok(vec![]));
    let step = vm.reply("no".to_owned());
    assert_eq!(drive(&mut vm, &seen, step), Ok(Outcome::Returned));
}

#[test]
fn memory_has_an_end() {
    let memory = |text| check(text, small(), ErrorKind::Memory);
    memory("const all = []; for (;;) all.push({ a: 1 });");
    memory("const all = []; let text = 'a'; for (;;) all.push(text += 'abcdefghijklmnop'.repeat(100));");
    memory("export default () => { const all = []; for (;;) all.push('x'.repeat(1000)) }");
    memory("export default () => 'x'.repeat(1e9)");
    memory("export default () => new Array(1e7).fill(0).map((_, i) => ({ i }))");
    memory("export default () => new Uint8Array(1e9)");
    memory(
        "export default async () => { const all = []; for (;;) { await null; all.push(new Array(100)) } }",
    );
    memory("const all = new Map(); for (let i = 0; ; i++) all.set(i, i);");
    memory(
        "export default () => { const a = []; for (;;) { a.push(JSON.parse('[' + '[],'.repeat(5000) + '1]')) } }",
    );
}

/// The engine ends the process when there is no memory to reject a promise with: the last bytes are asked for in many ways.
#[test]
fn there_is_always_room_to_say_that_there_is_none() {
    for size in 0..20 {
        for text in [
            "export default async () => { for (;;) globalThis.last = { prev: globalThis.last } }",
            "export default async () => { await 1; for (;;) globalThis.last = [globalThis.last] }",
            "const f = async () => { await null; for (;;) globalThis.last = { prev: globalThis.last } };
             export default async () => { for (;;) { try { await f() } catch {} } }",
            "export default () => { for (;;) globalThis.last = new Promise((a, b) => { globalThis.x = [globalThis.x, a, b] }) }",
            "export default async () => { const all = []; const f = async () => { all.push({}); await f() }; await f() }",
        ] {
            let limits = Limits { memory_bytes: (1 << 20) + size * 8, ..short() };
            let error = run_with(&[("main.js", text)], limits).1.expect_err(text);
            assert!(error.kind == ErrorKind::Memory || error.name == "RangeError", "{text} {error}");
        }
    }
}

#[test]
fn memory_caught_by_the_script_is_no_end() {
    let text = "export default () => { try { 'x'.repeat(1e8) } catch { console.log('on') } }";
    assert_eq!(run_with(&[("main.js", text)], small()), (vec!["on".to_owned()], Ok(Outcome::Returned)));
}

#[test]
fn timers_and_operations_have_limits() {
    let few = || Limits { timers_max: 10, operations_max: 10, ..Limits::default() };
    let text = "for (;;) setTimeout(() => {}, 1)";
    assert_eq!(
        shown(&run_with(&[("main.js", text)], few()).1.unwrap_err()),
        "threw RangeError: more than 10 timers at a time"
    );
    let text = "for (;;) begin()";
    let error = run_with(&[("main.js", text)], few()).1.unwrap_err();
    assert_eq!(shown(&error), "threw RangeError: more than 10 operations at a time");
}

#[test]
fn a_timer_too_many_may_be_told_by_code_that_sets_timers() {
    let text = "Error.prepareStackTrace = () => { try { setTimeout(() => {}) } catch {} return 'prepared' };
        export default () => { try { for (;;) setTimeout(() => {}, 1) } catch (error) { console.log(error.stack) } }";
    let few = Limits { timers_max: 10, ..Limits::default() };
    assert_eq!(run_with(&[("main.js", text)], few), (vec!["prepared".to_owned()], Ok(Outcome::Returned)));
}

#[test]
fn a_module_that_waits_at_its_top_level_is_freed() {
    for text in [
        "async function* g() { await begin() } for await (const x of g()) {}",
        "const waited = begin(); await waited",
        "const waited = begin(); await waited.then(() => 1)",
        "globalThis.waited = new Promise(() => {}); await waited.then(() => 1)",
        "globalThis.waited = Promise.resolve().then(() => ask('x')); await waited",
        "globalThis.waited = import('main.js'); await waited",
    ] {
        let script = try_load(&[("main.js", text)]).unwrap();
        let seen = Rc::new(Seen::default());
        let mut vm = new_vm(&script, &seen, Limits::default());
        let step = vm.start();
        assert!(!matches!(step, Step::Done(Err(_))), "{text}: {step:?}");
        drop(vm);
        assert_eq!(seen.alive.get(), 0, "{text}");
    }
}

/// Ways to be deep in the native stack, each with a call of `deeper` in it.
const DEEP: [&str; 14] = [
    "deeper()",
    "[1].map(deeper)",
    "[2, 1].sort(deeper)",
    "'a'.replace(/a/, deeper)",
    "JSON.stringify({ toJSON: deeper })",
    "JSON.parse('[1]', deeper)",
    "Reflect.apply(deeper, null, [])",
    "new Proxy({}, { get: deeper }).a",
    "`${{ toString: deeper }}`",
    "[...{ [Symbol.iterator]: deeper }]",
    "new (class { constructor() { deeper() } })()",
    "Array.from([1], deeper)",
    "(async () => { await deeper() })()",
    "(function* () { yield deeper() })().next()",
];

#[test]
fn a_recursion_without_end_is_an_error_of_the_script() {
    for way in DEEP {
        // The frames around the deepest call are shifted byte by byte, so that the limit is hit at every place.
        for shift in 0..24 {
            let arguments = vec!["0"; shift].join(", ");
            let text = format!(
                "function pad(f, ...rest) {{ return f() }}
                 function deeper() {{ return {way} }}
                 export default () => {{ try {{ pad(deeper, {arguments}) }} catch (error) {{ console.log(error.name) }} }}"
            );
            let (said, ended) =
                run_with(&[("main.js", &text)], Limits { stack_bytes: 64 << 10, ..Limits::default() });
            let is_range =
                said == ["RangeError"] || ended.as_ref().is_err_and(|error| error.name == "RangeError");
            assert!(is_range, "{way} {shift}: {said:?} {ended:?}");
        }
    }
}

#[test]
fn nested_texts_are_errors_of_the_script() {
    let ends = |text: &str| {
        let text = format!("export default () => {{ {text} }}");
        let (_, ended) = run_with(&[("main.js", &text)], Limits::default());
        assert_eq!(ended.expect_err(&text).name.replace("SyntaxError", "RangeError"), "RangeError", "{text}");
    };
    ends("JSON.parse('['.repeat(1e5) + ']'.repeat(1e5))");
    ends("JSON.parse('{\"a\":'.repeat(1e5) + '1' + '}'.repeat(1e5))");
    ends("new RegExp('('.repeat(1e5) + ')'.repeat(1e5))");
    ends("let a = []; for (let i = 0; i < 1e5; i++) a = [a]; JSON.stringify(a)");
    ends("eval('['.repeat(1e5))");
    ends("eval('!'.repeat(1e5) + '1')");
    ends("let a = []; for (let i = 0; i < 1e5; i++) a = [a]; a.toString()");
    ends("let a = []; for (let i = 0; i < 1e5; i++) a = [a]; a.flat(Infinity)");
}

#[test]
fn deep_structures_are_freed() {
    let text = "let a = {}; for (let i = 0; i < 1e6; i++) a = { a }; let p = Promise.resolve();
        for (let i = 0; i < 1e5; i++) p = p.then(() => {}); let f = () => 1; for (let i = 0; i < 1e5; i++) { const g = f; f = () => g }
        export { a, f }";
    let (_, ended) = run_with(&[("main.js", text)], Limits::default());
    assert_eq!(ended, Ok(Outcome::Returned));
}
