//! Waiting, promises, timers, operations, cancelling.

use crate::user::{RunExport as _, Seen, check, drive, new_vm, run_with, shown, try_load};
use js::{Limits, Outcome, Step};
use std::rc::Rc;

#[test]
fn a_host_call_waits() {
    let script =
        try_load(&[("main.js", "export default function () { return ask('a') + ask('b') }")]).unwrap();
    let seen = Rc::new(Seen::default());
    let mut vm = new_vm(&script, &seen, Limits::default());
    assert_eq!(vm.start(), Step::Done(Ok(Outcome::Returned)));
    for _ in 0..3 {
        assert_eq!(vm.call("default", |_| Ok(vec![])), Step::Asks("a".to_owned()));
        assert_eq!(vm.reply("1".to_owned()), Step::Asks("b".to_owned()));
        assert_eq!(vm.reply("2".to_owned()), Step::Done(Ok(Outcome::Returned)));
        assert_eq!(vm.with(|_, value| value.get::<String>().unwrap()), "12");
    }
}

#[test]
fn waits_are_deep_in_calls_of_the_engine() {
    check(
        "export default () => {
            console.log([3, 1, 2].map((n) => ask('m' + n)).join());
            console.log([3, 1, 2].sort((a, b) => (ask('s'), a - b)).join());
            console.log('abc'.replace(/./g, (c) => ask(c + c)));
            console.log(JSON.stringify({ toJSON: () => ask('json') }));
            console.log(`${{ toString: () => ask('text') }}`);
            console.log(new Proxy({}, { get: (_, name) => ask(name) }).trap);
            console.log([...(function* () { yield ask('g') })()].join());
        }",
        "m3,m1,m2\n1,2,3\naabbcc\n\"json\"\ntext\ntrap\ng",
    );
}

#[test]
fn modules_wait_at_their_top() {
    check("console.log(ask('a')); console.log(await begin()); export let b = 1", "a\ncompleted");
    check("console.log(await 1)", "1");
    check("export default async () => { for (const a of [1, 2]) console.log(await a) }", "1\n2");
}

#[test]
fn timers_and_jobs_keep_their_order() {
    check(
        "export default async function () {
            setTimeout(() => console.log('20'), 20);
            setTimeout((...all) => console.log('10', ...all), 10, 'a', 'b');
            setTimeout(() => { console.log('0'); Promise.resolve().then(() => console.log('job of 0')) });
            setTimeout(() => console.log('0 too'), 0);
            Promise.resolve().then(() => console.log('job'));
            queueMicrotask(() => console.log('micro'));
            console.log('first');
            await null;
            console.log('after await');
            const id = setTimeout(() => console.log('never'), 5);
            clearTimeout(id); clearTimeout('x'); clearTimeout();
            let count = 0;
            const again = setInterval(() => { console.log('again'); if (++count === 3) clearInterval(again) }, 30);
        }",
        "first\njob\nmicro\nafter await\n0\njob of 0\n0 too\n10 a b\n20\nagain\nagain\nagain",
    );
    check("setTimeout('console.log(1)')", "threw TypeError: a timer calls a function, and this is none");
    check("setTimeout(() => console.log(1), NaN); setTimeout(() => console.log(2), -1)", "1\n2");
}

#[test]
fn a_timer_waits_for_its_time() {
    let text = "export default () => new Promise((done) => setTimeout(() => done('x'), 1500))";
    let script = try_load(&[("main.js", text)]).unwrap();
    let seen = Rc::new(Seen::default());
    let mut vm = new_vm(&script, &seen, Limits::default());
    vm.start();
    seen.now_ns.set(7);
    let until_ns = Some(1_500_000_007);
    assert_eq!(vm.call("default", |_| Ok(vec![])), Step::Idle { until_ns });
    assert_eq!(vm.wake(), Step::Idle { until_ns });
    seen.now_ns.set(1_500_000_007);
    assert_eq!(vm.wake(), Step::Done(Ok(Outcome::Returned)));
    assert_eq!(vm.with(|_, value| value.get::<String>().unwrap()), "x");
}

#[test]
fn a_chain_of_timers_lets_others_go_on() {
    let text = "export default () => { let n = 0; const f = () => { if (++n < 5) setTimeout(f, 0) }; f() }";
    let script = try_load(&[("main.js", text)]).unwrap();
    let seen = Rc::new(Seen::default());
    let mut vm = new_vm(&script, &seen, Limits::default());
    vm.start();
    let mut step = vm.call("default", |_| Ok(vec![]));
    let mut idle_count = 0;
    while let Step::Idle { until_ns } = step {
        assert_eq!(until_ns, Some(0));
        idle_count += 1;
        step = vm.wake();
    }
    assert_eq!((idle_count, step), (3, Step::Done(Ok(Outcome::Returned))));
}

#[test]
fn operations_end_in_any_order() {
    let text = "export default async () => {
        const all = [begin(), begin(), begin()];
        all[1].catch(() => {});
        for (const one of await Promise.allSettled(all)) console.log(one.value ?? one.reason.message);
    }";
    let script = try_load(&[("main.js", text)]).unwrap();
    let seen = Rc::new(Seen::default());
    let mut vm = new_vm(&script, &seen, Limits::default());
    vm.start();
    assert_eq!(vm.call("default", |_| Ok(vec![])), Step::Idle { until_ns: None });
    let begun = seen.begun.take();
    vm.complete(begun[2], "c".to_owned());
    assert_eq!(vm.wake(), Step::Idle { until_ns: None });
    vm.complete(begun[1], "!b".to_owned());
    vm.complete(begun[0], "a".to_owned());
    vm.complete(begun[0], "once more".to_owned());
    assert_eq!(vm.wake(), Step::Done(Ok(Outcome::Returned)));
    assert_eq!(seen.said.take(), ["a", "b", "c"]);
    vm.complete(begun[0], "late".to_owned());
    assert_eq!(vm.call("default", |_| Ok(vec![])), Step::Idle { until_ns: None });
}

#[test]
fn what_a_failed_task_leaves_does_not_run() {
    let text = "let fail = true;
        export default async () => {
            setTimeout(() => console.log('timer'), 10);
            begin().then(() => console.log('operation'));
            if (fail) { fail = false; throw new Error('once') }
        }";
    let script = try_load(&[("main.js", text)]).unwrap();
    let seen = Rc::new(Seen::default());
    let mut vm = new_vm(&script, &seen, Limits::default());
    vm.start();
    let step = vm.call("default", |_| Ok(vec![]));
    assert_eq!(shown(&drive(&mut vm, &seen, step).unwrap_err()), "Rejected Error: once");
    seen.begun.take();
    let step = vm.call("default", |_| Ok(vec![]));
    assert_eq!(drive(&mut vm, &seen, step), Ok(Outcome::Returned));
    assert_eq!(seen.said.take(), ["timer", "operation"]);
}

/// The engine can't forget a job: those of a stopped task end at once, and a user that has them without end is over.
#[test]
fn jobs_of_a_stopped_task_do_not_run_in_the_next() {
    let script = |body: &str| {
        format!(
            "let first = true; export default async () => {{ console.log('begun'); if (first) {{ first = false; {body} }} }}"
        )
    };
    let after = |body: &str, interrupts: bool| {
        let text = script(body);
        let script = try_load(&[("main.js", &text)]).unwrap();
        let seen = Rc::new(Seen::default());
        seen.tick_ns.set(1_000_000);
        let mut vm = new_vm(&script, &seen, Limits { turn_ns: 50_000_000, ..Limits::default() });
        vm.start();
        let step = vm.call("default", |_| Ok(vec![]));
        let ended = if interrupts { vm.interrupt() } else { step };
        assert!(matches!(&ended, Step::Done(Err(_))), "{body}: {ended:?}");
        seen.begun.take();
        if !vm.is_dead() {
            let step = vm.call("default", |_| Ok(vec![]));
            assert_eq!(drive(&mut vm, &seen, step), Ok(Outcome::Returned), "{body}");
        }
        (seen.said.take().join(" "), vm.is_dead())
    };
    let goes_on = ("begun begun".to_owned(), false);
    assert_eq!(after("Promise.resolve().then(() => console.log('late')); ask('a')", true), goes_on);
    assert_eq!(after("Promise.resolve().then(() => ask('b')); ask('a')", true), goes_on);
    assert_eq!(after("Promise.resolve().then(() => console.log('late')); for (;;);", false), goes_on);
    assert_eq!(after("begin().then(() => console.log('late')); await begin()", true), goes_on);
    // The engine ends one of the two where it stands.
    let chain = "const f = () => { Promise.resolve().then(f) }; f(); f();";
    assert_eq!(after(chain, false), ("begun".to_owned(), true));
    assert_eq!(after(&format!("{chain} ask('a')"), true), ("begun".to_owned(), true));
    assert_eq!(after(&format!("{chain} throw 1"), false), ("begun".to_owned(), true));
}

#[test]
fn a_host_ends_a_task_that_cant_catch_it() {
    check(
        "export default () => { try { endTask() } catch { console.log('caught') } finally { console.log('finally') } }",
        "Cancelled cancelled",
    );
    check(
        "export default async () => { await 1; try { endTask() } finally { console.log('finally') } }",
        "Cancelled cancelled",
    );
    check("export default () => { endTask(); console.log('on') }", "Cancelled cancelled");
    let (_, ended) =
        run_with(&[("main.js", "export default async () => {\n await 1;\n endTask() }")], Limits::default());
    assert_eq!(ended.unwrap_err().stack.iter().find(|frame| frame.line > 0).map(|frame| frame.line), Some(3));
}

#[test]
fn promises_that_nobody_handles_are_errors() {
    check("export default () => { Promise.reject(new TypeError('a')) }", "Rejected TypeError: a");
    check("export default () => { Promise.reject('text') }", "Rejected text");
    check("export default async () => { await Promise.reject(new Error('b')) }", "Rejected Error: b");
    check("export default () => { Promise.reject(1).catch((one) => console.log(one)) }", "1");
    check(
        "export default () => { const p = Promise.reject(1); queueMicrotask(() => p.catch(() => {})) }",
        "",
    );
    check(
        "export default () => { setTimeout(() => { throw new Error('in a timer') }) }",
        "threw Error: in a timer",
    );
    check(
        "export default () => { queueMicrotask(() => { throw new Error('in a job') }) }",
        "threw Error: in a job",
    );
    check("await Promise.reject(new Error('at the top')); export {}", "threw Error: at the top");
    check("Promise.reject(new Error('at the top')); export {}", "Rejected Error: at the top");
}

#[test]
fn a_promise_that_nothing_settles_ends() {
    let script = try_load(&[("main.js", "export default () => new Promise(() => {})")]).unwrap();
    let seen = Rc::new(Seen::default());
    let mut vm = new_vm(&script, &seen, Limits::default());
    vm.start();
    assert_eq!(vm.call("default", |_| Ok(vec![])), Step::Done(Ok(Outcome::NeverSettled)));
    assert!(vm.with(|_, value| value.is_undefined()));
}

#[test]
fn thrown_things_are_told() {
    check("throw new RangeError('a')", "threw RangeError: a");
    check("export default () => { throw 'text' }", "threw text");
    check("export default () => { throw { message: 'object' } }", "threw [object Object]");
    check("export default () => { throw undefined }", "threw undefined");
    check("export default () => { throw null }", "threw null");
    check("export default () => { throw Symbol('s') }", "threw Symbol(s)");
    check(
        "export default () => { throw { toString() { throw 1 }, get message() { throw 2 } } }",
        "threw [object]",
    );
    check(
        "class A extends Error { get name() { throw 1 } }; export default () => { throw new A('m') }",
        "threw m",
    );
    check(
        "export const a = 1; export default a",
        "threw TypeError: the script exports no function `default`",
    );
}

#[test]
fn a_script_cant_catch_its_cancelling() {
    let text = "export default async () => {
        for (;;) {
            try { ask('a') } catch { console.log('caught') } finally { console.log('finally') }
            await 1; console.log('later');
        }
    }";
    let script = try_load(&[("main.js", text)]).unwrap();
    let seen = Rc::new(Seen::default());
    let mut vm = new_vm(&script, &seen, Limits::default());
    vm.start();
    assert_eq!(vm.call("default", |_| Ok(vec![])), Step::Asks("a".to_owned()));
    vm.cancel();
    assert!(vm.is_dead());
    assert_eq!(seen.said.take(), Vec::<String>::new());
    drop(vm);
    assert_eq!(seen.alive.get(), 0);
}

#[test]
fn an_interrupted_user_can_be_called_again() {
    let text = "let count = 0;
        export default async () => {
            count++;
            try { ask('a'); await begin(); ask('b') } catch { console.log('caught') } finally { console.log('finally') }
            return count;
        }";
    let script = try_load(&[("main.js", text)]).unwrap();
    let seen = Rc::new(Seen::default());
    let mut vm = new_vm(&script, &seen, Limits::default());
    vm.start();
    let interrupted = |step| match step {
        Step::Done(Err(error)) => assert_eq!(error.kind, js::ErrorKind::Cancelled),
        other => panic!("{other:?}"),
    };
    assert_eq!(vm.call("default", |_| Ok(vec![])), Step::Asks("a".to_owned()));
    interrupted(vm.interrupt());
    vm.call("default", |_| Ok(vec![]));
    assert_eq!(vm.reply("1".to_owned()), Step::Idle { until_ns: None });
    interrupted(vm.interrupt());
    assert_eq!(seen.said.take(), Vec::<String>::new());
    seen.begun.take();
    let step = vm.call("default", |_| Ok(vec![]));
    assert_eq!(drive(&mut vm, &seen, step), Ok(Outcome::Returned));
    assert_eq!(vm.with(|_, value| value.as_int()), Some(3));
    assert_eq!(seen.said.take(), ["finally"]);
    let script = try_load(&[("main.js", "ask('top')")]).unwrap();
    let mut vm = new_vm(&script, &seen, Limits::default());
    assert_eq!(vm.start(), Step::Asks("top".to_owned()));
    interrupted(vm.interrupt());
    assert!(vm.is_dead());
}

#[test]
fn scripts_are_shared_by_threads() {
    fn is_shared<T: Send + Sync>(_: &T) {}
    is_shared(&*try_load(&[("main.js", "")]).unwrap());
}

#[test]
fn dropped_users_free_everything() {
    let text = "const kept = []; export default async (n) => {
        setTimeout(() => kept.push(1), 1000); begin().then((one) => kept.push(one)); Promise.reject(kept).catch(() => {});
        const own = { kept, ring: null }; own.ring = own;
        await null;
        [1].forEach(() => { if (n) ask('deep') });
    }";
    let script = try_load(&[("main.js", text)]).unwrap();
    let seen = Rc::new(Seen::default());
    let users: Vec<_> = (0..1000u32)
        .map(|index| {
            let mut vm = new_vm(&script, &seen, Limits::default());
            if index % 4 > 0 {
                vm.start();
            }
            if index % 4 > 1 {
                let asks = index % 4 == 2;
                let step =
                    vm.call("default", move |ctx| Ok(vec![js::rquickjs::Value::new_bool(ctx.clone(), asks)]));
                assert_eq!(matches!(step, Step::Asks(_)), asks, "{step:?}");
            }
            vm
        })
        .collect();
    assert_eq!(seen.alive.get(), 1000);
    drop(users);
    assert_eq!(seen.alive.get(), 0);
}

#[test]
fn a_panic_of_the_host_reaches_who_drives() {
    let script = try_load(&[("main.js", "export default () => panics()")]).unwrap();
    let seen = Rc::new(Seen::default());
    let mut vm = new_vm(&script, &seen, Limits::default());
    vm.start();
    let call = std::panic::AssertUnwindSafe(|| drop(vm.call("default", |_| Ok(vec![]))));
    let panic = std::panic::catch_unwind(call).unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"a bug of the host"));
    drop(vm);
    assert_eq!(seen.alive.get(), 0);
}

#[test]
fn waiting_in_a_look_is_refused() {
    let script = try_load(&[("main.js", "export default () => () => ask('a')")]).unwrap();
    let seen = Rc::new(Seen::default());
    let mut vm = new_vm(&script, &seen, Limits::default());
    vm.start();
    vm.call("default", |_| Ok(vec![]));
    let is_refused = vm.with(|ctx, value| {
        let refused = value.as_function().unwrap().call::<(), ()>(()).is_err();
        ctx.catch();
        refused
    });
    assert!(is_refused);
    assert!(vm.run_export("default"));
}

#[test]
fn chance_has_a_seed() {
    let text = "export default () => { const n = Math.random(); if (!(n >= 0 && n < 1)) throw n; return n }";
    let script = try_load(&[("main.js", text)]).unwrap();
    let draw = |seed| {
        let seen = Rc::new(Seen::default());
        seen.alive.set(1);
        let mut vm = js::Vm::new(&script, crate::user::TestHost(seen), Limits::default(), seed).unwrap();
        vm.start();
        vm.call("default", |_| Ok(vec![]));
        vm.with(|_, value| value.as_number().unwrap())
    };
    assert_eq!(draw(1), draw(1));
    assert_ne!(draw(1), draw(2));
}

#[test]
fn errors_say_what_led_to_them_and_what_is_no_function() {
    check(
        "throw new Error('a', { cause: new TypeError('b', { cause: 'c' }) })",
        "threw Error: a (caused by TypeError: b, caused by c)",
    );
    check(
        "const e = new Error('a'); e.cause = e; throw e",
        "threw Error: a (caused by Error: a, caused by Error: a, caused by Error: a, caused by Error: a)",
    );
    check(
        "const e = new Error('a'); Object.defineProperty(e, 'cause', { get() { throw 1 } }); throw e",
        "threw Error: a",
    );
    check("const a = {}; a.b()", "threw TypeError: a.b is not a function");
    check("const a = { b: {} };\n  a?.b.c(1)", "threw TypeError: a?.b.c is not a function");
    check("let f = 1; f()", "threw TypeError: f is not a function");
    check("/* é */ const a = 'é'; a.bé()", "threw TypeError: a.bé is not a function");
    check("(1)()", "threw TypeError: not a function");
    check("[].map(5)", "threw TypeError: not a function");
    check("throw new TypeError('not a function')", "threw TypeError: not a function");
}
