//! Rows into a record: every number is held against what it can be, and what the file does not tell is said.

use super::file::{Action, File, Row, Unit};
use crate::config::{Config, Dialect};
use crate::facts::{ActionFacts, BenchmarkFacts, Facts, ImportedAction, ImportedRow};
use crate::faults::Faults;
use crate::results::config::facts_of;
use crate::{date, json, read};
use ::record::{
    ActionRecord, Client, CountsRecord, Environment, Latencies, LoadModel, PhaseKind, PhaseRecord, Reason,
    ReasonCode, RunRecord, SCHEMA_VERSION, TrafficRecord, Verdict, VerdictState,
};
use stats::Histogram;
use std::collections::{BTreeMap, BTreeSet};
use units::NS_PER_SEC;

/// Longest text of a configuration that is read again; those that Tulip repeats have a few kilobytes.
const CONFIG_BYTES_MAX: usize = 128 << 10;
/// Counts beyond this are none: a double tells no whole numbers apart above it.
const COUNT_MAX: f64 = (1u64 << 53) as f64;
/// Times beyond this are none: thirty years.
const TIME_NS_MAX: f64 = 1e18;
/// Ids, users, threads and tokens beyond this are none.
const SMALL_MAX: f64 = 1e6;

/// Makes the record of a file. `text` gives it its id, so that the same file read twice is the same run.
///
/// # Errors
/// In words: which row, which key.
pub(crate) fn build(file: &File, text: &str) -> Result<RunRecord, String> {
    let first = file.rows.first().ok_or("it holds no rows")?;
    let config = config_of(&file.config);
    let started_unix_ns =
        file.rows.iter().filter_map(|row| date::unix_ns_of(&row.test_begin)).min().unwrap_or(0);
    let mut book = Book {
        unit: file.unit(),
        started_unix_ns,
        facts: config.as_ref().map_or_else(no_facts, facts_of),
        phases: Vec::new(),
        notes: Vec::new(),
        names: BTreeMap::new(),
        taken: BTreeSet::new(),
    };
    if let Some(version) = &file.version {
        book.notes.push(format!("a result of Tulip {version}"));
    } else {
        book.notes.push("a result of Tulip before 2.0.5".to_owned());
    }
    let has_one_context = file.rows.iter().all(|row| row.context_name == first.context_name);
    let mut from = 0;
    while from < file.rows.len() {
        let next = file
            .rows
            .iter()
            .skip(from + 1)
            .position(|row| row.row_id == 0.0 || row.bm_name != file.rows[from].bm_name);
        let to = next.map_or(file.rows.len(), |length| from + 1 + length);
        let rows = file.rows.get(from..to).unwrap_or_default();
        book.group(rows, from, has_one_context, config.as_ref())?;
        from = to;
    }
    if config.is_none() {
        book.notes.push(
            "its configuration could not be read, so that actions may have no names and rates no targets"
                .to_owned(),
        );
    }
    Ok(finished(book, file, text))
}

/// The configuration that a file repeats.
fn config_of(text: &str) -> Option<Config> {
    if text.len() > CONFIG_BYTES_MAX {
        return None;
    }
    let mut faults = Faults::new("", text);
    let node = json::parse(text, &mut faults)?;
    read::is_config(&node).then(|| read::config(&node, &mut faults))
}

/// Of a file that repeats no configuration.
fn no_facts() -> Facts {
    Facts { dialect: Dialect::G.to_string(), ..Facts::default() }
}

/// What has been read so far.
struct Book {
    unit: Unit,
    started_unix_ns: u64,
    facts: Facts,
    phases: Vec<PhaseRecord>,
    notes: Vec<String>,
    /// Names of groups, and how often each has come.
    names: BTreeMap<String, u32>,
    taken: BTreeSet<String>,
}

/// Where a number stands, for messages.
#[derive(Clone, Copy)]
struct Place<'p> {
    row_number: usize,
    action: Option<&'p str>,
}

impl Place<'_> {
    fn wrong(self, key: &str, what: impl std::fmt::Display) -> String {
        let action =
            self.action.map_or(String::new(), |id| format!(" of action {}", crate::faults::quoted(id)));
        format!("`{key}`{action} in row {} {what}", self.row_number)
    }

    fn within(self, key: &str, value: f64, max: f64) -> Result<f64, String> {
        match value {
            value if (0.0..=max).contains(&value) => Ok(value),
            _ => Err(self.wrong(key, format_args!("is {value}, which it can't be"))),
        }
    }

    fn count(self, key: &str, value: f64) -> Result<u64, String> {
        Ok(self.within(key, value, COUNT_MAX)?.trunc() as u64)
    }

    fn small(self, key: &str, value: f64) -> Result<u32, String> {
        Ok(self.within(key, value, SMALL_MAX)?.trunc() as u32)
    }
}

/// The numbers that rows and actions have in common.
struct Numbers<'n> {
    num_actions: f64,
    num_failed: f64,
    avg_rt: Option<f64>,
    min_rt: Option<f64>,
    max_rt: Option<f64>,
    histogram: &'n str,
}

impl<'n> From<&'n Row> for Numbers<'n> {
    fn from(row: &'n Row) -> Self {
        let Row { num_actions, num_failed, avg_rt, min_rt, max_rt, .. } = *row;
        Self { num_actions, num_failed, avg_rt, min_rt, max_rt, histogram: &row.hdr_histogram_rt }
    }
}

impl<'n> From<&'n Action> for Numbers<'n> {
    fn from(action: &'n Action) -> Self {
        let Action { num_actions, num_failed, avg_rt, min_rt, max_rt, .. } = *action;
        Self { num_actions, num_failed, avg_rt, min_rt, max_rt, histogram: &action.hdr_histogram_rt }
    }
}

impl Book {
    /// The iterations of one benchmark. Where they asked for different rates, each step is a phase of its own, as when Weir runs it.
    fn group(
        &mut self,
        rows: &[Row],
        from: usize,
        has_one_context: bool,
        config: Option<&Config>,
    ) -> Result<(), String> {
        let Some(first) = rows.first() else { return Ok(()) };
        let place = Place { row_number: from + 1, action: None };
        let benchmark = first.bm_name.trim();
        let name = if has_one_context {
            benchmark.to_owned()
        } else {
            format!("{} / {benchmark}", first.context_name)
        };
        let name = self.unique(name);
        let targets =
            rows.iter().enumerate().map(|(index, row)| target(row, index, config)).collect::<Vec<_>>();
        let has_steps = targets.iter().any(|target| Some(target) != targets.first());
        let mut facts = BenchmarkFacts {
            context_index: place.small("context_id", first.context_id)? as usize,
            context: first.context_name.clone(),
            benchmark_index: place.small("bm_id", first.bm_id)? as usize,
            benchmark: first.bm_name.clone(),
            user_count: place.small("num_users", first.num_users)?,
            thread_count: place.small("num_threads", first.num_threads)?,
            token_count: place.small("queue_length", first.queue_length)?,
            workflow: (!first.workflow_name.is_empty()).then(|| first.workflow_name.clone()),
            is_saved: true,
            phases: Vec::new(),
            target_per_sec: Vec::new(),
        };
        let mut repeat_index = 0;
        for (index, (row, target)) in rows.iter().zip(&targets).enumerate() {
            if index == 0 || (has_steps && targets.get(index - 1) != Some(target)) {
                let step = facts.phases.len() + 1;
                facts.phases.push(if has_steps { format!("{name} step {step}") } else { name.clone() });
                facts.target_per_sec.push(*target);
                repeat_index = 0;
            }
            let phase = facts.phases.last().cloned().unwrap_or_default();
            self.row(row, from + index + 1, &phase, repeat_index, *target)?;
            repeat_index += 1;
        }
        self.facts.benchmarks.push(facts);
        Ok(())
    }

    /// A name that no group has yet: a number behind it from the second of a name on.
    fn unique(&mut self, name: String) -> String {
        let number = self.names.entry(name.clone()).or_insert(0);
        loop {
            *number += 1;
            let unique = if *number == 1 { name.clone() } else { format!("{name} ({number})") };
            // A group may be called by itself what another is called with its number.
            if self.taken.insert(unique.clone()) {
                return unique;
            }
        }
    }

    fn row(
        &mut self,
        row: &Row,
        row_number: usize,
        phase: &str,
        repeat_index: u32,
        target: f64,
    ) -> Result<(), String> {
        let place = Place { row_number, action: None };
        let seconds = place.within("duration", row.duration, TIME_NS_MAX / NS_PER_SEC as f64)?;
        let duration_ns = (seconds * NS_PER_SEC as f64).round() as u64;
        let begin = date::unix_ns_of(&row.test_begin);
        let end = date::unix_ns_of(&row.test_end).map(|end| end.saturating_sub(duration_ns));
        let start_ns = begin.or(end).map_or(0, |at| at.saturating_sub(self.started_unix_ns));
        let (counts, service_ns) = self.times(&row.into(), place)?;
        let mut imported = self.imported(row, place, seconds)?;
        imported.phase = phase.to_owned();
        imported.repeat_index = repeat_index;
        let mut actions = Vec::new();
        for (id, action) in &row.user_actions {
            let place = Place { row_number, action: Some(id) };
            let (counts, service_ns) = self.times(&action.into(), place)?;
            let name = self.action_name(id, action, place)?;
            imported.actions.push(ImportedAction {
                action: name.clone(),
                ended_in_time: in_time(action.avg_aps, seconds, action.num_actions, place)?,
                max_at_ns: self.moment(&action.max_rt_ts),
            });
            actions.push(ActionRecord {
                name,
                counts,
                errors: BTreeMap::new(),
                service_ns,
                response_ns: Latencies::default(),
                wait_ns: Latencies::default(),
            });
        }
        // The rate that the row says, without those that failed.
        let completed_ratio = counts.completed as f64 / counts.ended().max(1) as f64;
        let per_sec = if seconds > 0.0 { imported.ended_in_time * completed_ratio / seconds } else { 0.0 };
        self.facts.imported.push(imported);
        self.phases.push(PhaseRecord {
            name: phase.to_owned(),
            kind: PhaseKind::Measure,
            load_model: if target > 0.0 { LoadModel::Open } else { LoadModel::Closed },
            repeat_index,
            start_ns,
            duration_ns,
            drain_ns: 0,
            offered_per_sec: (target > 0.0).then_some(target),
            achieved_per_sec: per_sec,
            counts,
            errors: BTreeMap::new(),
            bytes_sent: 0,
            bytes_received: 0,
            traffic: TrafficRecord::default(),
            in_flight_mean: 0.0,
            in_flight_max: 0,
            think_ns: 0,
            service_ns,
            response_ns: Latencies::default(),
            wait_ns: Latencies::default(),
            lateness_ns: Latencies::default(),
            busy_ratio_max: 0.0,
            off_cpu_ratio_max: None,
            actions,
            requests: Vec::new(),
            checks: Vec::new(),
            intervals: Vec::new(),
        });
        Ok(())
    }

    /// Counts and service times. What Tulip counted was begun and ended; what was due is not known to it.
    fn times(
        &mut self,
        numbers: &Numbers<'_>,
        place: Place<'_>,
    ) -> Result<(CountsRecord, Latencies), String> {
        let all = place.count("num_actions", numbers.num_actions)?;
        let failed = place.count("num_failed", numbers.num_failed)?;
        let completed =
            all.checked_sub(failed).ok_or_else(|| place.wrong("num_failed", "is more than `num_actions`"))?;
        let read = Histogram::from_base64_of_unit(numbers.histogram, self.unit.histogram_ns);
        let histogram = read.map_err(|error| place.wrong("histogram_rt", format_args!("is {error}")))?;
        if histogram.count() > all {
            return Err(place.wrong("histogram_rt", "holds more than `num_actions`"));
        }
        if histogram.count() < all {
            self.note("of times that its clock took for zero it has no histogram, so that they are in no percentile");
        }
        let time = |key, value: Option<f64>| {
            let ns = value.map(|value| place.within(key, value * self.unit.time_ns, TIME_NS_MAX));
            ns.transpose()
        };
        let [least, mean, greatest] = [
            time("min_rt", numbers.min_rt)?,
            time("avg_rt", numbers.avg_rt)?,
            time("max_rt", numbers.max_rt)?,
        ];
        let of_histogram = [histogram.min_ns(), histogram.max_ns()].map(|ns| ns.unwrap_or(0) as f64);
        let exact_min = least.unwrap_or(of_histogram[0]).round() as u64;
        let exact_max = greatest.unwrap_or(of_histogram[1]).round() as u64;
        let mean_ns = mean.or(histogram.mean_ns()).unwrap_or(0.0);
        if exact_min > exact_max {
            return Err(place.wrong("min_rt", "is more than `max_rt`"));
        }
        let sum_ns = (mean_ns * histogram.count() as f64).round() as u128;
        let service = Latencies::of(&histogram.with_exact(exact_min, exact_max, sum_ns));
        let counts = CountsRecord { due: all, started: all, completed, failed, ..CountsRecord::default() };
        Ok((counts, service))
    }

    /// What the row says beyond what a record holds.
    fn imported(&self, row: &Row, place: Place<'_>, seconds: f64) -> Result<ImportedRow, String> {
        let time = |key: &str, value: Option<f64>| {
            place.within(key, value.unwrap_or(0.0) * self.unit.time_ns, TIME_NS_MAX)
        };
        let count = |key: &str, value: Option<f64>| place.count(key, value.unwrap_or(0.0));
        let number = |key: &str, value: Option<f64>| place.within(key, value.unwrap_or(0.0), COUNT_MAX);
        let percent = row.process_cpu_utilization.or(row.system_cpu_utilization);
        Ok(ImportedRow {
            ended_in_time: in_time(row.avg_aps, seconds, row.num_actions, place)?,
            queue_max: number("max_wthread_qsize", row.max_wthread_qsize)?,
            queue_mean: number("avg_wthread_qsize", row.avg_wthread_qsize)?,
            wait_ns_max: time("max_wt", row.max_wt)?,
            wait_ns_mean: time("avg_wt", row.avg_wt)?,
            cpu_ratio: number("process_cpu_utilization", percent)? / 100.0,
            cpu_ns: count("process_cpu_time_ns", row.process_cpu_time_ns)?,
            collection_ns: count("process_cgc_time_ns", row.process_cgc_time_ns)?,
            memory_used_bytes: count("jvm_memory_used", Some(row.jvm_memory_used))?,
            memory_total_bytes: count("jvm_memory_total", Some(row.jvm_memory_total))?,
            memory_bytes_max: count("jvm_memory_maximum", Some(row.jvm_memory_maximum))?,
            max_at_ns: self.moment(&row.max_rt_ts),
            ..ImportedRow::default()
        })
    }

    fn moment(&self, stamp: &str) -> Option<u64> {
        date::unix_ns_of(stamp).map(|at| at.saturating_sub(self.started_unix_ns))
    }

    /// The action's name as a run of Weir would record it.
    fn action_name(&mut self, id: &str, action: &Action, place: Place<'_>) -> Result<String, String> {
        let number = id.parse::<u32>().ok().filter(|id| f64::from(*id) <= SMALL_MAX);
        let number = number.ok_or_else(|| place.wrong("user_actions", "has no whole number for an id"))?;
        if let Some(known) = self.facts.actions.iter().find(|known| known.id == number) {
            return Ok(known.action.clone());
        }
        let named = self.facts.config.as_ref().and_then(|config| config.user_actions.get(&number));
        let short = |name: &str| name.split(',').next().unwrap_or_default().trim().to_owned();
        let name = named.map(|name| short(name));
        let own = Some(short(&action.name)).filter(|name| !name.is_empty());
        let plain =
            name.clone().filter(|name| !name.is_empty()).or(own).unwrap_or_else(|| format!("action{number}"));
        let is_taken = self.facts.actions.iter().any(|known| known.action == plain);
        let unique = if is_taken { format!("{plain} ({number})") } else { plain };
        self.facts.actions.push(ActionFacts { action: unique.clone(), id: number, name });
        Ok(unique)
    }

    fn note(&mut self, text: &str) {
        if !self.notes.iter().any(|note| note == text) {
            self.notes.push(text.to_owned());
        }
    }
}

/// What ended within the time, from the rate that is said; else all.
fn in_time(per_sec: Option<f64>, seconds: f64, all: f64, place: Place<'_>) -> Result<f64, String> {
    match per_sec {
        Some(per_sec) => place.within("avg_aps", per_sec * seconds, COUNT_MAX),
        None => Ok(all),
    }
}

/// The rate asked for: as the row says, or in older files as the configuration does; 0 as fast as possible.
fn target(row: &Row, index: usize, config: Option<&Config>) -> f64 {
    let configured = || {
        let benchmark = config?.benchmarks.iter().find(|benchmark| benchmark.name == row.bm_name)?;
        let step = index as f64 / f64::from(benchmark.rate_step_count.max(1));
        let is_timed = benchmark.duration_s > 0;
        is_timed.then(|| benchmark.rate.value + step.floor() * benchmark.rate_step_change)
    };
    let rate = row.aps_target_rate.or_else(configured).unwrap_or(0.0);
    if rate.is_finite() { rate.clamp(0.0, COUNT_MAX) } else { 0.0 }
}

fn finished(book: Book, file: &File, text: &str) -> RunRecord {
    let Book { started_unix_ns, facts, phases, mut notes, .. } = book;
    notes.push(
        "bytes, connections, kinds of failures, what was in flight, seconds apart, and the generator's own cost are not in it"
            .to_owned(),
    );
    notes.push("its clock's time zone is not in it; moments are shown as if they were UTC".to_owned());
    let end_ns = phases.iter().map(|phase| phase.start_ns.saturating_add(phase.duration_ns)).max();
    let version = file.version.as_deref().unwrap_or("before 2.0.5");
    let missing = "a result of Tulip: its times count from the moment an action was begun, so what waited before that is in none of them; when and whether the generator itself was late, busy or held up is not known";
    let mut reasons = vec![Reason {
        code: ReasonCode::Environment,
        state: VerdictState::Suspect,
        message: missing.to_owned(),
        hint: "run its configuration with weir for response times and a verdict".to_owned(),
    }];
    if file.is_cut {
        reasons.push(Reason {
            code: ReasonCode::Aborted,
            state: VerdictState::Suspect,
            message: "the file ends in the midst of it".to_owned(),
            hint: "what it holds until then is kept".to_owned(),
        });
    }
    reasons.extend(notes.iter().map(|note| Reason {
        code: ReasonCode::Environment,
        state: VerdictState::Valid,
        message: note.clone(),
        hint: "compare only with results of the same kind".to_owned(),
    }));
    let mut plan = serde_json::json!({ "name": facts.description });
    let name = if facts.description.is_empty() { "tulip".to_owned() } else { facts.description.clone() };
    facts.put_into(&mut plan);
    let runtime = [file.java.vendor.as_str(), file.java.version.as_str()].join(" ").trim().to_owned();
    if !runtime.is_empty() {
        notes.push(format!("its runtime was {runtime}"));
    }
    RunRecord {
        schema_version: SCHEMA_VERSION,
        run_id: run_id(started_unix_ns, text),
        name,
        origin: format!("tulip {version}"),
        labels: BTreeMap::new(),
        started_unix_ns,
        duration_ns: end_ns.unwrap_or(0),
        aborted: file.is_cut.then(|| "its file ends in the midst of it".to_owned()),
        plan,
        environment: Environment { notes, ..Environment::default() },
        verdict: Verdict { state: VerdictState::Suspect, reasons },
        slos: Vec::new(),
        phases,
        client: Client::default(),
    }
}

/// Nine letters of Crockford's base 32 for the milliseconds, so that ids sort by time, and two of the text, so that a file has one id.
fn run_id(unix_ns: u64, text: &str) -> String {
    const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let digit = |value: u64| char::from(DIGITS.get((value & 31) as usize).copied().unwrap_or(b'0'));
    // FNV-1a (Fowler, Noll, Vo), 64 bits.
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325, mix);
    let unix_ms = unix_ns / units::NS_PER_MS;
    (0..9).rev().map(|place| digit(unix_ms >> (5 * place))).chain([digit(hash), digit(hash >> 5)]).collect()
}
