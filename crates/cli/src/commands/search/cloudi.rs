//! `weir search --cloudi`: CloudI's ticks, each a run with a phase per sender.

use super::lab::Lab;
use super::progress::Progress;
use super::subject::Subject;
use crate::args::SearchArgs;
use crate::exit::{self, Exit, Failure};
use crate::quick::flag_fault;
use crate::talk::Talk;
use record::{PhaseRecord, RunRecord};
use search::cloudi::{Group, LogLevel, Settings, Stable, conclusions, statistics, tick_plan};
use stats::Histogram;
use std::io::Write as _;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Shortest tick that CloudI allows.
const TICK_LENGTH_MS_MIN: u64 = 1000;

pub(crate) fn run(args: &SearchArgs, talk: &Talk) -> Result<Exit, Failure> {
    let subject = Subject::of(args, talk)?;
    let settings = settings(args)?;
    let budget_ns = units::parse_duration_ns(&args.budget)
        .map_err(|error| Failure::usage(&flag_fault("--budget", &error.to_string())))?;
    let id = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let mut lab = Lab::new(&subject, &args.runner, 0, &format!("{id:x}"), talk)?;
    let mut progress = Progress::new(args.output.quiet);
    let mut group = Group::new(settings);
    // Of all ticks since every sender keeps its rate.
    let mut window = Histogram::default();
    let began = Instant::now();
    let mut found: Option<Stable> = None;
    for number in 1u64.. {
        let rate: u64 = group.senders().iter().map(search::cloudi::Sender::rate_per_sec).sum();
        progress.begin(format!("tick {number}, {}/s", units::count(rate)));
        let plan = tick_plan(&subject.plan, subject.phase_index, &group, settings, args.cloudi.burst);
        let tick = Instant::now();
        let Some(run) = lab.run(plan, 0, &mut progress)? else { break };
        let completed: Vec<f64> = run.phases.iter().map(|phase| phase.achieved_per_sec).collect();
        for line in group.on_tick(&completed, tick.elapsed().as_secs_f64()) {
            let name = subject.plan.name.as_str();
            progress.say(&format!(
                "{} {}",
                level(line.level),
                line.text.replace("(to NAME,", &format!("(to {name},"))
            ));
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
        found = group.stable();
        let is_enough = found.is_some_and(|stable| stable.count > u64::from(args.cloudi.stable_ticks));
        if is_enough || began.elapsed().as_nanos() >= u128::from(budget_ns) {
            break;
        }
    }
    progress.clear();
    tell(found, &window, lab.is_stopped(), talk)
}

/// CloudI's block on stdout, and on stderr what it does not say.
fn tell(found: Option<Stable>, window: &Histogram, is_stopped: bool, talk: &Talk) -> Result<Exit, Failure> {
    let Some(stable) = found else {
        talk.say("not stable: the search ended before every sender kept a rate\nhint: give a larger --budget, or a lower --tick-stable-count");
        return Ok(if is_stopped { Exit::Aborted } else { Exit::ObjectiveMissed });
    };
    let text = format!(
        "stable at {:.1} [{:.1} .. {:.1}] requests/second\n{}",
        stable.mean,
        stable.min,
        stable.max,
        statistics(window)
    );
    exit::of_stdout(std::io::stdout().write_all(text.as_bytes()))?;
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
