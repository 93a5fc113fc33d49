//! The connection's last head, kept to spare parsing the next one.
//!
//! A server's answers on one connection hardly differ: the same lines, now and then another `Date`, `Content-Length` or request id. What
//! frames a body is a pure function of the head's bytes, so equal bytes need no parser; and a head that differs only within the values of
//! lines that frame nothing says the same. [`RememberedHead`] learns which values vary, compares what lies between them, and either proves
//! what the parser would say or leaves it to the parser. Instructions per usual answer, by the example `head_cost` under callgrind: 1870 when
//! each head is parsed, 750 when a date varies, 170 when the head is equal.

use super::Complete;
use super::framing::{Framing, Head, Length, RequestKind};
use super::request::{is_token, is_value_byte};

/// A remembered head is at most this long: longer ones cost more to compare and keep than their repetition saves.
const REMEMBERED_BYTES_MAX: usize = 2 * 1024;

/// Room for a head that is kept from one to the next: ten thousand sessions stay small even if each once met a huge head.
pub(super) const ROOM_KEPT_BYTES: usize = 4 * 1024;

/// Values that may vary: `Date`, a length, an id or two. With more of them parsing is as quick.
const VARYING_COUNT_MAX: usize = 4;

/// The last final head: its bytes and what they said.
#[derive(Debug, Default)]
pub(super) struct RememberedHead {
    /// From the first byte to the empty line; empty when there is none, or it was too long.
    bytes: Vec<u8>,
    facts: Head,
    repeat: Option<Repeat>,
    /// Where values were seen to vary, in order, apart from each other.
    varying: Vec<Varying>,
}

/// A header's value in the remembered head, from behind the colon to the line's end. In the next head it may be any other.
#[derive(Debug, Clone, Copy)]
struct Varying {
    start: usize,
    end: usize,
    /// Whether it is the only `Content-Length`.
    is_length: bool,
}

/// What the same head means in the usual case: an answer of known length to an ordinary request, on a connection that goes on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Repeat {
    pub(super) complete: Complete,
    /// Length of head and body together.
    pub(super) total_bytes: usize,
}

impl Repeat {
    fn new(facts: &Head, head_bytes: usize) -> Option<Repeat> {
        let framing = facts.framing(RequestKind::Other).ok()?;
        let body_bytes = match framing {
            Framing::Empty => 0,
            Framing::Length(body_bytes) => body_bytes,
            Framing::Chunked | Framing::UntilEnd => return None,
        };
        let keep_alive = facts.persists(RequestKind::Other, framing);
        let total_bytes = head_bytes.checked_add(usize::try_from(body_bytes).ok()?)?;
        let head_bytes = u32::try_from(head_bytes).ok()?;
        let complete = Complete { status: facts.status, keep_alive, head_bytes, body_bytes };
        keep_alive.then_some(Repeat { complete, total_bytes })
    }
}

/// A head held against the remembered one.
enum Likeness {
    /// Equal but for varying values. Their new lengths are in order.
    Alike { facts: Head, head_bytes: usize, value_bytes: [usize; VARYING_COUNT_MAX] },
    /// It differs elsewhere, first from this index of the remembered head.
    DiffersFrom(usize),
    /// It is not whole.
    Cut,
}

impl RememberedHead {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn capacity(&self) -> usize {
        self.bytes.capacity() + self.varying.capacity() * size_of::<Varying>()
    }

    /// The remembered head's version: 0 or 1.
    pub(super) fn minor_version(&self) -> u8 {
        self.facts.minor_version
    }

    /// Keeps a head that the parser accepted, however long it is if `is_wanted`.
    pub(super) fn replace(&mut self, facts: Head, head: &[u8], is_wanted: bool) {
        self.varying.clear();
        self.keep(facts, head, is_wanted);
    }

    fn keep(&mut self, facts: Head, head: &[u8], is_wanted: bool) {
        self.bytes.clear();
        self.bytes.shrink_to(ROOM_KEPT_BYTES);
        self.facts = facts;
        self.repeat = None;
        if is_wanted || head.len() <= REMEMBERED_BYTES_MAX {
            self.bytes.extend_from_slice(head);
            self.repeat = Repeat::new(&facts, head.len());
        }
    }

    /// What `bytes` begin with, if it is the usual case: the very same head, and its body whole.
    #[inline]
    pub(super) fn repeat(&self, bytes: &[u8]) -> Option<Repeat> {
        let repeat = self.repeat?;
        (bytes.len() >= repeat.total_bytes && bytes.starts_with(&self.bytes)).then_some(repeat)
    }

    /// The facts and length of the head at the front of `bytes`, if it is whole, within `bytes_max` and like the remembered one:
    /// exactly what the parser would say. It is then the remembered one. None says nothing about it.
    pub(super) fn recognise(
        &mut self,
        bytes: &[u8],
        bytes_max: usize,
        is_wanted: bool,
    ) -> Option<(Head, usize)> {
        if self.bytes.is_empty() {
            return None;
        }
        loop {
            match self.likeness(bytes) {
                Likeness::Alike { facts, head_bytes, value_bytes } if head_bytes <= bytes_max => {
                    if !self.varying.is_empty() {
                        self.keep(facts, bytes.get(..head_bytes)?, is_wanted);
                        self.move_varying(&value_bytes);
                    }
                    return Some((facts, head_bytes));
                }
                // Each turn learns one more varying value, of which there are few, or gives up.
                Likeness::DiffersFrom(index) => self.learn(index)?,
                Likeness::Alike { .. } | Likeness::Cut => return None,
            }
        }
    }

    fn likeness(&self, bytes: &[u8]) -> Likeness {
        let (mut old, mut rest) = (0, bytes);
        let mut facts = self.facts;
        let mut value_bytes = [0; VARYING_COUNT_MAX];
        for (varying, value_bytes) in self.varying.iter().zip(&mut value_bytes) {
            let fixed = self.bytes.get(old..varying.start).unwrap_or_default();
            let Some(after) = rest.strip_prefix(fixed) else { return difference(old, fixed, rest) };
            let (value, after) = after.split_at_checked(value_length(after)).unwrap_or((after, &[]));
            if varying.is_length {
                facts.length = Length::Absent.and(value);
            }
            *value_bytes = value.len();
            (old, rest) = (varying.end, after);
        }
        let fixed = self.bytes.get(old..).unwrap_or_default();
        match rest.strip_prefix(fixed) {
            Some(after) => Likeness::Alike { facts, head_bytes: bytes.len() - after.len(), value_bytes },
            None => difference(old, fixed, rest),
        }
    }

    /// After other values were kept: where they lie now.
    fn move_varying(&mut self, value_bytes: &[usize; VARYING_COUNT_MAX]) {
        let mut old_end = 0;
        let mut end = 0;
        for (varying, value_bytes) in self.varying.iter_mut().zip(value_bytes) {
            let start = end + (varying.start - old_end);
            old_end = varying.end;
            end = start + value_bytes;
            (varying.start, varying.end) = (start, end);
        }
    }

    /// A head differed from this index on: lets the value there vary, if no more than the length depends on it.
    #[cold]
    fn learn(&mut self, index: usize) -> Option<()> {
        let line_start = self.bytes.get(..index)?.iter().rposition(|&byte| byte == b'\n')? + 1;
        let line = self.bytes.get(line_start..)?;
        let colon = line.iter().position(|&byte| byte == b':')?;
        let (name, value) = (line.get(..colon)?, line.get(colon + 1..)?);
        // Neither the status line nor a folded line begins with a token and a colon.
        if name.is_empty() || !name.iter().all(|&byte| is_token(byte)) {
            return None;
        }
        let start = line_start + colon + 1;
        let end = start + value_length(value);
        let is_length = name.eq_ignore_ascii_case(b"content-length");
        let is_bound = match name.len() {
            10 => name.eq_ignore_ascii_case(b"connection"),
            17 => name.eq_ignore_ascii_case(b"transfer-encoding"),
            // A length that repeats or folds is the parser's business.
            _ => is_length && (self.facts.length_line_count != 1 || is_folded(value)),
        };
        // Before the colon names differ, and past a line's CR only its LF can stand.
        let is_in_value = (start..=end).contains(&index);
        let at = self.varying.partition_point(|varying| varying.start < start);
        let is_known = self.varying.get(at).is_some_and(|varying| varying.start == start);
        if is_bound || !is_in_value || is_known || self.varying.len() >= VARYING_COUNT_MAX {
            return None;
        }
        self.varying.insert(at, Varying { start, end, is_length });
        Some(())
    }
}

/// Where `rest` stops to begin with `fixed`, which stands at `index` of the remembered head.
#[cold]
fn difference(index: usize, fixed: &[u8], rest: &[u8]) -> Likeness {
    let same = fixed.iter().zip(rest).take_while(|(old, new)| old == new).count();
    if same == rest.len() { Likeness::Cut } else { Likeness::DiffersFrom(index + same) }
}

/// Whether the line that begins with this value goes on in the next.
fn is_folded(value: &[u8]) -> bool {
    let line_end = value.iter().position(|&byte| byte == b'\n').unwrap_or(value.len());
    matches!(value.get(line_end + 1), Some(b' ' | b'\t'))
}

/// Bytes at the front that a header's value may hold, eight at a time.
fn value_length(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGHS: u64 = ONES << 7;
    let mut length = 0;
    while let Some(word) = bytes.get(length..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(*word);
        // Marks the high bit of bytes below 0x20, and of DEL. A borrow can mark a byte wrongly only above one marked rightly
        // (H. Warren, Hacker's Delight, 2nd ed., §6-1), so the lowest mark is true.
        let del = word ^ (ONES * 0x7f);
        let marks = ((word.wrapping_sub(ONES * 0x20) & !word) | (del.wrapping_sub(ONES) & !del)) & HIGHS;
        if marks == 0 {
            length += 8;
            continue;
        }
        length += marks.trailing_zeros() as usize / 8;
        if bytes.get(length) != Some(&b'\t') {
            return length;
        }
        length += 1;
    }
    let tail = bytes.get(length..).unwrap_or_default();
    length + tail.iter().position(|&byte| !is_value_byte(byte)).unwrap_or(tail.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::http1::head;

    const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nServer: x\r\nDate: Sat, 21 Nov 2026 01:50:00 GMT\r\nContent-Length: 5\r\nX-Id: a\r\n\r\n";

    fn remembering(head: &[u8]) -> RememberedHead {
        let (facts, head_bytes) = head::parse(head).expect("a sound head").expect("a whole head");
        let mut remembered = RememberedHead::default();
        remembered.replace(facts, &head[..head_bytes], false);
        remembered
    }

    fn replaced(from: &str, to: &str) -> Vec<u8> {
        let head = std::str::from_utf8(HEAD).expect("the head is text");
        assert!(head.contains(from));
        head.replace(from, to).into_bytes()
    }

    /// Whether a head like [`HEAD`] but for one replacement is recognised; if it is, as what the parser sees in it.
    fn is_recognised(from: &str, to: &str) -> bool {
        let next = replaced(from, to);
        let found = remembering(HEAD).recognise(&next, usize::MAX, false);
        if found.is_some() {
            assert_eq!(found, head::parse(&next).expect("what is recognised is sound"));
        }
        found.is_some()
    }

    #[test]
    fn values_that_frame_nothing_may_vary() {
        assert!(is_recognised("01:50:00", "01:50:01"));
        assert!(is_recognised("X-Id: a", "X-Id: some other\tvalue"));
        assert!(is_recognised("X-Id: a", "X-Id:"));
        assert!(is_recognised("Server: x\r\nDate: Sat", "Server: yy\r\nDate: Sun"));
    }

    #[test]
    fn a_length_may_vary_and_is_read_again() {
        assert!(is_recognised("Length: 5", "Length: 12345"));
        assert!(is_recognised("Length: 5", "Length: 7, 7 "));
        assert!(is_recognised("Length: 5", "Length: -5"));
        let next = replaced("Length: 5", "Length: 12345");
        let (facts, _) = remembering(HEAD).recognise(&next, usize::MAX, false).expect("it is alike");
        assert_eq!(facts.length, Length::Bytes(12345));
    }

    #[test]
    fn all_else_is_the_parsers_business() {
        for (from, to) in [
            ("200", "201"),
            ("1.1", "1.0"),
            ("X-Id", "X-Ie"),
            ("X-Id: a", "X-Id: a\r"),
            ("X-Id: a", "X-Id: \0"),
            ("X-Id: a", "X-Id: a\x7f"),
            ("X-Id: a\r\n", ""),
            ("X-Id: a\r\n", "X-Id: a\r\nX-Ie: a\r\n"),
            ("X-Id: a\r\n", "X-Id: a\r\n b\r\n"),
            ("GMT\r\n", "GMT\n"),
        ] {
            assert!(!is_recognised(from, to), "{from:?} -> {to:?}");
        }
    }

    #[test]
    fn a_head_cut_short_is_not_recognised_and_teaches_nothing() {
        let mut remembered = remembering(HEAD);
        for end in 0..HEAD.len() {
            assert!(remembered.recognise(&HEAD[..end], usize::MAX, false).is_none());
        }
        assert!(remembered.varying.is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        /// Along a row of heads that are alike, whatever is recognised is what the parser says, and repeats are repeats.
        #[test]
        fn recognition_agrees_with_the_parser(
            first in lines(),
            edits in proptest::collection::vec((any::<prop::sample::Index>(), edit()), 1..8),
        ) {
            let mut head = text(&first);
            prop_assume!(matches!(head::parse(head.as_bytes()), Ok(Some(_))));
            let mut remembered = remembering(head.as_bytes());
            for (at, edit) in edits {
                let at = at.index(head.len());
                let before = head.clone();
                head.replace_range(at..(at + edit.0).min(head.len()), &edit.1);
                let parsed = head::parse(head.as_bytes());
                if let Some(found) = remembered.recognise(head.as_bytes(), usize::MAX, false) {
                    prop_assert_eq!(parsed, Ok(Some(found)));
                    prop_assert_eq!(remembered.bytes(), &head.as_bytes()[..found.1]);
                } else if let Ok(Some((facts, head_bytes))) = parsed {
                    remembered.replace(facts, &head.as_bytes()[..head_bytes], false);
                } else {
                    head = before;
                }
            }
        }
    }

    fn lines() -> impl Strategy<Value = Vec<&'static str>> {
        let line = prop::sample::select(vec![
            "Date: Sat, 21 Nov 2026 01:50:00 GMT",
            "Content-Length: 5",
            "content-length:55",
            "Content-Length: 1\r\n 2",
            "Connection: close",
            "Transfer-Encoding: chunked",
            "X-Id: abc:def",
            "X-Fold: a\r\n\tb",
            "Empty:",
            "A:\tb",
        ]);
        proptest::collection::vec(line, 0..6)
    }

    fn text(lines: &[&str]) -> String {
        lines.iter().fold("HTTP/1.1 200 OK\r\n".to_owned(), |head, line| head + line + "\r\n") + "\r\n"
    }

    /// How many bytes are replaced, and by what.
    fn edit() -> impl Strategy<Value = (usize, String)> {
        (0_usize..4, "[0-9a-c:, \r\n\t\x00]{0,4}")
    }
}
