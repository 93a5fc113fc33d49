//! `weir k6 vendor`: what a script imports by https is fetched once and locked.

use super::{error_of, parsed, say_out, source};
use crate::args::VendorArgs;
use crate::talk::Talk;
use ::k6::{Change, TestError};
use k6_options::ExitCode;

pub(super) fn vendor(words: &[String], talk: &Talk) -> Result<ExitCode, TestError> {
    let args: VendorArgs = match parsed(words)? {
        Ok(args) => args,
        Err(done) => return Ok(done),
    };
    let path = std::path::absolute(&args.script).map_err(|error| {
        error_of(ExitCode::Other, format!("{}: {}", args.script.display(), units::system_words(&error)))
    })?;
    let done = ::k6::vendor(&path, args.out.as_deref(), args.all, source::network()?)?;
    for (url, change) in &done.modules {
        let word = match change {
            Change::New => "new",
            Change::Same => "same",
            Change::Other => "CHANGED",
        };
        say_out(&format!("{word:<8}{url}\n"))?;
    }
    let (place, folder) = (done.lock.place().to_owned(), done.lock.folder());
    talk.say(&match done.modules.len() {
        0 => "nothing is imported by https but what is built in".to_owned(),
        count => format!("{count} locked in {}, texts in {}", place.display(), folder.display()),
    });
    Ok(ExitCode::Success)
}
