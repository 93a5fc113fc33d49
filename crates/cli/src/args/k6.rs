//! `weir k6`: its words are read by the crate that speaks them, in pflag's manner; those of commands that k6's reader does not know, here.

use clap::{Args, Parser};
use std::ffi::OsString;
use std::path::PathBuf;

/// Run a k6 script as k6 does: `weir k6 run script.js`, `weir k6 inspect script.js`
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct K6Args {
    /// As k6 takes them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND, FLAGS AND SCRIPT")]
    pub(crate) words: Vec<OsString>,
}

const CONVERT_EXAMPLES: &str = "\
Examples:
  weir k6 convert session.har                            the script on stdout
  weir k6 convert -O script.js --only example.org session.har
  weir k6 convert -O script.js --batch-threshold 800 session.har
  weir k6 convert -O script.js --no-batch --enable-status-code-checks session.har
  weir k6 run -u 1 -i 1 script.js

A HAR file is what browsers save: developer tools, Network, \"Save all as HAR\". It holds passwords
and cookies of whoever recorded it, and so does the script.";

/// Make a k6 script of a recording (HAR file)
#[derive(Debug, Parser)]
#[command(name = "weir k6 convert", no_binary_name = true, after_help = CONVERT_EXAMPLES, max_term_width = 100)]
pub(crate) struct ConvertArgs {
    /// The recording
    #[arg(value_name = "RECORDING.HAR")]
    pub(crate) recording: PathBuf,
    /// Where the script goes [default: stdout]
    #[arg(short = 'O', long, value_name = "FILE", default_value = "-", hide_default_value = true)]
    pub(crate) output: PathBuf,
    /// Options for the script: a JSON file
    #[arg(long, value_name = "FILE")]
    pub(crate) options: Option<PathBuf>,
    /// Only requests to these domains and those below them
    #[arg(long, value_name = "DOMAINS", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// No requests to these domains and those below them
    #[arg(long, value_name = "DOMAINS", value_delimiter = ',')]
    pub(crate) skip: Vec<String>,
    /// Send requests at once that began within so many ms of each other
    #[arg(long, value_name = "MS", default_value_t = ::k6::har::BATCH_THRESHOLD_MS)]
    pub(crate) batch_threshold: u64,
    /// Send requests one after the other
    #[arg(long, alias = "nobatch")]
    pub(crate) no_batch: bool,
    /// Check that each answer has the recorded status
    #[arg(long)]
    pub(crate) enable_status_code_checks: bool,
    /// End the iteration where such a check fails; brings the checks along
    #[arg(long)]
    pub(crate) return_on_failed_check: bool,
    /// Take values of answers (redirects, JSON) that later requests hold from the answers as they come; brings --no-batch along
    #[arg(long)]
    pub(crate) correlate: bool,
    /// Rest behind each iteration at least, s
    #[arg(long, value_name = "S", default_value_t = ::k6::har::MIN_SLEEP_S)]
    pub(crate) min_sleep: u64,
    /// Rest behind each iteration at most, s
    #[arg(long, value_name = "S", default_value_t = ::k6::har::MAX_SLEEP_S)]
    pub(crate) max_sleep: u64,
}

const VENDOR_EXAMPLES: &str = "\
Texts go into a folder, their SHA-256 sums into k6-modules.lock beside the script. Later runs take
the texts from there, without network, and refuse what has changed. Certificates in the PEM file
that SSL_CERT_FILE names are trusted in place of the public ones.

Examples:
  weir k6 vendor script.js
  weir k6 vendor --all script.js && weir k6 archive script.js";

/// Fetch all that a k6 script imports by https, once, and lock it
#[derive(Debug, Parser)]
#[command(name = "weir k6 vendor", no_binary_name = true, after_help = VENDOR_EXAMPLES, max_term_width = 100)]
pub(crate) struct VendorArgs {
    /// The script
    #[arg(value_name = "SCRIPT.JS")]
    pub(crate) script: PathBuf,
    /// Where the texts go [default: k6-modules, beside the script]
    #[arg(short = 'O', long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Also modules that Weir has built in, so that archives hold them
    #[arg(long)]
    pub(crate) all: bool,
}
