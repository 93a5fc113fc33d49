//! One run of one phase on one worker: its load, who works for it, and its books.

use crate::message::{PhaseOrder, Usage, WorkerLoad};
use crate::ramp::Ramp;
use crate::recorder::Recorder;
use plan::Saturation;
use schedule::FireTimes;
use std::collections::VecDeque;

/// Where a phase run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Its start is to come.
    Pending,
    /// Its load is on.
    Running,
    /// Its load has ended, actions are under way.
    Draining,
}

/// A phase run.
pub(crate) struct PhaseRun {
    pub(crate) phase_run: usize,
    pub(crate) population: u16,
    pub(crate) stage: Stage,
    pub(crate) load: Load,
    pub(crate) start_ns: u64,
    /// When the load ends at the latest; once draining, when it ended.
    pub(crate) end_ns: u64,
    pub(crate) drain_limit_ns: u64,
    /// Actions begun and not ended.
    pub(crate) open_count: u64,
    pub(crate) recorder: Recorder,
    /// While the load runs: what the thread had used when it began; afterwards: what it used meanwhile.
    pub(crate) usage: Usage,
    /// What the thread had used when the last interval ended.
    pub(crate) usage_at_cut: Usage,
    /// Ended before its time: what waits for a user is not begun any more.
    pub(crate) is_cut_short: bool,
}

/// The load's own state.
pub(crate) enum Load {
    /// Users that go on as soon as they are ready.
    Closed {
        /// Ready users and since when.
        ready: VecDeque<(u32, u64)>,
        users: u32,
        in_flight_max: u64,
        /// Actions that may still be begun.
        count_left: u64,
    },
    /// Users that do each action once.
    Once { ready: VecDeque<(u32, u64)>, users: u32, in_flight_max: u64 },
    /// Users that go on as long as they have a place.
    Ramping(Ramp),
    /// Arrivals by a schedule.
    Open {
        fire_times: FireTimes,
        on_saturation: Saturation,
        users_max: u32,
        /// So many users take arrivals in turn; `None`: as many as are needed.
        users: Option<u32>,
        /// The oldest unread arrival found no user: it and those due until one is free are late by the target's doing.
        is_saturated: bool,
    },
}

impl PhaseRun {
    pub(crate) fn new(order: PhaseOrder, recorder: Recorder) -> Self {
        let end_ns = order.start_ns.saturating_add(order.duration_ns);
        let load = match order.load {
            WorkerLoad::Closed { users, in_flight_max, count_max } => Load::Closed {
                ready: VecDeque::with_capacity(users as usize),
                users,
                in_flight_max: u64::from(in_flight_max.unwrap_or(users)),
                count_left: count_max.unwrap_or(u64::MAX),
            },
            WorkerLoad::Once { users, in_flight_max } => Load::Once {
                ready: VecDeque::with_capacity(users as usize),
                users,
                in_flight_max: u64::from(in_flight_max.unwrap_or(users)),
            },
            WorkerLoad::Ramping { steps, count_max, ramp_down_limit_ns } => {
                Load::Ramping(Ramp::new(steps, count_max, ramp_down_limit_ns))
            }
            WorkerLoad::Open { profile, on_saturation, users_max, users } => Load::Open {
                fire_times: FireTimes::new(&profile, order.slice),
                on_saturation,
                users_max,
                users,
                is_saturated: false,
            },
        };
        Self {
            phase_run: order.phase_run,
            population: order.scenario as u16,
            stage: Stage::Pending,
            load,
            start_ns: order.start_ns,
            end_ns,
            drain_limit_ns: order.drain_limit_ns,
            open_count: 0,
            recorder,
            usage: Usage::default(),
            usage_at_cut: Usage::default(),
            is_cut_short: false,
        }
    }

    /// Whether the load has nothing left to begin, whatever the time.
    pub(crate) fn is_exhausted(&self) -> bool {
        match &self.load {
            Load::Closed { count_left, users, .. } => *count_left == 0 || *users == 0,
            Load::Once { ready, .. } => ready.is_empty(),
            Load::Ramping(ramp) => ramp.count_left == 0,
            // It ends when the arrival after the last one would be due: see `end_with_count`.
            Load::Open { .. } => false,
        }
    }

    /// When the next arrival that was not read yet is due; `None` when none is before the load's end.
    #[inline]
    pub(crate) fn next_arrival_ns(&self) -> Option<u64> {
        let Load::Open { fire_times, .. } = &self.load else { return None };
        fire_times
            .peek_ns()
            .map(|due_ns| self.start_ns.saturating_add(due_ns))
            .filter(|due_ns| *due_ns < self.end_ns)
    }

    /// An open load with a count ends when the next arrival would have been due, so that its rate is what was asked.
    pub(crate) fn end_with_count(&mut self) {
        if let Load::Open { fire_times, .. } = &self.load
            && let Some(beyond_ns) = fire_times.count_end_ns()
        {
            self.end_ns = self.end_ns.min(self.start_ns.saturating_add(beyond_ns));
        }
    }

    /// Whether arrivals that were due wait for a user, the load being over.
    pub(crate) fn has_backlog(&self) -> bool {
        self.next_arrival_ns().is_some()
    }

    /// The next time at which something must be done for this phase, besides timers and completions.
    pub(crate) fn deadline_ns(&self) -> u64 {
        let boundary_ns = self.recorder.boundary_ns();
        match self.stage {
            Stage::Pending => self.start_ns,
            Stage::Draining => {
                boundary_ns.min(self.end_ns.saturating_add(self.drain_limit_ns)).min(self.next_start_ns())
            }
            Stage::Running => boundary_ns.min(self.end_ns).min(self.next_start_ns()),
        }
    }

    /// When the load wants to begin something; `u64::MAX`: only when something ends.
    fn next_start_ns(&self) -> u64 {
        match &self.load {
            Load::Closed { .. } | Load::Once { .. } if self.stage == Stage::Draining => u64::MAX,
            Load::Ramping(ramp) => ramp.deadline_ns(self.stage == Stage::Running, self.start_ns),
            Load::Closed { ready, in_flight_max, count_left, .. } => {
                if ready.is_empty() || self.open_count >= *in_flight_max || *count_left == 0 {
                    u64::MAX
                } else {
                    0
                }
            }
            Load::Once { ready, in_flight_max, .. } => {
                if ready.is_empty() || self.open_count >= *in_flight_max { u64::MAX } else { 0 }
            }
            Load::Open { is_saturated: true, .. } => u64::MAX,
            Load::Open { .. } => self.next_arrival_ns().unwrap_or(u64::MAX),
        }
    }
}
