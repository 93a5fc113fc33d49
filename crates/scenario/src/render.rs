//! Requests made ready for sending: once, when nothing in them varies; else from pieces, into a buffer that is reused.

use plan::{Builtin, Template, TemplatePart};
use units::Random;

/// Where a value goes, which decides what must be kept out of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// A body: anything goes.
    Body,
    /// A path: what would end the request line is percent-encoded, delimiters stay (RFC 3986 §2.1).
    Path,
    /// A name or value of a query or form: everything but unreserved characters is percent-encoded (RFC 3986 §2.3).
    Query,
    /// A header's value: controls become spaces, so that a value never ends its line.
    Header,
}

/// A piece of a [`Text`].
#[derive(Debug, Clone)]
enum Piece {
    Bytes(Vec<u8>),
    Variable(usize, Place),
    Builtin(Builtin),
}

/// Bytes with gaps that are filled per request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Text(Vec<Piece>);

/// What fills the gaps.
pub(crate) struct Values<'a> {
    pub(crate) variables: &'a [String],
    pub(crate) user_index: u64,
    pub(crate) iteration: u64,
    pub(crate) random: &'a mut Random,
}

impl Text {
    /// Appends fixed bytes as they stand.
    pub(crate) fn push_bytes(&mut self, bytes: &[u8]) {
        if let Some(Piece::Bytes(last)) = self.0.last_mut() {
            last.extend_from_slice(bytes);
        } else if !bytes.is_empty() {
            self.0.push(Piece::Bytes(bytes.to_vec()));
        }
    }

    /// Appends a template, all of whose text and values go to `place`.
    pub(crate) fn push(&mut self, template: &Template, place: Place) {
        for part in &template.parts {
            match part {
                TemplatePart::Text(text) => {
                    let mut bytes = Vec::new();
                    escape(text.as_bytes(), place, &mut bytes);
                    self.push_bytes(&bytes);
                }
                TemplatePart::Variable { index, .. } => {
                    self.0.push(Piece::Variable(usize::from(index.0), place))
                }
                TemplatePart::Builtin(builtin) => self.0.push(Piece::Builtin(*builtin)),
            }
        }
    }

    /// The bytes, when there are no gaps.
    pub(crate) fn as_fixed(&self) -> Option<&[u8]> {
        match self.0.as_slice() {
            [] => Some(b""),
            [Piece::Bytes(bytes)] => Some(bytes),
            _ => None,
        }
    }

    /// Appends the bytes with the gaps filled.
    pub(crate) fn write(&self, values: &mut Values<'_>, out: &mut Vec<u8>) {
        for piece in &self.0 {
            match piece {
                Piece::Bytes(bytes) => out.extend_from_slice(bytes),
                Piece::Variable(index, place) => {
                    let value = values.variables.get(*index).map_or("", String::as_str);
                    escape(value.as_bytes(), *place, out);
                }
                Piece::Builtin(builtin) => write_builtin(*builtin, values, out),
            }
        }
    }
}

/// None of the builtins' texts has a character that needs escaping anywhere.
fn write_builtin(builtin: Builtin, values: &mut Values<'_>, out: &mut Vec<u8>) {
    match builtin {
        Builtin::UserIndex => write_number(values.user_index, out),
        Builtin::UserNumber => write_number(values.user_index.saturating_add(1), out),
        Builtin::Iteration => write_number(values.iteration, out),
        Builtin::Random { low, high } => {
            let span = (high - low).saturating_add(1);
            write_number(low + values.random.below(span), out);
        }
        Builtin::Uuid => write_uuid(values.random, out),
    }
}

/// Decimal digits, without going through formatting.
fn write_number(mut value: u64, out: &mut Vec<u8>) {
    let start = out.len();
    loop {
        out.push(b'0' + (value % 10) as u8);
        value /= 10;
        if value == 0 {
            break;
        }
    }
    if let Some(digits) = out.get_mut(start..) {
        digits.reverse();
    }
}

/// RFC 9562 §5.4, version 4.
fn write_uuid(random: &mut Random, out: &mut Vec<u8>) {
    let bits =
        (u128::from(random.bits()) << 64 | u128::from(random.bits())) & !(0xF000 << 64) & !(0xC000 << 48);
    let bits = bits | 0x4000 << 64 | 0x8000 << 48;
    for digit in 0..32 {
        if matches!(digit, 8 | 12 | 16 | 20) {
            out.push(b'-');
        }
        let nibble = (bits >> (124 - 4 * digit)) as usize & 0xF;
        out.push(HEX_LOWER[nibble]);
    }
}

const HEX_LOWER: &[u8; 16] = b"0123456789abcdef";
const HEX_UPPER: &[u8; 16] = b"0123456789ABCDEF";

/// Appends `bytes` as they may stand in `place`.
pub(crate) fn escape(bytes: &[u8], place: Place, out: &mut Vec<u8>) {
    match place {
        Place::Body => out.extend_from_slice(bytes),
        Place::Header => {
            out.extend(bytes.iter().map(|b| if b.is_ascii_control() && *b != b'\t' { b' ' } else { *b }))
        }
        Place::Path => percent(
            bytes,
            |b| {
                b.is_ascii_graphic()
                    && !matches!(b, b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' | b'#')
            },
            out,
        ),
        Place::Query => {
            percent(bytes, |b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b'~'), out)
        }
    }
}

fn percent(bytes: &[u8], stays: impl Fn(u8) -> bool, out: &mut Vec<u8>) {
    for &byte in bytes {
        if stays(byte) {
            out.push(byte);
        } else {
            out.extend_from_slice(&[
                b'%',
                HEX_UPPER[usize::from(byte >> 4)],
                HEX_UPPER[usize::from(byte & 15)],
            ]);
        }
    }
}

/// A request whose parts are ready; the target's own lines and the cookies are put in between.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rendering {
    pub(crate) method: String,
    /// Base path, path and query.
    pub(crate) path: Text,
    /// Header lines, each with its CRLF, without Host, Content-Length and Cookie.
    pub(crate) lines: Text,
    /// The body, when there is one (it may be empty and still announced).
    pub(crate) body: Option<Text>,
    /// Replaces the target's `Host`.
    pub(crate) host: Option<String>,
}

/// Lengths within a rendered request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Marks {
    /// Where a cookie line may be put in.
    pub(crate) cookie_at: usize,
    /// Length of the head.
    pub(crate) head_bytes: usize,
}

impl Rendering {
    /// Writes the whole request into `out` (cleared first). `scratch` is for the body, whose length goes before it.
    /// `cookies` appends a cookie line for the given path.
    pub(crate) fn write(
        &self,
        host: &str,
        values: &mut Values<'_>,
        scratch: &mut Vec<u8>,
        out: &mut Vec<u8>,
        cookies: impl FnOnce(&str, &mut Vec<u8>),
    ) -> Marks {
        out.clear();
        out.extend_from_slice(self.method.as_bytes());
        out.push(b' ');
        let path_start = out.len();
        self.path.write(values, out);
        let path_end = out.len();
        out.extend_from_slice(b" HTTP/1.1\r\nhost: ");
        out.extend_from_slice(self.host.as_deref().unwrap_or(host).as_bytes());
        out.extend_from_slice(b"\r\n");
        self.lines.write(values, out);
        let cookie_at = out.len();
        // The path is copied out of the buffer it stands in: cookies look at it while appending to the same buffer.
        scratch.clear();
        scratch.extend_from_slice(out.get(path_start..path_end).unwrap_or_default());
        cookies(std::str::from_utf8(scratch).unwrap_or("/"), out);
        scratch.clear();
        if let Some(body) = &self.body {
            body.write(values, scratch);
            out.extend_from_slice(b"content-length: ");
            write_number(scratch.len() as u64, out);
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(b"\r\n");
        let head_bytes = out.len();
        out.extend_from_slice(scratch);
        Marks { cookie_at, head_bytes }
    }

    /// Whether nothing in it varies.
    pub(crate) fn is_fixed(&self) -> bool {
        let body_fixed = self.body.as_ref().is_none_or(|body| body.as_fixed().is_some());
        self.path.as_fixed().is_some() && self.lines.as_fixed().is_some() && body_fixed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str, place: Place, value: &str) -> String {
        let template = Template::parse(text, |_| Some(plan::VariableIndex(0))).unwrap();
        let mut compiled = Text::default();
        compiled.push(&template, place);
        let mut out = Vec::new();
        let variables = [value.to_owned()];
        let mut random = Random::new(1);
        compiled.write(
            &mut Values { variables: &variables, user_index: 7, iteration: 120, random: &mut random },
            &mut out,
        );
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_value_never_leaves_its_place() {
        let hostile = "a b\r\nx: y/?&=é";
        assert_eq!(written("/p/${v}", Place::Path, hostile), "/p/a%20b%0D%0Ax:%20y/?&=%C3%A9");
        assert_eq!(written("${v}", Place::Query, hostile), "a%20b%0D%0Ax%3A%20y%2F%3F%26%3D%C3%A9");
        assert_eq!(written("${v}", Place::Header, hostile), "a b  x: y/?&=é");
        assert_eq!(written("${v}", Place::Body, hostile), hostile);
        assert_eq!(
            written("${user_index}/${user_number}/${iteration}/${random(5,5)}", Place::Path, ""),
            "7/8/120/5"
        );
        let uuid = written("${uuid}", Place::Body, "");
        assert!(
            uuid.len() == 36 && uuid.as_bytes()[14] == b'4' && b"89ab".contains(&uuid.as_bytes()[19]),
            "{uuid}"
        );
    }
}
