//! `weir search`: the controller of `search` is asked what to try, the runner tries it.

mod cloudi;
mod curve;
mod files;
mod find;
mod lab;
mod progress;
pub(crate) mod report;
mod subject;

use crate::args::SearchArgs;
use crate::exit::{Exit, Failure};
use crate::talk::Talk;

pub(crate) fn run(args: &SearchArgs, talk: &Talk) -> Result<Exit, Failure> {
    if args.cloudi.cloudi {
        cloudi::run(args, talk)
    } else if let Some(rate_count) = args.curve {
        curve::run(args, rate_count, talk)
    } else {
        find::run(args, talk)
    }
}
