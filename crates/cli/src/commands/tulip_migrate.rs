//! `weir tulip migrate`: an old configuration in a new form.

use crate::args::{MigrateArgs, MigrateTo};
use crate::commands::tulip::actions_of;
use crate::exit::{self, Exit, Failure};
use crate::findings;
use crate::talk::Talk;
use ::tulip::{Migrated, to_native, to_newest};
use plan::{Diagnostic, Severity};
use planfile::{Folder, Source};
use std::io::{Read as _, Write as _};
use std::path::Path;

pub(crate) fn run(args: &MigrateArgs, talk: &Talk) -> Result<Exit, Failure> {
    let source = read(&args.config)?;
    let Source { file_name, text } = &source;
    let migrated = match args.to {
        MigrateTo::Tulip => to_newest(text, file_name),
        MigrateTo::Weir => {
            let actions = args.actions.as_deref().map(actions_of).transpose()?;
            to_native(text, file_name, actions.as_ref())
        }
    };
    let Migrated { text: new, diagnostics } = migrated;
    let Some(new) = new else {
        let wrong = diagnostics.iter().filter(|found| found.severity == Severity::Error);
        return Err(Failure { exit: Exit::BadPlan, messages: findings::shown(wrong, &source) });
    };
    if args.to == MigrateTo::Weir {
        // A plan that would not load helps nobody; better to know now.
        let loaded = planfile::parse(&new, "(the plan written)", &Folder::new(""));
        if loaded.plan.is_none() {
            let messages = findings::shown(&loaded.diagnostics, &loaded.source);
            return Err(Failure { exit: Exit::BadPlan, messages });
        }
    }
    talk.say_all(&findings::shown(&diagnostics, &source));
    match &args.output {
        Some(path) => write_new(path, &new).map(|()| Exit::Done),
        None => exit::of_stdout(std::io::stdout().write_all(new.as_bytes())),
    }
}

fn read(path: &Path) -> Result<Source, Failure> {
    let mut text = String::new();
    let outcome = match path.to_str() {
        Some("-") => std::io::stdin().read_to_string(&mut text).map(|_| ()),
        _ => std::fs::read_to_string(path).map(|content| text = content),
    };
    outcome.map_err(|error| {
        let message =
            format!("can't read the configuration `{}`: {}", path.display(), units::system_words(&error));
        Failure::usage(&Diagnostic::error(message).hint("check the path"))
    })?;
    Ok(Source { file_name: path.display().to_string(), text })
}

/// Writes a file that is not there yet.
fn write_new(path: &Path, text: &str) -> Result<(), Failure> {
    let written = std::fs::File::create_new(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| {
        let message = format!("can't write `{}`: {}", path.display(), units::system_words(&error));
        let hint = match error.kind() {
            std::io::ErrorKind::AlreadyExists => "name a new file, or remove that one",
            _ => "name a file that you may write",
        };
        Failure::usage(&Diagnostic::error(message).hint(hint))
    })
}
