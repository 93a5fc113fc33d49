//! `weir search --cloudi`: CloudI's ticks, each a run with a phase per sender.

use super::files::{self, Results};
use super::lab::Lab;
use super::progress::Progress;
use super::subject::Subject;
use crate::args::SearchArgs;
use crate::exit::{Exit, Failure};
use crate::quick::flag_fault;
use crate::talk::Talk;
use plan::Diagnostic;
use record::{Latencies, PhaseRecord, RunRecord};
use search::cloudi::{CloudiRecord, Group, LogLevel, Settings, Tick, conclusions, statistics, tick_plan};
use stats::Histogram;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Shortest tick that CloudI allows.
const TICK_LENGTH_MS_MIN: u64 = 1000;
pub(crate) fn run(args: &SearchArgs, talk: &Talk) -> Result<Exit, Failure> {
    let subject = Subject::of(args, talk)?;
    let settings = settings(args)?;
    let budget_ns = units::parse_duration_ns(&args.budget)
        .map_err(|error| Failure::usage(&flag_fault("--budget", &error.to_string())))?;
    let mut record = blank(&subject, settings, args.cloudi.burst);
    let mut group = Group::new(settings);
    let mut window = Histogram::default();
    if let Some(path) = &args.output.resume {
        let earlier =
            files::read_kind("--resume", path, CloudiRecord::KIND).map_err(|fault| Failure::usage(&fault))?;
        window = resume(&mut group, &mut record, earlier).map_err(|fault| Failure::usage(&fault))?;
    }
    let results = Results::open(args, &subject, &record.search_id)?;
    let mut lab = Lab::new(&subject, &args.runner, 0, &record.search_id, talk)?;
    lab.skip(record.ticks.len());
    let mut progress = Progress::new(args.output.quiet);
    let spent_ns: u64 = record.ticks.iter().map(|tick| tick.elapsed_ns).sum();
    let began = Instant::now();
    while !is_over(&record, args)
        && began.elapsed().as_nanos() < u128::from(budget_ns.saturating_sub(spent_ns))
    {
        let asked: Vec<u64> = group.senders().iter().map(search::cloudi::Sender::rate_per_sec).collect();
        progress.begin_tick(title(&record, &group, &asked));
        let plan = tick_plan(&subject.plan, subject.phase_index, &group, settings, args.cloudi.burst);
        let tick = Instant::now();
        let Some(run) = lab.run(plan, 0, &mut progress)? else { break };
        let elapsed_ns = tick.elapsed().as_nanos() as u64;
        let completed: Vec<f64> = run.phases.iter().map(|phase| phase.achieved_per_sec).collect();
        for line in group.on_tick(&completed, elapsed_ns as f64 / 1e9) {
            let text = line.text.replace("(to NAME,", &format!("(to {},", record.name));
            progress.say(&format!("{} {text}", level(line.level)));
        }
        let invalid = failed_checks(&run);
        if invalid > 0 {
            progress.say(&format!("{} {invalid} requests failed validation", level(LogLevel::Error)));
        }
        let keeps_rate =
            settings.request_rate.is_some() || group.senders().iter().all(|sender| sender.stable_count() > 0);
        if !keeps_rate {
            window.clear();
        }
        gather(&run.phases, keeps_rate, &mut window);
        record.ticks.push(Tick { asked_per_sec: asked, completed_per_sec: completed, elapsed_ns });
        record.stable = group.stable();
        record.response_ns = Latencies::of(&window);
        results.keep(&record)?;
    }
    progress.clear();
    tell(&record, &window, &results, lab.is_stopped(), talk)
}

fn blank(subject: &Subject, settings: Settings, is_burst: bool) -> CloudiRecord {
    let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    CloudiRecord {
        kind: CloudiRecord::KIND.to_owned(),
        schema_version: search::SCHEMA_VERSION,
        search_id: format!("{:x}", started.as_millis()),
        name: subject.plan.name.clone(),
        started_unix_ns: started.as_nanos() as u64,
        settings,
        is_burst,
        ticks: Vec::new(),
        stable: None,
        response_ns: Latencies::default(),
    }
}

/// Whether all senders have been stable for as long as was asked for.
fn is_over(record: &CloudiRecord, args: &SearchArgs) -> bool {
    record.stable.is_some_and(|stable| stable.count > u64::from(args.cloudi.stable_ticks))
}

/// Tells the senders the ticks that were made already; what they completed in the stable ones comes back.
fn resume(
    group: &mut Group,
    record: &mut CloudiRecord,
    earlier: CloudiRecord,
) -> Result<Histogram, Diagnostic> {
    let other = |what: &str| {
        Diagnostic::error(format!("--resume: that search had {what}"))
            .hint("give the same flags, or begin anew without --resume")
    };
    if earlier.name != record.name {
        return Err(other(&format!("another subject: {}", earlier.name)));
    }
    if earlier.settings != record.settings || earlier.is_burst != record.is_burst {
        return Err(other("other options"));
    }
    let window = earlier.response_ns.to_histogram();
    let window = window.map_err(|error| other(&format!("a histogram that can't be read: {error}")))?;
    for tick in &earlier.ticks {
        group.on_tick(&tick.completed_per_sec, tick.elapsed_ns as f64 / 1e9);
    }
    *record = CloudiRecord { stable: group.stable(), ..earlier };
    Ok(window)
}

/// `tick 12, 40,000/s, stable 7 of 24`
fn title(record: &CloudiRecord, group: &Group, asked: &[u64]) -> String {
    let least = group.senders().iter().map(search::cloudi::Sender::stable_count).min().unwrap_or_default();
    let stable = match (record.settings.request_rate, least) {
        (Some(_), _) | (None, 0) => String::new(),
        (None, count) => format!(", stable {count} of {}", record.settings.tick_stable_count),
    };
    let rate = units::count(asked.iter().fold(0, |sum: u64, rate| sum.saturating_add(*rate)));
    format!("tick {}, {rate}/s{stable}", record.ticks.len() + 1)
}

/// CloudI's block on stdout, and on stderr what it does not say.
fn tell(
    record: &CloudiRecord,
    window: &Histogram,
    results: &Results<'_>,
    is_stopped: bool,
    talk: &Talk,
) -> Result<Exit, Failure> {
    let text = record.stable.map_or(String::new(), |stable| {
        format!(
            "stable at {:.1} [{:.1} .. {:.1}] requests/second\n{}",
            stable.mean,
            stable.min,
            stable.max,
            statistics(window)
        )
    });
    let shown = if text.is_empty() { "not stable\n" } else { &text };
    let markdown = format!("### {}: as CloudI\n\n```\n{shown}```\n", units::markup::markdown(&record.name));
    results.finish(record, &text, &markdown, None)?;
    if is_stopped {
        results.say_how_to_go_on(talk);
    }
    if record.stable.is_none() {
        talk.say("not stable: the search ended before every sender kept a rate\nhint: give a larger --budget, or a lower --tick-stable-count");
        return Ok(if is_stopped { Exit::Aborted } else { Exit::ObjectiveMissed });
    }
    for conclusion in conclusions(window) {
        talk.say(&format!("note: {conclusion}"));
    }
    talk.say("note: this search settles above the capacity of a quiet service and below that of a noisy one; `weir search` without --cloudi does not");
    Ok(if is_stopped { Exit::Aborted } else { Exit::Done })
}

fn level(level: LogLevel) -> &'static str {
    match level {
        LogLevel::Debug => "DEBUG",
        LogLevel::Info => "INFO ",
        LogLevel::Warn => "WARN ",
        LogLevel::Error => "ERROR",
    }
}

fn settings(args: &SearchArgs) -> Result<Settings, Failure> {
    let wrong = |message: &str| Failure::usage(&flag_fault("--tick-length", message));
    let tick_ns =
        units::parse_duration_ns(&args.cloudi.tick_length).map_err(|error| wrong(&error.to_string()))?;
    let tick_length_ms = tick_ns / units::NS_PER_MS;
    if tick_length_ms < TICK_LENGTH_MS_MIN {
        return Err(wrong("a tick is at least a second long; give 1s or more"));
    }
    Ok(Settings {
        request_rate: args.cloudi.request_rate,
        tick_length_ms,
        tick_stable_count: args.cloudi.tick_stable_count,
        count_process: args.cloudi.count_process,
    })
}

/// Answers that came and were not as they should be.
fn failed_checks(run: &RunRecord) -> u64 {
    let classes = ["status", "check"];
    run.phases.iter().flat_map(|phase| classes.into_iter().filter_map(|class| phase.errors.get(class))).sum()
}

fn gather(phases: &[PhaseRecord], keeps_rate: bool, window: &mut Histogram) {
    if !keeps_rate {
        return;
    }
    for phase in phases {
        // A histogram that this program wrote can be read.
        if let Ok(histogram) = phase.response_ns.to_histogram() {
            window.merge(&histogram);
        }
    }
}
