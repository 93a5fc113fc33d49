//! A test's calls beside its iterations: what `setup` returned, why `setup` or `teardown` failed, and `handleSummary`.

use super::{Role, Vu, pause, start, waited};
use crate::host::{Ask, Reply, ScenarioFacts, Worker};
use crate::summary::Parts;
use crate::test::{Test, TestError, stack_text};
use js::rquickjs::{Coerced, Ctx, Function, Result, Type, Value};
use js::{ErrorKind, Host as _, ScriptError, Step};
use k6_options::{ExitCode, Options};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long `setup` or `teardown` may take; 0: iterations have limits of their own.
pub(super) fn limit_ns(test: &Test, role: Role) -> u64 {
    let options = &test.consolidated.options;
    let asked = match role {
        Role::Iterations => return 0,
        Role::Setup => options.setup_timeout,
        Role::Teardown => options.teardown_timeout,
    };
    asked.unwrap_or(Options::SETUP_TIMEOUT).as_ns()
}

fn timed_out(name: &str, limit_ns: u64) -> String {
    format!("{name}() execution timed out after {} seconds", Duration::from_nanos(limit_ns).as_secs_f64())
}

impl Vu {
    /// What `setup` returned goes to all iterations.
    pub(super) fn keep_setup_data(&mut self) {
        let Some(vm) = self.vm.as_mut() else { return };
        let data = vm.with(|ctx, value| setup_text(ctx, &value).map_err(|_| thrown_text(ctx)));
        match data {
            Ok(data) => {
                // There is one setup.
                let _ = self.test.state.setup_data.set(data);
            }
            Err(said) => self.test.fixture_failed(TestError::new(
                ExitCode::Other,
                format!("error marshaling setup() data to JSON: {said}"),
            )),
        }
    }

    /// Why `setup` or `teardown` failed.
    pub(super) fn fixture_error(&self, error: &ScriptError, now_ns: u64) -> TestError {
        let limit_ns = self.facts.longest_ns;
        if error.kind == ErrorKind::Time && now_ns.saturating_sub(self.begun_ns) >= limit_ns {
            let (code, option) = match self.role {
                Role::Teardown => (ExitCode::TeardownTimeout, "teardownTimeout"),
                _ => (ExitCode::SetupTimeout, "setupTimeout"),
            };
            return TestError::new(code, timed_out(&self.facts.exec, limit_ns))
                .hinting(format!("You can increase the time limit via the {option} option"));
        }
        TestError::script(error)
    }

    /// Calls `handleSummary` with its argument as JSON; `None`: it returned nothing.
    pub(crate) fn handle_summary(
        test: &Arc<Test>,
        data: String,
    ) -> std::result::Result<Option<Parts>, String> {
        let worker = Rc::new(Worker::new(test));
        let limit = test.consolidated.options.handle_summary_timeout;
        let limit_ns = limit.unwrap_or(Options::HANDLE_SUMMARY_TIMEOUT).as_ns();
        let facts = Arc::new(ScenarioFacts { longest_ns: limit_ns, ..ScenarioFacts::default() });
        let mut vm = start(test, &worker, &facts, 0).map_err(|error| error.to_string())?;
        let begun = Instant::now();
        let over = || timed_out("handleSummary", limit_ns);
        let left = || {
            let left = Duration::from_nanos(limit_ns).checked_sub(begun.elapsed());
            left.filter(|left| !left.is_zero()).ok_or_else(over)
        };
        let mut step = vm.call("handleSummary", move |ctx| Ok(vec![ctx.json_parse(data)?]));
        loop {
            step = match step {
                Step::Done(Ok(_)) => break,
                Step::Done(Err(error)) if error.kind == ErrorKind::Time && left().is_err() => {
                    return Err(over());
                }
                Step::Done(Err(error)) => return Err(stack_text(&error)),
                Step::Asks(Ask::Sleep { ns }) => {
                    pause(Duration::from_nanos(ns).min(left()?));
                    left()?;
                    vm.reply(Reply::Slept)
                }
                Step::Idle { until_ns: Some(until_ns) } => {
                    let rest_ns = until_ns.saturating_sub(vm.host().now_ns());
                    pause(Duration::from_nanos(rest_ns).min(left()?));
                    left()?;
                    vm.wake()
                }
                Step::Asks(Ask::Fetch(_)) | Step::Idle { until_ns: None } => {
                    return Err(waited("handleSummary, which can't send requests").to_string());
                }
            };
        }
        vm.with(|ctx, value| crate::summary::parts_of(ctx, &value).map_err(|_| thrown_text(ctx)))
    }
}

/// The message of what was thrown last.
fn thrown_text(ctx: &Ctx<'_>) -> String {
    ctx.catch().as_exception().and_then(|thrown| thrown.message()).unwrap_or_default()
}

/// What `setup` returned as JSON; `None`: nothing that JSON has. A large integer is a number there.
fn setup_text<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<Option<String>> {
    let text = match ctx.json_stringify(value.clone()) {
        Ok(text) => text,
        Err(_) => {
            // Once more with an eye on integers, the one thing that can be mended.
            ctx.catch();
            let replace = |ctx: Ctx<'js>, _key: Value<'js>, value: Value<'js>| -> Result<Value<'js>> {
                if value.type_of() != Type::BigInt {
                    return Ok(value);
                }
                let digits = value.get::<Coerced<String>>()?.0;
                Ok(Value::new_number(ctx, digits.parse().unwrap_or(f64::NAN)))
            };
            ctx.json_stringify_replacer(value.clone(), Function::new(ctx.clone(), replace)?)?
        }
    };
    text.map(|text| text.to_string()).transpose()
}
