//! The `weir` command: parse → mode → function → exit code.
//!
//! What was typed is in `args`, what it means in `quick` and `commands`, how it ends in `exit`. stdout is data, stderr is talk.

mod args;
mod change;
mod commands;
mod exit;
mod findings;
mod keeping;
mod outputs;
mod perform;
mod quick;
mod run_table;
mod selected;
mod signals;
mod talk;
mod tulip_files;
mod url;

use args::{Cli, Command};
use clap::Parser as _;
use exit::{Exit, Failure};
use std::process::ExitCode;

fn main() -> ExitCode {
    exit::report_panics();
    let outcome = std::panic::catch_unwind(|| {
        let words: Vec<std::ffi::OsString> = std::env::args_os().collect();
        if let Some((mode, words)) = commands::wrk::words_of(&words) {
            let talk = talk::Talk::new(args::ColorWhen::Auto);
            return commands::wrk::run(mode, words, &talk)
                .unwrap_or_else(|failure| failure.say(&talk))
                .into();
        }
        if let Some(words) = commands::k6::words_of(&words) {
            return commands::k6::run(words, &talk::Talk::new(args::ColorWhen::Auto));
        }
        let cli = match Cli::try_parse_from(words) {
            Ok(cli) => cli,
            Err(error) => return exit::of_usage(&error).into(),
        };
        let talk = talk::Talk::new(cli.color);
        match cli.command {
            Command::K6(args) => commands::k6::run(&args.words, &talk),
            command => run(command, &talk).unwrap_or_else(|failure| failure.say(&talk)).into(),
        }
    });
    outcome.unwrap_or(Exit::Internal.into())
}

fn run(command: Command, talk: &talk::Talk) -> Result<Exit, Failure> {
    match command {
        Command::Http(args) => commands::http::run(&args, talk),
        Command::Wrk(args) => commands::wrk::run(wrk::Mode::Wrk, &args.words, talk),
        Command::Wrk2(args) => commands::wrk::run(wrk::Mode::Wrk2, &args.words, talk),
        Command::K6(_) => Err(Failure::internal("k6's commands end with k6's codes")),
        Command::Run(args) => commands::run::run(&args, talk),
        Command::Tulip(args) => commands::tulip::command(&args, talk),
        Command::Check(args) => commands::check::run(&args, talk),
        Command::Schema => commands::schema::run(),
        Command::Search(args) => commands::search::run(&args, talk),
        Command::Report(args) => commands::report::run(&args, talk),
        Command::Ab(args) => commands::ab::run(&args, talk),
        Command::Compare(args) => commands::compare::run(&args, talk),
        Command::Runs(args) => commands::runs::run(&args, talk),
        Command::Show(args) => commands::show::run(&args, talk),
        Command::Export(args) => commands::export::run(&args),
        Command::Import(args) => commands::import::run(&args, talk),
        Command::Rm(args) => commands::runs::rm(&args, talk),
        Command::Prune(args) => commands::runs::prune(&args, talk),
        Command::Serve(args) => commands::serve::run(&args, talk),
        Command::Target(args) => commands::target::run(&args, talk),
        Command::Demo(args) => commands::demo::run(&args, talk),
        Command::Completions(args) => commands::completions::run(&args),
        Command::Man(args) => commands::man::run(&args),
    }
}
