//! One connection's HTTP/1.1 as a machine without sockets: bytes in, bytes out, and what to wait for.
//!
//! The caller gives `poll` what arrived, sends what it finds in `Turn::out`, and does what the `Progress` says. Requests are answered in
//! order; while one is being answered the bytes of the next wait. A request that is whole in one read is never copied:
//! it is parsed and answered where it lies.

use crate::body::{BodyReader, BodySink};
use crate::clock;
use crate::counts::{Class, Counts};
use crate::endpoint::{Endpoint, fault};
use crate::head::{self, Framing, HEAD_BYTES_MAX, Head, HeadResult};
use crate::query::Query;
use crate::reply::{self, End, Pending, Reply};
use crate::request::{ConnectionFacts, Request};
use crate::shared::Shared;
use crate::stream::{FILL_BYTES, Filled};

/// Largest body kept for an answer (`/load`, `/echo`); longer ones are read to their end, forgotten and answered with 413.
pub(crate) const BODY_BYTES_MAX: usize = 64 << 20;

/// What a session needs of its thread for one turn.
pub(crate) struct Turn<'a> {
    pub(crate) shared: &'a Shared,
    pub(crate) counts: &'a Counts,
    pub(crate) thread_index: usize,
    /// Bytes to send, all of one class.
    pub(crate) out: Vec<u8>,
    pub(crate) class: Class,
}

/// What the connection waits for once `Turn::out` has been sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// More bytes from the client.
    Input,
    /// Nothing: poll again.
    Again,
    /// This time; then poll again.
    Wait { until_ns: u64 },
    /// Nothing more: close, or reset.
    Over(End),
}

#[derive(Debug)]
enum Phase {
    Head,
    Body(Box<Incoming>),
    Answer(Box<Answer>),
    /// The answer is out, the request's body is still to be read and forgotten.
    Drain(BodyReader),
    Over(End),
}

/// A request whose body is still coming.
#[derive(Debug)]
struct Incoming {
    head_bytes: Vec<u8>,
    reader: BodyReader,
    endpoint: Endpoint,
    kept: KeptBody,
    framed_bytes: u64,
}

/// An answer that is not out yet.
#[derive(Debug)]
struct Answer {
    pending: Pending,
    held: Vec<u8>,
    class: Class,
    drain: Option<BodyReader>,
}

#[derive(Debug, Default)]
struct KeptBody {
    keep: bool,
    too_long: bool,
    content: Vec<u8>,
    content_bytes: u64,
    trailers: Vec<u8>,
}

impl BodySink for KeptBody {
    fn content(&mut self, bytes: &[u8]) {
        self.content_bytes = self.content_bytes.saturating_add(bytes.len() as u64);
        if !self.keep || self.too_long {
            return;
        }
        if bytes.len() > BODY_BYTES_MAX.saturating_sub(self.content.len()) {
            self.too_long = true;
            self.content = Vec::new();
        } else {
            self.content.extend_from_slice(bytes);
        }
    }

    fn trailer(&mut self, byte: u8) {
        if self.keep {
            self.trailers.push(byte);
        }
    }
}

/// One connection.
#[derive(Debug)]
pub(crate) struct Session {
    phase: Phase,
    /// Bytes that arrived and were not used yet.
    unread: Vec<u8>,
    /// How many of them are known not to hold the end of a head.
    searched_bytes: usize,
    pub(crate) facts: ConnectionFacts,
}

/// What a look at the bytes of a head came to.
enum HeadStep {
    NeedsMore,
    /// The bytes waiting to be sent must go first: they are of another class.
    Flush,
    Next {
        used_bytes: usize,
        phase: Phase,
    },
}

impl Session {
    pub(crate) fn new(index: u64) -> Self {
        let facts = ConnectionFacts { index, ..ConnectionFacts::default() };
        Self { phase: Phase::Head, unread: Vec::new(), searched_bytes: 0, facts }
    }

    /// Bytes waiting to be used. The caller stops reading when there are many.
    pub(crate) fn unread_bytes(&self) -> usize {
        self.unread.len()
    }

    /// Keeps what arrived while nothing can be answered.
    pub(crate) fn keep_unread(&mut self, input: &[u8]) {
        self.unread.extend_from_slice(input);
    }

    /// Whether a request is being read: its connection ending now would cut it short.
    pub(crate) fn is_reading(&self) -> bool {
        matches!(self.phase, Phase::Body(_)) || (matches!(self.phase, Phase::Head) && !self.unread.is_empty())
    }

    /// Whether a request that was counted is not answered yet.
    pub(crate) fn is_answering(&self) -> bool {
        matches!(self.phase, Phase::Answer(_))
    }

    /// Takes what arrived and goes as far as it can. May be called again at any time with nothing.
    pub(crate) fn poll(&mut self, input: &[u8], turn: &mut Turn<'_>) -> Progress {
        if self.unread.is_empty() {
            let (used, progress) = self.advance(input, turn);
            self.unread.extend_from_slice(input.get(used..).unwrap_or_default());
            return progress;
        }
        let mut bytes = std::mem::take(&mut self.unread);
        bytes.extend_from_slice(input);
        let (used, progress) = self.advance(&bytes, turn);
        bytes.drain(..used.min(bytes.len()));
        if !bytes.is_empty() {
            self.unread = bytes;
        }
        progress
    }

    /// Gives how many bytes were used, and what to wait for.
    fn advance(&mut self, bytes: &[u8], turn: &mut Turn<'_>) -> (usize, Progress) {
        let mut used = 0;
        loop {
            let rest = bytes.get(used..).unwrap_or_default();
            match &mut self.phase {
                Phase::Over(end) => return (bytes.len(), Progress::Over(*end)),
                Phase::Answer(answer) => match answer.advance(turn) {
                    Progress::Input => self.phase = after_answer(answer.pending.end, answer.drain.take()),
                    progress => return (used, progress),
                },
                Phase::Drain(reader) => match reader.read(rest, &mut KeptBody::default()) {
                    Ok(count) => {
                        turn.counts.received(Class::Load, count as u64);
                        used += count;
                        if !reader.is_done() {
                            return (used, Progress::Input);
                        }
                        self.phase = Phase::Head;
                    }
                    Err(fault) => self.phase = refuse(400, fault.0, turn),
                },
                Phase::Body(incoming) => match incoming.reader.read(rest, &mut incoming.kept) {
                    Ok(count) => {
                        used += count;
                        incoming.framed_bytes += count as u64;
                        if !incoming.reader.is_done() {
                            return (used, Progress::Input);
                        }
                        match self.answer_incoming(turn) {
                            Some(phase) => self.phase = phase,
                            None => return (used, Progress::Again),
                        }
                    }
                    Err(fault) => self.phase = refuse(400, fault.0, turn),
                },
                Phase::Head if turn.out.len() >= FILL_BYTES => return (used, Progress::Again),
                Phase::Head => match self.read_head(rest, turn) {
                    HeadStep::NeedsMore => return (used, Progress::Input),
                    HeadStep::Flush => return (used, Progress::Again),
                    HeadStep::Next { used_bytes, phase } => {
                        used += used_bytes;
                        self.searched_bytes = 0;
                        self.phase = phase;
                    }
                },
            }
        }
    }

    fn read_head(&mut self, bytes: &[u8], turn: &mut Turn<'_>) -> HeadStep {
        if bytes.is_empty() || !self.head_may_be_whole(bytes) {
            return HeadStep::NeedsMore;
        }
        let facts = &mut self.facts;
        match head::read_head(bytes, |head| begin(&head, bytes, facts, turn)) {
            HeadResult::Complete(step) => step,
            HeadResult::Partial => {
                self.searched_bytes = bytes.len();
                HeadStep::NeedsMore
            }
            HeadResult::Refused(status, why) => {
                HeadStep::Next { used_bytes: 0, phase: refuse(status, why, turn) }
            }
        }
    }

    /// A head that comes in many small pieces is parsed again only when an empty line came or the bytes have doubled: linear, not quadratic.
    fn head_may_be_whole(&self, bytes: &[u8]) -> bool {
        let searched = self.searched_bytes;
        if searched == 0 || bytes.len() >= HEAD_BYTES_MAX || bytes.len() / 2 >= searched {
            return true;
        }
        let fresh = bytes.get(searched.saturating_sub(3)..).unwrap_or_default();
        fresh.windows(2).any(|pair| pair == b"\n\n" || pair == b"\n\r")
    }

    /// Answers the request whose body is complete; `None` when other bytes must be sent before.
    fn answer_incoming(&mut self, turn: &mut Turn<'_>) -> Option<Phase> {
        let Phase::Body(incoming) = &self.phase else { return None };
        if !turn.claim(Class::of(incoming.endpoint)) {
            return None;
        }
        let Incoming { head_bytes, endpoint, kept, framed_bytes, .. } = &**incoming;
        let facts = &mut self.facts;
        let phase = head::read_head(head_bytes, |head| {
            let request = Request {
                head: &head,
                body: &kept.content,
                body_bytes: kept.content_bytes,
                trailers: &kept.trailers,
            };
            let wire_bytes = *framed_bytes + head.size_bytes as u64;
            answer(*endpoint, &request, wire_bytes, kept.too_long, None, facts, turn)
        });
        match phase {
            HeadResult::Complete(phase) => Some(phase),
            // The same bytes were read as a head before.
            HeadResult::Partial | HeadResult::Refused(..) => {
                Some(refuse(400, "the head is not HTTP/1.1", turn))
            }
        }
    }
}

impl Turn<'_> {
    /// Makes `out` carry bytes of this class; not possible while it holds bytes of the other.
    fn claim(&mut self, class: Class) -> bool {
        if self.class != class && !self.out.is_empty() {
            return false;
        }
        self.class = class;
        true
    }
}

impl Answer {
    /// `Input` means that the answer is out.
    fn advance(&mut self, turn: &mut Turn<'_>) -> Progress {
        let now_ns = clock::now_ns();
        if now_ns < self.pending.due_ns {
            return Progress::Wait { until_ns: self.pending.due_ns };
        }
        if !turn.claim(self.class) {
            return Progress::Again;
        }
        if self.pending.work_ns > 0 {
            clock::spin_cpu(std::mem::take(&mut self.pending.work_ns));
        }
        turn.out.append(&mut self.held);
        match self.pending.stream.fill(now_ns, &mut turn.out) {
            Filled::Done => Progress::Input,
            Filled::More => Progress::Again,
            Filled::Wait { until_ns } => Progress::Wait { until_ns },
        }
    }
}

/// What follows an answer; `drain` is what is still to be read of its request.
fn after_answer(end: End, drain: Option<BodyReader>) -> Phase {
    match (end, drain) {
        (End::KeepAlive, Some(reader)) => Phase::Drain(reader),
        (End::KeepAlive, None) => Phase::Head,
        (End::Close, Some(_)) => Phase::Over(End::Linger),
        (end, _) => Phase::Over(end),
    }
}

/// Counts a request that breaks the protocol, answers it, and closes.
fn refuse(status: u16, why: &str, turn: &mut Turn<'_>) -> Phase {
    turn.counts.protocol_errors.add(1);
    reply::append_refusal(&mut turn.out, status, why);
    Phase::Over(End::Linger)
}

/// Goes on from a head that was read: to its body, or at once to its answer.
fn begin(head: &Head<'_, '_>, bytes: &[u8], facts: &mut ConnectionFacts, turn: &mut Turn<'_>) -> HeadStep {
    let endpoint = Endpoint::for_path(head.path);
    if !turn.claim(Class::of(endpoint)) {
        return HeadStep::Flush;
    }
    let used_bytes = head.size_bytes;
    if head.framing == Framing::Length(0) {
        let request = Request { head, body: &[], body_bytes: 0, trailers: &[] };
        let phase = answer(endpoint, &request, used_bytes as u64, false, None, facts, turn);
        return HeadStep::Next { used_bytes, phase };
    }
    let reader = BodyReader::new(head.framing);
    let refusal = if endpoint == Endpoint::Continue { fault::refusal(Query(head.query)) } else { None };
    if endpoint == Endpoint::NoRead || (refusal.is_some() && head.expects_continue) {
        let request = Request { head, body: &[], body_bytes: 0, trailers: &[] };
        let phase = answer(endpoint, &request, used_bytes as u64, false, Some(reader), facts, turn);
        return HeadStep::Next { used_bytes, phase };
    }
    let always = endpoint == Endpoint::Continue && Query(head.query).has("always") && head.minor_version >= 1;
    if (head.expects_continue && bytes.len() == used_bytes) || always {
        reply::append_interim(&mut turn.out, 100, &[]);
        if Class::of(endpoint) == Class::Load {
            turn.counts.status(100);
        }
    }
    let kept = KeptBody { keep: endpoint.keeps_body(), ..KeptBody::default() };
    let head_bytes = bytes.get(..used_bytes).unwrap_or_default().to_vec();
    HeadStep::Next {
        used_bytes,
        phase: Phase::Body(Box::new(Incoming { head_bytes, reader, endpoint, kept, framed_bytes: 0 })),
    }
}

/// Counts a request and writes its answer, or as much of it as is due.
fn answer(
    endpoint: Endpoint,
    request: &Request<'_>,
    wire_bytes: u64,
    too_long: bool,
    drain: Option<BodyReader>,
    facts: &mut ConnectionFacts,
    turn: &mut Turn<'_>,
) -> Phase {
    let class = Class::of(endpoint);
    facts.request_count += 1;
    turn.counts.request(endpoint, request.head.method, wire_bytes);
    if class == Class::Load {
        turn.shared.record_arrival(turn.thread_index);
    }
    let start = turn.out.len();
    let mut reply = Reply::new(&mut turn.out, request.head);
    if drain.is_some() && request.head.expects_continue && reply.end == End::KeepAlive {
        // A client that was not told to continue may or may not send the body: only closing is unambiguous (RFC 9110 §10.1.1).
        reply.end = End::Close;
    }
    if too_long {
        reply.body(413, &[reply::TEXT_PLAIN], b"bodies are kept up to 64 MiB here\n");
    } else {
        endpoint.answer(request, facts, turn.shared, turn.counts, &mut reply);
    }
    let status = reply.status;
    let pending = reply.into_pending();
    if class == Class::Load {
        turn.counts.status(status);
    }
    if pending.due_ns > 0 || pending.work_ns > 0 || !pending.stream.is_none() {
        let held =
            if pending.due_ns > 0 || pending.work_ns > 0 { turn.out.split_off(start) } else { Vec::new() };
        return Phase::Answer(Box::new(Answer { pending, held, class, drain }));
    }
    after_answer(pending.end, drain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mailbox::Mailbox;
    use crate::options::Options;
    use units::Random;

    fn shared() -> Shared {
        Shared::new(&Options::default(), vec![Mailbox::new().unwrap()])
    }

    /// Gives the bytes to a session in these pieces; returns what it said and how the conversation stood at the end.
    fn converse<'a>(shared: &Shared, pieces: impl Iterator<Item = &'a [u8]>) -> (String, Progress) {
        let counts = Counts::default();
        let mut turn = Turn { shared, counts: &counts, thread_index: 0, out: Vec::new(), class: Class::Load };
        let mut session = Session::new(0);
        let (mut said, mut progress) = (Vec::new(), Progress::Input);
        for piece in pieces {
            progress = session.poll(piece, &mut turn);
            loop {
                said.append(&mut turn.out);
                match progress {
                    Progress::Again | Progress::Wait { .. } => progress = session.poll(&[], &mut turn),
                    Progress::Input | Progress::Over(_) => break,
                }
            }
            assert!(session.unread_bytes() <= HEAD_BYTES_MAX);
        }
        (String::from_utf8_lossy(&said).into_owned(), progress)
    }

    const CONVERSATION: &[u8] = b"GET /hello HTTP/1.1\r\nHost: a\r\n\r\n\
        POST /load HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello\
        POST /no-read HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello\
        POST /echo?a=b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nT: 1\r\n\r\n\
        \r\nHEAD /file?size=10 HTTP/1.1\r\nHost: a\r\n\r\n\
        GET /chunked?size=300 HTTP/1.1\nHost: a\n\n\
        GET /delay?ms=0.01 HTTP/1.1\r\nHost: a\r\n\r\n\
        GET /stall HTTP/1.1\r\nHost: a\r\n\r\n\
        GET /close HTTP/1.1\r\nHost: a\r\n\r\n";

    #[test]
    fn any_split_of_the_bytes_gives_the_same_answers() {
        let shared = shared();
        let whole = converse(&shared, std::iter::once(CONVERSATION));
        assert_eq!((whole.0.matches("HTTP/1.1 200 OK").count(), whole.1), (9, Progress::Over(End::Close)));
        for piece_bytes in 1..CONVERSATION.len() {
            assert_eq!(converse(&shared, CONVERSATION.chunks(piece_bytes)), whole, "{piece_bytes}");
        }
    }

    /// Seeded: mutations of the conversation, in random pieces. A panic, an endless loop or unbounded growth would fail.
    #[test]
    fn no_bytes_do_harm() {
        let shared = shared();
        let mut random = Random::new(7);
        let mut refused_count = 0;
        for _ in 0..3000 {
            let mut bytes = CONVERSATION.to_vec();
            for _ in 0..=random.below(6) {
                let at = random.below(bytes.len() as u64) as usize;
                match random.below(4) {
                    0 => bytes[at] = random.bits() as u8,
                    1 => bytes[at] = b"\r\n :;=/?0f"[random.below(10) as usize],
                    2 => bytes.insert(at, b"\r\n0"[random.below(3) as usize]),
                    _ => drop(bytes.remove(at)),
                }
            }
            let piece_bytes = 1 + random.below(200) as usize;
            let (_, progress) = converse(&shared, bytes.chunks(piece_bytes));
            refused_count += u32::from(progress == Progress::Over(End::Linger));
        }
        assert!((300..3000).contains(&refused_count), "{refused_count}");
    }

    /// The largest head, one byte at a time: linear work.
    #[test]
    fn a_head_in_single_bytes_is_refused_when_it_is_too_long() {
        let bytes = format!("GET / HTTP/1.1\r\nHost: a\r\nX: {}", "x".repeat(HEAD_BYTES_MAX));
        let (said, progress) = converse(&shared(), bytes.as_bytes().chunks(1));
        assert!(said.starts_with("HTTP/1.1 431 "), "{said}");
        assert_eq!(progress, Progress::Over(End::Linger));
    }
}
