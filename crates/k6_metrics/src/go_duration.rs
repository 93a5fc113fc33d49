//! Durations as k6's options write them: Go's syntax with days before it, or a number of ms.

use std::fmt::Write as _;

/// Bytes of a duration: more than any that is meant.
const TEXT_BYTES_MAX: usize = 128;
const NS_PER_DAY: f64 = 86_400e9;
const UNITS: [(&str, f64); 8] = [
    ("ns", 1.0),
    ("us", 1e3),
    ("µs", 1e3),
    ("μs", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
    ("m", 60e9),
    ("h", 3_600e9),
];

/// Reads `1h2m3.5s`, `2d`, `1d12h` or a bare number of ms. `None` if it is neither, negative, or beyond what 64 bits of ns hold.
pub(crate) fn parse_ns(text: &str) -> Option<u64> {
    if text.is_empty() || text.len() > TEXT_BYTES_MAX {
        return None;
    }
    if let Ok(ms) = text.parse::<f64>() {
        return whole_ns(ms * 1e6);
    }
    let (mut sum, mut rest) = (0.0, text);
    if let Some((days, after)) = text.split_once('d') {
        sum = f64::from(days.parse::<u32>().ok()?) * NS_PER_DAY;
        rest = after;
    }
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at_checked(end)?;
        let number: f64 = number.parse().ok()?;
        let unit_end = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at_checked(unit_end)?;
        let (_, unit_ns) = UNITS.into_iter().find(|(own, _)| *own == unit)?;
        sum += number * unit_ns;
        rest = after;
    }
    whole_ns(sum)
}

/// Of a number of ns.
pub(crate) fn whole_ns(ns: f64) -> Option<u64> {
    (0.0..u64::MAX as f64).contains(&ns).then_some(ns as u64)
}

/// As Go prints a duration: `1h2m3.5s`, `1.5ms`, `0s`.
pub(crate) fn print(ns: u64) -> String {
    let fraction = |count: f64, unit: &str| format!("{count}{unit}");
    match ns {
        0 => return "0s".to_owned(),
        1..1_000 => return fraction(ns as f64, "ns"),
        1_000..1_000_000 => return fraction(ns as f64 / 1e3, "µs"),
        1_000_000..1_000_000_000 => return fraction(ns as f64 / 1e6, "ms"),
        _ => {}
    }
    let (minutes, rest_ns) = (ns / 60_000_000_000, ns % 60_000_000_000);
    let mut text = String::new();
    // Writing to a string can't fail.
    if minutes >= 60 {
        let _ = write!(text, "{}h", minutes / 60);
    }
    if minutes > 0 {
        let _ = write!(text, "{}m", minutes % 60);
    }
    let _ = write!(text, "{}s", rest_ns as f64 / 1e9);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_and_printed() {
        let check = |text: &str, ns: u64, printed: &str| {
            assert_eq!(parse_ns(text), Some(ns), "{text}");
            assert_eq!(print(ns), printed);
        };
        check("0", 0, "0s");
        check("10s", 10_000_000_000, "10s");
        check("1500", 1_500_000_000, "1.5s");
        check("0.5", 500_000, "500µs");
        check("1h2m3.5s", 3_723_500_000_000, "1h2m3.5s");
        check("1h", 3_600_000_000_000, "1h0m0s");
        check("2d", 172_800_000_000_000, "48h0m0s");
        check("1d12h", 129_600_000_000_000, "36h0m0s");
        check("300ms", 300_000_000, "300ms");
        check("7ns", 7, "7ns");
        for bad in ["", "s", "1x", "-1", "-1s", "1s2", "1.2.3s", "1e30", "inf", "nan", "xd", &"1s".repeat(65)]
        {
            assert_eq!(parse_ns(bad), None, "{bad}");
        }
    }
}
