//! The line that shows an interleaved comparison as it goes: which pair, and how the difference stands.

use ::report::{Color, comparison};
use compare::{PairedAnalysis, PairedSide};
use std::io::{self, IsTerminal as _, Write as _};

/// To the line's start, and clear it (ECMA-48 §8.3.41).
const CLEAR: &str = "\r\x1b[2K";

/// On stderr; on a terminal drawn over and over, in a log a line for each quarter.
pub(super) struct ProgressLine {
    is_wanted: bool,
    is_terminal: bool,
    is_drawn: bool,
    color: Color,
    said: u64,
}

impl ProgressLine {
    pub(super) fn new(is_wanted: bool, color: Color) -> Self {
        Self { is_wanted, is_terminal: io::stderr().is_terminal(), is_drawn: false, color, said: 0 }
    }

    /// Before a slice.
    pub(super) fn show(&mut self, pair: u64, pairs: u64, side: PairedSide, analysis: &PairedAnalysis) {
        if !self.is_wanted {
            return;
        }
        let standing = comparison::progress(&analysis.rows_at_a_glance());
        let standing = if standing.is_empty() { "no block is whole yet".to_owned() } else { standing };
        if self.is_terminal {
            let side = side.as_str().to_uppercase();
            let side = if self.color == Color::Always { format!("\x1b[1m{side}\x1b[0m") } else { side };
            self.is_drawn = true;
            say(&format!("{CLEAR}pair {pair} of {pairs}  {side}  {standing}"));
        } else if (pair - 1) * 4 / pairs.max(1) > self.said {
            self.said = (pair - 1) * 4 / pairs.max(1);
            say(&format!("pair {pair} of {pairs}  {standing}\n"));
        }
    }

    pub(super) fn clear(&mut self) {
        if std::mem::take(&mut self.is_drawn) {
            say(CLEAR);
        }
    }
}

/// A line that can't be written is no reason to end.
fn say(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}
