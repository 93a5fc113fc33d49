//! Comparison → text and Markdown, at 80 columns and narrower. `UPDATE_EXPECT=1 cargo test -p report` rewrites the golden files.

use crate::sample;
use compare::{Comparison, Settings, Side, compare_runs};
use expect_test::expect_file;
use record::{RunRecord, VerdictState};
use report::{Color, comparison};
use serde_json::Value;

/// Another run of the same plan whose response times are so much longer.
fn another(of: &RunRecord, id: &str, factor: f64) -> RunRecord {
    let mut value = serde_json::to_value(of).unwrap();
    let scaled = |times: &mut Value| {
        for key in ["mean", "p50", "p75", "p90", "p95", "p99", "p99_9", "p99_99"] {
            if let Some(ns) = times[key].as_u64() {
                times[key] = Value::from((ns as f64 * factor) as u64);
            }
        }
    };
    for phase in value["phases"].as_array_mut().unwrap() {
        scaled(&mut phase["response_ns"]);
        phase["actions"]
            .as_array_mut()
            .unwrap()
            .iter_mut()
            .for_each(|action| scaled(&mut action["response_ns"]));
    }
    let mut record: RunRecord = serde_json::from_value(value).unwrap();
    record.run_id = id.to_owned();
    record.verdict.state = VerdictState::Valid;
    record
}

fn compared(of: &RunRecord, factors: [&[f64]; 2], settings: &Settings) -> Comparison {
    let runs = [("main", 'a'), ("feature", 'b')].into_iter().zip(factors).map(|((name, letter), factors)| {
        let runs = factors
            .iter()
            .zip(0..)
            .map(|(factor, index)| another(of, &format!("run{letter}{index}"), *factor));
        (name, runs.collect::<Vec<_>>())
    });
    let runs: Vec<_> = runs.collect();
    let sides: Vec<Side<'_>> = runs
        .iter()
        .map(|(name, runs)| Side { name: (*name).to_owned(), runs: runs.iter().collect() })
        .collect();
    compare_runs(&sides, settings).unwrap()
}

fn text(of: &Comparison, width: usize) -> String {
    let mut bytes = Vec::new();
    comparison::write_text(of, Color::Never, width, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// Three runs a side, with a tenth more response time on the other.
fn several() -> Comparison {
    compared(&sample::checkout(), [&[1.0, 1.004, 0.997], &[1.1, 1.103, 1.098]], &Settings::of_runs())
}

#[test]
fn several_runs_a_side() {
    let several = several();
    expect_file!["gold/compare.txt"].assert_eq(&text(&several, 80));
    let mut markdown = Vec::new();
    comparison::write_markdown(&several, &mut markdown).unwrap();
    expect_file!["gold/compare.md"].assert_eq(&String::from_utf8(markdown).unwrap());
}

#[test]
fn one_run_a_side() {
    let single = compared(&sample::quick(), [&[1.0], &[1.5]], &Settings::of_runs());
    expect_file!["gold/compare-single.txt"].assert_eq(&text(&single, 80));
}

#[test]
fn no_figure_is_cut_and_what_goes_first_is_the_absolute_difference() {
    let several = several();
    for (width, has_difference) in [(100, true), (80, true), (70, false)] {
        let text = text(&several, width);
        for line in text.lines() {
            assert!(line.chars().count() <= width, "{width}: {line}");
            assert!(!line.contains('…') || line.contains(" … "), "{width}: {line}");
        }
        assert_eq!(text.contains("B − A"), has_difference, "{width}");
    }
}

#[test]
fn few_blocks_are_no_single_runs() {
    use compare::{InterleavedStory, PairedAnalysis, PairedPlan, Stop, block_rows};
    let mut analysis =
        PairedAnalysis::new(Settings::of_pairs(), &PairedPlan { blocks_max: 1, stop: Stop::AtEnd });
    let (a, b) = (another(&sample::quick(), "a", 1.0), another(&sample::quick(), "b", 1.0));
    analysis.add_block(block_rows(&[&a, &a], &[&b, &b], analysis.settings()).0);
    let story = InterleavedStory {
        names: ["a".to_owned(), "b".to_owned()],
        seed: 1,
        is_same_target: false,
        is_relaunched: true,
        invalid_slice_counts: (0, 0),
        invalid_reason: None,
        is_interrupted: false,
        is_closed: false,
        not_carried: Vec::new(),
    };
    let text = text(&analysis.comparison(story), 80);
    assert!(text.contains("? undecided  6 of 6\n") && !text.contains("one run"), "{text}");
    assert!(text.contains("2 pairs are too few for any statement"), "{text}");
}
