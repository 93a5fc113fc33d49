//! Known delays: never early, and late only by what a busy machine adds.

use std::time::{Duration, Instant};

use target::Options;
use units::Random;

use crate::peer::{Peer, get, serve};

/// What a machine that is busy with other tests may add.
const SLACK: Duration = Duration::from_secs(5);

#[test]
fn a_delay_is_never_early() {
    let running = serve(Options::default());
    let mut peer = Peer::connect(&running);
    for (ms, delay) in [("0", 0), ("0.25", 250), ("1.5", 1500), ("20", 20_000), ("7", 7000)] {
        let delay = Duration::from_micros(delay);
        let asked = Instant::now();
        let response = peer.get(&format!("/delay?ms={ms}"));
        let took = asked.elapsed();
        assert_eq!(response.status, 200);
        assert!(took >= delay && took < delay + SLACK, "{ms} ms took {took:?}");
    }
    assert_eq!(running.stats().timers_fired, 4, "one for each delay above 0");
    for bad in ["ms=-1", "ms=1e3", "ms=x", "ms=3600001", "ms=1&jitter=x", "ms="] {
        assert_eq!(peer.get(&format!("/delay?{bad}")).status, 400, "{bad}");
    }
}

#[test]
fn a_thread_that_spins_before_its_timers_is_not_early_either() {
    let running = serve(Options { timer_spin_ns: 300_000, ..Options::default() });
    let mut peer = Peer::connect(&running);
    for _ in 0..20 {
        let asked = Instant::now();
        assert_eq!(peer.get("/delay?ms=1").text(), "1.000000 ms\n");
        assert!(asked.elapsed() >= Duration::from_millis(1));
    }
    assert_eq!(running.stats().timers_fired, 20);
}

/// The body says how long the server waits, so the jitter can be held against its seed.
#[test]
fn jitter_is_uniform_and_follows_the_seed() {
    let running = serve(Options { seed: 42, ..Options::default() });
    let mut peer = Peer::connect(&running);
    let mut sum_ms = 0.0;
    for index in 0..200u64 {
        let want_ns = 100_000 + Random::stream(42, index).below(400_000);
        let asked = Instant::now();
        let response = peer.get("/delay?ms=0.1&jitter=0.4");
        assert!(asked.elapsed() >= Duration::from_nanos(want_ns));
        assert_eq!(response.text(), format!("0.{want_ns:06} ms\n"));
        sum_ms += want_ns as f64 / 1e6;
    }
    // Mean 0.3 ms, standard deviation of the mean 0.4/√(12·200) = 0.008 ms.
    assert!((sum_ms / 200.0 - 0.3).abs() < 0.04, "{sum_ms}");
}

/// Delays on many connections run side by side, and each keeps its own.
#[test]
fn delays_do_not_wait_for_each_other() {
    let running = serve(Options::default());
    let mut peers: Vec<_> = (0..20).map(|_| Peer::connect(&running)).collect();
    let asked = Instant::now();
    for (index, peer) in peers.iter_mut().enumerate() {
        peer.send(get(&format!("/delay?ms={}", 100 - index)));
    }
    for (index, peer) in peers.iter_mut().enumerate() {
        peer.response();
        assert!(asked.elapsed() >= Duration::from_millis(100 - index as u64));
    }
    // One after the other they would take 1.8 s.
    assert!(asked.elapsed() < Duration::from_millis(1700), "{:?}", asked.elapsed());
}

#[test]
fn a_trickle_takes_its_time() {
    let running = serve(Options::default());
    let mut peer = Peer::connect(&running);
    let asked = Instant::now();
    peer.send(get("/bytes?rate=1000&size=60&chunk=20"));
    peer.head();
    for part in 1..=3 {
        peer.take(20);
        assert!(
            asked.elapsed() >= Duration::from_millis(20 * part),
            "part {part} after {:?}",
            asked.elapsed()
        );
    }
    assert!(asked.elapsed() < SLACK);
    let asked = Instant::now();
    assert_eq!(peer.get("/bytes?rate=100MB&size=5MB").body.len(), 5_000_000);
    assert!(asked.elapsed() >= Duration::from_millis(50));
    assert_eq!(peer.get("/bytes?size=0").body, b"");
}

/// Two at a time and 10 ms each: six requests that come together are done after 10, 10, 20, 20, 30, 30 ms.
#[test]
fn a_concurrency_limit_makes_the_others_wait() {
    let running = serve(Options { http_req_concurrency: std::num::NonZeroU32::new(2), ..Options::default() });
    let mut peers: Vec<_> = (0..6).map(|_| Peer::connect(&running)).collect();
    let asked = Instant::now();
    for peer in &mut peers {
        peer.send(get("/tests/http_req/x.xml?value=1&service_us=10000"));
    }
    let mut took: Vec<Duration> = Vec::new();
    for peer in &mut peers {
        peer.response();
        took.push(asked.elapsed());
    }
    took.sort();
    let least = [10, 10, 20, 20, 30, 30].map(Duration::from_millis);
    assert!(took.iter().zip(least).all(|(took, least)| *took >= least), "{took:?}");
}

#[test]
fn work_uses_cpu_time() {
    let running = serve(Options::default());
    let mut peer = Peer::connect(&running);
    let asked = Instant::now();
    assert_eq!(peer.get("/tests/http_req/x.xml?value=1&work_us=5000").status, 200);
    assert!(asked.elapsed() >= Duration::from_millis(5));
    assert_eq!(peer.get("/tests/http_req/x.xml?value=1&work_us=2000000").status, 400);
}
