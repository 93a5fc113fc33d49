//! A run of a configuration of Tulip as it goes: context, benchmark, run or warm-up, time gone, rate, latency. Tulip itself is silent until a
//! phase ends; here a line lives while it runs, and each phase leaves one behind.

use plan::{Load, Plan};
use record::{PhaseRecord, Progress, RunObserver, RunRecord};
use report::{Color, Watcher};
use std::io::Write;
use tulip::{BenchmarkFacts, Facts};

/// Columns where the terminal does not tell.
const WIDTH_DEFAULT: usize = 80;
/// Names of benchmarks are cut to this.
const NAME_CHARS_MAX: usize = 20;
/// To the line's start, and clear it (ECMA-48 §8.3.41).
const CLEAR: &str = "\r\x1b[2K";

/// What stands for a phase of the plan.
struct Part {
    phase: String,
    context_index: usize,
    /// The benchmark's name, cut.
    benchmark: String,
    kind: Kind,
}

/// Which part of a benchmark a phase is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// At full speed.
    PreWarmup,
    /// At the rate.
    Warmup,
    /// Measured; behind so many runs of earlier rate steps, of so many in all.
    Run { before: u32, all: u32 },
}

/// Shows progress on a writer: stderr, or a test's.
pub(crate) struct Console<W: Write = std::io::Stderr> {
    out: W,
    watcher: Watcher,
    color: Color,
    contexts: Vec<String>,
    parts: Vec<Part>,
    /// The context whose heading stands.
    context_index: Option<usize>,
    /// A line stands that must be cleared before anything else is written.
    is_drawn: bool,
    width: fn() -> usize,
}

impl Console {
    pub(crate) fn new(facts: &Facts, plan: &Plan, watcher: Watcher, color: Color) -> Self {
        Self::on(std::io::stderr(), facts, plan, watcher, color)
    }
}

impl<W: Write> Console<W> {
    fn on(out: W, facts: &Facts, plan: &Plan, watcher: Watcher, color: Color) -> Self {
        let mut contexts: Vec<String> = Vec::new();
        for benchmark in &facts.benchmarks {
            if benchmark.context_index >= contexts.len() {
                contexts.resize(benchmark.context_index + 1, String::new());
            }
            if let Some(heading) = contexts.get_mut(benchmark.context_index) {
                let BenchmarkFacts { context, user_count, thread_count, .. } = benchmark;
                let (users, threads) = (many(*user_count, "user"), many(*thread_count, "thread"));
                *heading = format!("{}: {users}, {threads}", units::legible(context));
            }
        }
        let parts = parts(facts, plan);
        Self {
            out,
            watcher,
            color,
            contexts,
            parts,
            context_index: None,
            is_drawn: false,
            width: terminal_width,
        }
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

    fn bold(&self, text: &str) -> String {
        match self.color {
            Color::Always => format!("\x1b[1m{text}\x1b[0m"),
            Color::Never => text.to_owned(),
        }
    }

    fn red(&self, text: &str) -> String {
        match self.color {
            Color::Always => format!("\x1b[31m{text}\x1b[0m"),
            Color::Never => text.to_owned(),
        }
    }

    /// `Max TPS-a    2/3      `, in columns.
    fn title(&self, phase: &str, repeat_index: u32) -> String {
        let width = self.parts.iter().map(|part| part.benchmark.chars().count()).max().unwrap_or(0);
        let part = self.parts.iter().find(|part| part.phase == phase);
        let (benchmark, kind) = match part {
            Some(part) => (part.benchmark.clone(), part.kind.words(repeat_index)),
            None => (units::legible(phase), String::new()),
        };
        format!("{}  {kind:<9}", self.bold(&format!("{benchmark:<width$}")))
    }

    /// The heading of the phase's context, when another one stands.
    fn enter(&mut self, phase: &str) {
        let Some(index) = self.parts.iter().find(|part| part.phase == phase).map(|part| part.context_index)
        else {
            return;
        };
        if self.context_index != Some(index) {
            self.context_index = Some(index);
            let heading = self.contexts.get(index).cloned().unwrap_or_default();
            let heading = self.bold(&heading);
            self.clear();
            self.say(&format!("{heading}\n"));
        }
    }

    /// The line that lives: pieces of falling weight, as many as there is room for.
    fn line(&self, progress: &Progress<'_>) -> String {
        let interval = progress.interval;
        let secs = interval.duration_ns as f64 / 1e9;
        let rate = |count: u64| if secs > 0.0 { units::per_sec(count as f64 / secs) } else { "-".to_owned() };
        let time = |ns: Option<u64>| ns.map_or("-".to_owned(), units::duration);
        let gone = match progress.duration_ns {
            Some(whole_ns) => format!(
                "{} of {}",
                units::two_units(progress.elapsed_ns.min(whole_ns)),
                units::two_units(whole_ns)
            ),
            None => units::two_units(progress.elapsed_ns),
        };
        let done = rate(interval.counts.completed + interval.counts.failed);
        let mut pieces = vec![gone];
        pieces.push(match progress.offered_per_sec {
            Some(asked) => format!("{done}/s of {}/s", units::per_sec(asked)),
            None => format!("{done}/s"),
        });
        if interval.counts.failed > 0 {
            pieces.push(self.red(&format!("{} failed/s", rate(interval.counts.failed))));
        }
        pieces.push(format!("p99 {}", time(interval.response_ns.p99)));
        pieces.push(format!("p50 {}", time(interval.response_ns.p50)));
        let title = self.title(progress.phase, progress.repeat.0);
        self.fitted(&title, pieces)
    }

    /// A title and pieces of falling weight, on a terminal only as many of them as there is room for.
    fn fitted(&self, title: &str, mut pieces: Vec<String>) -> String {
        let whole = |pieces: &[String]| format!("  {title} {}", pieces.join("  "));
        if self.watcher == Watcher::Terminal {
            let width_max = (self.width)().saturating_sub(1);
            while pieces.len() > 1 && width(&whole(&pieces)) > width_max {
                pieces.pop();
            }
        }
        whole(&pieces)
    }

    /// What a phase leaves behind.
    fn summary(&self, phase: &PhaseRecord) -> String {
        let title = self.title(&phase.name, phase.repeat_index);
        let counts = &phase.counts;
        let mut pieces = vec![units::duration(phase.duration_ns)];
        match phase.response_ns.p50 {
            None => pieces.push(many(counts.completed + counts.failed, "action")),
            Some(_) => {
                let asked = phase.offered_per_sec.map(|asked| format!(" of {}/s", units::per_sec(asked)));
                let done = units::per_sec(phase.achieved_per_sec);
                pieces.push(format!("{done}/s{}", asked.unwrap_or_default()));
            }
        }
        if counts.failed > 0 {
            pieces.push(self.red(&format!("{} failed", units::count(counts.failed))));
        }
        if let Some(p50_ns) = phase.response_ns.p50 {
            pieces.push(format!("p99 {}", phase.response_ns.p99.map_or("-".to_owned(), units::duration)));
            pieces.push(format!("p50 {}", units::duration(p50_ns)));
        }
        format!("{}\n", self.fitted(&title, pieces))
    }
}

impl Kind {
    fn words(self, repeat_index: u32) -> String {
        match self {
            Self::PreWarmup => "prewarmup".to_owned(),
            Self::Warmup => "warm-up".to_owned(),
            Self::Run { all: 1, .. } => String::new(),
            Self::Run { before, all } => format!("{}/{all}", u64::from(before) + u64::from(repeat_index) + 1),
        }
    }
}

/// The phases as parts of benchmarks. A benchmark in a context has a scenario of its own, in the same order.
fn parts(facts: &Facts, plan: &Plan) -> Vec<Part> {
    let mut parts = Vec::new();
    for (index, benchmark) in facts.benchmarks.iter().enumerate() {
        let phases = || plan.phases.iter().filter(move |phase| phase.scenario == index);
        let is_measured = |name: &str| benchmark.phases.iter().any(|measured| measured == name);
        let all = phases().filter(|phase| is_measured(&phase.name)).map(|phase| phase.repeat_count).sum();
        let mut before = 0;
        for (place, phase) in phases().enumerate() {
            let kind = if is_measured(&phase.name) {
                let kind = Kind::Run { before, all };
                before += phase.repeat_count;
                kind
            } else if place == 0
                && (phases().filter(|phase| !is_measured(&phase.name)).count() > 1
                    || matches!(phase.load, Load::Closed { .. }) && phase.name.ends_with("prewarmup"))
            {
                Kind::PreWarmup
            } else {
                Kind::Warmup
            };
            let benchmark = cut(&units::legible(benchmark.benchmark.trim()));
            parts.push(Part {
                phase: phase.name.clone(),
                context_index: facts.benchmarks.get(index).map_or(0, |facts| facts.context_index),
                benchmark,
                kind,
            });
        }
    }
    parts
}

/// `1 user`, `16 users`.
fn many(count: impl Into<u64>, what: &str) -> String {
    match count.into() {
        1 => format!("1 {what}"),
        count => format!("{} {what}s", units::count(count)),
    }
}

fn cut(text: &str) -> String {
    match text.chars().nth(NAME_CHARS_MAX) {
        None => text.to_owned(),
        Some(_) => text.chars().take(NAME_CHARS_MAX - 1).chain(['…']).collect(),
    }
}

/// Columns, escape sequences left out.
fn width(text: &str) -> usize {
    let mut is_escape = false;
    text.chars()
        .filter(|c| {
            let counts = !is_escape && *c != '\x1b';
            is_escape = *c == '\x1b' || (is_escape && *c != 'm');
            counts
        })
        .count()
}

fn terminal_width() -> usize {
    let size = rustix::termios::tcgetwinsize(rustix::stdio::stderr());
    size.ok().map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0).unwrap_or(WIDTH_DEFAULT)
}

impl<W: Write> RunObserver for Console<W> {
    fn run_started(&mut self, record: &RunRecord) {
        // Said now: who waits an hour wants to know before it that the run is not the one asked for.
        for note in &record.environment.notes {
            self.say(&format!("note: {}\n", units::legible(note)));
        }
    }

    fn phase_started(&mut self, phase: &str, repeat: (u32, u32)) {
        self.enter(phase);
        if self.watcher == Watcher::Terminal {
            // At once: of the first interval there is nothing to tell for a second.
            let text = format!("  {}", self.title(phase, repeat.0));
            self.is_drawn = true;
            self.say(&format!("{CLEAR}{text}"));
        }
    }

    fn interval_ended(&mut self, progress: &Progress<'_>) {
        if self.watcher == Watcher::Terminal {
            let text = self.line(progress);
            self.is_drawn = true;
            self.say(&format!("{CLEAR}{text}"));
        }
    }

    fn phase_ended(&mut self, phase: &PhaseRecord) {
        self.clear();
        let text = self.summary(phase);
        self.say(&text);
    }

    fn run_ended(&mut self, _record: &RunRecord) {
        self.clear();
        self.say("\n");
    }
}

impl<W: Write> Drop for Console<W> {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{IntervalRecord, Latencies, LoadModel, PhaseFrame, PhaseKind};

    const CONFIG: &str = r#"{"actions": {"user_class": "TestHttpUser"},
        "contexts": {"one": {"enabled": true, "num_users": 4, "num_threads": 2}, "two": {"enabled": true, "num_users": 1, "num_threads": 2}},
        "benchmarks": {"onStart": {}, "a benchmark with a long name": {"aps_rate": 10, "aps_rate_step_change": 10, "warmup_duration1": 1,
            "warmup_duration2": 1, "benchmark_duration": 90, "benchmark_iterations": 3, "scenario_actions": [{"id": 9}]}, "onStop": {}}}"#;

    #[test]
    fn phases_are_parts_of_benchmarks() {
        let run = tulip::parse(CONFIG, "c.json", None).run.unwrap();
        let console = Console::on(Vec::new(), &run.facts, &run.plan, Watcher::Terminal, Color::Never);
        let titles: Vec<String> = run
            .plan
            .phases
            .iter()
            .take(7)
            .map(|phase| console.title(&phase.name, 0).trim_end().to_owned())
            .collect();
        expect_test::expect![[r#"
            onStart
            a benchmark with a …  prewarmup
            a benchmark with a …  warm-up
            a benchmark with a …  1/3
            a benchmark with a …  2/3
            a benchmark with a …  3/3
            onStop"#]]
        .assert_eq(&titles.join("\n"));
        assert_eq!(console.contexts, ["one: 4 users, 2 threads", "two: 1 user, 2 threads"]);
    }

    #[test]
    fn what_a_phase_leaves_behind_fits_too() {
        let run = tulip::parse(CONFIG, "c.json", None).run.unwrap();
        let mut console = Console::on(Vec::new(), &run.facts, &run.plan, Watcher::Terminal, Color::Never);
        let frame = PhaseFrame {
            name: "one / a benchmark with a long name step 2".to_owned(),
            kind: PhaseKind::Measure,
            load_model: LoadModel::Open,
            repeat_index: 0,
            start_ns: 0,
            duration_ns: 90_000_000_000,
            drain_ns: 0,
            completed_in_time: 90_000_000,
            busy_ratio_max: 0.0,
            off_cpu_ratio_max: None,
            action_names: Vec::new(),
            request_names: Vec::new(),
            check_names: Vec::new(),
        };
        let mut phase = PhaseRecord::of(frame, &stats::Interval::new(1, 0, 0), Vec::new());
        phase.offered_per_sec = Some(1e6);
        phase.counts.failed = 10;
        phase.response_ns = Latencies { p50: Some(1_200_000), p99: Some(30_000_000), ..Latencies::default() };
        let title = "  a benchmark with a …  2/3      ";
        let (rate, times) = ("90.0 s  1,000,000/s of 1,000,000/s", "p99 30.0 ms  p50 1.20 ms");
        console.width = || 80;
        assert_eq!(console.summary(&phase), format!("{title} {rate}  10 failed\n"));
        console.watcher = Watcher::Log;
        assert_eq!(console.summary(&phase), format!("{title} {rate}  10 failed  {times}\n"));
    }

    #[test]
    fn a_line_lives_and_never_wraps() {
        let run = tulip::parse(CONFIG, "c.json", None).run.unwrap();
        let mut console = Console::on(Vec::new(), &run.facts, &run.plan, Watcher::Terminal, Color::Always);
        let mut interval = IntervalRecord::of(&stats::Interval::new(1, 0, 0), 0);
        interval.duration_ns = 1_000_000_000;
        interval.counts.completed = 9;
        interval.counts.failed = 1;
        interval.response_ns =
            Latencies { p50: Some(1_200_000), p99: Some(30_000_000), ..Latencies::default() };
        let progress = Progress {
            phase: "one / a benchmark with a long name step 2",
            is_warmup: false,
            repeat: (0, 1),
            elapsed_ns: 12_000_000_000,
            duration_ns: Some(90_000_000_000),
            offered_per_sec: Some(20.0),
            interval: &interval,
        };
        let shown = |console: &Console<Vec<u8>>| {
            let line = console.line(&progress);
            assert!(width(&line) < (console.width)(), "{line}");
            line.replace("\x1b[1m", "").replace("\x1b[31m", "").replace("\x1b[0m", "")
        };
        console.width = || 120;
        assert_eq!(
            shown(&console),
            "  a benchmark with a …  2/3       12s of 1m30s  10/s of 20/s  1 failed/s  p99 30.0 ms  p50 1.20 ms"
        );
        console.width = || 80;
        assert_eq!(
            shown(&console),
            "  a benchmark with a …  2/3       12s of 1m30s  10/s of 20/s  1 failed/s"
        );
        console.width = || 40;
        assert_eq!(width(&console.line(&progress)), 46, "the title and the time always stand");
    }
}
