//! InfluxDB 1: samples as points in the line protocol, posted to `/write` every second.
//!
//! ```text
//! http_reqs,method=GET,status=200 url="http://a.example/",value=1 1795250296710984639
//! metric    tags                  fields                          time
//! ```
//!
//! Source: the line protocol's reference of InfluxDB 1.8. What it can't express is left out or put in its way: NaN and infinities (no field value), line
//! breaks in tags (a space), a backslash at a tag's end (it would take the sign after it). Of two points of a series at one instant only the last is kept
//! there, and a worker gives all that happens in one of its turns the same time: so further ones are a nanosecond later each.

use super::http::{Endpoint, decoded, encoded};
use crate::metric::MetricId;
use crate::output::feed::Sample;
use crate::output::time::Origin;
use crate::output::writer::RENDERED_BYTES_MAX;
use crate::registry::{Registry, shown};
use crate::tags::TagSetId;
use proto::tls::{Certificates, TlsSettings};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::time::Duration;

/// Where points go and in which form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InfluxSpec {
    pub(super) endpoint: Endpoint,
    pub(super) push_interval: Duration,
    pub(super) tls: TlsSettings,
    /// Path and query of the request that makes the database.
    pub(super) create: String,
    /// Path and query of those that write.
    pub(super) write: String,
    unit: TimeUnit,
    fields: Vec<(String, FieldKind)>,
}

/// Series whose last instants are kept: beyond it all are forgotten.
const INSTANTS_MAX: usize = 1 << 20;

/// In which unit times are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TimeUnit {
    word: &'static str,
    ns: u64,
}

/// Words of the parameter `precision`.
const UNITS: [TimeUnit; 6] = [
    TimeUnit { word: "ns", ns: 1 },
    TimeUnit { word: "u", ns: 1_000 },
    TimeUnit { word: "ms", ns: 1_000_000 },
    TimeUnit { word: "s", ns: 1_000_000_000 },
    TimeUnit { word: "m", ns: 60_000_000_000 },
    TimeUnit { word: "h", ns: 3_600_000_000_000 },
];

/// How the value of a tag is written that is a field here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FieldKind {
    Text,
    Whole,
    Float,
    Bool,
}

impl InfluxSpec {
    /// The argument is a URL: its path names the database, its query may set `insecure`, `precision`, `retention`, `consistency`, `pushInterval`,
    /// `tagsAsFields`. What it does not say, the variables `K6_INFLUXDB_*` may.
    pub(super) fn read(argument: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, String> {
        let of = |name: &str| variable(&format!("K6_INFLUXDB_{name}")).filter(|text| !text.is_empty());
        let address = Some(argument.to_owned()).filter(|text| !text.is_empty()).or_else(|| of("ADDR"));
        let mut endpoint = Endpoint::parse(address.as_deref().unwrap_or("http://localhost:8086"))?;
        let query = std::mem::take(&mut endpoint.query);
        let pairs: Vec<(&str, String)> = query
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .map(|(key, value)| (key, decoded(value)))
            .collect();
        let setting = |key: &str, name: &str| {
            let given = pairs.iter().find(|(own, _)| *own == key).map(|(_, value)| value.clone());
            given.or_else(|| of(name))
        };
        if endpoint.user.is_none() {
            endpoint.user = of("USERNAME").map(|name| (name, of("PASSWORD").unwrap_or_default()));
        }
        let path = std::mem::take(&mut endpoint.path);
        let database = Some(decoded(path.trim_matches('/'))).filter(|name| !name.is_empty());
        let database = database.or_else(|| of("DB")).unwrap_or_else(|| "k6".to_owned());
        let word = setting("precision", "PRECISION").unwrap_or_else(|| "ns".to_owned());
        let unit = UNITS.iter().find(|unit| unit.word == word || (word == "us" && unit.word == "u"));
        let unit =
            *unit.ok_or_else(|| format!("precision `{}` is none of ns, u, ms, s, m, h", shown(&word)))?;
        let fields = setting("tagsAsFields", "TAGS_AS_FIELDS");
        let fields = fields.as_deref().unwrap_or("vu:int,iter:int,url");
        let fields =
            fields.split(',').filter(|field| !field.is_empty()).map(field).collect::<Result<_, _>>()?;
        let is_insecure = setting("insecure", "INSECURE").is_some_and(|text| super::is_true(&text));
        let certificates = if is_insecure { Certificates::Insecure } else { Certificates::Verify };
        let text = |key: &str, name: &str| encoded(&setting(key, name).unwrap_or_default());
        let (consistency, retention) = (text("consistency", "CONSISTENCY"), text("retention", "RETENTION"));
        // A name that is more than letters and digits must stand in quotes (InfluxQL, identifiers).
        let is_plain = database.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && !database.starts_with(|first: char| first.is_ascii_digit());
        let quoted = format!("\"{}\"", database.replace('\\', "\\\\").replace('"', "\\\""));
        let name = if is_plain { &database } else { &quoted };
        Ok(Self {
            endpoint,
            push_interval: super::interval(
                setting("pushInterval", "PUSH_INTERVAL").as_deref(),
                Duration::from_secs(1),
            )?,
            tls: TlsSettings { certificates, ..super::roots(variable)? },
            create: format!("/query?q={}", encoded(&format!("CREATE DATABASE {name}"))),
            write: format!(
                "/write?consistency={consistency}&db={}&precision={}&rp={retention}",
                encoded(&database),
                unit.word
            ),
            unit,
            fields,
        })
    }
}

/// `name`, `name:int`, `name:float`, `name:bool`, `name:string`.
fn field(text: &str) -> Result<(String, FieldKind), String> {
    let (name, kind) = text.split_once(':').unwrap_or((text, "string"));
    let kind = match kind {
        "string" => FieldKind::Text,
        "int" => FieldKind::Whole,
        "float" => FieldKind::Float,
        "bool" => FieldKind::Bool,
        other => return Err(format!("tagsAsFields: `{}` is none of string, int, float, bool", shown(other))),
    };
    Ok((name.to_owned(), kind))
}

/// Writes samples as lines. What is the same for all samples of a metric or of a set of tags is put together once.
#[derive(Debug)]
pub(super) struct Lines {
    registry: Registry,
    origin: Origin,
    unit: TimeUnit,
    fields: Vec<(String, FieldKind)>,
    /// By metric: its name; empty until its first sample.
    names: Vec<String>,
    /// By set of tags: `,a=b c="d",`, the fields being those that tags became; `None` until its first sample.
    tags: Vec<Option<String>>,
    tags_bytes: usize,
    /// By series: the time of its last sample, and how many came with it before.
    instants: HashMap<(MetricId, TagSetId), (u64, u64)>,
}

impl Lines {
    pub(super) fn new(registry: &Registry, origin: Origin, spec: &InfluxSpec) -> Self {
        Self {
            registry: registry.clone(),
            origin,
            unit: spec.unit,
            fields: spec.fields.clone(),
            names: Vec::new(),
            tags: Vec::new(),
            tags_bytes: 0,
            instants: HashMap::new(),
        }
    }

    /// Adds the sample's line; whether there is one.
    pub(super) fn write(&mut self, out: &mut String, sample: &Sample) -> bool {
        if !sample.value.is_finite() {
            return false;
        }
        if self.names.get(sample.metric.index()).is_none_or(String::is_empty) {
            self.render_name(sample);
        }
        if self.tags.get(sample.tags.index()).is_none_or(Option::is_none) {
            self.render_tags(sample.tags);
        }
        out.push_str(self.names.get(sample.metric.index()).map_or("", String::as_str));
        let tags = self.tags.get(sample.tags.index()).and_then(Option::as_deref);
        out.push_str(tags.unwrap_or(" "));
        out.push_str("value=");
        crate::json::write_number(out, sample.value);
        let time = self.instant(sample) / self.unit.ns;
        // Writing to a string can't fail.
        let _ = writeln!(out, " {time}");
        true
    }

    /// When the sample was, ns since 1970, apart from others of its series.
    fn instant(&mut self, sample: &Sample) -> u64 {
        let unix_ns = self.origin.unix_ns_of(sample.time_ns);
        if self.instants.len() >= INSTANTS_MAX {
            self.instants.clear();
        }
        let (last_ns, count) = self.instants.entry((sample.metric, sample.tags)).or_insert((0, 0));
        *count = if *last_ns == unix_ns { *count + 1 } else { 0 };
        *last_ns = unix_ns;
        unix_ns.saturating_add(*count)
    }

    #[cold]
    fn render_name(&mut self, sample: &Sample) {
        let Some(metric) = self.registry.describe(sample.metric) else { return };
        if self.names.len() <= sample.metric.index() {
            self.names.resize(sample.metric.index() + 1, String::new());
        }
        if let Some(place) = self.names.get_mut(sample.metric.index()) {
            push_escaped(place, &metric.name, &[',', ' ']);
        }
    }

    #[cold]
    fn render_tags(&mut self, id: TagSetId) {
        let set = self.registry.tag_set(id);
        let (mut text, mut fields) = (String::new(), String::new());
        for (key, value) in set.iter().filter(|(key, value)| !key.is_empty() && !value.is_empty()) {
            match self.fields.iter().find(|(name, _)| name == key) {
                None => {
                    text.push(',');
                    push_escaped(&mut text, key, &[',', '=', ' ']);
                    text.push('=');
                    push_escaped(&mut text, value, &[',', '=', ' ']);
                }
                Some((_, kind)) => push_field(&mut fields, key, value, *kind),
            }
        }
        text.push(' ');
        text.push_str(&fields);
        if self.tags_bytes > RENDERED_BYTES_MAX {
            self.tags.iter_mut().for_each(|text| *text = None);
            self.tags_bytes = 0;
        }
        self.tags_bytes += text.len();
        if self.tags.len() <= id.index() {
            self.tags.resize(id.index() + 1, None);
        }
        if let Some(place) = self.tags.get_mut(id.index()) {
            *place = Some(text);
        }
    }
}

/// A name or a tag's value. Line breaks end a point, and a backslash at the end would escape what follows.
fn push_escaped(out: &mut String, text: &str, signs: &[char]) {
    for c in text.trim_end_matches(['\\', '\n', '\r']).chars() {
        let c = if matches!(c, '\n' | '\r') { ' ' } else { c };
        if signs.contains(&c) {
            out.push('\\');
        }
        out.push(c);
    }
}

/// `key=value,`; nothing where the value is not of the kind that was asked for.
fn push_field(out: &mut String, key: &str, value: &str, kind: FieldKind) {
    let written = match kind {
        FieldKind::Text => format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\"")),
        FieldKind::Whole => match value.parse::<i64>() {
            Ok(whole) => format!("{whole}i"),
            Err(_) => return,
        },
        FieldKind::Float => match value.parse::<f64>() {
            Ok(float) if float.is_finite() => float.to_string(),
            _ => return,
        },
        FieldKind::Bool => match value {
            "true" | "false" => value.to_owned(),
            _ => return,
        },
    };
    push_escaped(out, key, &[',', '=', ' ']);
    out.push('=');
    out.push_str(&written);
    out.push(',');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Metadata;
    use crate::{Contains, MetricKind, SystemTags};

    fn none(_: &str) -> Option<String> {
        None
    }

    #[test]
    fn arguments_and_variables_are_read() {
        let spec = InfluxSpec::read("", &none).unwrap();
        assert_eq!(spec.endpoint.origin(), "http://localhost:8086");
        assert_eq!(spec.create, "/query?q=CREATE%20DATABASE%20k6");
        assert_eq!(spec.write, "/write?consistency=&db=k6&precision=ns&rp=");
        let variable = |name: &str| match name {
            "K6_INFLUXDB_DB" => Some("of the variable".to_owned()),
            "K6_INFLUXDB_PUSH_INTERVAL" => Some("3s".to_owned()),
            "K6_INFLUXDB_USERNAME" => Some("u".to_owned()),
            "K6_INFLUXDB_RETENTION" => Some("a b".to_owned()),
            _ => None,
        };
        let spec = InfluxSpec::read("https://h:1?precision=ms&insecure=true", &variable).unwrap();
        assert_eq!(spec.create, "/query?q=CREATE%20DATABASE%20%22of%20the%20variable%22");
        assert_eq!(spec.write, "/write?consistency=&db=of%20the%20variable&precision=ms&rp=a%20b");
        assert_eq!(spec.endpoint.user, Some(("u".to_owned(), String::new())));
        assert_eq!(
            (spec.push_interval, spec.tls.certificates),
            (Duration::from_secs(3), Certificates::Insecure)
        );
        let check = |argument: &str, expected: &str| {
            assert_eq!(InfluxSpec::read(argument, &none).unwrap_err(), expected);
        };
        check("http://h?precision=day", "precision `day` is none of ns, u, ms, s, m, h");
        check("http://h?pushInterval=0", "the push interval `0` is no time above 0: write for example `1s`");
        check("http://h?tagsAsFields=vu:long", "tagsAsFields: `long` is none of string, int, float, bool");
    }

    #[test]
    fn samples_are_lines() {
        let registry = Registry::new(SystemTags::default());
        let (metric, _) = registry.metric("my metric", MetricKind::Counter, Contains::Default).unwrap();
        let origin = Origin { unix_ns: 1_795_250_296_000_000_000, utc_offset_sec: 0 };
        let spec = "http://h?precision=ms&tagsAsFields=vu:int,url,ratio:float,is:bool";
        let spec = InfluxSpec::read(spec, &none).unwrap();
        let mut lines = Lines::new(&registry, origin, &spec);
        let mut check = |tags: &[(&str, &str)], value: f64, expected: &str| {
            let (tags, metadata) = (registry.tags(tags), Metadata::default());
            let mut out = String::new();
            let sample = Sample { metric, tags, time_ns: 1_999_999, value, metadata };
            assert_eq!(lines.write(&mut out, &sample), !expected.is_empty());
            assert_eq!(out, expected);
        };
        check(&[], 1.0, "my\\ metric value=1 1795250296001\n");
        check(&[], f64::INFINITY, "");
        check(&[("empty", "")], 1e22, "my\\ metric value=1e+22 1795250296001\n");
        check(
            &[("a b", "c,d=e f"), ("back", "x\\"), ("nl", "p\nq")],
            -0.25,
            "my\\ metric,a\\ b=c\\,d\\=e\\ f,back=x,nl=p\\ q value=-0.25 1795250296001\n",
        );
        check(
            &[("url", "a\"b\\"), ("vu", "7"), ("ratio", "0.50"), ("is", "true"), ("z", "1")],
            2.0,
            "my\\ metric,z=1 is=true,ratio=0.5,url=\"a\\\"b\\\\\",vu=7i,value=2 1795250296001\n",
        );
        check(&[("vu", "x"), ("ratio", "x"), ("is", "x")], 2.0, "my\\ metric value=2 1795250296001\n");
    }

    #[test]
    fn samples_of_one_instant_stand_apart() {
        let registry = Registry::new(SystemTags::default());
        let spec = InfluxSpec::read("", &none).unwrap();
        let mut lines = Lines::new(&registry, Origin::default(), &spec);
        let mut out = String::new();
        for (metric, time_ns) in [
            (MetricId::VUS, 5),
            (MetricId::VUS, 5),
            (MetricId::VUS_MAX, 5),
            (MetricId::VUS, 5),
            (MetricId::VUS, 9),
        ] {
            let (tags, metadata) = (TagSetId::EMPTY, Metadata::default());
            lines.write(&mut out, &Sample { metric, tags, time_ns, value: 1.0, metadata });
        }
        assert_eq!(out, "vus value=1 5\nvus value=1 6\nvus_max value=1 5\nvus value=1 7\nvus value=1 9\n");
    }
}
