//! `weir runs`, `rm` and `prune`: the list of kept runs, and runs taken from it.

use crate::args::{PruneArgs, RmArgs, RunsArgs};
use crate::exit::{self, Exit, Failure};
use crate::run_table;
use crate::selected::{open, open_to_read, said};
use crate::talk::Talk;
use plan::Diagnostic;
use record::VerdictState;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::time::{SystemTime, UNIX_EPOCH};
use store::{Filter, RunState, RunSummary, Store, StoreError};

/// As many runs as fit on a screen beside what was typed.
const LIMIT_ON_TERMINAL: usize = 20;

pub(crate) fn run(args: &RunsArgs, talk: &Talk) -> Result<Exit, Failure> {
    let filter = filter_of(args).map_err(|diagnostic| Failure::usage(&diagnostic))?;
    let store = open_to_read(&args.store).map_err(|diagnostic| Failure::usage(&diagnostic))?;
    let runs = store.list(&filter).map_err(|error| of_store(&error))?;
    if args.json {
        let text = serde_json::to_string_pretty(&runs).unwrap_or_default();
        return exit::of_stdout(writeln!(io::stdout(), "{text}"));
    }
    if runs.is_empty() {
        talk.say(&format!(
            "no runs in {}{}",
            store.path().display(),
            if args.filters.is_empty() { "" } else { " match" }
        ));
        return Ok(Exit::Done);
    }
    exit::of_stdout(io::stdout().write_all(run_table::table(&runs, now_unix_ns(), talk).as_bytes()))?;
    let total = store.count().map_err(|error| of_store(&error))?;
    if args.filters.is_empty() && total > runs.len() as u64 {
        talk.say(&format!("{} more; --limit 0 lists all", units::count(total - runs.len() as u64)));
    }
    Ok(Exit::Done)
}

/// What the words of `--filter` mean together.
fn filter_of(args: &RunsArgs) -> Result<Filter, Diagnostic> {
    let default = if io::stdout().is_terminal() && !args.json { LIMIT_ON_TERMINAL } else { 0 };
    let limit = Some(args.limit.unwrap_or(default)).filter(|limit| *limit > 0);
    let mut filter = Filter { limit, ..Filter::default() };
    for word in &args.filters {
        match word.split_once('=') {
            Some(("verdict", value)) => filter.verdict = Some(one_of(VERDICTS, "verdict", value)?),
            Some(("state", value)) => filter.state = Some(one_of(STATES, "state", value)?),
            Some(("origin", value)) => filter.origin = Some(value.to_owned()),
            Some((key, value)) => filter.labels.push((key.to_owned(), value.to_owned())),
            None => filter.names.push(word.clone()),
        }
    }
    Ok(filter)
}

const VERDICTS: &[(&str, VerdictState)] =
    &[("valid", VerdictState::Valid), ("suspect", VerdictState::Suspect), ("invalid", VerdictState::Invalid)];
const STATES: &[(&str, RunState)] =
    &[("ended", RunState::Ended), ("aborted", RunState::Aborted), ("running", RunState::Running)];

fn one_of<T: Copy>(known: &[(&str, T)], key: &str, value: &str) -> Result<T, Diagnostic> {
    known.iter().find(|(name, _)| *name == value).map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        Diagnostic::error(format!("--filter {key}={value}: there is no such {key}"))
            .hint(format!("use one of {}", names.join(", ")))
    })
}

/// `weir rm`: all that are named or, when one of them is not there, none.
pub(crate) fn rm(args: &RmArgs, talk: &Talk) -> Result<Exit, Failure> {
    let mut store = open_there(&args.store)?;
    let mut failure = Failure { exit: Exit::BadPlan, messages: Vec::new() };
    let mut runs: Vec<RunSummary> = Vec::new();
    for selector in &args.runs {
        match store.select(selector).and_then(|id| store.summary(&id)) {
            Ok(run) if run.state == RunState::Running => {
                let message = format!("`{selector}` is still running");
                let diagnostic = Diagnostic::error(message).hint("stop it first, or wait for its end");
                failure.messages.push(diagnostic.to_string());
            }
            Ok(run) if runs.iter().any(|other| other.id == run.id) => {}
            Ok(run) => runs.push(run),
            Err(error) => failure.messages.push(said(&error).to_string()),
        }
    }
    if !failure.messages.is_empty() {
        return Err(failure);
    }
    remove(&mut store, &runs, talk)
}

/// `weir prune`: the old ones, after asking.
pub(crate) fn prune(args: &PruneArgs, talk: &Talk) -> Result<Exit, Failure> {
    let age_ns = args.older_than.as_deref().map(age_ns).transpose();
    let age_ns = age_ns.map_err(|diagnostic| Failure::usage(&diagnostic))?;
    let now_ns = now_unix_ns();
    let mut store = open_there(&args.store)?;
    let filter = Filter { labels: args.labels.clone(), ..Filter::default() };
    let listed = store.list(&filter).map_err(|error| of_store(&error))?;
    let is_old =
        |run: &RunSummary| age_ns.is_none_or(|age_ns| now_ns.saturating_sub(run.started_unix_ns) > age_ns);
    let beyond = listed.into_iter().skip(args.keep.unwrap_or(0));
    let runs: Vec<RunSummary> = beyond.filter(|run| run.state != RunState::Running).filter(is_old).collect();
    if runs.is_empty() {
        talk.say("nothing to remove");
        return Ok(Exit::Done);
    }
    if args.dry_run {
        exit::of_stdout(io::stdout().write_all(run_table::table(&runs, now_ns, talk).as_bytes()))?;
        talk.say(&format!("would remove {}", many(runs.len())));
        return Ok(Exit::Done);
    }
    if !args.yes {
        if !io::stdin().is_terminal() {
            let message = format!("this would remove {}, and there is nobody to ask", many(runs.len()));
            return Err(Failure::usage(
                &Diagnostic::error(message).hint("look with --dry-run, then add --yes"),
            ));
        }
        if !confirmed(&format!("remove {}? [y/N] ", many(runs.len()))) {
            talk.say("nothing was removed");
            return Ok(Exit::Done);
        }
    }
    remove(&mut store, &runs, talk)
}

/// `30d` and whatever else a duration is; days are what people keep runs for.
fn age_ns(text: &str) -> Result<u64, Diagnostic> {
    const DAY_NS: u64 = 86_400 * units::NS_PER_SEC;
    let days = text.trim().strip_suffix('d').and_then(|days| days.trim().parse::<u64>().ok());
    match days {
        Some(days) => Ok(days.saturating_mul(DAY_NS)),
        None => units::parse_duration_ns(text).map_err(|_| {
            Diagnostic::error(format!("--older-than: `{text}` is no age"))
                .hint("write for example 30d or 12h")
        }),
    }
}

fn confirmed(question: &str) -> bool {
    let _ = io::stderr().write_all(question.as_bytes());
    let mut answer = String::new();
    let read = io::stdin().lock().read_line(&mut answer);
    read.is_ok() && ["y", "yes"].contains(&answer.trim().to_lowercase().as_str())
}

fn remove(store: &mut Store, runs: &[RunSummary], talk: &Talk) -> Result<Exit, Failure> {
    let ids: Vec<String> = runs.iter().map(|run| run.id.clone()).collect();
    store.remove(&ids).map_err(|error| of_store(&error))?;
    match runs {
        [run] => talk.say(&format!("removed {}  {}", run.id, run.name)),
        runs => talk.say(&format!("removed {}", many(runs.len()))),
    }
    Ok(Exit::Done)
}

fn many(count: usize) -> String {
    if count == 1 { "1 run".to_owned() } else { format!("{} runs", units::count(count as u64)) }
}

/// A store to take runs from: one that is not there is not made.
fn open_there(args: &crate::args::StoreArgs) -> Result<Store, Failure> {
    let usage = |diagnostic: Diagnostic| Failure::usage(&diagnostic);
    open_to_read(args).map_err(usage)?;
    open(args).map_err(usage)
}

/// A store that fails while it is used.
pub(crate) fn of_store(error: &StoreError) -> Failure {
    Failure::usage(&said(error))
}

fn now_unix_ns() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
}
