//! `weir search --curve N`: latency and throughput against load.

use super::files;
use super::find::{blank, light_service_ns, result_of, warm_up_ns};
use super::lab::Lab;
use super::progress::{self, Progress};
use super::subject::{Subject, options};
use crate::args::SearchArgs;
use crate::exit::{self, Exit, Failure};
use crate::talk::Talk;
use search::curve::{self, Curve, Point, Sweep, SweepStep};
use search::find::TrialKind;
use search::{Context, TrialRecord};
use std::io::Write as _;
use std::path::Path;

pub(crate) fn run(args: &SearchArgs, rate_count: u32, talk: &Talk) -> Result<Exit, Failure> {
    let subject = Subject::of(args, talk)?;
    let options = options(args, &subject.plan)?;
    let warm_up_ns = warm_up_ns(args)?;
    let outputs = [&args.output.json, &args.output.markdown];
    files::check_writable(&outputs.iter().filter_map(|path| path.as_deref()).collect::<Vec<_>>())?;
    let rate_max = args.max.as_ref().map(|_| options.rate_max_per_sec);
    let mut sweep = Sweep::new(rate_count, rate_max, &options);
    let mut record = blank(&subject, &options);
    let mut lab = Lab::new(&subject, &args.runner, warm_up_ns, &record.search_id, talk)?;
    let file = args.output.json.as_deref().filter(|path| *path != Path::new("-"));
    let mut progress = Progress::new(args.output.quiet);
    while let SweepStep::Try(trial) = sweep.next() {
        let number = record.trials.len() + 1;
        progress.begin(progress::title(number, &trial));
        let Some((run, took_ns)) = lab.try_it(&trial, &mut progress)? else { break };
        let context = Context {
            in_flight_max: subject.in_flight_max(),
            light_service_ns: light_service_ns(&record.trials),
        };
        let assessment = search::assess(&run, &subject.plan.slos, context)
            .ok_or_else(|| Failure::internal("a trial left no measured phase"))?;
        let result = result_of(&trial, &assessment, took_ns);
        sweep.on_trial(&result);
        progress.say(&progress::outcome_line(number, &trial, &assessment));
        record.trials.push(TrialRecord { trial, assessment, result, run: search::slim(run) });
        let tried = record.trials.iter().filter(|made| made.trial.kind == TrialKind::Curve);
        let points = tried.map(|made| Point::of(made.trial.rate_per_sec, &made.assessment)).collect();
        record.curve = Some(Curve::of(points));
        if let Some(path) = file {
            files::write(&record, path)?;
        }
    }
    progress.clear();
    let found = record.curve.clone().unwrap_or_default();
    let text = format!("{}\n\n{}", record.name, curve::draw(&found));
    let is_stdout_taken = outputs.into_iter().any(|path| path.as_deref() == Some(Path::new("-")));
    if args.output.json.as_deref() == Some(Path::new("-")) {
        files::write(&record, Path::new("-"))?;
    }
    if let Some(path) = &args.output.markdown {
        let text = format!("### {}: latency against load\n\n{}", record.name, curve::markdown(&found));
        files::write_with(path, |out| out.write_all(text.as_bytes()))?;
    }
    exit::of_stdout(match is_stdout_taken {
        true => std::io::stderr().write_all(text.as_bytes()),
        false => std::io::stdout().write_all(text.as_bytes()),
    })?;
    Ok(if lab.is_stopped() { Exit::Aborted } else { Exit::Done })
}
