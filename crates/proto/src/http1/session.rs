//! One connection's reading side: which answer is due, where it ends, and what of it is kept.
//!
//! The usual answer is small and comes whole in one slice, with a head equal to the connection's last one: that case is one comparison
//! (see `remembered`). Every other case is a head, then a body, each going on where the last slice ended.

use std::collections::VecDeque;

use super::chunked::Chunked;
use super::framing::{Framing, Head, RequestKind};
use super::head::{self, PartialHead};
use super::remembered::{ROOM_KEPT_BYTES, RememberedHead};
use super::response::{Body, Headers, Response};
use super::{BODY_KEPT_BYTES_MAX, HEAD_BYTES_MAX, INFORMATIONAL_COUNT_MAX, ProtocolError};

/// Room for a wanted body that a session keeps for the next one; more is given back when the next answer begins.
const BODY_ROOM_KEPT_BYTES: usize = 256 * 1024;

/// Bounds on what one session keeps in memory. Bodies that are not wanted take none, however long they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Longest head accepted, in bytes; beyond it [`ProtocolError::HeadTooLarge`].
    pub head_bytes_max: usize,
    /// Bytes kept of a wanted body; beyond it [`Body::Truncated`].
    pub body_kept_bytes_max: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { head_bytes_max: HEAD_BYTES_MAX, body_kept_bytes_max: BODY_KEPT_BYTES_MAX }
    }
}

/// What the caller will look at once the answer is complete. The rest is checked, counted and dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Want {
    /// Keep the header lines.
    pub headers: bool,
    /// Keep the body.
    pub body: bool,
}

impl Want {
    /// Only status and sizes: the fastest, and enough for load without checks.
    pub const NOTHING: Want = Want { headers: false, body: false };
    /// Headers and body.
    pub const ALL: Want = Want { headers: true, body: true };
}

/// What the bytes so far amount to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// An interim answer came (RFC 9110 §15.2); the final one is still due. 100: the server waits for the request's body.
    Informational {
        /// In [100, 199] without 101.
        status: u16,
    },
    /// The answer to the oldest open request is complete.
    Complete(Complete),
}

/// A complete answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Complete {
    /// In [101, 999] without the interim 1xx. A final status while a request's body still waits for 100 means that the body
    /// is not to be sent (RFC 9110 §10.1.1).
    pub status: u16,
    /// Whether this connection may carry further requests. False after an answered CONNECT or Upgrade too: it is a tunnel then.
    pub keep_alive: bool,
    /// Length of the final answer's head, from status line to empty line.
    pub head_bytes: u32,
    /// Length of the body without transfer coding. What came over the wire is the sum of the bytes consumed.
    pub body_bytes: u64,
}

/// What the peer's ending of its side means for the open requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It was the end of a body that had no other (RFC 9112 §6.3 rule 8). Over TLS that is only so after close_notify.
    Complete(Complete),
    /// Nothing was due: an idle connection was closed, and no request failed.
    Idle,
    /// An answer was due and did not come whole.
    Early {
        /// Whether any of its bytes had come. If not, a kept-alive connection was likely closed as the request was on its way
        /// (RFC 9112 §9.3.1), and an idempotent request may be sent again.
        received_any: bool,
    },
}

/// What the next byte belongs to.
#[derive(Debug, Clone, Copy)]
enum State {
    /// A head, or nothing yet.
    Head,
    /// A body with this many bytes to come (at least 1).
    Length { left_bytes: u64 },
    /// A chunked body.
    Chunked(Chunked),
    /// A body that the connection's end will end.
    UntilEnd,
    /// Nothing: the last answer ended the connection, or the peer did.
    Closed,
    /// Nothing: the peer broke the protocol.
    Failed(ProtocolError),
}

/// A request whose answer is due.
#[derive(Debug, Clone, Copy)]
struct Expected {
    kind: RequestKind,
    want: Want,
}

/// One connection's reading side of HTTP/1.1. Bytes in, events out; no I/O.
///
/// Contract: [`Session::expect`] once for each request sent, in order; [`Session::handle`] with all bytes received, in order;
/// [`Session::end`] when the peer ended its side; [`Session::reset`] for a new connection. Memory: twice a head's length at most, and
/// what is wanted of bodies within [`Limits`]; nothing is allocated once answers of the usual size have been seen.
#[derive(Debug)]
pub struct Session {
    state: State,
    /// The oldest open request, and those behind it (empty unless requests are pipelined).
    due: Option<Expected>,
    due_later: VecDeque<Expected>,
    /// The answer being read, then the last one.
    answer: Complete,
    minor_version: u8,
    want: Want,
    /// Whether `answer` is complete, for [`Session::response`].
    is_answered: bool,
    informational_count: u8,
    remembered: RememberedHead,
    /// A head that came in several slices, until it is whole.
    partial_head: PartialHead,
    body: Vec<u8>,
    limits: Limits,
}

impl Session {
    /// A session for a new connection. Allocates nothing yet.
    pub fn new(limits: Limits) -> Session {
        Session {
            state: State::Head,
            due: None,
            due_later: VecDeque::new(),
            answer: Complete { status: 0, keep_alive: false, head_bytes: 0, body_bytes: 0 },
            minor_version: 1,
            want: Want::NOTHING,
            is_answered: false,
            informational_count: 0,
            remembered: RememberedHead::default(),
            partial_head: PartialHead::default(),
            body: Vec::new(),
            limits,
        }
    }

    /// Announces a request, before its first byte is sent. Answers are matched in order, so several may be open (pipelining).
    #[inline]
    pub fn expect(&mut self, kind: RequestKind, want: Want) {
        let expected = Expected { kind, want };
        match self.due {
            None => self.due = Some(expected),
            Some(_) => self.due_later.push_back(expected),
        }
    }

    /// Requests that are not answered yet.
    #[inline]
    pub fn due_count(&self) -> usize {
        usize::from(self.due.is_some()) + self.due_later.len()
    }

    /// Whether part of an answer has come and the rest is due. False before an answer's first byte: then is the time to stamp it.
    #[inline]
    pub fn is_within_answer(&self) -> bool {
        match self.state {
            State::Head => !self.partial_head.is_empty(),
            State::Length { .. } | State::Chunked(_) | State::UntilEnd => true,
            State::Closed | State::Failed(_) => false,
        }
    }

    /// Takes received bytes, up to and including the end of at most one answer (interim ones too): how many were consumed, and
    /// what they completed. Without an event all were consumed, and more are needed.
    ///
    /// Errors: the peer broke the protocol. Every further call gives the same error until [`Session::reset`]; close the connection.
    #[inline]
    pub fn handle(&mut self, bytes: &[u8]) -> Result<(usize, Option<Event>), ProtocolError> {
        if bytes.is_empty() {
            return Ok((0, None));
        }
        if let Some(done) = self.handle_repeat(bytes) {
            return Ok(done);
        }
        self.is_answered = false;
        let outcome = match self.state {
            State::Head => self.handle_head(bytes),
            _ => self.handle_body(bytes),
        };
        if let Err(error) = outcome {
            self.state = State::Failed(error);
        }
        outcome
    }

    /// The usual case: a whole answer of known length with the same head as the last one.
    #[inline]
    fn handle_repeat(&mut self, bytes: &[u8]) -> Option<(usize, Option<Event>)> {
        let expected = self.due?;
        if !matches!(self.state, State::Head)
            || expected.kind != RequestKind::Other
            || !self.partial_head.is_empty()
        {
            return None;
        }
        let repeat = self.remembered.repeat(bytes)?;
        self.begin(self.remembered.minor_version(), expected.want);
        if expected.want.body {
            let body_index = repeat.complete.head_bytes as usize;
            self.keep_body(bytes.get(body_index..repeat.total_bytes)?);
        }
        self.answer = repeat.complete;
        Some((repeat.total_bytes, Some(self.complete())))
    }

    /// Begins an answer whose head is known.
    #[inline]
    fn begin(&mut self, minor_version: u8, want: Want) {
        self.minor_version = minor_version;
        self.want = want;
        if want.body {
            self.body.clear();
            self.body.shrink_to(BODY_ROOM_KEPT_BYTES);
        }
    }

    fn handle_head(&mut self, bytes: &[u8]) -> Result<(usize, Option<Event>), ProtocolError> {
        let Some(expected) = self.due else { return Err(ProtocolError::Unsolicited) };
        let Some((head, head_bytes, consumed)) = self.read_head(bytes, expected.want)? else {
            return Ok((bytes.len(), None));
        };
        if head.status < 200 && (head.status != 101 || expected.kind != RequestKind::Upgrade) {
            return self.interim(head.status).map(|event| (consumed, Some(event)));
        }
        let framing = head.framing(expected.kind)?;
        let keep_alive = head.persists(expected.kind, framing);
        if expected.want.body && head.is_unreadable(framing) {
            return Err(ProtocolError::UnreadableCoding);
        }
        let head_bytes = u32::try_from(head_bytes).unwrap_or(u32::MAX);
        self.answer = Complete { status: head.status, keep_alive, head_bytes, body_bytes: 0 };
        self.begin(head.minor_version, expected.want);
        self.state = match framing {
            Framing::Empty => return Ok((consumed, Some(self.complete()))),
            Framing::Length(left_bytes) => State::Length { left_bytes },
            Framing::Chunked => State::Chunked(Chunked::new()),
            Framing::UntilEnd => State::UntilEnd,
        };
        let (body_consumed, event) = self.handle_body(bytes.get(consumed..).unwrap_or_default())?;
        Ok((consumed + body_consumed, event))
    }

    /// The head at the front of `bytes` or ending there: its facts, its length, and the bytes consumed. None when it is not whole yet.
    #[inline]
    fn read_head(&mut self, bytes: &[u8], want: Want) -> Result<Option<(Head, usize, usize)>, ProtocolError> {
        let bytes_max = self.limits.head_bytes_max;
        if self.partial_head.is_empty() {
            // An error or a missing end is judged below, by rules that a split cannot change.
            if let Some((head, head_bytes)) = self.remembered.recognise(bytes, bytes_max, want.headers) {
                return Ok(Some((head, head_bytes, head_bytes)));
            }
            if let Ok(Some((head, head_bytes))) = head::parse(bytes)
                && head_bytes <= bytes_max
            {
                self.remember(head, bytes.get(..head_bytes).unwrap_or_default(), want);
                return Ok(Some((head, head_bytes, head_bytes)));
            }
        }
        self.gather_head(bytes, want)
    }

    #[cold]
    fn gather_head(
        &mut self,
        bytes: &[u8],
        want: Want,
    ) -> Result<Option<(Head, usize, usize)>, ProtocolError> {
        let (consumed, is_whole) = self.partial_head.gather(bytes, self.limits.head_bytes_max)?;
        if !is_whole {
            return Ok(None);
        }
        let mut partial_head = std::mem::take(&mut self.partial_head);
        let bytes = partial_head.bytes();
        let found = match self.remembered.recognise(bytes, bytes.len(), want.headers) {
            Some(found) => found,
            None => {
                // An end was found, so a parser that wants more has met a line end that it does not take for one.
                let found = head::parse(bytes)?.ok_or(ProtocolError::BadHeader)?;
                self.remember(found.0, bytes, want);
                found
            }
        };
        let (head, head_bytes) = found;
        partial_head.clear(ROOM_KEPT_BYTES);
        self.partial_head = partial_head;
        Ok(Some((head, head_bytes, consumed)))
    }

    /// Keeps a final head: to hold the next against, and for [`Session::response`].
    fn remember(&mut self, facts: Head, head: &[u8], want: Want) {
        if facts.status >= 200 || facts.status == 101 {
            self.remembered.replace(facts, head, want.headers);
        }
    }

    #[cold]
    fn interim(&mut self, status: u16) -> Result<Event, ProtocolError> {
        if status == 101 {
            return Err(ProtocolError::UnaskedUpgrade);
        }
        if self.informational_count >= INFORMATIONAL_COUNT_MAX {
            return Err(ProtocolError::TooManyInformational);
        }
        self.informational_count += 1;
        Ok(Event::Informational { status })
    }

    fn handle_body(&mut self, bytes: &[u8]) -> Result<(usize, Option<Event>), ProtocolError> {
        match self.state {
            State::Length { left_bytes } => {
                let available = usize::try_from(left_bytes).unwrap_or(usize::MAX).min(bytes.len());
                self.keep_body(bytes.get(..available).unwrap_or_default());
                let left_bytes = left_bytes - available as u64;
                if left_bytes == 0 {
                    return Ok((available, Some(self.complete())));
                }
                self.state = State::Length { left_bytes };
                Ok((available, None))
            }
            State::Chunked(mut chunked) => {
                let (consumed, is_done) = chunked.handle(bytes, |content| self.keep_body(content))?;
                if is_done {
                    return Ok((consumed, Some(self.complete())));
                }
                self.state = State::Chunked(chunked);
                Ok((consumed, None))
            }
            State::UntilEnd => {
                self.keep_body(bytes);
                Ok((bytes.len(), None))
            }
            State::Head | State::Closed => Err(ProtocolError::Unsolicited),
            State::Failed(error) => Err(error),
        }
    }

    #[inline]
    fn keep_body(&mut self, content: &[u8]) {
        self.answer.body_bytes += content.len() as u64;
        if self.want.body {
            let room = self.limits.body_kept_bytes_max.saturating_sub(self.body.len());
            self.body.extend_from_slice(content.get(..room).unwrap_or(content));
        }
    }

    #[inline]
    fn complete(&mut self) -> Event {
        self.state = if self.answer.keep_alive { State::Head } else { State::Closed };
        self.due = self.due_later.pop_front();
        self.informational_count = 0;
        self.is_answered = true;
        Event::Complete(self.answer)
    }

    /// The peer ended its side. Afterwards the session takes no more bytes until it is reset.
    pub fn end(&mut self) -> Ended {
        let state = std::mem::replace(&mut self.state, State::Closed);
        if self.due.is_none() {
            return Ended::Idle;
        }
        if let State::UntilEnd = state {
            self.complete();
            return Ended::Complete(self.answer);
        }
        self.is_answered = false;
        let received_any = match state {
            State::Head => !self.partial_head.is_empty() || self.informational_count > 0,
            State::Closed => false,
            _ => true,
        };
        Ended::Early { received_any }
    }

    /// The last complete response, from its [`Event::Complete`] until the next bytes are handled; else none.
    pub fn response(&self) -> Option<Response<'_>> {
        let body = match self.want.body {
            false => Body::Dropped,
            true if self.body.len() as u64 == self.answer.body_bytes => Body::Whole(&self.body),
            true => Body::Truncated(&self.body),
        };
        self.is_answered.then(|| Response {
            status: self.answer.status,
            minor_version: self.minor_version,
            headers: self.want.headers.then(|| Headers::of_head(self.remembered.bytes())),
            body,
        })
    }

    /// Makes ready for a new connection: forgets open requests and what was received, keeps buffers and the remembered head.
    pub fn reset(&mut self) {
        self.state = State::Head;
        self.due = None;
        self.due_later.clear();
        self.is_answered = false;
        self.informational_count = 0;
        self.partial_head.clear(ROOM_KEPT_BYTES);
    }

    /// Bytes of memory that the session's buffers hold.
    pub fn buffered_bytes(&self) -> usize {
        let due_bytes = self.due_later.capacity() * size_of::<Expected>();
        self.remembered.capacity() + self.partial_head.capacity() + self.body.capacity() + due_bytes
    }
}
