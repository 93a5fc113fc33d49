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
        assert_eq!(title(951_782_400_000_000_000), "2000-02-29 00:00:00.000");
        let second = units::NS_PER_SEC;
        assert_eq!((hours(90 * second).as_str(), hours(999).as_str()), ("0:01:30", "0:00:00"));
        assert_eq!(hours(90_061 * second), "1 day, 1:01:01");
        assert_eq!(hours(2 * 86_400 * second), "2 days, 0:00:00");
    }
}
