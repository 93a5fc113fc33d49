//! A comparison for a pull request's comment: the verdict in one line, what changed, every row folded away.

use super::words;
use compare::{Candidate, Comparison, Row, Verdict};
use std::io;
use units::markup::markdown;

/// GitHub-flavoured Markdown.
///
/// # Errors
/// Those of `out`.
pub fn write_markdown(comparison: &Comparison, out: &mut dyn io::Write) -> io::Result<()> {
    for candidate in &comparison.candidates {
        one(comparison, candidate, out)?;
    }
    for (kind, text) in words::differing(comparison) {
        writeln!(out, "- **{kind}**: {}", markdown(&text))?;
    }
    for note in comparison.objections.iter().chain(&comparison.cautions) {
        writeln!(out, "- **note**: {} → {}", markdown(&note.message), markdown(&note.hint))?;
    }
    Ok(())
}

fn one(comparison: &Comparison, candidate: &Candidate, out: &mut dyn io::Write) -> io::Result<()> {
    let tally = candidate.tally();
    let mark = match (tally.slower, tally.faster, tally.undecided) {
        (0, 0, 0) => "= same",
        (0, 0, _) => "? undecided",
        (0, _, _) => "✓ faster",
        _ => "✗ slower",
    };
    let [baseline, other] = [0, candidate.side_index].map(|index| markdown(&words::side(comparison, index)));
    writeln!(out, "### {baseline} → {other}: {mark}\n")?;
    writeln!(
        out,
        "{} slower, {} faster, {} same, {} undecided\n",
        tally.slower, tally.faster, tally.same, tally.undecided
    )?;
    let (changed, letter) = (words::changed(candidate), words::letter(candidate.side_index));
    if !changed.is_empty() {
        table(&changed, &letter, out)?;
    }
    writeln!(out, "<details><summary>all {} rows</summary>\n", candidate.rows.len())?;
    table(&candidate.rows.iter().collect::<Vec<_>>(), &letter, out)?;
    writeln!(out, "</details>\n")?;
    for (label, text) in words::grounds(comparison, candidate) {
        writeln!(out, "- **{label}**: {}", markdown(&text))?;
    }
    let left_out = words::left_out(candidate);
    if !left_out.is_empty() {
        writeln!(out, "- **left out**: {}", markdown(&words::some_of(left_out, 6)))?;
    }
    Ok(())
}

fn table(rows: &[&Row], letter: &str, out: &mut dyn io::Write) -> io::Result<()> {
    writeln!(
        out,
        "|   | where | metric | A | {letter} | {letter} − A | change | interval | verdict |\n|---|---|---|--:|--:|--:|--:|--:|---|"
    )?;
    for row in rows {
        let mark = match words::seen(row) {
            Verdict::Slower => "✗",
            Verdict::Faster => "✓",
            Verdict::Same => "=",
            Verdict::Undecided => "?",
        };
        writeln!(
            out,
            "| {mark} | {} | {} | {} | {} | {} | {} | {} | {} |",
            markdown(&words::place(row)),
            row.metric.label(),
            words::value(row.metric, row.baseline),
            words::value(row.metric, row.candidate),
            words::difference(row.metric, row.difference),
            words::change(row.metric, row.change),
            words::interval(row),
            words::verdict(row)
        )?;
    }
    writeln!(out)
}
