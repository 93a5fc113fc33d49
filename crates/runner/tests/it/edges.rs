//! Loads that end unevenly, and other edges at which a number could go wrong unseen.

use crate::laws::{MS, REPLY};
use crate::*;
use netio::sim::{FixedServer, SimDriver};
use record::{ReasonCode, VerdictState};
use runner::simulate;
use target::TlsOptions;

/// A run in simulated time against a server of `service_ms` with room for all.
fn simulated(yaml: &str, service_ms: u64) -> RunRecord {
    let server = FixedServer::new(service_ms * MS, 100_000, REPLY);
    simulate(&plan(yaml), SimDriver::new(Box::new(server))).expect("a sound plan")
}

fn has(record: &RunRecord, code: ReasonCode) -> bool {
    record.verdict.reasons.iter().any(|reason| reason.code == code)
}

#[test]
fn workers_that_end_at_different_times_keep_one_book() {
    let running = target();
    for (load, rate) in
        [("users: 10\nin_flight_max: 1\nduration: 1500ms", 95.0), ("users: 3\ncount: 60", 290.0)]
    {
        let yaml = format!("target: URL\nrequest: GET /delay?ms=10\n{load}\n");
        let options = RunOptions { worker_count: Some(2), ..RunOptions::default() };
        let record = run_with(plan_for(&running, &yaml), options).unwrap();
        let phase = &record.phases[0];
        assert_laws(phase);
        let by_length = phase.counts.completed as f64 * 1e9 / phase.duration_ns as f64;
        assert!(
            (phase.achieved_per_sec / by_length - 1.0).abs() < 0.05,
            "{} {by_length}",
            phase.achieved_per_sec
        );
        assert!(phase.achieved_per_sec < rate * 1.1, "{}", phase.achieved_per_sec);
        let starts: Vec<u64> = phase.intervals.iter().map(|interval| interval.start_ns).collect();
        assert!(starts.is_sorted(), "{starts:?}");
        assert!(phase.busy_ratio_max <= 1.5, "{}", phase.busy_ratio_max);
    }
}

#[test]
fn answers_that_close_over_tls_leave_the_next_request_whole() {
    let running = target_with(Options { tls: Some(TlsOptions::default()), ..Options::default() });
    let port = running.local_addr().unwrap().port();
    for policy in ["per_user", "1"] {
        let yaml = format!(
            "targets: {{a: {{url: 'https://127.0.0.1:{port}', tls: {{insecure: true}}, connections: {policy}}}}}
actions: [{{name: a, steps: [{{get: /close}}, {{get: /hello}}]}}]
phases: [{{name: p, users: 2, count: 20}}]
"
        );
        let phase = run(plan(&yaml)).phases.remove(0);
        assert_eq!(phase.counts.completed, 20, "{policy}: {:?}", phase.errors);
    }
}

#[test]
fn users_max_is_each_phases_own() {
    let record = simulated(
        "target: http://127.0.0.1
request: GET /
phases:
  - {name: warm, warmup: true, users: 100, duration: 100ms}
  - {name: main, rate: 1000/s, duration: 1s, users_max: 2, on_saturation: drop}
  - {name: beside, rate: 100/s, duration: 1s, users_max: 10, start: {with: main}}
",
        10,
    );
    let main = &record.phases[1];
    assert_laws(main);
    assert!(main.in_flight_max == 2 && (700..900).contains(&main.counts.dropped), "{:?}", main.counts);
    assert_eq!(record.phases[2].counts.dropped, 0);
}

#[test]
fn two_random_feeds_know_nothing_of_each_other() {
    let rows = "rows: [{a: 0}, {a: 1}, {a: 2}, {a: 3}], order: random";
    let yaml = format!(
        "target: URL
feeds: {{u: {{{rows}}}, v: {{{rows}}}}}
scenarios: {{s: {{actions: [{{name: x, steps: [{{get: '/echo?q=${{u.a}}${{v.a}}', check: {{body: {{regex: 'q=(00|11|22|33)'}}}}}}]}}]}}}}
phases: [{{name: p, users: 2, count: 200}}]
"
    );
    let running = target();
    let phase = run(plan_for(&running, &yaml)).phases.remove(0);
    // A quarter of the pairs are equal by chance.
    assert!((20..90).contains(&phase.counts.completed), "{:?}", phase.counts);
}

#[test]
fn a_feed_that_stops_ends_an_open_load_at_that_arrival() {
    let yaml = "target: http://127.0.0.1
feeds: {u: {rows: [{a: 0}, {a: 1}, {a: 2}], at_end: stop}}
scenarios: {s: {actions: [{name: x, steps: [{get: '/${u.a}'}]}]}}
phases:
  - {name: p, rate: 100/s, duration: 10s, users_max: 5}
";
    let phase = simulated(yaml, 50).phases.remove(0);
    assert_laws(&phase);
    assert_eq!((phase.counts.due, phase.counts.completed, phase.duration_ns), (3, 3, 30 * MS));
    assert!(phase.drain_ns < 100 * MS, "{}", phase.drain_ns);
}

#[test]
fn think_time_that_was_not_taken_makes_no_latency() {
    let actions = |steps: &str, load: &str| {
        format!(
            "target: http://127.0.0.1\nactions: [{{name: a, steps: [{steps}]}}]\nphases: [{{name: p, {load}, drain: 0ms}}]\n"
        )
    };
    let record = simulated(&actions("{think: 4s}, {get: /}", "users: 500, duration: 10s"), 100);
    let phase = &record.phases[0];
    assert_eq!(phase.counts.started, phase.counts.completed + phase.counts.unfinished);
    assert_eq!(phase.response_ns.min, Some(100 * MS), "{:?}", phase.response_ns);
    let record = simulated(&actions("{get: /}, {think: 3s}, {get: /}", "users: 500, duration: 10s"), 100);
    assert_laws(&record.phases[0]);
    assert!(!has(&record, ReasonCode::LittlesLaw), "{:#?}", record.verdict);
    assert!(record.phases[0].response_ns.min.unwrap() >= 100 * MS);
}

#[test]
fn an_open_count_ends_with_its_rate() {
    for (load, duration_ms) in [("rate: 100/s, count: 100", 1000), ("rate: 10/s, count: 2", 200)] {
        let yaml = format!("target: http://127.0.0.1\nrequest: GET /\nphases: [{{name: p, {load}}}]\n");
        let phase = simulated(&yaml, 2000).phases.remove(0);
        assert_laws(&phase);
        assert_eq!(phase.duration_ns, duration_ms * MS, "{load}");
        assert_eq!(phase.counts.completed, phase.counts.due);
    }
    let staged = "target: http://127.0.0.1\nrequest: GET /\nphases: [{name: p, stages: [{rate: 10/s, for: 1s}, {rate: 20/s}], count: 100}]\n";
    assert_eq!(simulated(staged, 1).phases[0].counts.completed, 100);
    let silent = "target: http://127.0.0.1\nrequest: GET /\nphases: [{name: p, rate: 0/s, count: 10}]\n";
    assert!(planfile::parse(silent, "t", &planfile::InMemory::default()).plan.is_none());
}

#[test]
fn a_request_that_is_open_at_the_end_is_in_its_own_statistics() {
    let yaml = "target: URL
actions: [{name: a, steps: [{get: /hello, name: one}, {get: '/delay?ms=5000', name: two}]}]
phases: [{name: p, users: 2, duration: 200ms, drain: 50ms}]
";
    let running = target();
    let phase = run(plan_for(&running, yaml)).phases.remove(0);
    assert_laws(&phase);
    assert_eq!(phase.requests[1].counts.unfinished, 2, "{:?}", phase.requests);
}

#[test]
fn what_was_never_answered_is_in_the_error_ratio() {
    let yaml = "target: http://127.0.0.1
request: GET /
phases: [{name: p, rate: 100/s, duration: 1s, drain: 100ms}]
slos: ['error_ratio < 10%']
";
    let record = simulated(yaml, 600);
    assert!(!record.slos[0].ok && record.slos[0].observed.unwrap() > 0.4, "{:?}", record.slos);
    assert_laws(&record.phases[0]);
}

#[test]
fn long_answers_are_no_overload() {
    let yaml = "target: http://127.0.0.1\nrequest: GET /\nphases: [{name: p, rate: 1000/s, duration: 10s}]\n";
    let record = simulated(yaml, 1000);
    assert!(!has(&record, ReasonCode::BelowOffered), "{:#?}", record.verdict);
}

#[test]
fn an_abort_sends_nothing_more() {
    let running = target();
    let yaml = "target: URL
request: GET /delay?ms=30
phases:
  - {name: p, rate: 1000/s, users_max: 1, duration: 60s}
  - {name: later, rate: 10/s, duration: 1s, start: {with: p, delay: 30s}}
slos: [{expect: max(response) < 500ms, abort: true}]
";
    let record = run(plan_for(&running, yaml));
    assert_eq!(record.phases.len(), 1, "a phase that never began has no record");
    let phase = &record.phases[0];
    assert_laws(phase);
    assert!(phase.counts.completed < 80 && phase.counts.unstarted > 500, "{:?}", phase.counts);
    assert!(phase.drain_ns < 1000 * MS, "{}", phase.drain_ns);
    assert!(phase.achieved_per_sec < 40.0, "{}", phase.achieved_per_sec);
}

#[test]
fn an_objective_for_an_action_speaks_of_phases_that_have_it() {
    let yaml = "target: http://127.0.0.1
scenarios:
  x: {actions: [{name: a, steps: [{get: /a}]}]}
  y: {actions: [{name: b, steps: [{get: /b}]}]}
phases: [{name: p, scenario: x, users: 1, count: 5}, {name: q, scenario: y, users: 1, count: 5}]
slos: [{expect: errors < 1, action: a}]
";
    let record = simulated(yaml, 1);
    assert_eq!(record.slos.len(), 1);
    assert!(record.slos[0].ok && record.slos[0].phase == "p", "{:?}", record.slos);
}

#[test]
fn warm_up_alone_is_no_result() {
    let yaml =
        "target: http://127.0.0.1\nrequest: GET /\nphases: [{name: w, warmup: true, users: 1, count: 5}]\n";
    assert_eq!(simulated(yaml, 1).verdict.state, VerdictState::Invalid);
}

#[test]
fn giving_up_ten_thousand_waiting_users_is_quick() {
    let yaml = "targets: {a: {url: 'http://127.0.0.1', connections: 2}}
request: GET /
phases: [{name: p, rate: 40000/s, duration: 1s, users_max: 40000, drain: 0ms}]
";
    let begun = std::time::Instant::now();
    let phase = simulated(yaml, 10_000).phases.remove(0);
    assert_laws(&phase);
    assert_eq!((phase.counts.due, phase.counts.unfinished), (40_000, 40_000));
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
}

#[test]
fn a_size_is_checked_however_long_the_body() {
    let running = target();
    let yaml = "target: URL\nactions: [{name: a, steps: [{get: /file?size=30MB, check: {size: '>= 30MB'}}]}]\nphases: [{name: p, users: 1, count: 2}]\n";
    let phase = run(plan_for(&running, yaml)).phases.remove(0);
    assert_eq!(phase.counts.completed, 2, "{:?} {:?}", phase.errors, phase.checks);
}

#[test]
fn a_credential_is_sent_but_not_recorded() {
    let running = target();
    let yaml = "target: URL
vars: {k: KSEKRET, region: eu}
actions: [{name: a, steps: [{get: '/echo?${region}', headers: {authorization: 'Bearer ${k}', x-api-key: SEKRET2}, check: {body: {contains: KSEKRET}}}]}]
phases: [{name: p, users: 1, count: 2}]
";
    let record = run(plan_for(&running, yaml));
    assert_eq!(record.phases[0].counts.completed, 2, "{:?}", record.phases[0].checks);
    let json = serde_json::to_string(&record.plan["scenarios"][0]["initial"]).unwrap();
    assert!(!json.contains("SEKRET") && json.contains("eu"), "{json}");
    assert!(!record.plan.to_string().contains("SEKRET2"));
}

#[test]
fn a_phase_with_fewer_users_than_workers_leaves_the_other_phases_all_of_them() {
    let running = target();
    let yaml = "
target: URL
request: GET /hello
phases:
  - {name: one, users: 1, count: 5}
  - {name: each, once: 2}
  - {name: many, users: 8, count: 80}
";
    let options = RunOptions { worker_count: Some(4), ..RunOptions::default() };
    let record = run_with(plan_for(&running, yaml), options).unwrap();
    assert_eq!(running.stop().requests, 87);
    record.phases.iter().for_each(assert_laws);
    let completed: Vec<u64> = record.phases.iter().map(|phase| phase.counts.completed).collect();
    assert_eq!(completed, [5, 2, 80]);
    assert_eq!(record.client.workers.len(), 4);
}

#[test]
fn the_rate_of_an_open_phase_can_be_changed_while_it_runs() {
    let running = target();
    let yaml = "target: URL\nrequest: GET /hello\nrate: 200/s\nduration: 2s\ninterval: 500ms\n";
    let options = RunOptions { worker_count: Some(2), ..RunOptions::default() };
    let control = options.control.clone();
    let change = || control.change_rate(units::Rate::per_sec(1000).unwrap());
    let record =
        execute(plan_for(&running, yaml), options, &mut [&mut AtFirstInterval(Some(change))]).unwrap();
    let phase = &record.phases[0];
    assert_laws(phase);
    assert_eq!(phase.counts.failed, 0);
    // 0.5 s at 200/s and some 1.5 s at 1000/s, less what passes until the change has reached the workers.
    assert!((1200..=1620).contains(&phase.counts.due), "{:?}", phase.counts);
    let last = phase.intervals.iter().rfind(|interval| interval.duration_ns == 500_000_000).unwrap();
    assert!((480..=520).contains(&last.counts.started), "{:?}", last.counts);
    let notes = record.environment.notes.join("\n");
    assert!(notes.contains("the rate of phase main was changed by hand to 1,000/s"), "{notes}");
}
