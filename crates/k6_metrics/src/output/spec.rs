//! What `--out` asks for: `json=FILE`, `csv=FILE`, or CSV with a list of settings, `influxdb=URL`, `experimental-prometheus-rw`; and what the environment
//! says of it.

use super::csv::TimeFormat;
use super::push::PushSpec;
use crate::GoDuration;
use crate::registry::shown;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The file of CSV without a name.
const CSV_FILE: &str = "file.csv";

/// One output.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputSpec {
    /// What is written.
    pub format: OutputFormat,
    /// To which file; `None` is stdout, or the server that the format names.
    pub path: Option<PathBuf>,
}

/// What is written.
#[derive(Debug, Clone, PartialEq)]
pub enum OutputFormat {
    /// A line of JSON for each sample.
    Json,
    /// A row for each sample.
    Csv(TimeFormat),
    /// Requests to a server.
    Push(PushSpec),
}

/// A setting of an output that can't be understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpecError {
    /// There is no such setting.
    UnknownKey(String),
    /// A part that is no `key=value`.
    NoValue(String),
    /// It is none of the formats of time.
    BadTimeFormat(String),
    /// It is no duration.
    BadInterval(String),
    /// A server's settings: what is wrong, in words.
    Push(String),
}

impl std::fmt::Display for SpecError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::UnknownKey(key) => {
                write!(f, "csv output: `{}` is none of fileName, saveInterval, timeFormat", shown(key))
            }
            Self::Push(said) => f.write_str(said),
            Self::NoValue(part) => write!(f, "csv output: `{}` is not `key=value`", shown(part)),
            Self::BadTimeFormat(text) => write!(
                f,
                "csv output: `{}` is none of unix, unix_milli, unix_micro, unix_nano, rfc3339, rfc3339_nano",
                shown(text)
            ),
            Self::BadInterval(text) => {
                write!(f, "csv output: `{}` is no duration: write for example `1s`", shown(text))
            }
        }
    }
}

impl std::error::Error for SpecError {}

impl OutputSpec {
    /// JSON lines; an empty argument and `-` are stdout.
    pub fn json(argument: &str) -> Self {
        Self { format: OutputFormat::Json, path: path(argument) }
    }

    /// CSV. The argument is a file or `fileName=…,saveInterval=…,timeFormat=…`; what it does not say, the variables `K6_CSV_FILENAME`, `K6_CSV_SAVE_INTERVAL`
    /// and `K6_CSV_TIME_FORMAT` may. The interval is read and changes nothing: files follow the run within 200 ms.
    ///
    /// Errors: a setting that there is not, or whose value is none.
    pub fn csv(argument: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Self, SpecError> {
        let mut file = variable("K6_CSV_FILENAME").unwrap_or_else(|| CSV_FILE.to_owned());
        let mut format = TimeFormat::default();
        if let Some(interval) = variable("K6_CSV_SAVE_INTERVAL") {
            check_interval(&interval)?;
        }
        if let Some(text) = variable("K6_CSV_TIME_FORMAT") {
            format = time_format(&text)?;
        }
        if argument.contains('=') {
            for part in argument.split(',') {
                let (key, value) = part.split_once('=').ok_or_else(|| SpecError::NoValue(part.to_owned()))?;
                match key {
                    "fileName" => file = value.to_owned(),
                    "saveInterval" => check_interval(value)?,
                    "timeFormat" => format = time_format(value)?,
                    key => return Err(SpecError::UnknownKey(key.to_owned())),
                }
            }
        } else if !argument.is_empty() {
            file = argument.to_owned();
        }
        Ok(Self { format: OutputFormat::Csv(format), path: path(&file) })
    }

    /// InfluxDB 1: the argument is its URL with the database as path, `http://localhost:8086/k6` where nothing else is said. Variables `K6_INFLUXDB_*`.
    ///
    /// Errors: a URL or setting that can't be.
    pub fn influxdb(argument: &str, variables: &BTreeMap<String, String>) -> Result<Self, SpecError> {
        Self::push(PushSpec::influxdb(argument, variables))
    }

    /// Prometheus' remote write: the argument is a URL, `http://localhost:9090/api/v1/write` where nothing else is said. Variables `K6_PROMETHEUS_RW_*`.
    ///
    /// Errors: a URL or setting that can't be.
    pub fn prometheus(argument: &str, variables: &BTreeMap<String, String>) -> Result<Self, SpecError> {
        Self::push(PushSpec::prometheus(argument, variables))
    }

    fn push(spec: Result<PushSpec, String>) -> Result<Self, SpecError> {
        Ok(Self { format: OutputFormat::Push(spec.map_err(SpecError::Push)?), path: None })
    }

    /// What was asked for and is not done.
    pub fn warnings(&self) -> &[String] {
        match &self.format {
            OutputFormat::Push(spec) => spec.warnings(),
            OutputFormat::Json | OutputFormat::Csv(_) => &[],
        }
    }

    /// As it stands in the description of a run: `json (results.json)`, `json(stdout)`.
    pub fn description(&self) -> String {
        let name = match &self.format {
            OutputFormat::Json => "json",
            OutputFormat::Csv(_) => "csv",
            OutputFormat::Push(spec) => return spec.description(),
        };
        match &self.path {
            None => format!("{name}(stdout)"),
            Some(path) => format!("{name} ({})", path.display()),
        }
    }
}

fn path(text: &str) -> Option<PathBuf> {
    (!matches!(text, "" | "-")).then(|| Path::new(text).to_owned())
}

fn check_interval(text: &str) -> Result<(), SpecError> {
    match GoDuration::parse_extended(text) {
        Ok(interval) if interval >= GoDuration::ZERO => Ok(()),
        _ => Err(SpecError::BadInterval(text.to_owned())),
    }
}

fn time_format(text: &str) -> Result<TimeFormat, SpecError> {
    TimeFormat::from_word(text).ok_or_else(|| SpecError::BadTimeFormat(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn none(_: &str) -> Option<String> {
        None
    }

    #[test]
    fn arguments_are_read() {
        let check = |spec: OutputSpec, expected: &str| assert_eq!(spec.description(), expected);
        check(OutputSpec::json(""), "json(stdout)");
        check(OutputSpec::json("-"), "json(stdout)");
        check(OutputSpec::json("a.json.gz"), "json (a.json.gz)");
        check(OutputSpec::csv("", none).unwrap(), "csv (file.csv)");
        check(OutputSpec::csv("-", none).unwrap(), "csv(stdout)");
        let all = OutputSpec::csv("fileName=x.csv,saveInterval=2s,timeFormat=rfc3339_nano", none).unwrap();
        assert_eq!(all.format, OutputFormat::Csv(TimeFormat::Rfc3339Nano));
        check(all, "csv (x.csv)");
    }

    #[test]
    fn the_argument_goes_before_the_environment() {
        let variable = |name: &str| match name {
            "K6_CSV_FILENAME" => Some("env.csv".to_owned()),
            "K6_CSV_TIME_FORMAT" => Some("unix_milli".to_owned()),
            _ => None,
        };
        let spec = OutputSpec::csv("timeFormat=unix_nano", variable).unwrap();
        assert_eq!(
            (spec.description().as_str(), spec.format),
            ("csv (env.csv)", OutputFormat::Csv(TimeFormat::UnixNano))
        );
        assert_eq!(
            OutputSpec::csv("mine.csv", variable).unwrap().format,
            OutputFormat::Csv(TimeFormat::UnixMilli)
        );
    }

    #[test]
    fn what_is_no_setting_is_said() {
        let check = |argument, expected| assert_eq!(OutputSpec::csv(argument, none), Err(expected));
        check("fileName=a,b", SpecError::NoValue("b".into()));
        check("file=a", SpecError::UnknownKey("file".into()));
        check("timeFormat=iso", SpecError::BadTimeFormat("iso".into()));
        check("saveInterval=soon", SpecError::BadInterval("soon".into()));
    }
}
