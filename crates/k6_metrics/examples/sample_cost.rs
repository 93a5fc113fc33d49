//! What a sample costs: in the books, as a set of tags, as a line in a file. Run with `--release` on an idle machine:
//!
//! ```text
//! cargo run --release -p k6_metrics --example sample_cost
//! ```

use k6_metrics::output::{Metadata, Origin, OutputSpec, Sample, SampleWriter};
use k6_metrics::{Books, Detail, MetricId, Registry, SystemTags, TagSetId, Tags, Thresholds, Trend};
use std::hint::black_box;
use std::time::Instant;

/// Samples of each measurement.
const SAMPLES: u64 = 4_000_000;
/// Each is measured so often; the least is printed, since all else is other programs' doing.
const ROUNDS: u32 = 5;
/// Different sets of tags.
const SETS: usize = 64;

const TRENDS: [MetricId; 7] = [
    MetricId::HTTP_REQ_DURATION,
    MetricId::HTTP_REQ_BLOCKED,
    MetricId::HTTP_REQ_CONNECTING,
    MetricId::HTTP_REQ_TLS_HANDSHAKING,
    MetricId::HTTP_REQ_SENDING,
    MetricId::HTTP_REQ_WAITING,
    MetricId::HTTP_REQ_RECEIVING,
];

fn measure(what: &str, count: u64, mut step: impl FnMut()) {
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        step();
        least = least.min(start.elapsed().as_nanos() as f64 / count as f64);
    }
    println!("{what:<66} {least:>8.1} ns");
}

/// Times like those of requests, in ms: a lump with a tail.
fn values() -> Vec<f64> {
    let mut random = units::Random::new(7);
    (0..1 << 12).map(|_| 0.2 + random.exponential() * 0.3).collect()
}

fn sets(registry: &Registry) -> Vec<TagSetId> {
    let mut tags = Tags::new(registry);
    let base = tags.with_all(TagSetId::EMPTY, &[("group", "::main"), ("scenario", "default")]);
    let set = |index: usize| {
        let url = format!("http://127.0.0.1:8080/items/{index}");
        let pairs = [
            ("name", url.as_str()),
            ("url", &url),
            ("method", "GET"),
            ("status", "200"),
            ("proto", "HTTP/1.1"),
            ("expected_response", "true"),
        ];
        tags.with_all(base, &pairs)
    };
    (0..SETS).map(set).collect()
}

fn fill(books: &mut Books, sets: &[TagSetId], values: &[f64]) {
    let samples = values.iter().cycle().zip(sets.iter().cycle());
    for (index, (value, set)) in (0..SAMPLES).zip(samples) {
        books.add(black_box(TRENDS[index as usize % TRENDS.len()]), *set, *value, index);
    }
}

fn main() {
    let registry = Registry::new(SystemTags::default());
    for key in ["http_req_duration{group:::main}", "http_req_waiting{status:200}"] {
        registry.series(key).expect("the key is one");
    }
    let (sets, values) = (sets(&registry), values());
    let mut books = Books::new(&registry, Detail::Compact);
    measure("trend sample, 64 sets of tags, 3 parts of 2 of 7 metrics", SAMPLES, || {
        fill(&mut books, &sets, &values)
    });
    let mut full = Books::new(&registry, Detail::Full);
    measure("the same for the full summary, in a group", SAMPLES, || fill(&mut full, &sets, &values));
    measure("counter sample", SAMPLES, || {
        for index in 0..SAMPLES {
            books.add(black_box(MetricId::HTTP_REQS), sets[index as usize % SETS], 1.0, index);
        }
    });
    let check = registry.check(registry.group("::main"), "status is 200");
    measure("check", SAMPLES, || {
        (0..SAMPLES).for_each(|index| books.check(black_box(check), sets[0], true, index))
    });
    let mut tags = Tags::new(&registry);
    let base = registry.tags(&[("group", "::main"), ("scenario", "default")]);
    let url = "http://127.0.0.1:8080/items/7";
    measure("set of tags, one more tag", SAMPLES, || {
        for _ in 0..SAMPLES {
            black_box(tags.with(base, "stage", black_box("3")));
        }
    });
    measure("set of tags, eight of a request at once", SAMPLES, || {
        for _ in 0..SAMPLES {
            let pairs = [
                ("name", url),
                ("url", url),
                ("method", "GET"),
                ("status", "200"),
                ("proto", "HTTP/1.1"),
                ("expected_response", "true"),
                ("tls_version", "tls1.3"),
                ("error_code", ""),
            ];
            black_box(tags.with_all(base, black_box(&pairs)));
        }
    });
    let mut whole = Books::new(&registry, Detail::Compact);
    measure("merging a worker's interval (all)", 1, || whole.merge(&books));
    measure("quantile of a trend (all)", 1, || {
        black_box(quantile(&books));
    });
    files(&registry, &sets, &values);
}

fn quantile(books: &Books) -> Option<f64> {
    let Some(k6_metrics::Sink::Trend(trend)) = books.sink(MetricId::HTTP_REQ_DURATION) else { return None };
    Some(Trend::quantile(trend, 0.95))
}

/// Lines and rows, written to the device that takes everything: what putting them together costs.
fn files(registry: &Registry, sets: &[TagSetId], values: &[f64]) {
    let null = |mut spec: OutputSpec| {
        spec.path = Some("/dev/null".into());
        spec
    };
    let folder = std::env::temp_dir();
    let compressed = folder.join(format!("k6_metrics-cost-{}.json.gz", std::process::id()));
    let mut gzip = OutputSpec::json("-");
    gzip.path = Some(compressed.clone());
    let csv = OutputSpec::csv("x", |_| None).expect("the settings are right");
    let outputs = [
        ("line of JSON", null(OutputSpec::json("-"))),
        ("row of CSV", null(csv)),
        ("line of JSON, compressed", gzip),
    ];
    // Below what may be pending, so that nothing is left out.
    let count = SAMPLES / 4;
    for (what, spec) in outputs {
        measure(what, count, || {
            let writer = SampleWriter::start(
                registry,
                &Thresholds::default(),
                Origin::default(),
                std::slice::from_ref(&spec),
            );
            let writer = writer.expect("the file can be opened");
            let mut feed = writer.feed();
            let samples = values.iter().cycle().zip(sets.iter().cycle());
            for (index, (value, tags)) in (0..count).zip(samples) {
                let metric = TRENDS[index as usize % TRENDS.len()];
                feed.add(Sample {
                    metric,
                    tags: *tags,
                    time_ns: index * 10_007,
                    value: *value,
                    metadata: Metadata::default(),
                });
            }
            drop(feed);
            let (reports, _, missing) = writer.finish();
            assert_eq!((reports[0].written_count, missing.count), (count, 0));
        });
    }
    let _ = std::fs::remove_file(compressed);
    let writer = SampleWriter::start(
        registry,
        &Thresholds::default(),
        Origin::default(),
        &[null(OutputSpec::json("-"))],
    );
    let mut feed = writer.as_ref().expect("the device can be opened").feed();
    let start = Instant::now();
    for index in 0..count {
        feed.add(Sample {
            metric: TRENDS[0],
            tags: sets[0],
            time_ns: index,
            value: 1.0,
            metadata: Metadata::default(),
        });
    }
    let feed_ns = start.elapsed().as_nanos() as f64 / count as f64;
    println!("{:<66} {feed_ns:>8.1} ns", "handing a sample over (the worker's part)");
}
