//! `weir export`: a run for other programs.

use crate::args::{CsvRows, ExportArgs, ExportFormat};
use crate::exit::{Exit, Failure};
use crate::outputs;
use crate::selected::selected;
use report::{Format as _, Json, Layout};
use std::path::Path;
use store::export;

pub(crate) fn run(args: &ExportArgs) -> Result<Exit, Failure> {
    let record = selected(&args.run, &args.store).map_err(|diagnostic| Failure::usage(&diagnostic))?;
    let to = args.output.as_deref().unwrap_or(Path::new("-"));
    outputs::write(outputs::open(to)?, |out| match (args.format.unwrap_or_else(|| format_of(to)), args.of) {
        (ExportFormat::Json, _) => Json { layout: Layout::Pretty }.write(&record, out),
        (ExportFormat::Csv, CsvRows::Intervals) => export::intervals_csv(&record, out),
        (ExportFormat::Csv, CsvRows::Actions) => export::actions_csv(&record, out),
        (ExportFormat::Hdr, _) => export::hdr_log(&record, out),
    })
}

/// The form that a file's ending asks for.
fn format_of(path: &Path) -> ExportFormat {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("csv") => ExportFormat::Csv,
        Some("hlog" | "hdr") => ExportFormat::Hdr,
        _ => ExportFormat::Json,
    }
}
