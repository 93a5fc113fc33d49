//! Moments as Tulip writes them, in UTC.

/// Year, month, day, hour, minute, second of a Unix time in ns.
///
/// Source of the calendar: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms" (2013), `civil_from_days`.
fn civil(unix_ns: u64) -> [u64; 6] {
    let secs = unix_ns / units::NS_PER_SEC;
    let (days, of_day) = (secs / 86_400, secs % 86_400);
    // Eras of 400 years, counted from 0000-03-01, so that a leap day is the last of its year.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    [year, month, day, of_day / 3_600, of_day / 60 % 60, of_day % 60]
}

/// `2024-08-30 09:03:24.045`.
pub(crate) fn title(unix_ns: u64) -> String {
    let [year, month, day, hour, minute, second] = civil(unix_ns);
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
///
/// Source: Howard Hinnant, as above, `days_from_civil`.
pub(crate) fn unix_ns_of(stamp: &str) -> Option<u64> {
    let (day, time) = stamp.split_once(['_', 'T', ' '])?;
    let number = |text: &str| text.parse::<u64>().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit()));
    let mut parts = day.split('-').map(number);
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut parts = time.split(':').map(number);
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    let is_sound = (1970..2262).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    if !is_sound || fraction.len() > 9 {
        return None;
    }
    let shifted_year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (shifted_year / 400, shifted_year % 400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days =
        era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468;
    let secs = days * 86_400 + hour * 3_600 + minute * 60 + second;
    let fraction_ns = number(&format!("{fraction:0<9}"))?;
    Some(secs * units::NS_PER_SEC + fraction_ns)
}

/// `30 09:03:24`: day of the month and time.
pub(crate) fn day_and_time(unix_ns: u64) -> String {
    let [_, _, day, hour, minute, second] = civil(unix_ns);
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
