//! One phase run's books over all workers: intervals come in per worker, leave as one.

use engine::PhaseEnd;
use record::{IntervalRecord, LoadModel, PhaseFrame, PhaseKind, PhaseRecord};
use scenario::Shape;
use stats::Interval;
use std::collections::VecDeque;

/// The books of a phase run.
pub(crate) struct Books {
    worker_count: usize,
    /// The first is number `next_index`; each with how many workers have given theirs.
    open: VecDeque<(Interval, usize)>,
    next_index: u64,
    pub(crate) ends: Vec<PhaseEnd>,
    pub(crate) total: Interval,
    pub(crate) records: Vec<IntervalRecord>,
    completed_in_time: u64,
    /// When the load ends by plan, so that later intervals are known as drain.
    end_ns: u64,
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
    pub(crate) fn new(worker_count: usize, shape: &Shape, start_ns: u64, end_ns: u64) -> Self {
        let mut total = Interval::new(shape.actions.len(), shape.requests.len(), shape.checks.len());
        total.start_ns = start_ns;
        Self {
            worker_count,
            open: VecDeque::new(),
            next_index: 0,
            ends: Vec::new(),
            total,
            records: Vec::new(),
            completed_in_time: 0,
            end_ns,
        }
    }

    /// Takes one worker's interval.
    pub(crate) fn take(&mut self, interval: &Interval) {
        let Some(place) = interval.index.checked_sub(self.next_index) else { return };
        while self.open.len() as u64 <= place {
            let mut blank = interval.blank();
            (blank.index, blank.start_ns, blank.duration_ns) =
                (self.next_index + self.open.len() as u64, u64::MAX, 0);
            self.open.push_back((blank, 0));
        }
        let Some((merged, seen_count)) = self.open.get_mut(place as usize) else { return };
        merged.merge(interval);
        merged.start_ns = merged.start_ns.min(interval.start_ns);
        merged.duration_ns = merged.duration_ns.max(interval.duration_ns);
        *seen_count += 1;
    }

    /// Takes one worker's word that it is through.
    pub(crate) fn end(&mut self, end: PhaseEnd) {
        self.end_ns = if self.ends.is_empty() { end.end_ns } else { self.end_ns.max(end.end_ns) };
        self.ends.push(end);
    }

    /// Whether all workers are through.
    pub(crate) fn is_complete(&self) -> bool {
        self.ends.len() == self.worker_count
    }

    /// The next interval that no worker will add to; its record is kept.
    pub(crate) fn next_whole(&mut self, run_start_ns: u64) -> Option<IntervalRecord> {
        let (_, seen_count) = self.open.front()?;
        // A worker that is through has given all that it had.
        if *seen_count < self.worker_count && self.ends.len() < self.worker_count {
            return None;
        }
        let (interval, _) = self.open.pop_front()?;
        self.next_index += 1;
        if interval.start_ns < self.end_ns {
            self.completed_in_time +=
                interval.actions.iter().map(|action| action.counts.completed).sum::<u64>();
        }
        self.total.append(&interval);
        let record = IntervalRecord::of(&interval, run_start_ns);
        // An interval of no length and with nothing in it only marks the end of a load that drained at once.
        let is_empty = record.duration_ns == 0 && record.counts == record::CountsRecord::default();
        if !is_empty {
            self.records.push(record.clone());
        }
        (!is_empty).then_some(record).or_else(|| self.next_whole(run_start_ns))
    }

    /// The record as it stands.
    pub(crate) fn record(&self, frame: &Frame<'_>, now_ns: u64) -> PhaseRecord {
        let start_ns = self.ends.iter().map(|end| end.start_ns).min().unwrap_or(self.total.start_ns);
        let end_ns = self.ends.iter().map(|end| end.end_ns).max().unwrap_or(now_ns.min(self.end_ns));
        let drained_ns = self.ends.iter().map(|end| end.drained_ns).max().unwrap_or(end_ns);
        let share = |part_ns: u64, whole_ns: u64| part_ns as f64 / whole_ns.max(1) as f64;
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
            busy_ratio_max: self.ends.iter().map(busy).fold(0.0, f64::max),
            off_cpu_ratio_max: self.ends.iter().filter_map(off_cpu).reduce(f64::max),
            action_names: frame.shape.actions.clone(),
            request_names: frame.shape.requests.clone(),
            check_names: frame.shape.checks.clone(),
        };
        PhaseRecord::of(frame, &self.total, self.records.clone())
    }
}
