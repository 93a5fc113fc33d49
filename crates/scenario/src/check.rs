//! What must hold of an answer, and what is kept of it.

use crate::cookies;
use crate::render::{Place, Text, Values};
use crate::{Answer, Body};
use plan::{CaptureSource, CheckKind, TextMatch};
use proto::content;
use regex::bytes::Regex;
use serde_json::Value;
use serde_json_path::JsonPath;
use std::borrow::Cow;

/// Decoded bodies are looked at up to this size: a check on more is a mistake, and a small body can decode to gigabytes.
const DECODED_BYTES_MAX: usize = 64 << 20;

#[derive(Debug)]
pub(crate) struct CompiledCheck {
    /// Place among the scenario's checks.
    pub(crate) slot: usize,
    pub(crate) test: Test,
}

#[derive(Debug)]
pub(crate) enum Test {
    Status(Vec<(u16, u16)>),
    Header(String, Matcher),
    Body(Matcher),
    Json(Box<JsonPath>, Matcher),
    Size { min_bytes: u64, max_bytes: u64 },
    Time { max_ns: u64 },
}

#[derive(Debug)]
pub(crate) enum Matcher {
    Exists,
    Equals(Text),
    Contains(Text),
    Regex(Regex),
}

#[derive(Debug)]
pub(crate) struct CompiledCapture {
    pub(crate) variable: usize,
    pub(crate) source: Source,
    pub(crate) default: Option<String>,
}

#[derive(Debug)]
pub(crate) enum Source {
    Json(Box<JsonPath>),
    Regex(Regex),
    Header(String),
    Cookie(String),
}

/// An expression that is not one, with the engine's words for it.
pub(crate) type Bad = String;

impl Test {
    pub(crate) fn compile(kind: &CheckKind) -> Result<Self, Bad> {
        Ok(match kind {
            CheckKind::Status(ranges) => Self::Status(ranges.clone()),
            CheckKind::Header(name, text) => Self::Header(name.clone(), Matcher::compile(text)?),
            CheckKind::Body(text) => Self::Body(Matcher::compile(text)?),
            CheckKind::Json(path, text) => Self::Json(json_path(path)?, Matcher::compile(text)?),
            CheckKind::Size { min_bytes, max_bytes } => {
                Self::Size { min_bytes: *min_bytes, max_bytes: *max_bytes }
            }
            CheckKind::Time { max_ns } => Self::Time { max_ns: *max_ns },
        })
    }

    pub(crate) fn wants_body(&self) -> bool {
        matches!(self, Self::Body(_) | Self::Json(..) | Self::Size { .. })
    }

    pub(crate) fn wants_headers(&self) -> bool {
        // A body is read through its Content-Encoding.
        matches!(self, Self::Header(..)) || self.wants_body()
    }

    /// Whether it holds. What can't be told (a truncated or undecodable body) does not hold.
    pub(crate) fn holds(&self, seen: &mut Seen<'_>, values: &mut Values<'_>) -> bool {
        match self {
            Self::Status(ranges) => {
                ranges.iter().any(|(low, high)| (*low..=*high).contains(&seen.answer.status))
            }
            Self::Header(name, matcher) => {
                seen.header(name).is_some_and(|value| matcher.holds(value, values))
            }
            Self::Body(matcher) => seen.body().is_some_and(|body| matcher.holds(body, values)),
            Self::Json(path, matcher) => {
                let found = seen.json().and_then(|json| path.query(json).first().map(text_of));
                found.is_some_and(|text| matcher.holds(text.as_bytes(), values))
            }
            Self::Size { min_bytes, max_bytes } => {
                seen.size_bytes().is_some_and(|size_bytes| (*min_bytes..=*max_bytes).contains(&size_bytes))
            }
            Self::Time { max_ns } => seen.answer.service_ns <= *max_ns,
        }
    }
}

impl Matcher {
    fn compile(text: &TextMatch) -> Result<Self, Bad> {
        let compiled = |template: &plan::Template| {
            let mut text = Text::default();
            text.push(template, Place::Body);
            text
        };
        Ok(match text {
            TextMatch::Exists => Self::Exists,
            TextMatch::Equals(template) => Self::Equals(compiled(template)),
            TextMatch::Contains(template) => Self::Contains(compiled(template)),
            TextMatch::Regex(pattern) => Self::Regex(regex(pattern)?),
        })
    }

    fn holds(&self, found: &[u8], values: &mut Values<'_>) -> bool {
        match self {
            Self::Exists => true,
            Self::Regex(regex) => regex.is_match(found),
            Self::Equals(text) => *filled(text, values) == *found,
            Self::Contains(text) => contains(found, &filled(text, values)),
        }
    }
}

/// The text with its gaps filled; borrowed when it has none.
fn filled<'a>(text: &'a Text, values: &mut Values<'_>) -> Cow<'a, [u8]> {
    match text.as_fixed() {
        Some(bytes) => Cow::Borrowed(bytes),
        None => {
            let mut out = Vec::new();
            text.write(values, &mut out);
            Cow::Owned(out)
        }
    }
}

fn contains(hay: &[u8], needle: &[u8]) -> bool {
    match (std::str::from_utf8(hay), std::str::from_utf8(needle)) {
        (Ok(hay), Ok(needle)) => hay.contains(needle),
        _ => needle.is_empty() || hay.windows(needle.len()).any(|window| window == needle),
    }
}

impl Source {
    pub(crate) fn compile(source: &CaptureSource) -> Result<Self, Bad> {
        Ok(match source {
            CaptureSource::Json(path) => Self::Json(json_path(path)?),
            CaptureSource::Regex(pattern) => Self::Regex(regex(pattern)?),
            CaptureSource::Header(name) => Self::Header(name.clone()),
            CaptureSource::Cookie(name) => Self::Cookie(name.clone()),
        })
    }

    pub(crate) fn wants_body(&self) -> bool {
        matches!(self, Self::Json(_) | Self::Regex(_))
    }

    /// The value, when there is one.
    pub(crate) fn find<'s>(&self, seen: &'s mut Seen<'_>) -> Option<Cow<'s, str>> {
        match self {
            Self::Json(path) => seen.json().and_then(|json| path.query(json).first()).map(text_of),
            Self::Regex(regex) => {
                let captures = regex.captures(seen.body()?)?;
                let found = captures.get(1).or_else(|| captures.get(0))?;
                Some(String::from_utf8_lossy(found.as_bytes()))
            }
            Self::Header(name) => seen.header(name).map(String::from_utf8_lossy),
            Self::Cookie(name) => {
                let lines = seen
                    .answer
                    .headers?
                    .iter()
                    .filter(|(header, _)| header.eq_ignore_ascii_case("set-cookie"));
                lines.filter_map(|(_, line)| cookies::value_of(line, name)).last().map(Cow::Borrowed)
            }
        }
    }
}

fn regex(pattern: &str) -> Result<Regex, Bad> {
    Regex::new(pattern).map_err(|error| format!("`{pattern}` is not a regular expression: {error}"))
}

fn json_path(path: &str) -> Result<Box<JsonPath>, Bad> {
    JsonPath::parse(path)
        .map(Box::new)
        .map_err(|error| format!("`{path}` is not a JSON path (RFC 9535): {error}"))
}

/// Strings without quotes, everything else as compact JSON.
fn text_of(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        other => Cow::Owned(other.to_string()),
    }
}

/// An answer as checks look at it: decoded and parsed at most once.
pub(crate) struct Seen<'a> {
    pub(crate) answer: Answer<'a>,
    decoded: Option<Option<Cow<'a, [u8]>>>,
    json: Option<Option<Value>>,
}

impl<'a> Seen<'a> {
    pub(crate) fn new(answer: Answer<'a>) -> Self {
        Self { answer, decoded: None, json: None }
    }

    fn header(&self, name: &str) -> Option<&'a [u8]> {
        self.answer.headers?.get(name)
    }

    /// The body without its content encoding; `None` when it is truncated or can't be decoded.
    fn body(&mut self) -> Option<&[u8]> {
        if self.decoded.is_none() {
            let encoding = self.header("content-encoding");
            let decoded = match (self.answer.body, encoding) {
                (Body::Whole(bytes), None) => Some(Cow::Borrowed(bytes)),
                (Body::Whole(bytes), Some(encoding)) => {
                    content::decode(encoding, bytes, DECODED_BYTES_MAX).ok()
                }
                (Body::Dropped | Body::Truncated(_), _) => None,
            };
            self.decoded = Some(decoded);
        }
        self.decoded.as_ref()?.as_deref()
    }

    /// The size of the decoded body; known of a body of any length unless it is encoded.
    fn size_bytes(&mut self) -> Option<u64> {
        match self.header("content-encoding") {
            None => Some(self.answer.body_bytes),
            Some(_) => self.body().map(|body| body.len() as u64),
        }
    }

    fn json(&mut self) -> Option<&Value> {
        if self.json.is_none() {
            self.json = Some(self.body().and_then(|body| serde_json::from_slice(body).ok()));
        }
        self.json.as_ref()?.as_ref()
    }
}
