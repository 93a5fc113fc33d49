//! Connects, sends and closes by chance against a server that echoes: whatever happens, each connection hears its own words,
//! in order, and nothing of those that had its number before.

use crate::peer::listen;
use crate::rig::{Rig, Seen};
use netio::{Address, Close, Driver};
use rustix::net::sockopt::set_socket_recv_buffer_size;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use units::Random;

const CONN_COUNT: u64 = 24;
const STEP_COUNT: u32 = 1500;
/// Above what the socket buffers of both sides hold, so that some sends meet a full one.
const SEND_BYTES_MAX: u64 = 600_000;

/// One use of a connection's number.
struct Use {
    state: UseState,
    /// Distinguishes the words of this use from those of others.
    salt: u64,
    sent_count: usize,
    heard_count: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum UseState {
    Closed,
    Connecting,
    Open,
}

pub(crate) fn echoes_survive_chance<D: Driver>(mut rig: Rig<D>) {
    for seed in 1..=2 {
        let (listener, address) = listen();
        // Accepted connections inherit it. With little room there, sends are soon taken in part only, or not at all.
        set_socket_recv_buffer_size(&listener, 4096).unwrap();
        std::thread::spawn(move || serve(&listener));
        play(&mut rig, &address, seed);
    }
}

/// Echoes on every connection; ends with the test's process.
fn serve(listener: &TcpListener) {
    for stream in listener.incoming().map_while(Result::ok) {
        std::thread::spawn(move || echo(stream));
    }
}

fn echo(mut stream: TcpStream) {
    let mut buffer = vec![0; 64 * 1024];
    // A reset by the client is part of the game.
    while let Ok(count @ 1..) = stream.read(&mut buffer) {
        if stream.write_all(&buffer[..count]).is_err() {
            return;
        }
    }
}

/// The word at a place of what a use says.
fn word(salt: u64, place: usize) -> u8 {
    (salt.wrapping_add(place as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8
}

fn play<D: Driver>(rig: &mut Rig<D>, address: &Address, seed: u64) {
    let mut random = Random::new(seed);
    let closed = |_| Use { state: UseState::Closed, salt: 0, sent_count: 0, heard_count: 0 };
    let mut uses: Vec<Use> = (0..CONN_COUNT).map(closed).collect();
    for step in 0..STEP_COUNT {
        let conn = random.below(CONN_COUNT) as u32;
        let one = &mut uses[conn as usize];
        match (one.state, random.below(10)) {
            (UseState::Closed, _) => {
                rig.driver.connect(conn, address);
                let salt = random.bits();
                *one = Use { state: UseState::Connecting, salt, sent_count: 0, heard_count: 0 };
            }
            (_, 0) => {
                rig.driver.close(conn, if random.below(2) == 0 { Close::Graceful } else { Close::Reset });
                one.state = UseState::Closed;
            }
            (UseState::Open, 1..=7) => {
                // Mostly small, sometimes large; sometimes several in one round.
                let byte_count = (random.below(SEND_BYTES_MAX) >> random.below(16)) as usize + 1;
                let words = (one.sent_count..).take(byte_count).map(|place| word(one.salt, place));
                rig.driver.send(conn, &words.collect::<Vec<u8>>());
                one.sent_count += byte_count;
            }
            _ => {}
        }
        if random.below(4) == 0 {
            rig.driver.submit();
            let deadline_ns =
                if random.below(2) == 0 { 0 } else { rig.driver.now_ns() + random.below(200_000) };
            rig.driver.wait(deadline_ns);
            rig.drain();
            listen_to(rig, &mut uses, seed, step);
        }
    }
    while uses.iter().any(|one| {
        one.state == UseState::Connecting || one.heard_count < one.sent_count && one.state == UseState::Open
    }) {
        rig.turn();
        listen_to(rig, &mut uses, seed, STEP_COUNT);
    }
    for (conn, one) in (0..).zip(&uses) {
        if one.state != UseState::Closed {
            rig.driver.close(conn, Close::Graceful);
        }
    }
    rig.expect_quiet();
}

/// Checks what was told against what was said.
fn listen_to<D: Driver>(rig: &mut Rig<D>, uses: &mut [Use], seed: u64, step: u32) {
    for seen in rig.seen.drain(..) {
        match seen {
            Seen::Connected(conn) => {
                let one = &mut uses[conn as usize];
                assert!(one.state == UseState::Connecting, "seed {seed} step {step}: {conn} stands already");
                one.state = UseState::Open;
            }
            Seen::Received(conn, bytes) => {
                let one = &mut uses[conn as usize];
                let is_own = |(place, heard): (usize, &u8)| *heard == word(one.salt, one.heard_count + place);
                assert!(one.state == UseState::Open, "seed {seed} step {step}: {conn} is not open");
                assert!(
                    bytes.iter().enumerate().all(is_own),
                    "seed {seed} step {step}: {conn} heard others' words"
                );
                one.heard_count += bytes.len();
                assert!(one.heard_count <= one.sent_count);
            }
            // What the system did not take at once has left.
            Seen::Drained(_) => {}
            other => panic!("seed {seed} step {step}: {other:?}"),
        }
    }
}
