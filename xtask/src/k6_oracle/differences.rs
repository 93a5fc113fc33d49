//! What differs between two runs of a script: exit codes, metrics, counts, tags, thresholds, groups and checks, texts.
//!
//! Numbers that depend on the clock are not compared: times never, counts where the script's first lines have `// free: counts`.

use super::mask::is_compared;
use super::outcome::{Outcome, said};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

/// Metrics whose values are bytes on the wire: each program has headers of its own.
const OF_BYTES: [&str; 2] = ["data_sent", "data_received"];

/// All that differs, each in a sentence that is the same in every run.
pub(super) fn between(ours: &Outcome, theirs: &Outcome, script: &str) -> Vec<String> {
    let mut found = Vec::new();
    if ours.code != theirs.code {
        found.push(format!("exit code {:?}, k6's is {:?}", ours.code, theirs.code));
    }
    let is_free = said(script, "free").contains(&"counts");
    exports(&ours.export, &theirs.export, is_free, &mut found);
    samples(ours, theirs, is_free, &mut found);
    lines("start", &ours.printed.start, &theirs.printed.start, &mut found);
    lines("summary", &ours.printed.summary, &theirs.printed.summary, &mut found);
    lines("last progress", &ours.printed.progress, &theirs.printed.progress, &mut found);
    let mut spoken = (ours.console.clone(), theirs.console.clone());
    if is_free {
        spoken.0.dedup();
        spoken.1.dedup();
    }
    demands(theirs, script, &mut found);
    lines("console", &spoken.0, &spoken.1, &mut found);
    lines("log", &ours.log, &theirs.log, &mut found);
    found
}

/// What a script's first lines demand of Weir holds of k6 too.
fn demands(theirs: &Outcome, script: &str, found: &mut Vec<String>) {
    for (key, stream) in [("stdout", &theirs.stdout), ("stderr", &theirs.stderr)] {
        let lacks = said(script, key).into_iter().filter(|part| !stream.contains(part));
        found.extend(lacks.map(|part| format!("k6's {key} lacks `{part}`")));
        let has = said(script, &format!("no-{key}")).into_iter().filter(|part| stream.contains(part));
        found.extend(has.map(|part| format!("k6's {key} has `{part}`")));
    }
}

/// The first line that differs, and how many there are.
fn lines(what: &str, ours: &[String], theirs: &[String], found: &mut Vec<String>) {
    if ours == theirs {
        return;
    }
    let first = ours.iter().zip(theirs).find(|(own, other)| own != other);
    found.push(match first {
        Some((own, other)) => format!("{what}: `{own}`, k6 has `{other}`"),
        None if ours.len() > theirs.len() => {
            format!("{what}: k6 has no `{}`", ours.get(theirs.len()).map_or("", String::as_str))
        }
        None => format!("{what}: k6 has `{}` too", theirs.get(ours.len()).map_or("", String::as_str)),
    });
}

/// Keys that only one of two maps has; those that both have.
fn keys<'a, K: Ord + Debug, V>(
    what: &str,
    ours: &'a BTreeMap<K, V>,
    theirs: &'a BTreeMap<K, V>,
    found: &mut Vec<String>,
) -> Vec<(&'a K, &'a V, &'a V)> {
    let (own, other): (BTreeSet<&K>, BTreeSet<&K>) = (ours.keys().collect(), theirs.keys().collect());
    found.extend(own.difference(&other).map(|key| format!("{what}: only Weir has {key:?}")));
    found.extend(other.difference(&own).map(|key| format!("{what}: only k6 has {key:?}")));
    ours.iter().filter_map(|(key, value)| Some((key, value, theirs.get(key)?))).collect()
}

fn exports(ours: &Value, theirs: &Value, is_free: bool, found: &mut Vec<String>) {
    if ours.is_null() != theirs.is_null() {
        found.push(
            if ours.is_null() { "only k6 has an export" } else { "only Weir has an export" }.to_owned(),
        );
        return;
    }
    let metrics = |export: &Value| -> BTreeMap<String, Value> {
        let all = export["metrics"].as_object().into_iter().flatten();
        let kept = all.filter(|(name, _)| is_compared(name));
        kept.map(|(name, values)| (name.clone(), values.clone())).collect()
    };
    for (name, own, other) in keys("export", &metrics(ours), &metrics(theirs), found) {
        let fields = |values: &Value| -> BTreeMap<String, Value> {
            values
                .as_object()
                .into_iter()
                .flatten()
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect()
        };
        for (field, own, other) in keys(&format!("export {name}"), &fields(own), &fields(other), found) {
            let is_determined = match field.as_str() {
                "thresholds" => true,
                "count" | "passes" | "fails" | "value" => !is_free && !OF_BYTES.contains(&name.as_str()),
                _ => false,
            };
            if is_determined && own != other {
                found.push(format!("export {name}: {field} is {own}, k6's {other}"));
            }
        }
    }
    if ours["setup_data"] != theirs["setup_data"] {
        found.push(format!("setup data {}, k6's {}", ours["setup_data"], theirs["setup_data"]));
    }
    let mut groups = (ours["root_group"].clone(), theirs["root_group"].clone());
    if is_free {
        without_counts(&mut groups.0);
        without_counts(&mut groups.1);
    }
    if groups.0 != groups.1 {
        found.push(format!("groups {}, k6's {}", groups.0, groups.1));
    }
}

/// Checks and groups without how often they passed and failed.
fn without_counts(value: &mut Value) {
    if let Some(map) = value.as_object_mut() {
        map.remove("passes");
        map.remove("fails");
        map.values_mut().for_each(without_counts);
    }
}

fn samples(ours: &Outcome, theirs: &Outcome, is_free: bool, found: &mut Vec<String>) {
    let declared = |outcome: &Outcome| -> BTreeMap<String, Value> {
        let all = outcome.declared.iter().filter(|(name, _)| is_compared(name));
        all.map(|(name, data)| (name.clone(), data.clone())).collect()
    };
    for (name, own, other) in keys("declared", &declared(ours), &declared(theirs), found) {
        if own != other {
            found.push(format!("declared {name}: {own}, k6's {other}"));
        }
    }
    let of = |outcome: &Outcome| -> BTreeMap<(String, String), (u64, f64)> {
        let all = outcome.samples.iter().filter(|((name, _), _)| is_compared(name));
        all.map(|(key, sample)| (key.clone(), *sample)).collect()
    };
    for ((name, tags), own, other) in keys("samples", &of(ours), &of(theirs), found) {
        if is_free {
            continue;
        }
        let kind = theirs.declared.get(name).map(|data| (&data["type"], &data["contains"]));
        let has_sum = kind.is_some_and(|(kind, contains)| kind != "trend" && contains == "default");
        if own.0 != other.0 {
            found.push(format!("samples of {name} {tags}: {}, k6's {}", own.0, other.0));
        } else if has_sum && (own.1 - other.1).abs() > 1e-9 {
            found.push(format!("samples of {name} {tags} are {} in all, k6's {}", own.1, other.1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_found_and_what_depends_on_the_clock_is_not() {
        let outcome = |export: &str, code: i32| Outcome {
            code: Some(code),
            export: serde_json::from_str(export).unwrap(),
            ..Outcome::default()
        };
        let ours = outcome(r#"{"metrics": {"a": {"count": 1, "rate": 2.5}, "vus": {"value": 1}}}"#, 0);
        let theirs = outcome(r#"{"metrics": {"a": {"count": 2, "rate": 3.5}, "b": {"count": 1}}}"#, 99);
        let found = between(&ours, &theirs, "");
        let expected = [
            "exit code Some(0), k6's is Some(99)",
            "export: only k6 has \"b\"",
            "export a: count is 1, k6's 2",
        ];
        assert_eq!(found, expected);
        assert_eq!(between(&ours, &theirs, "// free: counts\n").len(), 2);
        assert!(between(&ours, &ours, "").is_empty());
    }
}
