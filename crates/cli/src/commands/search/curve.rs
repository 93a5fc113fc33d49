//! `weir search --curve N`: latency and throughput against load.

use super::files::{self, Results};
use super::find::{blank, is_same_trial, light_service_ns, must_be_same, result_of, warm_up_ns};
use super::lab::Lab;
use super::progress::{self, Progress};
use super::subject::{Subject, options};
use crate::args::SearchArgs;
use crate::exit::{Exit, Failure};
use crate::talk::Talk;
use plan::Diagnostic;
use search::curve::{Curve, Point, Sweep, SweepStep};
use search::find::TrialKind;
use search::{Context, Page, SearchRecord, TrialRecord};

pub(crate) fn run(args: &SearchArgs, rate_count: u32, talk: &Talk) -> Result<Exit, Failure> {
    let subject = Subject::of(args, talk)?;
    let options = options(args, &subject.plan)?;
    let wrong = options.range_fault().map(|fault| crate::quick::with_mend(&fault.to_string()));
    wrong.map_or(Ok(()), |fault| Err(Failure::usage(&fault)))?;
    let warm_up_ns = warm_up_ns(args)?;
    let rate_max = args.max.as_ref().map(|_| options.rate_max_per_sec);
    let mut sweep = Sweep::new(rate_count, rate_max, &options);
    let mut record = blank(&subject, &options);
    if let Some(path) = &args.output.resume {
        let earlier = files::read("--resume", path).map_err(|fault| Failure::usage(&fault))?;
        resume(&mut sweep, &mut record, earlier).map_err(|fault| Failure::usage(&fault))?;
    }
    let results = Results::open(args, &subject, &record.search_id)?;
    let mut lab = Lab::new(&subject, &args.runner, warm_up_ns, &record.search_id, talk)?;
    lab.skip(record.trials.len());
    let mut progress = Progress::new(args.output.quiet);
    while let SweepStep::Try(trial) = sweep.next() {
        let number = record.trials.len() + 1;
        progress.begin(progress::title(number, &trial), &trial, None);
        let Some((run, took_ns)) = lab.try_it(&trial, &mut progress)? else { break };
        let context = Context {
            in_flight_max: subject.in_flight_max(),
            light_service_ns: light_service_ns(&record.trials),
        };
        let assessment = search::assess(&run, &subject.plan.slos, context)
            .ok_or_else(|| Failure::internal("a trial left no measured phase"))?;
        let result = result_of(&assessment, took_ns);
        sweep.on_trial(&result);
        progress.say(&progress::outcome_line(number, &trial, &assessment));
        record.trials.push(TrialRecord { trial, assessment, result, run: search::slim(run) });
        record.curve = Some(curve_of(&record));
        results.keep(&record)?;
    }
    progress.clear();
    record.curve = Some(curve_of(&record));
    let (text, markdown) = (search::text::text(&record, None), search::text::markdown(&record, None));
    results.finish(&record, &text, &markdown, Some(&Page::of(&record)))?;
    if lab.is_stopped() {
        results.say_how_to_go_on(talk);
        return Ok(Exit::Aborted);
    }
    let chosen = record.curve.and_then(|curve| curve.chosen_per_sec);
    Ok(if chosen.is_some() { Exit::Done } else { Exit::ObjectiveMissed })
}

fn curve_of(record: &SearchRecord) -> Curve {
    let tried = record.trials.iter().filter(|made| made.trial.kind == TrialKind::Curve);
    Curve::of(tried.map(|made| Point::of(made.trial.rate_per_sec, &made.assessment)).collect())
}

/// Tells the sweep the trials that were made already.
fn resume(sweep: &mut Sweep, record: &mut SearchRecord, earlier: SearchRecord) -> Result<(), Diagnostic> {
    must_be_same(&earlier, record)?;
    for made in earlier.trials {
        let SweepStep::Try(trial) = sweep.next() else { break };
        is_same_trial(&trial, &made.trial, "other rates")?;
        sweep.on_trial(&made.result);
        record.trials.push(made);
    }
    record.search_id = earlier.search_id;
    record.started_unix_ns = earlier.started_unix_ns;
    record.curve = Some(curve_of(record));
    Ok(())
}
