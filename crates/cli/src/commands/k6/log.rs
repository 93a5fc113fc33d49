//! The log of a script's run: `time=… level=… msg=…` for machines, short lines for a terminal, to wherever flags send it.

use super::error_of;
use crate::args::ColorWhen;
use crate::talk::{Talk, legible_line};
use ::k6::{Loudness, Remark, Secrets, TestError};
use k6_options::{ExitCode, Settings};
use report::Color;
use std::fs::File;
use std::io::{self, IsTerminal as _, Write};
use std::sync::{Arc, Mutex};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// How a line looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `INFO[0001] message  source=console`
    Terminal,
    /// `time="…" level=info msg="…" source=console`
    Text,
    /// The message alone.
    Raw,
    /// An object for each line.
    Json,
}

/// Where lines go.
#[derive(Debug)]
enum Place {
    Stderr,
    Stdout,
    Nowhere,
    File(Mutex<File>),
}

/// What is said while a test runs.
#[derive(Debug)]
pub(super) struct Log {
    begun: Instant,
    form: Form,
    place: Place,
    /// Where `console` goes instead.
    console: Option<Mutex<File>>,
    quietest: u8,
    is_colored: bool,
    /// What no line shows.
    secrets: Arc<Secrets>,
}

impl Log {
    /// As flags and variables have it.
    ///
    /// # Errors
    /// Formats and places that there are not, files that can't be written.
    pub(super) fn new(settings: &Settings, console: Option<&str>) -> Result<Self, TestError> {
        let mut quietest = if settings.verbose == Some(true) { rank("debug") } else { rank("info") };
        let place = place(settings.log_output.as_deref().unwrap_or("stderr"), &mut quietest)?;
        let is_terminal = match place {
            Place::Stderr => io::stderr().is_terminal(),
            Place::Stdout => io::stdout().is_terminal(),
            Place::Nowhere | Place::File(_) => false,
        };
        let form = match settings.log_format.as_deref() {
            Some("raw") => Form::Raw,
            Some("json") => Form::Json,
            // k6 takes any other word as text.
            _ if is_terminal => Form::Terminal,
            _ => Form::Text,
        };
        let is_colored = is_terminal
            && settings.no_color != Some(true)
            && Talk::new(ColorWhen::Auto).stderr_color == Color::Always;
        let console = console.map(file).transpose()?.map(Mutex::new);
        let secrets = Arc::new(Secrets::of(&settings.secret_source)?);
        Ok(Self { begun: Instant::now(), form, place, console, quietest, is_colored, secrets })
    }

    /// Secrets that the test has, whose values are left out of all lines.
    pub(super) fn secrets(&self) -> Arc<Secrets> {
        Arc::clone(&self.secrets)
    }

    /// Says a remark.
    pub(super) fn say(&self, remark: &Remark) {
        let level = match remark.loudness {
            Loudness::Debug => "debug",
            Loudness::Info => "info",
            Loudness::Warning => "warning",
            Loudness::Error => "error",
        };
        if rank(level) > self.quietest {
            return;
        }
        let mut remark = remark.clone();
        remark.message = self.secrets.redacted(&remark.message).into_owned();
        let told = remark.fields.iter_mut().map(|(_, value)| value).chain(remark.hint.as_mut());
        told.for_each(|text| *text = self.secrets.redacted(text).into_owned());
        let mut fields: Vec<(&str, &str)> =
            remark.fields.iter().map(|(key, value)| (*key, value.as_str())).collect();
        fields.extend(remark.hint.as_deref().map(|hint| match hint.strip_prefix("error=") {
            Some(error) => ("error", error.trim_matches('"')),
            None => ("hint", hint),
        }));
        fields.extend(remark.source.map(|source| ("source", source)));
        fields.sort_unstable();
        let line = self.line(level, &remark.message, &fields);
        // There is nobody to tell when a log can't be written.
        let _ = match (&self.console, &self.place) {
            (Some(console), _) if remark.source == Some("console") => write(console, &line),
            (_, Place::Stderr) => io::stderr().write_all(line.as_bytes()),
            (_, Place::Stdout) => io::stdout().write_all(line.as_bytes()),
            (_, Place::Nowhere) => Ok(()),
            (_, Place::File(file)) => write(file, &line),
        };
    }

    /// Says why a test can't go on.
    pub(super) fn say_error(&self, error: &TestError) {
        self.say(&Remark {
            loudness: Loudness::Error,
            message: error.message.clone(),
            source: None,
            hint: error.hint.clone(),
            fields: Vec::new(),
        });
    }

    fn line(&self, level: &str, message: &str, fields: &[(&str, &str)]) -> String {
        match self.form {
            Form::Raw => format!("{}\n", legible(message)),
            Form::Json => {
                let mut object = serde_json::Map::new();
                for (key, value) in [("level", level), ("msg", message), ("time", &now())] {
                    object.insert(key.to_owned(), value.into());
                }
                object.extend(fields.iter().map(|(key, value)| ((*key).to_owned(), (*value).into())));
                format!("{}\n", serde_json::Value::Object(object))
            }
            Form::Text => {
                let mut line = format!("time={} level={level} msg={}", quoted(&now()), quoted(message));
                for (key, value) in fields {
                    line.push_str(&format!(" {key}={}", quoted(value)));
                }
                line + "\n"
            }
            Form::Terminal => {
                let word: String = level.to_uppercase().chars().take(4).collect();
                let code = match level {
                    "error" => 31,
                    "warning" => 33,
                    "info" => 36,
                    _ => 37,
                };
                let paint = |text: &str| match self.is_colored {
                    true => format!("\x1b[{code}m{text}\x1b[0m"),
                    false => text.to_owned(),
                };
                let seconds = self.begun.elapsed().as_secs();
                let mut line = format!("{}[{seconds:04}] {:<44}", paint(&word), legible(message));
                for (key, value) in fields {
                    line.push_str(&format!(" {}={}", paint(key), quoted(value)));
                }
                line + "\n"
            }
        }
    }
}

/// Lines of a message, each without what would move a terminal's cursor.
fn legible(message: &str) -> String {
    message.lines().map(legible_line).collect::<Vec<_>>().join("\n")
}

fn rank(level: &str) -> u8 {
    let levels = ["panic", "fatal", "error", "warning", "info", "debug", "trace"];
    levels.iter().position(|name| *name == level).map_or(4, |at| at as u8)
}

fn place(text: &str, quietest: &mut u8) -> Result<Place, TestError> {
    let (kind, rest) = text.split_once('=').unwrap_or((text, ""));
    match kind {
        "stderr" => Ok(Place::Stderr),
        "stdout" => Ok(Place::Stdout),
        "none" => Ok(Place::Nowhere),
        "file" => {
            let mut parts = rest.split(',');
            let path = parts.next().filter(|path| !path.is_empty());
            let path = path.ok_or_else(|| error_of(ExitCode::Other, "--log-output file=PATH: no path"))?;
            for part in parts {
                match part.split_once('=') {
                    Some(("level", level)) => {
                        *quietest = rank(if level == "warn" { "warning" } else { level })
                    }
                    _ => {
                        return Err(error_of(
                            ExitCode::Other,
                            format!("--log-output: unknown part `{part}`"),
                        ));
                    }
                }
            }
            file(path).map(|file| Place::File(Mutex::new(file)))
        }
        "loki" => Err(error_of(ExitCode::Other, "--log-output loki is not there: use file=PATH")),
        _ => Err(error_of(ExitCode::Other, format!("unsupported log output '{text}'"))),
    }
}

fn file(path: &str) -> Result<File, TestError> {
    let opened = File::options().append(true).create(true).open(path);
    opened.map_err(|error| error_of(ExitCode::Other, format!("can't open the log file {path}: {error}")))
}

fn write(file: &Mutex<File>, line: &str) -> io::Result<()> {
    let mut file = file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    file.write_all(line.as_bytes())
}

/// As logfmt has it: bare where nothing needs quotes.
fn quoted(text: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || b"-._/@^+".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_bare) {
        return text.to_owned();
    }
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            c if c.is_control() => quoted.push_str(&format!("\\x{:02x}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// The time as RFC 3339 has it, in UTC.
pub(super) fn now() -> String {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    k6_metrics::output::rfc3339(elapsed.as_secs() * units::NS_PER_SEC, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_bare_or_quoted() {
        let check = |text: &str, expected: &str| assert_eq!(quoted(text), expected);
        check("console", "console");
        check("", "\"\"");
        check("a b", "\"a b\"");
        check("a=\"b\"\n\tat x", "\"a=\\\"b\\\"\\n\\tat x\"");
    }
}
