//! `weir demo`: the embedded target on a free port, a plan of several phases against it, and the files that it leaves.

use crate::args::{DemoArgs, Driver, KeepArgs, OutputArgs, RunnerArgs};
use crate::change;
use crate::exit::{self, Exit, Failure};
use crate::perform::{Job, Keep, perform};
use crate::talk::Talk;
use ::target::{Options, Running, Server};
use plan::{Diagnostic, Plan};
use std::io::Write as _;
use std::path::PathBuf;

const PLAN: &str = include_str!("demo.yaml");

pub(crate) fn run(args: &DemoArgs, talk: &Talk) -> Result<Exit, Failure> {
    let target = target()?;
    let mut plan = plan_against(&target)?;
    if let Some(factor) = args.time_scale {
        change::scale_time(&mut plan, factor).map_err(|fault| Failure::usage(&fault))?;
    }
    let output = files(args)?;
    talk.say("a plan of several phases against a target of its own: about 20 s\n");
    let runner = RunnerArgs {
        slos: Vec::new(),
        threads: Some(1),
        driver: Driver::Auto,
        seed: None,
        name: None,
        keep: KeepArgs::default(),
    };
    let outcome = perform(
        Job { plan, runner: &runner, output: &output, tulip: None, origin: "demo", keep: Keep::No },
        talk,
    )?;
    target.stop();
    exit::of_stdout(write!(std::io::stdout(), "{}", guide(args)))?;
    Ok(outcome)
}

fn target() -> Result<Running, Failure> {
    let refused = |error: ::target::BindError| Failure::internal(&error.to_string());
    Server::bind(Options::default()).map_err(refused)?.start().map_err(refused)
}

/// The plan of the file, with the target's real port.
fn plan_against(running: &Running) -> Result<Plan, Failure> {
    let loaded = planfile::parse(PLAN, "demo.yaml", &planfile::InMemory::default());
    let mut plan = loaded.plan.ok_or(loaded.diagnostics)?;
    let port = running.local_addr().map(|address| address.port());
    for (target, port) in plan.targets.iter_mut().zip(port) {
        target.port = port;
    }
    Ok(plan)
}

/// Writes the plan, and says where the results go.
fn files(args: &DemoArgs) -> Result<OutputArgs, Failure> {
    let folder = &args.out;
    let written =
        std::fs::create_dir_all(folder).and_then(|()| std::fs::write(folder.join("demo.yaml"), PLAN));
    written.map_err(|error| {
        let message = format!("can't write into `{}`: {}", folder.display(), units::system_words(&error));
        Failure::usage(&Diagnostic::error(message).hint("name a folder that you may write: --out DIR"))
    })?;
    let file = |name: &str| -> Option<PathBuf> { Some(folder.join(name)) };
    Ok(OutputArgs {
        json: file("demo.json"),
        markdown: file("demo.md"),
        junit: file("demo.xml"),
        fail_on: None,
        quiet: args.quiet,
    })
}

/// How to read what was printed, and what to do next.
fn guide(args: &DemoArgs) -> String {
    let folder = args.out.display();
    format!(
        "
How to read it: in phase stall the server stood still for 200 ms of every
second. Service time (sent to done) hardly shows that; response time (due to
done) does, and it is what users wait. The client's figures hold the target's
CPU and memory, too, for here both are one process.

Files:
  {folder}/demo.json  the whole record; `weir report` reads it
  {folder}/demo.md    tables for a pull request
  {folder}/demo.xml   verdict and objectives for a CI system
  {folder}/demo.yaml  the plan

Next, on a server of yours:
  weir http localhost:8080/ -r 1000/s
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plan_has_no_fault_and_takes_less_than_forty_seconds() {
        let loaded = planfile::parse(PLAN, "demo.yaml", &planfile::InMemory::default());
        assert_eq!(loaded.diagnostics, []);
        let plan = loaded.plan.unwrap();
        let total_ns: u64 =
            plan.phases.iter().map(|phase| phase.duration_ns.unwrap_or_else(|| phase.load.stages_ns())).sum();
        assert!((15..30).contains(&(total_ns / units::NS_PER_SEC)), "{total_ns}");
    }
}
