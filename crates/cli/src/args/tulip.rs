//! `weir tulip`: what only users of Tulip need.

use super::{OutputArgs, RunnerArgs};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

const EXAMPLES: &str = "\
A configuration of Tulip, of any release, is a plan like any other:
  weir check config.json
  weir run config.json
  weir run config.json --actions actions.yaml   what a class of your own does
  weir report run.json --format tulip           the table again, from a record";

/// Work with configurations of Tulip
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(disable_help_subcommand = true, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct TulipArgs {
    #[command(subcommand)]
    pub(crate) command: TulipCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TulipCommand {
    /// Write a configuration of any release in the newest form, or as a native plan
    Migrate(MigrateArgs),
    /// Write a project to begin with: configuration, actions, a script that runs it
    Init(InitArgs),
    /// Put load on one URL by the flags of Tulip's kwrk
    Kwrk(Box<KwrkArgs>),
}

#[derive(Debug, Args)]
pub(crate) struct MigrateArgs {
    /// The configuration; - is stdin
    pub(crate) config: PathBuf,
    /// The form: Tulip's newest (2.3), or a native plan (YAML)
    #[arg(long, value_name = "FORM", default_value = "tulip")]
    pub(crate) to: MigrateTo,
    /// Write to this new file in place of stdout
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Native actions by id or name, for a native plan of a configuration whose user class is not built in
    #[arg(long, value_name = "FILE")]
    pub(crate) actions: Option<PathBuf>,
}

/// The form of a migrated configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MigrateTo {
    Tulip,
    Weir,
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The folder; it is made if need be, and no file in it is overwritten
    #[arg(default_value = ".")]
    pub(crate) folder: PathBuf,
    /// Where the actions send
    #[arg(long, default_value = "http://127.0.0.1:7070")]
    pub(crate) url: String,
    /// Actions per second of the benchmark at a fixed rate
    #[arg(long, value_name = "RATE", default_value_t = 100.0)]
    pub(crate) aps: f64,
}

const KWRK_EXAMPLES: &str = "\
Example:
  weir tulip kwrk --url http://localhost:7070/ --rate 1000 --users 8 --tasks 8

It leaves kwrk_HH-MM-SS_config.json, …_output.json and …_report.html (UTC) and lists the reports
in kwrk_index.html, as kwrk does; the configuration runs again with `weir run`.";

/// Put load on one URL by the flags of Tulip's kwrk
#[derive(Debug, Args)]
#[command(after_help = KWRK_EXAMPLES, disable_version_flag = true)]
pub(crate) struct KwrkArgs {
    /// Where to; several with commas between are taken in turn by users
    #[arg(long)]
    pub(crate) url: String,
    /// Actions per second; 0 is as fast as possible
    #[arg(long, default_value_t = 5.0, allow_negative_numbers = true)]
    pub(crate) rate: f64,
    /// What is added to the rate at each step
    #[arg(
        long = "rateStepChange",
        value_name = "CHANGE",
        default_value_t = 0.0,
        allow_negative_numbers = true
    )]
    pub(crate) rate_step_change: f64,
    /// Iterations per step
    #[arg(long = "rateStepCount", value_name = "N", default_value_t = 1)]
    pub(crate) rate_step_count: u32,
    /// Users
    #[arg(long, visible_alias = "conns", value_name = "N", default_value_t = 1)]
    pub(crate) users: u32,
    /// Most actions under way
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) tasks: u32,
    /// Threads; 0 is any number
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) threads: u32,
    /// Seconds of both warm-ups; none at rates below 1
    #[arg(long = "warmup", value_name = "SECONDS", default_value_t = 5)]
    pub(crate) warmup_s: u32,
    /// Seconds of an iteration
    #[arg(long = "duration", value_name = "SECONDS", default_value_t = 30)]
    pub(crate) duration_s: u32,
    /// Measured iterations
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) iterations: u32,
    /// The one header
    #[arg(long, default_value = "User-Agent: kwrk")]
    pub(crate) header: String,
    /// GET; anything else is POST
    #[arg(long, default_value = "GET")]
    pub(crate) method: String,
    /// What a POST sends
    #[arg(long = "jsonBody", value_name = "JSON", default_value = "")]
    pub(crate) json_body: String,
    /// Version of HTTP: HTTP_1_1
    #[arg(long, default_value = "HTTP_1_1")]
    pub(crate) version: String,
    /// Say more; without effect
    #[arg(long)]
    pub(crate) debug: bool,
    /// In place of the time in the names of files
    #[arg(long = "name", value_name = "NAME")]
    pub(crate) file_name: Option<String>,
    /// Multiply the length of all phases, such as 0.05 to try it out
    #[arg(long, value_name = "FACTOR", help_heading = "Run")]
    pub(crate) time_scale: Option<f64>,
    /// How sockets are driven
    #[arg(long, default_value = "auto", help_heading = "Run")]
    pub(crate) driver: super::Driver,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

impl KwrkArgs {
    /// Flags of runs that kwrk has no words for, as they are when nobody gives them.
    pub(crate) fn runner(&self) -> Option<RunnerArgs> {
        let runner = NoFlags::try_parse_from(["kwrk"]).ok()?.runner;
        Some(RunnerArgs { driver: self.driver, ..runner })
    }
}

#[derive(Debug, Parser)]
struct NoFlags {
    #[command(flatten)]
    runner: RunnerArgs,
}
