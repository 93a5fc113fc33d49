//! What scripts and servers may hand in: it is refused or kept, never a panic, and never changes the shape of what is written.

use k6_metrics::text::{Colors, LegacyText, ModernText, Visibility};
use k6_metrics::{
    Books, Contains, Detail, Json, JunitNames, MetricKey, MetricKind, Moment, Registry, Summary,
    SummaryInput, SummaryOptions, SystemTags, TagSetId, ThresholdSpec, Thresholds, junit, read_thresholds,
};
use proptest::prelude::*;

/// Texts of the characters that mean something somewhere, and of any.
fn nasty() -> impl Strategy<Value = String> {
    prop_oneof![
        "[{}:,<>=!()p0-9 \"'a-c\\\\\u{0}\n\u{1b}é…]{0,24}",
        any::<String>(),
        Just("::".repeat(500)),
        Just("x".repeat(100_000)),
    ]
}

proptest! {
    #[test]
    fn keys_and_expressions(key in nasty(), expression in nasty()) {
        let _ = MetricKey::parse(&key);
        let registry = Registry::new(SystemTags::default());
        let _ = registry.series(&key);
        let specs = [
            (key.clone(), vec![ThresholdSpec::from(expression.as_str())]),
            (format!("http_reqs{{{key}}}"), vec![ThresholdSpec::from(format!("count<{expression}").as_str())]),
            ("http_req_duration".to_owned(), vec![ThresholdSpec::from(format!("p({expression})<1").as_str())]),
        ];
        match Thresholds::new(&registry, &specs) {
            Ok(mut thresholds) => {
                thresholds.evaluate(&Books::new(&registry, Detail::Compact), 1, Moment::Final);
            }
            Err(errors) => for error in errors {
                let said = error.to_string();
                prop_assert!(said.len() < 2_000 && !said.contains(['\n', '\u{1b}', '\u{0}']), "{said}");
            },
        }
    }

    #[test]
    fn options(text in nasty()) {
        let Ok(json) = Json::parse(&text) else { return Ok(()) };
        let _ = read_thresholds(&json);
        let _ = Summary::from_json(&json);
    }

    #[test]
    fn names_and_tags_stay_in_their_places(
        texts in prop::collection::vec(nasty(), 6),
        value in prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(f64::MIN), any::<f64>()],
    ) {
        let registry = Registry::new(SystemTags::default());
        let (metric, _) = registry.metric("mine", MetricKind::Trend, Contains::Time).unwrap();
        let _ = registry.metric(&texts[0], MetricKind::Counter, Contains::Data);
        let set = registry.tags(&[("group", &texts[1]), ("scenario", &texts[2]), (&texts[3], &texts[4])]);
        let mut books = Books::new(&registry, Detail::Full);
        books.add(metric, set, value, 0);
        books.add(metric, TagSetId::EMPTY, value, u64::MAX);
        let check = registry.check(registry.group(&texts[1]), &texts[5]);
        books.check(check, set, false, 0);
        let thresholds = Thresholds::default();
        let options = SummaryOptions::default();
        let summary = Summary::new(SummaryInput {
            books: &books,
            thresholds: &thresholds,
            options: &options,
            state: Default::default(),
            setup_data: None,
        });
        let json = summary.to_json().to_compact();
        prop_assert!(Json::parse(&json).is_ok());
        prop_assert!(Json::parse(&summary.to_export().to_pretty()).is_ok());
        let modern = ModernText { visibility: Visibility::Full, colors: Colors::Off }.render(&summary);
        let legacy = LegacyText::default().render(&summary);
        for printed in [&modern, &legacy] {
            prop_assert!(!printed.chars().any(|c| c.is_control() && c != '\n'), "{printed:?}");
        }
        // One line each for the check and for how often it failed, whatever its name is.
        prop_assert_eq!(legacy.lines().filter(|line| line.contains("↳  0% — ✓ 0 / ✗ 1")).count(), 1);
        prop_assert!(junit(&summary, &JunitNames::default()).ends_with("</testsuites>"));
    }
}
