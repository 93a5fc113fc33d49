//! CSV: a column for each system tag that is wanted, all other tags in one.

use super::feed::Sample;
use super::time::{Clock, Digits, Origin};
use super::writer::RENDERED_BYTES_MAX;
use crate::registry::Registry;
use crate::tags::TagSetId;
use std::fmt::Write as _;

/// How instants are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TimeFormat {
    /// Seconds since 1970.
    #[default]
    Unix,
    /// Milliseconds since 1970.
    UnixMilli,
    /// Microseconds since 1970.
    UnixMicro,
    /// Nanoseconds since 1970.
    UnixNano,
    /// RFC 3339 with whole seconds.
    Rfc3339,
    /// RFC 3339 with as many digits as needed.
    Rfc3339Nano,
}

impl TimeFormat {
    /// The format of the option's word.
    pub fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "unix" => Self::Unix,
            "unix_milli" => Self::UnixMilli,
            "unix_micro" => Self::UnixMicro,
            "unix_nano" => Self::UnixNano,
            "rfc3339" => Self::Rfc3339,
            "rfc3339_nano" => Self::Rfc3339Nano,
            _ => return None,
        })
    }
}

/// Writes samples as rows. The columns of a set of tags are put together once.
#[derive(Debug)]
pub(crate) struct CsvRows {
    registry: Registry,
    origin: Origin,
    clock: Clock,
    format: TimeFormat,
    columns: Vec<&'static str>,
    /// By metric: its name as a field; empty until its first sample.
    names: Vec<String>,
    /// By set of tags: its columns, from the comma before the first on; empty until its first sample.
    tags: Vec<String>,
    tags_bytes: usize,
}

impl CsvRows {
    pub(crate) fn new(registry: &Registry, origin: Origin, format: TimeFormat) -> Self {
        Self {
            registry: registry.clone(),
            origin,
            clock: Clock::new(origin.utc_offset_sec),
            format,
            columns: registry.system_tags().tag_keys(),
            names: Vec::new(),
            tags: Vec::new(),
            tags_bytes: 0,
        }
    }

    /// The names of the columns.
    pub(crate) fn header(&self) -> String {
        let tags: String = self.columns.iter().map(|column| format!("{column},")).collect();
        format!("metric_name,timestamp,metric_value,{tags}extra_tags,metadata\n")
    }

    /// Adds the sample's row.
    pub(crate) fn write(&mut self, out: &mut String, sample: &Sample) {
        if self.names.get(sample.metric.index()).is_none_or(String::is_empty) {
            self.render_name(sample);
        }
        if self.tags.get(sample.tags.index()).is_none_or(String::is_empty) {
            self.render_tags(sample.tags);
        }
        out.push_str(self.names.get(sample.metric.index()).map_or("", String::as_str));
        out.push(',');
        let unix_ns = self.origin.unix_ns_of(sample.time_ns);
        // Writing to a string can't fail.
        let _ = match self.format {
            TimeFormat::Unix => write!(out, "{}", unix_ns / 1_000_000_000),
            TimeFormat::UnixMilli => write!(out, "{}", unix_ns / 1_000_000),
            TimeFormat::UnixMicro => write!(out, "{}", unix_ns / 1_000),
            TimeFormat::UnixNano => write!(out, "{unix_ns}"),
            TimeFormat::Rfc3339 => {
                self.clock.write(out, unix_ns, Digits::None);
                Ok(())
            }
            TimeFormat::Rfc3339Nano => {
                self.clock.write(out, unix_ns, Digits::AsNeeded);
                Ok(())
            }
        };
        let _ = match sample.value {
            f64::INFINITY => out.write_str(",+Inf"),
            f64::NEG_INFINITY => out.write_str(",-Inf"),
            value if value.fract() == 0.0 && value.abs() < 1e15 => write!(out, ",{}.000000", value as i64),
            value => write!(out, ",{value:.6}"),
        };
        out.push_str(self.tags.get(sample.tags.index()).map_or("", String::as_str));
        out.push(',');
        let metadata = sample.metadata.pairs();
        if !metadata.is_empty() {
            push_field(out, &joined(metadata.iter().map(|(key, value)| (key.as_str(), value.as_str()))));
        }
        out.push('\n');
    }

    #[cold]
    fn render_name(&mut self, sample: &Sample) {
        let Some(metric) = self.registry.describe(sample.metric) else { return };
        if self.names.len() <= sample.metric.index() {
            self.names.resize(sample.metric.index() + 1, String::new());
        }
        if let Some(place) = self.names.get_mut(sample.metric.index()) {
            push_field(place, &metric.name);
        }
    }

    #[cold]
    fn render_tags(&mut self, id: TagSetId) {
        let set = self.registry.tag_set(id);
        let mut text = String::new();
        for column in &self.columns {
            text.push(',');
            push_field(&mut text, set.get(column).unwrap_or_default());
        }
        text.push(',');
        push_field(&mut text, &joined(set.iter().filter(|(key, _)| !self.columns.contains(key))));
        if self.tags_bytes > RENDERED_BYTES_MAX {
            self.tags.iter_mut().for_each(|text| *text = String::new());
            self.tags_bytes = 0;
        }
        self.tags_bytes += text.len();
        if self.tags.len() <= id.index() {
            self.tags.resize(id.index() + 1, String::new());
        }
        if let Some(place) = self.tags.get_mut(id.index()) {
            *place = text;
        }
    }
}

/// `k=v&k2=v2`, in the order given.
fn joined<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let pairs: Vec<String> = pairs.map(|(key, value)| format!("{key}={value}")).collect();
    pairs.join("&")
}

/// A field as RFC 4180 has it, in quotes where it must be.
fn push_field(out: &mut String, text: &str) {
    let must_quote = text.starts_with([' ', '\t']) || text.contains(['"', ',', '\n', '\r']);
    if !must_quote {
        out.push_str(text);
        return;
    }
    out.push('"');
    for c in text.chars() {
        if c == '"' {
            out.push('"');
        }
        out.push(c);
    }
    out.push('"');
}
