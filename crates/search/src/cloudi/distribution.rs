//! Words for skewness and kurtosis, and which distribution they could be of, as CloudI decides it.
//!
//! Source: CloudI's `cloudi_statistics`. The decision knows two numbers only, so it can't tell two humps from one: see
//! [`super::conclusions`].

use std::fmt;

/// How lopsided (M. G. Bulmer, Principles of Statistics, 1979).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skewness {
    /// Beyond ±1.
    High,
    /// ±0.5 to ±1.
    Moderate,
    /// Within ±0.5.
    Symmetric,
}

impl Skewness {
    /// The word for a skewness.
    pub fn of(skewness: f64) -> Self {
        match skewness.abs() {
            s if s > 1.0 => Self::High,
            s if s >= 0.5 => Self::Moderate,
            _ => Self::Symmetric,
        }
    }
}

impl fmt::Display for Skewness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::High => "highly_skewed",
            Self::Moderate => "moderately_skewed",
            Self::Symmetric => "approximately_symmetric",
        })
    }
}

/// How heavy the tails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kurtosis {
    /// Heavier than normal.
    Lepto,
    /// Lighter than normal.
    Platy,
    /// Within ±0.05 of normal.
    Meso,
}

impl Kurtosis {
    /// The word for an excess kurtosis, by its tenths, rounded half away from zero.
    pub fn of(kurtosis: f64) -> Self {
        match (10.0 * kurtosis).round() {
            tenths if tenths > 0.0 => Self::Lepto,
            tenths if tenths < 0.0 => Self::Platy,
            _ => Self::Meso,
        }
    }
}

impl fmt::Display for Kurtosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lepto => "leptokurtic",
            Self::Platy => "platykurtic",
            Self::Meso => "mesokurtic",
        })
    }
}

/// What two numbers could be of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distribution {
    /// Skewness 0, kurtosis 0.
    Normal,
    /// Skewness 0, kurtosis −1.2.
    Uniform,
    /// Skewness 0, kurtosis 1.2.
    Logistic,
    /// Skewness 0, kurtosis −0.59.
    RaisedCosine,
    /// Skewness 2, kurtosis 6.
    Exponential,
    /// Kurtosis 1.5 times the square of the skewness.
    Gamma,
    /// Kurtosis by the skewness as of a log-normal distribution.
    LogNormal,
    /// None of these.
    Undefined,
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Normal => "normal",
            Self::Uniform => "uniform",
            Self::Logistic => "logistic",
            Self::RaisedCosine => "raised_cosine",
            Self::Exponential => "exponential",
            Self::Gamma => "gamma_family",
            Self::LogNormal => "log_normal_family",
            Self::Undefined => "undefined",
        })
    }
}

/// CloudI's decision from skewness and excess kurtosis alone. All comparisons are strict.
pub fn distribution(skewness: f64, kurtosis: f64) -> Distribution {
    let ds = if skewness.abs() >= 4.0 { 0.5 * skewness.abs().sqrt() } else { 0.25 };
    let dk = if kurtosis >= 9.0 { 0.5 * kurtosis.sqrt() } else { 0.175 };
    let within = |value: f64, of: f64, window: f64| of - window < value && value < of + window;
    if within(skewness, 0.0, ds) {
        let pi = std::f64::consts::PI;
        let raised_cosine = 6.0 * (90.0 - pi.powi(4)) / (5.0 * (pi * pi - 6.0).powi(2));
        let symmetric = [
            (0.0, Distribution::Normal),
            (-1.2, Distribution::Uniform),
            (1.2, Distribution::Logistic),
            (raised_cosine, Distribution::RaisedCosine),
        ];
        if let Some((_, found)) = symmetric.into_iter().find(|(of, _)| within(kurtosis, *of, dk)) {
            return found;
        }
    } else if within(skewness, 2.0, ds) && within(kurtosis, 6.0, dk) {
        return Distribution::Exponential;
    }
    let mut best: Option<(f64, Distribution)> = None;
    for (expected, family) in
        [(gamma as fn(f64) -> f64, Distribution::Gamma), (log_normal, Distribution::LogNormal)]
    {
        let at = expected(skewness);
        let is_near = within(kurtosis, at, dk);
        let is_between = expected(skewness - ds) < kurtosis && kurtosis < expected(skewness + ds);
        let distance = (at - kurtosis).abs();
        if (is_near || is_between) && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, family));
        }
    }
    best.map_or(Distribution::Undefined, |(_, family)| family)
}

/// A gamma distribution's kurtosis by its skewness; CloudI divides by zero where that is 0, which has kurtosis 0.
fn gamma(skewness: f64) -> f64 {
    1.5 * skewness * skewness
}

/// A log-normal distribution's kurtosis by its skewness: (b + 3)² b = S² by Halley's iteration, where b + 1 = exp(σ²).
fn log_normal(skewness: f64) -> f64 {
    // The iteration converges cubically; a handful of steps is usual, and it must end for any number.
    const STEPS_MAX: u32 = 100;
    if skewness == 0.0 {
        return 0.0;
    }
    let square = skewness * skewness;
    let mut b = skewness.abs().powf(2.0 / 3.0) - 1.0;
    for _ in 0..STEPS_MAX {
        let f0 = b * b * b + 6.0 * b * b + 9.0 * b - square;
        let f1 = 3.0 * b * b + 12.0 * b + 9.0;
        let f2 = 6.0 * b + 12.0;
        let change = 2.0 * f0 * f1 / (2.0 * f1 * f1 - f0 * f2);
        b -= change;
        if change.abs() <= 1e-4 || !b.is_finite() {
            break;
        }
    }
    let a = b + 1.0;
    a.powi(4) + 2.0 * a.powi(3) + 3.0 * a * a - 6.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_begin_where_cloudi_has_them() {
        let skewness = |s: f64| Skewness::of(s).to_string();
        assert_eq!(
            [0.49, 0.5, 1.0, 1.01].map(skewness),
            ["approximately_symmetric", "moderately_skewed", "moderately_skewed", "highly_skewed"]
        );
        assert_eq!(Skewness::of(-3.0), Skewness::High);
        let kurtosis = |k: f64| Kurtosis::of(k).to_string();
        assert_eq!(
            [-0.05, -0.049, 0.049, 0.05].map(kurtosis),
            ["platykurtic", "mesokurtic", "mesokurtic", "leptokurtic"]
        );
    }

    #[test]
    fn distributions_are_known_by_their_moments() {
        use Distribution::{
            Exponential, Gamma, LogNormal, Logistic, Normal, RaisedCosine, Undefined, Uniform,
        };
        let check = |skewness: f64, kurtosis: f64, want: Distribution| {
            assert_eq!(distribution(skewness, kurtosis), want, "skewness {skewness}, kurtosis {kurtosis}");
        };
        check(0.0, 0.0, Normal);
        check(0.1, 0.1, Normal);
        check(0.0, -1.2, Uniform);
        check(0.0, 1.2, Logistic);
        check(0.0, -0.59376, RaisedCosine);
        check(2.0, 6.0, Exponential);
        // Gamma with shape 4: skewness 2/√4, kurtosis 6/4.
        check(1.0, 1.5, Gamma);
        // Log-normal with σ = 1 and w = e^(σ²): skewness (w + 2) √(w − 1), kurtosis w⁴ + 2w³ + 3w² − 6.
        let w = 1f64.exp();
        check((w + 2.0) * (w - 1.0).sqrt(), w.powi(4) + 2.0 * w.powi(3) + 3.0 * w * w - 6.0, LogNormal);
        check(0.62, -0.28, Undefined);
        check(-1.0, 1.5, Gamma);
        check(0.25, 0.0, Gamma);
        check(f64::NAN, 0.0, Undefined);
    }

    /// Skewness and kurtosis, rounded, and the words for them of all 23 results that CloudI published for 2.0.4 (results_v2_0_4).
    #[test]
    fn published_results_have_their_words() {
        use Distribution::{Undefined, Uniform};
        let published = [
            (0.62, -0.28, Undefined),
            (0.53, -0.35, Undefined),
            (0.58, -1.05, Undefined),
            (-0.23, -0.83, Undefined),
            (0.20, -1.01, Undefined),
            (0.04, -1.14, Uniform),
            (0.57, -0.57, Undefined),
            (-0.12, -1.02, Undefined),
            (0.10, -0.89, Undefined),
            (0.12, -1.29, Uniform),
            (0.07, -1.26, Uniform),
            (-0.06, -1.08, Uniform),
            (0.29, -1.20, Undefined),
            (0.20, -1.28, Uniform),
            (0.47, -1.06, Undefined),
            (0.00, -1.21, Uniform),
            (0.00, -1.21, Uniform),
            (0.16, -1.30, Uniform),
            (0.25, -1.32, Undefined),
            (-0.06, -1.19, Uniform),
            (0.30, -1.26, Undefined),
            (0.01, -1.20, Uniform),
            (0.18, -1.36, Uniform),
        ];
        for (skewness, kurtosis, want) in published {
            assert_eq!(distribution(skewness, kurtosis), want, "skewness {skewness}, kurtosis {kurtosis}");
            let word = if skewness >= 0.5 { "moderately_skewed" } else { "approximately_symmetric" };
            assert_eq!(Skewness::of(skewness).to_string(), word);
            assert_eq!(Kurtosis::of(kurtosis).to_string(), "platykurtic");
        }
    }

    #[test]
    fn the_log_normal_kurtosis_follows_its_skewness() {
        for sigma in [0.1f64, 0.3, 0.5, 1.0, 1.5] {
            let w = (sigma * sigma).exp();
            let skewness = (w + 2.0) * (w - 1.0).sqrt();
            let kurtosis = w.powi(4) + 2.0 * w.powi(3) + 3.0 * w * w - 6.0;
            let got = log_normal(skewness);
            assert!((got - kurtosis).abs() < 1e-3 * (1.0 + kurtosis), "σ {sigma}: {got}, not {kurtosis}");
        }
    }
}
