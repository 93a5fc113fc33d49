//! Runs against runs: what is refused, what the unit is, what is said of few runs, how often it is wrong.

use crate::made::{MADE, Made};
use compare::{Basis, Comparison, DifferenceKind, Metric, Objection, Settings, Side, Verdict, compare_runs};
use record::{Reason, ReasonCode, RunRecord, VerdictState};

fn compared(a: &[RunRecord], b: &[RunRecord], settings: &Settings) -> Result<Comparison, Vec<Objection>> {
    let sides = [
        Side { name: "a".into(), runs: a.iter().collect() },
        Side { name: "b".into(), runs: b.iter().collect() },
    ];
    compare_runs(&sides, settings)
}

fn only(metric: &str) -> Settings {
    Settings { metrics: Metric::named(metric).unwrap(), ..Settings::of_runs() }
}

#[test]
fn several_runs_are_judged_by_welch_on_logarithms() {
    let (a, b) = (MADE.runs(4, 0.01, 1), MADE.slower(0.2).runs(3, 0.01, 2));
    let comparison = compared(&a, &b, &only("response.p50")).unwrap();
    let [row] = comparison.candidates[0].rows.as_slice() else { panic!("one row: {comparison:?}") };
    assert_eq!((row.basis, row.unit_counts, row.verdict), (Basis::Runs, (4, 3), Verdict::Slower));
    let logs = |runs: &[RunRecord]| -> Vec<f64> {
        runs.iter().map(|run| (run.phases[0].response_ns.p50.unwrap() as f64).ln()).collect()
    };
    let (difference, spread) = stats::inference::welch(&logs(&a), &logs(&b)).unwrap();
    let interval = row.interval.unwrap();
    assert!((row.change - difference.exp_m1()).abs() < 1e-9);
    assert!((interval.low - (difference - spread.half_width(0.05)).exp_m1()).abs() < 1e-9);
    assert!((row.change - 0.2).abs() < 0.03 && interval.low < 0.2 && 0.2 < interval.high);
    let json = serde_json::to_string(&comparison).unwrap();
    assert_eq!(serde_json::from_str::<Comparison>(&json).unwrap(), comparison);
}

#[test]
fn one_run_a_side_has_intervals_and_no_verdict() {
    let (a, b) = ([MADE.run(1)], [MADE.slower(0.5).run(2)]);
    let comparison = compared(&a, &b, &Settings::of_runs()).unwrap();
    let rows = &comparison.candidates[0].rows;
    assert!(rows.iter().all(|row| row.verdict == Verdict::Undecided && row.interval.is_none()));
    let p50 = rows.iter().find(|row| row.metric.key() == "response.p50").unwrap();
    let within = p50.within_runs.unwrap();
    assert_eq!((p50.basis, within.verdict, within.is_of_requests), (Basis::OneRun, Verdict::Slower, false));
    assert!(within.interval.low < 0.5 && 0.5 < within.interval.high, "{within:?}");
    assert!(
        comparison.cautions[0].message.contains("how much two runs of the same service differ is not known")
    );
    // The same runs with the noise between runs known.
    let known = Settings { run_noise_ratio: Some(0.02), ..only("response.p50") };
    let row = &compared(&a, &b, &known).unwrap().candidates[0].rows[0];
    assert_eq!((row.basis, row.verdict), (Basis::GivenNoise, Verdict::Slower));
    let row =
        &compared(&a, &b, &Settings { run_noise_ratio: Some(0.3), ..known }).unwrap().candidates[0].rows[0];
    assert_eq!(row.verdict, Verdict::Undecided);
}

#[test]
fn single_runs_of_one_service_differ_more_than_their_own_noise_tells() {
    // Why a single run is no verdict: runs scatter by 3 %, and each is sure of itself to a fraction of that.
    let short = Made { secs: 10, ..MADE };
    let differ = (0..40).filter(|seed| {
        let runs = short.runs(2, 0.03, 100 + seed);
        let comparison = compared(&runs[..1], &runs[1..], &only("response.p50")).unwrap();
        let within = comparison.candidates[0].rows[0].within_runs.unwrap();
        matches!(within.verdict, Verdict::Slower | Verdict::Faster)
    });
    let differ = differ.count();
    assert!(differ >= 10, "{differ} of 40");
}

#[test]
fn seconds_that_hang_together_widen_the_interval() {
    let width = |second_sd: f64| {
        let of = |seed| [Made { second_sd, secs: 60, per_sec: 100, ..MADE }.run(seed)];
        let row = compared(&of(1), &of(2), &only("response.mean")).unwrap().candidates[0].rows[0].clone();
        let interval = row.within_runs.unwrap().interval;
        interval.high - interval.low
    };
    let (steady, wavy) = (width(0.0), width(0.2));
    assert!(wavy > 3.0 * steady, "{wavy} against {steady}");
}

#[test]
fn repeats_are_the_unit_of_single_runs_and_the_run_of_several() {
    let repeated = Made { repeats: 5, secs: 5, ..MADE };
    let one = compared(&[repeated.run(1)], &[repeated.slower(0.2).run(2)], &only("p50")).unwrap();
    let row = &one.candidates[0].rows[0];
    assert_eq!((row.basis, row.unit_counts, row.verdict), (Basis::Repeats, (5, 5), Verdict::Slower));
    assert!(one.cautions.iter().any(|caution| caution.message.contains("of one launch")));
    let several = compared(&repeated.runs(3, 0.01, 3), &repeated.runs(3, 0.01, 4), &only("p50")).unwrap();
    assert_eq!(
        (several.candidates[0].rows[0].basis, several.candidates[0].rows[0].unit_counts),
        (Basis::Runs, (3, 3))
    );
    let against = compared(&MADE.runs(5, 0.01, 5), &[MADE.slower(0.3).run(9)], &only("p50")).unwrap();
    let row = &against.candidates[0].rows[0];
    assert_eq!((row.basis, row.verdict), (Basis::OneAgainstSeveral, Verdict::Slower));
}

#[test]
fn identical_services_are_rarely_called_different_and_ten_percent_are_found() {
    // Many rows that depend on each other, five runs a side that scatter by 2 %.
    let small = Made { secs: 1, per_sec: 500, ..MADE };
    let share = |effect: f64| {
        let found = (0..100u64).filter(|seed| {
            let (a, b) =
                (small.runs(5, 0.02, 1_000 + seed), small.slower(effect).runs(5, 0.02, 5_000 + seed));
            let tally = compared(&a, &b, &Settings::of_runs()).unwrap().candidates[0].tally();
            tally.slower + tally.faster > 0
        });
        found.count() as f64 / 100.0
    };
    let (same, slower) = (share(0.0), share(0.10));
    assert!(same <= 0.05, "{same}");
    assert!(slower >= 0.9, "{slower}");
}

#[test]
fn what_must_not_be_judged_is_refused_unless_forced() {
    let (a, b) = ([MADE.run(1)], [MADE.run(2)]);
    let mut invalid = MADE.run(3);
    invalid.verdict.state = VerdictState::Invalid;
    invalid.verdict.reasons.push(Reason {
        code: ReasonCode::OffCpu,
        state: VerdictState::Invalid,
        message: "kept off the CPU".to_owned(),
        hint: String::new(),
    });
    let other_plan = [Made { per_sec: 100, ..MADE }.run(4)];
    let check = |b: &[RunRecord], expected: &str| {
        let objections = compared(&a, b, &Settings::of_runs()).unwrap_err();
        assert!(objections[0].message.starts_with(expected), "{objections:?}");
        let forced = compared(&a, b, &Settings { force: true, ..Settings::of_runs() }).unwrap();
        assert_eq!(forced.objections, objections);
    };
    check(&[invalid], "run run3-1000000 of b is invalid: kept off the CPU");
    check(
        &other_plan,
        "the plans ask for different work: phases.steady.load.open.stages.1.rate_from: 200/s → 100/s",
    );
    // What several runs differ in from the first is said once.
    let other_plans =
        [Made { per_sec: 100, ..MADE }.run(4), MADE.run(6), Made { per_sec: 100, ..MADE }.run(5)];
    let objections = compared(&a, &other_plans, &Settings::of_runs()).unwrap_err();
    assert_eq!(objections[0].message.matches("rate_from").count(), 1, "{objections:?}");
    check(&a, "run run1-1000000 is named more than once");
    assert!(compared(&a, &b, &Settings::of_runs()).is_ok());
    let nothing = compared(&a, &b, &only("p99.99")).unwrap_err();
    assert!(nothing[0].message.contains("no measured phase with a figure in common"), "{nothing:?}");
}

#[test]
fn another_target_and_another_machine_are_told_and_judged() {
    let mut b = Made { port: 81, ..MADE }.run(2);
    b.environment.kernel = "6.13".to_owned();
    let comparison = compared(&[MADE.run(1)], &[b], &Settings::of_runs()).unwrap();
    let told: Vec<(DifferenceKind, &str)> =
        comparison.differences.iter().map(|one| (one.kind, one.path.as_str())).collect();
    assert_eq!(
        told,
        [
            (DifferenceKind::Environment, "kernel"),
            (DifferenceKind::Target, "targets.shop.port"),
            (DifferenceKind::Seed, "seed"),
        ]
    );
}

#[test]
fn actions_have_rows_and_quantiles_need_samples() {
    let two = Made { actions: &["browse", "buy"], ..MADE };
    let comparison = compared(&two.runs(3, 0.01, 1), &two.runs(3, 0.01, 2), &only("response")).unwrap();
    let candidate = &comparison.candidates[0];
    let keys = |action: Option<&str>| -> Vec<String> {
        let rows = candidate.rows.iter().filter(|row| row.action.as_deref() == action);
        rows.map(|row| row.metric.key()).collect()
    };
    let all =
        ["response.mean", "response.p50", "response.p75", "response.p90", "response.p95", "response.p99"];
    assert_eq!(keys(None), all);
    assert_eq!(keys(Some("buy")), all);
    let lacking: Vec<(&str, String, u64)> = candidate
        .not_carried
        .iter()
        .map(|one| (one.place.as_str(), one.metric.key(), one.baseline_count_min))
        .collect();
    assert_eq!(lacking[0], ("steady", "response.p99_9".to_owned(), 4_000));
    assert!(lacking.contains(&("steady / buy", "response.p99_9".to_owned(), 2_000)));
}

#[test]
fn errors_are_judged_in_points_and_bounds_are_no_values() {
    let failing = Made { fails_one_in: Some(20), ..MADE };
    let comparison =
        compared(&MADE.runs(4, 0.01, 1), &failing.runs(4, 0.01, 2), &Settings::of_runs()).unwrap();
    let row = |key: &str| comparison.candidates[0].rows.iter().find(|row| row.metric.key() == key).unwrap();
    let errors = row("errors");
    assert!((errors.change - 0.05).abs() < 1e-9 && errors.verdict == Verdict::Slower, "{errors:?}");
    // One in twenty is cut off: p99 is a bound there, and neither the same nor faster.
    assert!(row("response.p99").is_bounded && !row("response.p50").is_bounded);
    assert_ne!(row("response.p99").verdict, Verdict::Same);
    let turned =
        compared(&failing.runs(4, 0.01, 2), &MADE.slower(0.0).runs(4, 0.01, 1), &only("p99")).unwrap();
    assert!(turned.candidates[0].rows.iter().all(|row| row.is_bounded && row.verdict != Verdict::Same));
}
