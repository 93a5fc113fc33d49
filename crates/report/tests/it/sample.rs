//! Records built as a run builds them: from samples, through intervals.

use record::{
    Client, Environment, LoadModel, PhaseFrame, PhaseKind, PhaseRecord, RunRecord, SCHEMA_VERSION, Verdict,
    WorkerRecord, evaluate_slos, judge,
};
use serde_json::json;
use stats::{ErrorClass, Interval, Outcome, Sample};
use units::{NS_PER_MS, NS_PER_SEC, NS_PER_US, Random};

/// One phase of samples, its actions taken in turn.
struct Load {
    name: &'static str,
    kind: PhaseKind,
    model: LoadModel,
    per_sec: u64,
    secs: u64,
    actions: &'static [&'static str],
    requests: &'static [&'static str],
    checks: &'static [&'static str],
    /// The server stands still for so long of every second.
    stall_ns: u64,
    /// One of so many fails.
    failing: Option<(u64, ErrorClass)>,
}

const QUICK: Load = Load {
    name: "measure",
    kind: PhaseKind::Measure,
    model: LoadModel::Open,
    per_sec: 1_000,
    secs: 10,
    actions: &["GET /hello"],
    requests: &[],
    checks: &[],
    stall_ns: 0,
    failing: None,
};

impl Load {
    fn record(&self, start_ns: u64, random: &mut Random) -> PhaseRecord {
        let mut total = Interval::new(self.actions.len(), self.requests.len(), self.checks.len());
        let count = self.per_sec * self.secs;
        for index in 0..count {
            let intended_ns = start_ns + index * NS_PER_SEC / self.per_sec;
            let sent_ns = intended_ns + 2 * NS_PER_US + random.below(3 * NS_PER_US);
            let into_second_ns = (intended_ns - start_ns) % NS_PER_SEC;
            let stalled_ns = self.stall_ns.saturating_sub(into_second_ns);
            // Half of what a stall holds back waits for a connection, the other half for the server.
            let sent_ns = sent_ns + if index % 2 == 0 { stalled_ns } else { 0 };
            let service_ns = (random.exponential() * 90.0 * NS_PER_US as f64) as u64 + 60 * NS_PER_US;
            let done_ns = sent_ns.max(intended_ns + stalled_ns) + service_ns;
            let class = self.failing.filter(|(every, _)| index % every == every - 1).map(|(_, class)| class);
            let outcome = class.map_or(Outcome::Completed, Outcome::Failed);
            let sample = Sample { intended_ns, sent_ns: Some(sent_ns), done_ns, think_ns: 0, outcome };
            let action = index as usize % self.actions.len();
            total.actions[action].record(&sample);
            total.actions[action].counts.started += 1;
            for request in &mut total.requests {
                request.record(&sample);
                request.counts.started += 1;
            }
            for check in &mut total.checks {
                if class == Some(ErrorClass::Check) { check.1 += 1 } else { check.0 += 1 }
            }
            total.lateness_ns.record(sent_ns.saturating_sub(intended_ns + stalled_ns));
            total.traffic.first_byte_ns.record(service_ns);
            total.in_flight.action_ns += u128::from(done_ns - sent_ns);
        }
        total.arrivals.counts.due = count;
        total.in_flight.max = 8;
        total.traffic.requests = count;
        (total.traffic.bytes_sent, total.traffic.bytes_received) = (count * 62, count * 1_480);
        total.traffic.connections_opened = 64;
        (0..64).for_each(|n| total.traffic.connect_ns.record(70 * NS_PER_US + n * NS_PER_US));
        total.traffic.statuses[1] = count;
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let completed = total.total().counts.completed;
        let frame = PhaseFrame {
            name: self.name.to_owned(),
            kind: self.kind,
            load_model: self.model,
            repeat_index: 0,
            start_ns,
            duration_ns: self.secs * NS_PER_SEC,
            drain_ns: NS_PER_MS,
            completed_in_time: completed,
            busy_ratio_max: 0.2,
            off_cpu_ratio_max: Some(0.001),
            action_names: names(self.actions),
            request_names: names(self.requests),
            check_names: names(self.checks),
        };
        PhaseRecord::of(frame, &total, Vec::new())
    }
}

fn run(name: &str, plan: serde_json::Value, loads: &[Load], slos: &[&str]) -> RunRecord {
    let mut random = Random::new(7);
    let mut start_ns = 0;
    let mut phases = Vec::new();
    for load in loads {
        phases.push(load.record(start_ns, &mut random));
        start_ns += load.secs * NS_PER_SEC + NS_PER_MS;
    }
    let promises = plan::Plan {
        name: name.to_owned(),
        seed: 1,
        targets: Vec::new(),
        feeds: Vec::new(),
        variables: Vec::new(),
        scenarios: Vec::new(),
        phases: Vec::new(),
        slos: slos.iter().map(|text| plan::Slo::parse(text).unwrap()).collect(),
        interval_ns: plan::Plan::INTERVAL_NS,
    };
    let mut record = RunRecord {
        schema_version: SCHEMA_VERSION,
        run_id: "0192f4c7a1b2".to_owned(),
        name: name.to_owned(),
        origin: String::new(),
        labels: Default::default(),
        started_unix_ns: 1_790_942_467 * NS_PER_SEC,
        duration_ns: start_ns,
        aborted: None,
        plan,
        environment: Environment {
            os: "linux".to_owned(),
            kernel: "6.12.0".to_owned(),
            cpu_model: "Fast CPU".to_owned(),
            cpu_count: 2,
            memory_bytes: 8 << 30,
            weir_version: "0.1.0".to_owned(),
            driver: "io_uring".to_owned(),
            notes: Vec::new(),
            addresses: [("127.0.0.1".to_owned(), vec!["127.0.0.1:7070".to_owned()])].into(),
        },
        verdict: Verdict::default(),
        slos: evaluate_slos(&promises, &phases),
        phases,
        client: Client {
            cpu_user_ns: 20 * NS_PER_MS,
            cpu_system_ns: 45 * NS_PER_MS,
            rss_bytes_max: 9 << 20,
            steal_ratio: Some(0.0),
            workers: vec![WorkerRecord {
                cpu_ns: 60 * NS_PER_MS,
                spin_ns: 15 * NS_PER_MS,
                elapsed_ns: start_ns,
                off_cpu_ns: Some(NS_PER_MS),
                ..WorkerRecord::default()
            }],
        },
    };
    record.verdict = judge(&record);
    record
}

fn open(rate_from: u64, rate_to: u64) -> serde_json::Value {
    let rate = |count: u64| [count, NS_PER_SEC];
    json!({"open": {"stages": [{"rate_from": rate(rate_from), "rate_to": rate(rate_to), "duration_ns": 0}], "arrivals": "constant"}})
}

/// What `weir http` with a rate leaves: one phase, valid.
pub(crate) fn quick() -> RunRecord {
    let plan = json!({"phases": [{"name": "measure", "load": open(1000, 1000)}]});
    run("http://127.0.0.1:7070/hello", plan, &[QUICK], &["p99(response) < 50ms"])
}

/// A plan of several phases with actions, requests, checks, errors, stalls, objectives that fail, and doubts.
pub(crate) fn checkout() -> RunRecord {
    let plan = json!({"phases": [
        {"name": "warm-up", "load": {"closed": {"users": 8}}},
        {"name": "steady", "load": open(500, 500)},
        {"name": "stall", "load": open(100, 500)},
        {"name": "peak <&| 1", "load": {"closed": {"users": 8}}},
    ]});
    let warm_up = Load { name: "warm-up", kind: PhaseKind::Warmup, secs: 2, per_sec: 100, ..QUICK };
    let steady = Load {
        name: "steady",
        per_sec: 500,
        secs: 5,
        actions: &["browse the catalogue", "buy"],
        requests: &["GET /albums/${id}", "POST /load"],
        checks: &["status is 200", "body has `total`"],
        ..QUICK
    };
    let stall = Load {
        name: "stall",
        stall_ns: 200 * NS_PER_MS,
        per_sec: 300,
        secs: 5,
        failing: Some((40, ErrorClass::Timeout)),
        checks: &["status is 200"],
        ..QUICK
    };
    let peak = Load {
        name: "peak <&| 1",
        model: LoadModel::Closed,
        secs: 1,
        per_sec: 200,
        failing: Some((50, ErrorClass::Check)),
        checks: &["body has `total`"],
        ..QUICK
    };
    let slos = ["p99(response) < 50ms", "error_ratio < 0.1%", "p99.9(service) < 1s"];
    run("checkout & <pay>", plan, &[warm_up, steady, stall, peak], &slos)
}
