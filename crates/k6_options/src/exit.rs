//! What went wrong, and the exit code that k6 has for it.

use std::fmt;

/// k6's exit codes, which scripts around it look at (reference, section 15).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExitCode {
    /// 0: all went well; failed checks and uncaught exceptions of iterations do not change it.
    Success,
    /// 99: a threshold was crossed.
    ThresholdsFailed,
    /// 100: `setup` took too long.
    SetupTimeout,
    /// 101: `teardown` took too long.
    TeardownTimeout,
    /// 102: another part took too long.
    OtherTimeout,
    /// 103: stopped from outside by the control interface.
    StoppedRemotely,
    /// 104: options, configuration or thresholds that can't be used.
    InvalidConfig,
    /// 105: ended by a signal.
    Aborted,
    /// 106: the control interface could not be opened.
    CannotStartServer,
    /// 107: the script threw where nothing catches it.
    ScriptException,
    /// 108: the script ended the test.
    ScriptAborted,
    /// 109: a bug.
    Internal,
    /// 110: the script marked the test as failed.
    MarkedAsFailed,
    /// 255: anything else, wrong flags among it.
    Other,
}

impl ExitCode {
    /// The number that the process ends with.
    pub const fn number(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::ThresholdsFailed => 99,
            Self::SetupTimeout => 100,
            Self::TeardownTimeout => 101,
            Self::OtherTimeout => 102,
            Self::StoppedRemotely => 103,
            Self::InvalidConfig => 104,
            Self::Aborted => 105,
            Self::CannotStartServer => 106,
            Self::ScriptException => 107,
            Self::ScriptAborted => 108,
            Self::Internal => 109,
            Self::MarkedAsFailed => 110,
            Self::Other => 255,
        }
    }
}

/// Why options can't be used: said on stderr, and the process ends with the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What the process ends with.
    pub exit_code: ExitCode,
    /// What is wrong and where, in k6's words where people look for them.
    pub message: String,
    /// How to mend it.
    pub hint: Option<String>,
}

impl Fault {
    /// Options or configuration that can't be used: 104.
    pub fn config(message: impl Into<String>) -> Self {
        Self { exit_code: ExitCode::InvalidConfig, message: message.into(), hint: None }
    }

    /// A command line that can't be read, and the like: 255.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { exit_code: ExitCode::Other, message: message.into(), hint: None }
    }

    /// The same with the mend.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same with words in front of the message: where it is.
    #[must_use]
    pub(crate) fn within(mut self, place: &str) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}
