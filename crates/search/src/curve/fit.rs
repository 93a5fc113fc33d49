//! Two descriptions of a curve, with their errors: none of them is an answer.

use super::Point;
use crate::find::Outcome;
use serde::{Deserialize, Serialize};

/// The universal scalability law: X(N) = λN / (1 + σ(N − 1) + κN(N − 1)) for N in flight.
///
/// Source: N. J. Gunther, Guerrilla Capacity Planning (2007), chapter 4. N/X is linear in N − 1 and N(N − 1), so that least squares
/// give the coefficients.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Usl {
    /// Throughput of one alone, per second.
    pub lambda_per_sec: f64,
    /// Contention: the share of work that can't be done side by side.
    pub sigma: f64,
    /// Crosstalk: the cost of each pair.
    pub kappa: f64,
    /// Greatest throughput by the law, per second; null where it has no maximum.
    pub maximum_per_sec: Option<f64>,
    /// Root of the mean square of the throughput's relative error.
    pub error_ratio: f64,
}

/// Mean response time s + a ρ / (1 − ρ) at ρ = rate / capacity: the form that the formula of Pollaczek and Khinchine gives M/G/1, with
/// a = s (1 + c²) / 2 for service times of mean s and coefficient of variation c.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct QueueFit {
    /// Rate at which the fit grows without bound, per second.
    pub capacity_per_sec: f64,
    /// Mean response time without load, ns.
    pub service_ns: f64,
    /// a, ns.
    pub queue_ns: f64,
    /// Root of the mean square of the response time's relative error.
    pub error_ratio: f64,
}

/// Points that a fit needs beyond its coefficients: none of them would leave no error to tell.
const POINTS_MIN: usize = 4;
/// Capacities tried, each 2 % above the last.
const CAPACITIES: i32 = 120;

/// A term of the law by the number in flight.
type Term = fn(f64) -> f64;

/// The law that fits best; `None` for fewer than four points with something in flight.
pub fn usl(points: &[Point]) -> Option<Usl> {
    let points: Vec<(f64, f64)> = points
        .iter()
        .map(|point| (point.in_flight_mean, point.achieved_per_sec))
        .filter(|(n, x)| *n > 0.0 && *x > 0.0)
        .collect();
    if points.len() < POINTS_MIN {
        return None;
    }
    // Coefficients below 0 mean nothing in the law; such a term is left out.
    let forms: [&[Term]; 3] =
        [&[|_| 1.0, |n| n - 1.0, |n| n * (n - 1.0)], &[|_| 1.0, |n| n - 1.0], &[|_| 1.0]];
    for form in forms {
        // Relative errors of N/X are relative errors of X.
        let rows = points.iter().map(|(n, x)| {
            let weight = x / n;
            (form.iter().map(|term| term(*n) * weight).collect::<Vec<f64>>(), 1.0)
        });
        let Some(solved) = least_squares(rows, form.len()) else { continue };
        let [scale, contention, crosstalk] =
            [0, 1, 2].map(|index| solved.get(index).copied().unwrap_or_default());
        if scale <= 0.0 || contention < 0.0 || crosstalk < 0.0 {
            continue;
        }
        let (lambda, sigma, kappa) = (1.0 / scale, contention / scale, crosstalk / scale);
        let law = |n: f64| lambda * n / (1.0 + sigma * (n - 1.0) + kappa * n * (n - 1.0));
        let at = (kappa > 0.0 && sigma < 1.0).then(|| ((1.0 - sigma) / kappa).sqrt());
        return Some(Usl {
            lambda_per_sec: lambda,
            sigma,
            kappa,
            maximum_per_sec: at.map(law).or((sigma > 0.0).then(|| lambda / sigma)),
            error_ratio: rms(points.iter().map(|(n, x)| law(*n) / x - 1.0)),
        });
    }
    None
}

/// The queue that fits the sustained rates best; `None` for fewer than four of them.
pub fn queue_fit(points: &[Point]) -> Option<QueueFit> {
    let sustained = points.iter().filter(|point| point.outcome == Outcome::Sustained);
    let points: Vec<(f64, f64)> =
        sustained.filter_map(|point| Some((point.offered_per_sec, point.mean_ns? as f64))).collect();
    if points.len() < POINTS_MIN {
        return None;
    }
    let highest = points.iter().map(|(rate, _)| *rate).fold(0.0, f64::max);
    let of = |capacity: f64| {
        let rows = points.iter().map(|(rate, mean)| {
            let load = rate / capacity;
            (vec![1.0 / mean, load / (1.0 - load) / mean], 1.0)
        });
        let solved = least_squares(rows, 2)?;
        let (service, queue) = (*solved.first()?, solved.get(1)?.max(0.0));
        let curve = |rate: f64| service + queue * (rate / capacity) / (1.0 - rate / capacity);
        let error_ratio = rms(points.iter().map(|(rate, mean)| curve(*rate) / mean - 1.0));
        (service > 0.0).then_some(QueueFit {
            capacity_per_sec: capacity,
            service_ns: service,
            queue_ns: queue,
            error_ratio,
        })
    };
    let fits = (1..CAPACITIES).filter_map(|step| of(highest * 1.01 * 1.02f64.powi(step - 1)));
    fits.min_by(|a, b| a.error_ratio.total_cmp(&b.error_ratio))
}

fn rms(errors: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = errors.fold((0.0, 0.0), |(sum, count), error| (sum + error * error, count + 1.0));
    if count > 0.0 { f64::sqrt(sum / count) } else { 0.0 }
}

/// The coefficients that make the rows' left sides come nearest to their right ones: the normal equations, solved by elimination.
fn least_squares(rows: impl Iterator<Item = (Vec<f64>, f64)>, width: usize) -> Option<Vec<f64>> {
    let mut system = vec![vec![0.0; width + 1]; width];
    for (row, wanted) in rows {
        for (line, left) in system.iter_mut().zip(&row) {
            for (place, right) in line.iter_mut().zip(row.iter().chain([&wanted])) {
                *place += left * right;
            }
        }
    }
    for pivot in 0..width {
        let best = (pivot..width).max_by(|a, b| {
            let size = |line: &usize| system.get(*line).and_then(|l| l.get(pivot)).map_or(0.0, |v| v.abs());
            size(a).total_cmp(&size(b))
        })?;
        system.swap(pivot, best);
        let line = system.get(pivot)?.clone();
        let lead = *line.get(pivot)?;
        if lead.abs() < 1e-300 || !lead.is_finite() {
            return None;
        }
        for (index, other) in system.iter_mut().enumerate() {
            let factor = other.get(pivot).copied()? / lead;
            if index != pivot {
                other.iter_mut().zip(&line).for_each(|(value, by)| *value -= factor * by);
            }
        }
    }
    system.iter().enumerate().map(|(index, line)| Some(line.get(width)? / line.get(index)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(offered: f64, achieved: f64, mean_ns: f64, in_flight: f64) -> Point {
        Point {
            offered_per_sec: offered,
            achieved_per_sec: achieved,
            mean_ns: Some(mean_ns as u64),
            p50_ns: None,
            p99_ns: None,
            in_flight_mean: in_flight,
            outcome: Outcome::Sustained,
        }
    }

    #[test]
    fn the_law_of_scalability_is_found_again() {
        let law = |n: f64| 500.0 * n / (1.0 + 0.05 * (n - 1.0) + 0.001 * n * (n - 1.0));
        let points: Vec<Point> =
            [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0].map(|n| point(0.0, law(n), 1.0, n)).into();
        let usl = usl(&points).unwrap();
        assert!((usl.lambda_per_sec / 500.0 - 1.0).abs() < 1e-6, "{usl:?}");
        assert!((usl.sigma - 0.05).abs() < 1e-6 && (usl.kappa - 0.001).abs() < 1e-8, "{usl:?}");
        assert!(usl.error_ratio < 1e-9);
        let best = law((0.95f64 / 0.001).sqrt());
        assert!((usl.maximum_per_sec.unwrap() / best - 1.0).abs() < 1e-6, "{usl:?}");
        assert_eq!(super::usl(&points[..3]), None);
    }

    #[test]
    fn a_queue_is_found_again() {
        // M/D/1 with 1 ms: s + s ρ / 2(1 − ρ).
        let mean = |rate: f64| 1e6 + 0.5e6 * (rate / 1000.0) / (1.0 - rate / 1000.0);
        let points: Vec<Point> =
            [100.0, 300.0, 500.0, 700.0, 850.0, 950.0].map(|rate| point(rate, rate, mean(rate), 1.0)).into();
        let fit = queue_fit(&points).unwrap();
        assert!((fit.capacity_per_sec / 1000.0 - 1.0).abs() < 0.02, "{fit:?}");
        assert!((fit.service_ns / 1e6 - 1.0).abs() < 0.05, "{fit:?}");
        assert!(fit.error_ratio < 0.1, "{fit:?}");
        assert_eq!(queue_fit(&points[..3]), None);
    }
}
