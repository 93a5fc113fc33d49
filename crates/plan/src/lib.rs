//! The plan: the one intermediate form into which every front end turns its input, and from which every run is made.
//!
//! A plan is plain data. It holds what was read from files (bodies, feeds, certificates), so that nothing below the front ends
//! touches a file. Times are ns, rates are exact fractions, shares are ratios. [`Plan::faults`] finds what no single part can see.

mod diagnostic;
mod faults;
mod load;
mod scenario;
mod slo;
mod target;
mod template;

pub use diagnostic::{Diagnostic, Location, Severity, nearest};
pub use load::{Arrivals, Load, Phase, PhaseKind, PhaseStart, Saturation, Stage, UserStage};
pub use scenario::{
    Action, ActionOrder, AtEnd, Body, Capture, CaptureSource, Check, CheckKind, CookiePolicy, Feed,
    FeedOrder, Part, Pause, Request, Scenario, Step, TextMatch,
};
pub use slo::{Bound, Comparison, Latency, Metric, Slo, SloError};
pub use target::{
    CertificateCheck, ClientCertificate, ConnectionPolicy, Scheme, Secret, Target, TlsSettings, TlsVersion,
    Tunnel,
};
pub use template::{Builtin, Template, TemplateError, TemplatePart, VariableIndex};

use serde::Serialize;

/// A whole load test: what is hit, what users do, how much of it, and what is promised.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Plan {
    /// For people and for the record.
    pub name: String,
    /// Governs every random choice of the run.
    pub seed: u64,
    /// The systems under load. Steps name them by index.
    pub targets: Vec<Target>,
    /// Tables of values for variables.
    pub feeds: Vec<Feed>,
    /// The names of the variables; a [`VariableIndex`] points here.
    pub variables: Vec<String>,
    /// What users do.
    pub scenarios: Vec<Scenario>,
    /// When and how much, in order of their start.
    pub phases: Vec<Phase>,
    /// What is promised and will be judged.
    pub slos: Vec<Slo>,
    /// Length of an interval of the record in ns; one second unless asked otherwise.
    pub interval_ns: u64,
}

impl Plan {
    /// The default length of an interval: 1 s.
    pub const INTERVAL_NS: u64 = units::NS_PER_SEC;
    /// The seed where none is given: runs repeat themselves unless told not to.
    pub const SEED: u64 = 1;
}
