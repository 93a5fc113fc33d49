//! Scripts made of recordings: a HAR file of a browser (Chromium, Firefox, Safari, k6's recorder) becomes requests in groups.
//!
//! One idea: a recording is read into plain `Recording`s (`read.rs`) first, whatever dialect it has; what is written of it is a program whose every
//! text is a quoted literal, so a hostile recording can make an odd script and never one that does something else than requests.
//!
//! Source of the format: "HTTP Archive (HAR) format", version 1.2, W3C Web Performance Working Group, draft of August 2012.

mod correlate;
mod literal;
mod read;
mod write;

pub use read::HarError;

use serde_json::Value;

/// How long the gap between the starts of two requests may be for both to be in one batch where nothing is said, ms.
pub const BATCH_THRESHOLD_MS: u64 = 500;
/// Rest behind an iteration where nothing is said, at least, s.
pub const MIN_SLEEP_S: u64 = 20;
/// Rest behind an iteration where nothing is said, at most, s.
pub const MAX_SLEEP_S: u64 = 40;

/// What happens with an answer's status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StatusChecks {
    /// Nothing.
    #[default]
    None,
    /// It is checked to be the recorded one.
    Check,
    /// It is checked, and the iteration ends where it is another.
    CheckAndReturn,
}

/// How a script is made.
#[derive(Debug, Clone, PartialEq)]
pub struct Convert {
    /// Only requests to these domains and those below them; empty: to all.
    pub only: Vec<String>,
    /// No requests to these domains and those below them.
    pub skip: Vec<String>,
    /// Requests that begin within so many ms of each other are sent at once; `None`: one after the other.
    pub batch_threshold_ms: Option<u64>,
    /// What happens with statuses.
    pub checks: StatusChecks,
    /// Whether values of answers that occur in later requests are taken from the answers as they come. Requests are sent one after the other then.
    pub correlates: bool,
    /// Options for the script, an object.
    pub options: Option<Value>,
    /// Rest behind an iteration, s: at least, at most. 0 and 0: none.
    pub sleep_s: (u64, u64),
}

impl Default for Convert {
    fn default() -> Self {
        Self {
            only: Vec::new(),
            skip: Vec::new(),
            batch_threshold_ms: Some(BATCH_THRESHOLD_MS),
            checks: StatusChecks::None,
            correlates: false,
            options: None,
            sleep_s: (MIN_SLEEP_S, MAX_SLEEP_S),
        }
    }
}

/// A script that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Converted {
    /// Its text.
    pub script: String,
    /// Requests in it.
    pub request_count: usize,
    /// Groups in it.
    pub group_count: usize,
    /// What of the recording is not in it: why, and how many requests.
    pub left_out: Vec<(&'static str, usize)>,
}

/// The bytes of a recording on disk.
///
/// # Errors
/// A file that can't be read, or is larger than recordings are.
pub fn load(path: &std::path::Path) -> Result<Vec<u8>, String> {
    crate::sources::read_at_most(path, read::HAR_BYTES_MAX)
}

/// Makes a script of a HAR file. `name`: of the file, for the script's first line.
///
/// # Errors
/// Bytes that are no HAR file, too many requests, none that is left.
pub fn convert(bytes: &[u8], name: &str, how: &Convert) -> Result<Converted, HarError> {
    let mut recording = read::read(bytes, how)?;
    let values = if how.correlates { correlate::values(&mut recording) } else { Vec::new() };
    let script = write::script(&recording, &values, name, how);
    Ok(Converted {
        script,
        request_count: recording.request_count(),
        group_count: recording.groups.iter().filter(|group| group.title.is_some()).count(),
        left_out: recording.left_out,
    })
}
