//! Quantities for people: three significant digits, the unit that fits, columns that line up.

/// `1.23 ms`, `45.6 µs`, `789 ns`, `12.3 s`, `2m05s`: three significant digits and a unit.
pub fn duration(ns: u64) -> String {
    let ns_f = ns as f64;
    match ns {
        0 => "0".to_owned(),
        1..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => three(ns_f / 1e3, "µs", "ms"),
        1_000_000..1_000_000_000 => three(ns_f / 1e6, "ms", "s"),
        1_000_000_000..120_000_000_000 => three(ns_f / 1e9, "s", "s"),
        _ => two_units(ns),
    }
}

/// Long times as clocks show them: `45s`, `2m05s`, `3h12m`. Rounds to the nearest second.
pub fn two_units(ns: u64) -> String {
    let secs = ns.saturating_add(500_000_000) / 1_000_000_000;
    match secs {
        0..60 => format!("{secs}s"),
        60..3600 => format!("{}m{:02}s", secs / 60, secs % 60),
        _ => format!("{}h{:02}m", secs / 3600, secs % 3600 / 60),
    }
}

/// Text from outside as it may be shown: without control characters, which a terminal would obey, and without the marks that turn the
/// direction of writing, by which a name could read as another (Unicode UAX #9, §2; CVE-2021-42574).
pub fn legible(text: &str) -> String {
    let is_hidden =
        |c: char| c.is_control() || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if is_hidden(c) { '\u{FFFD}' } else { c }).collect()
}

/// A rate's number without its `/s`: `0.5`, `999`, `12,345`.
pub fn per_sec(value: f64) -> String {
    match value {
        v if !v.is_finite() => "-".to_owned(),
        v if v >= 100.0 || v == v.trunc() => count(v.round() as u64),
        v if v >= 10.0 => format!("{v:.1}"),
        v if v >= 1.0 => format!("{v:.2}"),
        v => format!("{v:.3}"),
    }
}

/// Thousands parted: `1,234,567`.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `512 B`, `8.00 KiB`, `1.50 GiB`.
pub fn size(bytes: u64) -> String {
    let bytes_f = bytes as f64;
    match bytes {
        0..1_024 => format!("{bytes} B"),
        1_024..1_048_576 => three(bytes_f / 1024.0, "KiB", "KiB"),
        1_048_576..1_073_741_824 => three(bytes_f / 1_048_576.0, "MiB", "MiB"),
        _ => three(bytes_f / 1_073_741_824.0, "GiB", "GiB"),
    }
}

/// `99.9%`, `0.012%`, `100%`: never rounds what is below all to all, nor something to nothing.
pub fn ratio(value: f64) -> String {
    let percent = value * 100.0;
    match percent {
        p if !p.is_finite() => "-".to_owned(),
        p if p == 0.0 || p == 100.0 => format!("{p:.0}%"),
        p if p < 0.01 => format!("{p:.4}%"),
        p if p < 1.0 => format!("{p:.3}%"),
        p if p < 10.0 => format!("{p:.2}%"),
        p if p > 99.9 && p < 100.0 => format!("{:.3}%", (p * 1000.0).floor() / 1000.0),
        p => format!("{p:.1}%"),
    }
}

/// Three significant digits; 1000 of a unit becomes 1.00 of the next.
fn three(value: f64, unit: &str, next: &str) -> String {
    match value {
        v if v < 9.995 => format!("{v:.2} {unit}"),
        v if v < 99.95 => format!("{v:.1} {unit}"),
        v if v < 999.5 || unit == next => format!("{v:.0} {unit}"),
        v => format!("{:.2} {next}", v / 1000.0),
    }
}

/// A system's error in its own words, for messages: `connection refused`, without Rust's `(os error N)`.
pub fn system_words(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_lowercase(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_deceive_is_not_shown() {
        let check = |text: &str, expected: &str| assert_eq!(legible(text), expected);
        check("shop\x1b[2J\r\u{9b}31m", "shop\u{FFFD}[2J\u{FFFD}\u{FFFD}31m");
        check("\u{202E}gnp.exe\u{2066}", "\u{FFFD}gnp.exe\u{FFFD}");
        check("متجر été 店", "متجر été 店");
    }

    #[test]
    fn every_threshold() {
        let durations = [
            0,
            999,
            1_000,
            9_994,
            9_996,
            99_960,
            999_400,
            999_600,
            1_234_567,
            999_700_000,
            59_990_000_000,
            125_000_000_000,
        ];
        assert_eq!(
            durations.map(duration),
            [
                "0", "999 ns", "1.00 µs", "9.99 µs", "10.0 µs", "100 µs", "999 µs", "1.00 ms", "1.23 ms",
                "1.00 s", "60.0 s", "2m05s"
            ]
        );
        assert_eq!([0, 999, 1000, 1234567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([0.5, 5.0, 5.25, 12345.6].map(per_sec), ["0.500", "5", "5.25", "12,346"]);
        assert_eq!(
            [0.0, 1.0, 0.99999, 0.00001, 0.5].map(ratio),
            ["0%", "100%", "99.999%", "0.0010%", "50.0%"]
        );
        assert_eq!([512, 8192, 1_610_612_736].map(size), ["512 B", "8.00 KiB", "1.50 GiB"]);
    }

    #[test]
    fn a_systems_error_is_told_without_its_number() {
        assert_eq!(system_words(&std::io::Error::from_raw_os_error(2)), "no such file or directory");
        assert_eq!(system_words(&std::io::Error::other("Not Here")), "Not Here");
    }
}
