//! Figures as Tulip writes them into the cells of a row: in the first releases' columns, in the last ones', and Weir's own beside them.

use super::figures::{Figures, Results};
use crate::date;
use units::NS_PER_SEC;

/// Heads of the first releases' columns, in order.
pub(crate) const SEED_HEADS: [&str; 20] = [
    "SID", "Name", "RID", "Duration", "#N", "#F", "Avg TPS", "Min RT", "Avg RT", "Stdev", "90p RT", "99p RT",
    "Max RT", "Max RTT", "MQS", "AQS", "Max WT", "Avg WT", "CPU", "JMM",
];
/// Heads of the last releases' columns, in order. Those from [`NEWEST_SHOWN`] on are shown on demand.
pub(crate) const NEWEST_HEADS: [&str; 23] = [
    "Benchmark",
    "Run Id",
    "#N",
    "#F",
    "Time",
    "APS",
    "AVG_RT",
    "SD_RT",
    "MIN_RT",
    "P50_RT",
    "P90_RT",
    "P95_RT",
    "P99_RT",
    "MAX_RT",
    "MAX_RTT",
    "AQS",
    "MQS",
    "AWT",
    "MWT",
    "CPU_T",
    "CPU",
    "CGC_T",
    "MEM",
];
/// How many of the last releases' columns are always shown.
pub(crate) const NEWEST_SHOWN: usize = 14;
/// Heads of Weir's own columns: response times from the moment an action was due, and the row's own waits.
pub(crate) const RESPONSE_HEADS: [&str; 9] =
    ["Avg", "50p", "90p", "95p", "99p", "99.9p", "Max", "Avg WT", "Max WT"];
/// The quantiles among them.
const RESPONSE_QUANTILES: [f64; 5] = [0.5, 0.9, 0.95, 0.99, 0.999];
/// Beyond this share off its target a rate is marked, as Tulip does.
const RATE_OFF_RATIO: f64 = 0.015;

/// A cell: its text, and a number to sort by.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Cell {
    pub(crate) text: String,
    pub(crate) sort: Option<f64>,
    pub(crate) is_marked: bool,
}

impl Cell {
    pub(crate) fn new(text: impl Into<String>, sort: f64) -> Self {
        Self { text: text.into(), sort: Some(sort), is_marked: false }
    }

    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), sort: None, is_marked: false }
    }

    fn marked_if(mut self, is_marked: bool) -> Self {
        self.is_marked = is_marked;
        self
    }
}

/// Seconds to a millisecond, and never 0: readers divide by it.
pub(crate) fn seconds(ns: u64) -> f64 {
    ((ns as f64 / 1e6).round() / 1e3).max(1e-3)
}

/// Seconds as Python prints a float.
pub(crate) fn seconds_text(ns: u64) -> String {
    format!("{:?}", seconds(ns))
}

/// The cells from `#N` to `JMM`.
pub(crate) fn seed_cells(figures: &Figures, results: &Results<'_>) -> Vec<Cell> {
    let service = &figures.service;
    let ms = |ns: f64, places: usize| Cell::new(format!("{:.places$} ms", ns / 1e6), ns);
    let whole = |ns: Option<u64>| ms(ns.unwrap_or(0) as f64, 1);
    let of = &figures.whole;
    vec![
        count(figures.ended),
        count(figures.failed),
        Cell::new(format!("{:.3}", figures.per_sec()), figures.per_sec()),
        whole(service.min_ns()),
        ms(service.mean_ns().unwrap_or(0.0), 3),
        ms(service.stdev_ns().unwrap_or(0.0), 1),
        whole(service.quantile_ns(0.9)),
        whole(service.quantile_ns(0.99)),
        whole(service.max_ns()),
        moment(figures, results, " "),
        Cell::new(format!("{:.0}", of.queue_max), of.queue_max),
        Cell::new(format!("{:.1}", of.queue_mean), of.queue_mean),
        ms(of.wait_ns_max, 1),
        ms(of.wait_ns_mean, 1),
        Cell::new(format!("{:.1}", of.cpu_ratio * 100.0), of.cpu_ratio),
        Cell::new(format!("{:.1}", of.memory_total_ratio * 100.0), of.memory_total_ratio),
    ]
}

/// The cells from `#N` to `MEM`. `target_per_sec` is of a summary's row, in which what is amiss is marked.
pub(crate) fn newest_cells(
    figures: &Figures,
    results: &Results<'_>,
    group_duration_ns: u64,
    target_per_sec: Option<f64>,
) -> Vec<Cell> {
    let service = &figures.service;
    let time = |ns: f64| Cell::new(scaled(ns), ns);
    let whole = |ns: Option<u64>| time(ns.unwrap_or(0) as f64);
    let of = &figures.whole;
    let per_sec = figures.per_sec();
    let is_off = target_per_sec
        .is_some_and(|target| target > 0.0 && (target - per_sec).abs() / target > RATE_OFF_RATIO);
    let mut cells = vec![
        count(figures.ended),
        count(figures.failed).marked_if(target_per_sec.is_some() && figures.failed > 0),
        Cell::new(date::hours(group_duration_ns), group_duration_ns as f64),
        Cell::new(format!("{per_sec:.1}"), per_sec).marked_if(is_off),
        time(service.mean_ns().unwrap_or(0.0)),
        time(service.stdev_ns().unwrap_or(0.0)),
        whole(service.min_ns()),
    ];
    cells.extend([0.5, 0.9, 0.95, 0.99].map(|quantile| whole(service.quantile_ns(quantile))));
    cells.extend([
        whole(service.max_ns()),
        moment(figures, results, "_"),
        Cell::new(format!("{:.1}", of.queue_mean), of.queue_mean),
        Cell::new(format!("{:.0}", of.queue_max), of.queue_max),
        time(of.wait_ns_mean),
        time(of.wait_ns_max),
        Cell::new(tenths(of.cpu_ns), of.cpu_ns as f64),
        Cell::new(format!("{:.1}", of.cpu_ratio * 100.0), of.cpu_ratio),
        Cell::new(tenths(of.collection_ns), of.collection_ns as f64),
        Cell::new(format!("{:.1}", of.memory_used_ratio * 100.0), of.memory_used_ratio),
    ]);
    cells
}

/// Weir's own: a quantile that too few samples carry is a dash, as is what a file of Tulip does not tell.
pub(crate) fn response_cells(figures: &Figures) -> Vec<Cell> {
    let time = |ns: Option<u64>| match ns {
        Some(ns) => Cell::new(units::duration(ns), ns as f64),
        None => Cell::text("-"),
    };
    let rounded = |ns: Option<f64>| ns.map(|ns| ns.round() as u64);
    let (response, wait) = (&figures.response, &figures.wait);
    let mut cells = vec![time(rounded(response.mean_ns()))];
    cells.extend(RESPONSE_QUANTILES.map(|quantile| time(response.carried_quantile_ns(quantile))));
    cells.extend([time(response.max_ns()), time(rounded(wait.mean_ns())), time(wait.max_ns())]);
    cells
}

fn count(count: u64) -> Cell {
    Cell::new(count.to_string(), count as f64)
}

/// Day of the month and time.
fn moment(figures: &Figures, results: &Results<'_>, separator: &str) -> Cell {
    match figures.max_at_ns {
        Some(at_ns) => {
            let text = date::day_and_time(results.unix_ns(at_ns)).replace(' ', separator);
            Cell::new(text, at_ns as f64)
        }
        None => Cell::text("-"),
    }
}

/// A time in the unit that fits it, one place behind the point.
pub(crate) fn scaled(ns: f64) -> String {
    match ns {
        ns if ns < 1e3 => format!("{ns:.1} ns"),
        ns if ns < 1e6 => format!("{:.1} us", ns / 1e3),
        ns if ns < 1e9 => format!("{:.1} ms", ns / 1e6),
        ns => format!("{:.1} s", ns / 1e9),
    }
}

/// `0:00:35.7`: hours with one place behind the point, none where it is zero.
fn tenths(ns: u64) -> String {
    match ns % NS_PER_SEC / (NS_PER_SEC / 10) {
        0 => date::hours(ns),
        tenth => format!("{}.{tenth}", date::hours(ns)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_tulip_does() {
        let check = |ns: f64, expected: &str| assert_eq!(scaled(ns), expected);
        check(47.0, "47.0 ns");
        check(20_600.0, "20.6 us");
        check(1e6, "1.0 ms");
        check(12.34e9, "12.3 s");
        assert_eq!(
            (seconds_text(30 * NS_PER_SEC).as_str(), seconds_text(49_000_400).as_str()),
            ("30.0", "0.049")
        );
        assert_eq!(
            (tenths(35_790_000_000).as_str(), tenths(5_000_000_000).as_str()),
            ("0:00:35.7", "0:00:05")
        );
    }
}
