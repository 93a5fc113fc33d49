//! Prints the tables of error and power in `docs/compare.md`: `cargo run -p compare --example error_rates [TRIALS]`.

#[path = "../tests/it/weather.rs"]
mod weather;

use compare::{PairedPlan, Stop};
use weather::{WEATHERS, interleaved, shares};

fn main() {
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
                let share = |share: f64| format!("{:.1}%", share * 100.0);
                let kind = if stop == Stop::AtEnd { "" } else { "≤ " };
                println!(
                    "| {} | {kind}{pairs} | {:.0}% | {} | {} | {} | {:.0} |",
                    weather.name,
                    effect * 100.0,
                    share(got.slower),
                    share(got.faster),
                    share(got.decided),
                    got.pairs
                );
            }
        }
    }
}
