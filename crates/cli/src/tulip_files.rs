//! The files that a configuration of Tulip names: its result and its report. Users find them where they are used to, after a run as after one of
//! Tulip's; what is there and is neither stays as it is.

use crate::args::OutputArgs;
use crate::exit::{Exit, Failure};
use crate::outputs;
use crate::talk::Talk;
use plan::Diagnostic;
use record::RunRecord;
use report::OutputFile;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use tulip::Form;

/// Opened before the run, written at its end.
pub(crate) struct TulipFiles {
    form: Form,
    files: Vec<(Content, OutputFile)>,
}

/// What stands in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    Result,
    Report,
}

impl Content {
    /// The configuration's key.
    fn key(self) -> &'static str {
        match self {
            Self::Result => "output_filename",
            Self::Report => "report_filename",
        }
    }

    fn text(self, record: &RunRecord, form: Form) -> String {
        let text = match self {
            Self::Result => tulip::output_json(record, form),
            Self::Report => tulip::html(record, form),
        };
        // A run of a configuration of Tulip has both.
        text.unwrap_or_default()
    }

    /// Whether a file's text is an earlier one of these, or nothing.
    fn is_earlier(self, text: &str) -> bool {
        text.trim().is_empty()
            || match self {
                Self::Result => tulip::is_output(text),
                Self::Report => tulip::is_report(text),
            }
    }
}

impl TulipFiles {
    /// Opens what the configuration names, relative to the current folder as Tulip does. `flags` name the other files. Says all that is
    /// in the way at once.
    pub(crate) fn open(facts: &tulip::Facts, flags: &OutputArgs) -> Result<Self, Failure> {
        let mut failure = Failure { exit: Exit::BadPlan, messages: Vec::new() };
        let mut files: Vec<(Content, OutputFile)> = Vec::new();
        for (content, name) in
            [(Content::Result, &facts.output_filename), (Content::Report, &facts.report_filename)]
        {
            if name.is_empty() {
                continue;
            }
            // A file of that name, not stdout.
            let path = if name == "-" { PathBuf::from("./-") } else { PathBuf::from(name) };
            let named = [&flags.json, &flags.markdown, &flags.junit];
            let is_taken = named.into_iter().flatten().any(|named| *named == path)
                || files.iter().any(|(_, file)| file.path() == path);
            let opened = if is_taken { Err(outputs::twice(&path)) } else { open(content, &path) };
            match opened {
                Ok(file) => files.push((content, file)),
                Err(fault) => failure.messages.extend(fault.messages),
            }
        }
        let form = Form::of_facts(facts);
        if failure.messages.is_empty() { Ok(Self { form, files }) } else { Err(failure) }
    }

    /// Writes them; one that fails does not keep the other from being written. Says which were, where there is somebody to be told.
    pub(crate) fn write(self, record: &RunRecord, talk: Option<&Talk>) -> Result<(), Failure> {
        let mut failure = Failure { exit: Exit::Internal, messages: Vec::new() };
        let mut written = Vec::new();
        for (content, file) in self.files {
            let name = file.path().display().to_string();
            let text = content.text(record, self.form);
            match file.finish(|out| out.write_all(text.as_bytes())) {
                Ok(()) => written.push(name),
                Err(error) => failure.messages.extend(Failure::output(&error, Exit::Internal).messages),
            }
        }
        if let Some(talk) = talk.filter(|_| !written.is_empty()) {
            talk.say(&format!("written: {}", written.join(", ")));
        }
        if failure.messages.is_empty() { Ok(()) } else { Err(failure) }
    }
}

fn open(content: Content, path: &Path) -> Result<OutputFile, Failure> {
    if !may_be_replaced(content, path) {
        let (name, key) = (path.display(), content.key());
        let what = if content == Content::Result { "result" } else { "report" };
        let message =
            format!("`{name}`, which the configuration's `{key}` names, is there and is no {what} of a run");
        let hint = format!("move it away, change `{key}`, or write neither file with --no-tulip-files");
        return Err(Failure::usage(&Diagnostic::error(message).hint(hint)));
    }
    outputs::open(path)
}

/// Whether nothing is lost when the file is written anew. What can't be read is left to the opening, which says why.
fn may_be_replaced(content: Content, path: &Path) -> bool {
    let is_file = path.metadata().is_ok_and(|facts| facts.is_file());
    let Some(file) = is_file.then(|| File::open(path).ok()).flatten() else { return true };
    let mut bytes = Vec::new();
    if file.take(tulip::OUTPUT_BYTES_MAX as u64).read_to_end(&mut bytes).is_err() {
        return true;
    }
    content.is_earlier(&String::from_utf8_lossy(&bytes))
}
