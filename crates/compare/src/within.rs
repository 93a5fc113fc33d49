//! What one run tells of its own noise, from the course of its intervals.
//!
//! Intervals of a run hang together (a slow second is followed by slow seconds), so their error is that of blocks of them. A quantile's error is found by way of
//! the share of values at or below it, whose error is found so and carried back through the distribution (R. S. Woodruff, J. Am. Stat. Assoc. 47, 1952): that
//! needs two counts an interval. None of this says anything of the next run.

use crate::place::Place;
use crate::{LatencyKind, Metric};
use record::{CountsRecord, IntervalRecord};
use stats::inference::{block_length, quantile_ranks, ratio_block_se};
use stats::{SparseHistogram, SparseReader};

/// z of a two-sided 95 %: where an interval is turned into a standard error.
const Z: f64 = 1.959_964;

/// A run's own error of a figure, on the scale of judging.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct OwnError {
    pub(crate) se: f64,
    /// From requests taken to be independent.
    pub(crate) is_of_requests: bool,
    /// From too few stretches that are independent of each other.
    pub(crate) is_strained: bool,
}

/// The intervals' histograms of one place, read once for all its figures.
pub(crate) struct Course<'a> {
    place: Place<'a>,
    intervals: Vec<&'a IntervalRecord>,
    times: [Vec<Times>; 2],
    /// All times of the place.
    wholes: [SparseHistogram; 2],
}

/// The times of one kind in an interval.
struct Times {
    sum_ns: f64,
    distribution: SparseHistogram,
}

impl Times {
    /// Empty where the interval has none of the place, or none that can be read.
    fn of(interval: &IntervalRecord, place: Place<'_>, kind: LatencyKind, reader: &mut SparseReader) -> Self {
        let (mean, count, text) = match place.action {
            None => {
                let of = match kind {
                    LatencyKind::Response => &interval.response_ns,
                    LatencyKind::Service => &interval.service_ns,
                };
                (of.mean.unwrap_or(0), of.count, of.histogram.as_str())
            }
            Some(action) => {
                let of = interval.actions.iter().find(|found| found.name == action.name);
                let of = of.map(|of| match kind {
                    LatencyKind::Response => &of.response_ns,
                    LatencyKind::Service => &of.service_ns,
                });
                of.map_or((0, 0, ""), |of| (of.mean, of.count, of.histogram.as_str()))
            }
        };
        match reader.read(text) {
            Ok(distribution) if distribution.count() > 0 => {
                Self { sum_ns: mean as f64 * count as f64, distribution }
            }
            _ => Self { sum_ns: 0.0, distribution: SparseHistogram::default() },
        }
    }
}

impl<'a> Course<'a> {
    /// Of a place; without intervals where the record has none of it.
    pub(crate) fn of(place: Place<'a>, needs_histograms: bool) -> Self {
        let end_ns = place.phase.start_ns.saturating_add(place.phase.duration_ns);
        // The drain is no time like the others.
        let is_load = |interval: &&IntervalRecord| interval.start_ns < end_ns && interval.duration_ns > 0;
        let intervals: Vec<&IntervalRecord> = place.phase.intervals.iter().filter(is_load).collect();
        let mut reader = SparseReader::default();
        let times = [LatencyKind::Response, LatencyKind::Service].map(|kind| {
            let read = intervals.iter().map(|interval| Times::of(interval, place, kind, &mut reader));
            if needs_histograms { read.collect() } else { Vec::new() }
        });
        let wholes = [LatencyKind::Response, LatencyKind::Service]
            .map(|kind| reader.read(&place.latencies(kind).histogram).unwrap_or_default());
        Self { place, intervals, times, wholes }
    }

    fn times(&self, kind: LatencyKind) -> &[Times] {
        match kind {
            LatencyKind::Response => &self.times[0],
            LatencyKind::Service => &self.times[1],
        }
    }

    /// The error of a figure; `None` where nothing tells.
    pub(crate) fn own_error(&self, metric: Metric) -> Option<OwnError> {
        let value = self.place.value(metric)?;
        self.of_intervals(metric, value).or_else(|| self.of_requests(metric, value))
    }

    fn of_intervals(&self, metric: Metric, value: f64) -> Option<OwnError> {
        let name = self.place.action.map(|action| action.name.as_str());
        let counts = || self.intervals.iter().map(|interval| counts_of(interval, name));
        let (numerators, denominators): (Vec<f64>, Vec<f64>) = match metric {
            Metric::Rate => {
                let lengths = self.intervals.iter().map(|interval| interval.duration_ns as f64 / 1e9);
                counts().map(|counts| counts.completed as f64).zip(lengths).unzip()
            }
            Metric::Errors => counts()
                .map(|counts| {
                    let failed = counts.not_completed() as f64;
                    (failed, failed + counts.completed as f64)
                })
                .unzip(),
            Metric::Mean(kind) => {
                let times = self.times(kind).iter();
                times.map(|of| (of.sum_ns, of.distribution.count() as f64)).unzip()
            }
            Metric::Quantile(kind, _) => {
                let times = self.times(kind).iter().map(|of| &of.distribution);
                times.map(|of| (of.count_to(value as u64) as f64, of.count() as f64)).unzip()
            }
            Metric::ClientCpu => return None,
        };
        let ratios: Vec<f64> = numerators
            .iter()
            .zip(&denominators)
            .filter(|(_, of)| **of > 0.0)
            .map(|(part, of)| part / of)
            .collect();
        let length = block_length(&ratios);
        let se = ratio_block_se(&numerators, &denominators, length)?;
        let se = match metric {
            Metric::Quantile(kind, _) => {
                self.woodruff(kind, metric.quantile()?, se).filter(|se| se.is_finite())?
            }
            Metric::Errors => se,
            _ => se / value,
        };
        Some(OwnError { se, is_of_requests: false, is_strained: length.is_strained })
    }

    fn whole(&self, kind: LatencyKind) -> &SparseHistogram {
        let [response, service] = &self.wholes;
        if kind == LatencyKind::Response { response } else { service }
    }

    /// From the error of a share to that of the quantile's logarithm.
    fn woodruff(&self, kind: LatencyKind, quantile: f64, share_se: f64) -> Option<f64> {
        let at = |quantile: f64| self.whole(kind).quantile_ns(quantile).map(|ns| (ns.max(1) as f64).ln());
        Some((at(quantile + Z * share_se)? - at(quantile - Z * share_se)?) / (2.0 * Z))
    }

    /// As if requests were independent of each other, which they are not.
    fn of_requests(&self, metric: Metric, value: f64) -> Option<OwnError> {
        let se = match metric {
            Metric::Mean(kind) => {
                let of = self.place.latencies(kind);
                of.stdev? as f64 / (of.count.max(1) as f64).sqrt() / value
            }
            Metric::Quantile(kind, _) => {
                let whole = self.whole(kind);
                let ranks = quantile_ranks(whole.count(), metric.quantile()?, 0.05)?;
                let at = |rank: u64| {
                    let quantile = rank as f64 / whole.count() as f64;
                    whole.quantile_ns(quantile).map(|ns| (ns.max(1) as f64).ln())
                };
                (at(ranks.high_rank)? - at(ranks.low_rank)?) / (2.0 * Z)
            }
            Metric::Errors => errors_se(value, self.place.trials()),
            Metric::Rate | Metric::ClientCpu => return None,
        };
        Some(OwnError { se, is_of_requests: true, is_strained: false })
    }
}

/// Standard error of a share of so many trials; with none seen, as if one of two more had been (A. Agresti and B. A. Coull, Am. Stat. 52, 1998).
pub(crate) fn errors_se(share: f64, trials: u64) -> f64 {
    let trials = trials as f64;
    let adjusted = (share * trials + 1.0) / (trials + 2.0);
    (adjusted * (1.0 - adjusted) / (trials + 2.0)).sqrt()
}

/// Relative standard error that the mean rate of so many units has at least, `actions` in all of them: whether the answer at a unit's end still falls into it
/// is chance, so each count is known to one.
pub(crate) fn rate_se(units: usize, actions: u64) -> f64 {
    (units as f64).sqrt() / actions.max(1) as f64
}

fn counts_of(interval: &IntervalRecord, action: Option<&str>) -> CountsRecord {
    let Some(name) = action else { return interval.counts };
    interval
        .actions
        .iter()
        .find(|action| action.name == name)
        .map_or_else(Default::default, |action| action.counts)
}
