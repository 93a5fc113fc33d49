//! A command line of wrk or wrk2 read into [`Options`], with what both tools do when it is wrong: a line on stderr, the usage on stdout, exit 1.

use crate::getopt::{self, Flag, Found};
use crate::options::{Mode, Options, Output, Url};
use crate::quantities;
use std::path::PathBuf;
use units::NS_PER_SEC;

/// What both tools do without flags.
const CONNECTIONS: u64 = 10;
const THREADS: u64 = 2;
const DURATION_NS: u64 = 10 * NS_PER_SEC;
const TIMEOUT_NS: u64 = 2 * NS_PER_SEC;
/// More threads than any machine has CPUs; each costs a stack.
const THREADS_MAX: u64 = 1024;
/// More connections than a machine has ports and memory for.
const CONNECTIONS_MAX: u64 = 10_000_000;

/// A command line as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// `-v` was there: the version is said on stdout before anything else.
    pub wants_version: bool,
    /// What is asked for, or why nothing is done.
    pub outcome: Result<Options, Refusal>,
}

/// Why nothing is done: the usage is said on stdout and the exit code is 1.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Refusal {
    /// What is said on stderr before; may be empty.
    pub message: String,
}

impl From<String> for Refusal {
    fn from(message: String) -> Self {
        Self { message }
    }
}

const fn original(long: &'static str, short: char, takes_value: bool) -> Flag {
    Flag { long, short: Some(short), takes_value, is_original: true }
}

const fn added(long: &'static str, short: Option<char>, takes_value: bool) -> Flag {
    Flag { long, short, takes_value, is_original: false }
}

/// What both tools have.
const BOTH: [Flag; 9] = [
    original("connections", 'c', true),
    original("duration", 'd', true),
    original("threads", 't', true),
    original("script", 's', true),
    original("header", 'H', true),
    original("latency", 'L', false),
    original("timeout", 'T', true),
    Flag { long: "help", short: Some('?'), takes_value: false, is_original: true },
    original("version", 'v', false),
];
/// What wrk2 has besides.
const WRK2: [Flag; 3] =
    [original("rate", 'R', true), original("u_latency", 'U', false), original("batch_latency", 'B', false)];
/// What neither has.
const ADDED: [Flag; 16] = [
    added("rate", Some('R'), true),
    added("warmup", None, true),
    added("insecure", Some('k'), false),
    added("cacert", None, true),
    added("json", None, true),
    added("markdown", None, true),
    added("junit", None, true),
    added("fail-on", None, true),
    added("slo", None, true),
    added("driver", None, true),
    added("seed", None, true),
    added("name", None, true),
    added("label", None, true),
    added("store", None, true),
    added("no-store", None, false),
    added("quiet", Some('q'), false),
];

/// What was typed, before it is looked at as a whole.
#[derive(Default)]
struct Typed {
    connections: Option<u64>,
    threads: Option<u64>,
    duration_ns: Option<u64>,
    timeout_ns: Option<u64>,
    headers: Vec<(String, String)>,
    script: Option<PathBuf>,
    latency: bool,
    uncorrected_latency: bool,
    batch_latency: bool,
    rate: Option<units::Rate>,
    warmup_ns: Option<u64>,
    insecure: bool,
    slos: Vec<String>,
    seed: Option<u64>,
    name: Option<String>,
    output: Output,
    warnings: Vec<String>,
    operands: Vec<String>,
}

/// Reads the words behind the program's name. `program` is what getopt's messages begin with.
pub fn read(words: &[String], mode: Mode, program: &str) -> Reading {
    let mut table = BOTH.to_vec();
    if mode == Mode::Wrk2 {
        table.extend(WRK2);
    }
    table.extend(ADDED);
    let found = match getopt::read(words, &table) {
        Ok(found) => found,
        Err(message) => {
            let message = format!("{program}: {message}");
            return Reading { wants_version: false, outcome: Err(message.into()) };
        }
    };
    let wants_version = found.iter().any(|found| matches!(found, Found::Flag("version", _)));
    let mut typed = Typed::default();
    let taken = found.into_iter().try_for_each(|found| typed.take(found, program));
    Reading { wants_version, outcome: taken.and_then(|()| typed.checked(mode)) }
}

impl Typed {
    fn take(&mut self, found: Found, program: &str) -> Result<(), Refusal> {
        let (name, value) = match found {
            Found::Operand(text) => {
                self.operands.push(text);
                return Ok(());
            }
            Found::Flag(name, value) => (name, value),
        };
        let unread = |what: &str, example: &str| {
            Refusal::from(format!("{program}: --{name} `{value}` is no {what}; write for example {example}"))
        };
        let number = || quantities::number(&value).ok_or_else(|| unread("number", "100 or 1k"));
        let time = || quantities::time_ns(&value).ok_or_else(|| unread("time", "30s, 2m or 500ms"));
        let path = || Some(PathBuf::from(&value));
        match name {
            "connections" => self.connections = Some(number()?),
            "threads" => self.threads = Some(number()?),
            "duration" => self.duration_ns = Some(time()?),
            "timeout" => self.timeout_ns = Some(time()?),
            "script" => self.script = path(),
            "header" => self.header(&value),
            "latency" => self.latency = true,
            "u_latency" => (self.latency, self.uncorrected_latency) = (true, true),
            "batch_latency" => self.batch_latency = true,
            "rate" => {
                self.rate = Some(quantities::rate(&value).ok_or_else(|| unread("rate", "1000 or 2k"))?);
            }
            "warmup" => self.warmup_ns = Some(time()?),
            "insecure" => self.insecure = true,
            "cacert" => self.output.cacert = path(),
            "json" => self.output.json = path(),
            "markdown" => self.output.markdown = path(),
            "junit" => self.output.junit = path(),
            "fail-on" => {
                self.output.fail_on = Some(
                    one_of(&value, &["invalid", "suspect"])
                        .ok_or_else(|| unread("verdict", "invalid or suspect"))?,
                )
            }
            "driver" => {
                self.output.driver = Some(
                    one_of(&value, &["auto", "epoll", "io_uring"])
                        .ok_or_else(|| unread("driver", "epoll or io_uring"))?,
                )
            }
            "slo" => self.slos.push(value),
            "seed" => self.seed = Some(number()?),
            "name" => self.name = Some(value),
            "label" => self.output.labels.push(value),
            "store" => self.output.store = path(),
            "no-store" => self.output.no_store = true,
            "quiet" => self.output.quiet = true,
            "version" => {}
            // `--help` and whatever else there is.
            _ => return Err(Refusal::default()),
        }
        Ok(())
    }

    /// Both tools drop without a word what they don't take for a header; here it is said.
    fn header(&mut self, text: &str) {
        let is_mark = |byte: u8| b"!#$%&'*+-.^_`|~".contains(&byte);
        let is_token = |name: &str| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || is_mark(byte))
        };
        let problem = match text.split_once(':') {
            None => "it has no colon",
            Some((name, _)) if !is_token(name.trim()) => "its name is no header's name",
            // It would announce a body that never comes; a script's body gets its own.
            Some((name, _)) if name.trim().eq_ignore_ascii_case("content-length") => {
                "weir sets it from the body"
            }
            Some((_, value)) if value.chars().any(|c| c.is_control() && c != '\t') => {
                "there is a control character in its value"
            }
            Some((name, value)) => {
                self.headers.push((name.trim().to_owned(), value.trim().to_owned()));
                return;
            }
        };
        self.warnings.push(format!(
            "the header `{text}` is not sent: {problem}; write for example -H 'accept: text/html'"
        ));
    }

    /// Holds it against what both tools demand, in their order.
    fn checked(self, mode: Mode) -> Result<Options, Refusal> {
        let threads = self.threads.unwrap_or(THREADS);
        let connections = self.connections.unwrap_or(CONNECTIONS);
        let (duration_ns, timeout_ns) =
            (self.duration_ns.unwrap_or(DURATION_NS), self.timeout_ns.unwrap_or(TIMEOUT_NS));
        let mut operands = self.operands.into_iter();
        let Some(url) = operands.next() else { return Err(Refusal::default()) };
        let above_0 = [("threads", threads), ("duration", duration_ns), ("timeout", timeout_ns)];
        if let Some((name, _)) = above_0.iter().find(|(_, value)| *value == 0) {
            return Err(format!("--{name} must be above 0").into());
        }
        let Some(url) = Url::parse(&url) else { return Err(format!("invalid URL: {url}").into()) };
        if connections == 0 || connections < threads {
            return Err("number of connections must be >= threads".to_owned().into());
        }
        if connections > CONNECTIONS_MAX || threads > THREADS_MAX {
            let message = format!("at most {CONNECTIONS_MAX} connections and {THREADS_MAX} threads");
            return Err(message.into());
        }
        let rate = self.rate.filter(|rate| !rate.is_zero());
        if mode == Mode::Wrk2 && rate.is_none() {
            return Err("Throughput MUST be specified with the --rate or -R option".to_owned().into());
        }
        let mut warnings = self.warnings;
        if url.has_user {
            warnings.push(
                "the user name and password of the URL are not sent; give them as a header: -H 'authorization: Basic …'"
                    .to_owned(),
            );
        }
        Ok(Options {
            mode,
            url,
            // Both are within their limits, checked above.
            connections: u32::try_from(connections).unwrap_or(u32::MAX),
            threads: u32::try_from(threads).unwrap_or(u32::MAX),
            duration_ns,
            timeout_ns,
            headers: self.headers,
            script: self.script,
            script_args: operands.collect(),
            latency: self.latency,
            uncorrected_latency: self.uncorrected_latency,
            batch_latency: self.batch_latency,
            rate,
            warmup_ns: self.warmup_ns,
            insecure: self.insecure,
            slos: self.slos,
            seed: self.seed,
            name: self.name,
            output: self.output,
            warnings,
        })
    }
}

fn one_of(value: &str, known: &[&str]) -> Option<String> {
    known.contains(&value).then(|| value.to_owned())
}

#[cfg(test)]
#[path = "args_tests.rs"]
mod tests;
