//! The text of releases up to 0.56, of `--summary-mode=legacy`, and of `textSummary` in the library for scripts.

use super::style::{Colors, Ink, printable};
use super::table::{Inks, Table, TableStyle};
use super::{OWN, OWN_TITLE};
use crate::summary::{CheckSummary, GroupSummary, Summary, TimeUnit, TrendStats};

pub use super::table::RateForm;

/// How deep groups are printed; deeper ones would leave no room on a line.
const DEPTH_MAX: usize = 100;

/// How the old text is printed.
#[derive(Debug, Clone, PartialEq)]
pub struct LegacyText {
    /// What stands before each line; one space unless a script says otherwise.
    pub indent: String,
    /// Whether it is coloured.
    pub colors: Colors,
    /// In which unit times are printed; `None` is what the summary's options say.
    pub time_unit: Option<TimeUnit>,
    /// What is shown of trends; `None` is what the summary's options say.
    pub trend_stats: Option<TrendStats>,
    /// How a rate's counts are printed.
    pub rate_form: RateForm,
}

impl Default for LegacyText {
    fn default() -> Self {
        Self {
            indent: " ".to_owned(),
            colors: Colors::Off,
            time_unit: None,
            trend_stats: None,
            rate_form: RateForm::Marks,
        }
    }
}

impl LegacyText {
    /// The text, without a line break at its end: a script gets it so; as the test's own summary it stands between one line break and two.
    pub fn render(&self, summary: &Summary) -> String {
        let mut lines = Vec::new();
        self.group(&mut lines, &summary.root_group, &format!("{}    ", self.indent), 0);
        let stats = self.trend_stats.as_ref().unwrap_or(&summary.options.trend_stats);
        let style = TableStyle {
            colors: self.colors,
            inks: Inks { dots: Ink::Faint, extra: Ink::CyanFaint },
            time_unit: self.time_unit.or(summary.options.time_unit),
            trend_stats: stats.names().collect(),
            rate_form: self.rate_form,
        };
        let (own, k6s): (Vec<_>, Vec<_>) =
            summary.metrics.iter().partition(|metric| OWN.contains(&metric.parts().0));
        self.table(&mut lines, &Table::new(k6s, &style));
        if !own.is_empty() {
            lines.extend([String::new(), format!("{}    {OWN_TITLE}", self.indent)]);
            self.table(&mut lines, &Table::new(own, &style));
        }
        lines.join("\n")
    }

    fn table(&self, lines: &mut Vec<String>, table: &Table<'_>) {
        for (metric, line) in table.lines() {
            let mark = if metric.thresholds.is_empty() {
                " ".to_owned()
            } else if metric.thresholds.iter().all(|threshold| threshold.is_ok) {
                self.colors.paint(Ink::Green, "✓")
            } else {
                self.colors.paint(Ink::Red, "✗")
            };
            // A part's mark stands two spaces deeper, before its tags.
            let (depth, line) = line.strip_prefix("  ").map_or(("", line.as_str()), |line| ("  ", line));
            lines.push(format!("{}  {depth}{mark} {line}", self.indent));
        }
    }

    fn group(&self, lines: &mut Vec<String>, group: &GroupSummary, indent: &str, depth: usize) {
        let mut indent = indent.to_owned();
        if !group.name.is_empty() {
            lines.push(format!("{indent}█ {}", printable(&group.name)));
            lines.push(String::new());
            indent.push_str("  ");
        }
        for check in &group.checks {
            self.check(lines, check, &indent);
        }
        if !group.checks.is_empty() {
            lines.push(String::new());
        }
        if depth < DEPTH_MAX {
            for group in &group.groups {
                self.group(lines, group, &indent, depth + 1);
            }
        }
    }

    fn check(&self, lines: &mut Vec<String>, check: &CheckSummary, indent: &str) {
        let name = printable(&check.name);
        if check.fails == 0 {
            lines.push(self.colors.paint(Ink::Green, &format!("{indent}✓ {name}")));
        } else {
            let failed = format!("{indent}✗ {name}\n{indent} {}", failed_line(check));
            lines.push(self.colors.paint(Ink::Red, &failed));
        }
    }
}

/// How often a check that failed held: percent, cut to whole ones.
pub(super) fn failed_line(check: &CheckSummary) -> String {
    let (passes, fails) = (u128::from(check.passes), u128::from(check.fails));
    let percent = (100 * passes).checked_div(passes + fails).unwrap_or(0);
    format!("↳  {percent}% — ✓ {passes} / ✗ {fails}")
}
