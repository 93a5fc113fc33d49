//! How much load, when: phases and their load models.

use serde::Serialize;
use units::Rate;

/// A stretch of a run with one load model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Phase {
    /// Unique within the plan.
    pub name: String,
    /// Whether it counts in the result.
    pub kind: PhaseKind,
    /// Index of the scenario.
    pub scenario: usize,
    /// The load model.
    pub load: Load,
    /// Length in ns. `None`: until the load's own end (a count, each user once, the stages' end).
    pub duration_ns: Option<u64>,
    /// Ends after so many actions begun over all workers, whichever comes first.
    pub action_count_max: Option<u64>,
    /// How often it is run in a row, at least 1; each is recorded apart.
    pub repeat_count: u32,
    /// When it starts.
    pub start: PhaseStart,
    /// How long actions under way may go on after the end, ns; what is then still open is censored.
    pub drain_limit_ns: u64,
}

impl Phase {
    /// The drain limit where none is given: 5 s.
    pub const DRAIN_LIMIT_NS: u64 = 5 * units::NS_PER_SEC;
}

/// Whether a phase counts in the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseKind {
    /// Kept in the record, left out of the result.
    Warmup,
    /// Counts.
    Measure,
}

/// When a phase starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseStart {
    /// When the phase (by index, always an earlier one) has ended and drained, and so long after, ns; `None`: at the run's start.
    After(Option<usize>, u64),
    /// Together with the phase (by index, always an earlier one), and so long after its start, ns.
    With(usize, u64),
}

/// A load model.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Load {
    /// Closed: so many users, each beginning its next action when the last is done, as fast as it can.
    Closed {
        /// Over all workers, at least 1.
        users: u32,
        /// At most so many actions in flight at once, over all workers; `None`: as many as users.
        in_flight_max: Option<u32>,
    },
    /// Each of so many users carries out each action of the scenario once, in order, and is done.
    Once {
        /// Over all workers, at least 1.
        users: u32,
        /// At most so many actions in flight at once, over all workers, users in turn; `None`: as many as users.
        in_flight_max: Option<u32>,
    },
    /// Closed, with a number of users that changes: each user begins its next action when the last is done, as long as it has its place.
    Ramping {
        /// Users at the start, over all workers.
        users_from: u32,
        /// One after another, at least one; the last number goes on.
        stages: Vec<UserStage>,
        /// How long the action of a user that loses its place may go on, ns; then it is given up.
        ramp_down_limit_ns: u64,
    },
    /// Open: actions are due at times that do not depend on the answers.
    Open {
        /// One after another; the whole is the phase's profile. When `duration_ns` is longer, the last rate goes on.
        stages: Vec<Stage>,
        /// How due times are spread.
        arrivals: Arrivals,
        /// What happens when all users are busy.
        on_saturation: Saturation,
        /// At most so many actions in flight, over all workers.
        users_max: u32,
        /// So many users, over all workers, that take arrivals in turn, longest idle first; at least 1. `None`: as many as are needed,
        /// and who was idle last is first (fewer users, fewer connections of their own).
        users: Option<u32>,
    },
}

impl Load {
    /// `users_max` where none is given.
    pub const USERS_MAX: u32 = 10_000;

    /// Length of all stages together, ns; 0 where there are none.
    pub fn stages_ns(&self) -> u64 {
        let sum = |sum_ns: u64, stage_ns: u64| sum_ns.saturating_add(stage_ns);
        match self {
            Self::Open { stages, .. } => stages.iter().map(|stage| stage.duration_ns).fold(0, sum),
            Self::Ramping { stages, .. } => stages.iter().map(|stage| stage.duration_ns).fold(0, sum),
            Self::Closed { .. } | Self::Once { .. } => 0,
        }
    }

    /// Gives each stage another length.
    pub fn scale_stages(&mut self, scaled: impl Fn(u64) -> u64) {
        match self {
            Self::Open { stages, .. } => {
                stages.iter_mut().for_each(|stage| stage.duration_ns = scaled(stage.duration_ns));
            }
            Self::Ramping { stages, .. } => {
                stages.iter_mut().for_each(|stage| stage.duration_ns = scaled(stage.duration_ns));
            }
            Self::Closed { .. } | Self::Once { .. } => {}
        }
    }
}

/// A stretch of a ramping load over which the number of users goes to another one in even steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct UserStage {
    /// Users at its end, over all workers.
    pub users_to: u32,
    /// Its length in ns; 0 is a step.
    pub duration_ns: u64,
}

/// A stretch of an open load over which the rate goes in a straight line from one value to another (equal: constant).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Stage {
    /// Rate at its start, actions per second over all workers.
    pub rate_from: Rate,
    /// Rate at its end.
    pub rate_to: Rate,
    /// Its length in ns; 0 is a step.
    pub duration_ns: u64,
}

/// How due times are spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Arrivals {
    /// Evenly.
    Constant,
    /// Evenly, the first one gap after the start, where [`Arrivals::Constant`] has its first at the start.
    ConstantAfterGap,
    /// As a Poisson process: independent of each other.
    Poisson,
    /// Evenly, each moved by a uniform share of one gap: once in each gap, anywhere within.
    UniformJitter,
}

/// What happens to arrivals that find all users busy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Saturation {
    /// They wait; the wait is in their response time.
    Queue,
    /// They are dropped, and counted as such.
    Drop,
}
