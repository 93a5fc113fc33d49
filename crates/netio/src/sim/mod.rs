//! The driver over simulated time: the same calls give the same completions at the same times, every time.
//!
//! Nothing takes time but waiting: [`Driver::wait`] jumps to the next event or the deadline, whichever comes first. The other
//! side is a [`SimPeer`], told of everything that reaches it and asked, there and then, what it will answer and when.

mod fixed_server;
mod peer;

use crate::{Address, Close, Completion, Driver, During, Sends, Waker};
pub use fixed_server::{FixedServer, ServerCounts};
use peer::{Arrival, Event};
pub use peer::{PeerConnection, Replies, SimPeer};
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What the client's own steps cost in simulated time. Zero each, unless set: a client that is infinitely fast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Costs {
    /// Time that passes with each send, after it reached the peer.
    pub send_ns: u64,
    /// By how much a wait overshoots a deadline that it slept to.
    pub oversleep_ns: u64,
}

/// Drives simulated connections to one peer.
pub struct SimDriver {
    now_ns: u64,
    peer: Box<dyn SimPeer>,
    replies: Replies,
    sends: Sends,
    costs: Costs,
    /// By the caller's number; none where it is closed.
    connections: Vec<Option<PeerConnection>>,
    /// Events of the last wait that `next` has not come to.
    ready: VecDeque<Event>,
    /// The event whose bytes the caller was shown last.
    shown: Option<Event>,
    /// Sends that leave with the next submit.
    held: Vec<(PeerConnection, u32, Vec<u8>)>,
    waker: SimWaker,
}

/// Wakes a [`SimDriver`].
#[derive(Debug, Clone, Default)]
pub struct SimWaker {
    is_woken: Arc<AtomicBool>,
}

impl Waker for SimWaker {
    fn wake(&self) {
        self.is_woken.store(true, Ordering::Release);
    }
}

impl SimDriver {
    /// A driver at time zero whose connections all lead to `peer`.
    pub fn new(peer: Box<dyn SimPeer>) -> Self {
        Self {
            now_ns: 0,
            peer,
            replies: Replies::default(),
            sends: Sends::Separate,
            costs: Costs::default(),
            connections: Vec::new(),
            ready: VecDeque::new(),
            shown: None,
            held: Vec::new(),
            waker: SimWaker::default(),
        }
    }

    /// The same driver with sends as given: separate (as over epoll, and by default) or batched (as over io_uring).
    #[must_use]
    pub fn with_sends(mut self, sends: Sends) -> Self {
        self.sends = sends;
        self
    }

    /// The same driver, of a client that takes time.
    #[must_use]
    pub fn with_costs(mut self, costs: Costs) -> Self {
        self.costs = costs;
        self
    }

    /// A waker for this driver.
    pub fn waker(&self) -> SimWaker {
        self.waker.clone()
    }

    fn current(&self, conn: u32) -> Option<PeerConnection> {
        self.connections.get(conn as usize).copied().flatten()
    }

    fn deliver(&mut self, connection: PeerConnection, conn: u32, bytes: &[u8]) {
        if self.current(conn) == Some(connection) {
            self.peer.received(self.now_ns, connection, bytes, &mut self.replies);
            self.now_ns += self.costs.send_ns;
            self.replies.set_now(self.now_ns);
        }
    }

    fn deliver_held(&mut self) {
        let mut held = std::mem::take(&mut self.held);
        for (connection, conn, bytes) in held.drain(..) {
            self.deliver(connection, conn, &bytes);
        }
        self.held = held;
    }

    /// The time of the next event that concerns an open connection.
    fn next_event_ns(&mut self) -> Option<u64> {
        loop {
            let event = self.replies.peek()?;
            let (conn, connection, at_ns) = (event.conn, event.connection, event.at_ns);
            if self.current(conn) == Some(connection) {
                return Some(at_ns);
            }
            self.replies.pop();
        }
    }

    fn jump_to(&mut self, at_ns: u64) {
        self.now_ns = self.now_ns.max(at_ns);
        self.replies.set_now(self.now_ns);
    }

    fn forget(&mut self, conn: u32) -> Option<PeerConnection> {
        let connection = self.connections.get_mut(conn as usize)?.take()?;
        self.replies.forget(connection);
        Some(connection)
    }
}

impl Driver for SimDriver {
    fn sends(&self) -> Sends {
        self.sends
    }

    fn now_ns(&mut self) -> u64 {
        self.now_ns
    }

    fn connect(&mut self, conn: u32, address: &Address) {
        assert!(self.current(conn).is_none(), "connection {conn} is not closed");
        let index = conn as usize;
        if self.connections.len() <= index {
            self.connections.resize(index + 1, None);
        }
        let connection = self.replies.open(conn);
        if let Some(place) = self.connections.get_mut(index) {
            *place = Some(connection);
        }
        self.peer.connecting(self.now_ns, connection, address, &mut self.replies);
    }

    fn send(&mut self, conn: u32, bytes: &[u8]) {
        let Some(connection) = self.current(conn) else { return };
        match self.sends {
            Sends::Separate => self.deliver(connection, conn, bytes),
            Sends::Batched => self.held.push((connection, conn, bytes.to_vec())),
        }
    }

    fn close(&mut self, conn: u32, how: Close) {
        if how == Close::Graceful && !self.held.is_empty() {
            self.deliver_held();
        }
        if let Some(connection) = self.forget(conn) {
            self.peer.closed(self.now_ns, connection, how, &mut self.replies);
        }
    }

    fn submit(&mut self) {
        self.deliver_held();
    }

    /// Jumps to the next event or the deadline.
    ///
    /// # Panics
    /// When there is neither an event to come nor a deadline: the simulation would stand still for good.
    fn wait(&mut self, deadline_ns: u64) -> u64 {
        self.deliver_held();
        let has_something = !self.ready.is_empty() || self.waker.is_woken.load(Ordering::Acquire);
        if !has_something && deadline_ns > self.now_ns {
            match self.next_event_ns() {
                Some(event_ns) if event_ns <= deadline_ns => self.jump_to(event_ns),
                None if deadline_ns == u64::MAX => {
                    panic!(
                        "the simulation stands still at {} ns: nothing is to come and no deadline is set",
                        self.now_ns
                    )
                }
                _ => self.jump_to(deadline_ns.saturating_add(self.costs.oversleep_ns)),
            }
        }
        while self.replies.peek().is_some_and(|event| event.at_ns <= self.now_ns) {
            self.ready.extend(self.replies.pop());
        }
        self.now_ns
    }

    fn next(&mut self) -> Option<Completion<'_>> {
        if self.waker.is_woken.swap(false, Ordering::AcqRel) {
            return Some(Completion::Woken);
        }
        let event = loop {
            let event = self.ready.pop_front()?;
            if self.current(event.conn) == Some(event.connection) {
                break event;
            }
        };
        let conn = event.conn;
        let during = if let Arrival::Refused(_) = event.arrival { During::Connect } else { During::Receive };
        if let Arrival::Refused(_) | Arrival::Reset = event.arrival {
            self.forget(conn);
        }
        let event = self.shown.insert(event);
        Some(match &event.arrival {
            Arrival::Connected => Completion::Connected { conn },
            Arrival::Bytes { bytes, start, end } => {
                Completion::Received { conn, bytes: bytes.get(*start..*end).unwrap_or_default() }
            }
            Arrival::Ended => Completion::Ended { conn },
            Arrival::Refused(kind) => Completion::Failed { conn, during, error: io::Error::from(*kind) },
            Arrival::Reset => {
                Completion::Failed { conn, during, error: io::ErrorKind::ConnectionReset.into() }
            }
        })
    }

    /// Always 0: simulated time costs no CPU time.
    fn spin_ns(&self) -> u64 {
        0
    }
}

#[cfg(test)]
mod tests;
