//! `weir compare`: the runs that were named, held against each other.

use crate::args::{CompareArgs, CompareFailOn, CompareFormat, StoreArgs};
use crate::exit::{Exit, Failure};
use crate::outputs;
use crate::quick::flag_fault;
use crate::selected::{open_to_read, said, selected_all};
use crate::talk::Talk;
use ::report::{Color, comparison};
use compare::{Basis, Comparison, Metric, Settings, Side, compare_runs};
use plan::Diagnostic;
use record::RunRecord;
use std::io;
use std::path::Path;
use store::{Filter, RunState};

/// Most runs on a side: a label that means more was not meant so.
const RUNS_MAX: usize = 1_000;

pub(crate) fn run(args: &CompareArgs, talk: &Talk) -> Result<Exit, Failure> {
    let settings = settings(args)?;
    let sides = sides(args)?;
    let borrowed: Vec<Side<'_>> =
        sides.iter().map(|side| Side { name: side.name.clone(), runs: side.runs.iter().collect() }).collect();
    let comparison = compare_runs(&borrowed, &settings).map_err(|objections| {
        let say = |objection: &compare::Objection| {
            Diagnostic::error(objection.message.clone())
                .hint(format!("{}, or judge it all the same: --force", objection.hint))
                .to_string()
        };
        Failure { exit: Exit::BadPlan, messages: objections.iter().map(say).collect() }
    })?;
    if args.fail_on.is_some() && can_never_fail(&comparison) {
        let message = "--fail-on: with one run on a side nothing is decided, so this could never fail";
        let mend = "give several runs a side, or the noise between runs (--noise), or interleave: weir ab";
        return Err(Failure::usage(&Diagnostic::error(message).hint(mend)));
    }
    write(&comparison, args.format, args.output.as_deref(), talk)?;
    Ok(verdict_exit(&comparison, args.fail_on))
}

/// Writes a comparison where it is to go.
fn write(
    comparison: &Comparison,
    format: CompareFormat,
    to: Option<&Path>,
    talk: &Talk,
) -> Result<Exit, Failure> {
    let output = outputs::open(to.unwrap_or(Path::new("-")))?;
    let color = if output.is_stdout() { talk.stdout_color } else { Color::Never };
    outputs::write(output, |out| write_as(comparison, format, color, talk.width, out))
}

/// A comparison in one of its forms.
pub(crate) fn write_as(
    of: &Comparison,
    format: CompareFormat,
    color: Color,
    width: usize,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    match format {
        CompareFormat::Text => comparison::write_text(of, color, width, out),
        CompareFormat::Json => comparison::write_json(of, out),
        CompareFormat::Markdown => comparison::write_markdown(of, out),
    }
}

/// Whether no row could ever have a verdict.
fn can_never_fail(comparison: &Comparison) -> bool {
    let mut rows = comparison.candidates.iter().flat_map(|candidate| &candidate.rows);
    rows.all(|row| row.basis == Basis::OneRun)
}

/// What a comparison's verdicts make of the exit code.
pub(crate) fn verdict_exit(comparison: &Comparison, fail_on: Option<CompareFailOn>) -> Exit {
    let mut tallies = comparison.candidates.iter().map(compare::Candidate::tally);
    let is_missed = match fail_on {
        None => false,
        Some(CompareFailOn::Slower) => tallies.any(|tally| tally.slower > 0),
        Some(CompareFailOn::Changed) => tallies.any(|tally| tally.slower + tally.faster > 0),
    };
    if is_missed { Exit::ObjectiveMissed } else { Exit::Done }
}

fn settings(args: &CompareArgs) -> Result<Settings, Failure> {
    let mut faults = Vec::new();
    let mut settings = Settings::of_runs();
    settings.force = args.force;
    settings.margin_ratio = share("--margin", &args.margin, &mut faults).unwrap_or(settings.margin_ratio);
    settings.run_noise_ratio = args.noise.as_deref().and_then(|text| share("--noise", text, &mut faults));
    settings.metrics = metrics(&args.metrics, settings.metrics, &mut faults);
    if faults.is_empty() { Ok(settings) } else { Err(faults.into()) }
}

/// A share above 0 and at most 1.
pub(crate) fn share(flag: &str, text: &str, faults: &mut Vec<Diagnostic>) -> Option<f64> {
    match units::parse_ratio(text) {
        Ok(share) if share > 0.0 && share <= 1.0 => Some(share),
        Ok(_) => {
            let message = format!("{flag} {text}: the share is out of range; use one above 0, such as 2%");
            faults.push(flag_fault(flag, message.trim_start_matches(&format!("{flag} "))));
            None
        }
        Err(error) => {
            faults.push(flag_fault(flag, &error.to_string()));
            None
        }
    }
}

/// The metrics that the texts name, or the usual ones.
pub(crate) fn metrics(texts: &[String], usual: Vec<Metric>, faults: &mut Vec<Diagnostic>) -> Vec<Metric> {
    let mut wanted = Vec::new();
    for text in texts {
        match Metric::named(text) {
            Ok(found) => wanted.extend(found),
            Err(error) => faults.push(flag_fault("--metric", &error.to_string())),
        }
    }
    if wanted.is_empty() {
        usual
    } else {
        Metric::all().into_iter().filter(|one| wanted.contains(one)).collect()
    }
}

/// A side with its records.
struct Named {
    name: String,
    runs: Vec<RunRecord>,
}

/// All sides; everything that can't be read is said at once.
fn sides(args: &CompareArgs) -> Result<Vec<Named>, Failure> {
    let groups: Vec<Vec<String>> = if args.a.is_empty() {
        args.sides.iter().map(|side| vec![side.clone()]).collect()
    } else {
        vec![args.a.clone(), args.b.clone()]
    };
    if let [only] = groups.as_slice() {
        let message = format!("there is nothing to compare `{}` with", only.join(" "));
        let hint = "name two sides or more, the baseline first: weir compare last~1 last";
        return Err(Failure::usage(&Diagnostic::error(message).hint(hint)));
    }
    let mut failure = Failure { exit: Exit::BadPlan, messages: Vec::new() };
    let mut sides = Vec::new();
    for group in &groups {
        let mut runs = Vec::new();
        for text in group {
            match records(text, &args.store) {
                Ok(found) => runs.extend(found),
                Err(diagnostic) => failure.messages.push(diagnostic.to_string()),
            }
        }
        sides.push(Named { name: name_of(group, &runs), runs });
    }
    if failure.messages.is_empty() { Ok(sides) } else { Err(failure) }
}

/// What the user typed where that is one thing; else the name that the runs share, or the first text.
fn name_of(group: &[String], runs: &[RunRecord]) -> String {
    let names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
    match (group, names.as_slice()) {
        ([only], _) => only.clone(),
        (_, [first, rest @ ..]) if rest.iter().all(|name| name == first) => (*first).to_owned(),
        (group, _) => group.first().map_or_else(String::new, |first| format!("{first} and others")),
    }
}

/// The runs that a text means: of a label all that have it.
fn records(text: &str, args: &StoreArgs) -> Result<Vec<RunRecord>, Diagnostic> {
    let label = text.split_once('=').filter(|(key, _)| !key.is_empty() && !text.contains('~'));
    let Some((key, value)) = label.filter(|_| !Path::new(text).exists()) else {
        return selected_all(text, args);
    };
    let store = open_to_read(args)?;
    let filter = Filter {
        labels: vec![(key.to_owned(), value.to_owned())],
        limit: Some(RUNS_MAX),
        ..Filter::default()
    };
    let listed = store.list(&filter).map_err(|error| said(&error))?;
    let ended = listed.iter().filter(|run| run.state == RunState::Ended);
    let runs: Result<Vec<_>, _> = ended.map(|run| store.load(&run.id)).collect();
    let runs = runs.map_err(|error| said(&error))?;
    if runs.is_empty() {
        let message = format!("no ended run is labelled `{text}`");
        return Err(Diagnostic::error(message).hint(format!("write it on runs: weir run … --label {text}")));
    }
    Ok(runs)
}
