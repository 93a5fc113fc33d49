//! What a user costs: resident memory of idle users, time to start them, time of a suspension.
//!
//! `cargo run --example users -p js -- 10000`

use js::rquickjs::{Ctx, Function, Result, Value};
use js::{Calls, Host, Level, Limits, Loaded, Script, Sources, Step, Vm};
use std::time::Instant;

/// A script as many are: options, a request and a check in each iteration.
const SCRIPT: &str = "
import { group, check, wait } from 'host';

export const options = {
    users: 10,
    duration: '30s',
    thresholds: { failed: ['rate<0.01'], duration: ['p(95)<500', 'p(99)<1500'] },
};

const BASE = 'http://localhost:8080';

function headers(token) {
    return { headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` } };
}

export function setup() {
    return { token: 'abc' };
}

export default function (data) {
    group('front page', () => {
        const answer = wait(1);
        check(answer, {
            'status is 200': (answer) => answer === 2,
            'has a body': (answer) => answer !== undefined,
        });
    });
    const params = headers('abc');
    wait(params.headers.Authorization.length);
}
";

/// Suspends as often as it is asked to.
const LOOP: &str = "import { wait } from 'host'; export default function () { for (;;) wait(1) }";

struct Text(&'static str);

impl Sources for Text {
    fn resolve(&mut self, specifier: &str, _: &str) -> std::result::Result<String, String> {
        Ok(specifier.to_owned())
    }

    fn load(&mut self, url: &str) -> std::result::Result<Loaded, String> {
        Ok(if url == "host" { Loaded::Native } else { Loaded::JavaScript(self.0.to_owned()) })
    }
}

struct User(Instant);

impl Host for User {
    type Ask = f64;
    type Reply = f64;

    fn now_ns(&self) -> u64 {
        self.0.elapsed().as_nanos() as u64
    }

    fn globals<'js>(&self, _: &Ctx<'js>, _: &Calls<Self>) -> Result<()> {
        Ok(())
    }

    fn module<'js>(&self, ctx: &Ctx<'js>, calls: &Calls<Self>, _: &str) -> Result<Value<'js>> {
        let module = js::rquickjs::Object::new(ctx.clone())?;
        let group = |_: String, work: Function<'js>| work.call::<(), Value<'js>>(());
        module.set("group", Function::new(ctx.clone(), group)?)?;
        let check = |value: Value<'js>, checks: js::rquickjs::Object<'js>| -> Result<bool> {
            for check in checks.props::<String, Function<'js>>() {
                check?.1.call::<_, bool>((value.clone(),))?;
            }
            Ok(true)
        };
        module.set("check", Function::new(ctx.clone(), check)?)?;
        let calls = calls.clone();
        let wait = move |ctx: Ctx<'js>, number: f64| calls.suspend(&ctx, number);
        module.set("wait", Function::new(ctx.clone(), wait)?)?;
        Ok(module.into_value())
    }

    fn console<'js>(&self, _: &Ctx<'js>, _: Level, _: &[Value<'js>]) {}
}

fn resident_bytes() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = pages.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or_default();
    pages * 4096
}

fn started(script: &std::sync::Arc<Script>, index: u64) -> Vm<User> {
    let mut vm = Vm::new(script, User(Instant::now()), Limits::default(), index).expect("a stack");
    assert!(matches!(vm.start(), Step::Done(Ok(_))));
    vm
}

fn main() {
    let count: u64 = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(1000);
    let begun = Instant::now();
    let script = Script::load("main.js", &mut Text(SCRIPT)).expect("a sound script");
    println!(
        "load        {:>8.2} ms, {} bytes of bytecode",
        begun.elapsed().as_secs_f64() * 1e3,
        script.bytecode_bytes()
    );
    let mut first = started(&script, 0);
    println!("engine      {:?}", first.memory_use());
    let (before, begun) = (resident_bytes(), Instant::now());
    let mut users: Vec<_> = (0..count).map(|index| started(&script, index)).collect();
    let per_user = |bytes: u64| bytes as f64 / 1024.0 / count as f64;
    let us = begun.elapsed().as_secs_f64() * 1e6 / count as f64;
    println!("start       {us:>8.1} us a user, {:.2} s in all", us * count as f64 / 1e6);
    println!("started     {:>8.1} KiB resident a user", per_user(resident_bytes() - before));
    let begun = Instant::now();
    for user in &mut users {
        assert_eq!(user.call("default", |_| Ok(vec![])), Step::Asks(1.0));
    }
    println!("suspended   {:>8.1} KiB resident a user", per_user(resident_bytes() - before));
    for user in &mut users {
        assert_eq!(user.reply(2.0), Step::Asks(10.0));
        assert!(matches!(user.reply(2.0), Step::Done(Ok(_))));
    }
    let us = begun.elapsed().as_secs_f64() * 1e6 / count as f64;
    println!("iteration   {us:>8.2} us a user, the first");
    for _ in 0..10 {
        for user in &mut users {
            user.call("default", |_| Ok(vec![]));
            user.reply(2.0);
            user.reply(2.0);
        }
    }
    println!("ten later   {:>8.1} KiB resident a user", per_user(resident_bytes() - before));
    let begun = Instant::now();
    for _ in 0..100_000 {
        first.call("default", |_| Ok(vec![]));
        first.reply(2.0);
        first.reply(2.0);
    }
    println!("iteration   {:>8.0} ns, one user, warm", begun.elapsed().as_secs_f64() * 1e9 / 1e5);
    let begun = Instant::now();
    drop(users);
    println!("drop        {:>8.1} us a user", begun.elapsed().as_secs_f64() * 1e6 / count as f64);
    let script = Script::load("loop.js", &mut Text(LOOP)).expect("a sound script");
    let mut vm = started(&script, 1);
    vm.call("default", |_| Ok(vec![]));
    let begun = Instant::now();
    for _ in 0..1_000_000 {
        vm.reply(1.0);
    }
    println!(
        "suspension  {:>8.0} ns, with the call and the loop around it",
        begun.elapsed().as_secs_f64() * 1e3
    );
}
