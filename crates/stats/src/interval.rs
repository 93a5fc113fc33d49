//! One stretch of a phase as one worker saw it, and the samples that go into it.

use crate::{Counts, ErrorClass, Errors, Histogram};

/// How a sample ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Well.
    Completed,
    /// With an error; whether the time is the answer's or a lower bound follows from the class.
    Failed(ErrorClass),
    /// Still open when the drain limit passed: its time is a lower bound.
    Unfinished,
}

impl Outcome {
    /// Whether no answer came, so that the times are lower bounds.
    pub fn is_censored(self) -> bool {
        match self {
            Self::Completed => false,
            Self::Failed(class) => !class.answered(),
            Self::Unfinished => true,
        }
    }
}

/// One timed execution of an action or of a request. Times in ns since the run's origin; intended ≤ sent ≤ done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// When it was due: by the schedule in an open model, when the user became ready in a closed one.
    pub intended_ns: u64,
    /// Just before its first send, or when its work began without one; `None`: it never came so far, and has no service time.
    pub sent_ns: Option<u64>,
    /// When its last byte was there, or when it was given up.
    pub done_ns: u64,
    /// The user's own pauses within it (think time), in neither latency.
    pub think_ns: u64,
    /// How it ended.
    pub outcome: Outcome,
}

impl Sample {
    /// Sent → done, without think time; `None` when nothing was sent.
    pub fn service_ns(&self) -> Option<u64> {
        self.sent_ns.map(|sent_ns| self.done_ns.saturating_sub(sent_ns).saturating_sub(self.think_ns))
    }

    /// Intended → done, without think time.
    pub fn response_ns(&self) -> u64 {
        self.done_ns.saturating_sub(self.intended_ns).saturating_sub(self.think_ns)
    }

    /// Intended → sent; `None` when nothing was sent.
    pub fn wait_ns(&self) -> Option<u64> {
        self.sent_ns.map(|sent_ns| sent_ns.saturating_sub(self.intended_ns))
    }
}

/// Everything known of the executions of one action (or one request, or a whole phase).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SampleStats {
    /// Where they ended up.
    pub counts: Counts,
    /// Failures by class.
    pub errors: Errors,
    /// Sent → done.
    pub service_ns: Histogram,
    /// Intended → done.
    pub response_ns: Histogram,
    /// Intended → sent.
    pub wait_ns: Histogram,
}

impl SampleStats {
    /// Records how an execution ended. Its start was counted when it started.
    #[inline]
    pub fn record(&mut self, sample: &Sample) {
        self.response_ns.record(sample.response_ns());
        if let (Some(service_ns), Some(wait_ns)) = (sample.service_ns(), sample.wait_ns()) {
            self.service_ns.record(service_ns);
            self.wait_ns.record(wait_ns);
        }
        match sample.outcome {
            Outcome::Completed => self.counts.completed += 1,
            Outcome::Failed(class) => {
                self.counts.failed += 1;
                self.errors[class] += 1;
            }
            Outcome::Unfinished => self.counts.unfinished += 1,
        }
        self.counts.censored += u64::from(sample.outcome.is_censored());
    }

    /// Records an arrival that never got a user: it waited `waited_ns` when it was given up, and that bounds its response from below.
    pub fn record_unstarted(&mut self, waited_ns: u64) {
        self.response_ns.record(waited_ns);
        self.counts.unstarted += 1;
        self.counts.censored += 1;
    }

    /// Adds another's.
    pub fn merge(&mut self, other: &Self) {
        self.counts.merge(&other.counts);
        self.errors.merge(&other.errors);
        self.service_ns.merge(&other.service_ns);
        self.response_ns.merge(&other.response_ns);
        self.wait_ns.merge(&other.wait_ns);
    }

    /// Forgets all, keeps the room.
    pub fn clear(&mut self) {
        (self.counts, self.errors) = (Counts::default(), Errors::default());
        self.service_ns.clear();
        self.response_ns.clear();
        self.wait_ns.clear();
    }
}

/// How many actions were in flight over a stretch of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InFlight {
    /// Sum over time of the number in flight: actions × ns.
    pub action_ns: u128,
    /// Think time within the samples that ended: actions × ns.
    pub think_ns: u128,
    /// The most at any time. Merged over workers it is the sum of their maxima: an upper bound.
    pub max: u64,
}

/// What went over the wire in a stretch of time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Traffic {
    /// Payload of the transport: plain text for HTTP, before encryption.
    pub bytes_sent: u64,
    /// Likewise.
    pub bytes_received: u64,
    /// Requests sent, redirects included.
    pub requests: u64,
    /// Connections that stood.
    pub connections_opened: u64,
    /// Connections that the peer ended between requests or that failed.
    pub connections_lost: u64,
    /// TCP connect.
    pub connect_ns: Histogram,
    /// TLS handshake.
    pub tls_ns: Histogram,
    /// Sent → first byte of the answer.
    pub first_byte_ns: Histogram,
    /// Answers by the hundred of their status: 1xx … 5xx.
    pub statuses: [u64; 5],
}

impl Traffic {
    /// Adds another's.
    pub fn merge(&mut self, other: &Self) {
        self.bytes_sent += other.bytes_sent;
        self.bytes_received += other.bytes_received;
        self.requests += other.requests;
        self.connections_opened += other.connections_opened;
        self.connections_lost += other.connections_lost;
        self.connect_ns.merge(&other.connect_ns);
        self.tls_ns.merge(&other.tls_ns);
        self.first_byte_ns.merge(&other.first_byte_ns);
        for (mine, theirs) in self.statuses.iter_mut().zip(other.statuses) {
            *mine += theirs;
        }
    }

    /// Forgets all, keeps the room.
    pub fn clear(&mut self) {
        (self.bytes_sent, self.bytes_received, self.requests) = (0, 0, 0);
        (self.connections_opened, self.connections_lost) = (0, 0);
        self.connect_ns.clear();
        self.tls_ns.clear();
        self.first_byte_ns.clear();
        self.statuses = [0; 5];
    }
}

/// One stretch of one phase as one worker saw it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Interval {
    /// Which phase run (repeats counted apart).
    pub phase_run: usize,
    /// How many whole interval lengths after the phase's start it begins.
    pub index: u64,
    /// Whether the load had ended on that worker: what is done in it was not done in time.
    pub is_drain: bool,
    /// Start in ns since the run's origin.
    pub start_ns: u64,
    /// Length in ns.
    pub duration_ns: u64,
    /// Per action of the scenario.
    pub actions: Vec<SampleStats>,
    /// Per request of the scenario's actions that have more than one; empty ones for the others.
    pub requests: Vec<SampleStats>,
    /// Checks passed and failed, per check of the scenario.
    pub checks: Vec<(u64, u64)>,
    /// Arrivals that belong to no action: dropped ones and ones that were never started.
    pub arrivals: SampleStats,
    /// Concurrency.
    pub in_flight: InFlight,
    /// Bytes, connections, times below the action.
    pub traffic: Traffic,
    /// Sends later than due though a user and a connection were free: the generator's own fault.
    pub lateness_ns: Histogram,
    /// What became of the worker's own time.
    pub effort: Effort,
}

/// What a worker's thread did with a stretch of time, as shares of it (0..=1); the worst worker's where there are several.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Effort {
    /// It worked, waiting actively before deadlines left out; `None` where nobody looked or the stretch was too short to tell.
    pub busy_ratio_max: Option<f64>,
    /// It was ready but not on a CPU; `None` likewise, and where the system does not tell.
    pub off_cpu_ratio_max: Option<f64>,
}

impl Effort {
    /// Keeps the worse of each.
    pub fn merge(&mut self, other: &Self) {
        let worse = |mine: Option<f64>, theirs: Option<f64>| mine.into_iter().chain(theirs).reduce(f64::max);
        self.busy_ratio_max = worse(self.busy_ratio_max, other.busy_ratio_max);
        self.off_cpu_ratio_max = worse(self.off_cpu_ratio_max, other.off_cpu_ratio_max);
    }
}

impl Interval {
    /// An empty interval for a scenario with so many actions, requests and checks.
    pub fn new(action_count: usize, request_count: usize, check_count: usize) -> Self {
        Self {
            actions: vec![SampleStats::default(); action_count],
            requests: vec![SampleStats::default(); request_count],
            checks: vec![(0, 0); check_count],
            ..Self::default()
        }
    }

    /// An empty interval with the same places and of the same phase run. Its histograms take no memory until they are used.
    #[must_use]
    pub fn blank(&self) -> Self {
        Self {
            phase_run: self.phase_run,
            ..Self::new(self.actions.len(), self.requests.len(), self.checks.len())
        }
    }

    /// Forgets all, keeps the room.
    pub fn clear(&mut self) {
        self.actions.iter_mut().for_each(SampleStats::clear);
        self.requests.iter_mut().for_each(SampleStats::clear);
        self.checks.iter_mut().for_each(|check| *check = (0, 0));
        self.arrivals.clear();
        self.in_flight = InFlight::default();
        self.traffic.clear();
        self.lateness_ns.clear();
        self.effort = Effort::default();
    }

    /// Adds what happened in a later stretch.
    pub fn append(&mut self, later: &Self) {
        let max = self.in_flight.max.max(later.in_flight.max);
        self.merge(later);
        self.in_flight.max = max;
        self.duration_ns = later.start_ns.saturating_add(later.duration_ns).saturating_sub(self.start_ns);
    }

    /// Adds another worker's view of the same stretch; start and length stay.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.actions.iter_mut().zip(&other.actions) {
            mine.merge(theirs);
        }
        for (mine, theirs) in self.requests.iter_mut().zip(&other.requests) {
            mine.merge(theirs);
        }
        for (mine, theirs) in self.checks.iter_mut().zip(&other.checks) {
            mine.0 += theirs.0;
            mine.1 += theirs.1;
        }
        self.arrivals.merge(&other.arrivals);
        self.in_flight.action_ns += other.in_flight.action_ns;
        self.in_flight.think_ns += other.in_flight.think_ns;
        self.in_flight.max += other.in_flight.max;
        self.traffic.merge(&other.traffic);
        self.lateness_ns.merge(&other.lateness_ns);
        self.effort.merge(&other.effort);
    }

    /// All actions and arrivals together.
    pub fn total(&self) -> SampleStats {
        let mut total = self.arrivals.clone();
        self.actions.iter().for_each(|action| total.merge(action));
        total
    }
}
