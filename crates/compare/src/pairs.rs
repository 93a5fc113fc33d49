//! Interleaved slices of load on two targets: what differs between A and B while both see the same weather.
//!
//! A block is four slices in the order ABBA or BAAB, drawn by lot. Drift that is straight over a block falls out of the difference between its two As and two
//! Bs; and because the lot could as well have fallen the other way, a block's difference is symmetric about 0 when A and B are the same, whatever the noise
//! does and however it hangs together from block to block. So the block is the unit.
//!
//! The estimate is a trimmed mean of the blocks' differences: the odd block in which the machine did something else does not sway it.

use crate::judge::{Estimate, Judged, judge};
use crate::place::{Address, Place, addresses, places, pooled_value};
use crate::within::{errors_se, rate_se};
use crate::{Basis, Metric, NotCarried, Row, Settings, Verdict};
use record::RunRecord;
use serde::{Deserialize, Serialize};
use stats::inference::{Claim, Gates, Spread};
use stats::inference::{Looks, median, signed_rank_p, stdev, trimmed, trimmed_resampled};
use units::Random;

/// Share of blocks left out at each end. By `examples/error_rates.rs` a fifth finds as much as a tenth in quiet weather and half as much again in rough.
const TRIM: f64 = 0.2;
/// So many looks: half as many again find little sooner, and each costs a share of the error.
const LOOKS: u32 = 8;
/// Resamples at least, and at most: five should lie beyond the level that is asked for.
const RESAMPLES: (u32, u32) = (999, 9_999);

/// Which target a slice went to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PairedSide {
    /// The baseline.
    A,
    /// The candidate.
    B,
}

impl PairedSide {
    /// `a` or `b`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
        }
    }
}

/// The order of the four slices of a block: ABBA or BAAB, by lot.
pub fn block_order(seed: u64, block_index: u64) -> [PairedSide; 4] {
    use PairedSide::{A, B};
    match Random::stream(seed, block_index).below(2) {
        0 => [A, B, B, A],
        _ => [B, A, A, B],
    }
}

/// Where a figure stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowKey {
    /// The phase.
    pub phase: String,
    /// The action; `None`: the whole phase.
    pub action: Option<String>,
    /// What it is.
    pub metric: Metric,
}

/// One figure of one block.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockRow {
    /// Where it stands.
    pub key: RowKey,
    /// Of the two slices of A taken together.
    pub a: f64,
    /// Likewise of B.
    pub b: f64,
    /// Whether A's, B's is only a lower bound.
    pub bounded: (bool, bool),
    /// Actions on either side.
    pub trials: (u64, u64),
}

/// The figures of a block from the records of its slices, and the quantiles that they don't carry.
pub fn block_rows(
    a: &[&RunRecord],
    b: &[&RunRecord],
    settings: &Settings,
) -> (Vec<BlockRow>, Vec<NotCarried>) {
    let (mut rows, mut lacking) = (Vec::new(), Vec::new());
    let known = a.first().map(|record| addresses(record)).unwrap_or_default();
    for address in known {
        let (left, right) = (gather(a, &address), gather(b, &address));
        for metric in settings.metrics.iter().copied() {
            let is_open = left.iter().any(|place| place.phase.offered_per_sec.is_some());
            if metric == Metric::Rate && address.action.is_some() && is_open {
                continue;
            }
            match (pooled_value(&left, metric), pooled_value(&right, metric)) {
                (Some(a), Some(b)) if !metric.is_relative() || (a > 0.0 && b > 0.0) => rows.push(BlockRow {
                    key: RowKey { phase: address.phase.clone(), action: address.action.clone(), metric },
                    a,
                    b,
                    bounded: (bounded(&left, metric), bounded(&right, metric)),
                    trials: (trials(&left), trials(&right)),
                }),
                _ => lacking.extend(not_carried(&address, metric, &left, &right)),
            }
        }
    }
    (rows, lacking)
}

fn gather<'a>(records: &[&'a RunRecord], address: &Address) -> Vec<Place<'a>> {
    records.iter().flat_map(|record| places(record, address)).collect()
}

fn bounded(places: &[Place<'_>], metric: Metric) -> bool {
    places.iter().any(|place| place.is_bounded(metric))
}

fn trials(places: &[Place<'_>]) -> u64 {
    places.iter().map(|place| place.trials()).fold(0, u64::saturating_add)
}

fn not_carried(
    address: &Address,
    metric: Metric,
    left: &[Place<'_>],
    right: &[Place<'_>],
) -> Option<NotCarried> {
    let (kind, quantile) = (metric.latency()?, metric.quantile()?);
    let count = |places: &[Place<'_>]| places.iter().map(|place| place.latencies(kind).count).sum();
    Some(NotCarried {
        place: address.words(),
        metric,
        baseline_count_min: count(left),
        candidate_count_min: count(right),
        needed_count: (stats::SAMPLES_BEYOND_MIN as f64 / (1.0 - quantile)).round() as u64,
    })
}

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// After all blocks, whatever they say.
    AtEnd,
    /// As soon as every row is decided at a planned look.
    WhenCertain,
}

/// How many blocks, and when to look.
#[derive(Debug, Clone, PartialEq)]
pub struct PairedPlan {
    /// Most blocks.
    pub blocks_max: u64,
    /// When to stop.
    pub stop: Stop,
}

impl PairedPlan {
    /// The planned looks, which share `alpha`.
    pub fn looks(&self, alpha: f64) -> Looks {
        match self.stop {
            Stop::AtEnd => Looks::once(self.blocks_max, alpha),
            Stop::WhenCertain => Looks::spread(PairedAnalysis::BLOCKS_MIN, self.blocks_max, LOOKS, alpha),
        }
    }
}

/// Blocks as they come, and what they say.
#[derive(Debug, Clone)]
pub struct PairedAnalysis {
    settings: Settings,
    looks: Looks,
    series: Vec<Series>,
    block_count: u64,
}

/// One row's blocks.
#[derive(Debug, Clone)]
struct Series {
    key: RowKey,
    a: Vec<f64>,
    b: Vec<f64>,
    /// B − A on the scale of judging.
    differences: Vec<f64>,
    bounded: (bool, bool),
    trials: (u64, u64),
}

/// How much of the spread is worked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effort {
    /// Resampling only where the verdict may hang on it.
    Verdicts,
    /// All that is shown.
    Whole,
}

impl PairedAnalysis {
    /// Fewer blocks than this are not looked at: nothing could be certain.
    pub const BLOCKS_MIN: u64 = 4;

    /// Without any block yet.
    pub fn new(settings: Settings, plan: &PairedPlan) -> Self {
        let looks = plan.looks(settings.alpha);
        Self { settings, looks, series: Vec::new(), block_count: 0 }
    }

    /// Adds a block. Rows that any block lacks are dropped: a difference must be of the same blocks throughout.
    pub fn add_block(&mut self, rows: Vec<BlockRow>) {
        let blocks_before = self.block_count as usize;
        self.block_count += 1;
        for row in rows {
            let found = self.series.iter_mut().find(|series| series.key == row.key);
            match found {
                Some(series) => series.add(&row),
                None if blocks_before == 0 => {
                    let mut series = Series::new(row.key.clone());
                    series.add(&row);
                    self.series.push(series);
                }
                None => {}
            }
        }
        self.series.retain(|series| series.differences.len() == blocks_before + 1);
    }

    /// Blocks so far.
    pub fn block_count(&self) -> u64 {
        self.block_count
    }

    /// The planned looks.
    pub fn looks(&self) -> &Looks {
        &self.looks
    }

    /// How it is judged.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The error that a look now may use.
    pub fn alpha_now(&self) -> f64 {
        self.looks.alpha_since(self.block_count)
    }

    /// Whether a look is planned here and every row is decided. Errors are not waited for where there is none: that would need thousands of answers.
    pub fn is_certain(&self) -> bool {
        if self.looks.alpha_at(self.block_count).is_none() || self.series.is_empty() {
            return false;
        }
        let verdicts = self.verdicts();
        let mut rows = self.series.iter().zip(verdicts);
        rows.all(|(series, verdict)| verdict != Verdict::Undecided || series.is_without_errors())
    }

    /// The verdict of each row, if this is the last look; fast.
    pub fn verdicts(&self) -> Vec<Verdict> {
        self.judged(Effort::Verdicts)
            .into_iter()
            .map(|judged| judged.map_or(Verdict::Undecided, |judged| judged.verdict))
            .collect()
    }

    fn judged(&self, effort: Effort) -> Vec<Option<Judged>> {
        let alpha = self.alpha_now();
        let rows = self.series.iter().zip(0..);
        let estimates: Vec<Option<Estimate>> =
            rows.map(|(series, index)| self.estimate(series, alpha, index, effort)).collect();
        judge(&estimates, &self.settings, alpha)
    }

    fn estimate(&self, series: &Series, alpha: f64, index: u64, effort: Effort) -> Option<Estimate> {
        let metric = series.key.metric;
        if self.block_count < Self::BLOCKS_MIN {
            return None;
        }
        let (difference, se, freedom) = trimmed(&mut series.differences.clone(), TRIM)?;
        let floor = series.floor();
        let estimate =
            |spread: Spread| Some(Estimate { metric, difference, spread, bounded: series.bounded });
        let student = Spread::Student { se: se.max(floor), freedom };
        let gates = Gates { difference, spread: student.clone(), margin: self.settings.margin(metric) };
        let p = match gates.suggested() {
            Claim::Within => gates.p_within_margin(),
            Claim::Below | Claim::Above => gates.p_beyond_margin(),
        };
        if effort == Effort::Verdicts && p > alpha {
            // The resampled error is no smaller: no claim either way.
            return estimate(student);
        }
        let row_alpha = alpha / self.series.len().max(1) as f64;
        let (least, most) = RESAMPLES;
        let count = ((5.0 / row_alpha).ceil() as u32).clamp(least, most);
        let mut random = Random::stream(self.settings.seed ^ self.block_count.rotate_left(32), index);
        let (_, spread) = trimmed_resampled(&series.differences, TRIM, floor, count, &mut random)?;
        estimate(spread)
    }

    /// All rows as they stand, if this is the last look.
    pub fn rows(&self) -> Vec<Row> {
        self.rows_with(Effort::Whole)
    }

    /// The same for a glance, in a hundredth of the time: intervals of rows that are far from a verdict may be a little short.
    pub fn rows_at_a_glance(&self) -> Vec<Row> {
        self.rows_with(Effort::Verdicts)
    }

    fn rows_with(&self, effort: Effort) -> Vec<Row> {
        let judged = self.judged(effort);
        self.series.iter().zip(judged).filter_map(|(series, judged)| series.row(judged)).collect()
    }
}

impl Series {
    fn new(key: RowKey) -> Self {
        let (a, b, differences) = Default::default();
        Self { key, a, b, differences, bounded: (false, false), trials: (0, 0) }
    }

    fn add(&mut self, row: &BlockRow) {
        self.a.push(row.a);
        self.b.push(row.b);
        self.differences.push(if self.key.metric.is_relative() {
            (row.b / row.a).ln()
        } else {
            row.b - row.a
        });
        self.bounded = (self.bounded.0 || row.bounded.0, self.bounded.1 || row.bounded.1);
        self.trials.0 = self.trials.0.saturating_add(row.trials.0);
        self.trials.1 = self.trials.1.saturating_add(row.trials.1);
    }

    fn is_without_errors(&self) -> bool {
        self.key.metric == Metric::Errors && self.a.iter().chain(&self.b).all(|share| *share == 0.0)
    }

    /// Standard error that the mean has at least: what the values are known to at best.
    fn floor(&self) -> f64 {
        let blocks = self.differences.len().max(1);
        match self.key.metric {
            Metric::Errors => {
                let share = |values: &[f64]| stats::inference::mean(values).unwrap_or(0.0);
                errors_se(share(&self.a), self.trials.0).hypot(errors_se(share(&self.b), self.trials.1))
            }
            Metric::Rate => rate_se(blocks, self.trials.0).hypot(rate_se(blocks, self.trials.1)),
            metric => metric.rounding_ratio() * (2.0 / blocks as f64).sqrt(),
        }
    }

    fn row(&self, judged: Option<Judged>) -> Option<Row> {
        let metric = self.key.metric;
        let (baseline, candidate) = (median(&self.a)?, median(&self.b)?);
        let estimate = stats::inference::trimmed_mean(&self.differences, TRIM)?;
        let change = crate::judge::change_of(metric, estimate);
        Some(Row {
            phase: Some(self.key.phase.clone()),
            action: self.key.action.clone(),
            metric,
            baseline,
            candidate,
            // Not of the medians, which noise may put in the other order than the blocks' own differences are.
            difference: if metric.is_relative() { baseline * change } else { change },
            change,
            interval: judged.and_then(|judged| judged.interval),
            basis: Basis::Blocks,
            unit_counts: (self.differences.len(), self.differences.len()),
            verdict: judged.map_or(Verdict::Undecided, |judged| judged.verdict),
            within_runs: None,
            rank_p: Some(signed_rank_p(&self.differences)),
            found_from: judged.and_then(|judged| judged.found_from),
            unit_stdev: stdev(&self.differences),
            is_bounded: self.bounded.0 || self.bounded.1,
        })
    }
}
