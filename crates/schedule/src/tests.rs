//! Fire times against exact arithmetic and the laws of their distributions.

use super::*;
use units::NS_PER_SEC;

fn rate(per_sec: u64) -> Rate {
    Rate::per_sec(per_sec).unwrap()
}

fn stage(from: u64, to: u64, secs: u64) -> Stage {
    Stage { rate_from: rate(from), rate_to: rate(to), duration_ns: secs * NS_PER_SEC }
}

fn profile(stages: Vec<Stage>, arrivals: Arrivals, secs: u64) -> Profile {
    Profile { stages, arrivals, end_ns: secs * NS_PER_SEC, count_max: u64::MAX, seed: 5 }
}

fn times(profile: &Profile, slice: Slice) -> Vec<u64> {
    let mut fire_times = FireTimes::new(profile, slice);
    let mut out = Vec::new();
    while let Some(due_ns) = fire_times.peek_ns() {
        out.push(due_ns);
        fire_times.advance();
    }
    out
}

#[test]
fn a_constant_rate_is_exact_to_the_nanosecond() {
    let got = times(&profile(vec![stage(3000, 3000, 0)], Arrivals::Constant, 10), Slice::WHOLE);
    let exact: Vec<u64> = (0..30_000u64).map(|n| n * NS_PER_SEC / 3000).collect();
    assert_eq!(got, exact);
}

#[test]
fn slices_merge_to_the_whole() {
    let stages = [
        vec![stage(3001, 3001, 0)],
        vec![stage(10, 900, 3), stage(900, 900, 1), stage(0, 0, 1), stage(500, 20, 2)],
    ];
    for stages in stages {
        for arrivals in
            [Arrivals::Constant, Arrivals::ConstantAfterGap, Arrivals::Poisson, Arrivals::UniformJitter]
        {
            let profile = profile(stages.clone(), arrivals, 7);
            let whole = times(&profile, Slice::WHOLE);
            for count in [2, 3, 7] {
                let mut merged: Vec<u64> =
                    (0..count).flat_map(|index| times(&profile, Slice { index, count })).collect();
                merged.sort_unstable();
                assert_eq!(merged, whole, "{arrivals:?} in {count}");
            }
            assert!(whole.is_sorted());
        }
    }
}

/// Those due before `at_ns` are read before the change, as a worker would.
fn changed_times(profile: &Profile, slice: Slice, changes: &[(u64, u64)]) -> Vec<u64> {
    let mut fire_times = FireTimes::new(profile, slice);
    let mut out = Vec::new();
    let mut changes = changes.iter().peekable();
    loop {
        if let Some((at_ns, per_sec)) = changes.peek()
            && fire_times.peek_ns().is_none_or(|due_ns| due_ns >= *at_ns)
        {
            fire_times.change_rate(*at_ns, rate(*per_sec));
            changes.next();
            continue;
        }
        let Some(due_ns) = fire_times.peek_ns() else { return out };
        out.push(due_ns);
        fire_times.advance();
    }
}

#[test]
fn a_rate_changed_on_the_way_holds_from_then_on_for_all_slices_alike() {
    let changes = [(2 * NS_PER_SEC, 500), (3 * NS_PER_SEC, 0), (4 * NS_PER_SEC, 2000)];
    for stages in [vec![stage(1000, 1000, 0)], vec![stage(0, 2000, 2), stage(100, 100, 10)]] {
        for arrivals in [Arrivals::Constant, Arrivals::Poisson, Arrivals::UniformJitter] {
            let profile = profile(stages.clone(), arrivals, 6);
            let whole = changed_times(&profile, Slice::WHOLE, &changes);
            assert!(whole.is_sorted());
            let within = |from: u64, until: u64| {
                let range = from * NS_PER_SEC..until * NS_PER_SEC;
                whole.iter().filter(|due_ns| range.contains(due_ns)).count() as f64
            };
            // Chance moves a count of n by some √n; even arrivals by one at each change.
            let slack = if arrivals == Arrivals::Poisson { 200.0 } else { 2.0 };
            for (from, until, wanted) in [(0, 2, 2000.0), (2, 3, 500.0), (3, 4, 0.0), (4, 6, 4000.0)] {
                let found = within(from, until);
                assert!((found - wanted).abs() <= slack, "{arrivals:?} {from}..{until}: {found}");
            }
            for count in [2, 3] {
                let slice = |index| changed_times(&profile, Slice { index, count }, &changes);
                let mut merged: Vec<u64> = (0..count).flat_map(slice).collect();
                merged.sort_unstable();
                assert_eq!(merged, whole, "{arrivals:?} in {count}");
            }
        }
    }
}

#[test]
fn a_changed_rate_keeps_to_the_count() {
    let profile = Profile { count_max: 2500, ..profile(vec![stage(1000, 1000, 0)], Arrivals::Constant, 60) };
    let got = changed_times(&profile, Slice::WHOLE, &[(NS_PER_SEC, 100)]);
    assert_eq!(got.len(), 2500);
    // 1000 in the first second, the other 1500 at 100/s.
    assert_eq!(got.last().map(|ns| ns / NS_PER_SEC), Some(15));
}

#[test]
fn a_ramp_has_the_area_under_its_line() {
    let got = times(&profile(vec![stage(0, 1000, 10)], Arrivals::Constant, 10), Slice::WHOLE);
    assert_eq!(got.len(), 5000);
    // Λ(t) = 50 t² with t in s: arrival n at √(n / 50).
    for (n, due_ns) in got.iter().enumerate() {
        let exact = (n as f64 / 50.0).sqrt() * 1e9;
        assert!((*due_ns as f64 - exact).abs() <= 1.0 + exact * 1e-9, "{n}: {due_ns} against {exact}");
    }
}

#[test]
fn poisson_gaps_are_exponential_and_independent_of_the_count() {
    let got = times(&profile(vec![stage(10_000, 10_000, 0)], Arrivals::Poisson, 20), Slice::WHOLE);
    let gaps: Vec<f64> = got.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / 1e5).collect();
    let n = gaps.len() as f64;
    let mean = gaps.iter().sum::<f64>() / n;
    let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / n;
    assert!((n - 200_000.0).abs() < 4.0 * 200_000f64.sqrt(), "{n}");
    assert!((mean - 1.0).abs() < 0.01 && (variance.sqrt() - 1.0).abs() < 0.02, "{mean} {variance}");
    // Kolmogorov and Smirnov against 1 − e^(−x): the 1 % critical value is 1.63 / √n.
    let mut sorted = gaps;
    sorted.sort_by(f64::total_cmp);
    let distance = sorted
        .iter()
        .enumerate()
        .map(|(i, x)| ((i as f64 + 0.5) / n - (1.0 - (-x).exp())).abs())
        .fold(0.0, f64::max);
    assert!(distance < 1.63 / n.sqrt() + 0.5 / n, "{distance}");
}

#[test]
fn the_first_arrival_after_a_gap_is_the_second_of_an_even_load() {
    for stages in [vec![stage(4, 4, 1)], vec![stage(0, 100, 1), stage(100, 0, 1)]] {
        let even = times(&profile(stages.clone(), Arrivals::Constant, 1), Slice::WHOLE);
        let after = times(&profile(stages, Arrivals::ConstantAfterGap, 1), Slice::WHOLE);
        assert!(even.len() > 2);
        // An even load steps in whole numbers, the other by a curve in floating point.
        assert_eq!(after.len(), even.len() - 1);
        assert!(after.iter().zip(&even[1..]).all(|(a, b)| a.abs_diff(*b) <= 1), "{after:?}");
    }
}

#[test]
fn jitter_keeps_one_arrival_in_each_gap() {
    let got = times(&profile(vec![stage(1000, 1000, 0)], Arrivals::UniformJitter, 5), Slice::WHOLE);
    assert_eq!(got.len(), 5000);
    for (n, due_ns) in got.iter().enumerate() {
        assert_eq!(due_ns / 1_000_000, n as u64);
    }
}

#[test]
fn silence_counts_and_ends_are_kept() {
    assert!(times(&profile(vec![stage(0, 0, 5)], Arrivals::Constant, 5), Slice::WHOLE).is_empty());
    assert!(times(&profile(Vec::new(), Arrivals::Poisson, 5), Slice::WHOLE).is_empty());
    let mut limited = profile(vec![stage(1000, 1000, 0)], Arrivals::Poisson, 500);
    limited.count_max = 77;
    assert_eq!(times(&limited, Slice::WHOLE).len(), 77);
    let shares: usize = (0..4).map(|index| times(&limited, Slice { index, count: 4 }).len()).sum();
    assert_eq!(shares, 77);
    let fire_times = FireTimes::new(
        &profile(vec![stage(0, 1000, 10), stage(200, 200, 5)], Arrivals::Constant, 20),
        Slice::WHOLE,
    );
    assert_eq!(
        [0, 5, 12, 19].map(|secs| fire_times.rate_per_sec_at(secs * NS_PER_SEC).round()),
        [0.0, 500.0, 200.0, 200.0]
    );
    assert_eq!((0..3).map(|index| Slice { index, count: 3 }.share(11)).collect::<Vec<_>>(), [4, 4, 3]);
}

fn user_stage(users_to: u32, secs: u64) -> plan::UserStage {
    plan::UserStage { users_to, duration_ns: secs * NS_PER_SEC }
}

/// Steps as (seconds, users).
fn user_times(users_from: u32, stages: &[plan::UserStage]) -> Vec<(f64, u32)> {
    let seconds = |step: &UserStep| (step.at_ns as f64 / NS_PER_SEC as f64, step.users);
    user_steps(users_from, stages).iter().map(seconds).collect()
}

#[test]
fn users_come_and_go_in_even_steps_that_end_with_their_stage() {
    let up: Vec<(f64, u32)> = (0..=10).map(|n| (f64::from(n), n)).collect();
    assert_eq!(user_times(0, &[user_stage(10, 10)]), up);
    let down: Vec<(f64, u32)> = (0..=10).map(|n| (f64::from(n), 10 - n)).collect();
    assert_eq!(user_times(10, &[user_stage(0, 10)]), down);
    let stages = [user_stage(4, 0), user_stage(4, 5), user_stage(2, 1), user_stage(3, 0), user_stage(1, 1)];
    assert_eq!(
        user_times(1, &stages),
        [(0.0, 4), (5.5, 3), (6.0, 3), (6.5, 2), (7.0, 1)],
        "a step at once, a rest, two down, one up at once, two down"
    );
}
