//! `weir http`: flags → plan → run.

use crate::args::HttpArgs;
use crate::exit::{Exit, Failure};
use crate::perform::{Job, Keep, perform};
use crate::quick;
use crate::talk::Talk;
use std::path::Path;

pub(crate) fn run(args: &HttpArgs, talk: &Talk) -> Result<Exit, Failure> {
    let plan = quick::plan(args)?;
    perform(
        Job {
            plan,
            runner: &args.runner,
            output: &args.output,
            tulip: None,
            origin: "http",
            keep: Keep::In(Path::new("")),
        },
        talk,
    )
}
