//! Records made from samples, as a run makes them, with any seed.

use record::{
    Client, Environment, IntervalRecord, LoadModel, PhaseFrame, PhaseKind, PhaseRecord, RunRecord,
    SCHEMA_VERSION, Verdict, WorkerRecord, judge,
};
use stats::{ErrorClass, Interval, Outcome, Sample};
use units::{NS_PER_MS, NS_PER_SEC, NS_PER_US, Random};

/// What a made run is like.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) phases: usize,
    pub(crate) seconds: u64,
    pub(crate) actions: usize,
    /// Over all actions.
    pub(crate) per_sec: u64,
}

/// A run of this shape; the same seed gives the same run.
pub(crate) fn run(id: &str, shape: Shape, seed: u64) -> RunRecord {
    let mut random = Random::new(seed);
    let phases: Vec<PhaseRecord> = (0..shape.phases).map(|index| phase(index, shape, &mut random)).collect();
    let duration_ns = phases.iter().map(|phase| phase.start_ns + phase.duration_ns).max().unwrap_or(0);
    let mut record = RunRecord {
        schema_version: SCHEMA_VERSION,
        run_id: id.to_owned(),
        name: format!("run of {seed}"),
        origin: "run".to_owned(),
        labels: [("seed".to_owned(), seed.to_string())].into(),
        started_unix_ns: 1_790_942_467 * NS_PER_SEC + seed * NS_PER_MS,
        duration_ns,
        aborted: None,
        plan: serde_json::json!({"name": "made", "seed": seed, "rate": 0.1 + 0.2, "phases": [{"name": "phase-0"}]}),
        environment: Environment { os: "linux".to_owned(), cpu_count: 2, ..Environment::default() },
        verdict: Verdict::default(),
        slos: Vec::new(),
        phases,
        client: Client { workers: vec![WorkerRecord::default()], ..Client::default() },
    };
    record.verdict = judge(&record);
    record
}

fn phase(index: usize, shape: Shape, random: &mut Random) -> PhaseRecord {
    let start_ns = index as u64 * (shape.seconds * NS_PER_SEC + NS_PER_MS);
    let names: Vec<String> = (0..shape.actions).map(|action| format!("action {action}")).collect();
    let mut total = Interval::new(shape.actions, 0, 0);
    total.start_ns = start_ns;
    let mut intervals = Vec::new();
    for second in 0..shape.seconds {
        let interval = interval(start_ns + second * NS_PER_SEC, shape, random);
        intervals.push(IntervalRecord::of(&interval, 0).with_actions(&interval, &names));
        total.append(&interval);
    }
    let frame = PhaseFrame {
        name: format!("phase-{index}"),
        kind: PhaseKind::Measure,
        load_model: LoadModel::Open,
        repeat_index: 0,
        start_ns,
        duration_ns: shape.seconds * NS_PER_SEC,
        drain_ns: NS_PER_MS,
        completed_in_time: total.total().counts.completed,
        busy_ratio_max: random.bits() as f64 / u64::MAX as f64,
        off_cpu_ratio_max: Some(0.1),
        action_names: names,
        request_names: Vec::new(),
        check_names: Vec::new(),
    };
    PhaseRecord::of(frame, &total, intervals)
}

/// A second of it: service times are lognormal about 2 ms, waits some 50 µs.
fn interval(start_ns: u64, shape: Shape, random: &mut Random) -> Interval {
    let mut interval = Interval::new(shape.actions, 0, 0);
    (interval.start_ns, interval.duration_ns) = (start_ns, NS_PER_SEC);
    for n in 0..shape.per_sec {
        let action = n as usize % shape.actions;
        let intended_ns = start_ns + n * NS_PER_SEC / shape.per_sec;
        let wait_ns = (random.exponential() * 50.0 * NS_PER_US as f64) as u64;
        let normal = (0..12).map(|_| random.bits() as f64 / u64::MAX as f64).sum::<f64>() - 6.0;
        let service_ns =
            (2.0 * NS_PER_MS as f64 * (1.0 + action as f64 / 10.0) * (0.5 * normal).exp()) as u64;
        let failed = random.below(1_000) == 0;
        let outcome = if failed { Outcome::Failed(ErrorClass::Status) } else { Outcome::Completed };
        let sent_ns = intended_ns + wait_ns;
        let sample = Sample {
            intended_ns,
            sent_ns: Some(sent_ns),
            done_ns: sent_ns + service_ns,
            think_ns: 0,
            outcome,
        };
        let stats = &mut interval.actions[action];
        stats.counts.started += 1;
        stats.record(&sample);
        interval.lateness_ns.record(wait_ns);
        interval.in_flight.action_ns += u128::from(service_ns);
    }
    interval.arrivals.counts.due = shape.per_sec;
    interval.traffic.bytes_received = shape.per_sec * 1_024;
    interval
}

/// Ten minutes of twenty actions in intervals of a second: thirty seconds made, told over and over at other times. Rows are compressed each by
/// itself, so that they take what as many different ones would.
pub(crate) fn ten_minutes(per_sec: u64) -> RunRecord {
    let mut record = run("a1", Shape { phases: 1, seconds: 30, actions: 20, per_sec }, 7);
    for phase in &mut record.phases {
        let made = std::mem::take(&mut phase.intervals);
        phase.duration_ns *= 20;
        for (index, interval) in (0..600).zip(made.iter().cycle()) {
            let mut interval = interval.clone();
            interval.start_ns = index * NS_PER_SEC;
            phase.intervals.push(interval);
        }
    }
    record
}

/// As many runs, a second after one another, without what they measured.
pub(crate) fn ten_thousand() -> Vec<RunRecord> {
    let mut record = run("a", Shape { phases: 1, seconds: 1, actions: 1, per_sec: 20 }, 7);
    let next = |index| {
        record.run_id = format!("r{index:05}");
        record.started_unix_ns += NS_PER_SEC;
        RunRecord { phases: Vec::new(), ..record.clone() }
    };
    (0..10_000).map(next).collect()
}
