//! Results of other tools, as far as they tell: what they do not stays empty, and the verdict says that nobody vouches for the rest.
//!
//! Each tool's file turns its form into [`Foreign`] parts; `run.rs` makes records of them and refuses figures that contradict each other.

mod java_http;
mod k6;
mod oha;
mod run;
mod vegeta;
mod wrk;

use super::ReadError;
use record::RunRecord;
use serde_json::Value;

pub(super) use run::{Foreign, Measured};

/// Greatest foreign file: summaries have some kilobytes, a spectrum some hundred.
const FOREIGN_BYTES_MAX: usize = 64 << 20;

/// The runs of a text that is no record; `None`: it is of no tool that is known. `read_unix_ns` stands for a time that the file does not tell.
pub(super) fn records(
    bytes: &[u8],
    name: &str,
    read_unix_ns: u64,
) -> Option<Result<Vec<RunRecord>, ReadError>> {
    let fault = |why: &str| ReadError {
        message: format!("`{name}` can't be read: {why}"),
        hint: "name a result as its tool wrote it".to_owned(),
    };
    let text = std::str::from_utf8(bytes).ok()?;
    let is_json = text.starts_with('{');
    if !is_json && !wrk::is_page(text) {
        return None;
    }
    if bytes.len() > FOREIGN_BYTES_MAX {
        return Some(Err(fault(&format!("it is larger than {}", units::size(FOREIGN_BYTES_MAX as u64)))));
    }
    let found = if is_json { of_json(&serde_json::from_str(text).ok()?)? } else { wrk::read(text) };
    let made = found.and_then(|runs| {
        (0..).zip(runs).map(|(index, run)| run.into_record(bytes, index, read_unix_ns)).collect()
    });
    Some(made.map_err(|why: String| fault(&why)))
}

fn of_json(value: &Value) -> Option<Result<Vec<Foreign>, String>> {
    let one = |run: Result<Foreign, String>| run.map(|run| vec![run]);
    if vegeta::is_report(value) {
        Some(one(vegeta::read(value)))
    } else if oha::is_report(value) {
        Some(one(oha::read(value)))
    } else if java_http::is_result(value) {
        Some(java_http::read(value))
    } else if k6::is_summary(value) {
        Some(one(k6::read(value)))
    } else {
        None
    }
}

/// A number at a path of keys; `None` where there is none, or none that could be one of a measurement.
fn number(value: &Value, path: &[&str]) -> Option<f64> {
    let found = path.iter().try_fold(value, |value, key| value.get(key))?.as_f64()?;
    (found.is_finite() && (0.0..=1e18).contains(&found)).then_some(found)
}

/// A whole number at a path of keys.
fn count(value: &Value, path: &[&str]) -> Option<u64> {
    number(value, path).map(|number| number.round() as u64)
}

/// A number in a unit of so many ns, at a path of keys, in ns.
fn ns(value: &Value, path: &[&str], unit_ns: f64) -> Option<u64> {
    number(value, path).map(|number| number * unit_ns).filter(|ns| *ns <= 1e18).map(|ns| ns.round() as u64)
}

/// Counts of statuses by their class: `{"200": 7, "503": 1}` → `2xx` and `5xx`.
fn statuses(value: Option<&Value>) -> std::collections::BTreeMap<String, u64> {
    let mut classes = std::collections::BTreeMap::new();
    for (status, count) in value.and_then(Value::as_object).into_iter().flatten() {
        let class = status.chars().next().filter(char::is_ascii_digit);
        if let (Some(class), 3, Some(count)) = (class, status.len(), count.as_u64()) {
            let sum: &mut u64 = classes.entry(format!("{class}xx")).or_default();
            *sum = sum.saturating_add(count);
        }
    }
    classes
}
