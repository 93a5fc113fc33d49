//! Decoding of `Content-Encoding` (RFC 9110 §8.4), for the few bodies that a check or a capture looks into.
//!
//! The one idea: a body may claim to be anything, so each coding's output is bounded as it is made: a small bomb costs no more memory than
//! the limit, and a body that is cut short or has bytes left over is an error, never a shorter body.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read};

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::bufread::MultiGzDecoder;
use flate2::{Decompress, FlushDecompress, Status};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

/// Codings stacked on one body at most. One is usual, two are a proxy's mistake.
pub const CODING_COUNT_MAX: usize = 4;

/// Largest zstd window accepted, in bytes: RFC 9659 §3 lets none above 8 MB be sent, so that browsers can refuse it.
const ZSTD_WINDOW_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// Bytes that a decoder is asked for at a time.
const STEP_BYTES: usize = 16 * 1024;

/// A content coding that can be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Coding {
    /// RFC 1952, one member or several; also named `x-gzip`.
    Gzip,
    /// RFC 1950 (zlib), or the bare RFC 1951 that some servers send under this name (RFC 9110 §8.4.1.2).
    Deflate,
    /// RFC 7932.
    Brotli,
    /// RFC 8878, within the window of RFC 9659.
    Zstd,
}

impl Coding {
    fn of_name(name: &[u8]) -> Option<Coding> {
        // RFC 9110 §8.4.1: names are case-insensitive; x-gzip is gzip (§8.4.1.3).
        let names: [(&[u8], Coding); 5] = [
            (b"gzip", Coding::Gzip),
            (b"x-gzip", Coding::Gzip),
            (b"deflate", Coding::Deflate),
            (b"br", Coding::Brotli),
            (b"zstd", Coding::Zstd),
        ];
        names.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, coding)| coding)
    }
}

impl fmt::Display for Coding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Coding::Gzip => "gzip",
            Coding::Deflate => "deflate",
            Coding::Brotli => "br",
            Coding::Zstd => "zstd",
        })
    }
}

/// Why a body cannot be decoded. The answer itself was sound; a check on its body is undecided and must not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContentError {
    /// A coding that is not known here. Ask for others with `Accept-Encoding`.
    UnknownCoding {
        /// Its name, with invalid bytes replaced.
        name: String,
    },
    /// More than [`CODING_COUNT_MAX`] codings are stacked.
    TooManyCodings,
    /// The decoded body is longer than the limit.
    TooLarge {
        /// The limit.
        bytes_max: usize,
    },
    /// The body is not what its coding says, is cut short, or goes on behind its end.
    Corrupt {
        /// The coding that failed.
        coding: Coding,
        /// What its decoder says, for people to read.
        cause: String,
    },
}

impl fmt::Display for ContentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ContentError::UnknownCoding { name } => {
                write!(
                    f,
                    "the content coding `{}` is unknown; gzip, deflate, br and zstd are known",
                    name.escape_debug()
                )
            }
            ContentError::TooManyCodings => {
                write!(f, "more than {CODING_COUNT_MAX} content codings are stacked")
            }
            ContentError::TooLarge { bytes_max } => {
                write!(f, "the decoded body is longer than {bytes_max} bytes")
            }
            ContentError::Corrupt { coding, cause } => write!(f, "the body is not sound {coding}: {cause}"),
        }
    }
}

impl std::error::Error for ContentError {}

/// Undoes the codings that `encodings` lists in the order they were applied (the value of `Content-Encoding`, repeated headers joined by
/// commas; empty for none). A body without codings is lent as it is. No stage's output is longer than `bytes_max`.
///
/// ```
/// use proto::content::decode;
///
/// let body = [0x0b, 0x02, 0x80, b'h', b'e', b'l', b'l', b'o', 0x03]; // brotli, stored
/// assert_eq!(decode(b"br", &body, 1024).as_deref(), Ok(&b"hello"[..]));
/// assert_eq!(decode(b"", b"hello", 1024).as_deref(), Ok(&b"hello"[..]));
/// ```
pub fn decode<'a>(encodings: &[u8], body: &'a [u8], bytes_max: usize) -> Result<Cow<'a, [u8]>, ContentError> {
    let mut codings = Vec::new();
    for name in encodings.split(|&byte| byte == b',').map(<[u8]>::trim_ascii) {
        // RFC 9110 §5.6.1: empty list elements are ignored; §8.4.1: identity means no coding.
        if name.is_empty() || name.eq_ignore_ascii_case(b"identity") {
            continue;
        }
        let unknown = || ContentError::UnknownCoding { name: String::from_utf8_lossy(name).into_owned() };
        codings.push(Coding::of_name(name).ok_or_else(unknown)?);
    }
    if codings.len() > CODING_COUNT_MAX {
        return Err(ContentError::TooManyCodings);
    }
    if body.len() > bytes_max {
        return Err(ContentError::TooLarge { bytes_max });
    }
    // The last one applied is the first to undo. An empty body is empty under each coding: servers label those too.
    codings.iter().rev().filter(|_| !body.is_empty()).try_fold(Cow::Borrowed(body), |body, &coding| {
        let mut output = Output { bytes: Vec::new(), bytes_max };
        match undo(coding, &body, &mut output) {
            Ok(()) => Ok(Cow::Owned(output.bytes)),
            Err(Stop::Full) => Err(ContentError::TooLarge { bytes_max }),
            Err(Stop::Corrupt(cause)) => Err(ContentError::Corrupt { coding, cause }),
        }
    })
}

/// Why a decoder stopped before its end.
enum Stop {
    Full,
    Corrupt(String),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Stop::Corrupt(error.to_string())
    }
}

impl From<FrameDecoderError> for Stop {
    fn from(error: FrameDecoderError) -> Stop {
        Stop::Corrupt(error.to_string())
    }
}

/// A decoded body that may not grow beyond its limit.
struct Output {
    bytes: Vec<u8>,
    bytes_max: usize,
}

impl Output {
    fn push(&mut self, decoded: &[u8]) -> Result<(), Stop> {
        if decoded.len() > self.bytes_max.saturating_sub(self.bytes.len()) {
            return Err(Stop::Full);
        }
        self.bytes.extend_from_slice(decoded);
        Ok(())
    }

    fn drain(&mut self, mut decoder: impl Read) -> Result<(), Stop> {
        let mut step = [0; STEP_BYTES];
        loop {
            match decoder.read(&mut step)? {
                0 => return Ok(()),
                count => self.push(step.get(..count).unwrap_or_default())?,
            }
        }
    }
}

fn undo(coding: Coding, body: &[u8], output: &mut Output) -> Result<(), Stop> {
    match coding {
        // Checks each member's length and CRC-32.
        Coding::Gzip => output.drain(MultiGzDecoder::new(body)),
        Coding::Deflate => inflate(body, output),
        Coding::Brotli => brotli(body, output),
        Coding::Zstd => zstd(body, output),
    }
}

/// zlib or bare deflate, told apart by the two bytes of a zlib header (RFC 1950 §2.2: method 8, and a multiple of 31).
fn inflate(body: &[u8], output: &mut Output) -> Result<(), Stop> {
    let is_zlib = matches!(body, [first, second, ..]
        if first & 0x0f == 8 && (u16::from(*first) << 8 | u16::from(*second)) % 31 == 0);
    let mut decoder = Decompress::new(is_zlib);
    let mut step = [0; STEP_BYTES];
    let mut rest = body;
    loop {
        let (in_before, out_before) = (decoder.total_in(), decoder.total_out());
        let status = decoder
            .decompress(rest, &mut step, FlushDecompress::None)
            .map_err(|error| Stop::Corrupt(error.to_string()))?;
        // Both are at most the lengths of the slices given.
        let consumed = (decoder.total_in() - in_before) as usize;
        let produced = (decoder.total_out() - out_before) as usize;
        rest = rest.get(consumed..).unwrap_or_default();
        output.push(step.get(..produced).unwrap_or_default())?;
        match status {
            Status::StreamEnd if rest.is_empty() => return Ok(()),
            Status::StreamEnd => return Err(Stop::Corrupt("bytes follow its end".to_owned())),
            Status::Ok | Status::BufError if consumed == 0 && produced == 0 => {
                return Err(Stop::Corrupt("it is cut short".to_owned()));
            }
            Status::Ok | Status::BufError => {}
        }
    }
}

/// Driven by hand, since the crate's reader passes over bytes behind the end.
fn brotli(body: &[u8], output: &mut Output) -> Result<(), Stop> {
    // Strict: without the large windows (up to 1 GiB) that are no part of RFC 7932.
    let mut state =
        BrotliState::new_strict(StandardAlloc::default(), StandardAlloc::default(), StandardAlloc::default());
    let mut step = [0; STEP_BYTES];
    let (mut left_bytes, mut consumed, mut total_bytes) = (body.len(), 0, 0);
    loop {
        let (mut room_bytes, mut produced) = (step.len(), 0);
        let result = BrotliDecompressStream(
            &mut left_bytes,
            &mut consumed,
            body,
            &mut room_bytes,
            &mut produced,
            &mut step,
            &mut total_bytes,
            &mut state,
        );
        output.push(step.get(..produced).unwrap_or_default())?;
        match result {
            BrotliResult::NeedsMoreOutput => {}
            BrotliResult::ResultSuccess if left_bytes == 0 => return Ok(()),
            BrotliResult::ResultSuccess => return Err(Stop::Corrupt("bytes follow its end".to_owned())),
            BrotliResult::NeedsMoreInput => return Err(Stop::Corrupt("it is cut short".to_owned())),
            BrotliResult::ResultFailure => return Err(Stop::Corrupt("its data is invalid".to_owned())),
        }
    }
}

/// All frames one after another (RFC 8878 §3.1), skippable ones skipped, checksums held against the data.
fn zstd(body: &[u8], output: &mut Output) -> Result<(), Stop> {
    let mut rest = body;
    while !rest.is_empty() {
        let opened = StreamingDecoder::new_with_max_window_size(&mut rest, ZSTD_WINDOW_BYTES_MAX);
        let mut frame: StreamingDecoder<_, FrameDecoder> = match opened {
            Ok(frame) => frame,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length, ..
            })) => {
                let after = usize::try_from(length).ok().and_then(|length| rest.get(length..));
                rest = after.ok_or_else(|| Stop::Corrupt("a skippable frame is cut short".to_owned()))?;
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        output.drain(&mut frame)?;
        let said = frame.decoder.get_checksum_from_data();
        if said.is_some() && said != frame.decoder.get_calculated_checksum() {
            return Err(Stop::Corrupt("its checksum is wrong".to_owned()));
        }
    }
    Ok(())
}
