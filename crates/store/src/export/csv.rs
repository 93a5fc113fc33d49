//! Tables of a run as CSV (RFC 4180, lines ended by LF, first line the columns' names).
//!
//! Times are ns since the run's start, a quantile that its samples do not carry is empty, and so is whatever was not measured. A row whose
//! `action` is empty is of all actions together.

use record::{
    ActionRecord, CountsRecord, Distribution, IntervalActionRecord, IntervalRecord, Latencies, LoadModel,
    PhaseKind, PhaseRecord, RunRecord,
};
use std::collections::BTreeMap;
use std::io::{self, Write};

const COUNTS: [&str; 8] =
    ["due", "started", "completed", "failed", "dropped", "unstarted", "unfinished", "censored"];
const FIGURES: [&str; 12] =
    ["count", "min", "mean", "stdev", "p50", "p75", "p90", "p95", "p99", "p99_9", "p99_99", "max"];
const LATENCIES: [&str; 3] = ["response", "service", "wait"];

/// A row for each interval of each phase, followed by one for each action that it tells apart.
///
/// # Errors
/// Those of `out`.
pub fn intervals(record: &RunRecord, out: &mut dyn Write) -> io::Result<()> {
    let mut head: Vec<String> =
        ["phase", "repeat", "kind", "drain", "action", "start_ns", "duration_ns"].map(str::to_owned).into();
    head.extend(COUNTS.map(str::to_owned));
    head.extend(["errors", "bytes_received", "in_flight_mean", "in_flight_max"].map(str::to_owned));
    head.extend(figure_columns());
    row(out, &head)?;
    for phase in &record.phases {
        for interval in &phase.intervals {
            row(out, &interval_row(phase, interval))?;
            for action in &interval.actions {
                row(out, &interval_action_row(phase, interval, action))?;
            }
        }
    }
    Ok(())
}

/// A row for each phase, followed by one for each of its actions.
///
/// # Errors
/// Those of `out`.
pub fn actions(record: &RunRecord, out: &mut dyn Write) -> io::Result<()> {
    let first = [
        "phase",
        "repeat",
        "kind",
        "model",
        "action",
        "start_ns",
        "duration_ns",
        "offered_per_sec",
        "achieved_per_sec",
    ];
    let mut head: Vec<String> = first.map(str::to_owned).into();
    head.extend(COUNTS.map(str::to_owned));
    head.push("errors".to_owned());
    head.extend(figure_columns());
    row(out, &head)?;
    for phase in &record.phases {
        let offered = phase.offered_per_sec.map_or_else(String::new, |rate| rate.to_string());
        let latencies = [&phase.response_ns, &phase.service_ns, &phase.wait_ns];
        let rates = [offered, phase.achieved_per_sec.to_string()];
        row(out, &phase_row(phase, "", rates, &phase.counts, &phase.errors, latencies))?;
        for action in &phase.actions {
            let ActionRecord { name, counts, errors, service_ns, response_ns, wait_ns } = action;
            let rates = [String::new(), String::new()];
            row(out, &phase_row(phase, name, rates, counts, errors, [response_ns, service_ns, wait_ns]))?;
        }
    }
    Ok(())
}

fn phase_row(
    phase: &PhaseRecord,
    action: &str,
    rates: [String; 2],
    counts: &CountsRecord,
    errors: &BTreeMap<String, u64>,
    latencies: [&Latencies; 3],
) -> Vec<String> {
    let model = match phase.load_model {
        LoadModel::Open => "open",
        LoadModel::Closed => "closed",
    };
    let mut cells =
        vec![phase.name.clone(), phase.repeat_index.to_string(), kind(phase).to_owned(), model.to_owned()];
    cells.extend([action.to_owned(), phase.start_ns.to_string(), phase.duration_ns.to_string()]);
    cells.extend(rates);
    cells.extend(if action.is_empty() { count_cells(counts) } else { action_count_cells(counts) });
    cells.push(error_cell(errors));
    cells.extend(latencies.into_iter().flat_map(latency_cells));
    cells
}

fn interval_row(phase: &PhaseRecord, interval: &IntervalRecord) -> Vec<String> {
    let mut cells = interval_head(phase, interval, "");
    cells.extend(count_cells(&interval.counts));
    cells.extend([error_cell(&interval.errors), interval.bytes_received.to_string()]);
    cells.extend([interval.in_flight_mean.to_string(), interval.in_flight_max.to_string()]);
    let latencies = [&interval.response_ns, &interval.service_ns, &interval.wait_ns];
    cells.extend(latencies.into_iter().flat_map(latency_cells));
    cells
}

fn interval_action_row(
    phase: &PhaseRecord,
    interval: &IntervalRecord,
    action: &IntervalActionRecord,
) -> Vec<String> {
    let mut cells = interval_head(phase, interval, &action.name);
    cells.extend(action_count_cells(&action.counts));
    cells.extend([error_cell(&action.errors), String::new(), String::new(), String::new()]);
    cells.extend([&action.response_ns, &action.service_ns].into_iter().flat_map(distribution_cells));
    cells.extend(FIGURES.map(|_| String::new()));
    cells
}

fn interval_head(phase: &PhaseRecord, interval: &IntervalRecord, action: &str) -> Vec<String> {
    let is_drain = interval.start_ns >= phase.start_ns.saturating_add(phase.duration_ns);
    vec![
        phase.name.clone(),
        phase.repeat_index.to_string(),
        kind(phase).to_owned(),
        u8::from(is_drain).to_string(),
        action.to_owned(),
        interval.start_ns.to_string(),
        interval.duration_ns.to_string(),
    ]
}

fn kind(phase: &PhaseRecord) -> &'static str {
    match phase.kind {
        PhaseKind::Warmup => "warmup",
        PhaseKind::Measure => "measure",
    }
}

fn figure_columns() -> impl Iterator<Item = String> {
    let column = |which: &str, figure: &str| {
        if figure == "count" { format!("{which}_{figure}") } else { format!("{which}_{figure}_ns") }
    };
    LATENCIES.into_iter().flat_map(move |which| FIGURES.map(move |figure| column(which, figure)))
}

fn count_cells(counts: &CountsRecord) -> [String; 8] {
    let CountsRecord { due, started, completed, failed, dropped, unstarted, unfinished, censored } = *counts;
    [due, started, completed, failed, dropped, unstarted, unfinished, censored].map(|count| count.to_string())
}

/// Those of an action: what was due and found no user is an arrival's, for which no action was chosen yet.
fn action_count_cells(counts: &CountsRecord) -> [String; 8] {
    let [due, started, completed, failed, dropped, unstarted, unfinished, censored] = count_cells(counts);
    let arrival = |cell: String| if counts.due == 0 { String::new() } else { cell };
    [arrival(due), started, completed, failed, arrival(dropped), arrival(unstarted), unfinished, censored]
}

/// `timeout:3;status:1`.
fn error_cell(errors: &BTreeMap<String, u64>) -> String {
    let parts: Vec<String> = errors.iter().map(|(class, count)| format!("{class}:{count}")).collect();
    parts.join(";")
}

fn latency_cells(latencies: &Latencies) -> [String; 12] {
    let l = latencies;
    [Some(l.count), l.min, l.mean, l.stdev, l.p50, l.p75, l.p90, l.p95, l.p99, l.p99_9, l.p99_99, l.max]
        .map(cell)
}

/// The figures that follow from the histogram.
fn distribution_cells(distribution: &Distribution) -> [String; 12] {
    let histogram = distribution.to_histogram().unwrap_or_default();
    let mut latencies = Latencies::of(&histogram);
    if !distribution.is_empty() {
        // These are exact and there even where the histogram is not.
        latencies.count = distribution.count;
        (latencies.min, latencies.mean) = (Some(distribution.min), Some(distribution.mean));
        latencies.max = Some(distribution.max);
    }
    latency_cells(&latencies)
}

fn cell(value: Option<u64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// One line; what has a comma, a quote or a line's end is quoted.
fn row(out: &mut dyn Write, cells: &[String]) -> io::Result<()> {
    for (index, cell) in cells.iter().enumerate() {
        if index > 0 {
            out.write_all(b",")?;
        }
        if cell.contains([',', '"', '\n', '\r']) {
            write!(out, "\"{}\"", cell.replace('"', "\"\""))?;
        } else {
            out.write_all(cell.as_bytes())?;
        }
    }
    out.write_all(b"\n")
}
