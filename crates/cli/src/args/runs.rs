//! The commands around kept runs, and the flags that say where runs are kept.

use super::LISTEN_DEFAULT;
use clap::{Args, ValueEnum};
use std::net::SocketAddr;
use std::path::PathBuf;

/// Where kept runs are.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct StoreArgs {
    /// The store of runs [default: $WEIR_STORE, or .weir/runs.db here]
    #[arg(long, value_name = "FILE", help_heading = "Store")]
    pub(crate) store: Option<PathBuf>,
}

/// Whether and where a run is kept, and what is written on it.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct KeepArgs {
    /// Write on the run, to find it by; may be given several times
    #[arg(long = "label", value_name = "KEY=VALUE", help_heading = "Store", value_parser = label)]
    pub(crate) labels: Vec<(String, String)>,
    /// Keep the run in this store [default: $WEIR_STORE, or .weir/runs.db beside the plan]
    #[arg(long, value_name = "FILE", help_heading = "Store")]
    pub(crate) store: Option<PathBuf>,
    /// Don't keep the run
    #[arg(long, conflicts_with = "store", help_heading = "Store")]
    pub(crate) no_store: bool,
    /// Serve the run as a page while it goes on, to watch it, stop it, or change the rate of open phases [default address: 127.0.0.1:8686]
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, require_equals = true, default_missing_value = LISTEN_DEFAULT)]
    #[arg(conflicts_with = "no_store", help_heading = "Store")]
    pub(crate) serve: Option<SocketAddr>,
}

/// Longest key or value of a label: it is to be read in a table.
const LABEL_CHARS_MAX: usize = 200;

/// `KEY=VALUE`; a key has no blanks, so that labels can stand beside each other.
pub(crate) fn label(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write KEY=VALUE, such as branch=main")?;
    if key.is_empty() || key.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err("the key, before the =, must be a word: write KEY=VALUE, such as branch=main".to_owned());
    }
    if value.contains(char::is_control) {
        return Err("the value has control characters".to_owned());
    }
    if text.chars().count() > LABEL_CHARS_MAX {
        return Err(format!("it is longer than {LABEL_CHARS_MAX} characters"));
    }
    Ok((key.to_owned(), value.to_owned()))
}

const RUNS_EXAMPLES: &str = "\
Examples:
  weir runs                                       the newest runs
  weir runs --filter branch=main --limit 5        those with a label
  weir runs --filter checkout --filter verdict=valid --json

A run is meant by last, last~1, its id or the beginning of it, its name (the
newest of that name; NAME~1 the one before), or KEY=VALUE of a label.";

/// List the kept runs, newest first
#[derive(Debug, Args)]
#[command(after_help = RUNS_EXAMPLES)]
pub(crate) struct RunsArgs {
    /// Only runs with this label (KEY=VALUE), verdict=, origin= or state=, or this in their name; all of several must hold
    #[arg(long = "filter", value_name = "FILTER")]
    pub(crate) filters: Vec<String>,
    /// At most so many, the newest; 0 is all [default: 20 on a terminal, else all]
    #[arg(short = 'n', long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// As JSON, exact and with everything
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// Show a run as it was shown at its end
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// A kept run (last, last~1, an id, a name, KEY=VALUE of a label), a file with a record, or - for stdin
    #[arg(value_name = "RUN", default_value = "last")]
    pub(crate) run: String,
    /// The whole record as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// The statistics page: mean, spread, skewness, kurtosis, percentiles of each phase, and what to conclude
    #[arg(long, conflicts_with = "json")]
    pub(crate) moments: bool,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

const EXPORT_EXAMPLES: &str = "\
Examples:
  weir export last -o run.json                    the record, whole
  weir export last --format csv -o intervals.csv  a row for each interval (and action in it)
  weir export last --format csv --of actions      a row for each action of each phase
  weir export last --format hdr -o run.hlog       interval histograms for HdrHistogram's tools

docs/reference/export.md says what the columns and tags are.";

/// Write a run for other programs
#[derive(Debug, Args)]
#[command(after_help = EXPORT_EXAMPLES)]
pub(crate) struct ExportArgs {
    /// A kept run (last, last~1, an id, a name, KEY=VALUE of a label), a file with a record, or - for stdin
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// The form [default: as the ending of --output says (json, csv, hlog), else json]
    #[arg(short, long)]
    pub(crate) format: Option<ExportFormat>,
    /// What rows of CSV are
    #[arg(long, value_name = "WHAT", default_value = "intervals")]
    pub(crate) of: CsvRows,
    /// Write to this file in place of stdout
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// The form of an export: the record, a table, or an HdrHistogram log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    Json,
    Csv,
    Hdr,
}

/// The rows of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CsvRows {
    Intervals,
    Actions,
}

const IMPORT_EXAMPLES: &str = "\
Reads records that --json or export wrote, HTML reports, and what other tools
print: wrk and wrk2 text, k6 summary JSON, Tulip's output JSON, vegeta and oha
JSON, java-http results. What another tool did not measure stays empty, and the
verdict is `suspect`: nothing is known of how late its requests left.

Examples:
  weir import run.json report.html
  wrk -t2 -c64 -d30s --latency URL > wrk.txt; weir import wrk.txt --name baseline";

/// Read runs from files into the store
#[derive(Debug, Args)]
#[command(after_help = IMPORT_EXAMPLES)]
pub(crate) struct ImportArgs {
    /// Records, reports, or results of other tools; - is stdin
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// What the run is called in place of its own name
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Write on the run, to find it by; may be given several times
    #[arg(long = "label", value_name = "KEY=VALUE", value_parser = label)]
    pub(crate) labels: Vec<(String, String)>,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// Remove runs from the store
#[derive(Debug, Args)]
pub(crate) struct RmArgs {
    /// Kept runs: last, last~1, an id, a name (the newest of that name), KEY=VALUE of a label
    #[arg(value_name = "RUN", required = true)]
    pub(crate) runs: Vec<String>,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

const PRUNE_EXAMPLES: &str = "\
Examples:
  weir prune --keep 50                            all but the newest 50
  weir prune --older-than 30d --dry-run           what would go
  weir prune --keep 5 --label kind=nightly --yes  of those with a label; don't ask";

/// Remove old runs from the store
#[derive(Debug, Args)]
#[command(after_help = PRUNE_EXAMPLES)]
#[command(group = clap::ArgGroup::new("which").required(true).multiple(true))]
pub(crate) struct PruneArgs {
    /// Keep the newest N, remove the others
    #[arg(long, value_name = "N", group = "which")]
    pub(crate) keep: Option<usize>,
    /// Remove runs that began longer ago than this, such as 30d or 12h; with --keep, only those beyond the newest N
    #[arg(long, value_name = "AGE", group = "which")]
    pub(crate) older_than: Option<String>,
    /// Only runs with this label; may be given several times, all must hold
    #[arg(long = "label", value_name = "KEY=VALUE", value_parser = label)]
    pub(crate) labels: Vec<(String, String)>,
    /// Say what would go, remove nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Don't ask
    #[arg(short, long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}
