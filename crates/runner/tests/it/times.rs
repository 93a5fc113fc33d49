//! Times against a server whose delays are known. Lower bounds are strict; upper ones are generous, for machines are shared.

use crate::*;
use target::Stall;

#[test]
fn service_time_is_the_servers_delay() {
    let running = target();
    let record =
        run(plan_for(&running, "target: URL\nrequest: GET /delay?ms=20\nusers: 4\nduration: 500ms\n"));
    let service = &record.phases[0].service_ns;
    assert!(service.min.unwrap() >= 20_000_000, "{service:?}");
    assert!(service.p50.unwrap() < 40_000_000, "{service:?}");
    // Four users, one action each 20 ms or more.
    assert!(record.phases[0].counts.completed <= 100);
}

#[test]
fn think_time_is_in_no_latency_and_delay_is_in_both() {
    let running = target();
    let yaml = |pause: &str| {
        format!(
            "target: URL\nactions: [{{name: a, steps: [{{get: /hello}}, {{{pause}: 30ms}}, {{get: /hello}}]}}]\nphases: [{{name: p, users: 2, count: 10}}]\n"
        )
    };
    let thinking = run(plan_for(&running, &yaml("think")));
    let phase = &thinking.phases[0];
    assert!(
        phase.response_ns.p50.is_none() && phase.response_ns.min.unwrap() < 25_000_000,
        "{:?}",
        phase.response_ns
    );
    assert_eq!(phase.think_ns, 10 * 30_000_000);
    let delaying = run(plan_for(&running, &yaml("delay")));
    assert!(delaying.phases[0].service_ns.min.unwrap() >= 30_000_000);
    assert!(delaying.phases[0].response_ns.min.unwrap() >= 30_000_000);
}

#[test]
fn a_stall_shows_in_every_arrival_that_was_due_during_it() {
    let running = target();
    running.set_stall(Some(Stall::every(100_000_000, 500_000_000).unwrap()));
    let yaml = "targets: {a: {url: URL, connections: 8}}\nrequest: GET /hello\nrate: 1000/s\nduration: 2s\n";
    let record = run(plan_for(&running, yaml));
    let phase = &record.phases[0];
    assert_laws(phase);
    let response = phase.response_ns.to_histogram().unwrap();
    let service = phase.service_ns.to_histogram().unwrap();
    // P(response > t) = (100 ms − t) / 500 ms: a tenth of 2000 arrivals wait longer than 50 ms.
    let slow = response.count_above(50_000_000);
    assert!((160..=700).contains(&slow), "{slow}");
    // Only what was in flight saw the stall in its service time: eight connections, four or five stalls.
    assert!(service.count_above(50_000_000) <= 60, "{}", service.count_above(50_000_000));
}

#[test]
fn two_requests_have_each_their_own_times() {
    let running = target();
    let yaml = "target: URL\nactions: [{name: a, steps: [{get: '/delay?ms=10', name: slow}, {get: /hello, name: fast}]}]\nphases: [{name: p, users: 1, count: 20}]\n";
    let record = run(plan_for(&running, yaml));
    let requests = &record.phases[0].requests;
    assert!(requests[0].service_ns.min.unwrap() >= 10_000_000, "{requests:?}");
    assert!(requests[1].service_ns.min.unwrap() < 10_000_000, "{requests:?}");
    assert!(record.phases[0].service_ns.min.unwrap() >= 10_000_000);
}

#[test]
fn each_interval_says_what_the_generator_did() {
    let running = target();
    let load = "rate: 4000/s\nduration: 400ms\ninterval: 100ms\n";
    let record = run(plan_for(&running, &format!("target: URL\nrequest: GET /hello\n{load}")));
    let phase = &record.phases[0];
    let during: Vec<_> =
        phase.intervals.iter().filter(|interval| interval.duration_ns == 100_000_000).collect();
    assert_eq!(during.len(), 4);
    let shares: Vec<f64> = during.iter().map(|interval| interval.client.busy_ratio_max.unwrap()).collect();
    assert!(
        shares.iter().all(|share| (0.0..=1.0).contains(share)) && shares.iter().any(|share| *share > 0.0)
    );
    // A whole is no busier than its busiest part.
    assert!(phase.busy_ratio_max <= shares.iter().copied().fold(0.0, f64::max) + 0.02, "{shares:?}");
    let latest = phase.intervals.iter().filter_map(|interval| interval.client.lateness_ns_max).max();
    assert_eq!(latest, phase.lateness_ns.max);
    assert!(during.iter().all(|interval| interval.client.off_cpu_ratio_max.is_none_or(|share| share <= 1.0)));
}
