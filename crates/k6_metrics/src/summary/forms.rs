//! The summary as JSON: the argument of handleSummary, there and back, and the file of `--summary-export`.

use super::{
    CheckSummary, GroupSummary, MetricSummary, Summary, SummaryOptions, SummaryState, ThresholdSummary,
    TimeUnit, TrendStats,
};
use crate::metric::{Contains, MetricKind};
use crate::{Json, md5};

/// Groups within groups that are read back; deeper ones are left out.
const DEPTH_MAX: usize = 100;

impl Summary {
    /// The argument of handleSummary. Metrics are in the order of their names.
    pub fn to_json(&self) -> Json {
        let stats = self.options.trend_stats.names().map(Json::from).collect();
        let options = Json::object([
            ("summaryTrendStats", Json::List(stats)),
            ("summaryTimeUnit", self.options.time_unit.map_or("", TimeUnit::word).into()),
            ("noColor", self.options.no_color.into()),
        ]);
        let state = Json::object([
            ("isStdOutTTY", Json::from(self.state.is_stdout_tty)),
            ("isStdErrTTY", self.state.is_stderr_tty.into()),
            ("testRunDurationMs", self.state.test_run_duration_ms.into()),
        ]);
        let metrics = self.metrics.iter().map(|metric| (metric.name.clone(), metric_json(metric)));
        let mut pairs = vec![
            ("root_group", group_json(&self.root_group)),
            ("options", options),
            ("state", state),
            ("metrics", Json::object(metrics)),
        ];
        if let Some(data) = &self.setup_data {
            pairs.push(("setup_data", data.clone()));
        }
        Json::object(pairs)
    }

    /// The file of `--summary-export`. Under `thresholds` stands whether each *failed*, as readers of that file expect.
    pub fn to_export(&self) -> Json {
        let metrics = self.metrics.iter().map(|metric| (metric.name.clone(), export_metric(metric)));
        let mut pairs =
            vec![("root_group", export_group(&self.root_group)), ("metrics", Json::object(metrics))];
        if let Some(data) = &self.setup_data {
            pairs.push(("setup_data", data.clone()));
        }
        Json::object(pairs)
    }

    /// Reads an argument of handleSummary back, whatever a script did to it: what has another shape is left out.
    pub fn from_json(data: &Json) -> Self {
        let part = |key: &str| data.get(key).unwrap_or(&Json::Null);
        let (options, state) = (part("options"), part("state"));
        let is_true = |json: &Json, key: &str| json.get(key) == Some(&Json::Bool(true));
        let stats = options.get("summaryTrendStats").map(Json::list).unwrap_or_default();
        let trend_stats = TrendStats::parse(stats.iter().filter_map(Json::text)).unwrap_or_default();
        let time_unit = options.get("summaryTimeUnit").and_then(Json::text).and_then(TimeUnit::from_word);
        Self {
            options: SummaryOptions {
                trend_stats: if stats.is_empty() { TrendStats::default() } else { trend_stats },
                time_unit,
                no_color: is_true(options, "noColor"),
            },
            state: SummaryState {
                is_stdout_tty: is_true(state, "isStdOutTTY"),
                is_stderr_tty: is_true(state, "isStdErrTTY"),
                test_run_duration_ms: state.get("testRunDurationMs").and_then(Json::number).unwrap_or(0.0),
            },
            setup_data: data.get("setup_data").cloned(),
            root_group: read_group(part("root_group"), 0),
            metrics: part("metrics").pairs().iter().map(|(name, json)| read_metric(name, json)).collect(),
            ..Self::default()
        }
    }
}

fn metric_json(metric: &MetricSummary) -> Json {
    let values = metric.values.iter().map(|(name, value)| (name.clone(), Json::Number(*value)));
    let mut pairs = vec![
        ("type", Json::from(metric.kind.word())),
        ("contains", metric.contains.word().into()),
        ("values", Json::object(values)),
    ];
    if !metric.thresholds.is_empty() {
        let threshold = |threshold: &ThresholdSummary| {
            (threshold.expression.clone(), Json::object([("ok", Json::Bool(threshold.is_ok))]))
        };
        pairs.push(("thresholds", Json::object(metric.thresholds.iter().map(threshold))));
    }
    Json::object(pairs)
}

fn group_json(group: &GroupSummary) -> Json {
    Json::object([
        ("name", Json::from(group.name.as_str())),
        ("path", group.path.as_str().into()),
        ("id", md5::hex(&group.path).as_str().into()),
        ("groups", Json::List(group.groups.iter().map(group_json).collect())),
        ("checks", Json::List(group.checks.iter().map(check_json).collect())),
    ])
}

fn check_json(check: &CheckSummary) -> Json {
    Json::object([
        ("name", Json::from(check.name.as_str())),
        ("path", check.path.as_str().into()),
        ("id", md5::hex(&check.path).as_str().into()),
        ("passes", Json::Number(check.passes as f64)),
        ("fails", Json::Number(check.fails as f64)),
    ])
}

fn export_metric(metric: &MetricSummary) -> Json {
    let mut pairs: Vec<(String, Json)> =
        metric.values.iter().map(|(name, value)| (name.clone(), Json::Number(*value))).collect();
    if metric.kind == MetricKind::Rate
        && let Some((name, _)) = pairs.iter_mut().find(|(name, _)| name == "rate")
    {
        *name = "value".to_owned();
    }
    if !metric.thresholds.is_empty() {
        let failed = metric.thresholds.iter().map(|one| (one.expression.clone(), Json::Bool(!one.is_ok)));
        pairs.push(("thresholds".to_owned(), Json::object(failed)));
    }
    Json::Object(pairs)
}

fn export_group(group: &GroupSummary) -> Json {
    Json::object([
        ("name", Json::from(group.name.as_str())),
        ("path", group.path.as_str().into()),
        ("id", md5::hex(&group.path).as_str().into()),
        ("groups", Json::object(group.groups.iter().map(|group| (group.name.clone(), export_group(group))))),
        ("checks", Json::object(group.checks.iter().map(|check| (check.name.clone(), check_json(check))))),
    ])
}

fn read_group(json: &Json, depth: usize) -> GroupSummary {
    let text = |key: &str| json.get(key).and_then(Json::text).unwrap_or_default().to_owned();
    let list = |key: &str| json.get(key).map(Json::list).unwrap_or_default();
    let groups = if depth < DEPTH_MAX { list("groups") } else { &[] };
    GroupSummary {
        name: text("name"),
        path: text("path"),
        groups: groups.iter().map(|group| read_group(group, depth + 1)).collect(),
        checks: list("checks").iter().map(read_check).collect(),
    }
}

fn read_check(json: &Json) -> CheckSummary {
    let text = |key: &str| json.get(key).and_then(Json::text).unwrap_or_default().to_owned();
    // A conversion from a float that is out of range ends at the range's end.
    let count = |key: &str| json.get(key).and_then(Json::number).unwrap_or(0.0) as u64;
    CheckSummary { name: text("name"), path: text("path"), passes: count("passes"), fails: count("fails") }
}

fn read_metric(name: &str, json: &Json) -> MetricSummary {
    let word = |key: &str| json.get(key).and_then(Json::text).unwrap_or_default();
    let pairs = |key: &str| json.get(key).map(Json::pairs).unwrap_or_default();
    let values = pairs("values").iter().filter_map(|(name, value)| Some((name.clone(), value.number()?)));
    let threshold = |(expression, json): &(String, Json)| ThresholdSummary {
        expression: expression.clone(),
        is_ok: json.get("ok") == Some(&Json::Bool(true)),
        measured: None,
    };
    MetricSummary {
        name: name.to_owned(),
        kind: MetricKind::from_word(word("type")).unwrap_or(MetricKind::Trend),
        contains: Contains::from_word(word("contains")).unwrap_or_default(),
        values: values.collect(),
        thresholds: pairs("thresholds").iter().map(threshold).collect(),
    }
}
