//! Numbers and times as both tools read them (`10k`, `30s`, `2m`), and what Weir takes beside: decimals, `ms`, rates with their unit.
//!
//! Source: the rules of both tools' `-c`, `-t`, `-d`, `-T` and `-R`: a decimal number, perhaps a blank, a unit without regard to case.

use units::{NS_PER_MS, NS_PER_SEC, Rate};

/// Longest time read, ns: a year, as in plans.
const TIME_NS_MAX: f64 = 366.0 * 86_400e9;
/// Greatest number read: beyond it a 64-bit float no longer tells whole numbers apart.
const NUMBER_MAX: f64 = 9_007_199_254_740_992.0;

/// A whole number with a metric unit: nothing, k, M, G, T or P.
pub(crate) fn number(text: &str) -> Option<u64> {
    let value = decimal(text, |unit| {
        let power = ["", "k", "m", "g", "t", "p"].iter().position(|known| *known == unit)?;
        Some(1000f64.powi(i32::try_from(power).ok()?))
    })?;
    (value.fract() == 0.0 && value <= NUMBER_MAX).then_some(value as u64)
}

/// A time in ns: seconds where it has no unit, else ms, s, m or h.
pub(crate) fn time_ns(text: &str) -> Option<u64> {
    let value = decimal(text, |unit| match unit {
        "" | "s" => Some(NS_PER_SEC as f64),
        "ms" => Some(NS_PER_MS as f64),
        "m" => Some(60.0 * NS_PER_SEC as f64),
        "h" => Some(3_600.0 * NS_PER_SEC as f64),
        _ => None,
    })?;
    (value <= TIME_NS_MAX).then_some(value.round() as u64)
}

/// Requests per second: a number with a metric unit, decimals allowed, or a rate with its time such as `90/min`.
pub(crate) fn rate(text: &str) -> Option<Rate> {
    if text.contains('/') {
        return Rate::parse(text).ok();
    }
    if let Some(whole) = number(text) {
        return Rate::per_sec(whole);
    }
    let value = decimal(text, |unit| match unit {
        "" => Some(1.0),
        "k" => Some(1e3),
        "m" => Some(1e6),
        _ => None,
    })?;
    Rate::from_f64(value)
}

/// A decimal number times the scale of its unit (in lower case).
fn decimal(text: &str, scale: impl Fn(&str) -> Option<f64>) -> Option<f64> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(digits)?;
    if !number.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let value: f64 = number.parse().ok()?;
    Some(value * scale(&unit.trim_start().to_ascii_lowercase())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_metric_units() {
        let check = |text: &str, expected: Option<u64>| assert_eq!(number(text), expected, "{text}");
        check("10", Some(10));
        check("1k", Some(1_000));
        check("2 K", Some(2_000));
        check("3M", Some(3_000_000));
        check("1g", Some(1_000_000_000));
        check("1T", Some(1_000_000_000_000));
        check("1P", Some(1_000_000_000_000_000));
        check("1.5k", Some(1_500));
        for text in ["", "k", "-1", "1.5", "1kk", "10x", "1e3", "99999P", "1..2k"] {
            check(text, None);
        }
    }

    #[test]
    fn times_are_seconds_unless_they_say_otherwise() {
        let check = |text: &str, expected: Option<u64>| assert_eq!(time_ns(text), expected, "{text}");
        check("10", Some(10_000_000_000));
        check("10s", Some(10_000_000_000));
        check("2M", Some(120_000_000_000));
        check("1 h", Some(3_600_000_000_000));
        check("500ms", Some(500_000_000));
        check("1.5s", Some(1_500_000_000));
        check("0.25", Some(250_000_000));
        check("0", Some(0));
        for text in ["1d", "s", "10seconds", "-1s", "1us", "99999h", "1.2.3s"] {
            check(text, None);
        }
    }

    #[test]
    fn rates_are_per_second() {
        let check =
            |text: &str, expected: Option<f64>| assert_eq!(rate(text).map(Rate::as_f64), expected, "{text}");
        check("1000", Some(1000.0));
        check("2k", Some(2000.0));
        check("0.5", Some(0.5));
        check("90/min", Some(1.5));
        check("0", Some(0.0));
        check("x", None);
    }
}
