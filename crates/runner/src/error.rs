//! Why a run could not be done, and how to mend it.

use plan::Diagnostic;
use stats::ErrorClass;
use std::fmt;

/// Why there is no record. Once load was sent there always is one.
#[derive(Debug)]
pub enum RunError {
    /// The plan can't run; all that is wrong with it.
    BadPlan(Vec<Diagnostic>),
    /// A target can't be reached.
    Unreachable {
        /// As the plan names it.
        target: String,
        /// What was tried.
        address: String,
        /// In which way it failed.
        class: ErrorClass,
        /// The system's words.
        message: String,
    },
    /// The machine does not give what the run needs.
    Resources {
        /// What is lacking.
        message: String,
        /// What to do.
        hint: String,
    },
    /// A worker did not come back when the run was given up: code of a scenario does not return. Its thread is left behind.
    Stuck,
    /// A fault of Weir's own.
    Internal(String),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadPlan(diagnostics) => {
                for (index, diagnostic) in diagnostics.iter().enumerate() {
                    write!(f, "{}{diagnostic}", if index == 0 { "" } else { "\n" })?;
                }
                Ok(())
            }
            Self::Unreachable { target, address, class, message } => {
                let mend = match class {
                    ErrorClass::Resolve => {
                        "check the host's name, or give its address with `addresses:` or `--resolve`"
                    }
                    ErrorClass::Tls => {
                        "check the certificate: trust its issuer with `ca` or `--cacert`, or skip the check with `insecure` or `-k`"
                    }
                    _ => "check that the server runs and listens there",
                };
                write!(
                    f,
                    "error: target {target} can't be reached at {address}: {} ({message})\nhint: {mend}",
                    class.as_str()
                )
            }
            Self::Resources { message, hint } => write!(f, "error: {message}\nhint: {hint}"),
            Self::Stuck => write!(
                f,
                "error: a worker does not come back, so there is no result\nhint: code of a scenario, such as a script's function, does not return; look for a loop without end"
            ),
            Self::Internal(message) => {
                write!(
                    f,
                    "error: {message}\nhint: this is a fault of Weir's own; please report it with the command and the plan"
                )
            }
        }
    }
}

impl std::error::Error for RunError {}
