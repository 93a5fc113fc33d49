//! Text to durations, sizes and shares. Decimals are read exactly, never through floating point.

use std::fmt;

/// Why a quantity could not be read, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuantityError {
    /// There is a number but no unit behind it.
    MissingUnit {
        /// What was written.
        text: String,
        /// The same number with a likely unit.
        example: String,
    },
    /// The unit is none of those known.
    UnknownUnit {
        /// The unit as written.
        unit: String,
        /// The units that are known, as a list for people.
        known: &'static str,
    },
    /// There is no number in front.
    NotANumber {
        /// What was written.
        text: String,
        /// A correct example.
        example: &'static str,
    },
    /// The value does not fit or is outside what makes sense.
    OutOfRange {
        /// What was written.
        text: String,
        /// The range, for people.
        range: &'static str,
    },
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingUnit { text, example } => {
                write!(f, "`{text}` has no unit; write for example `{example}`")
            }
            Self::UnknownUnit { unit, known } => write!(f, "unknown unit `{unit}`; use one of {known}"),
            Self::NotANumber { text, example } => {
                write!(f, "`{text}` is not a quantity; write for example `{example}`")
            }
            Self::OutOfRange { text, range } => write!(f, "`{text}` is out of range; use {range}"),
        }
    }
}

impl std::error::Error for QuantityError {}

/// A decimal number read exactly: `digits / 10^scale`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decimal {
    pub(crate) digits: u128,
    pub(crate) scale: u32,
}

/// At most so many digits are read, so that the products below stay within `u128`.
const DIGITS_MAX: usize = 24;

/// Splits `text` into its leading decimal number and the rest, trimmed. `_` may group digits, and `,` those before the point by threes:
/// a decimal comma is refused, not misread.
pub(crate) fn split_decimal(text: &str) -> Option<(Decimal, &str)> {
    let text = text.trim();
    let end =
        text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '_' | ','))).unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    let mut decimal = Decimal { digits: 0, scale: 0 };
    let mut digit_count = 0;
    let mut after_point = false;
    if !groups_by_threes(number) {
        return None;
    }
    for c in number.chars() {
        match c {
            '.' if after_point => return None,
            '.' => after_point = true,
            '_' | ',' => {}
            _ => {
                digit_count += 1;
                if digit_count > DIGITS_MAX {
                    return None;
                }
                decimal.digits = decimal.digits * 10 + u128::from(c.to_digit(10)?);
                decimal.scale += u32::from(after_point);
            }
        }
    }
    (digit_count > 0).then_some((decimal, rest.trim()))
}

/// Whether each comma stands before the point and before three digits and no more, as in `12,345.6`.
fn groups_by_threes(number: &str) -> bool {
    let whole = number.split('.').next().unwrap_or_default();
    let digits = |group: &str| group.bytes().filter(u8::is_ascii_digit).count();
    let commas_are_whole = number.matches(',').count() == whole.matches(',').count();
    let mut groups = whole.split(',');
    let first = groups.next().map_or(0, digits);
    commas_are_whole && groups.all(|group| first > 0 && digits(group) == 3)
}

impl Decimal {
    /// `self × factor`, rounded down; `None` when it does not fit.
    pub(crate) fn times(self, factor: u64) -> Option<u64> {
        let product = self.digits.checked_mul(u128::from(factor))?;
        u64::try_from(product / 10u128.pow(self.scale)).ok()
    }
}

const DURATION_UNITS: &str = "ns, us, ms, s, m, h, d";

/// The number of ns in a unit of time.
pub(crate) fn duration_unit_ns(unit: &str) -> Option<u64> {
    Some(match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" | "sec" => 1_000_000_000,
        "m" | "min" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "d" => 86_400_000_000_000,
        _ => return None,
    })
}

/// Reads a duration such as `30s`, `1.5ms`, `250us` or `1m30s` into ns. Range: 0 to about 500 years.
pub fn parse_duration_ns(text: &str) -> Result<u64, QuantityError> {
    let out_of_range = || QuantityError::OutOfRange { text: text.trim().to_owned(), range: "0 to 100 years" };
    let mut rest = text.trim();
    let mut total_ns = 0u64;
    if rest.is_empty() {
        return Err(QuantityError::NotANumber { text: String::new(), example: "30s" });
    }
    while !rest.is_empty() {
        let Some((number, tail)) = split_decimal(rest) else {
            return Err(QuantityError::NotANumber { text: text.trim().to_owned(), example: "30s" });
        };
        let unit_end =
            tail.find(|c: char| c.is_ascii_digit() || c.is_whitespace() || c == '.').unwrap_or(tail.len());
        let (unit, after) = tail.split_at(unit_end);
        if unit.is_empty() {
            if text.trim() == "0" {
                return Ok(0);
            }
            return Err(QuantityError::MissingUnit {
                text: text.trim().to_owned(),
                example: format!("{}s", text.trim()),
            });
        }
        let unit_ns = duration_unit_ns(unit)
            .ok_or_else(|| QuantityError::UnknownUnit { unit: unit.to_owned(), known: DURATION_UNITS })?;
        let part_ns = number.times(unit_ns).ok_or_else(out_of_range)?;
        total_ns = total_ns.checked_add(part_ns).ok_or_else(out_of_range)?;
        rest = after.trim_start();
    }
    Ok(total_ns)
}

/// Reads a size such as `512B`, `8KiB`, `1.5MB` into bytes. Decimal (kB, MB, GB) and binary (KiB, MiB, GiB) units.
pub fn parse_bytes(text: &str) -> Result<u64, QuantityError> {
    let text = text.trim();
    let Some((number, unit)) = split_decimal(text) else {
        return Err(QuantityError::NotANumber { text: text.to_owned(), example: "8KiB" });
    };
    let factor = match unit {
        "" if number.digits == 0 => 1,
        "" => return Err(QuantityError::MissingUnit { text: text.to_owned(), example: format!("{text}B") }),
        "B" => 1,
        "kB" | "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => {
            let known = "B, kB, MB, GB, KiB, MiB, GiB";
            return Err(QuantityError::UnknownUnit { unit: unit.to_owned(), known });
        }
    };
    number
        .times(factor)
        .ok_or_else(|| QuantityError::OutOfRange { text: text.to_owned(), range: "0 to 16 EiB" })
}

/// Reads a share such as `99%` or `0.1%` into a ratio in 0..=1 (above 1 is allowed: `150%`).
pub fn parse_ratio(text: &str) -> Result<f64, QuantityError> {
    let text = text.trim();
    let Some((number, unit)) = split_decimal(text) else {
        return Err(QuantityError::NotANumber { text: text.to_owned(), example: "0.1%" });
    };
    let value = number.digits as f64 / 10f64.powi(number.scale as i32);
    match unit {
        "%" => Ok(value / 100.0),
        "" if value == 0.0 => Ok(0.0),
        "" => {
            Err(QuantityError::MissingUnit { text: text.to_owned(), example: format!("{}%", value * 100.0) })
        }
        _ => Err(QuantityError::UnknownUnit { unit: unit.to_owned(), known: "%" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_exactly() {
        for (text, ns) in [
            ("30s", 30_000_000_000),
            ("1.5ms", 1_500_000),
            ("250us", 250_000),
            ("250µs", 250_000),
            ("1m30s", 90_000_000_000),
            ("1h 2m", 3_720_000_000_000),
            ("0.000000001s", 1),
            ("0", 0),
            ("1_000ms", 1_000_000_000),
        ] {
            assert_eq!(parse_duration_ns(text), Ok(ns), "{text}");
        }
    }

    #[test]
    fn a_quantity_without_unit_names_the_mend() {
        let said = |r: Result<u64, QuantityError>| r.map_err(|e| e.to_string());
        assert_eq!(said(parse_duration_ns("30")), Err("`30` has no unit; write for example `30s`".into()));
        assert_eq!(
            said(parse_duration_ns("30q")),
            Err("unknown unit `q`; use one of ns, us, ms, s, m, h, d".into())
        );
        assert_eq!(said(parse_bytes("8")), Err("`8` has no unit; write for example `8B`".into()));
        assert!(
            parse_duration_ns("-3s").is_err()
                && parse_duration_ns("").is_err()
                && parse_duration_ns("1.2.3s").is_err()
        );
        assert!(parse_duration_ns("99999999999999999999h").is_err());
        assert!(parse_duration_ns(&"9".repeat(400)).is_err());
    }

    #[test]
    fn sizes_and_shares() {
        assert_eq!(parse_bytes("8KiB"), Ok(8192));
        assert_eq!(parse_bytes("1.5MB"), Ok(1_500_000));
        assert_eq!(parse_ratio("0.1%"), Ok(0.001));
        assert_eq!(parse_ratio("99%"), Ok(0.99));
        assert!(parse_ratio("0.5").is_err());
        assert_eq!(parse_duration_ns("1,500ms"), Ok(1_500_000_000));
        assert!(
            parse_duration_ns("1,5s").is_err()
                && parse_duration_ns("1.500,5s").is_err()
                && parse_duration_ns(",500s").is_err()
        );
    }
}
