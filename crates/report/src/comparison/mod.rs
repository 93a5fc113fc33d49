//! A comparison for people and for other programs: what changed first, then every row, then what it rests on.
//!
//! Text, Markdown and JSON are computable from the [`Comparison`] alone and say the same: the words are worked out in `words`.

mod markdown;
mod table;
mod text;
mod words;

pub use markdown::write_markdown;
pub use text::write_text;
pub use words::progress;

use compare::Comparison;
use std::io;

/// The comparison itself as JSON, indented.
///
/// # Errors
/// Those of `out`.
pub fn write_json(comparison: &Comparison, out: &mut dyn io::Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, comparison)?;
    out.write_all(b"\n")
}
