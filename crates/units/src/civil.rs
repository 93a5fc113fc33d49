//! The calendar: Unix time to year, month, day and time of day in UTC, and back.

const SECS_PER_DAY: i64 = 86_400;

/// A moment in UTC by the proleptic Gregorian calendar, to the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Civil {
    /// 1970 and the like; may be negative.
    pub year: i64,
    /// 1..=12
    pub month: i64,
    /// 1..=31
    pub day: i64,
    /// 0..=23
    pub hour: i64,
    /// 0..=59
    pub minute: i64,
    /// 0..=59; 60 is taken for the next minute's first.
    pub second: i64,
}

impl Civil {
    /// Of seconds since 1970-01-01.
    ///
    /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms" (2013), `civil_from_days`.
    pub fn of_unix_secs(unix_secs: i64) -> Self {
        let (days, of_day) = (unix_secs.div_euclid(SECS_PER_DAY), unix_secs.rem_euclid(SECS_PER_DAY));
        // Eras of 400 years, counted from 0000-03-01, so that a leap day is the last of its year.
        let since_era_zero = days + 719_468;
        let (era, day_of_era) = (since_era_zero.div_euclid(146_097), since_era_zero.rem_euclid(146_097));
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        Self {
            year: year_of_era + era * 400 + i64::from(month <= 2),
            month,
            day: day_of_year - (153 * month_from_march + 2) / 5 + 1,
            hour: of_day / 3_600,
            minute: of_day / 60 % 60,
            second: of_day % 60,
        }
    }

    /// Of ns since 1970-01-01.
    pub fn of_unix_ns(unix_ns: u64) -> Self {
        // A u64 of ns has 18,446,744,073 seconds at most.
        Self::of_unix_secs((unix_ns / crate::NS_PER_SEC) as i64)
    }

    /// Seconds since 1970-01-01. `None`: a part is out of its range, or the year is beyond ±9999.
    ///
    /// Source: as above, `days_from_civil`. A day that its month does not have is one of the next month.
    pub fn unix_secs(&self) -> Option<i64> {
        let Self { year, month, day, hour, minute, second } = *self;
        let is_date =
            (-9_999..=9_999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
        let is_time = (0..24).contains(&hour) && (0..60).contains(&minute) && (0..=60).contains(&second);
        if !is_date || !is_time {
            return None;
        }
        let shifted_year = if month <= 2 { year - 1 } else { year };
        let (era, year_of_era) = (shifted_year.div_euclid(400), shifted_year.rem_euclid(400));
        let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        let days =
            era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468;
        Some(days * SECS_PER_DAY + hour * 3_600 + minute * 60 + second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_agree_with_the_calendar() {
        for (unix_secs, [year, month, day, hour, minute, second]) in [
            (0, [1970, 1, 1, 0, 0, 0]),
            (-1, [1969, 12, 31, 23, 59, 59]),
            (951_782_400, [2000, 2, 29, 0, 0, 0]),
            (951_868_799, [2000, 2, 29, 23, 59, 59]),
            (1_790_942_467, [2026, 10, 2, 12, 1, 7]),
            (4_107_542_400, [2100, 3, 1, 0, 0, 0]),
            (-11_644_473_600, [1601, 1, 1, 0, 0, 0]),
        ] {
            let civil = Civil { year, month, day, hour, minute, second };
            assert_eq!(Civil::of_unix_secs(unix_secs), civil);
            assert_eq!(civil.unix_secs(), Some(unix_secs));
        }
        assert_eq!(Civil::of_unix_ns(u64::MAX).year, 2554);
    }

    #[test]
    fn every_day_of_a_thousand_years_comes_back() {
        for day in -200_000..200_000 {
            let unix_secs = day * SECS_PER_DAY + 12_345;
            assert_eq!(Civil::of_unix_secs(unix_secs).unix_secs(), Some(unix_secs));
        }
    }

    #[test]
    fn what_is_out_of_range_is_no_moment() {
        let sound = Civil::of_unix_secs(0);
        for wrong in [
            Civil { month: 0, ..sound },
            Civil { month: 13, ..sound },
            Civil { day: 32, ..sound },
            Civil { hour: 24, ..sound },
            Civil { minute: 60, ..sound },
            Civil { second: 61, ..sound },
            Civil { year: i64::MAX, ..sound },
        ] {
            assert_eq!(wrong.unix_secs(), None);
        }
    }
}
