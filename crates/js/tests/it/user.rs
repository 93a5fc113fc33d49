//! A front end for tests: modules from a table, a clock that is set by hand, everything said kept.

use js::rquickjs::{Coerced, Ctx, Function, Object, Result, Value};
use js::{
    Calls, ErrorKind, Host, Level, Limits, Loaded, Operation, Outcome, Script, ScriptError, Sources, Step, Vm,
};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// Modules by name; what they are follows from the ending.
pub(crate) struct Table(pub(crate) HashMap<String, String>);

impl Sources for Table {
    fn resolve(&mut self, specifier: &str, referrer: &str) -> std::result::Result<String, String> {
        let name = specifier.trim_start_matches("./");
        if name == "host" || name == "shelf" || self.0.contains_key(name) {
            return Ok(name.to_owned());
        }
        Err(format!("{referrer:?} names {specifier:?}, which is not there"))
    }

    fn is_lenient(&self, url: &str) -> bool {
        url.starts_with("lenient")
    }

    fn load(&mut self, url: &str) -> std::result::Result<Loaded, String> {
        if url == "host" || url == "shelf" {
            return Ok(Loaded::Native);
        }
        let text = self.0.get(url).cloned().ok_or_else(|| format!("no {url}"))?;
        Ok(match url.rsplit('.').next() {
            Some("ts") => Loaded::TypeScript(text),
            Some("json") => Loaded::Json(text),
            _ => Loaded::JavaScript(text),
        })
    }

    fn names(&self, url: &str) -> Option<&'static [&'static str]> {
        (url == "shelf").then_some(crate::shelf::NAMES)
    }

    fn behind(&self, url: &str) -> &'static [&'static str] {
        if url == "shelf" { &["goods.js"] } else { &[] }
    }
}

/// What a test sees of its user.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) now_ns: Cell<u64>,
    /// What each look at the clock adds to it.
    pub(crate) tick_ns: Cell<u64>,
    pub(crate) said: RefCell<Vec<String>>,
    pub(crate) begun: RefCell<Vec<Operation>>,
    /// Users that hold this.
    pub(crate) alive: Cell<usize>,
}

pub(crate) struct TestHost(pub(crate) Rc<Seen>);

impl Drop for TestHost {
    fn drop(&mut self) {
        self.0.alive.set(self.0.alive.get() - 1);
    }
}

impl Host for TestHost {
    type Ask = String;
    type Reply = String;

    fn now_ns(&self) -> u64 {
        self.0.now_ns.set(self.0.now_ns.get() + self.0.tick_ns.get());
        self.0.now_ns.get()
    }

    fn globals<'js>(&self, ctx: &Ctx<'js>, calls: &Calls<Self>) -> Result<()> {
        let own = calls.clone();
        let ask = move |ctx: Ctx<'js>, what: String| own.suspend(&ctx, what);
        ctx.globals().set("ask", Function::new(ctx.clone(), ask)?)?;
        let own = calls.clone();
        let begin = move |ctx: Ctx<'js>| {
            let (operation, promise) = own.operation(&ctx, |ctx, reply| match reply.strip_prefix("!") {
                Some(reason) => Err(js::rquickjs::Exception::throw_message(ctx, reason)),
                None => Ok(js::rquickjs::String::from_str(ctx.clone(), &reply)?.into_value()),
            })?;
            own.host().0.begun.borrow_mut().push(operation);
            Ok::<_, js::rquickjs::Error>(promise)
        };
        ctx.globals().set("begin", Function::new(ctx.clone(), begin)?)?;
        let own = calls.clone();
        let end_task = move |ctx: Ctx<'js>| -> Result<()> { Err(own.end(&ctx)) };
        ctx.globals().set("endTask", Function::new(ctx.clone(), end_task)?)?;
        let panics = || -> () { panic!("a bug of the host") };
        ctx.globals().set("panics", Function::new(ctx.clone(), panics)?)?;
        crate::lazy::install(ctx)
    }

    fn module<'js>(&self, ctx: &Ctx<'js>, calls: &Calls<Self>, url: &str) -> Result<Value<'js>> {
        if url == "shelf" {
            return crate::shelf::module(ctx, calls);
        }
        let module = Object::new(ctx.clone())?;
        module.set("url", url)?;
        module.set("twice", Function::new(ctx.clone(), |number: f64| number * 2.0)?)?;
        Ok(module.into_value())
    }

    fn console<'js>(&self, _: &Ctx<'js>, level: Level, arguments: &[Value<'js>]) {
        let words = arguments
            .iter()
            .map(|value| value.get::<Coerced<String>>().map_or_else(|_| "?".to_owned(), |text| text.0));
        let words: Vec<String> = words.collect();
        let line = match level {
            Level::Log => words.join(" "),
            other => format!("{other:?} {}", words.join(" ")),
        };
        self.0.said.borrow_mut().push(line);
    }
}

pub(crate) type TestVm = Vm<TestHost>;

/// Files as `name: text` pairs; the first is the main module.
pub(crate) fn try_load(files: &[(&str, &str)]) -> std::result::Result<Arc<Script>, Vec<ScriptError>> {
    let table = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    Script::load(files[0].0, &mut Table(table.collect()))
}

pub(crate) fn new_vm(script: &Arc<Script>, seen: &Rc<Seen>, limits: Limits) -> TestVm {
    seen.alive.set(seen.alive.get() + 1);
    Vm::new(script, TestHost(Rc::clone(seen)), limits, 1).unwrap()
}

/// A user that has started and called `default` if there is one, its questions answered with what was asked, its waits passed at once.
pub(crate) fn run_with(
    files: &[(&str, &str)],
    limits: Limits,
) -> (Vec<String>, std::result::Result<Outcome, ScriptError>) {
    let script = match try_load(files) {
        Ok(script) => script,
        Err(errors) => return (Vec::new(), Err(errors.into_iter().next().unwrap())),
    };
    let seen = Rc::new(Seen::default());
    // Limited scripts pass time by being looked at.
    seen.tick_ns.set(1_000_000);
    let mut vm = new_vm(&script, &seen, limits);
    let step = vm.start();
    let mut ended = drive(&mut vm, &seen, step);
    if ended.is_ok() && vm.run_export("default") {
        let step = vm.call("default", |_| Ok(vec![]));
        ended = drive(&mut vm, &seen, step);
    }
    drop(vm);
    assert_eq!(seen.alive.get(), 0, "the host was not freed");
    (seen.said.take(), ended)
}

pub(crate) trait RunExport {
    fn run_export(&mut self, name: &'static str) -> bool;
}

impl RunExport for TestVm {
    fn run_export(&mut self, name: &'static str) -> bool {
        let is_there = self.run(move |ctx, exports| {
            let is_there = exports.names()?.iter().any(|export| export == name);
            Ok(Value::new_bool(ctx.clone(), is_there))
        });
        assert_eq!(is_there, Step::Done(Ok(Outcome::Returned)));
        self.with(|_, value| value.as_bool()).unwrap()
    }
}

/// Answers and waits until the end.
pub(crate) fn drive(
    vm: &mut TestVm,
    seen: &Seen,
    mut step: Step<String>,
) -> std::result::Result<Outcome, ScriptError> {
    loop {
        step = match step {
            Step::Asks(what) => vm.reply(what),
            Step::Idle { until_ns: Some(until_ns) } => {
                seen.now_ns.set(seen.now_ns.get().max(until_ns));
                vm.wake()
            }
            Step::Idle { until_ns: None } => {
                for operation in seen.begun.take() {
                    vm.complete(operation, "completed".to_owned());
                }
                vm.wake()
            }
            Step::Done(ended) => return ended,
        };
    }
}

/// What a script says, and `Ok` or the error's kind, name and message.
pub(crate) fn run(files: &[(&str, &str)]) -> String {
    let (mut said, ended) = run_with(files, Limits::default());
    if let Err(error) = ended {
        said.push(shown(&error));
    }
    said.join("\n")
}

pub(crate) fn shown(error: &ScriptError) -> String {
    let kind = match error.kind {
        ErrorKind::Thrown => "threw".to_owned(),
        other => format!("{other:?}"),
    };
    let name = if error.name.is_empty() { String::new() } else { format!("{}: ", error.name) };
    format!("{kind} {name}{}", error.message)
}

/// A script of one file says this.
pub(crate) fn check(text: &str, expected: &str) {
    assert_eq!(run(&[("main.js", text)]), expected, "{text}");
}

/// A script of several files says this.
pub(crate) fn check_files(files: &[(&str, &str)], expected: &str) {
    assert_eq!(run(files), expected, "{files:?}");
}
