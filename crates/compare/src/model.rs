//! A comparison's shape. Other programs read its JSON: keys are added, never renamed.

use crate::{Metric, Settings};
use serde::{Deserialize, Serialize};

/// Raised when a reader of older comparisons would misunderstand a newer one.
pub const SCHEMA_VERSION: u32 = 1;

/// A baseline and what was held against it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// How it was judged.
    pub settings: Settings,
    /// The baseline first.
    pub sides: Vec<SideInfo>,
    /// One for each side but the baseline.
    pub candidates: Vec<Candidate>,
    /// In what plans and environments differ, also where that is no obstacle.
    pub differences: Vec<Difference>,
    /// Why this should not have been judged, where it was judged by force.
    pub objections: Vec<Objection>,
    /// What a reader must know to read it rightly.
    pub cautions: Vec<Objection>,
    /// Of an interleaved comparison: how it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<PairsInfo>,
}

/// What was held against each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SideInfo {
    /// What the user called it, or the run's name.
    pub name: String,
    /// Its runs.
    pub runs: Vec<RunInfo>,
}

/// Which run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunInfo {
    /// As in the record.
    pub run_id: String,
    /// As in the record.
    pub name: String,
    /// As in the record.
    pub started_unix_ns: u64,
    /// `valid`, `suspect` or `invalid`.
    pub verdict: record::VerdictState,
}

/// A side held against the baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// In [`Comparison::sides`].
    pub side_index: usize,
    /// Phases in the baseline's order, each whole before its actions; figures of whole runs last.
    pub rows: Vec<Row>,
    /// Quantiles that are left out because the samples of a side don't carry them.
    pub not_carried: Vec<NotCarried>,
    /// Phases or actions that only one side has.
    pub only_on_one_side: Vec<String>,
}

/// A quantile that is not compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NotCarried {
    /// The phase, and the action if it is of one.
    pub place: String,
    /// The quantile.
    pub metric: Metric,
    /// Fewest samples that any run (or slice) of the baseline has.
    pub baseline_count_min: u64,
    /// Likewise.
    pub candidate_count_min: u64,
    /// So many are needed.
    pub needed_count: u64,
}

/// One figure on both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Null for a figure of whole runs.
    pub phase: Option<String>,
    /// Null for the whole phase.
    pub action: Option<String>,
    /// What it is; times in ns, errors as a share.
    pub metric: Metric,
    /// The baseline's; of several runs the geometric mean (of errors the arithmetic mean), of slices the median.
    pub baseline: f64,
    /// The candidate's, likewise.
    pub candidate: f64,
    /// candidate − baseline; of blocks what the change makes of the baseline, so that both have one sign.
    pub difference: f64,
    /// What is judged: the change as a share of the baseline; of errors the difference itself.
    pub change: f64,
    /// How far that may be off; null where nothing tells.
    pub interval: Option<Interval>,
    /// What it rests on.
    pub basis: Basis,
    /// Independent values on the side of the baseline and of the candidate.
    pub unit_counts: (usize, usize),
    /// What may be said.
    pub verdict: Verdict,
    /// Where nothing is known between runs: what may be said of these runs alone.
    pub within_runs: Option<WithinRuns>,
    /// p-value of a test by ranks, as a cross-check that outliers don't sway; null where it can't be small.
    pub rank_p: Option<f64>,
    /// A true change of this size would be found four times in five with as many values; null where nothing tells.
    pub found_from: Option<f64>,
    /// Standard deviation between units (of one side, or of the difference of a block); null where there is none to see.
    pub unit_stdev: Option<f64>,
    /// Whether the quantile, on either side, reaches into times that are only lower bounds.
    pub is_bounded: bool,
}

/// An interval of [`Row::change`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// How often such an interval covers the truth, 0..1: 1 − alpha, raised for the number of rows (and looks).
    pub confidence: f64,
}

/// What an interval rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Several runs on each side.
    Runs,
    /// One run on each side, with several repeats of the phase: noise between launches is not seen.
    Repeats,
    /// One run against several, taken to scatter as they do.
    OneAgainstSeveral,
    /// Noise between runs as the user gave it.
    GivenNoise,
    /// One run on each side: nothing is known of the noise between runs.
    OneRun,
    /// Blocks of interleaved slices.
    Blocks,
}

/// Of two single runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WithinRuns {
    /// The interval of the change between *these two runs*.
    pub interval: Interval,
    /// What may be said of these two runs.
    pub verdict: Verdict,
    /// Whether requests were taken to be independent of each other, for want of intervals: then it is too short.
    pub is_of_requests: bool,
    /// Whether the runs are too short, or their course too slow, for blocks of intervals to show their noise: then it is too short as well.
    pub is_strained: bool,
}

/// What may be said of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Worse by more than the margin.
    Slower,
    /// Better by more than the margin.
    Faster,
    /// Neither: any difference is within the margin.
    Same,
    /// The values don't tell.
    Undecided,
}

impl Verdict {
    /// As in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Slower => "slower",
            Self::Faster => "faster",
            Self::Same => "same",
            Self::Undecided => "undecided",
        }
    }
}

/// How many rows have which verdict; the generator's own cost is not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Worse.
    pub slower: usize,
    /// Better.
    pub faster: usize,
    /// Neither.
    pub same: usize,
    /// Not told.
    pub undecided: usize,
}

impl Candidate {
    /// How many rows have which verdict.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for row in self.rows.iter().filter(|row| row.metric.is_of_service()) {
            match row.verdict {
                Verdict::Slower => tally.slower += 1,
                Verdict::Faster => tally.faster += 1,
                Verdict::Same => tally.same += 1,
                Verdict::Undecided => tally.undecided += 1,
            }
        }
        tally
    }
}

/// In what two runs differ besides their numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// What kind of thing it is.
    pub kind: DifferenceKind,
    /// Where: a path in the plan, or a field of the environment.
    pub path: String,
    /// The baseline's value, shortened.
    pub baseline: String,
    /// The other's.
    pub candidate: String,
    /// Whose.
    pub run_id: String,
}

/// What kind of difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceKind {
    /// The plan asks for something else: what is compared is not the same work.
    Plan,
    /// Another machine, kernel, driver or version.
    Environment,
    /// Another target: that is what comparisons are for.
    Target,
    /// Another seed: other random choices from the same distributions.
    Seed,
    /// Other objectives, which change no load.
    Objectives,
}

/// A thing to know, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Objection {
    /// What was seen and what it means.
    pub message: String,
    /// What to do.
    pub hint: String,
}

impl Objection {
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into() }
    }
}

/// How an interleaved comparison was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairsInfo {
    /// Pairs of slices analysed, two to a block.
    pub pair_count: u64,
    /// Most pairs there would have been.
    pub pair_count_max: u64,
    /// Blocks, the units of the analysis.
    pub block_count: u64,
    /// The numbers of blocks at which was to be looked; one: a fixed number.
    pub looks_at_blocks: Vec<u64>,
    /// The error that this look may use, of [`Settings::alpha`] for all looks together.
    pub alpha_here: f64,
    /// Whether both sides were the same on purpose.
    pub is_same_target: bool,
    /// Whether the server was started anew for each slice.
    pub is_relaunched: bool,
    /// Slices whose record is not valid, on either side.
    pub invalid_slice_counts: (u64, u64),
    /// Governs the order of slices.
    pub seed: u64,
}
