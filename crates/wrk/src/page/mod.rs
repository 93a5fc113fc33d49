//! The printed pages: layout byte for byte as wrk and wrk2 have it, numbers as they were measured.
//!
//! A page is made from the record alone ([`page`]), or piece by piece while a run goes on ([`head`], [`calibration`], [`result`]).
//! Source of the layout: `docs/wrk.md` names what differs and why.

mod figures;
mod spectrum;

pub use figures::{ErrorCounts, Figures, open_count};

use crate::facts::Facts;
use crate::options::Mode;
use crate::statistics::Statistics;
use crate::units::{binary, column, metric, time_us, whole_time_s};
use record::{PhaseKind, PhaseRecord, RunRecord};
use spectrum::Spectrum;
use std::fmt::Write as _;

/// The percentiles of wrk's distribution.
const PERCENTILES: [f64; 4] = [50.0, 75.0, 90.0, 99.0];

/// The whole page of a record; `None`: it is no run of wrk's or wrk2's command line.
pub fn page(record: &RunRecord) -> Option<String> {
    let facts = Facts::read(record)?;
    let mut page = head(&facts);
    for phase in record.phases.iter().filter(|phase| phase.kind == PhaseKind::Warmup) {
        page.push_str(&calibration(&facts, phase));
    }
    page.push_str(&result(&facts, record));
    Some(page)
}

/// The two lines that stand before the run's end.
pub fn head(facts: &Facts) -> String {
    format!(
        "Running {} test @ {}\n  {} threads and {} connections\n",
        whole_time_s(facts.duration_ns as f64 / 1e9),
        facts.url,
        facts.threads,
        facts.connections
    )
}

/// What wrk2 prints when its warm-up is over: a line for each thread, here with the mean over all threads. wrk prints nothing.
pub fn calibration(facts: &Facts, warm_up: &PhaseRecord) -> String {
    if facts.mode() == Mode::Wrk {
        return String::new();
    }
    let mean_ms = warm_up.response_ns.mean.unwrap_or(0) as f64 / 1e6;
    let sampling_ms = facts.sampling_ns / units::NS_PER_MS;
    let line =
        format!("  Thread calibration: mean lat.: {mean_ms:.3}ms, rate sampling interval: {sampling_ms}ms\n");
    line.repeat(usize::try_from(facts.threads).unwrap_or(1))
}

/// All that is printed at the end.
pub fn result(facts: &Facts, record: &RunRecord) -> String {
    let figures = Figures::of(record, facts);
    let mut page = "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n".to_owned();
    row(&mut page, "Latency", &figures.latency, time_us, facts.mode());
    row(&mut page, "Req/Sec", &facts.requests_per_sec, metric, facts.mode());
    if facts.latency {
        distributions(&mut page, facts, &figures);
    }
    let elapsed_s = figures.duration_ns as f64 / 1e9;
    let per_sec = |count: u64| if elapsed_s > 0.0 { count as f64 / elapsed_s } else { 0.0 };
    let elapsed = time_us(figures.duration_ns as f64 / 1e3);
    let _ = writeln!(
        page,
        "  {} requests in {elapsed}, {}B read",
        figures.requests,
        binary(figures.bytes as f64)
    );
    let errors = &figures.errors;
    if errors.connect + errors.read + errors.write + errors.timed_out > 0 {
        let _ = writeln!(
            page,
            "  Socket errors: connect {}, read {}, write {}, timeout {}",
            errors.connect, errors.read, errors.write, errors.timed_out
        );
    }
    if errors.status > 0 {
        let _ = writeln!(page, "  Non-2xx or 3xx responses: {}", errors.status);
    }
    let _ = writeln!(page, "Requests/sec: {:>9.2}", per_sec(figures.requests));
    let _ = writeln!(page, "Transfer/sec: {:>10}B", binary(per_sec(figures.bytes)));
    page
}

/// Mean, standard deviation, greatest, and the share within one deviation of the mean.
fn row(page: &mut String, name: &str, statistics: &Statistics, form: fn(f64) -> String, mode: Mode) {
    let (mean, stdev, within) = match (statistics.within_stdev(), mode) {
        (Some(within), mode) => {
            let stdev = if mode == Mode::Wrk { statistics.stdev() } else { statistics.stdev_of_all() };
            (form(statistics.mean()), form(stdev), format!("{within:.2}"))
        }
        // Parsers meet these forms where nothing was counted.
        (None, Mode::Wrk) => (form(0.0), form(0.0), "-nan".to_owned()),
        (None, Mode::Wrk2) => ("-nan".to_owned(), "-nan".to_owned(), "0.00".to_owned()),
    };
    let _ = writeln!(
        page,
        "    {name:<10}{}{}{}{within:>8}%",
        column(&mean, 8),
        column(&stdev, 10),
        column(&form(statistics.max() as f64), 9)
    );
}

fn distributions(page: &mut String, facts: &Facts, figures: &Figures) {
    match facts.mode() {
        Mode::Wrk => {
            page.push_str("  Latency Distribution\n");
            for percentile in PERCENTILES {
                let value = column(&time_us(figures.latency.percentile(percentile) as f64), 10);
                let _ = writeln!(page, "{percentile:>7.0}%{value}");
            }
        }
        Mode::Wrk2 => {
            Spectrum::of(&figures.latency).print("Recorded Latency", page);
            if facts.uncorrected_latency {
                page.push('\n');
                let title = "Uncorrected Latency (measured without taking delayed starts into account)";
                Spectrum::of(&figures.uncorrected_latency).print(title, page);
            }
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
