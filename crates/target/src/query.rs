//! Reading a query string: `name=value` pairs, percent-encoded, the first of a name wins.

/// The query of one request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Query<'a>(pub(crate) &'a str);

/// What is wrong with a parameter, for the body of a 400.
pub(crate) type Fault = String;

impl<'a> Query<'a> {
    /// The pairs as they were sent; a name without `=` has an empty value.
    pub(crate) fn pairs(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.0
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
    }

    /// The value of `name` as it was sent, still percent-encoded.
    pub(crate) fn raw(self, name: &str) -> Option<&'a str> {
        self.pairs().find(|(have, _)| *have == name).map(|(_, value)| value)
    }

    pub(crate) fn has(self, name: &str) -> bool {
        self.raw(name).is_some()
    }

    /// A count in `range`; `default` when it is absent.
    pub(crate) fn count(
        self,
        name: &str,
        default: u64,
        range: std::ops::RangeInclusive<u64>,
    ) -> Result<u64, Fault> {
        let Some(text) = self.raw(name) else { return Ok(default) };
        let value = text.parse().map_err(|_| format!("`{name}={text}` is not a whole number"))?;
        in_range(name, value, range)
    }

    /// A size in bytes: `1024`, or with a unit as in `10KiB`.
    pub(crate) fn size(
        self,
        name: &str,
        default: u64,
        range: std::ops::RangeInclusive<u64>,
    ) -> Result<u64, Fault> {
        let Some(text) = self.raw(name) else { return Ok(default) };
        let value = match text.parse() {
            Ok(bytes) => bytes,
            Err(_) => units::parse_bytes(text).map_err(|e| format!("{name}: {e}"))?,
        };
        in_range(name, value, range)
    }

    /// A time that carries its unit, as in `200ms`.
    pub(crate) fn duration_ns(self, name: &str) -> Result<Option<u64>, Fault> {
        let Some(text) = self.raw(name) else { return Ok(None) };
        units::parse_duration_ns(&percent_decoded(text)).map(Some).map_err(|e| format!("{name}: {e}"))
    }

    /// A time whose unit is given by the parameter's name: `ms=1.5` with the unit `ms`.
    pub(crate) fn time_ns(self, name: &str, unit: &str, max_ns: u64) -> Result<u64, Fault> {
        let Some(text) = self.raw(name) else { return Ok(0) };
        let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let value = plain.then(|| units::parse_duration_ns(&format!("{text}{unit}")).ok()).flatten();
        let value_ns = value.ok_or_else(|| {
            format!("`{name}={text}` is not a number of {unit}; write for example `{name}=1.5`")
        })?;
        if value_ns > max_ns {
            return Err(format!("`{name}={text}` is too long; at most {}", units::duration(max_ns)));
        }
        Ok(value_ns)
    }
}

fn in_range(name: &str, value: u64, range: std::ops::RangeInclusive<u64>) -> Result<u64, Fault> {
    if range.contains(&value) {
        return Ok(value);
    }
    Err(format!("`{name}` is {value}; it must be from {} to {}", range.start(), range.end()))
}

/// Undoes percent-encoding and `+`; what is not UTF-8 afterwards is replaced, and a stray `%` stays as it is.
pub(crate) fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let mut ahead = rest.clone();
        let pair = (ahead.next().and_then(hex_digit), ahead.next().and_then(hex_digit));
        match (byte, pair) {
            (b'%', (Some(high), Some(low))) => {
                bytes.push(high << 4 | low);
                rest = ahead;
            }
            (b'+', _) => bytes.push(b' '),
            _ => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

fn hex_digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_with_their_limits() {
        let query = Query("size=10KiB&n=5&n=6&ms=1.5&for=200ms&flag&bad=x");
        assert_eq!(query.size("size", 0, 0..=1 << 20), Ok(10_240));
        assert!(query.size("size", 0, 0..=1000).is_err());
        assert_eq!(query.count("n", 0, 0..=9), Ok(5));
        assert_eq!(query.count("absent", 7, 0..=9), Ok(7));
        assert!(query.count("bad", 0, 0..=9).is_err());
        assert_eq!(query.time_ns("ms", "ms", u64::MAX), Ok(1_500_000));
        assert!(query.time_ns("ms", "ms", 1000).is_err());
        assert!(query.time_ns("bad", "ms", u64::MAX).is_err());
        assert!(query.time_ns("for", "ms", u64::MAX).is_err());
        assert_eq!(query.duration_ns("for"), Ok(Some(200_000_000)));
        assert!(query.has("flag") && !query.has("fla"));
    }

    #[test]
    fn percent_encoding_is_undone() {
        for (text, want) in
            [("a%20b+c", "a b c"), ("%C3%A4", "ä"), ("%zz%4", "%zz%4"), ("%FF", "\u{FFFD}"), ("", "")]
        {
            assert_eq!(percent_decoded(text), want);
        }
    }
}
