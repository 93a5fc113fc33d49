//! `weir completions SHELL`.

use crate::args::{Cli, CompletionsArgs};
use crate::exit::{self, Exit, Failure};
use clap::CommandFactory as _;
use std::io::Write as _;

pub(crate) fn run(args: &CompletionsArgs) -> Result<Exit, Failure> {
    // Through memory: the generator panics on a writer that fails, and stdout may.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "weir", &mut script);
    exit::of_stdout(std::io::stdout().write_all(&script))
}
