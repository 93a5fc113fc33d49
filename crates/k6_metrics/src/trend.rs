//! The sink of a trend: exact while it is small, a histogram from then on.
//!
//! Count, sum, least and greatest value are always exact. Up to [`EXACT_VALUES_MAX`] values are kept as they are and quantiles are exact; beyond
//! it they go to a histogram whose values are known to [`crate::TREND_ERROR_RATIO`]. What a sink holds follows from the values alone, not from the order or
//! grouping in which they came.

use crate::exact_sum::ExactSum;
use crate::log_histogram::LogHistogram;

/// Values kept as they are: 4 KiB of them, as much as one doubling of the histogram takes.
pub const EXACT_VALUES_MAX: usize = 512;

/// All values of a trend.
#[derive(Debug, Clone)]
pub struct Trend {
    count: u64,
    sum: ExactSum,
    min: f64,
    max: f64,
    /// All values while they are few; empty from then on.
    exact: Vec<f64>,
    /// All values once they are many.
    histogram: LogHistogram,
}

impl Default for Trend {
    fn default() -> Self {
        Self {
            count: 0,
            sum: ExactSum::default(),
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
            exact: Vec::new(),
            histogram: LogHistogram::default(),
        }
    }
}

impl Trend {
    /// Adds a value; NaN must not come.
    #[inline]
    pub(crate) fn add(&mut self, value: f64) {
        let is_exact = self.is_exact();
        self.count += 1;
        self.sum.add(value);
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        if !is_exact {
            self.histogram.add(value);
        } else if self.exact.len() < EXACT_VALUES_MAX {
            self.exact.push(value);
        } else {
            self.pour();
            self.histogram.add(value);
        }
    }

    /// Whether all values are kept as they are.
    fn is_exact(&self) -> bool {
        self.count <= EXACT_VALUES_MAX as u64
    }

    /// From now on values are counted by bucket.
    fn pour(&mut self) {
        for value in self.exact.drain(..) {
            self.histogram.add(value);
        }
    }

    /// Adds all of another's values: the same as if they had been added one by one.
    pub(crate) fn merge(&mut self, other: &Self) {
        let was_exact = self.is_exact();
        self.count += other.count;
        self.sum.merge(&other.sum);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        if self.is_exact() {
            self.exact.extend_from_slice(&other.exact);
            return;
        }
        if was_exact {
            self.pour();
        }
        if other.is_exact() {
            for value in &other.exact {
                self.histogram.add(*value);
            }
        } else {
            self.histogram.merge(&other.histogram);
        }
    }

    /// Forgets all values, keeps the room.
    pub(crate) fn clear(&mut self) {
        if !self.is_exact() {
            self.histogram.clear();
        }
        self.exact.clear();
        (self.count, self.sum) = (0, ExactSum::default());
        (self.min, self.max) = (f64::INFINITY, f64::NEG_INFINITY);
    }

    /// How many values.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The sum of all values.
    pub fn sum(&self) -> f64 {
        self.sum.value()
    }

    /// The least value; 0 when empty.
    pub fn min(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.min }
    }

    /// The greatest value; 0 when empty.
    pub fn max(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.max }
    }

    /// The mean, from the exact sum; 0 when empty.
    pub fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum() / self.count as f64 }
    }

    /// The quantile (0..=1) as the linear interpolation at position quantile × (count − 1) of the sorted values (Hyndman and Fan 1996, type 7); 0 when empty.
    ///
    /// Exact up to [`EXACT_VALUES_MAX`] values and at both ends; else off by at most [`crate::TREND_ERROR_RATIO`] of the greater of the magnitudes of the two
    /// values that it lies between.
    pub fn quantile(&self, quantile: f64) -> f64 {
        let Some(last) = self.count.checked_sub(1) else { return 0.0 };
        let position = quantile.clamp(0.0, 1.0) * last as f64;
        let low = (position.floor() as u64).min(last);
        let high = (low + 1).min(last);
        let (low_value, high_value) = self.at_ranks(low, high);
        let share = position - low as f64;
        // Not low + share × (high − low) alone: an infinite pair would make NaN of it.
        if share == 0.0 || low_value == high_value {
            low_value
        } else {
            low_value + share * (high_value - low_value)
        }
    }

    /// The values at two ranks, the lower first.
    fn at_ranks(&self, low: u64, high: u64) -> (f64, f64) {
        let found = if self.is_exact() {
            let mut sorted = self.exact.clone();
            sorted.sort_unstable_by(f64::total_cmp);
            [low, high].map(|rank| sorted.get(rank as usize).copied().unwrap_or(self.max))
        } else {
            let mut values = [self.max; 2];
            let mut places = values.iter_mut();
            self.histogram.at_ranks(&[low, high], |value| {
                if let Some(place) = places.next() {
                    *place = value;
                }
            });
            values
        };
        let known = |rank: u64, value: f64| match rank {
            0 => self.min,
            rank if rank + 1 == self.count => self.max,
            _ => value.clamp(self.min, self.max),
        };
        let [low_value, high_value] = found;
        (known(low, low_value), known(high, high_value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TREND_ERROR_RATIO;
    use proptest::prelude::*;

    fn trend(values: &[f64]) -> Trend {
        let mut trend = Trend::default();
        for value in values {
            trend.add(*value);
        }
        trend
    }

    /// The definition: sort, position q·(n−1), linear interpolation.
    fn exact_quantile(values: &[f64], quantile: f64) -> (f64, f64) {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let position = quantile * (sorted.len() - 1) as f64;
        let (low, high) = (sorted[position.floor() as usize], sorted[position.ceil() as usize]);
        (low + (position - position.floor()) * (high - low), low.abs().max(high.abs()))
    }

    #[test]
    fn few_values_are_exact() {
        let few = trend(&[10.0, 20.0, 30.0, 40.0]);
        assert_eq!(few.quantile(0.5), 25.0);
        assert_eq!(few.quantile(0.9), 37.0);
        assert_eq!((few.quantile(0.0), few.quantile(1.0)), (10.0, 40.0));
        assert_eq!((few.min(), few.max(), few.mean(), few.sum(), few.count()), (10.0, 40.0, 25.0, 100.0, 4));
        let none = trend(&[]);
        assert_eq!((none.min(), none.max(), none.mean(), none.quantile(0.95)), (0.0, 0.0, 0.0, 0.0));
        assert_eq!(trend(&[-3.0]).quantile(0.95), -3.0);
    }

    #[test]
    fn a_cleared_trend_is_as_new() {
        let many: Vec<f64> = (0..2_000).map(f64::from).collect();
        let mut used = trend(&many);
        used.clear();
        for value in [1.0, 2.0] {
            used.add(value);
        }
        assert_eq!((used.count(), used.quantile(0.5), used.max()), (2, 1.5, 2.0));
        for value in &many {
            used.add(*value);
        }
        assert!((used.quantile(0.5) - 998.5).abs() <= 1.0, "{}", used.quantile(0.5));
    }

    proptest! {
        #[test]
        fn quantiles_keep_their_error(
            mantissas in prop::collection::vec((1.0_f64..10.0, -6_i32..12, 0_u8..4), 1..1_600),
            quantile in 0.0_f64..=1.0,
        ) {
            // One in four is negative, and some are zero.
            let values: Vec<f64> = mantissas.iter().map(|(mantissa, exponent, sign)| {
                let magnitude = mantissa * 10.0_f64.powi(*exponent);
                match sign { 0 => -magnitude, 1 if *exponent == 0 => 0.0, _ => magnitude }
            }).collect();
            let whole = trend(&values);
            let (wanted, magnitude) = exact_quantile(&values, quantile);
            let found = whole.quantile(quantile);
            // Interpolation itself rounds.
            let rounding = 1e-14 * magnitude;
            if values.len() <= EXACT_VALUES_MAX {
                prop_assert!((found - wanted).abs() <= rounding, "{found} {wanted}");
            } else {
                prop_assert!((found - wanted).abs() <= magnitude * TREND_ERROR_RATIO + rounding, "{found} {wanted}");
            }
            prop_assert_eq!(whole.min(), values.iter().copied().fold(f64::INFINITY, f64::min));
            prop_assert_eq!(whole.max(), values.iter().copied().fold(f64::NEG_INFINITY, f64::max));
        }

        #[test]
        fn parts_merge_to_the_whole(
            values in prop::collection::vec(1e-3_f64..1e5, 0..1_500),
            cuts in prop::collection::vec(0_usize..1_500, 0..4),
        ) {
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| *cut.min(&values.len())).collect();
            cuts.extend([0, values.len()]);
            cuts.sort_unstable();
            let parts: Vec<Trend> = cuts.windows(2).map(|pair| trend(&values[pair[0]..pair[1]])).collect();
            let whole = trend(&values);
            for order in [parts.iter().collect::<Vec<_>>(), parts.iter().rev().collect()] {
                let mut merged = Trend::default();
                for part in order {
                    merged.merge(part);
                }
                prop_assert_eq!(merged.count(), whole.count());
                prop_assert_eq!(merged.sum(), whole.sum());
                for quantile in [0.0, 0.5, 0.9, 0.99, 0.999, 1.0] {
                    prop_assert_eq!(merged.quantile(quantile), whole.quantile(quantile));
                }
            }
        }
    }
}
