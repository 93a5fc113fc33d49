//! The rows of a comparison as columns that line up. No figure is ever cut, for a figure cut off would be another one: columns are as wide as what
//! stands in them, and where the terminal is too narrow the absolute difference goes, which the two values tell as well.

use super::words;
use crate::text::{Color, Role, cut, width};
use compare::{Candidate, Row, Verdict};

/// Metric, baseline, candidate, absolute difference, change, interval, verdict.
type Cells = [(String, Option<Role>); 7];

/// The column that goes first.
const DIFFERENCE: usize = 3;
/// The words to the left and right of the numbers.
const WORDS: [usize; 2] = [0, 6];
/// Blanks before each line.
const INDENT: usize = 2;

/// How wide the columns of a candidate's tables are, the same for all so that they line up.
pub(super) struct Columns {
    letter: String,
    widths: [usize; 7],
    gap: usize,
    has_difference: bool,
}

impl Columns {
    /// As wide as the candidate's rows need, two blanks between where `page_width` allows it and one where it does not.
    pub(super) fn of(candidate: &Candidate, page_width: usize) -> Self {
        let letter = words::letter(candidate.side_index);
        let mut widths = head("", &letter).map(|(cell, _)| width(&cell));
        for row in &candidate.rows {
            for (widest, (cell, _)) in widths.iter_mut().zip(cells(row)) {
                *widest = (*widest).max(width(&cell));
            }
        }
        let whole: usize = widths.iter().sum::<usize>() + INDENT;
        let [_, _, _, difference, ..] = widths;
        let (gap, has_difference) = match page_width {
            room if whole + 12 <= room => (2, true),
            room if whole + 6 <= room => (1, true),
            room if whole - difference + 10 <= room => (2, false),
            _ => (1, false),
        };
        Self { letter, widths, gap, has_difference }
    }

    /// The lines above the rows of a place: what they are of, and what the columns are.
    pub(super) fn head(&self, title: &str, color: Color, page_width: usize) -> Vec<String> {
        let [metric_width, ..] = self.widths;
        if width(title) <= metric_width {
            return vec![self.line(head(title, &self.letter), color)];
        }
        let title = color.paint(Role::Title, &cut(title, page_width - INDENT));
        vec![format!("{:INDENT$}{title}", ""), self.line(head("", &self.letter), color)]
    }

    /// One row.
    pub(super) fn row(&self, row: &Row, color: Color) -> String {
        self.line(cells(row), color)
    }

    fn line(&self, cells: Cells, color: Color) -> String {
        let mut line = " ".repeat(INDENT);
        for (index, ((cell, role), column_width)) in cells.into_iter().zip(self.widths).enumerate() {
            if index == DIFFERENCE && !self.has_difference {
                continue;
            }
            let blanks = " ".repeat(column_width.saturating_sub(width(&cell)));
            let painted = role.map_or(cell.clone(), |role| color.paint(role, &cell));
            if index > 0 {
                line.push_str(&" ".repeat(self.gap));
            }
            if WORDS.contains(&index) {
                line.push_str(&format!("{painted}{blanks}"));
            } else {
                line.push_str(&format!("{blanks}{painted}"));
            }
        }
        line.truncate(line.trim_end().len());
        line
    }
}

fn head(title: &str, letter: &str) -> Cells {
    let aside = |text: &str| (text.to_owned(), Some(Role::Aside));
    [
        (title.to_owned(), Some(Role::Title)),
        aside("A"),
        aside(letter),
        aside(&format!("{letter} − A")),
        aside("change"),
        aside("interval"),
        aside(""),
    ]
}

fn cells(row: &Row) -> Cells {
    let role = match words::seen(row) {
        Verdict::Slower => Some(Role::Bad),
        Verdict::Faster => Some(Role::Good),
        Verdict::Same => None,
        Verdict::Undecided => Some(Role::Aside),
    };
    let metric = row.metric;
    [
        (metric.label(), None),
        (words::value(metric, row.baseline), None),
        (words::value(metric, row.candidate), None),
        (words::difference(metric, row.difference), None),
        (words::change(metric, row.change), role.filter(|role| *role != Role::Aside)),
        (words::interval(row), None),
        (words::verdict(row), role),
    ]
}
