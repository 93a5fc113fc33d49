//! The record's shape. Other programs read its JSON: keys are added, never renamed.

use crate::{Distribution, Latencies, Verdict};
use plan::Latency;
use serde::{Deserialize, Serialize};
use stats::{Counts, Errors, Interval, SampleStats, Traffic};
use std::collections::BTreeMap;

/// Raised when a reader of older records would misunderstand a newer one.
pub const SCHEMA_VERSION: u32 = 1;

/// A whole run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Short, sorts by time.
    pub run_id: String,
    /// The plan's name or what the user said.
    pub name: String,
    /// What made it: the command's name, or that of another program whose result was read in; empty when not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub origin: String,
    /// What the user wrote on it, by key.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Wall clock at the start.
    pub started_unix_ns: u64,
    /// Start of the first phase to end of the last.
    pub duration_ns: u64,
    /// Why the run ended before its plan did, in words; null when it did not.
    pub aborted: Option<String>,
    /// The plan as it was run, credentials hidden.
    pub plan: serde_json::Value,
    /// Where it ran.
    pub environment: Environment,
    /// Whether the numbers may be believed.
    pub verdict: Verdict,
    /// What was promised and what was found.
    pub slos: Vec<SloRecord>,
    /// In order of their start, repeats apart.
    pub phases: Vec<PhaseRecord>,
    /// The generator itself.
    pub client: Client,
}

impl RunRecord {
    /// A copy of all but the phases, which are most of a record.
    #[must_use]
    pub fn without_phases(&self) -> Self {
        Self {
            schema_version: self.schema_version,
            run_id: self.run_id.clone(),
            name: self.name.clone(),
            origin: self.origin.clone(),
            labels: self.labels.clone(),
            started_unix_ns: self.started_unix_ns,
            duration_ns: self.duration_ns,
            aborted: self.aborted.clone(),
            plan: self.plan.clone(),
            environment: self.environment.clone(),
            verdict: self.verdict.clone(),
            slos: self.slos.clone(),
            phases: Vec::new(),
            client: self.client.clone(),
        }
    }
}

/// The machine and the program.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Environment {
    /// Such as `linux`.
    pub os: String,
    /// Kernel release.
    pub kernel: String,
    /// As the system names it.
    pub cpu_model: String,
    /// CPUs that this process may use.
    pub cpu_count: u32,
    /// Of the machine.
    pub memory_bytes: u64,
    /// Of the program.
    pub weir_version: String,
    /// `epoll`, `io_uring` or `simulated`.
    pub driver: String,
    /// What was not as asked for, such as a driver that this machine refuses.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The addresses that took the load, by target.
    #[serde(default)]
    pub addresses: BTreeMap<String, Vec<String>>,
}

/// Whether a phase counts in the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseKind {
    /// It does not.
    Warmup,
    /// It does.
    Measure,
}

/// The workload model of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadModel {
    /// The next action waits for the last: stalls hide arrivals that would have come.
    Closed,
    /// Actions are due by a schedule.
    Open,
}

/// One run of one phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PhaseRecord {
    /// As in the plan.
    pub name: String,
    /// Whether it counts.
    pub kind: PhaseKind,
    /// Open or closed.
    pub load_model: LoadModel,
    /// From 0.
    pub repeat_index: u32,
    /// Since the run's start.
    pub start_ns: u64,
    /// Length of the load, without the drain.
    pub duration_ns: u64,
    /// How long actions under way went on afterwards.
    pub drain_ns: u64,
    /// Arrivals due per second; null in a closed model.
    pub offered_per_sec: Option<f64>,
    /// Actions completed within the load's length, per second.
    pub achieved_per_sec: f64,
    /// Where arrivals and actions ended up.
    pub counts: CountsRecord,
    /// Failures by class.
    pub errors: BTreeMap<String, u64>,
    /// Payload of the transport.
    pub bytes_sent: u64,
    /// Likewise.
    pub bytes_received: u64,
    /// Below the action: connections, first bytes, statuses.
    pub traffic: TrafficRecord,
    /// Mean number of actions in flight, from first send to done, over load and drain.
    pub in_flight_mean: f64,
    /// Most in flight (over several workers: the sum of their maxima).
    pub in_flight_max: u64,
    /// Think time within all samples together.
    pub think_ns: u64,
    /// Sent → done.
    pub service_ns: Latencies,
    /// Intended → done.
    pub response_ns: Latencies,
    /// Intended → sent.
    pub wait_ns: Latencies,
    /// Sends later than due though a user and a connection were free.
    pub lateness_ns: Latencies,
    /// Share of the time that the busiest worker thread worked (spinning left out), 0..=1.
    #[serde(default)]
    pub busy_ratio_max: f64,
    /// Share of the time that a worker thread was ready but not on a CPU, the worst one's; null where the system does not tell.
    #[serde(default)]
    pub off_cpu_ratio_max: Option<f64>,
    /// Per action of the scenario, in its order; those that ran.
    pub actions: Vec<ActionRecord>,
    /// Per request of actions that have several.
    #[serde(default)]
    pub requests: Vec<ActionRecord>,
    /// Per check of the scenario.
    #[serde(default)]
    pub checks: Vec<CheckRecord>,
    /// In order. One that starts at or after the load's end is the drain.
    pub intervals: Vec<IntervalRecord>,
}

/// Where arrivals and actions ended up: see [`stats::Counts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CountsRecord {
    /// Arrivals called for.
    pub due: u64,
    /// Actions begun.
    pub started: u64,
    /// Ended well.
    pub completed: u64,
    /// Ended with an error.
    pub failed: u64,
    /// Thrown away because all users were busy.
    pub dropped: u64,
    /// Still waiting for a user at the end.
    pub unstarted: u64,
    /// Still open when the drain limit passed.
    pub unfinished: u64,
    /// Samples whose time is a lower bound.
    pub censored: u64,
}

impl From<&Counts> for CountsRecord {
    fn from(counts: &Counts) -> Self {
        let Counts { due, started, completed, failed, dropped, unstarted, unfinished, censored } = *counts;
        Self { due, started, completed, failed, dropped, unstarted, unfinished, censored }
    }
}

impl CountsRecord {
    /// Actions that ended, well or not.
    pub fn ended(&self) -> u64 {
        self.completed + self.failed
    }

    /// What did not end well: failed, given up, dropped or never begun.
    pub fn not_completed(&self) -> u64 {
        self.failed + self.unfinished + self.dropped + self.unstarted
    }

    /// What did not end well to all that was due; 0 when nothing was.
    pub fn error_ratio(&self) -> f64 {
        let all = self.completed + self.not_completed();
        if all == 0 { 0.0 } else { self.not_completed() as f64 / all as f64 }
    }
}

/// Below the action.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TrafficRecord {
    /// Requests sent, redirects included.
    pub requests: u64,
    /// Connections that stood.
    pub connections_opened: u64,
    /// Connections that the peer ended between requests or that failed.
    pub connections_lost: u64,
    /// Answers by `1xx` … `5xx`.
    pub statuses: BTreeMap<String, u64>,
    /// TCP connect.
    pub connect_ns: Latencies,
    /// TLS handshake.
    pub tls_ns: Latencies,
    /// Sent → first byte of the answer.
    pub first_byte_ns: Latencies,
}

impl TrafficRecord {
    /// The record's form of what workers counted.
    pub fn of(traffic: &Traffic) -> Self {
        let classes = ["1xx", "2xx", "3xx", "4xx", "5xx"];
        let statuses = classes.into_iter().zip(traffic.statuses).filter(|(_, count)| *count > 0);
        Self {
            requests: traffic.requests,
            connections_opened: traffic.connections_opened,
            connections_lost: traffic.connections_lost,
            statuses: statuses.map(|(class, count)| (class.to_owned(), count)).collect(),
            connect_ns: Latencies::of(&traffic.connect_ns),
            tls_ns: Latencies::of(&traffic.tls_ns),
            first_byte_ns: Latencies::of(&traffic.first_byte_ns),
        }
    }
}

/// One action (or request) of a phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActionRecord {
    /// As in the plan.
    pub name: String,
    /// Where its executions ended up.
    pub counts: CountsRecord,
    /// Failures by class.
    pub errors: BTreeMap<String, u64>,
    /// Sent → done.
    pub service_ns: Latencies,
    /// Intended → done.
    pub response_ns: Latencies,
    /// Intended → sent.
    pub wait_ns: Latencies,
}

impl ActionRecord {
    /// The record's form of what workers counted.
    pub fn of(name: &str, stats: &SampleStats) -> Self {
        Self {
            name: name.to_owned(),
            counts: (&stats.counts).into(),
            errors: errors_by_name(&stats.errors),
            service_ns: Latencies::of(&stats.service_ns),
            response_ns: Latencies::of(&stats.response_ns),
            wait_ns: Latencies::of(&stats.wait_ns),
        }
    }
}

/// Error counts under the names of their classes.
pub(crate) fn errors_by_name(errors: &Errors) -> BTreeMap<String, u64> {
    errors.iter().map(|(class, count)| (class.as_str().to_owned(), count)).collect()
}

/// A check of the scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckRecord {
    /// As in the plan.
    pub name: String,
    /// How often it held.
    pub passed: u64,
    /// How often it did not.
    pub failed: u64,
}

/// One stretch of a phase, all workers together.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct IntervalRecord {
    /// Since the run's start.
    pub start_ns: u64,
    /// Its length.
    pub duration_ns: u64,
    /// What happened in it.
    pub counts: CountsRecord,
    /// Failures by class.
    pub errors: BTreeMap<String, u64>,
    /// Payload received.
    pub bytes_received: u64,
    /// Of what was done in it.
    pub response_ns: Latencies,
    /// Of what was done in it.
    pub service_ns: Latencies,
    /// Of what was done in it.
    #[serde(default)]
    pub wait_ns: Latencies,
    /// Mean number of actions in flight.
    pub in_flight_mean: f64,
    /// Most in flight.
    pub in_flight_max: u64,
    /// Those of the scenario's actions of which anything happened in it, in the scenario's order; empty where the scenario has only one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<IntervalActionRecord>,
    /// The generator in it.
    #[serde(default)]
    pub client: IntervalClientRecord,
}

/// The generator itself in one interval; null what is not known or what the samples don't carry.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct IntervalClientRecord {
    /// Share of the time that the busiest worker thread worked (spinning left out), 0..=1.
    pub busy_ratio_max: Option<f64>,
    /// Share of the time that a worker thread was ready but not on a CPU, the worst one's, 0..=1.
    pub off_cpu_ratio_max: Option<f64>,
    /// 99th percentile of how late sends were though a user and a connection were free.
    pub lateness_ns_p99: Option<u64>,
    /// The latest of them.
    pub lateness_ns_max: Option<u64>,
}

impl IntervalClientRecord {
    fn of(interval: &Interval) -> Self {
        Self {
            busy_ratio_max: interval.effort.busy_ratio_max,
            off_cpu_ratio_max: interval.effort.off_cpu_ratio_max,
            lateness_ns_p99: interval.lateness_ns.carried_quantile_ns(0.99),
            lateness_ns_max: interval.lateness_ns.max_ns(),
        }
    }
}

/// One action in one interval. Its waits are left out: they are the phase's business, and a third more data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IntervalActionRecord {
    /// As in the plan.
    pub name: String,
    /// Where its executions ended up.
    pub counts: CountsRecord,
    /// Failures by class.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub errors: BTreeMap<String, u64>,
    /// Intended → done.
    #[serde(default, skip_serializing_if = "Distribution::is_empty")]
    pub response_ns: Distribution,
    /// Sent → done.
    #[serde(default, skip_serializing_if = "Distribution::is_empty")]
    pub service_ns: Distribution,
}

impl IntervalActionRecord {
    /// The record's form of what workers counted.
    pub fn of(name: &str, stats: &SampleStats) -> Self {
        Self {
            name: name.to_owned(),
            counts: (&stats.counts).into(),
            errors: errors_by_name(&stats.errors),
            response_ns: Distribution::of(&stats.response_ns),
            service_ns: Distribution::of(&stats.service_ns),
        }
    }
}

impl IntervalRecord {
    /// The record's form of an interval of all workers, `run_start_ns` being the run's start on the same clock.
    pub fn of(interval: &Interval, run_start_ns: u64) -> Self {
        let total = interval.total();
        Self {
            start_ns: interval.start_ns.saturating_sub(run_start_ns),
            duration_ns: interval.duration_ns,
            counts: (&total.counts).into(),
            errors: errors_by_name(&total.errors),
            bytes_received: interval.traffic.bytes_received,
            response_ns: Latencies::of(&total.response_ns),
            service_ns: Latencies::of(&total.service_ns),
            wait_ns: Latencies::of(&total.wait_ns),
            in_flight_mean: mean_over(interval.in_flight.action_ns, interval.duration_ns),
            in_flight_max: interval.in_flight.max,
            actions: Vec::new(),
            client: IntervalClientRecord::of(interval),
        }
    }

    /// The same with its actions apart, `names` being those of the scenario's actions as [`Interval`] numbers them. A scenario of one action
    /// is left as it is: the interval says all of it.
    #[must_use]
    pub fn with_actions(mut self, interval: &Interval, names: &[String]) -> Self {
        if names.len() > 1 {
            let happened = |stats: &SampleStats| stats.counts != Counts::default();
            let named = names.iter().zip(&interval.actions).filter(|(_, stats)| happened(stats));
            self.actions = named.map(|(name, stats)| IntervalActionRecord::of(name, stats)).collect();
        }
        self
    }
}

/// A sum over time divided by the time; 0 over no time.
pub(crate) fn mean_over(sum: u128, duration_ns: u64) -> f64 {
    if duration_ns == 0 { 0.0 } else { sum as f64 / duration_ns as f64 }
}

/// What a phase run is made of besides what its workers counted.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseFrame {
    /// As in the plan.
    pub name: String,
    /// Whether it counts.
    pub kind: PhaseKind,
    /// Open or closed.
    pub load_model: LoadModel,
    /// From 0.
    pub repeat_index: u32,
    /// Since the run's start.
    pub start_ns: u64,
    /// Length of the load.
    pub duration_ns: u64,
    /// How long it drained.
    pub drain_ns: u64,
    /// Completed within the load's length.
    pub completed_in_time: u64,
    /// Share of the time that the busiest worker thread worked.
    pub busy_ratio_max: f64,
    /// Share of the time that a worker thread was kept off the CPU, the worst one's.
    pub off_cpu_ratio_max: Option<f64>,
    /// Names of the actions, requests and checks, as [`Interval`] numbers them.
    pub action_names: Vec<String>,
    /// Likewise; empty where an action has one request only.
    pub request_names: Vec<String>,
    /// Likewise.
    pub check_names: Vec<String>,
}

impl PhaseRecord {
    /// The record of a phase from the sum of all its intervals.
    pub fn of(frame: PhaseFrame, total: &Interval, intervals: Vec<IntervalRecord>) -> Self {
        let whole = total.total();
        let secs = frame.duration_ns as f64 / 1e9;
        let per_sec = |count: u64| if secs > 0.0 { count as f64 / secs } else { 0.0 };
        let ran = |stats: &SampleStats| stats.counts.started > 0;
        let named = |names: &[String], stats: &[SampleStats]| -> Vec<ActionRecord> {
            names
                .iter()
                .zip(stats)
                .filter(|(_, s)| ran(s))
                .map(|(name, s)| ActionRecord::of(name, s))
                .collect()
        };
        let checks =
            frame.check_names.iter().zip(&total.checks).filter(|(_, (passed, failed))| passed + failed > 0);
        Self {
            name: frame.name,
            kind: frame.kind,
            load_model: frame.load_model,
            repeat_index: frame.repeat_index,
            start_ns: frame.start_ns,
            duration_ns: frame.duration_ns,
            drain_ns: frame.drain_ns,
            offered_per_sec: (frame.load_model == LoadModel::Open).then(|| per_sec(whole.counts.due)),
            achieved_per_sec: per_sec(frame.completed_in_time),
            counts: (&whole.counts).into(),
            errors: errors_by_name(&whole.errors),
            bytes_sent: total.traffic.bytes_sent,
            bytes_received: total.traffic.bytes_received,
            traffic: TrafficRecord::of(&total.traffic),
            in_flight_mean: mean_over(total.in_flight.action_ns, frame.duration_ns + frame.drain_ns),
            in_flight_max: total.in_flight.max,
            think_ns: u64::try_from(total.in_flight.think_ns).unwrap_or(u64::MAX),
            service_ns: Latencies::of(&whole.service_ns),
            response_ns: Latencies::of(&whole.response_ns),
            wait_ns: Latencies::of(&whole.wait_ns),
            lateness_ns: Latencies::of(&total.lateness_ns),
            busy_ratio_max: frame.busy_ratio_max,
            off_cpu_ratio_max: frame.off_cpu_ratio_max,
            actions: named(&frame.action_names, &total.actions),
            requests: named(&frame.request_names, &total.requests),
            checks: checks
                .map(|(name, (passed, failed))| CheckRecord {
                    name: name.clone(),
                    passed: *passed,
                    failed: *failed,
                })
                .collect(),
            intervals,
        }
    }

    /// A latency of one of its actions, or of all together.
    pub fn latencies<'r>(&'r self, which: Latency, action: Option<&'r ActionRecord>) -> &'r Latencies {
        match (which, action) {
            (Latency::Response, None) => &self.response_ns,
            (Latency::Service, None) => &self.service_ns,
            (Latency::Wait, None) => &self.wait_ns,
            (Latency::Response, Some(action)) => &action.response_ns,
            (Latency::Service, Some(action)) => &action.service_ns,
            (Latency::Wait, Some(action)) => &action.wait_ns,
        }
    }

    /// A copy of all but the intervals, which are most of a phase.
    #[must_use]
    pub fn without_intervals(&self) -> Self {
        Self {
            name: self.name.clone(),
            kind: self.kind,
            load_model: self.load_model,
            repeat_index: self.repeat_index,
            start_ns: self.start_ns,
            duration_ns: self.duration_ns,
            drain_ns: self.drain_ns,
            offered_per_sec: self.offered_per_sec,
            achieved_per_sec: self.achieved_per_sec,
            counts: self.counts,
            errors: self.errors.clone(),
            bytes_sent: self.bytes_sent,
            bytes_received: self.bytes_received,
            traffic: self.traffic.clone(),
            in_flight_mean: self.in_flight_mean,
            in_flight_max: self.in_flight_max,
            think_ns: self.think_ns,
            service_ns: self.service_ns.clone(),
            response_ns: self.response_ns.clone(),
            wait_ns: self.wait_ns.clone(),
            lateness_ns: self.lateness_ns.clone(),
            busy_ratio_max: self.busy_ratio_max,
            off_cpu_ratio_max: self.off_cpu_ratio_max,
            actions: self.actions.clone(),
            requests: self.requests.clone(),
            checks: self.checks.clone(),
            intervals: Vec::new(),
        }
    }
}

/// An SLO and what was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SloRecord {
    /// The expression, with its scope.
    pub expression: String,
    /// Whether it was kept; false also when it can't be told.
    pub ok: bool,
    /// What was found, in ns, ratio, count or per second; null when the samples don't carry it.
    pub observed: Option<f64>,
    /// The same for people, with its unit, or why it can't be told.
    pub observed_text: String,
    /// The phase that it was held against, with the repeat when there are several.
    pub phase: String,
}

/// The generator itself.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Client {
    /// Of the whole process over the run.
    pub cpu_user_ns: u64,
    /// Likewise.
    pub cpu_system_ns: u64,
    /// Most resident memory.
    pub rss_bytes_max: u64,
    /// Share of the machine's CPU time that the hypervisor took away, 0..=1; null where not known.
    pub steal_ratio: Option<f64>,
    /// Per worker thread.
    pub workers: Vec<WorkerRecord>,
}

/// A worker thread.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WorkerRecord {
    /// CPU time that it used.
    pub cpu_ns: u64,
    /// Of that, waiting actively before deadlines.
    pub spin_ns: u64,
    /// Time that it ran, from its first phase to the end of its last.
    pub elapsed_ns: u64,
    /// Time that it was ready to run but not on a CPU; null where the system does not tell.
    pub off_cpu_ns: Option<u64>,
    /// Sends later than due though a user and a connection were free.
    pub lateness_ns: Latencies,
}

impl WorkerRecord {
    /// Share of its time that it worked, spinning left out; 0 when it did not run.
    pub fn busy_ratio(&self) -> f64 {
        mean_over(u128::from(self.cpu_ns.saturating_sub(self.spin_ns)), self.elapsed_ns)
    }
}
