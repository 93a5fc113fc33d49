//! Where the bound lies and how certain that is, from all full trials together.
//!
//! The probability that a trial at rate r is sustained is a logistic curve in ln r that falls from one to zero: its middle θ is where trials go
//! well as often as not, its scale s how noisy they are. With a small probability either way a trial's outcome says nothing (a hiccup),
//! so that no single trial decides. Both θ and s are unknown; their joint posterior is kept on a grid, multiplied by each trial's
//! likelihood (L. L. Kontsevich and C. W. Tyler, Bayesian adaptive estimation of psychometric slope and threshold, Vision Research 39, 1999).
//! Trials are placed where they tell most: at the middle while that is unknown, then one scale to either side.

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Scales of the logistic curve that are thought possible, alike likely: noise with a standard deviation (1.81 s) of 0.2 % to 15 % per trial.
const SCALES: [f64; 7] = [0.001, 0.0023, 0.005, 0.011, 0.023, 0.046, 0.085];
/// Points of the grid over ln r.
const POINTS: usize = 160;
/// Probability that a trial's outcome is a hiccup.
const LAPSE: f64 = 0.01;
/// What lies outside of the interval, both sides together: the answer is a rate that is sustained with a probability of 97.5 %.
const OUTSIDE: f64 = 0.05;
/// The outer part of the grid on either side; where most of the mass is there, the bracket was wrong and the grid is widened. (Little mass at an end
/// says nothing: what hiccups could hide is spread evenly, however wide the grid.)
const EDGE_SHARE: f64 = 0.12;
/// Exponents beyond this are as good as infinite.
const EXPONENT_MAX: f64 = 40.0;
/// Share of the grid within which nearly all mass lies, below which the grid is too wide to tell it.
const ZOOM_SHARE: f64 = 0.12;
/// Widest scale kept when a grid is made anew: what lies further out has no mass.
const ZOOM_MARGIN: f64 = 3.0;

/// The bound as far as it is known. Rates per second.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The bound is above this with a probability of 97.5 %.
    pub low_per_sec: f64,
    /// The mean of the posterior.
    pub middle_per_sec: f64,
    /// The bound is below this with a probability of 97.5 %.
    pub high_per_sec: f64,
    /// Standard deviation of a trial's own bound around it, as a share: the noise.
    pub noise_ratio: f64,
    /// Trials that it rests on.
    pub trial_count: u32,
}

impl Estimate {
    /// The interval's width to its upper end.
    pub fn width_ratio(&self) -> f64 {
        1.0 - self.low_per_sec / self.high_per_sec
    }
}

/// The posterior and the trials that made it.
#[derive(Debug, Clone)]
pub(crate) struct Threshold {
    /// (ln r, sustained) in the order of the trials.
    trials: Vec<(f64, bool)>,
    /// ln of the lowest and highest θ of the grid.
    range: (f64, f64),
    /// By scale, then by point; they sum to 1.
    weights: Vec<f64>,
    /// ln(x / (1 − x)) of the wanted share of bad trials.
    logit: f64,
}

impl Threshold {
    /// Nothing known but that the bound is somewhere near `low_per_sec..high_per_sec`, which may be wrong.
    pub(crate) fn new(low_per_sec: f64, high_per_sec: f64, exceed_ratio: f64) -> Self {
        // A strict search wants nearly all trials to go well; all is more than trials can show.
        let x = exceed_ratio.clamp(0.05, 0.95);
        let margin = 0.05 + 0.5 * (high_per_sec / low_per_sec).ln();
        let range = (low_per_sec.ln() - margin, high_per_sec.ln() + margin);
        let mut new = Self { trials: Vec::new(), range, weights: Vec::new(), logit: (x / (1.0 - x)).ln() };
        new.rebuild(range);
        new
    }

    fn step(&self) -> f64 {
        (self.range.1 - self.range.0) / (POINTS - 1) as f64
    }

    fn rebuild(&mut self, range: (f64, f64)) {
        self.range = range;
        self.weights = vec![1.0 / (POINTS * SCALES.len()) as f64; POINTS * SCALES.len()];
        for (ln_rate, is_sustained) in std::mem::take(&mut self.trials) {
            self.multiply(ln_rate, is_sustained);
            self.trials.push((ln_rate, is_sustained));
        }
    }

    fn multiply(&mut self, ln_rate: f64, is_sustained: bool) {
        let (low, step) = (self.range.0, self.step());
        let mut sum = 0.0;
        for (scale, weights) in SCALES.iter().zip(self.weights.chunks_exact_mut(POINTS)) {
            // exp((ln r − θ) / s) over the points is a geometric sequence: one exponential per scale in place of one per point.
            let (slope, ratio) = (step / scale, (-step / scale).exp());
            let mut exponent = (ln_rate - low) / scale;
            let mut power = f64::INFINITY;
            for weight in weights {
                if exponent <= EXPONENT_MAX {
                    power = if power.is_finite() { power * ratio } else { exponent.exp() };
                }
                exponent -= slope;
                let sustained = LAPSE + (1.0 - 2.0 * LAPSE) / (1.0 + power);
                *weight *= if is_sustained { sustained } else { 1.0 - sustained };
                sum += *weight;
            }
        }
        self.weights.iter_mut().for_each(|weight| *weight /= sum);
    }

    /// Takes a trial.
    pub(crate) fn add(&mut self, rate_per_sec: f64, is_sustained: bool) {
        let ln_rate = rate_per_sec.ln();
        self.multiply(ln_rate, is_sustained);
        self.trials.push((ln_rate, is_sustained));
        self.fit_grid();
    }

    /// Moves the grid to where the mass is.
    fn fit_grid(&mut self) {
        // Each pass widens or narrows by half at least; four reach any bound from any bracket that trials could have made.
        for _ in 0..4 {
            let marginal = self.marginal(0.0);
            let (low, high) = (self.quantile(&marginal, 1e-4), self.quantile(&marginal, 1.0 - 1e-4));
            let (first, last) = self.range;
            let width = last - first;
            let outer = (POINTS as f64 * EDGE_SHARE) as usize;
            let is_low = marginal.iter().take(outer).sum::<f64>() > 0.5;
            let is_high = marginal.iter().rev().take(outer).sum::<f64>() > 0.5;
            let range = match (is_low, is_high) {
                (false, false) if high - low < ZOOM_SHARE * width => {
                    let margin = ZOOM_MARGIN * (high - low).max(0.004) / 2.0;
                    ((low - margin).max(first), (high + margin).min(last))
                }
                (false, false) => return,
                (is_low, is_high) => (
                    first - if is_low { width / 2.0 } else { 0.0 },
                    last + if is_high { width / 2.0 } else { 0.0 },
                ),
            };
            if range == self.range || range.1 - range.0 > 60.0 {
                return;
            }
            self.rebuild(range);
        }
    }

    /// The distribution over the points of θ + `logit` × s.
    fn marginal(&self, logit: f64) -> Vec<f64> {
        let mut sum = vec![0.0; POINTS];
        for (scale, weights) in SCALES.iter().zip(self.weights.chunks_exact(POINTS)) {
            let shift = (scale * logit / self.step()).round() as i64;
            if shift == 0 {
                sum.iter_mut().zip(weights).for_each(|(place, weight)| *place += weight);
                continue;
            }
            for (point, weight) in weights.iter().enumerate() {
                let to = (point as i64 + shift).clamp(0, POINTS as i64 - 1) as usize;
                if let Some(place) = sum.get_mut(to) {
                    *place += weight;
                }
            }
        }
        sum
    }

    /// ln of the rate below which lies `share` of the mass, in a straight line between points.
    fn quantile(&self, marginal: &[f64], share: f64) -> f64 {
        let mut below = 0.0;
        for (point, weight) in marginal.iter().enumerate() {
            if below + weight >= share && *weight > 0.0 {
                // A point stands for the stretch of a step around it.
                let within = (share - below) / weight - 0.5;
                return self.range.0 + (point as f64 + within) * self.step();
            }
            below += weight;
        }
        self.range.1
    }

    /// Mean and standard deviation of ln of the bound.
    fn moments(&self, marginal: &[f64]) -> (f64, f64) {
        let at = |point: usize| self.range.0 + point as f64 * self.step();
        let mean: f64 = marginal.iter().enumerate().map(|(point, weight)| weight * at(point)).sum();
        let variance: f64 =
            marginal.iter().enumerate().map(|(point, weight)| weight * (at(point) - mean).powi(2)).sum();
        (mean, variance.sqrt())
    }

    fn scale_mean(&self) -> f64 {
        let masses = self.weights.chunks_exact(POINTS).map(|weights| weights.iter().sum::<f64>());
        SCALES.iter().zip(masses).map(|(scale, mass)| scale * mass).sum()
    }

    /// What is known.
    pub(crate) fn estimate(&self) -> Estimate {
        let marginal = self.marginal(self.logit);
        let (mean, _) = self.moments(&marginal);
        Estimate {
            low_per_sec: self.quantile(&marginal, OUTSIDE / 2.0).exp(),
            middle_per_sec: mean.exp(),
            high_per_sec: self.quantile(&marginal, 1.0 - OUTSIDE / 2.0).exp(),
            // The standard deviation of a logistic distribution is π/√3 of its scale.
            noise_ratio: self.scale_mean() * std::f64::consts::PI / 3f64.sqrt(),
            trial_count: self.trials.len() as u32,
        }
    }

    /// The rate at which the next trial tells most.
    pub(crate) fn next_per_sec(&self) -> f64 {
        let marginal = self.marginal(self.logit);
        let (_, deviation) = self.moments(&marginal);
        let scale = self.scale_mean();
        let middle = self.quantile(&marginal, 0.5);
        if deviation > 2.5 * scale {
            return middle.exp();
        }
        let side = if self.trials.len().is_multiple_of(2) { 1.0 } else { -1.0 };
        (middle + side * scale).exp()
    }

    /// How many trials it rests on.
    pub(crate) fn trial_count(&self) -> usize {
        self.trials.len()
    }

    /// Whether the first third of the trials speaks of another service than the rest, as where it was still warming up or became slower: then
    /// they are forgotten. How the bound is now to what it was then, where that was so.
    pub(crate) fn forget_another_beginning(&mut self) -> Option<Ordering> {
        let third = self.trials.len() / 3;
        if third < 3 {
            return None;
        }
        let part = |trials: &[(f64, bool)]| {
            let mut part = Self { trials: trials.to_vec(), ..self.clone() };
            part.rebuild(self.range);
            part.fit_grid();
            let marginal = part.marginal(part.logit);
            let moments = part.moments(&marginal);
            (part, moments)
        };
        let (early, late) = self.trials.split_at(third);
        let ((_, (early_mean, early_sd)), (late, (late_mean, late_sd))) = (part(early), part(late));
        let is_other = (early_mean - late_mean).abs() > 3.0 * early_sd.hypot(late_sd);
        if !is_other {
            return None;
        }
        *self = late;
        Some(late_mean.total_cmp(&early_mean))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sustained_below(bound: f64, rates: &[f64]) -> Threshold {
        let mut threshold = Threshold::new(900.0, 1300.0, 0.5);
        rates.iter().for_each(|rate| threshold.add(*rate, *rate < bound));
        threshold
    }

    #[test]
    fn bisection_narrows_the_interval() {
        let mut threshold = Threshold::new(900.0, 1300.0, 0.5);
        let mut widths = vec![threshold.estimate().width_ratio()];
        for _ in 0..16 {
            let rate = threshold.next_per_sec();
            threshold.add(rate, rate < 1000.0);
            widths.push(threshold.estimate().width_ratio());
        }
        let found = threshold.estimate();
        assert!(found.low_per_sec < 1000.0 && found.high_per_sec > 1000.0, "{found:?}");
        assert!(found.width_ratio() < 0.02, "{widths:?}");
        assert!(found.noise_ratio < 0.01, "{found:?}");
    }

    #[test]
    fn one_hiccup_decides_nothing() {
        // A failure far below, and the trials that contradict it.
        let rates = [950.0, 960.0, 980.0, 990.0, 995.0, 1005.0, 1010.0, 1020.0, 990.0, 1008.0];
        let clean = sustained_below(1000.0, &rates).estimate();
        let mut other = sustained_below(1000.0, &rates);
        other.add(930.0, false);
        let other = other.estimate();
        assert!((other.middle_per_sec / clean.middle_per_sec - 1.0).abs() < 0.005, "{clean:?} {other:?}");
    }

    #[test]
    fn a_bound_outside_of_the_bracket_is_found() {
        for bound in [300.0, 3000.0] {
            let mut threshold = Threshold::new(900.0, 1300.0, 0.5);
            for _ in 0..40 {
                let rate = threshold.next_per_sec();
                threshold.add(rate, rate < bound);
            }
            let found = threshold.estimate();
            assert!((found.middle_per_sec / bound - 1.0).abs() < 0.02, "{bound}: {found:?}");
        }
    }

    #[test]
    fn a_strict_search_finds_a_lower_bound() {
        let mut random = units::Random::new(5);
        let mut strict = Threshold::new(900.0, 1300.0, 0.05);
        let mut even = Threshold::new(900.0, 1300.0, 0.5);
        for threshold in [&mut strict, &mut even] {
            for _ in 0..400 {
                let rate = threshold.next_per_sec();
                let noise = (random.unit() / (1.0 - random.unit())).ln() * 0.02;
                threshold.add(rate, rate < 1000.0 * noise.exp());
            }
        }
        let (strict, even) = (strict.estimate(), even.estimate());
        assert!((even.middle_per_sec / 1000.0 - 1.0).abs() < 0.02, "{even:?}");
        assert!(strict.high_per_sec < even.low_per_sec, "{strict:?} {even:?}");
    }
}
