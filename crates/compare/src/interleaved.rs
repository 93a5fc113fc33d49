//! An interleaved comparison as a whole: its rows with what a reader must know of how they came about.

use crate::{
    Candidate, Comparison, NotCarried, Objection, PairedAnalysis, PairsInfo, Row, SCHEMA_VERSION, Settings,
    SideInfo, Verdict,
};

/// Share of a side's slices that may be invalid before nothing is concluded from the rest.
const INVALID_RATIO_MAX: f64 = 0.2;

/// What is known of an interleaved comparison besides its blocks.
#[derive(Debug, Clone)]
pub struct InterleavedStory {
    /// Of A and of B.
    pub names: [String; 2],
    /// Governs the order of slices.
    pub seed: u64,
    /// Whether both sides are the same on purpose.
    pub is_same_target: bool,
    /// Whether the server was started anew for each slice.
    pub is_relaunched: bool,
    /// Slices of either side whose record is invalid.
    pub invalid_slice_counts: (u64, u64),
    /// Why the first of them is.
    pub invalid_reason: Option<String>,
    /// Whether somebody ended it before its plan did.
    pub is_interrupted: bool,
    /// Whether a phase of it is closed.
    pub is_closed: bool,
    /// Quantiles that the slices don't carry.
    pub not_carried: Vec<NotCarried>,
}

impl PairedAnalysis {
    /// The comparison as it stands, if this is the last look.
    pub fn comparison(&self, story: InterleavedStory) -> Comparison {
        let settings = self.settings().clone();
        let blocks = self.block_count();
        let (mut rows, mut objections) = (self.rows(), Vec::new());
        let invalid = too_many_invalid(&story, blocks);
        if let Some(message) = invalid {
            objections.push(Objection::new(
                message,
                "give the generator room (fewer connections, a lower rate, a quieter machine), or judge it all the same: --force",
            ));
            if !settings.force {
                rows.iter_mut().for_each(|row| row.verdict = Verdict::Undecided);
            }
        }
        let cautions = cautions(self, &story, &rows, &settings);
        let units = self.looks().units();
        Comparison {
            schema_version: SCHEMA_VERSION,
            sides: story.names.into_iter().map(|name| SideInfo { name, runs: Vec::new() }).collect(),
            candidates: vec![Candidate {
                side_index: 1,
                rows,
                not_carried: story.not_carried,
                only_on_one_side: Vec::new(),
            }],
            differences: Vec::new(),
            objections,
            cautions,
            pairs: Some(PairsInfo {
                pair_count: 2 * blocks,
                pair_count_max: 2 * units.last().copied().unwrap_or(blocks),
                block_count: blocks,
                looks_at_blocks: units.to_vec(),
                alpha_here: self.alpha_now(),
                is_same_target: story.is_same_target,
                is_relaunched: story.is_relaunched,
                invalid_slice_counts: story.invalid_slice_counts,
                seed: story.seed,
            }),
            settings,
        }
    }
}

fn too_many_invalid(story: &InterleavedStory, blocks: u64) -> Option<String> {
    let (a, b) = story.invalid_slice_counts;
    let slices = 2 * blocks.max(1);
    let why = story.invalid_reason.as_deref().unwrap_or("see their records");
    (a.max(b) as f64 > INVALID_RATIO_MAX * slices as f64).then(|| {
        format!(
            "{a} of {slices} slices of A and {b} of B are invalid, so nothing is concluded; the first: {why}"
        )
    })
}

fn cautions(
    analysis: &PairedAnalysis,
    story: &InterleavedStory,
    rows: &[Row],
    settings: &Settings,
) -> Vec<Objection> {
    let mut cautions = Vec::new();
    let blocks = analysis.block_count();
    let planned = analysis.looks().units().last().copied().unwrap_or(0);
    if blocks < PairedAnalysis::BLOCKS_MIN {
        let least = 2 * PairedAnalysis::BLOCKS_MIN;
        let message = format!("{} pairs are too few for any statement", 2 * blocks);
        cautions.push(Objection::new(message, format!("run at least {least} pairs")));
    }
    if story.is_interrupted && blocks < planned {
        cautions.push(Objection::new(
            format!(
                "ended by hand after {} of {} pairs: judged with the error that was due by then",
                2 * blocks,
                2 * planned
            ),
            "stopping because of what is seen makes errors likelier; let it run, or use --until-certain",
        ));
    }
    let is_changed = rows.iter().any(|row| matches!(row.verdict, Verdict::Slower | Verdict::Faster));
    if story.is_same_target && is_changed {
        let share = units::ratio(settings.alpha);
        cautions.push(Objection::new(
            format!("one target was called different from itself: that happens by chance in at most {share} of checks"),
            "repeat it with another --seed; if it happens again, something on this machine follows the order of slices",
        ));
    }
    if !story.is_same_target && !story.is_relaunched {
        cautions.push(Objection::new(
            "each server was launched once: a difference is one between these two processes, and launches of one program differ as well",
            "have each slice start its server anew: --cmd-a … --cmd-b … --relaunch",
        ));
    }
    if story.is_closed && rows.iter().any(|row| row.metric.latency().is_some()) {
        cautions.push(Objection::new(
            "in a closed phase a faster service is also asked more: its times are those of a higher rate",
            "compare times at one given rate (--rate)",
        ));
    }
    cautions
}
