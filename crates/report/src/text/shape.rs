//! The shape of a distribution in one line of block characters over a logarithmic axis of time.
//!
//! A bar's height is its share of the row's highest bar; what is not nothing has at least the lowest bar, so that a tail is seen.

use stats::Histogram;

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A stretch of time, ns, that rows of bars have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Axis {
    low_ns: f64,
    high_ns: f64,
    width: usize,
}

impl Axis {
    /// An axis of so many characters that holds all values; `None` when there are none, or all are much the same.
    pub(super) fn over<'a>(
        histograms: impl IntoIterator<Item = &'a Histogram>,
        width: usize,
    ) -> Option<Self> {
        let (mut low_ns, mut high_ns) = (f64::INFINITY, 0f64);
        for histogram in histograms {
            low_ns = low_ns.min(histogram.min_ns()? as f64);
            high_ns = high_ns.max(histogram.max_ns()? as f64);
        }
        let low_ns = low_ns.max(1.0);
        (high_ns > low_ns * 1.2 && width > 0).then_some(Self { low_ns, high_ns, width })
    }

    fn column(&self, ns: f64) -> usize {
        let share = (ns.max(self.low_ns) / self.low_ns).ln() / (self.high_ns / self.low_ns).ln();
        ((share * self.width as f64) as usize).min(self.width - 1)
    }

    /// The bars of one distribution.
    pub(super) fn bars(&self, histogram: &Histogram) -> String {
        let mut counts = vec![0u64; self.width];
        for (value_ns, count) in histogram.values() {
            if let Some(sum) = counts.get_mut(self.column(value_ns as f64)) {
                *sum = sum.saturating_add(count);
            }
        }
        let highest = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
        let bar = |count: u64| match count {
            0 => ' ',
            count => {
                let eighths = (count as f64 / highest * BARS.len() as f64).ceil() as usize;
                BARS.get(eighths.saturating_sub(1)).copied().unwrap_or('█')
            }
        };
        counts.into_iter().map(bar).collect::<String>().trim_end().to_owned()
    }

    /// The line below: both ends, and the powers of ten between them where there is room.
    pub(super) fn scale(&self) -> String {
        let mut line: Vec<char> = vec![' '; self.width];
        let low = units::duration(self.low_ns as u64);
        let high = units::duration(self.high_ns as u64);
        place(&mut line, 0, &low);
        let high_at = self.width.saturating_sub(high.chars().count());
        place(&mut line, high_at, &high);
        let mut power_ns = 1u64;
        while (power_ns as f64) < self.high_ns {
            if power_ns as f64 > self.low_ns {
                place(&mut line, self.column(power_ns as f64), &power(power_ns));
            }
            let Some(next_ns) = power_ns.checked_mul(10) else { break };
            power_ns = next_ns;
        }
        line.into_iter().collect::<String>().trim_end().to_owned()
    }
}

/// `1 ms`, `10 µs`: powers of ten without the digits that measured values have.
fn power(ns: u64) -> String {
    match ns {
        0..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => format!("{} µs", ns / 1_000),
        1_000_000..1_000_000_000 => format!("{} ms", ns / 1_000_000),
        _ => format!("{} s", ns / 1_000_000_000),
    }
}

/// Writes a text where it has two blanks of room on both sides; else leaves it out.
fn place(line: &mut [char], at: usize, text: &str) {
    let end = at + text.chars().count();
    let room = line.get(at.saturating_sub(2)..(end + 2).min(line.len()));
    if end <= line.len() && room.is_some_and(|room| room.iter().all(|c| *c == ' ')) {
        for (slot, c) in line.iter_mut().skip(at).zip(text.chars()) {
            *slot = c;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_stand_where_the_values_are() {
        let mut histogram = Histogram::default();
        histogram.record_n(10_000, 800);
        histogram.record_n(100_000, 400);
        histogram.record(10_000_000);
        let axis = Axis::over([&histogram], 31).unwrap();
        assert_eq!(axis.bars(&histogram), "█         ▄                   ▁");
        assert_eq!(axis.scale(), "10.0 µs   100 µs    1 m 10.0 ms".replace("1 m ", "    "));
    }

    #[test]
    fn there_is_no_shape_without_spread() {
        let mut histogram = Histogram::default();
        assert_eq!(Axis::over([&histogram], 30), None);
        histogram.record(5);
        assert_eq!(Axis::over([&histogram], 30), None);
    }
}
