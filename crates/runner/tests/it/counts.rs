//! Counts held against the server's own, exactly, for each load model and driver.

use crate::*;

#[test]
fn each_load_model_counts_what_the_server_counted() {
    with_each_driver(|driver| {
        for (load, workers) in [
            ("users: 16\nduration: 300ms", 1),
            ("users: 7\ncount: 1001", 2),
            ("rate: 2000/s\nduration: 500ms", 1),
            ("rate: 3000/s\narrivals: poisson\nduration: 400ms", 3),
            ("rate: 2000/s\ncount: 500", 2),
            ("stages: [{from: 0/s, to: 4000/s, over: 300ms}, {rate: 100/s, for: 100ms}]", 2),
        ] {
            let running = target();
            let plan = plan_for(&running, &format!("target: URL\nrequest: GET /hello\n{load}\n"));
            let options = RunOptions { worker_count: Some(workers), driver, ..RunOptions::default() };
            let record = run_with(plan, options).unwrap();
            let stats = running.stop();
            let phase = &record.phases[0];
            assert_laws(phase);
            assert_eq!(phase.counts.failed, 0, "{load}: {:?}", phase.errors);
            assert_eq!(stats.requests, phase.counts.started, "{load}");
            assert_eq!(stats.requests, phase.traffic.requests, "{load}");
            assert_eq!(stats.bytes_in, phase.bytes_sent, "{load}");
            assert_eq!(stats.bytes_out, phase.bytes_received, "{load}");
            assert_eq!(phase.traffic.statuses["2xx"], stats.requests, "{load}");
        }
    });
}

#[test]
fn a_count_and_a_schedule_are_exact() {
    let running = target();
    let count = run(plan_for(&running, "target: URL\nrequest: GET /hello\nusers: 5\ncount: 333\n"));
    assert_eq!(count.phases[0].counts.completed, 333);
    let open = run(plan_for(&running, "target: URL\nrequest: GET /hello\nrate: 500/s\nduration: 400ms\n"));
    assert_eq!(open.phases[0].counts.due, 200);
    assert_eq!(open.phases[0].offered_per_sec, Some(500.0));
    assert_eq!(running.stop().requests, 533);
}

const SHOP: &str = "
target: URL
scenarios:
  shop:
    order: cycle
    actions:
      - {name: browse, weight: 3, steps: [{get: '/posts/${random(1,100)}'}]}
      - {name: look, weight: 1, steps: [{get: /hello, name: a}, {get: '/status/404', name: b, check: {status: 404}}]}
phases:
  - {name: once, once: 3}
  - {name: warm, warmup: true, users: 2, count: 40}
  - {name: main, users: 1, count: 80, repeat: 2}
";

#[test]
fn actions_phases_and_repeats_are_booked_apart() {
    let running = target();
    let record = run(plan_for(&running, SHOP));
    let stats = running.stop();
    let names: Vec<(&str, u32)> =
        record.phases.iter().map(|phase| (phase.name.as_str(), phase.repeat_index)).collect();
    assert_eq!(names, [("once", 0), ("warm", 0), ("main", 0), ("main", 1)]);
    record.phases.iter().for_each(assert_laws);
    let counts = |index: usize| -> Vec<(&str, u64)> {
        record.phases[index]
            .actions
            .iter()
            .map(|action| (action.name.as_str(), action.counts.completed))
            .collect()
    };
    assert_eq!(counts(0), [("browse", 3), ("look", 3)]);
    // 20 whole shuffled cycles of three and one.
    assert_eq!(counts(2), [("browse", 60), ("look", 20)]);
    let requests: Vec<(&str, u64)> = record.phases[2]
        .requests
        .iter()
        .map(|request| (request.name.as_str(), request.counts.completed))
        .collect();
    assert_eq!(requests, [("look / a", 20), ("look / b", 20)]);
    let sent: u64 = record.phases.iter().map(|phase| phase.traffic.requests).sum();
    assert_eq!(stats.requests, sent);
    let looks: u64 = record
        .phases
        .iter()
        .flat_map(|phase| &phase.actions)
        .filter(|a| a.name == "look")
        .map(|a| a.counts.completed)
        .sum();
    assert_eq!(stats.paths["/hello"], looks);
    assert!(record.phases[2].checks.iter().all(|check| check.passed == 20 && check.failed == 0));
    assert!(record.phases[1].start_ns >= record.phases[0].start_ns + record.phases[0].duration_ns);
}

#[test]
fn phases_can_run_side_by_side() {
    let running = target();
    let record = run(plan_for(
        &running,
        "target: URL
request: GET /hello
phases:
  - {name: base, rate: 1000/s, duration: 400ms}
  - {name: burst, rate: 2000/s, duration: 100ms, start: {with: base, delay: 100ms}}
",
    ));
    record.phases.iter().for_each(assert_laws);
    assert_eq!(record.phases[1].start_ns - record.phases[0].start_ns, 100_000_000);
    assert_eq!(record.phases.iter().map(|phase| phase.counts.completed).sum::<u64>(), 600);
    assert_eq!(running.stop().requests, 600);
}

#[test]
fn connections_follow_their_policy() {
    for (policy, load, expect) in [
        ("12", "rate: 1000/s\nduration: 200ms", 12..=12),
        ("per_user", "users: 9\nduration: 100ms", 9..=9),
        ("per_request", "users: 4\ncount: 60", 60..=60),
    ] {
        let running = target();
        let yaml =
            format!("targets: {{a: {{url: URL, connections: {policy}}}}}\nrequest: GET /hello\n{load}\n");
        let record = run(plan_for(&running, &yaml));
        let stats = running.stop();
        assert_laws(&record.phases[0]);
        assert!(expect.contains(&record.phases[0].traffic.connections_opened), "{policy}");
        // One more is the trial connection before the run.
        assert_eq!(stats.connections_accepted, record.phases[0].traffic.connections_opened + 1, "{policy}");
    }
}
