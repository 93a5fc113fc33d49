//! Intervals of a quantile from the order of the values alone: no shape is assumed, but the values must be independent of each other.

use super::binomial_below;

/// Ranks (from 1) between whose values the quantile lies, and how certain that is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrderInterval {
    /// Rank of the lower end.
    pub low_rank: u64,
    /// Rank of the upper end.
    pub high_rank: u64,
    /// The exact probability that the interval covers the quantile, at least what was asked for.
    pub coverage: f64,
}

/// The interval of the `quantile` (0..1) of `count` independent values with coverage of at least 1 − `alpha`, each tail at most alpha/2:
/// P(X_(l) ≤ q < X_(u)) = P(l ≤ B < u), B binomial (H. A. David and H. N. Nagaraja, Order Statistics, 3rd ed., §7.1).
/// `None` where the values are too few for a finite interval.
pub fn quantile_ranks(count: u64, quantile: f64, alpha: f64) -> Option<OrderInterval> {
    let below = |rank: u64| binomial_below(rank, count, quantile);
    // The greatest l with P(B ≤ l − 1) ≤ alpha/2, and the least u with P(B ≤ u − 1) ≥ 1 − alpha/2.
    let low_rank = first_rank(count, |rank| below(rank) > alpha / 2.0);
    let high_rank = first_rank(count, |rank| below(rank) >= 1.0 - alpha / 2.0).checked_add(1)?;
    if low_rank == 0 || high_rank > count {
        return None;
    }
    Some(OrderInterval { low_rank, high_rank, coverage: below(high_rank - 1) - below(low_rank - 1) })
}

/// The first rank in 0..=count at which a condition that stays true becomes true.
fn first_rank(count: u64, is_true: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_true(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Random;

    #[test]
    fn medians_of_the_tables() {
        // The table of the median's 95 % intervals in the books (as in W. J. Conover, Practical Nonparametric Statistics, §3.2): sums of binomial
        // coefficients over 2ⁿ, such as 1 − 2·(1 + 10)/1024 for n = 10.
        for (count, low, high, coverage) in [
            (6, 1, 6, 0.9688),
            (8, 1, 8, 0.9922),
            (9, 2, 8, 0.9609),
            (10, 2, 9, 0.9785),
            (15, 4, 12, 0.9648),
            (20, 6, 15, 0.9586),
        ] {
            let interval = quantile_ranks(count, 0.5, 0.05).unwrap();
            assert_eq!((interval.low_rank, interval.high_rank), (low, high), "n = {count}");
            assert!((interval.coverage - coverage).abs() < 5e-5, "{interval:?}");
        }
        assert_eq!(quantile_ranks(5, 0.5, 0.05), None);
        assert_eq!(quantile_ranks(0, 0.5, 0.05), None);
        assert_eq!(quantile_ranks(100, 0.99, 0.05), None);
    }

    #[test]
    fn the_quantile_is_covered_as_often_as_is_said() {
        let trials = 2_000;
        for (count, quantile) in [(50, 0.5), (400, 0.9), (1_000, 0.99)] {
            let interval = quantile_ranks(count, quantile, 0.05).unwrap();
            let covered = (0..trials).filter(|trial| {
                let mut random = Random::stream(count, *trial);
                let mut values: Vec<f64> = (0..count).map(|_| random.unit()).collect();
                values.sort_unstable_by(f64::total_cmp);
                let at = |rank: u64| values[rank as usize - 1];
                at(interval.low_rank) <= quantile && quantile < at(interval.high_rank)
            });
            let share = covered.count() as f64 / trials as f64;
            assert!((share - interval.coverage).abs() < 0.015, "{count}: {share} against {interval:?}");
            assert!(interval.coverage >= 0.95);
        }
    }
}
