//! The pages of wrk and wrk2. Times carry their units, sizes are binary; wrk2's spectrum, where it was printed, gives the histogram back.

use super::run::carried;
use super::{Foreign, Measured};
use record::Latencies;
use stats::Histogram;

/// Longest spectrum: wrk2 prints some 150 lines.
const SPECTRUM_LINES_MAX: usize = 100_000;
/// How far a duration of two decimals, such as `1.00m`, is off by rounding: half a hundredth of one unit.
const ROUNDED_RATIO_MAX: f64 = 0.006;

/// Whether a text holds a page, perhaps after other output.
pub(super) fn is_page(text: &str) -> bool {
    text.contains("Requests/sec:") && text.contains("Thread Stats")
}

/// What was found line by line.
#[derive(Default)]
struct Page {
    url: String,
    requests: u64,
    duration_ns: u64,
    /// Printed with more digits than the duration has.
    per_sec: Option<f64>,
    bytes: u64,
    errors: [u64; 4],
    bad_statuses: u64,
    latencies: Latencies,
    uncorrected: Latencies,
    /// ns and how many values are at or below it.
    spectrum: Vec<(u64, u64)>,
    is_wrk2: bool,
}

pub(super) fn read(text: &str) -> Result<Vec<Foreign>, String> {
    let mut page = Page::default();
    let mut is_uncorrected = false;
    for line in text.lines() {
        if line.contains("HdrHistogram - ") {
            is_uncorrected = line.contains("Uncorrected");
        }
        let is_of_wrk2 = line.contains("HdrHistogram - ") || line.contains("Thread calibration:");
        page.is_wrk2 |= is_of_wrk2;
        page.line(line.trim(), is_uncorrected);
    }
    if page.requests == 0 && page.duration_ns == 0 {
        return Err("the page has no line `N requests in T`".to_owned());
    }
    Ok(vec![page.finish()])
}

impl Page {
    fn line(&mut self, line: &str, is_uncorrected: bool) {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let target = if is_uncorrected { &mut self.uncorrected } else { &mut self.latencies };
        match words.as_slice() {
            ["Running", .., "@", url] => self.url = (*url).to_owned(),
            ["Latency", "Distribution", ..] => {}
            ["Latency", mean, stdev, max, ..] => {
                (self.latencies.mean, self.latencies.stdev, self.latencies.max) =
                    (time(mean), time(stdev), time(max));
            }
            [count, "requests", "in", took, bytes, ..] => {
                self.requests = count.parse().unwrap_or(0);
                self.duration_ns = time(took.trim_end_matches(',')).unwrap_or(0);
                self.bytes = size(bytes).unwrap_or(0);
            }
            ["Requests/sec:", rate] => self.per_sec = rate.parse().ok().filter(|rate: &f64| rate.is_finite()),
            ["Socket", "errors:", rest @ ..] => {
                let numbers = rest.iter().filter_map(|word| word.trim_end_matches(',').parse().ok());
                self.errors.iter_mut().zip(numbers).for_each(|(place, number)| *place = number);
            }
            ["Non-2xx", "or", "3xx", "responses:", count] => self.bad_statuses = count.parse().unwrap_or(0),
            [percent, value] if percent.ends_with('%') => put(target, percent, time(value)),
            [value, _, count, _] if self.is_wrk2 && !is_uncorrected => {
                // Value in ms, percentile, values at or below, 1/(1-percentile).
                if let (Some(ns), Ok(count)) = (plain(value, 1e6), count.parse())
                    && self.spectrum.len() < SPECTRUM_LINES_MAX
                {
                    self.spectrum.push((ns, count));
                }
            }
            _ => {}
        }
    }

    fn finish(self) -> Foreign {
        let [connect, read, write, timeout] = self.errors;
        // wrk: answers that came later than the limit, which it counts as requests too. wrk2: every two seconds each connection whose last send is
        // longer ago, be it idle, and the same one again: no number of requests.
        let late = if self.is_wrk2 { 0 } else { timeout };
        let duration_ns = self.exact_duration_ns();
        let measured_count = self.requests.saturating_sub(late);
        let mut latencies = Latencies { count: measured_count, ..self.latencies };
        if let Some(histogram) = histogram(&self.spectrum, latencies.max) {
            let figures = Latencies::of(&histogram);
            // Mean and deviation were printed from all values; the quantiles follow from the spectrum, which has more of them.
            latencies = Latencies {
                mean: latencies.mean,
                stdev: latencies.stdev,
                max: latencies.max,
                min: None,
                ..figures
            };
        }
        let latencies = if latencies.count > 0 { carried(latencies) } else { Latencies::default() };
        let uncorrected = Latencies { count: latencies.count, ..self.uncorrected };
        let has_uncorrected = uncorrected.p50.is_some();
        let named = [
            ("connect", connect),
            ("read", read),
            ("write", write),
            ("timeout", timeout),
            ("status", self.bad_statuses),
        ];
        Foreign {
            tool: if self.is_wrk2 { "wrk2" } else { "wrk" },
            name: self.url,
            measured: Measured {
                is_open: self.is_wrk2,
                duration_ns,
                completed: measured_count.saturating_sub(self.bad_statuses),
                errors: named.map(|(class, count)| (class.to_owned(), count)).into(),
                bytes_received: self.bytes,
                service_ns: match (self.is_wrk2, has_uncorrected) {
                    (false, _) => latencies.clone(),
                    (true, true) => carried(uncorrected),
                    (true, false) => Latencies::default(),
                },
                response_ns: latencies,
                ..Measured::default()
            },
            lacking: if self.is_wrk2 {
                "the rate that was asked for is not in its page, its latencies are corrected by computing what was never sent, and its time-outs count connections that are overdue every two seconds"
            } else {
                "its model is closed, so stalls are hidden, and answers later than the time-out are in no latency"
            },
            ..Foreign::default()
        }
    }
}

impl Page {
    /// The duration has three digits and the rate more: where both agree, what the rate says.
    fn exact_duration_ns(&self) -> u64 {
        let told_ns = self.duration_ns as f64;
        let exact_ns = self.per_sec.filter(|rate| *rate > 0.0).map(|rate| self.requests as f64 * 1e9 / rate);
        let agrees = |exact_ns: &f64| (exact_ns - told_ns).abs() <= told_ns * ROUNDED_RATIO_MAX;
        exact_ns.filter(agrees).map_or(self.duration_ns, |exact_ns| exact_ns.round() as u64)
    }
}

fn put(latencies: &mut Latencies, percent: &str, value: Option<u64>) {
    let Ok(percent) = percent.trim_end_matches('%').parse::<f64>() else { return };
    let known = [
        (50.0, &mut latencies.p50),
        (75.0, &mut latencies.p75),
        (90.0, &mut latencies.p90),
        (95.0, &mut latencies.p95),
        (99.0, &mut latencies.p99),
        (99.9, &mut latencies.p99_9),
        (99.99, &mut latencies.p99_99),
        (100.0, &mut latencies.max),
    ];
    for (known, place) in known {
        if (percent - known).abs() < 1e-9 {
            *place = value;
        }
    }
}

/// The values of a spectrum, which must ascend in value and in count.
fn histogram(spectrum: &[(u64, u64)], max_ns: Option<u64>) -> Option<Histogram> {
    let ascends = |pair: &[(u64, u64)]| matches!(pair, [a, b] if a.0 <= b.0 && a.1 <= b.1);
    if spectrum.is_empty() || !spectrum.windows(2).all(ascends) {
        return None;
    }
    let mut histogram = Histogram::default();
    let mut before = 0;
    for (value_ns, count) in spectrum {
        // A spectrum that claims a value beyond the page's own maximum by more than rounding is not of this run.
        if max_ns.is_some_and(|max_ns| *value_ns as f64 > max_ns as f64 * 1.02 + 1e3) {
            return None;
        }
        histogram.record_n(*value_ns, count - before);
        before = *count;
    }
    Some(histogram)
}

/// `635.91us`, `0.89ms`, `1.10s`, `1.50m`, `2.00h` in ns.
fn time(text: &str) -> Option<u64> {
    let at = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at_checked(at)?;
    let unit_ns = match unit {
        "us" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        "m" => 60e9,
        "h" => 3_600e9,
        _ => return None,
    };
    plain(number, unit_ns)
}

fn plain(number: &str, unit: f64) -> Option<u64> {
    let value = number.parse::<f64>().ok()? * unit;
    (value.is_finite() && (0.0..=1e18).contains(&value)).then(|| value.round() as u64)
}

/// `19.81MB` in bytes, binary units.
fn size(text: &str) -> Option<u64> {
    let text = text.strip_suffix('B')?;
    let (number, unit) = match text.strip_suffix(['K', 'M', 'G', 'T']) {
        Some(number) => (number, text.chars().last()?),
        None => (text, ' '),
    };
    let power = " KMGT".find(unit)?;
    plain(number, 1024f64.powi(i32::try_from(power).ok()?))
}
