//! Values as both tools print them: scaled to a unit, and set into columns.
//!
//! A value moves on to the next unit once it is 0.85 of it, and the last unit of each table is never reached (so there are no hours).

/// Scale and units of a kind of value, the base unit first.
struct Table {
    scale: f64,
    units: &'static [&'static str],
}

const MICROSECONDS: Table = Table { scale: 1_000.0, units: &["us", "ms"] };
const SECONDS: Table = Table { scale: 60.0, units: &["s", "m"] };
const BINARY: Table = Table { scale: 1_024.0, units: &["", "K", "M", "G", "T"] };
const METRIC: Table = Table { scale: 1_000.0, units: &["", "k", "M", "G", "T"] };

/// Share of the next unit from which on it is used.
const STEP: f64 = 0.85;

impl Table {
    fn text(&self, value: f64, decimals: usize) -> String {
        let mut value = value;
        let mut units = self.units.iter();
        let mut unit = units.next().copied().unwrap_or_default();
        for larger in units {
            if value < self.scale * STEP {
                break;
            }
            value /= self.scale;
            unit = larger;
        }
        format!("{value:.decimals$}{unit}")
    }
}

/// A time given in µs: `850.00us` never comes, for it is `0.85ms`; from a second on it is seconds or minutes.
pub(crate) fn time_us(us: f64) -> String {
    if us >= 1e6 { SECONDS.text(us / 1e6, 2) } else { MICROSECONDS.text(us, 2) }
}

/// A length in whole seconds or minutes, as the first line has it. One below a second, which neither tool takes, is in ms.
pub(crate) fn whole_time_s(seconds: f64) -> String {
    if seconds < 1.0 { MICROSECONDS.text(seconds * 1e6, 0) } else { SECONDS.text(seconds, 0) }
}

/// A size in bytes, without the `B`.
pub(crate) fn binary(bytes: f64) -> String {
    BINARY.text(bytes, 2)
}

/// A count or rate.
pub(crate) fn metric(value: f64) -> String {
    METRIC.text(value, 2)
}

/// A value in a column so wide: two places are kept for its unit, so that digits stand under digits; what is too long is cut.
pub(crate) fn column(text: &str, width: usize) -> String {
    let unit_length = text.bytes().rev().take(2).filter(u8::is_ascii_alphabetic).count();
    let padding = 2 - unit_length.min(2);
    let width = width.saturating_sub(padding);
    let cut: String = text.chars().take(width).collect();
    format!("{cut:>width$}{:padding$}", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_change_at_their_thresholds() {
        for (us, expected) in [
            (0.0, "0.00us"),
            (0.5, "0.50us"),
            (849.99, "849.99us"),
            (850.0, "0.85ms"),
            (1_000.0, "1.00ms"),
            (849_999.0, "850.00ms"),
            (900_000.0, "900.00ms"),
            (999_999.0, "1000.00ms"),
            (1e6, "1.00s"),
            (50.99e6, "50.99s"),
            (51e6, "0.85m"),
            (60e6, "1.00m"),
            (3_060e6, "51.00m"),
            (7_200e6, "120.00m"),
        ] {
            assert_eq!(time_us(us), expected, "{us}");
        }
        for (seconds, expected) in [
            (0.3, "300ms"),
            (1.0, "1s"),
            (10.0, "10s"),
            (50.0, "50s"),
            (51.0, "1m"),
            (90.0, "2m"),
            (7_200.0, "120m"),
        ] {
            assert_eq!(whole_time_s(seconds), expected, "{seconds}");
        }
        for (bytes, expected) in [
            (0.0, "0.00"),
            (500.0, "500.00"),
            (870.0, "870.00"),
            (870.4, "0.85K"),
            (1_024.0, "1.00K"),
            (891_289.6, "0.85M"),
            (38_189_137.92, "36.42M"),
            (912_680_550.4, "0.85G"),
            (1e12, "0.91T"),
            (1e18, "909494.70T"),
        ] {
            assert_eq!(binary(bytes), expected, "{bytes}");
        }
        for (value, expected) in [
            (0.0, "0.00"),
            (849.0, "849.00"),
            (850.0, "0.85k"),
            (86_220.0, "86.22k"),
            (850_000.0, "0.85M"),
            (850e6, "0.85G"),
            (850e9, "0.85T"),
            (1e15, "1000.00T"),
        ] {
            assert_eq!(metric(value), expected, "{value}");
        }
    }

    #[test]
    fn columns_keep_two_places_for_the_unit() {
        for (text, width, expected) in [
            ("635.91us", 8, "635.91us"),
            ("1.10s", 10, "    1.10s "),
            ("0.00", 8, "  0.00  "),
            ("56.20k", 9, "  56.20k "),
            ("1000.00ms", 8, "1000.00m"),
            ("-nan", 8, "    -nan"),
            ("12345.67", 8, "12345.  "),
        ] {
            assert_eq!(column(text, width), expected, "{text}");
        }
    }
}
