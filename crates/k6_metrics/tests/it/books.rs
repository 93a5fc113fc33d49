//! Books: what goes where, and merging.

use crate::fixture::{SECOND_NS, registry, run, samples, summary};
use k6_metrics::text::{Colors, ModernText, Visibility};
use k6_metrics::{
    Books, Contains, Detail, MetricId, MetricKind, Registry, Sink, SummaryOptions, SystemTags, TagSetId,
    Tags, TimeSeriesWatch,
};
use proptest::prelude::*;

/// All that books hold of a series, as text.
fn held(books: &Books, registry: &Registry) -> String {
    let mut text = String::new();
    for metric in registry.metrics() {
        let subs = metric.sub_metrics.iter().map(|sub| sub.name.clone());
        for name in [metric.name.clone()].into_iter().chain(subs) {
            let series = registry.series(&name).unwrap();
            let sink = books.sink(series).unwrap();
            let values = match sink {
                Sink::Counter(counter) => format!("{}", counter.sum()),
                Sink::Gauge(gauge) => format!("{} {} {}", gauge.value(), gauge.min(), gauge.max()),
                Sink::Rate(rate) => format!("{} {}", rate.passes, rate.total),
                Sink::Trend(trend) => {
                    let quantiles =
                        [0.0, 0.25, 0.5, 0.9, 0.999, 1.0].map(|quantile| trend.quantile(quantile));
                    format!("{} {} {quantiles:?}", trend.count(), trend.sum())
                }
            };
            text.push_str(&format!("{name} {values}\n"));
        }
    }
    text
}

#[test]
fn parts_by_tags_get_their_samples() {
    let registry = Registry::new(SystemTags::NONE);
    let keys = ["http_reqs{a:b}", "http_reqs{a:b,c:d}", "http_reqs{c:d}", "http_reqs{e:\"\"}"];
    let series = keys.map(|key| registry.series(key).unwrap());
    let mut books = Books::new(&registry, Detail::Compact);
    for (pairs, value) in [
        (&[("a", "b")][..], 1.0),
        (&[("a", "b"), ("c", "d"), ("x", "y")], 10.0),
        (&[("c", "d")], 100.0),
        (&[("a", "B"), ("e", "")], 1_000.0),
        (&[], 10_000.0),
    ] {
        // Twice, since the second time is another way.
        for _ in 0..2 {
            books.add(MetricId::HTTP_REQS, registry.tags(pairs), value, 0);
        }
    }
    let sum = |series| match books.sink(series) {
        Some(Sink::Counter(counter)) => counter.sum(),
        other => unreachable!("{other:?}"),
    };
    assert_eq!(series.map(sum), [22.0, 20.0, 220.0, 2_000.0]);
    assert_eq!(sum(MetricId::HTTP_REQS.into()), 22_222.0);
    assert_eq!(books.time_series_count(), 5);
}

#[test]
fn metrics_made_while_a_test_runs_are_counted() {
    let registry = registry();
    let mut books = Books::new(&registry, Detail::Full);
    let (late, _) = registry.metric("late", MetricKind::Trend, Contains::Time).unwrap();
    let tags = registry.tags(&[("scenario", "s"), ("group", "::g")]);
    books.add(late, tags, 5.0, 0);
    books.add(late, tags, f64::NAN, 0);
    assert_eq!(books.nan_count(), 1);
    let mut whole = Books::new(&Registry::clone(&registry), Detail::Full);
    whole.merge(&books);
    let Some(Sink::Trend(trend)) = whole.sink(late) else { unreachable!("a trend was made") };
    assert_eq!((trend.count(), trend.max(), whole.nan_count()), (1, 5.0, 1));
}

#[test]
fn workers_and_intervals_make_the_same_summary_as_one() {
    let one = run(Detail::Full);
    let mut whole = Books::new(&one.registry, Detail::Full);
    let mut tags = Tags::new(&one.registry);
    // Three workers in turn; each hands over after every second sample and uses its books again.
    let mut workers: Vec<Books> = (0..3).map(|_| Books::new(&one.registry, Detail::Full)).collect();
    for (index, (name, pairs, value)) in samples().into_iter().enumerate() {
        let set = tags.with_all(TagSetId::EMPTY, &pairs);
        let worker = &mut workers[index % 3];
        worker.add(one.registry.find(name).unwrap(), set, value, index as u64);
        if index % 2 == 0 {
            whole.merge(worker);
            worker.clear();
        }
    }
    for (path, name, passes, fails) in crate::fixture::CHECKS {
        let check = one.registry.check(one.registry.group(path), name);
        let scenario = if path.is_empty() { "default" } else { "shop" };
        let set = tags.with_all(TagSetId::EMPTY, &[("check", name), ("group", path), ("scenario", scenario)]);
        for index in 0..passes + fails {
            workers[(index % 3) as usize].check(check, set, index < passes, 0);
        }
    }
    workers.iter().rev().for_each(|worker| whole.merge(worker));
    assert_eq!(held(&whole, &one.registry), held(&one.books, &one.registry));
    assert_eq!(whole.time_series_count(), one.books.time_series_count());
    let merged = crate::fixture::Run {
        registry: one.registry.clone(),
        thresholds: one.thresholds.clone(),
        books: whole,
    };
    let text = ModernText { visibility: Visibility::Full, colors: Colors::Off };
    let options = SummaryOptions::default();
    assert_eq!(text.render(&summary(&merged, &options)), text.render(&summary(&one, &options)));
}

#[test]
fn books_take_no_new_parts() {
    let registry = registry();
    registry.series("http_reqs{a:b}").unwrap();
    let _books = Books::new(&registry, Detail::Compact);
    assert!(registry.series("http_reqs{a:b}").is_ok() && registry.series("http_reqs").is_ok());
    let error = registry.series("http_reqs{c:d}").unwrap_err();
    assert_eq!(
        error.to_string(),
        "`http_reqs{c:d}` is asked for after the first samples may have come: ask before"
    );
}

#[test]
fn many_time_series_are_warned_of_at_each_doubling() {
    let mut watch = TimeSeriesWatch::default();
    let warned = [5, 100_000, 100_001, 150_000, 200_000, 200_001, 900_000, 1_600_000, 1_600_001];
    let warned = warned.into_iter().filter(|count| watch.warning(*count).is_some());
    assert_eq!(warned.collect::<Vec<_>>(), [100_001, 200_001, 900_000, 1_600_001]);
}

#[test]
fn cleared_books_are_as_new() {
    let mut one = run(Detail::Full);
    one.books.clear();
    let new = Books::new(&one.registry, Detail::Full);
    assert_eq!(held(&one.books, &one.registry), held(&new, &one.registry));
    assert_eq!((one.books.time_series_count(), one.books.nan_count()), (0, 0));
    let summary = summary(&one, &SummaryOptions::default());
    assert!(summary.groups.is_empty() && summary.scenarios.is_empty() && summary.checks.is_empty());
}

/// Metric, set of tags, value, time.
fn any_sample() -> impl Strategy<Value = (u8, u8, f64, u64)> {
    (0_u8..4, 0_u8..4, prop_oneof![Just(0.0), -10.0..1e6, 1e-6..1e-3], 0..10 * SECOND_NS)
}

proptest! {
    #[test]
    fn books_merge_in_any_order_and_grouping(
        samples in prop::collection::vec((any_sample(), 0_usize..4), 0..2_500),
        order in Just([0_usize, 1, 2, 3]).prop_shuffle(),
    ) {
        let registry = Registry::new(SystemTags::default());
        registry.series("http_reqs{a:1}").unwrap();
        registry.series("http_req_waiting{a:1}").unwrap();
        let metrics = [MetricId::HTTP_REQS, MetricId::VUS, MetricId::CHECKS, MetricId::HTTP_REQ_WAITING];
        let sets = ["0", "1", "2", "3"].map(|value| registry.tags(&[("a", value)]));
        let new = || Books::new(&registry, Detail::Compact);
        let mut whole = new();
        let mut parts = [new(), new(), new(), new()];
        for ((metric, set, value, time_ns), part) in samples {
            let (metric, set) = (metrics[usize::from(metric)], sets[usize::from(set)]);
            // A gauge's values are told apart by time alone, so each time has one value.
            let value = if metric == MetricId::VUS { time_ns as f64 } else { value };
            whole.add(metric, set, value, time_ns);
            parts[part].add(metric, set, value, time_ns);
        }
        let mut one_by_one = new();
        order.iter().for_each(|index| one_by_one.merge(&parts[*index]));
        let [a, b, c, d] = &mut parts;
        a.merge(b);
        d.merge(c);
        d.merge(a);
        prop_assert_eq!(held(&one_by_one, &registry), held(&whole, &registry));
        prop_assert_eq!(held(d, &registry), held(&whole, &registry));
    }
}
