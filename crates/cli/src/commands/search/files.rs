//! The files of a search: read to go on or to compare, written anew after each trial so that nothing is lost.

use crate::exit::{Exit, Failure};
use plan::Diagnostic;
use report::OutputFile;
use search::{SCHEMA_VERSION, SearchRecord};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Greatest search read: each trial is some tens of KB.
const RECORD_BYTES_MAX: u64 = 1 << 30;

/// Reads what `--json` wrote. `flag` is for messages.
pub(crate) fn read(flag: &str, path: &Path) -> Result<SearchRecord, Diagnostic> {
    let name = path.display();
    let mend = "name a file that `weir search --json` wrote";
    let mut bytes = Vec::new();
    let opened = File::open(path).and_then(|file| file.take(RECORD_BYTES_MAX + 1).read_to_end(&mut bytes));
    opened.map_err(|error| {
        Diagnostic::error(format!("{flag}: can't read `{name}`: {}", units::system_words(&error))).hint(mend)
    })?;
    if bytes.len() as u64 > RECORD_BYTES_MAX {
        let limit = units::size(RECORD_BYTES_MAX);
        return Err(Diagnostic::error(format!("{flag}: `{name}` is larger than {limit}")).hint(mend));
    }
    let no_search = |why: String| {
        Diagnostic::error(format!("{flag}: `{name}` is no record of a search: {why}")).hint(mend)
    };
    let value: serde_json::Value =
        serde_json::from_slice(&bytes).map_err(|error| no_search(error.to_string()))?;
    let version = value.get("schema_version").and_then(serde_json::Value::as_u64);
    if value.get("kind").and_then(serde_json::Value::as_str) != Some(SearchRecord::KIND) {
        return Err(no_search("it is of another kind".to_owned()));
    }
    if version.is_some_and(|version| version > u64::from(SCHEMA_VERSION)) {
        return Err(no_search("it is of a newer weir".to_owned()));
    }
    serde_json::from_value(value).map_err(|error| no_search(error.to_string()))
}

/// Makes sure that a result can be written, before anything is sent.
pub(crate) fn check_writable(paths: &[&Path]) -> Result<(), Failure> {
    let mut failure = Failure { exit: Exit::BadPlan, messages: Vec::new() };
    for path in paths {
        if let Err(error) = OutputFile::open(path) {
            failure.messages.extend(Failure::output(&error, Exit::BadPlan).messages);
        }
    }
    if failure.messages.is_empty() { Ok(()) } else { Err(failure) }
}

/// Writes it whole, in place of what was there.
pub(crate) fn write(record: &SearchRecord, path: &Path) -> Result<(), Failure> {
    write_with(path, |out| {
        serde_json::to_writer(&mut *out, record)?;
        out.write_all(b"\n")
    })
}

/// Writes a file whole.
pub(crate) fn write_with(
    path: &Path,
    content: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>,
) -> Result<(), Failure> {
    let file = OutputFile::open(path).map_err(|error| Failure::output(&error, Exit::Internal))?;
    file.finish(content).map_err(|error| Failure::output(&error, Exit::Internal))
}
