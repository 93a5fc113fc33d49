//! Means and spreads of few values.

/// Arithmetic mean; `None` of nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Standard deviation with n − 1 in the denominator; `None` below two values.
pub fn stdev(values: &[f64]) -> Option<f64> {
    let middle = mean(values)?;
    let sum: f64 = values.iter().map(|value| (value - middle).powi(2)).sum();
    (values.len() > 1).then(|| (sum / (values.len() - 1) as f64).sqrt())
}

/// The middle value, or the mean of the two middle ones; `None` of nothing.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = *sorted.get((sorted.len() - 1) / 2)?;
    Some(0.5 * (lower + upper))
}

/// A trimmed mean, its standard error and its degrees of freedom: the `trim` share (0..0.5) is left out at each end, and the error follows from
/// the winsorised variance: se = s_w / ((1 − 2·trim)·√n) with n − 2g − 1 degrees, g = ⌊trim·n⌋ (J. W. Tukey and D. H. McLaughlin, Sankhyā A 25, 1963;
/// R. R. Wilcox, Introduction to Robust Estimation, 3rd ed., §3.3.2). With g = 0 it is the mean and Student's error. `None` below two values.
///
/// `values` is sorted in place.
pub fn trimmed(values: &mut [f64], trim: f64) -> Option<(f64, f64, f64)> {
    values.sort_unstable_by(f64::total_cmp);
    let n = values.len();
    let cut = (trim * n as f64) as usize;
    let (low, high) = (*values.get(cut)?, *values.get((n - 1).checked_sub(cut)?)?);
    let kept = n.checked_sub(2 * cut).filter(|kept| *kept > 1)?;
    let middle = values.iter().skip(cut).take(kept).sum::<f64>() / kept as f64;
    let winsorised_mean = values.iter().map(|value| value.clamp(low, high)).sum::<f64>() / n as f64;
    let squares: f64 = values.iter().map(|value| (value.clamp(low, high) - winsorised_mean).powi(2)).sum();
    let stdev = (squares / (n - 1) as f64).sqrt();
    // The share that is really left out: with few values it is less than `trim`.
    let kept_share = kept as f64 / n as f64;
    Some((middle, stdev / (kept_share * (n as f64).sqrt()), (kept - 1) as f64))
}

/// The trimmed mean alone.
pub fn trimmed_mean(values: &[f64], trim: f64) -> Option<f64> {
    trimmed(&mut values.to_vec(), trim).map(|(middle, _, _)| middle).or_else(|| mean(values))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_published_trimmed_mean() {
        // Wilcox, Introduction to Robust Estimation, §3.3: the self-awareness data, 20 % trimmed mean 283, standard error 56.1.
        let mut values = [
            77.0, 87.0, 88.0, 114.0, 151.0, 210.0, 219.0, 246.0, 253.0, 262.0, 296.0, 299.0, 306.0, 376.0,
            428.0, 515.0, 666.0, 1310.0, 2611.0,
        ];
        let (middle, se, freedom) = trimmed(&mut values, 0.2).unwrap();
        assert!((middle - 282.69).abs() < 0.02, "{middle}");
        // With g = 3 of 19 the share left out is 0.158 at an end; Wilcox divides by 0.6, here it is 13/19.
        assert!((se * (13.0 / 19.0) / 0.6 - 56.1).abs() < 0.1, "{se}");
        assert_eq!(freedom, 12.0);
    }

    #[test]
    fn few_values() {
        assert_eq!((mean(&[]), stdev(&[1.0]), median(&[])), (None, None, None));
        assert_eq!(median(&[3.0, 1.0, 2.0, 10.0]), Some(2.5));
        assert_eq!(trimmed(&mut [1.0], 0.2), None);
        assert_eq!(trimmed_mean(&[1.0], 0.2), Some(1.0));
        let (middle, se, freedom) = trimmed(&mut [1.0, 3.0], 0.2).unwrap();
        assert_eq!((middle, se, freedom), (2.0, 1.0, 1.0));
    }
}
