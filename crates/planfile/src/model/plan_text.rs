//! The whole of a plan's text.

use super::{Action, Feed, Load, Phase, Request, Scenario, SloText, Target};
use crate::read::{At, Group, List, Map, OneOrMany, model};
use crate::read::{Duration, PositiveDuration};

model! {
    /// A load test: what takes the load, what users do, how much of it and when, and what is promised.
    ///
    /// A short plan has one `target`, one `request` and the keys of one phase (`rate` or `users`, `duration`, …) at its top.
    /// A longer one has `targets`, `scenarios` and `phases`.
    pub(crate) struct PlanText: "plan" {
        /// Where the JSON Schema of plans is, for editors; not read by Weir.
        _schema as "$schema": At<String> = Optional("none"),
        /// What the record and the report call the plan.
        name: At<String> = Optional("the file's name"),
        /// Governs every random choice. The same seed gives the same choices.
        seed: At<u64> = Optional("1"),
        /// Variables with the values that they have when a user begins.
        vars: Map<At<String>> = Optional("none"),
        /// The only target, in place of `targets`.
        target: Target = Optional("none"),
        /// Targets by name.
        targets: Map<Target> = Optional("none"),
        /// Tables of values by name. A column `email` of the feed `users` is the variable `${users.email}`.
        feeds: Map<Feed> = Optional("none"),
        /// The only thing that users do, in place of `scenarios`.
        request: Request = Optional("none"),
        /// The actions of the only scenario, in place of `scenarios`.
        actions: List<Action> = Optional("none"),
        /// The only scenario, in place of `scenarios`.
        scenario: Scenario = Optional("none"),
        /// Scenarios by name.
        scenarios: Map<Scenario> = Optional("none"),
        /// A warm-up of this length before the one phase at the plan's top, under the same load.
        warmup: At<PositiveDuration> = Optional("none"),
        /// Phases, in order of their start.
        phases: List<Phase> = Optional("one, from the load's keys at the plan's top"),
        /// Objectives, by which the run is judged.
        slos: OneOrMany<SloText> = Optional("none"),
        /// Length of an interval of the record.
        interval: At<Duration> = Optional("1s"),
    }
    with { load: Load }
    groups [
        Group::at_most_one(&["target", "targets"]),
        Group::at_most_one(&["request", "actions", "scenario", "scenarios"]),
        Group::at_most_one(&["users", "user_stages", "rate", "stages", "once"])
    ];
}
