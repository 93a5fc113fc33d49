//! The controller held against a recorded sequence, step for step, and against servers of known capacity.

use super::*;
use units::Random;

fn quick() -> Settings {
    Settings { tick_stable_count: 3, ..Settings::default() }
}

/// What a server of 5000/s answers of what it is asked, and what the controller must do then. Worked out by hand from the rules:
/// offset = max(round(completed × 0.05) − 1, 1); achieved if rate ≤ round(completed) + offset.
#[test]
fn each_step_is_as_recorded() {
    let mut sender = Sender::new(1, quick());
    // (completed per second, next rate, max)
    let steps: [(f64, u64, Option<u64>); 15] = [
        (1000.0, 2000, None),
        (2000.0, 4000, None),
        (4000.0, 8000, None),
        // Not achieved: half-way back to what was completed.
        (5000.0, 6500, Some(8000)),
        (5000.0, 5750, Some(6500)),
        (5000.0, 5375, Some(5750)),
        // 5375 > 5000 + 249.
        (5000.0, 5187, Some(5375)),
        // 5187 ≤ 5249: achieved, and the gap of 188 ≤ 249: stable once, twice, three times.
        (5000.0, 5187, Some(5375)),
        (5000.0, 5187, Some(5375)),
        (5000.0, 5187, Some(5375)),
        (4990.5, 5187, Some(5375)),
        // A hiccup: back, and what was stable is from now on above the limit for good.
        (4000.0, 4593, Some(5186)),
        // 4593 ≤ 4593 + 229, gap 593 > 229: half of it up; then 4890 ≤ 4890 + 244, gap 296: up again.
        (4593.0, 4890, Some(5186)),
        (4890.0, 5038, Some(5186)),
        (5000.0, 5038, Some(5186)),
    ];
    for (index, (completed, rate, max)) in steps.into_iter().enumerate() {
        let log = sender.on_tick(completed, 5.0);
        assert_eq!((sender.rate_per_sec(), sender.max_per_sec()), (rate, max), "step {index}");
        let said: Vec<&str> = log.iter().map(|line| line.text.as_str()).collect();
        match index {
            0 => assert_eq!(said, ["  1: attempt 2000 requests/second"]),
            7 => assert_eq!(said, [""; 0], "nothing is attempted while it is stable"),
            // It was stable in the steps 9 and 10: from the tick on that reached the threshold.
            11 => assert_eq!(
                said,
                [
                    "  1: failed 5187 requests/second after 25.0 seconds",
                    "  1: unstable at 4995.2 [4990.5 .. 5000.0] requests/second\n(to NAME,\n stable during 5.0 seconds,\n sent 4593 requests/second)",
                    "  1: attempt 4593 requests/second",
                ]
            ),
            _ => {}
        }
        let stable = sender.stable().map(|stable| (stable.count, stable.min, stable.max));
        match index {
            9 => assert_eq!(stable, Some((1, 5000.0, 5000.0))),
            10 => assert_eq!(stable, Some((2, 4990.5, 5000.0))),
            _ => assert_eq!(stable, None, "step {index}"),
        }
    }
}

#[test]
fn the_smallest_rates_stay_above_nothing() {
    let mut sender = Sender::new(1, quick());
    for _ in 0..40 {
        sender.on_tick(0.0, 5.0);
    }
    assert_eq!(sender.rate_per_sec(), 1);
    assert_eq!(sender.request_count(), 5);
}

#[test]
fn a_fixed_rate_is_reported_from_the_first_tick() {
    let settings = Settings { request_rate: Some(700), count_process: 3, ..Settings::default() };
    let mut group = Group::new(settings);
    assert_eq!(group.stable(), None);
    assert_eq!(group.on_tick(&[700.0, 650.0], 5.0), []);
    group.on_tick(&[690.0, 660.0], 5.0);
    assert_eq!(group.stable(), Some(Stable { count: 2, mean: 1350.0, min: 1340.0, max: 1360.0 }));
    assert_eq!(group.senders()[0].rate_per_sec(), 700);
}

#[test]
fn times_are_written_as_cloudi_does() {
    assert_eq!(
        [5.0, 60.0, 120.0, 3600.0, 5400.0].map(duration_text),
        ["5.0 seconds", "60.0 seconds", "2.0 minutes", "60.0 minutes", "1.5 hours"]
    );
}

/// Rates at which it settles (commanded, completed), as shares of the capacity, ascending, of 400 seeds.
fn settles(noise: f64) -> (Vec<f64>, Vec<f64>) {
    let capacity = 20_000.0;
    let (mut commanded, mut completed) = (Vec::new(), Vec::new());
    for seed in 0..400 {
        let mut random = Random::stream(31, seed);
        let mut sender = Sender::new(1, Settings::default());
        for _ in 0..2_000 {
            if sender.stable().is_some() {
                break;
            }
            let (u, v) = (1.0 - random.unit(), random.unit());
            let normal = (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos();
            sender.on_tick((sender.rate_per_sec() as f64).min(capacity * (1.0 + noise * normal)), 5.0);
        }
        let Some(stable) = sender.stable() else { continue };
        commanded.push(sender.rate_per_sec() as f64 / capacity);
        completed.push(stable.mean / capacity);
    }
    commanded.sort_by(f64::total_cmp);
    completed.sort_by(f64::total_cmp);
    (commanded, completed)
}

/// For contrast with `find::simulated`: above the capacity without noise, far below it with noise.
#[test]
fn it_settles_above_capacity_and_noise_takes_it_below() {
    let (commanded, completed) = settles(0.0);
    assert!(commanded[0] >= 1.02 && commanded[commanded.len() - 1] <= 1.051, "{:?}", &commanded[..3]);
    assert!(completed.iter().all(|share| (share - 1.0).abs() < 1e-9));
    for (noise, at_most) in [(0.03, 0.985), (0.05, 0.955), (0.08, 0.91)] {
        let (_, completed) = settles(noise);
        let median = completed[completed.len() / 2];
        println!(
            "noise {noise}: median {median:.3}, least {:.3}, {} of 400 settle",
            completed[0],
            completed.len()
        );
        assert!(median < at_most, "noise {noise}: {median}");
    }
}
