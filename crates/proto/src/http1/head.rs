//! A response's head: found in the bytes, checked by `httparse`, and boiled down to the facts that frame the body.
//!
//! Most heads come whole in one slice and are parsed where they lie. Others are gathered in [`PartialHead`], which judges them by rules
//! that depend on the bytes alone and never on where they were split.

use std::mem::MaybeUninit;

use super::framing::{Head, connection_options};
use super::{HEADER_COUNT_MAX, ProtocolError};

/// Parses a head at the start of `bytes`. `Ok(None)` when its end is not there yet; else its facts and its length.
pub(super) fn parse(bytes: &[u8]) -> Result<Option<(Head, usize)>, ProtocolError> {
    let mut headers = [const { MaybeUninit::uninit() }; HEADER_COUNT_MAX];
    let mut response = httparse::Response::new(&mut []);
    let mut parser = httparse::ParserConfig::default();
    // RFC 9112 §5.2: a user agent must replace a fold by spaces, not refuse it.
    parser.allow_obsolete_multiline_headers_in_responses(true);
    let status =
        parser.parse_response_with_uninit_headers(&mut response, bytes, &mut headers).map_err(fault)?;
    let httparse::Status::Complete(head_bytes) = status else { return Ok(None) };
    let (Some(status @ 100..=999), Some(minor_version)) = (response.code, response.version) else {
        return Err(ProtocolError::BadStatusLine);
    };
    let mut head = Head { status, minor_version, ..Head::default() };
    for header in response.headers.iter() {
        // By length first: only these three decide anything, and hardly another header has their lengths.
        match header.name.len() {
            10 if header.name.eq_ignore_ascii_case("connection") => {
                connection_options(&mut head, header.value)
            }
            14 if header.name.eq_ignore_ascii_case("content-length") => {
                head.length = head.length.and(header.value);
                head.length_line_count += 1; // at most HEADER_COUNT_MAX
            }
            17 if header.name.eq_ignore_ascii_case("transfer-encoding") => {
                head.coding = head.coding.and(header.value)
            }
            _ => {}
        }
    }
    Ok(Some((head, head_bytes)))
}

fn fault(error: httparse::Error) -> ProtocolError {
    match error {
        httparse::Error::Version => ProtocolError::UnknownVersion,
        httparse::Error::Status | httparse::Error::Token => ProtocolError::BadStatusLine,
        httparse::Error::TooManyHeaders => ProtocolError::TooManyHeaders,
        httparse::Error::HeaderName | httparse::Error::HeaderValue | httparse::Error::NewLine => {
            ProtocolError::BadHeader
        }
    }
}

/// A head that has not come whole. Judged on its first bytes, on its end and on its length: so a split changes nothing.
#[derive(Debug, Default)]
pub(super) struct PartialHead {
    bytes: Vec<u8>,
    /// Length of the blank lines at the front.
    start: usize,
    /// Before this index no head's end begins.
    searched: usize,
}

/// What the first bytes of a response must be.
const FIRST_BYTES: &[u8] = b"HTTP/1.";

impl PartialHead {
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    /// The head, once [`PartialHead::gather`] has found its end.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Forgets the bytes and keeps at most `kept_bytes` of room for the next.
    pub(super) fn clear(&mut self, kept_bytes: usize) {
        self.bytes.clear();
        self.start = 0;
        self.searched = 0;
        self.bytes.shrink_to(kept_bytes);
    }

    /// Takes the head's bytes from the front of `piece`: how many, and whether the head is now whole.
    pub(super) fn gather(&mut self, piece: &[u8], bytes_max: usize) -> Result<(usize, bool), ProtocolError> {
        let before = self.bytes.len();
        // One byte beyond the limit is enough to know that it was passed.
        let room = bytes_max.saturating_add(1).saturating_sub(before);
        self.bytes.extend_from_slice(piece.get(..room).unwrap_or(piece));

        self.start += blank_lines(self.bytes.get(self.start..).unwrap_or_default());
        let line = self.bytes.get(self.start..).unwrap_or_default();
        let is_begun = line.iter().zip(FIRST_BYTES).all(|(byte, wanted)| byte == wanted) || line == b"\r";
        if !is_begun {
            return Err(ProtocolError::NotHttp1);
        }
        let end = head_end(&self.bytes, self.start.max(self.searched));
        // The last two bytes may begin an end (LF, or LF CR).
        self.searched = self.bytes.len().saturating_sub(2);
        match end {
            Some(end) if end <= bytes_max => {
                self.bytes.truncate(end);
                Ok((end.saturating_sub(before), true))
            }
            Some(_) => Err(ProtocolError::HeadTooLarge),
            None if self.bytes.len() > bytes_max => Err(ProtocolError::HeadTooLarge),
            None => Ok((piece.len(), false)),
        }
    }
}

/// Length of the blank lines at the front, which are skipped (as RFC 9112 §2.2 bids servers to; old servers send one after a body).
fn blank_lines(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    while let Some(after) = rest.strip_prefix(b"\r\n").or_else(|| rest.strip_prefix(b"\n")) {
        rest = after;
    }
    bytes.len() - rest.len()
}

/// Index past the first empty line at or after `from`, which lies behind the blank lines at the front. A bare LF is a line's end too.
fn head_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(found) = bytes.get(at..)?.iter().position(|&byte| byte == b'\n') {
        at += found + 1;
        match bytes.get(at..)? {
            [b'\n', ..] => return Some(at + 1),
            [b'\r', b'\n', ..] => return Some(at + 2),
            _ => {}
        }
    }
    None
}
