//! What a worker is told, and what it tells. Both cross threads by value; nothing else does.

use crate::worker::TargetSetup;
use plan::{Saturation, Target};
use schedule::{Profile, Slice, UserStep};
use stats::{Effort, ErrorClass, Interval};

/// What a worker is to do.
#[derive(Debug)]
pub enum Command {
    /// Open the connections that a phase of this load and scenario will use, then say [`Report::Ready`].
    Prepare {
        /// Index of the scenario.
        scenario: usize,
        /// What the phase will ask of this worker.
        load: WorkerLoad,
    },
    /// Run a phase.
    Start(Box<PhaseOrder>),
    /// From a time on, a phase's arrivals come at another rate. Without meaning for a phase that is not open.
    ChangeRate {
        /// Which, as in [`PhaseOrder`].
        phase_run: usize,
        /// Since the phase's start, ns; a little ahead, so that all workers change at once.
        at_ns: u64,
        /// Of all workers together.
        rate: units::Rate,
    },
    /// End the load of all phases now, and let what is under way drain.
    Stop,
    /// End all phases now; what is under way is counted as unfinished.
    Abort,
    /// What came of a [`Report::Meet`]: the target, or why it can't be had.
    Met {
        /// As in the report.
        number: u32,
        /// How to reach it.
        setup: Result<Box<TargetSetup>, ErrorClass>,
    },
    /// An interval that was looked at, to be used again.
    Recycle(Box<Interval>),
    /// Close all connections and return.
    Exit,
}

/// One worker's part in one run of a phase.
#[derive(Debug, Clone)]
pub struct PhaseOrder {
    /// Number of the phase run, over all phases and repeats.
    pub phase_run: usize,
    /// Index of the scenario.
    pub scenario: usize,
    /// The worker's share of the load.
    pub load: WorkerLoad,
    /// Which of the workers that have a part in the phase this one is; arrivals are dealt out by it.
    pub slice: Slice,
    /// When it starts.
    pub start_ns: u64,
    /// Its length at most, ns; `u64::MAX`: until the load ends by itself.
    pub duration_ns: u64,
    /// How long what is under way may go on after the end, ns.
    pub drain_limit_ns: u64,
}

/// One worker's share of a load.
#[derive(Debug, Clone, PartialEq)]
pub enum WorkerLoad {
    /// Closed: so many users, over and over.
    Closed {
        /// This worker's.
        users: u32,
        /// At most so many in flight; `None`: as many as users.
        in_flight_max: Option<u32>,
        /// At most so many begun; `None`: no limit.
        count_max: Option<u64>,
    },
    /// Each of so many users carries out each action once, in order.
    Once {
        /// This worker's.
        users: u32,
        /// At most so many in flight; `None`: as many as users.
        in_flight_max: Option<u32>,
    },
    /// Closed, with users that come and go.
    Ramping {
        /// When this worker's users are how many, the first at 0.
        steps: Vec<UserStep>,
        /// At most so many begun; `None`: no limit.
        count_max: Option<u64>,
        /// How long the action of a user that loses its place may go on, ns.
        ramp_down_limit_ns: u64,
    },
    /// Open: a slice of a profile.
    Open {
        /// The whole profile.
        profile: Profile,
        /// What happens when all users are busy.
        on_saturation: Saturation,
        /// This worker's share of the most in flight.
        users_max: u32,
        /// This worker's users, who take arrivals in turn; `None`: as many as are needed.
        users: Option<u32>,
    },
}

/// What a worker tells.
#[derive(Debug)]
pub enum Report {
    /// The connections asked for stand, or failed: how many of each, and why the last failed.
    Ready {
        /// Connections that stand.
        open_count: u32,
        /// Connections that could not be opened.
        failed_count: u32,
        /// The last failure.
        last_failure: Option<ErrorClass>,
    },
    /// An interval of a phase is complete.
    Interval(Box<Interval>),
    /// A phase run has ended and drained; its last interval was sent before.
    PhaseEnded(PhaseEnd),
    /// The worker is done; nothing follows. What its thread used since its first phase began.
    Exited(Usage),
    /// A user asks for a target that the plan does not name: to be answered by [`Command::Met`].
    Meet {
        /// Tells requests of one worker apart.
        number: u32,
        /// What to look up.
        target: Box<Target>,
    },
    /// The worker can't go on: what failed, and the mend.
    Broken(String),
}

/// How a phase run went on one worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhaseEnd {
    /// Which.
    pub phase_run: usize,
    /// When its load began.
    pub start_ns: u64,
    /// When its load ended.
    pub end_ns: u64,
    /// When the last action under way had ended or was given up.
    pub drained_ns: u64,
    /// What the worker used meanwhile.
    pub usage: Usage,
}

/// What a worker's thread used over a stretch of time, ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Length of the stretch.
    pub elapsed_ns: u64,
    /// On a CPU.
    pub cpu_ns: u64,
    /// Of that, waiting actively before deadlines.
    pub spin_ns: u64,
    /// Ready to run but not on a CPU; `None` where the system does not tell.
    pub off_cpu_ns: Option<u64>,
}

/// Shares of a time shorter than this are noise.
const TELLING_NS_MIN: u64 = 10 * units::NS_PER_MS;

impl Usage {
    /// The same as shares of its stretch.
    pub(crate) fn effort(&self) -> Effort {
        if self.elapsed_ns < TELLING_NS_MIN {
            return Effort::default();
        }
        let share = |ns: u64| (ns as f64 / self.elapsed_ns as f64).min(1.0);
        Effort {
            busy_ratio_max: Some(share(self.cpu_ns.saturating_sub(self.spin_ns))),
            off_cpu_ratio_max: self.off_cpu_ns.map(share),
        }
    }

    /// What was used between an earlier reading and this one.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let off_cpu_ns = match (self.off_cpu_ns, earlier.off_cpu_ns) {
            (Some(now), Some(then)) => Some(now.saturating_sub(then)),
            _ => None,
        };
        Self {
            elapsed_ns: self.elapsed_ns.saturating_sub(earlier.elapsed_ns),
            cpu_ns: self.cpu_ns.saturating_sub(earlier.cpu_ns),
            spin_ns: self.spin_ns.saturating_sub(earlier.spin_ns),
            off_cpu_ns,
        }
    }
}
