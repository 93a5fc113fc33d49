//! Configurations of Tulip, wherever a plan may be given.

use crate::args::{RunArgs, TulipArgs, TulipCommand};
use crate::commands::run::{changed, folder_of};
use crate::commands::{tulip_init, tulip_kwrk, tulip_migrate};
use crate::exit::{Exit, Failure};
use crate::findings;
use crate::perform::{Job, Keep, Tulip, perform_then};
use crate::talk::Talk;
use crate::tulip_files::TulipFiles;
use ::plan::{Diagnostic, Plan};
use planfile::{Folder, Loaded, Source};
use std::path::Path;

/// A text that is a configuration of Tulip.
pub(crate) struct Config {
    source: Source,
}

impl Config {
    /// A text of this program's own making.
    pub(crate) fn new(file_name: String, text: String) -> Self {
        Self { source: Source { file_name, text } }
    }
}

/// The configuration that a path names, or (as Tulip takes it) that it is. `None`: it is something else, which the native reader may say.
pub(crate) fn recognise(path: &Path) -> Option<Config> {
    let given = path.to_str().filter(|text| text.trim_start().starts_with('{'));
    let (file_name, text) = match given {
        Some(text) => ("(argument)".to_owned(), text.to_owned()),
        None => {
            let is_small = |size: u64| size <= ::tulip::TEXT_BYTES_MAX as u64;
            std::fs::metadata(path).ok().filter(|facts| facts.is_file() && is_small(facts.len()))?;
            (path.display().to_string(), std::fs::read_to_string(path).ok()?)
        }
    };
    ::tulip::is_config(&text).then_some(Config { source: Source { file_name, text } })
}

/// `weir tulip`.
pub(crate) fn command(args: &TulipArgs, talk: &Talk) -> Result<Exit, Failure> {
    match &args.command {
        TulipCommand::Migrate(args) => tulip_migrate::run(args, talk),
        TulipCommand::Init(args) => tulip_init::run(args, talk),
        TulipCommand::Kwrk(args) => tulip_kwrk::run(args, talk),
    }
}

/// Runs it.
pub(crate) fn run(config: &Config, args: &RunArgs, talk: &Talk) -> Result<Exit, Failure> {
    let run = load(config, args.actions.as_deref(), talk)?;
    let plan = changed(run.plan, args)?;
    let tulip = Tulip { facts: &run.facts, thread_count: run.thread_count };
    // Before anything is sent: a result that can't be written is known now.
    let files = match args.no_tulip_files {
        false => Some(TulipFiles::open(&run.facts, &args.output)?),
        true => None,
    };
    let told = (!args.output.quiet).then_some(talk);
    perform_then(
        Job {
            plan,
            runner: &args.runner,
            output: &args.output,
            tulip: Some(tulip),
            origin: "tulip",
            keep: Keep::In(folder_of(&args.plan)),
        },
        talk,
        |record| files.map_or(Ok(()), |files| files.write(record, told)),
    )
}

/// What it says, with the actions of a file; its warnings are said, its errors are the failure.
pub(crate) fn load(config: &Config, actions: Option<&Path>, talk: &Talk) -> Result<::tulip::Run, Failure> {
    let actions = actions.map(actions_of).transpose()?;
    load_with(config, actions.as_ref(), talk)
}

/// Likewise, with the plan of a file of actions.
pub(crate) fn load_with(
    config: &Config,
    actions: Option<&Plan>,
    talk: &Talk,
) -> Result<::tulip::Run, Failure> {
    let Source { file_name, text } = &config.source;
    let loaded = ::tulip::parse(text, file_name, actions);
    findings::accepted(loaded.run, &loaded.diagnostics, &config.source, talk)
}

/// The plan of a file of actions, which needs no load of its own.
pub(crate) fn actions_of(path: &Path) -> Result<Plan, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        let message = format!("can't read the actions `{}`: {}", path.display(), units::system_words(&error));
        let hint = match error.kind() {
            std::io::ErrorKind::InvalidData => "save it as UTF-8",
            _ => "check the path",
        };
        Failure::usage(&Diagnostic::error(message).hint(hint))
    })?;
    parse_actions(&text, path)
}

/// The plan of the text of a file of actions; the path stands in findings, and files that it names are beside it.
pub(crate) fn parse_actions(text: &str, path: &Path) -> Result<Plan, Failure> {
    let parse = |text: &str| planfile::parse(text, &path.display().to_string(), &Folder::of(path));
    let own = parse(text);
    if let Some(plan) = own.plan {
        return Ok(plan);
    }
    let mut loaded = parse(&with_load(text));
    let line_count = text.lines().count();
    let is_beyond = |found: &Diagnostic| found.location.as_ref().is_some_and(|at| at.line > line_count);
    if loaded.plan.is_none() && loaded.diagnostics.iter().any(is_beyond) {
        // What was added is nobody's fault: the file by itself says what is wrong with it.
        loaded = own;
    }
    let Loaded { plan, diagnostics, source } = loaded;
    plan.ok_or_else(|| Failure { exit: Exit::BadPlan, messages: findings::shown(&diagnostics, &source) })
}

/// The text with some load at its end, which every plan must have: YAML, or JSON where it is in braces as a whole.
fn with_load(text: &str) -> String {
    let whole = text.trim();
    match whole.strip_suffix('}').filter(|_| whole.starts_with('{')) {
        Some(open) => {
            let comma = if open.trim_end().ends_with(['{', ',']) { "" } else { "," };
            format!("{open}{comma}\n\"phases\": [{{\"users\": 1, \"count\": 1}}]}}\n")
        }
        None => format!("{text}\nphases: [{{users: 1, count: 1}}]\n"),
    }
}
