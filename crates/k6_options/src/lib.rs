//! k6's options and executors without any JavaScript: what a script, a configuration file, variables and a command line say, which of it
//! holds, and what follows from it for VUs, times and the texts that people see.
//!
//! One idea: every option is set or not set (`Option`) until all layers are merged, because which layer wins depends on it. After
//! [`Layers::consolidate`] there are [`Scenarios`] only, checked, and everything else is a pure function of them. Texts of errors are those of k6 where
//! people look for them, and each has the exit code that k6 has for it.
//!
//! Nothing here reads a clock, a file or the environment. The source of all rules is k6's observed behaviour.

mod command_line;
mod display;
mod executor;
mod exit;
#[cfg(any(test, feature = "fuzz"))]
pub mod fuzz;
mod net;
mod options;
mod segment;

pub use command_line::{Command, CommandLine, CompatibilityMode, Settings, SummaryMode, TestType, usage};
pub use display::{
    Colour, ProgressBlock, ProgressHead, ProgressRow, ScenarioNow, ScenarioProgress, ScenarioState,
    StartText, fixed_width,
};
pub use executor::{
    ConstantArrivalRate, ConstantDueTimes, ConstantVus, Executor, ExternallyControlled, PerVuIterations,
    RampingArrivalRate, RampingDueTimes, RampingVus, Requirements, ReservedStep, Scenario, Scenarios,
    SharedIterations, VuStep, VuSteps,
};
pub use exit::{ExitCode, Fault};
pub use k6_metrics::{GoDuration, Json, SystemTags};
pub use net::{
    CipherSuite, Dns, DnsPolicy, DnsSelect, HostOverride, HostnamePatterns, Hosts, IpPool, IpRange, TlsAuth,
    TlsVersion, TlsVersions,
};
pub use options::{
    ConfigFile, Consolidated, Layers, Options, ScriptOptions, Stage, Tags, Threshold, Thresholds, TrendStats,
};
pub use segment::{Ratio, Segment, SegmentSequence, Share};
