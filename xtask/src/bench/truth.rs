//! Truth: a server that stands still for 200 ms of every second has a known answer to "how long do arrivals wait", and the
//! report must give it, with many connections or few.

use super::Setup;
use super::child::{Target, number, phase, run_weir};
use super::report::Section;
use anyhow::Result;

/// A whole number of periods, so that the share of arrivals in stalls is exact.
const SECS: u64 = 20;
/// How far from the truth a quantile may be.
const TOLERANCE_RATIO: f64 = 0.02;
/// Keys of the record and what they truly are: P(response > t) = (200 ms − t) / 1 s.
const TRUTHS: [(&str, f64); 2] = [("p90", 100.0), ("p99", 190.0)];

const METHOD: &str = "1000/s, open model, constant arrivals, 20 s, against a server that stands still for the first 200 ms of every second \
    and otherwise answers at once. Of the response times (due to done) p90 is 100 ms and p99 is 190 ms. Service time (sent to done) is \
    shown for comparison: it is what a tool sees that looks only at what it sent.";

pub(super) fn run(setup: &Setup) -> Result<Section> {
    let mut section = Section::new("Truth", METHOD);
    let target = Target::start(setup, &["--stall", "200ms/1s"])?;
    let mut rows = Vec::new();
    for connections in ["64", "8"] {
        let mut found: Vec<Vec<f64>> = vec![Vec::new(); TRUTHS.len()];
        let mut service_ms: Vec<Vec<f64>> = vec![Vec::new(); TRUTHS.len()];
        let mut verdict = String::new();
        for _ in 0..setup.few_rounds() {
            let duration = format!("{SECS}s");
            let (_, record) = run_weir(
                setup,
                &[&target.url("/hello"), "-c", connections, "-r", "1000/s", "-d", &duration],
            )?;
            let phase = phase(&record)?;
            for ((key, _), (found, service_ms)) in TRUTHS.iter().zip(found.iter_mut().zip(&mut service_ms)) {
                found.push(number(phase, &["response_ns", key])? / 1e6);
                service_ms.push(number(phase, &["service_ns", key])? / 1e6);
            }
            verdict = record["verdict"]["state"].as_str().unwrap_or("?").to_owned();
        }
        let form = |value: f64| format!("{value:.1} ms");
        for ((key, truth), found) in TRUTHS.iter().zip(&found) {
            let what = format!("{connections} connections: {key} of response");
            // Each round must hold: a truth is no matter of medians.
            let is_true = found.iter().all(|value| (value - truth).abs() <= truth * TOLERANCE_RATIO);
            section.bar(&what, format!("{truth:.0} ms ± 2 %"), super::spread(found, form), is_true);
        }
        let mut row = vec![connections.to_owned()];
        row.extend(found.iter().chain(&service_ms).map(|values| form(super::median(values))));
        row.push(verdict);
        rows.push(row);
    }
    let head = ["connections", "response p90", "response p99", "service p90", "service p99", "verdict"];
    section.table(&head, rows);
    Ok(section)
}
