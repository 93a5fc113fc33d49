//! How much load, when, and what is promised.

use crate::read::{At, BigCount, Count, Duration, Group, List, PositiveDuration, choice, model};
use plan::Slo;
use units::Rate;

/// A number of users. More are refused: each holds a state and mostly a socket.
pub(crate) type Users = Count<1, 10_000_000>;
/// A number of users that may be none.
pub(crate) type UsersOrNone = Count<0, 10_000_000>;

model! {
    /// How much load. One key says what kind: `users` or `user_stages` (closed), `rate` or `stages` (open), or `once`. Without think time,
    /// users load as fast as the answers come.
    pub(crate) struct Load: "load" {
        /// Closed: so many users, each beginning its next action when the last is done.
        users: At<Users> = Optional("none"),
        /// Closed: users come and go, stage after stage.
        user_stages: List<UserStage> = Optional("none"),
        /// Open: so many actions begin per second, whatever the answers.
        rate: At<Rate> = Optional("none"),
        /// Open: the rate changes over time, stage after stage.
        stages: List<Stage> = Optional("none"),
        /// Each of so many users carries out each action once, in order.
        once: At<Users> = Optional("none"),
        /// How long actions are begun.
        duration: At<PositiveDuration> = Optional("until `count` is reached, the stages end, or each user had its turn"),
        /// Ends after so many actions, if `duration` does not end it before.
        count: At<BigCount> = Optional("no limit"),
        /// Closed or once: at most so many actions under way at once; users take turns.
        in_flight_max: At<Users> = Optional("as many as users"),
        /// With `user_stages`: users at the start.
        users_from: At<UsersOrNone> = Optional("0"),
        /// With `user_stages`: how long the action of a user that goes may go on. What is open then counts as censored.
        ramp_down: At<Duration> = Optional("as `drain`"),
        /// Open: how beginnings are spread.
        arrivals: At<ArrivalsText> = Optional("constant"),
        /// Open: what happens to beginnings that find `users_max` actions under way.
        on_saturation: At<SaturationText> = Optional("queue"),
        /// Open: at most so many actions under way at once.
        users_max: At<Users> = Optional("10000"),
        /// Open: so many users take the beginnings in turn, longest idle first.
        users_in_turn: At<Users> = Optional("as many as are needed, and who was idle last is first"),
        /// How long actions under way may go on after the end. What is open then counts as censored.
        drain: At<Duration> = Optional("5s"),
        /// How often the phase is run in a row. Each time is recorded apart.
        repeat: At<Count<1, 10_000>> = Optional("1"),
    }
}

model! {
    /// A stretch of the run with one kind of load.
    pub(crate) struct Phase: "phase" {
        /// What the record calls it; no two are alike.
        name: At<String> = Optional("`main` for a single phase, else `phase-1` and so on"),
        /// Kept in the record, left out of the result.
        warmup: At<bool> = Optional("false"),
        /// What users do, by name.
        scenario: At<String> = Optional("the only scenario"),
        /// When it starts.
        start: Start = Optional("after the phase before it"),
    }
    with { load: Load }
    groups [Group::exactly_one(&["users", "user_stages", "rate", "stages", "once"])];
}

model! {
    /// A stretch of an open load: a ramp (`from`, `to`, `over`) or a constant rate (`rate`, `for`). Without a length it is a step.
    pub(crate) struct Stage: "stage" {
        /// A ramp's first rate.
        from: At<Rate> = Optional("where the stage before ended, or 0/s"),
        /// A ramp's last rate.
        to: At<Rate> = Optional("none"),
        /// A ramp's length.
        over: At<Duration> = Optional("none"),
        /// A constant rate.
        rate: At<Rate> = Optional("none"),
        /// Its length.
        hold as "for": At<Duration> = Optional("none"),
    }
    groups [Group::exactly_one(&["to", "rate"]), Group::at_most_one(&["over", "for"])];
}

model! {
    /// A stretch of a closed load over which users come (or go) one by one, evenly (`to`, `over`), or stay (`for`). Without a length it is a
    /// step.
    pub(crate) struct UserStage: "user-stage" {
        /// Users at its end.
        to: At<UsersOrNone> = Optional("as many as before"),
        /// Length of a ramp.
        over: At<Duration> = Optional("none"),
        /// Length of a stay.
        hold as "for": At<Duration> = Optional("none"),
    }
    groups [Group::at_most_one(&["over", "for"])];
}

choice! {
    /// How beginnings are spread.
    pub(crate) enum ArrivalsText: "a way to spread arrivals" {
        /// Evenly.
        Constant = "constant",
        /// As a Poisson process: independent of each other, as many users' requests are.
        Poisson = "poisson",
        /// Evenly, each moved at random within its gap.
        Uniform = "uniform",
    }
}

choice! {
    /// What happens to beginnings that find all users busy.
    pub(crate) enum SaturationText: "a way with saturation" {
        /// They wait, and the wait is in their response time.
        Queue = "queue",
        /// They are dropped, and counted as dropped.
        Drop = "drop",
    }
}

model! {
    /// When a phase starts.
    pub(crate) struct Start: "start" {
        /// When this earlier phase has ended, its actions included.
        after: At<String> = Optional("the phase before it"),
        /// Together with this earlier phase.
        together as "with": At<String> = Optional("none"),
        /// So long after that.
        delay: At<Duration> = Optional("none"),
    }
    groups [Group::at_most_one(&["after", "with"])];
}

model! {
    /// A promise that the run is judged by: a metric, a comparison and a bound. Text alone will do.
    ///
    /// Metrics: `p50(…)`, `p99.9(…)`, `mean(…)`, `max(…)` of `response`, `service` or `wait`; `error_ratio`, `errors`, `achieved`
    /// (completed to offered), `rate`, `dropped`. Bounds have their unit: `50ms`, `0.1%`, `1000/s`.
    pub(crate) struct SloText: "slo" {
        /// The promise.
        expect: At<Slo> = Required,
        /// Only this phase.
        phase: At<String> = Optional("each measured phase"),
        /// Only this action.
        action: At<String> = Optional("all actions together"),
        /// End the run as soon as the promise is broken for good.
        abort: At<bool> = Optional("false"),
    }
    short At<Slo> => |expect| Self { expect: Some(expect), ..Self::default() };
}
