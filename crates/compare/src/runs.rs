//! Runs against runs.
//!
//! With several runs on a side the run is the unit, its repeats averaged; with one run on each side its repeats are. With one of each nothing is known of the
//! noise between runs: then intervals say how these two runs differ, and no verdict is given.

use crate::judge::{Estimate, Judged, judge};
use crate::place::{Address, Place, addresses, client_cpu_ns, measured, places};
use crate::within::{Course, OwnError, errors_se, rate_se};
use crate::{
    Basis, Candidate, Comparison, DifferenceKind, Metric, NotCarried, Objection, Row, RunInfo,
    SCHEMA_VERSION, Settings, SideInfo, Verdict, WithinRuns, differences,
};
use record::{QUANTILES, RunRecord, VerdictState};
use stats::inference::{Spread, mann_whitney_p, mean, prediction, stdev, welch};

/// Below so many on a side a test by ranks can't find anything at 5 %.
const RANKS_MIN: usize = 4;

/// A side of a comparison.
#[derive(Debug, Clone)]
pub struct Side<'a> {
    /// What the user called it.
    pub name: String,
    /// At least one.
    pub runs: Vec<&'a RunRecord>,
}

/// Holds every side against the first. At least two sides with a run each.
///
/// # Errors
/// Why it must not be judged: invalid runs, different plans, nothing in common. With [`Settings::force`] all but the last is only told.
pub fn compare_runs(sides: &[Side<'_>], settings: &Settings) -> Result<Comparison, Vec<Objection>> {
    let (Some((baseline, others)), true) =
        (sides.split_first(), sides.iter().all(|side| !side.runs.is_empty()))
    else {
        return Err(vec![Objection::new("a side has no run", "name at least one run for each side")]);
    };
    let Some(first) = baseline.runs.first() else { return Err(Vec::new()) };
    let all_runs = || sides.iter().flat_map(|side| &side.runs);
    let mut differences: Vec<_> = all_runs().skip(1).flat_map(|run| differences(first, run)).collect();
    differences.sort_by_key(|difference| difference.kind);
    let mut objections = invalid_runs(sides);
    objections.extend(twice(sides));
    objections.extend(other_plans(&differences));
    let drafts: Vec<Drafts> = others.iter().map(|side| Drafts::of(baseline, side, settings)).collect();
    let nothing = drafts.iter().all(|drafts| drafts.rows.is_empty());
    if nothing {
        objections.push(Objection::new(
            "the runs have no measured phase with a figure in common",
            "compare runs of one plan, and look at --metric",
        ));
    }
    if nothing || !(settings.force || objections.is_empty()) {
        return Err(objections);
    }
    let mut comparison = Comparison {
        schema_version: SCHEMA_VERSION,
        settings: settings.clone(),
        sides: sides.iter().map(info_of).collect(),
        candidates: judged(drafts, settings),
        differences,
        objections,
        cautions: Vec::new(),
        pairs: None,
    };
    comparison.cautions = cautions(&comparison, sides);
    Ok(comparison)
}

fn info_of(side: &Side<'_>) -> SideInfo {
    let run = |record: &&RunRecord| RunInfo {
        run_id: record.run_id.clone(),
        name: record.name.clone(),
        started_unix_ns: record.started_unix_ns,
        verdict: record.verdict.state,
    };
    SideInfo { name: side.name.clone(), runs: side.runs.iter().map(run).collect() }
}

fn invalid_runs(sides: &[Side<'_>]) -> Vec<Objection> {
    let invalid = sides.iter().flat_map(|side| side.runs.iter().map(move |run| (side, run)));
    invalid
        .filter(|(_, run)| run.verdict.state == VerdictState::Invalid)
        .map(|(side, run)| {
            let why = run.verdict.reasons.first().map_or("", |reason| reason.message.as_str());
            let message = format!("run {} of {} is invalid: {why}", run.run_id, side.name);
            Objection::new(message, "repeat it as its report advises")
        })
        .collect()
}

/// Runs that stand on two sides, or twice on one: then a run is held against itself, or counted as two.
fn twice(sides: &[Side<'_>]) -> Vec<Objection> {
    let mut ids: Vec<&str> =
        sides.iter().flat_map(|side| &side.runs).map(|run| run.run_id.as_str()).collect();
    ids.sort_unstable();
    let mut again: Vec<&str> =
        ids.iter().zip(ids.iter().skip(1)).filter(|(a, b)| a == b).map(|(a, _)| *a).collect();
    again.dedup();
    let objection =
        |id: &str| Objection::new(format!("run {id} is named more than once"), "name each run once");
    again.into_iter().map(objection).collect()
}

fn other_plans(differences: &[crate::Difference]) -> Option<Objection> {
    let mut paths: Vec<String> = differences
        .iter()
        .filter(|difference| difference.kind == DifferenceKind::Plan)
        .map(|difference| format!("{}: {} → {}", difference.path, difference.baseline, difference.candidate))
        .collect();
    // Each run is held against the first, so several may differ from it in the same.
    let mut known = std::collections::HashSet::new();
    paths.retain(|path| known.insert(path.clone()));
    let count = paths.len();
    if count == 0 {
        return None;
    }
    let more = if count > 5 { format!("; and {} more", count - 5) } else { String::new() };
    let shown: Vec<String> = paths.into_iter().take(5).collect();
    let message = format!("the plans ask for different work: {}{more}", shown.join("; "));
    Some(Objection::new(message, "compare runs of one plan"))
}

/// A candidate's rows before they are judged.
#[derive(Default)]
struct Drafts {
    rows: Vec<Draft>,
    not_carried: Vec<NotCarried>,
    only_on_one_side: Vec<String>,
}

struct Draft {
    address: Option<Address>,
    metric: Metric,
    baseline: f64,
    candidate: f64,
    unit_counts: (usize, usize),
    basis: Basis,
    estimate: Option<Estimate>,
    own: Option<(Estimate, OwnError)>,
    rank_p: Option<f64>,
    unit_stdev: Option<f64>,
}

/// What each run (or repeat) says of one figure.
struct Units {
    /// On the scale of judging.
    values: Vec<f64>,
    is_bounded: bool,
    trials: u64,
}

impl Drafts {
    fn of(baseline: &Side<'_>, candidate: &Side<'_>, settings: &Settings) -> Self {
        let known = |side: &Side<'_>| side.runs.first().map(|run| addresses(run)).unwrap_or_default();
        let (left, right) = (known(baseline), known(candidate));
        let (common, only_left): (Vec<Address>, Vec<Address>) =
            left.iter().cloned().partition(|address| right.contains(address));
        let only_right = right.iter().filter(|address| !left.contains(address));
        let only = only_left.iter().chain(only_right).map(Address::words).collect();
        let mut drafts = Self { only_on_one_side: only, ..Self::default() };
        let unit = if baseline.runs.len() > 1 || candidate.runs.len() > 1 { Unit::Run } else { Unit::Repeat };
        // Nearly all time goes into unpacking intervals' histograms, which are apart for each place.
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let share = common.len().div_ceil(threads).max(1);
        std::thread::scope(|scope| {
            let draft = |addresses: &[Address]| {
                let mut part = Self::default();
                addresses.iter().for_each(|one| part.add_place(one, [baseline, candidate], unit, settings));
                part
            };
            let parts: Vec<_> =
                common.chunks(share).map(|addresses| scope.spawn(move || draft(addresses))).collect();
            for part in parts {
                let part = part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                drafts.rows.extend(part.rows);
                drafts.not_carried.extend(part.not_carried);
            }
        });
        if settings.metrics.contains(&Metric::ClientCpu) {
            drafts.add_client(baseline, candidate, settings);
        }
        drafts
    }

    fn add_place(&mut self, address: &Address, sides: [&Side<'_>; 2], unit: Unit, settings: &Settings) {
        let groups = sides.map(|side| groups_of(side, address));
        let needs_histograms = settings.metrics.iter().any(|metric| metric.latency().is_some());
        let [left, right] = groups.each_ref().map(|runs| single_course(runs, needs_histograms));
        let courses = left.zip(right);
        for metric in settings.metrics.iter().copied().filter(|metric| *metric != Metric::ClientCpu) {
            let is_open = groups[0].iter().flatten().any(|place| place.phase.offered_per_sec.is_some());
            if metric == Metric::Rate && address.action.is_some() && is_open {
                // The schedule decides how often each action is begun.
                continue;
            }
            let units = [&groups[0], &groups[1]].map(|runs| units_of(runs, metric, unit));
            let [Some(left), Some(right)] = units else {
                self.not_carried.extend(not_carried(address, metric, &groups));
                continue;
            };
            let own = courses.as_ref().and_then(|(a, b)| {
                let (a, b) = (a.own_error(metric)?, b.own_error(metric)?);
                Some(OwnError {
                    se: a.se.hypot(b.se),
                    is_of_requests: a.is_of_requests || b.is_of_requests,
                    is_strained: a.is_strained || b.is_strained,
                })
            });
            self.rows.extend(draft(Some(address.clone()), metric, (left, right), unit, own, settings));
        }
    }

    fn add_client(&mut self, baseline: &Side<'_>, candidate: &Side<'_>, settings: &Settings) {
        let units = |side: &Side<'_>| -> Option<Units> {
            let values: Option<Vec<f64>> =
                side.runs.iter().map(|run| client_cpu_ns(run).map(f64::ln)).collect();
            Some(Units { values: values?, is_bounded: false, trials: 0 })
        };
        if let (Some(left), Some(right)) = (units(baseline), units(candidate)) {
            self.rows.extend(draft(None, Metric::ClientCpu, (left, right), Unit::Run, None, settings));
        }
    }
}

/// A place in each run of a side, with its repeats.
fn groups_of<'a>(side: &Side<'a>, address: &Address) -> Vec<Vec<Place<'a>>> {
    side.runs.iter().map(|run| places(run, address)).collect()
}

/// The course of a place of which there is one run without repeats.
fn single_course<'a>(runs: &[Vec<Place<'a>>], needs_histograms: bool) -> Option<Course<'a>> {
    match runs {
        [repeats] if repeats.len() == 1 => repeats.first().map(|place| Course::of(*place, needs_histograms)),
        _ => None,
    }
}

/// What counts as one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Run,
    Repeat,
}

/// The values of a side; `None` where any of its runs lacks the figure.
fn units_of(runs: &[Vec<Place<'_>>], metric: Metric, unit: Unit) -> Option<Units> {
    let scaled = |place: &Place<'_>| {
        let value = place.value(metric)?;
        if !metric.is_relative() {
            return Some(value);
        }
        (value > 0.0).then(|| value.ln())
    };
    let mut values = Vec::new();
    for repeats in runs {
        let of_run: Option<Vec<f64>> = repeats.iter().map(scaled).collect();
        let of_run = of_run.filter(|values| !values.is_empty())?;
        match unit {
            Unit::Run => values.extend(mean(&of_run)),
            Unit::Repeat => values.extend(of_run),
        }
    }
    let all = || runs.iter().flatten();
    Some(Units {
        values,
        is_bounded: all().any(|place| place.is_bounded(metric)),
        trials: all().map(|place| place.trials()).fold(0, u64::saturating_add),
    })
}

fn not_carried(address: &Address, metric: Metric, groups: &[Vec<Vec<Place<'_>>>; 2]) -> Option<NotCarried> {
    let (kind, quantile) = (metric.latency()?, metric.quantile()?);
    let least = |runs: &Vec<Vec<Place<'_>>>| {
        runs.iter().flatten().map(|place| place.latencies(kind).count).min().unwrap_or(0)
    };
    let needed_count = (stats::SAMPLES_BEYOND_MIN as f64 / (1.0 - quantile)).round() as u64;
    let (left, right) = (least(&groups[0]), least(&groups[1]));
    // Both far below it: nobody expects it, and one line for each quantile of each action would be read by nobody.
    let is_last_of_many = QUANTILES.last().is_some_and(|(_, last)| *last == quantile);
    (left.max(right) >= needed_count || !is_last_of_many).then(|| NotCarried {
        place: address.words(),
        metric,
        baseline_count_min: left,
        candidate_count_min: right,
        needed_count,
    })
}

fn draft(
    address: Option<Address>,
    metric: Metric,
    (left, right): (Units, Units),
    unit: Unit,
    own: Option<OwnError>,
    settings: &Settings,
) -> Option<Draft> {
    let bounded = (left.is_bounded, right.is_bounded);
    let (a, b) = (left.values.as_slice(), right.values.as_slice());
    let (middle_a, middle_b) = (mean(a)?, mean(b)?);
    let difference = middle_b - middle_a;
    let counts = (a.len(), b.len());
    let floor = match metric {
        Metric::Errors => errors_se(middle_a, left.trials).hypot(errors_se(middle_b, right.trials)),
        Metric::Rate => rate_se(counts.0, left.trials).hypot(rate_se(counts.1, right.trials)),
        metric => {
            let share = 1.0 / counts.0.max(1) as f64 + 1.0 / counts.1.max(1) as f64;
            metric.rounding_ratio() * share.sqrt()
        }
    };
    let measured = welch(a, b)
        .or_else(|| prediction(a, b))
        .or_else(|| prediction(b, a).map(|(_, spread)| (difference, spread)))
        .map(|(_, spread)| spread.at_least(floor));
    // Noise that the user gave is of runs, so it stands beside what one run tells of itself.
    let given = settings
        .run_noise_ratio
        .filter(|_| metric.is_relative() && (unit == Unit::Repeat || counts == (1, 1)));
    let own_se = measured.as_ref().map(Spread::se).or(own.map(|own| own.se)).unwrap_or(0.0);
    let (basis, spread) = match (given, measured, unit) {
        (Some(noise), _, _) => {
            (Basis::GivenNoise, Some(Spread::Normal { se: (noise * 2f64.sqrt()).hypot(own_se).max(floor) }))
        }
        (None, None, _) => (Basis::OneRun, None),
        (None, spread, Unit::Repeat) => (Basis::Repeats, spread),
        (None, spread, Unit::Run) if counts.0 > 1 && counts.1 > 1 => (Basis::Runs, spread),
        (None, spread, Unit::Run) => (Basis::OneAgainstSeveral, spread),
    };
    let estimate = |spread| Estimate { metric, difference, spread, bounded };
    let own = own
        .filter(|_| basis == Basis::OneRun)
        .map(|own| (estimate(Spread::Normal { se: own.se }.at_least(floor)), own));
    let back = |value: f64| if metric.is_relative() { value.exp() } else { value };
    let both_spreads = stdev(a).zip(stdev(b)).map(|(a, b)| (0.5 * (a * a + b * b)).sqrt());
    Some(Draft {
        address,
        metric,
        baseline: back(middle_a),
        candidate: back(middle_b),
        unit_counts: counts,
        basis,
        estimate: spread.map(estimate),
        own,
        rank_p: (counts.0.min(counts.1) >= RANKS_MIN).then(|| mann_whitney_p(a, b)),
        unit_stdev: both_spreads.or(stdev(a)).or(stdev(b)),
    })
}

/// All candidates' rows are one family: a row is found by chance in whichever table it stands.
fn judged(drafts: Vec<Drafts>, settings: &Settings) -> Vec<Candidate> {
    let all = || drafts.iter().flat_map(|drafts| &drafts.rows);
    let estimates: Vec<_> = all().map(|draft| draft.estimate.clone()).collect();
    let own: Vec<_> = all().map(|draft| draft.own.as_ref().map(|(estimate, _)| estimate.clone())).collect();
    let mut verdicts = judge(&estimates, settings, settings.alpha).into_iter();
    let mut own_verdicts = judge(&own, settings, settings.alpha).into_iter();
    let mut candidates = Vec::new();
    for (index, drafts) in drafts.into_iter().enumerate() {
        let mut rows = Vec::new();
        for draft in drafts.rows {
            let (judged, own) = (verdicts.next().flatten(), own_verdicts.next().flatten());
            rows.push(row(draft, judged, own));
        }
        candidates.push(Candidate {
            side_index: index + 1,
            rows,
            not_carried: drafts.not_carried,
            only_on_one_side: drafts.only_on_one_side,
        });
    }
    candidates
}

fn row(draft: Draft, judged: Option<Judged>, own: Option<Judged>) -> Row {
    let difference = draft.candidate - draft.baseline;
    let change = match draft.metric.is_relative() {
        true if draft.baseline != 0.0 => difference / draft.baseline,
        _ => difference,
    };
    let within_runs = own.zip(draft.own.as_ref()).and_then(|(judged, (_, own))| {
        Some(WithinRuns {
            interval: judged.interval?,
            verdict: judged.verdict,
            is_of_requests: own.is_of_requests,
            is_strained: own.is_strained,
        })
    });
    let bounded = draft.estimate.as_ref().or(draft.own.as_ref().map(|(own, _)| own)).map(|of| of.bounded);
    Row {
        phase: draft.address.as_ref().map(|address| address.phase.clone()),
        action: draft.address.and_then(|address| address.action),
        metric: draft.metric,
        baseline: draft.baseline,
        candidate: draft.candidate,
        difference,
        change,
        interval: judged.and_then(|judged| judged.interval),
        basis: draft.basis,
        unit_counts: draft.unit_counts,
        verdict: judged.map_or(Verdict::Undecided, |judged| judged.verdict),
        within_runs,
        rank_p: draft.rank_p,
        found_from: judged.and_then(|judged| judged.found_from),
        unit_stdev: draft.unit_stdev,
        is_bounded: bounded.is_some_and(|(a, b)| a || b),
    }
}

/// What a reader must know to read the rows rightly.
fn cautions(comparison: &Comparison, sides: &[Side<'_>]) -> Vec<Objection> {
    let rows = || comparison.candidates.iter().flat_map(|candidate| &candidate.rows);
    let has = |basis: Basis| rows().any(|row| row.basis == basis && row.metric != Metric::ClientCpu);
    let mut cautions = Vec::new();
    if has(Basis::OneRun) {
        cautions.push(Objection::new(
            "one run on a side: how much two runs of the same service differ is not known, so nothing is decided; the intervals are of these two runs alone",
            "give several runs (--a … --b …), or the noise between runs (--noise), or interleave: weir ab",
        ));
    }
    if has(Basis::Repeats) {
        cautions.push(Objection::new(
            "the repeats of a side are of one launch: what differs from launch to launch is not seen",
            "give several runs a side, the server started anew for each",
        ));
    }
    if has(Basis::OneAgainstSeveral) {
        cautions.push(Objection::new(
            "a single run is taken to scatter as the other side's runs do",
            "give several runs on both sides to know",
        ));
    }
    let suspect =
        sides.iter().flat_map(|side| &side.runs).filter(|run| run.verdict.state == VerdictState::Suspect);
    let suspect = suspect.count();
    if suspect > 0 {
        let message = format!("{suspect} of the runs {} suspect", if suspect == 1 { "is" } else { "are" });
        cautions.push(Objection::new(message, "read the reasons in their reports"));
    }
    if rows().any(|row| row.metric == Metric::Errors && row.difference.abs() > 0.01) {
        cautions.push(Objection::new(
            "more than one action in a hundred fails on one side and not on the other: the times are of different mixes of answers",
            "look at the errors first",
        ));
    }
    if rows().any(|row| row.is_bounded) {
        cautions.push(Objection::new(
            "some quantiles reach into times that are only lower bounds (no answer came): they may be called greater, but not less or the same",
            "raise the request timeout, or mend what does not answer",
        ));
    }
    let is_closed = |run: &&RunRecord| measured(run).any(|phase| phase.offered_per_sec.is_none());
    if sides.iter().flat_map(|side| &side.runs).any(is_closed)
        && rows().any(|row| row.metric.latency().is_some())
    {
        cautions.push(Objection::new(
            "in a closed phase a faster service is also asked more: its times are those of a higher rate",
            "compare times at one given rate",
        ));
    }
    cautions
}
