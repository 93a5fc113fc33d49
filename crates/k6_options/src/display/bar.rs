//! A bar: in a terminal as wide as there is room, elsewhere a number.

use super::Colour;

/// How a bar is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bar {
    /// `[  25% ]`
    Percent,
    /// `[==>---]`, so many columns with its brackets.
    Wide(usize),
}

/// Below this a bar says less than its number.
pub(super) const WIDTH_MIN: usize = 8;
/// Wider is no easier to read.
pub(super) const WIDTH_MAX: usize = 40;

impl Bar {
    pub(super) fn draw(self, done_ratio: f64, colour: Colour) -> String {
        match self {
            Self::Percent => format!("[ {:3.0}% ]", done_ratio * 100.0),
            Self::Wide(width) => {
                let space = width.saturating_sub(2);
                let filled = ((space as f64 * done_ratio) as usize).min(space);
                let mut text = "=".repeat(filled);
                if filled > 0 && filled < space {
                    text.pop();
                    text.push('>');
                }
                format!("[{text}{}]", colour.faint(&"-".repeat(space - filled)))
            }
        }
    }
}
