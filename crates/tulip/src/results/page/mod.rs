//! A run as one page in Tulip's columns: sorted by a click or a key, with the percentiles of each action as plots beneath.
//!
//! The page asks nothing of a network: style, script and plots are in it, and a policy forbids the rest. All text from outside is escaped.

mod plot;
mod table;

use super::figures::Results;
use super::json::Form;
use super::legend;
use crate::date;
use record::{Reason, RunRecord, VerdictState};
use std::fmt::Write as _;
use units::markup;

const STYLE: &str = include_str!("page.css");
/// Forbids all but what is in the page.
const POLICY: &str = include_str!("policy.txt");
const SCRIPT: &str = include_str!("page.js");
/// So many reasons for doubt stand open; a run of many phases may have one for each.
const DOUBTS_SHOWN: usize = 2;
/// Tells a page of this program's making from others, so that it may be written anew.
const GENERATOR: &str = "<meta name=\"generator\" content=\"Weir";
/// So do these those of Tulip's, of its first releases, of most, and of the last.
const TULIP_MARKS: [&str; 3] = ["<h2>Benchmark Report ", "\">Tulip ", "id=\"dataTable\""];

/// The run as a page. `None`: the run was of something else than a configuration of Tulip.
pub fn html(record: &RunRecord, form: Form) -> Option<String> {
    let results = Results::of(record)?;
    let title = title(&results, form);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{GENERATOR} {version}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n",
        version = markup::html(env!("CARGO_PKG_VERSION")),
    );
    verdict(record, &mut out);
    table::write(&results, form, &mut out);
    let entries = match form {
        Form::Seed => legend::seed(&results),
        Form::Newest => legend::newest(&results),
    };
    out.push_str("<h2>Legend</h2>\n<dl>\n");
    for (term, meaning) in entries {
        let _ = writeln!(out, "<dt>{}</dt><dd>{}</dd>", markup::html(term), markup::html(meaning));
    }
    if results.facts.imported.is_empty() {
        out.push_str(
            "<dt>Weir’s own</dt><dd>the tinted columns: response times, due to done, and each row’s own waits, due to sent; - where \
             fewer than ten values lie beyond a percentile</dd>\n",
        );
    }
    out.push_str("</dl>\n<h2>Percentiles</h2>\n");
    for (index, group) in results.groups().enumerate() {
        plot::write(&group, index, &mut out);
    }
    let _ = write!(
        out,
        "<footer>{} {}, in Tulip’s columns. Moments are UTC.</footer>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        if results.facts.imported.is_empty() { "Measured by Weir" } else { "Shown by Weir" },
        markup::html(env!("CARGO_PKG_VERSION")),
    );
    Some(out)
}

/// Whether a text is a report of Tulip's or of this kind, which a run may write anew; anything else is somebody's own.
pub fn is_report(text: &str) -> bool {
    let start = text.trim_start_matches('\u{feff}').trim_start().get(..9).unwrap_or_default();
    let has = |mark: &&str| text.contains(*mark);
    start.eq_ignore_ascii_case("<!doctype") && (has(&GENERATOR) || TULIP_MARKS.iter().any(has))
}

fn title(results: &Results<'_>, form: Form) -> String {
    let stamp = date::title(results.stamp_unix_ns());
    let description = markup::html(&results.facts.description);
    match form {
        Form::Seed => format!("Benchmark Report / {description} / {stamp}"),
        Form::Newest => {
            let minute: String = stamp.replace(' ', "_").chars().take("yyyy-MM-dd_HH:mm".len()).collect();
            format!("Tulip / {description} / {minute}")
        }
    }
}

/// What may be concluded, and what was promised.
fn verdict(record: &RunRecord, out: &mut String) {
    let state = record.verdict.state.as_str();
    let _ = write!(out, "<section class=\"verdict {state}\">\n<p><b>Measurement {state}</b></p>\n");
    let doubts: Vec<_> =
        record.verdict.reasons.iter().filter(|reason| reason.state > VerdictState::Valid).collect();
    let (first, rest) = doubts.split_at(doubts.len().min(DOUBTS_SHOWN));
    reasons(first, out);
    if !rest.is_empty() {
        let _ = writeln!(out, "<details><summary>and {} more</summary>", rest.len());
        reasons(rest, out);
        out.push_str("</details>\n");
    }
    if let Some(why) = &record.aborted {
        let _ = writeln!(out, "<p>Ended early: {}</p>", markup::html(why));
    }
    if !record.slos.is_empty() {
        out.push_str("<ul>\n");
        for slo in &record.slos {
            let mark = if slo.ok { "✓" } else { "✗ missed:" };
            let [expression, observed, phase] =
                [&slo.expression, &slo.observed_text, &slo.phase].map(|text| markup::html(text));
            let _ = writeln!(out, "<li>{mark} {expression} — {observed} {phase}</li>");
        }
        out.push_str("</ul>\n");
    }
    out.push_str("</section>\n");
}

fn reasons(reasons: &[&Reason], out: &mut String) {
    for Reason { message, hint, .. } in reasons {
        let [message, hint] = [message, hint].map(|text| markup::html(text));
        let _ = writeln!(out, "<p>{message}<br><span class=\"dim\">→ {hint}</span></p>");
    }
}
