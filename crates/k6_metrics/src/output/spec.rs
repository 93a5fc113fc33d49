//! What `--out` asks for: `json=FILE`, `csv=FILE`, or CSV with a list of settings; and what the environment says of it.

use super::csv::TimeFormat;
use crate::GoDuration;
use crate::registry::shown;
use std::path::{Path, PathBuf};

/// The file of CSV without a name.
const CSV_FILE: &str = "file.csv";

/// One output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputSpec {
    /// What is written.
    pub format: OutputFormat,
    /// Where; `None` is stdout.
    pub path: Option<PathBuf>,
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputFormat {
    /// A line of JSON for each sample.
    Json,
    /// A row for each sample.
    Csv(TimeFormat),
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
}

impl std::fmt::Display for SpecError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::UnknownKey(key) => {
                write!(f, "csv output: `{}` is none of fileName, saveInterval, timeFormat", shown(key))
            }
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

    /// As it stands in the description of a run: `json (results.json)`, `json(stdout)`.
    pub fn description(&self) -> String {
        let name = match self.format {
            OutputFormat::Json => "json",
            OutputFormat::Csv(_) => "csv",
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
