//! A moment on the wall clock as people and as XML write it, in UTC.

/// Year, month, day, hour, minute, second of a Unix time in ns, in UTC.
///
/// Source of the calendar: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms" (2013), `civil_from_days`.
fn civil(unix_ns: u64) -> (u64, u64, u64, u64, u64, u64) {
    let secs = unix_ns / units::NS_PER_SEC;
    let (days, of_day) = (secs / 86_400, secs % 86_400);
    // Eras of 400 years, counted from 0000-03-01, so that a leap day is the last of its year.
    let since_era_zero = days + 719_468;
    let era = since_era_zero / 146_097;
    let day_of_era = since_era_zero % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day, of_day / 3_600, of_day / 60 % 60, of_day % 60)
}

/// `2026-10-03 12:01:07 UTC`.
pub(crate) fn utc(unix_ns: u64) -> String {
    let (year, month, day, hour, minute, second) = civil(unix_ns);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}

/// `2026-10-03T12:01:07Z`, as ISO 8601 has it.
pub(crate) fn iso(unix_ns: u64) -> String {
    let (year, month, day, hour, minute, second) = civil(unix_ns);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_agree_with_the_calendar() {
        let at = |secs: u64| iso(secs * units::NS_PER_SEC);
        for (secs, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_799, "2000-02-29T23:59:59Z"),
            (1_709_164_800, "2024-02-29T00:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (1_790_942_467, "2026-10-02T12:01:07Z"),
        ] {
            assert_eq!(at(secs), expected);
        }
        assert_eq!(utc(0), "1970-01-01 00:00:00 UTC");
        assert!(utc(u64::MAX).starts_with("2554-"));
    }
}
