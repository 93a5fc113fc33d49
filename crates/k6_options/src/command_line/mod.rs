//! The command lines of `run`, `archive` and `inspect`: options as a layer, and settings of the process that are no options.

mod arguments;
mod flags;
mod settings;

pub use flags::usage;
pub use settings::{CompatibilityMode, Settings, SummaryMode, TestType};

use crate::exit::Fault;
use crate::net::{Dns, HostnamePatterns, IpPool, IpRange};
use crate::options::{Options, Stage, Tags, TrendStats};
use crate::segment::{Segment, SegmentSequence};
use arguments::Found;
use k6_metrics::{GoDuration, SystemTags};

/// Which command the words belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Runs a test.
    Run,
    /// Puts a test into one file.
    Archive,
    /// Says what a test's options are.
    Inspect,
}

/// A command line as it was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CommandLine {
    /// The upper layer of options.
    pub options: Options,
    /// What is no option.
    pub settings: Settings,
    /// The script: a path, `-` for stdin, a URL or an archive. Empty where help is wanted.
    pub script: String,
    /// `-h` was there: nothing else was looked at.
    pub wants_help: bool,
    /// For the log at level `warning`.
    pub warnings: Vec<String>,
}

impl CommandLine {
    /// Reads the words behind the command's name.
    ///
    /// # Errors
    ///
    /// Unknown flags, values that are none, no script or more than one: 255, with the texts of pflag and cobra.
    pub fn read(command: Command, words: &[String]) -> Result<Self, Fault> {
        let found = arguments::read(words, &flags::of(command)).map_err(Fault::usage)?;
        if found.switch("help") == Some(true) {
            return Ok(Self { wants_help: true, ..Self::default() });
        }
        let [script] = found.operands.as_slice() else {
            let said = format!("accepts 1 arg(s), received {}", found.operands.len());
            let more = match command {
                Command::Run => {
                    ": arg should either be \"-\", if reading script from stdin, or a path to a script file"
                }
                Command::Archive | Command::Inspect => "",
            };
            return Err(Fault::usage(said + more));
        };
        let mut warnings = Vec::new();
        let settings = Settings::from_flags(&found, &mut warnings)?;
        let options = options(&found).map_err(Fault::usage)?;
        Ok(Self { options, settings, script: script.clone(), wants_help: false, warnings })
    }
}

/// The options among the flags.
fn options(found: &Found) -> Result<Options, String> {
    let text = |name: &str| found.last(name).map(str::to_owned);
    let segment = |text: &str| Segment::parse(text).map_err(|fault| fault.message);
    let sequence = |text: &str| SegmentSequence::parse(text).map_err(|fault| fault.message);
    let filled = |name: &str| found.last(name).filter(|text| !text.is_empty());
    let dns = filled("dns").map(Dns::parse).transpose()?;
    if let Some(dns) = &dns {
        dns.ttl_ns().map_err(|fault| fault.message)?;
    }
    Ok(Options {
        paused: found.switch("paused"),
        vus: found.int("vus"),
        duration: duration(found, "duration")?,
        iterations: found.int("iterations"),
        stages: stages(found)?,
        execution_segment: filled("execution-segment").map(segment).transpose()?,
        execution_segment_sequence: filled("execution-segment-sequence").map(sequence).transpose()?,
        no_setup: found.switch("no-setup"),
        no_teardown: found.switch("no-teardown"),
        rps: found.int("rps"),
        dns,
        max_redirects: found.int("max-redirects"),
        user_agent: text("user-agent"),
        batch: found.int("batch"),
        batch_per_host: found.int("batch-per-host"),
        http_debug: text("http-debug"),
        insecure_skip_tls_verify: found.switch("insecure-skip-tls-verify"),
        throw: found.switch("throw"),
        blacklist_ips: networks(found)?,
        block_hostnames: found.list("block-hostnames")?.map(HostnamePatterns::new).transpose()?,
        no_connection_reuse: found.switch("no-connection-reuse"),
        no_vu_connection_reuse: found.switch("no-vu-connection-reuse"),
        min_iteration_duration: duration(found, "min-iteration-duration")?,
        summary_trend_stats: trend_stats(found)?,
        summary_time_unit: time_unit(found)?,
        system_tags: found.list("system-tags")?.filter(|names| !names.is_empty()).map(SystemTags::named),
        tags: tags(found)?,
        discard_response_bodies: found.switch("discard-response-bodies"),
        features: features(found),
        console_output: text("console-output"),
        local_ips: filled("local-ips").map(IpPool::parse).transpose()?,
        ..Options::default()
    })
}

fn duration(found: &Found, name: &str) -> Result<Option<GoDuration>, String> {
    found.last(name).map(GoDuration::parse).transpose()
}

fn stages(found: &Found) -> Result<Option<Vec<Stage>>, String> {
    let Some(texts) = found.list("stage")? else { return Ok(None) };
    let stage = |(number, text): (usize, String)| {
        let stage = Stage::parse(&text, GoDuration::parse)
            .map_err(|said| format!("error for stage {number}: {said}"))?;
        if stage.duration.is_none() {
            return Err(format!("stage {number} doesn't have a specified duration"));
        }
        Ok(stage)
    };
    let texts = texts.into_iter().filter(|text| !text.is_empty());
    texts.enumerate().map(stage).collect::<Result<_, _>>().map(Some)
}

fn networks(found: &Found) -> Result<Option<Vec<IpRange>>, String> {
    let Some(texts) = found.list("blacklist-ip")? else { return Ok(None) };
    let network = |text: &String| {
        let short: String = text.chars().take(64).collect();
        IpRange::parse(text)
            .map_err(|_| format!("error parsing blacklist-ip '{short}': invalid CIDR address: {short}"))
    };
    texts.iter().map(network).collect::<Result<_, _>>().map(Some)
}

fn trend_stats(found: &Found) -> Result<Option<TrendStats>, String> {
    let stats = found.list("summary-trend-stats")?.map(TrendStats::new);
    stats.map(|stats| stats.check().map(|()| stats).map_err(|fault| fault.message)).transpose()
}

fn time_unit(found: &Found) -> Result<Option<String>, String> {
    match found.last("summary-time-unit") {
        None | Some("") => Ok(None),
        Some(unit @ ("s" | "ms" | "us")) => Ok(Some(unit.to_owned())),
        Some(other) => {
            let short: String = other.chars().take(64).collect();
            Err(format!("invalid summary time unit '{short}', use 's', 'ms' or 'us'"))
        }
    }
}

fn tags(found: &Found) -> Result<Option<Tags>, String> {
    let mut tags = Tags::new();
    for text in found.all("tag") {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        let what = match (name, value) {
            ("", _) => "empty name",
            (_, "") => "empty value",
            _ => {
                tags.insert(name.to_owned(), value.to_owned());
                continue;
            }
        };
        let short: String = text.chars().take(100).collect();
        return Err(format!("error parsing tag '{short}': invalid tag, {what}"));
    }
    Ok((!tags.is_empty()).then_some(tags))
}

fn features(found: &Found) -> Option<Vec<String>> {
    let names = found.all("features").flat_map(|text| text.split(','));
    let names: Vec<String> =
        names.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
    (!names.is_empty()).then_some(names)
}
