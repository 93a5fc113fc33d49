//! Where results go, and `weir report`.

use super::StoreArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What is done with a run's result. `-` is stdout.
#[derive(Debug, Args)]
pub(crate) struct OutputArgs {
    /// Write the whole record as JSON; - is stdout
    #[arg(long, value_name = "FILE", help_heading = "Result")]
    pub(crate) json: Option<PathBuf>,
    /// Write tables for a pull request
    #[arg(long, value_name = "FILE", help_heading = "Result")]
    pub(crate) markdown: Option<PathBuf>,
    /// Write verdict and objectives as JUnit XML
    #[arg(long, value_name = "FILE", help_heading = "Result")]
    pub(crate) junit: Option<PathBuf>,
    /// Exit with 6 when the verdict is this or worse
    #[arg(long, value_name = "VERDICT", help_heading = "Result")]
    pub(crate) fail_on: Option<FailOn>,
    /// No progress line
    #[arg(short, long, help_heading = "Result")]
    pub(crate) quiet: bool,
}

/// From which verdict on a run fails: the numbers may not be believed, or only with reservations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    Invalid,
    Suspect,
}

/// Print a run's record as text, Markdown, CSV, JUnit XML, Tulip's table or wrk's page, or write a page for browsers
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// A kept run (last, last~1, an id, a name, KEY=VALUE of a label), a file with a record, or - for stdin; html takes several
    #[arg(value_name = "RUN", required = true)]
    pub(crate) runs: Vec<String>,
    /// The form [default: as the ending of --output says (html, json, md, csv, xml), else text]
    #[arg(short, long)]
    pub(crate) format: Option<ReportFormat>,
    /// Write to this file in place of stdout
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// With tulip-json and tulip-html: the keys and columns of Tulip's first releases (a) or of its last [default: those nearer to the
    /// run's configuration]
    #[arg(long, value_name = "RELEASES")]
    pub(crate) dialect: Option<TulipDialect>,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// The form of a report. (A text on each variant would make the whole help twice as long.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    Text,
    Html,
    Json,
    Markdown,
    Csv,
    Junit,
    Tulip,
    TulipJson,
    TulipHtml,
    Wrk,
}

/// Which of Tulip's releases a result or a page is made for: 2.0.0-beta, or 2.3 and later. (Texts on the variants would double the help.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TulipDialect {
    A,
    Newest,
}
