//! A place in a record whose figures are compared: a phase, or an action of it; and several such places taken together.

use crate::{LatencyKind, Metric};
use record::{ActionRecord, CountsRecord, Latencies, PhaseKind, PhaseRecord, RunRecord, WorkerRecord};
use stats::Histogram;

/// A phase run, or an action of one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) phase: &'a PhaseRecord,
    pub(crate) action: Option<&'a ActionRecord>,
}

/// The names of a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) phase: String,
    pub(crate) action: Option<String>,
}

impl Address {
    /// For people.
    pub(crate) fn words(&self) -> String {
        match &self.action {
            Some(action) => format!("{} / {action}", self.phase),
            None => self.phase.clone(),
        }
    }
}

/// The phases that a run measured, in their order, each name once; a phase whole, then its actions where there are several.
pub(crate) fn addresses(record: &RunRecord) -> Vec<Address> {
    let mut found: Vec<Address> = Vec::new();
    for phase in measured(record) {
        let mut add = |action: Option<String>| {
            let address = Address { phase: phase.name.clone(), action };
            if !found.contains(&address) {
                found.push(address);
            }
        };
        add(None);
        if phase.actions.len() > 1 {
            phase.actions.iter().for_each(|action| add(Some(action.name.clone())));
        }
    }
    found
}

/// The measured phase runs.
pub(crate) fn measured(record: &RunRecord) -> impl Iterator<Item = &PhaseRecord> {
    record.phases.iter().filter(|phase| phase.kind == PhaseKind::Measure)
}

/// The repeats of a place in a run.
pub(crate) fn places<'a>(record: &'a RunRecord, address: &Address) -> Vec<Place<'a>> {
    let phases = measured(record).filter(|phase| phase.name == address.phase);
    phases
        .filter_map(|phase| match &address.action {
            None => Some(Place { phase, action: None }),
            Some(name) => {
                let action = phase.actions.iter().find(|action| action.name == *name)?;
                Some(Place { phase, action: Some(action) })
            }
        })
        .collect()
}

impl<'a> Place<'a> {
    pub(crate) fn counts(self) -> &'a CountsRecord {
        self.action.map_or(&self.phase.counts, |action| &action.counts)
    }

    pub(crate) fn latencies(self, kind: LatencyKind) -> &'a Latencies {
        match (self.action, kind) {
            (None, LatencyKind::Response) => &self.phase.response_ns,
            (None, LatencyKind::Service) => &self.phase.service_ns,
            (Some(action), LatencyKind::Response) => &action.response_ns,
            (Some(action), LatencyKind::Service) => &action.service_ns,
        }
    }

    fn rate(self) -> f64 {
        match self.action {
            None => self.phase.achieved_per_sec,
            Some(action) => action.counts.completed as f64 / (self.phase.duration_ns.max(1) as f64 / 1e9),
        }
    }

    /// The figure; `None` where the samples don't carry it or there is none.
    pub(crate) fn value(self, metric: Metric) -> Option<f64> {
        match metric {
            Metric::Rate => Some(self.rate()),
            Metric::Errors => Some(self.counts().error_ratio()),
            Metric::Mean(kind) | Metric::Quantile(kind, _) => metric.of_latencies(self.latencies(kind)),
            Metric::ClientCpu => None,
        }
    }

    /// Whether so many times are lower bounds that the figure itself is one.
    pub(crate) fn is_bounded(self, metric: Metric) -> bool {
        let all = self.latencies(LatencyKind::Response).count.max(1) as f64;
        let share = self.counts().censored as f64 / all;
        match metric {
            Metric::Quantile(..) => share > 0.0 && share >= 1.0 - metric.quantile().unwrap_or(1.0),
            // A thousandth of the times cut at the limit moves a mean beyond what is worth telling.
            Metric::Mean(_) => share > 0.001,
            _ => false,
        }
    }

    /// Actions that an error ratio is of.
    pub(crate) fn trials(self) -> u64 {
        let counts = self.counts();
        counts.completed.saturating_add(counts.not_completed())
    }
}

/// The figure of several places taken as one: nothing is averaged that can be merged. Histograms that can't be read carry nothing.
pub(crate) fn pooled_value(places: &[Place<'_>], metric: Metric) -> Option<f64> {
    match metric {
        Metric::Rate => {
            let secs = |place: &Place<'_>| place.phase.duration_ns as f64 / 1e9;
            let whole: f64 = places.iter().map(secs).sum();
            let done: f64 = places.iter().map(|place| place.rate() * secs(place)).sum();
            (whole > 0.0).then(|| done / whole)
        }
        Metric::Errors => {
            let sum = |of: fn(&CountsRecord) -> u64| -> u64 {
                places.iter().map(|place| of(place.counts())).fold(0, u64::saturating_add)
            };
            let failed = sum(CountsRecord::not_completed);
            let all = sum(|counts| counts.completed).saturating_add(failed);
            (!places.is_empty()).then(|| if all == 0 { 0.0 } else { failed as f64 / all as f64 })
        }
        Metric::Mean(kind) => {
            let each = || places.iter().map(|place| place.latencies(kind));
            let count: f64 = each().map(|of| of.count as f64).sum();
            let sum: f64 = each().map(|of| of.mean.unwrap_or(0) as f64 * of.count as f64).sum();
            (count > 0.0).then(|| sum / count)
        }
        Metric::Quantile(kind, _) => {
            let mut merged = Histogram::default();
            for place in places {
                merged.merge(&place.latencies(kind).to_histogram().ok()?);
            }
            merged.carried_quantile_ns(metric.quantile()?).map(|ns| ns as f64)
        }
        Metric::ClientCpu => None,
    }
}

/// CPU time of the client per request sent, ns, spinning before deadlines left out; `None` when nothing was sent or used.
pub(crate) fn client_cpu_ns(record: &RunRecord) -> Option<f64> {
    let client = &record.client;
    let sum = |of: fn(&WorkerRecord) -> u64| client.workers.iter().map(of).fold(0, u64::saturating_add);
    // A process's time may be counted in ticks, a thread's is in ns: the greater is nearer.
    let process_ns = client.cpu_user_ns.saturating_add(client.cpu_system_ns);
    let used_ns = process_ns.max(sum(|worker| worker.cpu_ns)).saturating_sub(sum(|worker| worker.spin_ns));
    let requests = record.phases.iter().map(|phase| phase.traffic.requests).fold(0, u64::saturating_add);
    (requests > 0 && used_ns > 0).then(|| used_ns as f64 / requests as f64)
}
