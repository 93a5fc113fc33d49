//! Markdown for a pull request's comment or a wiki page: verdict first, then tables.

use crate::{Format, date, facts};
use record::{ActionRecord, Latencies, PhaseRecord, RunRecord, VerdictState};
use std::io;
use units::markup::markdown;

/// GitHub-flavoured Markdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Markdown;

impl Format for Markdown {
    fn write(&self, record: &RunRecord, out: &mut dyn io::Write) -> io::Result<()> {
        let mark = match record.verdict.state {
            VerdictState::Valid => "✓ valid",
            VerdictState::Suspect => "⚠ suspect",
            VerdictState::Invalid => "✗ invalid",
        };
        writeln!(out, "### {}: {mark}\n", markdown(&record.name))?;
        reasons(record, out)?;
        slos(record, out)?;
        let phases = facts::measured(record);
        phase_table(record, &phases, out)?;
        latency_table(&phases, out)?;
        action_table(&phases, out)?;
        check_table(&phases, out)?;
        foot(record, out)
    }
}

fn reasons(record: &RunRecord, out: &mut dyn io::Write) -> io::Result<()> {
    for reason in &record.verdict.reasons {
        let label = facts::reason_label(reason.state);
        writeln!(out, "- **{label}**: {} → {}", markdown(&reason.message), markdown(&reason.hint))?;
    }
    if !record.verdict.reasons.is_empty() {
        writeln!(out)?;
    }
    Ok(())
}

fn slos(record: &RunRecord, out: &mut dyn io::Write) -> io::Result<()> {
    if record.slos.is_empty() {
        return Ok(());
    }
    writeln!(out, "|   | objective | observed | phase |\n|---|---|--:|---|")?;
    for slo in &record.slos {
        let mark = if slo.ok { "✓" } else { "✗" };
        let [expression, observed, phase] =
            [&slo.expression, &slo.observed_text, &slo.phase].map(|text| markdown(text));
        writeln!(out, "| {mark} | {expression} | {observed} | {phase} |")?;
    }
    writeln!(out)
}

fn phase_table(record: &RunRecord, phases: &[&PhaseRecord], out: &mut dyn io::Write) -> io::Result<()> {
    writeln!(
        out,
        "| phase | load | length | asked | achieved | completed | failed | dropped | errors | received |"
    )?;
    writeln!(out, "|---|---|--:|--:|--:|--:|--:|--:|---|--:|")?;
    for phase in phases {
        let asked =
            phase.offered_per_sec.map_or("–".to_owned(), |rate| format!("{}/s", units::per_sec(rate)));
        let errors: Vec<String> = facts::errors(&phase.errors)
            .into_iter()
            .map(|(class, count)| format!("{} {}", markdown(&class), units::count(count)))
            .collect();
        writeln!(
            out,
            "| {} | {} | {} | {asked} | {}/s | {} | {} | {} | {} | {} |",
            markdown(&facts::phase_title(phase)),
            markdown(&facts::load_words(record, phase)),
            units::duration(phase.duration_ns),
            units::per_sec(phase.achieved_per_sec),
            units::count(phase.counts.completed),
            units::count(phase.counts.failed),
            units::count(phase.counts.dropped),
            errors.join(", "),
            facts::bytes_per_sec(phase.bytes_received, phase),
        )?;
    }
    writeln!(out)
}

fn cell(ns: Option<u64>) -> String {
    ns.map_or("–".to_owned(), units::duration)
}

/// The figures of one row; p75, p95 and p99.99 are in the JSON.
fn cells(of: &Latencies) -> String {
    [of.mean, of.p50, of.p90, of.p99, of.p99_9, of.max].map(cell).join(" | ")
}

fn latency_table(phases: &[&PhaseRecord], out: &mut dyn io::Write) -> io::Result<()> {
    writeln!(out, "| phase | latency | mean | p50 | p90 | p99 | p99.9 | max |")?;
    writeln!(out, "|---|---|--:|--:|--:|--:|--:|--:|")?;
    for phase in phases {
        let title = markdown(&facts::phase_title(phase));
        for (name, latencies) in
            [("response", &phase.response_ns), ("service", &phase.service_ns), ("wait", &phase.wait_ns)]
        {
            writeln!(out, "| {title} | {name} | {} |", cells(latencies))?;
        }
    }
    writeln!(out)
}

fn action_table(phases: &[&PhaseRecord], out: &mut dyn io::Write) -> io::Result<()> {
    let rows = |phase: &PhaseRecord| -> Vec<ActionRecord> {
        let several = if phase.actions.len() > 1 { phase.actions.clone() } else { Vec::new() };
        several.into_iter().chain(phase.requests.iter().cloned()).collect()
    };
    if phases.iter().all(|phase| rows(phase).is_empty()) {
        return Ok(());
    }
    writeln!(out, "| phase | action | completed | failed | response mean | p50 | p90 | p99 | p99.9 | max |")?;
    writeln!(out, "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|")?;
    for phase in phases {
        let title = markdown(&facts::phase_title(phase));
        for action in rows(phase) {
            writeln!(
                out,
                "| {title} | {} | {} | {} | {} |",
                markdown(&action.name),
                units::count(action.counts.completed),
                units::count(action.counts.failed),
                cells(&action.response_ns)
            )?;
        }
    }
    writeln!(out)
}

fn check_table(phases: &[&PhaseRecord], out: &mut dyn io::Write) -> io::Result<()> {
    if phases.iter().all(|phase| phase.checks.is_empty()) {
        return Ok(());
    }
    writeln!(out, "|   | phase | check | passed | failed |\n|---|---|---|--:|--:|")?;
    for phase in phases {
        let title = markdown(&facts::phase_title(phase));
        for check in &phase.checks {
            let mark = if check.failed == 0 { "✓" } else { "✗" };
            let name = markdown(&check.name);
            let (passed, failed) = (units::count(check.passed), units::count(check.failed));
            writeln!(out, "| {mark} | {title} | {name} | {passed} | {failed} |")?;
        }
    }
    writeln!(out)
}

/// What the figures mean, and the generator and its machine as far as they are known: another tool's result may tell nothing of them.
fn foot(record: &RunRecord, out: &mut dyn io::Write) -> io::Result<()> {
    let environment = &record.environment;
    let mut told = Vec::new();
    if !record.client.workers.is_empty() {
        let cost = facts::client_cost(record);
        let cpu = cost
            .cpu_ns_per_request
            .map_or(String::new(), |ns| format!("{} client CPU per request, ", units::duration(ns)));
        let (busy, resident) = (units::ratio(cost.busy_ratio_max), units::size(record.client.rss_bytes_max));
        told.push(format!("{cpu}busiest worker {busy}, {resident} resident"));
    }
    let mut facts = Vec::new();
    if environment.cpu_count > 0 {
        facts.push(format!("{} ({} CPUs)", markdown(&environment.cpu_model), environment.cpu_count));
    }
    if !environment.driver.is_empty() {
        facts.push(markdown(&environment.driver));
    }
    if !environment.weir_version.is_empty() {
        facts.push(format!("weir {}", markdown(&environment.weir_version)));
    }
    facts.push(date::utc(record.started_unix_ns));
    told.push(facts.join(", "));
    writeln!(
        out,
        "response: due → done; service: sent → done; wait: due → sent; –: too few samples. {}.",
        told.join(". ")
    )
}
