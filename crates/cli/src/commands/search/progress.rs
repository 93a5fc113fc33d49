//! What is said while a search runs: a line for each trial, and on a terminal one for the trial under way.

use record::RunObserver;
use search::Assessment;
use search::find::{Outcome, Search, Trial};
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};

/// Columns of a terminal that does not tell.
const WIDTH_DEFAULT: usize = 80;

/// Says it on stderr.
pub(crate) struct Progress {
    is_quiet: bool,
    is_terminal: bool,
    /// Of the trial under way.
    title: String,
    /// How the search stands before it.
    bounds: String,
    /// What was left of the budget before it, ns.
    left_ns: Option<u64>,
    has_line: bool,
}

impl Progress {
    pub(crate) fn new(is_quiet: bool) -> Self {
        let is_terminal = io::stderr().is_terminal();
        Self {
            is_quiet,
            is_terminal,
            title: String::new(),
            bounds: String::new(),
            left_ns: None,
            has_line: false,
        }
    }

    /// A trial begins; `search`, where there is one, says how it stands.
    pub(crate) fn begin(&mut self, title: String, trial: &Trial, search: Option<&Search>) {
        self.title = title;
        self.bounds = search.map(bounds).unwrap_or_default();
        self.left_ns = search.map(Search::left_ns);
        self.under_way(0, Some(trial.duration_ns));
    }

    /// A tick begins.
    pub(crate) fn begin_tick(&mut self, title: String) {
        self.title = title;
        self.replace(&self.title.clone());
    }

    /// The line of the trial under way, so long after its start.
    fn under_way(&mut self, elapsed_ns: u64, duration_ns: Option<u64>) {
        let mut line = self.title.clone();
        if let Some(all_ns) = duration_ns {
            let secs = all_ns.saturating_sub(elapsed_ns) as f64 / 1e9;
            let _ = write!(line, " {secs:>5.1} s to go");
        }
        let _ = write!(line, "  {}", self.bounds);
        if let Some(left_ns) = self.left_ns {
            let _ = write!(line, "  {} left", units::two_units(left_ns.saturating_sub(elapsed_ns)));
        }
        self.replace(line.trim_end());
    }

    /// A line that stays.
    pub(crate) fn say(&mut self, line: &str) {
        self.clear();
        if !self.is_quiet {
            for line in line.lines() {
                let cut = if self.is_terminal { cut(line) } else { line.to_owned() };
                // There is nobody to tell when stderr can't be written.
                let _ = writeln!(io::stderr(), "{cut}");
            }
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
        self.under_way(progress.elapsed_ns, progress.duration_ns);
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

/// Where the bound lies so far: `[493 .. 515]`.
fn bounds(search: &Search) -> String {
    let rate = |rate: Option<f64>| rate.map_or("?".to_owned(), units::per_sec);
    match search.bracket() {
        (None, None) => String::new(),
        (low, high) => format!("[{} .. {}]", rate(low), rate(high)),
    }
}

/// What came of a trial, and how the search stands after it.
pub(crate) fn line(number: usize, trial: &Trial, assessment: &Assessment, search: &Search) -> String {
    let bounds = bounds(search);
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
