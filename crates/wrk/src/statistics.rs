//! Values and how often each came, with the figures that both tools' pages and scripts ask of them.
//!
//! Nothing is corrected here: what was measured is what is told.

use record::Latencies;
use serde::{Deserialize, Serialize};
use stats::{Histogram, HistogramError};

/// More distinct values than this are merged by three significant digits, so that a record of a day stays small.
const DISTINCT_MAX: usize = 4_096;

/// A distribution of whole numbers: latencies in µs, or requests per second.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Statistics {
    count: u64,
    min: u64,
    max: u64,
    mean: f64,
    stdev: f64,
    /// Distinct values and how often each came, ascending.
    values: Vec<(u64, u64)>,
}

impl Statistics {
    /// Of a record's latencies, in µs. Minimum, maximum and mean are exact, the rest is known to 0.1 %.
    ///
    /// # Errors
    /// The record's histogram can't be read.
    pub fn of_latencies(latencies: &Latencies) -> Result<Self, HistogramError> {
        Ok(Self::of_histogram(&latencies.to_histogram()?))
    }

    /// Of a histogram of ns, in µs.
    pub fn of_histogram(histogram: &Histogram) -> Self {
        Self::scaled(histogram, units::NS_PER_US)
    }

    /// Of a histogram that holds whole numbers other than times, such as answers per second.
    pub fn of_counts(histogram: &Histogram) -> Self {
        Self::scaled(histogram, 1)
    }

    fn scaled(histogram: &Histogram, unit: u64) -> Self {
        let scale = unit as f64;
        let scaled = |value: u64| (value as f64 / scale).round() as u64;
        let (Some(min), Some(max)) = (histogram.min_ns(), histogram.max_ns()) else {
            return Self::default();
        };
        let count = histogram.count();
        // Both tools divide by n − 1, the histogram by n.
        let sample = if count > 1 { (count as f64 / (count - 1) as f64).sqrt() } else { 0.0 };
        Self {
            count,
            min: scaled(min),
            max: scaled(max),
            mean: histogram.mean_ns().unwrap_or(0.0) / scale,
            stdev: histogram.stdev_ns().unwrap_or(0.0) / scale * sample,
            values: joined(histogram.values().map(|(value, n)| (scaled(value.clamp(min, max)), n))),
        }
    }

    /// Of single values in any order.
    pub fn of_samples(samples: impl IntoIterator<Item = u64>) -> Self {
        let mut samples: Vec<u64> = samples.into_iter().collect();
        samples.sort_unstable();
        let (Some(min), Some(max)) = (samples.first().copied(), samples.last().copied()) else {
            return Self::default();
        };
        let count = samples.len() as f64;
        let mean = samples.iter().map(|value| *value as f64).sum::<f64>() / count;
        let squares: f64 = samples.iter().map(|value| (*value as f64 - mean).powi(2)).sum();
        let stdev = if samples.len() > 1 { (squares / (count - 1.0)).sqrt() } else { 0.0 };
        let mut values = joined(samples.iter().map(|value| (*value, 1)));
        if values.len() > DISTINCT_MAX {
            values = joined(values.into_iter().map(|(value, n)| (three_digits(value), n)));
        }
        Self { count: samples.len() as u64, min, max, mean, stdev, values }
    }

    /// How many values there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The least value; 0 when there is none.
    pub fn min(&self) -> u64 {
        self.min
    }

    /// The greatest value; 0 when there is none.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// The arithmetic mean; 0 when there is no value.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The standard deviation (n − 1 in the denominator); 0 with fewer than two values.
    pub fn stdev(&self) -> f64 {
        self.stdev
    }

    /// The standard deviation with n in the denominator, as wrk2 has it; 0 when there is no value.
    pub fn stdev_of_all(&self) -> f64 {
        let count = self.count as f64;
        if self.count > 1 { self.stdev * ((count - 1.0) / count).sqrt() } else { 0.0 }
    }

    /// The value at a percentile (0..=100): rank round(p/100 × count + 0.5), as wrk defines it; 0 when there is no value.
    pub fn percentile(&self, percentile: f64) -> u64 {
        let rank = (percentile / 100.0 * self.count as f64 + 0.5).round() as u64;
        let mut below = 0u64;
        for (value, count) in &self.values {
            below = below.saturating_add(*count);
            if below >= rank {
                return *value;
            }
        }
        // A rank beyond the last value: 100 with rounding.
        self.max
    }

    /// How many distinct values there are.
    pub fn distinct_count(&self) -> usize {
        self.values.len()
    }

    /// The distinct value of this number (from 0, ascending) and how often it came.
    pub fn distinct(&self, index: usize) -> Option<(u64, u64)> {
        self.values.get(index).copied()
    }

    /// Percent of the values within one standard deviation of the mean, ends included; `None` when there is no value.
    pub fn within_stdev(&self) -> Option<f64> {
        let range = self.mean - self.stdev..=self.mean + self.stdev;
        // Equal values scatter by the rounding of their mean only.
        let is_single = self.min == self.max;
        let within = self.values.iter().filter(|(value, _)| is_single || range.contains(&(*value as f64)));
        let within: u64 = within.map(|(_, count)| count).sum();
        (self.count > 0).then(|| within as f64 / self.count as f64 * 100.0)
    }
}

/// Ascending values with their counts, equal neighbours made one.
fn joined(values: impl Iterator<Item = (u64, u64)>) -> Vec<(u64, u64)> {
    let mut joined: Vec<(u64, u64)> = Vec::new();
    for (value, count) in values {
        match joined.last_mut() {
            Some((last, total)) if *last == value => *total += count,
            _ => joined.push((value, count)),
        }
    }
    joined
}

/// A value to three significant digits, rounded down, so that order stays.
fn three_digits(value: u64) -> u64 {
    let digits = value.checked_ilog10().unwrap_or(0);
    let unit = 10u64.pow(digits.saturating_sub(2));
    value / unit * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_agree_with_exact_arithmetic() {
        let statistics = Statistics::of_samples([5, 1, 3, 3, 8]);
        assert_eq!(
            (statistics.count(), statistics.min(), statistics.max(), statistics.mean()),
            (5, 1, 8, 4.0)
        );
        assert!((statistics.stdev() - 7f64.sqrt()).abs() < 1e-12);
        assert_eq!(
            (statistics.distinct_count(), statistics.distinct(1), statistics.distinct(4)),
            (4, Some((3, 2)), None)
        );
        assert_eq!(statistics.within_stdev(), Some(60.0));
        // round(p × 5 + 0.5): ranks 1, 3 and 5.
        let at = [0.0, 50.0, 99.0, 100.0].map(|percentile| statistics.percentile(percentile));
        assert_eq!(at, [1, 3, 8, 8]);
    }

    #[test]
    fn a_histogram_is_told_in_microseconds() {
        let mut histogram = Histogram::default();
        for ns in [1_000, 2_000, 2_400, 1_000_000_000] {
            histogram.record(ns);
        }
        let statistics = Statistics::of_histogram(&histogram);
        assert_eq!((statistics.min(), statistics.max(), statistics.count()), (1, 1_000_000, 4));
        assert!((statistics.mean() - 250_001.35).abs() < 1e-6);
        assert_eq!(statistics.distinct(1), Some((2, 2)), "2.0 and 2.4 µs are one");
        assert_eq!(
            statistics.distinct(2).map(|(us, n)| (us.abs_diff(1_000_000) <= 1_000, n)),
            Some((true, 1))
        );
        let again = Statistics::of_latencies(&Latencies::of(&histogram)).unwrap();
        assert_eq!((again.max(), again.percentile(50.0)), (1_000_000, 2));
    }

    #[test]
    fn nothing_is_told_of_nothing() {
        let none = Statistics::of_samples([]);
        assert_eq!((none.min(), none.max(), none.percentile(50.0), none.within_stdev()), (0, 0, 0, None));
        assert_eq!(none, Statistics::of_histogram(&Histogram::default()));
        assert_eq!(Statistics::of_samples([7]).within_stdev(), Some(100.0));
    }

    #[test]
    fn many_distinct_values_are_merged_in_order() {
        let statistics = Statistics::of_samples(1..=100_000);
        assert!(statistics.distinct_count() <= DISTINCT_MAX, "{}", statistics.distinct_count());
        assert_eq!((statistics.max(), statistics.count()), (100_000, 100_000));
        assert_eq!(statistics.percentile(50.0), 50_000);
    }
}
