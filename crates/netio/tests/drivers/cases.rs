//! The cases: each takes a rig with a fresh driver.

use crate::peer::{self, UnixPeer, accept_and, listen, listen_on, pattern};
use crate::rig::{Rig, Seen};
use netio::{Address, Close, Driver, During, Waker};
use std::io::{ErrorKind, Read, Write};
use std::sync::mpsc::channel;

pub(crate) fn connect_is_refused<D: Driver>(mut rig: Rig<D>) {
    let (listener, address) = listen();
    drop(listener);
    rig.driver.connect(0, &address);
    rig.until(|rig| !rig.seen.is_empty());
    rig.expect_quiet();
    assert_eq!(rig.seen, [Seen::Failed(0, During::Connect, ErrorKind::ConnectionRefused)]);
    // Closed by itself: the number is free again.
    let (_listener, address) = listen();
    rig.driver.connect(0, &address);
    rig.until_seen(&Seen::Connected(0));
}

pub(crate) fn connect_to_an_absent_unix_socket_fails<D: Driver>(mut rig: Rig<D>) {
    rig.driver.connect(3, &Address::Unix(peer::unused_unix_path()));
    rig.until(|rig| !rig.seen.is_empty());
    assert_eq!(rig.seen, [Seen::Failed(3, During::Connect, ErrorKind::NotFound)]);
    // A path too long for a socket address is known before the system is asked, and told in the same way.
    rig.driver.connect(3, &Address::Unix("x".repeat(200).into()));
    rig.until(|rig| rig.seen.len() == 2);
    assert!(matches!(rig.seen.get(1), Some(Seen::Failed(3, During::Connect, _))), "{:?}", rig.seen);
}

/// Connects, says three things in turn, each the answer to an echo.
fn echo<D: Driver>(rig: &mut Rig<D>, address: &Address) {
    rig.driver.connect(0, address);
    rig.until_seen(&Seen::Connected(0));
    let mut said = Vec::new();
    for words in ["one", "two and more", "three"] {
        rig.driver.send(0, words.as_bytes());
        said.extend_from_slice(words.as_bytes());
        rig.until(|rig| rig.received_count(0) == said.len());
    }
    assert_eq!(rig.received(0), said);
    rig.driver.close(0, Close::Graceful);
    rig.expect_quiet();
}

fn echo_until_end(mut stream: impl Read + Write) {
    let mut buffer = [0; 4096];
    loop {
        let count = stream.read(&mut buffer).unwrap();
        if count == 0 {
            return;
        }
        stream.write_all(&buffer[..count]).unwrap();
    }
}

pub(crate) fn echo_over_ipv4<D: Driver>(mut rig: Rig<D>) {
    let (listener, address) = listen();
    let server = accept_and(listener, echo_until_end);
    echo(&mut rig, &address);
    server.join().unwrap();
}

pub(crate) fn echo_over_ipv6<D: Driver>(mut rig: Rig<D>) {
    let (listener, address) = listen_on("[::1]:0");
    let server = accept_and(listener, echo_until_end);
    echo(&mut rig, &address);
    server.join().unwrap();
}

pub(crate) fn echo_over_unix<D: Driver>(mut rig: Rig<D>) {
    let peer = UnixPeer::listen();
    let address = peer.address();
    let server = std::thread::spawn(move || echo_until_end(peer.listener.accept().unwrap().0));
    echo(&mut rig, &address);
    server.join().unwrap();
}

pub(crate) fn unix_connects_wait_for_a_full_listener<D: Driver>(mut rig: Rig<D>) {
    const COUNT: u32 = 20;
    let peer = UnixPeer::listen();
    rustix::net::listen(&peer.listener, 1).unwrap();
    let address = peer.address();
    for conn in 0..COUNT {
        rig.driver.connect(conn, &address);
    }
    rig.turn();
    let connected = rig.seen.len() as u32;
    assert!(connected < COUNT, "the listener took {connected}");
    let server = std::thread::spawn(move || {
        let accept = |_| peer.listener.accept().unwrap().0;
        (0..COUNT).map(accept).collect::<Vec<_>>()
    });
    rig.until(|rig| rig.seen.len() as u32 == COUNT);
    assert!(rig.seen.iter().all(|seen| matches!(seen, Seen::Connected(_))), "{:?}", rig.seen);
    drop(server.join().unwrap());
}

pub(crate) fn ten_megabytes_to_a_slow_reader_come_back_whole<D: Driver>(mut rig: Rig<D>) {
    const PART_BYTES: usize = 1_000_000;
    const COUNT: usize = 10;
    let (listener, address) = listen();
    let (read_now, may_read) = channel::<()>();
    let server = accept_and(listener, move |mut stream| {
        may_read.recv().unwrap();
        let mut bytes = vec![0; PART_BYTES * COUNT];
        for part in bytes.chunks_mut(77_777) {
            stream.read_exact(part).unwrap();
        }
        stream.write_all(&bytes).unwrap();
    });
    let bytes = pattern(PART_BYTES * COUNT);
    rig.driver.connect(0, &address);
    rig.until_seen(&Seen::Connected(0));
    for part in bytes.chunks(PART_BYTES) {
        rig.driver.send(0, part);
        rig.driver.submit();
    }
    // Nobody reads yet, so most of it is still with the driver.
    rig.turn();
    read_now.send(()).unwrap();
    rig.until(|rig| rig.received_count(0) >= bytes.len());
    assert!(rig.received(0) == bytes);
    server.join().unwrap();
    rig.until_seen(&Seen::Ended(0));
    // The last of what was kept left before the answer came, and that was told once.
    let drained = rig.seen.iter().position(|seen| *seen == Seen::Drained(0)).unwrap();
    let answered = rig.seen.iter().position(|seen| matches!(seen, Seen::Received(..))).unwrap();
    assert!(drained < answered, "{drained}, {answered}");
}

pub(crate) fn rounds_of_sends_to_a_slow_reader_arrive_in_order<D: Driver>(mut rig: Rig<D>) {
    // Larger and smaller ones, so that some are taken whole, some in part, and some not at all.
    const SIZES: [usize; 4] = [100_000, 7, 30_000, 200_000];
    const ROUND_COUNT: usize = 120;
    let (listener, address) = listen();
    let (read_now, may_read) = channel::<()>();
    let byte_count = SIZES.iter().sum::<usize>() * ROUND_COUNT / SIZES.len();
    let server = accept_and(listener, move |mut stream| {
        may_read.recv().unwrap();
        let mut bytes = vec![0; byte_count];
        stream.read_exact(&mut bytes).unwrap();
        bytes
    });
    let bytes = pattern(byte_count);
    rig.driver.connect(0, &address);
    rig.until_seen(&Seen::Connected(0));
    let mut left = bytes.as_slice();
    for size in SIZES.iter().cycle().take(ROUND_COUNT) {
        let (part, rest) = left.split_at(*size);
        rig.driver.send(0, part);
        rig.driver.submit();
        rig.driver.wait(0);
        rig.drain();
        left = rest;
    }
    assert!(left.is_empty());
    read_now.send(()).unwrap();
    rig.until(|_| server.is_finished());
    assert!(server.join().unwrap() == bytes);
}

pub(crate) fn sends_given_before_the_connection_stands_leave_in_order<D: Driver>(mut rig: Rig<D>) {
    let (listener, address) = listen();
    let server = accept_and(listener, |mut stream| {
        let mut bytes = [0; 9];
        stream.read_exact(&mut bytes).unwrap();
        bytes
    });
    rig.driver.connect(0, &address);
    rig.driver.send(0, b"one");
    rig.driver.send(0, b"two");
    rig.until_seen(&Seen::Connected(0));
    rig.driver.send(0, b"six");
    rig.until_seen(&Seen::Ended(0));
    assert_eq!(&server.join().unwrap(), b"onetwosix");
}

pub(crate) fn a_stream_arrives_whole<D: Driver>(mut rig: Rig<D>) {
    let bytes = pattern(5_000_000);
    let sent = bytes.clone();
    let (listener, address) = listen();
    let server = accept_and(listener, move |mut stream| stream.write_all(&sent).unwrap());
    rig.driver.connect(7, &address);
    rig.until_seen(&Seen::Ended(7));
    assert!(rig.received(7) == bytes);
    server.join().unwrap();
}

pub(crate) fn bytes_come_before_the_end<D: Driver>(mut rig: Rig<D>) {
    let (listener, address) = listen();
    let server = accept_and(listener, |mut stream| stream.write_all(b"farewell").unwrap());
    rig.driver.connect(0, &address);
    rig.until_seen(&Seen::Connected(0));
    server.join().unwrap();
    rig.until_seen(&Seen::Ended(0));
    assert_eq!(rig.seen, [Seen::Connected(0), Seen::Received(0, b"farewell".to_vec()), Seen::Ended(0)]);
    // Told once, though the caller leaves the connection open.
    rig.expect_quiet();
    rig.driver.close(0, Close::Graceful);
    rig.expect_quiet();
}

pub(crate) fn sending_goes_on_after_the_peer_ended<D: Driver>(mut rig: Rig<D>) {
    const COUNT: usize = 8_000_000;
    let (listener, address) = listen();
    let (read_now, may_read) = channel::<()>();
    let server = accept_and(listener, move |mut stream| {
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        may_read.recv().unwrap();
        let mut bytes = vec![0; COUNT + 4];
        stream.read_exact(&mut bytes).unwrap();
        bytes
    });
    rig.driver.connect(0, &address);
    rig.until_seen(&Seen::Ended(0));
    let bytes = pattern(COUNT);
    rig.driver.send(0, &bytes);
    rig.turn();
    read_now.send(()).unwrap();
    rig.driver.send(0, b"last");
    rig.until(|_| server.is_finished());
    let received = server.join().unwrap();
    assert!(received.starts_with(&bytes) && received.ends_with(b"last"));
}

pub(crate) fn a_reset_is_a_failure<D: Driver>(mut rig: Rig<D>) {
    let (listener, address) = listen();
    let (reset_now, may_reset) = channel::<()>();
    let server = accept_and(listener, move |stream| {
        may_reset.recv().unwrap();
        peer::reset(stream);
    });
    rig.driver.connect(0, &address);
    rig.until_seen(&Seen::Connected(0));
    reset_now.send(()).unwrap();
    rig.until(|rig| rig.failure(0).is_some());
    assert_eq!(rig.failure(0), Some((During::Receive, ErrorKind::ConnectionReset)));
    server.join().unwrap();
    rig.expect_quiet();
}

pub(crate) fn a_reset_during_a_send_is_one_failure<D: Driver>(mut rig: Rig<D>) {
    let (listener, address) = listen();
    let (reset_now, may_reset) = channel::<()>();
    let server = accept_and(listener, move |stream| {
        may_reset.recv().unwrap();
        peer::reset(stream);
    });
    rig.driver.connect(0, &address);
    rig.until_seen(&Seen::Connected(0));
    rig.driver.send(0, &pattern(8_000_000));
    rig.turn();
    reset_now.send(()).unwrap();
    server.join().unwrap();
    rig.until(|rig| rig.failure(0).is_some());
    rig.driver.send(0, b"into the void");
    rig.expect_quiet();
    let (during, kind) = rig.failure(0).unwrap();
    assert_ne!(during, During::Connect);
    assert!(matches!(kind, ErrorKind::ConnectionReset | ErrorKind::BrokenPipe), "{kind:?}");
    assert_eq!(rig.seen.len(), 2, "{:?}", rig.seen);
}

pub(crate) fn bytes_come_before_a_reset<D: Driver>(mut rig: Rig<D>) {
    let (listener, address) = listen();
    let bytes = pattern(30_000);
    let sent = bytes.clone();
    let (reset_now, may_reset) = channel::<()>();
    let server = accept_and(listener, move |mut stream| {
        stream.write_all(&sent).unwrap();
        may_reset.recv().unwrap();
        peer::reset(stream);
    });
    rig.driver.connect(0, &address);
    rig.until_seen(&Seen::Connected(0));
    reset_now.send(()).unwrap();
    server.join().unwrap();
    rig.until(|rig| rig.failure(0).is_some());
    assert_eq!(rig.failure(0), Some((During::Receive, ErrorKind::ConnectionReset)));
    assert!(rig.received(0) == bytes);
}

pub(crate) fn bytes_come_before_a_failed_send<D: Driver>(mut rig: Rig<D>) {
    let (listener, address) = listen();
    let (reset_now, may_reset) = channel::<()>();
    let server = accept_and(listener, move |mut stream| {
        stream.write_all(b"413 enough").unwrap();
        may_reset.recv().unwrap();
        peer::reset(stream);
    });
    rig.driver.connect(0, &address);
    rig.until_seen(&Seen::Connected(0));
    reset_now.send(()).unwrap();
    server.join().unwrap();
    // The peer's answer and its reset are both here before this send.
    rig.driver.send(0, b"more");
    rig.driver.send(0, b"and more");
    rig.until(|rig| rig.failure(0).is_some());
    rig.expect_quiet();
    assert_eq!(rig.received(0), b"413 enough");
    assert_eq!(rig.seen.len(), 3, "{:?}", rig.seen);
    let (during, kind) = rig.failure(0).unwrap();
    assert_ne!(during, During::Connect);
    assert!(matches!(kind, ErrorKind::ConnectionReset | ErrorKind::BrokenPipe), "{kind:?}");
}

pub(crate) fn close_is_silent_and_frees_the_number<D: Driver>(mut rig: Rig<D>) {
    let (old_listener, old_address) = listen();
    let (new_listener, new_address) = listen();
    let (told, has_told) = channel::<()>();
    let old_server = std::thread::spawn(move || {
        let streams = [old_listener.accept().unwrap().0, old_listener.accept().unwrap().0];
        for mut stream in &streams {
            stream.write_all(b"old").unwrap();
        }
        told.send(()).unwrap();
        streams
    });
    for conn in 0..2 {
        rig.driver.connect(conn, &old_address);
    }
    rig.until(|rig| rig.seen.contains(&Seen::Connected(0)) && rig.seen.contains(&Seen::Connected(1)));
    has_told.recv().unwrap();
    // Both have bytes waiting, unless some were taken already; whichever is told first closes the other.
    rig.seen.clear();
    let new_server = accept_and(new_listener, |mut stream| stream.write_all(b"new").unwrap());
    rig.driver.submit();
    let deadline_ns = rig.driver.now_ns() + 20_000_000;
    rig.driver.wait(deadline_ns);
    let first = match rig.driver.next() {
        Some(netio::Completion::Received { conn, .. }) => conn,
        _ => 0,
    };
    let other = 1 - first;
    rig.driver.send(other, b"never answered");
    rig.driver.close(other, Close::Reset);
    rig.driver.connect(other, &new_address);
    rig.until_seen(&Seen::Ended(other));
    assert_eq!(rig.received(other), b"new");
    new_server.join().unwrap();
    drop(old_server.join().unwrap());
}

pub(crate) fn close_during_a_send_is_silent<D: Driver>(mut rig: Rig<D>) {
    let (deaf_listener, deaf_address) = listen();
    let (listener, address) = listen();
    let server = std::thread::spawn(move || {
        let mut stream = listener.accept().unwrap().0;
        let mut bytes = vec![0; 5];
        stream.read_exact(&mut bytes).unwrap();
        bytes
    });
    // The peer's kernel accepts, but nobody reads: most of the send stays under way until it is cut off.
    let bytes = pattern(8_000_000);
    for round in 1..=10 {
        rig.driver.connect(0, &deaf_address);
        rig.until(|rig| rig.seen.len() == round);
        rig.driver.send(0, &bytes);
        // What the system takes at once is told by the first looks; from then on the rest waits for room.
        for _ in 0..5 {
            rig.driver.submit();
            rig.driver.wait(0);
        }
        rig.driver.close(0, if round % 2 == 0 { Close::Graceful } else { Close::Reset });
    }
    assert_eq!(rig.seen, vec![Seen::Connected(0); 10]);
    rig.driver.connect(0, &address);
    rig.until(|rig| rig.seen.len() == 11);
    rig.driver.send(0, b"alone");
    rig.until_seen(&Seen::Ended(0));
    assert_eq!(server.join().unwrap(), b"alone");
    // A driver may be dropped with a send under way, too.
    rig.driver.connect(1, &deaf_address);
    rig.until_seen(&Seen::Connected(1));
    rig.driver.send(1, &bytes);
    for _ in 0..5 {
        rig.driver.submit();
        rig.driver.wait(0);
    }
    drop(rig);
    drop(deaf_listener);
}

pub(crate) fn close_while_connecting_is_silent<D: Driver>(mut rig: Rig<D>) {
    let (listener, address) = listen();
    let (gone_listener, gone_address) = listen();
    drop(gone_listener);
    for round in 0..50 {
        let conn = round % 5;
        rig.driver.connect(conn, if round % 2 == 0 { &address } else { &gone_address });
        if round % 3 == 0 {
            rig.driver.submit();
        }
        rig.driver.close(conn, if round % 4 < 2 { Close::Graceful } else { Close::Reset });
    }
    rig.expect_quiet();
    assert_eq!(rig.seen, []);
    // The number connects again as if nothing had been.
    rig.driver.connect(0, &address);
    rig.until_seen(&Seen::Connected(0));
    assert_eq!(rig.seen, [Seen::Connected(0)]);
    drop(listener);
}

pub(crate) fn reset_reaches_the_peer_as_a_reset<D: Driver>(mut rig: Rig<D>) {
    let (listener, address) = listen();
    let server = accept_and(listener, |mut stream| stream.read(&mut [0]).map_err(|error| error.kind()));
    rig.driver.connect(0, &address);
    rig.until_seen(&Seen::Connected(0));
    rig.driver.close(0, Close::Reset);
    rig.expect_quiet();
    assert_eq!(server.join().unwrap(), Err(ErrorKind::ConnectionReset));
}

pub(crate) fn sends_and_closes_on_closed_connections_are_harmless<D: Driver>(mut rig: Rig<D>) {
    rig.driver.send(5, b"to nobody");
    rig.driver.close(5, Close::Graceful);
    rig.driver.close(9, Close::Reset);
    rig.expect_quiet();
    let (listener, address) = listen();
    let server = accept_and(listener, drop);
    rig.driver.connect(5, &address);
    rig.until_seen(&Seen::Ended(5));
    server.join().unwrap();
    rig.driver.close(5, Close::Graceful);
    rig.driver.close(5, Close::Graceful);
    rig.driver.send(5, b"to nobody");
    rig.expect_quiet();
}

pub(crate) fn a_thousand_connections<D: Driver>(mut rig: Rig<D>) {
    const COUNT: u32 = 1000;
    /// Connects at a time: below the listener's queue.
    const WAVE: u32 = 100;
    netio::raise_fd_limit(4096).unwrap();
    let (listener, address) = listen();
    let server = std::thread::spawn(move || {
        let accept = |_| listener.accept().unwrap().0;
        let mut streams: Vec<_> = (0..COUNT).map(accept).collect();
        for stream in &mut streams {
            let mut bytes = [0; 4];
            stream.read_exact(&mut bytes).unwrap();
            stream.write_all(&bytes).unwrap();
        }
        streams
    });
    for wave in 0..COUNT / WAVE {
        for conn in wave * WAVE..(wave + 1) * WAVE {
            rig.driver.connect(conn, &address);
        }
        rig.until(|rig| rig.seen.len() as u32 == (wave + 1) * WAVE);
    }
    assert!(rig.seen.iter().all(|seen| matches!(seen, Seen::Connected(_))));
    rig.seen.clear();
    for conn in 0..COUNT {
        rig.driver.send(conn, &conn.to_be_bytes());
    }
    // All answers are here before the first is taken: more than any driver has buffers for.
    while !server.is_finished() {
        rig.driver.submit();
        rig.driver.wait(0);
        std::thread::yield_now();
    }
    rig.until(|rig| rig.seen.len() as u32 >= COUNT);
    for conn in 0..COUNT {
        assert_eq!(rig.received(conn), conn.to_be_bytes());
        rig.driver.close(conn, Close::Graceful);
    }
    drop(server.join().unwrap());
    rig.seen.clear();
    rig.expect_quiet();
}

pub(crate) fn waits_are_never_early<D: Driver>(mut rig: Rig<D>) {
    let mut last_ns = 0;
    for after_us in [0, 1, 20, 200, 200, 200, 1_000, 12_000, 150_000] {
        let now_ns = rig.driver.now_ns();
        assert!(now_ns >= last_ns);
        let deadline_ns = now_ns + after_us * 1_000;
        let woke_ns = rig.driver.wait(deadline_ns);
        assert!(woke_ns >= deadline_ns, "{after_us} µs: {} ns early", deadline_ns - woke_ns);
        assert!(woke_ns - deadline_ns < 10_000_000_000, "{after_us} µs: {} ns late", woke_ns - deadline_ns);
        assert!(rig.driver.next().is_none());
        last_ns = woke_ns;
    }
    // A deadline in the past only looks, and spins through nothing.
    let spun_ns = rig.driver.spin_ns();
    assert!(spun_ns > 0);
    for _ in 0..100 {
        assert!(rig.driver.wait(0) >= last_ns);
        assert!(rig.driver.wait(last_ns) >= last_ns);
    }
    assert_eq!(rig.driver.spin_ns(), spun_ns);
}

pub(crate) fn a_waker_wakes_from_another_thread<D: Driver>(mut rig: Rig<D>) {
    let waker = rig.waker.clone();
    let thread = std::thread::spawn(move || waker.wake());
    rig.driver.wait(u64::MAX);
    rig.drain();
    thread.join().unwrap();
    assert_eq!(rig.seen, [Seen::Woken]);
    assert_eq!(rig.driver.spin_ns(), 0);
    rig.expect_quiet();
}

pub(crate) fn wake_ups_before_the_wait_are_kept<D: Driver>(mut rig: Rig<D>) {
    for round in 1..=3 {
        rig.waker.wake();
        rig.waker.wake();
        rig.until(|rig| rig.seen.len() >= round);
        rig.expect_quiet();
        assert_eq!(rig.seen, vec![Seen::Woken; round]);
    }
}
