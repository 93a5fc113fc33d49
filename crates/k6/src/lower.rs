//! Executors as phases of a plan. What users do is the script's; the plan's scenarios only name it.

use crate::test::Test;
use k6_options::{Executor, GoDuration, Scenario, Share};
use plan::{
    Action, ActionOrder, Arrivals, CookiePolicy, Load, Phase, PhaseKind, PhaseStart, Plan, Saturation,
    UserStage,
};

/// What an iteration is called in records.
pub(crate) const ACTION: &str = "iteration";

/// The plan of a test: a phase for each scenario, beside each other, in the order of their start.
///
/// `keeps_late`: arrivals that find no idle user wait for one, where k6 drops them.
///
/// # Errors
/// What [`Plan::faults`] finds.
pub fn lower(test: &Test, name: &str, seed: u64, keeps_late: bool) -> Result<Plan, Vec<plan::Diagnostic>> {
    let scenarios = test.consolidated.scenarios();
    let first_ns = scenarios.first().map_or(0, |(_, scenario)| scenario.start_time().as_ns());
    let phase = |(index, (name, scenario)): (usize, &(&str, &Scenario))| {
        let start_ns = scenario.start_time().as_ns();
        Phase {
            name: (*name).to_owned(),
            kind: PhaseKind::Measure,
            scenario: index,
            load: load(scenario, &test.consolidated.share, keeps_late),
            duration_ns: duration(scenario),
            action_count_max: match &scenario.executor {
                Executor::SharedIterations(shared) => Some(shared.iterations_of(&test.consolidated.share)),
                _ => None,
            },
            repeat_count: 1,
            start: match index {
                0 => PhaseStart::After(None, start_ns),
                _ => PhaseStart::With(0, start_ns.saturating_sub(first_ns)),
            },
            drain_limit_ns: scenario.graceful_stop().as_ns(),
        }
    };
    let plan = Plan {
        phases: scenarios.iter().enumerate().map(phase).collect(),
        scenarios: scenarios.iter().map(|(name, _)| named(name)).collect(),
        ..fixture(name, seed)
    };
    let faults = plan.faults();
    if faults.is_empty() { Ok(plan) } else { Err(faults) }
}

/// A plan in which one user does one thing once: `setup` or `teardown`.
pub(crate) fn fixture(name: &str, seed: u64) -> Plan {
    Plan {
        name: name.to_owned(),
        seed,
        targets: Vec::new(),
        feeds: Vec::new(),
        variables: Vec::new(),
        scenarios: vec![named(name)],
        phases: Vec::new(),
        slos: Vec::new(),
        interval_ns: Plan::INTERVAL_NS,
    }
}

impl Test {
    /// The plan of `setup` or `teardown`, which may take so long.
    pub fn fixture_plan(&self, name: &str, limit: GoDuration) -> Plan {
        let phase = Phase {
            name: name.to_owned(),
            kind: PhaseKind::Measure,
            scenario: 0,
            load: Load::Once { users: 1, in_flight_max: None },
            duration_ns: Some(limit.as_ns().max(units::NS_PER_MS)),
            action_count_max: None,
            repeat_count: 1,
            start: PhaseStart::After(None, 0),
            drain_limit_ns: 0,
        };
        Plan { phases: vec![phase], ..fixture(name, Plan::SEED) }
    }
}

fn named(name: &str) -> plan::Scenario {
    plan::Scenario {
        name: name.to_owned(),
        order: ActionOrder::Sequence,
        actions: vec![Action { name: ACTION.to_owned(), steps: Vec::new() }],
        cookies: CookiePolicy::Ignore,
        initial: Vec::new(),
        feeds: Vec::new(),
    }
}

/// An instance's part of a rate: in proportion to its users.
fn part_of(stage: plan::Stage, share: &Share, vus_max: i64) -> plan::Stage {
    let whole = u64::try_from(vus_max).unwrap_or(0);
    let own = share.scale(whole);
    if own == whole {
        return stage;
    }
    let part = |rate: units::Rate| {
        let product = |a: u64, b: u64| a.checked_mul(b);
        let rate = product(rate.count(), own).zip(product(rate.period_ns(), whole));
        rate.and_then(|(count, period_ns)| units::Rate::new(count, period_ns))
    };
    match (part(stage.rate_from), part(stage.rate_to)) {
        (Some(rate_from), Some(rate_to)) => plan::Stage { rate_from, rate_to, ..stage },
        _ => stage,
    }
}

fn duration(scenario: &Scenario) -> Option<u64> {
    let length = match &scenario.executor {
        Executor::SharedIterations(shared) => shared.max_duration(),
        Executor::PerVuIterations(each) => each.max_duration(),
        Executor::ConstantVus(constant) => constant.duration(),
        Executor::ConstantArrivalRate(rate) => rate.duration(),
        Executor::ExternallyControlled(controlled) => controlled.duration(),
        Executor::RampingVus(_) | Executor::RampingArrivalRate(_) => return None,
    };
    Some(length.as_ns())
}

fn load(scenario: &Scenario, share: &Share, keeps_late: bool) -> Load {
    let users =
        |count: i64| u32::try_from(share.scale(u64::try_from(count).unwrap_or(0))).unwrap_or(u32::MAX);
    let closed = |vus: i64| Load::Closed { users: users(vus), in_flight_max: None };
    let open = |stages: Vec<plan::Stage>, vus_max: i64, arrivals: Arrivals| Load::Open {
        stages: stages.into_iter().map(|stage| part_of(stage, share, vus_max)).collect(),
        arrivals,
        on_saturation: if keeps_late { Saturation::Queue } else { Saturation::Drop },
        users_max: users(vus_max),
        users: None,
    };
    match &scenario.executor {
        Executor::SharedIterations(shared) => closed(shared.vus()),
        Executor::PerVuIterations(each) => closed(each.vus()),
        Executor::ConstantVus(constant) => closed(constant.vus()),
        Executor::ExternallyControlled(controlled) => closed(controlled.vus()),
        Executor::RampingVus(ramping) => {
            let stage = |stage: &k6_options::Stage| UserStage {
                users_to: users(stage.target.unwrap_or(0)),
                duration_ns: stage.duration.map_or(0, GoDuration::as_ns),
            };
            let users_from = users(ramping.start_vus());
            let mut stages: Vec<UserStage> = ramping.stages().iter().map(stage).collect();
            // It ends with its last user: of a stretch without any at its end only what users that lost their place may take is part of it.
            let mut rest_ns = 0u64;
            while let [before @ .., last] = stages.as_slice()
                && last.users_to == 0
                && before.last().is_some_and(|before| before.users_to == 0)
            {
                rest_ns = rest_ns.saturating_add(last.duration_ns);
                stages.pop();
            }
            if rest_ns > 0 {
                let limit_ns = ramping.graceful_ramp_down().as_ns().max(units::NS_PER_MS);
                stages.push(UserStage { users_to: 0, duration_ns: rest_ns.min(limit_ns) });
            }
            Load::Ramping { users_from, stages, ramp_down_limit_ns: ramping.graceful_ramp_down().as_ns() }
        }
        Executor::ConstantArrivalRate(rate) => open(rate.plan_stages(), rate.max_vus(), Arrivals::Constant),
        Executor::RampingArrivalRate(rate) => {
            open(rate.plan_stages(), rate.max_vus(), Arrivals::ConstantAfterGap)
        }
    }
}
