//! The file as it is written, all names of a concept in one field. Nothing is believed here but the types.
//!
//! Names by release: `scenario_*` and `test_*` until 2.0.5, `context_*` and `bm_*` later; `avg_tps` in 2.0.0, `avg_aps` later;
//! `histogram_rt` until 2.1.8, `hdr_histogram_rt` later. Times are ms with histograms in µs until 2.1.12, ns from 2.1.17 on.

use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use units::{NS_PER_MS, NS_PER_US};

/// Most rows of a file: as many as a plan may have phases.
const ROWS_MAX: usize = 10_000;
/// Most actions of a row: ids go from 0 to 100.
const ACTIONS_MAX: usize = 128;
/// The first release whose times are ns.
const FIRST_WITH_NS: [u64; 3] = [2, 1, 17];

/// A result file.
#[derive(Debug)]
pub(crate) struct File {
    /// Of the program; from 2.0.5 on.
    pub(crate) version: Option<String>,
    /// The text of the configuration.
    pub(crate) config: String,
    pub(crate) rows: Vec<Row>,
    /// Where the head or the first row names it.
    pub(crate) java: Java,
    /// Text at its end was left out because it is no whole row.
    pub(crate) is_cut: bool,
}

/// The units of a file's numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unit {
    /// Of times.
    pub(crate) time_ns: f64,
    /// Of the values in histograms.
    pub(crate) histogram_ns: u64,
}

impl File {
    pub(crate) fn unit(&self) -> Unit {
        let is_ns = match &self.version {
            Some(version) => release(version) >= FIRST_WITH_NS,
            None => self.rows.iter().any(|row| row.is_ns),
        };
        if is_ns {
            Unit { time_ns: 1.0, histogram_ns: 1 }
        } else {
            Unit { time_ns: NS_PER_MS as f64, histogram_ns: NS_PER_US }
        }
    }
}

/// The three numbers of `2.1.8` or `2.0.0-beta7`.
fn release(version: &str) -> [u64; 3] {
    let mut parts = version.split(['.', '-']).map(|part| part.parse().unwrap_or(0));
    std::array::from_fn(|_| parts.next().unwrap_or(0))
}

/// An iteration of a benchmark.
#[derive(Debug, Deserialize)]
pub(crate) struct Row {
    #[serde(alias = "scenario_name", default)]
    pub(crate) context_name: String,
    #[serde(alias = "scenario_id", default)]
    pub(crate) context_id: f64,
    #[serde(alias = "test_name")]
    pub(crate) bm_name: String,
    #[serde(alias = "test_id", default)]
    pub(crate) bm_id: f64,
    pub(crate) row_id: f64,
    #[serde(default)]
    pub(crate) num_users: f64,
    #[serde(default)]
    pub(crate) num_threads: f64,
    #[serde(default)]
    pub(crate) queue_length: f64,
    #[serde(default)]
    pub(crate) workflow_name: String,
    #[serde(default)]
    pub(crate) test_begin: String,
    #[serde(default)]
    pub(crate) test_end: String,
    pub(crate) duration: f64,
    #[serde(default)]
    pub(crate) jvm_memory_used: f64,
    #[serde(default)]
    pub(crate) jvm_memory_total: f64,
    #[serde(default)]
    pub(crate) jvm_memory_maximum: f64,
    /// Of the whole machine; the first releases.
    pub(crate) system_cpu_utilization: Option<f64>,
    pub(crate) process_cpu_utilization: Option<f64>,
    pub(crate) process_cpu_time_ns: Option<f64>,
    pub(crate) process_cgc_time_ns: Option<f64>,
    pub(crate) avg_wthread_qsize: Option<f64>,
    pub(crate) max_wthread_qsize: Option<f64>,
    pub(crate) avg_wt: Option<f64>,
    pub(crate) max_wt: Option<f64>,
    pub(crate) aps_target_rate: Option<f64>,
    /// The last releases name the standard deviation so, and write ns.
    #[serde(rename = "sd_rt", default, deserialize_with = "is_there")]
    is_ns: bool,
    pub(crate) num_actions: f64,
    pub(crate) num_failed: f64,
    #[serde(alias = "avg_tps")]
    pub(crate) avg_aps: Option<f64>,
    pub(crate) avg_rt: Option<f64>,
    pub(crate) min_rt: Option<f64>,
    pub(crate) max_rt: Option<f64>,
    #[serde(default)]
    pub(crate) max_rt_ts: String,
    #[serde(alias = "histogram_rt")]
    pub(crate) hdr_histogram_rt: String,
    #[serde(default, deserialize_with = "actions")]
    pub(crate) user_actions: Vec<(String, Action)>,
    #[serde(default)]
    java: Java,
}

/// An action in an iteration.
#[derive(Debug, Deserialize)]
pub(crate) struct Action {
    #[serde(default)]
    pub(crate) name: String,
    pub(crate) num_actions: f64,
    pub(crate) num_failed: f64,
    #[serde(alias = "avg_tps")]
    pub(crate) avg_aps: Option<f64>,
    pub(crate) avg_rt: Option<f64>,
    pub(crate) min_rt: Option<f64>,
    pub(crate) max_rt: Option<f64>,
    #[serde(default)]
    pub(crate) max_rt_ts: String,
    #[serde(alias = "histogram_rt")]
    pub(crate) hdr_histogram_rt: String,
}

/// The virtual machine.
#[derive(Debug, Default, Clone, Deserialize)]
pub(crate) struct Java {
    #[serde(rename = "java.vendor", default)]
    pub(crate) vendor: String,
    #[serde(rename = "java.runtime.version", default)]
    pub(crate) version: String,
}

/// Whether a key is there, whatever its value.
fn is_there<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    serde::de::IgnoredAny::deserialize(from).map(|_| true)
}

fn actions<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(String, Action)>, D::Error> {
    struct Actions;
    impl<'de> Visitor<'de> for Actions {
        type Value = Vec<(String, Action)>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("actions by their ids")
        }
        fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
            let mut actions = Vec::new();
            while let Some(action) = map.next_entry()? {
                if actions.len() >= ACTIONS_MAX {
                    return Err(M::Error::custom(format!("a row has more than {ACTIONS_MAX} actions")));
                }
                actions.push(action);
            }
            Ok(actions)
        }
    }
    from.deserialize_map(Actions)
}

/// A list of no more than [`ROWS_MAX`]: what is small in a file may be large in memory.
fn rows<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Row>, D::Error> {
    struct Rows(PhantomData<Row>);
    impl<'de> Visitor<'de> for Rows {
        type Value = Vec<Row>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of rows")
        }
        fn visit_seq<S: SeqAccess<'de>>(self, mut list: S) -> Result<Self::Value, S::Error> {
            let mut rows = Vec::new();
            while let Some(row) = list.next_element()? {
                if rows.len() >= ROWS_MAX {
                    return Err(S::Error::custom(format!("there are more than {ROWS_MAX} rows")));
                }
                rows.push(row);
            }
            Ok(rows)
        }
    }
    from.deserialize_seq(Rows(PhantomData))
}

#[derive(Deserialize)]
struct Raw<'t> {
    #[serde(default)]
    version: Option<String>,
    #[serde(borrow)]
    config: &'t RawValue,
    #[serde(deserialize_with = "rows")]
    results: Vec<Row>,
    #[serde(default)]
    java: Option<Machine>,
}

/// The virtual machine where the head names it: the last releases.
#[derive(Deserialize)]
struct Machine {
    #[serde(rename = "jvm.system.properties", default)]
    properties: Java,
}

/// Reads a text.
///
/// # Errors
/// In words.
pub(crate) fn parse(text: &str) -> Result<File, String> {
    if text.len() > super::OUTPUT_BYTES_MAX {
        return Err(format!("it is longer than {}", units::size(super::OUTPUT_BYTES_MAX as u64)));
    }
    let text = text.trim_start_matches('\u{feff}');
    let text = with_numbers(text);
    match raw(&text) {
        Ok(file) => Ok(file),
        Err(error) if error.is_eof() => {
            // Rows are lines, so that all that stands before the last end of a line is whole.
            let whole = text.rfind('\n').and_then(|end| text.get(..end)).unwrap_or_default();
            let closed = format!("{}]}}", whole.trim_end().trim_end_matches(','));
            raw(&closed).map(|file| File { is_cut: true, ..file }).map_err(|_| error.to_string())
        }
        Err(error) => Err(error.to_string()),
    }
}

/// A rate over no time was written as a word that is no JSON.
fn with_numbers(text: &str) -> Cow<'_, str> {
    const WORDS: [&str; 3] = ["NaN", "-Infinity", "Infinity"];
    if !WORDS.iter().any(|word| text.contains(word)) {
        return Cow::Borrowed(text);
    }
    let mut out = text.to_owned();
    for word in WORDS {
        out = out.replace(&format!("\": {word}"), "\": null").replace(&format!("\":{word}"), "\":null");
    }
    Cow::Owned(out)
}

fn raw(text: &str) -> Result<File, serde_json::Error> {
    let raw: Raw<'_> = serde_json::from_str(text)?;
    let first = raw.results.first().map(|row| row.java.clone());
    let java = raw.java.map(|machine| machine.properties).or(first).unwrap_or_default();
    let config = raw.config.get().to_owned();
    Ok(File { version: raw.version, config, rows: raw.results, java, is_cut: false })
}
