//! The block of lines that is printed again and again: an empty line, one about the whole, one for each scenario.

use super::Colour;
use super::bar::{Bar, WIDTH_MAX, WIDTH_MIN};
use super::columns::{ScenarioProgress, ScenarioState, counted};
use super::width::fixed_width;
use k6_metrics::GoDuration;

/// Longer names are cut, in characters.
const NAME_MAX: usize = 30;
/// Columns that are padded, so that those behind them stand below each other.
const PADDED_COUNT: usize = 2;

/// The line about the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgressHead {
    /// VUs are being made, so many of so many.
    Initialising {
        /// Made.
        done: u64,
        /// To be made before the start.
        planned: u64,
    },
    /// `setup` runs.
    Setup,
    /// `teardown` runs.
    Teardown,
    /// Scenarios run, or wait, or are over.
    Running {
        /// Whether the test stands still.
        is_paused: bool,
        /// Since the test's start.
        elapsed: GoDuration,
        /// When it ends at the latest: [`Requirements::end`](crate::Requirements::end).
        longest: GoDuration,
        /// VUs that run iterations.
        active_vus: u64,
        /// VUs that are made.
        initialised_vus: u64,
        /// The most there can be: [`Requirements::vus_max`](crate::Requirements::vus_max).
        vus_max: u64,
        /// Iterations that came to their end.
        complete: u64,
        /// Iterations that were cut off.
        interrupted: u64,
    },
}

/// A scenario's line.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgressRow<'a> {
    /// The scenario's name.
    pub name: &'a str,
    /// Where it stands; `None`: nothing runs yet.
    pub state: Option<ScenarioState>,
    /// How far it is.
    pub progress: ScenarioProgress,
}

/// All lines at a moment.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgressBlock<'a> {
    /// The line about the whole.
    pub head: ProgressHead,
    /// In the order of the start-up text.
    pub rows: Vec<ProgressRow<'a>>,
}

impl ProgressBlock<'_> {
    /// The lines, the first of them empty, without line breaks. `terminal_columns` says how much room there is where it is a terminal:
    /// bars then are as wide as fits, 8 to 40; elsewhere, and with less room, they are numbers.
    pub fn lines(&self, terminal_columns: Option<usize>, colour: Colour) -> Vec<String> {
        let head = self.head.as_bar();
        let names = self.rows.iter().map(|row| row.name.chars().count().min(NAME_MAX));
        // The names of the lines before the start count too, so that nothing moves when it comes.
        let name_width = names.chain(["Init".len()]).max().unwrap_or(0);
        let widths = self.column_widths();
        let right: Vec<String> =
            self.rows.iter().map(|row| right_hand(&row.progress.columns, &widths)).collect();
        let head_right = head.as_ref().map(|(_, text)| text.chars().count() + 1).unwrap_or(0);
        let right_width =
            right.iter().map(|text| text.chars().count()).chain([head_right]).max().unwrap_or(0);
        let bar = bar(terminal_columns, name_width + 3 + right_width);
        let mut lines = vec![String::new()];
        lines.push(match &head {
            Some((done_ratio, text)) => {
                let name =
                    if matches!(self.head, ProgressHead::Initialising { .. }) { "Init" } else { "Run" };
                format!("{name:name_width$}   {} {text}", bar.draw(*done_ratio, colour))
            }
            None => self.head.text(),
        });
        for (row, right) in self.rows.iter().zip(&right) {
            let name = cut(row.name);
            let sign = sign(row.state, colour);
            let bar = bar.draw(row.progress.done_ratio, colour);
            lines.push(format!("{name:name_width$} {sign} {bar}{right}"));
        }
        lines
    }

    /// The widest text of each padded column; a row's last column has nothing behind it and does not count.
    fn column_widths(&self) -> [usize; PADDED_COUNT] {
        let mut widths = [0; PADDED_COUNT];
        for row in &self.rows {
            let inner = row.progress.columns.len().saturating_sub(1);
            for (width, text) in widths.iter_mut().zip(row.progress.columns.iter().take(inner)) {
                *width = text.chars().count().max(*width);
            }
        }
        widths
    }
}

/// Room that is left beside `others` columns of text; one column stays free so that no terminal wraps.
fn bar(terminal_columns: Option<usize>, others: usize) -> Bar {
    let room = terminal_columns.map(|columns| columns.saturating_sub(others + 1));
    match room {
        Some(room) if room >= WIDTH_MIN => Bar::Wide(room.min(WIDTH_MAX)),
        _ => Bar::Percent,
    }
}

fn right_hand(columns: &[String], widths: &[usize; PADDED_COUNT]) -> String {
    let mut text = String::new();
    for (index, column) in columns.iter().enumerate() {
        let width = widths.get(index).map_or(0, |width| width + 1);
        text.push_str(&format!(" {column:width$}"));
    }
    text
}

fn cut(name: &str) -> String {
    if name.chars().count() <= NAME_MAX {
        return name.to_owned();
    }
    name.chars().take(NAME_MAX - 3).chain("...".chars()).collect()
}

fn sign(state: Option<ScenarioState>, colour: Colour) -> String {
    match state {
        None | Some(ScenarioState::Running) => " ".to_owned(),
        Some(ScenarioState::Waiting(_)) => colour.faint("•"),
        Some(ScenarioState::Stopping) => "↓".to_owned(),
        Some(ScenarioState::Done) => colour.paint(32, "✓"),
        Some(ScenarioState::Interrupted) => colour.paint(31, "✗"),
    }
}

impl ProgressHead {
    /// The share and the text of those that are drawn as a bar.
    fn as_bar(&self) -> Option<(f64, String)> {
        match *self {
            Self::Initialising { done, planned } => {
                let ratio = if planned == 0 { 1.0 } else { done as f64 / planned as f64 };
                Some((ratio.min(1.0), format!("{} VUs initialized", counted(done, planned))))
            }
            Self::Setup => Some((1.0, "setup()".to_owned())),
            Self::Teardown => Some((1.0, "teardown()".to_owned())),
            Self::Running { .. } => None,
        }
    }

    fn text(&self) -> String {
        let Self::Running {
            is_paused,
            elapsed,
            longest,
            active_vus,
            initialised_vus,
            vus_max,
            complete,
            interrupted,
        } = *self
        else {
            return String::new();
        };
        let word = if is_paused { "paused" } else { "running" };
        let places = vus_max.to_string().len();
        format!(
            "{word} ({}), {active_vus:0places$}/{initialised_vus:0places$} VUs, {complete} complete and {interrupted} interrupted iterations",
            fixed_width(elapsed, longest)
        )
    }
}
