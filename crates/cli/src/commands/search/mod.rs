//! `weir search`: the controller of `search` is asked what to try, the runner tries it.

mod files;
mod find;
mod lab;
mod progress;
mod subject;

use crate::args::SearchArgs;
use crate::exit::{Exit, Failure};
use crate::talk::Talk;

pub(crate) fn run(args: &SearchArgs, talk: &Talk) -> Result<Exit, Failure> {
    find::run(args, talk)
}
