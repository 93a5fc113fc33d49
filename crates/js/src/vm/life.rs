//! A user's life on its own stack: the engine is made there, works there and is freed there.

use super::event_loop::EventLoop;
use super::host::{Calls, Host, Shared};
use super::{Input, Output, Step, globals, modules};
use crate::raw::Heap;
use crate::{ErrorKind, ScriptError};
use rquickjs::context::intrinsic;
use rquickjs::function::Args;
use rquickjs::{Context, Ctx, Exception, Function, Object, Runtime, Value};
use std::rc::Rc;

/// What every script finds. Further parts, 25 kB of 95 in all, are added for scripts that name them (`raw::Part`).
type Base = (
    intrinsic::Eval,
    intrinsic::RegExpCompiler,
    intrinsic::RegExp,
    intrinsic::Json,
    intrinsic::Proxy,
    intrinsic::Promise,
    intrinsic::Performance,
);

/// What a young user may hold before circles are looked for in it; the engine's own 256 KiB would be the size of most users. Afterwards it
/// is half as much again as was found in use.
const GARBAGE_BYTES: usize = 160 << 10;

/// From first to last.
pub(super) fn live<H: Host>(shared: &Rc<Shared<H>>) {
    let heap = Heap::new(Rc::clone(&shared.level));
    let engine = Runtime::new_with_alloc(heap).and_then(|runtime| {
        runtime.set_gc_threshold(GARBAGE_BYTES);
        runtime.set_max_stack_size(shared.limits.engine_stack_bytes());
        let handler = Rc::downgrade(shared);
        runtime.set_interrupt_handler(Some(Box::new(move || {
            handler.upgrade().is_none_or(|shared| shared.must_stop())
        })));
        runtime.set_host_promise_rejection_tracker(Some(globals::track_rejections(shared)));
        modules::set_loader(&runtime, &shared.script);
        Context::custom::<Base>(&runtime)
    });
    let context = match engine {
        Ok(context) => context,
        Err(error) => {
            *shared.failed.borrow_mut() = Some(ScriptError::new(ErrorKind::Memory, error.to_string()));
            return;
        }
    };
    // One lock for the whole life: it holds while the stack is suspended, and nobody else has the engine.
    context.with(|ctx| {
        let _released = Released(shared);
        work(&ctx, shared);
    });
}

/// Frees what is held outside of the engine, also when a host function panics.
struct Released<'a, H: Host>(&'a Shared<H>);

impl<H: Host> Drop for Released<'_, H> {
    fn drop(&mut self) {
        self.0.release();
        self.0.level.end();
    }
}

/// The modules, then one task after the other.
fn work<'js, H: Host>(ctx: &Ctx<'js>, shared: &Rc<Shared<H>>) {
    let event_loop = EventLoop { shared, ctx };
    let calls = Calls(Rc::clone(shared));
    let mut exports = None;
    let started = event_loop.run(|ctx| {
        shared.script.named_at_first().for_each(|part| calls.add(ctx, part));
        globals::install(ctx, &calls)?;
        modules::install(ctx, &calls)?;
        calls.host().globals(ctx, &calls)?;
        let (main, promise) = modules::start(ctx, &calls)?;
        exports = Some(main);
        Ok(promise)
    });
    let exports = match (&started, exports) {
        (Ok(_), Some(exports)) => exports,
        _ => {
            *shared.failed.borrow_mut() = started.err();
            return;
        }
    };
    shared.has_started.set(true);
    let mut done = started;
    loop {
        let mut input = shared.suspend(Output::Step(Step::Done(done)));
        while let Input::Look(look) = input {
            let last = shared.last.borrow().clone();
            let value = last.and_then(|last| last.restore(ctx).ok());
            look(ctx, value.unwrap_or_else(|| Value::new_undefined(ctx.clone())));
            input = shared.suspend(Output::Looked);
        }
        let Input::Run(task) = input else { return };
        done = event_loop.run(|ctx| task(ctx, &exports));
        if let Some(error) = done.as_ref().err().filter(|_| shared.is_spoiled.get()) {
            *shared.failed.borrow_mut() = Some(error.clone());
            return;
        }
    }
}

/// What the main module exports.
#[derive(Debug, Clone)]
pub struct Exports<'js>(pub(super) Object<'js>);

impl<'js> Exports<'js> {
    /// An export; `undefined` without one of that name.
    ///
    /// # Errors
    /// What a getter threw.
    pub fn get(&self, name: &str) -> rquickjs::Result<Value<'js>> {
        self.0.get(name)
    }

    /// The names of all exports, in order.
    ///
    /// # Errors
    /// The engine has no memory.
    pub fn names(&self) -> rquickjs::Result<Vec<String>> {
        self.0.keys::<String>().collect()
    }

    /// Calls an exported function.
    ///
    /// # Errors
    /// There is no such function, or it threw.
    pub fn call(
        &self,
        ctx: &Ctx<'js>,
        name: &str,
        arguments: Vec<Value<'js>>,
    ) -> rquickjs::Result<Value<'js>> {
        let value = self.get(name)?;
        let Some(function) = value.as_function() else {
            return Err(Exception::throw_type(ctx, &format!("the script exports no function `{name}`")));
        };
        call(function, arguments)
    }
}

fn call<'js>(function: &Function<'js>, arguments: Vec<Value<'js>>) -> rquickjs::Result<Value<'js>> {
    let mut passed = Args::new(function.ctx().clone(), arguments.len());
    for argument in arguments {
        passed.push_arg(argument)?;
    }
    function.call_arg(passed)
}
