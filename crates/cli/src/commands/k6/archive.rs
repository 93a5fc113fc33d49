//! `weir k6 archive`: a script with all that it needs in one file, which k6 runs too.

use super::{Log, error_of, load, prepare, read, say_out};
use ::k6::{Loudness, Remark, TestError};
use k6_options::{Command, CompatibilityMode, ExitCode};
use std::path::Path;
use std::sync::Arc;

/// Where it goes unless something is said.
const NAME: &str = "archive.tar";

const HELP: &str = "Put a script with all that it imports and opens, its options and variables into one file.

Usage:
  weir k6 archive [flags] script.js

Examples:
  weir k6 archive script.js                       writes archive.tar
  weir k6 archive -u 10 -d 10s -O load.tar script.js
  weir k6 archive -e HOST=example.org -O - script.js | ssh host weir k6 run -
  weir k6 run archive.tar                         k6 runs it too

";

pub(super) fn archive(words: &[String]) -> Result<ExitCode, TestError> {
    let mut words = read(Command::Archive, words)?;
    if words.line.wants_help {
        return say_out(&(HELP.to_owned() + &k6_options::usage(Command::Archive)));
    }
    let log = Arc::new(prepare(&mut words)?);
    Ok(made(&mut words, &log).unwrap_or_else(|error| {
        log.say_error(&error);
        error.code
    }))
}

fn made(words: &mut super::Words, log: &Arc<Log>) -> Result<ExitCode, TestError> {
    let test = load(Command::Archive, words, log)?;
    let settings = &words.line.settings;
    let (mut archive, lacking) = test.archived();
    archive.metadata.is_extended = settings.compatibility_mode != Some(CompatibilityMode::Base);
    if settings.exclude_env_vars == Some(true) {
        archive.metadata.env = None;
    }
    for url in lacking {
        log.say(&Remark {
            loudness: Loudness::Warning,
            message: format!(
                "{url} is not in the archive: Weir has its own in that place; k6 will fetch it (to put it in, fetch it first: \
                 weir k6 vendor --all SCRIPT)"
            ),
            source: None,
            hint: None,
            fields: Vec::new(),
        });
    }
    let place = settings.archive_out.as_deref().unwrap_or(NAME);
    let unplaced = |error: report::OutputError| error_of(ExitCode::Other, error.to_string());
    let file = report::OutputFile::open(Path::new(place)).map_err(unplaced)?;
    file.finish(|out| archive.write(out)).map_err(unplaced)?;
    Ok(ExitCode::Success)
}
