//! A run's record for people and for other programs: text, JSON, Markdown, JUnit, HTML; and the line that shows a run as it goes.
//!
//! Each format is a file of its own behind [`Format`] and is computable from the record alone, so that a record read back from its JSON
//! prints as it did after the run. [`OutputFile`] is opened before the run and put in place whole at its end.

pub mod comparison;
mod date;
mod facts;
mod html;
mod json;
mod junit;
mod live_line;
mod markdown;
mod output;
mod text;

pub use html::{Html, served_page};
pub use json::{Json, Layout};
pub use junit::Junit;
pub use live_line::{LiveLine, Watcher};
pub use markdown::Markdown;
pub use output::{OutputError, OutputFile};
pub use text::{Color, Text};

use record::RunRecord;
use std::io;

/// One way to write a record down.
pub trait Format {
    /// Writes all of it. Errors are only those of `out`.
    fn write(&self, record: &RunRecord, out: &mut dyn io::Write) -> io::Result<()>;

    /// The same as a text.
    fn to_text(&self, record: &RunRecord) -> String {
        let mut bytes = Vec::new();
        // A vector takes all that is written to it, and every format writes UTF-8.
        let _ = self.write(record, &mut bytes);
        String::from_utf8(bytes).unwrap_or_default()
    }
}
