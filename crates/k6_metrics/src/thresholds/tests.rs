use super::*;
use crate::{Contains, Detail, MetricId, MetricKind, SystemTags, TagSetId};

const SECOND_NS: u64 = 1_000_000_000;

fn registry() -> Registry {
    let registry = Registry::new(SystemTags::default());
    registry.metric("my_trend", MetricKind::Trend, Contains::Default).unwrap();
    registry
}

fn read(text: &str) -> Result<Vec<(String, Vec<ThresholdSpec>)>, Vec<ThresholdError>> {
    read_thresholds(&Json::parse(text).unwrap())
}

fn made(registry: &Registry, text: &str) -> Thresholds {
    Thresholds::new(registry, &read(text).unwrap()).unwrap()
}

#[test]
fn all_forms_of_the_option_are_read() {
    let read = read(
        r#"{"http_reqs": ["count>1", {"threshold": "rate>2", "abortOnFail": true, "delayAbortEval": "1m"},
            {"threshold": "rate>3", "delayAbortEval": 1500, "other": 1}], "checks": []}"#,
    )
    .unwrap();
    let spec = |expression: &str, abort_on_fail, delay_abort_eval_ns| ThresholdSpec {
        expression: expression.to_owned(),
        abort_on_fail,
        delay_abort_eval_ns,
    };
    let first = vec![
        spec("count>1", false, None),
        spec("rate>2", true, Some(60 * SECOND_NS)),
        spec("rate>3", false, Some(1_500_000_000)),
    ];
    assert_eq!(read, [("http_reqs".to_owned(), first), ("checks".to_owned(), vec![])]);
    assert_eq!(read_thresholds(&Json::Null), Ok(vec![]));
}

#[test]
fn every_wrong_shape_is_said() {
    let said =
        |text: &str| -> Vec<String> { read(text).unwrap_err().iter().map(ToString::to_string).collect() };
    assert_eq!(said("[1]"), ["thresholds: write an object of metrics, each with a list of expressions"]);
    assert_eq!(
        said(
            r#"{"a": "x<1", "b": [{"abortOnFail": true}, {"threshold": "x", "abortOnFail": "yes"},
                {"threshold": "x", "delayAbortEval": "soon"}]}"#
        ),
        [
            "thresholds of `a`: write a list, for example [\"p(95)<500\"]",
            "thresholds of `b`: an entry is a text or {threshold: text, abortOnFail: true or false, delayAbortEval: duration}",
            "thresholds of `b`: `abortOnFail` is true or false",
            "thresholds of `b`: `delayAbortEval` is a duration, for example \"10s\"",
        ]
    );
}

#[test]
fn every_wrong_metric_and_expression_is_said() {
    let specs = read(
        r#"{"nothing": ["p(95)<1"], "http_reqs{}": ["count>1"], "http_reqs{a}": ["count>1"], "checks": ["p(95)<1", "rate>>1", "rate>1"]}"#,
    );
    let errors = Thresholds::new(&registry(), &specs.unwrap()).unwrap_err();
    let said: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "threshold on `nothing`: there is no metric `nothing`; custom metrics must be made in the init code",
            "threshold on `http_reqs{}`: there is no tag between `{` and `}`",
            "threshold on `http_reqs{a}`: `a` is not `tag:value`",
            "threshold `p(95)<1` on `checks`: a rate has no `p(95)`, only rate",
            "threshold `rate>>1` on `checks`: `>1` is no number to compare with",
        ]
    );
}

#[test]
fn what_has_no_samples_counts_only_at_the_end() {
    let registry = registry();
    let text = r#"{"my_trend": ["avg>0"], "my_trend{a:b}": ["avg>0"], "http_reqs": ["count>0"], "checks": ["rate>0.9"]}"#;
    let mut thresholds = made(&registry, text);
    let mut books = Books::new(&registry, Detail::Compact);
    books.add(registry.find("my_trend").unwrap(), TagSetId::EMPTY, 1.0, 0);
    let periodic = thresholds.evaluate(&books, 2 * SECOND_NS, Moment::Periodic);
    assert_eq!(periodic, Evaluation::default());
    assert_eq!((periodic.failure_text(), periodic.abort_text()), (None, None));
    let last = thresholds.evaluate(&books, 3 * SECOND_NS, Moment::Final);
    assert_eq!(last.crossed, ["http_reqs", "my_trend{a:b}"]);
    assert_eq!(
        last.failure_text().as_deref(),
        Some("thresholds on metrics 'http_reqs, my_trend{a:b}' have been crossed")
    );
    assert_eq!(last.abort_text(), None);
}

#[test]
fn a_test_is_stopped_once_its_delay_is_over() {
    let registry = registry();
    let text = r#"{"http_reqs": [{"threshold": "count<1", "abortOnFail": true, "delayAbortEval": "4s"}], "checks": ["rate>0.9"]}"#;
    let mut thresholds = made(&registry, text);
    let mut books = Books::new(&registry, Detail::Compact);
    books.add(MetricId::HTTP_REQS, TagSetId::EMPTY, 1.0, 0);
    books.add(MetricId::CHECKS, TagSetId::EMPTY, 0.0, 0);
    for (elapsed_ns, must_abort) in
        [(2 * SECOND_NS, false), (4 * SECOND_NS, false), (4 * SECOND_NS + 1, true)]
    {
        assert_eq!(
            thresholds.evaluate(&books, elapsed_ns, Moment::Periodic).must_abort,
            must_abort,
            "{elapsed_ns}"
        );
    }
    let text = thresholds.evaluate(&books, 6 * SECOND_NS, Moment::Periodic).abort_text();
    let expected = "thresholds on metrics 'checks, http_reqs' were crossed; at least one has abortOnFail enabled, stopping test prematurely";
    assert_eq!(text.as_deref(), Some(expected));
}

#[test]
fn two_keys_of_the_same_part_are_one_list() {
    let registry = registry();
    let thresholds =
        made(&registry, r#"{"http_reqs{a:b,c:d}": ["count>1"], "http_reqs{c:d, a:b}": ["rate>1"]}"#);
    assert_eq!(thresholds.lists.len(), 1);
    assert_eq!(thresholds.lists[0].thresholds.len(), 2);
}

#[test]
fn tags_that_samples_never_carry_are_named() {
    let registry = registry();
    let thresholds = made(&registry, r#"{"http_reqs{vu:1}": ["count>1"], "checks{a:b}": ["rate>1"]}"#);
    assert_eq!(thresholds.metadata_tags(&registry), ["vu"]);
    assert!(!thresholds.is_empty());
    assert!(made(&registry, r#"{"http_reqs": []}"#).is_empty());
}
