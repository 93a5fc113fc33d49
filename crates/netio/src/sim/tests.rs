//! The simulated driver keeps the contract, and time is what arithmetic says.

use super::*;
use std::net::SocketAddr;

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\n\r\n";

fn address() -> Address {
    Address::Inet(SocketAddr::from(([192, 0, 2, 1], 80)))
}

/// What a driver told, with the times.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Connected(u32),
    Received(u32, Vec<u8>),
    Ended(u32),
    Failed(u32, During, io::ErrorKind),
    Woken,
}

fn drain(driver: &mut SimDriver) -> Vec<Seen> {
    let mut seen = Vec::new();
    while let Some(completion) = driver.next() {
        seen.push(match completion {
            Completion::Connected { conn } => Seen::Connected(conn),
            Completion::Received { conn, bytes } => Seen::Received(conn, bytes.to_vec()),
            Completion::Ended { conn } => Seen::Ended(conn),
            Completion::Drained { conn } => {
                panic!("connection {conn} was drained, and simulated time keeps nothing back")
            }
            Completion::Failed { conn, during, error } => Seen::Failed(conn, during, error.kind()),
            Completion::Woken => Seen::Woken,
        });
    }
    seen
}

fn received(conn: u32, bytes: &[u8]) -> Seen {
    Seen::Received(conn, bytes.to_vec())
}

/// A driver with `count` connections to a server, open at time zero.
fn connected(server: FixedServer, count: u32) -> SimDriver {
    let mut driver = SimDriver::new(Box::new(server));
    for conn in 0..count {
        driver.connect(conn, &address());
    }
    assert_eq!(driver.wait(u64::MAX), 0);
    assert_eq!(drain(&mut driver).len() as u32, count);
    driver
}

#[test]
fn two_servers_work_off_a_queue() {
    let server = FixedServer::new(1_000, 2, *b"ok").recording_arrivals();
    let counts = server.counts();
    let mut driver = connected(server, 5);
    for conn in 0..5 {
        driver.send(conn, REQUEST);
    }
    let mut told = Vec::new();
    while told.len() < 5 {
        let woke_ns = driver.wait(u64::MAX);
        assert_eq!(driver.now_ns(), woke_ns);
        for seen in drain(&mut driver) {
            told.push((woke_ns, seen));
        }
    }
    let expected = [(1_000, 0), (1_000, 1), (2_000, 2), (2_000, 3), (3_000, 4)];
    assert_eq!(told, expected.map(|(ns, conn)| (ns, received(conn, b"ok"))));
    assert_eq!((counts.connects(), counts.requests(), counts.closes()), (5, 5, 0));
    assert_eq!(counts.bytes(), 5 * REQUEST.len() as u64);
    assert_eq!(counts.arrivals_ns(), [0; 5]);
}

#[test]
fn a_stalled_server_answers_after_the_stall() {
    let server = FixedServer::new(1_000, 1, *b"ok").stalling(1_000_000, 200_000);
    let mut driver = connected(server, 1);
    assert_eq!(driver.wait(850_000), 850_000);
    driver.send(0, REQUEST);
    assert_eq!(driver.wait(u64::MAX), 1_001_000);
    assert_eq!(drain(&mut driver), [received(0, b"ok")]);
}

#[test]
fn waits_end_at_the_deadline_or_the_event() {
    let mut driver = connected(FixedServer::new(500, 1, *b"ok"), 1);
    driver.send(0, REQUEST);
    assert_eq!(driver.wait(400), 400);
    assert_eq!(drain(&mut driver), []);
    // A past deadline only looks.
    assert_eq!(driver.wait(100), 400);
    assert_eq!(driver.wait(500), 500);
    assert_eq!(drain(&mut driver), [received(0, b"ok")]);
    assert_eq!(driver.wait(777), 777);
    assert_eq!(driver.spin_ns(), 0);
}

#[test]
fn replies_come_in_pieces() {
    let mut driver = connected(FixedServer::new(10, 1, *b"abcde").in_pieces(2, 5), 1);
    driver.send(0, REQUEST);
    for (at_ns, piece) in [(10, &b"ab"[..]), (15, b"cd"), (20, b"e")] {
        assert_eq!(driver.wait(u64::MAX), at_ns);
        assert_eq!(drain(&mut driver), [received(0, piece)]);
    }
}

#[test]
fn jitter_repeats_with_its_seed() {
    let times = |seed| -> Vec<u64> {
        let mut driver = connected(FixedServer::new(100, 1, *b"ok").jittering(seed, 50), 1);
        let round = |_| {
            let sent_ns = driver.now_ns();
            driver.send(0, REQUEST);
            let woke_ns = driver.wait(u64::MAX);
            drain(&mut driver);
            woke_ns - sent_ns
        };
        (0..200).map(round).collect()
    };
    let first = times(1);
    assert_eq!(first, times(1));
    assert_ne!(first, times(2));
    assert!(first.iter().all(|time_ns| (100..=150).contains(time_ns)));
    assert!(first.contains(&100) && first.contains(&150));
}

#[test]
fn close_is_silent_and_frees_the_number() {
    let server = FixedServer::new(100, 2, *b"ok").connecting_in(7);
    let counts = server.counts();
    let mut driver = SimDriver::new(Box::new(server));
    driver.connect(0, &address());
    driver.wait(u64::MAX);
    assert_eq!(drain(&mut driver), [Seen::Connected(0)]);
    driver.send(0, REQUEST);
    driver.close(0, Close::Reset);
    driver.close(0, Close::Graceful);
    driver.connect(0, &address());
    // The old answer would come at 107; what comes is the new connection, at 14.
    assert_eq!(driver.wait(u64::MAX), 14);
    assert_eq!(drain(&mut driver), [Seen::Connected(0)]);
    assert_eq!(driver.wait(1_000), 1_000);
    assert_eq!(drain(&mut driver), []);
    driver.send(3, REQUEST);
    assert_eq!((counts.connects(), counts.requests(), counts.closes()), (2, 1, 1));
}

/// Refuses the first connection, lets the second stand and says farewell, resets the third after a word.
struct Moody {
    count: u32,
}

impl SimPeer for Moody {
    fn connecting(&mut self, now_ns: u64, connection: PeerConnection, _: &Address, replies: &mut Replies) {
        self.count += 1;
        if self.count == 1 {
            return replies.refuse(connection, now_ns + 3, io::ErrorKind::ConnectionRefused);
        }
        replies.accept(connection, now_ns + 2);
        replies.bytes(connection, 0, *b"word");
        if self.count == 2 {
            replies.end(connection, now_ns);
        } else {
            replies.reset(connection, now_ns + 5);
            replies.bytes(connection, now_ns + 9, *b"never");
        }
    }

    fn received(&mut self, now_ns: u64, connection: PeerConnection, bytes: &[u8], replies: &mut Replies) {
        replies.bytes(connection, now_ns, bytes);
    }

    fn closed(&mut self, _: u64, _: PeerConnection, _: Close, _: &mut Replies) {}
}

#[test]
fn peers_refuse_end_and_reset() {
    let mut driver = SimDriver::new(Box::new(Moody { count: 0 }));
    for conn in 0..3 {
        driver.connect(conn, &address());
    }
    assert_eq!(driver.wait(u64::MAX), 2);
    // In order on each connection, whatever times the peer gave.
    let word = |conn| received(conn, b"word");
    assert_eq!(
        drain(&mut driver),
        [Seen::Connected(1), word(1), Seen::Ended(1), Seen::Connected(2), word(2)]
    );
    driver.send(1, b"echo");
    assert_eq!(driver.wait(u64::MAX), 2);
    assert_eq!(drain(&mut driver), [received(1, b"echo")]);
    assert_eq!(driver.wait(u64::MAX), 3);
    assert_eq!(drain(&mut driver), [Seen::Failed(0, During::Connect, io::ErrorKind::ConnectionRefused)]);
    assert_eq!(driver.wait(u64::MAX), 5);
    assert_eq!(drain(&mut driver), [Seen::Failed(2, During::Receive, io::ErrorKind::ConnectionReset)]);
    assert_eq!(driver.wait(100), 100);
    assert_eq!(drain(&mut driver), []);
}

#[test]
fn batched_sends_leave_together_and_cost_what_is_set() {
    let server = FixedServer::new(1_000, 9, *b"ok").recording_arrivals();
    let counts = server.counts();
    let mut driver = SimDriver::new(Box::new(server))
        .with_sends(Sends::Batched)
        .with_costs(Costs { send_ns: 3, oversleep_ns: 20 });
    assert_eq!(driver.sends(), Sends::Batched);
    for conn in 0..3 {
        driver.connect(conn, &address());
    }
    driver.wait(u64::MAX);
    drain(&mut driver);
    for conn in 0..3 {
        driver.send(conn, REQUEST);
    }
    assert_eq!((counts.requests(), driver.now_ns()), (0, 0));
    driver.submit();
    assert_eq!((counts.arrivals_ns(), driver.now_ns()), (vec![0, 3, 6], 9));
    assert_eq!(driver.wait(500), 520);
    assert_eq!(driver.wait(u64::MAX), 1_000);
    // A graceful close lets go what was sent before.
    driver.send(2, REQUEST);
    driver.close(2, Close::Graceful);
    assert_eq!(counts.requests(), 4);
}

#[test]
fn a_wake_up_ends_a_wait() {
    let mut driver = SimDriver::new(Box::new(Moody { count: 0 }));
    let waker = driver.waker();
    std::thread::spawn(move || waker.wake()).join().unwrap();
    assert_eq!(driver.wait(u64::MAX), 0);
    assert_eq!(drain(&mut driver), [Seen::Woken]);
    assert_eq!(driver.wait(50), 50);
    assert_eq!(drain(&mut driver), []);
}
