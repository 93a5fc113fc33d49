//! Records out of files: this program's JSON and HTML reports, and other tools' results.
//!
//! What comes in is not trusted: sizes are bounded, nothing is believed that contradicts itself, and a fault says which file and why.

mod date;
mod foreign;
mod html;

use record::{RunRecord, SCHEMA_VERSION};
use serde::Deserialize;

/// Greatest file read: an hour of intervals of a second with twenty actions is below 100 MB as JSON.
pub const FILE_BYTES_MAX: u64 = 1 << 30;
/// Most runs in one file: a report with more could not be looked at.
const RUNS_MAX: usize = 1_000;

/// Why a file gives no record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    /// What is wrong, with the file's name.
    pub message: String,
    /// How to mend it.
    pub hint: String,
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ReadError {}

/// What a text tells of its kind.
#[derive(Debug, Deserialize)]
struct Head {
    schema_version: Option<u64>,
}

/// The runs that a file holds; `name` is the file's, for messages; `read_unix_ns` stands for the start of a run that the file does not tell.
///
/// # Errors
/// It holds none, or something is wrong with one.
pub fn records(bytes: &[u8], name: &str, read_unix_ns: u64) -> Result<Vec<RunRecord>, ReadError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii();
    let records = match bytes.first() {
        Some(b'{') => of_json(bytes, name, read_unix_ns)?,
        Some(b'[') => of_array(bytes, name)?,
        Some(b'<') => of_array(html::runs_of(bytes, name)?, name)?,
        _ => match foreign::records(bytes, name, read_unix_ns) {
            Some(found) => found?,
            None => return Err(none(name, "it is neither JSON nor a report")),
        },
    };
    match records.len() {
        0 => Err(none(name, "it is empty")),
        count if count > RUNS_MAX => Err(none(name, &format!("{count} runs are more than {RUNS_MAX}"))),
        _ => Ok(records),
    }
}

fn of_json(bytes: &[u8], name: &str, read_unix_ns: u64) -> Result<Vec<RunRecord>, ReadError> {
    let head: Head = serde_json::from_slice(bytes).map_err(|error| none(name, &error.to_string()))?;
    match head.schema_version {
        Some(version) => check_version(version, name)?,
        None => {
            let lacking = || Err(none(name, "missing field `schema_version`"));
            return foreign::records(bytes, name, read_unix_ns).unwrap_or_else(lacking);
        }
    }
    serde_json::from_slice(bytes).map(|record| vec![record]).map_err(|error| none(name, &error.to_string()))
}

fn of_array(bytes: &[u8], name: &str) -> Result<Vec<RunRecord>, ReadError> {
    let heads: Vec<Head> = serde_json::from_slice(bytes).map_err(|error| none(name, &error.to_string()))?;
    heads.iter().try_for_each(|head| match head.schema_version {
        Some(version) => check_version(version, name),
        None => Err(none(name, "missing field `schema_version`")),
    })?;
    serde_json::from_slice(bytes).map_err(|error| none(name, &error.to_string()))
}

fn check_version(version: u64, name: &str) -> Result<(), ReadError> {
    if version <= u64::from(SCHEMA_VERSION) {
        return Ok(());
    }
    Err(ReadError {
        message: format!("`{name}` has schema version {version}, and this weir reads up to {SCHEMA_VERSION}"),
        hint: "use the weir that wrote it, or a newer one".to_owned(),
    })
}

fn none(name: &str, why: &str) -> ReadError {
    ReadError {
        message: format!("`{name}` is no record of a run: {why}"),
        hint: "name a record that --json or export wrote, an HTML report, or a result of wrk, wrk2, k6, Tulip, vegeta, oha or java-http"
            .to_owned(),
    }
}
