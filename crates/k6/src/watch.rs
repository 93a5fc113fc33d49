//! What the control plane does for a test while it runs: counts what no user sees, holds thresholds against what was measured.

use crate::test::{Loudness, Test};
use k6_metrics::output::SampleFeed;
use k6_metrics::{EVALUATION_PERIOD_NS, MetricId, Moment, TagSetId};
use record::{PhaseRecord, Progress, RunObserver};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Watches a run.
pub struct Watch {
    test: Arc<Test>,
    /// Ends the run.
    stop: Box<dyn Fn()>,
    evaluated_ns: u64,
    has_stopped: bool,
    /// Scenarios whose users were not enough.
    insufficient: Vec<String>,
    /// To the files of samples, where there are any.
    feed: Option<SampleFeed>,
    /// How much of the run is over, ns.
    pub elapsed_ns: u64,
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("elapsed_ns", &self.elapsed_ns).finish_non_exhaustive()
    }
}

impl Watch {
    /// For a run that `stop` ends.
    pub fn new(test: &Arc<Test>, stop: impl Fn() + 'static) -> Self {
        Self {
            test: Arc::clone(test),
            stop: Box::new(stop),
            evaluated_ns: 0,
            has_stopped: false,
            insufficient: Vec::new(),
            feed: test.feed(),
            elapsed_ns: 0,
        }
    }

    /// Whether a threshold ended the run.
    pub fn has_stopped(&self) -> bool {
        self.has_stopped
    }

    /// Once for each scenario: arrivals are dropped when all users that there may be are at work.
    fn say_insufficient(&mut self, phase: &str) {
        if self.insufficient.iter().any(|name| name == phase) {
            return;
        }
        self.insufficient.push(phase.to_owned());
        let scenarios = self.test.state.scenarios.get().map(Vec::as_slice).unwrap_or_default();
        if let Some(facts) = scenarios.iter().find(|facts| facts.name == phase) {
            let made = facts.made.load(Ordering::Relaxed);
            let said = format!("Insufficient VUs, reached {made} active VUs and cannot initialize more");
            self.test.say_of(facts, Loudness::Warning, said, None);
        }
    }

    /// The run is over: iterations that had a number and never began are dropped, in one sample of each scenario.
    pub fn close(&mut self) {
        let scenarios = self.test.state.scenarios.get().cloned().unwrap_or_default();
        for facts in scenarios {
            // Users with a number of their own say so themselves; a test that is ended before its time drops nothing.
            let shared =
                facts.iterations_total.filter(|_| facts.iterations_each.is_none()).unwrap_or_default();
            let left = shared.saturating_sub(facts.iterations.load(Ordering::Relaxed));
            let tags = self.test.dropped_tags(&facts.name);
            if left > 0 && facts.is_time_over(&self.test) {
                let at_ns = self.elapsed_ns;
                self.add(&[(MetricId::DROPPED_ITERATIONS, tags, left as f64)], at_ns);
            }
        }
        if self.test.iteration_counts().0 == 0 && !self.has_stopped && self.test.aborted().is_none() {
            self.test.warn("No script iterations fully finished, consider making the test duration longer");
        }
    }

    /// Adds samples to the test's books and files.
    fn add(&mut self, samples: &[(MetricId, TagSetId, f64)], at_ns: u64) {
        let elapsed_ns = self.test.elapsed_ns();
        for (metric, tags, value) in samples.iter().copied() {
            self.test.with_books(|books| books.add(metric, tags, value, at_ns));
            if let Some(feed) = &mut self.feed {
                feed.add(crate::outputs::sample(metric, tags, value, elapsed_ns));
            }
        }
    }
}

impl Test {
    /// Tags of iterations that a scenario dropped: they belong to no user.
    pub(crate) fn dropped_tags(&self, scenario: &str) -> TagSetId {
        let run = self.registry.tag_set(self.run_tags);
        let pairs: Vec<(&str, &str)> = run.iter().chain([("scenario", scenario)]).collect();
        self.registry.tags(&pairs)
    }
}

impl RunObserver for Watch {
    fn phase_started(&mut self, phase: &str, _repeat: (u32, u32)) {
        let scenarios = self.test.state.scenarios.get().map(Vec::as_slice).unwrap_or_default();
        if let Some(facts) = scenarios.iter().find(|facts| facts.name == phase) {
            self.test.scenario_started(facts.start_ns);
        }
    }

    fn phase_ended(&mut self, phase: &PhaseRecord) {
        let scenarios = self.test.state.scenarios.get().map(Vec::as_slice).unwrap_or_default();
        if let Some(facts) = scenarios.iter().find(|facts| facts.name == phase.name) {
            facts.ended_ns.store(self.test.scenarios_elapsed_ns().max(1), Ordering::Relaxed);
        }
    }

    fn interval_ended(&mut self, progress: &Progress<'_>) {
        let interval = progress.interval;
        let end_ns = interval.start_ns.saturating_add(interval.duration_ns);
        self.elapsed_ns = self.elapsed_ns.max(end_ns);
        let dropped = interval.counts.dropped;
        if dropped > 0 {
            self.say_insufficient(progress.phase);
        }
        self.test.say_failed_outputs();
        let tags = self.test.dropped_tags(progress.phase);
        let (active, made) = self.test.vu_counts();
        if dropped > 0 {
            self.add(&[(MetricId::DROPPED_ITERATIONS, tags, dropped as f64)], end_ns);
        }
        // Once in each whole second: what is left of one at the end has none.
        if interval.duration_ns >= plan::Plan::INTERVAL_NS {
            let run_tags = self.test.run_tags;
            self.add(
                &[(MetricId::VUS, run_tags, active as f64), (MetricId::VUS_MAX, run_tags, made as f64)],
                end_ns,
            );
        }
        if self.has_stopped || end_ns.saturating_sub(self.evaluated_ns) < EVALUATION_PERIOD_NS {
            return;
        }
        self.evaluated_ns = end_ns;
        let Ok(mut thresholds) = self.test.state.thresholds.lock() else { return };
        let evaluation = self.test.with_books(|books| thresholds.evaluate(books, end_ns, Moment::Periodic));
        drop(thresholds);
        if let Some(said) = evaluation.abort_text() {
            self.has_stopped = true;
            self.test.say(Loudness::Error, said, None, None);
            (self.stop)();
        }
    }
}
