//! What a search is asked for, and what is wrong with that.

use serde::{Deserialize, Serialize};

/// What a search is asked for. Rates are per second, times ns, shares 0..=1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Lowest rate of interest: a service that fails here fails.
    pub rate_min_per_sec: f64,
    /// Highest rate of interest: a service that sustains this sustains at least this.
    pub rate_max_per_sec: f64,
    /// First rate to try; `None`: a trial with a closed load finds it.
    pub rate_start_per_sec: Option<f64>,
    /// Width of the answer's interval to its upper end, such as 0.02.
    pub precision_ratio: f64,
    /// Share of trials (and of seconds at one rate) that may go badly at a rate that still counts as sustained: 0.5 is the rate at which trials
    /// go well as often as not; 0 is strict.
    pub exceed_ratio: f64,
    /// Length of the closed trial.
    pub maximum_ns: u64,
    /// Length of short trials.
    pub short_ns: u64,
    /// Length of full trials.
    pub full_ns: u64,
    /// Rest between trials.
    pub settle_ns: u64,
    /// All that the search may take, the soak included.
    pub budget_ns: u64,
    /// Length of the soak; 0: none.
    pub confirm_ns: u64,
    /// Samples that a trial needs for its objectives to be told (p99 needs 1000): trials at low rates get longer.
    pub samples_min: u64,
    /// Whether to look, at the end, at what the service does straight after an overload.
    pub hysteresis: bool,
}

/// Least precision: below it, noise of any machine decides.
pub(crate) const PRECISION_MIN: f64 = 0.002;
/// Greatest precision: wider than a bracket's first step.
pub(crate) const PRECISION_MAX: f64 = 0.5;
/// What a trial costs beside its load: threads, connections, drain.
pub(crate) const OVERHEAD_NS: u64 = 100 * units::NS_PER_MS;
/// A twentieth of samples to spare, since random arrivals may be fewer.
const SAMPLES_SPARE: f64 = 1.05;
/// Short trials that a bracket usually takes.
const BRACKET_TRIALS: u64 = 3;
/// Width of a usual bracket, as a logarithm of the rate.
const BRACKET_WIDTH: f64 = 0.4;
/// Full trials beyond bisection that certainty takes where there is no noise (measured: `simulated.rs`).
const RETESTS: u64 = 4;

impl Default for Options {
    fn default() -> Self {
        let sec = units::NS_PER_SEC;
        Self {
            rate_min_per_sec: 1.0,
            rate_max_per_sec: 1e7,
            rate_start_per_sec: None,
            precision_ratio: 0.02,
            exceed_ratio: 0.5,
            maximum_ns: 3 * sec,
            short_ns: 2 * sec,
            full_ns: 5 * sec,
            settle_ns: sec / 2,
            budget_ns: 600 * sec,
            confirm_ns: 120 * sec,
            samples_min: 0,
            hysteresis: false,
        }
    }
}

/// Why a search can't be made as asked; each says how to mend it.
#[derive(Debug, Clone, PartialEq)]
pub enum OptionFault {
    /// The lowest rate is not below the highest, or one is not above 0.
    Bounds {
        /// As asked.
        rate_min_per_sec: f64,
        /// As asked.
        rate_max_per_sec: f64,
    },
    /// The first rate is not between them.
    Start(f64),
    /// The precision is out of range.
    Precision(f64),
    /// The share is not in 0..1.
    Exceed(f64),
    /// The budget does not reach the precision even without noise.
    Budget {
        /// As asked.
        budget_ns: u64,
        /// What would be enough.
        needed_ns: u64,
        /// What would be reached; `None`: not even a bracket.
        reached_ratio: Option<f64>,
        /// As asked.
        precision_ratio: f64,
    },
}

impl std::fmt::Display for OptionFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bounds { rate_min_per_sec, rate_max_per_sec } => write!(
                f,
                "the lowest rate, {}/s, is not below the highest, {}/s; give --min below --max, both above 0",
                units::per_sec(*rate_min_per_sec),
                units::per_sec(*rate_max_per_sec)
            ),
            Self::Start(rate) => write!(
                f,
                "the first rate, {}/s, is not between --min and --max; choose --start between them, or leave it out",
                units::per_sec(*rate)
            ),
            Self::Precision(ratio) => {
                write!(f, "a precision of {} is out of range; use 0.2% to 50%", units::ratio(*ratio))
            }
            Self::Exceed(ratio) => {
                write!(f, "an exceed ratio of {} is out of range; use 0% to 90%", units::ratio(*ratio))
            }
            Self::Budget { budget_ns, needed_ns, reached_ratio, precision_ratio } => {
                write!(
                    f,
                    "a budget of {} is too small for a precision of {}",
                    units::duration(*budget_ns),
                    units::ratio(*precision_ratio)
                )?;
                match reached_ratio {
                    Some(ratio) => write!(f, ": it would reach about {}", units::ratio(*ratio))?,
                    None => f.write_str(": it would not even bracket the answer")?,
                }
                write!(f, "; give at least --budget {}", units::two_units(rounded_up(*needed_ns)))?;
                if let Some(ratio) = reached_ratio.filter(|ratio| *ratio <= PRECISION_MAX) {
                    write!(f, ", or --precision {:.0}%", (ratio * 100.0).ceil())?;
                }
                f.write_str(", or shorter trials (--trial)")
            }
        }
    }
}

impl std::error::Error for OptionFault {}

/// To whole seconds, so that what is printed is enough.
fn rounded_up(ns: u64) -> u64 {
    ns.div_ceil(units::NS_PER_SEC) * units::NS_PER_SEC
}

impl Options {
    /// What is wrong with the bounds.
    pub fn range_fault(&self) -> Option<OptionFault> {
        let (low, high) = (self.rate_min_per_sec, self.rate_max_per_sec);
        let is_right = low > 0.0 && low < high && high.is_finite();
        (!is_right).then_some(OptionFault::Bounds { rate_min_per_sec: low, rate_max_per_sec: high })
    }

    /// All that is wrong.
    pub fn faults(&self) -> Vec<OptionFault> {
        let mut faults: Vec<OptionFault> = self.range_fault().into_iter().collect();
        let (low, high) = (self.rate_min_per_sec, self.rate_max_per_sec);
        if faults.is_empty()
            && let Some(start) = self.rate_start_per_sec
            && !(low..=high).contains(&start)
        {
            faults.push(OptionFault::Start(start));
        }
        if !(PRECISION_MIN..=PRECISION_MAX).contains(&self.precision_ratio) {
            faults.push(OptionFault::Precision(self.precision_ratio));
        }
        if !(0.0..=0.9).contains(&self.exceed_ratio) {
            faults.push(OptionFault::Exceed(self.exceed_ratio));
        }
        if faults.is_empty() {
            faults.extend(self.budget_fault());
        }
        faults
    }

    /// What the budget reaches where there is no noise: each full trial halves what the bracket left.
    fn budget_fault(&self) -> Option<OptionFault> {
        // Trials are as long as their samples need; at which rate is known where the first one is, and else they are no shorter than this.
        let rate = self.rate_start_per_sec.unwrap_or(self.rate_max_per_sec);
        let cost_ns = |least_ns: u64| self.cost_ns(self.duration_ns(least_ns, rate));
        let maximum_ns = if self.rate_start_per_sec.is_some() { 0 } else { self.cost_ns(self.maximum_ns) };
        let confirm_ns = if self.confirm_ns > 0 { cost_ns(self.confirm_ns) } else { 0 };
        let fixed_ns = maximum_ns
            .saturating_add(BRACKET_TRIALS.saturating_mul(cost_ns(self.short_ns)))
            .saturating_add(confirm_ns);
        let full_ns = cost_ns(self.full_ns);
        let halvings = (BRACKET_WIDTH / self.precision_ratio).log2().ceil().max(0.0) as u64;
        let needed_ns = fixed_ns.saturating_add((halvings + RETESTS).saturating_mul(full_ns));
        if self.budget_ns >= needed_ns {
            return None;
        }
        let trials = self.budget_ns.saturating_sub(fixed_ns) / full_ns;
        let reached = trials.checked_sub(RETESTS).map(|halvings| BRACKET_WIDTH / 2f64.powi(halvings as i32));
        Some(OptionFault::Budget {
            budget_ns: self.budget_ns,
            needed_ns,
            reached_ratio: reached.filter(|_| self.budget_ns > fixed_ns),
            precision_ratio: self.precision_ratio,
        })
    }

    /// What a trial of this length costs.
    pub(crate) fn cost_ns(&self, duration_ns: u64) -> u64 {
        duration_ns.saturating_add(self.settle_ns).saturating_add(OVERHEAD_NS)
    }

    /// The rate at which a trial of this length has the samples that the objectives need; 0 where they need none.
    pub(crate) fn rate_of_length(&self, duration_ns: u64) -> f64 {
        self.samples_min as f64 * SAMPLES_SPARE / (duration_ns.max(1) as f64 / 1e9)
    }

    /// The length of a trial at this rate: longer where its samples would not carry the objectives.
    pub(crate) fn duration_ns(&self, at_least_ns: u64, rate_per_sec: f64) -> u64 {
        let samples_ns = self.samples_min as f64 * SAMPLES_SPARE / rate_per_sec.max(1e-6) * 1e9;
        at_least_ns.max(samples_ns as u64)
    }
}
