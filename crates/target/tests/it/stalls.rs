//! Standing still: no answer leaves inside a stall, and what arrived meanwhile is counted and answered when it ends.

use std::io::ErrorKind;
use std::time::{Duration, Instant};

use target::{Options, Stall};

use crate::peer::{Peer, get, serve, serve_with_threads};

const MS: Duration = Duration::from_millis(1);

fn freeze() -> Option<Stall> {
    Some(Stall::once(0, 3_600_000_000_000).unwrap())
}

/// The end of the stall that `at` lies in, for a stall of 40 ms in 80 ms whose clock started at `set`.
fn end_of_stall(at: Instant, set: Instant) -> Option<Instant> {
    let phase =
        Duration::from_nanos((at.checked_duration_since(set)?.as_nanos() % (80 * MS).as_nanos()) as u64);
    (phase < 40 * MS).then(|| at - phase + 40 * MS)
}

#[test]
fn what_is_asked_inside_a_stall_is_answered_after_it() {
    let running = serve_with_threads(2);
    let before = Instant::now();
    running.set_stall(Some("40ms/80ms".parse().unwrap()));
    let after = Instant::now();
    let mut peers = [Peer::connect(&running), Peer::connect(&running)];
    let (mut stalled_count, mut shortest) = (0, Duration::MAX);
    for round in 0.. {
        // Every second question is asked in the middle of a stall, the others right after one.
        let due = before + 80 * MS * (round / 2 + 1) + 20 * MS;
        while round % 2 == 0 && Instant::now() < due {
            std::thread::yield_now();
        }
        let asked = Instant::now();
        peers[round as usize / 2 % 2].get("/hello");
        let answered = Instant::now();
        shortest = shortest.min(answered - asked);
        // The clock started between `before` and `after`; the question counts only if it was asked inside the stall either way.
        if let (Some(earliest_end), Some(_)) = (end_of_stall(asked, before), end_of_stall(asked, after)) {
            stalled_count += 1;
            assert!(
                answered >= earliest_end,
                "answered {:?} before the stall's end",
                earliest_end - answered
            );
        }
        if stalled_count >= 5 && shortest < 40 * MS {
            return;
        }
        assert!(
            before.elapsed() < 20_000 * MS,
            "{stalled_count} questions inside stalls, shortest answer {shortest:?}"
        );
    }
}

#[test]
fn a_frozen_server_reads_and_counts_and_answers_its_controls() {
    let running = serve_with_threads(2);
    running.set_stall(freeze());
    let mut peers: Vec<_> = (0..4).map(|_| Peer::connect(&running)).collect();
    for peer in &mut peers {
        peer.send(get("/hello"));
    }
    let mut control = Peer::connect(&running);
    while control.get("/stats").json()["requests"] != 4 {
        std::thread::yield_now();
    }
    assert_eq!(control.get("/stall").json()["stall"]["for_ns"], 3_600_000_000_000u64);
    for peer in &mut peers {
        peer.stream.set_nonblocking(true).unwrap();
        assert_eq!(peer.rest().expect_err("nothing to read").kind(), ErrorKind::WouldBlock);
        peer.stream.set_nonblocking(false).unwrap();
    }
    assert!(control.get("/stall?off").json()["stall"].is_null());
    for peer in &mut peers {
        assert_eq!(peer.response().text(), "Hello world");
        assert_eq!(peer.get("/hello").text(), "Hello world");
    }
}

#[test]
fn delays_and_long_bodies_stand_still_too() {
    let running = serve(Options::default());
    let mut delayed = Peer::connect(&running);
    let mut trickling = Peer::connect(&running);
    let mut streaming = Peer::connect(&running);
    delayed.send(get("/delay?ms=30"));
    trickling.send(get("/bytes?rate=1000&size=200&chunk=1"));
    streaming.send(get("/file?size=100MB"));
    trickling.take(1);
    running.set_stall(freeze());
    for peer in [&mut delayed, &mut trickling, &mut streaming] {
        // The kernel may still have some; then there is silence, although all of it would be due within 200 ms.
        peer.stream.set_read_timeout(Some(250 * MS)).unwrap();
        assert_eq!(peer.rest().expect_err("silence").kind(), ErrorKind::WouldBlock);
        peer.stream.set_read_timeout(Some(20_000 * MS)).unwrap();
    }
    running.set_stall(None);
    assert_eq!(delayed.response().text(), "30.000000 ms\n");
    assert_eq!(trickling.response().body.len(), 200);
    assert_eq!(streaming.response().body.len(), 100_000_000);
}

#[test]
fn a_stall_can_be_in_force_from_the_start() {
    let before = Instant::now();
    let running = serve(Options { stall: Some("300ms@0ms".parse().unwrap()), ..Options::default() });
    let mut peer = Peer::connect(&running);
    assert_eq!(peer.get("/hello").text(), "Hello world");
    assert!(before.elapsed() >= 300 * MS, "{:?}", before.elapsed());
}

#[test]
fn wrong_stalls_are_refused_and_change_nothing() {
    let running = serve(Options::default());
    let mut peer = Peer::connect(&running);
    for query in [
        "for=1s",
        "every=1s",
        "for=1s&every=1s",
        "for=2&every=3",
        "at=1s",
        "for=1s&every=2s&at=3s",
        "for=1s&every=2h",
    ] {
        assert_eq!(peer.get(&format!("/stall?{query}")).status, 400, "{query}");
    }
    assert!(peer.get("/stall").json()["stall"].is_null());
}
