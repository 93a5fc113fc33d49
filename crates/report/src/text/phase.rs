//! One measured phase as text: rate, counts, errors, latencies, actions, checks, connections.

use super::Page;
use super::shape::Axis;
use super::style::Role;
use super::table::Table;
use crate::facts;
use record::{ActionRecord, Latencies, PhaseRecord};
use std::io;

/// Columns of the first column of the tables: the longest label.
const LABEL_WIDTH: usize = 11;
/// Columns of a figure such as `12.3 ms` with room to breathe.
const FIGURE_WIDTH: usize = 8;
/// Below so many samples a shape is chance.
const SHAPE_SAMPLES_MIN: u64 = 100;
/// Columns of a shape: with its label it fits a terminal of 80.
const SHAPE_WIDTH: usize = 64;
/// Names of actions are cut to this.
const NAME_WIDTH_MAX: usize = 28;
/// So many rows of actions or checks are shown of a phase; the record has all.
const ROWS_MAX: usize = 20;

type Cell = (String, Option<Role>);

/// Whether to draw the distributions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Always.
    Draw,
    /// Where response and service time part: that is what the picture is for.
    DrawWhereTheyPart,
}

pub(super) fn write(page: &mut Page<'_>, phase: &PhaseRecord, shape: Shape) -> io::Result<()> {
    page.item("rate", &facts::rate_words(phase))?;
    outcome(page, phase)?;
    page.blank()?;
    latencies(page, phase)?;
    if shape == Shape::Draw || part(&phase.response_ns, &phase.service_ns) {
        draw(page, phase)?;
    }
    page.blank()?;
    if phase.actions.len() > 1 {
        actions(page, "action", &phase.actions)?;
    }
    if !phase.requests.is_empty() {
        actions(page, "request", &phase.requests)?;
    }
    checks(page, phase)?;
    wire(page, phase)
}

/// Whether a quantile of the response time is more than twice that of the service time.
fn part(response: &Latencies, service: &Latencies) -> bool {
    let pairs = [(response.p50, service.p50), (response.p90, service.p90), (response.p99, service.p99)];
    pairs.iter().any(|pair| matches!(pair, (Some(response), Some(service)) if response / 2 > *service))
}

fn outcome(page: &mut Page<'_>, phase: &PhaseRecord) -> io::Result<()> {
    let mut words = vec![format!("{} completed", units::count(phase.counts.completed))];
    for (count, fate) in facts::fates(&phase.counts) {
        let text = format!("{} {fate}", units::count(count));
        words.push(if count > 0 { page.color.paint(Role::Bad, &text) } else { text });
    }
    page.item(facts::noun(phase), &words.join(", "))?;
    let errors = facts::errors(&phase.errors);
    if !errors.is_empty() {
        let words: Vec<String> =
            errors.iter().map(|(class, count)| format!("{class} {}", units::count(*count))).collect();
        page.item("errors", &words.join(", "))?;
    }
    Ok(())
}

/// A figure; null is a dash that the page then explains once.
fn figure(page: &mut Page<'_>, ns: Option<u64>, is_quantile: bool) -> Cell {
    match ns {
        Some(ns) => (units::duration(ns), None),
        None => {
            page.has_null_quantile |= is_quantile;
            ("–".to_owned(), Some(Role::Aside))
        }
    }
}

fn figures(page: &mut Page<'_>, of: &Latencies) -> Vec<Cell> {
    let has_samples = of.count > 0;
    [(of.mean, false), (of.p50, true), (of.p90, true), (of.p99, true), (of.p99_9, true), (of.max, false)]
        .map(|(ns, is_quantile)| figure(page, ns, is_quantile && has_samples))
        .to_vec()
}

fn latencies(page: &mut Page<'_>, phase: &PhaseRecord) -> io::Result<()> {
    let head = ["", "mean", "p50", "p90", "p99", "p99.9", "max"];
    let mut table = Table::new(&head, (LABEL_WIDTH, LABEL_WIDTH), FIGURE_WIDTH);
    for (name, of) in
        [("response", &phase.response_ns), ("service", &phase.service_ns), ("wait", &phase.wait_ns)]
    {
        let mut row = vec![(name.to_owned(), None)];
        row.extend(figures(page, of));
        table.row(row);
    }
    page.table(&table)
}

fn draw(page: &mut Page<'_>, phase: &PhaseRecord) -> io::Result<()> {
    let (Ok(response), Ok(service)) = (phase.response_ns.to_histogram(), phase.service_ns.to_histogram())
    else {
        return Ok(());
    };
    let width = page.width.saturating_sub(LABEL_WIDTH + 4).min(SHAPE_WIDTH);
    if response.count() < SHAPE_SAMPLES_MIN {
        return Ok(());
    }
    let Some(axis) = Axis::over([&response, &service], width) else { return Ok(()) };
    page.blank()?;
    page.picture("response", &axis.bars(&response))?;
    page.picture("service", &axis.bars(&service))?;
    let scale = page.color.paint(Role::Aside, &axis.scale());
    page.picture("", &scale)
}

fn actions(page: &mut Page<'_>, what: &str, actions: &[ActionRecord]) -> io::Result<()> {
    let head = [what, "completed", "failed", "p50", "p90", "p99", "max"];
    let mut table = Table::new(&head, (LABEL_WIDTH, NAME_WIDTH_MAX), 6);
    for action in actions.iter().take(ROWS_MAX) {
        let failed = units::count(action.counts.failed);
        let failed_role = (action.counts.failed > 0).then_some(Role::Bad);
        let of = &action.response_ns;
        let mut row = vec![
            (units::legible(&action.name), None),
            (units::count(action.counts.completed), None),
            (failed, failed_role),
        ];
        let has_samples = of.count > 0;
        for (ns, is_quantile) in [(of.p50, true), (of.p90, true), (of.p99, true), (of.max, false)] {
            row.push(figure(page, ns, is_quantile && has_samples));
        }
        table.row(row);
    }
    page.table(&table)?;
    page.left_out(actions.len(), ROWS_MAX)?;
    page.blank()
}

fn checks(page: &mut Page<'_>, phase: &PhaseRecord) -> io::Result<()> {
    if phase.checks.is_empty() {
        return Ok(());
    }
    let failing: Vec<_> = phase.checks.iter().filter(|check| check.failed > 0).collect();
    let passed = phase.checks.iter().fold(0u64, |sum, check| sum.saturating_add(check.passed));
    let count = facts::plural(phase.checks.len() as u64, "check");
    let held = match failing.len() {
        0 => format!("{} {count}, all held ({} times)", page.good(), units::count(passed)),
        n => format!("{} {n} of {count} failed", page.bad()),
    };
    page.item("checks", &held)?;
    for check in failing.iter().take(ROWS_MAX) {
        let (failed, of) =
            (units::count(check.failed), units::count(check.failed.saturating_add(check.passed)));
        let text = format!("{} {}: failed {failed} of {of}", page.bad(), units::legible(&check.name));
        page.item("", &text)?;
    }
    page.left_out(failing.len(), ROWS_MAX)
}

/// What went over the wire below the actions.
fn wire(page: &mut Page<'_>, phase: &PhaseRecord) -> io::Result<()> {
    let traffic = &phase.traffic;
    // Nothing at all is what was not measured: another tool's result, a run without an end.
    let counted = [(phase.bytes_received, "received"), (phase.bytes_sent, "sent")];
    let words: Vec<String> = counted
        .into_iter()
        .filter(|(bytes, _)| *bytes > 0)
        .map(|(bytes, way)| format!("{} {way}", facts::bytes_per_sec(bytes, phase)))
        .collect();
    if !words.is_empty() {
        page.item("traffic", &words.join(", "))?;
    }
    if traffic.connections_opened == 0 && traffic.connections_lost == 0 {
        return Ok(());
    }
    let mut words = vec![format!("{} opened", units::count(traffic.connections_opened))];
    if traffic.connections_lost > 0 {
        let lost = format!("{} lost", units::count(traffic.connections_lost));
        words.push(page.color.paint(Role::Doubtful, &lost));
    }
    for (name, of) in [("connect", &traffic.connect_ns), ("TLS", &traffic.tls_ns)] {
        match (of.p50, of.max) {
            (Some(p50), Some(max)) => {
                words.push(format!("{name} p50 {} max {}", units::duration(p50), units::duration(max)));
            }
            (None, Some(max)) => words.push(format!("{name} max {}", units::duration(max))),
            _ => {}
        }
    }
    page.item("connections", &words.join(", "))
}
