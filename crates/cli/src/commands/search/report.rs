//! A search's record in another form: `weir report SEARCH.json -o page.html`, `weir show SEARCH.json`.

use super::files;
use crate::args::ReportFormat;
use crate::exit::{Exit, Failure};
use crate::outputs;
use plan::Diagnostic;
use report::Html;
use search::{Page, SearchRecord};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// As much of a file as tells what it is.
const BEGINNING_BYTES: u64 = 64;

/// Whether a file is the record of a search. What can't be read is left to those who read runs.
pub(crate) fn is_search(path: &Path) -> bool {
    let mut bytes = Vec::new();
    if !path.is_file() {
        return false;
    }
    let read = File::open(path).and_then(|file| file.take(BEGINNING_BYTES).read_to_end(&mut bytes));
    bytes.retain(|byte| !byte.is_ascii_whitespace());
    read.is_ok() && bytes.starts_with(format!("{{\"kind\":\"{}\"", SearchRecord::KIND).as_bytes())
}

/// Writes a search's record in this form.
pub(crate) fn write(path: &Path, format: ReportFormat, to: &Path) -> Result<Exit, Failure> {
    let record = files::read("RUN", path).map_err(|fault| Failure::usage(&fault))?;
    let bytes = match format {
        ReportFormat::Text => search::text::text(&record, None).into_bytes(),
        ReportFormat::Markdown => search::text::markdown(&record, None).into_bytes(),
        ReportFormat::Json => serde_json::to_vec(&record).unwrap_or_default(),
        ReportFormat::Html => {
            let mut page = Vec::new();
            // A vector takes all that is written to it.
            let _ = Html.write_search(&Page::of(&record), &mut page);
            page
        }
        _ => {
            let message = format!("`{}` is the record of a search, which has no such form", path.display());
            let hint = "use --format text, markdown, json or html";
            return Err(Failure::usage(&Diagnostic::error(message).hint(hint)));
        }
    };
    outputs::write(outputs::open(to)?, |out| out.write_all(&bytes))
}
