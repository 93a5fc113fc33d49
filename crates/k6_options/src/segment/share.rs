//! The elements of the whole that one segment takes: striping.
//!
//! With L the least common multiple of the lengths' denominators, a segment of length n/d takes w = n·L/d of every L elements. Elements are
//! dealt out in order; each goes to the first segment, from the largest w to the smallest, that is due: it has c elements, and e ≥ c·L/w.
//! The pattern repeats every L, so the shares of all segments make up the whole, whatever is counted.

use super::ratio::{Ratio, greatest_common_divisor};
use super::{Segment, SegmentSequence};
use crate::exit::Fault;
use std::sync::Arc;

/// The most elements after which a pattern repeats. One is kept in memory, and dealing it out costs this times the number of segments.
const CYCLE_MAX: u64 = 1_000_000;
/// The most steps of dealing out, some tenths of a second.
const STEPS_MAX: u64 = 50_000_000;

/// Which elements of the whole one instance takes, and how many of any number. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    deal: Arc<Deal>,
    /// Among the deal's weights.
    index: usize,
}

/// How every L elements are dealt out to all segments.
#[derive(Debug, PartialEq, Eq)]
struct Deal {
    /// L, at least 1.
    cycle: u64,
    /// By segment: which elements of 0..L it takes, ascending.
    elements: Vec<Vec<u64>>,
}

impl Share {
    /// All of everything.
    pub fn whole() -> Self {
        Self { deal: Arc::new(Deal { cycle: 1, elements: vec![vec![0]] }), index: 0 }
    }

    /// What a segment takes, where the whole is cut by a sequence; without a sequence only that segment is known, without a segment it is the
    /// whole one.
    ///
    /// # Errors
    ///
    /// 104: a segment that does not occur in the sequence, or boundaries whose denominators have so little in common that the pattern would
    /// repeat only after more than a million elements.
    pub fn new(segment: Option<Segment>, sequence: Option<&SegmentSequence>) -> Result<Self, Fault> {
        let segment = segment.unwrap_or(Segment::WHOLE);
        let own = SegmentSequence::of(segment);
        let filled = sequence.unwrap_or(&own).filled();
        let Some(index) = filled.segments().iter().position(|other| *other == segment) else {
            let sequence = sequence.unwrap_or(&own);
            return Err(Fault::config(format!(
                "provided segment {segment} can't be found in sequence {sequence}"
            )));
        };
        let too_fine = || {
            Fault::config(format!("the execution segments {filled} are too fine to be dealt out"))
                .hint("use boundaries with small denominators in common, for example `0,1/4,1/2,1`")
        };
        let lengths: Option<Vec<Ratio>> = filled.segments().iter().map(|segment| segment.length()).collect();
        let deal = lengths.as_deref().and_then(Deal::new).ok_or_else(too_fine)?;
        Ok(Self { deal: Arc::new(deal), index })
    }

    /// After so many elements the pattern repeats: L, at least 1.
    pub fn cycle(&self) -> u64 {
        self.deal.cycle
    }

    /// Which elements of 0..[`cycle`](Self::cycle) it takes, ascending.
    pub fn elements(&self) -> &[u64] {
        self.deal.elements.get(self.index).map_or(&[], Vec::as_slice)
    }

    /// How much of the whole it is, in 0..=1.
    pub fn ratio(&self) -> f64 {
        self.elements().len() as f64 / self.deal.cycle as f64
    }

    /// How many of `value` elements it takes. Over all segments these add up to `value`, and each grows with it.
    pub fn scale(&self, value: u64) -> u64 {
        let (rounds, rest) = (value / self.deal.cycle, value % self.deal.cycle);
        let own = self.elements();
        let below = own.partition_point(|element| *element < rest) as u64;
        // At most `value`, since there are at most L elements in a cycle.
        rounds * own.len() as u64 + below
    }

    /// The number in the whole of the k-th element that it takes, k from 0; `None` where it takes none, or beyond 2⁶⁴.
    pub fn nth(&self, k: u64) -> Option<u64> {
        let own = self.elements();
        let count = own.len() as u64;
        let within = own.get(usize::try_from(k.checked_rem(count)?).ok()?)?;
        (k / count).checked_mul(self.deal.cycle)?.checked_add(*within)
    }

    /// The share that takes what this one takes of `value`, and of everything else in the same proportion: the whole cut anew by
    /// scaled(value)/value. `None` where it takes nothing of `value` and so has nothing to do.
    ///
    /// Executors that divide iterations among VUs use it: an instance with 1 VU of 3 must do a third of the iterations, also where its
    /// segment is 1/2.
    pub fn by_weight_of(&self, value: u64) -> Option<Self> {
        if value == 0 || self.scale(value) == 0 {
            return None;
        }
        if value.is_multiple_of(self.deal.cycle) {
            return Some(self.clone());
        }
        let all = (0..self.deal.elements.len()).map(|index| Self { deal: Arc::clone(&self.deal), index });
        let weights: Vec<u64> = all.map(|share| share.scale(value)).collect();
        let index = weights.iter().take(self.index).filter(|weight| **weight > 0).count();
        let lengths: Option<Vec<Ratio>> =
            weights.iter().filter(|weight| **weight > 0).map(|weight| Ratio::new(*weight, value)).collect();
        // A value too large to be cut exactly is so large that the segment's own proportion is right to within one in a million.
        let deal = lengths.as_deref().and_then(Deal::new);
        Some(deal.map_or_else(|| self.clone(), |deal| Self { deal: Arc::new(deal), index }))
    }
}

impl Deal {
    /// `None` where the cycle is too long. The lengths add up to 1.
    fn new(lengths: &[Ratio]) -> Option<Self> {
        let cycle = lengths.iter().try_fold(1u64, |cycle, length| {
            let step = length.denominator() / greatest_common_divisor(cycle, length.denominator());
            cycle.checked_mul(step).filter(|cycle| *cycle <= CYCLE_MAX)
        })?;
        let weights: Vec<u64> =
            lengths.iter().map(|length| length.numerator() * (cycle / length.denominator())).collect();
        if cycle.checked_mul(weights.len() as u64)? > STEPS_MAX {
            return None;
        }
        let mut order: Vec<usize> = (0..weights.len()).collect();
        order.sort_by_key(|index| std::cmp::Reverse(weights.get(*index).copied()));
        let mut elements: Vec<Vec<u64>> = vec![Vec::new(); weights.len()];
        for element in 0..cycle {
            let is_due = |index: &usize| {
                let weight = weights.get(*index).copied().unwrap_or(0);
                let count = elements.get(*index).map_or(0, Vec::len) as u64;
                // e ≥ c·L/w without the division; both sides are at most 10¹².
                count < weight && element * weight >= count * cycle
            };
            let taker = order.iter().copied().find(is_due)?;
            elements.get_mut(taker)?.push(element);
        }
        Some(Self { cycle, elements })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn share(segment: &str, sequence: &str) -> Share {
        let sequence = (!sequence.is_empty()).then(|| SegmentSequence::parse(sequence).unwrap());
        Share::new(Some(Segment::parse(segment).unwrap()), sequence.as_ref()).unwrap()
    }

    #[test]
    fn elements_are_dealt_out_by_weight() {
        // Thirds take turns.
        assert_eq!(share("0:1/3", "0,1/3,2/3,1").elements(), [0]);
        assert_eq!(share("1/3:2/3", "0,1/3,2/3,1").elements(), [1]);
        assert_eq!(share("2/3:1", "0,1/3,2/3,1").elements(), [2]);
        // L = 4, weights 2, 1, 1: the half takes 0 and 2, the quarters what is left.
        assert_eq!(share("0:1/2", "0,1/2,3/4,1").elements(), [0, 2]);
        assert_eq!(share("1/2:3/4", "0,1/2,3/4,1").elements(), [1]);
        assert_eq!(share("3/4:1", "0,1/2,3/4,1").elements(), [3]);
        // Without a sequence the rest is one segment, and the larger one goes first: L = 3, weights 1 and 2.
        assert_eq!(share("1/3", "").elements(), [1]);
        assert_eq!(share("1/3:1", "").elements(), [0, 2]);
    }

    #[test]
    fn values_are_scaled_and_numbered() {
        let half = share("0:1/2", "0,1/2,3/4,1");
        let scaled: Vec<u64> = (0..=9).map(|value| half.scale(value)).collect();
        assert_eq!(scaled, [0, 1, 1, 2, 2, 3, 3, 4, 4, 5]);
        let numbers: Vec<Option<u64>> = (0..5).map(|k| half.nth(k)).collect();
        assert_eq!(numbers, [Some(0), Some(2), Some(4), Some(6), Some(8)]);
        let quarter = share("3/4:1", "0,1/2,3/4,1");
        assert_eq!((quarter.scale(3), quarter.scale(4), quarter.nth(1)), (0, 1, Some(7)));
        assert_eq!(Share::whole().scale(u64::MAX), u64::MAX);
        assert_eq!(half.nth(u64::MAX), None);
    }

    #[test]
    fn a_share_by_weight_is_what_the_vus_are_of_all() {
        // A half of 3 VUs is 2 of them (elements 0 and 2 of a cycle of 2), so two thirds of the iterations.
        let half = share("0:1/2", "0,1/2,1");
        assert_eq!(half.scale(3), 2);
        let two_thirds = half.by_weight_of(3).unwrap();
        assert_eq!((two_thirds.cycle(), two_thirds.scale(9)), (3, 6));
        let other = share("1/2:1", "0,1/2,1").by_weight_of(3).unwrap();
        assert_eq!(other.scale(9), 3);
        assert_eq!(half.by_weight_of(4), Some(half.clone()));
        assert_eq!(share("3/4:1", "0,1/2,3/4,1").by_weight_of(3), None);
        assert_eq!(half.by_weight_of(0), None);
    }

    #[test]
    fn segments_must_occur_and_be_coarse() {
        let said = |segment: &str, sequence: &str| {
            let sequence = SegmentSequence::parse(sequence).unwrap();
            Share::new(Some(Segment::parse(segment).unwrap()), Some(&sequence)).unwrap_err().message
        };
        assert_eq!(said("1/3:1/2", "0,1/2,1"), "provided segment 1/3:1/2 can't be found in sequence 0,1/2,1");
        let fine = Share::new(Some(Segment::parse("1/999999937").unwrap()), None).unwrap_err();
        assert!(fine.message.ends_with("are too fine to be dealt out"), "{fine}");
    }

    /// Cuts of 0…1 at points with small denominators.
    fn cuts() -> impl Strategy<Value = String> {
        let points = proptest::collection::vec((1u64..24, 2u64..24), 0..6);
        points.prop_map(|points| {
            let inner = points.into_iter().filter(|(n, d)| n < d).filter_map(|(n, d)| Ratio::new(n, d));
            let mut all: Vec<Ratio> = [Ratio::ZERO, Ratio::ONE].into_iter().chain(inner).collect();
            all.sort();
            all.dedup();
            all.iter().map(Ratio::to_string).collect::<Vec<_>>().join(",")
        })
    }

    proptest! {
        #[test]
        fn shares_add_up_to_the_whole_and_grow(cuts in cuts(), value in 0u64..100_000) {
            let sequence = SegmentSequence::parse(&cuts).unwrap();
            let shares: Result<Vec<Share>, Fault> =
                sequence.segments().iter().map(|segment| Share::new(Some(*segment), Some(&sequence))).collect();
            // Denominators below 24 may still multiply to more than a million.
            let Ok(shares) = shares else { return Ok(()) };
            prop_assert_eq!(shares.iter().map(|share| share.scale(value)).sum::<u64>(), value);
            for (share, segment) in shares.iter().zip(sequence.segments()) {
                prop_assert!(share.scale(value) <= share.scale(value + 1));
                // Never further than one element from its proportion: what striping is for.
                let exact = segment.length_ratio() * value as f64;
                prop_assert!((share.scale(value) as f64 - exact).abs() <= shares.len() as f64, "{} {}", exact, share.scale(value));
            }
            let mut cycle: Vec<u64> = shares.iter().flat_map(|share| share.elements().to_vec()).collect();
            cycle.sort_unstable();
            prop_assert!(cycle.iter().copied().eq(0..shares[0].cycle()));
        }

        #[test]
        fn numbers_are_the_inverse_of_scaling(cuts in cuts(), k in 0u64..10_000) {
            let sequence = SegmentSequence::parse(&cuts).unwrap();
            let Ok(share) = Share::new(sequence.segments().first().copied(), Some(&sequence)) else { return Ok(()) };
            let number = share.nth(k).unwrap();
            prop_assert_eq!((share.scale(number), share.scale(number + 1)), (k, k + 1));
        }

        #[test]
        fn shares_by_weight_add_up_too(cuts in cuts(), vus in 1u64..500, iterations in 0u64..5_000) {
            let sequence = SegmentSequence::parse(&cuts).unwrap();
            let shares: Result<Vec<Share>, Fault> =
                sequence.segments().iter().map(|segment| Share::new(Some(*segment), Some(&sequence))).collect();
            let Ok(shares) = shares else { return Ok(()) };
            let weighted = shares.iter().filter_map(|share| share.by_weight_of(vus));
            prop_assert_eq!(weighted.map(|share| share.scale(iterations)).sum::<u64>(), iterations);
        }
    }
}
