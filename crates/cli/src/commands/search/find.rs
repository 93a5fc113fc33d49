//! The sound search, from flags to answer.

use super::files::{self, Results};
use super::lab::Lab;
use super::progress::{self, Progress};
use super::subject::{Subject, options};
use crate::args::{SearchArgs, SearchFailOn};
use crate::exit::{Exit, Failure};
use crate::quick::flag_fault;
use crate::talk::Talk;
use plan::Diagnostic;
use search::find::{Answer, Confirmation, Limit, Options, Search, Step, Trial, TrialResult};
use search::{Assessment, Context, Page, SCHEMA_VERSION, SearchRecord, TrialRecord};
use std::time::{SystemTime, UNIX_EPOCH};

pub(crate) fn run(args: &SearchArgs, talk: &Talk) -> Result<Exit, Failure> {
    let subject = Subject::of(args, talk)?;
    let options = options(args, &subject.plan)?;
    let warm_up_ns = warm_up_ns(args)?;
    let baseline = args.output.baseline.as_deref().map(|path| files::read("--baseline", path)).transpose();
    let baseline = baseline.map_err(|fault| Failure::usage(&fault))?;
    let mut search = Search::new(options).map_err(|faults| {
        Failure::from(
            faults.iter().map(|fault| crate::quick::with_mend(&fault.to_string())).collect::<Vec<_>>(),
        )
    })?;
    let mut record = blank(&subject, search.options());
    if let Some(baseline) = &baseline {
        must_be_comparable(baseline, &record).map_err(|fault| Failure::usage(&fault))?;
    }
    if let Some(path) = &args.output.resume {
        let earlier = files::read("--resume", path).map_err(|fault| Failure::usage(&fault))?;
        resume(&mut search, &mut record, earlier).map_err(|fault| Failure::usage(&fault))?;
    }
    let results = Results::open(args, &subject, &record.search_id)?;
    let mut lab = Lab::new(&subject, &args.runner, warm_up_ns, &record.search_id, talk)?;
    lab.skip(record.trials.len());
    let mut progress = Progress::new(args.output.quiet);
    while let Step::Try(trial) = search.next() {
        let number = record.trials.len() + 1;
        progress.begin(progress::title(number, &trial), &trial, Some(&search));
        let Some((run, took_ns)) = lab.try_it(&trial, &mut progress)? else { break };
        let context = Context {
            in_flight_max: subject.in_flight_max(),
            light_service_ns: light_service_ns(&record.trials),
        };
        let slos = &subject.plan.slos;
        let assessment = search::assess(&run, slos, context)
            .ok_or_else(|| Failure::internal("a trial left no measured phase"))?;
        let result = result_of(&assessment, took_ns);
        search.on_trial(&result);
        progress.say(&progress::line(number, &trial, &assessment, &search));
        record.trials.push(TrialRecord { trial, assessment, result, run: search::slim(run) });
        record.loads = search.ledger().loads().to_vec();
        results.keep(&record)?;
    }
    progress.clear();
    let exit = finish(args, search, record, baseline.as_ref(), lab.is_stopped(), &results)?;
    if lab.is_stopped() {
        results.say_how_to_go_on(talk);
    }
    Ok(exit)
}

/// The length of the warm-up.
pub(super) fn warm_up_ns(args: &SearchArgs) -> Result<u64, Failure> {
    let parsed = units::parse_duration_ns(&args.warmup);
    parsed.map_err(|error| Failure::usage(&flag_fault("--warmup", &error.to_string())))
}

pub(super) fn result_of(assessment: &Assessment, took_ns: u64) -> TrialResult {
    TrialResult { outcome: assessment.outcome, achieved_per_sec: assessment.achieved_per_sec, took_ns }
}

/// The mean service time at the lowest rate that was sustained.
pub(super) fn light_service_ns(trials: &[TrialRecord]) -> Option<u64> {
    let sustained = trials.iter().filter(|t| t.trial.rate_per_sec > 0.0 && t.assessment.reasons.is_empty());
    let lightest = sustained.min_by(|a, b| a.trial.rate_per_sec.total_cmp(&b.trial.rate_per_sec));
    lightest.and_then(|trial| trial.assessment.service_mean_ns)
}

/// The record of a search that has tried nothing.
pub(super) fn blank(subject: &Subject, options: &Options) -> SearchRecord {
    let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    SearchRecord {
        kind: SearchRecord::KIND.to_owned(),
        schema_version: SCHEMA_VERSION,
        search_id: format!("{:x}", started.as_millis()),
        name: subject.plan.name.clone(),
        started_unix_ns: started.as_nanos() as u64,
        slos: subject.plan.slos.iter().map(ToString::to_string).collect(),
        options: *options,
        trials: Vec::new(),
        loads: Vec::new(),
        curve: None,
        answer: None,
    }
}

/// Tells the controller the trials that were made already.
fn resume(search: &mut Search, record: &mut SearchRecord, earlier: SearchRecord) -> Result<(), Diagnostic> {
    must_be_same(&earlier, record)?;
    for made in earlier.trials {
        let Step::Try(trial) = search.next() else { break };
        is_same_trial(&trial, &made.trial, "a smaller budget, and went another way because of it")?;
        search.on_trial(&made.result);
        record.trials.push(made);
    }
    record.search_id = earlier.search_id;
    record.started_unix_ns = earlier.started_unix_ns;
    record.loads = search.ledger().loads().to_vec();
    Ok(())
}

fn other_search(what: &str) -> Diagnostic {
    Diagnostic::error(format!("--resume: that search had {what}"))
        .hint("give the same flags, or begin anew without --resume")
}

/// A search goes on only as what it was.
pub(super) fn must_be_same(earlier: &SearchRecord, record: &SearchRecord) -> Result<(), Diagnostic> {
    if earlier.name != record.name {
        return Err(other_search(&format!("another subject: {}", earlier.name)));
    }
    if earlier.slos != record.slos {
        return Err(other_search(&format!("other objectives: {}", objectives(earlier))));
    }
    let without_budget = |options: &Options| Options { budget_ns: 0, ..*options };
    if without_budget(&earlier.options) != without_budget(&record.options) {
        return Err(other_search("other options"));
    }
    Ok(())
}

/// The trial that was made is the one that would be made now.
pub(super) fn is_same_trial(now: &Trial, made: &Trial, else_had: &str) -> Result<(), Diagnostic> {
    let (rate, then) = (now.rate_per_sec, made.rate_per_sec);
    let is_same = now.kind == made.kind && (rate - then).abs() <= 1e-6 * then.max(rate);
    if is_same { Ok(()) } else { Err(other_search(else_had)) }
}

fn objectives(record: &SearchRecord) -> String {
    if record.slos.is_empty() { "none".to_owned() } else { record.slos.join(", ") }
}

/// Answers to different questions can't be compared, and no answer not at all.
fn must_be_comparable(baseline: &SearchRecord, record: &SearchRecord) -> Result<(), Diagnostic> {
    let refused = |what: &str, mend: &str| Err(Diagnostic::error(format!("--baseline: {what}")).hint(mend));
    if baseline.answer.is_none() {
        return refused(
            "that search has no answer: it was cut short, or is a curve",
            "let it go on with --resume",
        );
    }
    if baseline.slos != record.slos {
        let what = format!("that search had other objectives: {}", objectives(baseline));
        return refused(&what, "give the same --slo");
    }
    if baseline.options.exceed_ratio != record.options.exceed_ratio {
        return refused("that search had another --exceed", "give the same one");
    }
    Ok(())
}

fn finish(
    args: &SearchArgs,
    mut search: Search,
    mut record: SearchRecord,
    baseline: Option<&SearchRecord>,
    is_stopped: bool,
    results: &Results<'_>,
) -> Result<Exit, Failure> {
    let is_whole = matches!(search.next(), Step::Done(_));
    let answer = match search.next() {
        Step::Done(answer) => *answer,
        Step::Try(_) => {
            search.stop();
            let Step::Done(answer) = search.next() else {
                return Err(Failure::internal("a search that was stopped goes on"));
            };
            *answer
        }
    };
    // An answer of a search that was cut short is told, but not kept: a resumed one finds its own.
    let mut told = record.clone();
    told.answer = Some(answer);
    if is_whole {
        record.answer = Some(answer);
    }
    let text = search::text::text(&told, baseline);
    let markdown = search::text::markdown(&told, baseline);
    results.finish(&record, &text, &markdown, Some(&Page::of(&told)))?;
    Ok(code(args, &told, &answer, baseline, is_stopped))
}

fn code(
    args: &SearchArgs,
    record: &SearchRecord,
    answer: &Answer,
    baseline: Option<&SearchRecord>,
    is_stopped: bool,
) -> Exit {
    let fails_on = |what| args.output.fail_on.contains(&what);
    let is_lower =
        baseline.and_then(|baseline| search::text::change(record, baseline)).is_some_and(|c| c.is_lower());
    match answer.limit {
        _ if is_stopped => Exit::Aborted,
        Limit::BelowMinimum | Limit::NoneSustained => Exit::ObjectiveMissed,
        Limit::Unknown if answer.rate_per_sec <= 0.0 => Exit::ObjectiveMissed,
        _ if fails_on(SearchFailOn::Lower) && is_lower => Exit::ObjectiveMissed,
        _ if fails_on(SearchFailOn::Unconfirmed) && answer.confirmation != Confirmation::Held => {
            Exit::ObjectiveMissed
        }
        _ => Exit::Done,
    }
}
