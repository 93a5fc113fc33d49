//! Interleaved comparisons in made-up weather: how often they are wrong, and what they find.

use crate::weather::{Shares, WEATHERS, Weather, interleaved, mixed, shares};
use compare::{
    BlockRow, Metric, PairedAnalysis, PairedPlan, PairedSide, RowKey, Settings, Stop, Verdict, block_order,
};

const TRIALS: u64 = 400;

fn trials(weather: Weather, effect: f64, pairs: u64, stop: Stop) -> Shares {
    let plan = PairedPlan { blocks_max: pairs / 2, stop };
    // What is found is far from its bound: a quarter of the trials tells.
    let trials = if effect > 0.02 { TRIALS / 4 } else { TRIALS };
    shares(trials, |seed| interleaved(weather, &[effect], &plan, seed))
}

#[test]
fn identical_targets_are_the_same_or_undecided() {
    for weather in WEATHERS {
        for (pairs, stop) in [(20, Stop::AtEnd), (60, Stop::WhenCertain)] {
            let got = trials(weather, 0.0, pairs, stop);
            assert!(got.slower + got.faster <= 0.05, "{} {stop:?}: {got:?}", weather.name);
        }
    }
}

#[test]
fn a_difference_of_just_the_margin_is_rarely_called_one() {
    // The hardest case for the error: on the margin itself, with eight looks.
    let [quiet, usual, _] = WEATHERS;
    for (weather, pairs, stop) in
        [(quiet, 20, Stop::AtEnd), (usual, 40, Stop::AtEnd), (usual, 60, Stop::WhenCertain)]
    {
        let got = trials(weather, 0.02, pairs, stop);
        assert!(got.slower + got.faster <= 0.05, "{} {stop:?}: {got:?}", weather.name);
    }
}

#[test]
fn rows_that_differ_do_not_make_others_cheap() {
    // Half of the rows differ by far, so the level for each row is at its laxest; the others stand on the margin, where a claim is likeliest to be wrong.
    let [quiet, ..] = WEATHERS;
    let got = mixed(quiet, 0.10, &PairedPlan { blocks_max: 10, stop: Stop::AtEnd }, TRIALS / 4);
    assert!(got.wrong_ratio <= 0.05 && got.found >= 0.99, "{got:?}");
    assert!(got.any_wrong <= 0.10, "{got:?}");
}

#[test]
fn five_percent_are_found_within_the_stated_number_of_pairs() {
    let [quiet, usual, _] = WEATHERS;
    let got = trials(quiet, 0.05, 20, Stop::AtEnd);
    assert!(got.slower >= 0.95 && got.faster == 0.0, "{got:?}");
    let got = trials(usual, 0.05, 40, Stop::AtEnd);
    assert!(got.slower >= 0.80 && got.faster == 0.0, "{got:?}");
    let got = trials(quiet, 0.05, 60, Stop::WhenCertain);
    assert!(got.slower >= 0.95 && got.pairs < 40.0, "{got:?}");
}

#[test]
fn straight_drift_falls_out() {
    let drifting =
        Weather { name: "drift alone", slow_sd: 0.0, slice_sd: 1e-4, drift: 0.5, outliers: (0.0, 0.0) };
    let got = trials(drifting, 0.0, 20, Stop::AtEnd);
    assert_eq!((got.decided, got.slower, got.faster), (1.0, 0.0, 0.0));
}

#[test]
fn the_order_is_drawn_by_lot() {
    use PairedSide::{A, B};
    let orders: Vec<_> = (0..1_000).map(|block| block_order(9, block)).collect();
    let first = orders.iter().filter(|order| **order == [A, B, B, A]).count();
    assert!(orders.iter().all(|order| [[A, B, B, A], [B, A, A, B]].contains(order)));
    assert!((440..560).contains(&first), "{first}");
    assert_eq!(orders, (0..1_000).map(|block| block_order(9, block)).collect::<Vec<_>>());
}

#[test]
fn the_rate_of_a_schedule_is_the_same_though_a_block_is_off() {
    // Arrivals are due by the clock, so nearly all blocks have one rate to the last digit, and what scatter there is stands in the trimmed ones.
    let plan = PairedPlan { blocks_max: 10, stop: Stop::AtEnd };
    let mut analysis = PairedAnalysis::new(Settings::of_pairs(), &plan);
    for block in 0..10 {
        analysis.add_block(vec![BlockRow {
            key: RowKey { phase: "measure".to_owned(), action: None, metric: Metric::Rate },
            a: 1_000.0,
            b: if block == 3 { 990.0 } else { 1_000.0 },
            bounded: (false, false),
            trials: (10_000, 10_000),
        }]);
    }
    let row = analysis.rows()[0].clone();
    let interval = row.interval.unwrap();
    assert_eq!(row.verdict, Verdict::Same);
    assert!(interval.low < 0.0 && 0.0 < interval.high && interval.high < 0.02, "{interval:?}");
}

#[test]
fn the_absolute_difference_has_the_sign_of_the_change() {
    // B is faster in every block, but its blocks are of another time than those of A's median: the medians alone say the opposite.
    let plan = PairedPlan { blocks_max: 5, stop: Stop::AtEnd };
    let mut analysis = PairedAnalysis::new(Settings::of_pairs(), &plan);
    for (a, b) in [(1.0, 0.9), (1.0, 0.9), (1.0, 1.2), (2.0, 1.2), (2.0, 1.2)] {
        analysis.add_block(vec![BlockRow {
            key: RowKey {
                phase: "measure".to_owned(),
                action: None,
                metric: Metric::named("response.mean").unwrap()[0],
            },
            a: a * 1e6,
            b: b * 1e6,
            bounded: (false, false),
            trials: (10_000, 10_000),
        }]);
    }
    let row = analysis.rows()[0].clone();
    assert!(row.candidate > row.baseline && row.change < 0.0 && row.difference < 0.0, "{row:?}");
    assert!((row.difference - row.baseline * row.change).abs() < 1e-6, "{row:?}");
}
