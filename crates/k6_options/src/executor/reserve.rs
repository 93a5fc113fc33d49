//! Which VUs must be ready when: step lists per scenario, their sum over a test, and what follows from it for the description.

use super::ramp::VuStep;
use super::read::{Executor, RampingVus, Scenario, Scenarios};
use crate::segment::Share;
use k6_metrics::GoDuration;
use std::collections::VecDeque;

/// From `at_ns` on so many VUs must be ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReservedStep {
    /// Since the scenario's start, or the test's.
    pub at_ns: u64,
    /// VUs that are made before the start.
    pub planned: u64,
    /// VUs that may be made besides while the test runs.
    pub unplanned: u64,
}

/// The steps in order of time, the last one with none left, unless the end is open. Of several at the same time the last one holds; the others
/// stay in the list because k6 makes VUs for them too.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Requirements {
    steps: Vec<ReservedStep>,
}

impl Requirements {
    /// The steps in order of time.
    pub fn steps(&self) -> &[ReservedStep] {
        &self.steps
    }

    /// How many VUs are made before the start.
    pub fn planned_max(&self) -> u64 {
        self.steps.iter().map(|step| step.planned).max().unwrap_or(0)
    }

    /// How many VUs there may be at a time: `max VUs` of the description.
    pub fn vus_max(&self) -> u64 {
        self.steps.iter().map(|step| step.planned.saturating_add(step.unplanned)).max().unwrap_or(0)
    }

    /// When the last VU is given back at the latest: `max duration` of the description.
    pub fn end(&self) -> GoDuration {
        let end_ns = self.steps.last().map_or(0, |step| step.at_ns);
        GoDuration::from_ns(i64::try_from(end_ns).unwrap_or(i64::MAX))
    }

    /// Whether VUs are still held after the last step: the test has no end of its own.
    pub fn is_endless(&self) -> bool {
        self.steps.last().is_some_and(|step| step.planned > 0)
    }

    /// What all scenarios together need in one instance.
    pub fn of_all(scenarios: &Scenarios, share: &Share) -> Self {
        let mut changes: Vec<(u64, i128, i128)> = Vec::new();
        // In k6's order, since at the same time it decides what is there at once: what starts first also ends first.
        let mut ordered: Vec<(&String, &Scenario)> = scenarios.iter().collect();
        ordered.sort_by_key(|(name, scenario)| (scenario.start_time(), *name));
        for (_, scenario) in ordered {
            let start_ns = scenario.start_time().as_ns();
            let (mut planned, mut unplanned) = (0, 0);
            for step in scenario.requirements(share).steps {
                let (now, others) = (i128::from(step.planned), i128::from(step.unplanned));
                changes.push((start_ns.saturating_add(step.at_ns), now - planned, others - unplanned));
                (planned, unplanned) = (now, others);
            }
        }
        changes.sort_by_key(|(at_ns, ..)| *at_ns);
        let mut all = Self::default();
        let (mut planned, mut unplanned) = (0, 0);
        for (at_ns, change, others) in changes {
            planned += change;
            unplanned += others;
            let count = |count: i128| u64::try_from(count.max(0)).unwrap_or(u64::MAX);
            all.push(ReservedStep { at_ns, planned: count(planned), unplanned: count(unplanned) });
        }
        all
    }

    /// Adds a step; one that changes nothing is left out.
    fn push(&mut self, step: ReservedStep) {
        let is_same = |last: &ReservedStep| (last.planned, last.unplanned) == (step.planned, step.unplanned);
        if !self.steps.last().is_some_and(is_same) {
            self.steps.push(step);
        }
    }
}

impl Scenario {
    /// When the last iteration begins at the latest, after the scenario's start; 0 where it has no end.
    pub fn regular_end(&self) -> GoDuration {
        match &self.executor {
            Executor::SharedIterations(executor) => executor.max_duration(),
            Executor::PerVuIterations(executor) => executor.max_duration(),
            Executor::ConstantVus(executor) => executor.duration(),
            Executor::RampingVus(executor) => sum(executor.stages()),
            Executor::ConstantArrivalRate(executor) => executor.duration(),
            Executor::RampingArrivalRate(executor) => sum(executor.stages()),
            Executor::ExternallyControlled(executor) => executor.duration(),
        }
    }

    /// When iterations that still run are interrupted, after the scenario's start.
    pub fn maximum_end(&self) -> GoDuration {
        self.regular_end().plus(self.graceful_stop())
    }

    /// Whether one instance has anything to do for it.
    pub fn has_work(&self, share: &Share) -> bool {
        self.requirements(share).vus_max() > 0
    }

    /// Which VUs one instance must have ready when, from the scenario's start.
    pub fn requirements(&self, share: &Share) -> Requirements {
        let scale = |vus: i64| share.scale(u64::try_from(vus).unwrap_or(0));
        let level = |planned: u64, vus_max: u64| ReservedStep {
            at_ns: 0,
            planned,
            unplanned: vus_max.saturating_sub(planned),
        };
        let first = match &self.executor {
            Executor::SharedIterations(executor) => level(scale(executor.vus()), 0),
            Executor::PerVuIterations(executor) => level(scale(executor.vus()), 0),
            Executor::ConstantVus(executor) => level(scale(executor.vus()), 0),
            Executor::RampingVus(executor) => return self.ramp_requirements(executor, share),
            Executor::ConstantArrivalRate(executor) => {
                level(scale(executor.pre_allocated_vus()), scale(executor.max_vus()))
            }
            Executor::RampingArrivalRate(executor) => {
                level(scale(executor.pre_allocated_vus()), scale(executor.max_vus()))
            }
            Executor::ExternallyControlled(executor) => level(scale(executor.max_vus()), 0),
        };
        let mut all = Requirements::default();
        all.push(first);
        let is_endless = matches!(&self.executor, Executor::ExternallyControlled(executor) if executor.duration() == GoDuration::ZERO);
        if !is_endless {
            all.push(ReservedStep { at_ns: self.maximum_end().as_ns(), planned: 0, unplanned: 0 });
        }
        all
    }

    /// A count that falls is held for `gracefulRampDown`, and what is there at the regular end until the maximum end: at each moment the
    /// highest count of the last `gracefulRampDown`.
    fn ramp_requirements(&self, executor: &RampingVus, share: &Share) -> Requirements {
        let hold_ns = executor.graceful_ramp_down().as_ns();
        let end_ns = self.maximum_end().as_ns();
        let mut all = Requirements::default();
        let mut window = Window::default();
        for step in executor.steps(share) {
            window.expire(step.at_ns, &mut all);
            window.enter(step, hold_ns, &mut all);
        }
        window.expire(end_ns, &mut all);
        all.push(ReservedStep { at_ns: end_ns, planned: 0, unplanned: 0 });
        all
    }
}

fn sum(stages: &[crate::options::Stage]) -> GoDuration {
    let durations = stages.iter().filter_map(|stage| stage.duration);
    durations.fold(GoDuration::ZERO, GoDuration::plus)
}

/// Counts that are held, the highest first, each lower than the one before it and held longer.
#[derive(Default)]
struct Window {
    /// Count and when it is let go; the last one is the current count, which is held for now.
    held: VecDeque<(u64, u64)>,
}

impl Window {
    /// Lets go what is held until before `now_ns`.
    fn expire(&mut self, now_ns: u64, all: &mut Requirements) {
        while let Some((_, until_ns)) = self.held.front().copied().filter(|(_, until_ns)| *until_ns < now_ns)
        {
            self.held.pop_front();
            self.say(until_ns, all);
        }
    }

    fn enter(&mut self, step: VuStep, hold_ns: u64, all: &mut Requirements) {
        if let Some((_, until_ns)) = self.held.back_mut() {
            *until_ns = step.at_ns.saturating_add(hold_ns).min(u64::MAX - 1);
        }
        while self.held.back().is_some_and(|(vus, _)| *vus <= step.vus) {
            self.held.pop_back();
        }
        self.held.push_back((step.vus, u64::MAX));
        while self.held.front().is_some_and(|(_, until_ns)| *until_ns <= step.at_ns) {
            self.held.pop_front();
        }
        self.say(step.at_ns, all);
    }

    fn say(&self, at_ns: u64, all: &mut Requirements) {
        let planned = self.held.front().map_or(0, |(vus, _)| *vus);
        all.push(ReservedStep { at_ns, planned, unplanned: 0 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Stage;
    use proptest::prelude::*;

    const MS: u64 = 1_000_000;

    fn ms(ms: u64) -> GoDuration {
        GoDuration::from_ns((ms * MS) as i64)
    }

    /// What a sorted list of (time, count) says of a moment: the last step at or before it.
    fn at(steps: impl Iterator<Item = (u64, u64)>, ns: u64) -> u64 {
        steps.take_while(|(at_ns, _)| *at_ns <= ns).last().map_or(0, |(_, count)| count)
    }

    proptest! {
        #[test]
        fn a_ramp_holds_the_highest_count_of_the_last_while(
            start in 0u64..12,
            stages in proptest::collection::vec((0u64..40, 0u64..12), 1..6),
            hold_ms in 0u64..50,
            graceful_ms in 0u64..50,
        ) {
            let stage = |&(length, target): &(u64, u64)| Stage { duration: Some(ms(length)), target: Some(target as i64) };
            let executor = RampingVus {
                start_vus: Some(start as i64),
                stages: Some(stages.iter().map(stage).collect()),
                graceful_ramp_down: Some(ms(hold_ms)),
            };
            let steps: Vec<(u64, u64)> = executor.steps(&Share::whole()).map(|step| (step.at_ns, step.vus)).collect();
            let scenario =
                Scenario { graceful_stop: Some(ms(graceful_ms)), ..Scenario::of(Executor::RampingVus(executor)) };
            let all = scenario.requirements(&Share::whole());
            let end_ns = scenario.maximum_end().as_ns();
            prop_assert!(all.steps().is_sorted_by_key(|step| step.at_ns));
            prop_assert!(all.steps().windows(2).all(|pair| pair[0].planned != pair[1].planned));
            prop_assert!(all.end().as_ns() <= end_ns);
            for ns in (0..end_ns + 3 * MS).step_by((MS / 2) as usize) {
                let from_ns = ns.saturating_sub(hold_ms * MS);
                // The count at the window's start, and all that it became within.
                let within = steps.iter().filter(|(at_ns, _)| (from_ns..=ns).contains(at_ns)).map(|(_, vus)| *vus);
                // Of steps at the window's very start only the last holds.
                let later = steps.iter().filter(|(at_ns, _)| *at_ns > from_ns && *at_ns <= ns).map(|(_, vus)| *vus);
                let least = later.chain([at(steps.iter().copied(), from_ns)]).max().unwrap_or(0);
                let most = within.chain([least]).max().unwrap_or(0);
                let planned = at(all.steps().iter().map(|step| (step.at_ns, step.planned)), ns);
                let expected = if ns < end_ns { least..=most } else { 0..=0 };
                prop_assert!(expected.contains(&planned), "{planned} at {ns} and not {expected:?}: {all:?} of {steps:?}");
            }
        }
    }
}
