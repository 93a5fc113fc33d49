//! Answers that break off, break the protocol, or come in unusual steps.

use std::io::ErrorKind;

use serde_json::json;
use target::Options;

use crate::peer::{Peer, get, serve};

#[test]
fn close_answers_and_then_closes() {
    let running = serve(Options::default());
    let mut peer = Peer::connect(&running);
    let response = peer.get("/close");
    assert_eq!((response.status, response.field("connection")), (200, Some("close")));
    assert_eq!(peer.rest().unwrap(), b"");
}

#[test]
fn reset_sends_half_and_then_resets() {
    let running = serve(Options::default());
    let mut peer = Peer::connect(&running);
    peer.send(get("/reset?size=1000"));
    let error = peer.rest().expect_err("a reset");
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    let received = String::from_utf8_lossy(peer.received());
    let (head, body) = received.split_once("\r\n\r\n").expect("a whole head");
    assert!(head.ends_with("content-length: 1000"), "{head}");
    assert_eq!(body.len(), 500);
}

#[test]
fn garbage_is_no_http() {
    let running = serve(Options::default());
    for kind in ["text", "binary", "status", "version", "header", "length", "lengths", "chunk"] {
        let mut peer = Peer::connect(&running);
        peer.send(get(&format!("/garbage?kind={kind}")));
        let bytes = peer.rest().expect("an orderly end");
        let mut slots = [httparse::EMPTY_HEADER; 8];
        let mut response = httparse::Response::new(&mut slots);
        let parsed = response.parse(&bytes);
        match kind {
            "length" | "lengths" | "chunk" => {
                assert!(parsed.is_ok_and(|status| status.is_complete()), "{kind}: only the framing is broken")
            }
            _ => assert!(parsed.is_err(), "{kind}"),
        }
    }
    assert_eq!(Peer::connect(&running).get("/garbage?kind=x").status, 400);
    let stats = running.stats();
    assert_eq!(
        (stats.paths["/garbage"], stats.statuses.values().sum::<u64>()),
        (9, 1),
        "garbage has no status"
    );
}

#[test]
fn an_eof_body_ends_with_the_connection() {
    let running = serve(Options::default());
    let mut peer = Peer::connect(&running);
    let response = peer.get("/eof?size=200000");
    assert_eq!((response.field("content-length"), response.field("connection")), (None, Some("close")));
    assert_eq!(response.body.len(), 200_000);
}

#[test]
fn early_hints_come_before_the_answer() {
    let running = serve(Options::default());
    let mut peer = Peer::connect(&running);
    peer.send(get("/early-hints?count=2"));
    let statuses = [peer.head().status, peer.head().status, peer.response().status];
    assert_eq!(statuses, [103, 103, 200]);
    assert_eq!(running.stats().interim[&103], 2);
}

#[test]
fn no_read_answers_before_the_body_and_then_drains_it() {
    let running = serve(Options::default());
    let mut peer = Peer::connect(&running);
    peer.send("POST /no-read HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
    assert_eq!(peer.response().status, 200);
    peer.send(vec![b'x'; 1_000_000]);
    assert_eq!(peer.get("/hello").text(), "Hello world");
    peer.send("POST /no-read HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    assert_eq!(peer.response().status, 200);
    peer.send("5\r\nhello\r\n0\r\n\r\n");
    assert_eq!(peer.get("/hello").text(), "Hello world");
    // Unlike all others: whether a body follows an unanswered expectation cannot be known.
    peer.send("POST /no-read HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
    let response = peer.response();
    assert_eq!((response.status, response.field("connection")), (200, Some("close")));
    assert_eq!(peer.rest().unwrap(), b"");
}

#[test]
fn an_expected_100_comes_before_the_body_is_read() {
    let running = serve(Options::default());
    let mut peer = Peer::connect(&running);
    for path in ["/continue", "/load", "/"] {
        peer.send(format!(
            "POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n"
        ));
        assert_eq!(peer.head().head, "HTTP/1.1 100 Continue\r\n\r\n");
        peer.send("hello");
        assert_eq!(peer.response().status, 200, "{path}");
    }
    peer.send("POST /continue?always HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
    assert_eq!(peer.head().status, 100);
    assert_eq!(peer.response().json(), json!({"expected": false, "body_bytes": 5}));
    // A body that is there already makes the 100 needless (RFC 9110 §10.1.1).
    let response = peer
        .ask("POST /continue HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nhello");
    assert_eq!(response.json(), json!({"expected": true, "body_bytes": 5}));
    peer.send(
        "POST /continue?refuse=417 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n",
    );
    let response = peer.response();
    assert_eq!((response.status, response.field("connection")), (417, Some("close")));
    assert_eq!(peer.rest().unwrap(), b"");
    assert_eq!(running.stats().interim[&100], 4);
}
