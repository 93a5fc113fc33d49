//! Where a response ends and whether its connection lives on: RFC 9112 §6.3 and §9.3 as two small functions.

use super::ProtocolError;

/// What of a request decides how its answer is framed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RequestKind {
    /// HEAD: the answer has no body, whatever its headers say.
    Head,
    /// CONNECT: after a 2xx the connection is a tunnel.
    Connect,
    /// A request with `Upgrade`: 101 is a final answer, and the connection then speaks the other protocol.
    Upgrade,
    /// Every other request.
    Other,
}

/// What a response's head says that decides its framing. A pure function of the head's bytes, so equal heads have equal facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Head {
    /// In [100, 999].
    pub(super) status: u16,
    /// 0 or 1: HTTP/1.0 or HTTP/1.1.
    pub(super) minor_version: u8,
    pub(super) length: Length,
    /// How many `Content-Length` lines there are.
    pub(super) length_line_count: u8,
    pub(super) coding: Coding,
    /// `Connection` names `close`.
    pub(super) close: bool,
    /// `Connection` names `keep-alive`.
    pub(super) keep_alive: bool,
}

/// All `Content-Length` fields taken together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Length {
    #[default]
    Absent,
    Bytes(u64),
    Bad,
    Conflicting,
}

/// All `Transfer-Encoding` fields taken together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Coding {
    /// Absent, or only `identity` (RFC 2616 §3.6: none applied; dropped by RFC 7230 but still sent).
    #[default]
    Absent,
    /// `chunked` alone.
    Chunked,
    /// Another coding below a final `chunked`: can be framed, not read.
    ChunkedOverOther,
    /// The final coding is not `chunked`.
    Other,
    /// `chunked` twice.
    RepeatedChunked,
}

/// How the body's end is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// No body: the head's end is the response's end.
    Empty,
    Length(u64),
    Chunked,
    UntilEnd,
}

impl Head {
    /// The body's framing for an answer to a request of this kind. The status is final (not 1xx, or 101 that was asked for).
    #[inline]
    pub(super) fn framing(&self, kind: RequestKind) -> Result<Framing, ProtocolError> {
        // RFC 9112 §6.3 rules 1 and 2: decided before any header is looked at.
        match (kind, self.status) {
            (RequestKind::Head, _) | (_, 100..=199 | 204 | 304) => return Ok(Framing::Empty),
            (RequestKind::Connect, 200..=299) => return Ok(Framing::Empty),
            _ => {}
        }
        match (self.coding, self.length) {
            // Rule 3: Transfer-Encoding overrides Content-Length. Rule 4: chunked last, or else until the end.
            (Coding::Chunked | Coding::ChunkedOverOther, _) => Ok(Framing::Chunked),
            (Coding::Other, _) => Ok(Framing::UntilEnd),
            (Coding::RepeatedChunked, _) => Err(ProtocolError::RepeatedChunked),
            // Rule 5: a bad length is an unrecoverable error. Rule 6: a sound one rules.
            (Coding::Absent, Length::Bad) => Err(ProtocolError::BadContentLength),
            (Coding::Absent, Length::Conflicting) => Err(ProtocolError::ConflictingContentLength),
            (Coding::Absent, Length::Bytes(0)) => Ok(Framing::Empty),
            (Coding::Absent, Length::Bytes(length_bytes)) => Ok(Framing::Length(length_bytes)),
            // Rule 8: neither; a response then goes on until the server closes.
            (Coding::Absent, Length::Absent) => Ok(Framing::UntilEnd),
        }
    }

    /// Whether the body, framed so, is under a transfer coding that is not undone here.
    pub(super) fn is_unreadable(&self, framing: Framing) -> bool {
        framing != Framing::Empty && matches!(self.coding, Coding::ChunkedOverOther | Coding::Other)
    }

    /// Whether the connection may carry another request after this answer.
    #[inline]
    pub(super) fn persists(&self, kind: RequestKind, framing: Framing) -> bool {
        let is_other_protocol =
            self.status == 101 || (kind == RequestKind::Connect && self.status / 100 == 2);
        if is_other_protocol || framing == Framing::UntilEnd {
            return false;
        }
        if self.coding != Coding::Absent {
            // RFC 9112 §6.1: with Content-Length beside it, or in an HTTP/1.0 message, the framing is suspect: use it, then close.
            let is_suspect = self.length != Length::Absent || self.minor_version == 0;
            if is_suspect && framing == Framing::Chunked {
                return false;
            }
        }
        // RFC 9112 §9.3: close wins; 1.1 persists; 1.0 only with keep-alive.
        !self.close && (self.minor_version >= 1 || self.keep_alive)
    }
}

/// The elements of a comma-separated field value, without surrounding white space (which a line fold is a part of).
fn elements(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii)
}

impl Length {
    /// Joins one more `Content-Length` field to those before. RFC 9110 §8.6: digits only; RFC 9112 §6.3 rule 5: equal repeats, in
    /// one field or several, are one length.
    pub(super) fn and(self, value: &[u8]) -> Length {
        let mut joined = self;
        for element in elements(value) {
            let one = match decimal(element) {
                Some(length_bytes) => Length::Bytes(length_bytes),
                None => return Length::Bad,
            };
            joined = match joined {
                Length::Absent => one,
                Length::Bytes(_) if joined != one => Length::Conflicting,
                _ => joined,
            };
        }
        joined
    }
}

/// 1*DIGIT that fits 64 bits. No sign, no white space.
fn decimal(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |number, &digit| {
        let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

impl Coding {
    /// Joins one more `Transfer-Encoding` field to those before; codings are listed in the order they were applied (RFC 9112 §6.1).
    pub(super) fn and(self, value: &[u8]) -> Coding {
        elements(value).fold(self, |before, element| {
            let is_chunked = element.eq_ignore_ascii_case(b"chunked");
            if element.is_empty() || element.eq_ignore_ascii_case(b"identity") {
                return before;
            }
            match (before, is_chunked) {
                (Coding::Absent, true) => Coding::Chunked,
                (Coding::Other, true) => Coding::ChunkedOverOther,
                (Coding::RepeatedChunked | Coding::Chunked | Coding::ChunkedOverOther, true) => {
                    Coding::RepeatedChunked
                }
                (Coding::RepeatedChunked, false) => Coding::RepeatedChunked,
                (_, false) => Coding::Other,
            }
        })
    }
}

/// Joins one `Connection` field: whether it names close, and whether keep-alive (RFC 9110 §7.6.1: a list, case-insensitive).
pub(super) fn connection_options(head: &mut Head, value: &[u8]) {
    for option in elements(value) {
        head.close |= option.eq_ignore_ascii_case(b"close");
        head.keep_alive |= option.eq_ignore_ascii_case(b"keep-alive");
    }
}
