//! Whatever bytes come, the server answers or closes, and goes on.

use std::io::{ErrorKind, Write};
use std::net::Shutdown;

use target::Running;
use units::Random;

use crate::peer::{Peer, get, post, serve_with_threads};

const SEED: u64 = 20_240_607;

/// Sends bytes, closes the sending half and waits for the end, whatever it is.
fn throw(running: &Running, bytes: &[u8]) {
    let mut peer = Peer::connect(running);
    let _ = peer.stream.write_all(bytes);
    let _ = peer.stream.shutdown(Shutdown::Write);
    if let Err(e) = peer.rest() {
        assert!(
            matches!(e.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe),
            "{e}: no end after {}",
            bytes.escape_ascii()
        );
    }
}

fn requests() -> Vec<Vec<u8>> {
    [
        get("/hello"),
        get("/file?size=1000"),
        get("/delay?ms=0.1&jitter=0.1"),
        get("/bytes?rate=100000&size=100&chunk=10"),
        get("/chunked?size=100&chunk=7&trailers=1"),
        get("/redirect?to=/x&status=302"),
        get("/cookie/set?a=b&c=%20d"),
        get("/tests/http_req/x.xml?value=12&service_us=1"),
        get("/arrivals?raw"),
        post("/load", "some body"),
        post("/echo?x=%41", "{}"),
        "POST /no-read HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n".to_owned(),
        "PUT /continue HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\nConnection: close\r\n\r\nabc".to_owned(),
    ]
    .map(String::into_bytes)
    .into()
}

/// One to four changes: a byte replaced, removed, doubled, or a run cut out.
fn mutated(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() as u64) as usize;
        match random.below(5) {
            0 => bytes[at] = random.bits() as u8,
            1 => bytes[at] = b"\r\n: /?%&=0;"[random.below(11) as usize],
            2 => bytes.insert(at, bytes[at]),
            3 => drop(bytes.drain(at..(at + 1 + random.below(8) as usize).min(bytes.len()))),
            _ => drop(bytes.remove(at)),
        }
        if bytes.is_empty() {
            bytes.push(b'\n');
        }
    }
    bytes
}

#[test]
fn random_and_mutated_requests_do_no_harm() {
    let running = serve_with_threads(2);
    let mut random = Random::new(SEED);
    let requests = requests();
    for round in 0..600 {
        let mut bytes = Vec::new();
        if round % 6 == 0 {
            bytes.extend((0..random.below(300)).map(|_| random.bits() as u8));
        }
        for _ in 0..=random.below(3) {
            let request = &requests[random.below(requests.len() as u64) as usize];
            bytes.extend(mutated(request, &mut random));
        }
        throw(&running, &bytes);
    }
    let mut peer = Peer::connect(&running);
    assert_eq!(peer.get("/hello").text(), "Hello world");
    let stats = running.stop();
    assert!(stats.protocol_errors > 100 && stats.requests > 100, "{stats:?}");
    assert_eq!(stats.connections_open, 0);
}
