//! Latency and throughput against offered load: which rates are tried, what they say together, and how that is drawn.

mod draw;
mod fit;
mod sweep;

pub use draw::{draw, lines, markdown};
pub use fit::{QueueFit, Usl, queue_fit, usl};
pub use sweep::{Sweep, SweepStep};

use crate::assess::Assessment;
use crate::find::Outcome;
use serde::{Deserialize, Serialize};

/// One rate of a curve. Times ns, rates per second; a quantile is null where the samples don't carry it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Arrivals per second that were asked for.
    pub offered_per_sec: f64,
    /// Actions completed per second.
    pub achieved_per_sec: f64,
    /// Mean of intended → done.
    pub mean_ns: Option<u64>,
    /// Median of intended → done.
    pub p50_ns: Option<u64>,
    /// 99th percentile of intended → done.
    pub p99_ns: Option<u64>,
    /// Mean number in flight.
    pub in_flight_mean: f64,
    /// Whether it was sustained.
    pub outcome: Outcome,
}

impl Point {
    /// What a trial at this rate says.
    pub fn of(offered_per_sec: f64, assessment: &Assessment) -> Self {
        Self {
            offered_per_sec,
            achieved_per_sec: assessment.achieved_per_sec,
            mean_ns: assessment.response_mean_ns,
            p50_ns: assessment.response_p50_ns,
            p99_ns: assessment.response_p99_ns,
            in_flight_mean: assessment.in_flight_mean,
            outcome: assessment.outcome,
        }
    }
}

/// A curve with what describes it. The fits are descriptions, with their errors; no answer rests on them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Curve {
    /// By rising rate.
    pub points: Vec<Point>,
    /// The highest rate before the first that was not sustained or that answered twice as slowly as the lowest rate did.
    pub knee_per_sec: Option<f64>,
    /// The rate to choose: the highest that was sustained, as were all below it.
    #[serde(default)]
    pub chosen_per_sec: Option<f64>,
    /// Throughput against the number in flight.
    pub usl: Option<Usl>,
    /// Mean response time against the rate.
    pub queue: Option<QueueFit>,
}

/// Response times beyond this multiple of the light load's are beyond the knee.
const KNEE_FACTOR: f64 = 2.0;

impl Curve {
    /// Of points in any order.
    pub fn of(mut points: Vec<Point>) -> Self {
        points.sort_by(|a, b| a.offered_per_sec.total_cmp(&b.offered_per_sec));
        let light_ns = points.first().and_then(|point| point.mean_ns).map(|ns| ns as f64);
        let is_easy = |point: &&Point| {
            let is_slow =
                point.mean_ns.zip(light_ns).is_some_and(|(ns, light)| ns as f64 > KNEE_FACTOR * light);
            point.outcome == Outcome::Sustained && !is_slow
        };
        let before: Vec<&Point> = points.iter().take_while(is_easy).collect();
        // Without a rate beyond it there is no knee to be seen.
        let knee = before.last().filter(|_| before.len() < points.len());
        let knee_per_sec = knee.map(|point| point.offered_per_sec);
        let sustained = points.iter().take_while(|point| point.outcome == Outcome::Sustained);
        let chosen_per_sec = sustained.last().map(|point| point.offered_per_sec);
        Self { knee_per_sec, chosen_per_sec, usl: usl(&points), queue: queue_fit(&points), points }
    }
}
