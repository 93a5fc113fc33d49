//! A server with known delays: k servers of equal speed behind one queue (first come, first served), each request a fixed
//! time of work, and the whole standing still for a part of each period if so wished. All it does follows from arithmetic.

use super::{PeerConnection, Replies, SimPeer};
use crate::{Address, Close};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use units::Random;

/// Longest request head; a longer one has the connection reset.
const HEAD_BYTES_MAX: usize = 64 * 1024;

/// What a [`FixedServer`] has seen, readable while a driver owns it.
#[derive(Debug, Default)]
pub struct ServerCounts {
    connects: AtomicU64,
    closes: AtomicU64,
    requests: AtomicU64,
    bytes: AtomicU64,
    arrivals_ns: Mutex<Vec<u64>>,
}

impl ServerCounts {
    /// Connections accepted.
    pub fn connects(&self) -> u64 {
        self.connects.load(Ordering::Relaxed)
    }

    /// Connections that the client closed, in either way.
    pub fn closes(&self) -> u64 {
        self.closes.load(Ordering::Relaxed)
    }

    /// Whole requests received.
    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Bytes received.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// When each request was there whole, in order; empty unless [`FixedServer::recording_arrivals`].
    pub fn arrivals_ns(&self) -> Vec<u64> {
        self.arrivals_ns.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The server. A request ends with the empty line after its head, or with its body where the head has a Content-Length;
/// chunked requests are not understood.
#[derive(Debug)]
pub struct FixedServer {
    service_ns: u64,
    reply: Arc<[u8]>,
    /// When each of the k servers is free.
    free_ns: Vec<u64>,
    connect_ns: u64,
    stalls: Option<Stalls>,
    jitter: Option<Jitter>,
    piece_bytes: usize,
    piece_gap_ns: u64,
    is_recording_arrivals: bool,
    requests: HashMap<PeerConnection, Request>,
    counts: Arc<ServerCounts>,
}

/// The last `stall_ns` of each period nothing moves.
#[derive(Debug, Clone, Copy)]
struct Stalls {
    period_ns: u64,
    stall_ns: u64,
}

#[derive(Debug)]
struct Jitter {
    random: Random,
    ns_max: u64,
}

impl FixedServer {
    /// `concurrency` servers (at least one) that work `service_ns` on each request and then answer `reply`, at once.
    pub fn new(service_ns: u64, concurrency: usize, reply: impl Into<Arc<[u8]>>) -> Self {
        Self {
            service_ns,
            reply: reply.into(),
            free_ns: vec![0; concurrency.max(1)],
            connect_ns: 0,
            stalls: None,
            jitter: None,
            piece_bytes: usize::MAX,
            piece_gap_ns: 0,
            is_recording_arrivals: false,
            requests: HashMap::new(),
            counts: Arc::default(),
        }
    }

    /// Stands still for the last `stall_ns` of every `period_ns`, counted from time zero: requests arrive and wait, work under
    /// way is suspended. For requests that come at random, of little work, P(response > t) = (stall − t) / period.
    ///
    /// # Panics
    /// Unless the stall is shorter than the period.
    #[must_use]
    pub fn stalling(mut self, period_ns: u64, stall_ns: u64) -> Self {
        assert!(
            stall_ns < period_ns,
            "a stall of {stall_ns} ns is not shorter than its period of {period_ns} ns"
        );
        self.stalls = Some(Stalls { period_ns, stall_ns });
        self
    }

    /// Adds a uniform random time in 0..=`ns_max` to the work on each request.
    #[must_use]
    pub fn jittering(mut self, seed: u64, ns_max: u64) -> Self {
        self.jitter = Some(Jitter { random: Random::new(seed), ns_max });
        self
    }

    /// Makes connecting take `connect_ns`; a server that stands still accepts all the same, as a kernel does.
    #[must_use]
    pub fn connecting_in(mut self, connect_ns: u64) -> Self {
        self.connect_ns = connect_ns;
        self
    }

    /// Sends replies in pieces of `piece_bytes`, `gap_ns` apart.
    #[must_use]
    pub fn in_pieces(mut self, piece_bytes: usize, gap_ns: u64) -> Self {
        self.piece_bytes = piece_bytes;
        self.piece_gap_ns = gap_ns;
        self
    }

    /// Records when each request arrived: 8 bytes of memory each.
    #[must_use]
    pub fn recording_arrivals(mut self) -> Self {
        self.is_recording_arrivals = true;
        self
    }

    /// What the server has seen, to be kept when a driver takes the server.
    pub fn counts(&self) -> Arc<ServerCounts> {
        Arc::clone(&self.counts)
    }

    /// When the answer to a request that is there now will be ready.
    fn serve(&mut self, now_ns: u64) -> u64 {
        let extra_ns =
            self.jitter.as_mut().map_or(0, |jitter| jitter.random.below(jitter.ns_max.saturating_add(1)));
        let work_ns = self.service_ns.saturating_add(extra_ns);
        let stalls = self.stalls;
        let Some(free_ns) = self.free_ns.iter_mut().min() else { return now_ns };
        *free_ns = after_work(stalls, now_ns.max(*free_ns), work_ns);
        *free_ns
    }
}

/// The time at which `work_ns` of work that begins at `begin_ns` is done.
fn after_work(stalls: Option<Stalls>, begin_ns: u64, work_ns: u64) -> u64 {
    let Some(Stalls { period_ns, stall_ns }) = stalls else { return begin_ns.saturating_add(work_ns) };
    let moving_ns = period_ns - stall_ns;
    // Work is counted in periods of moving time alone, and put back between the stalls.
    let moved_ns = begin_ns / period_ns * moving_ns + (begin_ns % period_ns).min(moving_ns);
    let done_ns = moved_ns.saturating_add(work_ns);
    let (periods, rest_ns) = match (done_ns / moving_ns, done_ns % moving_ns) {
        // Work that ends with the moving part is done before the stall, unless it began in the stall.
        (periods @ 1.., 0) if work_ns > 0 => (periods - 1, moving_ns),
        whole => whole,
    };
    periods.saturating_mul(period_ns).saturating_add(rest_ns)
}

impl SimPeer for FixedServer {
    fn connecting(&mut self, now_ns: u64, connection: PeerConnection, _: &Address, replies: &mut Replies) {
        self.counts.connects.fetch_add(1, Ordering::Relaxed);
        self.requests.insert(connection, Request::default());
        replies.accept(connection, now_ns.saturating_add(self.connect_ns));
    }

    fn received(&mut self, now_ns: u64, connection: PeerConnection, bytes: &[u8], replies: &mut Replies) {
        self.counts.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        let Some(request) = self.requests.get_mut(&connection) else { return };
        let Ok(whole_count) = request.take(bytes) else {
            self.requests.remove(&connection);
            return replies.reset(connection, now_ns);
        };
        self.counts.requests.fetch_add(whole_count, Ordering::Relaxed);
        for _ in 0..whole_count {
            if self.is_recording_arrivals {
                let mut arrivals_ns = self.counts.arrivals_ns.lock().unwrap_or_else(PoisonError::into_inner);
                arrivals_ns.push(now_ns);
            }
            let ready_ns = self.serve(now_ns);
            let reply = Arc::clone(&self.reply);
            replies.bytes_in_pieces(connection, ready_ns, reply, self.piece_bytes, self.piece_gap_ns);
        }
    }

    fn closed(&mut self, _: u64, connection: PeerConnection, _: Close, _: &mut Replies) {
        self.counts.closes.fetch_add(1, Ordering::Relaxed);
        self.requests.remove(&connection);
    }
}

/// How far a connection's current request has come.
#[derive(Debug, Default)]
struct Request {
    head: Vec<u8>,
    body_left_bytes: u64,
}

/// A head that grows past all bounds.
#[derive(Debug)]
struct HeadTooLong;

impl Request {
    /// Takes bytes and says how many requests they made whole.
    fn take(&mut self, bytes: &[u8]) -> Result<u64, HeadTooLong> {
        let mut whole_count = 0;
        let mut left = bytes;
        while !left.is_empty() {
            if self.body_left_bytes > 0 {
                let body = left.len().min(usize::try_from(self.body_left_bytes).unwrap_or(usize::MAX));
                left = left.get(body..).unwrap_or_default();
                self.body_left_bytes -= body as u64;
                whole_count += u64::from(self.body_left_bytes == 0);
                continue;
            }
            // The empty line may have begun in an earlier piece.
            let searched = self.head.len().saturating_sub(3);
            let had = self.head.len();
            self.head.extend_from_slice(left);
            let end = self.head.windows(4).skip(searched).position(|window| window == b"\r\n\r\n");
            let Some(end) = end.map(|position| searched + position + 4) else {
                return if self.head.len() > HEAD_BYTES_MAX { Err(HeadTooLong) } else { Ok(whole_count) };
            };
            left = left.get(end - had..).unwrap_or_default();
            self.head.truncate(end);
            self.body_left_bytes = content_length(&self.head);
            whole_count += u64::from(self.body_left_bytes == 0);
            self.head.clear();
        }
        Ok(whole_count)
    }
}

/// The Content-Length of a head, 0 without one.
fn content_length(head: &[u8]) -> u64 {
    let head = String::from_utf8_lossy(head);
    let mut fields = head.lines().filter_map(|line| line.split_once(':'));
    let length = fields.find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    length.and_then(|(_, value)| value.trim().parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_stops_during_stalls() {
        let stalls = Some(Stalls { period_ns: 1000, stall_ns: 200 });
        let check = |begin_ns, work_ns, done_ns| assert_eq!(after_work(stalls, begin_ns, work_ns), done_ns);
        check(0, 10, 10);
        // Up to the stall, into it, from within it, from its end.
        check(790, 10, 800);
        check(790, 11, 1001);
        check(800, 10, 1010);
        check(900, 10, 1010);
        check(999, 1, 1001);
        check(1000, 10, 1010);
        // Over several periods of 800 moving ns each.
        check(0, 800, 800);
        check(0, 801, 1001);
        check(500, 2000, 3100);
        check(900, 800, 1800);
        // No work is done when it can first begin.
        check(500, 0, 500);
        check(900, 0, 1000);
        assert_eq!(after_work(None, 900, 50), 950);
    }

    #[test]
    fn requests_are_counted_at_any_split() {
        let stream = b"GET / HTTP/1.1\r\nHost: a\r\n\r\nPOST /x HTTP/1.1\r\ncontent-LENGTH: 5\r\n\r\n\r\n\r\n!GET /y HTTP/1.1\r\n\r\n";
        for first in 0..=stream.len() {
            for second in first..=stream.len() {
                let mut request = Request::default();
                let pieces = [&stream[..first], &stream[first..second], &stream[second..]];
                let count: u64 = pieces.iter().map(|piece| request.take(piece).unwrap()).sum();
                assert_eq!(count, 3, "split at {first} and {second}");
                assert!(request.head.is_empty() && request.body_left_bytes == 0);
            }
        }
    }

    #[test]
    fn a_head_without_end_is_refused() {
        let mut request = Request::default();
        assert!(request.take(&[b'x'; HEAD_BYTES_MAX]).is_ok());
        assert!(request.take(b"x").is_err());
    }
}
