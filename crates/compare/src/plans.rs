//! Whether two runs did the same work in the same place: their plans and environments, key by key.
//!
//! A plan is compared as it stands in the record, with its credentials hidden. What names the target is a difference of another kind: comparing targets is
//! what a comparison is for.

use crate::{Difference, DifferenceKind};
use record::{Environment, RunRecord};
use serde_json::Value;

/// So many differences are told of two runs; more would not be read.
const DIFFERENCES_MAX: usize = 100;
/// Values are cut to so many characters.
const VALUE_CHARS_MAX: usize = 60;
/// Keys of a target that say where it is and not how it is used.
const PLACE_KEYS: [&str; 7] = ["name", "scheme", "host", "port", "base_path", "unix_socket", "addresses"];

/// In what the runs differ besides their numbers: the plan first.
pub fn differences(baseline: &RunRecord, other: &RunRecord) -> Vec<Difference> {
    let mut found = Vec::new();
    descend(&mut Vec::new(), &baseline.plan, &other.plan, &mut found);
    found.extend(environments(baseline, other));
    for difference in &mut found {
        difference.run_id.clone_from(&other.run_id);
    }
    found.sort_by_key(|difference| difference.kind);
    found
}

/// A step into a value: a key, or an element by its name or number.
fn descend(path: &mut Vec<String>, a: &Value, b: &Value, found: &mut Vec<Difference>) {
    if a == b || found.len() >= DIFFERENCES_MAX {
        return;
    }
    match (a, b) {
        (Value::Object(left), Value::Object(right)) => {
            let keys = left.keys().chain(right.keys().filter(|key| !left.contains_key(*key)));
            for key in keys {
                path.push(key.clone());
                let of = |map: &serde_json::Map<String, Value>| map.get(key).cloned().unwrap_or(Value::Null);
                descend(path, &of(left), &of(right), found);
                path.pop();
            }
        }
        (Value::Array(left), Value::Array(right))
            if left.len() == right.len() && left.iter().chain(right).any(|item| !item.is_number()) =>
        {
            for (index, (one, other)) in left.iter().zip(right).enumerate() {
                path.push(element(index, one));
                descend(path, one, other, found);
                path.pop();
            }
        }
        _ => {
            if let Some(kind) = kind_of(path) {
                let key = path.last().map_or("", String::as_str);
                found.push(Difference {
                    kind,
                    path: path.join("."),
                    baseline: shown(key, a),
                    candidate: shown(key, b),
                    run_id: String::new(),
                });
            }
        }
    }
}

fn element(index: usize, item: &Value) -> String {
    let name = item.get("name").and_then(Value::as_str);
    name.map_or_else(|| (index + 1).to_string(), str::to_owned)
}

/// What under `wrk` says what is done.
const WRK_WORK_KEYS: [&str; 3] = ["script", "pipeline_depth", "batch_latency"];

/// What kind of difference a path is; `None` for what is only a name.
fn kind_of(path: &[String]) -> Option<DifferenceKind> {
    let at = |index: usize| path.get(index).map(String::as_str);
    match (at(0), at(2)) {
        (Some("name"), None) if path.len() == 1 => None,
        (Some("tulip"), key) => kind_in_facts(at(1), key),
        (Some("seed"), _) => Some(DifferenceKind::Seed),
        (Some("slos"), _) => Some(DifferenceKind::Objectives),
        // Mostly what its page shows, samples among it; the load itself is in the plan.
        (Some("wrk"), _) => at(1).filter(|key| WRK_WORK_KEYS.contains(key)).map(|_| DifferenceKind::Plan),
        (Some("targets"), Some(key)) if PLACE_KEYS.contains(&key) => Some(DifferenceKind::Target),
        (Some("targets"), Some("tls")) if at(3) == Some("server_name") => Some(DifferenceKind::Target),
        _ => Some(DifferenceKind::Plan),
    }
}

/// The same of what is kept of a configuration of Tulip beside the plan: names of files, and figures of a result that was read in, are no work.
fn kind_in_facts(first: Option<&str>, second: Option<&str>) -> Option<DifferenceKind> {
    const NO_WORK: [&str; 5] = ["imported", "description", "dialect", "output_filename", "report_filename"];
    match (first, second) {
        (Some(key), _) if NO_WORK.contains(&key) => None,
        (Some("config"), Some("user_params")) => Some(DifferenceKind::Target),
        _ => Some(DifferenceKind::Plan),
    }
}

/// A value for people: rates and times with their units, long ones cut.
fn shown(key: &str, value: &Value) -> String {
    let text = match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) if key.ends_with("_ns") => {
            number.as_u64().map_or_else(|| number.to_string(), units::duration)
        }
        Value::Array(items) if key.starts_with("rate") => {
            serde_json::from_value::<units::Rate>(value.clone())
                .map_or_else(|_| format!("{} items", items.len()), |rate| rate.to_string())
        }
        Value::Array(items) if items.len() > 4 => format!("{} items", items.len()),
        other => other.to_string(),
    };
    let mut chars = text.chars();
    let cut: String = chars.by_ref().take(VALUE_CHARS_MAX).collect();
    if chars.next().is_some() { format!("{cut}…") } else { cut }
}

fn environments(baseline: &RunRecord, other: &RunRecord) -> Vec<Difference> {
    let fields = |record: &RunRecord| {
        let Environment {
            os,
            kernel,
            cpu_model,
            cpu_count,
            memory_bytes,
            weir_version,
            driver,
            notes,
            addresses: _,
        } = &record.environment;
        [
            ("os", os.clone()),
            ("kernel", kernel.clone()),
            ("cpu_model", cpu_model.clone()),
            ("cpu_count", cpu_count.to_string()),
            ("memory", units::size(*memory_bytes)),
            ("weir_version", weir_version.clone()),
            ("driver", driver.clone()),
            ("notes", notes.join("; ")),
            ("worker threads", record.client.workers.len().to_string()),
        ]
    };
    let both = fields(baseline).into_iter().zip(fields(other));
    let differing = both.filter(|((_, one), (_, other))| one != other);
    differing
        .map(|((path, baseline), (_, candidate))| Difference {
            kind: DifferenceKind::Environment,
            path: path.to_owned(),
            baseline: shown("", &Value::String(baseline)),
            candidate: shown("", &Value::String(candidate)),
            run_id: String::new(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_a_tulip_result_holds_besides_is_no_other_work() {
        let plan = |rows: u32, url: &str, users: u32| {
            json!({"tulip": {
                "imported": vec![json!({"queue_max": 1}); rows as usize],
                "output_filename": format!("out-{rows}.json"),
                "config": {"user_params": [["url", url]], "contexts": [{"name": "c", "user_count": users}]},
            }})
        };
        let check = |other: &Value, expected: &[(DifferenceKind, &str)]| {
            let mut found = Vec::new();
            descend(&mut Vec::new(), &plan(2, "http://a", 4), other, &mut found);
            let found: Vec<_> = found.iter().map(|found| (found.kind, found.path.as_str())).collect();
            assert_eq!(found, expected);
        };
        check(&plan(3, "http://a", 4), &[]);
        check(&plan(2, "http://b", 4), &[(DifferenceKind::Target, "tulip.config.user_params.1.2")]);
        check(&plan(2, "http://a", 5), &[(DifferenceKind::Plan, "tulip.config.contexts.c.user_count")]);
    }
}
