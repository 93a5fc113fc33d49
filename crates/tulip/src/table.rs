//! A run in Tulip's table, and beneath it what Tulip says it shows and does not: response times from the moment an action was due.

use crate::date;
use crate::layout::{Row, lay_out};
use crate::results::cells::{self, Cell, RESPONSE_HEADS, SEED_HEADS};
use crate::results::figures::{Figures, Group, Results, label};
use crate::results::legend;
use record::{RunRecord, VerdictState};

/// The run as a text: Tulip's table, the table of response times, the legend, and what else must be known. `None`: the run was of
/// something else than a configuration of Tulip.
pub fn table(record: &RunRecord) -> Option<String> {
    let results = Results::of(record)?;
    let (mut tulip, mut response): (Vec<Vec<Row>>, Vec<Vec<Row>>) = (Vec::new(), Vec::new());
    for group in results.groups() {
        let (seed, own) = rows(&group, &results);
        tulip.push(seed);
        response.push(own);
    }
    let stamp = date::title(results.stamp_unix_ns());
    let description = units::legible(&results.facts.description);
    let mut out = format!("Benchmark Report / {description} / {stamp}\n\n{}", lay_out(&SEED_HEADS, &tulip));
    // A result of Tulip's own has none.
    if results.facts.imported.is_empty() {
        out.push_str("\nResponse time, due to done; waits of each row's own, due to sent\n\n");
        let heads: Vec<&str> = ["SID", "Name", "RID"].into_iter().chain(RESPONSE_HEADS).collect();
        out.push_str(&lay_out(&heads, &response));
    }
    out.push('\n');
    for (term, meaning) in legend::seed(&results) {
        out.push_str(&format!("{term:<5} {meaning}\n"));
    }
    out.push_str(&conclusions(record));
    Some(out)
}

/// What may be concluded, and what was promised.
fn conclusions(record: &RunRecord) -> String {
    let mut out = format!("\nMeasurement {}\n", record.verdict.state.as_str());
    for reason in record.verdict.reasons.iter().filter(|reason| reason.state > VerdictState::Valid) {
        out.push_str(&format!("  {}\n  → {}\n", reason.message, reason.hint));
    }
    if let Some(why) = &record.aborted {
        out.push_str(&format!("Ended early: {why}\n"));
    }
    for slo in &record.slos {
        let mark = if slo.ok { "✓" } else { "✗" };
        out.push_str(&format!("{mark} {}  {}  {}\n", slo.expression, slo.observed_text, slo.phase));
    }
    out
}

/// A group's rows in both tables: header, iterations, actions, total.
fn rows(group: &Group<'_>, results: &Results<'_>) -> (Vec<Row>, Vec<Row>) {
    let facts = group.benchmark;
    let heading = vec![facts.context_index.to_string(), units::legible(facts.benchmark.trim())];
    let (mut tulip, mut own) = (vec![heading.clone()], vec![heading]);
    let mut add = |name: String, label: String, duration: String, figures: &Figures| {
        let mut row = vec![String::new(), name, label.clone(), duration];
        row.extend(texts(cells::seed_cells(figures, results)));
        tulip.push(row);
        let mut row = vec![String::new(), String::new(), label];
        row.extend(texts(cells::response_cells(figures)));
        own.push(row);
    };
    for (index, iteration) in group.iterations.iter().enumerate() {
        let name = match index {
            0 => format!("(u:{} t:{})", facts.user_count, facts.thread_count),
            _ => String::new(),
        };
        add(name, index.to_string(), cells::seconds_text(iteration.phase.duration_ns), &iteration.figures());
    }
    let length = date::hours(group.duration_ns());
    for (action, figures) in group.actions() {
        add(String::new(), units::legible(&label(action)), length.clone(), &figures);
    }
    add(String::new(), String::new(), length, &group.total());
    (tulip, own)
}

fn texts(cells: Vec<Cell>) -> impl Iterator<Item = String> {
    cells.into_iter().map(|cell| cell.text)
}
