//! Prints the tables of error and power in `docs/compare.md`: `cargo run -p compare --example error_rates [TRIALS]`.

#[path = "../tests/it/made.rs"]
mod made;
#[path = "../tests/it/weather.rs"]
mod weather;

use compare::{Metric, PairedPlan, Settings, Side, Stop, Verdict, compare_runs};
use made::{MADE, Made};
use record::RunRecord;
use weather::{WEATHERS, interleaved, shares};

fn main() {
    runs();
    single_runs();
    interleaved_slices();
}

fn percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

fn sides<'a>(a: &'a [RunRecord], b: &'a [RunRecord]) -> [Side<'a>; 2] {
    [("a", a), ("b", b)].map(|(name, runs)| Side { name: name.to_owned(), runs: runs.iter().collect() })
}

/// Several runs a side, all usual rows.
fn runs() {
    let trials = 100u64;
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
fn single_runs() {
    let trials = 200u64;
    println!("\n| noise between runs | single runs of one service that differ clearly |\n|--:|--:|");
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
    println!();
}

fn interleaved_slices() {
    let trials = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(400);
    println!(
        "| weather | stop | pairs at most | B is slower by | any row slower | any row faster | all decided | pairs, mean |"
    );
    println!("|---|---|--:|--:|--:|--:|--:|--:|");
    let plans = [(20, Stop::AtEnd), (40, Stop::AtEnd), (60, Stop::WhenCertain)];
    for weather in WEATHERS {
        for (pairs, stop) in plans {
            for effect in [0.0, 0.02, 0.05, 0.10] {
                let plan = PairedPlan { blocks_max: pairs / 2, stop };
                let got = shares(trials, |seed| interleaved(weather, effect, &plan, seed));
                let kind = if stop == Stop::AtEnd { "" } else { "≤ " };
                println!(
                    "| {} | {kind}{pairs} | {:.0}% | {} | {} | {} | {:.0} |",
                    weather.name,
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
