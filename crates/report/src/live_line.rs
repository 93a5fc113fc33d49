//! The line that shows a run as it goes: phase, time left, rate, latency, errors. On a terminal it is drawn over and over;
//! elsewhere each phase of a longer plan leaves one line when it ends.

use crate::facts;
use crate::text::{Color, Role, cut, width};
use record::{PhaseRecord, Progress, RunObserver, RunRecord};
use serde_json::Value;
use std::io::Write;

/// Who reads the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watcher {
    /// A person at a terminal.
    Terminal,
    /// A log: whole lines, few of them.
    Log,
}

/// Columns where the terminal does not tell.
const WIDTH_DEFAULT: usize = 80;
/// Names of phases are cut to this.
const NAME_WIDTH_MAX: usize = 24;
/// Characters of the bar.
const BAR_WIDTH: usize = 12;
/// To the line's start, and clear it (ECMA-48 §8.3.41).
const CLEAR: &str = "\r\x1b[2K";

/// Shows progress on stderr. Give it to the run as an observer; dropping it clears the line.
#[derive(Debug)]
pub struct LiveLine<W: Write = std::io::Stderr> {
    out: W,
    watcher: Watcher,
    color: Color,
    /// A line stands that must be cleared before anything else is written.
    is_drawn: bool,
    /// Whether phases leave a line behind: when there is one only, the result says the same at once.
    has_several_phases: bool,
}

impl LiveLine {
    /// On stderr.
    pub fn on_stderr(watcher: Watcher, color: Color) -> Self {
        Self::new(std::io::stderr(), watcher, color)
    }
}

impl<W: Write> LiveLine<W> {
    /// On any writer; the width of the terminal is stderr's.
    pub fn new(out: W, watcher: Watcher, color: Color) -> Self {
        Self { out, watcher, color, is_drawn: false, has_several_phases: false }
    }

    /// A line that can't be written is no reason to end a run.
    fn say(&mut self, text: &str) {
        let _ = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.is_drawn) {
            self.say(CLEAR);
        }
    }
}

impl<W: Write> Drop for LiveLine<W> {
    fn drop(&mut self) {
        self.clear();
    }
}

fn terminal_width() -> usize {
    let size = rustix::termios::tcgetwinsize(rustix::stdio::stderr());
    size.ok().map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0).unwrap_or(WIDTH_DEFAULT)
}

/// The line in pieces of falling weight: the bar goes first, then what does not fit at the end.
fn line(progress: &Progress<'_>, color: Color, width_max: usize) -> String {
    let interval = progress.interval;
    let mut name = units::legible(progress.phase);
    if progress.repeat.1 > 1 {
        name.push_str(&format!(" {}/{}", u64::from(progress.repeat.0) + 1, progress.repeat.1));
    }
    let secs = interval.duration_ns as f64 / 1e9;
    let rate = |count: u64| if secs > 0.0 { units::per_sec(count as f64 / secs) } else { "–".to_owned() };
    let mut pieces = vec![color.paint(Role::Title, &cut(&name, NAME_WIDTH_MAX))];
    if interval.counts.failed > 0 {
        // Errors stand first: they are what somebody watches for.
        pieces.push(color.paint(Role::Bad, &format!("{} errors/s", rate(interval.counts.failed))));
    }
    let at_time = pieces.len();
    let [with_bar, without_bar] = time_left(progress);
    pieces.push(with_bar);
    let done = rate(interval.counts.completed);
    pieces.push(match progress.offered_per_sec {
        Some(asked) => format!("{done}/s of {}/s", units::per_sec(asked)),
        None => format!("{done}/s"),
    });
    let time = |ns: Option<u64>| ns.map_or("–".to_owned(), units::duration);
    pieces.push(format!("p50 {}  p99 {}", time(interval.response_ns.p50), time(interval.response_ns.p99)));
    if width(&pieces.join("  ")) > width_max
        && let Some(piece) = pieces.get_mut(at_time)
    {
        *piece = without_bar;
    }
    while pieces.len() > 1 && width(&pieces.join("  ")) > width_max {
        pieces.pop();
    }
    pieces.join("  ")
}

/// `━━━━──────── 7s left` and `7s left`; where nobody knows the end, `12s` gone.
fn time_left(progress: &Progress<'_>) -> [String; 2] {
    match progress.duration_ns {
        Some(duration_ns) if duration_ns > 0 => {
            let elapsed_ns = progress.elapsed_ns.min(duration_ns);
            let done = (elapsed_ns as f64 / duration_ns as f64 * BAR_WIDTH as f64).round() as usize;
            let done = done.min(BAR_WIDTH);
            let left = format!("{} left", units::two_units(duration_ns - elapsed_ns));
            [format!("{}{} {left}", "━".repeat(done), "─".repeat(BAR_WIDTH - done)), left]
        }
        _ => [units::two_units(progress.elapsed_ns), units::two_units(progress.elapsed_ns)],
    }
}

/// What a phase leaves behind: `steady       5.00 s  999/s of 1,000/s  p50 …  p99 …`, and how many failed when any did.
fn summary(phase: &PhaseRecord, color: Color) -> String {
    let name = color.paint(Role::Title, &format!("{:<11}", facts::phase_title(phase)));
    let failed = match phase.counts.failed {
        0 => String::new(),
        failed => color.paint(Role::Bad, &format!("  {} failed", units::count(failed))),
    };
    let Some(p50_ns) = phase.response_ns.p50 else {
        // Too little for a rate or a latency to mean anything.
        let completed = units::count(phase.counts.completed);
        return format!("{name}  {completed} completed{failed}\n");
    };
    let asked = phase.offered_per_sec.map(|asked| format!(" of {}/s", units::per_sec(asked)));
    format!(
        "{name}  {}  {}/s{}  p50 {}  p99 {}{failed}\n",
        units::duration(phase.duration_ns),
        units::per_sec(phase.achieved_per_sec),
        asked.unwrap_or_default(),
        units::duration(p50_ns),
        phase.response_ns.p99.map_or("–".to_owned(), units::duration),
    )
}

impl<W: Write> RunObserver for LiveLine<W> {
    fn run_started(&mut self, record: &RunRecord) {
        let phases = record.plan.get("phases").and_then(Value::as_array).into_iter().flatten();
        let runs = phases.map(|phase| phase["repeat_count"].as_u64().unwrap_or(1));
        self.has_several_phases = runs.fold(0u64, u64::saturating_add) > 1;
        // Said now: who waits an hour wants to know before it that the run is not the one asked for.
        for note in &record.environment.notes {
            self.say(&format!("note: {}\n", units::legible(note)));
        }
    }

    fn interval_ended(&mut self, progress: &Progress<'_>) {
        if self.watcher == Watcher::Terminal {
            // One column stays free: writing into the last one makes some terminals wrap.
            let text = line(progress, self.color, terminal_width().saturating_sub(1));
            self.is_drawn = true;
            self.say(&format!("{CLEAR}{text}"));
        }
    }

    fn phase_ended(&mut self, phase: &PhaseRecord) {
        self.clear();
        if self.has_several_phases {
            let text = summary(phase, self.color);
            self.say(&text);
        }
    }

    fn run_ended(&mut self, _record: &RunRecord) {
        self.clear();
        if self.has_several_phases {
            self.say("\n");
        }
    }
}
