//! The files that results go to: opened before anything is done for them, tried at the end, put in place whole.

use crate::args::{FailOn, OutputArgs};
use crate::exit::{self, Exit, Failure};
use plan::Diagnostic;
use record::{RunRecord, VerdictState};
use report::{Format, Json, Junit, Layout, Markdown, OutputFile};
use std::io;
use std::path::{Path, PathBuf};

/// Opens a result's file; `-` is stdout.
pub(crate) fn open(path: &Path) -> Result<OutputFile, Failure> {
    OutputFile::open(path).map_err(|error| Failure::output(&error, Exit::BadPlan))
}

/// Writes a result and puts it in place. A reader of stdout that has seen enough (`| head`) is no failure.
pub(crate) fn write(
    file: OutputFile,
    content: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
) -> Result<Exit, Failure> {
    let is_stdout = file.is_stdout();
    match file.finish(content) {
        Err(error) if is_stdout => exit::of_stdout(Err(error.source)),
        Err(error) => Err(Failure::output(&error, Exit::Internal)),
        Ok(()) => Ok(Exit::Done),
    }
}

/// Two results of one name.
pub(crate) fn twice(path: &Path) -> Failure {
    let message = format!("two results go to `{}`", path.display());
    Failure::usage(&Diagnostic::error(message).hint("give each a file of its own"))
}

/// What a run writes: opened outputs with their forms.
pub(crate) struct Outputs {
    files: Vec<(Box<dyn Format>, OutputFile)>,
}

impl Outputs {
    /// Opens all that the flags name. Says all that can't be opened, and two that are the same, at once.
    pub(crate) fn open(args: &OutputArgs) -> Result<Self, Failure> {
        let named: [(&Option<PathBuf>, Box<dyn Format>); 3] = [
            (&args.json, Box::new(Json { layout: Layout::Pretty })),
            (&args.markdown, Box::new(Markdown)),
            (&args.junit, Box::new(Junit { fail_on: junit_fail_on(args.fail_on) })),
        ];
        let mut failure = Failure { exit: Exit::BadPlan, messages: Vec::new() };
        let mut files: Vec<(Box<dyn Format>, OutputFile)> = Vec::new();
        for (path, format) in named {
            let Some(path) = path else { continue };
            if files.iter().any(|(_, file)| file.path() == path) {
                failure.messages.extend(twice(path).messages);
                continue;
            }
            match open(path) {
                Ok(file) => files.push((format, file)),
                Err(fault) => failure.messages.extend(fault.messages),
            }
        }
        if failure.messages.is_empty() { Ok(Self { files }) } else { Err(failure) }
    }

    /// Whether stdout is taken, so that the text for people must go elsewhere.
    pub(crate) fn take_stdout(&self) -> bool {
        self.files.iter().any(|(_, file)| file.is_stdout())
    }

    /// Writes all of them; one that fails does not keep the others from being written.
    pub(crate) fn write(self, record: &RunRecord) -> Result<(), Failure> {
        let mut failure = Failure { exit: Exit::Internal, messages: Vec::new() };
        for (format, file) in self.files {
            if let Err(error) = file.finish(|out| format.write(record, out)) {
                failure.messages.extend(Failure::output(&error, Exit::Internal).messages);
            }
        }
        if failure.messages.is_empty() { Ok(()) } else { Err(failure) }
    }
}

/// The verdict from which on the JUnit case fails: the one from which on the command does, `invalid` when that is not said.
fn junit_fail_on(fail_on: Option<FailOn>) -> VerdictState {
    match fail_on {
        Some(FailOn::Suspect) => VerdictState::Suspect,
        Some(FailOn::Invalid) | None => VerdictState::Invalid,
    }
}
