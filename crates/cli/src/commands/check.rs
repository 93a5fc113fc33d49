//! `weir check`: all that is wrong with plans, and a line for each that is right.

use crate::args::CheckArgs;
use crate::commands::tulip;
use crate::exit::{self, Exit, Failure};
use crate::findings;
use crate::talk::Talk;
use plan::{PhaseKind, Plan};
use std::io::Write as _;

pub(crate) fn run(args: &CheckArgs, talk: &Talk) -> Result<Exit, Failure> {
    let mut exit = Exit::Done;
    for path in &args.plans {
        if let Some(config) = tulip::recognise(path) {
            match tulip::load(&config, args.actions.as_deref(), talk) {
                Ok(run) => {
                    let line = format!(
                        "{}: ok, {}, Tulip's dialect {}",
                        path.display(),
                        summary(&run.plan),
                        run.dialect
                    );
                    exit::of_stdout(writeln!(std::io::stdout(), "{line}"))?;
                }
                Err(failure) => exit = failure.say(talk),
            }
            continue;
        }
        let loaded = planfile::load(path);
        talk.say_all(&findings::shown(&loaded.diagnostics, &loaded.source));
        match &loaded.plan {
            Some(plan) => {
                let line = format!("{}: ok, {}", path.display(), summary(plan));
                exit::of_stdout(writeln!(std::io::stdout(), "{line}"))?;
            }
            None => exit = Exit::BadPlan,
        }
    }
    Ok(exit)
}

/// `3 phases (1 warm-up), 2 scenarios, at least 1m30s`.
fn summary(plan: &Plan) -> String {
    let plural = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let warm_ups = plan.phases.iter().filter(|phase| phase.kind == PhaseKind::Warmup).count();
    let warm_ups = if warm_ups > 0 { format!(" ({})", plural(warm_ups, "warm-up")) } else { String::new() };
    format!(
        "{}{warm_ups}, {}, {}",
        plural(plan.phases.len(), "phase"),
        plural(plan.scenarios.len(), "scenario"),
        plural(plan.slos.len(), "objective")
    )
}
