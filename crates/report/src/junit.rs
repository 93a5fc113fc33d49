//! JUnit XML: the verdict and each objective as a test case, so that a CI system shows them as it shows tests.
//!
//! Shape: one `testsuites` with one `testsuite`, in the dialect of the Jenkins and GitLab readers (`name`, `classname`, `time`, `failure`,
//! `system-out`).

use crate::{Format, date, facts};
use record::{RunRecord, VerdictState};
use std::fmt::{self, Write as _};
use std::io;
use units::markup::entity;

/// JUnit XML of verdict and objectives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Junit {
    /// The mildest verdict that is a failed test case. A milder one passes with its reasons as output.
    pub fail_on: VerdictState,
}

impl Default for Junit {
    /// Fails on `invalid` alone.
    fn default() -> Self {
        Self { fail_on: VerdictState::Invalid }
    }
}

struct Case {
    class: &'static str,
    name: String,
    failure: Option<String>,
    output: String,
}

impl Format for Junit {
    fn write(&self, record: &RunRecord, out: &mut dyn io::Write) -> io::Result<()> {
        let mut cases = vec![self.verdict_case(record)];
        cases.extend(slo_cases(record));
        let tests = cases.len();
        let failures = cases.iter().filter(|case| case.failure.is_some()).count();
        let secs = record.duration_ns as f64 / 1e9;
        let name = Escaped(&record.name);
        let at = date::iso(record.started_unix_ns);
        writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
        writeln!(
            out,
            r#"<testsuites name="weir" tests="{tests}" failures="{failures}" errors="0" time="{secs:.3}">"#
        )?;
        writeln!(
            out,
            r#"  <testsuite name="{name}" tests="{tests}" failures="{failures}" errors="0" skipped="0" time="{secs:.3}" timestamp="{at}">"#
        )?;
        for case in &cases {
            case.write(out)?;
        }
        writeln!(out, "  </testsuite>\n</testsuites>")
    }
}

impl Junit {
    fn verdict_case(&self, record: &RunRecord) -> Case {
        let verdict = &record.verdict;
        let mut output = format!("verdict: {}\n", verdict.state.as_str());
        for reason in &verdict.reasons {
            let _ = writeln!(output, "{}: {}", facts::reason_label(reason.state), reason.message);
            let _ = writeln!(output, "hint: {}", reason.hint);
        }
        let fails = verdict.state >= self.fail_on && verdict.state > VerdictState::Valid;
        let why = verdict.reasons.first().map_or("", |reason| &reason.message);
        Case {
            class: "weir.verdict",
            name: "the run's numbers may be believed".to_owned(),
            failure: fails.then(|| format!("{}: {why}", verdict.state.as_str())),
            output,
        }
    }
}

fn slo_cases(record: &RunRecord) -> impl Iterator<Item = Case> + '_ {
    let phase_count = facts::measured(record).len();
    record.slos.iter().map(move |slo| {
        let scoped = phase_count > 1 && !slo.phase.is_empty() && !slo.expression.contains(" in phase ");
        let name =
            if scoped { format!("{} [{}]", slo.expression, slo.phase) } else { slo.expression.clone() };
        Case {
            class: "weir.slo",
            name,
            failure: (!slo.ok).then(|| format!("observed: {}", slo.observed_text)),
            output: format!("observed: {}\n", slo.observed_text),
        }
    })
}

impl Case {
    fn write(&self, out: &mut dyn io::Write) -> io::Result<()> {
        writeln!(
            out,
            r#"    <testcase classname="{}" name="{}" time="0">"#,
            self.class,
            Escaped(&self.name)
        )?;
        if let Some(message) = &self.failure {
            writeln!(out, r#"      <failure message="{}"></failure>"#, Escaped(message))?;
        }
        writeln!(out, "      <system-out>{}</system-out>", Escaped(&self.output))?;
        writeln!(out, "    </testcase>")
    }
}

/// Text safe in XML content and attributes. Characters that XML 1.0 §2.2 has no way to hold become U+FFFD.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '\n' => f.write_char(c)?,
                '\u{FFFE}' | '\u{FFFF}' => f.write_char('\u{FFFD}')?,
                c if c.is_control() => f.write_char('\u{FFFD}')?,
                c => match entity(c) {
                    Some(entity) => f.write_str(entity)?,
                    None => f.write_char(c)?,
                },
            }
        }
        Ok(())
    }
}
