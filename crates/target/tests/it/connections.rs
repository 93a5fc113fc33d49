//! How connections are made, kept, shared out and ended.

use std::io::{ErrorKind, Read};
use std::net::{Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;

use target::{BindError, Listen, Options, Server};

use crate::peer::{Peer, address, get, post, serve, serve_with_threads};

#[test]
fn pipelined_requests_are_answered_in_order() {
    let running = serve(Options::default());
    let mut peer = Peer::connect(&running);
    let mut requests = String::new();
    for index in 0..200 {
        requests += &get(&format!("/status/{}", 200 + index % 4));
        if index % 50 == 0 {
            requests += &get("/delay?ms=2");
        }
        requests += &post("/load", "abc");
    }
    peer.send(&requests);
    for index in 0..200 {
        // 204 and the like have no body, so a mix-up would be noticed at once.
        assert_eq!(peer.response().status, 200 + index % 4);
        if index % 50 == 0 {
            assert_eq!(peer.response().text(), "2.000000 ms\n");
        }
        assert_eq!(peer.response().text(), "YWJj");
    }
}

#[test]
fn a_request_may_come_byte_by_byte() {
    let running = serve(Options::default());
    let mut peer = Peer::connect(&running);
    for request in [
        get("/hello"),
        post("/", "abc"),
        "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n".to_owned(),
    ] {
        for byte in request.bytes() {
            peer.send([byte]);
        }
        assert_eq!(peer.response().status, 200);
    }
    assert_eq!(running.stats().requests, 3);
}

#[test]
fn a_client_may_close_its_half_and_still_be_answered() {
    let running = serve(Options::default());
    let mut peer = Peer::connect(&running);
    peer.send(format!("{}{}", get("/delay?ms=20"), get("/file?size=3MB")));
    peer.stream.shutdown(Shutdown::Write).unwrap();
    assert_eq!(peer.response().text(), "20.000000 ms\n");
    assert_eq!(peer.response().body.len(), 3_000_000);
    assert_eq!(peer.rest().unwrap(), b"");
    let stats = running.stop();
    assert_eq!((stats.requests, stats.abandoned, stats.cut_short, stats.connections_open), (2, 0, 0, 0));
}

#[test]
fn a_request_that_breaks_off_is_cut_short_and_not_counted() {
    let running = serve(Options::default());
    for part in [
        "GET /hel",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n",
    ] {
        let mut peer = Peer::connect(&running);
        peer.send(part);
        peer.stream.shutdown(Shutdown::Write).unwrap();
        assert_eq!(peer.rest().unwrap(), b"");
    }
    let stats = running.stop();
    assert_eq!((stats.requests, stats.cut_short, stats.protocol_errors), (0, 3, 0));
}

#[test]
fn protocol_errors_are_answered_counted_and_end_the_connection() {
    let running = serve(Options::default());
    let long = format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "x".repeat(70_000));
    let cases = [
        ("what is this?\r\n\r\n", 400),
        ("GET /hello HTTP/1.1\r\n\r\n", 400),
        ("GET /hello HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        ("GET /hello HTTP/2.0\r\nHost: a\r\n\r\n", 505),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400),
        (long.as_str(), 431),
    ];
    for (request, status) in cases {
        let mut peer = Peer::connect(&running);
        peer.send(get("/hello"));
        // Whatever follows the broken request must not make the kernel throw the answer away.
        peer.send(format!("{request}{}", get("/hello").repeat(100)));
        assert_eq!(peer.response().status, 200);
        let response = peer.response();
        assert_eq!((response.status, response.field("connection")), (status, Some("close")), "{request:.40}");
        assert_eq!(peer.rest().unwrap(), b"");
    }
    let stats = running.stats();
    assert_eq!((stats.requests, stats.protocol_errors), (cases.len() as u64, cases.len() as u64));
    assert_eq!(stats.statuses.values().sum::<u64>(), stats.requests, "refusals are not among the statuses");
}

/// A client that asks for much and reads nothing costs the server no more than a bounded buffer, and its neighbours nothing.
#[test]
fn a_slow_reader_holds_up_nobody_else() {
    let running = serve(Options::default());
    let mut slow = Peer::connect(&running);
    slow.send(get("/file?size=200MB").repeat(3));
    let mut other = Peer::connect(&running);
    for _ in 0..50 {
        assert_eq!(other.get("/hello").text(), "Hello world");
    }
    let mut head = slow.head();
    for _ in 0..2 {
        let mut rest = 200_000_000 - slow.take(1 << 16).len();
        while rest > 0 {
            rest -= slow.take(rest.min(1 << 20)).len();
        }
        head = slow.head();
    }
    assert_eq!(head.status, 200);
    drop(slow);
    assert_eq!(other.get("/hello").text(), "Hello world");
}

/// Writes until the kernel takes no more, then reads: pipelining without reading must stop the server's reading, not fill its memory.
#[test]
fn pipelining_without_reading_is_held_back() {
    let running = serve(Options::default());
    let mut peer = Peer::connect(&running);
    let batch = get("/file?size=60000").repeat(100);
    peer.stream.set_nonblocking(true).unwrap();
    let (mut sent_bytes, mut refused_count) = (0, 0);
    while refused_count < 1000 && sent_bytes < 100 << 20 {
        match std::io::Write::write(
            &mut peer.stream,
            batch.get(sent_bytes % batch.len()..).unwrap().as_bytes(),
        ) {
            Ok(count) => (sent_bytes, refused_count) = (sent_bytes + count, 0),
            Err(e) => {
                assert_eq!(e.kind(), ErrorKind::WouldBlock);
                refused_count += 1;
                std::thread::yield_now();
            }
        }
    }
    assert!(sent_bytes < 100 << 20, "the server went on reading");
    peer.stream.set_nonblocking(false).unwrap();
    let whole_count = sent_bytes / (batch.len() / 100);
    assert!(whole_count > 0);
    for _ in 0..whole_count.min(500) {
        assert_eq!(peer.response().body.len(), 60_000);
    }
}

/// Connections are dealt out in turn: every thread gets its share, whichever ports the clients have.
#[test]
fn connections_are_spread_evenly_over_threads() {
    let running = serve_with_threads(4);
    let mut peers: Vec<_> = (0..64).map(|_| Peer::connect(&running)).collect();
    for peer in &mut peers {
        peer.get("/hello");
    }
    let shares = running.connections_per_thread();
    assert_eq!(shares, [16, 16, 16, 16]);
    assert_eq!(running.stats().connections_open, 64);
}

#[test]
fn many_connections_at_once() {
    let running = serve_with_threads(2);
    let mut peers: Vec<_> = (0..1000).map(|_| Peer::connect(&running)).collect();
    for peer in &mut peers {
        peer.send(get("/delay?ms=1"));
    }
    for peer in &mut peers {
        assert_eq!(peer.response().text(), "1.000000 ms\n");
    }
    assert_eq!(running.stats().connections_open, 1000);
}

#[test]
fn ipv6_and_unix_sockets() {
    let running = serve(Options {
        listen: Listen::Tcp(SocketAddr::from((Ipv6Addr::LOCALHOST, 0))),
        ..Options::default()
    });
    assert!(address(&running).is_ipv6());
    assert_eq!(running.base_url(), format!("http://[::1]:{}", address(&running).port()));
    assert_eq!(Peer::connect(&running).get("/hello").text(), "Hello world");

    let path = std::env::temp_dir().join(format!("weir-target-{}.sock", std::process::id()));
    let running = serve(Options { listen: Listen::Unix(path.clone()), ..Options::default() });
    assert_eq!((running.local_addr(), running.address()), (None, &Listen::Unix(path.clone())));
    let mut peer = Peer::over(UnixStream::connect(&path).unwrap());
    assert_eq!(peer.get("/hello").text(), "Hello world");
    assert_eq!(peer.get("/file?size=5MB").body.len(), 5_000_000);
    let taken = Server::bind(Options { listen: Listen::Unix(path.clone()), ..Options::default() });
    assert!(taken.is_err_and(|e| e.to_string().contains("must be writable and not exist yet")));
    running.stop();
    assert!(!path.exists(), "the socket is removed");
}

#[test]
fn an_address_that_is_taken_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = Listen::Tcp(listener.local_addr().unwrap());
    let error = Server::bind(Options { listen: listen.clone(), ..Options::default() }).expect_err("taken");
    assert!(error.to_string().contains("choose another port"), "{error}");
    assert!(matches!(error, BindError::Listen { listen: have, .. } if have == listen));
}

#[test]
fn a_server_that_is_bound_lets_clients_wait_and_one_that_stops_closes() {
    let server = Server::bind(Options::default()).unwrap();
    let mut peer = Peer::connect_to(server.local_addr().unwrap());
    peer.send(get("/hello"));
    let running = server.start().unwrap();
    let address = address(&running);
    assert_eq!(peer.response().text(), "Hello world");
    assert_eq!(running.stop().requests, 1);
    let mut buffer = [0];
    assert!(matches!(peer.stream.read(&mut buffer), Ok(0) | Err(_)));
    assert!(TcpStream::connect(address).is_err());
}
