//! The table of runs: what lines up comes first, names and labels, which may be long, last.

use crate::talk::Talk;
use record::{LoadModel, VerdictState};
use report::Color;
use std::io::IsTerminal as _;
use store::{RunState, RunSummary};

/// From this width on verdict and model are words.
const WIDE: usize = 100;
/// Names are cut no shorter than this, however narrow the terminal.
const NAME_CHARS_MIN: usize = 8;

/// A cell, and the SGR code (ECMA-48 §8.3.117) of its colour.
struct Cell {
    text: String,
    code: &'static str,
    is_number: bool,
}

/// The runs as lines; `now_unix_ns` is what their ages count from. Cut to the terminal's width where there is one.
pub(crate) fn table(runs: &[RunSummary], now_unix_ns: u64, talk: &Talk) -> String {
    let is_cut = std::io::stdout().is_terminal();
    lay_out(runs, now_unix_ns, is_cut.then_some(talk.width), talk.stdout_color)
}

fn lay_out(runs: &[RunSummary], now_unix_ns: u64, width: Option<usize>, color: Color) -> String {
    let is_wide = width.is_none_or(|width| width >= WIDE);
    let rows: Vec<Vec<Cell>> = std::iter::once(head(is_wide))
        .chain(runs.iter().map(|run| cells(run, now_unix_ns, is_wide)))
        .collect();
    let column_count = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..column_count)
        .map(|column| {
            rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.text.chars().count()).max()
        })
        .map(Option::unwrap_or_default)
        .collect();
    let before: usize = widths.iter().rev().skip(1).map(|width| width + 2).sum();
    let last_max = width.map_or(usize::MAX, |width| width.saturating_sub(before).max(NAME_CHARS_MIN));
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (index, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let is_last = index + 1 == column_count;
            let pad = width.saturating_sub(cell.text.chars().count());
            let text = match (is_last, cell.is_number) {
                (true, _) => cut(&cell.text, last_max),
                (false, true) => format!("{}{}  ", " ".repeat(pad), cell.text),
                (false, false) => format!("{}{}  ", cell.text, " ".repeat(pad)),
            };
            match color {
                Color::Always if !cell.code.is_empty() => {
                    line.push_str(&format!("\x1b[{}m{text}\x1b[0m", cell.code))
                }
                _ => line.push_str(&text),
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

fn head(is_wide: bool) -> Vec<Cell> {
    let text = |text: &str| Cell { text: text.to_owned(), code: "2", is_number: false };
    let number = |text: &str| Cell { text: text.to_owned(), code: "2", is_number: true };
    let mut cells = vec![text("id"), number("age"), text(if is_wide { "verdict" } else { "" })];
    if is_wide {
        cells.push(text("kind"));
    }
    cells.extend([number("rate"), number("p50"), number("p99"), number("errors"), text("name, labels")]);
    cells
}

fn cells(run: &RunSummary, now_unix_ns: u64, is_wide: bool) -> Vec<Cell> {
    let plain = |text: String| Cell { text, code: "", is_number: false };
    let number = |text: String| Cell { text, code: "", is_number: true };
    let time = |ns: Option<u64>| number(ns.map_or_else(|| "-".to_owned(), units::duration));
    let (sign, word, code) = match (run.state, run.verdict) {
        (RunState::Running, _) => ("…", "running", "36"),
        (RunState::Aborted, _) => ("✗", "aborted", "31"),
        (RunState::Ended, VerdictState::Valid) => ("✓", "valid", "32"),
        (RunState::Ended, VerdictState::Suspect) => ("!", "suspect", "33"),
        (RunState::Ended, VerdictState::Invalid) => ("✗", "invalid", "31"),
    };
    let verdict = if is_wide { format!("{sign} {word}") } else { sign.to_owned() };
    let mut cells = vec![
        plain(units::legible(&run.id)),
        number(age(now_unix_ns.saturating_sub(run.started_unix_ns))),
        Cell { text: verdict, code, is_number: false },
    ];
    if is_wide {
        cells.push(plain(kind(run)));
    }
    let has_figures = run.completed + run.not_completed > 0;
    cells.push(number(if has_figures {
        format!("{}/s", units::per_sec(run.achieved_per_sec))
    } else {
        "-".to_owned()
    }));
    cells.extend([time(run.p50_ns), time(run.p99_ns)]);
    let errors = if has_figures { units::count(run.not_completed) } else { "-".to_owned() };
    cells.push(Cell { text: errors, code: if run.not_completed > 0 { "31" } else { "" }, is_number: true });
    let labels = run.labels.iter().map(|(key, value)| format!("  {key}={value}"));
    cells.push(plain(units::legible(&std::iter::once(run.name.clone()).chain(labels).collect::<String>())));
    cells
}

/// Which command, and which model.
fn kind(run: &RunSummary) -> String {
    let model = match run.load_model {
        Some(LoadModel::Open) => " open",
        Some(LoadModel::Closed) => " closed",
        None => "",
    };
    units::legible(&format!("{}{model}", run.origin)).trim_start().to_owned()
}

/// How long ago, in one unit.
fn age(age_ns: u64) -> String {
    let secs = age_ns / units::NS_PER_SEC;
    match secs {
        0..60 => format!("{secs} s"),
        60..3_600 => format!("{} min", secs / 60),
        3_600..172_800 => format!("{} h", secs / 3_600),
        _ => format!("{} d", secs / 86_400),
    }
}

fn cut(text: &str, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text.to_owned();
    }
    let mut kept: String = text.chars().take(chars_max.saturating_sub(1)).collect();
    kept.push('…');
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn run(id: &str, age_secs: u64, name: &str) -> RunSummary {
        RunSummary {
            id: id.to_owned(),
            name: name.to_owned(),
            origin: "http".to_owned(),
            started_unix_ns: (1_000_000 - age_secs) * units::NS_PER_SEC,
            duration_ns: 10_000_000_000,
            state: RunState::Ended,
            verdict: VerdictState::Valid,
            aborted: None,
            load_model: Some(LoadModel::Open),
            offered_per_sec: Some(1_000.0),
            achieved_per_sec: 999.8,
            completed: 9_998,
            not_completed: 0,
            p50_ns: Some(1_234_567),
            p99_ns: Some(12_345_678),
            slo_count: 0,
            slo_missed_count: 0,
            labels: [("branch".to_owned(), "main".to_owned())].into(),
        }
    }

    #[test]
    fn columns_line_up_and_only_the_last_is_cut() {
        let mut killed = run("1k5jv2q8mf0ab", 7_200, "checkout\x1b[31m of a sho\u{202E}p with a long name");
        (killed.state, killed.p99_ns, killed.not_completed) = (RunState::Aborted, None, 12);
        let mut empty = run("1k5jv2q8mf0ac", 400_000, "nothing");
        (empty.verdict, empty.completed, empty.p50_ns, empty.p99_ns) = (VerdictState::Invalid, 0, None, None);
        let runs = [run("1k5jv2q8mf0aa", 5, "home"), killed, empty];
        expect![[r#"
            id             age        rate      p50      p99  errors  name, labels
            1k5jv2q8mf0aa  5 s  ✓  1,000/s  1.23 ms  12.3 ms       0  home  branch=main
            1k5jv2q8mf0ab  2 h  ✗  1,000/s  1.23 ms        -      12  checkout�[31m of a sh…
            1k5jv2q8mf0ac  4 d  ✗        -        -        -       -  nothing  branch=main
        "#]]
        .assert_eq(&lay_out(&runs, 1_000_000 * units::NS_PER_SEC, Some(80), Color::Never));
        expect![[r#"
            id             age  verdict    kind          rate      p50      p99  errors  name, labels
            1k5jv2q8mf0aa  5 s  ✓ valid    http open  1,000/s  1.23 ms  12.3 ms       0  home  branch=main
            1k5jv2q8mf0ab  2 h  ✗ aborted  http open  1,000/s  1.23 ms        -      12  checkout�[31m of a sho�p with a long name  branch=main
            1k5jv2q8mf0ac  4 d  ✗ invalid  http open        -        -        -       -  nothing  branch=main
        "#]]
        .assert_eq(&lay_out(&runs, 1_000_000 * units::NS_PER_SEC, None, Color::Never));
    }
}
