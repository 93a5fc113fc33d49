//! Phases and their load.

use super::Context;
use super::scenario::ScenarioSource;
use crate::model::{
    ArrivalsText, Load as LoadText, Phase as PhaseText, PlanText, SaturationText, Stage as StageText, Start,
    UserStage as UserStageText,
};
use crate::read::{List, Table};
use crate::text::quoted;
use plan::{Arrivals, Load, Phase, PhaseKind, PhaseStart, Saturation, Stage, UserStage};
use units::Rate;

/// Keys that mean something for one kind of load alone, with what they need beside them.
const OPEN_KEYS: [&str; 4] = ["arrivals", "on_saturation", "users_max", "users_in_turn"];
const CLOSED_KEYS: [&str; 1] = ["in_flight_max"];
const RAMPING_KEYS: [&str; 2] = ["users_from", "ramp_down"];

impl Context<'_, '_> {
    pub(crate) fn phases(&mut self, text: &PlanText, scenarios: &[ScenarioSource<'_>]) -> Vec<Phase> {
        let phases = match &text.phases {
            Some(phases) => {
                for (key, at) in
                    text.load.given.iter().chain(text.given.iter().filter(|(key, _)| *key == "warmup"))
                {
                    let message = format!("`{key}` at the plan's top has no effect beside `phases`");
                    self.error(*at, message, "put it into a phase");
                }
                &phases.0
            }
            None if text.has("phases") => return Vec::new(),
            None => return self.phases_of_short_plan(text),
        };
        if phases.is_empty() {
            self.error(
                text.key_at("phases"),
                "the plan has no phases",
                "add one: `- { rate: 100/s, duration: 30s }`",
            );
        }
        let mut lowered: Vec<Phase> = Vec::new();
        for (index, phase) in phases.iter().enumerate() {
            let phase = self.phase(phase, index, phases.len(), &lowered, scenarios);
            lowered.push(phase);
        }
        lowered
    }

    /// The one phase at a short plan's top, after its warm-up.
    fn phases_of_short_plan(&mut self, text: &PlanText) -> Vec<Phase> {
        if !["users", "user_stages", "rate", "stages", "once"].iter().any(|key| text.load.has(key)) {
            let hint = "add `rate: 100/s` or `users: 10`, and `duration: 30s`; or `phases:`";
            self.error(text.at, "the plan says nothing of how much load", hint);
        }
        let phase = Phase {
            name: "main".to_owned(),
            kind: PhaseKind::Measure,
            scenario: 0,
            start: PhaseStart::After(None, 0),
            ..self.loaded(&text.load, "main")
        };
        let Some(warmup) = &text.warmup else { return vec![phase] };
        let warmup = Phase {
            name: "warm-up".to_owned(),
            kind: PhaseKind::Warmup,
            duration_ns: Some(warmup.value.0),
            action_count_max: None,
            repeat_count: 1,
            load: warmup_load(&phase.load),
            ..phase.clone()
        };
        vec![warmup, Phase { start: PhaseStart::After(Some(0), 0), ..phase }]
    }

    fn phase(
        &mut self,
        text: &PhaseText,
        index: usize,
        phase_count: usize,
        earlier: &[Phase],
        scenarios: &[ScenarioSource<'_>],
    ) -> Phase {
        let name = match &text.name {
            Some(name) => {
                let given = self.name(name);
                if earlier.iter().any(|phase| phase.name == given) {
                    self.error(
                        name.at,
                        format!("two phases are named {}", quoted(&given)),
                        "give each phase a name of its own",
                    );
                }
                given
            }
            None if phase_count == 1 => "main".to_owned(),
            None => format!("phase-{}", index + 1),
        };
        let scenario = match &text.scenario {
            Some(name) => {
                let found = scenarios.iter().position(|scenario| scenario.name == name.value.trim());
                if found.is_none() {
                    self.unknown_name(
                        "scenario",
                        name,
                        scenarios.iter().map(|scenario| scenario.name.as_str()),
                    );
                }
                found.unwrap_or(0)
            }
            None => {
                if scenarios.len() > 1 && !text.has("scenario") {
                    let names: Vec<&str> = scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
                    let message = format!("the phase {} does not say which scenario it runs", quoted(&name));
                    self.error(text.at, message, format!("add `scenario:` with one of {}", names.join(", ")));
                }
                0
            }
        };
        let is_warmup = text.warmup.as_ref().is_some_and(|warmup| warmup.value);
        Phase {
            kind: if is_warmup { PhaseKind::Warmup } else { PhaseKind::Measure },
            scenario,
            start: self.start(text.start.as_ref(), earlier),
            ..self.loaded(&text.load, &name)
        }
    }

    fn start(&mut self, text: Option<&Start>, earlier: &[Phase]) -> PhaseStart {
        let default = earlier.len().checked_sub(1);
        let Some(text) = text else { return PhaseStart::After(default, 0) };
        let delay_ns = text.delay.as_ref().map_or(0, |delay| delay.value.0);
        let Some(name) = text.after.as_ref().or(text.together.as_ref()) else {
            return PhaseStart::After(default, delay_ns);
        };
        let Some(index) = earlier.iter().position(|phase| phase.name == name.value.trim()) else {
            let known = earlier.iter().map(|phase| phase.name.as_str());
            match known.clone().next() {
                None => {
                    let message = format!("the first phase can't wait for {}", quoted(&name.value));
                    self.error(name.at, message, "remove it, or put the other phase before this one");
                }
                Some(_) => self.unknown_name("earlier phase", name, known),
            }
            return PhaseStart::After(default, delay_ns);
        };
        match text.together {
            Some(_) => PhaseStart::With(index, delay_ns),
            None => PhaseStart::After(Some(index), delay_ns),
        }
    }

    /// What the keys of a load say; name, kind, scenario and start are for the caller to set.
    fn loaded(&mut self, text: &LoadText, name: &str) -> Phase {
        let users = |count: u32| count.max(1);
        let duration_ns = text.duration.as_ref().map(|duration| duration.value.0);
        let action_count_max = text.count.as_ref().map(|count| count.value.0);
        let has_end = text.has("duration") || text.has("count");
        let open = |stages: Vec<Stage>| Load::Open {
            stages,
            arrivals: match text.arrivals.as_ref().map(|arrivals| arrivals.value) {
                None | Some(ArrivalsText::Constant) => Arrivals::Constant,
                Some(ArrivalsText::Poisson) => Arrivals::Poisson,
                Some(ArrivalsText::Uniform) => Arrivals::UniformJitter,
            },
            on_saturation: match text.on_saturation.as_ref().map(|way| way.value) {
                None | Some(SaturationText::Queue) => Saturation::Queue,
                Some(SaturationText::Drop) => Saturation::Drop,
            },
            users_max: text.users_max.as_ref().map_or(Load::USERS_MAX, |max| max.value.0),
            users: text.users_in_turn.as_ref().map(|users| users.value.0),
        };
        let mut needs_end = false;
        let load = if let Some(count) = &text.users {
            needs_end = true;
            let in_flight_max = text.in_flight_max.as_ref().map(|max| max.value.0);
            Load::Closed { users: users(count.value.0), in_flight_max }
        } else if let Some(stages) = &text.user_stages {
            let stages = self.user_stages(stages, text);
            needs_end = !stages.is_empty() && stages.iter().all(|stage| stage.duration_ns == 0);
            let ramp_down = text.ramp_down.as_ref().or(text.drain.as_ref());
            Load::Ramping {
                users_from: users_from(text),
                stages,
                ramp_down_limit_ns: ramp_down.map_or(Phase::DRAIN_LIMIT_NS, |limit| limit.value.0),
            }
        } else if let Some(rate) = &text.rate {
            needs_end = true;
            let rate = rate.value;
            open(vec![Stage { rate_from: rate, rate_to: rate, duration_ns: duration_ns.unwrap_or(0) }])
        } else if let Some(stages) = &text.stages {
            let stages = self.stages(stages, text);
            needs_end = !stages.is_empty() && stages.iter().all(|stage| stage.duration_ns == 0);
            open(stages)
        } else {
            let in_flight_max = text.in_flight_max.as_ref().map(|max| max.value.0);
            Load::Once { users: users(text.once.as_ref().map_or(1, |once| once.value.0)), in_flight_max }
        };
        if needs_end && !has_end {
            let hint = "add `duration: 30s`, or `count: 1000`";
            self.error(text.at, format!("the phase {} never ends", quoted(name)), hint);
        }
        self.say_what_belongs_to_another_load(text);
        Phase {
            name: name.to_owned(),
            kind: PhaseKind::Measure,
            scenario: 0,
            load,
            duration_ns,
            action_count_max,
            repeat_count: text.repeat.as_ref().map_or(1, |repeat| repeat.value.0),
            start: PhaseStart::After(None, 0),
            drain_limit_ns: text.drain.as_ref().map_or(Phase::DRAIN_LIMIT_NS, |drain| drain.value.0),
        }
    }

    fn stages(&mut self, stages: &List<StageText>, load: &LoadText) -> Vec<Stage> {
        if stages.0.is_empty() {
            self.error(load.key_at("stages"), "there are no stages", "add `- { to: 500/s, over: 10s }`");
        }
        let zero = units::Rate::per_sec(0);
        let mut last = zero;
        let mut lowered = Vec::new();
        let mut total_ns = 0u64;
        for stage in &stages.0 {
            if let (true, Some(wrong)) =
                (stage.has("rate"), ["from", "over"].iter().find(|key| stage.has(key)))
            {
                let message = format!("`{wrong}` belongs to a ramp, and `rate` to a constant stage");
                self.error(
                    stage.key_at(wrong),
                    message,
                    "write `{ rate: 500/s, for: 20s }` or `{ from: 0/s, to: 500/s, over: 10s }`",
                );
            }
            if let (true, true) = (stage.has("to"), stage.has("for")) {
                self.error(
                    stage.key_at("for"),
                    "a ramp's length stands under `over`",
                    "write `over` instead of `for`",
                );
            }
            let constant = stage.rate.as_ref().map(|rate| rate.value);
            let from = constant.or(stage.from.as_ref().map(|rate| rate.value)).or(last);
            let to = constant.or(stage.to.as_ref().map(|rate| rate.value)).or(from);
            let duration_ns = stage.over.as_ref().or(stage.hold.as_ref()).map_or(0, |length| length.value.0);
            total_ns = total_ns.saturating_add(duration_ns);
            last = to;
            lowered.extend(from.zip(to).map(|(rate_from, rate_to)| Stage {
                rate_from,
                rate_to,
                duration_ns,
            }));
        }
        if let Some(duration) = load.duration.as_ref().filter(|duration| duration.value.0 < total_ns) {
            let message =
                format!("the stages take {}, and the phase ends before that", units::duration(total_ns));
            self.warning(duration.at, message, "remove `duration`, or shorten the stages");
        }
        lowered
    }

    fn user_stages(&mut self, stages: &List<UserStageText>, load: &LoadText) -> Vec<UserStage> {
        if stages.0.is_empty() {
            self.error(load.key_at("user_stages"), "there are no stages", "add `- { to: 50, over: 30s }`");
        }
        let mut users_to = users_from(load);
        let mut lowered = Vec::new();
        for stage in &stages.0 {
            if let (true, Some(to)) = (stage.has("for"), &stage.to) {
                let message = "a ramp's length stands under `over`";
                self.error(to.at, message, "write `over` instead of `for`, or remove `to`");
            }
            users_to = stage.to.as_ref().map_or(users_to, |to| to.value.0);
            let length = stage.over.as_ref().or(stage.hold.as_ref());
            lowered.push(UserStage { users_to, duration_ns: length.map_or(0, |length| length.value.0) });
        }
        if users_from(load) == 0 && !lowered.is_empty() && lowered.iter().all(|stage| stage.users_to == 0) {
            self.error(load.key_at("user_stages"), "there are never any users", "give a stage `to: 50`");
        }
        lowered
    }

    fn say_what_belongs_to_another_load(&mut self, text: &LoadText) {
        let ramping = text.has("user_stages");
        let (closed, open, once) =
            (text.has("users") || ramping, text.has("rate") || text.has("stages"), text.has("once"));
        for (key, at) in &text.given {
            if RAMPING_KEYS.contains(key) && !ramping {
                let message = format!("`{key}` belongs to a load whose users come and go");
                self.error(*at, message, "load with `user_stages`, or remove it");
            } else if *key == "in_flight_max" && ramping {
                self.error(*at, "`in_flight_max` does not go with `user_stages`", "let fewer users come");
            } else if CLOSED_KEYS.contains(key) && open {
                self.error(
                    *at,
                    format!("`{key}` belongs to a closed load"),
                    "an open one has `users_max`; or load with `users`",
                );
            } else if OPEN_KEYS.contains(key) && (closed || once) {
                self.error(
                    *at,
                    format!("`{key}` belongs to an open load"),
                    "load with `rate` or `stages`, or remove it",
                );
            } else if *key == "count" && once {
                self.error(
                    *at,
                    "`count` has no effect beside `once`",
                    "load with `users` and `count`, or remove it",
                );
            }
        }
    }
}

/// Users at the start of a load whose users come and go.
fn users_from(text: &LoadText) -> u32 {
    text.users_from.as_ref().map_or(0, |users| users.value.0)
}

/// A warm-up under the load of the phase that follows; stages begin with their first rate.
fn warmup_load(load: &Load) -> Load {
    match load {
        Load::Open { stages, arrivals, on_saturation, users_max, users } => {
            // A ramp from nothing would warm nothing up.
            let rates = stages.iter().flat_map(|stage| [stage.rate_from, stage.rate_to]);
            let rate: Option<Rate> = rates.into_iter().find(|rate| !rate.is_zero());
            let stages = rate.map(|rate| Stage { rate_from: rate, rate_to: rate, duration_ns: 0 });
            Load::Open {
                stages: stages.into_iter().collect(),
                arrivals: *arrivals,
                on_saturation: *on_saturation,
                users_max: *users_max,
                users: *users,
            }
        }
        Load::Once { users, in_flight_max } => Load::Closed { users: *users, in_flight_max: *in_flight_max },
        Load::Ramping { users_from, stages, .. } => {
            let users = stages.iter().map(|stage| stage.users_to).fold(*users_from, u32::max);
            Load::Closed { users, in_flight_max: None }
        }
        Load::Closed { .. } => load.clone(),
    }
}
