//! How values are printed. The rules are k6's, cut (not rounded) where they cut, since people and tools compare these texts.

use crate::metric::{Contains, MetricKind};
use crate::summary::TimeUnit;

/// From here on scripts print numbers with an exponent.
const PLAIN_BELOW: f64 = 1e21;
/// Digits after the point of plain numbers.
const PLAIN_DIGITS: usize = 6;
const DATA_UNITS: [&str; 9] = ["B", "kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"];
const NS_PER_MS: f64 = 1e6;
const US_PER_MS: f64 = 1e3;
const MS_PER_SEC: f64 = 1e3;
const MS_PER_MIN: f64 = 60e3;

/// A value of a metric as the texts print it: a rate's share in percent, bytes and times with units (times in `unit`, or without one each in what suits it), all
/// else as plain numbers.
pub fn humanize_value(value: f64, kind: MetricKind, contains: Contains, unit: Option<TimeUnit>) -> String {
    match (kind, contains) {
        (MetricKind::Rate, _) => percent(value),
        (_, Contains::Data) => data(value),
        (_, Contains::Time) => match unit {
            Some(TimeUnit::Seconds) => format!("{}s", fixed(value * 0.001, 2)),
            Some(TimeUnit::Milliseconds) => format!("{}ms", fixed(value, 2)),
            Some(TimeUnit::Microseconds) => format!("{}µs", fixed(value * US_PER_MS, 2)),
            None => time(value),
        },
        (_, Contains::Default) => plain(value),
    }
}

/// Percent with two digits, cut.
pub(crate) fn percent(value: f64) -> String {
    // In two steps, as it is everywhere: 0.29 gives 28.99 %.
    format!("{}%", fixed((value * 100.0 * 100.0).trunc() / 100.0, 2))
}

/// Up to six digits after the point, rounded.
pub(crate) fn plain(value: f64) -> String {
    if value.abs() >= PLAIN_BELOW {
        return shortest(value);
    }
    without_zeros(&fixed(value, PLAIN_DIGITS))
}

/// Bytes with units to the base 1000.
fn data(value: f64) -> String {
    if value.is_nan() || value < 10.0 {
        return format!("{} B", shortest(value));
    }
    let mut exponent = 0;
    let mut scaled = value;
    while scaled >= 1000.0 && exponent + 1 < DATA_UNITS.len() {
        exponent += 1;
        scaled = value / 1000_f64.powi(exponent as i32);
    }
    let rounded = (scaled * 10.0 + 0.5).floor() / 10.0;
    let digits = usize::from(rounded < 10.0);
    format!("{} {}", fixed(rounded, digits), DATA_UNITS.get(exponent).unwrap_or(&"YB"))
}

/// ms in what suits them.
fn time(value: f64) -> String {
    if value == 0.0 {
        return "0s".to_owned();
    }
    if value.is_nan() || value < 0.001 {
        return format!("{}ns", shortest((value * NS_PER_MS).trunc()));
    }
    if value < 1.0 {
        return format!("{}µs", cut(value * US_PER_MS, 2));
    }
    if value < MS_PER_SEC {
        return format!("{}ms", cut(value, 2));
    }
    let digits = if value > MS_PER_MIN { 0 } else { 2 };
    let seconds = cut((value % MS_PER_MIN) / MS_PER_SEC, digits);
    let minutes = (value / MS_PER_MIN).trunc();
    if minutes < 1.0 {
        return format!("{seconds}s");
    }
    let hours = (minutes / 60.0).trunc();
    if hours < 1.0 {
        return format!("{}m{seconds}s", shortest(minutes % 60.0));
    }
    format!("{}h{}m{seconds}s", shortest(hours), shortest(minutes % 60.0))
}

/// So many digits after the point, the others cut; no zeros at the end.
fn cut(value: f64, digits: usize) -> String {
    let scale = 10_f64.powi(digits as i32);
    without_zeros(&fixed((scale * value).trunc() / scale, digits))
}

/// Rounded to so many digits after the point, halves away from zero (ECMA-262, Number::toFixed).
fn fixed(value: f64, digits: usize) -> String {
    if value.abs() >= PLAIN_BELOW || !value.is_finite() {
        return shortest(value);
    }
    // Formatting rounds halves to even. A value is a half exactly if it is an odd multiple of 2^-(digits + 1); the next one up is rounded up.
    let halves = value * 2_f64.powi(digits as i32 + 1);
    let is_half = halves.fract() == 0.0 && halves % 2.0 != 0.0;
    let value = if is_half { f64::from_bits(value.to_bits() + 1) } else { value };
    format!("{value:.digits$}")
}

/// As scripts print the number that these digits are: no zeros at the end, and no digits that a double does not have.
fn without_zeros(digits: &str) -> String {
    shortest(digits.parse().unwrap_or(0.0))
}

fn shortest(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity".to_owned() } else { "-Infinity".to_owned() };
    }
    let mut text = String::new();
    crate::json::write_number(&mut text, value);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use Contains::{Data, Default, Time};
    use MetricKind::{Counter, Rate, Trend};

    fn check(kind: MetricKind, contains: Contains, unit: Option<TimeUnit>, rows: &[(f64, &str)]) {
        for (value, expected) in rows {
            assert_eq!(
                humanize_value(*value, kind, contains, unit),
                *expected,
                "{value} {kind:?} {contains:?} {unit:?}"
            );
        }
    }

    #[test]
    fn shares_are_cut_to_two_digits() {
        let rows = [
            (0.0, "0.00%"),
            (1.0, "100.00%"),
            (0.555_59, "55.55%"),
            (0.999_999, "99.99%"),
            (1.0 / 3.0, "33.33%"),
            (0.29, "28.99%"),
            (0.000_05, "0.00%"),
        ];
        check(Rate, Default, None, &rows);
    }

    #[test]
    fn bytes_change_their_unit_at_thousands() {
        let rows = [
            (0.0, "0 B"),
            (9.0, "9 B"),
            (9.5, "9.5 B"),
            (10.0, "10 B"),
            (10.5, "11 B"),
            (999.0, "999 B"),
            (999.95, "1000 B"),
            (1000.0, "1.0 kB"),
            (1049.0, "1.0 kB"),
            (1050.0, "1.1 kB"),
            (9_949.0, "9.9 kB"),
            (9_950.0, "10 kB"),
            (12_345.0, "12 kB"),
            (999_499.0, "1000 kB"),
            (1e6, "1.0 MB"),
            (1e9, "1.0 GB"),
            (1e12, "1.0 TB"),
            (1e15, "1.0 PB"),
            (1e18, "1.0 EB"),
            (1e21, "1.0 ZB"),
            (1e24, "1.0 YB"),
            (1e27, "1000 YB"),
        ];
        check(Counter, Data, None, &rows);
    }

    #[test]
    fn times_change_their_unit_where_it_suits() {
        let rows = [
            (0.0, "0s"),
            (0.000_001, "1ns"),
            (0.000_162_9, "162ns"),
            (0.000_999_9, "999ns"),
            (0.001, "1µs"),
            (0.213_939, "213.93µs"),
            (0.999_999, "999.99µs"),
            (1.0, "1ms"),
            (9.289, "9.28ms"),
            (9.3, "9.3ms"),
            (999.999, "999.99ms"),
            (1000.0, "1s"),
            (1_239.9, "1.23s"),
            (59_999.99, "59.99s"),
            (60_000.0, "1m0s"),
            (63_999.0, "1m3s"),
            (3_599_999.0, "59m59s"),
            (3_600_000.0, "1h0m0s"),
            (3_723_456.0, "1h2m3s"),
            (86_400_000.0, "24h0m0s"),
        ];
        check(Trend, Time, None, &rows);
    }

    #[test]
    fn a_unit_asked_for_is_kept() {
        check(
            Trend,
            Time,
            Some(TimeUnit::Seconds),
            &[(0.0, "0.00s"), (1234.567, "1.23s"), (61_235.0, "61.23s")],
        );
        check(
            Trend,
            Time,
            Some(TimeUnit::Milliseconds),
            &[(0.005, "0.01ms"), (0.125, "0.13ms"), (61_234.5, "61234.50ms")],
        );
        check(Trend, Time, Some(TimeUnit::Microseconds), &[(0.001, "1.00µs"), (1.0, "1000.00µs")]);
    }

    #[test]
    fn plain_numbers_have_six_digits() {
        let rows = [
            (0.0, "0"),
            (5.0, "5"),
            (-7.0, "-7"),
            (30.325_024_69, "30.325025"),
            (0.000_000_5, "0"),
            (-0.000_000_1, "0"),
            (1_234_567.123_456_7, "1234567.123457"),
            (2_707_539_688_741.238, "2707539688741.238"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
        ];
        check(Trend, Default, None, &rows);
    }

    #[test]
    fn what_is_no_number_does_no_harm() {
        check(Counter, Data, None, &[(f64::NAN, "NaN B"), (-5000.0, "-5000 B")]);
        check(Trend, Time, None, &[(f64::NAN, "NaNns"), (-1.0, "-1000000ns")]);
        check(Trend, Default, None, &[(f64::INFINITY, "Infinity")]);
        assert!(!humanize_value(f64::INFINITY, Trend, Time, None).is_empty());
        assert!(!humanize_value(f64::MAX, Counter, Data, None).is_empty());
    }
}
