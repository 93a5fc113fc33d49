//! What a front end gives a user, and what its functions can do: wait, begin operations.

use super::operations::{Operation, Operations, Settle};
use super::timers::Timers;
use super::{Input, Output, Step};
use crate::raw::{self, Link, Names, Part, add, throw_uncatchable};
use crate::{ErrorKind, Limits, Script, ScriptError};
use rquickjs::{Ctx, Exception, Function, Object, Persistent, Promise, Value};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use units::Random;

/// What a front end gives to each user: functions, modules, a clock. A value of its own for each user, which may keep state in cells.
///
/// It must not keep values of the engine beyond the user's life, as `rquickjs::Persistent` allows: dropping one later
/// reads memory that was freed.
pub trait Host: Sized + 'static {
    /// What its functions ask of whoever drives the user.
    type Ask: 'static;
    /// What they are answered, and what operations end with.
    type Reply: 'static;

    /// The time, ns. Timers go by it, and [`Limits::turn_ns`].
    fn now_ns(&self) -> u64;

    /// Adds to the global object, before any module runs.
    ///
    /// # Errors
    /// What the engine raised; the user does not start.
    fn globals<'js>(&self, ctx: &Ctx<'js>, calls: &Calls<Self>) -> rquickjs::Result<()>;

    /// Makes the module that [`crate::Sources::load`] called native: the object of its exports, `default` among them if it has one. Called
    /// at most once for each URL, when a module that imports it runs.
    ///
    /// # Errors
    /// What the engine raised; the import fails with it.
    fn module<'js>(&self, ctx: &Ctx<'js>, _calls: &Calls<Self>, url: &str) -> rquickjs::Result<Value<'js>> {
        Err(Exception::throw_reference(ctx, &format!("there is no module {url}")))
    }

    /// Hears what the script says through `console`.
    fn console<'js>(&self, ctx: &Ctx<'js>, level: Level, arguments: &[Value<'js>]);
}

/// How loud a script says something: the name of the function of `console`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// `console.debug`
    Debug,
    /// `console.log`
    Log,
    /// `console.info`
    Info,
    /// `console.warn`
    Warn,
    /// `console.error`
    Error,
}

/// What all parts of a user share.
pub(crate) struct Shared<H: Host> {
    pub(crate) link: Link<Input<H::Reply>, Output<H::Ask>>,
    pub(crate) script: Arc<Script>,
    pub(crate) host: H,
    pub(crate) limits: Limits,
    pub(crate) level: Rc<raw::Level>,
    pub(crate) random: RefCell<Random>,
    pub(crate) timers: RefCell<Timers>,
    pub(crate) operations: RefCell<Operations<H>>,
    /// Promises that were rejected and are handled by nothing so far, with the reasons.
    pub(crate) rejections: RefCell<Vec<(Persistent<Value<'static>>, Persistent<Value<'static>>)>>,
    /// The value of the last task.
    pub(crate) last: RefCell<Option<Persistent<Value<'static>>>>,
    /// Exports of the modules that the engine does not link itself, by index in the script.
    pub(crate) exports: RefCell<Vec<Option<Persistent<Value<'static>>>>>,
    /// Why the user is over, when it is.
    pub(crate) failed: RefCell<Option<ScriptError>>,
    /// Why the engine must stop what it is at; nothing in the script can catch that.
    pub(crate) stopped: Cell<Option<ErrorKind>>,
    /// Since when the script runs without a pause, as far as it was looked at.
    turn_since_ns: Cell<Option<u64>>,
    /// Whether the whole user is given up and not its task alone.
    is_dying: Cell<bool>,
    /// By part, whether it was added.
    added: Cell<[bool; Part::COUNT]>,
    pub(crate) shelf_class: raw::ShelfClass,
    /// Whether the last task left jobs behind that would run in the next.
    pub(crate) is_spoiled: Cell<bool>,
    /// Whether the modules have run.
    pub(crate) has_started: Cell<bool>,
    /// Whether host functions may wait now.
    pub(crate) may_wait: Cell<bool>,
}

impl<H: Host> Shared<H> {
    pub(crate) fn new(script: Arc<Script>, host: H, limits: Limits, seed: u64) -> Self {
        Self {
            link: Link::new(),
            script,
            host,
            random: RefCell::new(Random::new(seed)),
            timers: RefCell::new(Timers::new(limits.timers_max)),
            operations: RefCell::new(Operations::new(limits.operations_max)),
            level: Rc::new(raw::Level::new(limits.memory_bytes)),
            limits,
            rejections: RefCell::default(),
            last: RefCell::default(),
            exports: RefCell::default(),
            failed: RefCell::default(),
            stopped: Cell::new(None),
            turn_since_ns: Cell::new(None),
            is_dying: Cell::new(false),
            added: Cell::default(),
            shelf_class: raw::ShelfClass::default(),
            is_spoiled: Cell::new(false),
            has_started: Cell::new(false),
            may_wait: Cell::new(false),
        }
    }

    /// The script goes on after a pause. The clock is not read before the engine first asks whether it must stop.
    pub(crate) fn begin_turn(&self) {
        self.turn_since_ns.set(None);
        self.level.look();
        if !self.is_dying.get() {
            self.stopped.set(None);
        }
    }

    /// Whether the whole user is given up.
    pub(crate) fn is_dying(&self) -> bool {
        self.is_dying.get()
    }

    /// Why the engine must stop what it is at, if it must.
    pub(crate) fn stop_reason(&self) -> Option<ErrorKind> {
        if self.stopped.get().is_none() && self.level.is_over() {
            self.stopped.set(Some(ErrorKind::Memory));
        }
        self.stopped.get()
    }

    /// Asked by the engine every 10,000 jumps and calls, and within long matches of regular expressions.
    pub(crate) fn must_stop(&self) -> bool {
        if self.stop_reason().is_some() {
            return true;
        }
        let now_ns = self.host.now_ns();
        let since_ns = self.turn_since_ns.get().unwrap_or(now_ns);
        self.turn_since_ns.set(Some(since_ns));
        let is_over = now_ns.saturating_sub(since_ns) > self.limits.turn_ns;
        if is_over {
            self.stopped.set(Some(ErrorKind::Time));
        }
        is_over
    }

    /// Gives a step to whoever drives the user and waits for what is next. While what is under way is given up, there is no step but its end,
    /// and of a user that is given up none at all.
    pub(crate) fn suspend(&self, output: Output<H::Ask>) -> Input<H::Reply> {
        let is_end = matches!(output, Output::Looked | Output::Step(Step::Done(_)));
        if self.is_dying.get() || !is_end && self.stopped.get() == Some(ErrorKind::Cancelled) {
            return Input::Cancel;
        }
        let input = self.link.suspend(output).unwrap_or(Input::Cancel);
        self.is_dying.set(matches!(input, Input::Cancel));
        if matches!(input, Input::Cancel | Input::Interrupt) {
            self.stopped.set(Some(ErrorKind::Cancelled));
        }
        input
    }

    /// Drops everything of the engine that is held outside of it; to be called before the engine is freed.
    pub(crate) fn release(&self) {
        self.timers.borrow_mut().clear();
        let _operations = self.operations.borrow_mut().clear();
        self.rejections.take();
        self.last.take();
        self.exports.take();
    }
}

/// What the functions of a [`Host`] do with their user. Cheap to clone, so that each function has its own.
pub struct Calls<H: Host>(pub(crate) Rc<Shared<H>>);

impl<H: Host> Clone for Calls<H> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

impl<H: Host> std::fmt::Debug for Calls<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Calls").finish_non_exhaustive()
    }
}

impl<H: Host> Calls<H> {
    /// The front end's part of the user.
    pub fn host(&self) -> &H {
        &self.0.host
    }

    /// Adds a part of the language to the global object, if it is not there. To be called before a function of the front end makes
    /// something of it; a script has it from the start if its text names it.
    pub fn add(&self, ctx: &Ctx<'_>, part: Part) {
        let mut added = self.0.added.get();
        if !std::mem::replace(&mut added[part as usize], true) {
            self.0.added.set(added);
            add(ctx, part);
        }
    }

    /// An object with these names whose properties are made when the script first takes them; it looks like a plain one. For modules that
    /// offer far more than a script takes. `make` must not wait; it may run modules ([`Calls::load`]).
    ///
    /// # Errors
    /// The engine has no memory.
    pub fn shelf<'js>(
        &self,
        ctx: &Ctx<'js>,
        names: &'static [&'static str],
        make: for<'a> fn(&Ctx<'a>, &Self, &'static str) -> rquickjs::Result<Value<'a>>,
    ) -> rquickjs::Result<Object<'js>> {
        let calls = self.clone();
        self.0.shelf_class.shelf(ctx, Names::Fixed(names), move |ctx, index| match names.get(index) {
            Some(name) => make(ctx, &calls, name),
            None => Ok(Value::new_undefined(ctx.clone())),
        })
    }

    /// An object of texts by their names, which users share; it looks like a plain one of their own, and becomes one when they write to it.
    ///
    /// # Errors
    /// The engine has no memory.
    pub fn texts<'js>(
        &self,
        ctx: &Ctx<'js>,
        pairs: &Arc<[(String, String)]>,
    ) -> rquickjs::Result<Object<'js>> {
        let own = Arc::clone(pairs);
        self.0.shelf_class.shelf(ctx, Names::Shared(Arc::clone(pairs)), move |ctx, index| {
            let text = own.get(index).map_or("", |(_, text)| text.as_str());
            rquickjs::String::from_str(ctx.clone(), text).map(rquickjs::String::into_value)
        })
    }

    /// `setTimeout`, which the global object has only of scripts that may name it.
    ///
    /// # Errors
    /// The engine has no memory.
    pub fn timer<'js>(&self, ctx: &Ctx<'js>) -> rquickjs::Result<Function<'js>> {
        super::globals::timer(ctx, self, super::globals::Kind::Once)
    }

    /// Makes `Math.random` begin anew from a seed.
    pub fn seed_random(&self, seed: u64) {
        *self.0.random.borrow_mut() = Random::new(seed);
    }

    /// Waits: `ask` comes out of the user as [`Step::Asks`], and what it is answered is returned. Takes no memory.
    ///
    /// # Errors
    /// The script is over; the error is to be handed on. Or it waits where it must not ([`super::Vm::with`]), which is thrown.
    pub fn suspend(&self, ctx: &Ctx<'_>, ask: H::Ask) -> rquickjs::Result<H::Reply> {
        let shared = &*self.0;
        if !shared.may_wait.get() {
            return Err(Exception::throw_type(ctx, "can't wait here"));
        }
        match shared.suspend(Output::Step(Step::Asks(ask))) {
            Input::Reply(reply) => Ok(reply),
            _ => Err(throw_uncatchable(ctx, "cancelled")),
        }
    }

    /// Ends the task that is under way: the error, to be handed on, is one that the script can't catch, and what is left of the task runs to
    /// no end. It ends in [`crate::ErrorKind::Cancelled`], with the stack of this call.
    pub fn end(&self, ctx: &Ctx<'_>) -> rquickjs::Error {
        self.0.stopped.set(Some(ErrorKind::Cancelled));
        throw_uncatchable(ctx, "cancelled")
    }

    /// Whether what is under way was stopped, so that nobody is to hear of it any more.
    pub fn is_stopped(&self) -> bool {
        self.0.stopped.get().is_some()
    }

    /// What went wrong in a call into the script, with places of its sources; the pending exception is taken.
    pub fn error(&self, ctx: &Ctx<'_>, error: &rquickjs::Error) -> ScriptError {
        ScriptError::of(ctx, error, ErrorKind::Thrown, Some(&self.0.script))
    }

    /// What a caught value says as an error, with places of the script's sources.
    pub fn error_of<'js>(&self, ctx: &Ctx<'js>, caught: &Value<'js>) -> ScriptError {
        ScriptError::of_value(ctx, caught, ErrorKind::Thrown, Some(&self.0.script))
    }

    /// The URL of the module whose function called the host function that is at work; `None` when no module did, as in a timer's first call.
    pub fn caller(&self, ctx: &Ctx<'_>) -> Option<String> {
        // The host function itself may or may not count as a call.
        let name = (0..2).find_map(|level| ctx.script_or_module_name(level))?;
        name.to_string().ok()
    }

    /// What a module of the script exports; it runs now if it has not. For parts of a front end that few users need: the module is one
    /// that is loaded with the script and that nothing imports (the literal name in a call of `require` is enough for that).
    ///
    /// # Errors
    /// What it threw, or that there is no such module.
    pub fn load<'js>(&self, ctx: &Ctx<'js>, url: &str) -> rquickjs::Result<Value<'js>> {
        super::modules::loaded(ctx, self, url)
    }

    /// Begins an outside operation: a promise for the script, and a number by which whoever drives the user ends it
    /// ([`super::Vm::complete`]). `settle` makes the promise's value of what it ends with; an error rejects it.
    ///
    /// # Errors
    /// There are [`Limits::operations_max`] under way, which is thrown, or the engine has no memory.
    pub fn operation<'js, F>(&self, ctx: &Ctx<'js>, settle: F) -> rquickjs::Result<(Operation, Promise<'js>)>
    where
        F: for<'a> FnOnce(&Ctx<'a>, H::Reply) -> rquickjs::Result<Value<'a>> + 'static,
    {
        let (promise, resolve, reject) = Promise::new(ctx)?;
        let resolve = Persistent::save(ctx, resolve);
        let reject = Persistent::save(ctx, reject);
        let begun = self.0.operations.borrow_mut().begin(Settle { resolve, reject, make: Box::new(settle) });
        match begun {
            Some(operation) => Ok((operation, promise)),
            None => {
                let most = self.0.limits.operations_max;
                Err(Exception::throw_range(ctx, &format!("more than {most} operations at a time")))
            }
        }
    }
}
