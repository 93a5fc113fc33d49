//! How one value is read from JSON and from a variable's text, and shown again: null and the empty text mean "not set".

use crate::net::{
    CipherSuite, Dns, DnsPolicy, DnsSelect, HostnamePatterns, Hosts, IpPool, IpRange, TlsAuth, TlsVersion,
    TlsVersions,
};
use crate::segment::{Segment, SegmentSequence};
use k6_metrics::{GoDuration, Json, quoted};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Some tests have a stage for each minute of a day or each second of an hour; more is a mistake.
const STAGE_COUNT_MAX: usize = 100_000;

/// A value of an option or of a scenario's key.
pub(crate) trait OptionValue: Sized {
    /// From JSON that is not null. Texts of errors are k6's where people look for them.
    fn from_json(value: &Value) -> Result<Option<Self>, String>;

    /// From a variable; most take the same text as in JSON.
    fn from_text(text: &str) -> Result<Option<Self>, String> {
        if text.is_empty() {
            return Ok(None);
        }
        Self::from_json(&Value::String(text.to_owned()))
    }

    /// As `inspect` shows it.
    fn to_json(&self) -> Json;

    /// Whether it changes nothing in a lower layer although it is set: an empty object of tags.
    fn says_nothing(&self) -> bool {
        false
    }

    /// What an upper layer says over this; mostly it replaces it.
    fn overlay(&mut self, above: Self) {
        *self = above;
    }
}

/// The kind of a JSON value in messages.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

pub(crate) fn not_a(value: &Value, wanted: &str) -> String {
    format!("json: cannot unmarshal {} into {wanted}", kind(value))
}

/// A whole number of 64 bits in decimal, with a sign at will.
pub(crate) fn parse_int(text: &str) -> Result<i64, String> {
    text.parse().map_err(|fault: std::num::ParseIntError| {
        let is_range =
            matches!(fault.kind(), std::num::IntErrorKind::PosOverflow | std::num::IntErrorKind::NegOverflow);
        let why = if is_range { "value out of range" } else { "invalid syntax" };
        format!("strconv.ParseInt: parsing {}: {why}", quoted(text))
    })
}

impl OptionValue for i64 {
    fn from_json(value: &Value) -> Result<Option<Self>, String> {
        match value {
            Value::Number(number) => {
                let exact = number.as_i64().or_else(|| whole(number.as_f64()?));
                let said = || format!("json: cannot unmarshal number {number} into a whole number");
                exact.map(Some).ok_or_else(said)
            }
            Value::String(text) if text.is_empty() => Ok(None),
            Value::String(text) => parse_int(text).map(Some),
            other => Err(not_a(other, "a whole number")),
        }
    }

    fn to_json(&self) -> Json {
        Json::Int(*self)
    }
}

/// A whole number that was written as `5.0` or `1e3`, as scripts' engines may hand it over; below 2⁵³ it is exact.
fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0).then_some(number as i64)
}

impl OptionValue for bool {
    fn from_json(value: &Value) -> Result<Option<Self>, String> {
        value.as_bool().map(Some).ok_or_else(|| not_a(value, "true or false"))
    }

    fn from_text(text: &str) -> Result<Option<Self>, String> {
        match text {
            "" => Ok(None),
            "true" => Ok(Some(true)),
            "false" => Ok(Some(false)),
            other => Err(format!("invalid input:{}", other.chars().take(64).collect::<String>())),
        }
    }

    fn to_json(&self) -> Json {
        Json::Bool(*self)
    }
}

impl OptionValue for String {
    fn from_json(value: &Value) -> Result<Option<Self>, String> {
        value.as_str().map(|text| Some(text.to_owned())).ok_or_else(|| not_a(value, "a string"))
    }

    fn to_json(&self) -> Json {
        Json::from(self)
    }
}

impl OptionValue for GoDuration {
    fn from_json(value: &Value) -> Result<Option<Self>, String> {
        match value {
            Value::Number(number) => {
                let duration = number.as_f64().and_then(Self::from_ms);
                duration.map(Some).ok_or_else(|| format!("'{number}' is not a valid duration value"))
            }
            Value::String(text) => Self::parse_extended(text).map(Some),
            Value::Bool(value) => Err(format!("'{value}' is not a valid duration value")),
            other => Err(not_a(other, "a duration")),
        }
    }

    fn to_json(&self) -> Json {
        Json::from(self.to_string())
    }
}

/// A stretch over which the number of VUs or the rate goes in a straight line to a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stage {
    /// Its length; checks demand one.
    pub duration: Option<GoDuration>,
    /// What is reached at its end; checks demand one.
    pub target: Option<i64>,
}

impl Stage {
    /// Reads `10s:5`, where each part may be missing; durations as `duration` reads them.
    pub(crate) fn parse(
        text: &str,
        duration: impl Fn(&str) -> Result<GoDuration, String>,
    ) -> Result<Self, String> {
        let (length, target) = text.split_once(':').unwrap_or((text, ""));
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Ok(Self {
            duration: some(length).map(|text| duration(&text)).transpose()?,
            target: some(target).map(|text| parse_int(&text)).transpose()?,
        })
    }
}

impl OptionValue for Vec<Stage> {
    fn from_json(value: &Value) -> Result<Option<Self>, String> {
        let items = list(value, "a list of stages", STAGE_COUNT_MAX)?;
        let stage = |item: &Value| {
            let Value::Object(members) = item else { return Err(not_a(item, "a stage")) };
            let mut stage = Stage::default();
            for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
                if name.eq_ignore_ascii_case("duration") {
                    stage.duration = GoDuration::from_json(value)?;
                } else if name.eq_ignore_ascii_case("target") {
                    stage.target = i64::from_json(value)?;
                }
            }
            Ok(stage)
        };
        items.iter().map(stage).collect::<Result<_, _>>().map(Some)
    }

    fn from_text(text: &str) -> Result<Option<Self>, String> {
        if text.is_empty() {
            return Ok(Some(Self::new()));
        }
        let count = text.split(',').count();
        if count > STAGE_COUNT_MAX {
            return Err(format!("{count} entries, and {STAGE_COUNT_MAX} are the most"));
        }
        let stage = |text| Stage::parse(text, GoDuration::parse_extended);
        text.split(',').map(stage).collect::<Result<_, _>>().map(Some)
    }

    fn to_json(&self) -> Json {
        let stage = |stage: &Stage| {
            Json::Object(vec![
                ("duration".to_owned(), Json::or_null(stage.duration, |duration| duration.to_json())),
                ("target".to_owned(), Json::or_null(stage.target, Json::Int)),
            ])
        };
        Json::List(self.iter().map(stage).collect())
    }
}

/// The items of an array.
pub(crate) fn list<'a>(value: &'a Value, wanted: &str, count_max: usize) -> Result<&'a [Value], String> {
    let items = value.as_array().ok_or_else(|| not_a(value, wanted))?;
    if items.len() > count_max {
        return Err(format!("{} entries, and {count_max} are the most", items.len()));
    }
    Ok(items)
}

/// The members of an object.
pub(crate) fn members<'a>(
    value: &'a Value,
    wanted: &str,
    count_max: usize,
) -> Result<&'a Map<String, Value>, String> {
    let members = value.as_object().ok_or_else(|| not_a(value, wanted))?;
    if members.len() > count_max {
        return Err(format!("{} entries, and {count_max} are the most", members.len()));
    }
    Ok(members)
}

/// More entries than any list of names and addresses that people use.
const ENTRY_COUNT_MAX: usize = 200_000;

fn texts(value: &Value) -> Result<Vec<&str>, String> {
    let items = list(value, "a list of strings", ENTRY_COUNT_MAX)?;
    items.iter().map(|item| item.as_str().ok_or_else(|| not_a(item, "a string"))).collect()
}

fn text_map(value: &Value) -> Result<Vec<(&str, &str)>, String> {
    let members = members(value, "an object of strings", ENTRY_COUNT_MAX)?;
    let pair = |(name, value): (&'_ String, &'_ Value)| match value.as_str() {
        Some(_) => Ok(()),
        None => Err(format!("{} at {}", not_a(value, "a string"), quoted(name))),
    };
    members.iter().try_for_each(pair)?;
    Ok(members.iter().filter_map(|(name, value)| Some((name.as_str(), value.as_str()?))).collect())
}

impl OptionValue for Vec<String> {
    fn from_json(value: &Value) -> Result<Option<Self>, String> {
        Ok(Some(texts(value)?.into_iter().map(str::to_owned).collect()))
    }

    fn from_text(text: &str) -> Result<Option<Self>, String> {
        Ok((!text.is_empty()).then(|| text.split(',').map(str::to_owned).collect()))
    }

    fn to_json(&self) -> Json {
        Json::texts(self)
    }
}

/// Names and values.
pub type Tags = BTreeMap<String, String>;

impl OptionValue for Tags {
    fn from_json(value: &Value) -> Result<Option<Self>, String> {
        let pairs = text_map(value)?;
        Ok(Some(pairs.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()))
    }

    fn from_text(text: &str) -> Result<Option<Self>, String> {
        if text.is_empty() {
            return Ok(None);
        }
        let pair = |item: &str| {
            let (name, value) =
                item.split_once(':').ok_or_else(|| format!("invalid map item: {}", quoted(item)))?;
            Ok((name.to_owned(), value.to_owned()))
        };
        text.split(',').map(pair).collect::<Result<_, String>>().map(Some)
    }

    fn to_json(&self) -> Json {
        Json::Object(self.iter().map(|(name, value)| (name.clone(), Json::from(value))).collect())
    }

    fn says_nothing(&self) -> bool {
        self.is_empty()
    }
}

/// JSON that is carried and not looked into.
impl OptionValue for Value {
    fn from_json(value: &Value) -> Result<Option<Self>, String> {
        Ok(Some(value.clone()))
    }

    fn to_json(&self) -> Json {
        self.into()
    }
}

impl OptionValue for Segment {
    fn from_json(value: &Value) -> Result<Option<Self>, String> {
        let text = value.as_str().ok_or_else(|| not_a(value, "an execution segment"))?;
        if text.is_empty() {
            return Ok(None);
        }
        Self::parse(text).map(Some).map_err(|fault| fault.message)
    }

    fn to_json(&self) -> Json {
        Json::from(self.to_string())
    }
}

impl OptionValue for SegmentSequence {
    fn from_json(value: &Value) -> Result<Option<Self>, String> {
        let text = value.as_str().ok_or_else(|| not_a(value, "an execution segment sequence"))?;
        if text.is_empty() {
            return Ok(None);
        }
        Self::parse(text).map(Some).map_err(|fault| fault.message)
    }

    fn to_json(&self) -> Json {
        Json::from(self.to_string())
    }
}

impl OptionValue for Dns {
    fn from_json(value: &Value) -> Result<Option<Self>, String> {
        let mut dns = Self::default();
        for (name, value) in members(value, "an object with ttl, select and policy", ENTRY_COUNT_MAX)? {
            let Some(text) = value.as_str() else {
                let is_known =
                    ["ttl", "select", "policy"].iter().any(|known| name.eq_ignore_ascii_case(known));
                if is_known && !value.is_null() {
                    return Err(not_a(value, "a string"));
                }
                continue;
            };
            match name.to_ascii_lowercase().as_str() {
                "ttl" => dns.ttl = Some(text.to_owned()),
                "select" => dns.select = Some(DnsSelect::parse(text)?),
                "policy" => dns.policy = Some(DnsPolicy::parse(text)?),
                _ => {}
            }
        }
        Ok(Some(dns))
    }

    fn from_text(text: &str) -> Result<Option<Self>, String> {
        Self::parse(text).map(Some)
    }

    fn to_json(&self) -> Json {
        Json::Object(vec![
            ("ttl".to_owned(), Json::or_null(self.ttl.as_ref(), Json::from)),
            ("select".to_owned(), Json::or_null(self.select, |select| Json::from(select.as_str()))),
            ("policy".to_owned(), Json::or_null(self.policy, |policy| Json::from(policy.as_str()))),
        ])
    }

    fn overlay(&mut self, above: Self) {
        Self::overlay(self, &above);
    }
}

impl OptionValue for Vec<CipherSuite> {
    fn from_json(value: &Value) -> Result<Option<Self>, String> {
        texts(value)?.into_iter().map(CipherSuite::parse).collect::<Result<_, _>>().map(Some)
    }

    fn from_text(text: &str) -> Result<Option<Self>, String> {
        if text.is_empty() {
            return Ok(None);
        }
        text.split(',').map(CipherSuite::parse).collect::<Result<_, _>>().map(Some)
    }

    fn to_json(&self) -> Json {
        Json::texts(self.iter().map(|suite| suite.name()))
    }
}

impl OptionValue for TlsVersions {
    fn from_json(value: &Value) -> Result<Option<Self>, String> {
        let version = |text: &str| (!text.is_empty()).then(|| TlsVersion::parse(text)).transpose();
        if let Some(text) = value.as_str() {
            let version = version(text)?;
            return Ok(Some(Self { min: version, max: version }));
        }
        let mut versions = Self::default();
        for (name, value) in members(value, "a TLS version or an object with min and max", ENTRY_COUNT_MAX)? {
            let place = match name.to_ascii_lowercase().as_str() {
                "min" => &mut versions.min,
                "max" => &mut versions.max,
                _ => continue,
            };
            if !value.is_null() {
                *place = version(value.as_str().ok_or_else(|| not_a(value, "a string"))?)?;
            }
        }
        Ok(Some(versions))
    }

    fn to_json(&self) -> Json {
        let version = |version: Option<TlsVersion>| Json::from(version.map_or("", TlsVersion::as_str));
        Json::Object(vec![("min".to_owned(), version(self.min)), ("max".to_owned(), version(self.max))])
    }
}

/// More certificates than any test has clients.
const CERTIFICATE_COUNT_MAX: usize = 10_000;

impl OptionValue for Vec<TlsAuth> {
    fn from_json(value: &Value) -> Result<Option<Self>, String> {
        let auth = |item: &Value| {
            let members = members(item, "an object with cert and key", ENTRY_COUNT_MAX)?;
            let mut auth = TlsAuth::default();
            for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
                let text = || value.as_str().map(str::to_owned).ok_or_else(|| not_a(value, "a string"));
                match name.to_ascii_lowercase().as_str() {
                    "cert" => auth.cert = text()?,
                    "key" => auth.key = text()?,
                    "password" => auth.password = Some(text()?),
                    "domains" => auth.domains = Vec::from_json(value)?,
                    _ => {}
                }
            }
            for (what, pem) in [("certificate", &auth.cert), ("key", &auth.key)] {
                if !pem.contains("-----BEGIN ") {
                    return Err(format!("tls: failed to find any PEM data in {what} input"));
                }
            }
            Ok(auth)
        };
        let items = list(value, "a list of certificates", CERTIFICATE_COUNT_MAX)?;
        items.iter().map(auth).collect::<Result<_, _>>().map(Some)
    }

    fn from_text(text: &str) -> Result<Option<Self>, String> {
        json_text(text)
    }

    fn to_json(&self) -> Json {
        let auth = |auth: &TlsAuth| {
            Json::Object(vec![
                ("cert".to_owned(), Json::from(&auth.cert)),
                ("key".to_owned(), Json::from(&auth.key)),
                ("password".to_owned(), Json::or_null(auth.password.as_ref(), Json::from)),
                ("domains".to_owned(), Json::or_null(auth.domains.as_ref(), Json::texts)),
            ])
        };
        Json::List(self.iter().map(auth).collect())
    }
}

/// A variable whose value is JSON, where k6 names a variable but can read no value of it.
fn json_text<T: OptionValue>(text: &str) -> Result<Option<T>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let value: Value = serde_json::from_str(text).map_err(|fault| format!("no JSON: {fault}"))?;
    if value.is_null() { Ok(None) } else { T::from_json(&value) }
}

impl OptionValue for Vec<IpRange> {
    fn from_json(value: &Value) -> Result<Option<Self>, String> {
        texts(value)?.into_iter().map(IpRange::parse).collect::<Result<_, _>>().map(Some)
    }

    fn from_text(text: &str) -> Result<Option<Self>, String> {
        if text.is_empty() {
            return Ok(None);
        }
        text.split(',').map(IpRange::parse).collect::<Result<_, _>>().map(Some)
    }

    fn to_json(&self) -> Json {
        Json::texts(self.iter().map(ToString::to_string))
    }
}

impl OptionValue for HostnamePatterns {
    fn from_json(value: &Value) -> Result<Option<Self>, String> {
        Self::new(texts(value)?).map(Some)
    }

    fn from_text(text: &str) -> Result<Option<Self>, String> {
        if text.is_empty() {
            return Ok(None);
        }
        Self::new(text.split(',')).map(Some)
    }

    fn to_json(&self) -> Json {
        Json::texts(self.patterns())
    }
}

impl OptionValue for Hosts {
    fn from_json(value: &Value) -> Result<Option<Self>, String> {
        Self::new(text_map(value)?).map(Some)
    }

    fn from_text(text: &str) -> Result<Option<Self>, String> {
        json_text(text)
    }

    fn to_json(&self) -> Json {
        let host = |(name, target): (&str, _)| (name.to_owned(), Json::from(format!("{target}")));
        Json::Object(self.iter().map(host).collect())
    }
}

impl OptionValue for IpPool {
    fn from_json(value: &Value) -> Result<Option<Self>, String> {
        let text = value.as_str().ok_or_else(|| not_a(value, "a string"))?;
        Self::parse(text).map(Some)
    }

    fn to_json(&self) -> Json {
        Json::from(self.to_string())
    }
}
