//! Configuration to plan: each benchmark of each enabled context becomes a scenario of its own (so that users begin their cycles anew with it,
//! as they did), and one phase per warm-up and rate step.

use crate::actions::{Actions, Binding};
use crate::config::{At, Benchmark, Config, Context, Dialect, WeightedId};
use crate::facts::{BenchmarkFacts, Facts};
use crate::faults::{Faults, quoted};
use crate::read::ITERATIONS_MAX;
use crate::{classes, workflow};
use plan::{
    ActionOrder, Arrivals, CookiePolicy, Load, Phase, PhaseKind, PhaseStart, Plan, Saturation, Scenario,
    Stage,
};
use units::{NS_PER_SEC, Rate};

/// Most entries of the action list of a benchmark without length, weights counted.
const ONCE_ENTRIES_MAX: u64 = 1_000;
/// Most phases: a plan is read by people, too.
const PHASES_MAX: usize = 10_000;
/// Highest rate, which is that of plans.
const RATE_PER_SEC_MAX: f64 = 1e8;

/// A plan, what its reports need to know besides, and how many threads it asks for.
#[derive(Debug)]
pub(crate) struct Lowered {
    pub(crate) plan: Plan,
    pub(crate) facts: Facts,
    pub(crate) thread_count: Option<usize>,
}

/// Turns a configuration into a plan. `binding` gives the actions that no built-in class has.
pub(crate) fn lower(config: &Config, name: &str, binding: Option<&Plan>, faults: &mut Faults<'_>) -> Lowered {
    let contexts: Vec<&Context> = config.contexts.iter().filter(|context| context.is_enabled).collect();
    if contexts.is_empty() {
        let at = config.contexts.first().map_or(config.header.at, |context| context.at);
        faults.error(at, "no context is enabled", "set `\"enabled\": true` in one");
    }
    check_stop_id(config, faults);
    let thread_count = thread_count(&contexts, faults);
    let benchmarks = benchmarks(config);
    let actions = Actions::new(config, binding);
    let mut lowering = Lowering {
        config,
        has_one_context: contexts.len() == 1,
        thread_count,
        actions,
        phases: Vec::new(),
        scenarios: Vec::new(),
        facts: crate::results::facts_of(config),
    };
    for (context_index, context) in contexts.iter().enumerate() {
        lowering.actions.enter(context);
        for (benchmark_index, benchmark) in benchmarks.iter().enumerate().filter(|(_, b)| b.is_enabled) {
            lowering.benchmark(Place { context_index, context, benchmark_index, benchmark }, faults);
        }
    }
    if lowering.phases.is_empty() && !faults.has_errors() {
        faults.error(config.header.at, "no benchmark has anything to do", "enable one and give it actions");
    }
    for workflow in &config.workflows {
        let is_used = benchmarks
            .iter()
            .any(|b| b.is_enabled && b.workflow.as_ref().is_some_and(|name| name.value == workflow.name));
        if !is_used {
            lowering.actions.check_unused(workflow, faults);
        }
    }
    let Lowering { phases, scenarios, mut facts, actions, .. } = lowering;
    facts.actions = actions.facts;
    let plan = Plan {
        name: if facts.description.is_empty() { name.to_owned() } else { facts.description.clone() },
        seed: Plan::SEED,
        targets: actions.targets,
        feeds: binding.map_or_else(Vec::new, |plan| plan.feeds.clone()),
        variables: binding.map_or_else(Vec::new, |plan| plan.variables.clone()),
        scenarios,
        phases,
        slos: Vec::new(),
        interval_ns: Plan::INTERVAL_NS,
    };
    let thread_count = thread_count.and_then(|count| usize::try_from(count).ok());
    Lowered { thread_count, plan, facts }
}

/// The benchmarks as they are run: the last releases put `onStart` before and `onStop` behind them.
fn benchmarks(config: &Config) -> Vec<Benchmark> {
    let mut benchmarks = config.benchmarks.clone();
    if config.dialect < Dialect::F {
        return benchmarks;
    }
    let injected = |name: &str, id: u32| Benchmark {
        name: name.to_owned(),
        at: config.header.at,
        is_enabled: true,
        is_saved: false,
        rate: At::default(),
        rate_step_change: 0.0,
        rate_step_count: 1,
        tokens: crate::config::Tokens::Tasks(0),
        actions: vec![WeightedId { at: config.header.at, id, weight: 0 }],
        lacks_actions: false,
        workflow: None,
        warmup_1_s: 0,
        warmup_2_s: 0,
        duration_s: 0,
        iteration_count: 1,
    };
    let (start, stop) = (injected("onStart", 0), injected("onStop", config.stop_id));
    match benchmarks.first_mut().filter(|first| first.name == start.name) {
        Some(first) => first.actions = start.actions,
        None => benchmarks.insert(0, start),
    }
    match benchmarks.last_mut().filter(|last| last.name == stop.name) {
        Some(last) => last.actions = stop.actions,
        None => benchmarks.push(stop),
    }
    benchmarks
}

fn check_stop_id(config: &Config, faults: &mut Faults<'_>) {
    let names = &config.header.user_actions;
    if config.stop_id == 100 && names.contains_key(&99) && !names.contains_key(&100) {
        faults.warning(
            config.header.at,
            "`user_actions` names 99 but not 100, which is the action at the end in this form of the configuration",
            "rename \"99\" to \"100\" if it is the one at the end",
        );
    }
}

/// One benchmark in one context.
#[derive(Clone, Copy)]
struct Place<'c> {
    context_index: usize,
    context: &'c Context,
    benchmark_index: usize,
    benchmark: &'c Benchmark,
}

struct Lowering<'c> {
    config: &'c Config,
    has_one_context: bool,
    thread_count: Option<u32>,
    actions: Actions<'c>,
    phases: Vec<Phase>,
    scenarios: Vec<Scenario>,
    facts: Facts,
}

impl Lowering<'_> {
    fn benchmark(&mut self, place: Place<'_>, faults: &mut Faults<'_>) {
        let Place { context, benchmark, .. } = place;
        let tokens = benchmark.tokens.count(context);
        let mut facts = BenchmarkFacts {
            context_index: place.context_index,
            context: context.name.clone(),
            benchmark_index: place.benchmark_index,
            benchmark: benchmark.name.clone(),
            user_count: context.user_count,
            // Those that run it, which are not the context's own where contexts differ.
            thread_count: self.thread_count.unwrap_or(context.user_count),
            token_count: tokens,
            workflow: benchmark.workflow.as_ref().map(|name| name.value.clone()),
            is_saved: benchmark.is_saved,
            phases: Vec::new(),
            target_per_sec: Vec::new(),
        };
        let Some((ids, order)) = self.order(benchmark, faults) else { return };
        // Of a file of actions, the ones at start and end may be missing: most classes do nothing there.
        let is_injected = !self.config.benchmarks.iter().any(|own| own.name == benchmark.name);
        let mut bound = Vec::new();
        for id in &ids {
            match self.actions.action(*id, faults) {
                Binding::Found(action) => bound.push(*action),
                Binding::Missing if is_injected => return,
                Binding::Missing => self.actions.say_missing(*id, benchmark, faults),
            }
        }
        if bound.len() < ids.len() {
            return;
        }
        self.scenarios.push(Scenario {
            name: self.name_of(place),
            order,
            actions: bound,
            cookies: self.actions.cookies(),
            initial: self.actions.initial(),
            feeds: self.actions.feeds(),
        });
        if benchmark.is_once() {
            self.once(place, tokens, &mut facts, faults);
        } else {
            self.timed(place, tokens, &mut facts, faults);
        }
        self.facts.benchmarks.push(facts);
    }

    /// The ids that a benchmark carries out, and in which order.
    fn order(&self, benchmark: &Benchmark, faults: &mut Faults<'_>) -> Option<(Vec<u32>, ActionOrder)> {
        let name = quoted(benchmark.name.trim());
        if let Some(wanted) = &benchmark.workflow {
            return self.workflow(benchmark, wanted, faults);
        }
        let weight_sum: u64 = benchmark.actions.iter().map(|action| u64::from(action.weight)).sum();
        if benchmark.actions.is_empty() {
            if benchmark.lacks_actions {
                // What was refused was said.
            } else if benchmark.is_once() {
                faults.warning(
                    benchmark.at,
                    format!("the benchmark {name} has no actions and does nothing"),
                    "remove it",
                );
            } else {
                faults.error(
                    benchmark.at,
                    format!("the benchmark {name} has no actions"),
                    "add `\"scenario_actions\": [{\"id\": 1}]`",
                );
            }
            return None;
        }
        if weight_sum == 0 {
            return Some((benchmark.actions.iter().map(|action| action.id).collect(), ActionOrder::Sequence));
        }
        let longest = if benchmark.is_once() { ONCE_ENTRIES_MAX } else { 1_000_000 };
        if weight_sum > longest {
            faults.error(
                benchmark.at,
                format!("the weights of the benchmark {name} sum to {weight_sum}"),
                format!("keep their sum to {longest} at most"),
            );
            return None;
        }
        if benchmark.is_once() {
            let each = benchmark
                .actions
                .iter()
                .flat_map(|action| std::iter::repeat_n(action.id, action.weight as usize));
            return Some((each.collect(), ActionOrder::Sequence));
        }
        let mut weights: Vec<(u32, u32)> = Vec::new();
        for action in benchmark.actions.iter().filter(|action| action.weight > 0) {
            match weights.iter_mut().find(|(id, _)| *id == action.id) {
                Some((_, weight)) => *weight += action.weight,
                None => weights.push((action.id, action.weight)),
            }
        }
        let (ids, weights) = weights.into_iter().unzip();
        Some((ids, ActionOrder::Cycle(weights)))
    }

    fn workflow(
        &self,
        benchmark: &Benchmark,
        wanted: &At<String>,
        faults: &mut Faults<'_>,
    ) -> Option<(Vec<u32>, ActionOrder)> {
        let name = quoted(benchmark.name.trim());
        let workflows = &self.config.workflows;
        let Some(found) = workflows.iter().find(|workflow| workflow.name == wanted.value) else {
            let names = || workflows.iter().map(|workflow| workflow.name.as_str());
            let hint = match plan::nearest(&wanted.value, names()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None if workflows.is_empty() => "add it under `workflows`".to_owned(),
                None => format!("workflows: {}", names().collect::<Vec<_>>().join(", ")),
            };
            faults.error(wanted.at, format!("there is no workflow {}", quoted(&wanted.value)), hint);
            return None;
        };
        if benchmark.is_once() {
            let message = format!("the benchmark {name} has a workflow but no duration and does nothing");
            faults.warning(benchmark.at, message, "give it a `benchmark_duration`");
            return None;
        }
        let chain = workflow::compile(found, faults)?;
        Some((chain.ids, chain.order))
    }

    fn name_of(&self, place: Place<'_>) -> String {
        let benchmark = place.benchmark.name.trim();
        if self.has_one_context {
            benchmark.to_owned()
        } else {
            format!("{} / {benchmark}", place.context.name)
        }
    }

    /// Each user each action once, action by action. One token makes it strictly one after another.
    fn once(&mut self, place: Place<'_>, tokens: u32, facts: &mut BenchmarkFacts, faults: &mut Faults<'_>) {
        let (users, name) = (place.context.user_count, quoted(place.benchmark.name.trim()));
        let load = Load::Once { users, in_flight_max: (tokens < users).then_some(tokens) };
        if place.benchmark.rate.value > 0.0 {
            let message = format!(
                "the rate of {name} has no effect: without a duration each action is begun as soon as it can be"
            );
            faults.warning(place.benchmark.rate.at, message, "give it a `benchmark_duration`");
        }
        let name = self.name_of(place);
        facts.target_per_sec.push(0.0);
        let phase = self.phase(name, PhaseKind::Measure, load, None, 1);
        facts.phases.push(phase);
    }

    fn timed(&mut self, place: Place<'_>, tokens: u32, facts: &mut BenchmarkFacts, faults: &mut Faults<'_>) {
        let Place { context, benchmark, .. } = place;
        let name = self.name_of(place);
        let users = context.user_count;
        let full_speed = Load::Closed { users, in_flight_max: (tokens < users).then_some(tokens) };
        // As the decimal that was written, where it is one: an exact fraction.
        let rate_of = |per_sec: f64| Rate::parse(&format!("{per_sec}/s")).ok().or(Rate::from_f64(per_sec));
        let load_at = |per_sec: f64| match rate_of(per_sec) {
            Some(rate) if !rate.is_zero() && per_sec <= RATE_PER_SEC_MAX => Some(Load::Open {
                stages: vec![Stage { rate_from: rate, rate_to: rate, duration_ns: 0 }],
                arrivals: Arrivals::Constant,
                on_saturation: Saturation::Queue,
                users_max: users.min(tokens),
                users: Some(users),
            }),
            Some(_) if per_sec == 0.0 => Some(full_speed.clone()),
            _ => None,
        };
        let base = benchmark.rate.value;
        if base < 0.0 {
            // Which was said.
            return;
        }
        let Some(base_load) = load_at(base) else {
            faults.error(
                benchmark.rate.at,
                format!("the rate {} can't be kept", short(base)),
                format!("use 0.001 to {RATE_PER_SEC_MAX} actions per second"),
            );
            return;
        };
        if benchmark.warmup_1_s > 0 {
            self.phase(
                format!("{name} prewarmup"),
                PhaseKind::Warmup,
                full_speed.clone(),
                Some(benchmark.warmup_1_s),
                1,
            );
        }
        if benchmark.warmup_2_s > 0 {
            self.phase(
                format!("{name} warmup"),
                PhaseKind::Warmup,
                base_load.clone(),
                Some(benchmark.warmup_2_s),
                1,
            );
        }
        if benchmark.duration_s == 0 || benchmark.iteration_count == 0 {
            let key = if benchmark.duration_s == 0 { "benchmark_duration" } else { "benchmark_iterations" };
            let message = format!("the benchmark {} measures nothing: its `{key}` is 0", quoted(&name));
            faults.warning(benchmark.at, message, "give it one to have rows of it");
            return;
        }
        let iterations = u64::from(benchmark.iteration_count) * u64::from(benchmark.rate_step_count);
        if iterations > u64::from(ITERATIONS_MAX) {
            let message = format!("the benchmark {} has {iterations} iterations", quoted(&name));
            let hint = format!("keep iterations times `aps_rate_step_count` to {ITERATIONS_MAX} at most");
            faults.error(benchmark.at, message, hint);
            return;
        }
        let (steps, per_step) = match benchmark.rate_step_change == 0.0 {
            true => (1, benchmark.iteration_count * benchmark.rate_step_count),
            false => (benchmark.iteration_count, benchmark.rate_step_count),
        };
        for step in 0..steps {
            let per_sec = base + f64::from(step) * benchmark.rate_step_change;
            let Some(load) = load_at(per_sec) else {
                let (number, rate) = (step + 1, short(per_sec));
                let message = format!("step {number} of {} would have the rate {rate}", quoted(&name));
                faults.error(
                    benchmark.rate.at,
                    message,
                    "change `aps_rate_step_change` or have fewer iterations",
                );
                return;
            };
            if self.phases.len() >= PHASES_MAX {
                faults.error(
                    benchmark.at,
                    format!("there would be more than {PHASES_MAX} phases"),
                    "have fewer rate steps",
                );
                return;
            }
            let name = if steps == 1 { name.clone() } else { format!("{name} step {}", step + 1) };
            let phase = self.phase(name, PhaseKind::Measure, load, Some(benchmark.duration_s), per_step);
            facts.phases.push(phase);
            facts.target_per_sec.push(per_sec);
        }
    }

    /// Adds a phase behind the last one and says how it is called.
    fn phase(
        &mut self,
        name: String,
        kind: PhaseKind,
        mut load: Load,
        seconds: Option<u32>,
        repeat_count: u32,
    ) -> String {
        let duration_ns = seconds.map(|seconds| u64::from(seconds) * NS_PER_SEC);
        if let Load::Open { stages, .. } = &mut load {
            // The one stage is as long as the phase.
            stages.iter_mut().for_each(|stage| stage.duration_ns = duration_ns.unwrap_or(0));
        }
        let is_taken = |name: &str| self.phases.iter().any(|phase| phase.name == name);
        let mut unique = name.clone();
        let mut number = 2;
        while is_taken(&unique) {
            unique = format!("{name} ({number})");
            number += 1;
        }
        self.phases.push(Phase {
            name: unique.clone(),
            kind,
            scenario: self.scenarios.len().saturating_sub(1),
            load,
            duration_ns,
            action_count_max: None,
            repeat_count,
            start: PhaseStart::After(self.phases.len().checked_sub(1), 0),
            drain_limit_ns: Phase::DRAIN_LIMIT_NS,
        });
        unique
    }
}

/// A rate for a message: short, however many digits it has.
fn short(per_sec: f64) -> String {
    const PLAIN: std::ops::Range<f64> = 1e-6..1e15;
    if per_sec == 0.0 || PLAIN.contains(&per_sec.abs()) {
        per_sec.to_string()
    } else {
        format!("{per_sec:e}")
    }
}

/// Worker threads: what the contexts ask for. Phases with fewer users or tokens are run by as many of them as have a part.
fn thread_count(contexts: &[&Context], faults: &mut Faults<'_>) -> Option<u32> {
    let wanted = contexts.iter().map(|context| context.thread_count).max().filter(|count| *count > 0)?;
    if let Some(other) = contexts.iter().find(|context| context.thread_count != wanted) {
        let message = format!("contexts differ in `num_threads`: all are run by {wanted} threads");
        faults.warning(other.at, message, "run them one by one to have them apart");
    }
    Some(wanted)
}

/// Cookies of the built-in classes: Java's client keeps none unless told to.
pub(crate) const COOKIES: CookiePolicy = CookiePolicy::Ignore;

/// The site that a context's actions send to.
pub(crate) fn site(
    config: &Config,
    context: &Context,
    class: classes::Class,
    user_count: u32,
    faults: &mut Faults<'_>,
) -> Option<classes::Site> {
    let params = classes::Params {
        header: &config.header.user_params,
        context: &context.user_params,
        at: config.header.at,
    };
    params.site(class, user_count, faults)
}
