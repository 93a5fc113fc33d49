//! DER, the form of keys and certificates (ITU-T X.690): elements of a tag, a length and a content, read and written. Tags are bytes: all that keys and
//! certificates use are below 31.

/// Tag of a whole number.
pub(crate) const INTEGER: u8 = 0x02;
/// Tag of a text of bits, whose first byte says how many of the last byte's are not used.
pub(crate) const BITS: u8 = 0x03;
/// Tag of a text of bytes.
pub(crate) const BYTES: u8 = 0x04;
/// Tag of a nothing.
pub(crate) const NULL: u8 = 0x05;
/// Tag of an identifier.
pub(crate) const OID: u8 = 0x06;
/// Tag of a sequence.
pub(crate) const SEQUENCE: u8 = 0x30;
/// Tag of a set.
pub(crate) const SET: u8 = 0x31;

/// Elements that follow one another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The tag of the next element; `None` at the end.
    pub(crate) fn tag(&self) -> Option<u8> {
        self.0.first().copied()
    }

    /// The next element: tag, content, and all of its bytes. `None`: there is none, or it is not DER.
    pub(crate) fn element(&mut self) -> Option<(u8, &'a [u8], &'a [u8])> {
        let (&tag, after_tag) = self.0.split_first()?;
        if tag & 0x1f == 0x1f {
            return None;
        }
        let (&first, mut rest) = after_tag.split_first()?;
        let mut length = usize::from(first);
        if first >= 0x80 {
            // X.690 section 8.1.3.5; longer than four bytes is no key and no certificate.
            let count = usize::from(first & 0x7f);
            if !(1..=4).contains(&count) {
                return None;
            }
            let (bytes, after) = rest.split_at_checked(count)?;
            length = bytes.iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
            rest = after;
        }
        let (content, rest) = rest.split_at_checked(length)?;
        let whole = self.0.get(..self.0.len() - rest.len())?;
        self.0 = rest;
        Some((tag, content, whole))
    }

    /// The content of the next element if it has this tag; otherwise nothing is read.
    pub(crate) fn content(&mut self, tag: u8) -> Option<&'a [u8]> {
        if self.tag() != Some(tag) {
            return None;
        }
        self.element().map(|(_, content, _)| content)
    }

    /// The elements within the next one.
    pub(crate) fn within(&mut self, tag: u8) -> Option<Self> {
        self.content(tag).map(Reader)
    }

    /// A whole number that is not below zero, without zeros before it.
    pub(crate) fn integer(&mut self) -> Option<&'a [u8]> {
        let content = self.content(INTEGER)?;
        match content.first()? {
            0x80.. => None,
            _ => Some(trimmed(content)),
        }
    }

    /// Whole bytes of a text of bits.
    pub(crate) fn bits(&mut self) -> Option<&'a [u8]> {
        let (unused, bytes) = self.content(BITS)?.split_first()?;
        (*unused == 0).then_some(bytes)
    }
}

/// Without zeros before it; zero itself is one byte.
pub(crate) fn trimmed(mut bytes: &[u8]) -> &[u8] {
    while let [0, rest @ ..] = bytes
        && !rest.is_empty()
    {
        bytes = rest;
    }
    bytes
}

/// An element of its parts.
pub(crate) fn element(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let length = parts.iter().map(|part| part.len()).sum::<usize>();
    let mut bytes = vec![tag];
    if length < 0x80 {
        bytes.push(length as u8);
    } else {
        let of_length = length.to_be_bytes();
        let shown = trimmed(&of_length);
        bytes.push(0x80 | shown.len() as u8);
        bytes.extend_from_slice(shown);
    }
    parts.iter().for_each(|part| bytes.extend_from_slice(part));
    bytes
}

/// A whole number of its bytes, the highest first.
pub(crate) fn integer(bytes: &[u8]) -> Vec<u8> {
    let bytes = trimmed(bytes);
    let is_high = bytes.first().is_none_or(|first| *first >= 0x80);
    element(INTEGER, &[if is_high { &[0] } else { &[] }, bytes])
}

/// A text of bits of whole bytes.
pub(crate) fn bits(bytes: &[u8]) -> Vec<u8> {
    element(BITS, &[&[0], bytes])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_read_back() {
        for length in [0, 1, 127, 128, 255, 256, 70_000] {
            let content = vec![7; length];
            let bytes = element(BYTES, &[&content]);
            let mut reader = Reader::new(&bytes);
            assert_eq!(reader.element(), Some((BYTES, content.as_slice(), bytes.as_slice())));
            assert!(reader.is_empty());
            for cut in 0..bytes.len().min(6) {
                assert_eq!(Reader::new(&bytes[..cut]).element(), None, "{length} cut at {cut}");
            }
        }
        for number in [&[0][..], &[1], &[0x80], &[0, 0, 1, 2]] {
            assert_eq!(Reader::new(&integer(number)).integer(), Some(trimmed(number)));
        }
        assert_eq!(Reader::new(&[INTEGER, 1, 0xff]).integer(), None, "below zero");
        assert_eq!(Reader::new(&[0x30, 0x80, 0, 0]).element(), None, "a length without an end");
    }
}
