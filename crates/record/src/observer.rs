//! Who watches a run: stores, outputs, dashboards and the progress line see one stream and nothing else.

use crate::{IntervalRecord, PhaseRecord, RunRecord};

/// How a run stands, for people who watch.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress<'a> {
    /// The phase's name.
    pub phase: &'a str,
    /// Whether it is a warm-up.
    pub is_warmup: bool,
    /// Its repeat, from 0, and how many there are.
    pub repeat: (u32, u32),
    /// Time of load gone.
    pub elapsed_ns: u64,
    /// Length of the load, where it is known.
    pub duration_ns: Option<u64>,
    /// Rate asked for now, per second; `None` in a closed model.
    pub offered_per_sec: Option<f64>,
    /// The newest whole interval, all workers together.
    pub interval: &'a IntervalRecord,
}

/// Sees a run as it happens. Calls come from the control plane, in order; a slow observer delays the others but not the load.
pub trait RunObserver {
    /// The run begins. The record is complete but for phases, verdict and client.
    fn run_started(&mut self, _record: &RunRecord) {}
    /// A phase run begins.
    fn phase_started(&mut self, _phase: &str, _repeat: (u32, u32)) {}
    /// An interval is complete.
    fn interval_ended(&mut self, _progress: &Progress<'_>) {}
    /// A phase run has ended and drained.
    fn phase_ended(&mut self, _phase: &PhaseRecord) {}
    /// The run is over and judged.
    fn run_ended(&mut self, _record: &RunRecord) {}
}
