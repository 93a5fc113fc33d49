//! Prints the tables of error and power in `docs/compare.md`: `cargo run -p compare --example error_rates [TRIALS]`.

#[path = "../tests/it/weather.rs"]
mod weather;

use compare::{PairedPlan, Stop};
use weather::{WEATHERS, interleaved, shares};

fn main() {
    let trials = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1_000);
    println!(
        "| weather | stop | pairs at most | B is slower by | any row slower | any row faster | all decided | pairs, mean |"
    );
    println!("|---|---|--:|--:|--:|--:|--:|--:|");
    let plans = [(10, Stop::AtEnd), (20, Stop::AtEnd), (40, Stop::AtEnd), (60, Stop::WhenCertain)];
    for weather in WEATHERS {
        for (pairs, stop) in plans {
            for effect in [0.0, 0.02, 0.05, 0.10] {
                let plan = PairedPlan { blocks_max: pairs / 2, stop };
                let got = shares(trials, |seed| interleaved(weather, effect, &plan, seed));
                let stop = if stop == Stop::AtEnd { "at the end" } else { "when certain" };
                println!(
                    "| {} | {stop} | {pairs} | {} | {} | {} | {} | {:.0} |",
                    weather.name,
                    units::ratio(effect),
                    units::ratio(got.slower),
                    units::ratio(got.faster),
                    units::ratio(got.decided),
                    got.pairs
                );
            }
        }
    }
}
