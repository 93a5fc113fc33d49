//! What is wrong with a plan as a whole, whichever front end made it.

use crate::{ActionOrder, Diagnostic, Load, PhaseStart, Plan, Step};

/// More users than this in one run are refused: each holds a state and mostly a socket.
const USERS_MAX: u32 = 10_000_000;
/// Each worker holds the times of all changes.
const USER_CHANGES_MAX: u64 = 10_000_000;
/// Above what any machine sends; beyond it a loop turn could not even count what is due.
const RATE_PER_SEC_MAX: f64 = 1e8;
/// Longest phase: a year.
const DURATION_NS_MAX: u64 = 366 * 86_400 * units::NS_PER_SEC;

impl Plan {
    /// All that is wrong across parts: indices, weights, rows, counts, durations. Empty: the plan can run.
    pub fn faults(&self) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        if self.targets.is_empty() && self.has_requests() {
            faults.push(
                Diagnostic::error("the plan has requests but no target").hint("add `targets:` with a `url`"),
            );
        }
        if self.phases.is_empty() {
            faults.push(
                Diagnostic::error("the plan has no phases").hint("add one under `phases:` with a `duration`"),
            );
        }
        if self.interval_ns < units::NS_PER_MS {
            faults.push(Diagnostic::error("an interval is at least 1 ms"));
        }
        for target in &self.targets {
            if target.alternates.iter().any(|index| *index >= self.targets.len()) {
                let message =
                    format!("target `{}` takes turns with one that the plan does not have", target.name);
                faults.push(Diagnostic::error(message));
            }
        }
        self.scenario_faults(&mut faults);
        self.phase_faults(&mut faults);
        self.slo_faults(&mut faults);
        faults
    }

    fn has_requests(&self) -> bool {
        let steps = self.scenarios.iter().flat_map(|s| &s.actions).flat_map(|a| &a.steps);
        steps.into_iter().any(|step| matches!(step, Step::Request(_)))
    }

    fn scenario_faults(&self, faults: &mut Vec<Diagnostic>) {
        for scenario in &self.scenarios {
            let name = &scenario.name;
            let action_count = scenario.actions.len();
            if action_count == 0 {
                faults.push(Diagnostic::error(format!("scenario `{name}` has no actions")));
            }
            if action_count > usize::from(u16::MAX) {
                faults.push(Diagnostic::error(format!("scenario `{name}` has more than 65535 actions")));
            }
            for step in scenario.actions.iter().flat_map(|action| &action.steps) {
                if let Step::Request(request) = step
                    && request.target >= self.targets.len()
                {
                    faults.push(Diagnostic::error(format!(
                        "request `{}` names no target of the plan",
                        request.name
                    )));
                }
            }
            for feed in &scenario.feeds {
                if self.feeds.get(*feed).is_none_or(|feed| feed.rows.is_empty()) {
                    faults.push(Diagnostic::error(format!("scenario `{name}` uses a feed without rows")));
                }
            }
            if let Some(message) = order_fault(&scenario.order, action_count) {
                faults.push(Diagnostic::error(format!("scenario `{name}`: {message}")));
            }
        }
    }

    fn phase_faults(&self, faults: &mut Vec<Diagnostic>) {
        for (index, phase) in self.phases.iter().enumerate() {
            let name = &phase.name;
            let mut fault = |message: String, hint: &str| faults.push(Diagnostic::error(message).hint(hint));
            if phase.scenario >= self.scenarios.len() {
                fault(format!("phase `{name}` names no scenario of the plan"), "name one under `scenarios:`");
            }
            if self.phases[..index].iter().any(|earlier| earlier.name == *name) {
                fault(format!("two phases are named `{name}`"), "give each phase a name of its own");
            }
            if phase.repeat_count == 0 {
                fault(format!("phase `{name}` is repeated 0 times"), "use 1 or more, or remove the phase");
            }
            let (PhaseStart::After(Some(other), _) | PhaseStart::With(other, _)) = phase.start else {
                self.load_faults(index, &mut fault);
                continue;
            };
            if other >= index {
                fault(
                    format!("phase `{name}` waits for one that does not come before it"),
                    "order phases by their start",
                );
            }
            self.load_faults(index, &mut fault);
        }
    }

    fn load_faults(&self, index: usize, fault: &mut impl FnMut(String, &str)) {
        let phase = &self.phases[index];
        let name = &phase.name;
        if phase.duration_ns.is_some_and(|ns| ns > DURATION_NS_MAX) {
            fault(format!("phase `{name}` is longer than a year"), "shorten it");
        }
        let ends = phase.duration_ns.is_some() || phase.action_count_max.is_some();
        match &phase.load {
            Load::Closed { users, in_flight_max } => {
                if !(1..=USERS_MAX).contains(users) {
                    fault(format!("phase `{name}` has {users} users"), "use 1 to 10000000");
                }
                if *in_flight_max == Some(0) {
                    fault(
                        format!("phase `{name}` lets no action be in flight"),
                        "use 1 or more, or leave it out",
                    );
                }
                if !ends {
                    fault(format!("phase `{name}` never ends"), "give it a `duration` or a `count`");
                }
            }
            Load::Once { users, in_flight_max } => {
                if !(1..=USERS_MAX).contains(users) {
                    fault(format!("phase `{name}` has {users} users"), "use 1 to 10000000");
                }
                if *in_flight_max == Some(0) {
                    fault(
                        format!("phase `{name}` lets no action be in flight"),
                        "use 1 or more, or leave it out",
                    );
                }
            }
            Load::Ramping { users_from, stages, .. } => {
                let users_max = stages.iter().map(|stage| stage.users_to).fold(*users_from, u32::max);
                if !(1..=USERS_MAX).contains(&users_max) {
                    fault(format!("phase `{name}` has {users_max} users at most"), "use 1 to 10000000");
                }
                let change_count = stages.iter().fold((0u64, *users_from), |(sum, from), stage| {
                    (sum.saturating_add(u64::from(from.abs_diff(stage.users_to))), stage.users_to)
                });
                if change_count.0 > USER_CHANGES_MAX {
                    fault(
                        format!("phase `{name}` changes its users {} times", change_count.0),
                        "use fewer or flatter stages",
                    );
                }
                if stages.is_empty() {
                    fault(format!("phase `{name}` has no stages of users"), "give it one, or `users` alone");
                }
                if !ends && stages.iter().all(|stage| stage.duration_ns == 0) {
                    fault(format!("phase `{name}` never ends"), "give it a `duration` or a `count`");
                }
            }
            Load::Open { stages, users_max, users, .. } => {
                if let Some(users) = users.filter(|users| !(1..=USERS_MAX).contains(users)) {
                    fault(format!("phase `{name}` has {users} users"), "use 1 to 10000000");
                }
                if !(1..=USERS_MAX).contains(users_max) {
                    fault(format!("phase `{name}` has users_max {users_max}"), "use 1 to 10000000");
                }
                let is_absurd = |rate: units::Rate| rate.as_f64() > RATE_PER_SEC_MAX;
                if stages.iter().any(|stage| is_absurd(stage.rate_from) || is_absurd(stage.rate_to)) {
                    fault(
                        format!("phase `{name}` asks for more than {RATE_PER_SEC_MAX}/s"),
                        "use a lower rate, or a closed load to go as fast as possible",
                    );
                }
                let ends_silent =
                    stages.last().is_some_and(|stage| stage.rate_to.is_zero() && stage.duration_ns == 0);
                if ends_silent && phase.duration_ns.is_none() {
                    fault(
                        format!(
                            "phase `{name}` ends with a rate of 0 and no `duration`: its count may never be reached"
                        ),
                        "give it a `duration`",
                    );
                }
                if stages.is_empty() {
                    fault(format!("phase `{name}` has no rate"), "give it a `rate` or `stages`");
                }
                if !ends && stages.iter().all(|stage| stage.duration_ns == 0) {
                    fault(format!("phase `{name}` never ends"), "give it a `duration` or a `count`");
                }
            }
        }
        if phase.duration_ns == Some(0) {
            fault(
                format!("phase `{name}` lasts no time"),
                "give it a `duration` above 0, or `once` for each user once",
            );
        }
    }

    fn slo_faults(&self, faults: &mut Vec<Diagnostic>) {
        let phase_names: Vec<&str> = self.phases.iter().map(|phase| phase.name.as_str()).collect();
        let action_names: Vec<&str> =
            self.scenarios.iter().flat_map(|s| &s.actions).map(|action| action.name.as_str()).collect();
        for slo in &self.slos {
            for (what, name, known) in
                [("phase", &slo.phase, &phase_names), ("action", &slo.action, &action_names)]
            {
                let Some(name) = name else { continue };
                if known.contains(&name.as_str()) {
                    continue;
                }
                let fault = Diagnostic::error(format!(
                    "objective `{slo}` names a {what} that the plan does not have"
                ));
                let meant = crate::nearest(name, known.iter().copied());
                faults.push(match meant {
                    Some(meant) => fault.hint(format!("did you mean `{meant}`?")),
                    None => fault.hint(format!("{what}s of the plan: {}", known.join(", "))),
                });
            }
        }
    }
}

/// How far the sum of a row of chances may be from 1: what rounding to three digits of some dozen entries can do.
const CHANCE_SLACK: f64 = 1e-3;

/// What is wrong with an order for so many actions.
fn order_fault(order: &ActionOrder, action_count: usize) -> Option<String> {
    let sane = |value: &f64| value.is_finite() && *value >= 0.0;
    match order {
        ActionOrder::Sequence => None,
        ActionOrder::Weighted(weights) => {
            let ok = weights.len() == action_count
                && weights.iter().all(sane)
                && weights.iter().sum::<f64>() > 0.0;
            (!ok).then(|| "each action needs a weight of 0 or more, and one of them more than 0".to_owned())
        }
        ActionOrder::Cycle(counts) => {
            let ok = counts.len() == action_count
                && (1..=1_000_000).contains(&counts.iter().map(|c| u64::from(*c)).sum::<u64>());
            (!ok).then(|| "each action needs a count, and a cycle holds 1 to 1000000 actions".to_owned())
        }
        ActionOrder::Workflow { start, rows } => {
            let square = start.len() == action_count && rows.len() == action_count;
            let start_sum: f64 = start.iter().sum();
            if !square || rows.iter().any(|row| row.len() != action_count) {
                return Some("a workflow needs a row and a column for each action".to_owned());
            }
            if !start.iter().chain(rows.iter().flatten()).all(sane) || (start_sum - 1.0).abs() > CHANCE_SLACK
            {
                return Some(format!(
                    "a workflow's chances are 0 to 1, and those to start sum to 1 (now {start_sum})"
                ));
            }
            let excess = rows.iter().position(|row| row.iter().sum::<f64>() > 1.0 + CHANCE_SLACK)?;
            Some(format!("the chances to go on from action {excess} sum to more than 1"))
        }
    }
}
