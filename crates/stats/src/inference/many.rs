//! Many rows, one table: what keeps chance from finding something in it.
//!
//! Step-up procedure of Y. Benjamini and Y. Hochberg, J. R. Stat. Soc. B 57 (1995): of the claims made, at most the share `alpha` is wrong on
//! average, and where there is nothing to find the chance of any claim is at most `alpha`. The rows of a comparison depend on each other positively
//! (p50 moves with p90), for which it holds too (Y. Benjamini and D. Yekutieli, Ann. Stat. 29, 2001). Rows with a claim have their
//! intervals at the level that the step-up reached, so that interval and claim agree (the same, J. Am. Stat. Assoc. 100, 2005).

/// How many of the p-values are discoveries: the greatest r such that r of them are at most r·alpha/count.
pub fn discoveries(p_values: &[f64], alpha: f64) -> usize {
    let mut sorted = p_values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let count = sorted.len() as f64;
    let reached = sorted.iter().zip(1..).filter(|(p, rank)| **p <= f64::from(*rank) * alpha / count);
    reached.map(|(_, rank)| rank as usize).max().unwrap_or(0)
}

/// The level for a single row when `discovered` of `count` rows are discoveries.
pub fn level_per_row(discovered: usize, count: usize, alpha: f64) -> f64 {
    alpha * discovered.clamp(1, count.max(1)) as f64 / count.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Random;

    #[test]
    fn the_example_of_the_paper() {
        // Benjamini and Hochberg 1995, §4.1: thrombolysis, 15 comparisons; four are found where Bonferroni finds three.
        let p_values = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719,
            0.6528, 0.7590, 1.000,
        ];
        assert_eq!(discoveries(&p_values, 0.05), 4);
        assert_eq!(p_values.iter().filter(|p| **p <= 0.05 / 15.0).count(), 3);
        assert_eq!((discoveries(&[], 0.05), discoveries(&[0.2, 1.0], 0.05)), (0, 0));
        assert_eq!(level_per_row(4, 15, 0.05), 0.05 * 4.0 / 15.0);
    }

    #[test]
    fn without_anything_to_find_little_is_found() {
        let mut random = Random::new(5);
        let trials = 4_000;
        let found = (0..trials)
            .filter(|_| {
                let p_values: Vec<f64> = (0..12).map(|_| random.unit()).collect();
                discoveries(&p_values, 0.05) > 0
            })
            .count();
        let share = found as f64 / f64::from(trials);
        // Exactly 5 % for independent p-values; three standard errors of 4000 trials are 1 %.
        assert!((0.04..0.06).contains(&share), "{share}");
    }
}
