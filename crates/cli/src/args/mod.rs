//! What was typed. Flags are only read here; what they mean is worked out elsewhere, where all that is wrong can be said at once.
//!
//! Help, man pages and completions are made from these definitions.

mod ab;
mod compare;
mod http;
mod k6;
mod result;
mod run;
mod runs;
mod search;
mod serve;
mod target;
mod tulip;
mod wrk;

pub(crate) use ab::AbArgs;
pub(crate) use compare::{CompareArgs, CompareFailOn, CompareFormat};
pub(crate) use http::HttpArgs;
pub(crate) use k6::{ConvertArgs, K6Args, VendorArgs};
pub(crate) use result::{FailOn, OutputArgs, ReportArgs, ReportFormat, TulipDialect};
pub(crate) use run::{CheckArgs, Driver, RunArgs, RunnerArgs};
pub(crate) use runs::{
    CsvRows, ExportArgs, ExportFormat, ImportArgs, KeepArgs, PruneArgs, RmArgs, RunsArgs, ShowArgs,
    StoreArgs, label,
};
pub(crate) use search::{SearchArgs, SearchFailOn, SearchOutputArgs};
pub(crate) use serve::{LISTEN_DEFAULT, ServeArgs};
pub(crate) use target::{DemoArgs, TargetArgs};
pub(crate) use tulip::{InitArgs, KwrkArgs, MigrateArgs, MigrateTo, TulipArgs, TulipCommand};
pub(crate) use wrk::{Wrk2Args, WrkArgs};

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Bold headings and names, nothing else: readable on any background.
const STYLES: Styles = Styles::plain()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default())
    .error(AnsiColor::Red.on_default().bold())
    .valid(AnsiColor::Green.on_default())
    .invalid(AnsiColor::Yellow.on_default());

const EXAMPLES: &str = "\
Examples:
  weir demo                                    see what it does, in 20 seconds
  weir http localhost:8080/                    64 connections, as fast as possible, for 10 s
  weir http localhost:8080/ -r 1000/s -d 30s   1000 requests per second for 30 s
  weir run plan.yaml --json result.json        a plan with phases, actions and objectives

Exit codes:
  0  done                        4  aborted
  1  an objective was missed     5  internal error
  2  wrong plan or usage         6  the run is not valid, and --fail-on was given
  3  target unreachable";

/// Inject load at exact rates, measure it honestly, and say what may be concluded
#[derive(Debug, Parser)]
#[command(name = "weir", version, styles = STYLES, after_help = EXAMPLES, max_term_width = 100)]
#[command(disable_help_subcommand = true, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    /// When to colour; NO_COLOR is kept
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "General",
        hide_possible_values = true
    )]
    pub(crate) color: ColorWhen,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// When to colour: on terminals unless `NO_COLOR` is set, always, never.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Put load on one URL
    Http(Box<HttpArgs>),
    /// Put load on one URL as wrk does: its flags, its scripts, its page
    Wrk(WrkArgs),
    /// Put load on one URL as wrk2 does, at a rate
    Wrk2(Wrk2Args),
    /// Run a k6 script: its flags, its summary, its exit codes
    K6(K6Args),
    /// Run a plan
    Run(Box<RunArgs>),
    /// Find the highest rate that a service sustains
    Search(Box<SearchArgs>),
    /// Work with configurations of Tulip: migrate, init, kwrk
    Tulip(TulipArgs),
    /// Say all that is wrong with plans, without running them
    Check(CheckArgs),
    /// Print the JSON Schema of plans, for editors
    Schema,
    /// Write a page of runs for browsers, or print one as text, Markdown, CSV, JUnit XML, as Tulip or wrk does
    Report(ReportArgs),
    /// Compare runs: what differs, and how certain that is
    Compare(Box<CompareArgs>),
    /// Compare two targets by slices of load that take turns
    Ab(Box<AbArgs>),
    /// List the kept runs, newest first
    Runs(RunsArgs),
    /// Show a run as it was shown at its end
    Show(ShowArgs),
    /// Write a run for other programs: JSON, CSV, HdrHistogram log
    Export(ExportArgs),
    /// Read runs from files into the store, other tools' results too
    Import(ImportArgs),
    /// Remove runs from the store
    Rm(RmArgs),
    /// Remove old runs from the store
    Prune(PruneArgs),
    /// Serve the kept runs as a page: list, show, compare, delete, and watch those in progress
    Serve(ServeArgs),
    /// Serve as a target with known delays and faults
    Target(TargetArgs),
    /// Show what weir does: a plan of several phases against a target of its own
    Demo(DemoArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Print the man page, or write the pages of all commands
    Man(ManArgs),
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Write a page for each command into this folder
    #[arg(short, long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}
