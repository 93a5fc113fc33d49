//! When requests arrived, as the server saw it, so that a client's pacing can be checked from outside.
//!
//! A time stamp is taken when the last byte of a request was read (for `/no-read`: of its head), on `CLOCK_MONOTONIC`, for every
//! request except to controls. Each thread has its own log; reading them merges and sorts.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use crate::shared::locked;

/// The time stamps of one server.
#[derive(Debug)]
pub(crate) struct ArrivalLogs {
    per_thread: Vec<Mutex<Vec<u64>>>,
    max_per_thread: usize,
    overflow: AtomicU64,
}

impl ArrivalLogs {
    pub(crate) fn new(thread_count: usize, max: usize) -> Self {
        Self {
            per_thread: (0..thread_count).map(|_| Mutex::default()).collect(),
            max_per_thread: max / thread_count.max(1),
            overflow: AtomicU64::new(0),
        }
    }

    pub(crate) fn record(&self, thread_index: usize, at_ns: u64) {
        let Some(log) = self.per_thread.get(thread_index) else { return };
        let mut log = locked(log);
        if log.len() < self.max_per_thread {
            log.push(at_ns);
        } else {
            self.overflow.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Forgets all. The memory is taken now and not while requests arrive.
    pub(crate) fn restart(&self) {
        for log in &self.per_thread {
            let mut log = locked(log);
            log.clear();
            log.reserve_exact(self.max_per_thread);
        }
        self.overflow.store(0, Ordering::Relaxed);
    }

    pub(crate) fn collect(&self) -> Arrivals {
        let mut times_ns: Vec<u64> = self.per_thread.iter().flat_map(|log| locked(log).clone()).collect();
        times_ns.sort_unstable();
        Arrivals { times_ns, overflow: self.overflow.load(Ordering::Relaxed) }
    }
}

/// Arrival times of requests at the server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrivals {
    /// `CLOCK_MONOTONIC` in ns, ascending.
    pub times_ns: Vec<u64>,
    /// Arrivals that were not kept because a thread's share of `Options::arrivals_max` was full.
    pub overflow: u64,
}

/// The gaps between successive arrivals. All in ns except the counts and the coefficient of variation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GapSummary {
    /// Arrivals; there is one gap less.
    pub count: u64,
    /// Arrivals not kept.
    pub overflow: u64,
    /// First arrival, `CLOCK_MONOTONIC`.
    pub first_ns: u64,
    /// Last arrival.
    pub last_ns: u64,
    /// Arrivals after the first, by the time from the first to the last; 0 with fewer than two.
    pub rate_per_sec: f64,
    /// Mean gap.
    pub mean_ns: f64,
    /// Standard deviation of the gaps (n − 1).
    pub stdev_ns: f64,
    /// `stdev_ns / mean_ns`: 0 for a perfect clock, 1 for Poisson arrivals.
    pub cv: f64,
    /// Smallest gap.
    pub min_ns: u64,
    /// Median: the smallest gap that at least half of the gaps don't exceed; the others likewise.
    pub p50_ns: u64,
    /// 90 %.
    pub p90_ns: u64,
    /// 99 %.
    pub p99_ns: u64,
    /// 99.9 %.
    pub p99_9_ns: u64,
    /// Largest gap.
    pub max_ns: u64,
}

/// How far arrivals were from an even schedule: |error| after the median error is taken off, because when the client began is not known here. ns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScheduleSummary {
    /// Arrivals; the i-th is held against i · `interval_ns`, so one that never came shifts all after it.
    pub count: u64,
    /// The gap of the ideal schedule.
    pub interval_ns: u64,
    /// Half of the errors don't exceed this; the others likewise.
    pub error_ns_p50: u64,
    /// 90 %.
    pub error_ns_p90: u64,
    /// 99 %.
    pub error_ns_p99: u64,
    /// 99.9 %.
    pub error_ns_p99_9: u64,
    /// Largest error.
    pub error_ns_max: u64,
}

impl Arrivals {
    /// Statistics of the gaps. With fewer than two arrivals all of them are 0.
    pub fn gaps(&self) -> GapSummary {
        let mut gaps: Vec<u64> = self
            .times_ns
            .iter()
            .zip(self.times_ns.iter().skip(1))
            .map(|(a, b)| b.saturating_sub(*a))
            .collect();
        gaps.sort_unstable();
        let first_ns = self.times_ns.first().copied().unwrap_or(0);
        let last_ns = self.times_ns.last().copied().unwrap_or(0);
        let count = self.times_ns.len() as u64;
        let mut summary =
            GapSummary { count, overflow: self.overflow, first_ns, last_ns, ..GapSummary::default() };
        if gaps.is_empty() {
            return summary;
        }
        let n = gaps.len() as f64;
        let mean = last_ns.saturating_sub(first_ns) as f64 / n;
        let squares: f64 = gaps.iter().map(|gap| (*gap as f64 - mean).powi(2)).sum();
        summary.mean_ns = mean;
        summary.stdev_ns = if gaps.len() > 1 { (squares / (n - 1.0)).sqrt() } else { 0.0 };
        if mean > 0.0 {
            summary.rate_per_sec = units::NS_PER_SEC as f64 / mean;
            summary.cv = summary.stdev_ns / mean;
        }
        (summary.min_ns, summary.max_ns) = (quantile(&gaps, 0.0), quantile(&gaps, 1.0));
        (summary.p50_ns, summary.p90_ns) = (quantile(&gaps, 0.5), quantile(&gaps, 0.9));
        (summary.p99_ns, summary.p99_9_ns) = (quantile(&gaps, 0.99), quantile(&gaps, 0.999));
        summary
    }

    /// How far the arrivals were from one every `interval_ns`. Without arrivals all is 0.
    pub fn against_schedule(&self, interval_ns: u64) -> ScheduleSummary {
        let first_ns = self.times_ns.first().copied().unwrap_or(0);
        let ideal = (0u64..).map(|index| index.saturating_mul(interval_ns));
        let since_first = self.times_ns.iter().map(|at_ns| at_ns.saturating_sub(first_ns));
        let mut errors: Vec<i128> =
            since_first.zip(ideal).map(|(at, ideal)| i128::from(at) - i128::from(ideal)).collect();
        errors.sort_unstable();
        let median = errors.get(errors.len() / 2).copied().unwrap_or(0);
        let distance = |error: i128| u64::try_from((error - median).unsigned_abs()).unwrap_or(u64::MAX);
        let mut distances: Vec<u64> = errors.into_iter().map(distance).collect();
        distances.sort_unstable();
        ScheduleSummary {
            count: distances.len() as u64,
            interval_ns,
            error_ns_p50: quantile(&distances, 0.5),
            error_ns_p90: quantile(&distances, 0.9),
            error_ns_p99: quantile(&distances, 0.99),
            error_ns_p99_9: quantile(&distances, 0.999),
            error_ns_max: quantile(&distances, 1.0),
        }
    }
}

/// The smallest value that at least the share `q` of the values don't exceed; 0 without values. `sorted` ascends.
fn quantile(sorted: &[u64], q: f64) -> u64 {
    let rank = (q * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_summed_up() {
        let arrivals = Arrivals { times_ns: vec![100, 200, 300, 400, 800], overflow: 0 };
        let gaps = arrivals.gaps();
        assert_eq!(
            (gaps.count, gaps.first_ns, gaps.last_ns, gaps.min_ns, gaps.max_ns),
            (5, 100, 800, 100, 400)
        );
        assert_eq!((gaps.mean_ns, gaps.stdev_ns, gaps.p50_ns, gaps.p90_ns), (175.0, 150.0, 100, 400));
        assert_eq!(Arrivals::default().gaps().count, 0);
        assert_eq!(Arrivals { times_ns: vec![5], overflow: 0 }.gaps().mean_ns, 0.0);
        assert_eq!(Arrivals { times_ns: vec![5, 5], overflow: 0 }.gaps().rate_per_sec, 0.0);
    }

    #[test]
    fn errors_are_held_against_an_even_schedule() {
        let arrivals = Arrivals { times_ns: vec![1007, 1100, 1200, 1300, 1450], overflow: 0 };
        let summary = arrivals.against_schedule(100);
        assert_eq!(
            (summary.count, summary.error_ns_p50, summary.error_ns_p90, summary.error_ns_max),
            (5, 0, 50, 50)
        );
        assert_eq!(Arrivals::default().against_schedule(100).error_ns_max, 0);
        let late = Arrivals { times_ns: vec![0, u64::MAX], overflow: 0 };
        assert_eq!(late.against_schedule(0).error_ns_max, u64::MAX);
    }

    #[test]
    fn threads_are_merged_and_the_limit_is_kept() {
        let logs = ArrivalLogs::new(2, 4);
        logs.restart();
        for (thread_index, at_ns) in [(0, 30), (1, 10), (0, 40), (1, 20), (0, 50)] {
            logs.record(thread_index, at_ns);
        }
        assert_eq!(logs.collect(), Arrivals { times_ns: vec![10, 20, 30, 40], overflow: 1 });
        logs.restart();
        assert_eq!(logs.collect(), Arrivals::default());
    }
}
