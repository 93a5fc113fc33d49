//! What a user typed to mean a run, turned into its record: `-`, a file, or a selector in the store.

use crate::args::StoreArgs;
use plan::Diagnostic;
use record::RunRecord;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use store::{Store, StoreError, read};

/// Where a store is when nobody says, in the folder of the plan or the current one.
const STORE_DEFAULT: &str = ".weir/runs.db";
/// Names a store where no flag does; `none` is no store.
const STORE_VARIABLE: &str = "WEIR_STORE";

/// The one run that is meant: `-` is stdin; the path of a file is a record, a report or another tool's result; all else selects a run of the
/// store (`last`, `last~1`, an id or its beginning, a name, `key=value`).
pub(crate) fn selected(text: &str, args: &StoreArgs) -> Result<RunRecord, Diagnostic> {
    let mut records = selected_all(text, args)?;
    match (records.pop(), records.len()) {
        (Some(record), 0) => Ok(record),
        (_, others) => Err(Diagnostic::error(format!("`{text}` holds {} runs", others + 1))
            .hint(format!("keep them first (weir import {text}), then name one"))),
    }
}

/// All runs that are meant: a file may hold several.
pub(crate) fn selected_all(text: &str, args: &StoreArgs) -> Result<Vec<RunRecord>, Diagnostic> {
    let path = Path::new(text);
    if text == "-" || path.is_file() || looks_like_a_file(path) {
        return records_of_file(path);
    }
    let store = open_to_read(args)?;
    let found = store.select(text).and_then(|id| store.load(&id));
    Ok(vec![found.map_err(|error| said(&error))?])
}

/// A text that can't be a selector by mistake: people who name a file that is not there are to be told so.
fn looks_like_a_file(path: &Path) -> bool {
    let is_known =
        |extension: &std::ffi::OsStr| ["json", "html", "txt"].iter().any(|known| extension == *known);
    path.extension().is_some_and(is_known)
}

/// The runs that a file holds; `-` is stdin.
pub(crate) fn records_of_file(path: &Path) -> Result<Vec<RunRecord>, Diagnostic> {
    if path == Path::new("-") {
        return records_of(io::stdin().lock(), path);
    }
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    records_of(file, path)
}

fn records_of(from: impl Read, path: &Path) -> Result<Vec<RunRecord>, Diagnostic> {
    let mut bytes = Vec::new();
    from.take(read::FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
    if bytes.len() as u64 > read::FILE_BYTES_MAX {
        let limit = units::size(read::FILE_BYTES_MAX);
        let message = format!("`{}` is larger than {limit}", path.display());
        return Err(Diagnostic::error(message).hint("name a run's record"));
    }
    if let Some(read) = std::str::from_utf8(&bytes).ok().and_then(tulip::read_output) {
        let named = |fault: Diagnostic| Diagnostic {
            message: format!("`{}` is {}", path.display(), fault.message),
            ..fault
        };
        return read.map(|record| vec![record]).map_err(named);
    }
    read::records(&bytes, &path.display().to_string(), modified_unix_ns(path))
        .map_err(|error| Diagnostic::error(error.message).hint(error.hint))
}

/// When a file was written last; now for stdin.
fn modified_unix_ns(path: &Path) -> u64 {
    let modified =
        std::fs::metadata(path).and_then(|facts| facts.modified()).unwrap_or_else(|_| SystemTime::now());
    let since = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::error(format!("can't read `{}`: {}", path.display(), units::system_words(error)))
        .hint("name a record that --json wrote")
}

/// Where the store is: by the flag, by the environment, else in `folder`. `None`: the environment says that there is none.
pub(crate) fn store_path(flag: Option<&Path>, folder: &Path) -> Option<PathBuf> {
    match (flag, std::env::var_os(STORE_VARIABLE)) {
        (Some(path), _) => Some(path.to_owned()),
        (None, Some(value)) if value == "none" => None,
        (None, Some(value)) if !value.is_empty() => Some(value.into()),
        (None, _) => Some(folder.join(STORE_DEFAULT)),
    }
}

/// The store that the flags mean, for reading.
pub(crate) fn open_to_read(args: &StoreArgs) -> Result<Store, Diagnostic> {
    Store::open_to_read(&path_of(args)?).map_err(|error| said(&error))
}

/// The store that the flags mean, for writing; one that is not there is made.
pub(crate) fn open(args: &StoreArgs) -> Result<Store, Diagnostic> {
    Store::open(&path_of(args)?).map_err(|error| said(&error))
}

/// Where the store is that the flags mean.
pub(crate) fn path_of(args: &StoreArgs) -> Result<PathBuf, Diagnostic> {
    store_path(args.store.as_deref(), Path::new("")).ok_or_else(|| {
        Diagnostic::error(format!("{STORE_VARIABLE} is `none`: there is no store of runs"))
            .hint("name one: --store FILE")
    })
}

/// A store's fault, as it is said.
pub(crate) fn said(error: &StoreError) -> Diagnostic {
    Diagnostic::error(error.to_string()).hint(error.hint())
}
