//! The bodies of the fuzz targets in `fuzz/`, as plain functions, so that `cargo test` runs them too: over every seed in `fuzz/seeds/` and a
//! few thousand deterministic mutations of each kind of seed.
//!
//! A broken invariant is a panic here, as fuzzers expect.

use crate::content;
use crate::http1::{Complete, Ended, Event, Limits, ProtocolError, RequestKind, Session, Want};

/// Small, so that mutations of small seeds reach them.
const LIMITS: Limits = Limits { head_bytes_max: 1024, body_kept_bytes_max: 64 };

/// What the buffers of one session may hold under [`LIMITS`]: two heads and a body, each in a Vec that doubles, the few varying values, and
/// the open requests.
const BUFFERED_BYTES_MAX: usize = 2 * (2 * 1025 + 64) + 1024 + OPERATION_COUNT_MAX * 16;

/// Operations looked at in one input.
const OPERATION_COUNT_MAX: usize = 256;

/// A session under a sequence of operations, then the same bytes split in different ways.
///
/// Input: a line of operations, then what the server sends. `o`, `h`, `c`, `u`: expect the answer to an ordinary request, HEAD, CONNECT or
/// Upgrade, wanting nothing; in capitals wanting all. `1` to `9`: hand in so many bytes. `.`: hand in the rest. `!`: reset. `$`: end.
pub fn response(input: &[u8]) {
    let line_end = input.iter().position(|&byte| byte == b'\n').unwrap_or(input.len());
    let operations = &input[..line_end.min(OPERATION_COUNT_MAX)];
    let wire = input.get(line_end + 1..).unwrap_or_default();
    operate(operations, wire);

    let expected: Vec<_> = operations.iter().copied().filter_map(expectation).collect();
    let whole = observe(&expected, wire, &mut || usize::MAX);
    let mut random = Xorshift(0x9e37_79b9_7f4a_7c15);
    assert_eq!(whole, observe(&expected, wire, &mut || 1), "split into single bytes");
    assert_eq!(whole, observe(&expected, wire, &mut || random.below(40) + 1), "split at random");
}

fn expectation(operation: u8) -> Option<(RequestKind, Want)> {
    let kind = match operation.to_ascii_lowercase() {
        b'o' => RequestKind::Other,
        b'h' => RequestKind::Head,
        b'c' => RequestKind::Connect,
        b'u' => RequestKind::Upgrade,
        _ => return None,
    };
    Some((kind, if operation.is_ascii_uppercase() { Want::ALL } else { Want::NOTHING }))
}

fn operate(operations: &[u8], wire: &[u8]) {
    let mut session = Session::new(LIMITS);
    let mut rest = wire;
    for &operation in operations {
        if let Some((kind, want)) = expectation(operation) {
            session.expect(kind, want);
            continue;
        }
        let given = match operation {
            b'1'..=b'9' => usize::from(operation - b'0').min(rest.len()),
            b'.' => rest.len(),
            b'!' => {
                session.reset();
                assert_eq!((session.due_count(), session.is_within_answer()), (0, false));
                continue;
            }
            b'$' => {
                session.end();
                assert!(session.handle(b"HTTP").is_err(), "bytes after the end");
                continue;
            }
            _ => continue,
        };
        let mut piece = &rest[..given];
        rest = &rest[given..];
        while !piece.is_empty() {
            let Ok((consumed, event)) = checked_handle(&mut session, piece) else { break };
            piece = &piece[consumed..];
            assert_eq!(session.response().is_some(), matches!(event, Some(Event::Complete(_))));
        }
    }
    session.end();
}

/// One call, with what must hold of each.
fn checked_handle(session: &mut Session, piece: &[u8]) -> Result<(usize, Option<Event>), ProtocolError> {
    let due_count = session.due_count();
    let outcome = session.handle(piece);
    assert!(session.buffered_bytes() <= BUFFERED_BYTES_MAX, "{} bytes buffered", session.buffered_bytes());
    match outcome {
        Ok((consumed, None)) => assert_eq!(consumed, piece.len(), "without an event all is consumed"),
        Ok((consumed, Some(event))) => {
            assert!((1..=piece.len()).contains(&consumed), "{consumed} of {} consumed", piece.len());
            let answered_count = usize::from(matches!(event, Event::Complete(_)));
            assert_eq!(session.due_count() + answered_count, due_count);
        }
        Err(error) => assert_eq!(session.handle(piece), Err(error), "errors stay"),
    }
    outcome
}

/// What a caller sees of a connection. Offsets are into the wire.
#[derive(Debug, PartialEq, Eq)]
enum Observed {
    Informational { status: u16, offset: usize },
    Complete { complete: Complete, offset: usize, kept: Kept },
    Failed(ProtocolError),
    Ended(Ended, Option<Kept>),
}

/// The wanted parts of an answer.
#[derive(Debug, PartialEq, Eq)]
struct Kept {
    minor_version: u8,
    headers: Option<Vec<(String, Vec<u8>)>>,
    body: String,
}

fn kept(session: &Session) -> Option<Kept> {
    let response = session.response()?;
    let headers = response
        .headers
        .map(|headers| headers.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect());
    Some(Kept { minor_version: response.minor_version, headers, body: format!("{:?}", response.body) })
}

fn observe(
    expected: &[(RequestKind, Want)],
    wire: &[u8],
    next_length: &mut dyn FnMut() -> usize,
) -> Vec<Observed> {
    let mut session = Session::new(LIMITS);
    for &(kind, want) in expected {
        session.expect(kind, want);
    }
    let mut observed = Vec::new();
    let mut offset = 0;
    while offset < wire.len() {
        let piece_end = offset.saturating_add(next_length()).min(wire.len());
        while offset < piece_end {
            let (consumed, event) = match checked_handle(&mut session, &wire[offset..piece_end]) {
                Ok(done) => done,
                Err(error) => {
                    observed.push(Observed::Failed(error));
                    return observed;
                }
            };
            offset += consumed;
            match event {
                Some(Event::Informational { status }) => {
                    observed.push(Observed::Informational { status, offset })
                }
                Some(Event::Complete(complete)) => {
                    let kept = kept(&session).expect("a complete answer is lent");
                    observed.push(Observed::Complete { complete, offset, kept });
                }
                None => {}
            }
        }
    }
    let ended = session.end();
    observed.push(Observed::Ended(ended, kept(&session)));
    observed
}

/// Decoding of a body: never longer than the limit, whatever it claims to be. The first line lists the codings.
pub fn content(input: &[u8]) {
    const BYTES_MAX: usize = 32 * 1024;
    let line_end = input.iter().position(|&byte| byte == b'\n').unwrap_or(input.len());
    let body = input.get(line_end + 1..).unwrap_or_default();
    if let Ok(decoded) = content::decode(&input[..line_end], body, BYTES_MAX) {
        assert!(decoded.len() <= BYTES_MAX);
    }
}

/// Marsaglia's xorshift64: enough to choose mutations, and the same everywhere (J. Stat. Soft. 8(14), 2003).
struct Xorshift(u64);

impl Xorshift {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits of protocol that blind mutation would hardly find.
    const TOKENS: [&[u8]; 14] = [
        b"\r\n",
        b"\n",
        b"\r",
        b"\r\n\r\n",
        b"\r\n ",
        b"Content-Length: 3\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"Connection: close\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        b"0\r\n\r\n",
        b"ffffffffffffffff",
        b"\0",
        b"o.O",
    ];

    fn seeds(target: &str) -> Vec<Vec<u8>> {
        let folder = format!("{}/../../fuzz/seeds/{target}", env!("CARGO_MANIFEST_DIR"));
        let mut paths: Vec<_> = std::fs::read_dir(&folder)
            .expect("the seeds lie beside the fuzz targets")
            .map(|entry| entry.expect("the folder can be listed").path())
            .collect();
        paths.sort(); // the order of a folder differs between machines
        assert!(paths.len() >= 4, "{folder} has lost its seeds");
        paths.iter().map(|path| std::fs::read(path).expect("a seed can be read")).collect()
    }

    fn mutated(seeds: &[Vec<u8>], random: &mut Xorshift) -> Vec<u8> {
        let mut input = seeds[random.below(seeds.len())].clone();
        for _ in 0..=random.below(4) {
            let at = random.below(input.len() + 1);
            let end = (at + random.below(20)).min(input.len());
            match random.below(7) {
                0 if at < input.len() => input[at] ^= 1 << random.below(8),
                1 if at < input.len() => input[at] = random.below(256) as u8,
                2 => drop(input.drain(at..end)),
                3 => drop(input.splice(at..at, TOKENS[random.below(TOKENS.len())].iter().copied())),
                4 => {
                    let copied = input[at..end].to_vec();
                    drop(input.splice(at..at, copied));
                }
                5 => input.truncate(at.max(input.len() / 2)),
                _ => {
                    let other = &seeds[random.below(seeds.len())];
                    let from = random.below(other.len());
                    input.truncate(at);
                    input.extend_from_slice(&other[from..]);
                }
            }
        }
        input
    }

    /// On a panic the input is the last one printed.
    fn run(target: &str, body: fn(&[u8]), mutation_count: usize) {
        let seeds = seeds(target);
        let mut random = Xorshift(0x5eed_5eed_5eed_5eed);
        let mutations = (0..mutation_count).map(|_| mutated(&seeds, &mut random));
        for input in seeds.iter().cloned().chain(mutations) {
            println!("b\"{}\"", input.escape_ascii());
            body(&input);
        }
    }

    #[test]
    fn sessions_keep_their_invariants_over_seeds_and_mutations() {
        run("response", response, 6000);
    }

    #[test]
    fn decoders_keep_their_limit_over_seeds_and_mutations() {
        run("content", content, 3000);
    }
}
