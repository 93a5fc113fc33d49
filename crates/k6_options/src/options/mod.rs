//! All options of a test, each set or not, and the layers they come from.
//!
//! One table below declares every option once: its name, type, key in scripts and variable. Reading, laying over and showing follow from it.

mod layers;
mod limits;
mod summary;
pub(crate) mod value;

pub use layers::{ConfigFile, Consolidated, Layers};
pub use summary::{Threshold, Thresholds, TrendStats};
pub use value::{Stage, Tags};

use crate::executor::Scenarios;
use crate::exit::Fault;
use crate::net::{CipherSuite, Dns, HostnamePatterns, Hosts, IpPool, IpRange, TlsAuth, TlsVersions};
use crate::segment::{Segment, SegmentSequence};
use k6_metrics::{GoDuration, Json, SystemTags};
use serde_json::Value;
use std::collections::BTreeMap;
use value::OptionValue;

/// Where an option's key may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In scripts and configuration files.
    Anywhere,
    /// As `Anywhere`, and left out where it is not set.
    ShownIfSet,
    /// Only in variables and on the command line; its key is shown to scripts.
    NoScript,
}

/// What came of one member of an object of options.
enum Member {
    Read,
    Wrong(String),
    Unknown,
}

macro_rules! options {
    ($($(#[$doc:meta])* $field:ident: $type:ty = $key:literal $(, $variable:literal)?, $place:ident;)*) => {
        /// Every option, set (`Some`) or not. Times and sizes carry their unit in their type or doc.
        #[derive(Debug, Clone, PartialEq, Default)]
        pub struct Options {
            $($(#[$doc])* pub $field: Option<$type>,)*
        }

        impl Options {
            fn read_member(&mut self, name: &str, value: &Value) -> Member {
                $(if name.eq_ignore_ascii_case($key) && Place::$place != Place::NoScript {
                    if value.is_null() {
                        self.$field = None;
                        return Member::Read;
                    }
                    return match <$type>::from_json(value) {
                        Ok(value) => { self.$field = value; Member::Read }
                        Err(said) => Member::Wrong(said),
                    };
                })*
                Member::Unknown
            }

            /// Reads the `K6_*` variables among those given.
            ///
            /// # Errors
            ///
            /// All that can't be read: 104.
            pub fn from_variables(variables: &BTreeMap<String, String>) -> Result<Self, Fault> {
                let mut options = Self::default();
                let mut faults = Vec::new();
                $($(if let Some(text) = variables.get($variable) {
                    match <$type>::from_text(text) {
                        Ok(value) => options.$field = value,
                        Err(said) => faults.push(format!("assigning {} to {}: {said}", $variable, $key)),
                    }
                })?)*
                limits::gathered(faults)?;
                Ok(options)
            }

            /// Lays what is set above over this, option by option.
            fn overlay(&mut self, above: Self) {
                $(match (&mut self.$field, above.$field) {
                    (_, None) => {}
                    (_, Some(above)) if above.says_nothing() => {}
                    (Some(below), Some(above)) => OptionValue::overlay(below, above),
                    (below @ None, Some(above)) => *below = Some(above),
                })*
            }

            /// Key, place and value, in the order in which they are shown.
            fn members(&self) -> Vec<(&'static str, Place, Option<Json>)> {
                vec![$(($key, Place::$place, self.$field.as_ref().map(OptionValue::to_json))),*]
            }
        }
    };
}

options! {
    /// Whether the test starts paused.
    paused: bool = "paused", "K6_PAUSED", Anywhere;
    /// How many VUs.
    vus: i64 = "vus", "K6_VUS", Anywhere;
    /// How long.
    duration: GoDuration = "duration", "K6_DURATION", Anywhere;
    /// How many iterations over all VUs.
    iterations: i64 = "iterations", "K6_ITERATIONS", Anywhere;
    /// Shortcut for a ramping number of VUs.
    stages: Vec<Stage> = "stages", "K6_STAGES", Anywhere;
    /// What runs, by name.
    scenarios: Scenarios = "scenarios", Anywhere;
    /// Which part of the whole test this instance runs.
    execution_segment: Segment = "executionSegment", Anywhere;
    /// How the whole is cut.
    execution_segment_sequence: SegmentSequence = "executionSegmentSequence", Anywhere;
    /// Whether `setup` is left out.
    no_setup: bool = "noSetup", "K6_NO_SETUP", Anywhere;
    /// How long `setup` may take; above 0.
    setup_timeout: GoDuration = "setupTimeout", "K6_SETUP_TIMEOUT", Anywhere;
    /// Whether `teardown` is left out.
    no_teardown: bool = "noTeardown", "K6_NO_TEARDOWN", Anywhere;
    /// How long `teardown` may take.
    teardown_timeout: GoDuration = "teardownTimeout", "K6_TEARDOWN_TIMEOUT", Anywhere;
    /// How long `handleSummary` may take.
    handle_summary_timeout: GoDuration = "handleSummaryTimeout", "K6_HANDLE_SUMMARY_TIMEOUT", Anywhere;
    /// At most so many requests per second over all VUs; 0 and below: no limit.
    rps: i64 = "rps", "K6_RPS", Anywhere;
    /// Name resolution.
    dns: Dns = "dns", "K6_DNS", Anywhere;
    /// How many redirects are followed.
    max_redirects: i64 = "maxRedirects", "K6_MAX_REDIRECTS", Anywhere;
    /// The `User-Agent` header.
    user_agent: String = "userAgent", "K6_USER_AGENT", Anywhere;
    /// How many requests of a batch run at once.
    batch: i64 = "batch", "K6_BATCH", Anywhere;
    /// How many of them per host.
    batch_per_host: i64 = "batchPerHost", "K6_BATCH_PER_HOST", Anywhere;
    /// `full`: requests and answers are logged with bodies; any other text: without.
    http_debug: String = "httpDebug", "K6_HTTP_DEBUG", Anywhere;
    /// Whether certificates go unverified.
    insecure_skip_tls_verify: bool = "insecureSkipTLSVerify", "K6_INSECURE_SKIP_TLS_VERIFY", Anywhere;
    /// Which cipher suites may be used.
    tls_cipher_suites: Vec<CipherSuite> = "tlsCipherSuites", "K6_TLS_CIPHER_SUITES", Anywhere;
    /// Which versions of TLS may be used.
    tls_version: TlsVersions = "tlsVersion", Anywhere;
    /// Certificates of the client.
    tls_auth: Vec<TlsAuth> = "tlsAuth", "K6_TLSAUTH", Anywhere;
    /// Whether failed requests throw.
    throw: bool = "throw", "K6_THROW", Anywhere;
    /// Objectives by metric or sub-metric.
    thresholds: Thresholds = "thresholds", "K6_THRESHOLDS", Anywhere;
    /// Networks that must not be called.
    blacklist_ips: Vec<IpRange> = "blacklistIPs", "K6_BLACKLIST_IPS", Anywhere;
    /// Names that must not be called.
    block_hostnames: HostnamePatterns = "blockHostnames", "K6_BLOCK_HOSTNAMES", Anywhere;
    /// Names that go to addresses of one's own.
    hosts: Hosts = "hosts", "K6_HOSTS", Anywhere;
    /// Whether each request opens a connection.
    no_connection_reuse: bool = "noConnectionReuse", "K6_NO_CONNECTION_REUSE", Anywhere;
    /// Whether each iteration opens connections anew.
    no_vu_connection_reuse: bool = "noVUConnectionReuse", "K6_NO_VU_CONNECTION_REUSE", Anywhere;
    /// Shorter iterations are followed by a rest until then.
    min_iteration_duration: GoDuration = "minIterationDuration", "K6_MIN_ITERATION_DURATION", Anywhere;
    /// Carried, not looked into.
    cloud: Value = "cloud", ShownIfSet;
    /// Carried, not looked into.
    ext: BTreeMap<String, Value> = "ext", Anywhere;
    /// What the summary shows of trends.
    summary_trend_stats: TrendStats = "summaryTrendStats", "K6_SUMMARY_TREND_STATS", Anywhere;
    /// `s`, `ms` or `us`: the unit of times in the summary; any other text: each in its own.
    summary_time_unit: String = "summaryTimeUnit", "K6_SUMMARY_TIME_UNIT", Anywhere;
    /// Which tags samples carry by themselves.
    system_tags: SystemTags = "systemTags", "K6_SYSTEM_TAGS", Anywhere;
    /// What all samples carry.
    tags: Tags = "tags", "K6_TAGS", Anywhere;
    /// How many samples may wait.
    metric_samples_buffer_size: i64 = "metricSamplesBufferSize", "K6_METRIC_SAMPLES_BUFFER_SIZE", Anywhere;
    /// Whether cookies outlive an iteration.
    no_cookies_reset: bool = "noCookiesReset", "K6_NO_COOKIES_RESET", Anywhere;
    /// Whether bodies are dropped unless a request asks for its own.
    discard_response_bodies: bool = "discardResponseBodies", "K6_DISCARD_RESPONSE_BODIES", Anywhere;
    /// Names of what is not on by itself; a script can't set them.
    features: Vec<String> = "features", "K6_FEATURES", Anywhere;
    /// A file that takes what `console` says.
    console_output: String = "consoleOutput", "K6_CONSOLE_OUTPUT", NoScript;
    /// The addresses that VUs call from.
    local_ips: IpPool = "localIPs", "K6_LOCAL_IPS", NoScript;
}

impl OptionValue for BTreeMap<String, Value> {
    fn from_json(value: &Value) -> Result<Option<Self>, String> {
        let members = value.as_object().ok_or_else(|| value::not_a(value, "an object"))?;
        Ok(Some(members.iter().map(|(name, value)| (name.clone(), value.clone())).collect()))
    }

    fn to_json(&self) -> Json {
        Json::Object(self.iter().map(|(name, value)| (name.clone(), value.into())).collect())
    }
}

/// Options as a script exported them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScriptOptions {
    /// What is set.
    pub options: Options,
    /// What was odd and went on all the same, for the log at level `warning`.
    pub warnings: Vec<String>,
}

impl Options {
    /// How many redirects are followed where nothing is said.
    pub const MAX_REDIRECTS: i64 = 10;
    /// How many requests of a batch run at once where nothing is said.
    pub const BATCH: i64 = 20;
    /// How many of them per host where nothing is said.
    pub const BATCH_PER_HOST: i64 = 6;
    /// How long `setup` and `teardown` may take where nothing is said.
    pub const SETUP_TIMEOUT: GoDuration = GoDuration::from_secs(60);
    /// How long `handleSummary` may take where nothing is said.
    pub const HANDLE_SUMMARY_TIMEOUT: GoDuration = GoDuration::from_secs(120);

    /// Reads the options that a script exports: an object, or null.
    ///
    /// Keys are matched without regard to case. Whole numbers may be decimal texts, durations are ms or Go's syntax with days, booleans are
    /// strict. What is not known at the top is a warning, in a scenario an error.
    ///
    /// # Errors
    ///
    /// All that can't be read, each with its key: 104.
    pub fn from_script(value: &Value) -> Result<ScriptOptions, Fault> {
        let (options, unknown) = Self::from_json(value)?;
        let mut warnings = Vec::new();
        if !unknown.is_empty() {
            let names: Vec<String> = unknown.iter().map(|name| format!("`{name}`")).collect();
            let names = names.join(", ");
            warnings
                .push(format!("There were unknown fields in the options exported in the script: {names}"));
        }
        if options.features.is_some() {
            let said = "Feature flags in script options are not supported; use --features, K6_FEATURES, or the JSON config";
            warnings.push(said.to_owned());
        }
        Ok(ScriptOptions { options: Self { features: None, ..options }, warnings })
    }

    /// Options and the keys that are none, at most ten of them.
    fn from_json(value: &Value) -> Result<(Self, Vec<String>), Fault> {
        let mut options = Self::default();
        let mut unknown = Vec::new();
        if value.is_null() {
            return Ok((options, unknown));
        }
        limits::check(value)?;
        let Some(members) = value.as_object() else {
            return Err(
                Fault::config(value::not_a(value, "options")).hint("export an object named `options`")
            );
        };
        let mut faults = Vec::new();
        for (name, value) in members {
            match options.read_member(name, value) {
                Member::Read => {}
                Member::Wrong(said) => faults.push(format!("option `{name}`: {said}")),
                Member::Unknown if unknown.len() < 10 => unknown.push(name.chars().take(64).collect()),
                Member::Unknown => {}
            }
        }
        limits::gathered(faults)?;
        Ok((options, unknown))
    }

    /// What `inspect` prints of a script's options: every key, null where it is not set.
    pub fn inspect(&self) -> Json {
        let is_shown = |place: Place, value: &Option<Json>| match place {
            Place::Anywhere => true,
            Place::ShownIfSet => value.is_some(),
            Place::NoScript => false,
        };
        let all = self.with_dns();
        let members = all.members().into_iter().filter(|(_, place, value)| is_shown(*place, value));
        Json::Object(members.map(|(key, _, value)| (key.to_owned(), value.unwrap_or(Json::Null))).collect())
    }

    /// The object that scripts see as `exec.test.options`, of consolidated options: every key but the shortcuts, null where it is not set,
    /// durations in Go's syntax.
    pub fn as_seen_by_scripts(&self) -> Json {
        let is_shown = |key: &str, place: Place, value: &Option<Json>| {
            !["vus", "duration", "iterations", "stages"].contains(&key)
                && (place != Place::ShownIfSet || value.is_some())
        };
        let all = self.with_dns();
        let members = all.members().into_iter().filter(|(key, place, value)| is_shown(key, *place, value));
        Json::Object(members.map(|(key, _, value)| (key.to_owned(), value.unwrap_or(Json::Null))).collect())
    }

    /// The three parts of `dns` are always shown.
    fn with_dns(&self) -> Self {
        let mut all = self.clone();
        all.dns.get_or_insert_default();
        all
    }
}
