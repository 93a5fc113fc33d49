//! Prints what a large run costs to show and to compare: `cargo run --release -p report --example cost [SECONDS [ACTIONS]]`, by default ten minutes
//! of twenty actions, an interval a second.
//!
//! The record is made of samples as a run makes it: 1,000 actions per second, times of two humps. The fastest of some rounds counts.

use compare::{Settings, Side, compare_runs};
use record::{
    Client, Environment, IntervalRecord, LoadModel, PhaseFrame, PhaseKind, PhaseRecord, RunRecord, Verdict,
};
use report::{Html, Json, Layout};
use serde_json::json;
use stats::{Interval, Outcome, Sample};
use std::time::Instant;
use units::{NS_PER_SEC, NS_PER_US, Random};

const ROUNDS: u32 = 5;
const PER_SEC: u64 = 1_000;

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|text| text.parse().ok());
    let (secs, actions) = (numbers.next().unwrap_or(600), numbers.next().unwrap_or(20));
    let runs = [made(secs, actions, 1), made(secs, actions, 2)];
    let [a, b] = &runs;
    println!("{secs} s, {actions} actions, {} requests", secs * PER_SEC);
    let mut page = Vec::new();
    timed("report -o report.html", || {
        page.clear();
        let _ = Html.write_all(std::slice::from_ref(a), &mut page);
    });
    println!("  {} KB in all", page.len() / 1_000);
    let sides = |name: &str, run| Side { name: name.to_owned(), runs: vec![run] };
    timed("compare, one run a side", || {
        let compared = compare_runs(&[sides("a", a), sides("b", b)], &Settings::of_runs());
        assert!(compared.is_ok(), "{compared:?}");
    });
    let text = report::Format::to_text(&Json { layout: Layout::Compact }, a);
    timed("read the record's JSON", || {
        let read: Result<RunRecord, _> = serde_json::from_str(&text);
        assert!(read.is_ok());
    });
}

/// Prints how long the fastest round took.
fn timed(what: &str, mut work: impl FnMut()) {
    let rounds = (0..ROUNDS).map(|_| {
        let started = Instant::now();
        work();
        started.elapsed()
    });
    let fastest = rounds.min().unwrap_or_default();
    println!("{what}: {:.0} ms", fastest.as_secs_f64() * 1e3);
}

fn made(secs: u64, action_count: u64, seed: u64) -> RunRecord {
    let mut random = Random::new(seed);
    let names: Vec<String> = (1..=action_count).map(|number| format!("action {number}")).collect();
    let mut total = Interval::new(names.len(), 0, 0);
    let mut intervals = Vec::new();
    for second in 0..secs {
        let mut interval = total.blank();
        (interval.start_ns, interval.duration_ns) = (second * NS_PER_SEC, NS_PER_SEC);
        for index in 0..PER_SEC {
            let hump_us =
                if random.below(10) == 0 { 20_000.0 } else { 300.0 + 50.0 * (index % action_count) as f64 };
            let service_ns = (hump_us * (0.5 + random.exponential()) * NS_PER_US as f64) as u64;
            let sent_ns = random.below(30 * NS_PER_US);
            let done_ns = sent_ns + service_ns;
            let sample = Sample {
                intended_ns: 0,
                sent_ns: Some(sent_ns),
                done_ns,
                think_ns: 0,
                outcome: Outcome::Completed,
            };
            if let Some(action) = interval.actions.get_mut((index % action_count) as usize) {
                action.record(&sample);
                action.counts.started += 1;
                action.counts.due += 1;
            }
        }
        intervals.push(IntervalRecord::of(&interval, 0).with_actions(&interval, &names));
        total.append(&interval);
    }
    let frame = PhaseFrame {
        name: "steady".to_owned(),
        kind: PhaseKind::Measure,
        load_model: LoadModel::Open,
        repeat_index: 0,
        start_ns: 0,
        duration_ns: secs * NS_PER_SEC,
        drain_ns: 0,
        completed_in_time: total.total().counts.completed,
        busy_ratio_max: 0.1,
        off_cpu_ratio_max: None,
        action_names: names,
        request_names: Vec::new(),
        check_names: Vec::new(),
    };
    RunRecord {
        schema_version: record::SCHEMA_VERSION,
        run_id: format!("made{seed}"),
        name: "made".to_owned(),
        origin: String::new(),
        labels: Default::default(),
        started_unix_ns: seed,
        duration_ns: secs * NS_PER_SEC,
        aborted: None,
        plan: json!({"name": "made"}),
        environment: Environment::default(),
        verdict: Verdict::default(),
        slos: Vec::new(),
        phases: vec![PhaseRecord::of(frame, &total, intervals)],
        client: Client::default(),
    }
}
