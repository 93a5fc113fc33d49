//! Tulip's result files, of every release, read into records.
//!
//! A file of another program is material and not truth: every number is checked before it is used, all sizes are bounded, and the record
//! says that nobody can vouch for it. What the file does not tell stays empty.

mod file;
mod record;

use ::record::RunRecord;
use plan::Diagnostic;

/// Longest file; a row of five actions has some 10 kB, so this is a day of rows.
pub const OUTPUT_BYTES_MAX: usize = 256 << 20;

/// Reads a result file. `None`: the text is none, whatever else it is.
///
/// A file that ends in the midst of a row, as one of a run that was broken off does, is read up to there, and the record says so.
///
/// # Errors
/// In the result: what is wrong with it, in which row, and how to mend it.
pub fn read_output(text: &str) -> Option<Result<RunRecord, Diagnostic>> {
    is_output(text).then(|| {
        let file = file::parse(text).map_err(|fault| wrong(&fault))?;
        record::build(&file, text).map_err(|fault| wrong(&fault))
    })
}

/// Whether a text looks like a result file, also one that is broken.
pub fn is_output(text: &str) -> bool {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    // What Tulip leaves of a run without saved rows.
    if start.split_whitespace().eq(["]", "}"]) {
        return true;
    }
    let has = |key: &str| text.contains(key);
    start.starts_with('{')
        && has("\"results\"")
        && has("\"config\"")
        && (has("\"benchmarks\"") || has("histogram_rt\""))
        && !has("\"schema_version\"")
}

fn wrong(fault: &str) -> Diagnostic {
    Diagnostic::error(format!("not a result of Tulip that can be read: {fault}"))
        .hint("name a benchmark_output.json as Tulip wrote it")
}
