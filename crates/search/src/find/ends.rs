//! How searches end when not all goes well, and what is said then.

use super::*;
use crate::text::headline;

const SEC: u64 = units::NS_PER_SEC;

/// The answer of a search whose trials end as told; `closed_per_sec` is what the closed trial reaches.
fn search(
    options: Options,
    closed_per_sec: f64,
    mut outcome: impl FnMut(&Trial) -> Outcome,
) -> (Answer, Vec<Trial>) {
    let mut search = Search::new(options).unwrap();
    let mut trials = Vec::new();
    loop {
        match search.next() {
            Step::Done(answer) => return (*answer, trials),
            Step::Try(trial) => {
                let result = TrialResult {
                    outcome: outcome(&trial),
                    achieved_per_sec: closed_per_sec,
                    took_ns: trial.duration_ns + trial.settle_ns + 50_000_000,
                };
                trials.push(trial);
                assert!(trials.len() < 1000, "the search does not end");
                search.on_trial(&result);
            }
        }
    }
}

fn up_to(rate: f64) -> impl Fn(&Trial) -> Outcome {
    move |trial| if trial.rate_per_sec <= rate { Outcome::Sustained } else { Outcome::NotSustained }
}

#[test]
fn a_soak_that_fails_is_in_the_headline() {
    let fails_long = |trial: &Trial| match trial.kind {
        TrialKind::Confirm => Outcome::NotSustained,
        _ => up_to(1000.0)(trial),
    };
    let (answer, trials) = search(Options::default(), 1000.0, fails_long);
    assert_eq!(answer.confirmation, Confirmation::Failed);
    assert_eq!(trials.iter().filter(|trial| trial.kind == TrialKind::Confirm).count(), 3);
    assert!(headline(&answer).starts_with("sustains less than 9"), "{}", headline(&answer));
}

#[test]
fn a_soak_in_which_the_client_was_the_limit_says_nothing() {
    let is_client = |trial: &Trial| match trial.kind {
        TrialKind::Confirm => Outcome::ClientLimited,
        _ => up_to(1000.0)(trial),
    };
    let (answer, trials) = search(Options { budget_ns: 3600 * SEC, ..Options::default() }, 1000.0, is_client);
    assert_eq!(answer.confirmation, Confirmation::ClientLimited);
    let soaks: Vec<f64> =
        trials.iter().filter(|t| t.kind == TrialKind::Confirm).map(|t| t.rate_per_sec).collect();
    assert_eq!(soaks.len(), 4, "made again three times");
    assert!(soaks.iter().all(|rate| *rate == answer.rate_per_sec), "not at lower rates: {soaks:?}");
    assert_eq!(headline(&answer), format!("sustains {}/s", units::per_sec(answer.rate_per_sec)));
}

#[test]
fn a_client_at_its_limit_makes_it_at_least() {
    let is_client =
        |trial: &Trial| if trial.rate_per_sec > 500.0 { Outcome::ClientLimited } else { Outcome::Sustained };
    let (answer, _) = search(Options::default(), 600.0, is_client);
    assert_eq!(answer.limit, Limit::Client);
    assert!((480.0..=505.0).contains(&answer.rate_per_sec), "{answer:?}");
    assert!(headline(&answer).contains("at least 49"), "{}", headline(&answer));
}

#[test]
fn one_failure_of_the_services_does_not_hide_the_clients_limit() {
    let mut is_first = true;
    let is_client = |trial: &Trial| match trial.rate_per_sec {
        rate if rate <= 0.0 => Outcome::Sustained,
        _ if std::mem::take(&mut is_first) => Outcome::NotSustained,
        rate if rate > 500.0 => Outcome::ClientLimited,
        _ => Outcome::Sustained,
    };
    // Time for one rate above the client's limit, four times in a row.
    let budget_ns = 45 * SEC;
    let options = Options { budget_ns, confirm_ns: 0, precision_ratio: 0.2, ..Options::default() };
    let (answer, _) = search(options, 600.0, is_client);
    assert_eq!(answer.limit, Limit::Client, "{answer:?}");
}

#[test]
fn a_service_that_always_fails_is_found_out_within_the_budget() {
    // p99 needs 1000 samples: at the lowest rate, 1/s, a trial would take longer than the whole search may.
    for closed_per_sec in [0.0, 300.0] {
        let options = Options { samples_min: 1000, ..Options::default() };
        let (answer, trials) = search(options, closed_per_sec, |_| Outcome::NotSustained);
        assert_eq!((answer.limit, answer.rate_per_sec), (Limit::NoneSustained, 0.0));
        assert!(answer.spent_ns <= options.budget_ns, "{} s", answer.spent_ns / SEC);
        assert!(trials.len() >= 2, "{trials:?}");
        assert_eq!(headline(&answer), "sustained none of the rates tried");
    }
    let (answer, _) = search(Options { rate_min_per_sec: 100.0, ..Options::default() }, 300.0, up_to(0.0));
    assert_eq!(answer.limit, Limit::BelowMinimum);
}

#[test]
fn a_service_that_becomes_slower_is_told_from_one_that_warms_up() {
    let changing = |early: f64, late: f64| {
        let mut measured = 0;
        let (answer, _) = search(Options::default(), 1000.0, |trial| {
            measured += usize::from(trial.kind == TrialKind::Measure);
            up_to(if measured < 10 { early } else { late })(trial)
        });
        (answer.forgot_beginning, answer.became_slower)
    };
    assert_eq!(changing(1000.0, 700.0), (true, true));
    assert_eq!(changing(700.0, 1000.0), (true, false));
    assert_eq!(changing(1000.0, 1000.0), (false, false));
}

#[test]
fn samples_that_a_budget_has_no_time_for_are_said_before() {
    // p99.99 needs 100,000 samples: 200 s at the first rate.
    let options = Options { samples_min: 100_000, rate_start_per_sec: Some(500.0), ..Options::default() };
    let faults = options.faults();
    assert!(matches!(faults[..], [OptionFault::Budget { .. }]), "{faults:?}");
    assert_eq!(Options { samples_min: 1000, ..options }.faults(), []);
}
