//! How a comparison is to be judged.

use crate::Metric;
use serde::{Deserialize, Serialize};

/// What a difference must be to count, and how often a statement may be wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// A difference within this share of the baseline does not matter. It is a factor both ways: 0.02 is from ÷1.02 to ×1.02.
    pub margin_ratio: f64,
    /// For errors, whose baseline is often 0: a difference of this many errors per action does not matter.
    pub error_margin_ratio: f64,
    /// Share of statements that may be wrong, for all rows together.
    pub alpha: f64,
    /// What is compared.
    pub metrics: Vec<Metric>,
    /// Standard deviation between runs, relative, where it is known from elsewhere (an A/A check, many earlier runs): with it single runs can be judged.
    pub run_noise_ratio: Option<f64>,
    /// Judge also what should not be judged: invalid runs, different plans.
    pub force: bool,
    /// Governs resampling.
    pub seed: u64,
}

impl Settings {
    /// Differences below 2 % are rarely worth an argument, and beyond what most machines repeat.
    pub const MARGIN_RATIO: f64 = 0.02;
    /// One error in a thousand actions.
    pub const ERROR_MARGIN_RATIO: f64 = 0.001;
    /// One statement in twenty.
    pub const ALPHA: f64 = 0.05;

    /// For runs.
    pub fn of_runs() -> Self {
        Self::with(Metric::usual_of_runs())
    }

    /// For interleaved slices.
    pub fn of_pairs() -> Self {
        Self::with(Metric::usual_of_pairs())
    }

    fn with(metrics: Vec<Metric>) -> Self {
        Self {
            margin_ratio: Self::MARGIN_RATIO,
            error_margin_ratio: Self::ERROR_MARGIN_RATIO,
            alpha: Self::ALPHA,
            metrics,
            run_noise_ratio: None,
            force: false,
            seed: 1,
        }
    }

    /// The margin on the scale on which a metric is judged: logarithms, or errors per action.
    pub(crate) fn margin(&self, metric: Metric) -> f64 {
        if metric.is_relative() { self.margin_ratio.ln_1p() } else { self.error_margin_ratio }
    }
}
