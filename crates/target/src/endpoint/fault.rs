//! Answers that break off, break the protocol, or come in unusual steps.

use serde_json::json;

use crate::counts::Counts;
use crate::endpoint::basic::SIZE_BYTES_MAX;
use crate::query::{Fault, Query};
use crate::reply::{End, Length, Reply, TEXT_PLAIN, append_interim};
use crate::request::Request;
use crate::stream::append_text;

const RESET_BYTES_DEFAULT: u64 = 1000;
/// Half of this is sent in one piece before the reset.
const RESET_BYTES_MAX: u64 = 1 << 20;
const EARLY_HINTS_MAX: u64 = 100;

pub(crate) fn close(reply: &mut Reply<'_>) {
    reply.end = End::Close;
    reply.body(200, &[TEXT_PLAIN], b"closing\n");
}

/// Declares `size` bytes, sends half of them, then resets: the client sees ECONNRESET inside the body. (On a Unix socket: its end.)
pub(crate) fn reset(query: Query<'_>, reply: &mut Reply<'_>) -> Result<(), Fault> {
    let size_bytes = query.size("size", RESET_BYTES_DEFAULT, 1..=RESET_BYTES_MAX.min(SIZE_BYTES_MAX))?;
    reply.end = End::Reset;
    reply.head(200, Length::Bytes(size_bytes), &[TEXT_PLAIN]);
    let mut half = Vec::new();
    append_text(&mut half, 0, size_bytes / 2);
    reply.raw(&half);
    Ok(())
}

/// What `/garbage` can send; the connection closes after each.
const GARBAGE: [(&str, &[u8]); 8] = [
    ("text", b"this is not HTTP at all\r\n\r\n"),
    ("binary", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\xff\x00\x80\r\n\r\n"),
    ("status", b"HTTP/1.1 abc OK\r\ncontent-length: 0\r\n\r\n"),
    ("version", b"HTTP/7.3 200 OK\r\ncontent-length: 0\r\n\r\n"),
    ("header", b"HTTP/1.1 200 OK\r\nno colon here\r\ncontent-length: 0\r\n\r\n"),
    ("length", b"HTTP/1.1 200 OK\r\ncontent-length: banana\r\n\r\n"),
    ("lengths", b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 5\r\n\r\nabcde"),
    ("chunk", b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\nhello\r\n0\r\n\r\n"),
];

/// Bytes that are no HTTP response, and so have no status to count.
pub(crate) fn garbage(query: Query<'_>, reply: &mut Reply<'_>) -> Result<(), Fault> {
    let kind = query.raw("kind").unwrap_or("text");
    let Some((_, bytes)) = GARBAGE.iter().find(|(name, _)| *name == kind) else {
        let names: Vec<&str> = GARBAGE.iter().map(|(name, _)| *name).collect();
        return Err(format!("`kind` is one of {}", names.join(", ")));
    };
    reply.status = 0;
    reply.end = End::Close;
    reply.raw(bytes);
    Ok(())
}

pub(crate) fn early_hints(query: Query<'_>, counts: &Counts, reply: &mut Reply<'_>) -> Result<(), Fault> {
    let count = query.count("count", 1, 0..=EARLY_HINTS_MAX)?;
    if !reply.is_http_1_0() {
        for _ in 0..count {
            let mut interim = Vec::new();
            append_interim(&mut interim, 103, &[("link", "</style.css>; rel=preload; as=style")]);
            reply.raw(&interim);
            counts.status(103);
        }
    }
    reply.body(200, &[TEXT_PLAIN], b"after the hints\n");
    Ok(())
}

/// `/continue`: whether the client expected 100 and how long its body was; with `refuse` that status instead, and, if the client waited for
/// the 100, without reading the body.
pub(crate) fn after_continue(
    query: Query<'_>,
    request: &Request<'_>,
    reply: &mut Reply<'_>,
) -> Result<(), Fault> {
    if query.has("refuse") {
        let status = refusal(query).ok_or("`refuse` is a status from 400 to 599")?;
        reply.body(status, &[TEXT_PLAIN], b"refused\n");
        return Ok(());
    }
    reply.json(200, &json!({ "expected": request.head.expects_continue, "body_bytes": request.body_bytes }));
    Ok(())
}

/// The status that `/continue?refuse=417` answers instead of asking for the body.
pub(crate) fn refusal(query: Query<'_>) -> Option<u16> {
    let status = query.raw("refuse")?.parse().ok()?;
    (400..=599).contains(&status).then_some(status)
}
