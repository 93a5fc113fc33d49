//! What is said while a search runs: a line for each trial, and on a terminal one for the trial under way.

use record::RunObserver;
use search::Assessment;
use search::find::{Outcome, Search, Trial};
use std::io::{self, IsTerminal as _, Write as _};

/// Says it on stderr.
pub(crate) struct Progress {
    is_quiet: bool,
    is_terminal: bool,
    /// Of the trial under way.
    title: String,
    has_line: bool,
}

impl Progress {
    pub(crate) fn new(is_quiet: bool) -> Self {
        let is_terminal = io::stderr().is_terminal();
        Self { is_quiet, is_terminal, title: String::new(), has_line: false }
    }

    /// A trial begins.
    pub(crate) fn begin(&mut self, title: String) {
        self.title = title;
        let text = self.title.clone();
        self.replace(&text);
    }

    /// A line that stays.
    pub(crate) fn say(&mut self, line: &str) {
        self.clear();
        if !self.is_quiet {
            // There is nobody to tell when stderr can't be written.
            let _ = writeln!(io::stderr(), "{line}");
        }
    }

    fn replace(&mut self, line: &str) {
        if !self.is_quiet && self.is_terminal {
            let cut: String = line.chars().take(78).collect();
            let _ = write!(io::stderr(), "\r\x1b[2K{cut}");
            self.has_line = true;
        }
    }

    /// Takes the line of the trial under way from the terminal.
    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.has_line) {
            let _ = write!(io::stderr(), "\r\x1b[2K");
        }
    }
}

impl RunObserver for Progress {
    fn interval_ended(&mut self, progress: &record::Progress<'_>) {
        if self.is_quiet || !self.is_terminal {
            return;
        }
        let left_ns = progress.duration_ns.map(|all_ns| all_ns.saturating_sub(progress.elapsed_ns));
        let left = left_ns.map_or(String::new(), |ns| format!(", {:.1} s left", ns as f64 / 1e9));
        let line = format!("{}{left}", self.title);
        self.replace(&line);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

/// `12 measure  4,875/s for 5.00 s`
pub(crate) fn title(number: usize, trial: &Trial) -> String {
    let rate = if trial.rate_per_sec > 0.0 {
        format!("{}/s", units::per_sec(trial.rate_per_sec))
    } else {
        "closed".to_owned()
    };
    format!("{number:>4} {:<8} {rate:>12} {:>7}", trial.kind.as_str(), units::duration(trial.duration_ns))
}

/// What came of a trial, and how the search stands after it.
pub(crate) fn line(number: usize, trial: &Trial, assessment: &Assessment, search: &Search) -> String {
    let rate = |rate: Option<f64>| rate.map_or("?".to_owned(), units::per_sec);
    let (low, high) = search.bracket();
    let bounds = match (low, high) {
        (None, None) => String::new(),
        _ => format!("  [{} .. {}]", rate(low), rate(high)),
    };
    let left = units::two_units(search.left_ns());
    format!("{}{bounds}  {left} left", outcome_line(number, trial, assessment))
}

/// What came of a trial.
pub(crate) fn outcome_line(number: usize, trial: &Trial, assessment: &Assessment) -> String {
    let mark = match (trial.rate_per_sec > 0.0, assessment.outcome) {
        (false, _) => format!("{}/s", units::per_sec(assessment.achieved_per_sec)),
        (true, Outcome::Sustained) => {
            let p99 = assessment.response_p99_ns.or(assessment.response_p50_ns);
            format!("✓ {}", p99.map_or(String::new(), units::duration))
        }
        (true, Outcome::NotSustained) => format!("✗ {}", assessment.reasons.first().map_or("", |why| why)),
        (true, Outcome::ClientLimited) => {
            format!("? client: {}", assessment.client_reasons.first().map_or("", |why| why))
        }
    };
    let mark: String =
        if mark.chars().count() > 44 { mark.chars().take(43).chain(['…']).collect() } else { mark };
    format!("{}  {mark}", title(number, trial))
}
