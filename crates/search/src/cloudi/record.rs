//! The record of a search as CloudI does it: all that is needed to report it and to go on with it. Its JSON is read by other programs: keys
//! are added, never renamed.

use super::{Settings, Stable};
use record::Latencies;
use serde::{Deserialize, Serialize};

/// A search, over or under way. Rates per second; times ns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CloudiRecord {
    /// Always [`CloudiRecord::KIND`].
    pub kind: String,
    /// [`crate::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// By which its ticks are found in the store.
    pub search_id: String,
    /// What was searched, for people.
    pub name: String,
    /// Wall clock at the start.
    pub started_unix_ns: u64,
    /// What was asked for.
    pub settings: Settings,
    /// Whether a tick's requests were sent at once.
    pub is_burst: bool,
    /// Each tick in its order.
    pub ticks: Vec<Tick>,
    /// What all senders together completed while stable; null until all are.
    pub stable: Option<Stable>,
    /// Response times of all ticks since every sender keeps its rate.
    pub response_ns: Latencies,
}

/// One tick; a value for each sender.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tick {
    /// Requests per second that each sent.
    pub asked_per_sec: Vec<u64>,
    /// Requests per second that were answered within the tick.
    pub completed_per_sec: Vec<f64>,
    /// Its length.
    pub elapsed_ns: u64,
}

impl CloudiRecord {
    /// What `kind` says.
    pub const KIND: &'static str = "cloudi_search";
}
