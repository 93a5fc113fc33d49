//! A record with known times in Tulip's table: every figure can be worked out by hand.

use expect_test::expect;
use record::{
    Client, Environment, IntervalRecord, LoadModel, PhaseFrame, PhaseKind, PhaseRecord, RunRecord,
    SCHEMA_VERSION, Verdict,
};
use stats::{ErrorClass, Interval, Outcome, Sample};
use tulip::{ActionFacts, BenchmarkFacts, Facts};
use units::{NS_PER_MS, NS_PER_SEC};

/// An iteration of 2 s from `start_secs` on: of each action so many samples of 10 ms, due 1 ms before they were sent, and one that
/// ended after the load, having waited 2 s.
fn iteration(repeat_index: u32, start_secs: u64, counts: [u64; 2]) -> PhaseRecord {
    let start_ns = start_secs * NS_PER_SEC;
    let mut load = Interval { start_ns, duration_ns: 2 * NS_PER_SEC, ..Interval::new(2, 0, 0) };
    let mut drain =
        Interval { start_ns: start_ns + 2 * NS_PER_SEC, duration_ns: NS_PER_SEC, ..Interval::new(2, 0, 0) };
    let sample = |due_ns: u64, sent_ns: u64, length_ms: u64, outcome| Sample {
        intended_ns: start_ns + due_ns,
        sent_ns: Some(start_ns + sent_ns),
        done_ns: start_ns + sent_ns + length_ms * NS_PER_MS,
        think_ns: 0,
        outcome,
    };
    for (stats, count) in load.actions.iter_mut().zip(counts) {
        stats.counts.started += count;
        (0..count).for_each(|_| stats.record(&sample(0, NS_PER_MS, 10, Outcome::Completed)));
    }
    drain.actions[1].counts.started += 1;
    drain.actions[1].record(&sample(0, 2 * NS_PER_SEC, 500, Outcome::Failed(ErrorClass::Status)));
    let mut total = load.clone();
    total.append(&drain);
    let names = ["look".to_owned(), "pay".to_owned()];
    let interval = |interval| IntervalRecord::of(interval, 0).with_actions(interval, &names);
    let intervals = [&load, &drain].map(interval).to_vec();
    let frame = PhaseFrame {
        name: "buy".to_owned(),
        kind: PhaseKind::Measure,
        load_model: LoadModel::Open,
        repeat_index,
        start_ns,
        duration_ns: 2 * NS_PER_SEC,
        drain_ns: NS_PER_SEC,
        completed_in_time: counts.iter().sum(),
        busy_ratio_max: 0.25,
        off_cpu_ratio_max: None,
        action_names: names.to_vec(),
        request_names: Vec::new(),
        check_names: Vec::new(),
    };
    PhaseRecord::of(frame, &total, intervals)
}

pub(crate) fn record() -> RunRecord {
    let facts = Facts {
        description: "Shop".to_owned(),
        actions: vec![
            ActionFacts { action: "pay".to_owned(), id: 12, name: Some("pay".to_owned()) },
            ActionFacts { action: "look".to_owned(), id: 3, name: None },
        ],
        benchmarks: vec![BenchmarkFacts {
            context_index: 1,
            context: "c".to_owned(),
            benchmark_index: 0,
            benchmark: "buy ".to_owned(),
            user_count: 4,
            thread_count: 2,
            token_count: 22,
            workflow: None,
            is_saved: true,
            phases: vec!["buy".to_owned()],
            target_per_sec: vec![50.0],
        }],
        ..Facts::default()
    };
    let mut plan = serde_json::json!({});
    facts.put_into(&mut plan);
    RunRecord {
        schema_version: SCHEMA_VERSION,
        run_id: String::new(),
        name: String::new(),
        origin: String::new(),
        labels: Default::default(),
        started_unix_ns: 1_725_008_604_045_000_000,
        duration_ns: 0,
        aborted: None,
        plan,
        environment: Environment { memory_bytes: 1 << 30, ..Environment::default() },
        verdict: Verdict::default(),
        slos: Vec::new(),
        phases: vec![iteration(0, 0, [60, 20]), iteration(1, 3, [0, 40])],
        client: Client { rss_bytes_max: 1 << 27, ..Client::default() },
    }
}

#[test]
fn the_figures_are_those_of_the_samples() {
    let table = tulip::table(&record()).unwrap();
    let (table, _) = table.split_once("\nRT    ").unwrap();
    // #N holds the two that ended late; 120 in 4 s ended in time. Action 3 ran in the first iteration alone: 60 in 2 s. Waits in the first
    // table are the benchmark's, their mean the greatest of the iterations'; those in the second are each row's own.
    expect![[r#"
        Benchmark Report / Shop / 2024-08-30 09:03:26.045

        SID   Name      RID    Duration #N  #F Avg TPS Min RT   Avg RT    Stdev  90p RT   99p RT   Max RT    Max RTT   MQS AQS  Max WT   Avg WT  CPU  JMM
        1   buy
            (u:4 t:2) 0        2.0      81  1  40.000  10.0 ms 16.049 ms 54.1 ms 10.0 ms 500.0 ms 500.0 ms 30 09:03:27 0   0.0 2000.0 ms 25.7 ms 25.0 12.5
                      1        2.0      41  1  20.000  10.0 ms 21.951 ms 75.6 ms 10.0 ms 500.0 ms 500.0 ms 30 09:03:30 0   0.0 2000.0 ms 49.8 ms 25.0 12.5
                      [3]      0:00:04  60  0  30.000  10.0 ms 10.000 ms 0.0 ms  10.0 ms 10.0 ms  10.0 ms  30 09:03:26 0   0.0 2000.0 ms 25.7 ms 25.0 12.5
                      [12.pay] 0:00:04  62  2  15.000  10.0 ms 25.806 ms 86.6 ms 10.0 ms 500.0 ms 500.0 ms 30 09:03:27 0   0.0 2000.0 ms 49.8 ms 25.0 12.5
                               0:00:04  122 2  30.000  10.0 ms 18.033 ms 62.2 ms 10.0 ms 500.0 ms 500.0 ms 30 09:03:27 0   0.0 2000.0 ms 49.8 ms 25.0 12.5

        Response time, due to done; waits of each row's own, due to sent

        SID Name   RID      Avg     50p     90p   95p 99p 99.9p   Max   Avg WT  Max WT
        1   buy
                 0        41.7 ms 11.0 ms -       -   -   -     2.50 s  25.7 ms 2.00 s
                 1        71.7 ms 11.0 ms -       -   -   -     2.50 s  49.8 ms 2.00 s
                 [3]      11.0 ms 11.0 ms -       -   -   -     11.0 ms 1.00 ms 1.00 ms
                 [12.pay] 91.3 ms 11.0 ms -       -   -   -     2.50 s  65.5 ms 2.00 s
                          51.8 ms 11.0 ms 11.0 ms -   -   -     2.50 s  33.8 ms 2.00 s
    "#]].assert_eq(table);
}

#[test]
fn what_is_not_saved_or_not_tulips_is_not_shown() {
    let mut record = record();
    let mut facts = Facts::of(&record.plan).unwrap();
    facts.benchmarks[0].is_saved = false;
    facts.put_into(&mut record.plan);
    assert!(!tulip::table(&record).unwrap().contains("(u:4 t:2)"));
    record.plan = serde_json::json!({});
    assert_eq!(tulip::table(&record), None);
}
