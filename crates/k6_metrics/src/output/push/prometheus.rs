//! Prometheus remote write 1.0: the sums of all samples so far, series by series, posted every five seconds as protobuf under Snappy.
//!
//! A counter is `k6_NAME_total`, a gauge `k6_NAME`, a rate `k6_NAME_rate`, a trend one series for each of its stats: `k6_NAME_p99`. Trends of times are in
//! seconds, as Prometheus wants them. A series that got no sample since the last push is not sent.
//!
//! Source: the specification "Prometheus Remote-Write 1.0" (labels sorted by name, timestamps in ms that rise, stale marker).

use super::http::{Endpoint, encoded};
use super::message::{STALE_NAN_BITS, WriteRequest};
use crate::metric::{Contains, MetricId};
use crate::output::feed::Sample;
use crate::output::time::Origin;
use crate::registry::{Registry, shown};
use crate::sink::Sink;
use crate::tags::TagSetId;
use crate::trend::Trend;
use proto::tls::{Certificates, ClientIdentity, TlsSettings, TlsVersion};
use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Where series go and in which form.
#[derive(Debug, Clone, PartialEq)]
pub struct PrometheusSpec {
    pub(super) endpoint: Endpoint,
    pub(super) headers: Vec<(String, String)>,
    pub(super) push_interval: Duration,
    pub(super) tls: TlsSettings,
    stats: Vec<Stat>,
    has_stale_markers: bool,
    /// What was asked for and is not done.
    pub(super) warnings: Vec<String>,
}

/// Before each metric's name.
const PREFIX: &str = "k6_";
/// What a variable's name begins with.
const VARIABLES: &str = "K6_PROMETHEUS_RW_";
/// Series that are kept: beyond it a receiver suffers more than the test's machine.
const SERIES_MAX: usize = 100_000;
/// Series of one request: some MiB, far below what receivers refuse.
const SERIES_PER_REQUEST: usize = 10_000;

/// What is sent of a trend.
#[derive(Debug, Clone, Copy, PartialEq)]
enum StatKind {
    Avg,
    Min,
    Med,
    Max,
    Count,
    Sum,
    Quantile(f64),
}

#[derive(Debug, Clone, PartialEq)]
struct Stat {
    /// The end of the series' name.
    suffix: String,
    kind: StatKind,
}

impl PrometheusSpec {
    /// The argument is a URL, which k6 takes from a variable alone; all else is in the variables `K6_PROMETHEUS_RW_*`.
    pub(super) fn read(argument: &str, variables: &BTreeMap<String, String>) -> Result<Self, String> {
        let of = |name: &str| {
            let text = variables.get(&format!("{VARIABLES}{name}"));
            text.filter(|text| !text.is_empty()).cloned()
        };
        let is_on = |name: &str| of(name).is_some_and(|text| super::is_true(&text));
        if of("SIGV4_REGION").or_else(|| of("SIGV4_ACCESS_KEY")).is_some() {
            return Err("SigV4 is not there: send to a proxy that signs, and unset K6_PROMETHEUS_RW_SIGV4_*"
                .to_owned());
        }
        let address = Some(argument.to_owned()).filter(|text| !text.is_empty()).or_else(|| of("SERVER_URL"));
        let address = address.unwrap_or_else(|| "http://localhost:9090/api/v1/write".to_owned());
        let mut endpoint = Endpoint::parse(&address)?;
        let mut headers: Vec<(String, String)> = Vec::new();
        let begin = format!("{VARIABLES}HEADERS_");
        headers.extend(
            variables
                .iter()
                .filter_map(|(name, value)| Some((name.strip_prefix(&begin)?.to_owned(), value.clone()))),
        );
        for pair in of("HTTP_HEADERS").iter().flat_map(|text| text.split(',')).filter(|pair| !pair.is_empty())
        {
            let pair = pair.split_once(':').ok_or_else(|| {
                format!("K6_PROMETHEUS_RW_HTTP_HEADERS: `{}` is not `name:value`", shown(pair))
            })?;
            headers.push((pair.0.trim().to_owned(), pair.1.trim().to_owned()));
        }
        if let Some(token) = of("BEARER_TOKEN") {
            headers.push(("authorization".to_owned(), format!("Bearer {token}")));
        } else if endpoint.user.is_none() {
            endpoint.user = of("USERNAME").map(|name| (name, of("PASSWORD").unwrap_or_default()));
        }
        let stats = of("TREND_STATS").unwrap_or_else(|| "p(99)".to_owned());
        let stats = stats.split(',').map(|name| stat(name.trim())).collect::<Result<_, _>>()?;
        let mut warnings = Vec::new();
        if is_on("TREND_AS_NATIVE_HISTOGRAM") {
            warnings.push(
                "K6_PROMETHEUS_RW_TREND_AS_NATIVE_HISTOGRAM: trends are sent as their stats".to_owned(),
            );
        }
        Ok(Self {
            endpoint,
            headers,
            push_interval: super::interval(of("PUSH_INTERVAL").as_deref(), Duration::from_secs(5))?,
            tls: tls(variables, &of)?,
            stats,
            has_stale_markers: is_on("STALE_MARKERS"),
            warnings,
        })
    }

    /// Path and query of the requests.
    pub(super) fn target(&self) -> String {
        let path = if self.endpoint.path.is_empty() { "/" } else { &self.endpoint.path };
        let mark = if self.endpoint.query.is_empty() { "" } else { "?" };
        let clean = |text: &str| {
            text.chars().map(|c| if c == ' ' { encoded(" ") } else { c.to_string() }).collect::<String>()
        };
        format!("{}{mark}{}", clean(path), clean(&self.endpoint.query))
    }
}

fn tls(
    variables: &BTreeMap<String, String>,
    of: &dyn Fn(&str) -> Option<String>,
) -> Result<TlsSettings, String> {
    let mut tls = super::roots(&|name| variables.get(name).cloned())?;
    if of("INSECURE_SKIP_TLS_VERIFY").is_some_and(|text| super::is_true(&text)) {
        tls.certificates = Certificates::Insecure;
    }
    if of("TLS_MINIMUM_VERSION").is_some_and(|text| text.ends_with("1.3")) {
        tls.version_min = TlsVersion::V1_3;
    }
    if let (Some(certificate), Some(key)) = (of("CLIENT_CERTIFICATE"), of("CLIENT_CERTIFICATE_KEY")) {
        tls.identity =
            Some(ClientIdentity { certificate_pem: super::pem(&certificate)?, key_pem: super::pem(&key)? });
    }
    Ok(tls)
}

fn stat(name: &str) -> Result<Stat, String> {
    let kind = match name {
        "avg" => StatKind::Avg,
        "min" => StatKind::Min,
        "med" => StatKind::Med,
        "max" => StatKind::Max,
        "count" => StatKind::Count,
        "sum" => StatKind::Sum,
        _ => {
            let digits = name.strip_prefix("p(").and_then(|rest| rest.strip_suffix(')'));
            let percent = digits.and_then(|digits| digits.trim().parse::<f64>().ok());
            let percent = percent.filter(|percent| (0.0..=100.0).contains(percent));
            StatKind::Quantile(percent.map(|percent| percent / 100.0).ok_or_else(|| {
                format!(
                    "K6_PROMETHEUS_RW_TREND_STATS: `{}` is none of avg, min, med, max, count, sum, p(0) to p(100)",
                    shown(name)
                )
            })?)
        }
    };
    let suffix = name.chars().filter(char::is_ascii_alphanumeric).collect();
    Ok(Stat { suffix, kind })
}

impl StatKind {
    /// Of a trend; `unit` is what one of its values is, 0.001 for times in ms that are sent as seconds.
    fn of(self, trend: &Trend, unit: f64) -> f64 {
        match self {
            Self::Avg => trend.mean() * unit,
            Self::Min => trend.min() * unit,
            Self::Med => trend.quantile(0.5) * unit,
            Self::Max => trend.max() * unit,
            Self::Count => trend.count() as f64,
            Self::Sum => trend.sum() * unit,
            Self::Quantile(quantile) => trend.quantile(quantile) * unit,
        }
    }
}

/// What is known of one metric with one set of tags.
#[derive(Debug)]
struct Series {
    sink: Sink,
    /// Of its last sample, ms since 1970.
    time_ms: i64,
    /// Of its last push.
    pushed_ms: i64,
    /// Samples since then.
    new_count: u64,
}

/// Adds samples up and writes what is new.
#[derive(Debug)]
pub(super) struct Table {
    registry: Registry,
    origin: Origin,
    stats: Vec<Stat>,
    has_stale_markers: bool,
    series: HashMap<(MetricId, TagSetId), Series>,
    /// Samples of series beyond what is kept.
    pub(super) left_out_count: u64,
}

impl Table {
    pub(super) fn new(registry: &Registry, origin: Origin, spec: &PrometheusSpec) -> Self {
        Self {
            registry: registry.clone(),
            origin,
            stats: spec.stats.clone(),
            has_stale_markers: spec.has_stale_markers,
            series: HashMap::new(),
            left_out_count: 0,
        }
    }

    /// Adds a sample.
    pub(super) fn add(&mut self, sample: &Sample) {
        let key = (sample.metric, sample.tags);
        let is_full = self.series.len() >= SERIES_MAX;
        let series = match self.series.get_mut(&key) {
            Some(series) => series,
            None => {
                let metric = self.registry.describe(sample.metric).filter(|_| !is_full);
                let Some(metric) = metric else {
                    self.left_out_count += 1;
                    return;
                };
                let new = Series { sink: Sink::new(metric.kind), time_ms: 0, pushed_ms: 0, new_count: 0 };
                self.series.entry(key).or_insert(new)
            }
        };
        if sample.value.is_nan() {
            return;
        }
        series.sink.add(sample.value, sample.time_ns);
        let unix_ms = self.origin.unix_ns_of(sample.time_ns) / 1_000_000;
        series.time_ms = series.time_ms.max(i64::try_from(unix_ms).unwrap_or(i64::MAX));
        series.new_count += 1;
    }

    /// What is new since the last time, as requests' bodies with the samples that each stands for.
    pub(super) fn take(&mut self) -> Vec<(Vec<u8>, u64)> {
        let mut bodies = Bodies::default();
        let mut keys: Vec<_> =
            self.series.iter().filter(|(_, series)| series.new_count > 0).map(|(key, _)| *key).collect();
        keys.sort_unstable_by_key(|(metric, tags)| (metric.index(), tags.index()));
        for key in keys {
            let Some(series) = self.series.get_mut(&key) else { continue };
            // Two samples of a series at one instant are an error to receivers.
            let time_ms = series.time_ms.max(series.pushed_ms.saturating_add(1));
            let count = std::mem::take(&mut series.new_count);
            series.pushed_ms = time_ms;
            let Some(series) = self.series.get(&key) else { continue };
            bodies.add(&self.lines_of(key, &series.sink), |value| value, time_ms, count);
        }
        bodies.finish()
    }

    /// Marks that all series have ended, where that is wanted.
    pub(super) fn take_end(&mut self) -> Vec<(Vec<u8>, u64)> {
        if !self.has_stale_markers {
            return Vec::new();
        }
        let now_ms = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let now_ms = i64::try_from(now_ms).unwrap_or(i64::MAX);
        let mut bodies = Bodies::default();
        for (key, series) in self.series.iter().filter(|(_, series)| series.pushed_ms > 0) {
            let time_ms = now_ms.max(series.pushed_ms).saturating_add(1);
            let stale = f64::from_bits(STALE_NAN_BITS);
            bodies.add(&self.lines_of(*key, &series.sink), |_| stale, time_ms, 0);
        }
        bodies.finish()
    }

    /// The series of a metric with a set of tags: labels and value of each.
    fn lines_of(
        &self,
        (metric, tags): (MetricId, TagSetId),
        sink: &Sink,
    ) -> Vec<(Vec<(String, String)>, f64)> {
        let Some(metric) = self.registry.describe(metric) else { return Vec::new() };
        let set = self.registry.tag_set(tags);
        let pairs = set.iter().filter(|(_, value)| !value.is_empty());
        let mut labels = BTreeMap::new();
        for (key, value) in pairs {
            // Of tags that become one label the first stays.
            labels.entry(label_name(key)).or_insert_with(|| value.to_owned());
        }
        let named = |end: &str, value: f64| {
            let mut labels = labels.clone();
            labels.insert("__name__".to_owned(), format!("{PREFIX}{}{end}", valid(&metric.name)));
            (labels.into_iter().collect(), value)
        };
        match sink {
            Sink::Counter(counter) => vec![named("_total", counter.sum())],
            Sink::Gauge(gauge) => vec![named("", gauge.value())],
            Sink::Rate(rate) => vec![named("_rate", rate.ratio())],
            Sink::Trend(trend) => {
                let unit = if metric.contains == Contains::Time { 1e-3 } else { 1.0 };
                let of = |stat: &Stat| named(&format!("_{}", stat.suffix), stat.kind.of(trend, unit));
                self.stats.iter().map(of).collect()
            }
        }
    }
}

/// Requests of bounded size.
#[derive(Debug, Default)]
struct Bodies {
    done: Vec<(Vec<u8>, u64)>,
    open: WriteRequest,
    series_count: usize,
    sample_count: u64,
}

impl Bodies {
    fn add(
        &mut self,
        lines: &[(Vec<(String, String)>, f64)],
        value_of: impl Fn(f64) -> f64,
        time_ms: i64,
        sample_count: u64,
    ) {
        for (labels, value) in lines {
            self.open.series(labels, value_of(*value), time_ms);
        }
        self.series_count += lines.len();
        self.sample_count += sample_count;
        if self.series_count >= SERIES_PER_REQUEST {
            self.close();
        }
    }

    fn close(&mut self) {
        if self.series_count > 0 {
            let body = std::mem::take(&mut self.open).compressed();
            self.done.push((body, std::mem::take(&mut self.sample_count)));
            self.series_count = 0;
        }
    }

    fn finish(mut self) -> Vec<(Vec<u8>, u64)> {
        self.close();
        self.done
    }
}

/// A tag's name as a label's: `[a-zA-Z_][a-zA-Z0-9_]*`. Those that begin with two underscores are Prometheus' own.
fn label_name(key: &str) -> String {
    let name = valid(key).replace(':', "_");
    match name {
        name if name.starts_with("__") => format!("tag{name}"),
        name if name.starts_with(|first: char| first.is_ascii_digit()) => format!("_{name}"),
        name => name,
    }
}

fn valid(name: &str) -> String {
    let of = |c: char| if c.is_ascii_alphanumeric() || c == ':' { c } else { '_' };
    name.chars().map(of).collect()
}
