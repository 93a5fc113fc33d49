//! The event loop of one task: its function, then promise jobs, completed operations and due timers until nothing is left.

use super::host::{Host, Shared};
use super::operations::Settle;
use super::{Input, Outcome, Output, Step};
use crate::{ErrorKind, ScriptError};
use rquickjs::function::Args;
use rquickjs::promise::PromiseState;
use rquickjs::{Ctx, Persistent, Promise, Result, Value};

/// What a task needs from its user.
pub(super) struct EventLoop<'a, 'js, H: Host> {
    pub(super) shared: &'a Shared<H>,
    pub(super) ctx: &'a Ctx<'js>,
}

impl<'js, H: Host> EventLoop<'_, 'js, H> {
    /// Runs a task to its end. What it leaves behind is dropped, however it ends.
    pub(super) fn run(
        &self,
        task: impl FnOnce(&Ctx<'js>) -> Result<Value<'js>>,
    ) -> std::result::Result<Outcome, ScriptError> {
        self.shared.may_wait.set(true);
        let ended = self.run_all(task);
        self.shared.may_wait.set(false);
        self.drop_rest();
        let (outcome, value) = ended?;
        *self.shared.last.borrow_mut() = Some(Persistent::save(self.ctx, value));
        Ok(outcome)
    }

    fn run_all(
        &self,
        task: impl FnOnce(&Ctx<'js>) -> Result<Value<'js>>,
    ) -> std::result::Result<(Outcome, Value<'js>), ScriptError> {
        let value = task(self.ctx).map_err(|error| self.error(&error, ErrorKind::Thrown))?;
        let promise = value.as_promise().cloned();
        loop {
            self.jobs(promise.as_ref())?;
            if self.settle_next()? || self.call_due()? {
                continue;
            }
            let until_ns = self.shared.timers.borrow().due_ns();
            if until_ns.is_none() && self.shared.operations.borrow().is_empty() {
                break;
            }
            if let Input::Cancel | Input::Interrupt =
                self.shared.suspend(Output::Step(Step::Idle { until_ns }))
            {
                return Err(stopped(ErrorKind::Cancelled));
            }
        }
        let undefined = || Value::new_undefined(self.ctx.clone());
        match promise.map(|promise| promise.result::<Value<'js>>()) {
            None => Ok((Outcome::Returned, value)),
            Some(None) => Ok((Outcome::NeverSettled, undefined())),
            Some(Some(Ok(value))) => Ok((Outcome::Returned, value)),
            Some(Some(Err(error))) => Err(self.error(&error, ErrorKind::Thrown)),
        }
    }

    /// Runs promise jobs until there are none. Then a rejected promise that nothing handles is an error, that of the task before all.
    fn jobs(&self, promise: Option<&Promise<'js>>) -> std::result::Result<(), ScriptError> {
        // An exception that a front end dropped is not that of a job.
        self.ctx.has_exception().then(|| self.ctx.catch());
        while self.ctx.execute_pending_job() {
            if self.ctx.has_exception() {
                return Err(self.error(&rquickjs::Error::Exception, ErrorKind::Thrown));
            }
            if let Some(kind) = self.shared.stop_reason() {
                return Err(stopped(kind));
            }
        }
        if let Some(kind) = self.shared.stop_reason() {
            return Err(stopped(kind));
        }
        if let Some(promise) = promise.filter(|promise| promise.state() == PromiseState::Rejected) {
            let error = promise.result::<Value<'js>>().and_then(std::result::Result::err);
            // Modules are run by a promise too, which nobody sees.
            let kind = if self.shared.has_started.get() { ErrorKind::Rejected } else { ErrorKind::Thrown };
            return Err(error.map_or_else(|| stopped(ErrorKind::Rejected), |error| self.error(&error, kind)));
        }
        let mut rejections = self.shared.rejections.borrow_mut();
        if rejections.is_empty() {
            return Ok(());
        }
        let (_promise, reason) = rejections.swap_remove(0);
        drop(rejections);
        let reason = reason.restore(self.ctx).map_err(|error| self.error(&error, ErrorKind::Rejected))?;
        Err(ScriptError::of_value(self.ctx, &reason, ErrorKind::Rejected, Some(&self.shared.script)))
    }

    /// Settles the promise of one completed operation.
    fn settle_next(&self) -> std::result::Result<bool, ScriptError> {
        let next = self.shared.operations.borrow_mut().next_completed();
        let Some((settle, reply)) = next else { return Ok(false) };
        self.settle(settle, reply).map_err(|error| self.error(&error, ErrorKind::Thrown))?;
        Ok(true)
    }

    fn settle(&self, settle: Settle<H>, reply: H::Reply) -> Result<()> {
        let Settle { resolve, reject, make } = settle;
        match make(self.ctx, reply) {
            Ok(value) => resolve.restore(self.ctx)?.call((value,)),
            Err(rquickjs::Error::Exception) => {
                let thrown = self.ctx.catch();
                if thrown.is_uncatchable_error() {
                    return Err(self.ctx.throw(thrown));
                }
                reject.restore(self.ctx)?.call((thrown,))
            }
            Err(error) => Err(error),
        }
    }

    /// Calls the timers that are due and were set before; promise jobs run after each. Those set meanwhile come after a pause.
    fn call_due(&self) -> std::result::Result<bool, ScriptError> {
        if self.shared.timers.borrow().due_ns().is_none() {
            return Ok(false);
        }
        let now_ns = self.shared.host.now_ns();
        let set_count = self.shared.timers.borrow().set_count();
        loop {
            let due = self.shared.timers.borrow_mut().take_due(now_ns, set_count);
            let Some(timer) = due else { return Ok(false) };
            let call = || -> Result<()> {
                let mut arguments = Args::new(self.ctx.clone(), timer.arguments.len());
                for argument in timer.arguments {
                    arguments.push_arg(argument.restore(self.ctx)?)?;
                }
                timer.function.restore(self.ctx)?.call_arg(arguments)
            };
            call().map_err(|error| self.error(&error, ErrorKind::Thrown))?;
            self.jobs(None)?;
        }
    }

    /// What a task leaves behind does not run in the next. Of a task that failed, jobs run now, as they do elsewhere; of one that was stopped
    /// too, though they end at the engine's next look and nobody hears of them, because the engine can't forget a job. A user that has more
    /// of them than that is over: in the next task they would be before all else.
    fn drop_rest(&self) {
        self.shared.timers.borrow_mut().clear();
        let operations = self.shared.operations.borrow_mut().clear();
        drop(operations);
        let mut jobs_left = JOBS_DROPPED_MAX;
        while jobs_left > 0 && !self.shared.is_dying() && self.has_jobs() {
            let kind = self.shared.stop_reason();
            if kind == Some(ErrorKind::Memory) {
                break;
            }
            jobs_left = jobs_left.saturating_sub(if kind.is_some() { JOB_STOPPED_WEIGHT } else { 1 });
            self.ctx.execute_pending_job();
        }
        self.ctx.has_exception().then(|| self.ctx.catch());
        self.shared.is_spoiled.set(self.has_jobs());
        self.shared.timers.borrow_mut().clear();
        drop(self.shared.operations.borrow_mut().clear());
        drop(self.shared.rejections.take());
    }

    fn has_jobs(&self) -> bool {
        crate::raw::has_jobs(self.ctx)
    }

    /// What the engine raised, or why it was stopped.
    pub(super) fn error(&self, error: &rquickjs::Error, kind: ErrorKind) -> ScriptError {
        let raised = ScriptError::of(self.ctx, error, kind, Some(&self.shared.script));
        match self.shared.stop_reason() {
            Some(kind) => {
                ScriptError { stack: raised.stack, source_line: raised.source_line, ..stopped(kind) }
            }
            None => raised,
        }
    }
}

/// Jobs of a failed task that run at most before the next task.
const JOBS_DROPPED_MAX: usize = 10_000;
/// As many of them a job of a stopped task counts for: each may take as long as 10,000 calls do.
const JOB_STOPPED_WEIGHT: usize = 100;

/// What is said of a script that was stopped from outside.
pub(super) fn stopped(kind: ErrorKind) -> ScriptError {
    let message = match kind {
        ErrorKind::Time => "ran too long without waiting for anything",
        ErrorKind::Cancelled => "cancelled",
        ErrorKind::Memory => "out of memory",
        _ => "stopped",
    };
    ScriptError::new(kind, message)
}
