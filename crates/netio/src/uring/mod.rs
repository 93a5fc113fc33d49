//! The driver over io_uring: one system call hands over all sends of a round and waits for what comes next.
//!
//! A receive is armed once for the life of a connection and fills buffers lent to the kernel. A send is tried at once, with its
//! bytes in a buffer shared by the round: the kernel has copied them when the call returns, and is silent when it took all.
//! Only what it did not take is kept for the connection and sent by an operation that waits for room.

mod buffers;
mod connection;
mod operations;
mod probe;
mod ring;

use crate::clock::Clock;
use crate::outcomes::{Outcome, Outcomes};
use crate::pace::{Pacer, Sleeper, wait_for_events};
use crate::socket::{self, Blocking};
use crate::{Address, Close, Completion, Driver, During, EventWaker, Sends};
use buffers::Buffers;
use connection::{Connection, Operation, State, Token};
use io_uring::cqueue;
use operations::Retired;
pub use probe::probe;
use ring::Ring;
use rustix::io::Errno;
use rustix::net::RecvFlags;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::time::Instant;

/// Most connections: the kernel's default bound on open files per process (`nr_open`) is a quarter of it.
const CONNECTION_COUNT_MAX: u32 = 1 << 22;
/// Bytes sent at once per system call; a longer send goes the way of those that wait for room.
const ROUND_BYTES: usize = 256 * 1024;
/// Room for reading what a peer sent before a send to it failed.
const LAST_READ_BYTES: usize = 16 * 1024;

/// Drives sockets by io_uring. Needs Linux 6.0; [`probe`] tells whether it works here.
///
/// It may be moved between threads until its first wait and belongs to that thread from there on. [`Driver::submit`] only
/// closes a round: its sends leave with the wait that follows, in one system call.
pub struct UringDriver {
    clock: Clock,
    pacer: Pacer,
    /// The last reading of the clock: a lower bound of the time now, for free.
    last_now_ns: u64,
    ring: Ring,
    waker: EventWaker,
    is_waker_watched: bool,
    connections: Vec<Connection>,
    /// Completions for the caller that `next` has not come to.
    pending: VecDeque<cqueue::Entry>,
    /// Outcomes that no completion announces.
    outcomes: Outcomes<What>,
    /// The buffer whose bytes the caller was shown last.
    shown: Option<u16>,
    /// Connections whose receive ended for want of buffers, or otherwise without fault.
    to_receive: Vec<(u32, u32)>,
    /// Connections with a rest to send.
    to_send: Vec<(u32, u32)>,
    /// Receives to be ended. Sorting completions only notes what is to be done, for doing it may bring completions.
    to_cancel: Vec<Token>,
    /// The bytes of this round's sends, and which round it is.
    round: Vec<u8>,
    round_index: u64,
    /// Rests whose connection was closed while they were under way, by token: the kernel may still read them.
    orphans: HashMap<u64, crate::unsent::Unsent>,
    /// Sockets closed by the caller that operations not yet handed over refer to.
    retired: Vec<Retired>,
    fresh: Vec<cqueue::Entry>,
    last_read: Vec<u8>,
    // Dropped after the ring, see `Drop`.
    buffers: Buffers,
}

/// An outcome to be told by `next` without a completion.
#[derive(Debug)]
enum What {
    /// The connection is closed already.
    Failed(During, Errno),
    /// A send failed and no receive is under way any more; the rest of what the peer sent is still to be read.
    SendFailed(Errno),
    /// What was kept of sends has left.
    Drained,
}

/// A completion before the buffer is lent for it.
enum Ready {
    Connected(u32),
    Received { conn: u32, buffer: u16, byte_count: usize },
    ReceivedLast { conn: u32, byte_count: usize },
    Ended(u32),
    Drained(u32),
    Failed(u32, During, Errno),
    Woken,
}

impl UringDriver {
    /// A driver whose clock shows ns since `origin`, and the waker for it.
    ///
    /// # Errors
    /// When this machine refuses: the message says why, as [`probe`] does. The epoll driver works everywhere.
    pub fn new(origin: Instant) -> io::Result<(Self, EventWaker)> {
        let ring = Ring::open()?;
        let buffers = Buffers::register(&ring)?;
        let waker = EventWaker::new()?;
        let driver = Self {
            clock: Clock::new(origin),
            pacer: Pacer::new(),
            last_now_ns: 0,
            ring,
            waker: waker.clone(),
            is_waker_watched: false,
            connections: Vec::new(),
            pending: VecDeque::new(),
            outcomes: Outcomes::default(),
            shown: None,
            to_receive: Vec::new(),
            to_send: Vec::new(),
            to_cancel: Vec::new(),
            round: Vec::with_capacity(ROUND_BYTES),
            round_index: 1,
            orphans: HashMap::new(),
            retired: Vec::new(),
            fresh: Vec::new(),
            last_read: Vec::new(),
            buffers,
        };
        Ok((driver, waker))
    }

    /// The connection of a token or outcome, unless it was closed since.
    fn current(&mut self, conn: u32, generation: u32) -> Option<&mut Connection> {
        self.connections.get_mut(conn as usize).filter(|connection| connection.generation == generation)
    }

    /// Queues an outcome for the connection as it is now.
    fn push_outcome(&mut self, conn: u32, what: What) {
        if let Some(connection) = self.connections.get(conn as usize) {
            self.outcomes.push(Outcome { conn, generation: connection.generation, what });
        }
    }

    fn fail(&mut self, conn: u32, during: During, error: Errno) -> Ready {
        self.release(conn, Close::Graceful);
        Ready::Failed(conn, during, error)
    }

    /// A send failed: nothing is told before what the peer had sent is read.
    fn send_failed(&mut self, conn: u32, error: Errno) {
        let Some(connection) = self.connections.get_mut(conn as usize) else { return };
        connection.state = State::SendFailed(error);
        connection.rest.clear();
        connection.after_rest.clear();
        if connection.is_receiving {
            let generation = connection.generation;
            self.to_cancel.push(Token { operation: Operation::Receive, conn, generation });
        } else {
            self.push_outcome(conn, What::SendFailed(error));
        }
    }

    /// What the next completion that concerns an open connection has become.
    fn next_pending(&mut self) -> Option<Ready> {
        while let Some(entry) = self.pending.pop_front() {
            let Some(Token { operation, conn, generation }) = Token::decode(entry.user_data()) else {
                continue;
            };
            let (result, buffer) = (entry.result(), cqueue::buffer_select(entry.flags()));
            if operation == Operation::WatchWaker {
                self.is_waker_watched &= cqueue::more(entry.flags());
                if self.waker.take() {
                    return Some(Ready::Woken);
                }
                continue;
            }
            let Some(connection) = self.current(conn, generation) else {
                self.give_back(buffer);
                continue;
            };
            let ready = match (operation, connection.state) {
                (Operation::Connect, State::Connecting) => Some(self.finish_connect(conn, result)),
                (Operation::Receive, state) => self.received(conn, state, result, buffer),
                _ => None,
            };
            if ready.is_some() {
                return ready;
            }
        }
        None
    }

    fn finish_connect(&mut self, conn: u32, result: i32) -> Ready {
        if let Err(error) = outcome_of(result) {
            return self.fail(conn, During::Connect, error);
        }
        self.opened(conn);
        Ready::Connected(conn)
    }

    fn received(&mut self, conn: u32, state: State, result: i32, buffer: Option<u16>) -> Option<Ready> {
        match outcome_of(result) {
            Ok(byte_count) if byte_count > 0 => {
                let Some(buffer) = buffer else {
                    return Some(self.fail(conn, During::Receive, Errno::NOBUFS));
                };
                self.shown = Some(buffer);
                Some(Ready::Received { conn, buffer, byte_count })
            }
            outcome => {
                self.give_back(buffer);
                match (outcome, state) {
                    (Ok(_), State::Open) => {
                        if let Some(connection) = self.connections.get_mut(conn as usize) {
                            connection.state = State::Ended;
                        }
                        Some(Ready::Ended(conn))
                    }
                    (Err(error), State::Open) => Some(self.fail(conn, During::Receive, error)),
                    // A failed send is told by its outcome.
                    _ => None,
                }
            }
        }
    }

    /// What the next outcome that is due has become.
    fn next_outcome(&mut self) -> Option<Ready> {
        while let Some(Outcome { conn, generation, what }) = self.outcomes.pop_due() {
            if self.current(conn, generation).is_none() {
                continue;
            }
            return Some(match what {
                What::Drained => Ready::Drained(conn),
                What::Failed(during, error) => Ready::Failed(conn, during, error),
                What::SendFailed(error) => match self.read_last(conn) {
                    Ok(byte_count) if byte_count > 0 => {
                        self.push_outcome(conn, What::SendFailed(error));
                        Ready::ReceivedLast { conn, byte_count }
                    }
                    _ => self.fail(conn, During::Send, error),
                },
            });
        }
        None
    }

    /// Reads what is left of a connection whose send failed; zero bytes are the end of the stream.
    fn read_last(&mut self, conn: u32) -> Result<usize, Errno> {
        self.last_read.resize(LAST_READ_BYTES, 0);
        let fd = self.connections.get(conn as usize).and_then(|connection| connection.fd.as_ref());
        let fd = fd.ok_or(Errno::BADF)?;
        rustix::net::recv(fd, &mut *self.last_read, RecvFlags::DONTWAIT).map(|(byte_count, _)| byte_count)
    }

    fn give_back(&mut self, buffer: Option<u16>) {
        if let Some(buffer) = buffer {
            self.buffers.lend(buffer);
        }
    }
}

/// The result of an operation: a count, or the negated error number.
fn outcome_of(result: i32) -> Result<usize, Errno> {
    usize::try_from(result).map_err(|_| Errno::from_raw_os_error(result.saturating_neg()))
}

impl Driver for UringDriver {
    #[inline]
    fn sends(&self) -> Sends {
        Sends::Batched
    }

    #[inline]
    fn now_ns(&mut self) -> u64 {
        self.read_clock()
    }

    fn connect(&mut self, conn: u32, address: &Address) {
        assert!(conn < CONNECTION_COUNT_MAX, "connection number {conn} is not below {CONNECTION_COUNT_MAX}");
        let index = conn as usize;
        if self.connections.len() <= index {
            self.connections.resize_with(index + 1, Connection::default);
        }
        match socket::open(address, Blocking::Yes) {
            Ok((fd, system_address)) => self.begin_connect(conn, fd, system_address),
            Err(error) => {
                self.release(conn, Close::Graceful);
                self.push_outcome(conn, What::Failed(During::Connect, error));
            }
        }
    }

    #[inline]
    fn send(&mut self, conn: u32, bytes: &[u8]) {
        let Some(connection) = self.connections.get_mut(conn as usize) else { return };
        match connection.state {
            State::Open | State::Ended => {}
            State::Connecting => return connection.keep(bytes),
            State::SendFailed(_) | State::Closed => return,
        }
        let is_undecided = connection.tried.round == self.round_index;
        if connection.is_clear() && !is_undecided && self.round.len() + bytes.len() <= ROUND_BYTES {
            self.push_try(conn, bytes);
        } else {
            self.send_slowly(conn, bytes);
        }
    }

    fn close(&mut self, conn: u32, how: Close) {
        self.release(conn, how);
    }

    #[inline]
    fn submit(&mut self) {}

    fn wait(&mut self, deadline_ns: u64) -> u64 {
        let shown = self.shown.take();
        self.give_back(shown);
        self.rearm();
        if self.outcomes.release() || !self.pending.is_empty() || deadline_ns <= self.last_now_ns {
            self.look();
            return self.read_clock();
        }
        let woke_ns = wait_for_events(self, deadline_ns);
        self.outcomes.release();
        woke_ns
    }

    #[inline]
    fn next(&mut self) -> Option<Completion<'_>> {
        let shown = self.shown.take();
        self.give_back(shown);
        // Outcomes last: the bytes that came before a failed send are among the completions.
        let ready = match self.next_pending() {
            Some(ready) => ready,
            None => self.next_outcome()?,
        };
        Some(match ready {
            Ready::Received { conn, buffer, byte_count } => {
                Completion::Received { conn, bytes: self.buffers.bytes(buffer, byte_count) }
            }
            Ready::ReceivedLast { conn, byte_count } => {
                Completion::Received { conn, bytes: self.last_read.get(..byte_count).unwrap_or_default() }
            }
            Ready::Connected(conn) => Completion::Connected { conn },
            Ready::Ended(conn) => Completion::Ended { conn },
            Ready::Drained(conn) => Completion::Drained { conn },
            Ready::Failed(conn, during, error) => Completion::Failed { conn, during, error: error.into() },
            Ready::Woken => Completion::Woken,
        })
    }

    fn spin_ns(&self) -> u64 {
        self.pacer.spin_ns()
    }
}

impl Sleeper for UringDriver {
    fn pacer(&mut self) -> &mut Pacer {
        &mut self.pacer
    }

    #[inline]
    fn read_clock(&mut self) -> u64 {
        self.last_now_ns = self.clock.now_ns();
        self.last_now_ns
    }

    fn last_now_ns(&self) -> u64 {
        self.last_now_ns
    }

    fn has_events(&self) -> bool {
        !self.pending.is_empty() || !self.outcomes.is_empty()
    }

    /// Costs no system call when there is nothing to hand over and nothing came: the kernel says so in shared memory.
    #[inline]
    fn look(&mut self) {
        if self.has_to_do() || self.ring.is_worth_entering() {
            self.enter(None);
        } else {
            std::hint::spin_loop();
        }
    }

    fn sleep_coarsely(&mut self, sleep_ms: u32) {
        self.enter(Some(u64::from(sleep_ms) * 1_000_000));
    }

    fn sleep_finely(&mut self, sleep_ns: u64) {
        self.enter(Some(sleep_ns));
    }
}

impl Drop for UringDriver {
    fn drop(&mut self) {
        if self.ring.cancel_all().is_err() {
            // The kernel may still read or write what operations point at. Leaking it is the safe way out.
            std::mem::forget(std::mem::take(&mut self.orphans));
            std::mem::forget(std::mem::take(&mut self.connections));
            std::mem::forget(std::mem::take(&mut self.round));
            self.buffers.leak();
        }
    }
}
