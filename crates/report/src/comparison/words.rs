//! What both text and Markdown say of a comparison.

use compare::{Basis, Candidate, Comparison, DifferenceKind, Metric, Row, Verdict, WithinRuns};

/// A figure with its unit.
pub(super) fn value(metric: Metric, value: f64) -> String {
    match metric {
        Metric::Rate => format!("{}/s", units::per_sec(value)),
        Metric::Errors => units::ratio(value),
        Metric::Mean(_) | Metric::Quantile(..) | Metric::ClientCpu => {
            units::duration(value.max(0.0).round() as u64)
        }
    }
}

/// The absolute difference with its sign; of errors none, since their change is one already.
pub(super) fn difference(metric: Metric, difference: f64) -> String {
    let size = value(metric, difference.abs());
    let sign = match size.trim_start_matches(['0', '.', ',']).starts_with(|c: char| c.is_ascii_digit()) {
        _ if !metric.is_relative() => return String::new(),
        false => "",
        true if difference < 0.0 => "−",
        true => "+",
    };
    format!("{sign}{size}")
}

/// A change with its sign: a share of the baseline, or for errors points of percent.
pub(super) fn change(metric: Metric, change: f64) -> String {
    let unit = if metric.is_relative() { "%" } else { "pp" };
    format!("{}{unit}", signed(metric, change))
}

fn signed(metric: Metric, change: f64) -> String {
    let percent = change * 100.0;
    let text = match percent.abs() {
        _ if !metric.is_relative() => format!("{percent:+.2}"),
        size if size < 99.95 => format!("{percent:+.1}"),
        size if size < 9_999.5 => format!("{percent:+.0}"),
        _ => format!("{:+.0e}", percent),
    };
    // What rounds to nothing has no direction.
    let is_nothing = text.chars().all(|c| !c.is_ascii_digit() || c == '0');
    let text = if is_nothing { text.trim_start_matches(['+', '-']).to_owned() } else { text };
    text.replace('-', "−")
}

/// `+1.2 … +3.4%`.
pub(super) fn interval(row: &Row) -> String {
    let shown = row.interval.or(row.within_runs.map(|within| within.interval));
    shown.map_or("–".to_owned(), |interval| {
        format!("{} … {}", signed(row.metric, interval.low), change(row.metric, interval.high))
    })
}

/// The word of a verdict on this metric: rates and times are faster or slower, errors and cost are fewer or more.
pub(super) fn verdict_word(metric: Metric, verdict: Verdict) -> &'static str {
    match (metric, verdict) {
        (Metric::Errors, Verdict::Slower) => "more",
        (Metric::Errors, Verdict::Faster) => "fewer",
        (Metric::ClientCpu, Verdict::Slower) => "dearer",
        (Metric::ClientCpu, Verdict::Faster) => "cheaper",
        (_, verdict) => verdict.as_str(),
    }
}

/// The verdict's word; of two single runs in brackets what may be said of them alone.
pub(super) fn verdict(row: &Row) -> String {
    match (row.verdict, row.within_runs) {
        (Verdict::Undecided, Some(WithinRuns { verdict, .. })) => match verdict {
            Verdict::Undecided => "(unclear)".to_owned(),
            verdict => format!("({})", verdict_word(row.metric, verdict)),
        },
        (verdict, _) => verdict_word(row.metric, verdict).to_owned(),
    }
}

/// The verdict that decides how a row is painted and sorted: its own, or that of the two runs alone.
pub(super) fn seen(row: &Row) -> Verdict {
    row.within_runs.map_or(row.verdict, |within| within.verdict)
}

/// The rows that changed, largest change first.
pub(super) fn changed(candidate: &Candidate) -> Vec<&Row> {
    let is_changed = |row: &&Row| matches!(seen(row), Verdict::Slower | Verdict::Faster);
    let mut rows: Vec<&Row> = candidate.rows.iter().filter(is_changed).collect();
    let size = |row: &Row| if row.metric.is_relative() { row.change.ln_1p().abs() } else { f64::INFINITY };
    rows.sort_by(|a, b| size(b).total_cmp(&size(a)));
    rows
}

/// Where a row stands, for people: phase, action.
pub(super) fn place(row: &Row) -> String {
    match (&row.phase, &row.action) {
        (Some(phase), Some(action)) => format!("{} / {}", units::legible(phase), units::legible(action)),
        (Some(phase), None) => units::legible(phase),
        (None, _) => "whole run".to_owned(),
    }
}

/// `A`, `B`, …; beyond `Z` numbers.
pub(super) fn letter(side_index: usize) -> String {
    let letter =
        u8::try_from(side_index).ok().filter(|index| *index < 26).map(|index| char::from(b'A' + index));
    letter.map_or_else(|| (side_index + 1).to_string(), String::from)
}

/// What a side is: its name, and how many runs it has.
pub(super) fn side(comparison: &Comparison, side_index: usize) -> String {
    let Some(side) = comparison.sides.get(side_index) else { return String::new() };
    let name = units::legible(&side.name);
    let ids: Vec<String> = side.runs.iter().take(4).map(|run| units::legible(&run.run_id)).collect();
    match (&comparison.pairs, side.runs.len()) {
        (Some(_), _) | (None, 0) => name,
        (None, 1) if ids.first() == Some(&name) => name,
        (None, 1) => format!("{name}, run {}", ids.join("")),
        (None, count) => {
            let more = if count > ids.len() { ", …" } else { "" };
            format!("{name}, {count} runs: {}{more}", ids.join(", "))
        }
    }
}

/// Names of rows for a list: with the place where there are several.
pub(super) fn name_of(row: &Row, has_places: bool) -> String {
    if has_places && row.phase.is_some() {
        format!("{} {}", place(row), row.metric.label())
    } else {
        row.metric.label()
    }
}

/// Whether rows stand in more than one place.
pub(super) fn has_places(candidate: &Candidate) -> bool {
    let mut places =
        candidate.rows.iter().filter_map(|row| row.phase.as_ref().map(|phase| (phase, &row.action)));
    let first = places.next();
    places.any(|place| Some(place) != first)
}

/// A list that stays short.
pub(super) fn some_of(names: Vec<String>, most: usize) -> String {
    let more = names.len().saturating_sub(most);
    let mut text = names.into_iter().take(most).collect::<Vec<_>>().join(", ");
    if more > 0 {
        text.push_str(&format!(", {more} more"));
    }
    text
}

/// What the candidate's rows rest on, label and text.
pub(super) fn grounds(comparison: &Comparison, candidate: &Candidate) -> Vec<(&'static str, String)> {
    let settings = &comparison.settings;
    let mut grounds = Vec::new();
    let of_service = || candidate.rows.iter().filter(|row| row.metric.is_of_service());
    if let Some(row) = of_service().next() {
        grounds.push(("unit", unit(comparison, row)));
    }
    if of_service().any(|row| row.interval.is_some()) {
        let share = units::ratio(1.0 - settings.alpha);
        let rows: usize = comparison.candidates.iter().map(|of| of.rows.len()).sum();
        let confidences = || candidate.rows.iter().filter_map(|row| row.interval).map(|of| of.confidence);
        let (low, high) = (confidences().fold(1.0, f64::min), confidences().fold(0.0, f64::max));
        let levels = match (units::ratio(low), units::ratio(high)) {
            (low, high) if low == high => low,
            (low, high) => format!("{low} to {high}"),
        };
        let margin = units::ratio(settings.margin_ratio);
        let errors = settings.error_margin_ratio * 100.0;
        let looks = comparison.pairs.as_ref().map_or(1, |pairs| pairs.looks_at_blocks.len());
        let looks = if looks > 1 { format!(" and {looks} looks") } else { String::new() };
        grounds.push((
            "verdict",
            format!(
                "when the whole interval is beyond ±{margin} (errors ±{errors}pp), or within; {share} sure for {rows} rows{looks} together, so single intervals are at {levels}"
            ),
        ));
    } else if of_service().any(|row| row.within_runs.is_some()) {
        grounds
            .push(("(…)", "what may be said of these two runs alone: no verdict on the service".to_owned()));
    }
    grounds
}

fn unit(comparison: &Comparison, row: &Row) -> String {
    let (a, b) = row.unit_counts;
    match (&comparison.pairs, row.basis) {
        (Some(pairs), _) => format!(
            "the block of two pairs, ABBA or BAAB by lot (seed {}): {} blocks, {} pairs; trimmed mean of their differences, resampled",
            pairs.seed, pairs.block_count, pairs.pair_count
        ),
        (None, Basis::Runs) => format!("the run: {a} against {b} (Welch's interval on logarithms)"),
        (None, Basis::Repeats) => {
            format!("the repeat within one run: {a} against {b} (Welch's interval on logarithms)")
        }
        (None, Basis::OneAgainstSeveral) => format!("the run: {a} against {b} (prediction interval)"),
        (None, Basis::GivenNoise) => format!(
            "one run against one, with noise between runs of {} as given",
            units::ratio(comparison.settings.run_noise_ratio.unwrap_or(0.0))
        ),
        (None, _) => {
            "one run against one: intervals of their own course, seconds resampled in blocks".to_owned()
        }
    }
}

/// What may be said of two single runs alone: `; of these two alone 4 are faster, 2 the same`.
pub(super) fn of_these_runs(candidate: &Candidate) -> String {
    let count = |wanted: Verdict| {
        let within = candidate.rows.iter().filter_map(|row| row.within_runs);
        within.filter(|within| within.verdict == wanted).count()
    };
    let words = [(Verdict::Slower, "worse"), (Verdict::Faster, "better"), (Verdict::Same, "the same")];
    let parts: Vec<String> = words
        .into_iter()
        .map(|(verdict, word)| (count(verdict), word))
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    if parts.is_empty() { String::new() } else { format!("; between these two: {}", parts.join(", ")) }
}

/// A share without a sign.
pub(super) fn share(ratio: f64) -> String {
    if ratio < 9.995 { format!("{:.1}%", ratio * 100.0) } else { format!("×{:.0}", 1.0 + ratio) }
}

/// About how many pairs a true change of this size would need to be found four times in five: the part beyond the margin shrinks with the root of
/// their number.
pub(super) fn pairs_for(row: &Row, comparison: &Comparison, change: f64) -> Option<u64> {
    let margin = comparison.settings.margin_ratio.ln_1p();
    let (now, wanted) = (row.found_from?.ln_1p() - margin, change.ln_1p() - margin);
    let pairs = comparison.pairs.as_ref()?.pair_count as f64 * (now / wanted).powi(2);
    // Below the least number of blocks there is no statement at all.
    let least = 2.0 * compare::PairedAnalysis::BLOCKS_MIN as f64;
    (wanted > 0.0 && pairs < 1e6).then(|| 2 * (pairs.max(least) / 2.0).ceil() as u64)
}

/// Quantiles that are not compared, in few words: those of one place that lack the same together.
pub(super) fn left_out(candidate: &Candidate) -> Vec<String> {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for lacking in &candidate.not_carried {
        let least = lacking.baseline_count_min.min(lacking.candidate_count_min);
        let [least, needed] = [least, lacking.needed_count].map(units::count);
        let why = format!("of {} ({least} samples, {needed} needed)", units::legible(&lacking.place));
        match groups.iter_mut().find(|(known, _)| *known == why) {
            Some((_, metrics)) => metrics.push(lacking.metric.label()),
            None => groups.push((why, vec![lacking.metric.label()])),
        }
    }
    let mut lines: Vec<String> =
        groups.into_iter().map(|(why, metrics)| format!("{} {why}", metrics.join(" and "))).collect();
    lines.extend(
        candidate.only_on_one_side.iter().map(|name| format!("{} (on one side only)", units::legible(name))),
    );
    lines
}

/// In what the runs differ besides their numbers: kind, and what.
pub(super) fn differing(comparison: &Comparison) -> Vec<(&'static str, String)> {
    let mut lines: Vec<(&'static str, String)> = Vec::new();
    for difference in &comparison.differences {
        let kind = match difference.kind {
            DifferenceKind::Plan => "plan",
            DifferenceKind::Environment => "environment",
            DifferenceKind::Target => "target",
            DifferenceKind::Seed => "seed",
            DifferenceKind::Objectives => "objectives",
        };
        let [path, baseline, candidate] =
            [&difference.path, &difference.baseline, &difference.candidate].map(|text| units::legible(text));
        let line = (kind, format!("{path}: {baseline} → {candidate}"));
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// The line that shows an interleaved comparison as it goes: the row that says most, its change and interval.
pub fn progress(rows: &[Row]) -> String {
    let row = rows.iter().find(|row| row.metric.label() == "response p50").or(rows.first());
    row.map_or_else(String::new, |row| {
        format!("{} {} ({})", row.metric.label(), change(row.metric, row.change), interval(row))
    })
}
