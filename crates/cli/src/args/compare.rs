//! `weir compare`: runs held against each other.

use super::StoreArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Several runs a side, which is what a verdict needs:
    weir compare --a base-1.json base-2.json base-3.json --b new-*.json
  All kept runs with a label against those with another:
    weir compare build=main build=feature
  Two runs: how they differ, without a verdict:
    weir compare last~1 last
  A verdict on two runs, the noise between runs being known:
    weir compare last~1 last --noise 1.5%
  In CI:
    weir compare build=main build=feature --fail-on slower --format markdown

A run is the unit: a million requests tell what one run was like, other runs tell
how much runs differ. A verdict needs both: a difference that is statistically
clear, and one beyond the margin. docs/compare.md says how it is done.";

/// Compare runs: what differs, and how certain that is
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompareArgs {
    /// Sides, the baseline first: a record, or a run of the store (last, last~1, an id, a name); KEY=VALUE is all runs so labelled
    #[arg(value_name = "A B", num_args = 1.., required_unless_present = "a", conflicts_with_all = ["a", "b"])]
    pub(crate) sides: Vec<String>,
    /// The baseline's runs; may be given several times
    #[arg(long, value_name = "RUN", num_args = 1.., requires = "b", help_heading = "Sides")]
    pub(crate) a: Vec<String>,
    /// The runs held against it; may be given several times
    #[arg(long, value_name = "RUN", num_args = 1.., requires = "a", help_heading = "Sides")]
    pub(crate) b: Vec<String>,

    /// A change within this does not matter
    #[arg(long, value_name = "SHARE", default_value = "2%", help_heading = "Judgement")]
    pub(crate) margin: String,
    /// Compare only this: rate, errors, response, service, mean, p50 …, response.p99, client_cpu; may be given several times
    #[arg(long = "metric", value_name = "METRIC", help_heading = "Judgement")]
    pub(crate) metrics: Vec<String>,
    /// Standard deviation between runs of one service, where it is known from elsewhere
    #[arg(long, value_name = "SHARE", help_heading = "Judgement")]
    pub(crate) noise: Option<String>,
    /// Judge also invalid runs and runs of different plans
    #[arg(long, help_heading = "Judgement")]
    pub(crate) force: bool,

    /// The form
    #[arg(short, long, default_value = "text", help_heading = "Result")]
    pub(crate) format: CompareFormat,
    /// Write to this file in place of stdout
    #[arg(short, long, value_name = "FILE", help_heading = "Result")]
    pub(crate) output: Option<PathBuf>,
    /// Exit with 1 when anything is slower (or fails more), or changed at all
    #[arg(long, value_name = "WHAT", help_heading = "Result")]
    pub(crate) fail_on: Option<CompareFailOn>,

    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// The form of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompareFormat {
    Text,
    Json,
    Markdown,
}

/// What makes a comparison fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompareFailOn {
    Slower,
    Changed,
}
