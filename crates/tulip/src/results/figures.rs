//! The figures behind every table: benchmarks with their iterations, actions and totals, merged by Tulip's rules.
//!
//! Of a group: one row per iteration, one per action, one of all. Counts add up, histograms merge, minima and maxima stay so. What is known of
//! a whole benchmark only (queues, waits, processor, memory) is the greatest of the iterations', means too, in all of the rows: Tulip's
//! tables do that, and its users compare by them. Nothing is decoded before a row asks for it: a group may have thousands of histograms.

use crate::facts::{ActionFacts, BenchmarkFacts, Facts, ImportedRow};
use record::{ActionRecord, CountsRecord, Latencies, PhaseKind, PhaseRecord, RunRecord};
use stats::Histogram;
use units::NS_PER_SEC;

/// A record with what Tulip's reports need to know besides.
pub(crate) struct Results<'r> {
    pub(crate) record: &'r RunRecord,
    pub(crate) facts: Facts,
}

/// A benchmark in a context that has rows.
pub(crate) struct Group<'r> {
    pub(crate) results: &'r Results<'r>,
    pub(crate) benchmark: &'r BenchmarkFacts,
    pub(crate) iterations: Vec<Iteration<'r>>,
}

/// One measured run of a benchmark.
#[derive(Clone, Copy)]
pub(crate) struct Iteration<'r> {
    pub(crate) phase: &'r PhaseRecord,
    /// Where the run was read from a file.
    pub(crate) imported: Option<&'r ImportedRow>,
    /// Actions per second asked for, 0 as fast as possible.
    pub(crate) target_per_sec: f64,
    rss_bytes_max: u64,
    memory_bytes: u64,
}

/// What a row of a table shows.
#[derive(Default)]
pub(crate) struct Figures {
    pub(crate) ended: u64,
    pub(crate) failed: u64,
    /// Ended within the time of their iteration.
    pub(crate) ended_in_time: f64,
    /// Of the iterations in which any occurred.
    pub(crate) duration_ns: u64,
    pub(crate) service: Histogram,
    pub(crate) response: Histogram,
    pub(crate) wait: Histogram,
    /// When the greatest service time was, since the run's start, if that is known.
    pub(crate) max_at_ns: Option<u64>,
    pub(crate) whole: Whole,
}

/// What is known of a benchmark as a whole, not of its actions.
#[derive(Default, Clone, Copy)]
pub(crate) struct Whole {
    pub(crate) queue_max: f64,
    pub(crate) queue_mean: f64,
    pub(crate) wait_ns_max: f64,
    pub(crate) wait_ns_mean: f64,
    /// 1 is one CPU.
    pub(crate) cpu_ratio: f64,
    pub(crate) cpu_ns: u64,
    pub(crate) collection_ns: u64,
    pub(crate) memory_total_ratio: f64,
    pub(crate) memory_used_ratio: f64,
}

impl Whole {
    /// Tulip's rule: the greatest of each, means too; times of the processor add up.
    fn merge(&mut self, other: &Self) {
        let greatest = |mine: &mut f64, theirs: f64| *mine = mine.max(theirs);
        greatest(&mut self.queue_max, other.queue_max);
        greatest(&mut self.queue_mean, other.queue_mean);
        greatest(&mut self.wait_ns_max, other.wait_ns_max);
        greatest(&mut self.wait_ns_mean, other.wait_ns_mean);
        greatest(&mut self.cpu_ratio, other.cpu_ratio);
        greatest(&mut self.memory_total_ratio, other.memory_total_ratio);
        greatest(&mut self.memory_used_ratio, other.memory_used_ratio);
        self.cpu_ns = self.cpu_ns.saturating_add(other.cpu_ns);
        self.collection_ns = self.collection_ns.saturating_add(other.collection_ns);
    }
}

impl Figures {
    pub(crate) fn per_sec(&self) -> f64 {
        match self.duration_ns {
            0 => 0.0,
            duration_ns => self.ended_in_time / (duration_ns as f64 / NS_PER_SEC as f64),
        }
    }

    /// Takes in those of another iteration.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.ended = self.ended.saturating_add(other.ended);
        self.failed = self.failed.saturating_add(other.failed);
        self.ended_in_time += other.ended_in_time;
        self.duration_ns = self.duration_ns.saturating_add(other.duration_ns);
        if other.service.max_ns() > self.service.max_ns() {
            self.max_at_ns = other.max_at_ns;
        }
        self.add_times(&other.service, &other.response, &other.wait);
        self.whole.merge(&other.whole);
    }

    fn add_times(&mut self, service: &Histogram, response: &Histogram, wait: &Histogram) {
        self.service.merge(service);
        self.response.merge(response);
        self.wait.merge(wait);
    }

    fn add_counts(&mut self, counts: &CountsRecord) {
        self.ended = self.ended.saturating_add(counts.ended());
        self.failed = self.failed.saturating_add(counts.failed);
    }
}

/// The histogram of a record's times; nothing where the text is none.
fn histogram(latencies: &Latencies) -> Histogram {
    latencies.to_histogram().unwrap_or_default()
}

impl<'r> Results<'r> {
    /// `None`: the run was of something else than a configuration of Tulip.
    pub(crate) fn of(record: &'r RunRecord) -> Option<Self> {
        Some(Self { record, facts: Facts::of(&record.plan)? })
    }

    /// The groups that are reported, in the order of their run.
    pub(crate) fn groups(&'r self) -> impl Iterator<Item = Group<'r>> {
        self.facts.benchmarks.iter().filter_map(|benchmark| Group::of(self, benchmark))
    }

    /// The wall clock at a moment of the run.
    pub(crate) fn unix_ns(&self, since_start_ns: u64) -> u64 {
        self.record.started_unix_ns.saturating_add(since_start_ns)
    }

    /// The end of the first reported iteration, which Tulip takes for the time of all; the run's start where there is none.
    pub(crate) fn stamp_unix_ns(&self) -> u64 {
        let first = self.groups().next().and_then(|group| group.iterations.first().map(Iteration::end_ns));
        self.unix_ns(first.unwrap_or(0))
    }
}

impl<'r> Group<'r> {
    /// `None`: nothing of it is to be shown.
    fn of(results: &'r Results<'r>, benchmark: &'r BenchmarkFacts) -> Option<Self> {
        let Results { record, facts } = results;
        let iteration = |phase: &'r PhaseRecord| {
            let index = benchmark.phases.iter().position(|name| *name == phase.name)?;
            (phase.kind == PhaseKind::Measure).then(|| Iteration {
                phase,
                imported: facts.imported_row(&phase.name, phase.repeat_index),
                target_per_sec: benchmark.target_per_sec.get(index).copied().unwrap_or(0.0),
                rss_bytes_max: record.client.rss_bytes_max,
                memory_bytes: record.environment.memory_bytes,
            })
        };
        let iterations: Vec<_> = record.phases.iter().filter_map(iteration).collect();
        let is_shown = benchmark.is_saved && !iterations.is_empty();
        is_shown.then_some(Self { results, benchmark, iterations })
    }

    /// Of all iterations together.
    pub(crate) fn total(&self) -> Figures {
        let mut total = Figures::default();
        self.iterations.iter().for_each(|iteration| total.merge(&iteration.figures()));
        total
    }

    /// The length of all iterations.
    pub(crate) fn duration_ns(&self) -> u64 {
        self.iterations.iter().fold(0, |sum, iteration| sum.saturating_add(iteration.phase.duration_ns))
    }

    /// The mean of what the iterations asked for.
    pub(crate) fn target_per_sec(&self) -> f64 {
        let sum: f64 = self.iterations.iter().map(|iteration| iteration.target_per_sec).sum();
        sum / self.iterations.len().max(1) as f64
    }

    /// The actions that ran, by id, each merged over the iterations in which it did.
    pub(crate) fn actions(&self) -> impl Iterator<Item = (&'r ActionFacts, Figures)> {
        let mut known: Vec<&ActionFacts> = self.results.facts.actions.iter().collect();
        known.sort_by_key(|action| action.id);
        known.into_iter().filter_map(|action| {
            let mut figures: Option<Figures> = None;
            for iteration in &self.iterations {
                if let Some(of_iteration) = iteration.action(&action.action) {
                    figures.get_or_insert_default().merge(&of_iteration);
                }
            }
            figures.map(|figures| (action, figures))
        })
    }
}

impl<'r> Iteration<'r> {
    /// The end of its load, since the run's start.
    pub(crate) fn end_ns(&self) -> u64 {
        self.phase.start_ns.saturating_add(self.phase.duration_ns)
    }

    /// Of all its actions.
    pub(crate) fn figures(&self) -> Figures {
        let phase = self.phase;
        let mut figures = Figures { duration_ns: phase.duration_ns, ..Figures::default() };
        figures.add_counts(&phase.counts);
        figures.service = histogram(&phase.service_ns);
        figures.response = histogram(&phase.response_ns);
        figures.wait = histogram(&phase.wait_ns);
        (figures.ended_in_time, figures.max_at_ns) = match self.imported {
            Some(row) => (row.ended_in_time, row.max_at_ns),
            None => (self.in_time(), figures.service.max_ns().and_then(|max_ns| self.moment_of(max_ns))),
        };
        figures.whole = self.whole();
        figures
    }

    /// Of one of its actions; a list that names it several times has several records of it. `None`: it did not run.
    pub(crate) fn action(&self, name: &str) -> Option<Figures> {
        let phase = self.phase;
        let same: Vec<&ActionRecord> = phase.actions.iter().filter(|action| action.name == name).collect();
        if same.is_empty() {
            return None;
        }
        let mut figures = Figures { duration_ns: phase.duration_ns, ..Figures::default() };
        for action in same {
            figures.add_counts(&action.counts);
            let times = [&action.service_ns, &action.response_ns, &action.wait_ns].map(histogram);
            let [service, response, wait] = &times;
            figures.add_times(service, response, wait);
        }
        let imported = self.imported.map(|row| row.actions.iter().find(|action| action.action == name));
        (figures.ended_in_time, figures.max_at_ns) = match imported {
            Some(row) => row.map_or((0.0, None), |row| (row.ended_in_time, row.max_at_ns)),
            None => {
                let max_at = figures.service.max_ns().and_then(|max_ns| self.moment_of_action(name, max_ns));
                (self.in_time_of_action(name, figures.ended), max_at)
            }
        };
        figures.whole = self.whole();
        Some(figures)
    }

    fn whole(&self) -> Whole {
        let [used, total, most] = self.memory();
        let ratio = |bytes: u64| if most == 0 { 0.0 } else { bytes as f64 / most as f64 };
        let (memory_used_ratio, memory_total_ratio) = (ratio(used), ratio(total));
        if let Some(row) = self.imported {
            return Whole {
                queue_max: row.queue_max,
                queue_mean: row.queue_mean,
                wait_ns_max: row.wait_ns_max,
                wait_ns_mean: row.wait_ns_mean,
                cpu_ratio: row.cpu_ratio,
                cpu_ns: row.cpu_ns,
                collection_ns: row.collection_ns,
                memory_total_ratio,
                memory_used_ratio,
            };
        }
        let phase = self.phase;
        Whole {
            queue_max: phase.in_flight_max as f64,
            queue_mean: phase.in_flight_mean,
            wait_ns_max: phase.wait_ns.max.unwrap_or(0) as f64,
            wait_ns_mean: phase.wait_ns.mean.unwrap_or(0) as f64,
            cpu_ratio: phase.busy_ratio_max,
            cpu_ns: (phase.busy_ratio_max * phase.duration_ns as f64) as u64,
            collection_ns: 0,
            memory_total_ratio,
            memory_used_ratio,
        }
    }

    /// Memory in use, taken from the system, and the most there is.
    pub(crate) fn memory(&self) -> [u64; 3] {
        match self.imported {
            Some(row) => [row.memory_used_bytes, row.memory_total_bytes, row.memory_bytes_max],
            None => [self.rss_bytes_max, self.rss_bytes_max, self.memory_bytes],
        }
    }

    /// The intervals of the load, without those of the drain.
    fn loaded(&self) -> impl Iterator<Item = &'r record::IntervalRecord> {
        let end_ns = self.end_ns();
        self.phase.intervals.iter().filter(move |interval| interval.start_ns < end_ns)
    }

    /// Actions that ended before the load did.
    fn in_time(&self) -> f64 {
        self.loaded().map(|interval| interval.counts.ended()).sum::<u64>() as f64
    }

    /// The same of one action, from the intervals where these know actions apart, else its share.
    fn in_time_of_action(&self, name: &str, ended: u64) -> f64 {
        if self.loaded().any(|interval| !interval.actions.is_empty()) {
            let actions = self.loaded().flat_map(|interval| &interval.actions);
            return actions
                .filter(|action| action.name == name)
                .map(|action| action.counts.ended())
                .sum::<u64>() as f64;
        }
        match self.phase.counts.ended() {
            0 => 0.0,
            all => ended as f64 / all as f64 * self.in_time(),
        }
    }

    /// When a service time was seen: the end of the interval whose greatest it is, so to a second.
    fn moment_of(&self, max_ns: u64) -> Option<u64> {
        let interval =
            self.phase.intervals.iter().find(|interval| interval.service_ns.max == Some(max_ns))?;
        Some(interval.start_ns.saturating_add(interval.duration_ns))
    }

    /// The same of one action.
    fn moment_of_action(&self, name: &str, max_ns: u64) -> Option<u64> {
        let has = |interval: &&record::IntervalRecord| {
            interval.actions.iter().any(|action| action.name == name && action.service_ns.max == max_ns)
        };
        match self.phase.intervals.iter().find(has) {
            Some(interval) => Some(interval.start_ns.saturating_add(interval.duration_ns)),
            None => self.moment_of(max_ns),
        }
    }
}

/// `[3.HTTP-posts]`, or `[3]` where the configuration has no name for it.
pub(crate) fn label(action: &ActionFacts) -> String {
    match &action.name {
        Some(name) => format!("[{}.{name}]", action.id),
        None => format!("[{}]", action.id),
    }
}
