//! Prints the tables of error and power in `docs/compare.md`: `cargo run -p compare --example error_rates [TRIALS [TABLE…]]`, of the tables `runs`, `single`,
//! `pairs` and `mixed` those that are named, or all.

#[path = "../tests/it/made.rs"]
mod made;
#[path = "../tests/it/weather.rs"]
mod weather;

use compare::{Metric, PairedPlan, Settings, Side, Stop, Verdict, compare_runs};
use made::{MADE, Made};
use record::RunRecord;
use weather::{WEATHERS, interleaved, mixed, shares};

/// A table's name and how to print it from so many trials.
type Table = (&'static str, fn(u64));

fn main() {
    let mut words = std::env::args().skip(1);
    let trials = words.next().and_then(|text| text.parse().ok()).unwrap_or(400);
    let wanted: Vec<String> = words.collect();
    let tables: [Table; 4] = [
        ("runs", runs),
        ("single", single_runs),
        ("pairs", interleaved_slices),
        ("mixed", rows_of_two_kinds),
    ];
    for (name, print) in tables {
        if wanted.is_empty() || wanted.iter().any(|word| word == name) {
            print(trials);
            println!();
        }
    }
}

fn percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

fn sides<'a>(a: &'a [RunRecord], b: &'a [RunRecord]) -> [Side<'a>; 2] {
    [("a", a), ("b", b)].map(|(name, runs)| Side { name: name.to_owned(), runs: runs.iter().collect() })
}

/// Several runs a side, all usual rows.
fn runs(trials: u64) {
    println!(
        "| runs a side | noise between runs | B is slower by | any row slower | any row faster |\n|--:|--:|--:|--:|--:|"
    );
    let small = Made { secs: 1, per_sec: 4_000, ..MADE };
    for count in [3, 5, 10] {
        for noise in [0.01, 0.03] {
            for effect in [0.0, 0.05, 0.10] {
                let (mut slower, mut faster) = (0u64, 0u64);
                for seed in 0..trials {
                    let (a, b) = (
                        small.runs(count, noise, 1_000 + seed),
                        small.slower(effect).runs(count, noise, 9_000 + seed),
                    );
                    let Ok(comparison) = compare_runs(&sides(&a, &b), &Settings::of_runs()) else { continue };
                    let tally =
                        comparison.candidates.first().map(|candidate| candidate.tally()).unwrap_or_default();
                    slower += u64::from(tally.slower > 0);
                    faster += u64::from(tally.faster > 0);
                }
                let share = |count: u64| percent(count as f64 / trials as f64);
                println!(
                    "| {count} | {:.0}% | {:.0}% | {} | {} |",
                    noise * 100.0,
                    effect * 100.0,
                    share(slower),
                    share(faster)
                );
            }
        }
    }
}

/// What single runs of one service would claim if a run were taken for the service.
fn single_runs(trials: u64) {
    println!("| noise between runs | single runs of one service that differ clearly |\n|--:|--:|");
    let settings =
        Settings { metrics: Metric::named("response.p50").unwrap_or_default(), ..Settings::of_runs() };
    let short = Made { secs: 10, per_sec: 200, ..MADE };
    for noise in [0.01, 0.03, 0.10] {
        let differ = (0..trials).filter(|seed| {
            let runs = short.runs(2, noise, 100 + seed);
            let (a, b) = runs.split_at(1);
            let comparison = compare_runs(&sides(a, b), &settings);
            let row =
                comparison.ok().and_then(|comparison| comparison.candidates.first()?.rows.first().cloned());
            let within = row.and_then(|row| row.within_runs).map(|within| within.verdict);
            matches!(within, Some(Verdict::Slower | Verdict::Faster))
        });
        println!("| {:.0}% | {} |", noise * 100.0, percent(differ.count() as f64 / trials as f64));
    }
}

/// Numbers of pairs, and when to stop.
const PLANS: [(u64, Stop); 3] = [(20, Stop::AtEnd), (40, Stop::AtEnd), (60, Stop::WhenCertain)];

fn pairs_of(pairs: u64, stop: Stop) -> String {
    let at_most = if stop == Stop::AtEnd { "" } else { "≤ " };
    format!("{at_most}{pairs}")
}

/// Interleaved slices, five rows.
fn interleaved_slices(trials: u64) {
    println!(
        "| weather | pairs | B is slower by | any row slower | any row faster | all decided | pairs, mean |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|");
    for weather in WEATHERS {
        for (pairs, stop) in PLANS {
            for effect in [0.0, 0.02, 0.05, 0.10] {
                let plan = PairedPlan { blocks_max: pairs / 2, stop };
                let got = shares(trials, |seed| interleaved(weather, &[effect], &plan, seed));
                println!(
                    "| {} | {} | {:.0}% | {} | {} | {} | {:.0} |",
                    weather.name,
                    pairs_of(pairs, stop),
                    effect * 100.0,
                    percent(got.slower),
                    percent(got.faster),
                    percent(got.decided),
                    got.pairs
                );
            }
        }
    }
}

/// Interleaved slices of two actions: one is 10 % slower, the other stands on the margin.
fn rows_of_two_kinds(trials: u64) {
    println!(
        "| weather | pairs | wrong among the claims | comparisons with a wrong claim | difference found |"
    );
    println!("|---|--:|--:|--:|--:|");
    for weather in WEATHERS {
        for (pairs, stop) in PLANS {
            let got = mixed(weather, 0.10, &PairedPlan { blocks_max: pairs / 2, stop }, trials);
            let [wrong, any, found] = [got.wrong_ratio, got.any_wrong, got.found].map(percent);
            println!("| {} | {} | {wrong} | {any} | {found} |", weather.name, pairs_of(pairs, stop));
        }
    }
}
