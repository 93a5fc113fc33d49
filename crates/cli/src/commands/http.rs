//! `weir http`: flags → plan → run.

use crate::args::HttpArgs;
use crate::exit::{Exit, Failure};
use crate::perform::{Job, Keep, perform};
use crate::quick;
use crate::talk::Talk;
use planfile::{Files as _, Folder};
use std::path::Path;

/// Greatest body or certificate read from a file: it is held in memory, once.
const FILE_BYTES_MAX: u64 = 256 << 20;

pub(crate) fn run(args: &HttpArgs, talk: &Talk) -> Result<Exit, Failure> {
    let here = Folder::new("");
    let plan = quick::plan_of(args, &|path| here.read(path, FILE_BYTES_MAX))?;
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
