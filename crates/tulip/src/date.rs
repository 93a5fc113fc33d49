//! Moments as Tulip writes them, in UTC.

use units::Civil;

/// `2024-08-30 09:03:24.045`.
pub(crate) fn title(unix_ns: u64) -> String {
    let Civil { year, month, day, hour, minute, second } = Civil::of_unix_ns(unix_ns);
    let ms = unix_ns / units::NS_PER_MS % 1000;
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{ms:03}")
}

/// `2024-08-30_09:03:24.045`, as the first releases stamp.
pub(crate) fn stamp_ms(unix_ns: u64) -> String {
    title(unix_ns).replace(' ', "_")
}

/// `2024-08-30_09:03:24`, as the later releases stamp.
pub(crate) fn stamp(unix_ns: u64) -> String {
    stamp_ms(unix_ns).chars().take("yyyy-MM-dd_HH:mm:ss".len()).collect()
}

/// The Unix time in ns of a stamp, with or without a fraction of its seconds; `None`: it is none, or from before 1970 or after 2262.
pub(crate) fn unix_ns_of(stamp: &str) -> Option<u64> {
    let (day, time) = stamp.split_once(['_', 'T', ' '])?;
    let number = |text: &str| text.parse::<i64>().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit()));
    let mut parts = day.split('-').map(number);
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut parts = time.split(':').map(number);
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    if !(1970..2262).contains(&year) || fraction.len() > 9 {
        return None;
    }
    let unix_secs = Civil { year, month, day, hour, minute, second }.unix_secs()?;
    let fraction_ns = number(&format!("{fraction:0<9}"))?.unsigned_abs();
    u64::try_from(unix_secs).ok()?.checked_mul(units::NS_PER_SEC)?.checked_add(fraction_ns)
}

/// `30 09:03:24`: day of the month and time.
pub(crate) fn day_and_time(unix_ns: u64) -> String {
    let Civil { day, hour, minute, second, .. } = Civil::of_unix_ns(unix_ns);
    format!("{day:02} {hour:02}:{minute:02}:{second:02}")
}

/// `0:01:30`, whole seconds cut; from a day on `1 day, 0:00:00`.
pub(crate) fn hours(ns: u64) -> String {
    let secs = ns / units::NS_PER_SEC;
    let time = format!("{}:{:02}:{:02}", secs / 3_600 % 24, secs / 60 % 60, secs % 60);
    match secs / 86_400 {
        0 => time,
        1 => format!("1 day, {time}"),
        days => format!("{days} days, {time}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_as_tulip_does() {
        let at = 1_725_008_604_045_000_000;
        assert_eq!(
            (title(at).as_str(), day_and_time(at).as_str()),
            ("2024-08-30 09:03:24.045", "30 09:03:24")
        );
        assert_eq!(
            (stamp_ms(at).as_str(), stamp(at).as_str()),
            ("2024-08-30_09:03:24.045", "2024-08-30_09:03:24")
        );
        assert_eq!(title(951_782_400_000_000_000), "2000-02-29 00:00:00.000");
        let second = units::NS_PER_SEC;
        assert_eq!((hours(90 * second).as_str(), hours(999).as_str()), ("0:01:30", "0:00:00"));
        assert_eq!(hours(90_061 * second), "1 day, 1:01:01");
        assert_eq!(hours(2 * 86_400 * second), "2 days, 0:00:00");
    }

    #[test]
    fn stamps_are_read_as_they_are_written() {
        for unix_ms in
            [0, 951_782_400_000, 951_868_799_999, 1_725_008_604_045, 4_102_444_800_001, 9_000_000_000_000_u64]
        {
            let at = unix_ms * units::NS_PER_MS;
            assert_eq!(unix_ns_of(&stamp_ms(at)), Some(at), "{}", stamp_ms(at));
            assert_eq!(unix_ns_of(&stamp(at)), Some(at / units::NS_PER_SEC * units::NS_PER_SEC));
        }
        for wrong in [
            "",
            "x",
            "2024-08-30",
            "2024-13-01_00:00:00",
            "1969-12-31_23:59:59",
            "2024-08-30_24:00:00",
            "2024-08-30_+1:00:00",
            "99999999999999999999-01-01_00:00:00",
            "2024-08-30_00:00:00.0123456789",
            "2024-08-30_00:00:00.x",
            "2024-00-00_00:00:00",
        ] {
            assert_eq!(unix_ns_of(wrong), None, "{wrong}");
        }
    }
}
