//! A search for people: what was found, how certain it is, and what limits it.

use crate::curve;
use crate::find::{Answer, Confirmation, Limit, Outcome, TrialKind};
use crate::record::{SearchRecord, TrialRecord};
use std::fmt::Write as _;
use units::markup;

/// Said of a search without an answer.
pub(crate) const CUT_SHORT: &str = "the search was cut short after some trials; it goes on with --resume";

fn rate(per_sec: f64) -> String {
    format!("{}/s", units::per_sec(per_sec))
}

/// How an answer stands to an earlier one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// New answer to old, less one.
    pub ratio: f64,
    /// Whether the intervals lie apart: -1 lower, 1 higher, 0 undecided.
    pub direction: i8,
}

impl Change {
    /// Whether it is lower beyond doubt.
    pub fn is_lower(&self) -> bool {
        self.direction < 0
    }
}

/// How the answer of `new` stands to that of `old`; `None` where one of them has none. It is certain where the intervals, each with 95 %, lie
/// apart, or where one is "at least" and the other surely below it.
pub fn change(new: &SearchRecord, old: &SearchRecord) -> Option<Change> {
    let interval = |record: &SearchRecord| {
        let answer = record.answer?;
        let (low, high) = match (answer.limit, answer.estimate) {
            (Limit::Service, Some(estimate)) => (estimate.low_per_sec, estimate.high_per_sec),
            (Limit::BelowMinimum, _) => (0.0, record.options.rate_min_per_sec),
            (_, _) => (answer.rate_per_sec, f64::INFINITY),
        };
        Some((answer.rate_per_sec, low, high))
    };
    let ((new_rate, new_low, new_high), (old_rate, old_low, old_high)) = (interval(new)?, interval(old)?);
    if old_rate <= 0.0 {
        return None;
    }
    let direction = if new_high < old_low { -1 } else { i8::from(new_low > old_high) };
    Some(Change { ratio: new_rate / old_rate - 1.0, direction })
}

/// The answer in one line.
pub fn headline(answer: &Answer) -> String {
    let at = rate(answer.rate_per_sec);
    match answer.limit {
        Limit::Service if answer.confirmation == Confirmation::Failed => {
            format!("sustains less than {at}: the soak there failed")
        }
        Limit::Service => format!("sustains {at}"),
        Limit::Client | Limit::RateMax | Limit::Unknown if answer.confirmation == Confirmation::Failed => {
            format!("sustains less than {at}: the soak there failed, while shorter trials went well")
        }
        Limit::Client => format!("sustains at least {at}: the client was the limit"),
        Limit::RateMax => format!("sustains at least {at}, the highest rate asked for"),
        Limit::BelowMinimum => "does not sustain even the lowest rate asked for".to_owned(),
        Limit::NoneSustained => "sustained none of the rates tried".to_owned(),
        Limit::Unknown if answer.rate_per_sec > 0.0 => {
            format!("sustains at least {at}; the search ended before a bound was found")
        }
        Limit::Unknown => "nothing is known: the search ended before a rate was sustained".to_owned(),
    }
}

/// Label and text of each line below the headline.
pub fn lines(
    record: &SearchRecord,
    answer: &Answer,
    baseline: Option<&SearchRecord>,
) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    if let Some(estimate) = answer.estimate {
        let wish = if answer.is_precise { "" } else { ", wider than asked for: give a larger --budget" };
        lines.push((
            "bound",
            format!(
                "95 % certain between {} and {} ({} wide{wish})",
                rate(estimate.low_per_sec),
                rate(estimate.high_per_sec),
                units::ratio(estimate.width_ratio()),
            ),
        ));
        lines.push((
            "noise",
            format!(
                "{} from trial to trial, over {} full trials",
                units::ratio(estimate.noise_ratio),
                estimate.trial_count
            ),
        ));
    }
    let soak = units::duration(record.options.confirm_ns);
    lines.push((
        "soak",
        match answer.confirmation {
            Confirmation::Held => format!("{soak} at {}: sustained", rate(answer.rate_per_sec)),
            Confirmation::Failed => format!(
                "{soak} at {}: NOT sustained; over minutes the service does less than over seconds",
                rate(answer.rate_per_sec)
            ),
            Confirmation::ClientLimited => {
                format!(
                    "{soak} at {}: the client was at its limit; nothing is known",
                    rate(answer.rate_per_sec)
                )
            }
            Confirmation::NotTried => "none".to_owned(),
        },
    ));
    if let Some(why) = why(record, answer) {
        let is_why = matches!(answer.limit, Limit::BelowMinimum | Limit::NoneSustained);
        lines.push((if is_why { "why" } else { "above it" }, why));
    }
    if answer.limit == Limit::NoneSustained {
        let text = "trials at lower rates, long enough for the objectives, don't fit in the budget";
        lines.push(("below it", text.to_owned()));
    }
    if let Some(recovery) = answer.recovery {
        let text = match recovery.sustained_per_sec {
            Some(at) if at >= answer.rate_per_sec => "recovered at once after an overload".to_owned(),
            Some(at) => format!("after an overload it sustained {} only", rate(at)),
            None => "after an overload it did not come back to half of the rate".to_owned(),
        };
        let before = if recovery.held_before { "" } else { " (and it did not hold the rate before it)" };
        lines.push(("overload", format!("{text}{before}")));
    }
    let bounds = answer.bounds;
    let known = |bound: Option<f64>| bound.map_or("none".to_owned(), rate);
    if bounds.lower_per_sec.is_some() || bounds.upper_per_sec.is_some() {
        let mut text =
            format!("lower {}, upper {}", known(bounds.lower_per_sec), known(bounds.upper_per_sec));
        if let Some(inversion) = bounds.inversion_per_sec {
            let _ = write!(text, "; {} was sustained above a rate that was not", rate(inversion));
        }
        lines.push(("MLRsearch", text));
    }
    if answer.forgot_beginning {
        lines.push(("note", beginning(answer).to_owned()));
    }
    if let Some(change) = baseline.and_then(|baseline| change(record, baseline)) {
        let word = match change.direction {
            -1 => "lower beyond doubt",
            1 => "higher beyond doubt",
            _ => "the intervals overlap: undecided",
        };
        let sign = if change.ratio < 0.0 { "−" } else { "+" };
        lines.push(("baseline", format!("{sign}{}, {word}", units::ratio(change.ratio.abs()))));
    }
    let objectives = if record.slos.is_empty() { "none".to_owned() } else { record.slos.join(", ") };
    lines.push(("objectives", format!("{objectives}; and work must not pile up")));
    lines.push(("took", format!("{} for {} trials", units::duration(answer.spent_ns), record.trials.len())));
    lines
}

/// Why the first trials were left out.
fn beginning(answer: &Answer) -> &'static str {
    match answer.became_slower {
        true => {
            "the first trials were left out: the service did more then, and may go on to do less (a longer --confirm tells)"
        }
        false => "the first trials were left out: the service was slower then (give a longer --warmup)",
    }
}

/// What went wrong at the lowest rate that was not sustained, or what limits the client.
fn why(record: &SearchRecord, answer: &Answer) -> Option<String> {
    let tried = record.trials.iter().filter(|made| match made.trial.kind {
        TrialKind::Bracket | TrialKind::Measure => made.trial.rate_per_sec > answer.rate_per_sec,
        TrialKind::Confirm => made.trial.rate_per_sec >= answer.rate_per_sec,
        _ => false,
    });
    let wanted = match answer.limit {
        Limit::Client => Outcome::ClientLimited,
        _ => Outcome::NotSustained,
    };
    let bad = |made: &&TrialRecord| made.assessment.outcome == wanted;
    let nearest = tried.filter(bad).min_by(|a, b| a.trial.rate_per_sec.total_cmp(&b.trial.rate_per_sec))?;
    let reasons = match wanted {
        Outcome::ClientLimited => &nearest.assessment.client_reasons,
        _ => &nearest.assessment.reasons,
    };
    Some(format!("at {}: {}", rate(nearest.trial.rate_per_sec), reasons.join("; ")))
}

/// The whole of it as text: the answer, or the curve.
pub fn text(record: &SearchRecord, baseline: Option<&SearchRecord>) -> String {
    let Some(answer) = &record.answer else {
        return match &record.curve {
            Some(curve) => format!("{}\n\n{}", record.name, curve::draw(curve)),
            None => format!("{}: {CUT_SHORT}\n", record.name),
        };
    };
    let mut text = format!("{} {}\n\n", record.name, headline(answer));
    for (label, line) in lines(record, answer, baseline) {
        let _ = writeln!(text, "  {label:<11} {line}");
    }
    text
}

/// The whole of it as Markdown, with a row for each trial.
pub fn markdown(record: &SearchRecord, baseline: Option<&SearchRecord>) -> String {
    let name = markup::markdown(&record.name);
    let Some(answer) = &record.answer else {
        return match &record.curve {
            Some(curve) => format!("### {name}: latency against load\n\n{}", curve::markdown(curve)),
            None => format!("### {name}: {CUT_SHORT}\n"),
        };
    };
    let mut text = format!("### {name}: {}\n\n", headline(answer));
    for (label, line) in lines(record, answer, baseline) {
        let _ = writeln!(text, "- **{label}**: {}", markup::markdown(&line));
    }
    text.push_str("\n| trial | rate | length | achieved | p50 | p99 | growth | outcome |\n|---|--:|--:|--:|--:|--:|--:|---|\n");
    for made in &record.trials {
        let (trial, found) = (&made.trial, &made.assessment);
        let time = |ns: Option<u64>| ns.map_or("–".to_owned(), units::duration);
        let outcome = match found.outcome {
            Outcome::Sustained => "✓".to_owned(),
            Outcome::NotSustained => format!("✗ {}", markup::markdown(&found.reasons.join("; "))),
            Outcome::ClientLimited => format!("? {}", markup::markdown(&found.client_reasons.join("; "))),
        };
        let growth =
            found.growth_ratio.map_or("–".to_owned(), |growth| format!("{:.2} ms/s", growth * 1e3));
        let asked = if trial.rate_per_sec > 0.0 { rate(trial.rate_per_sec) } else { "closed".to_owned() };
        let _ = writeln!(
            text,
            "| {} | {asked} | {} | {} | {} | {} | {growth} | {outcome} |",
            trial.kind.as_str(),
            units::duration(trial.duration_ns),
            rate(found.achieved_per_sec),
            time(found.response_p50_ns),
            time(found.response_p99_ns),
        );
    }
    text
}
