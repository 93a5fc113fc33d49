//! One user's engine, and the conversation with whoever drives it: a step out, what it waited for in.

mod event_loop;
mod globals;
mod host;
mod life;
mod modules;
mod operations;
mod timers;

pub use host::{Calls, Host, Level};
pub use life::Exports;
pub use operations::Operation;

use crate::raw::MemoryUse as RawUse;
use crate::{Limits, Script, ScriptError};
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult};
use host::Shared;
use rquickjs::{Ctx, Value};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// What the engine holds for a user, as it counts itself.
pub type MemoryUse = RawUse;

/// Where a script stands.
#[derive(Debug, PartialEq)]
pub enum Step<Ask> {
    /// A host function asks; go on with [`Vm::reply`].
    Asks(Ask),
    /// Nothing can go on before a time or the end of an outside operation; go on with [`Vm::wake`].
    Idle {
        /// When the next timer is due, ns by [`Host::now_ns`]; it may be due already. `None`: only an operation's end helps.
        until_ns: Option<u64>,
    },
    /// What was begun is over, with all timers and operations that it left behind.
    Done(Result<Outcome, ScriptError>),
}

/// How something that went well ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It returned, or its promise was resolved. [`Vm::with`] shows the value.
    Returned,
    /// It returned a promise that nothing can settle any more.
    NeverSettled,
}

/// What a task gives: the value that [`Vm::with`] shows once the task is over.
pub(crate) type Task = Box<dyn for<'js> FnOnce(&Ctx<'js>, &Exports<'js>) -> rquickjs::Result<Value<'js>>>;
/// Work with values between two tasks.
pub(crate) type Look = Box<dyn for<'js> FnOnce(&Ctx<'js>, Value<'js>)>;

/// What goes into a user's stack.
pub(crate) enum Input<Reply> {
    Start,
    Reply(Reply),
    Wake,
    Run(Task),
    Look(Look),
    /// The task is given up.
    Interrupt,
    /// The user is.
    Cancel,
}

/// What comes out of it.
pub(crate) enum Output<Ask> {
    Step(Step<Ask>),
    Looked,
}

/// What a user may be asked for next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Asks,
    Idle,
    Ready,
    /// The modules did not come through, or it was cancelled.
    Dead,
}

/// One user's engine.
///
/// Calls in the wrong order (a reply that nobody asked for, a call while another is under way) are bugs and panic. Dropping it at any time
/// ends the script: it goes on with an error that it can't catch, and all that it held is freed.
pub struct Vm<H: Host> {
    stack: Coroutine<Input<H::Reply>, Output<H::Ask>, (), DefaultStack>,
    shared: Rc<Shared<H>>,
    state: State,
}

impl<H: Host> std::fmt::Debug for Vm<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vm").field("state", &self.state).finish_non_exhaustive()
    }
}

impl<H: Host> Vm<H> {
    /// A user's engine, in which nothing runs yet. `seed` is of its `Math.random`.
    ///
    /// # Errors
    /// The system gives no memory for a stack. Each takes two mappings, and Linux allows 65,530 of a process (`vm.max_map_count`): a front
    /// end that wants more than 30,000 users looks at that first, since a process that has them all can hardly go on.
    pub fn new(script: &Arc<Script>, host: H, limits: Limits, seed: u64) -> std::io::Result<Self> {
        let stack = DefaultStack::new(limits.mapped_stack_bytes())?;
        let shared = Rc::new(Shared::new(Arc::clone(script), host, limits, seed));
        let on_stack = Rc::clone(&shared);
        let stack = Coroutine::with_stack(stack, move |yielder, _start| {
            let _linked = on_stack.link.hold(yielder);
            life::live(&on_stack);
        });
        Ok(Self { stack, shared, state: State::New })
    }

    /// Runs the script's modules. To be called once, before all else.
    pub fn start(&mut self) -> Step<H::Ask> {
        assert_eq!(self.state, State::New, "a user starts once");
        self.step(Input::Start)
    }

    /// Calls the exported function `export`. When it is over, so are its promise and all timers and operations that it began.
    /// It is an error when there is no such function. `arguments` is called at once, on the user's stack.
    pub fn call<F>(&mut self, export: &str, arguments: F) -> Step<H::Ask>
    where
        F: for<'js> FnOnce(&Ctx<'js>) -> rquickjs::Result<Vec<Value<'js>>> + 'static,
    {
        let export = export.to_owned();
        self.run(move |ctx, exports| exports.call(ctx, &export, arguments(ctx)?))
    }

    /// Runs a task, as [`Vm::call`] runs an exported function: what it returns may be a promise, which is then awaited.
    /// A task without captures takes no memory of its own.
    pub fn run<F>(&mut self, task: F) -> Step<H::Ask>
    where
        F: for<'js> FnOnce(&Ctx<'js>, &Exports<'js>) -> rquickjs::Result<Value<'js>> + 'static,
    {
        assert_eq!(self.state, State::Ready, "the script must have started and be at no task");
        self.step(Input::Run(Box::new(task)))
    }

    /// Answers [`Step::Asks`].
    pub fn reply(&mut self, reply: H::Reply) -> Step<H::Ask> {
        assert_eq!(self.state, State::Asks, "nothing was asked");
        self.step(Input::Reply(reply))
    }

    /// Goes on after [`Step::Idle`], because a timer is due or an operation was completed; when neither is so, it is idle again.
    pub fn wake(&mut self) -> Step<H::Ask> {
        assert_eq!(self.state, State::Idle, "the script does not wait");
        self.step(Input::Wake)
    }

    /// Completes an outside operation: its promise is settled when the event loop is next at it. One that is over already, as all are
    /// when their task is, is left alone. To be followed by [`Vm::wake`] when the script is idle.
    pub fn complete(&mut self, operation: Operation, reply: H::Reply) {
        self.shared.operations.borrow_mut().complete(operation, reply);
    }

    /// Lets `look` see the value of the last task, or of the modules (`undefined`), and work with the engine. It must not call what waits.
    /// Not while something is under way.
    pub fn with<T, F>(&mut self, look: F) -> T
    where
        T: 'static,
        F: for<'js> FnOnce(&Ctx<'js>, Value<'js>) -> T + 'static,
    {
        assert_eq!(self.state, State::Ready, "the script must have started and be at no task");
        let found = Rc::new(RefCell::new(None));
        let place = Rc::clone(&found);
        let look: Look = Box::new(move |ctx, value| *place.borrow_mut() = Some(look(ctx, value)));
        match self.resume(Input::Look(look)) {
            CoroutineResult::Yield(Output::Looked) => {}
            _ => unreachable!("a look is answered at once"),
        }
        found.take().expect("a look has a result")
    }

    /// Whether a task asks or waits.
    pub fn is_under_way(&self) -> bool {
        matches!(self.state, State::Asks | State::Idle)
    }

    /// Gives up the task that asks or waits: the script goes on with an error that it can't catch, and the task ends in
    /// [`crate::ErrorKind::Cancelled`]. The user can be called again, unless it was its modules that ran, or jobs without end are left
    /// ([`Vm::is_dead`]).
    pub fn interrupt(&mut self) -> Step<H::Ask> {
        assert!(self.is_under_way(), "nothing is under way");
        self.step(Input::Interrupt)
    }

    /// Gives up the whole user: the script goes on with an error that it can't catch, and all is freed.
    pub fn cancel(&mut self) {
        if self.stack.started() && !self.stack.done() {
            let over = self.resume(Input::Cancel);
            assert!(matches!(over, CoroutineResult::Return(())), "a cancelled script waits for nothing");
        }
        self.state = State::Dead;
    }

    /// What the engine holds, as it counts itself. Walks all of its objects.
    pub fn memory_use(&mut self) -> MemoryUse {
        self.with(|ctx, _| crate::raw::memory_use(ctx))
    }

    /// The front end's part of this user.
    pub fn host(&self) -> &H {
        &self.shared.host
    }

    /// Whether the modules failed, a task left jobs without end or it was cancelled: then it can only be dropped.
    pub fn is_dead(&self) -> bool {
        self.state == State::Dead
    }

    fn step(&mut self, input: Input<H::Reply>) -> Step<H::Ask> {
        let step = match self.resume(input) {
            CoroutineResult::Yield(Output::Step(step)) => step,
            CoroutineResult::Return(()) => {
                self.state = State::Dead;
                let failed = self.shared.failed.take();
                return Step::Done(Err(failed.expect("a script that ends by itself says why")));
            }
            CoroutineResult::Yield(Output::Looked) => unreachable!("nobody looked"),
        };
        self.state = match &step {
            Step::Asks(_) => State::Asks,
            Step::Idle { .. } => State::Idle,
            Step::Done(_) => State::Ready,
        };
        step
    }

    fn resume(&mut self, input: Input<H::Reply>) -> CoroutineResult<Output<H::Ask>, ()> {
        // Until it comes back whole, as it does not when a host function panics.
        let state = std::mem::replace(&mut self.state, State::Dead);
        self.shared.begin_turn();
        let stack = &mut self.stack;
        let result = self.shared.link.running(|| stack.resume(input));
        self.state = state;
        result
    }
}

impl<H: Host> Drop for Vm<H> {
    fn drop(&mut self) {
        self.cancel();
    }
}
