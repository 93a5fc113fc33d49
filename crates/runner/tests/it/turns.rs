//! Who works when there are fewer places than users: users take turns, and workers without a place sit a phase out.

use crate::laws::{MS, REPLY};
use crate::{assert_laws, plan, plan_for, run_with, target};
use netio::sim::{FixedServer, SimDriver};
use runner::{RunOptions, simulate};

#[test]
fn each_user_once_keeps_to_the_places_in_flight() {
    let server = FixedServer::new(10 * MS, 1000, REPLY);
    let yaml = "target: http://127.0.0.1:80\nactions: [{get: /a}, {get: /b}]\nonce: 10\nin_flight_max: 4\n";
    let record = simulate(&plan(yaml), SimDriver::new(Box::new(server))).expect("a sound plan");
    let phase = &record.phases[0];
    assert_laws(phase);
    assert_eq!((phase.counts.completed, phase.in_flight_max), (20, 4));
    // Twenty actions of 10 ms, four at a time.
    assert_eq!(phase.duration_ns / (10 * MS), 5);
    let each: Vec<u64> = phase.actions.iter().map(|action| action.counts.completed).collect();
    assert_eq!(each, [10, 10]);
}

#[test]
fn users_in_turn_have_equal_shares_and_others_only_as_many_as_needed() {
    let first_actions = |load: &str, worker_count: usize| {
        let running = target();
        let yaml = format!(
            "target: URL\nactions: [{{get: /hello}}, {{get: /posts/1}}]\nphases: [{{name: p, rate: 200/s, count: 8, {load}}}]\n"
        );
        let options = RunOptions { worker_count: Some(worker_count), ..RunOptions::default() };
        let record = run_with(plan_for(&running, &yaml), options).expect("the target is there");
        assert_laws(&record.phases[0]);
        let stats = running.stop();
        (stats.requests, stats.paths.get("/hello").copied().unwrap_or(0), record.client.workers.len())
    };
    // Eight arrivals are eight users' first actions, on two workers or on the one that has the only place.
    assert_eq!(first_actions("users_in_turn: 8, users_max: 4", 2), (8, 8, 2));
    assert_eq!(first_actions("users_in_turn: 8, users_max: 1", 2), (8, 8, 1));
    // One user is enough for this rate, but for a pause of the machine.
    let (_, firsts, _) = first_actions("users_max: 4", 1);
    assert!(firsts < 8, "{firsts}");
}
