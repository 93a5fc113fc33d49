//! One phase run's books over all workers: intervals come in per worker, leave as one.

use engine::PhaseEnd;
use record::{IntervalRecord, LoadModel, PhaseFrame, PhaseKind, PhaseRecord};
use scenario::Shape;
use stats::Interval;
use std::collections::BTreeMap;

/// Shares of a time shorter than this are noise.
const TELLING_NS_MIN: u64 = 10 * units::NS_PER_MS;

/// The books of a phase run.
pub(crate) struct Books {
    interval_ns: u64,
    start_ns: u64,
    /// By whole interval lengths since the phase's start, load before drain: workers whose loads end at different times have drain
    /// and load at the same time, and the two are not mixed.
    open: BTreeMap<(u64, bool), Interval>,
    /// Per worker: until when it has told everything; `u64::MAX` once it is through.
    told_until_ns: Vec<u64>,
    pub(crate) ends: Vec<PhaseEnd>,
    pub(crate) total: Interval,
    pub(crate) records: Vec<IntervalRecord>,
    completed_in_time: u64,
}

/// What does not change while a phase runs.
pub(crate) struct Frame<'a> {
    pub(crate) name: &'a str,
    pub(crate) kind: PhaseKind,
    pub(crate) load_model: LoadModel,
    pub(crate) repeat_index: u32,
    pub(crate) shape: &'a Shape,
    pub(crate) run_start_ns: u64,
}

impl Books {
    pub(crate) fn new(worker_count: usize, shape: &Shape, start_ns: u64, interval_ns: u64) -> Self {
        let mut total = Interval::new(shape.actions.len(), shape.requests.len(), shape.checks.len());
        total.start_ns = start_ns;
        Self {
            interval_ns,
            start_ns,
            open: BTreeMap::new(),
            told_until_ns: vec![0; worker_count],
            ends: Vec::new(),
            total,
            records: Vec::new(),
            completed_in_time: 0,
        }
    }

    /// Takes one worker's interval.
    pub(crate) fn take(&mut self, worker: usize, interval: &Interval) {
        let end_ns = interval.start_ns.saturating_add(interval.duration_ns);
        if let Some(told_until_ns) = self.told_until_ns.get_mut(worker) {
            *told_until_ns = end_ns;
        }
        if !interval.is_drain {
            self.completed_in_time +=
                interval.actions.iter().map(|action| action.counts.completed).sum::<u64>();
        }
        let merged = self.open.entry((interval.index, interval.is_drain)).or_insert_with(|| {
            let mut blank = interval.blank();
            (blank.index, blank.start_ns, blank.duration_ns) = (interval.index, interval.start_ns, 0);
            blank.is_drain = interval.is_drain;
            blank
        });
        merged.merge(interval);
        let start_ns = merged.start_ns.min(interval.start_ns);
        let merged_end_ns = merged.start_ns.saturating_add(merged.duration_ns).max(end_ns);
        (merged.start_ns, merged.duration_ns) = (start_ns, merged_end_ns - start_ns);
    }

    /// Takes one worker's word that it is through.
    pub(crate) fn end(&mut self, worker: usize, end: PhaseEnd) {
        if let Some(told_until_ns) = self.told_until_ns.get_mut(worker) {
            *told_until_ns = u64::MAX;
        }
        self.ends.push(end);
    }

    /// Whether all workers are through.
    pub(crate) fn is_complete(&self) -> bool {
        self.ends.len() == self.told_until_ns.len()
    }

    /// The next interval that no worker will add to; its record is kept.
    pub(crate) fn next_whole(&mut self, run_start_ns: u64, shape: &Shape) -> Option<IntervalRecord> {
        loop {
            let first = self.open.first_entry()?;
            let over_ns = self.start_ns.saturating_add((first.key().0 + 1).saturating_mul(self.interval_ns));
            if self.told_until_ns.iter().any(|told_until_ns| *told_until_ns < over_ns) {
                return None;
            }
            let interval = first.remove();
            self.total.append(&interval);
            let record = IntervalRecord::of(&interval, run_start_ns).with_actions(&interval, &shape.actions);
            // An interval of no length and with nothing in it only marks the end of a load that drained at once.
            if record.duration_ns > 0 || record.counts != record::CountsRecord::default() {
                self.records.push(record.clone());
                return Some(record);
            }
        }
    }

    /// The record as it stands, with the intervals that are to be in it: they may be many, so only a last call hands them over.
    pub(crate) fn record(
        &self,
        frame: &Frame<'_>,
        now_ns: u64,
        intervals: Vec<IntervalRecord>,
    ) -> PhaseRecord {
        let start_ns = self.ends.iter().map(|end| end.start_ns).min().unwrap_or(self.total.start_ns);
        let end_ns = self.ends.iter().map(|end| end.end_ns).max().unwrap_or(now_ns);
        let drained_ns = self.ends.iter().map(|end| end.drained_ns).max().unwrap_or(end_ns);
        let share = |part_ns: u64, whole_ns: u64| part_ns as f64 / whole_ns.max(1) as f64;
        // A worker that had next to nothing to do says nothing of how busy it would be.
        let telling = || self.ends.iter().filter(|end| end.usage.elapsed_ns >= TELLING_NS_MIN);
        let busy =
            |end: &PhaseEnd| share(end.usage.cpu_ns.saturating_sub(end.usage.spin_ns), end.usage.elapsed_ns);
        let off_cpu = |end: &PhaseEnd| end.usage.off_cpu_ns.map(|ns| share(ns, end.usage.elapsed_ns));
        let frame = PhaseFrame {
            name: frame.name.to_owned(),
            kind: frame.kind,
            load_model: frame.load_model,
            repeat_index: frame.repeat_index,
            start_ns: start_ns.saturating_sub(frame.run_start_ns),
            duration_ns: end_ns.saturating_sub(start_ns),
            drain_ns: drained_ns.saturating_sub(end_ns),
            completed_in_time: self.completed_in_time,
            busy_ratio_max: telling().map(busy).fold(0.0, f64::max),
            off_cpu_ratio_max: telling().filter_map(off_cpu).reduce(f64::max),
            action_names: frame.shape.actions.clone(),
            request_names: frame.shape.requests.clone(),
            check_names: frame.shape.checks.clone(),
        };
        PhaseRecord::of(frame, &self.total, intervals)
    }
}
