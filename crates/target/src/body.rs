//! Finding the end of a request's body, piece by piece, in constant memory.

use crate::head::Framing;

/// Longest line of a chunk's size with its extensions, and longest trailer section.
const CHUNK_LINE_BYTES_MAX: usize = 4096;
pub(crate) const TRAILER_BYTES_MAX: usize = 64 * 1024;

/// How far a body is read.
#[derive(Debug)]
pub(crate) enum BodyReader {
    Length { remaining_bytes: u64 },
    Chunked(ChunkedReader),
}

/// The bytes break the chunked coding (RFC 9112 §7.1).
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BodyFault(pub(crate) &'static str);

/// Takes the pieces of a body's content.
pub(crate) trait BodySink {
    fn content(&mut self, bytes: &[u8]);
    fn trailer(&mut self, byte: u8);
}

impl BodyReader {
    pub(crate) fn new(framing: Framing) -> Self {
        match framing {
            Framing::Length(remaining_bytes) => Self::Length { remaining_bytes },
            Framing::Chunked => Self::Chunked(ChunkedReader::default()),
        }
    }

    pub(crate) fn is_done(&self) -> bool {
        match self {
            Self::Length { remaining_bytes } => *remaining_bytes == 0,
            Self::Chunked(reader) => reader.state == ChunkState::Done,
        }
    }

    /// Reads on in `bytes`; gives how many of them belong to the body. Fewer than all only when the body is done.
    pub(crate) fn read(&mut self, bytes: &[u8], sink: &mut impl BodySink) -> Result<usize, BodyFault> {
        match self {
            Self::Length { remaining_bytes } => {
                let used = usize::try_from(*remaining_bytes).unwrap_or(usize::MAX).min(bytes.len());
                sink.content(bytes.get(..used).unwrap_or_default());
                *remaining_bytes -= used as u64;
                Ok(used)
            }
            Self::Chunked(reader) => reader.read(bytes, sink),
        }
    }
}

#[derive(Debug, Default, PartialEq, Eq, Clone, Copy)]
enum ChunkState {
    #[default]
    SizeStart,
    Size,
    Extension,
    SizeEnd,
    Content,
    ContentEnd,
    ContentEndLf,
    TrailerStart,
    Trailer,
    LastLf,
    Done,
}

/// The chunked coding as a machine that takes one byte at a time, except for content, which it takes in runs.
#[derive(Debug, Default)]
pub(crate) struct ChunkedReader {
    state: ChunkState,
    remaining_bytes: u64,
    line_bytes: usize,
    trailer_bytes: usize,
}

impl ChunkedReader {
    fn read(&mut self, bytes: &[u8], sink: &mut impl BodySink) -> Result<usize, BodyFault> {
        let mut used = 0;
        while self.state != ChunkState::Done {
            let Some(rest) = bytes.get(used..).filter(|rest| !rest.is_empty()) else { break };
            if self.state == ChunkState::Content {
                let run = usize::try_from(self.remaining_bytes).unwrap_or(usize::MAX).min(rest.len());
                sink.content(rest.get(..run).unwrap_or_default());
                self.remaining_bytes -= run as u64;
                used += run;
                if self.remaining_bytes == 0 {
                    self.state = ChunkState::ContentEnd;
                }
            } else if let Some(byte) = rest.first() {
                self.state = self.step(*byte, sink)?;
                used += 1;
            }
        }
        Ok(used)
    }

    fn step(&mut self, byte: u8, sink: &mut impl BodySink) -> Result<ChunkState, BodyFault> {
        use ChunkState as S;
        Ok(match (self.state, byte) {
            (S::SizeStart | S::Size, digit) if digit.is_ascii_hexdigit() => self.size_digit(digit)?,
            (S::Size, b'\r') | (S::Extension, b'\r') => S::SizeEnd,
            (S::Size, b';' | b' ' | b'\t') => S::Extension,
            (S::Extension, byte) if byte != b'\n' => {
                self.line_bytes += 1;
                if self.line_bytes > CHUNK_LINE_BYTES_MAX {
                    return Err(BodyFault("a chunk's extensions are longer than 4 KiB"));
                }
                S::Extension
            }
            (S::SizeEnd, b'\n') => {
                self.line_bytes = 0;
                if self.remaining_bytes == 0 { S::TrailerStart } else { S::Content }
            }
            (S::ContentEnd, b'\r') => S::ContentEndLf,
            (S::ContentEndLf, b'\n') => S::SizeStart,
            (S::TrailerStart, b'\r') => S::LastLf,
            (S::TrailerStart | S::Trailer, byte) => {
                self.trailer_bytes += 1;
                if self.trailer_bytes > TRAILER_BYTES_MAX {
                    return Err(BodyFault("the trailers are longer than 64 KiB"));
                }
                sink.trailer(byte);
                if byte == b'\n' { S::TrailerStart } else { S::Trailer }
            }
            (S::LastLf, b'\n') => S::Done,
            (S::SizeStart, _) => return Err(BodyFault("a chunk's size is missing")),
            _ => return Err(BodyFault("the chunked coding is broken")),
        })
    }

    fn size_digit(&mut self, digit: u8) -> Result<ChunkState, BodyFault> {
        let value = char::from(digit).to_digit(16).unwrap_or(0);
        let start = if self.state == ChunkState::SizeStart { 0 } else { self.remaining_bytes };
        self.remaining_bytes = start
            .checked_mul(16)
            .and_then(|size| size.checked_add(u64::from(value)))
            .ok_or(BodyFault("a chunk's size does not fit 64 bits"))?;
        Ok(ChunkState::Size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Kept {
        content: Vec<u8>,
        trailers: Vec<u8>,
    }

    impl BodySink for Kept {
        fn content(&mut self, bytes: &[u8]) {
            self.content.extend_from_slice(bytes);
        }
        fn trailer(&mut self, byte: u8) {
            self.trailers.push(byte);
        }
    }

    /// Reads `bytes` in pieces of `piece_bytes`; gives what was used, the content and the trailers.
    fn read_in_pieces(bytes: &[u8], piece_bytes: usize) -> Result<(usize, String, String), BodyFault> {
        let mut reader = BodyReader::new(Framing::Chunked);
        let mut kept = Kept::default();
        let mut used = 0;
        for piece in bytes.chunks(piece_bytes) {
            used += reader.read(piece, &mut kept)?;
        }
        assert!(reader.is_done());
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ok((used, text(kept.content), text(kept.trailers)))
    }

    #[test]
    fn any_split_of_a_chunked_body_reads_the_same() {
        let bytes = b"5;name=value\r\nhello\r\n00A\r\n, world...\r\n0\r\nX-Sum: 1\r\nB: 2\r\n\r\nGET /next";
        for piece_bytes in 1..bytes.len() {
            let (used, content, trailers) = read_in_pieces(bytes, piece_bytes).unwrap();
            assert_eq!((used, content.as_str()), (bytes.len() - 9, "hello, world..."));
            assert_eq!(trailers, "X-Sum: 1\r\nB: 2\r\n");
        }
    }

    #[test]
    fn broken_chunks_are_faults() {
        for text in [
            "\r\n",
            "g\r\n",
            "5\nhello",
            "5\r\nhelloX",
            "11111111111111111\r\n",
            "0\r\n\rX",
            "-1\r\n",
            "5 \n",
        ] {
            let mut reader = BodyReader::new(Framing::Chunked);
            assert!(reader.read(text.as_bytes(), &mut Kept::default()).is_err(), "{text:?}");
        }
        let long = format!("5;{}", "x".repeat(5000));
        assert!(BodyReader::new(Framing::Chunked).read(long.as_bytes(), &mut Kept::default()).is_err());
        let trailers = format!("0\r\n{}", "x".repeat(TRAILER_BYTES_MAX + 1));
        assert!(BodyReader::new(Framing::Chunked).read(trailers.as_bytes(), &mut Kept::default()).is_err());
    }

    #[test]
    fn a_length_is_counted_down() {
        let mut reader = BodyReader::new(Framing::Length(5));
        let mut kept = Kept::default();
        assert_eq!(reader.read(b"hel", &mut kept), Ok(3));
        assert!(!reader.is_done());
        assert_eq!(reader.read(b"lo, world", &mut kept), Ok(2));
        assert!(reader.is_done());
        assert_eq!(kept.content, b"hello");
    }
}
