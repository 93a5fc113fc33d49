//! `weir target` and `weir demo`.

use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  weir target                                     plain HTTP on 127.0.0.1:7070
  weir target --stall 200ms/1s                    stands still for 200 ms of every second
  weir target --listen 127.0.0.1:0 --tls          a free port, TLS with a certificate of its own
  weir target --servers 4                         does 2000/s at /tests/http_req/a.xml?service_us=2000
  weir target --listen unix:/tmp/weir.sock        a Unix socket";

/// Serve as a target with known delays and faults
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TargetArgs {
    /// ADDRESS:PORT or unix:PATH; port 0 is any free one
    #[arg(short, long, value_name = "WHERE", default_value = "127.0.0.1:7070")]
    pub(crate) listen: String,
    /// Speak TLS, with a certificate made at the start
    #[arg(long)]
    pub(crate) tls: bool,
    /// Write the certificate to trust to this file (for --cacert)
    #[arg(long, value_name = "FILE", requires = "tls")]
    pub(crate) ca_out: Option<PathBuf>,
    /// Threads that serve
    #[arg(short, long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: u16,
    /// Stand still: 200ms/1s (of every second) or 2s@4s (once, after 4 s)
    #[arg(long)]
    pub(crate) stall: Option<String>,
    /// Serve at most so many requests with service_us at once at /tests/http_req/; the others wait in line
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub(crate) servers: Option<u32>,
    /// Governs the jitter of /delay
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}

/// Show what weir does: a plan of several phases against a target of its own
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Where the results go
    #[arg(short, long, value_name = "DIR", default_value = "weir-demo")]
    pub(crate) out: PathBuf,
    /// Multiply the length of all phases
    #[arg(long, value_name = "FACTOR", hide = true)]
    pub(crate) time_scale: Option<f64>,
    /// No progress line
    #[arg(short, long)]
    pub(crate) quiet: bool,
}
