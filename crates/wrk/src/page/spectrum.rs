//! wrk2's distribution and detailed spectrum: what HdrHistogram's iteration over percentiles yields for values in µs.
//!
//! Source: HdrHistogram's C implementation as wrk2 uses it: three significant digits (2048 sub-buckets, 27 buckets up to a day), five ticks
//! per half of the remaining distance to 100 %.

use crate::statistics::Statistics;
use crate::units::{column, time_us};
use std::fmt::Write as _;

/// The percentiles above the spectrum.
const PERCENTILES: [f64; 8] = [50.0, 75.0, 90.0, 99.0, 99.9, 99.99, 99.999, 100.0];
const BUCKET_COUNT: u32 = 27;
const SUB_BUCKET_COUNT: u32 = 2048;
const TICKS_PER_HALF: f64 = 5.0;

/// A distribution in HdrHistogram's buckets.
pub(super) struct Spectrum {
    /// Greatest value of a bucket in µs, and how many values lie up to it; ascending.
    buckets: Vec<(u64, u64)>,
    count: u64,
    mean_us: f64,
    stdev_us: f64,
    max_us: u64,
}

impl Spectrum {
    pub(super) fn of(statistics: &Statistics) -> Self {
        let mut buckets: Vec<(u64, u64)> = Vec::new();
        let mut below = 0u64;
        for (us, count) in (0..statistics.distinct_count()).filter_map(|index| statistics.distinct(index)) {
            below = below.saturating_add(count);
            let highest_us = highest_equivalent(us);
            match buckets.last_mut() {
                Some((last_us, total)) if *last_us == highest_us => *total = below,
                _ => buckets.push((highest_us, below)),
            }
        }
        Self {
            buckets,
            count: statistics.count(),
            mean_us: statistics.mean(),
            stdev_us: statistics.stdev_of_all(),
            max_us: statistics.max(),
        }
    }

    /// The block under its title, up to the dashed line.
    pub(super) fn print(&self, title: &str, page: &mut String) {
        let _ = writeln!(page, "  Latency Distribution (HdrHistogram - {title})");
        for percentile in PERCENTILES {
            let value = column(&time_us(self.value_at(percentile) as f64), 10);
            let _ = writeln!(page, "{percentile:>7.3}%{value}");
        }
        page.push_str("\n  Detailed Percentile spectrum:\n");
        page.push_str("       Value   Percentile   TotalCount 1/(1-Percentile)\n\n");
        self.rows(page);
        let ms = |us: f64| us / 1e3;
        let _ = writeln!(
            page,
            "#[Mean    = {:>12.3}, StdDeviation   = {:>12.3}]",
            ms(self.mean_us),
            ms(self.stdev_us)
        );
        let _ = writeln!(
            page,
            "#[Max     = {:>12.3}, Total count    = {:>12}]",
            ms(self.max_us as f64),
            self.count
        );
        let _ = writeln!(page, "#[Buckets = {BUCKET_COUNT:>12}, SubBuckets     = {SUB_BUCKET_COUNT:>12}]");
        page.push_str(&"-".repeat(58));
        page.push('\n');
    }

    /// The highest value that counts as equal to the one at a percentile, µs; 0 where there is none.
    fn value_at(&self, percentile: f64) -> u64 {
        let target = ((percentile / 100.0 * self.count as f64 + 0.5).floor() as u64).max(1);
        let bucket = self.buckets.iter().find(|(_, below)| *below >= target).or(self.buckets.last());
        bucket.map_or(0, |(highest_us, _)| *highest_us)
    }

    /// A row whenever a target is passed; each target lies a fifth of a halving nearer to 100 %.
    fn rows(&self, page: &mut String) {
        let mut target = 0.0f64;
        for (highest_us, below) in &self.buckets {
            let share = *below as f64 / self.count.max(1) as f64 * 100.0;
            while share >= target && target < 100.0 {
                row(page, *highest_us, target / 100.0, *below);
                if share >= 100.0 {
                    break;
                }
                target += 100.0 / (TICKS_PER_HALF * half_distance_power(target));
            }
        }
        let last_us = self.buckets.last().map_or(0, |(highest_us, _)| *highest_us);
        row(page, last_us, 1.0, self.count);
    }
}

/// 2 to the power of ⌊log₂(100 / (100 − target))⌋ + 1: how finely the rest up to 100 % is halved.
fn half_distance_power(target: f64) -> f64 {
    2f64.powf((100.0 / (100.0 - target)).log2().floor() + 1.0)
}

fn row(page: &mut String, us: u64, ratio: f64, below: u64) {
    let inverse = 1.0 / (1.0 - ratio);
    let _ = writeln!(page, "{:>12.3} {ratio:>12.6} {below:>12} {inverse:>12.2}", us as f64 / 1e3);
}

/// The greatest value that three significant digits don't tell from this one.
fn highest_equivalent(us: u64) -> u64 {
    let halves = 64 - us.leading_zeros();
    let shift = halves.saturating_sub(SUB_BUCKET_COUNT.ilog2());
    us | ((1u64 << shift.min(63)) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_told_apart_by_three_digits() {
        for (us, highest) in [
            (0, 0),
            (1, 1),
            (2_047, 2_047),
            (2_048, 2_049),
            (4_095, 4_095),
            (4_096, 4_099),
            (1_000_000, 1_000_447),
        ] {
            assert_eq!(highest_equivalent(us), highest, "{us}");
        }
    }

    #[test]
    fn the_spectrum_is_hdr_histograms() {
        let mut page = String::new();
        Spectrum::of(&Statistics::of_samples((1..=1_000).map(|n| n * 10)))
            .print("Recorded Latency", &mut page);
        expect_test::expect![[r#"
              Latency Distribution (HdrHistogram - Recorded Latency)
             50.000%    5.00ms
             75.000%    7.50ms
             90.000%    9.01ms
             99.000%    9.90ms
             99.900%    9.99ms
             99.990%   10.01ms
             99.999%   10.01ms
            100.000%   10.01ms

              Detailed Percentile spectrum:
                   Value   Percentile   TotalCount 1/(1-Percentile)

                   0.010     0.000000            1         1.00
                   1.000     0.100000          100         1.11
                   2.000     0.200000          200         1.25
                   3.001     0.300000          300         1.43
                   4.001     0.400000          400         1.67
                   5.003     0.500000          500         2.00
                   5.503     0.550000          550         2.22
                   6.003     0.600000          600         2.50
                   6.503     0.650000          650         2.86
                   7.003     0.700000          700         3.33
                   7.503     0.750000          750         4.00
                   7.751     0.775000          775         4.44
                   8.003     0.800000          800         5.00
                   8.255     0.825000          825         5.71
                   8.503     0.850000          850         6.67
                   8.751     0.875000          875         8.00
                   8.887     0.887500          888         8.89
                   9.007     0.900000          900        10.00
                   9.135     0.912500          913        11.43
                   9.255     0.925000          925        13.33
                   9.383     0.937500          938        16.00
                   9.447     0.943750          944        17.78
                   9.503     0.950000          950        20.00
                   9.575     0.956250          957        22.86
                   9.631     0.962500          963        26.67
                   9.695     0.968750          969        32.00
                   9.727     0.971875          972        35.56
                   9.751     0.975000          975        40.00
                   9.791     0.978125          979        45.71
                   9.823     0.981250          982        53.33
                   9.855     0.984375          985        64.00
                   9.863     0.985938          986        71.11
                   9.887     0.987500          988        80.00
                   9.903     0.989062          990        91.43
                   9.911     0.990625          991       106.67
                   9.935     0.992188          993       128.00
                   9.935     0.992969          993       142.22
                   9.943     0.993750          994       160.00
                   9.951     0.994531          995       182.86
                   9.967     0.995313          996       213.33
                   9.975     0.996094          997       256.00
                   9.975     0.996484          997       284.44
                   9.975     0.996875          997       320.00
                   9.983     0.997266          998       365.71
                   9.983     0.997656          998       426.67
                   9.991     0.998047          999       512.00
                   9.991     0.998242          999       568.89
                   9.991     0.998437          999       640.00
                   9.991     0.998633          999       731.43
                   9.991     0.998828          999       853.33
                  10.007     0.999023         1000      1024.00
                  10.007     1.000000         1000          inf
            #[Mean    =        5.005, StdDeviation   =        2.887]
            #[Max     =       10.000, Total count    =         1000]
            #[Buckets =           27, SubBuckets     =         2048]
            ----------------------------------------------------------
        "#]]
        .assert_eq(&page);
    }

    #[test]
    fn nothing_measured_has_a_spectrum_of_one_row() {
        let mut page = String::new();
        Spectrum::of(&Statistics::default()).print("Recorded Latency", &mut page);
        expect_test::expect![[r#"
              Latency Distribution (HdrHistogram - Recorded Latency)
             50.000%    0.00us
             75.000%    0.00us
             90.000%    0.00us
             99.000%    0.00us
             99.900%    0.00us
             99.990%    0.00us
             99.999%    0.00us
            100.000%    0.00us

              Detailed Percentile spectrum:
                   Value   Percentile   TotalCount 1/(1-Percentile)

                   0.000     1.000000            0          inf
            #[Mean    =        0.000, StdDeviation   =        0.000]
            #[Max     =        0.000, Total count    =            0]
            #[Buckets =           27, SubBuckets     =         2048]
            ----------------------------------------------------------
        "#]]
        .assert_eq(&page);
    }
}
