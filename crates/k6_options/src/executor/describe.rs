//! What a scenario will do, in one line: the words that the start-up text shows.

use super::read::{Executor, Scenario};
use crate::segment::Share;
use k6_metrics::GoDuration;

impl Scenario {
    /// The scenario's line without its name, for one instance: `10 looping VUs for 30s (gracefulStop: 30s)`.
    pub fn description(&self, share: &Share) -> String {
        let scale = |vus: i64| share.scale(u64::try_from(vus).unwrap_or(0));
        let end = self.regular_end();
        let (text, own) = match &self.executor {
            Executor::SharedIterations(executor) => {
                let iterations = executor.iterations_of(share);
                let text = format!("{iterations} iterations shared among {} VUs", scale(executor.vus()));
                (text, Some(format!("maxDuration: {end}")))
            }
            Executor::PerVuIterations(executor) => {
                let text =
                    format!("{} iterations for each of {} VUs", executor.iterations(), scale(executor.vus()));
                (text, Some(format!("maxDuration: {end}")))
            }
            Executor::ConstantVus(executor) => {
                (format!("{} looping VUs for {end}", scale(executor.vus())), None)
            }
            Executor::RampingVus(executor) => {
                let (vus, stages) = (scale(executor.vus_max()), executor.stages().len());
                let text = format!("Up to {vus} looping VUs for {end} over {stages} stages");
                (text, Some(format!("gracefulRampDown: {}", executor.graceful_ramp_down())))
            }
            Executor::ConstantArrivalRate(executor) => {
                let per_sec = executor.rate_per_sec_of(share);
                let pool = pool(scale(executor.pre_allocated_vus()), scale(executor.max_vus()));
                (format!("{per_sec:.2} iterations/s for {end}"), Some(pool))
            }
            Executor::RampingArrivalRate(executor) => {
                let per_sec = executor.rate_max_per_sec_of(share);
                let pool = pool(scale(executor.pre_allocated_vus()), scale(executor.max_vus()));
                let stages = executor.stages().len();
                (format!("Up to {per_sec:.2} iterations/s for {end} over {stages} stages"), Some(pool))
            }
            Executor::ExternallyControlled(executor) => {
                let (vus, vus_max) = (scale(executor.vus()), scale(executor.max_vus()));
                let duration = if end == GoDuration::ZERO { "infinite".to_owned() } else { end.to_string() };
                let text = format!(
                    "Externally controlled execution with {vus} VUs, {vus_max} max VUs, {duration} duration"
                );
                (text, None)
            }
        };
        let positive = |name: &str, duration: GoDuration| {
            (duration > GoDuration::ZERO).then(|| format!("{name}: {duration}"))
        };
        let facts = [
            own,
            self.exec.as_ref().map(|exec| format!("exec: {exec}")),
            positive("startTime", self.start_time()),
            positive("gracefulStop", self.graceful_stop()),
        ];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        if facts.is_empty() { text } else { format!("{text} ({})", facts.join(", ")) }
    }
}

fn pool(pre_allocated_vus: u64, vus_max: u64) -> String {
    match vus_max > pre_allocated_vus {
        true => format!("maxVUs: {pre_allocated_vus}-{vus_max}"),
        false => format!("maxVUs: {pre_allocated_vus}"),
    }
}

impl super::SharedIterations {
    /// Iterations of one instance: in proportion to its VUs.
    pub fn iterations_of(&self, share: &Share) -> u64 {
        let weighted = u64::try_from(self.vus()).ok().and_then(|vus| share.by_weight_of(vus));
        weighted.map_or(0, |share| share.scale(u64::try_from(self.iterations()).unwrap_or(0)))
    }
}

impl super::ConstantArrivalRate {
    /// Iterations per second of one instance: in proportion to its VUs.
    pub fn rate_per_sec_of(&self, share: &Share) -> f64 {
        let whole = u64::try_from(self.max_vus()).unwrap_or(0);
        if whole == 0 {
            return 0.0;
        }
        per_sec(self.rate(), self.time_unit()) * (share.scale(whole) as f64 / whole as f64)
    }
}

impl super::RampingArrivalRate {
    /// The highest rate of one instance, iterations per second, as it is shown: the segment's part of the whole, which may differ a little
    /// from that of its VUs.
    pub fn rate_max_per_sec_of(&self, share: &Share) -> f64 {
        per_sec(self.rate_max(), self.time_unit()) * share.ratio()
    }
}

fn per_sec(rate: i64, time_unit: GoDuration) -> f64 {
    if time_unit <= GoDuration::ZERO { 0.0 } else { rate as f64 / time_unit.as_secs_f64() }
}
