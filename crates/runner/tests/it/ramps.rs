//! Loads whose users come and go, in simulated time.

use crate::laws::{MS, REPLY};
use crate::{assert_laws, plan};
use netio::sim::{FixedServer, SimDriver};
use record::PhaseRecord;
use runner::simulate;

/// The phase of a load on a server that answers each request after `service_ns`, however many there are.
fn phase(service_ns: u64, load: &str) -> PhaseRecord {
    let server = FixedServer::new(service_ns, 1000, REPLY);
    let yaml = format!("target: http://127.0.0.1:80\nrequest: GET /\nphases: [{{name: p, {load}}}]\n");
    let record = simulate(&plan(&yaml), SimDriver::new(Box::new(server))).unwrap();
    assert_eq!(record.phases.len(), 1);
    assert_laws(&record.phases[0]);
    record.phases.into_iter().next().unwrap()
}

/// Users at work in each second of the load, to the nearest tenth.
fn at_work(phase: &PhaseRecord) -> Vec<f64> {
    let end_ns = phase.start_ns + phase.duration_ns;
    let loaded = phase.intervals.iter().filter(|interval| interval.start_ns < end_ns);
    loaded.map(|interval| (interval.in_flight_mean * 10.0).round() / 10.0).collect()
}

#[test]
fn users_are_at_work_while_they_have_a_place() {
    let stages = "user_stages: [{to: 5, over: 5s}, {for: 3s}, {to: 0, over: 5s}]";
    let phase = phase(100 * MS, stages);
    let users = at_work(&phase);
    let wanted = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 5.0, 5.0, 5.0, 4.0, 3.0, 2.0, 1.0];
    assert_eq!(users.len(), 13);
    // Who goes ends its action first: at most 100 ms of it beyond.
    let is_near = |(user, wanted): (&f64, &f64)| (user - wanted).abs() <= 0.1;
    assert!(users.iter().zip(&wanted).all(is_near), "{users:?}");
    assert_eq!((phase.counts.unfinished, phase.counts.failed), (0, 0));
    // 10 + 15 + 15 users × s, ten actions in each, and what runs beyond its place.
    assert!((400..=405).contains(&phase.counts.completed), "{:?}", phase.counts);
}

#[test]
fn who_goes_may_end_its_action_for_a_while() {
    let stages = "user_stages: [{to: 3}, {for: 1s}, {to: 1}, {for: 4s}], ramp_down: 500ms, drain: 0s";
    let phase = phase(20_000 * MS, stages);
    assert_eq!(at_work(&phase), [3.0, 2.0, 1.0, 1.0, 1.0]);
    assert_eq!((phase.counts.started, phase.counts.unfinished), (3, 3), "two at 1.5 s, one at the end");
}

#[test]
fn a_place_that_is_given_again_in_time_is_kept() {
    let stages =
        "user_stages: [{to: 3}, {for: 1s}, {to: 1}, {for: 300ms}, {to: 3}, {for: 2700ms}], ramp_down: 500ms";
    let phase = phase(2_500 * MS, stages);
    assert_eq!(at_work(&phase), [3.0; 4], "nobody was interrupted, nobody came beside");
    assert_eq!((phase.counts.completed, phase.counts.unfinished), (6, 0));
}

#[test]
fn a_count_ends_a_ramping_load() {
    let phase = phase(100 * MS, "user_stages: [{to: 4, over: 4s}], duration: 60s, count: 50");
    assert_eq!((phase.counts.started, phase.counts.completed), (50, 50));
    assert!(phase.duration_ns < 10_000 * MS, "{}", phase.duration_ns);
}
