//! Executors: what they refuse, which VUs they need when, and when they end.

use crate::{said, test};
use k6_options::{GoDuration, Requirements, Share};

/// What is wrong with one scenario named `a`.
fn check(scenario: &str, expected: &str) {
    let json = format!(r#"{{"scenarios":{{"a":{scenario}}}}}"#);
    assert_eq!(
        said(test(&json)),
        (104, format!("scenario a has configuration errors: {expected}")),
        "{scenario}"
    );
}

#[test]
fn each_executor_says_all_that_is_wrong() {
    check(r#"{"executor":"constant-vus"}"#, "the duration is unspecified");
    check(
        r#"{"executor":"constant-vus","duration":"999ms","vus":0,"startTime":"-1s","gracefulStop":"-1s","exec":""}"#,
        "exec value cannot be empty, the startTime can't be negative, the gracefulStop timeout can't be negative, \
         the number of VUs must be more than 0, the duration must be at least 1s, but is 999ms",
    );
    check(
        r#"{"executor":"shared-iterations","vus":5,"iterations":3,"maxDuration":"10ms"}"#,
        "the number of iterations (3) can't be less than the number of VUs (5), the maxDuration must be at least 1s, but is 10ms",
    );
    check(
        r#"{"executor":"shared-iterations","vus":0,"iterations":0}"#,
        "the number of VUs must be more than 0",
    );
    check(
        r#"{"executor":"per-vu-iterations","vus":0,"iterations":0,"maxDuration":0}"#,
        "the number of VUs must be more than 0, the number of iterations must be more than 0, \
         the maxDuration must be at least 1s, but is 0s",
    );
    check(r#"{"executor":"ramping-vus"}"#, "at least one stage has to be specified");
    check(
        r#"{"executor":"ramping-vus","startVUs":-1,"stages":[{"duration":-1,"target":-1},{},{"duration":"1s","target":100000001}]}"#,
        "the number of start VUs can't be negative, the duration for stage 1 can't be negative, \
         the target for stage 1 can't be negative, stage 2 doesn't have a duration, stage 2 doesn't have a target, \
         target for stage 3 exceeds max limit of 100000000",
    );
    check(
        r#"{"executor":"ramping-vus","startVUs":0,"stages":[{"duration":1,"target":0}]}"#,
        "either startVUs or one of the stages' target values must be greater than 0",
    );
    check(
        r#"{"executor":"ramping-vus","startVUs":100000001,"stages":[{"duration":1,"target":0}]}"#,
        "the startVUs exceed max limit of 100000000",
    );
    check(
        r#"{"executor":"ramping-vus","stages":[{"duration":1,"target":9000000},{"duration":1,"target":0}]}"#,
        "the stages start and stop VUs more than 10000000 times",
    );
    let ramp = r#"{"executor":"ramping-vus","startVUs":0,"stages":[{"duration":1,"target":6000000}]}"#;
    let two = said(test(&format!(r#"{{"scenarios":{{"a":{ramp},"b":{ramp}}}}}"#)));
    assert_eq!(two, (104, "all scenarios together start and stop VUs more than 10000000 times".to_owned()));
}

#[test]
fn arrival_rates_say_all_that_is_wrong() {
    check(
        r#"{"executor":"constant-arrival-rate"}"#,
        "the iteration rate isn't specified, the duration is unspecified, the number of preAllocatedVUs isn't specified",
    );
    check(
        r#"{"executor":"constant-arrival-rate","rate":0,"timeUnit":0,"duration":1,"preAllocatedVUs":-1,"maxVUs":-2}"#,
        "the iteration rate must be more than 0, the timeUnit must be more than 0, the duration must be at least 1s, \
         but is 1ms, the number of preAllocatedVUs can't be negative, maxVUs can't be less than preAllocatedVUs",
    );
    check(
        r#"{"executor":"ramping-arrival-rate"}"#,
        "at least one stage has to be specified, the number of preAllocatedVUs isn't specified",
    );
    check(
        r#"{"executor":"ramping-arrival-rate","startRate":-1,"timeUnit":-1,"stages":[{}],"preAllocatedVUs":-1,"maxVUs":-2}"#,
        "the startRate value can't be negative, the timeUnit must be more than 0, stage 1 doesn't have a duration, \
         stage 1 doesn't have a target, the number of preAllocatedVUs can't be negative, maxVUs can't be less than preAllocatedVUs",
    );
    check(
        r#"{"executor":"constant-arrival-rate","rate":2000000000,"duration":"1s","preAllocatedVUs":1}"#,
        "the iteration rate is above 1 per ns (2000000000 per 1s)",
    );
    check(
        r#"{"executor":"externally-controlled"}"#,
        "the duration must be specified, for infinite duration use 0",
    );
    check(
        r#"{"executor":"externally-controlled","vus":-1,"maxVUs":-2,"duration":"-1s","gracefulStop":"1s"}"#,
        "the number of VUs can't be negative, the number of active VUs (-1) must be less than or equal to the number of maxVUs (-2), \
         the duration can't be negative, for infinite duration use 0, gracefulStop is not supported by the externally controlled executor",
    );
}

#[test]
fn names_are_letters_digits_underscores_and_dashes() {
    let named = |name: &str| {
        said(test(&format!(r#"{{"scenarios":{{"{name}":{{"executor":"constant-vus","duration":"1s"}}}}}}"#)))
            .1
    };
    let pattern = "the scenario name should contain only numbers, latin letters, underscores, and dashes";
    assert_eq!(named("a b"), format!("scenario a b has configuration errors: {pattern}"));
    assert_eq!(
        named(""),
        format!("scenario  has configuration errors: scenario name can't be empty, {pattern}")
    );
    assert!(test(r#"{"scenarios":{"A-b_9":{"executor":"constant-vus","duration":"1s"}}}"#).is_ok());
}

/// `ms=planned` or `ms=planned+unplanned`.
fn steps(requirements: &Requirements) -> String {
    let step = requirements.steps().iter().map(|step| {
        let more = if step.unplanned > 0 { format!("+{}", step.unplanned) } else { String::new() };
        format!("{}={}{more}", step.at_ns / 1_000_000, step.planned)
    });
    step.collect::<Vec<_>>().join(" ")
}

fn required(json: &str) -> Requirements {
    test(json).unwrap_or_else(|fault| panic!("{json}: {fault}")).requirements()
}

#[test]
fn vus_are_held_until_the_maximum_end() {
    let one = |scenario: &str| steps(&required(&format!(r#"{{"scenarios":{{"a":{scenario}}}}}"#)));
    assert_eq!(one(r#"{"executor":"constant-vus","vus":5,"duration":"5s"}"#), "0=5 35000=0");
    assert_eq!(
        one(r#"{"executor":"constant-vus","vus":5,"duration":"5s","gracefulStop":0,"startTime":"2s"}"#),
        "2000=5 7000=0"
    );
    assert_eq!(one(r#"{"executor":"shared-iterations","vus":2,"iterations":9}"#), "0=2 630000=0");
    assert_eq!(one(r#"{"executor":"per-vu-iterations","vus":2,"maxDuration":"7s"}"#), "0=2 37000=0");
    let arrivals =
        r#"{"executor":"constant-arrival-rate","rate":5,"duration":"5s","preAllocatedVUs":2,"maxVUs":10}"#;
    assert_eq!(one(arrivals), "0=2+8 35000=0");
    assert_eq!(
        one(r#"{"executor":"constant-arrival-rate","rate":5,"duration":"5s","preAllocatedVUs":0}"#),
        "0=0"
    );
    assert_eq!(
        one(r#"{"executor":"externally-controlled","vus":5,"maxVUs":20,"duration":"10s","startTime":"2s"}"#),
        "2000=20 12000=0"
    );
    let endless = required(
        r#"{"scenarios":{"a":{"executor":"externally-controlled","vus":5,"maxVUs":20,"duration":0}}}"#,
    );
    assert_eq!((steps(&endless).as_str(), endless.is_endless()), ("0=20", true));
}

#[test]
fn a_ramp_holds_what_it_had_for_a_while() {
    let one = |more: &str| {
        let all = required(&format!(r#"{{"scenarios":{{"a":{{"executor":"ramping-vus",{more}}}}}}}"#));
        format!("{} | {}", steps(&all), all.end())
    };
    // Each fall is 2 s late.
    assert_eq!(
        one(r#""startVUs":3,"gracefulRampDown":"2s","stages":[{"duration":"3s","target":0}]"#),
        "0=3 3000=2 4000=1 5000=0 | 5s"
    );
    // No later than gracefulStop after the end.
    assert_eq!(
        one(
            r#""startVUs":3,"gracefulRampDown":"2s","gracefulStop":"1s","stages":[{"duration":"3s","target":0}]"#
        ),
        "0=3 3000=2 4000=0 | 4s"
    );
    // What is there at the end is held for gracefulStop.
    assert_eq!(
        one(
            r#""startVUs":3,"gracefulRampDown":0,"gracefulStop":"5s","stages":[{"duration":"2s","target":1}]"#
        ),
        "0=3 1000=2 2000=1 7000=0 | 7s"
    );
    // A dip shorter than the hold is not seen; 10 → 2 → 8 within 2 s is held at 10 for 2 s and then is at 8.
    assert_eq!(
        one(
            r#""startVUs":3,"gracefulRampDown":"2s","gracefulStop":0,"stages":[{"duration":"1s","target":1},{"duration":"500ms","target":2},{"duration":"3s","target":2}]"#
        ),
        "0=3 2500=2 4500=0 | 4.5s"
    );
    // What is there for a moment only counts too.
    let moment = required(
        r#"{"scenarios":{"a":{"executor":"ramping-vus","gracefulRampDown":0,"gracefulStop":0,"stages":[{"duration":"1s","target":1},{"duration":0,"target":50},{"duration":0,"target":1},{"duration":"1s","target":1}]}}}"#,
    );
    assert_eq!((moment.vus_max(), moment.end()), (50, GoDuration::from_secs(2)));
}

#[test]
fn scenarios_are_added_up_at_each_moment() {
    let all = required(
        r#"{"scenarios":{
            "a":{"executor":"constant-vus","vus":5,"duration":"5s","gracefulStop":0,"startTime":"5s"},
            "b":{"executor":"constant-vus","vus":4,"duration":"5s","gracefulStop":0},
            "c":{"executor":"constant-arrival-rate","rate":1,"duration":"6s","gracefulStop":0,"preAllocatedVUs":1,"maxVUs":3}
        }}"#,
    );
    assert_eq!(steps(&all), "0=4 0=5+2 5000=1+2 5000=6+2 6000=5 10000=0");
    assert_eq!((all.planned_max(), all.vus_max(), all.end()), (6, 8, GoDuration::from_secs(10)));
}

#[test]
fn ends_are_regular_and_maximum() {
    let test = test(r#"{"stages":[{"duration":"5s","target":4},{"duration":"2500ms","target":0}]}"#).unwrap();
    let (_, scenario) = test.scenarios()[0];
    assert_eq!(scenario.regular_end().to_string(), "7.5s");
    assert_eq!(scenario.maximum_end().to_string(), "37.5s");
    assert!(scenario.has_work(&Share::whole()));
}

#[test]
fn instances_share_what_the_whole_needs() {
    let scenarios = r#""scenarios":{
        "a":{"executor":"constant-arrival-rate","rate":7,"duration":"5s","preAllocatedVUs":3,"maxVUs":11},
        "b":{"executor":"shared-iterations","vus":7,"iterations":100},
        "c":{"executor":"ramping-vus","stages":[{"duration":"5s","target":9},{"duration":"1s","target":2}]}
    }"#;
    let whole = required(&format!("{{{scenarios}}}"));
    let parts: Vec<Requirements> = ["0:1/4", "1/4:1/2", "1/2:1"]
        .iter()
        .map(|segment| {
            required(&format!(
                r#"{{{scenarios},"executionSegment":"{segment}","executionSegmentSequence":"0,1/4,1/2,1"}}"#
            ))
        })
        .collect();
    let at = |all: &Requirements, ns: u64| {
        let steps = all.steps().iter().take_while(|step| step.at_ns <= ns);
        steps.last().map_or((0, 0), |step| (step.planned, step.unplanned))
    };
    for step in whole.steps() {
        let sum = parts
            .iter()
            .map(|part| at(part, step.at_ns))
            .fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
        assert_eq!(sum, at(&whole, step.at_ns), "{}", step.at_ns);
    }
    assert!(parts.iter().all(|part| part.end() == whole.end()));
}
