//! Bodies that are made while they are sent, in constant memory however long they are.

use units::NS_PER_SEC;

/// What `/file` repeats; the servers of the java-http benchmarks send the same text.
pub(crate) const TEXT: &[u8; 26] = b"Lorem ipsum dolor sit amet";

/// A block of whole repetitions of `TEXT`, so that a long body is copied in long runs. 26 × 2520 bytes, close to 64 KiB.
static BLOCK: [u8; 26 * 2520] = block();

const fn block() -> [u8; 26 * 2520] {
    let mut block = [0; 26 * 2520];
    let mut at = 0;
    while at < block.len() {
        block[at] = TEXT[at % TEXT.len()];
        at += 1;
    }
    block
}

/// Bytes put out between two sends, at most about: enough to make the calls cheap, little enough for ten thousand connections.
pub(crate) const FILL_BYTES: usize = 128 * 1024;

/// Largest chunk of a trickle or of the chunked coding: what a connection holds at once stays bounded.
pub(crate) const CHUNK_BYTES_MAX: u64 = 1 << 20;

/// The part of a body that is yet to be made.
#[derive(Debug, Default)]
pub(crate) enum Stream {
    #[default]
    None,
    /// Text from one position to another, as fast as the client takes it.
    Text { at: u64, end: u64 },
    /// Text at a rate.
    Trickle(Trickle),
    /// Text in the chunked coding.
    Chunked { at: u64, end: u64, chunk_bytes: u64, trailers: bool },
}

/// Byte k of the text (from 1) leaves no earlier than k / `per_sec` after `start_ns`, rounded up to whole chunks.
/// A chunk is at most `CHUNK_BYTES_MAX`.
#[derive(Debug)]
pub(crate) struct Trickle {
    pub(crate) at: u64,
    pub(crate) end: u64,
    pub(crate) chunk_bytes: u64,
    pub(crate) per_sec: u64,
    pub(crate) start_ns: u64,
}

/// What came of making more of a body.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Filled {
    /// That was all.
    Done,
    /// There is more; send first.
    More,
    /// There is more, but not before this time.
    Wait { until_ns: u64 },
}

/// Appends the bytes `at..at + size_bytes` of the endlessly repeated text.
pub(crate) fn append_text(out: &mut Vec<u8>, mut at: u64, mut size_bytes: u64) {
    while size_bytes > 0 {
        let offset = (at % TEXT.len() as u64) as usize;
        let run = BLOCK.get(offset..).unwrap_or_default();
        let run = run.get(..usize::try_from(size_bytes).unwrap_or(usize::MAX)).unwrap_or(run);
        out.extend_from_slice(run);
        at += run.len() as u64;
        size_bytes -= run.len() as u64;
    }
}

impl Stream {
    pub(crate) fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// Appends the next part of the body to `out`.
    pub(crate) fn fill(&mut self, now_ns: u64, out: &mut Vec<u8>) -> Filled {
        match self {
            Self::None => Filled::Done,
            Self::Text { at, end } => {
                let size_bytes = (*end - *at).min(FILL_BYTES as u64);
                append_text(out, *at, size_bytes);
                *at += size_bytes;
                if at == end { Filled::Done } else { Filled::More }
            }
            Self::Trickle(trickle) => trickle.fill(now_ns, out),
            Self::Chunked { at, end, chunk_bytes, trailers } => {
                fill_chunked(at, *end, *chunk_bytes, *trailers, out)
            }
        }
    }
}

impl Trickle {
    fn fill(&mut self, now_ns: u64, out: &mut Vec<u8>) -> Filled {
        let room = out.len().saturating_add(FILL_BYTES);
        while self.at < self.end {
            let chunk_bytes = self.chunk_bytes.min(self.end - self.at);
            let due_ns = self.due_ns(self.at + chunk_bytes);
            if due_ns > now_ns {
                return Filled::Wait { until_ns: due_ns };
            }
            if out.len() >= room {
                return Filled::More;
            }
            append_text(out, self.at, chunk_bytes);
            self.at += chunk_bytes;
        }
        Filled::Done
    }

    /// When the first `sent` bytes may have left: start + sent / rate, rounded up.
    fn due_ns(&self, sent: u64) -> u64 {
        let after_ns = (u128::from(sent) * u128::from(NS_PER_SEC)).div_ceil(u128::from(self.per_sec.max(1)));
        self.start_ns.saturating_add(u64::try_from(after_ns).unwrap_or(u64::MAX))
    }
}

fn fill_chunked(at: &mut u64, end: u64, chunk_bytes: u64, trailers: bool, out: &mut Vec<u8>) -> Filled {
    let room = out.len().saturating_add(FILL_BYTES);
    while *at < end {
        if out.len() >= room {
            return Filled::More;
        }
        let size_bytes = chunk_bytes.clamp(1, end - *at);
        out.extend_from_slice(format!("{size_bytes:x}\r\n").as_bytes());
        append_text(out, *at, size_bytes);
        out.extend_from_slice(b"\r\n");
        *at += size_bytes;
    }
    out.extend_from_slice(b"0\r\n");
    if trailers {
        out.extend_from_slice(format!("x-size: {end}\r\nx-end: yes\r\n").as_bytes());
    }
    out.extend_from_slice(b"\r\n");
    Filled::Done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_the_same_in_any_parts() {
        let mut whole = Vec::new();
        append_text(&mut whole, 0, 200_000);
        assert_eq!(whole.len(), 200_000);
        assert!(whole.iter().zip(TEXT.iter().cycle()).all(|(a, b)| a == b));
        let mut stream = Stream::Text { at: 0, end: 200_000 };
        let mut parts = Vec::new();
        while stream.fill(0, &mut parts) == Filled::More {}
        assert!(parts == whole);
    }

    #[test]
    fn a_trickle_is_never_early_and_takes_size_over_rate() {
        let mut stream =
            Stream::Trickle(Trickle { at: 0, end: 100, chunk_bytes: 30, per_sec: 1000, start_ns: 5 });
        let (mut now_ns, mut out, mut seen) = (5, Vec::new(), Vec::new());
        while let Filled::Wait { until_ns } = stream.fill(now_ns, &mut out) {
            seen.push((now_ns, out.len()));
            now_ns = until_ns;
        }
        assert_eq!(seen, [(5, 0), (30_000_005, 30), (60_000_005, 60), (90_000_005, 90)]);
        assert_eq!((now_ns, out.len()), (100_000_005, 100));
    }

    #[test]
    fn chunks_are_framed() {
        let mut stream = Stream::Chunked { at: 0, end: 30, chunk_bytes: 20, trailers: true };
        let mut out = Vec::new();
        assert_eq!(stream.fill(0, &mut out), Filled::Done);
        let want = "14\r\nLorem ipsum dolor si\r\na\r\nt ametLore\r\n0\r\nx-size: 30\r\nx-end: yes\r\n\r\n";
        assert_eq!(String::from_utf8(out).unwrap(), want);
    }
}
