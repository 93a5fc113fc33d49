//! How wrong an estimate may be, in the forms that few values allow; each gives an interval's half width and a claim's p-value.

use super::{mean, normal_below, normal_quantile, stdev, student_below, student_quantile};

/// The distribution of an estimate's error, symmetric about 0.
#[derive(Debug, Clone, PartialEq)]
pub enum Spread {
    /// Known: normal with this standard error.
    Normal {
        /// Standard error.
        se: f64,
    },
    /// Estimated from few values: Student's t.
    Student {
        /// Standard error.
        se: f64,
        /// Degrees of freedom.
        freedom: f64,
    },
    /// Resampled: the greater of Student's t and what resamples show, so that neither few nor skewed values make an interval too short.
    Resampled {
        /// Standard error.
        se: f64,
        /// Degrees of freedom.
        freedom: f64,
        /// Absolute deviations of the resamples in standard errors of the sample, ascending.
        deviations: Vec<f64>,
    },
}

impl Spread {
    /// Standard error of the estimate.
    pub fn se(&self) -> f64 {
        match self {
            Self::Normal { se } | Self::Student { se, .. } | Self::Resampled { se, .. } => *se,
        }
    }

    /// The same with a standard error that is no less than `floor`: values are only known to so much.
    #[must_use]
    pub fn at_least(mut self, floor: f64) -> Self {
        match &mut self {
            Self::Normal { se } | Self::Student { se, .. } | Self::Resampled { se, .. } => {
                *se = se.max(floor);
            }
        }
        self
    }

    /// Probability that the error is at least `distance` in either direction: the p-value of "the truth is not so far away".
    pub fn p_beyond(&self, distance: f64) -> f64 {
        let se = self.se();
        if distance <= 0.0 || se.is_nan() {
            return 1.0;
        }
        let t = if se > 0.0 { distance / se } else { f64::INFINITY };
        match self {
            Self::Normal { .. } => 2.0 * normal_below(-t),
            Self::Student { freedom, .. } => 2.0 * student_below(-t, *freedom),
            Self::Resampled { freedom, deviations, .. } => {
                let first_beyond = deviations.partition_point(|deviation| *deviation < t);
                let beyond = deviations.len() - first_beyond;
                // Counting the sample itself keeps the p-value valid (A. C. Davison and D. V. Hinkley, Bootstrap Methods, §4.2.3).
                let resampled = (beyond + 1) as f64 / (deviations.len() + 1) as f64;
                resampled.max(2.0 * student_below(-t, *freedom))
            }
        }
    }

    /// Half the width of the interval that covers the truth with probability 1 − `alpha`; infinite where the values don't carry it.
    pub fn half_width(&self, alpha: f64) -> f64 {
        let se = self.se();
        match self {
            Self::Normal { .. } => -normal_quantile(alpha / 2.0) * se,
            Self::Student { freedom, .. } => -student_quantile(alpha / 2.0, *freedom) * se,
            Self::Resampled { freedom, deviations, .. } => {
                // The least deviation of which p_beyond is at most alpha: (beyond + 1)/(count + 1) ≤ alpha.
                let beyond = (alpha * (deviations.len() + 1) as f64 + 1e-9).floor() - 1.0;
                let resampled = if beyond < 0.0 {
                    f64::INFINITY
                } else {
                    let index = deviations.len().checked_sub(beyond as usize + 1);
                    index.and_then(|index| deviations.get(index)).copied().unwrap_or(0.0)
                };
                let errors = resampled.max(-student_quantile(alpha / 2.0, *freedom));
                // Infinitely many errors of nothing: 0 · ∞ is no width.
                if errors.is_infinite() { errors } else { errors * se }
            }
        }
    }
}

/// Mean of b − mean of a, neither spread assumed equal: B. L. Welch, Biometrika 34 (1947), with Satterthwaite's degrees of freedom.
/// `None` below two values on either side.
pub fn welch(a: &[f64], b: &[f64]) -> Option<(f64, Spread)> {
    let share = |values: &[f64]| stdev(values).map(|stdev| stdev * stdev / values.len() as f64);
    let (a_share, b_share) = (share(a)?, share(b)?);
    let difference = mean(b)? - mean(a)?;
    let sum = a_share + b_share;
    let freedom = if sum > 0.0 {
        sum * sum / (a_share * a_share / (a.len() - 1) as f64 + b_share * b_share / (b.len() - 1) as f64)
    } else {
        (a.len() + b.len() - 2) as f64
    };
    Some((difference, Spread::Student { se: sum.sqrt(), freedom }))
}

/// Mean of the fewer values − mean of the others, where the fewer are too few to show a spread of their own and are taken to scatter as the others
/// do: a prediction interval, se = s·√(1/n + 1/m) with n − 1 degrees (G. J. Hahn and W. Q. Meeker, Statistical Intervals, §4.7).
/// `None` below two of the others or without any of the fewer.
pub fn prediction(others: &[f64], fewer: &[f64]) -> Option<(f64, Spread)> {
    let stdev = stdev(others)?;
    let se = stdev * (1.0 / others.len() as f64 + 1.0 / fewer.len() as f64).sqrt();
    Some((mean(fewer)? - mean(others)?, Spread::Student { se, freedom: (others.len() - 1) as f64 }))
}

/// Mean of paired differences: Student, Biometrika 6 (1908). `None` below two.
pub fn paired(differences: &[f64]) -> Option<(f64, Spread)> {
    let count = differences.len() as f64;
    let se = stdev(differences)? / count.sqrt();
    Some((mean(differences)?, Spread::Student { se, freedom: count - 1.0 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Student's sleep data (Cushny and Peebles 1905, as in Student 1908 and in R's `sleep`).
    const FIRST: [f64; 10] = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
    const SECOND: [f64; 10] = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];

    fn near(got: f64, expected: f64, by: f64) {
        assert!((got - expected).abs() <= by, "{got} against {expected}");
    }

    #[test]
    fn welchs_test_of_the_sleep_data() {
        // R 4.3, t.test(extra ~ group): t = -1.8608, df = 17.776, p-value = 0.07939, interval -3.3654832 … 0.2054832.
        let (difference, spread) = welch(&FIRST, &SECOND).unwrap();
        near(difference, 1.58, 1e-12);
        let Spread::Student { se, freedom } = spread else { unreachable!("Welch's is Student's t") };
        near(difference / se, 1.8608, 5e-5);
        near(freedom, 17.776, 5e-4);
        near(spread.p_beyond(difference), 0.07939, 5e-6);
        near(difference + spread.half_width(0.05), 3.365_483_2, 1e-6);
        near(difference - spread.half_width(0.05), -0.205_483_2, 1e-6);
    }

    #[test]
    fn the_paired_test_of_the_sleep_data() {
        // R 4.3, paired: t = -4.0621, df = 9, p-value = 0.002833, interval -2.4598858 … -0.7001142.
        let differences: Vec<f64> = FIRST.iter().zip(SECOND).map(|(first, second)| second - first).collect();
        let (difference, spread) = paired(&differences).unwrap();
        near(difference / spread.se(), 4.0621, 5e-5);
        near(spread.p_beyond(difference), 0.002833, 5e-7);
        near(difference + spread.half_width(0.05), 2.459_885_8, 1e-6);
    }

    #[test]
    fn a_prediction_interval_of_the_books() {
        // Hahn and Meeker, §4.7: five readings with mean 50.10 and s 1.31; a 95 % interval for one more is 46.1 … 54.1.
        let readings = [51.4, 49.5, 48.7, 49.3, 51.6];
        near(mean(&readings).unwrap(), 50.10, 0.005);
        near(stdev(&readings).unwrap(), 1.31, 0.005);
        let (_, spread) = prediction(&readings, &[50.1]).unwrap();
        near(50.10 - spread.half_width(0.05), 46.1, 0.05);
        near(50.10 + spread.half_width(0.05), 54.1, 0.05);
    }

    #[test]
    fn the_interval_and_the_p_value_agree() {
        let deviations: Vec<f64> = (1..=999).map(|n| f64::from(n) / 250.0).collect();
        let spreads = [
            Spread::Normal { se: 0.7 },
            Spread::Student { se: 0.7, freedom: 3.0 },
            Spread::Resampled { se: 0.7, freedom: 40.0, deviations },
        ];
        for spread in spreads {
            for alpha in [0.5, 0.05, 0.011] {
                let half = spread.half_width(alpha);
                assert!(spread.p_beyond(half * 1.000_001) <= alpha + 1e-9, "{spread:?} {alpha}");
                assert!(spread.p_beyond(half * 0.998) > alpha, "{spread:?} {alpha}");
            }
        }
        let few = Spread::Resampled { se: 1.0, freedom: 40.0, deviations: vec![1.0; 99] };
        assert_eq!(few.half_width(0.009), f64::INFINITY);
        assert!(few.half_width(0.01).is_finite());
    }
}
