//! What a script's `done` gets: the summary of the run, and the two distributions as objects.

use crate::{Mode, Statistics};
use mlua::{Lua, Result, Table};
use std::sync::Arc;

/// A run in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Length of the run, µs.
    pub duration_us: u64,
    /// Answers.
    pub requests: u64,
    /// Bytes received.
    pub bytes: u64,
    /// Connections that could not be opened.
    pub connect_errors: u64,
    /// Connections lost while an answer was due.
    pub read_errors: u64,
    /// Requests that could not be sent.
    pub write_errors: u64,
    /// Answers with a status above 399.
    pub status_errors: u64,
    /// Answers that did not come in time.
    pub timeout_errors: u64,
}

/// The value at or below which lie `percent` (0..=100) of all, each tool with its own rounding of the rank; 0 where there are none.
fn percentile(of: &Statistics, percent: f64, mode: Mode) -> u64 {
    match mode {
        Mode::Wrk => of.percentile(percent),
        Mode::Wrk2 => {
            let rank = (percent / 100.0 * of.count() as f64 + 0.5).floor().max(1.0);
            let mut cumulative = 0u64;
            let found = (0..of.distinct_count()).map_while(|index| of.distinct(index)).find(|(_, count)| {
                cumulative = cumulative.saturating_add(*count);
                cumulative as f64 >= rank
            });
            found.map_or(of.max(), |(value, _)| value)
        }
    }
}

/// What the prelude makes a script's distribution of: its fields, and functions that ask it.
pub(super) fn parts(lua: &Lua, mode: Mode, of: Statistics) -> Result<(Table, Table)> {
    let stdev = match mode {
        Mode::Wrk => of.stdev(),
        Mode::Wrk2 => of.stdev_of_all(),
    };
    let (min, max) = (of.min() as f64, of.max() as f64);
    let fields =
        lua.create_table_from([("min", min), ("max", max), ("mean", of.mean()), ("stdev", stdev)])?;
    let natives = lua.create_table()?;
    let length = match mode {
        Mode::Wrk => of.distinct_count() as f64,
        Mode::Wrk2 => of.count() as f64,
    };
    natives.set("length", length)?;
    natives.set("count", of.count().max(1) as f64)?;
    let of = Arc::new(of);
    let asked = Arc::clone(&of);
    let at = move |_: &Lua, percent: f64| Ok(percentile(&asked, percent, mode) as f64);
    natives.set("percentile", lua.create_function(at)?)?;
    let distinct = move |_: &Lua, index: f64| {
        let place = (index >= 1.0).then(|| index as usize - 1);
        let (value, count) = place.and_then(|place| of.distinct(place)).unwrap_or_default();
        Ok((value as f64, count as f64))
    };
    natives.set("distinct", lua.create_function(distinct)?)?;
    Ok((fields, natives))
}

/// The table `summary`.
pub(super) fn summary_table(lua: &Lua, summary: &Summary) -> Result<Table> {
    let errors = lua.create_table_from([
        ("connect", summary.connect_errors as f64),
        ("read", summary.read_errors as f64),
        ("write", summary.write_errors as f64),
        ("status", summary.status_errors as f64),
        ("timeout", summary.timeout_errors as f64),
    ])?;
    let table = lua.create_table_from([
        ("duration", summary.duration_us as f64),
        ("requests", summary.requests as f64),
        ("bytes", summary.bytes as f64),
    ])?;
    table.set("errors", errors)?;
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::lua::tests::bare;
    use mlua::{Function, MultiValue, Value};

    /// What `expression` gives with `latency` of 1 to 100 µs, and twice 150.
    fn check(mode: Mode, expression: &str, expected: &str) {
        let (lua, calls) = bare();
        let latency = Statistics::of_samples((1..=100).chain([150, 150]));
        let summary = Summary { duration_us: 10, requests: 102, timeout_errors: 3, ..Summary::default() };
        let object = |of| -> Value {
            calls.get::<Function>("statistics").unwrap().call(parts(&lua, mode, of).unwrap()).unwrap()
        };
        let arguments =
            (summary_table(&lua, &summary).unwrap(), object(latency), object(Statistics::default()));
        let code = format!("local summary, latency, requests = ... return {expression}");
        let values: MultiValue = lua.load(code).call(arguments).unwrap();
        let text: Vec<String> = values.iter().map(|value| value.to_string().unwrap()).collect();
        assert_eq!(text.join(" "), expected, "{mode:?} {expression}");
    }

    #[test]
    fn both_tools_find_their_objects() {
        check(
            Mode::Wrk,
            "latency.min, latency.max, latency.mean * 102, latency.stdev > 31",
            "1 150 5350 true",
        );
        check(
            Mode::Wrk,
            "latency:percentile(50), latency:percentile(99), latency:percentile(100)",
            "52 150 150",
        );
        check(Mode::Wrk, "#latency, latency(101)", "101 150 2");
        check(Mode::Wrk, "latency(0), latency(102)", "0 0 0");
        check(Mode::Wrk2, "#latency, latency[1], latency[51], latency[102], latency.max", "102 1 51 150 150");
        check(Mode::Wrk2, "latency:percentile(50), latency:percentile(0)", "51 1");
        check(Mode::Wrk, "requests:percentile(50), #requests, requests(1)", "0 0 0 0");
        check(
            Mode::Wrk2,
            "summary.duration, summary.requests, summary.errors.timeout, summary.errors.read",
            "10 102 3 0",
        );
    }
}
