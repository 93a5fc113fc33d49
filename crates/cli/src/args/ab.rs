//! `weir ab`: two targets, interleaved.

use super::runs::label;
use super::{CompareFailOn, CompareFormat, Driver};
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Two servers, 20 pairs of 5 s, 1000 requests per second:
    weir ab --a localhost:8081/ --b localhost:8082/ -r 1000/s
  A plan against two targets, until every row is decided (60 pairs at most):
    weir ab checkout.yaml --a http://old:8080 --b http://new:8080 --until-certain
  Two programs, started anew for each slice, so that launches count:
    weir ab --a localhost:8080/ --b localhost:8080/ \\
      --cmd-a './server-a --port 8080' --cmd-b './server-b --port 8080'
  How small a difference this machine can show at all:
    weir ab --a localhost:8081/ --aa

Slices go ABBA or BAAB, by lot, so that drift falls out and both see the same
weather. docs/compare.md says how many pairs find what.";

/// Compare two targets by slices of load that take turns
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AbArgs {
    /// A plan, or a URL whose path both sides share; without it the URLs of --a and --b say all
    #[arg(value_name = "PLAN|URL")]
    pub(crate) what: Option<String>,

    /// Where A, the baseline, is
    #[arg(long, value_name = "URL", help_heading = "Sides")]
    pub(crate) a: Option<String>,
    /// Where B is
    #[arg(long, value_name = "URL", help_heading = "Sides")]
    pub(crate) b: Option<String>,
    /// A's server: started, waited for at its URL, and stopped with all that it started
    #[arg(long, value_name = "COMMAND", help_heading = "Sides")]
    pub(crate) cmd_a: Option<String>,
    /// B's server
    #[arg(long, value_name = "COMMAND", help_heading = "Sides")]
    pub(crate) cmd_b: Option<String>,
    /// A plan of A's own
    #[arg(long, value_name = "PLAN", requires = "plan_b", conflicts_with = "what", help_heading = "Sides")]
    pub(crate) plan_a: Option<PathBuf>,
    /// A plan of B's own
    #[arg(long, value_name = "PLAN", requires = "plan_a", help_heading = "Sides")]
    pub(crate) plan_b: Option<PathBuf>,
    /// Start the servers anew for each slice; so it is where both have one address
    #[arg(long, help_heading = "Sides")]
    pub(crate) relaunch: bool,
    /// Wait so long for a server to listen
    #[arg(long, value_name = "DURATION", default_value = "30s", help_heading = "Sides")]
    pub(crate) start_timeout: String,
    /// Keep what the servers print in this folder
    #[arg(long, value_name = "DIR", default_value = ".weir/ab", help_heading = "Sides")]
    pub(crate) logs: PathBuf,
    /// A against itself: how small a difference can be seen here
    #[arg(long, conflicts_with_all = ["b", "cmd_b", "plan_b"], help_heading = "Sides")]
    pub(crate) aa: bool,

    /// Pairs of slices, an even number [default: 20; with --until-certain at most 60]
    #[arg(long, value_name = "N", help_heading = "Pairs")]
    #[arg(value_parser = clap::value_parser!(u64).range(2..=10_000))]
    pub(crate) pairs: Option<u64>,
    /// Stop as soon as every row is decided at one of eight planned looks
    #[arg(long, help_heading = "Pairs")]
    pub(crate) until_certain: bool,
    /// Length of a slice [default: 5s, or the plan's own length]
    #[arg(long, value_name = "DURATION", help_heading = "Pairs")]
    pub(crate) slice: Option<String>,
    /// Load before each slice that is no part of it; plans have their own
    #[arg(long, value_name = "DURATION", help_heading = "Pairs")]
    pub(crate) warmup: Option<String>,
    /// Governs the order of slices, the requests and the resampling
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Pairs")]
    pub(crate) seed: u64,

    /// Connections; without --rate also how many requests are under way at once
    #[arg(short, long, value_name = "N", help_heading = "Load of a URL")]
    pub(crate) connections: Option<u32>,
    /// Requests per time, such as 1000/s; without it as fast as possible
    #[arg(short, long, help_heading = "Load of a URL")]
    pub(crate) rate: Option<String>,
    /// Arrivals independent of each other in place of evenly spaced ones
    #[arg(long, requires = "rate", help_heading = "Load of a URL")]
    pub(crate) poisson: bool,
    /// Method
    #[arg(short = 'X', long, help_heading = "Load of a URL")]
    pub(crate) method: Option<String>,
    /// A header 'name: value'; may be given several times
    #[arg(short = 'H', long = "header", value_name = "HEADER", help_heading = "Load of a URL")]
    pub(crate) headers: Vec<String>,
    /// The body, or @FILE
    #[arg(long, help_heading = "Load of a URL")]
    pub(crate) body: Option<String>,
    /// Don't verify the servers' certificates
    #[arg(short = 'k', long, help_heading = "Load of a URL")]
    pub(crate) insecure: bool,
    /// Worker threads [default: 1]
    #[arg(short, long, value_name = "N", help_heading = "Run")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// How sockets are driven
    #[arg(long, default_value = "auto", help_heading = "Run")]
    pub(crate) driver: Driver,

    /// A change within this does not matter
    #[arg(long, value_name = "SHARE", default_value = "2%", help_heading = "Judgement")]
    pub(crate) margin: String,
    /// Judge only this: rate, errors, response, service, mean, p50 …; may be given several times
    #[arg(long = "metric", value_name = "METRIC", help_heading = "Judgement")]
    pub(crate) metrics: Vec<String>,
    /// Judge also where many slices are invalid
    #[arg(long, help_heading = "Judgement")]
    pub(crate) force: bool,

    /// The form
    #[arg(short, long, default_value = "text", help_heading = "Result")]
    pub(crate) format: CompareFormat,
    /// Write the comparison and every slice's record as JSON
    #[arg(long, value_name = "FILE", help_heading = "Result")]
    pub(crate) json: Option<PathBuf>,
    /// Exit with 1 when B is slower (or fails more) in anything, or differs at all
    #[arg(long, value_name = "WHAT", help_heading = "Result")]
    pub(crate) fail_on: Option<CompareFailOn>,
    /// No progress line
    #[arg(short, long, help_heading = "Result")]
    pub(crate) quiet: bool,
    /// Keep each slice in the store of runs, labelled ab, side and pair
    #[arg(long, help_heading = "Store")]
    pub(crate) keep: bool,
    /// Write on each slice that is kept, to find it by; may be given several times
    #[arg(long = "label", value_name = "KEY=VALUE", requires = "keep", value_parser = label, help_heading = "Store")]
    pub(crate) labels: Vec<(String, String)>,
    /// Keep them in this store [default: $WEIR_STORE, or .weir/runs.db here]
    #[arg(long, value_name = "FILE", requires = "keep", help_heading = "Store")]
    pub(crate) store: Option<PathBuf>,
}
