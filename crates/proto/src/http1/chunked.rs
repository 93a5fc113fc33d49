//! The chunked transfer coding (RFC 9112 §7.1) as a state machine that stops and goes on at any byte.
//!
//! Data is handed on in bulk: only the size lines and trailers, a few bytes a chunk, are looked at one by one.

use super::{CHUNK_LINE_BYTES_MAX, ProtocolError, TRAILER_BYTES_MAX};

/// Where in a chunked body the next byte stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// In a chunk's size; the bool tells whether a digit was seen.
    Size { has_digit: bool },
    /// In the white space or extension behind a size.
    Extension,
    /// At the LF of a size line.
    SizeEnd,
    /// In a chunk's data.
    Data,
    /// At the CR behind a chunk's data.
    DataCr,
    /// At the LF behind a chunk's data.
    DataLf,
    /// At the start of a trailer line; the bool tells whether there was one before (only then may a fold follow).
    TrailerStart { has_line: bool },
    /// In a trailer's name.
    TrailerName,
    /// In a trailer's value.
    TrailerValue,
    /// Behind a CR that must end a trailer's line.
    TrailerLf,
    /// Behind a CR that must end the body.
    EndLf,
}

/// Decoder of one chunked body. 24 bytes, no buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Chunked {
    /// The chunk's size while it is read, then what is left of its data.
    left_bytes: u64,
    /// Bytes of the current size line, then of the trailers.
    line_bytes: u32,
    step: Step,
}

/// What one byte of framing led to.
enum Next {
    Step(Step),
    Done,
}

impl Chunked {
    pub(super) fn new() -> Chunked {
        Chunked { left_bytes: 0, line_bytes: 0, step: Step::Size { has_digit: false } }
    }

    /// Consumes up to the body's end, handing runs of content to `content`: the bytes consumed, and whether that was the end.
    pub(super) fn handle(
        &mut self,
        bytes: &[u8],
        mut content: impl FnMut(&[u8]),
    ) -> Result<(usize, bool), ProtocolError> {
        let mut rest = bytes;
        loop {
            if self.step == Step::Data {
                let available = usize::try_from(self.left_bytes).unwrap_or(usize::MAX).min(rest.len());
                let (data, after) = rest.split_at_checked(available).unwrap_or((rest, &[]));
                content(data);
                // `data` is at most `left_bytes` long.
                self.left_bytes -= data.len() as u64;
                rest = after;
                if self.left_bytes == 0 {
                    self.step = Step::DataCr;
                }
            }
            let Some((&byte, after)) = rest.split_first() else { return Ok((bytes.len(), false)) };
            rest = after;
            match self.framing_byte(byte)? {
                Next::Step(step) => self.step = step,
                Next::Done => return Ok((bytes.len() - rest.len(), true)),
            }
        }
    }

    #[inline]
    fn framing_byte(&mut self, byte: u8) -> Result<Next, ProtocolError> {
        let step = match self.step {
            Step::Size { .. } | Step::Extension | Step::SizeEnd => self.size_byte(byte)?,
            Step::Data | Step::DataCr if byte == b'\r' => Step::DataLf,
            Step::DataLf if byte == b'\n' => {
                self.line_bytes = 0;
                Step::Size { has_digit: false }
            }
            Step::Data | Step::DataCr | Step::DataLf => return Err(ProtocolError::BadChunkEnd),
            _ => return self.trailer_byte(byte),
        };
        Ok(Next::Step(step))
    }

    /// chunk-size [ chunk-ext ] CRLF. An extension is skipped, whatever it says (RFC 9112 §7.1.1).
    #[inline]
    fn size_byte(&mut self, byte: u8) -> Result<Step, ProtocolError> {
        self.line_bytes += 1;
        if self.line_bytes > CHUNK_LINE_BYTES_MAX {
            return Err(ProtocolError::ChunkLineTooLong);
        }
        match (self.step, byte) {
            (Step::Size { .. }, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => {
                let digit = char::from(byte).to_digit(16).unwrap_or(0);
                // RFC 9112 §7.1: recipients must anticipate huge sizes, and prevent overflow.
                let size = self.left_bytes.checked_mul(16).ok_or(ProtocolError::BadChunkSize)?;
                self.left_bytes = size | u64::from(digit);
                Ok(Step::Size { has_digit: true })
            }
            // Some servers pad the size with spaces; RFC 9112 §7.1.1 lets white space stand before an extension's semicolon.
            (Step::Size { has_digit: true }, b' ' | b'\t' | b';') => Ok(Step::Extension),
            (Step::Size { has_digit: true } | Step::Extension, b'\r') => Ok(Step::SizeEnd),
            (Step::Extension, byte) if byte != b'\n' => Ok(Step::Extension),
            (Step::SizeEnd, b'\n') if self.left_bytes > 0 => Ok(Step::Data),
            (Step::SizeEnd, b'\n') => {
                self.line_bytes = 0;
                Ok(Step::TrailerStart { has_line: false })
            }
            _ => Err(ProtocolError::BadChunkSize),
        }
    }

    /// Trailer fields are checked for their form, then dropped (RFC 9112 §7.1.2 leaves that free). A line that is no field is an
    /// error: it is likely the next answer's status line, after a body whose end the server forgot.
    fn trailer_byte(&mut self, byte: u8) -> Result<Next, ProtocolError> {
        self.line_bytes += 1;
        if self.line_bytes > TRAILER_BYTES_MAX {
            return Err(ProtocolError::TrailersTooLarge);
        }
        let step = match (self.step, byte) {
            (Step::TrailerStart { .. } | Step::EndLf, b'\n') => return Ok(Next::Done),
            (Step::TrailerStart { .. }, b'\r') => Step::EndLf,
            (Step::TrailerStart { has_line: true }, b' ' | b'\t') => Step::TrailerValue,
            (Step::TrailerStart { .. } | Step::TrailerName, byte) if super::request::is_token(byte) => {
                Step::TrailerName
            }
            (Step::TrailerName, b':') => Step::TrailerValue,
            (Step::TrailerValue, b'\r') => Step::TrailerLf,
            (Step::TrailerValue | Step::TrailerLf, b'\n') => Step::TrailerStart { has_line: true },
            (Step::TrailerValue, byte) if byte != 0 => Step::TrailerValue,
            _ => return Err(ProtocolError::BadTrailer),
        };
        Ok(Next::Step(step))
    }
}
