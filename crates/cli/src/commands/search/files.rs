//! The files of a search: read to go on or to compare, written anew after each trial so that nothing is lost.

use super::subject::Subject;
use crate::args::{SearchArgs, SearchOutputArgs};
use crate::exit::{self, Exit, Failure};
use crate::outputs;
use crate::selected::store_path;
use crate::talk::Talk;
use plan::Diagnostic;
use report::{Html, OutputFile};
use search::{SCHEMA_VERSION, SearchRecord};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// Greatest search read: each trial is some tens of KB.
const RECORD_BYTES_MAX: u64 = 1 << 30;

/// Reads the search that `--json` wrote. `flag` is for messages.
pub(crate) fn read(flag: &str, path: &Path) -> Result<SearchRecord, Diagnostic> {
    read_kind(flag, path, SearchRecord::KIND)
}

/// Reads what `--json` wrote, of a kind.
pub(crate) fn read_kind<T: DeserializeOwned>(flag: &str, path: &Path, kind: &str) -> Result<T, Diagnostic> {
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
    if value.get("kind").and_then(serde_json::Value::as_str) != Some(kind) {
        return Err(no_search("it is of another kind".to_owned()));
    }
    if version.is_some_and(|version| version > u64::from(SCHEMA_VERSION)) {
        return Err(no_search("it is of a newer weir".to_owned()));
    }
    serde_json::from_value(value).map_err(|error| no_search(error.to_string()))
}

/// Where the results of a search go.
pub(crate) struct Results<'a> {
    args: &'a SearchOutputArgs,
    /// Written anew after each trial: what `--json` names, else a file beside the store.
    kept: Option<PathBuf>,
    /// Whether `--json` names it.
    is_asked: bool,
}

impl<'a> Results<'a> {
    /// Makes sure that all that is named can be written, before anything is sent. Without `--json` the search is kept beside the store, so that
    /// one that is interrupted can go on.
    pub(crate) fn open(args: &'a SearchArgs, subject: &Subject, search_id: &str) -> Result<Self, Failure> {
        let output = &args.output;
        let mut failure = Failure { exit: Exit::BadPlan, messages: Vec::new() };
        let mut seen: Vec<&Path> = Vec::new();
        for path in [&output.json, &output.markdown, &output.html].into_iter().flatten() {
            if seen.contains(&path.as_path()) {
                failure.messages.extend(outputs::twice(path).messages);
            } else if let Err(fault) = outputs::open(path) {
                failure.messages.extend(fault.messages);
            }
            seen.push(path);
        }
        if !failure.messages.is_empty() {
            return Err(failure);
        }
        let keep = &args.runner.keep;
        let store = store_path(keep.store.as_deref(), &subject.folder).filter(|_| !keep.no_store);
        let beside = || Some(store?.parent()?.join(format!("search-{search_id}.json")));
        let kept = match &output.json {
            Some(path) if path == Path::new("-") => None,
            Some(path) => Some(path.clone()),
            None => beside(),
        };
        Ok(Self { args: output, kept, is_asked: output.json.is_some() })
    }

    /// Keeps what is known so far, in place of what was kept before. Where nobody asked for it, a store that can't be had (which is said
    /// of the runs) ends no search.
    pub(crate) fn keep(&self, record: &impl Serialize) -> Result<(), Failure> {
        let written = self.kept.as_deref().map_or(Ok(()), |path| write_json(record, path));
        if self.is_asked { written } else { Ok(()) }
    }

    /// What to say to somebody who ended the search before its end.
    pub(crate) fn say_how_to_go_on(&self, talk: &Talk) {
        if let Some(path) = self.kept.as_deref().filter(|path| path.is_file()) {
            talk.say(&format!("go on with the same flags and: --resume {}", path.display()));
        }
    }

    /// Writes all that was asked for; the text goes to stdout, or to stderr when a file took that.
    pub(crate) fn finish(
        &self,
        record: &impl Serialize,
        text: &str,
        markdown: &str,
        page: Option<&search::Page>,
    ) -> Result<(), Failure> {
        let to_stdout = |path: &Option<PathBuf>| path.as_deref() == Some(Path::new("-"));
        let output = self.args;
        self.keep(record)?;
        if to_stdout(&output.json) {
            write_json(record, Path::new("-"))?;
        }
        if let Some(path) = &output.markdown {
            write_with(path, |out| out.write_all(markdown.as_bytes()))?;
        }
        if let (Some(path), Some(page)) = (&output.html, page) {
            write_with(path, |out| Html.write_search(page, out))?;
        }
        let is_taken = [&output.json, &output.markdown, &output.html].into_iter().any(to_stdout);
        exit::of_stdout(match is_taken {
            true => io::stderr().write_all(text.as_bytes()),
            false => io::stdout().write_all(text.as_bytes()),
        })?;
        Ok(())
    }
}

fn write_json(record: &impl Serialize, path: &Path) -> Result<(), Failure> {
    write_with(path, |out| {
        serde_json::to_writer(&mut *out, record)?;
        out.write_all(b"\n")
    })
}

/// Writes a file whole.
fn write_with(
    path: &Path,
    content: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>,
) -> Result<(), Failure> {
    let file = OutputFile::open(path).map_err(|error| Failure::output(&error, Exit::Internal))?;
    file.finish(content).map_err(|error| Failure::output(&error, Exit::Internal))
}
