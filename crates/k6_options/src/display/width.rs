//! Times that keep their width while they grow.

use k6_metrics::GoDuration;

const MIN: u64 = 600;
const HOUR: u64 = 60 * MIN;
const DAY: u64 = 24 * HOUR;

/// A time rounded to 100 ms with as many places as the longest one needs: up to 10 s `0.0s`, up to a minute `00.0s`, then `0m00.0s`,
/// `00m00.0s`, `0h00m00.0s`, `00h00m00.0s`, and days before these. What is longer than the longest gets the places it needs.
pub fn fixed_width(elapsed: GoDuration, longest: GoDuration) -> String {
    let tenths = |duration: GoDuration| duration.as_ns().saturating_add(50_000_000) / 100_000_000;
    let (now, most) = (tenths(elapsed), tenths(longest).max(tenths(elapsed)));
    let seconds = format!("{:02}.{}s", now % MIN / 10, now % 10);
    let minutes = format!("{:02}m{seconds}", now % HOUR / MIN);
    let hours = format!("{:02}h{minutes}", now % DAY / HOUR);
    let without_zero = |text: String| text.strip_prefix('0').map_or_else(|| text.clone(), str::to_owned);
    match most {
        0..100 => without_zero(seconds),
        100..MIN => seconds,
        _ if most < 10 * MIN => without_zero(minutes),
        _ if most < HOUR => minutes,
        _ if most < 10 * HOUR => without_zero(hours),
        _ if most < DAY => hours,
        _ => {
            let places = (most / DAY).to_string().len();
            format!("{:0places$}d{hours}", now / DAY)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_keep_their_width() {
        let check = |elapsed: &str, longest: &str, expected: &str| {
            let duration = |text: &str| GoDuration::parse_extended(text).unwrap();
            assert_eq!(fixed_width(duration(elapsed), duration(longest)), expected, "{elapsed} of {longest}");
        };
        check("0s", "9.9s", "0.0s");
        check("1.26s", "9.9s", "1.3s");
        check("1.25s", "10s", "01.3s");
        check("0s", "59.9s", "00.0s");
        check("1s", "1m", "0m01.0s");
        check("500ms", "10m", "00m00.5s");
        check("500ms", "59m59s", "00m00.5s");
        check("1h2m3s", "9h", "1h02m03.0s");
        check("1s", "10h", "00h00m01.0s");
        check("400ms", "25h", "0d00h00m00.4s");
        check("1d2h", "12d", "01d02h00m00.0s");
        // Setup and teardown can take a run beyond what was planned.
        check("12s", "5s", "12.0s");
        check("9.96s", "5s", "10.0s");
    }
}
