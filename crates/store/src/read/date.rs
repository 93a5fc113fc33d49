//! Moments as other tools write them: RFC 3339, such as `2025-03-15T14:30:00.123Z` or with `+02:00`.

use units::Civil;

/// The Unix time in ns; `None` for what is no moment after 1970.
pub(crate) fn unix_ns(text: &str) -> Option<u64> {
    let (date, time) = text.split_once(['T', ' '])?;
    let mut fields = date.splitn(3, '-').map(|field| field.parse::<i64>().ok());
    let (year, month, day) = (fields.next()??, fields.next()??, fields.next()??);
    let zone_at = time.find(['Z', 'z', '+', '-'])?;
    let (clock, zone) = time.split_at_checked(zone_at)?;
    let mut fields = clock.splitn(3, ':');
    let (hour, minute) = (fields.next()?.parse::<i64>().ok()?, fields.next()?.parse::<i64>().ok()?);
    let (second, fraction) = fields.next()?.split_once('.').unwrap_or((clock.rsplit(':').next()?, ""));
    let second: i64 = second.parse().ok()?;
    if !(1970..10_000).contains(&year) {
        return None;
    }
    let digits: String = fraction.chars().chain("000000000".chars()).take(9).collect();
    let nanos: u64 = digits.parse().ok()?;
    let local_secs = Civil { year, month, day, hour, minute, second }.unix_secs()?;
    let unix_secs = local_secs - offset_secs(zone)?;
    u64::try_from(unix_secs).ok()?.checked_mul(units::NS_PER_SEC)?.checked_add(nanos)
}

/// `Z`, `+02:00` or `-0330` in seconds east of Greenwich.
fn offset_secs(zone: &str) -> Option<i64> {
    if zone.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let digits: String = zone.chars().filter(char::is_ascii_digit).collect();
    let number: i64 = if digits.len() == 4 { digits.parse().ok()? } else { return None };
    Some(sign * (number / 100 * 3_600 + number % 100 * 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_agree_with_the_calendar() {
        let check = |text: &str, expected: Option<u64>| assert_eq!(unix_ns(text), expected, "{text}");
        check("1970-01-01T00:00:00Z", Some(0));
        check("2000-02-29T00:00:00Z", Some(951_782_400_000_000_000));
        check("2025-03-15T14:30:00.5Z", Some(1_742_049_000_500_000_000));
        check("2025-03-15T16:30:00+02:00", Some(1_742_049_000_000_000_000));
        check("2025-03-15T11:00:00.000000001-03:30", Some(1_742_049_000_000_000_001));
        for wrong in
            ["", "2025-03-15", "2025-13-15T14:30:00Z", "2025-03-15T25:30:00Z", "1969-12-31T23:59:59Z", "T::Z"]
        {
            check(wrong, None);
        }
    }
}
