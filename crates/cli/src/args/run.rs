//! `weir run` and `weir check`, and the flags that all runs share.

use super::{KeepArgs, OutputArgs};
use clap::{Args, ValueEnum};
use runner::DriverChoice;
use std::path::PathBuf;

/// How a run is carried out.
#[derive(Debug, Args)]
pub(crate) struct RunnerArgs {
    /// An objective such as 'p99(response) < 50ms'; may be given several times; a missed one makes the exit code 1
    #[arg(long = "slo", value_name = "OBJECTIVE", help_heading = "Run")]
    pub(crate) slos: Vec<String>,
    /// Worker threads [default: 1]
    #[arg(short, long, value_name = "N", help_heading = "Run")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// How sockets are driven
    #[arg(long, default_value = "auto", help_heading = "Run")]
    pub(crate) driver: Driver,
    /// Governs all chance; the same seed gives the same requests at the same times [default: the plan's, or 1]
    #[arg(long, value_name = "N", help_heading = "Run")]
    pub(crate) seed: Option<u64>,
    /// What the run is called in its results
    #[arg(long, help_heading = "Run")]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
}

/// How sockets are driven: readiness on any Linux, completions from Linux 6.0 on, or whichever is there and faster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Driver {
    Auto,
    Epoll,
    #[value(name = "io_uring")]
    IoUring,
}

impl From<Driver> for DriverChoice {
    fn from(driver: Driver) -> Self {
        match driver {
            Driver::Auto => Self::Auto,
            Driver::Epoll => Self::Epoll,
            Driver::IoUring => Self::IoUring,
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  weir run checkout.yaml
  weir run checkout.yaml --json run.json --markdown run.md --junit run.xml
  weir run checkout.yaml --set user=ann --time-scale 0.05";

/// Run a plan
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RunArgs {
    /// The plan, YAML or JSON; a Tulip configuration is one too
    pub(crate) plan: PathBuf,
    /// Give a variable of the plan's `vars` another value; may be given several times
    #[arg(long = "set", value_name = "VARIABLE=VALUE", help_heading = "Plan")]
    pub(crate) set: Vec<String>,
    /// Multiply the length of all phases, such as 0.05 to try a plan out
    #[arg(long, value_name = "FACTOR", help_heading = "Plan")]
    pub(crate) time_scale: Option<f64>,

    /// Native actions by id or name, for a Tulip configuration whose user class is not built in
    #[arg(long, value_name = "FILE", help_heading = "Plan")]
    pub(crate) actions: Option<PathBuf>,

    /// Write neither the result nor the report that a Tulip configuration names
    #[arg(long, help_heading = "Plan")]
    pub(crate) no_tulip_files: bool,

    #[command(flatten)]
    pub(crate) runner: RunnerArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Say all that is wrong with plans, without running them
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The plans, YAML or JSON; Tulip configurations are plans too
    #[arg(required = true, value_name = "PLAN")]
    pub(crate) plans: Vec<PathBuf>,
    /// Native actions by id or name, for Tulip configurations whose user class is not built in
    #[arg(long, value_name = "FILE")]
    pub(crate) actions: Option<PathBuf>,
}
