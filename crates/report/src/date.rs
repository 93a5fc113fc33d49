//! A moment on the wall clock as people and as XML write it, in UTC.

use units::Civil;

/// `2026-10-03 12:01:07 UTC`.
pub(crate) fn utc(unix_ns: u64) -> String {
    let Civil { year, month, day, hour, minute, second } = Civil::of_unix_ns(unix_ns);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}

/// `2026-10-03T12:01:07Z`, as ISO 8601 has it.
pub(crate) fn iso(unix_ns: u64) -> String {
    let Civil { year, month, day, hour, minute, second } = Civil::of_unix_ns(unix_ns);
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
