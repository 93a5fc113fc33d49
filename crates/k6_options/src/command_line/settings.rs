//! What a command line and variables say besides options: how the script is loaded, where results go, how much is said.

use super::arguments::{Found, parse_bool};
use crate::exit::Fault;
use crate::options::value::OptionValue;
use std::collections::BTreeMap;

/// Which globals scripts have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CompatibilityMode {
    /// `global` besides `globalThis`.
    #[default]
    Extended,
    /// Only what the language has.
    Base,
}

/// What the file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestType {
    /// A script.
    Js,
    /// A test in one file.
    Archive,
}

/// How much the summary at the end says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SummaryMode {
    /// In groups, the essential.
    #[default]
    Compact,
    /// With groups and scenarios of their own.
    Full,
    /// As k6 up to 0.56 printed it.
    Legacy,
    /// Nothing.
    Disabled,
}

/// What is no option of a test, set or not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// Whether `__ENV` holds the system's variables; where it is not set: yes for `run`, no for the others.
    pub include_system_env_vars: Option<bool>,
    /// Which globals scripts have.
    pub compatibility_mode: Option<CompatibilityMode>,
    /// What the file is, where its content does not tell.
    pub test_type: Option<TestType>,
    /// For `__ENV`; wins over the system's variables.
    pub env: BTreeMap<String, String>,
    /// Whether thresholds are left out.
    pub no_thresholds: Option<bool>,
    /// How much the summary says.
    pub summary_mode: Option<SummaryMode>,
    /// Where the summary goes as JSON.
    pub summary_export: Option<String>,
    /// Whether the summary's data has the newer form.
    pub new_machine_readable_summary: Option<bool>,
    /// `none` or `otel[=…]`.
    pub traces_output: Option<String>,
    /// Where samples go, unread: `json=file`, `csv`, …
    pub out: Vec<String>,
    /// Whether the process stays after the test's end.
    pub linger: Option<bool>,
    /// Accepted; nothing is ever reported.
    pub no_usage_report: Option<bool>,
    /// Whether a dashboard is wanted (variable only).
    pub web_dashboard: Option<bool>,
    /// Of `archive`: where to, `-` is stdout.
    pub archive_out: Option<String>,
    /// Of `archive`: whether variables are left out.
    pub exclude_env_vars: Option<bool>,
    /// Of `inspect`: whether derived scenarios, VUs and duration are shown too.
    pub execution_requirements: Option<bool>,
    /// Where the control interface is served.
    pub address: Option<String>,
    /// The configuration file.
    pub config: Option<String>,
    /// `raw`, `json` or `text`.
    pub log_format: Option<String>,
    /// `stderr`, `stdout`, `none`, `file=…`, `loki=…`, unread.
    pub log_output: Option<String>,
    /// Whether colours are left out.
    pub no_color: Option<bool>,
    /// Accepted.
    pub profiling_enabled: Option<bool>,
    /// Whether there is no progress.
    pub quiet: Option<bool>,
    /// Where secrets come from, unread.
    pub secret_source: Vec<String>,
    /// Whether more is logged.
    pub verbose: Option<bool>,
}

impl Settings {
    pub(super) fn from_flags(found: &Found, warnings: &mut Vec<String>) -> Result<Self, Fault> {
        let text = |name: &str| found.last(name).map(str::to_owned);
        let all = |name: &str| found.all(name).map(str::to_owned).collect();
        let is_disabled = found.switch("no-summary") == Some(true);
        let summary_mode = found.last("summary-mode").map(SummaryMode::parse).transpose()?;
        Ok(Self {
            include_system_env_vars: found.switch("include-system-env-vars"),
            compatibility_mode: compatibility_mode(found.last("compatibility-mode"), warnings)?,
            test_type: found.last("type").map(TestType::parse).transpose()?.flatten(),
            env: env(found)?,
            no_thresholds: found.switch("no-thresholds"),
            summary_mode: if is_disabled { Some(SummaryMode::Disabled) } else { summary_mode },
            summary_export: text("summary-export"),
            new_machine_readable_summary: found.switch("new-machine-readable-summary"),
            traces_output: text("traces-output"),
            out: all("out"),
            linger: found.switch("linger"),
            no_usage_report: found.switch("no-usage-report"),
            web_dashboard: None,
            archive_out: text("archive-out"),
            exclude_env_vars: found.switch("exclude-env-vars"),
            execution_requirements: found.switch("execution-requirements"),
            address: text("address"),
            config: text("config"),
            log_format: text("log-format"),
            log_output: text("log-output"),
            no_color: found.switch("no-color"),
            profiling_enabled: found.switch("profiling-enabled"),
            quiet: found.switch("quiet"),
            secret_source: all("secret-source"),
            verbose: found.switch("verbose"),
        })
    }

    /// Fills in from variables what the command line does not say. `K6_*` twins of flags, `NO_COLOR` and no others are looked at.
    ///
    /// # Errors
    ///
    /// Booleans and modes that are none: 255, and 104 where k6 reads them with its configuration.
    pub fn with_variables(
        mut self,
        variables: &BTreeMap<String, String>,
        warnings: &mut Vec<String>,
    ) -> Result<Self, Fault> {
        let text = |name: &str| variables.get(name).filter(|text| !text.is_empty()).cloned();
        let switch = |name: &str| {
            let read = text(name).map(|text| parse_bool(&text)).transpose();
            read.map_err(|said| {
                Fault::usage(format!("env var '{name}' is not a valid boolean value: {said}"))
            })
        };
        let strict = |name: &str| {
            let read = text(name).map(|text| bool::from_text(&text)).transpose();
            read.map(Option::flatten).map_err(|said| Fault::config(format!("assigning {name}: {said}")))
        };
        let list = |name: &str| {
            text(name).map_or_else(Vec::new, |text| text.split(',').map(str::to_owned).collect::<Vec<_>>())
        };
        self.include_system_env_vars = self.include_system_env_vars.or(switch("K6_INCLUDE_SYSTEM_ENV_VARS")?);
        if self.compatibility_mode.is_none() {
            self.compatibility_mode = compatibility_mode(text("K6_COMPATIBILITY_MODE").as_deref(), warnings)?;
        }
        if self.test_type.is_none() {
            self.test_type = text("K6_TYPE").map(|text| TestType::parse(&text)).transpose()?.flatten();
        }
        self.no_thresholds = self.no_thresholds.or(switch("K6_NO_THRESHOLDS")?);
        if self.summary_mode.is_none() {
            let mode = text("K6_SUMMARY_MODE").map(|text| SummaryMode::parse(&text)).transpose()?;
            let is_disabled = switch("K6_NO_SUMMARY")? == Some(true);
            self.summary_mode = if is_disabled { Some(SummaryMode::Disabled) } else { mode };
        }
        let newer = switch("K6_NEW_MACHINE_READABLE_SUMMARY")?;
        self.new_machine_readable_summary = self.new_machine_readable_summary.or(newer);
        self.linger = self.linger.or(strict("K6_LINGER")?);
        self.no_usage_report = self.no_usage_report.or(strict("K6_NO_USAGE_REPORT")?);
        self.web_dashboard = self.web_dashboard.or(switch("K6_WEB_DASHBOARD")?);
        self.profiling_enabled = self.profiling_enabled.or(switch("K6_PROFILING_ENABLED")?);
        let is_colourless = ["NO_COLOR", "K6_NO_COLOR"].iter().any(|name| variables.contains_key(*name));
        self.no_color = self.no_color.or(is_colourless.then_some(true));
        for (place, name) in [
            (&mut self.summary_export, "K6_SUMMARY_EXPORT"),
            (&mut self.traces_output, "K6_TRACES_OUTPUT"),
            (&mut self.address, "K6_ADDRESS"),
            (&mut self.config, "K6_CONFIG"),
            (&mut self.log_format, "K6_LOG_FORMAT"),
            (&mut self.log_output, "K6_LOG_OUTPUT"),
        ] {
            if place.is_none() {
                *place = text(name);
            }
        }
        if self.out.is_empty() {
            self.out = list("K6_OUT");
        }
        if self.secret_source.is_empty() {
            // One source, whose parts have commas between them.
            self.secret_source = text("K6_SECRET_SOURCE").into_iter().collect();
        }
        Ok(self)
    }
}

impl SummaryMode {
    /// Reads the word.
    ///
    /// # Errors
    ///
    /// Any other: 255.
    pub fn parse(word: &str) -> Result<Self, Fault> {
        match word {
            "compact" => Ok(Self::Compact),
            "full" => Ok(Self::Full),
            "legacy" => Ok(Self::Legacy),
            "disabled" => Ok(Self::Disabled),
            _ => Err(Fault::usage("invalid summary mode").hint("write compact, full, legacy or disabled")),
        }
    }
}

impl TestType {
    /// Reads the word; the empty one is none.
    fn parse(word: &str) -> Result<Option<Self>, Fault> {
        match word {
            "" => Ok(None),
            "js" => Ok(Some(Self::Js)),
            "archive" => Ok(Some(Self::Archive)),
            other => {
                let short: String = other.chars().take(64).collect();
                Err(Fault::usage(format!("unknown or unspecified test type '{short}'"))
                    .hint("write js or archive"))
            }
        }
    }
}

fn compatibility_mode(
    word: Option<&str>,
    warnings: &mut Vec<String>,
) -> Result<Option<CompatibilityMode>, Fault> {
    match word {
        None => Ok(None),
        Some("extended") => Ok(Some(CompatibilityMode::Extended)),
        Some("base") => Ok(Some(CompatibilityMode::Base)),
        Some("experimental_enhanced") => {
            warnings.push(
                "the compatibility mode experimental_enhanced is no longer needed: it is extended now"
                    .to_owned(),
            );
            Ok(Some(CompatibilityMode::Extended))
        }
        Some(other) => {
            let short: String = other.chars().take(64).collect();
            let known = r#"Use: "extended", "base", "experimental_enhanced""#;
            Err(Fault::usage(format!("invalid compatibility mode \"{short}\". {known}")))
        }
    }
}

/// `NAME=VALUE`; a name alone is set to the empty text.
fn env(found: &Found) -> Result<BTreeMap<String, String>, Fault> {
    let mut env = BTreeMap::new();
    for text in found.all("env") {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && name.bytes().next().is_some_and(|byte| !byte.is_ascii_digit());
        if !is_name {
            let short: String = name.chars().take(100).collect();
            return Err(Fault::usage(format!("invalid environment variable name '{short}'"))
                .hint("letters, digits and underscores, no digit first"));
        }
        env.insert(name.to_owned(), value.to_owned());
    }
    Ok(env)
}
