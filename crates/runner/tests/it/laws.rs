//! The laws of measurement, in simulated time: exact, seeded, and without a machine in the way.

use crate::{assert_laws, plan};
use netio::sim::{FixedServer, ServerCounts, SimDriver};
use proptest::prelude::*;
use record::RunRecord;
use runner::simulate;
use std::sync::Arc;

pub(crate) const MS: u64 = 1_000_000;
pub(crate) const REPLY: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";

fn simulated(yaml: &str, server: FixedServer) -> (RunRecord, Arc<ServerCounts>) {
    let counts = server.counts();
    let yaml = format!("target: http://127.0.0.1:80\nrequest: GET /\n{yaml}\n");
    let record = simulate(&plan(&yaml), SimDriver::new(Box::new(server))).expect("a sound plan");
    record.phases.iter().for_each(assert_laws);
    (record, counts)
}

fn near(observed_ns: Option<u64>, exact_ms: f64, share: f64) {
    let observed_ms = observed_ns.expect("enough samples") as f64 / 1e6;
    assert!((observed_ms - exact_ms).abs() <= exact_ms * share, "{observed_ms} ms, not {exact_ms} ms");
}

#[test]
fn a_stall_is_seen_by_every_arrival_that_was_due_during_it() {
    // Stands still 200 ms of each second: P(response > t) = (200 ms − t) / 1 s, with 64 connections or 8.
    for connections in [64, 8] {
        let server = FixedServer::new(50_000, 1000, REPLY).stalling(1000 * MS, 200 * MS);
        let yaml = format!(
            "targets: {{a: {{url: 'http://127.0.0.1', connections: {connections}}}}}\nrequest: GET /\nrate: 1000/s\nduration: 20s"
        );
        let counts = server.counts();
        let record = simulate(&plan(&yaml), SimDriver::new(Box::new(server))).unwrap();
        let phase = &record.phases[0];
        assert_laws(phase);
        assert_eq!(phase.counts.completed, 20_000);
        near(phase.response_ns.p90, 100.0, 0.02);
        near(phase.response_ns.p99, 190.0, 0.02);
        // The service time shows the stall only for what was in flight as it began.
        let service = phase.service_ns.to_histogram().unwrap();
        assert!(service.count_above(2 * MS) <= 20 * connections, "{}", service.count_above(2 * MS));
        assert!(phase.service_ns.p50.unwrap() < MS);
        assert_eq!(counts.requests(), 20_000);
    }
}

#[test]
fn the_freeze_of_two_seconds_reads_as_arithmetic_says() {
    // 100/s for 10 s, 1 ms each, frozen from 4 s to 6 s: 200 arrivals wait 2 s … 10 ms.
    let server = FixedServer::new(MS, 1000, REPLY).stalling(6000 * MS, 2000 * MS);
    let mut yaml = "targets: {a: {url: 'http://127.0.0.1', connections: 500}}\nrequest: GET /\n".to_owned();
    yaml.push_str("phases: [{name: p, rate: 100/s, duration: 10s}]\n");
    let record = simulate(&plan(&yaml), SimDriver::new(Box::new(server))).unwrap();
    let response = record.phases[0].response_ns.to_histogram().unwrap();
    near(response.mean_ns().map(|ns| ns as u64), 202.0, 0.02);
    near(response.quantile_ns(0.5), 1.0, 0.02);
    near(response.quantile_ns(0.9), 1000.0, 0.02);
    near(response.quantile_ns(0.95), 1500.0, 0.02);
    near(response.quantile_ns(0.99), 1900.0, 0.02);
    near(response.max_ns(), 2000.0, 0.02);
}

#[test]
fn a_single_server_queue_has_the_waits_of_theory() {
    // M/D/1 at utilisation 0.8: mean wait = ρ·s / 2(1 − ρ) = 2 s (Pollaczek and Khinchine), so response 3 s.
    let server = FixedServer::new(MS, 1, REPLY);
    let yaml = "targets: {a: {url: 'http://127.0.0.1', connections: 4000}}\nrequest: GET /\nrate: 800/s\narrivals: poisson\nduration: 200s\nseed: 3";
    let record = simulate(&plan(yaml), SimDriver::new(Box::new(server))).unwrap();
    near(record.phases[0].response_ns.mean, 3.0, 0.04);
    assert_eq!(record.verdict.state, record::VerdictState::Valid, "{:#?}", record.verdict);
}

#[test]
fn the_closed_model_hides_what_the_open_model_shows() {
    let stalling = || FixedServer::new(MS, 1000, REPLY).stalling(1000 * MS, 200 * MS);
    let (closed, _) = simulated("users: 8\nduration: 10s", stalling());
    let (open, _) = simulated("rate: 1000/s\nduration: 10s", stalling());
    let (closed, open) = (&closed.phases[0], &open.phases[0]);
    assert!(closed.response_ns.p99.unwrap() < 2 * MS, "{:?}", closed.response_ns);
    assert!(open.response_ns.p90.unwrap() > 95 * MS, "{:?}", open.response_ns);
}

#[test]
fn an_overloaded_service_is_reported_as_such() {
    // 100 a second is all that one server with 10 ms can do.
    let (record, counts) = simulated(
        "rate: 200/s\nduration: 10s\nusers_max: 50\ndrain: 100ms",
        FixedServer::new(10 * MS, 1, REPLY),
    );
    let phase = &record.phases[0];
    assert_eq!(phase.counts.due, 2000);
    assert!((phase.achieved_per_sec - 100.0).abs() < 2.0, "{}", phase.achieved_per_sec);
    assert!(phase.counts.unstarted > 900, "{:?}", phase.counts);
    assert!(counts.requests() < 1100);
    // Half of the arrivals wait as long as the backlog is: about 5 s at the end.
    assert!(phase.response_ns.max.unwrap() > 4_000 * MS);
    assert_eq!(record.verdict.state, record::VerdictState::Suspect);
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let run = |seed: u64| {
        let server = FixedServer::new(3 * MS, 4, REPLY).jittering(9, 2 * MS).in_pieces(7, 10_000);
        let (record, _) =
            simulated(&format!("rate: 500/s\narrivals: poisson\nduration: 3s\nseed: {seed}"), server);
        serde_json::to_string(&record).unwrap()
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn a_long_run_stays_small() {
    // An hour at 100/s. The record grows by its intervals alone.
    let (record, counts) =
        simulated("rate: 100/s\nduration: 3600s", FixedServer::new(MS, 10, REPLY).jittering(2, MS));
    assert_eq!(counts.requests(), 360_000);
    assert_eq!(record.phases[0].intervals.len(), 3600);
    let bytes = serde_json::to_vec(&record).unwrap().len();
    assert!(bytes < 12_000_000, "{bytes} bytes");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn whatever_the_load_nothing_is_lost(
        seed in 0u64..1000,
        rate in 1u32..3000,
        users_max in 1u32..40,
        connections in 1u32..20,
        service_us in 1u64..30_000,
        concurrency in 1usize..8,
        drops in any::<bool>(),
        poisson in any::<bool>(),
        piece_bytes in 1usize..60,
    ) {
        let server = FixedServer::new(service_us * 1000, concurrency, REPLY).jittering(seed, MS).in_pieces(piece_bytes, 1000);
        let counts = server.counts();
        let yaml = format!(
            "targets: {{a: {{url: 'http://127.0.0.1', connections: {connections}}}}}\nrequest: GET /\nrate: {rate}/s\nduration: 1500ms\nusers_max: {users_max}\nseed: {seed}\ndrain: 10ms\non_saturation: {}\narrivals: {}",
            if drops { "drop" } else { "queue" },
            if poisson { "poisson" } else { "constant" },
        );
        let record = simulate(&plan(&yaml), SimDriver::new(Box::new(server))).unwrap();
        let phase = &record.phases[0];
        assert_laws(phase);
        prop_assert_eq!(phase.traffic.requests, counts.requests());
        if !poisson {
            prop_assert_eq!(phase.counts.due, (u64::from(rate) * 3).div_ceil(2));
        }
        prop_assert!(!record.verdict.reasons.iter().any(|reason| reason.code == record::ReasonCode::LittlesLaw), "{:#?}", record.verdict);
    }
}
