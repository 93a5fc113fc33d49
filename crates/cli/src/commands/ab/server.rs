//! Servers that the comparison starts: each a process group of its own, waited for at its address, stopped with all that it started.

use super::sides::{Place, Sides};
use crate::args::AbArgs;
use crate::exit::{Exit, Failure};
use crate::quick::flag_fault;
use compare::PairedSide;
use plan::Diagnostic;
use rustix::process::{Pid, Signal, kill_process_group};
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How often is looked whether a server listens or is gone.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// A server that was asked to end has so long before it is made to.
const STOP_WITHIN: Duration = Duration::from_secs(5);
/// So much of a server's output is shown when it did not start.
const OUTPUT_SHOWN_BYTES: u64 = 2_000;

/// The servers of both sides, as far as there are commands for them.
pub(super) struct Servers {
    commands: [Option<Launch>; 2],
    running: [Option<Served>; 2],
    is_relaunching: bool,
    /// A against A: both sides are one server.
    is_same: bool,
    start_limit: Duration,
    /// Hears of signals, so that waiting ends with them.
    told: Receiver<()>,
}

/// How to start one.
struct Launch {
    command: String,
    place: Place,
    log: PathBuf,
}

/// One that runs.
struct Served {
    child: Child,
    place: Place,
}

impl Servers {
    pub(super) fn of(args: &AbArgs, sides: &Sides, told: Receiver<()>) -> Result<Self, Failure> {
        let limit_ns = units::parse_duration_ns(&args.start_timeout);
        let limit_ns =
            limit_ns.map_err(|error| Failure::usage(&flag_fault("--start-timeout", &error.to_string())))?;
        let launch = |command: &Option<String>, side: PairedSide| {
            command.as_ref().map(|command| Launch {
                command: command.clone(),
                place: sides.place(side),
                log: args.logs.join(format!("{}-{}.log", std::process::id(), side.as_str())),
            })
        };
        let commands = [launch(&args.cmd_a, PairedSide::A), launch(&args.cmd_b, PairedSide::B)];
        let has_one_address = !args.aa && sides.place(PairedSide::A) == sides.place(PairedSide::B);
        if args.relaunch && commands.iter().all(Option::is_none) {
            let message = "there is no server to start anew; give --cmd-a and --cmd-b";
            return Err(Failure::usage(&flag_fault("--relaunch", message)));
        }
        if has_one_address && commands.iter().any(Option::is_none) && !sides.has_own_plans() {
            let message = format!("A and B are both at {}", sides.place(PairedSide::A));
            let hint = "name two targets, or give each a server to start there (--cmd-a, --cmd-b), or compare a target with itself: --aa";
            return Err(Failure::usage(&Diagnostic::error(message).hint(hint)));
        }
        if commands.iter().any(Option::is_some) {
            std::fs::create_dir_all(&args.logs).map_err(|error| {
                let message =
                    format!("--logs: can't make `{}`: {}", args.logs.display(), units::system_words(&error));
                Failure::usage(&Diagnostic::error(message).hint("name a folder that you may write"))
            })?;
        }
        let is_relaunching = args.relaunch || (has_one_address && commands.iter().all(Option::is_some));
        let start_limit = Duration::from_nanos(limit_ns);
        Ok(Self { commands, running: [None, None], is_relaunching, is_same: args.aa, start_limit, told })
    }

    /// Whether each slice has a launch of its own.
    pub(super) fn is_relaunching(&self) -> bool {
        self.is_relaunching
    }

    fn index(&self, side: PairedSide) -> usize {
        usize::from(side == PairedSide::B && !self.is_same)
    }

    /// Makes sure that the side's server listens, if it is ours to start. `false`: the user wants to end.
    pub(super) fn ensure(&mut self, side: PairedSide) -> Result<bool, Failure> {
        let index = self.index(side);
        let (Some(launch), Some(place)) =
            (self.commands.get(index).and_then(Option::as_ref), self.running.get_mut(index))
        else {
            return Ok(true);
        };
        if let Some(served) = place {
            return match served.child.try_wait() {
                Ok(None) => Ok(true),
                _ => Err(launch.failed("ended while it was measured")),
            };
        }
        *place = Some(launch.start()?);
        self.wait_for(index)
    }

    fn wait_for(&mut self, index: usize) -> Result<bool, Failure> {
        let until = Instant::now() + self.start_limit;
        let (Some(Some(launch)), Some(Some(served))) =
            (self.commands.get(index), self.running.get_mut(index))
        else {
            return Ok(true);
        };
        loop {
            if !matches!(served.child.try_wait(), Ok(None)) {
                return Err(launch.failed("ended before it listened"));
            }
            if served.place.listens() {
                return Ok(true);
            }
            if Instant::now() > until {
                return Err(launch.failed("does not listen there yet"));
            }
            match self.told.recv_timeout(LOOK_EVERY) {
                Err(RecvTimeoutError::Timeout) => {}
                Ok(()) | Err(RecvTimeoutError::Disconnected) => return Ok(false),
            }
        }
    }

    /// After a slice: its server goes when the next slice is to have a new one.
    pub(super) fn slice_ended(&mut self, side: PairedSide) -> Result<(), Failure> {
        let index = self.index(side);
        if !self.is_relaunching {
            return Ok(());
        }
        let Some(served) = self.running.get_mut(index).and_then(Option::take) else { return Ok(()) };
        let place = served.place.clone();
        drop(served);
        // The kernel takes a moment to close what a killed process had open.
        let until = Instant::now() + STOP_WITHIN;
        while place.listens() && Instant::now() < until && self.told.recv_timeout(LOOK_EVERY).is_err() {}
        if place.listens() {
            let message = format!(
                "the server of {} was stopped, and something still listens at {place}",
                side.as_str().to_uppercase()
            );
            let hint = "let the command stay in the foreground, so that it ends with its process group";
            return Err(Failure::usage(&Diagnostic::error(message).hint(hint)));
        }
        Ok(())
    }

    pub(super) fn stop_all(&mut self) {
        self.running = [None, None];
    }
}

impl Launch {
    fn start(&self) -> Result<Served, Failure> {
        if self.place.listens() {
            let message =
                format!("`{}` is to listen at {}, where something listens already", self.command, self.place);
            let hint = "stop that first, or leave the command out to measure what is there";
            return Err(Failure::usage(&Diagnostic::error(message).hint(hint)));
        }
        let started = File::options().create(true).append(true).open(&self.log).and_then(|log| {
            let both = log.try_clone()?;
            let mut shell = Command::new("/bin/sh");
            shell.arg("-c").arg(&self.command).stdin(Stdio::null()).stdout(log).stderr(both);
            // A group of its own: a signal to it reaches all that the command starts, and Ctrl-C here does not.
            shell.process_group(0).spawn()
        });
        let child = started
            .map_err(|error| self.failed(&format!("can't be started: {}", units::system_words(&error))))?;
        Ok(Served { child, place: self.place.clone() })
    }

    /// What went wrong, with the end of what the server said.
    fn failed(&self, what: &str) -> Failure {
        let said = self.last_words();
        let said = if said.is_empty() { String::new() } else { format!("; its last words:\n{said}") };
        let message = format!("the server `{}` {what} ({}){said}", self.command, self.place);
        let hint = format!("its output is in {}", self.log.display());
        Failure { exit: Exit::Unreachable, messages: vec![Diagnostic::error(message).hint(hint).to_string()] }
    }

    fn last_words(&self) -> String {
        let read = || -> std::io::Result<String> {
            let mut file = File::open(&self.log)?;
            let from = file.metadata()?.len().saturating_sub(OUTPUT_SHOWN_BYTES);
            file.seek(SeekFrom::Start(from))?;
            let mut bytes = Vec::new();
            file.take(OUTPUT_SHOWN_BYTES).read_to_end(&mut bytes)?;
            Ok(String::from_utf8_lossy(&bytes).trim_end().to_owned())
        };
        let text = read().unwrap_or_default();
        let lines: Vec<&str> = text.lines().rev().take(5).collect();
        lines.into_iter().rev().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
    }
}

impl Drop for Served {
    /// Asks the whole group to end, and makes it when it does not.
    fn drop(&mut self) {
        let group = Pid::from_child(&self.child);
        // A group that is gone already is what is wanted.
        let _ = kill_process_group(group, Signal::TERM);
        let (_tell, never) = std::sync::mpsc::channel::<()>();
        let until = Instant::now() + STOP_WITHIN;
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < until {
            let _ = never.recv_timeout(LOOK_EVERY);
        }
        // Also when the first process went: what it started may not have heard.
        let _ = kill_process_group(group, Signal::KILL);
        let _ = self.child.wait();
    }
}
