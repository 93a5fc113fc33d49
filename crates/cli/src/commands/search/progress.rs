//! What is said while a search runs: a line for each trial, and on a terminal one for the trial under way.

use record::RunObserver;
use search::Assessment;
use search::find::{Outcome, Search, Trial};
use std::io::{self, IsTerminal as _, Write as _};

/// Columns of a terminal that does not tell.
const WIDTH_DEFAULT: usize = 80;

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
            let cut = if self.is_terminal { cut(line) } else { line.to_owned() };
            // There is nobody to tell when stderr can't be written.
            let _ = writeln!(io::stderr(), "{cut}");
        }
    }

    fn replace(&mut self, line: &str) {
        if !self.is_quiet && self.is_terminal {
            let _ = write!(io::stderr(), "\r\x1b[2K{}", cut(line));
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

/// As much as a line of this terminal holds.
fn cut(line: &str) -> String {
    let size = rustix::termios::tcgetwinsize(rustix::stdio::stderr());
    let columns = size.ok().map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 1);
    let columns = columns.unwrap_or(WIDTH_DEFAULT);
    if line.chars().count() < columns {
        return line.to_owned();
    }
    line.chars().take(columns - 2).chain(['…']).collect()
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
    let bounds = match search.bracket() {
        (None, None) => String::new(),
        (low, high) => format!("[{} .. {}]", rate(low), rate(high)),
    };
    let (mark, words) = outcome(trial, assessment);
    let left = units::two_units(search.left_ns());
    format!("{} {mark} {bounds:<16} {left:>6} left  {words}", title(number, trial))
}

/// What came of a trial.
pub(crate) fn outcome_line(number: usize, trial: &Trial, assessment: &Assessment) -> String {
    let (mark, words) = outcome(trial, assessment);
    format!("{} {mark} {words}", title(number, trial))
}

fn outcome(trial: &Trial, assessment: &Assessment) -> (char, String) {
    if trial.rate_per_sec <= 0.0 {
        return (' ', format!("{}/s", units::per_sec(assessment.achieved_per_sec)));
    }
    match assessment.outcome {
        Outcome::Sustained => {
            let p99 = assessment.response_p99_ns.map(|ns| format!("p99 {}", units::duration(ns)));
            let p50 = || assessment.response_p50_ns.map(|ns| format!("p50 {}", units::duration(ns)));
            ('✓', p99.or_else(p50).unwrap_or_default())
        }
        Outcome::NotSustained => ('✗', assessment.reasons.join("; ")),
        Outcome::ClientLimited => ('?', format!("client: {}", assessment.client_reasons.join("; "))),
    }
}
