//! A latency histogram: ns, three significant digits, exact count, minimum, maximum and sum beside the buckets.

use crate::hdr;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use hdrhistogram::Histogram as Hdr;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};

/// A quantile is carried by a sample only when at least so many values lie beyond it; else it is an anecdote.
pub const SAMPLES_BEYOND_MIN: u64 = 10;

/// Three significant digits: a value is known to 0.1 %.
pub(crate) const SIGNIFICANT_DIGITS: u8 = 3;
/// Greatest value told apart: an hour. Above it values count as an hour in the buckets; the exact maximum is kept beside them.
const VALUE_NS_MAX: u64 = 3_600 * units::NS_PER_SEC;
/// The buckets that a new histogram has room for: up to 2 µs, 16 KB. It grows to its greatest value (128 KB at 64 ms), in a handful
/// of steps, so that the many that stay empty or fast cost little.
const INITIAL_NS_MAX: u64 = 2 * units::NS_PER_US;

/// Why recording can't fail: the only error left is an index beyond `usize`.
const TAKES_AN_HOUR: &str = "a histogram that resizes takes any value up to an hour";

/// A distribution of times in ns.
///
/// Recording is a few ns and allocates only when a value is greater than any before (a handful of times in a run).
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    buckets: Hdr<u64>,
    sum_ns: u128,
    min_ns: u64,
    max_ns: u64,
}

/// Why a serialised histogram could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistogramError(String);

impl HistogramError {
    /// Says what is wrong with the text.
    pub(crate) fn new(why: String) -> Self {
        Self(why)
    }
}

impl std::fmt::Display for HistogramError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "not a histogram in HdrHistogram's V2 form: {}", self.0)
    }
}

impl std::error::Error for HistogramError {}

impl Default for Histogram {
    fn default() -> Self {
        let mut buckets = Hdr::new_with_bounds(1, INITIAL_NS_MAX, SIGNIFICANT_DIGITS)
            .expect("the constant bounds are valid");
        buckets.auto(true);
        Self { buckets, sum_ns: 0, min_ns: u64::MAX, max_ns: 0 }
    }
}

impl Histogram {
    /// Adds one value.
    #[inline]
    pub fn record(&mut self, value_ns: u64) {
        // Not `saturating_record`: that one clamps to the present bounds in place of growing.
        self.buckets.record(value_ns.min(VALUE_NS_MAX)).expect(TAKES_AN_HOUR);
        self.sum_ns += u128::from(value_ns);
        self.min_ns = self.min_ns.min(value_ns);
        self.max_ns = self.max_ns.max(value_ns);
    }

    /// Adds the same value so many times.
    pub fn record_n(&mut self, value_ns: u64, count: u64) {
        if count == 0 {
            return;
        }
        self.buckets.record_n(value_ns.min(VALUE_NS_MAX), count).expect(TAKES_AN_HOUR);
        self.sum_ns += u128::from(value_ns) * u128::from(count);
        self.min_ns = self.min_ns.min(value_ns);
        self.max_ns = self.max_ns.max(value_ns);
    }

    /// Adds all of another's values. In any order and grouping the result is the same.
    pub fn merge(&mut self, other: &Self) {
        if other.is_empty() {
            return;
        }
        // Bucket by bucket, the empty ones left out: adding whole arrays would touch (and so occupy) memory that was never used.
        for step in other.buckets.iter_recorded() {
            self.buckets.record_n(step.value_iterated_to(), step.count_at_value()).expect(TAKES_AN_HOUR);
        }
        self.sum_ns += other.sum_ns;
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// Forgets all values, keeps the room.
    pub fn clear(&mut self) {
        if !self.is_empty() {
            self.buckets.reset();
        }
        (self.sum_ns, self.min_ns, self.max_ns) = (0, u64::MAX, 0);
    }

    /// How many values.
    pub fn count(&self) -> u64 {
        self.buckets.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.buckets.is_empty()
    }

    /// The least value, exact; `None` when empty.
    pub fn min_ns(&self) -> Option<u64> {
        (!self.is_empty()).then_some(self.min_ns)
    }

    /// The greatest value, exact; `None` when empty.
    pub fn max_ns(&self) -> Option<u64> {
        (!self.is_empty()).then_some(self.max_ns)
    }

    /// The arithmetic mean, from the exact sum.
    pub fn mean_ns(&self) -> Option<f64> {
        (!self.is_empty()).then(|| self.sum_ns as f64 / self.count() as f64)
    }

    /// The sum of all values, exact.
    pub fn sum_ns(&self) -> u128 {
        self.sum_ns
    }

    /// The standard deviation of the values (n in the denominator), from the buckets: each value known to 0.1 %.
    pub fn stdev_ns(&self) -> Option<f64> {
        let mean = self.mean_ns()?;
        let square = |v: f64| v * v;
        let sum: f64 =
            self.values().map(|(value_ns, count)| square(value_ns as f64 - mean) * count as f64).sum();
        Some((sum / self.count() as f64).sqrt())
    }

    /// The smallest recorded value (to 0.1 %) at or below which lie `quantile` (0..=1) of all: rank ⌈quantile × count⌉ (Hyndman and Fan 1996, type 1).
    /// `None` when empty. It says nothing of whether the sample carries it: see [`Histogram::carried_quantile_ns`].
    pub fn quantile_ns(&self, quantile: f64) -> Option<u64> {
        let (min_ns, max_ns) = (self.min_ns()?, self.max_ns()?);
        Some(self.buckets.value_at_quantile(quantile).clamp(min_ns, max_ns))
    }

    /// The quantile, or `None` where fewer than [`SAMPLES_BEYOND_MIN`] values lie beyond it.
    pub fn carried_quantile_ns(&self, quantile: f64) -> Option<u64> {
        if self.carries(quantile) { self.quantile_ns(quantile) } else { None }
    }

    /// Whether at least [`SAMPLES_BEYOND_MIN`] values lie beyond the quantile: count × (1 − quantile) ≥ 10.
    pub fn carries(&self, quantile: f64) -> bool {
        // A billionth of slack: 10 000 × (1 − 0.999) is 9.999… in binary.
        self.count() as f64 * (1.0 - quantile) >= SAMPLES_BEYOND_MIN as f64 - 1e-6
    }

    /// How many values are greater than `value_ns` (to 0.1 %).
    pub fn count_above(&self, value_ns: u64) -> u64 {
        if value_ns >= self.max_ns {
            return 0;
        }
        let first = self.buckets.next_non_equivalent(value_ns.min(VALUE_NS_MAX));
        self.buckets.count_between(first, u64::MAX)
    }

    /// The values (middle of their bucket) and their counts, ascending, without empty ones.
    pub fn values(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.buckets.iter_recorded().map(|step| {
            let value_ns = step.value_iterated_to();
            (self.buckets.median_equivalent(value_ns), step.count_at_value())
        })
    }

    /// HdrHistogram's V2 compressed form in base64, as other tools read it.
    pub fn to_base64(&self) -> String {
        let mut bytes = Vec::new();
        V2DeflateSerializer::new()
            .serialize(&self.buckets, &mut bytes)
            .expect("writing to memory does not fail");
        BASE64.encode(bytes)
    }

    /// Reads the form of [`Histogram::to_base64`]. `sum_ns`, minimum and maximum come from the buckets, to 0.1 %: give the exact ones with [`Histogram::with_exact`].
    ///
    /// # Errors
    /// What is no histogram, or claims more than one can hold.
    pub fn from_base64(text: &str) -> Result<Self, HistogramError> {
        Self::from_base64_of_unit(text, 1)
    }

    /// The same of another program's histogram whose values are whole units of `ns_per_unit`, such as microseconds.
    ///
    /// # Errors
    /// What is no histogram, or claims more than one can hold.
    pub fn from_base64_of_unit(text: &str, ns_per_unit: u64) -> Result<Self, HistogramError> {
        let mut histogram = Self::default();
        for (value, count) in hdr::decode(text).map_err(HistogramError)? {
            histogram.record_n(value.saturating_mul(ns_per_unit), count);
        }
        Ok(histogram)
    }

    /// The same with the exact minimum, maximum and mean that were kept beside the serialised form.
    #[must_use]
    pub fn with_exact(mut self, min_ns: u64, max_ns: u64, sum_ns: u128) -> Self {
        if !self.is_empty() {
            (self.min_ns, self.max_ns, self.sum_ns) = (min_ns, max_ns, sum_ns);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use units::Random;

    #[test]
    fn quantiles_agree_with_exact_arithmetic() {
        let mut random = Random::new(11);
        let mut values: Vec<u64> = (0..10_000).map(|_| (random.exponential() * 5e6) as u64).collect();
        let mut histogram = Histogram::default();
        values.iter().for_each(|v| histogram.record(*v));
        values.sort_unstable();
        for quantile in [0.01, 0.25, 0.5, 0.9, 0.99, 0.999] {
            let exact = values[(quantile * 10_000f64).ceil() as usize - 1] as f64;
            let got = histogram.quantile_ns(quantile).unwrap() as f64;
            assert!((got - exact).abs() <= exact * 0.001 + 1.0, "p{quantile}: {got} against {exact}");
        }
        assert_eq!(histogram.max_ns(), values.last().copied());
        assert_eq!(histogram.min_ns(), values.first().copied());
        let mean = values.iter().sum::<u64>() as f64 / 1e4;
        assert_eq!(histogram.mean_ns(), Some(mean));
        let variance = values.iter().map(|v| (*v as f64 - mean).powi(2)).sum::<f64>() / 1e4;
        assert!((histogram.stdev_ns().unwrap() / variance.sqrt() - 1.0).abs() < 1e-3);
    }

    #[test]
    fn a_quantile_needs_ten_values_beyond_it() {
        let mut histogram = Histogram::default();
        (0..9_999).for_each(|v| histogram.record(v));
        assert_eq!(histogram.carried_quantile_ns(0.999), None);
        histogram.record(9_999);
        assert!(histogram.carried_quantile_ns(0.999).is_some());
        assert_eq!(histogram.carried_quantile_ns(0.9999), None);
        assert_eq!(Histogram::default().quantile_ns(0.5), None);
    }

    #[test]
    fn values_beyond_the_first_buckets_are_told_apart() {
        let mut histogram = Histogram::default();
        (1..=1_000u64).for_each(|ms| histogram.record(ms * 1_000_000));
        histogram.record_n(2_000_000_000, 1_000);
        for (quantile, expected_ns) in [(0.25, 500_000_000), (0.4, 800_000_000), (0.75, 2_000_000_000)] {
            let got_ns = histogram.quantile_ns(quantile).unwrap();
            assert!(got_ns.abs_diff(expected_ns) <= expected_ns / 1_000, "{quantile}: {got_ns}");
        }
    }

    #[test]
    fn values_beyond_an_hour_keep_their_maximum() {
        let mut histogram = Histogram::default();
        histogram.record(u64::MAX);
        histogram.record(5);
        assert_eq!((histogram.max_ns(), histogram.min_ns(), histogram.count()), (Some(u64::MAX), Some(5), 2));
        assert_eq!(histogram.count_above(10), 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn merging_in_any_grouping_is_recording(values in prop::collection::vec(0u64..4_000_000_000_000, 0..60), cut in 0usize..60) {
            let record = |part: &[u64]| {
                let mut histogram = Histogram::default();
                part.iter().for_each(|v| histogram.record(*v));
                histogram
            };
            let cut = cut.min(values.len());
            let (left, right) = (record(&values[..cut]), record(&values[cut..]));
            let whole = record(&values);
            let mut one = left.clone();
            one.merge(&right);
            let mut other = right;
            other.merge(&left);
            prop_assert_eq!(&one, &whole);
            prop_assert_eq!(&other, &whole);
            if let (Some(min), Some(max)) = (whole.min_ns(), whole.max_ns()) {
                let read = Histogram::from_base64(&whole.to_base64()).unwrap().with_exact(min, max, whole.sum_ns());
                for q in [0.0, 0.5, 0.9, 1.0] {
                    prop_assert_eq!(read.quantile_ns(q), whole.quantile_ns(q));
                }
                prop_assert_eq!(read.to_base64(), whole.to_base64());
            }
        }
    }
}
