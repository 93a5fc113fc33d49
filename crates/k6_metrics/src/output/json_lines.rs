//! JSON lines: one for each metric before its first sample, then one for each sample.

use super::feed::Sample;
use super::time::{Clock, Digits, Origin};
use super::writer::RENDERED_BYTES_MAX;
use crate::GoDuration;
use crate::json::{Json, write_number, write_text};
use crate::metric::MetricId;
use crate::registry::{Metric, Registry, SubMetric};
use crate::tags::TagSetId;
use crate::thresholds::{ThresholdSpec, Thresholds};

/// Writes samples as lines. What is the same for all samples of a metric or of a set of tags is put together once.
#[derive(Debug)]
pub(crate) struct JsonLines {
    registry: Registry,
    thresholds: Thresholds,
    origin: Origin,
    clock: Clock,
    /// By metric: `{"metric":"…","type":"Point","data":{"time":"`; empty until its first sample.
    starts: Vec<String>,
    /// By set of tags: `{"a":"b"}`; empty until its first sample.
    tags: Vec<String>,
    tags_bytes: usize,
}

impl JsonLines {
    pub(crate) fn new(registry: &Registry, thresholds: &Thresholds, origin: Origin) -> Self {
        Self {
            registry: registry.clone(),
            thresholds: thresholds.clone(),
            origin,
            clock: Clock::new(origin.utc_offset_sec),
            starts: Vec::new(),
            tags: Vec::new(),
            tags_bytes: 0,
        }
    }

    /// Adds the sample's line, and its metric's if this is the first.
    pub(crate) fn write(&mut self, out: &mut String, sample: &Sample) {
        if self.starts.get(sample.metric.index()).is_none_or(String::is_empty) {
            self.begin_metric(out, sample.metric);
        }
        if self.tags.get(sample.tags.index()).is_none_or(String::is_empty) {
            self.render_tags(sample.tags);
        }
        let text = |texts: &[String], index: usize| texts.get(index).map_or(0, String::len);
        out.reserve(text(&self.starts, sample.metric.index()) + text(&self.tags, sample.tags.index()) + 96);
        out.push_str(self.starts.get(sample.metric.index()).map_or("", String::as_str));
        self.clock.write(out, self.origin.unix_ns_of(sample.time_ns), Digits::AsNeeded);
        out.push_str("\",\"value\":");
        write_number(out, sample.value);
        out.push_str(",\"tags\":");
        out.push_str(self.tags.get(sample.tags.index()).map_or("{}", String::as_str));
        let metadata = sample.metadata.pairs();
        if !metadata.is_empty() {
            out.push_str(",\"metadata\":");
            write_pairs(out, metadata.iter().map(|(key, value)| (key.as_str(), value.as_str())));
        }
        out.push_str("}}\n");
    }

    #[cold]
    fn begin_metric(&mut self, out: &mut String, id: MetricId) {
        let Some(metric) = self.registry.describe(id) else { return };
        let list = self.thresholds.of(id.into());
        let thresholds = list.map(|list| list.thresholds.as_slice()).unwrap_or_default();
        let thresholds = thresholds.iter().map(|threshold| threshold_json(&threshold.spec)).collect();
        out.push_str(&metric_json(&metric, thresholds).to_compact());
        out.push('\n');
        let mut start = String::from("{\"metric\":");
        write_text(&mut start, &metric.name);
        start.push_str(",\"type\":\"Point\",\"data\":{\"time\":\"");
        if self.starts.len() <= id.index() {
            self.starts.resize(id.index() + 1, String::new());
        }
        if let Some(place) = self.starts.get_mut(id.index()) {
            *place = start;
        }
    }

    #[cold]
    fn render_tags(&mut self, id: TagSetId) {
        let mut text = String::new();
        write_pairs(&mut text, self.registry.tag_set(id).iter());
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

fn write_pairs<'a>(out: &mut String, pairs: impl Iterator<Item = (&'a str, &'a str)>) {
    out.push('{');
    for (index, (key, value)) in pairs.enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_text(out, key);
        out.push(':');
        write_text(out, value);
    }
    out.push('}');
}

/// The text alone, unless it can stop the test.
fn threshold_json(spec: &ThresholdSpec) -> Json {
    if !spec.abort_on_fail {
        return spec.expression.as_str().into();
    }
    let delay = spec.delay_abort_eval_ns.map_or(Json::Null, |ns| {
        Json::Text(GoDuration::from_ns(i64::try_from(ns).unwrap_or(i64::MAX)).to_string())
    });
    Json::object([
        ("threshold", Json::from(spec.expression.as_str())),
        ("abortOnFail", Json::Bool(true)),
        ("delayAbortEval", delay),
    ])
}

fn metric_json(metric: &Metric, thresholds: Vec<Json>) -> Json {
    let sub_metric = |sub: &SubMetric| {
        let tags = sub.tags.iter().map(|(key, value)| (key.clone(), Json::from(value.as_str())));
        Json::object([
            ("name", Json::from(&*sub.name)),
            ("suffix", (&*sub.suffix).into()),
            ("tags", Json::object(tags)),
        ])
    };
    let sub_metrics = match metric.sub_metrics.as_slice() {
        [] => Json::Null,
        subs => subs.iter().map(sub_metric).collect(),
    };
    let data = Json::object([
        ("name", Json::from(&*metric.name)),
        ("type", metric.kind.word().into()),
        ("contains", metric.contains.word().into()),
        ("thresholds", Json::List(thresholds)),
        ("submetrics", sub_metrics),
    ]);
    Json::object([("type", Json::from("Metric")), ("data", data), ("metric", (&*metric.name).into())])
}
