//! What a server can do wrong on an HTTP/1.1 connection. Each ends the connection: its framing can no longer be trusted.

use std::fmt;

use super::{CHUNK_LINE_BYTES_MAX, HEADER_COUNT_MAX, INFORMATIONAL_COUNT_MAX, TRAILER_BYTES_MAX};

/// Why the bytes of a connection are not a sound answer. The session stays failed until it is reset; close the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProtocolError {
    /// Bytes came although no answer was due, or after an answer that ended the connection. Often a server's 408 on an idle connection:
    /// no request failed by it, so close and reconnect.
    Unsolicited,
    /// The first bytes are not `HTTP/1.`: another protocol, TLS on a plain port, or the rest of an answer framed wrongly.
    NotHttp1,
    /// The version is 1.x, but neither 1.0 nor 1.1.
    UnknownVersion,
    /// The status line is malformed (RFC 9112 §4), or its status is below 100.
    BadStatusLine,
    /// A header line is malformed (RFC 9112 §5): its name, its value or its end.
    BadHeader,
    /// The head is longer than the session's limit.
    HeadTooLarge,
    /// More than [`HEADER_COUNT_MAX`] header lines.
    TooManyHeaders,
    /// `Content-Length` is not a number of bytes that fits 64 bits (RFC 9110 §8.6).
    BadContentLength,
    /// Several `Content-Length` that differ (RFC 9112 §6.3).
    ConflictingContentLength,
    /// `chunked` was applied more than once (RFC 9112 §6.1).
    RepeatedChunked,
    /// The body is wanted, but has a transfer coding besides `chunked`, which was never asked for (RFC 9112 §7).
    UnreadableCoding,
    /// A chunk's size line is malformed or its size does not fit 64 bits (RFC 9112 §7.1).
    BadChunkSize,
    /// A chunk's data does not end with CRLF (RFC 9112 §7.1).
    BadChunkEnd,
    /// A chunk's size line is longer than [`CHUNK_LINE_BYTES_MAX`].
    ChunkLineTooLong,
    /// A trailer line is malformed (RFC 9112 §7.1.2).
    BadTrailer,
    /// The trailers are longer than [`TRAILER_BYTES_MAX`].
    TrailersTooLarge,
    /// 101 Switching Protocols without having been asked to (RFC 9110 §15.2.2).
    UnaskedUpgrade,
    /// More than [`INFORMATIONAL_COUNT_MAX`] interim answers before a final one.
    TooManyInformational,
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use ProtocolError::*;
        match self {
            Unsolicited => f.write_str("the server sent bytes that no request asked for"),
            NotHttp1 => {
                f.write_str("the answer does not begin with HTTP/1.; check the port, and http against https")
            }
            UnknownVersion => f.write_str("the answer's version is neither HTTP/1.0 nor HTTP/1.1"),
            BadStatusLine => f.write_str("the answer's status line is malformed"),
            BadHeader => f.write_str("a header line of the answer is malformed"),
            HeadTooLarge => f.write_str("the answer's head is longer than the limit"),
            TooManyHeaders => write!(f, "the answer has more than {HEADER_COUNT_MAX} headers"),
            BadContentLength => f.write_str("Content-Length is not a number of bytes"),
            ConflictingContentLength => {
                f.write_str("the answer has Content-Length more than once, with differing values")
            }
            RepeatedChunked => f.write_str("Transfer-Encoding names chunked more than once"),
            UnreadableCoding => {
                f.write_str("the body has a transfer coding other than chunked, which no request asked for")
            }
            BadChunkSize => f.write_str("a chunk's size line is malformed"),
            BadChunkEnd => f.write_str("a chunk's data does not end with CRLF"),
            ChunkLineTooLong => write!(f, "a chunk's size line is longer than {CHUNK_LINE_BYTES_MAX} bytes"),
            BadTrailer => f.write_str("a trailer line of the answer is malformed"),
            TrailersTooLarge => write!(f, "the answer's trailers are longer than {TRAILER_BYTES_MAX} bytes"),
            UnaskedUpgrade => f.write_str("the server switched protocols (101) without having been asked to"),
            TooManyInformational => {
                write!(f, "more than {INFORMATIONAL_COUNT_MAX} interim (1xx) answers came before a final one")
            }
        }
    }
}

impl std::error::Error for ProtocolError {}
