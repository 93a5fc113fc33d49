//! How far a scenario is: the share that is done, and the columns beside its bar.

use super::width::fixed_width;
use crate::executor::{Executor, Scenario};
use crate::segment::Share;
use k6_metrics::GoDuration;

/// Where a scenario stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScenarioState {
    /// It begins so much later.
    Waiting(GoDuration),
    /// New iterations begin.
    Running,
    /// Past the regular end; iterations under way may finish.
    Stopping,
    /// All done.
    Done,
    /// Over before its time.
    Interrupted,
}

impl ScenarioState {
    /// What a scenario that is over came to: done only if its share is the whole.
    pub fn ended(done_ratio: f64) -> Self {
        if done_ratio >= 1.0 { Self::Done } else { Self::Interrupted }
    }
}

/// Numbers of one instance at a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScenarioNow {
    /// Where it stands.
    pub state: ScenarioState,
    /// Since the scenario's start; stands still once it is over.
    pub elapsed: GoDuration,
    /// VUs that are there for it.
    pub active_vus: u64,
    /// Those of them inside an iteration.
    pub busy_vus: u64,
    /// Iterations completed and interrupted.
    pub iterations: u64,
    /// Iterations per second that are asked for at the moment, of a ramping rate.
    pub rate_per_sec: f64,
}

/// What is shown of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ScenarioProgress {
    /// In 0..=1.
    pub done_ratio: f64,
    /// One to three texts.
    pub columns: Vec<String>,
}

impl Scenario {
    /// How far one instance is.
    pub fn progress(&self, share: &Share, now: &ScenarioNow) -> ScenarioProgress {
        if let ScenarioState::Waiting(left) = now.state {
            let columns = vec!["waiting".to_owned(), fixed_width(left, self.start_time())];
            return ScenarioProgress { done_ratio: 0.0, columns };
        }
        let scale = |vus: i64| share.scale(u64::try_from(vus).unwrap_or(0));
        let end = self.regular_end();
        let is_past = now.elapsed >= end && end > GoDuration::ZERO;
        let by_time = if is_past || end <= GoDuration::ZERO {
            f64::from(u8::from(is_past))
        } else {
            now.elapsed.as_secs_f64() / end.as_secs_f64()
        };
        // Past the end only the length is shown, since it says all.
        let spent =
            if is_past { end.to_string() } else { format!("{}/{end}", fixed_width(now.elapsed, end)) };
        let (done_ratio, columns) = match &self.executor {
            Executor::SharedIterations(executor) => {
                let total = executor.iterations_of(share);
                let text = format!("{} shared iters", counted(now.iterations, total));
                let spent = format!("{}/{end}", fixed_width(now.elapsed.min(end), end));
                (by_count(now.iterations, total), vec![vus(scale(executor.vus())), spent, text])
            }
            Executor::PerVuIterations(executor) => {
                let (vu_count, each) = (scale(executor.vus()), executor.iterations());
                let total = vu_count.saturating_mul(u64::try_from(each).unwrap_or(0));
                let text = format!("{} iters, {each} per VU", counted(now.iterations, total));
                let ratio = if is_past { 1.0 } else { by_count(now.iterations, total) };
                (ratio, vec![vus(vu_count), spent, text])
            }
            Executor::ConstantVus(executor) => (by_time, vec![vus(scale(executor.vus())), spent]),
            Executor::RampingVus(executor) => {
                let now_of = format!("{} VUs", counted(now.active_vus, scale(executor.vus_max())));
                let spent = if is_past {
                    end.to_string()
                } else {
                    format!("{}/{}", fixed_width(now.elapsed, end), fixed_width(end, end))
                };
                (by_time, vec![now_of, spent])
            }
            Executor::ConstantArrivalRate(executor) => {
                let per_sec = executor.rate_per_sec_of(share);
                let vus = pool(now, scale(executor.max_vus()));
                (by_time, vec![vus, spent, rate(per_sec, per_sec)])
            }
            Executor::RampingArrivalRate(executor) => {
                let vus = pool(now, scale(executor.max_vus()));
                (by_time, vec![vus, spent, rate(now.rate_per_sec, executor.rate_max_per_sec_of(share))])
            }
            Executor::ExternallyControlled(executor) => {
                let now_of = format!("{} VUs", counted(now.active_vus, scale(executor.max_vus())));
                // Without an end there is nothing to be a part of.
                let spent = if end == GoDuration::ZERO { fixed_width(now.elapsed, end) } else { spent };
                (by_time, vec![now_of, spent])
            }
        };
        ScenarioProgress { done_ratio: done_ratio.clamp(0.0, 1.0), columns }
    }
}

fn vus(count: u64) -> String {
    format!("{count} VUs")
}

fn pool(now: &ScenarioNow, vus_max: u64) -> String {
    let places = vus_max.to_string().len();
    format!("{:0places$}/{:0places$} VUs", now.busy_vus, now.active_vus)
}

/// `007/100`: as many places as the total has.
pub(super) fn counted(count: u64, total: u64) -> String {
    let places = total.to_string().len();
    format!("{count:0places$}/{total}")
}

fn by_count(count: u64, total: u64) -> f64 {
    if total == 0 { 1.0 } else { count as f64 / total as f64 }
}

/// With as many places before the point as the highest rate has.
fn rate(per_sec: f64, per_sec_max: f64) -> String {
    let places = format!("{per_sec_max:.2}").len();
    format!("{per_sec:0places$.2} iters/s")
}
