//! How a test stands, as the lines that people watch.

use crate::test::Test;
use k6_options::{
    Colour, Executor, GoDuration, ProgressBlock, ProgressHead, ProgressRow, Scenario, ScenarioNow,
    ScenarioState,
};
use std::sync::atomic::Ordering;

/// What a test is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// `setup` runs.
    Setup,
    /// Its scenarios run, or ran.
    Scenarios,
    /// `teardown` runs.
    Teardown,
}

impl Test {
    /// The test's clock begins: before `setup`.
    pub fn start_clock(&self) {
        // A test runs once.
        let _ = self.state.started.set(std::time::Instant::now());
    }

    /// Time since then.
    pub fn elapsed_ns(&self) -> u64 {
        self.state.started.get().map_or(0, |at| at.elapsed().as_nanos() as u64)
    }

    /// A scenario begins that was to do so `start_ns` after the first could: the first of them says when that was.
    pub(crate) fn scenario_started(&self, start_ns: u64) {
        let now = std::time::Instant::now();
        let begin = now.checked_sub(std::time::Duration::from_nanos(start_ns)).unwrap_or(now);
        // The first counts.
        let _ = self.state.scenarios_started.set(begin);
    }

    pub(crate) fn scenarios_elapsed_ns(&self) -> u64 {
        self.state.scenarios_started.get().map_or(0, |at| at.elapsed().as_nanos() as u64)
    }

    /// The lines of now; `columns` is the terminal's width where there is one.
    pub fn progress(&self, stage: Stage, columns: Option<usize>, colour: Colour) -> Vec<String> {
        let requirements = self.consolidated.requirements();
        let (complete, interrupted) = self.iteration_counts();
        let (active_vus, initialised_vus) = self.vu_counts();
        let head = match stage {
            Stage::Setup => ProgressHead::Setup,
            Stage::Teardown => ProgressHead::Teardown,
            Stage::Scenarios => ProgressHead::Running {
                is_paused: false,
                elapsed: GoDuration::from_ns(i64::try_from(self.elapsed_ns()).unwrap_or(i64::MAX)),
                longest: requirements.end(),
                active_vus,
                initialised_vus,
                vus_max: requirements.vus_max(),
                complete,
                interrupted,
            },
        };
        let scenarios = self.consolidated.scenarios();
        let rows = scenarios.iter().enumerate().map(|(index, (name, scenario))| {
            let (state, progress) = self.row(index, scenario, stage);
            ProgressRow { name, state, progress }
        });
        ProgressBlock { head, rows: rows.collect() }.lines(columns, colour)
    }

    fn row(
        &self,
        index: usize,
        scenario: &Scenario,
        stage: Stage,
    ) -> (Option<ScenarioState>, k6_options::ScenarioProgress) {
        let share = &self.consolidated.share;
        let facts = self.state.scenarios.get().and_then(|all| all.get(index));
        let count = |read: fn(&crate::host::ScenarioFacts) -> u64| facts.map_or(0, |facts| read(facts));
        let since_ns = self.scenarios_elapsed_ns();
        let ended_ns = count(|facts| facts.ended_ns.load(Ordering::Relaxed));
        let start_ns = scenario.start_time().as_ns();
        let at_ns = if ended_ns > 0 { ended_ns } else { since_ns };
        let duration = |ns: u64| GoDuration::from_ns(i64::try_from(ns).unwrap_or(i64::MAX));
        let elapsed = duration(at_ns.saturating_sub(start_ns));
        let state = match () {
            () if ended_ns == 0 && since_ns < start_ns => {
                ScenarioState::Waiting(duration(start_ns - since_ns))
            }
            () if elapsed >= scenario.regular_end() => ScenarioState::Stopping,
            () => ScenarioState::Running,
        };
        let now = ScenarioNow {
            state,
            elapsed,
            active_vus: match scenario.executor {
                // Its users go as they came, and while they are there they iterate.
                Executor::RampingVus(_) => count(|facts| facts.busy.load(Ordering::Relaxed)),
                _ => count(|facts| facts.made.load(Ordering::Relaxed)),
            },
            busy_vus: count(|facts| facts.busy.load(Ordering::Relaxed)),
            iterations: count(|facts| facts.over.load(Ordering::Relaxed)),
            rate_per_sec: rate_per_sec(scenario, elapsed),
        };
        let progress = scenario.progress(share, &now);
        let state = match (stage, ended_ns) {
            (Stage::Setup, _) => None,
            (_, 0) => Some(state),
            _ => Some(ScenarioState::ended(progress.done_ratio)),
        };
        (state, progress)
    }
}

/// The rate in straight lines at a time since the scenario's start.
fn rate_per_sec(scenario: &Scenario, elapsed: GoDuration) -> f64 {
    let Executor::RampingArrivalRate(executor) = &scenario.executor else { return 0.0 };
    let unit_secs = executor.time_unit().as_secs_f64().max(f64::MIN_POSITIVE);
    let (mut from, mut start) = (executor.start_rate() as f64, 0.0);
    let at = elapsed.as_secs_f64();
    for stage in executor.stages() {
        let length = stage.duration.map_or(0.0, GoDuration::as_secs_f64);
        let to = stage.target.unwrap_or(0) as f64;
        if at < start + length {
            return (from + (to - from) * (at - start) / length) / unit_secs;
        }
        (from, start) = (to, start + length);
    }
    from / unit_secs
}
