//! Instants of samples as texts: RFC 3339 and counts since 1970.

use std::fmt::Write as _;
use units::{Civil, NS_PER_SEC};

/// What the instants of a run are on the wall clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Origin {
    /// The wall clock at the run's instant 0, in ns since 1970.
    pub unix_ns: u64,
    /// What local time is ahead of UTC, in seconds; 0 is written as `Z`.
    pub utc_offset_sec: i32,
}

impl Origin {
    /// An instant of the run in ns since 1970.
    pub(crate) fn unix_ns_of(self, time_ns: u64) -> u64 {
        self.unix_ns.saturating_add(time_ns)
    }
}

/// An instant as RFC 3339 has it, with as many digits of a second as it needs: `2026-11-21T08:38:16.71Z`.
pub fn rfc3339(unix_ns: u64, utc_offset_sec: i32) -> String {
    let mut clock = Clock::new(utc_offset_sec);
    let mut text = String::new();
    clock.write(&mut text, unix_ns, Digits::AsNeeded);
    text
}

/// How much of a second is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Digits {
    /// Whole seconds.
    None,
    /// Up to ns, without zeros at the end.
    AsNeeded,
}

/// Writes instants; the day and second of the last one are kept, since the next is nearly always in it too.
#[derive(Debug)]
pub(crate) struct Clock {
    utc_offset_sec: i32,
    second: Option<u64>,
    /// `2026-11-21T08:38:16`
    start: String,
    /// `Z` or `+02:00`
    zone: String,
}

impl Clock {
    pub(crate) fn new(utc_offset_sec: i32) -> Self {
        // RFC 3339 knows no seconds in offsets, and none of a day or more.
        let minutes = (utc_offset_sec / 60).clamp(-1_439, 1_439);
        let (sign, ahead) = (if minutes < 0 { '-' } else { '+' }, minutes.abs());
        let zone =
            if minutes == 0 { "Z".to_owned() } else { format!("{sign}{:02}:{:02}", ahead / 60, ahead % 60) };
        Self { utc_offset_sec: minutes * 60, second: None, start: String::new(), zone }
    }

    pub(crate) fn write(&mut self, out: &mut String, unix_ns: u64, digits: Digits) {
        let second = unix_ns / NS_PER_SEC;
        if self.second != Some(second) {
            self.start = date_and_time(second as i64 + i64::from(self.utc_offset_sec));
            self.second = Some(second);
        }
        out.push_str(&self.start);
        let mut rest = unix_ns % NS_PER_SEC;
        if digits == Digits::AsNeeded && rest > 0 {
            let mut width = 9;
            while rest.is_multiple_of(10) {
                rest /= 10;
                width -= 1;
            }
            // Writing to a string can't fail.
            let _ = write!(out, ".{rest:0width$}");
        }
        out.push_str(&self.zone);
    }
}

fn date_and_time(unix_secs: i64) -> String {
    let Civil { year, month, day, hour, minute, second } = Civil::of_unix_secs(unix_secs);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_written_as_the_rfc_has_them() {
        let check = |unix_ns, offset_sec, expected| assert_eq!(rfc3339(unix_ns, offset_sec), expected);
        check(0, 0, "1970-01-01T00:00:00Z");
        check(1_795_250_296_710_984_639, 0, "2026-11-21T08:38:16.710984639Z");
        check(1_795_250_296_710_000_000, 7_200, "2026-11-21T10:38:16.71+02:00");
        check(1_795_250_296_000_000_001, -12_600, "2026-11-21T05:08:16.000000001-03:30");
        check(951_782_400_000_000_000, 0, "2000-02-29T00:00:00Z");
        check(4_107_542_399_900_000_000, 0, "2100-02-28T23:59:59.9Z");
        check(4_107_542_400_000_000_000, 0, "2100-03-01T00:00:00Z");
        check(0, -3_600, "1969-12-31T23:00:00-01:00");
        check(u64::MAX, i32::MAX, "2554-07-22T23:33:33.709551615+23:59");
    }

    #[test]
    fn the_second_that_is_kept_is_the_right_one() {
        let mut clock = Clock::new(0);
        let mut text = String::new();
        for unix_ns in [999_999_999, 1_000_000_000, 500_000_000] {
            clock.write(&mut text, unix_ns, Digits::AsNeeded);
            text.push(' ');
        }
        clock.write(&mut text, 1_999_999_999, Digits::None);
        let expected =
            "1970-01-01T00:00:00.999999999Z 1970-01-01T00:00:01Z 1970-01-01T00:00:00.5Z 1970-01-01T00:00:01Z";
        assert_eq!(text, expected);
    }
}
