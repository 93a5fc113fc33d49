//! Results as text for the terminal and as Markdown for the file: tables of what was measured, and each bar with its outcome.

use super::machine::Machine;
use std::fmt::Write as _;

/// All that was measured.
pub(super) struct Report {
    pub(super) machine: Machine,
    pub(super) sections: Vec<Section>,
}

/// One benchmark's results.
pub(super) struct Section {
    title: &'static str,
    /// How it was measured.
    method: String,
    table: Option<Table>,
    bars: Vec<Bar>,
    pub(super) notes: Vec<String>,
}

/// Figures without a bar.
struct Table {
    head: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

/// A bar and what was measured against it.
struct Bar {
    what: String,
    bar: String,
    measured: String,
    outcome: Outcome,
}

/// How a measurement stands to its bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Ok,
    Short,
    NotMeasured,
}

impl Outcome {
    fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Short => "short",
            Self::NotMeasured => "not measured",
        }
    }
}

impl Section {
    pub(super) fn new(title: &'static str, method: impl Into<String>) -> Self {
        Self { title, method: method.into(), table: None, bars: Vec::new(), notes: Vec::new() }
    }

    pub(super) fn table(&mut self, head: &[&'static str], rows: Vec<Vec<String>>) {
        self.table = Some(Table { head: head.to_vec(), rows });
    }

    /// A measurement that should be at most `limit`; `form` prints both.
    pub(super) fn at_most(&mut self, what: &str, limit: f64, values: &[f64], form: impl Fn(f64) -> String) {
        let is_ok = super::median(values) <= limit;
        self.bar(
            what,
            format!("≤ {}", form(limit)),
            super::spread(values, form),
            is_ok && !values.is_empty(),
        );
    }

    /// A measurement that should be at least `limit`.
    pub(super) fn at_least(&mut self, what: &str, limit: f64, values: &[f64], form: impl Fn(f64) -> String) {
        let is_ok = super::median(values) >= limit;
        self.bar(
            what,
            format!("≥ {}", form(limit)),
            super::spread(values, form),
            is_ok && !values.is_empty(),
        );
    }

    pub(super) fn bar(&mut self, what: &str, bar: String, measured: String, is_ok: bool) {
        let outcome = if is_ok { Outcome::Ok } else { Outcome::Short };
        self.bars.push(Bar { what: what.to_owned(), bar, measured, outcome });
    }

    /// A bar that could not be tried, and why.
    pub(super) fn not_measured(&mut self, what: &str, bar: &str, why: &str) {
        let outcome = Outcome::NotMeasured;
        self.bars.push(Bar { what: what.to_owned(), bar: bar.to_owned(), measured: why.to_owned(), outcome });
    }

    pub(super) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    pub(super) fn is_short(&self) -> bool {
        self.bars.iter().any(|bar| bar.outcome == Outcome::Short)
    }

    fn tables(&self) -> impl Iterator<Item = Table> {
        let copied =
            self.table.as_ref().map(|table| Table { head: table.head.clone(), rows: table.rows.clone() });
        let row = |bar: &Bar| {
            vec![bar.what.clone(), bar.bar.clone(), bar.measured.clone(), bar.outcome.as_str().to_owned()]
        };
        let bars = Table {
            head: vec!["what", "bar", "measured", "outcome"],
            rows: self.bars.iter().map(row).collect(),
        };
        copied.into_iter().chain([bars]).filter(|table| !table.rows.is_empty())
    }

    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for table in self.tables() {
            text.push('\n');
            text.push_str(&table.text());
        }
        for note in &self.notes {
            text.push_str(&format!("  {note}\n"));
        }
        text
    }

    fn markdown(&self) -> String {
        let mut text = format!("## {}\n\n{}\n", self.title, self.method);
        for table in self.tables() {
            text.push('\n');
            text.push_str(&table.markdown());
        }
        if !self.notes.is_empty() {
            text.push('\n');
        }
        for note in &self.notes {
            // Writing to a string does not fail.
            let _ = writeln!(text, "- {note}");
        }
        text
    }
}

impl Report {
    pub(super) fn markdown(&self) -> String {
        let sections: Vec<String> = self.sections.iter().map(Section::markdown).collect();
        format!(
            "# Benchmark\n\nMade by `cargo xtask bench`. Medians, with the least and the greatest in brackets. Ratios compare runs of the \
             same round on this machine; nothing here is an absolute claim.\n\n{}\n{}",
            self.machine.markdown(),
            sections.join("\n")
        )
    }
}

impl Table {
    fn text(&self) -> String {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
            cells.chain(self.head.get(column).map(|head| head.chars().count())).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        let line = |cells: &mut dyn Iterator<Item = &str>| {
            let cells: Vec<String> =
                cells.zip(&widths).map(|(cell, width)| format!("{cell:<width$}", width = *width)).collect();
            format!("  {}\n", cells.join("  ").trim_end())
        };
        let mut text = line(&mut self.head.iter().copied());
        for row in &self.rows {
            text.push_str(&line(&mut row.iter().map(String::as_str)));
        }
        text
    }

    fn markdown(&self) -> String {
        let mut text = format!("| {} |\n|{}\n", self.head.join(" | "), "---|".repeat(self.head.len()));
        for row in &self.rows {
            // Writing to a string does not fail.
            let _ = writeln!(text, "| {} |", row.join(" | "));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_judged_by_the_median() {
        let mut section = Section::new("t", "m");
        let form = |value: f64| format!("{value:.1} s");
        section.at_most("a", 2.0, &[1.0, 1.5, 9.0], form);
        assert!(!section.is_short());
        section.not_measured("n", "≤ 1", "no tool");
        section.at_least("b", 2.0, &[1.0], form);
        assert!(section.is_short());
        let text = section.text();
        let rows: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect())
            .collect();
        assert_eq!(
            rows[1..3],
            [vec!["what", "bar", "measured", "outcome"], vec!["a", "≤ 2.0 s", "1.5 s (1.0 s–9.0 s)", "ok"]]
        );
        assert_eq!(
            rows[3..],
            [vec!["n", "≤ 1", "no tool", "not measured"], vec!["b", "≥ 2.0 s", "1.0 s", "short"]]
        );
        section.at_most("none", 2.0, &[], form);
        assert!(section.markdown().contains("| none | ≤ 2.0 s | nothing | short |"));
    }
}
