//! Progress while a test runs: a block of lines each second, or redrawn in place on a terminal.

use ::k6::{Stage, Test};
use k6_options::{Colour, Settings};
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

/// How stdout is written to.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    /// Whether nothing but the summary is shown.
    pub(super) is_quiet: bool,
    /// Whether it is a terminal.
    pub(super) is_terminal: bool,
    pub(super) colour: Colour,
}

impl View {
    pub(super) fn new(settings: &Settings) -> Self {
        let is_terminal = io::stdout().is_terminal();
        let is_colored = is_terminal && settings.no_color != Some(true);
        Self {
            is_quiet: settings.quiet == Some(true),
            is_terminal,
            colour: if is_colored { Colour::Ansi } else { Colour::Never },
        }
    }

    fn columns(self) -> Option<usize> {
        let size = self.is_terminal.then(|| rustix::termios::tcgetwinsize(rustix::stdio::stdout()));
        size.and_then(Result::ok).map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0)
    }

    /// How often progress is shown.
    fn period(self) -> Duration {
        if self.is_terminal { Duration::from_millis(100) } else { Duration::from_secs(1) }
    }

    /// The lines of now.
    pub(super) fn lines(self, test: &Test, stage: Stage) -> String {
        let mut lines = test.progress(stage, self.columns(), self.colour).join("\n");
        lines.push('\n');
        lines
    }
}

/// Shows progress until it is told to stop.
pub(super) struct Ticker {
    stages: Option<Sender<Stage>>,
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    /// Shows nothing where `view` is quiet.
    pub(super) fn start(test: &Arc<Test>, view: &View) -> Self {
        if view.is_quiet {
            return Self { stages: None, thread: None };
        }
        let (stages, told) = mpsc::channel();
        let (test, view) = (Arc::clone(test), *view);
        let show = move || {
            let mut stage = Stage::Scenarios;
            loop {
                match told.recv_timeout(view.period()) {
                    Ok(next) => stage = next,
                    Err(RecvTimeoutError::Disconnected) => break,
                    Err(RecvTimeoutError::Timeout) => draw(&view.lines(&test, stage), view.is_terminal),
                }
            }
            if view.is_terminal {
                // What was drawn last is overwritten by what comes next.
                let _ = io::stdout().write_all(b"\r\x1b[J");
            }
        };
        let thread = std::thread::Builder::new().name("progress".to_owned()).spawn(show).ok();
        Self { stages: Some(stages), thread }
    }

    /// What the test is at.
    pub(super) fn at(&self, stage: Stage) {
        if let Some(stages) = &self.stages {
            // Nobody looks when there is no thread.
            let _ = stages.send(stage);
        }
    }

    /// No more progress; returns when the last was shown.
    pub(super) fn stop(mut self) {
        self.stages = None;
        if let Some(thread) = self.thread.take() {
            // A panic of it has been said already.
            let _ = thread.join();
        }
    }
}

/// On a terminal the cursor stays at the block's begin, so that the next one is drawn over it.
fn draw(lines: &str, is_terminal: bool) {
    let text = match is_terminal {
        true => format!("\r\x1b[J{lines}\x1b[{}A", lines.matches('\n').count()),
        false => lines.to_owned(),
    };
    let mut stdout = io::stdout();
    // Who does not read progress misses nothing.
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}
