//! `weir http`: load on one URL without a plan file.

use super::{OutputArgs, RunnerArgs};
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  As fast as 64 connections go, for 10 s:
    weir http localhost:8080/
  1000 requests per second, whatever the server does, and a promise to keep:
    weir http localhost:8080/ -r 1000/s -d 1m --slo 'p99(response) < 50ms'
  Arrivals as independent clients send them, after a warm-up:
    weir http https://shop.example/ -r 200/s --poisson --warmup 5s
  POST a file, and keep the result for other programs:
    weir http localhost:8080/orders -b @order.json --json result.json
  Another page each time:
    weir http 'localhost:8080/posts/${random(1,100)}'

Without --rate each connection sends its next request when the last one was
answered (closed model). That finds the highest throughput; but while the
server stalls nothing is sent, so the stall hardly shows. With --rate requests
are due by the clock (open model), and what they waited is in the response time.";

/// Put load on one URL
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct HttpArgs {
    /// Where to, http:// if it has no scheme; ${uuid}, ${iteration}, ${user_index} and ${random(LOW,HIGH)} are filled in
    pub(crate) url: String,

    /// Connections; without --rate also how many requests are under way at once
    #[arg(short, long, value_name = "N", default_value_t = 64, help_heading = "Load")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub(crate) connections: u32,
    /// Requests per time, such as 1000/s or 90/min; without it as fast as possible
    #[arg(short, long, help_heading = "Load")]
    pub(crate) rate: Option<String>,
    /// How long, such as 30s or 5m [default: 10s, or until --count is reached]
    #[arg(short, long, help_heading = "Load")]
    pub(crate) duration: Option<String>,
    /// Stop after so many requests
    #[arg(short = 'n', long, value_name = "N", help_heading = "Load")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) count: Option<u64>,
    /// Load for so long first that is no part of the result
    #[arg(long, value_name = "DURATION", help_heading = "Load")]
    pub(crate) warmup: Option<String>,
    /// Arrivals independent of each other (a Poisson process) in place of evenly spaced ones
    #[arg(long, requires = "rate", help_heading = "Load")]
    pub(crate) poisson: bool,

    /// Method [default: GET, or POST with a body]
    #[arg(short = 'X', long, help_heading = "Request")]
    pub(crate) method: Option<String>,
    /// A header 'name: value'; may be given several times
    #[arg(short = 'H', long = "header", value_name = "HEADER", help_heading = "Request")]
    pub(crate) headers: Vec<String>,
    /// The body, or @FILE
    #[arg(short, long, help_heading = "Request")]
    pub(crate) body: Option<String>,
    /// Limit from sending a request to the end of its answer [default: 30s]
    #[arg(long, value_name = "DURATION", help_heading = "Request")]
    pub(crate) timeout: Option<String>,

    /// Limit on connecting, TLS included [default: 5s]
    #[arg(long, value_name = "DURATION", help_heading = "Connection")]
    pub(crate) connect_timeout: Option<String>,
    /// A new connection for each request
    #[arg(long, help_heading = "Connection")]
    pub(crate) no_keepalive: bool,
    /// Don't verify the server's certificate
    #[arg(short = 'k', long, help_heading = "Connection")]
    pub(crate) insecure: bool,
    /// Trust the certificates in this PEM file in place of the built-in ones
    #[arg(long, value_name = "FILE", conflicts_with = "insecure", help_heading = "Connection")]
    pub(crate) cacert: Option<String>,
    /// Connect to this Unix socket
    #[arg(long, value_name = "PATH", conflicts_with = "resolve", help_heading = "Connection")]
    pub(crate) unix_socket: Option<PathBuf>,
    /// Use this address for the host in place of name resolution; several are used in turn
    #[arg(long, value_name = "HOST:ADDRESS", help_heading = "Connection")]
    pub(crate) resolve: Vec<String>,

    #[command(flatten)]
    pub(crate) runner: RunnerArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
