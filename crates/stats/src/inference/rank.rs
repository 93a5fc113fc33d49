//! Tests by ranks: nothing is assumed of the values' shape, and an outlier weighs no more than any other extreme.
//!
//! Exact by counting arrangements where there are no ties and few values, else by the normal approximation with corrections for ties and continuity.

use super::normal_below;

/// Up to so many values on either side the arrangements are counted: beyond it the normal approximation is good to three digits.
const EXACT_COUNT_MAX: usize = 50;

/// Two-sided p-value of H. B. Mann and D. R. Whitney, Ann. Math. Stat. 18 (1947): whether values of one side tend to be greater than those of the other.
/// 1 when a side is empty.
pub fn mann_whitney_p(a: &[f64], b: &[f64]) -> f64 {
    let (m, n) = (a.len(), b.len());
    if m == 0 || n == 0 {
        return 1.0;
    }
    let all: Vec<f64> = a.iter().chain(b).copied().collect();
    let ranked = Ranked::of(&all);
    let rank_sum: f64 = ranked.ranks.iter().take(m).sum();
    let u = rank_sum - (m * (m + 1)) as f64 / 2.0;
    if !ranked.has_ties && m <= EXACT_COUNT_MAX && n <= EXACT_COUNT_MAX {
        return two_sided(&mann_whitney_counts(m, n), u);
    }
    let (m, n) = (m as f64, n as f64);
    let all = m + n;
    let variance = m * n / 12.0 * (all + 1.0 - ranked.tie_sum / (all * (all - 1.0)));
    normal_p(u - m * n / 2.0, variance)
}

/// Two-sided p-value of F. Wilcoxon, Biometrics Bull. 1 (1945), for paired differences: whether they lie about 0. Zeros are left out. 1 when none is left.
///
/// Where the order within each pair was drawn by lot it is exact under "no difference" whatever the noise does from pair to pair, since drawing the
/// other order would only have turned the sign.
pub fn signed_rank_p(differences: &[f64]) -> f64 {
    let differences: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
    let n = differences.len();
    if n == 0 {
        return 1.0;
    }
    let sizes: Vec<f64> = differences.iter().map(|d| d.abs()).collect();
    let ranked = Ranked::of(&sizes);
    let positive: f64 =
        ranked.ranks.iter().zip(&differences).filter(|(_, d)| **d > 0.0).map(|(rank, _)| rank).sum();
    if !ranked.has_ties && n <= EXACT_COUNT_MAX {
        return two_sided(&signed_rank_counts(n), positive);
    }
    let n = n as f64;
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ranked.tie_sum / 48.0;
    normal_p(positive - n * (n + 1.0) / 4.0, variance)
}

/// Ranks from 1, equal values sharing the mean of theirs.
struct Ranked {
    ranks: Vec<f64>,
    has_ties: bool,
    /// Σ (t³ − t) over groups of t equal values.
    tie_sum: f64,
}

impl Ranked {
    fn of(values: &[f64]) -> Self {
        let mut order: Vec<(f64, usize)> = values.iter().copied().zip(0..).collect();
        order.sort_unstable_by(|x, y| x.0.total_cmp(&y.0));
        let mut ranked = Self { ranks: vec![0.0; values.len()], has_ties: false, tie_sum: 0.0 };
        let mut before = 0;
        for group in order.chunk_by(|x, y| x.0 == y.0) {
            let rank = before as f64 + (group.len() + 1) as f64 / 2.0;
            for (_, index) in group {
                if let Some(place) = ranked.ranks.get_mut(*index) {
                    *place = rank;
                }
            }
            let tied = group.len() as f64;
            ranked.tie_sum += tied.powi(3) - tied;
            ranked.has_ties |= group.len() > 1;
            before += group.len();
        }
        ranked
    }
}

/// How many of the arrangements of m and n values give each U: the coefficients of the Gaussian binomial, built up factor by factor.
fn mann_whitney_counts(m: usize, n: usize) -> Vec<f64> {
    let mut counts = vec![0.0; m * n + 1];
    if let Some(first) = counts.first_mut() {
        *first = 1.0;
    }
    for i in 1..=m {
        // × (1 − x^(n+i)), from the top; then ÷ (1 − x^i), from the bottom.
        for at in (n + i..counts.len()).rev() {
            let lower = counts.get(at - n - i).copied().unwrap_or(0.0);
            counts.get_mut(at).into_iter().for_each(|count| *count -= lower);
        }
        for at in i..counts.len() {
            let lower = counts.get(at - i).copied().unwrap_or(0.0);
            counts.get_mut(at).into_iter().for_each(|count| *count += lower);
        }
    }
    counts
}

/// How many of the 2ⁿ signs give each sum of positive ranks.
fn signed_rank_counts(n: usize) -> Vec<f64> {
    let mut counts = vec![0.0; n * (n + 1) / 2 + 1];
    if let Some(first) = counts.first_mut() {
        *first = 1.0;
    }
    for rank in 1..=n {
        for at in (rank..counts.len()).rev() {
            let lower = counts.get(at - rank).copied().unwrap_or(0.0);
            counts.get_mut(at).into_iter().for_each(|count| *count += lower);
        }
    }
    counts
}

/// Twice the smaller tail of a symmetric distribution of counts over 0, 1, 2, …
fn two_sided(counts: &[f64], statistic: f64) -> f64 {
    let whole: f64 = counts.iter().sum();
    let least = statistic.min((counts.len() - 1) as f64 - statistic);
    let tail: f64 = counts.iter().take(least as usize + 1).sum();
    (2.0 * tail / whole).min(1.0)
}

fn normal_p(off: f64, variance: f64) -> f64 {
    if variance <= 0.0 {
        return 1.0;
    }
    // Half a step for continuity, never across the middle.
    let off = (off.abs() - 0.5).max(0.0);
    (2.0 * normal_below(-off / variance.sqrt())).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(got: f64, expected: f64, by: f64) {
        assert!((got - expected).abs() <= by, "{got} against {expected}");
    }

    #[test]
    fn permeability_of_the_chorioamnion() {
        // Hollander and Wolfe, Nonparametric Statistical Methods (1973), p. 69 ff.: W = 35, one-sided p = 0.1272.
        let at_term = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
        let early = [1.15, 0.88, 0.90, 0.74, 1.21];
        near(mann_whitney_p(&at_term, &early), 2.0 * 0.1272, 1e-4);
        near(mann_whitney_p(&early, &at_term), 2.0 * 0.1272, 1e-4);
    }

    #[test]
    #[expect(clippy::approx_constant, reason = "3.14 is a measurement")]
    fn depression_before_and_after() {
        // Hollander and Wolfe (1973), p. 29 ff.: V = 40, one-sided p = 0.01953.
        let first = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
        let second = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
        let differences: Vec<f64> = first.iter().zip(second).map(|(first, second)| first - second).collect();
        near(signed_rank_p(&differences), 2.0 * 0.01953, 2e-5);
    }

    #[test]
    fn counting_agrees_with_trying_all() {
        let all: Vec<f64> = (1..=7).map(f64::from).collect();
        let mut counts = vec![0.0; 13];
        for mask in 0u32..128 {
            if mask.count_ones() == 3 {
                let sum: u32 = (0..7).filter(|bit| mask >> bit & 1 == 1).map(|bit| bit + 1).sum();
                counts[sum as usize - 6] += 1.0;
            }
        }
        assert_eq!(mann_whitney_counts(3, 4), counts);
        near(mann_whitney_p(&all[..3], &all[3..]), 2.0 / 35.0, 1e-12);
        assert_eq!(signed_rank_counts(3), [1.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0]);
        assert_eq!(signed_rank_p(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), 2.0 / 64.0);
    }

    #[test]
    fn ties_and_many_values_are_approximated() {
        let a: Vec<f64> = (0..60).map(f64::from).collect();
        let b: Vec<f64> = (0..60).map(|n| f64::from(n) + 0.5).collect();
        let exact_near = mann_whitney_p(&a[..50], &b[..50]);
        near(mann_whitney_p(&a, &b), exact_near, 0.02);
        assert_eq!(mann_whitney_p(&[1.0; 5], &[1.0; 5]), 1.0);
        assert_eq!((mann_whitney_p(&[], &[1.0]), signed_rank_p(&[0.0])), (1.0, 1.0));
        // By hand: ranks 1½ 1½ 3½ 5 sum to 11½, U = 1½ of 8 expected, variance 16/12·(9 − 12/56) = 11.714, z = 6/3.4226.
        near(
            mann_whitney_p(&[1.0, 1.0, 2.0, 3.0], &[2.0, 4.0, 5.0, 6.0]),
            2.0 * normal_below(-6.0 / 3.4226),
            1e-5,
        );
    }
}
