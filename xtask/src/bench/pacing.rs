//! Pacing: how exactly requests leave, seen by the server at 5,000/s and by the client at 50,000/s.

use super::Setup;
use super::child::{Target, number, phase, run_weir};
use super::report::Section;
use anyhow::{Context as _, Result, bail};
use stats::Histogram;

const SECS: u64 = 10;
const SLOW_PER_SEC: u64 = 5_000;
const FAST_PER_SEC: u64 = 50_000;
/// What counts as on time at the fast rate.
const ON_TIME_NS: u64 = 100_000;

const METHOD: &str = "Open model, constant arrivals, 64 connections, idle server, 10 s. At 5000/s the server stamps each arrival: the error \
    is the distance to the ideal schedule, whose rate is exact and whose start is the one that makes the median error 0; the server's own \
    wake-up is in it. At 50,000/s the client's record says how late each send was.";

pub(super) fn run(setup: &Setup) -> Result<Section> {
    let mut section = Section::new("Pacing", METHOD);
    let target = Target::start(setup, &[])?;
    let (mut errors_us, mut variations, mut on_time, mut hindered) = (vec![], vec![], vec![], vec![]);
    for _ in 0..setup.few_rounds() {
        let arrivals_ns = arrivals(setup, &target)?;
        errors_us.push(error_p99_ns(&arrivals_ns, SLOW_PER_SEC) / 1e3);
        variations.push(gap_variation(&arrivals_ns));
        let (on_time_ratio, hindered_ratio) = fast(setup, &target)?;
        on_time.push(on_time_ratio * 100.0);
        hindered.push(hindered_ratio * 100.0);
    }
    section
        .at_most("5000/s: p99 of the error of arrival", 50.0, &errors_us, |value| format!("{value:.1} µs"));
    section
        .at_most("5000/s: coefficient of variation of gaps", 0.1, &variations, |value| format!("{value:.3}"));
    section.at_least("50,000/s: sends within 100 µs of their time", 99.9, &on_time, |value| {
        format!("{value:.3} %")
    });
    section.note(format!(
        "At 50,000/s a send that found no free connection is not the generator's lateness and is left out: {} of all.",
        super::spread(&hindered, |value| format!("{value:.3} %"))
    ));
    Ok(section)
}

/// Arrival times at the slow rate, as the server saw them, ascending.
fn arrivals(setup: &Setup, target: &Target) -> Result<Vec<u64>> {
    target.ask("/arrivals?start")?;
    let (rate, duration) = (format!("{SLOW_PER_SEC}/s"), format!("{SECS}s"));
    run_weir(setup, &[&target.url("/hello"), "-c", "64", "-r", &rate, "-d", &duration])?;
    let answer = target.ask("/arrivals?stop&raw")?;
    let times = answer["times_ns"].as_array().context("the server gave no arrivals")?;
    let times: Vec<u64> = times.iter().filter_map(serde_json::Value::as_u64).collect();
    let expected = SLOW_PER_SEC * SECS;
    if times.len() as u64 != expected {
        bail!("the server saw {} arrivals in place of {expected}", times.len());
    }
    Ok(times)
}

/// p99 of the distance between arrivals and the ideal schedule that fits them best, ns.
fn error_p99_ns(times_ns: &[u64], per_sec: u64) -> f64 {
    let first_ns = times_ns.first().copied().unwrap_or(0);
    let gap_ns = 1e9 / per_sec as f64;
    let offset_ns = |(index, time_ns): (usize, &u64)| (time_ns - first_ns) as f64 - index as f64 * gap_ns;
    let offsets_ns: Vec<f64> = times_ns.iter().enumerate().map(offset_ns).collect();
    let start_ns = super::median(&offsets_ns);
    let mut errors_ns: Vec<f64> = offsets_ns.iter().map(|offset_ns| (offset_ns - start_ns).abs()).collect();
    errors_ns.sort_by(f64::total_cmp);
    let rank = (errors_ns.len() as f64 * 0.99).ceil() as usize;
    errors_ns.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
}

/// Standard deviation of the gaps by their mean: 0 for a perfect clock, 1 for a Poisson process.
fn gap_variation(times_ns: &[u64]) -> f64 {
    let gaps: Vec<f64> = times_ns.iter().zip(times_ns.iter().skip(1)).map(|(a, b)| (b - a) as f64).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / (gaps.len() as f64 - 1.0);
    variance.sqrt() / mean
}

/// Share of the sends that were on time at the fast rate, and share of those that found no free connection.
fn fast(setup: &Setup, target: &Target) -> Result<(f64, f64)> {
    let (rate, duration) = (format!("{FAST_PER_SEC}/s"), format!("{SECS}s"));
    let (_, record) = run_weir(setup, &[&target.url("/hello"), "-c", "64", "-r", &rate, "-d", &duration])?;
    let phase = phase(&record)?;
    let due = number(phase, &["counts", "due"])?;
    let text =
        phase["lateness_ns"]["histogram"].as_str().context("the record has no histogram of lateness")?;
    let lateness_ns = Histogram::from_base64(text)?;
    let count = lateness_ns.count() as f64;
    let late_count = lateness_ns.count_above(ON_TIME_NS) as f64;
    Ok((1.0 - late_count / count.max(1.0), 1.0 - count / due.max(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_distances_to_the_best_schedule() {
        let exact: Vec<u64> = (0..1_000).map(|index| 7_000 + index * 200_000).collect();
        assert_eq!((error_p99_ns(&exact, 5_000), gap_variation(&exact)), (0.0, 0.0));
        // One in 50 is 30 µs late: the schedule does not follow them, and p99 is among them.
        let late: Vec<u64> = exact
            .iter()
            .enumerate()
            .map(|(index, at)| at + if index % 50 == 3 { 30_000 } else { 0 })
            .collect();
        assert_eq!(error_p99_ns(&late, 5_000), 30_000.0);
        assert!(gap_variation(&late) > 0.02);
        // A clock that runs 1 % fast drifts away.
        let fast: Vec<u64> = (0..1_000).map(|index| index * 198_000).collect();
        assert!(error_p99_ns(&fast, 5_000) > 900_000.0);
    }
}
