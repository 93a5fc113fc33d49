//! Thresholds as JUnit's XML, for build servers: a test case for each.

use crate::json::write_number;
use crate::summary::{MetricSummary, Summary, ThresholdSummary};
use std::fmt::Write as _;

/// How the cases are named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JunitNames {
    /// Of the suite.
    pub name: String,
    /// Of the class of each case.
    pub classname: String,
}

impl Default for JunitNames {
    fn default() -> Self {
        Self { name: "k6 thresholds".to_owned(), classname: "Unnamed folder".to_owned() }
    }
}

/// The XML: one test case for each threshold, in the order of the summary's metrics.
pub fn junit(summary: &Summary, names: &JunitNames) -> String {
    let cases: Vec<(&MetricSummary, &ThresholdSummary)> = summary
        .metrics
        .iter()
        .flat_map(|metric| metric.thresholds.iter().map(move |threshold| (metric, threshold)))
        .collect();
    let failures = cases.iter().filter(|(_, threshold)| !threshold.is_ok).count();
    let counts = format!("tests=\"{}\" failures=\"{failures}\"", cases.len());
    let cases: Vec<String> = cases.iter().map(|(metric, threshold)| case(metric, threshold, names)).collect();
    format!(
        "<?xml version=\"1.0\"?>\n    <testsuites {counts}>\n      <testsuite name=\"{}\" {counts}>\n        {}\n      </testsuite>\n    </testsuites>",
        escaped(&names.name),
        cases.join("\n")
    )
}

fn case(metric: &MetricSummary, threshold: &ThresholdSummary, names: &JunitNames) -> String {
    let name = escaped(&format!("{} - {}", metric.name, threshold.expression));
    let start = format!("<testcase name=\"{name}\" classname=\"{}\"", escaped(&names.classname));
    if threshold.is_ok {
        return format!("{start} />");
    }
    let mut message = format!("{} threshold failed: ", metric.kind.word());
    for (index, (name, value)) in metric.values.iter().enumerate() {
        // Writing to a string can't fail.
        let _ = write!(message, "{}{name} value: ", if index > 0 { ", " } else { "" });
        write_number(&mut message, *value);
    }
    format!("{start}><failure message=\"{}\" /></testcase>", escaped(&message))
}

/// As the value of an attribute (XML 1.0, section 2.4); characters that XML has no place for (section 2.2) are left out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\'' => out.push_str("&apos;"),
            '\t' => out.push_str("&#9;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {}
            c => match units::markup::entity(c) {
                Some(entity) => out.push_str(entity),
                None => out.push(c),
            },
        }
    }
    out
}
