//! The server's counts are exactly those of its clients.

use std::collections::BTreeMap;

use target::{Running, Stats};

use crate::peer::{Peer, get, post, serve_with_threads};

/// What one client sent and got.
#[derive(Default)]
struct Tally {
    requests: u64,
    bytes_out: u64,
    bytes_in: u64,
    paths: BTreeMap<&'static str, u64>,
    statuses: BTreeMap<u16, u64>,
}

/// Asks many things on one connection; every second time two in a row before reading.
fn work(running: &Running, round_count: u64) -> Tally {
    let kinds = [
        ("/hello", get("/hello")),
        ("/", post("/", "some body")),
        ("/status/{code}", get("/status/503")),
        ("(unknown)", get("/nope")),
        ("/file", get("/file?size=100000")),
        ("/delay", get("/delay?ms=0.1")),
        (
            "/load",
            "POST /load HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
                .to_owned(),
        ),
    ];
    let mut peer = Peer::connect(running);
    let mut tally = Tally::default();
    for round in 0..round_count {
        let picked = [&kinds[round as usize % kinds.len()], &kinds[round as usize / 2 % kinds.len()]];
        let picked = &picked[..1 + round as usize % 2];
        for (path, request) in picked {
            peer.send(request);
            tally.requests += 1;
            tally.bytes_out += request.len() as u64;
            *tally.paths.entry(path).or_default() += 1;
        }
        for _ in picked {
            let response = peer.response();
            tally.bytes_in += (response.head.len() + response.body.len()) as u64;
            *tally.statuses.entry(response.status).or_default() += 1;
        }
    }
    tally
}

#[test]
fn counts_are_exact_under_eight_connections() {
    let running = serve_with_threads(2);
    let tallies: Vec<Tally> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..8)
            .map(|client| {
                scope.spawn({
                    let running = &running;
                    move || work(running, 300 + client)
                })
            })
            .collect();
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    });
    // The last answer has arrived, so everything is counted: no waiting here.
    let stats = running.stats();
    let sum = |of: fn(&Tally) -> u64| tallies.iter().map(of).sum::<u64>();
    assert_eq!(stats.requests, sum(|tally| tally.requests));
    assert_eq!(stats.bytes_in, sum(|tally| tally.bytes_out));
    assert_eq!(stats.bytes_out, sum(|tally| tally.bytes_in));
    assert_eq!(stats.connections_accepted, 8);
    for (path, count) in &stats.paths {
        assert_eq!(
            *count,
            tallies.iter().filter_map(|tally| tally.paths.get(path.as_str())).sum::<u64>(),
            "{path}"
        );
    }
    for (status, count) in &stats.statuses {
        assert_eq!(
            *count,
            tallies.iter().filter_map(|tally| tally.statuses.get(status)).sum::<u64>(),
            "{status}"
        );
    }
    assert_eq!(stats.statuses.values().sum::<u64>(), stats.requests);
    assert_eq!(stats.methods.values().sum::<u64>(), stats.requests);
    assert_eq!((stats.protocol_errors, stats.abandoned, stats.cut_short), (0, 0, 0));
}

/// Two connections, so two threads: whoever holds an answer finds it in the counts.
#[test]
fn a_request_is_counted_before_it_is_answered() {
    let running = serve_with_threads(2);
    let (mut peer, mut control) = (Peer::connect(&running), Peer::connect(&running));
    for count in 1..=300 {
        let response = peer.get("/hello");
        let stats = running.stats();
        assert_eq!((stats.requests, stats.statuses[&200]), (count, count));
        assert_eq!(stats.bytes_out, count * (response.head.len() + response.body.len()) as u64);
        if count % 10 == 0 {
            assert_eq!(control.get("/stats").json()["requests"], count);
        }
    }
}

#[test]
fn controls_are_counted_apart_and_a_reset_starts_anew() {
    let running = serve_with_threads(2);
    let mut peer = Peer::connect(&running);
    peer.get("/hello");
    peer.send(get("/hello").replacen("GET", "HEAD", 1));
    peer.head();
    peer.ask(post("/hello", "x"));
    peer.ask(get("/hello").replacen("GET", "BREW", 1));
    let stats: Stats = serde_json::from_str(peer.get("/stats").text()).unwrap();
    assert_eq!((stats.requests, stats.controls.requests), (4, 1));
    let want =
        [("GET", 1), ("HEAD", 1), ("POST", 1), ("other", 1)].map(|(name, count)| (name.to_owned(), count));
    assert_eq!(stats.methods, BTreeMap::from(want));
    assert_eq!((stats.connections_accepted, stats.connections_open), (1, 1));
    assert_eq!(peer.get("/stats/reset").status, 200);
    peer.get("/");
    let stats = running.stats();
    assert_eq!((stats.requests, stats.paths.get("/hello"), stats.paths["/"]), (1, None, 1));
    assert_eq!((stats.connections_accepted, stats.connections_open), (0, 1));
    running.reset_stats();
    assert_eq!(running.stats().requests, 0);
    assert_eq!(running.stop().requests, 0);
}

/// Controls and load in one segment: each class of bytes is still counted apart.
#[test]
fn pipelined_controls_and_load_are_told_apart() {
    let running = serve_with_threads(1);
    let mut peer = Peer::connect(&running);
    let (load, control) = (get("/hello"), get("/stall"));
    peer.send(format!("{load}{control}{load}{load}{control}"));
    let mut bytes = [0, 0];
    for class in [0, 1, 0, 0, 1] {
        let response = peer.response();
        bytes[class] += (response.head.len() + response.body.len()) as u64;
    }
    let stats = running.stats();
    assert_eq!((stats.requests, stats.controls.requests), (3, 2));
    assert_eq!([stats.bytes_out, stats.controls.bytes_out], bytes);
    assert_eq!([stats.bytes_in, stats.controls.bytes_in], [3 * load.len() as u64, 2 * control.len() as u64]);
}
