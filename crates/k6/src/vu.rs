//! A virtual user: the script on an engine of its own, led through iterations as the worker loop asks for them.

mod fixtures;
mod traffic;

pub(crate) use traffic::AtOnce;

use crate::answer::Heard;
use crate::host::{Ask, Reply, ScenarioFacts, VuHost, Worker};
use crate::test::{Loudness, Test, stack_text};
use js::rquickjs::{Ctx, Value};
use js::{Limits, Outcome, ScriptError, Step, Vm};
use k6_metrics::MetricId;
use k6_options::{Executor, Scenario as K6Scenario, Share};
use plan::Target;
use scenario::{
    Choice, Context, Event, Exchange, Next, RestKind, Scenario, ScenarioFactory, Shape, UserSource,
};
use stats::ErrorClass;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use traffic::Traffic;

/// Init code may wait so long for its timers.
const INIT_WAIT_MAX: Duration = Duration::from_secs(60);

/// What a user does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Iterations of a scenario.
    Iterations,
    /// `setup`, once.
    Setup,
    /// `teardown`, once.
    Teardown,
}

/// What the first look at a script tells.
#[derive(Debug)]
pub(crate) struct Seen {
    /// Names of exported functions.
    pub(crate) functions: Vec<String>,
    /// Exports that should be functions and are not.
    pub(crate) misfits: Vec<String>,
    /// The export `options`, null without one.
    pub(crate) options: serde_json::Value,
}

/// How many iterations a scenario has in all, where it has a number.
fn iterations_total(scenario: &K6Scenario, share: &Share) -> Option<u64> {
    match &scenario.executor {
        Executor::SharedIterations(shared) => Some(shared.iterations_of(share)),
        Executor::PerVuIterations(each) => {
            let vus = share.scale(u64::try_from(each.vus()).ok()?);
            vus.checked_mul(u64::try_from(each.iterations()).ok()?)
        }
        _ => None,
    }
}

/// Makes the users of one scenario.
#[derive(Debug)]
pub struct Factory {
    test: Arc<Test>,
    shape: Shape,
    role: Role,
    facts: Arc<ScenarioFacts>,
    /// `__VU` of the first.
    first_id: u64,
    /// Made before the load begins.
    prepared: u64,
}

impl Factory {
    pub(crate) fn fixture(test: &Arc<Test>, role: Role) -> Self {
        let exec = if role == Role::Setup { "setup" } else { "teardown" };
        let facts = ScenarioFacts {
            exec: exec.to_owned(),
            group: format!("::{exec}"),
            longest_ns: fixtures::limit_ns(test, role),
            ..ScenarioFacts::default()
        };
        Self::new(test, role, facts, 0, 0)
    }

    pub(crate) fn of_scenario(
        test: &Arc<Test>,
        name: &str,
        scenario: &K6Scenario,
        first_id: u64,
        prepared: u64,
    ) -> Self {
        let planned = scenario.requirements(&test.consolidated.share).planned_max();
        let facts = ScenarioFacts {
            name: name.to_owned(),
            executor: scenario.executor.word().to_owned(),
            exec: scenario.exec().to_owned(),
            group: String::new(),
            tags: scenario.tags.clone().unwrap_or_default(),
            env: scenario.env.clone().unwrap_or_default(),
            longest_ns: scenario.maximum_end().as_ns(),
            start_ns: scenario.start_time().as_ns(),
            regular_ns: scenario.regular_end().as_ns().saturating_sub(scenario.start_time().as_ns()),
            is_open: matches!(
                scenario.executor,
                Executor::ConstantArrivalRate(_) | Executor::RampingArrivalRate(_)
            ),
            iterations_total: iterations_total(scenario, &test.consolidated.share),
            iterations_each: match &scenario.executor {
                Executor::PerVuIterations(each) => u64::try_from(each.iterations()).ok(),
                _ => None,
            },
            iteration_min_ns: test
                .consolidated
                .options
                .min_iteration_duration
                .map_or(0, k6_options::GoDuration::as_ns),
            ..ScenarioFacts::default()
        };
        Self::new(test, Role::Iterations, facts, first_id, prepared.min(planned))
    }

    /// The scenario as its users and those who watch it see it.
    pub(crate) fn facts(&self) -> Arc<ScenarioFacts> {
        Arc::clone(&self.facts)
    }

    fn new(test: &Arc<Test>, role: Role, facts: ScenarioFacts, first_id: u64, prepared: u64) -> Self {
        let shape = Shape { actions: vec![crate::lower::ACTION.to_owned()], ..Shape::default() };
        Self { test: Arc::clone(test), shape, role, facts: Arc::new(facts), first_id, prepared }
    }
}

impl ScenarioFactory for Factory {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn source(&self, worker_index: u64, worker_count: u64) -> Box<dyn UserSource> {
        let mut users = Users {
            test: Arc::clone(&self.test),
            worker: Rc::new(Worker::new(&self.test)),
            role: self.role,
            facts: Arc::clone(&self.facts),
            first_id: self.first_id,
            ready: Vec::new(),
        };
        let own = (0..self.prepared).filter(|index| index % worker_count.max(1) == worker_index);
        users.ready = own.map(|index| (index, users.make(index))).collect();
        users.ready.reverse();
        Box::new(users)
    }
}

/// A worker's users of one scenario.
struct Users {
    test: Arc<Test>,
    worker: Rc<Worker>,
    role: Role,
    facts: Arc<ScenarioFacts>,
    first_id: u64,
    /// Made already, the first last.
    ready: Vec<(u64, Vu)>,
}

impl Users {
    fn make(&self, index: u64) -> Vu {
        let id = if self.role == Role::Iterations { self.first_id + index } else { 0 };
        Vu::new(&self.test, &self.worker, self.role, &self.facts, id)
    }
}

impl UserSource for Users {
    fn user(&mut self, user_index: u64) -> Box<dyn Scenario> {
        match self.ready.pop_if(|(index, _)| *index == user_index) {
            Some((_, ready)) => Box::new(ready),
            None => Box::new(self.make(user_index)),
        }
    }
}

/// A virtual user.
pub(crate) struct Vu {
    test: Arc<Test>,
    worker: Rc<Worker>,
    role: Role,
    facts: Arc<ScenarioFacts>,
    id: u64,
    /// `None`: its init code failed, or its iteration was given up and the next one begins anew.
    vm: Option<Vm<VuHost>>,
    has_failed_init: bool,
    traffic: Traffic,
    begun_ns: u64,
    /// When the iteration was due.
    intended_ns: u64,
    iteration_count: u64,
    is_within: bool,
    /// Whether the iteration is over and only its shortest length is waited out.
    is_resting: bool,
}

impl Vu {
    fn new(test: &Arc<Test>, worker: &Rc<Worker>, role: Role, facts: &Arc<ScenarioFacts>, id: u64) -> Self {
        let mut vu = Self {
            test: Arc::clone(test),
            worker: Rc::clone(worker),
            role,
            facts: Arc::clone(facts),
            id,
            vm: None,
            has_failed_init: false,
            traffic: Traffic::default(),
            begun_ns: 0,
            intended_ns: 0,
            iteration_count: 0,
            is_within: false,
            is_resting: false,
        };
        vu.awake();
        vu
    }

    /// Makes the engine and runs the init code, if there is none.
    fn awake(&mut self) -> Option<&mut Vm<VuHost>> {
        if self.vm.is_none() && !self.has_failed_init {
            match start(&self.test, &self.worker, &self.facts, self.id) {
                Ok(vm) => {
                    self.vm = Some(vm);
                    if self.role == Role::Iterations {
                        self.test.state.vus_made.fetch_add(1, Ordering::Relaxed);
                        self.facts.made.fetch_add(1, Ordering::Relaxed);
                    }
                }
                Err(error) => {
                    self.has_failed_init = true;
                    self.test.say(
                        Loudness::Error,
                        stack_text(&error),
                        None,
                        Some("script exception".to_owned()),
                    );
                }
            }
        }
        self.vm.as_mut()
    }

    /// Options and exports of the script, by its init code with `__VU` 0.
    pub(crate) fn look(test: &Arc<Test>) -> Result<Seen, ScriptError> {
        let worker = Rc::new(Worker::new(test));
        let mut vm = start(test, &worker, &Arc::new(ScenarioFacts::default()), 0)?;
        let look = vm.run(|ctx, exports| {
            let found = js::rquickjs::Object::new(ctx.clone())?;
            let functions = js::rquickjs::Array::new(ctx.clone())?;
            for name in exports.names()? {
                if exports.get(&name)?.is_function() {
                    functions.set(functions.len(), name)?;
                }
            }
            let misfits = js::rquickjs::Array::new(ctx.clone())?;
            for name in ["setup", "teardown", "handleSummary"] {
                let export = exports.get(name)?;
                if !export.is_function() && !export.is_undefined() && !export.is_null() {
                    misfits.set(misfits.len(), name)?;
                }
            }
            found.set("misfits", misfits)?;
            found.set("functions", functions)?;
            found.set("options", exports.get("options")?)?;
            let text = ctx.json_stringify(found)?;
            Ok(text.map_or_else(|| Value::new_null(ctx.clone()), js::rquickjs::String::into_value))
        });
        match look {
            Step::Done(Ok(_)) => {}
            Step::Done(Err(error)) => return Err(error),
            Step::Asks(_) | Step::Idle { .. } => return Err(waited("options")),
        }
        let text = vm.with(|_, value| value.as_string().and_then(|text| text.to_string().ok()));
        let mut found: serde_json::Value =
            text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let mut names = |key: &str| -> Vec<String> {
            let list = found[key].take().as_array().cloned().unwrap_or_default();
            list.into_iter().filter_map(|name| name.as_str().map(str::to_owned)).collect()
        };
        let (functions, misfits) = (names("functions"), names("misfits"));
        Ok(Seen { functions, misfits, options: found["options"].take() })
    }

    fn begun(&mut self, turn_ns: u64, intended_ns: u64) -> Next {
        let now_ns = self.worker.precise_ns(turn_ns);
        (self.begun_ns, self.intended_ns) = (now_ns, intended_ns);
        let (data, exec) = (self.test.state.setup_data.get().cloned().flatten(), self.facts.exec.clone());
        let (iteration, role) = (self.iteration_count, self.role);
        let Some(vm) = self.vm.as_mut() else { return Next::Done(Err(ErrorClass::Check)) };
        let host = vm.host();
        host.vu.begin(now_ns, iteration, host.worker.started_tags(&host.test, &host.facts));
        host.vu.http.begin(self.test.consolidated.options.no_cookies_reset == Some(true));
        host.begun();
        if self.facts.is_open {
            let delay_ms = now_ns.saturating_sub(intended_ns) as f64 / 1e6;
            self.worker.add(MetricId::ITERATION_START_DELAY, host.vu.tags.get(), delay_ms, now_ns);
        }
        host.vu.iteration_in_scenario.set(self.facts.iterations.fetch_add(1, Ordering::Relaxed));
        let takes_data = role != Role::Setup;
        let step =
            vm.call(&exec, move |ctx| arguments(ctx, data.as_deref().filter(|_| takes_data), iteration));
        self.drive(step, now_ns)
    }

    /// An iteration is over.
    fn end(&mut self, now_ns: u64, outcome: Result<Outcome, ScriptError>) -> Next {
        let test = Arc::clone(&self.test);
        let is_over = || {
            let end_ns = self.facts.start_ns.saturating_add(self.facts.longest_ns);
            self.facts.longest_ns > 0 && test.scenarios_elapsed_ns() >= end_ns
        };
        let is_cut_off = match &outcome {
            Ok(_) => false,
            Err(error) if error.kind == js::ErrorKind::Time && is_over() => true,
            Err(_) => test.state.is_aborted.load(Ordering::Relaxed),
        };
        if self.role == Role::Iterations && is_cut_off {
            // What ends the test is no error of its iteration, which counts as cut off.
            if let Err(error) = &outcome {
                test.aborted_at(error);
            }
            self.abandon();
            return Next::Done(Err(ErrorClass::Check));
        }
        self.is_within = false;
        if self.role == Role::Setup && outcome.is_ok() {
            self.keep_setup_data();
        }
        let Some(vm) = self.vm.as_mut() else { return Next::Done(Err(ErrorClass::Check)) };
        let host = vm.host();
        // What the script did since its worker was last told the time counts too.
        let now_ns = js::Host::now_ns(host).max(now_ns);
        let tags = host.vu.tags.get();
        let (sent, received) = host.vu.http.bytes.take();
        self.worker.add(MetricId::DATA_SENT, tags, sent as f64, now_ns);
        self.worker.add(MetricId::DATA_RECEIVED, tags, received as f64, now_ns);
        if self.role == Role::Iterations {
            let ms_since = |from_ns: u64| now_ns.saturating_sub(from_ns) as f64 / 1e6;
            self.worker.add(MetricId::ITERATION_DURATION, tags, ms_since(self.begun_ns), now_ns);
            if self.facts.is_open {
                self.worker.add(MetricId::ITERATION_RESPONSE_TIME, tags, ms_since(self.intended_ns), now_ns);
            }
            self.worker.add(MetricId::ITERATIONS, tags, 1.0, now_ns);
        }
        self.worker.flush_now_and_then(now_ns);
        if self.role == Role::Iterations {
            test.state.complete_count.fetch_add(1, Ordering::Relaxed);
            test.state.vus_active.fetch_sub(1, Ordering::Relaxed);
            self.facts.busy.fetch_sub(1, Ordering::Relaxed);
            self.facts.over.fetch_add(1, Ordering::Relaxed);
        }
        let is_dead = vm.is_dead();
        if is_dead {
            self.vm = None;
        }
        match outcome {
            Ok(_) => {
                let rest_ns =
                    self.facts.iteration_min_ns.saturating_sub(now_ns.saturating_sub(self.begun_ns));
                if rest_ns == 0 || self.role != Role::Iterations {
                    return Next::Done(Ok(()));
                }
                self.is_resting = true;
                Next::Rest { duration_ns: rest_ns, kind: RestKind::Think }
            }
            Err(error) if self.role != Role::Iterations => {
                if test.state.is_aborted.load(Ordering::Relaxed) {
                    test.aborted_at(&error);
                } else {
                    test.fixture_failed(self.fixture_error(&error, now_ns));
                }
                Next::Done(Err(ErrorClass::Check))
            }
            Err(error) => {
                let (said, source) = match error.kind {
                    js::ErrorKind::Rejected => {
                        (format!("Uncaught (in promise) {}", stack_text(&error)), None)
                    }
                    _ => (stack_text(&error), Some("stacktrace")),
                };
                test.say_of(&self.facts, Loudness::Error, said, source);
                Next::Done(Err(ErrorClass::Check))
            }
        }
    }
}

impl Scenario for Vu {
    fn begin(&mut self, _choice: Choice) -> Option<u16> {
        if self.facts.iterations_each.is_some_and(|each| self.iteration_count >= each) {
            return None;
        }
        if self.role == Role::Iterations && self.test.state.is_aborted.load(Ordering::Relaxed) {
            return None;
        }
        self.awake()?;
        self.is_within = true;
        if self.role == Role::Iterations {
            self.test.state.vus_active.fetch_add(1, Ordering::Relaxed);
            self.facts.busy.fetch_add(1, Ordering::Relaxed);
        }
        Some(0)
    }

    fn resume(&mut self, event: Event<'_>, context: &mut Context<'_>) -> Next {
        let now_ns = context.now_ns;
        match event {
            Event::Begun => {
                let next = self.begun(now_ns, context.intended_ns);
                self.iteration_count += 1;
                next
            }
            Event::Answered(answer) => self.heard(None, Ok(Heard::of(&answer, now_ns)), now_ns),
            Event::Failed(class) => self.heard(None, Err(class), now_ns),
            Event::Lane(lane, answer) => {
                self.heard(Some(lane), answer.map(|answer| Heard::of(&answer, now_ns)), now_ns)
            }
            Event::Rested if std::mem::take(&mut self.is_resting) => Next::Done(Ok(())),
            Event::Rested => self.rested(now_ns),
            Event::Met(met) => self.met(met, now_ns),
        }
    }

    fn request(&self) -> &[u8] {
        self.traffic.request()
    }

    fn next_lane(&mut self) -> Option<(u16, Exchange)> {
        self.traffic.next_lane()
    }

    fn lane_request(&self, lane: u16) -> &[u8] {
        self.traffic.lane_request(lane)
    }

    fn sought(&self) -> Option<&Target> {
        self.traffic.sought()
    }

    fn abandon(&mut self) -> bool {
        // What went over the wire counts, as it does for iterations that come to their end.
        if let Some(vm) = self.vm.as_mut().filter(|_| self.is_within) {
            let host = vm.host();
            let ((sent, received), tags) = (host.vu.http.bytes.take(), host.vu.tags.get());
            self.worker.add(MetricId::DATA_SENT, tags, sent as f64, self.begun_ns);
            self.worker.add(MetricId::DATA_RECEIVED, tags, received as f64, self.begun_ns);
        }
        // The iteration ends where it stands, which nothing in the script can catch; the user stays, with all that its modules hold.
        if let Some(vm) = self.vm.as_mut().filter(|vm| vm.is_under_way()) {
            let _ended = vm.interrupt();
        }
        if self.vm.as_ref().is_some_and(Vm::is_dead) {
            self.vm = None;
        }
        self.traffic.clear();
        if std::mem::take(&mut self.is_within) && self.role == Role::Iterations {
            self.test.state.interrupted_count.fetch_add(1, Ordering::Relaxed);
            self.test.state.vus_active.fetch_sub(1, Ordering::Relaxed);
            self.facts.busy.fetch_sub(1, Ordering::Relaxed);
            self.facts.over.fetch_add(1, Ordering::Relaxed);
        }
        self.is_resting = false;
        true
    }
}

impl Drop for Vu {
    /// What a user with a number of iterations of its own has left when their time is over is dropped, in one sample.
    fn drop(&mut self) {
        let left = self.facts.iterations_each.map_or(0, |each| each.saturating_sub(self.iteration_count));
        if left > 0 && self.role == Role::Iterations && self.facts.is_time_over(&self.test) {
            let tags = self.test.dropped_tags(&self.facts.name);
            let now_ns = self.facts.start_ns.saturating_add(self.facts.regular_ns);
            self.worker.add(MetricId::DROPPED_ITERATIONS, tags, left as f64, now_ns);
        }
    }
}

/// A user's engine with its init code run.
fn start(
    test: &Arc<Test>,
    worker: &Rc<Worker>,
    facts: &Arc<ScenarioFacts>,
    id: u64,
) -> Result<Vm<VuHost>, ScriptError> {
    let host = VuHost::new(test, worker, facts, id);
    let no_stack = |error: std::io::Error| {
        let mut wrong = waited("a stack");
        wrong.message = format!(
            "no stack for a user: {}; use fewer, or raise vm.max_map_count",
            units::system_words(&error)
        );
        wrong
    };
    let mut limits = Limits::default();
    if facts.longest_ns > 0 {
        // A script that never waits can't be cut off by its worker, which stands still with it.
        limits.turn_ns = limits.turn_ns.min(facts.longest_ns);
    }
    let mut vm = Vm::new(&test.script, host, limits, id).map_err(no_stack)?;
    let begun = std::time::Instant::now();
    let mut step = vm.start();
    loop {
        step = match step {
            Step::Done(Ok(Outcome::NeverSettled)) => {
                return Err(waited("a module's top-level await, for what nothing settles"));
            }
            Step::Done(Ok(Outcome::Returned)) => {
                vm.host().vu.is_in_init.set(false);
                return Ok(vm);
            }
            Step::Done(Err(error)) => return Err(error),
            Step::Idle { until_ns: Some(until_ns) } if begun.elapsed() < INIT_WAIT_MAX => {
                let now_ns = js::Host::now_ns(vm.host());
                pause(Duration::from_nanos(until_ns.saturating_sub(now_ns)).min(INIT_WAIT_MAX));
                vm.wake()
            }
            Step::Asks(Ask::Sleep { ns }) if begun.elapsed() < INIT_WAIT_MAX => {
                pause(Duration::from_nanos(ns).min(INIT_WAIT_MAX));
                vm.reply(Reply::Slept)
            }
            Step::Idle { .. } | Step::Asks(_) => return Err(waited("the init code")),
        };
    }
}

/// The setup data and `__ITER`.
fn arguments<'js>(
    ctx: &Ctx<'js>,
    data: Option<&str>,
    iteration: u64,
) -> js::rquickjs::Result<Vec<Value<'js>>> {
    let globals = ctx.globals();
    globals.set("__ITER", iteration as f64)?;
    let Some(data) = data else { return Ok(vec![Value::new_undefined(ctx.clone())]) };
    // A copy of its own for each user, from its first iteration on.
    const PLACE: &str = "\u{0}setup data";
    let kept: Value<'js> = globals.get(PLACE)?;
    if !kept.is_undefined() {
        return Ok(vec![kept]);
    }
    let parsed = ctx.json_parse(data)?;
    globals.prop(PLACE, js::rquickjs::object::Property::from(parsed.clone()))?;
    Ok(vec![parsed])
}

/// A script that waits where nothing can be waited for.
fn waited(what: &str) -> ScriptError {
    ScriptError {
        kind: js::ErrorKind::Thrown,
        name: "Error".to_owned(),
        message: format!("the script waits for ever: {what}"),
        stack: Vec::new(),
        source_line: None,
    }
}

/// Waits on the spot: only before and after a run, where there is nothing else to do.
fn pause(duration: Duration) {
    let (_sender, never) = std::sync::mpsc::channel::<()>();
    let _ = never.recv_timeout(duration);
}
