//! The other side of simulated connections: what it is told, and how it answers.

use crate::{Address, Close};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::io;
use std::sync::Arc;

/// Most bytes of one arrival, as one read of the real drivers brings.
const ARRIVAL_BYTES_MAX: usize = 64 * 1024;

/// The other side of all connections of a [`super::SimDriver`]. Its clock is the driver's.
///
/// It acts only when told something, but may schedule answers at any time to come; a server that works on a request knows
/// then when it will be done. Answers scheduled for a connection that closes first come to nobody.
pub trait SimPeer: Send {
    /// A client begins to connect. Without an answer ([`Replies::accept`] or [`Replies::refuse`]) it waits for ever.
    fn connecting(
        &mut self,
        now_ns: u64,
        connection: PeerConnection,
        address: &Address,
        replies: &mut Replies,
    );

    /// Bytes of one send arrived.
    fn received(&mut self, now_ns: u64, connection: PeerConnection, bytes: &[u8], replies: &mut Replies);

    /// The client closed the connection.
    fn closed(&mut self, now_ns: u64, connection: PeerConnection, how: Close, replies: &mut Replies);
}

/// A connection as the peer knows it: never used again for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PeerConnection(u64);

/// Where a peer puts what is to reach the client, and when. Times in the past mean now. What concerns one connection arrives in
/// the order it was put here: a time before that of the entry put last means the same time.
#[derive(Debug, Default)]
pub struct Replies {
    now_ns: u64,
    events: BinaryHeap<Reverse<Event>>,
    event_count: u64,
    connection_count: u64,
    open: HashMap<PeerConnection, Line>,
}

/// The way to a client.
#[derive(Debug)]
struct Line {
    conn: u32,
    /// The time of the entry put last.
    last_ns: u64,
}

/// Something that reaches the client. Ordered by time, then by when it was scheduled.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) at_ns: u64,
    order: u64,
    pub(super) connection: PeerConnection,
    pub(super) conn: u32,
    pub(super) arrival: Arrival,
}

#[derive(Debug)]
pub(super) enum Arrival {
    Connected,
    Refused(io::ErrorKind),
    Bytes { bytes: Arc<[u8]>, start: usize, end: usize },
    Ended,
    Reset,
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.order == other.order
    }
}

impl Eq for Event {}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Event {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at_ns, self.order).cmp(&(other.at_ns, other.order))
    }
}

impl Replies {
    /// The connection stands at `at_ns`.
    pub fn accept(&mut self, connection: PeerConnection, at_ns: u64) {
        self.put(connection, at_ns, Arrival::Connected);
    }

    /// Connecting fails at `at_ns`, for instance with [`io::ErrorKind::ConnectionRefused`].
    pub fn refuse(&mut self, connection: PeerConnection, at_ns: u64, error: io::ErrorKind) {
        self.put(connection, at_ns, Arrival::Refused(error));
    }

    /// Bytes arrive at `at_ns`, all at once.
    pub fn bytes(&mut self, connection: PeerConnection, at_ns: u64, bytes: impl Into<Arc<[u8]>>) {
        self.bytes_in_pieces(connection, at_ns, bytes, ARRIVAL_BYTES_MAX, 0);
    }

    /// Bytes arrive in pieces of `piece_bytes` (at least 1), the first at `at_ns`, each `gap_ns` after the one before.
    pub fn bytes_in_pieces(
        &mut self,
        connection: PeerConnection,
        at_ns: u64,
        bytes: impl Into<Arc<[u8]>>,
        piece_bytes: usize,
        gap_ns: u64,
    ) {
        let bytes: Arc<[u8]> = bytes.into();
        let piece_bytes = piece_bytes.clamp(1, ARRIVAL_BYTES_MAX);
        let mut piece_ns = at_ns;
        for start in (0..bytes.len()).step_by(piece_bytes) {
            let end = bytes.len().min(start + piece_bytes);
            self.put(connection, piece_ns, Arrival::Bytes { bytes: Arc::clone(&bytes), start, end });
            piece_ns = piece_ns.saturating_add(gap_ns);
        }
    }

    /// The peer ends its side at `at_ns` (FIN).
    pub fn end(&mut self, connection: PeerConnection, at_ns: u64) {
        self.put(connection, at_ns, Arrival::Ended);
    }

    /// The peer resets the connection at `at_ns` (RST).
    pub fn reset(&mut self, connection: PeerConnection, at_ns: u64) {
        self.put(connection, at_ns, Arrival::Reset);
    }

    fn put(&mut self, connection: PeerConnection, at_ns: u64, arrival: Arrival) {
        let Some(line) = self.open.get_mut(&connection) else { return };
        line.last_ns = line.last_ns.max(at_ns).max(self.now_ns);
        let (conn, at_ns, order) = (line.conn, line.last_ns, self.event_count);
        self.event_count += 1;
        self.events.push(Reverse(Event { at_ns, order, connection, conn, arrival }));
    }

    pub(super) fn set_now(&mut self, now_ns: u64) {
        self.now_ns = now_ns;
    }

    pub(super) fn open(&mut self, conn: u32) -> PeerConnection {
        let connection = PeerConnection(self.connection_count);
        self.connection_count += 1;
        self.open.insert(connection, Line { conn, last_ns: 0 });
        connection
    }

    pub(super) fn forget(&mut self, connection: PeerConnection) {
        self.open.remove(&connection);
    }

    pub(super) fn peek(&self) -> Option<&Event> {
        self.events.peek().map(|Reverse(event)| event)
    }

    pub(super) fn pop(&mut self) -> Option<Event> {
        self.events.pop().map(|Reverse(event)| event)
    }
}
