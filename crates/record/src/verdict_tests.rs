//! Each rule of the verdict with a record that breaks just it.

use super::*;
use crate::{Client, Environment, Latencies, PhaseFrame};
use stats::{Histogram, Interval, Outcome, Sample};

/// What the phase's threads did.
struct Generator {
    busy: f64,
    off_cpu: f64,
}

/// A record of one open phase: 10 000 arrivals in 10 s, each sent on time and answered in 1 ms, then changed.
fn record(change: impl FnOnce(&mut RunRecord, &mut Interval, &mut Generator)) -> RunRecord {
    let mut total = Interval::new(1, 0, 0);
    for index in 0..10_000u64 {
        let due_ns = index * 1_000_000;
        let sample = Sample {
            intended_ns: due_ns,
            sent_ns: Some(due_ns + 1_000),
            done_ns: due_ns + 1_001_000,
            think_ns: 0,
            outcome: Outcome::Completed,
        };
        total.actions[0].record(&sample);
        total.lateness_ns.record(1_000);
        total.in_flight.action_ns += 1_000_000;
    }
    total.actions[0].counts.started = 10_000;
    total.arrivals.counts.due = 10_000;
    let mut record = RunRecord {
        schema_version: crate::SCHEMA_VERSION,
        run_id: "r".into(),
        name: "n".into(),
        origin: String::new(),
        labels: Default::default(),
        started_unix_ns: 0,
        duration_ns: 10_000_000_000,
        aborted: None,
        plan: serde_json::Value::Null,
        environment: Environment::default(),
        verdict: Verdict::default(),
        slos: Vec::new(),
        phases: Vec::new(),
        client: Client::default(),
    };
    let mut generator = Generator { busy: 0.1, off_cpu: 0.0 };
    change(&mut record, &mut total, &mut generator);
    let frame = PhaseFrame {
        name: "steady".into(),
        kind: PhaseKind::Measure,
        load_model: LoadModel::Open,
        repeat_index: 0,
        start_ns: 0,
        duration_ns: 10_000_000_000,
        drain_ns: 0,
        completed_in_time: total.actions[0].counts.completed,
        busy_ratio_max: generator.busy,
        off_cpu_ratio_max: Some(generator.off_cpu),
        action_names: vec!["a".into()],
        request_names: Vec::new(),
        check_names: Vec::new(),
    };
    record.phases.push(PhaseRecord::of(frame, &total, Vec::new()));
    record
}

fn check(
    change: impl FnOnce(&mut RunRecord, &mut Interval, &mut Generator),
    expect: (VerdictState, &[ReasonCode]),
) {
    let verdict = judge(&record(change));
    let codes: Vec<ReasonCode> = verdict.reasons.iter().map(|reason| reason.code).collect();
    assert_eq!((verdict.state, codes.as_slice()), expect, "{:#?}", verdict.reasons);
}

#[test]
fn a_clean_run_is_valid_without_reasons() {
    check(|_, _, _| (), (VerdictState::Valid, &[]));
}

#[test]
fn each_rule_speaks_alone() {
    let late = |late_ns: u64| {
        move |_: &mut RunRecord, total: &mut Interval, _: &mut Generator| {
            total.lateness_ns = Histogram::default();
            total.lateness_ns.record_n(late_ns, 10_000);
        }
    };
    check(late(150_000), (VerdictState::Suspect, &[ReasonCode::SendLateness]));
    check(late(900_000), (VerdictState::Invalid, &[ReasonCode::SendLateness]));
    check(|_, total, _| total.in_flight.action_ns *= 2, (VerdictState::Invalid, &[ReasonCode::LittlesLaw]));
    check(
        |_, total, _| (total.arrivals.counts.due, total.arrivals.counts.dropped) = (10_050, 50),
        (VerdictState::Suspect, &[ReasonCode::ArrivalsDropped]),
    );
    check(
        |_, total, _| total.arrivals.counts.due = 11_000,
        (VerdictState::Suspect, &[ReasonCode::BelowOffered]),
    );
    check(
        |_, total, _| total.actions[0].counts.censored = 100,
        (VerdictState::Suspect, &[ReasonCode::Censored]),
    );
    check(|_, _, generator| generator.busy = 0.95, (VerdictState::Suspect, &[ReasonCode::GeneratorBound]));
    check(|_, _, generator| generator.off_cpu = 0.1, (VerdictState::Suspect, &[ReasonCode::OffCpu]));
    check(|_, _, generator| generator.off_cpu = 0.9, (VerdictState::Invalid, &[ReasonCode::OffCpu]));
    check(
        |record, _, _| record.client.steal_ratio = Some(0.05),
        (VerdictState::Suspect, &[ReasonCode::Steal]),
    );
    check(
        |record, _, _| record.aborted = Some("interrupted".into()),
        (VerdictState::Suspect, &[ReasonCode::Aborted]),
    );
    check(
        |_, total, _| total.actions[0].counts.completed = 0,
        (VerdictState::Invalid, &[ReasonCode::NothingCompleted]),
    );
}

#[test]
fn a_generator_that_fell_behind_makes_the_run_invalid() {
    check(
        |_, total, generator| {
            generator.busy = 0.99;
            total.arrivals.counts.due = 20_000;
        },
        (VerdictState::Invalid, &[ReasonCode::GeneratorBound, ReasonCode::BelowOffered]),
    );
}

#[test]
fn a_record_survives_its_json() {
    let record = record(|_, _, _| ());
    let json = serde_json::to_string(&record).unwrap();
    let read: RunRecord = serde_json::from_str(&json).unwrap();
    assert_eq!(read, record);
    let histogram = read.phases[0].response_ns.to_histogram().unwrap();
    assert_eq!(Latencies::of(&histogram), record.phases[0].response_ns);
}
