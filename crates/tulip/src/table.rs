//! A run in Tulip's table, and beneath it what Tulip says it shows and does not: response times from the moment an action was due.

use crate::facts::{BenchmarkFacts, Facts};
use crate::layout::{HEADS, Row, lay_out};
use crate::{date, layout};
use record::{ActionRecord, CountsRecord, Latencies, PhaseKind, PhaseRecord, RunRecord, VerdictState};
use stats::Histogram;
use units::NS_PER_SEC;

/// Heads of the second table.
const RESPONSE_HEADS: [&str; 11] =
    ["SID", "Name", "RID", "Avg", "50p", "90p", "95p", "99p", "99.9p", "Max", "Max WT"];

const LEGEND: &str = "\
RT    service time, sent to done, as Tulip has it; a response time counts from the moment an action was due
#F    failed, and in #N too
TPS   done within the time, failed ones counted; of actions by their share of #N
RTT   UTC; - where the run did not note when
MQS   most actions in flight; AQS: their mean
WT    due to sent; in rows of actions the action's own
CPU   share of its time that weir's busiest worker thread worked, %
JMM   weir's memory at most, % of the machine's
90p   and 99p of RT: however few the samples, as Tulip has it; in response times - stands for too few
";

/// The run as a text: Tulip's table, the table of response times, the legend, and what else must be known. `None`: the run was of
/// something else than a configuration of Tulip.
pub fn table(record: &RunRecord) -> Option<String> {
    let facts = Facts::of(&record.plan)?;
    let groups: Vec<Group<'_>> =
        facts.benchmarks.iter().filter_map(|b| Group::of(b, record, &facts)).collect();
    let first_end =
        groups.iter().flat_map(|group| &group.phases).map(|phase| phase.start_ns + phase.duration_ns).next();
    let stamp = date::title(record.started_unix_ns.saturating_add(first_end.unwrap_or(0)));
    let tulip: Vec<Vec<Row>> = groups.iter().map(Group::rows).collect();
    let response: Vec<Vec<Row>> = groups.iter().map(Group::response_rows).collect();
    let mut out =
        format!("Benchmark Report / {} / {stamp}\n\n{}", facts.description, lay_out(&HEADS, &tulip));
    out.push_str("\nResponse time, due to done\n\n");
    out.push_str(&lay_out(&RESPONSE_HEADS, &response));
    out.push('\n');
    out.push_str(LEGEND);
    out.push_str(&conclusions(record));
    Some(out)
}

/// What may be concluded, and what was promised.
fn conclusions(record: &RunRecord) -> String {
    let mut out = String::new();
    let state = match record.verdict.state {
        VerdictState::Valid => "valid",
        VerdictState::Suspect => "suspect",
        VerdictState::Invalid => "invalid",
    };
    out.push_str(&format!("\nMeasurement {state}\n"));
    for reason in record.verdict.reasons.iter().filter(|reason| reason.state > VerdictState::Valid) {
        out.push_str(&format!("  {}\n  → {}\n", reason.message, reason.hint));
    }
    if let Some(why) = &record.aborted {
        out.push_str(&format!("Ended early: {why}\n"));
    }
    for slo in &record.slos {
        let mark = if slo.ok { "✓" } else { "✗" };
        out.push_str(&format!("{mark} {}  {}  {}\n", slo.expression, slo.observed_text, slo.phase));
    }
    out
}

/// The iterations in which an action ran; it has several records where the list names it several times.
type ActionRuns<'r> = Vec<(&'r PhaseRecord, Vec<&'r ActionRecord>)>;

/// A benchmark's rows.
struct Group<'r> {
    facts: &'r BenchmarkFacts,
    phases: Vec<&'r PhaseRecord>,
    /// Label and records of each action that ran, by id.
    actions: Vec<(String, ActionRuns<'r>)>,
    started_unix_ns: u64,
    memory_ratio: f64,
}

/// Figures of a row, merged over what it stands for.
#[derive(Default)]
struct Figures {
    ended: u64,
    failed: u64,
    /// Ended within the time of their iteration, by share where only the iteration's is known.
    ended_in_time: f64,
    /// Of the iterations in which any occurred.
    duration_ns: u64,
    service: Histogram,
    response: Histogram,
    wait: Histogram,
    /// When the greatest service time was, if that is known.
    max_at_ns: Option<u64>,
}

impl Figures {
    fn add(&mut self, phase: &PhaseRecord, counts: &CountsRecord, of: [&Latencies; 3]) {
        let [service, response, wait] = of.map(|latencies| latencies.to_histogram().unwrap_or_default());
        let all = phase.counts.ended();
        let share = if all == 0 { 0.0 } else { counts.ended() as f64 / all as f64 };
        self.ended += counts.ended();
        self.failed += counts.failed;
        self.ended_in_time += share * ended_in_time(phase) as f64;
        if service.max_ns() > self.service.max_ns() {
            self.max_at_ns = service.max_ns().and_then(|max_ns| moment_of(phase, max_ns));
        }
        self.service.merge(&service);
        self.response.merge(&response);
        self.wait.merge(&wait);
    }

    fn per_sec(&self) -> f64 {
        if self.duration_ns == 0 {
            0.0
        } else {
            self.ended_in_time / (self.duration_ns as f64 / NS_PER_SEC as f64)
        }
    }
}

/// Actions that ended before the load of a phase did.
fn ended_in_time(phase: &PhaseRecord) -> u64 {
    let load_end_ns = phase.start_ns.saturating_add(phase.duration_ns);
    let in_time = phase.intervals.iter().filter(|interval| interval.start_ns < load_end_ns);
    in_time.map(|interval| interval.counts.ended()).sum()
}

/// When a service time was seen: the interval whose greatest it is. Intervals know no actions apart.
fn moment_of(phase: &PhaseRecord, max_ns: u64) -> Option<u64> {
    let interval = phase.intervals.iter().find(|interval| interval.service_ns.max == Some(max_ns))?;
    Some(interval.start_ns.saturating_add(interval.duration_ns))
}

impl<'r> Group<'r> {
    /// `None`: nothing of it is to be shown.
    fn of(benchmark: &'r BenchmarkFacts, record: &'r RunRecord, facts: &Facts) -> Option<Self> {
        let is_of =
            |phase: &&PhaseRecord| phase.kind == PhaseKind::Measure && benchmark.phases.contains(&phase.name);
        let phases: Vec<&PhaseRecord> = record.phases.iter().filter(is_of).collect();
        if phases.is_empty() || !benchmark.is_saved {
            return None;
        }
        let mut ids: Vec<_> = facts.actions.iter().collect();
        ids.sort_by_key(|action| action.id);
        let mut actions = Vec::new();
        for known in ids {
            let of_phase = |phase: &&'r PhaseRecord| {
                let same: Vec<&ActionRecord> =
                    phase.actions.iter().filter(|action| action.name == known.action).collect();
                (!same.is_empty()).then_some((*phase, same))
            };
            let runs: Vec<_> = phases.iter().filter_map(of_phase).collect();
            let label = match &known.name {
                Some(name) => format!("[{}.{name}]", known.id),
                None => format!("[{}]", known.id),
            };
            if !runs.is_empty() {
                actions.push((label, runs));
            }
        }
        let memory = record.environment.memory_bytes;
        let memory_ratio = if memory == 0 { 0.0 } else { record.client.rss_bytes_max as f64 / memory as f64 };
        Some(Self {
            facts: benchmark,
            phases,
            actions,
            started_unix_ns: record.started_unix_ns,
            memory_ratio,
        })
    }

    fn figures_of_phase(phase: &PhaseRecord) -> Figures {
        let mut figures = Figures { duration_ns: phase.duration_ns, ..Figures::default() };
        figures.add(phase, &phase.counts, [&phase.service_ns, &phase.response_ns, &phase.wait_ns]);
        figures
    }

    fn figures_of_action(runs: &ActionRuns<'_>) -> Figures {
        let mut figures = Figures::default();
        for (phase, same) in runs {
            figures.duration_ns += phase.duration_ns;
            for action in same {
                figures.add(
                    phase,
                    &action.counts,
                    [&action.service_ns, &action.response_ns, &action.wait_ns],
                );
            }
        }
        figures
    }

    fn total(&self) -> Figures {
        let mut figures = Figures::default();
        for phase in &self.phases {
            figures.duration_ns += phase.duration_ns;
            figures.add(phase, &phase.counts, [&phase.service_ns, &phase.response_ns, &phase.wait_ns]);
        }
        figures
    }

    fn heading(&self) -> Row {
        vec![self.facts.context_index.to_string(), self.facts.benchmark.trim().to_owned()]
    }

    /// Header, iterations, actions, total.
    fn rows(&self) -> Vec<Row> {
        let mut rows = vec![self.heading()];
        for (index, phase) in self.phases.iter().enumerate() {
            let name = match index {
                0 => format!("(u:{} t:{})", self.facts.user_count, self.facts.thread_count),
                _ => String::new(),
            };
            // As Python prints a float.
            let seconds = format!("{:?}", (phase.duration_ns as f64 / 1e6).round() / 1e3);
            let head = vec![String::new(), name, index.to_string(), seconds];
            rows.push(self.row(head, &Self::figures_of_phase(phase), &[phase]));
        }
        let duration_ns: u64 = self.phases.iter().map(|phase| phase.duration_ns).sum();
        let length = date::hours(duration_ns);
        for (label, runs) in &self.actions {
            let head = vec![String::new(), String::new(), label.clone(), length.clone()];
            rows.push(self.row(head, &Self::figures_of_action(runs), &self.phases));
        }
        let head = vec![String::new(), String::new(), String::new(), length];
        rows.push(self.row(head, &self.total(), &self.phases));
        rows
    }

    /// The cells from `#N` on behind the first four.
    fn row(&self, mut row: Row, figures: &Figures, phases: &[&PhaseRecord]) -> Row {
        let ms = |ns: Option<f64>, places: usize| format!("{:.places$} ms", ns.unwrap_or(0.0) / 1e6);
        let whole = |ns: Option<u64>| ms(ns.map(|ns| ns as f64), 1);
        let service = &figures.service;
        let duration_ns: u64 = phases.iter().map(|phase| phase.duration_ns).sum();
        let in_flight: f64 = phases.iter().map(|phase| phase.in_flight_mean * phase.duration_ns as f64).sum();
        let in_flight_mean = if duration_ns == 0 { 0.0 } else { in_flight / duration_ns as f64 };
        let busy = phases.iter().map(|phase| phase.busy_ratio_max).fold(0.0, f64::max);
        let at =
            figures.max_at_ns.map(|at_ns| date::day_and_time(self.started_unix_ns.saturating_add(at_ns)));
        row.extend([
            figures.ended.to_string(),
            figures.failed.to_string(),
            format!("{:.3}", figures.per_sec()),
            whole(service.min_ns()),
            ms(service.mean_ns(), 3),
            ms(service.stdev_ns(), 1),
            whole(service.quantile_ns(0.9)),
            whole(service.quantile_ns(0.99)),
            whole(service.max_ns()),
            at.unwrap_or_else(|| "-".to_owned()),
            phases.iter().map(|phase| phase.in_flight_max).max().unwrap_or(0).to_string(),
            format!("{in_flight_mean:.1}"),
            whole(figures.wait.max_ns()),
            ms(figures.wait.mean_ns(), 1),
            format!("{:.1}", busy * 100.0),
            format!("{:.1}", self.memory_ratio * 100.0),
        ]);
        debug_assert_eq!(row.len(), layout::COLUMN_COUNT);
        row
    }

    /// Response times of each iteration, of each action, and of all.
    fn response_rows(&self) -> Vec<Row> {
        let mut rows = vec![self.heading()];
        for (index, phase) in self.phases.iter().enumerate() {
            rows.push(response_row(index.to_string(), &Self::figures_of_phase(phase)));
        }
        for (label, runs) in &self.actions {
            rows.push(response_row(label.clone(), &Self::figures_of_action(runs)));
        }
        rows.push(response_row(String::new(), &self.total()));
        rows
    }
}

fn response_row(label: String, figures: &Figures) -> Row {
    let time = |ns: Option<u64>| ns.map_or("-".to_owned(), units::duration);
    let response = &figures.response;
    let mut row =
        vec![String::new(), String::new(), label, time(response.mean_ns().map(|ns| ns.round() as u64))];
    row.extend([0.5, 0.9, 0.95, 0.99, 0.999].map(|quantile| time(response.carried_quantile_ns(quantile))));
    row.extend([time(response.max_ns()), time(figures.wait.max_ns())]);
    row
}
