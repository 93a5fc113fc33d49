//! `weir search`: the highest rate that a service sustains.

use super::RunnerArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  The highest rate at which 99 of 100 are answered within 50 ms:
    weir search localhost:8080/ --slo 'p99(response) < 50ms' --slo 'error_ratio < 0.1%'
  Quickly, between two rates, without the soak at the end:
    weir search localhost:8080/ --min 100/s --max 5000/s --budget 1m --confirm 0s
  The open phase of a plan at other rates, all trials kept:
    weir search checkout.yaml --json search.json
  Throughput and latency at ten rates, drawn in the terminal and as a page:
    weir search localhost:8080/ --curve 10 --html curve.html
  As CloudI does it, with its page of statistics:
    weir search localhost:8080/ --cloudi --count-process 13
  Go on after an interruption; fail when it became worse:
    weir search checkout.yaml --json search.json --resume search.json
    weir search checkout.yaml --baseline main.json --fail-on lower

A rate is sustained when every objective is met, nothing is dropped, and work
does not pile up. The answer is the rate that is sustained with a probability of
97.5 %; with it comes the interval in which the bound lies. When the client is
the limit, the answer is \"at least\".";

/// Find the highest rate that a service sustains
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SearchArgs {
    /// A plan with an open phase, whose rate is changed, or a URL
    #[arg(value_name = "PLAN|URL")]
    pub(crate) subject: String,

    /// Lowest rate of interest [default: 1/s]
    #[arg(long, value_name = "RATE", help_heading = "Search")]
    pub(crate) min: Option<String>,
    /// Highest rate of interest
    #[arg(long, value_name = "RATE", help_heading = "Search")]
    pub(crate) max: Option<String>,
    /// First rate to try [default: found by a closed load]
    #[arg(long, value_name = "RATE", help_heading = "Search")]
    pub(crate) start: Option<String>,
    /// How narrow the answer's interval is to be
    #[arg(long, value_name = "SHARE", default_value = "2%", help_heading = "Search")]
    pub(crate) precision: String,
    /// What all of it may take, the soak included
    #[arg(long, value_name = "DURATION", default_value = "10m", help_heading = "Search")]
    pub(crate) budget: String,
    /// The soak at the answer; 0s is none [default: 2m, at most a fifth of the budget]
    #[arg(long, value_name = "DURATION", help_heading = "Search")]
    pub(crate) confirm: Option<String>,
    /// Length of a full trial; short ones are 2/5 of it
    #[arg(long, value_name = "DURATION", default_value = "5s", help_heading = "Search")]
    pub(crate) trial: String,
    /// Share of trials that may go badly at a rate that still counts as sustained; 0% is strict
    #[arg(long, value_name = "SHARE", default_value = "50%", help_heading = "Search")]
    pub(crate) exceed: String,
    /// Closed load before the search, so that the service is warm
    #[arg(long, value_name = "DURATION", default_value = "5s", help_heading = "Search")]
    pub(crate) warmup: String,
    /// Rest between trials
    #[arg(long, value_name = "DURATION", default_value = "500ms", help_heading = "Search")]
    pub(crate) settle: String,
    /// At the end overload the service, and look at which rate it recovers
    #[arg(long, help_heading = "Search")]
    pub(crate) hysteresis: bool,
    /// In place of an answer: latency and throughput at so many rates, up to beyond the knee
    #[arg(long, value_name = "N", help_heading = "Search")]
    #[arg(conflicts_with_all = ["cloudi", "start", "precision", "exceed", "confirm", "hysteresis", "baseline", "fail_on"])]
    #[arg(value_parser = clap::value_parser!(u32).range(3..=200))]
    pub(crate) curve: Option<u32>,
    /// The plan's phase whose rate is changed [default: the last one with a rate]
    #[arg(long, value_name = "NAME", help_heading = "Search")]
    pub(crate) phase: Option<String>,

    #[command(flatten)]
    pub(crate) cloudi: CloudiArgs,
    #[command(flatten)]
    pub(crate) request: SearchRequestArgs,
    #[command(flatten)]
    pub(crate) runner: RunnerArgs,
    #[command(flatten)]
    pub(crate) output: SearchOutputArgs,
}

/// CloudI's own search, for those who compare with its tables.
#[derive(Debug, Args)]
pub(crate) struct CloudiArgs {
    /// Search as CloudI's cloudi_service_request_rate does, biases included, and print what it prints
    #[arg(long, help_heading = "CloudI")]
    #[arg(conflicts_with_all = [
        "min", "max", "start", "precision", "exceed", "confirm", "trial", "warmup", "settle", "hysteresis", "slos", "html", "baseline",
        "fail_on",
    ])]
    pub(crate) cloudi: bool,
    /// Length of a tick, at least 1s; also each request's timeout
    #[arg(long, value_name = "DURATION", default_value = "5s", requires = "cloudi", help_heading = "CloudI")]
    pub(crate) tick_length: String,
    /// Ticks at one rate until it is stable
    #[arg(long, value_name = "N", default_value_t = 24, requires = "cloudi", help_heading = "CloudI")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) tick_stable_count: u32,
    /// Processes: one gathers, each other one sends at a rate of its own
    #[arg(long, value_name = "N", default_value_t = 2, requires = "cloudi", help_heading = "CloudI")]
    #[arg(value_parser = clap::value_parser!(u32).range(2..=257))]
    pub(crate) count_process: u32,
    /// Requests per second of each sender, in place of searching
    #[arg(long, value_name = "N", requires = "cloudi", help_heading = "CloudI")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    pub(crate) request_rate: Option<u64>,
    /// Send all requests of a tick at once, as CloudI does; latencies then show its queue
    #[arg(long, requires = "cloudi", help_heading = "CloudI")]
    pub(crate) burst: bool,
    /// Ticks to go on once all senders are stable
    #[arg(long, value_name = "N", default_value_t = 3, requires = "cloudi", help_heading = "CloudI")]
    pub(crate) stable_ticks: u32,
}

/// The request, where the subject is a URL; a plan says it itself.
#[derive(Debug, Args)]
pub(crate) struct SearchRequestArgs {
    /// Connections, which are also how many requests are under way at once
    #[arg(short, long, value_name = "N", default_value_t = 128, help_heading = "Request to a URL")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub(crate) connections: u32,
    /// Arrivals independent of each other (a Poisson process) in place of evenly spaced ones
    #[arg(long, help_heading = "Request to a URL")]
    pub(crate) poisson: bool,
    /// Method [default: GET, or POST with a body]
    #[arg(short = 'X', long, help_heading = "Request to a URL")]
    pub(crate) method: Option<String>,
    /// A header 'name: value'; may be given several times
    #[arg(short = 'H', long = "header", value_name = "HEADER", help_heading = "Request to a URL")]
    pub(crate) headers: Vec<String>,
    /// The body, or @FILE
    #[arg(short, long, help_heading = "Request to a URL")]
    pub(crate) body: Option<String>,
    /// Limit from sending a request to the end of its answer [default: 30s]
    #[arg(long, value_name = "DURATION", help_heading = "Request to a URL")]
    pub(crate) timeout: Option<String>,
    /// Don't verify the server's certificate
    #[arg(short = 'k', long, help_heading = "Request to a URL")]
    pub(crate) insecure: bool,
    /// Trust the certificates in this PEM file in place of the built-in ones
    #[arg(long, value_name = "FILE", conflicts_with = "insecure", help_heading = "Request to a URL")]
    pub(crate) cacert: Option<String>,
    /// Connect to this Unix socket
    #[arg(long, value_name = "PATH", help_heading = "Request to a URL")]
    pub(crate) unix_socket: Option<PathBuf>,
}

/// What is done with the result.
#[derive(Debug, Args)]
pub(crate) struct SearchOutputArgs {
    /// Write the search with all its trials as JSON, after each trial anew; - is stdout, at the end
    #[arg(long, value_name = "FILE", help_heading = "Result")]
    pub(crate) json: Option<PathBuf>,
    /// Write tables for a pull request
    #[arg(long, value_name = "FILE", help_heading = "Result")]
    pub(crate) markdown: Option<PathBuf>,
    /// Write a page for browsers that draws throughput and latency against the rate
    #[arg(long, value_name = "FILE", help_heading = "Result")]
    pub(crate) html: Option<PathBuf>,
    /// Go on with the trials of a search that --json wrote, or that is kept beside the store as search-ID.json
    #[arg(long, value_name = "FILE", help_heading = "Result")]
    pub(crate) resume: Option<PathBuf>,
    /// An earlier search, as --json wrote it, to compare with
    #[arg(long, value_name = "FILE", help_heading = "Result")]
    pub(crate) baseline: Option<PathBuf>,
    /// Exit with 1 when the answer is lower than the baseline's beyond doubt, or when the soak failed
    #[arg(long, value_name = "WHAT", help_heading = "Result")]
    pub(crate) fail_on: Vec<SearchFailOn>,
    /// No line per trial
    #[arg(short, long, help_heading = "Result")]
    pub(crate) quiet: bool,
}

/// What of a search's answer fails the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SearchFailOn {
    Lower,
    Unconfirmed,
}
