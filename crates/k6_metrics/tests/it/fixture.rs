//! A small test whose figures are computed by hand: 10 seconds, two scenarios, groups, checks, custom metrics, thresholds of every kind.

use k6_metrics::summary::SummaryState;
use k6_metrics::{
    Books, Contains, Detail, Json, MetricId, MetricKind, Moment, Registry, Summary, SummaryInput,
    SummaryOptions, SystemTags, TagSetId, Tags, Thresholds, read_thresholds,
};

pub(crate) const SECOND_NS: u64 = 1_000_000_000;

/// A test with its results.
pub(crate) struct Run {
    pub(crate) registry: Registry,
    pub(crate) thresholds: Thresholds,
    pub(crate) books: Books,
}

pub(crate) const THRESHOLDS: &str = r#"{
    "http_req_duration": ["p(95)<300", {"threshold": "p(99.5) < 100", "abortOnFail": true, "delayAbortEval": "1m30s"}],
    "http_req_duration{gzip:yes}": ["avg<=250"],
    "visits{page: \"home\"}": ["count>5", "rate>0"],
    "checks": ["rate>0.9"],
    "nothing{a:b}": ["count==0"]
}"#;

pub(crate) fn registry() -> Registry {
    let registry = Registry::new(SystemTags::default());
    for (name, kind, contains) in [
        ("visits", MetricKind::Counter, Contains::Default),
        ("nothing", MetricKind::Counter, Contains::Default),
        ("queue", MetricKind::Gauge, Contains::Default),
        ("Age", MetricKind::Gauge, Contains::Time),
        ("found", MetricKind::Rate, Contains::Default),
        ("steps", MetricKind::Trend, Contains::Time),
        ("weight", MetricKind::Trend, Contains::Default),
    ] {
        registry.metric(name, kind, contains).unwrap();
    }
    registry
}

/// A sample's metric, tags and value.
pub(crate) type Named = (&'static str, Vec<(&'static str, &'static str)>, f64);

/// All samples in the order in which they were taken.
pub(crate) fn samples() -> Vec<Named> {
    let shop = |group| vec![("group", group), ("scenario", "shop")];
    let mut samples = Vec::new();
    for (index, ms) in [100.0, 200.0, 300.0, 400.0].into_iter().enumerate() {
        let mut tags = shop("::cart");
        tags.extend([("expected_response", "true"), ("url", "http://h/"), ("gzip", "yes")]);
        samples.push(("http_reqs", tags.clone(), 1.0));
        samples.push(("http_req_duration", tags.clone(), ms));
        samples.push(("http_req_waiting", tags.clone(), ms - 0.5));
        samples.push(("http_req_failed", tags, 0.0));
        samples.push(("visits", vec![("group", ""), ("scenario", "shop"), ("page", "home")], 1.0));
        samples.push(("steps", shop("::cart::pay"), 61_500.0 * index as f64));
        samples.push(("found", shop(""), f64::from(u8::from(index == 0))));
        samples.push(("queue", shop(""), 4.0 - index as f64));
    }
    let default = || vec![("group", ""), ("scenario", "default")];
    samples.push(("visits", default(), 2.5));
    samples.push(("Age", default(), 0.25));
    samples.push(("weight", default(), -1.0 / 3.0));
    samples.push(("weight", vec![("group", "::scale"), ("scenario", "default")], 2.0));
    samples.push(("data_received", default(), 123_456.0));
    samples.push(("iterations", default(), 5.0));
    samples.push(("iteration_duration", default(), 1_234.567));
    samples.push(("vus", default(), 3.0));
    samples.push(("group_duration", shop("::cart"), 10.0));
    samples
}

/// Group, name, passes and fails.
pub(crate) const CHECKS: [(&str, &str, u64, u64); 4] = [
    ("", "alive", 1, 0),
    ("::cart", "status is 200", 2, 1),
    ("::cart::pay", "paid", 0, 3),
    ("::cart::pay", "alive", 4, 0),
];

pub(crate) fn run(detail: Detail) -> Run {
    let registry = registry();
    let option = Json::parse(THRESHOLDS).unwrap();
    let mut thresholds = Thresholds::new(&registry, &read_thresholds(&option).unwrap()).unwrap();
    let mut books = Books::new(&registry, detail);
    let mut tags = Tags::new(&registry);
    for (index, (name, pairs, value)) in samples().into_iter().enumerate() {
        let set = tags.with_all(TagSetId::EMPTY, &pairs);
        books.add(registry.find(name).unwrap(), set, value, index as u64);
    }
    for (path, name, passes, fails) in CHECKS {
        let check = registry.check(registry.group(path), name);
        let scenario = if path.is_empty() { "default" } else { "shop" };
        let set = tags.with_all(TagSetId::EMPTY, &[("check", name), ("group", path), ("scenario", scenario)]);
        (0..passes).for_each(|_| books.check(check, set, true, 0));
        (0..fails).for_each(|_| books.check(check, set, false, 0));
    }
    let evaluation = thresholds.evaluate(&books, 10 * SECOND_NS, Moment::Final);
    assert_eq!(evaluation.crossed, ["checks", "http_req_duration", "visits{page: \"home\"}"]);
    assert!(!evaluation.must_abort, "its delay is longer than the test");
    Run { registry, thresholds, books }
}

pub(crate) fn summary(run: &Run, options: &SummaryOptions) -> Summary {
    let setup_data = Json::parse(r#"{"token":"x","list":[1,2]}"#).unwrap();
    let state = SummaryState { is_stdout_tty: true, is_stderr_tty: false, test_run_duration_ms: 10_000.0 };
    let (books, thresholds) = (&run.books, &run.thresholds);
    Summary::new(SummaryInput { books, thresholds, options, state, setup_data: Some(&setup_data) })
}

/// Only what a metric's number is good for here: a sample in another test's registry.
pub(crate) const ANY_METRIC: MetricId = MetricId::HTTP_REQS;
