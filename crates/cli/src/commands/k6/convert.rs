//! `weir k6 convert`: a script of a recording.

use super::{error_of, parsed};
use crate::args::ConvertArgs;
use crate::talk::Talk;
use ::k6::TestError;
use ::k6::har::{Convert, StatusChecks, convert as make};
use k6_options::{ExitCode, Options};
use report::{OutputError, OutputFile};
use serde_json::Value;
use std::path::Path;

pub(super) fn convert(words: &[String], talk: &Talk) -> Result<ExitCode, TestError> {
    let args: ConvertArgs = match parsed(words)? {
        Ok(args) => args,
        Err(done) => return Ok(done),
    };
    if args.min_sleep > args.max_sleep {
        let said = format!("--min-sleep {} is more than --max-sleep {}", args.min_sleep, args.max_sleep);
        return Err(error_of(ExitCode::Other, said));
    }
    let unplaced = |error: OutputError| error_of(ExitCode::Other, format!("{error}\nhint: {}", error.hint()));
    let file = OutputFile::open(&args.output).map_err(unplaced)?;
    let checks = match (args.return_on_failed_check, args.enable_status_code_checks) {
        (true, _) => StatusChecks::CheckAndReturn,
        (false, true) => StatusChecks::Check,
        (false, false) => StatusChecks::None,
    };
    let how = Convert {
        only: args.only,
        skip: args.skip,
        batch_threshold_ms: (!args.no_batch).then_some(args.batch_threshold),
        checks,
        correlates: args.correlate,
        options: args.options.as_deref().map(options).transpose()?,
        sleep_s: (args.min_sleep, args.max_sleep),
    };
    let bytes = ::k6::har::load(&args.recording).map_err(|said| error_of(ExitCode::Other, said))?;
    let name = args.recording.file_name().map(|name| name.to_string_lossy().into_owned());
    let made = make(&bytes, &name.unwrap_or_default(), &how)
        .map_err(|error| error_of(ExitCode::Other, format!("{}: {error}", args.recording.display())))?;
    file.finish(|out| out.write_all(made.script.as_bytes())).map_err(unplaced)?;
    talk.say(&format!("{} requests in {} groups", made.request_count, made.group_count));
    for (why, count) in &made.left_out {
        talk.say(&format!("left out: {count} {why}"));
    }
    Ok(ExitCode::Success)
}

/// Options for the script, which must be some.
fn options(path: &Path) -> Result<Value, TestError> {
    let said =
        |why: String| error_of(ExitCode::InvalidConfig, format!("--options {}: {why}", path.display()));
    let text = std::fs::read(path).map_err(|error| said(units::system_words(&error)))?;
    let value: Value =
        serde_json::from_slice(&text).map_err(|error| said(format!("it is no JSON: {error}")))?;
    match value.is_object() {
        true => Options::from_script(&value).map_err(|fault| said(fault.message))?,
        false => return Err(said("it is no object".to_owned())),
    };
    Ok(value)
}
