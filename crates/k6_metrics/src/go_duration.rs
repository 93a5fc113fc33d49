//! Durations as Go and k6 write them: `1m0s`, `1.5s`, `2d12h`, and bare numbers, which are milliseconds.

use std::fmt;

const NS_PER_US: i64 = 1_000;
const NS_PER_MS: i64 = 1_000_000;
const NS_PER_SEC: i64 = 1_000_000_000;
const NS_PER_MIN: i64 = 60 * NS_PER_SEC;
const NS_PER_HOUR: i64 = 60 * NS_PER_MIN;
const NS_PER_DAY: i64 = 24 * NS_PER_HOUR;
/// Longer texts hold no duration that anybody means; it also bounds messages that repeat the text.
const TEXT_LENGTH_MAX: usize = 200;

/// A signed duration in whole ns, at most ±292 years: Go's own. It prints as Go prints it, and prints into quotes in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct GoDuration(i64);

impl GoDuration {
    /// Nothing at all.
    pub const ZERO: Self = Self(0);

    /// So many ns.
    pub const fn from_ns(ns: i64) -> Self {
        Self(ns)
    }

    /// So many s; what is too long is the longest.
    pub const fn from_secs(secs: i64) -> Self {
        Self(secs.saturating_mul(NS_PER_SEC))
    }

    /// In ns, negative ones too.
    pub const fn ns(self) -> i64 {
        self.0
    }

    /// In ns; what is negative is 0.
    pub fn as_ns(self) -> u64 {
        u64::try_from(self.0).unwrap_or(0)
    }

    /// In seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / NS_PER_SEC as f64
    }

    /// The sum; what is too long is the longest.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The difference; what is too long is the longest.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// The nearest multiple of `step`, halves away from zero; a step of 0 or less changes nothing. As Go's `Round`.
    #[must_use]
    pub fn round(self, step: Self) -> Self {
        if step.0 <= 0 {
            return self;
        }
        let rest = self.0 % step.0;
        let towards_zero = self.0 - rest;
        if rest.unsigned_abs() < step.0.unsigned_abs() - rest.unsigned_abs() {
            return Self(towards_zero);
        }
        Self(towards_zero.saturating_add(if self.0 < 0 { -step.0 } else { step.0 }))
    }

    /// So many ms; `None` where that is no finite number or too long.
    pub fn from_ms(ms: f64) -> Option<Self> {
        let ns = ms * NS_PER_MS as f64;
        // The bounds are exact powers of two, so that the comparison has no rounding in it.
        (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&ns).then_some(Self(ns as i64))
    }

    /// Reads Go's syntax: `300ms`, `-1.5h`, `1h15m30.918s`; units `ns`, `us`, `µs`, `ms`, `s`, `m`, `h`; a bare number only if it is 0.
    ///
    /// # Errors
    ///
    /// With Go's text, which names what is missing.
    pub fn parse(text: &str) -> Result<Self, String> {
        let invalid = || format!("time: invalid duration {}", quoted(text));
        if text.len() > TEXT_LENGTH_MAX {
            return Err(invalid());
        }
        let (is_negative, mut rest) = match text.as_bytes().first() {
            Some(b'-') => (true, text.get(1..).unwrap_or_default()),
            Some(b'+') => (false, text.get(1..).unwrap_or_default()),
            _ => (false, text),
        };
        if rest == "0" {
            return Ok(Self::ZERO);
        }
        if rest.is_empty() {
            return Err(invalid());
        }
        let mut total_ns: i128 = 0;
        while !rest.is_empty() {
            let (number, after) = decimal(rest).ok_or_else(invalid)?;
            let unit_end = after.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(after.len());
            let (unit, after) = after.split_at_checked(unit_end).ok_or_else(invalid)?;
            if unit.is_empty() {
                return Err(format!("time: missing unit in duration {}", quoted(text)));
            }
            let unit_ns = unit_ns(unit)
                .ok_or_else(|| format!("time: unknown unit {} in duration {}", quoted(unit), quoted(text)))?;
            total_ns =
                total_ns.checked_add(number.times(unit_ns).ok_or_else(invalid)?).ok_or_else(invalid)?;
            if total_ns > i128::from(i64::MAX) + i128::from(is_negative) {
                return Err(invalid());
            }
            rest = after;
        }
        let signed = if is_negative { -total_ns } else { total_ns };
        i64::try_from(signed).map(Self).map_err(|_| invalid())
    }

    /// Reads what scripts, configuration files and variables may hold: a bare number is ms (fractions too), else whole days before Go's
    /// syntax, `2d`, `1d12h`, or Go's syntax alone.
    ///
    /// # Errors
    ///
    /// With Go's text, as [`GoDuration::parse`].
    pub fn parse_extended(text: &str) -> Result<Self, String> {
        let invalid = || format!("time: invalid duration {}", quoted(text));
        if text.len() > TEXT_LENGTH_MAX {
            return Err(invalid());
        }
        if is_number(text) {
            return text.parse().ok().and_then(Self::from_ms).ok_or_else(invalid);
        }
        let Some((days, rest)) = text.split_once('d') else { return Self::parse(text) };
        let hours = if rest.is_empty() { Self::ZERO } else { Self::parse(rest)? };
        if hours.0 < 0 {
            return Err(invalid());
        }
        let days_count: i64 = days
            .parse()
            .map_err(|_| format!("strconv.ParseInt: parsing {}: invalid syntax", quoted(days)))?;
        let rest_ns = if days.starts_with('-') { -hours.0 } else { hours.0 };
        let days_ns = days_count.checked_mul(NS_PER_DAY).ok_or_else(invalid)?;
        days_ns.checked_add(rest_ns).map(Self).ok_or_else(invalid)
    }
}

/// Digits with at most one point and an optional exponent: what is ms without a unit. (Words such as `inf` are not.)
fn is_number(text: &str) -> bool {
    let digits = text.trim_start_matches(['+', '-']);
    text.len() - digits.len() <= 1
        && digits.bytes().any(|byte| byte.is_ascii_digit())
        && digits
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-'))
        && text.parse::<f64>().is_ok()
}

/// A decimal number in two parts, the second counting in units of 1/scale.
struct Decimal {
    whole: u64,
    fraction: i64,
    scale: f64,
}

impl Decimal {
    /// Whole part exactly, fraction truncated in floating point, as Go does it.
    fn times(&self, unit_ns: i64) -> Option<i128> {
        let whole = i128::from(self.whole).checked_mul(i128::from(unit_ns))?;
        let fraction = (self.fraction as f64 * (unit_ns as f64 / self.scale)) as i128;
        whole.checked_add(fraction)
    }
}

/// The number at the text's start and what comes after. Digits of a fraction that no longer fit are passed over.
fn decimal(text: &str) -> Option<(Decimal, &str)> {
    let digits_end = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (whole, rest) = text.split_at_checked(digits_end(text))?;
    let (fraction, after) = match rest.strip_prefix('.') {
        Some(rest) => rest.split_at_checked(digits_end(rest))?,
        None => ("", rest),
    };
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut decimal = Decimal { whole: 0, fraction: 0, scale: 1.0 };
    for digit in whole.bytes().map(|byte| u64::from(byte - b'0')) {
        decimal.whole = decimal.whole.checked_mul(10)?.checked_add(digit)?;
    }
    for digit in fraction.bytes().map(|byte| i64::from(byte - b'0')) {
        let Some(next) = decimal.fraction.checked_mul(10).and_then(|value| value.checked_add(digit)) else {
            break;
        };
        decimal.fraction = next;
        decimal.scale *= 10.0;
    }
    Some((decimal, after))
}

fn unit_ns(unit: &str) -> Option<i64> {
    Some(match unit {
        "ns" => 1,
        // Both micro signs that keyboards have: U+00B5 and U+03BC.
        "us" | "\u{b5}s" | "\u{3bc}s" => NS_PER_US,
        "ms" => NS_PER_MS,
        "s" => NS_PER_SEC,
        "m" => NS_PER_MIN,
        "h" => NS_PER_HOUR,
        _ => return None,
    })
}

/// In quotes, as Go quotes in messages.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars().take(TEXT_LENGTH_MAX) {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => quoted.push_str(&format!("\\x{:02x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

impl fmt::Display for GoDuration {
    /// As Go prints durations: `0s`, `1.5µs`, `100ms`, `1m0s`, `2h45m0.5s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        if self.0 < 0 {
            text.push('-');
        }
        let ns = self.0.unsigned_abs();
        let (sec, min, hour) = (NS_PER_SEC as u64, NS_PER_MIN as u64, NS_PER_HOUR as u64);
        match ns {
            0 => text.push_str("0s"),
            1..1_000 => text.push_str(&format!("{ns}ns")),
            1_000..1_000_000 => text.push_str(&format!("{}µs", with_fraction(ns, NS_PER_US as u64))),
            1_000_000..1_000_000_000 => text.push_str(&format!("{}ms", with_fraction(ns, NS_PER_MS as u64))),
            _ => {
                if ns >= hour {
                    text.push_str(&format!("{}h", ns / hour));
                }
                if ns >= min {
                    text.push_str(&format!("{}m", ns % hour / min));
                }
                text.push_str(&format!("{}s", with_fraction(ns % min, sec)));
            }
        }
        f.pad(&text)
    }
}

/// `ns / unit` with as many decimals as there are, none where it is whole.
fn with_fraction(ns: u64, unit: u64) -> String {
    let (whole, rest) = (ns / unit, ns % unit);
    if rest == 0 {
        return whole.to_string();
    }
    let width = unit.ilog10() as usize;
    format!("{whole}.{rest:0width$}").trim_end_matches('0').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn durations_print_as_in_go() {
        for (ns, expected) in [
            (0, "0s"),
            (1, "1ns"),
            (1_100, "1.1µs"),
            (2_200_000, "2.2ms"),
            (3_300_000_000, "3.3s"),
            (5 * NS_PER_MIN + 5_000_000_000, "5m5s"),
            (5 * NS_PER_MIN + 5_001_000_000, "5m5.001s"),
            (10 * NS_PER_MIN, "10m0s"),
            (NS_PER_HOUR, "1h0m0s"),
            (-NS_PER_MIN - 1, "-1m0.000000001s"),
            (i64::MAX, "2562047h47m16.854775807s"),
            (i64::MIN, "-2562047h47m16.854775808s"),
        ] {
            assert_eq!(GoDuration(ns).to_string(), expected, "{ns}");
        }
    }

    #[test]
    fn gos_syntax_is_read_as_go_does() {
        let ok = |text: &str, ns: i64| assert_eq!(GoDuration::parse(text), Ok(GoDuration(ns)), "{text}");
        ok("0", 0);
        ok("+0", 0);
        ok("300ms", 300 * NS_PER_MS);
        ok("1.5s", 1_500_000_000);
        ok(".5s", 500_000_000);
        ok("5.s", 5_000_000_000);
        ok("1h2m3s", 3_723_000_000_000);
        ok("-1.5h", -5_400_000_000_000);
        ok("10µs10μs10us", 30_000);
        ok("0.3333333333333333333h", 20 * NS_PER_MIN);
        ok("9223372036854775807ns", i64::MAX);
        ok("-9223372036854775808ns", i64::MIN);
        let err = |text: &str, said: &str| assert_eq!(GoDuration::parse(text), Err(said.to_owned()));
        err("", r#"time: invalid duration """#);
        err("-", r#"time: invalid duration "-""#);
        err("10", r#"time: missing unit in duration "10""#);
        err("1x", r#"time: unknown unit "x" in duration "1x""#);
        err("s", r#"time: invalid duration "s""#);
        err("1d", r#"time: unknown unit "d" in duration "1d""#);
        err("9223372036854775808ns", r#"time: invalid duration "9223372036854775808ns""#);
        err("3000000h", r#"time: invalid duration "3000000h""#);
    }

    #[test]
    fn numbers_are_milliseconds_and_days_come_first() {
        let ok =
            |text: &str, ns: i64| assert_eq!(GoDuration::parse_extended(text), Ok(GoDuration(ns)), "{text}");
        ok("60", 60 * NS_PER_MS);
        ok("1.5", 1_500_000);
        ok("1e3", NS_PER_SEC);
        ok("-5", -5 * NS_PER_MS);
        ok("2d", 2 * NS_PER_DAY);
        ok("1d12h", NS_PER_DAY + 12 * NS_PER_HOUR);
        ok("-1d12h", -NS_PER_DAY - 12 * NS_PER_HOUR);
        ok("30s", 30 * NS_PER_SEC);
        for text in ["", "inf", "NaN", "1e300", "d", "1.5d", "1d-1h", "1d5", "1h2d", "99999999d", "undefined"]
        {
            assert!(GoDuration::parse_extended(text).is_err(), "{text}");
        }
    }

    #[test]
    fn rounding_is_away_from_zero() {
        let step = GoDuration(100 * NS_PER_MS);
        for (ms, expected) in [(0, 0), (49, 0), (50, 100), (149, 100), (150, 200), (-50, -100), (-49, 0)] {
            assert_eq!(GoDuration(ms * NS_PER_MS).round(step), GoDuration(expected * NS_PER_MS), "{ms}");
        }
        assert_eq!(GoDuration(5).round(GoDuration::ZERO), GoDuration(5));
        assert_eq!(GoDuration(i64::MAX).round(step), GoDuration(i64::MAX));
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back(ns in any::<i64>()) {
            let printed = GoDuration(ns).to_string();
            // Fractions of hours are never printed, so nothing is lost in them.
            prop_assert_eq!(GoDuration::parse(&printed), Ok(GoDuration(ns)));
            prop_assert_eq!(GoDuration::parse_extended(&printed), Ok(GoDuration(ns)));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[-+0-9.edhmsnuµ]{0,24}") {
            let _ = GoDuration::parse(&text);
            if let Ok(duration) = GoDuration::parse_extended(&text) {
                prop_assert_eq!(GoDuration::parse(&duration.to_string()), Ok(duration));
            }
        }
    }
}
