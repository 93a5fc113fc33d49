//! `weir run`: a plan file, what the flags change of it, and the run.

use crate::args::RunArgs;
use crate::change;
use crate::commands::tulip;
use crate::exit::{Exit, Failure};
use crate::findings;
use crate::perform::{Job, Keep, perform};
use crate::quick;
use crate::talk::Talk;
use plan::{Diagnostic, Plan};
use std::path::Path;

pub(crate) fn run(args: &RunArgs, talk: &Talk) -> Result<Exit, Failure> {
    if let Some(config) = tulip::recognise(&args.plan) {
        return tulip::run(&config, args, talk);
    }
    if args.actions.is_some() {
        let message = "--actions says what a Tulip configuration's actions do, and this plan says it itself";
        return Err(Failure::usage(&Diagnostic::error(message).hint("remove --actions")));
    }
    let plan = changed(findings::load(&args.plan, talk)?, args)?;
    perform(
        Job {
            plan,
            runner: &args.runner,
            output: &args.output,
            tulip: None,
            origin: "run",
            keep: Keep::In(folder_of(&args.plan)),
        },
        talk,
    )
}

/// The folder that a plan is in: its runs are kept there.
pub(crate) fn folder_of(plan: &Path) -> &Path {
    plan.parent().filter(|_| plan.is_file()).unwrap_or(Path::new(""))
}

/// The plan as the flags change it.
pub(crate) fn changed(mut plan: Plan, args: &RunArgs) -> Result<Plan, Failure> {
    let mut faults = Vec::new();
    for assignment in &args.set {
        faults.extend(change::set_variable(&mut plan, assignment).err());
    }
    if let Some(factor) = args.time_scale {
        faults.extend(change::scale_time(&mut plan, factor).err());
    }
    if let Some(seed) = args.runner.seed {
        plan.seed = seed;
    }
    if let Some(name) = &args.runner.name {
        plan.name.clone_from(name);
    }
    plan.slos.extend(quick::slos(&args.runner.slos, &mut faults));
    if faults.is_empty() {
        faults = plan.faults();
    }
    if faults.is_empty() { Ok(plan) } else { Err(faults.into()) }
}
