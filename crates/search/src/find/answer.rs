//! What a search has found.

use super::{Bounds, Estimate};
use serde::{Deserialize, Serialize};

/// What keeps the rate from being higher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// The service: above the answer it misses an objective or does not keep up.
    Service,
    /// The generator: the service can do at least the answer.
    Client,
    /// `--max`: the service can do at least the answer.
    RateMax,
    /// It does not sustain even the lowest rate.
    BelowMinimum,
    /// It sustained none of the rates tried; trials at lower ones, long enough for the objectives, don't fit in the budget.
    NoneSustained,
    /// The search ended before anything was bounded.
    Unknown,
}

/// Whether the soak went well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confirmation {
    /// It did.
    Held,
    /// It did not, nor did one at a lower rate.
    Failed,
    /// There was none.
    NotTried,
    /// The client was at its own limit in it, each time: it says nothing of the service.
    ClientLimited,
}

/// What the service did straight after an overload.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Recovery {
    /// Whether it sustained the answer just before the overload.
    pub held_before: bool,
    /// The highest rate that it sustained afterwards, going down; `None`: none of those tried.
    pub sustained_per_sec: Option<f64>,
}

/// What a search has found. Rates per second.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The highest rate that is sustained with a probability of 97.5 %; 0 when none was.
    pub rate_per_sec: f64,
    /// What keeps it from being higher.
    pub limit: Limit,
    /// Where the bound lies; `None` where it was not bracketed.
    pub estimate: Option<Estimate>,
    /// The bounds by the rules of MLRsearch.
    pub bounds: Bounds,
    /// Whether the interval is as narrow as was asked for.
    pub is_precise: bool,
    /// The soak.
    pub confirmation: Confirmation,
    /// After an overload, where that was asked for.
    pub recovery: Option<Recovery>,
    /// Whether the first trials were left out, because the service was another then.
    pub forgot_beginning: bool,
    /// Whether it did more then than later: it became slower.
    #[serde(default)]
    pub became_slower: bool,
    /// What the search took, ns.
    pub spent_ns: u64,
}
