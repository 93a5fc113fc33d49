//! The log of arrivals.

use target::{Arrivals, Options};

use crate::peer::{Peer, serve, serve_with_threads};

#[test]
fn arrivals_are_recorded_between_start_and_stop() {
    let running = serve_with_threads(2);
    let mut peers = [Peer::connect(&running), Peer::connect(&running)];
    peers[0].get("/hello");
    peers[0].get("/arrivals?start");
    for round in 0..50 {
        peers[round % 2].get("/delay?ms=0.5");
    }
    let raw: Arrivals = serde_json::from_slice(&peers[1].get("/arrivals?stop&raw").body).unwrap();
    assert_eq!((raw.times_ns.len(), raw.overflow), (50, 0));
    // Each request is asked after the one before was answered, and that took 0.5 ms.
    assert!(raw.times_ns.windows(2).all(|pair| pair[1] - pair[0] >= 500_000));
    peers[0].get("/hello");
    assert_eq!(running.arrivals(), raw);
    assert_eq!(peers[0].get("/arrivals").text(), serde_json::to_string_pretty(&raw.gaps()).unwrap());
    let schedule = peers[0].get("/arrivals?interval=500us");
    assert_eq!(schedule.text(), serde_json::to_string_pretty(&raw.against_schedule(500_000)).unwrap());
    assert_eq!(peers[0].get("/arrivals?interval=500").status, 400);
    assert_eq!((raw.gaps().count, raw.gaps().overflow), (50, 0));
    running.start_arrivals();
    assert_eq!(running.arrivals(), Arrivals::default());
}

#[test]
fn what_does_not_fit_is_counted() {
    let running = serve(Options { arrivals_max: 10, ..Options::default() });
    running.start_arrivals();
    let mut peer = Peer::connect(&running);
    for _ in 0..15 {
        peer.get("/hello");
    }
    let arrivals = running.arrivals();
    assert_eq!((arrivals.times_ns.len(), arrivals.overflow), (10, 5));
}
