//! The books of one phase on one worker: the interval being filled, and the blank ones that wait.

use stats::{Interval, Sample};

/// So many blank intervals are kept for reuse; more come back only when phases overlap.
const SPARE_COUNT_MAX: usize = 4;

/// Fills intervals and hands them on when their time is over.
#[derive(Debug)]
pub(crate) struct Recorder {
    current: Box<Interval>,
    #[expect(
        clippy::vec_box,
        reason = "intervals cross threads by their box and come back the same way: nothing is copied"
    )]
    spare: Vec<Box<Interval>>,
    interval_ns: u64,
    phase_start_ns: u64,
    /// Actions in flight now, and since when that holds.
    in_flight: u64,
    in_flight_since_ns: u64,
}

impl Recorder {
    /// Books for a phase run that starts at `start_ns`; `blank` has a place for each action, request and check.
    pub(crate) fn new(phase_run: usize, start_ns: u64, interval_ns: u64, blank: Interval) -> Self {
        let mut current = Box::new(blank);
        let spare = vec![Box::new(current.blank())];
        current.phase_run = phase_run;
        (current.index, current.start_ns) = (0, start_ns);
        Self {
            current,
            spare,
            interval_ns,
            phase_start_ns: start_ns,
            in_flight: 0,
            in_flight_since_ns: start_ns,
        }
    }

    /// The interval being filled.
    #[inline]
    pub(crate) fn now(&mut self) -> &mut Interval {
        &mut self.current
    }

    /// When the interval being filled is over: at a whole number of interval lengths after the phase's start.
    #[inline]
    pub(crate) fn boundary_ns(&self) -> u64 {
        self.phase_start_ns.saturating_add((self.current.index + 1).saturating_mul(self.interval_ns))
    }

    /// The load is over: ends the interval at `end_ns`; those that follow are the drain's.
    pub(crate) fn cut_load(&mut self, end_ns: u64) -> Box<Interval> {
        let full = self.cut(end_ns);
        self.current.is_drain = true;
        full
    }

    /// An action was first sent.
    #[inline]
    pub(crate) fn sent(&mut self, at_ns: u64) {
        self.integrate(at_ns);
        self.in_flight += 1;
        self.current.in_flight.max = self.current.in_flight.max.max(self.in_flight);
    }

    /// An action is over; `was_in_flight`: it had been sent.
    #[inline]
    pub(crate) fn done(&mut self, action: u16, sample: &Sample, was_in_flight: bool) {
        if was_in_flight {
            self.integrate(sample.done_ns);
            self.in_flight = self.in_flight.saturating_sub(1);
            self.current.in_flight.think_ns += u128::from(sample.think_ns);
        }
        if let Some(stats) = self.current.actions.get_mut(usize::from(action)) {
            stats.record(sample);
        }
    }

    /// An action was given up before it was due: there is nothing to time.
    pub(crate) fn undue(&mut self, action: u16) {
        if let Some(stats) = self.current.actions.get_mut(usize::from(action)) {
            stats.counts.unfinished += 1;
        }
    }

    fn integrate(&mut self, at_ns: u64) {
        let span_ns = at_ns.saturating_sub(self.in_flight_since_ns);
        self.current.in_flight.action_ns += u128::from(span_ns) * u128::from(self.in_flight);
        self.in_flight_since_ns = self.in_flight_since_ns.max(at_ns);
    }

    /// Ends the interval at `end_ns` (not before its start) and begins the next.
    pub(crate) fn cut(&mut self, end_ns: u64) -> Box<Interval> {
        self.integrate(end_ns);
        let mut next = self.spare.pop().unwrap_or_else(|| Box::new(self.current.blank()));
        next.phase_run = self.current.phase_run;
        next.start_ns = end_ns.max(self.current.start_ns);
        next.index = (next.start_ns - self.phase_start_ns) / self.interval_ns.max(1);
        next.is_drain = self.current.is_drain;
        next.in_flight.max = self.in_flight;
        let mut full = std::mem::replace(&mut self.current, next);
        full.duration_ns = end_ns.saturating_sub(full.start_ns);
        full
    }

    /// Takes an interval back.
    pub(crate) fn recycle(&mut self, mut interval: Box<Interval>) {
        if self.spare.len() < SPARE_COUNT_MAX {
            interval.clear();
            self.spare.push(interval);
        }
    }
}
