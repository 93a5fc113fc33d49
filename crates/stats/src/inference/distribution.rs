//! The normal, Student's t, the binomial and the functions below them. Accuracy: 1e-10 absolute where tests say nothing else.

use std::f64::consts::PI;

/// Terms after which a continued fraction has long converged (it takes about the root of its parameters).
const TERMS_MAX: usize = 10_000;
/// Stands for zero in Lentz's method.
const TINY: f64 = 1e-300;

/// ln Γ(x) for x > 0. Lanczos' approximation with g = 7 and nine terms (C. Lanczos, SIAM J. Numer. Anal. B 1, 1964), reflected below ½
/// (DLMF 5.5.3).
pub fn ln_gamma(x: f64) -> f64 {
    const TERMS: [f64; 9] = [
        0.999_999_999_999_809_9,
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    if x < 0.5 {
        return (PI / (PI * x).sin()).ln() - ln_gamma(1.0 - x);
    }
    let x = x - 1.0;
    let (first, rest) = (TERMS[0], TERMS.iter().skip(1).zip(1..));
    let sum = rest.fold(first, |sum, (term, place)| sum + term / (x + f64::from(place)));
    let t = x + 7.5;
    0.5 * (2.0 * PI).ln() + (x + 0.5) * t.ln() - t + sum.ln()
}

/// The regularised incomplete beta function I_x(a, b), x in 0..=1. Continued fraction of DLMF 8.17.22 by the method of Lentz, from the side on
/// which it converges fast.
pub fn beta_regularized(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln()).exp();
    if x < (a + 1.0) / (a + b + 2.0) {
        front * beta_fraction(x, a, b) / a
    } else {
        1.0 - front * beta_fraction(1.0 - x, b, a) / b
    }
}

fn beta_fraction(x: f64, a: f64, b: f64) -> f64 {
    let away = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut value = d;
    for term in 1..TERMS_MAX {
        let m = term as f64;
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / away(1.0 + even * d);
        c = away(1.0 + even / c);
        value *= d * c;
        d = 1.0 / away(1.0 + odd * d);
        c = away(1.0 + odd / c);
        value *= d * c;
        if (d * c - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

/// P(Z ≤ z) of the standard normal. Series (DLMF 7.6.2) near the middle, continued fraction (DLMF 7.9.2) in the tails, where the relative
/// accuracy is kept.
pub fn normal_below(z: f64) -> f64 {
    let x = z.abs() / std::f64::consts::SQRT_2;
    let tail = if x < 2.0 { 0.5 * (1.0 - erf_series(x)) } else { 0.5 * erfc_fraction(x) };
    if z < 0.0 { tail } else { 1.0 - tail }
}

/// erf x = 2/√π · e^(−x²) · Σ 2ⁿ x^(2n+1) / (1·3·…·(2n+1)): DLMF 7.6.2.
fn erf_series(x: f64) -> f64 {
    let mut term = x;
    let mut sum = x;
    for n in 1..200 {
        term *= 2.0 * x * x / f64::from(2 * n + 1);
        sum += term;
        if term < 1e-17 * sum {
            break;
        }
    }
    2.0 / PI.sqrt() * (-x * x).exp() * sum
}

/// erfc x = e^(−x²)/√π · 1/(x + ½/(x + 1/(x + 1½/(x + …)))): DLMF 7.9.2, from the end.
fn erfc_fraction(x: f64) -> f64 {
    let rest = (1..120).rev().fold(x, |rest, n| x + f64::from(n) / 2.0 / rest);
    (-x * x).exp() / PI.sqrt() / rest
}

/// The z with P(Z ≤ z) = `probability`, in (0, 1); infinite at the ends.
pub fn normal_quantile(probability: f64) -> f64 {
    inverted(probability, normal_below)
}

/// P(T ≤ t) of Student's t with `freedom` > 0 degrees: 1 − ½ I_x(ν/2, ½) with x = ν/(ν + t²) for t ≥ 0 (Abramowitz and Stegun 26.7.1).
pub fn student_below(t: f64, freedom: f64) -> f64 {
    let tail = 0.5 * beta_regularized(freedom / (freedom + t * t), freedom / 2.0, 0.5);
    if t < 0.0 { tail } else { 1.0 - tail }
}

/// The t with P(T ≤ t) = `probability`, in (0, 1); infinite at the ends.
pub fn student_quantile(probability: f64, freedom: f64) -> f64 {
    inverted(probability, |t| student_below(t, freedom))
}

/// Inverts a distribution that is symmetric about 0: brackets from the lower tail, where the probability keeps its digits, then bisects.
fn inverted(probability: f64, below: impl Fn(f64) -> f64) -> f64 {
    if probability > 0.5 {
        // 1 − p loses digits for p near 1, but no more than p itself had lost.
        return -inverted(1.0 - probability, below);
    }
    if probability <= 0.0 || probability.is_nan() {
        return f64::NEG_INFINITY;
    }
    let mut low = -1.0;
    while below(low) > probability && low > -1e300 {
        low *= 2.0;
    }
    let mut high = 0.0;
    // 200 halvings exhaust the 53 bits from any bracket that the doubling leaves.
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if below(middle) < probability { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// P(X ≤ k) of the binomial: I_{1−p}(n − k, k + 1) (DLMF 8.17.5).
pub fn binomial_below(k: u64, n: u64, p: f64) -> f64 {
    if k >= n { 1.0 } else { beta_regularized(1.0 - p, (n - k) as f64, k as f64 + 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(got: f64, expected: f64, by: f64) {
        assert!((got - expected).abs() <= by, "{got} against {expected}");
    }

    #[test]
    fn gamma_at_whole_and_half_numbers() {
        near(ln_gamma(1.0), 0.0, 1e-13);
        near(ln_gamma(11.0), 3_628_800f64.ln(), 1e-12);
        near(ln_gamma(0.5), PI.sqrt().ln(), 1e-13);
        near(ln_gamma(0.1), 2.252_712_651_734_206, 1e-12);
    }

    #[test]
    fn the_normal_of_the_tables() {
        // NIST/SEMATECH e-Handbook 1.3.6.7.1, and the usual tail values.
        near(normal_below(1.96), 0.975_002_104_851_780, 1e-12);
        near(normal_below(0.0), 0.5, 1e-16);
        near(normal_below(-6.0) / 9.865_876_450_376_98e-10, 1.0, 1e-9);
        near(normal_quantile(0.975), 1.959_963_984_540_054, 1e-10);
        near(normal_quantile(0.001), -3.090_232_306_167_814, 1e-10);
        assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
    }

    #[test]
    fn students_t_of_the_tables() {
        // NIST/SEMATECH e-Handbook 1.3.6.7.2: three decimals.
        for (freedom, probability, expected) in [
            (1.0, 0.975, 12.706),
            (2.0, 0.975, 4.303),
            (5.0, 0.95, 2.015),
            (10.0, 0.975, 2.228),
            (10.0, 0.995, 3.169),
            (30.0, 0.999, 3.385),
            (100.0, 0.9, 1.290),
        ] {
            near(student_quantile(probability, freedom), expected, 6e-4);
            near(student_below(student_quantile(probability, freedom), freedom), probability, 1e-12);
        }
        // One degree is Cauchy's distribution, two have a closed form.
        near(student_below(3.0, 1.0), 0.5 + 3f64.atan() / PI, 1e-13);
        near(student_below(3.0, 2.0), 0.5 + 3.0 / (2.0 * 11f64.sqrt()), 1e-13);
        near(student_below(1.96, 1e6), normal_below(1.96), 1e-6);
    }

    #[test]
    fn the_binomial_is_its_sum() {
        let exact = |k: u64, n: u64, p: f64| -> f64 {
            let choose = |j: u64| (0..j).fold(1.0, |c, i| c * (n - i) as f64 / (i + 1) as f64);
            (0..=k).map(|j| choose(j) * p.powi(j as i32) * (1.0 - p).powi((n - j) as i32)).sum()
        };
        for (k, n, p) in [(0, 1, 0.5), (3, 10, 0.2), (9, 10, 0.9), (40, 60, 0.7), (10, 10, 0.3)] {
            near(binomial_below(k, n, p), exact(k, n, p), 1e-12);
        }
    }
}
