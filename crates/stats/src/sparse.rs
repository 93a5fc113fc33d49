//! A serialised histogram read for its counts alone: what it holds and not the room around it, which is a hundred times as much.
//!
//! A record has a histogram per interval, action and kind of time, tens of thousands in all. Whoever only asks of each how many values lie beyond
//! a bound reads them so.

use crate::hdr::Decoder;
use crate::histogram::{HistogramError, SIGNIFICANT_DIGITS};

/// Reads serialised histograms one after another.
#[derive(Default)]
pub struct SparseReader {
    decoder: Decoder,
}

/// The values of a histogram, and how many are at or below each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SparseHistogram {
    /// The middle of a bucket and the count up to and with it, both ascending.
    up_to: Vec<(u64, u64)>,
}

impl SparseReader {
    /// The histogram of a text in HdrHistogram's V2 form; an empty text is one without values.
    ///
    /// # Errors
    /// What is no histogram, or claims more than one can hold.
    pub fn read(&mut self, text: &str) -> Result<SparseHistogram, HistogramError> {
        if text.is_empty() {
            return Ok(SparseHistogram::default());
        }
        let mut up_to = self.decoder.decode(text).map_err(HistogramError::new)?;
        let mut sum = 0;
        for (_, count) in &mut up_to {
            sum += *count;
            *count = sum;
        }
        Ok(SparseHistogram { up_to })
    }
}

impl SparseHistogram {
    /// How many values.
    pub fn count(&self) -> u64 {
        self.up_to.last().map_or(0, |(_, count)| *count)
    }

    /// The value (middle of its bucket) at or below which lie `quantile` (0..=1) of all: rank ⌈quantile × count⌉. `None` when empty.
    pub fn quantile_ns(&self, quantile: f64) -> Option<u64> {
        let rank = (quantile.clamp(0.0, 1.0) * self.count() as f64).ceil().max(1.0) as u64;
        let first = self.up_to.partition_point(|(_, count)| *count < rank);
        self.up_to.get(first).map(|(middle_ns, _)| *middle_ns)
    }

    /// How many values are at or below `value_ns`, to 0.1 %: what shares its bucket is.
    pub fn count_to(&self, value_ns: u64) -> u64 {
        let last_ns = bucket_end(value_ns);
        let above = self.up_to.partition_point(|(middle_ns, _)| *middle_ns <= last_ns);
        above.checked_sub(1).and_then(|last| self.up_to.get(last)).map_or(0, |(_, count)| *count)
    }
}

/// The greatest value in the bucket of one: values up to twice ten to the digits are told apart, and above as many of each power of two.
fn bucket_end(value_ns: u64) -> u64 {
    let told_apart = (2 * 10u64.pow(u32::from(SIGNIFICANT_DIGITS))).next_power_of_two();
    let shift = (value_ns | (told_apart - 1)).ilog2() - (told_apart - 1).ilog2();
    value_ns | ((1 << shift) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Histogram;
    use units::Random;

    #[test]
    fn counts_are_those_of_the_whole_histogram() {
        let mut reader = SparseReader::default();
        let mut random = Random::new(8);
        for scale in [1e3, 1e5, 1e8, 1e10] {
            let mut whole = Histogram::default();
            (0..3_000).for_each(|_| whole.record((random.exponential() * scale) as u64));
            let sparse = reader.read(&whole.to_base64()).unwrap();
            assert_eq!(sparse.count(), whole.count());
            for _ in 0..500 {
                // Within the range and beyond, and the quantiles that are asked for.
                let at = (random.unit() * random.exponential() * 3.0 * scale) as u64;
                let share = random.unit();
                let quantile = whole.quantile_ns(share).unwrap();
                let near = sparse.quantile_ns(share).unwrap();
                assert!(near.abs_diff(quantile) <= quantile / 1_000, "{near} {quantile}");
                for value in [at, quantile, whole.min_ns().unwrap()] {
                    assert_eq!(sparse.count_to(value), whole.count() - whole.count_above(value), "{value}");
                }
            }
            assert_eq!(
                (sparse.count_to(u64::MAX), sparse.count_to(0)),
                (whole.count(), whole.count() - whole.count_above(0))
            );
        }
    }

    #[test]
    fn nothing_holds_nothing_and_what_is_no_histogram_is_refused() {
        let mut reader = SparseReader::default();
        let empty = reader.read("").unwrap();
        assert_eq!((empty.count(), empty.count_to(u64::MAX), empty.quantile_ns(0.5)), (0, 0, None));
        assert!(reader.read("AAAA").is_err());
    }
}
