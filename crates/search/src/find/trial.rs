//! What is tried and what came of it.

use serde::{Deserialize, Serialize};

/// Why a trial is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrialKind {
    /// Closed, as fast as it goes: the first guess, and the service's warm-up.
    Maximum,
    /// Short, far apart: between which rates does the bound lie?
    Bracket,
    /// Full length, near the bound.
    Measure,
    /// Long, at the answer.
    Confirm,
    /// At the answer, coming from below.
    Up,
    /// Well above the answer; what came of it is not asked.
    Overload,
    /// At or below the answer, straight after an overload.
    Down,
    /// One of the rates of a curve.
    Curve,
}

impl TrialKind {
    /// One word for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Maximum => "maximum",
            Self::Bracket => "bracket",
            Self::Measure => "measure",
            Self::Confirm => "confirm",
            Self::Up => "up",
            Self::Overload => "overload",
            Self::Down => "down",
            Self::Curve => "curve",
        }
    }
}

/// A trial to be made.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Why.
    pub kind: TrialKind,
    /// Arrivals per second; 0 for [`TrialKind::Maximum`], which is closed.
    pub rate_per_sec: f64,
    /// Length of the load, ns.
    pub duration_ns: u64,
    /// Rest before it, ns.
    pub settle_ns: u64,
}

/// What a trial says of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// All objectives were met and no work piled up.
    Sustained,
    /// The service did not keep up or an objective was missed.
    NotSustained,
    /// It was not sustained, and the generator was at its own limit: nothing is said of the service.
    ClientLimited,
}

/// What came of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TrialResult {
    /// For [`TrialKind::Maximum`] without meaning.
    pub outcome: Outcome,
    /// Actions completed per second within the load's length.
    pub achieved_per_sec: f64,
    /// All the time that it took, rest and drain included, ns: what the budget pays.
    pub took_ns: u64,
}
