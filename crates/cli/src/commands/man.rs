//! `weir man`: the man page on stdout, or the pages of all commands into a folder.

use crate::args::{Cli, ManArgs};
use crate::exit::{self, Exit, Failure};
use clap::CommandFactory as _;
use plan::Diagnostic;
use std::io::{self, Write as _};

pub(crate) fn run(args: &ManArgs) -> Result<Exit, Failure> {
    let command = Cli::command();
    let Some(folder) = &args.out else {
        let mut page = Vec::new();
        let written = clap_mangen::Man::new(command).render(&mut page);
        return exit::of_stdout(written.and_then(|()| io::stdout().write_all(&page)));
    };
    let written = std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command, folder));
    match written {
        Ok(()) => Ok(Exit::Done),
        Err(error) => {
            let message =
                format!("can't write man pages into `{}`: {}", folder.display(), units::system_words(&error));
            Err(Failure::usage(&Diagnostic::error(message).hint("name a folder that you may write")))
        }
    }
}
