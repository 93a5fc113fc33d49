//! A histogram of floats whose error is relative: 512 buckets for each doubling of the value.
//!
//! A value's bucket is its exponent and the first nine digits of its fraction, so finding it is a shift. A bucket stands for its middle: at most
//! 2⁻¹⁰ (0.098 %) from any value in it. Magnitudes below 2⁻³⁰ (9e-10) count as zero, those from 2⁶³ (9e18) on as just below it; negative
//! values have buckets of their own. Memory follows the doublings that occurred: 4 KiB each.

/// log2 of the buckets per doubling.
const STEP_BITS: u32 = 9;
/// Buckets per doubling.
const STEPS: usize = 1 << STEP_BITS;
/// The least exponent told apart from zero.
const EXPONENT_MIN: i64 = -30;
/// The greatest exponent told apart.
const EXPONENT_MAX: i64 = 62;
/// Doublings told apart.
const OCTAVES: usize = (EXPONENT_MAX - EXPONENT_MIN + 1) as usize;
/// What the exponent's bits of a double are above the exponent (IEEE 754-2019, table 3.5).
const EXPONENT_BIAS: i64 = 1023;
/// Digits of a double's fraction (IEEE 754-2019, table 3.5).
const FRACTION_BITS: u32 = 52;
/// The least bucket's position in the bits of a double.
const BASE: u64 = ((EXPONENT_MIN + EXPONENT_BIAS) as u64) << STEP_BITS;
/// Buckets in all.
const BUCKETS: u64 = (OCTAVES * STEPS) as u64;

/// The greatest distance of a quantile from the value it stands for, as a share of that value: half a bucket.
pub const TREND_ERROR_RATIO: f64 = 1.0 / 1024.0;

/// Counts of values of one sign, by magnitude.
#[derive(Debug, Clone, Default)]
struct Side {
    octaves: Vec<Option<Box<[u64; STEPS]>>>,
}

/// Counts of values by bucket.
#[derive(Debug, Clone, Default)]
pub(crate) struct LogHistogram {
    positive: Side,
    negative: Side,
    zero_count: u64,
}

impl Side {
    #[inline]
    fn add(&mut self, bucket: u64, count: u64) {
        let (octave, step) = ((bucket >> STEP_BITS) as usize, bucket as usize % STEPS);
        if let Some(Some(steps)) = self.octaves.get_mut(octave) {
            steps[step] += count;
        } else {
            self.add_new(octave, step, count);
        }
    }

    #[cold]
    fn add_new(&mut self, octave: usize, step: usize, count: u64) {
        if self.octaves.len() <= octave {
            self.octaves.resize_with(octave + 1, || None);
        }
        if let Some(place) = self.octaves.get_mut(octave) {
            place.get_or_insert_with(|| Box::new([0; STEPS]))[step] += count;
        }
    }

    fn merge(&mut self, other: &Self) {
        for (octave, steps) in other.octaves.iter().enumerate() {
            let Some(steps) = steps else { continue };
            if self.octaves.len() <= octave {
                self.octaves.resize_with(octave + 1, || None);
            }
            if let Some(place) = self.octaves.get_mut(octave) {
                let own = place.get_or_insert_with(|| Box::new([0; STEPS]));
                for (own, other) in own.iter_mut().zip(steps.iter()) {
                    *own += other;
                }
            }
        }
    }

    fn clear(&mut self) {
        for steps in self.octaves.iter_mut().flatten() {
            steps.fill(0);
        }
    }

    /// Magnitude and count of the buckets that hold something, from the least on.
    fn recorded(&self) -> impl DoubleEndedIterator<Item = (f64, u64)> {
        let steps =
            self.octaves.iter().enumerate().filter_map(|(octave, steps)| Some((octave, steps.as_ref()?)));
        let buckets = steps.flat_map(|(octave, steps)| {
            steps.iter().enumerate().map(move |(step, count)| ((octave * STEPS + step) as u64, *count))
        });
        buckets.filter(|(_, count)| *count > 0).map(|(bucket, count)| (middle(bucket), count))
    }
}

impl LogHistogram {
    /// Counts one value; NaN must not come.
    #[inline]
    pub(crate) fn add(&mut self, value: f64) {
        match bucket(value.abs()) {
            None => self.zero_count += 1,
            Some(bucket) if value > 0.0 => self.positive.add(bucket, 1),
            Some(bucket) => self.negative.add(bucket, 1),
        }
    }

    /// Adds all of another's counts.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.positive.merge(&other.positive);
        self.negative.merge(&other.negative);
        self.zero_count += other.zero_count;
    }

    /// Forgets all counts, keeps the room.
    pub(crate) fn clear(&mut self) {
        self.positive.clear();
        self.negative.clear();
        self.zero_count = 0;
    }

    /// The values at ascending ranks (from 0), each to [`TREND_ERROR_RATIO`]; ranks from the count on have none.
    pub(crate) fn at_ranks(&self, ranks: &[u64], mut found: impl FnMut(f64)) {
        let negative = self.negative.recorded().rev().map(|(magnitude, count)| (-magnitude, count));
        let zero = (self.zero_count > 0).then_some((0.0, self.zero_count));
        let all = negative.chain(zero).chain(self.positive.recorded());
        let mut ranks = ranks.iter().copied().peekable();
        let mut passed = 0_u64;
        for (value, count) in all {
            passed += count;
            while ranks.next_if(|rank| *rank < passed).is_some() {
                found(value);
            }
        }
    }
}

/// The bucket of a magnitude; `None` is zero's.
#[inline]
fn bucket(magnitude: f64) -> Option<u64> {
    let position = magnitude.to_bits() >> (FRACTION_BITS - STEP_BITS);
    Some(position.checked_sub(BASE)?.min(BUCKETS - 1))
}

/// What a bucket stands for: the middle between its bounds.
fn middle(bucket: u64) -> f64 {
    let low = (bucket + BASE) << (FRACTION_BITS - STEP_BITS);
    f64::from_bits(low | 1 << (FRACTION_BITS - STEP_BITS - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(histogram: &LogHistogram, ranks: &[u64]) -> Vec<f64> {
        let mut found = Vec::new();
        histogram.at_ranks(ranks, |value| found.push(value));
        found
    }

    #[test]
    fn what_is_out_of_range_counts_at_its_edge() {
        let mut histogram = LogHistogram::default();
        for value in [f64::INFINITY, 1e300, 0.0, -0.0, 1e-300, -1e-12, f64::MIN_POSITIVE, -1e300] {
            histogram.add(value);
        }
        let greatest = middle(BUCKETS - 1);
        assert!((9.21e18..9.23e18).contains(&greatest), "{greatest}");
        let expected = [-greatest, 0.0, 0.0, 0.0, 0.0, 0.0, greatest, greatest];
        assert_eq!(at(&histogram, &[0, 1, 2, 3, 4, 5, 6, 7, 8]), expected);
        histogram.clear();
        assert!(at(&histogram, &[0]).is_empty());
    }

    #[test]
    fn memory_follows_the_doublings_that_occurred() {
        let mut histogram = LogHistogram::default();
        for value in [1.0, 1.5, 1.999, 1000.0] {
            histogram.add(value);
        }
        assert_eq!(histogram.positive.octaves.iter().flatten().count(), 2);
        assert!(histogram.negative.octaves.is_empty());
    }

    proptest! {
        #[test]
        fn a_value_is_known_to_its_error(mantissa in 1.0_f64..10.0, exponent in -9_i32..18, negative: bool) {
            let value = mantissa * 10.0_f64.powi(exponent) * if negative { -1.0 } else { 1.0 };
            let mut histogram = LogHistogram::default();
            histogram.add(value);
            let known = at(&histogram, &[0]);
            prop_assert_eq!(known.len(), 1);
            for known in known {
                prop_assert!((known - value).abs() <= value.abs() * TREND_ERROR_RATIO, "{value} {known}");
            }
        }
    }
}
