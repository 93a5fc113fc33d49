//! The page: whole, with its records readable again; and the files that hold its script to the same numbers as the rest of Weir.

use crate::sample;
use expect_test::expect_file;
use record::{QUANTILES, RunRecord};
use report::{Format, Html};
use serde::{Deserialize, Serialize};
use stats::Histogram;
use units::Random;

/// What stands in the page as records.
fn embedded(page: &str) -> Vec<RunRecord> {
    let (_, rest) = page.split_once(r#"<script type="application/json" id="weir-runs">"#).unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn records_are_read_back_from_the_page() {
    let records = [sample::quick(), sample::checkout()];
    let mut page = Vec::new();
    Html.write_all(&records, &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    assert_eq!(embedded(&page), records);
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    assert_eq!(embedded(&Html.to_text(&records[0])), [records[0].clone()]);
}

#[test]
fn a_name_never_ends_the_data() {
    let mut record = sample::quick();
    record.name = "</script><script>alert(1)</script><!--<script>".to_owned();
    record.labels.insert("<b>".to_owned(), "</SCRIPT >".to_owned());
    let page = Html.to_text(&record);
    assert_eq!(embedded(&page), [record]);
    assert!(!page.contains("alert(1)</script>") && !page.contains("</SCRIPT"));
    let plain = Html.to_text(&sample::quick());
    assert_eq!(page.matches('<').count(), plain.matches('<').count());
}

#[test]
fn the_page_loads_nothing_and_says_so() {
    let page = Html.to_text(&sample::quick());
    for part in [
        "default-src 'none'",
        "script-src 'sha256-",
        "style-src 'sha256-",
        "require-trusted-types-for 'script'",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(
        !page.contains("-inline'")
            && !page.contains("-eval'")
            && !page.contains(" src=")
            && !page.contains("url(http")
    );
}

/// A histogram as the page's own tests read it: `web/tests/unit/histogram.test.ts`.
#[derive(Debug, Serialize, Deserialize)]
struct Case {
    name: String,
    histogram: String,
    count: u64,
    min: u64,
    max: u64,
    values: Vec<(u64, u64)>,
    quantiles: Vec<(f64, u64, bool)>,
}

impl Case {
    fn of(name: &str, histogram: &Histogram) -> Self {
        let (min, max) = (histogram.min_ns().unwrap(), histogram.max_ns().unwrap());
        let quantiles = QUANTILES.map(|(_, quantile)| quantile).into_iter().chain([0.0, 0.001, 0.333, 1.0]);
        let mut quantiles: Vec<f64> = quantiles.collect();
        quantiles.sort_by(f64::total_cmp);
        let told =
            |quantile| (quantile, histogram.quantile_ns(quantile).unwrap(), histogram.carries(quantile));
        Self {
            name: name.to_owned(),
            histogram: histogram.to_base64(),
            count: histogram.count(),
            min,
            max,
            values: histogram.values().collect(),
            quantiles: quantiles.into_iter().map(told).collect(),
        }
    }
}

fn cases() -> Vec<Case> {
    let of = |name: &str, values: &mut dyn Iterator<Item = u64>| {
        let mut histogram = Histogram::default();
        values.for_each(|value_ns| histogram.record(value_ns));
        Case::of(name, &histogram)
    };
    let mut random = Random::new(7);
    let mut spread = |count: usize, mean_ns: f64| -> Vec<u64> {
        (0..count).map(|_| (random.exponential() * mean_ns) as u64).collect()
    };
    let (thousand, many) = (spread(1_000, 5e6), spread(20_000, 80e3));
    let mut heavy = Histogram::default();
    heavy.record_n(1_234, 5_000_000_000_000);
    heavy.record_n(70_000_000, 3);
    vec![
        of("one", &mut std::iter::once(58_900)),
        of(
            "least and greatest",
            &mut [0, 1, 2_047, 2_048, 2_049, 3_599_999_999_999, 3_600_000_000_000].into_iter(),
        ),
        of("thousand", &mut thousand.into_iter()),
        of("many", &mut many.into_iter()),
        of(
            "stall",
            &mut (0..10_000u64)
                .map(|n| if n % 50 == 0 { 200_000_000 - n * 10_000 } else { 40_000 + n % 977 }),
        ),
        Case::of("counts beyond 32 bits", &heavy),
    ]
}

/// The compressed text hangs on the version of the compressor, so the file is held to what it says and not to its bytes.
#[test]
fn the_page_is_given_the_histograms_that_weir_writes() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/gold/histograms.json");
    let expected = cases();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, serde_json::to_string(&expected).unwrap() + "\n").unwrap();
    }
    let kept: Vec<Case> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(kept.len(), expected.len());
    for (kept, expected) in kept.iter().zip(&expected) {
        assert_eq!(
            (&kept.name, &kept.values, &kept.quantiles),
            (&expected.name, &expected.values, &expected.quantiles)
        );
        let read = Histogram::from_base64(&kept.histogram).unwrap();
        assert_eq!(read.values().collect::<Vec<_>>(), expected.values, "{}", kept.name);
        assert_eq!((kept.count, kept.min, kept.max), (expected.count, expected.min, expected.max));
    }
}

/// Quantities as the page's own tests read them: `web/tests/unit/units.test.ts`.
#[test]
fn the_page_is_given_the_quantities_that_weir_prints() {
    let mut random = Random::new(3);
    // Halves of the last digit among them, which are rounded to even.
    let mut whole: Vec<u64> =
        vec![0, 1, 999, 1_000, 1_125, 1_375, 9_994, 9_996, 12_250, 12_750, 99_960, 102_500, 999_400, 999_600];
    whole.extend([
        1_125_000,
        59_990_000_000,
        119_999_999_999,
        120_000_000_000,
        3_600_000_000_000,
        90_061_000_000_000,
    ]);
    whole.extend((0..60).map(|power| 3u64.pow(power % 28) + random.below(1_000)));
    let mut real: Vec<f64> =
        vec![0.0, 0.125, 0.5, 1.0, 1.125, 5.25, 9.999, 10.25, 99.95, 100.0, 0.99999, 0.00001, 12_345.6];
    real.extend((0..40).map(|_| random.unit()));
    real.extend((0..40).map(|power| random.unit() * 10f64.powi(power % 7)));
    let whole_as = |text: fn(u64) -> String| whole.iter().map(|v| (*v, text(*v))).collect::<Vec<_>>();
    let real_as = |text: fn(f64) -> String| real.iter().map(|v| (*v, text(*v))).collect::<Vec<_>>();
    let shown = serde_json::json!({
        "duration": whole_as(units::duration),
        "count": whole_as(units::count),
        "size": whole_as(units::size),
        "perSec": real_as(units::per_sec),
        "ratio": real_as(units::ratio),
    });
    expect_file!["gold/quantities.json"].assert_eq(&format!("{shown:#}\n"));
}
