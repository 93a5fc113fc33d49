//! Which rates a curve has: evenly up to beyond what a closed load reached, and on while nothing gave way.

use crate::find::{Options, Outcome, Trial, TrialKind, TrialResult};

/// Beyond the closed maximum, so that the knee is in the picture.
const BEYOND: f64 = 1.2;
/// Further rates while even the last one is sustained, each so much higher.
const FURTHER_MAX: u32 = 4;
const FURTHER_FACTOR: f64 = 1.3;
/// Fewest rates that make a curve.
const RATES_MIN: u32 = 3;

/// What to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum SweepStep {
    /// Make this trial and tell.
    Try(Trial),
    /// All rates were tried.
    Done,
}

/// The rates of a curve, one after another.
#[derive(Debug, Clone)]
pub struct Sweep {
    rate_count: u32,
    rate_max: Option<f64>,
    options: Options,
    /// Known once the closed trial is over, or from the start where `--max` says it.
    top: Option<f64>,
    done_count: u32,
    further_count: u32,
    is_over: bool,
}

impl Sweep {
    /// `rate_count` rates (at least 3) from `options.rate_min_per_sec` (where it is a sixth of the highest or more, else from the first step) to
    /// `rate_max`, or where there is none to beyond the closed maximum.
    pub fn new(rate_count: u32, rate_max: Option<f64>, options: &Options) -> Self {
        Self {
            rate_count: rate_count.max(RATES_MIN),
            rate_max,
            options: *options,
            top: rate_max,
            done_count: 0,
            further_count: 0,
            is_over: false,
        }
    }

    /// What to do next; the same until [`Sweep::on_trial`].
    pub fn next(&self) -> SweepStep {
        let Some(top) = self.top else {
            return SweepStep::Try(Trial {
                kind: TrialKind::Maximum,
                rate_per_sec: 0.0,
                duration_ns: self.options.maximum_ns,
                settle_ns: 0,
            });
        };
        if self.is_over {
            return SweepStep::Done;
        }
        let rate_per_sec = if self.done_count < self.rate_count {
            let first = (top / f64::from(self.rate_count)).max(self.options.rate_min_per_sec.min(top));
            let share = f64::from(self.done_count) / f64::from(self.rate_count - 1);
            first + (top - first) * share
        } else {
            top * FURTHER_FACTOR.powi(self.further_count as i32 + 1)
        };
        let full_ns = self.options.full_ns;
        // Low rates need long trials for high percentiles; no rate gets more than its share of the budget.
        let share_ns = self.options.budget_ns / u64::from(self.rate_count);
        SweepStep::Try(Trial {
            kind: TrialKind::Curve,
            rate_per_sec,
            duration_ns: self.options.duration_ns(full_ns, rate_per_sec).min(share_ns.max(full_ns)),
            settle_ns: self.options.settle_ns,
        })
    }

    /// What came of it.
    pub fn on_trial(&mut self, result: &TrialResult) {
        if self.top.is_none() {
            self.top = Some((result.achieved_per_sec * BEYOND).max(1.0));
            return;
        }
        if self.done_count < self.rate_count {
            self.done_count += 1;
        } else {
            self.further_count += 1;
        }
        let goes_on = result.outcome == Outcome::Sustained
            && self.rate_max.is_none()
            && self.further_count < FURTHER_MAX;
        self.is_over = self.done_count == self.rate_count && !goes_on;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(rate_max: Option<f64>, closed: f64, capacity: f64) -> Vec<f64> {
        let mut sweep = Sweep::new(5, rate_max, &Options::default());
        let mut tried = Vec::new();
        while let SweepStep::Try(trial) = sweep.next() {
            let outcome =
                if trial.rate_per_sec <= capacity { Outcome::Sustained } else { Outcome::NotSustained };
            if trial.rate_per_sec > 0.0 {
                tried.push(trial.rate_per_sec.round());
            }
            sweep.on_trial(&TrialResult { outcome, achieved_per_sec: closed, took_ns: 0 });
            assert!(tried.len() < 20, "the sweep does not end");
        }
        tried
    }

    #[test]
    fn rates_go_beyond_the_knee() {
        assert_eq!(rates(None, 1000.0, 1000.0), [240.0, 480.0, 720.0, 960.0, 1200.0]);
        assert_eq!(rates(Some(100.0), 1000.0, 1000.0), [20.0, 40.0, 60.0, 80.0, 100.0]);
        // A closed load that found too little: on until something gives way.
        assert_eq!(rates(None, 1000.0, 1700.0), [240.0, 480.0, 720.0, 960.0, 1200.0, 1560.0, 2028.0]);
    }
}
