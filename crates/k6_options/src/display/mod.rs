//! What people see before and during a run: start-up text, progress lines. Pure functions of given numbers; the one who shows them has the clock
//! and the terminal.

mod bar;
mod block;
mod columns;
mod start;
mod width;

pub use block::{ProgressBlock, ProgressHead, ProgressRow};
pub use columns::{ScenarioNow, ScenarioProgress, ScenarioState};
pub use start::StartText;
pub use width::fixed_width;

/// Whether text may carry colours and faintness for a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Colour {
    /// Plain text.
    #[default]
    Never,
    /// Escape sequences of ECMA-48.
    Ansi,
}

impl Colour {
    /// Text in a colour of ECMA-48's select graphic rendition: 31 red, 32 green, 36 cyan.
    fn paint(self, code: u8, text: &str) -> String {
        match self {
            Self::Never => text.to_owned(),
            Self::Ansi => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        }
    }

    fn faint(self, text: &str) -> String {
        match self {
            Self::Never => text.to_owned(),
            Self::Ansi => format!("\u{1b}[2m{text}\u{1b}[22m"),
        }
    }
}
