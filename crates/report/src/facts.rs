//! What several formats say of a record, worked out in one place so that they say the same.

use record::{CountsRecord, LoadModel, PhaseKind, PhaseRecord, RunRecord, VerdictState, WorkerRecord};
use serde_json::Value;
use std::collections::BTreeMap;
use units::legible;

/// The phase runs that are the result.
pub(crate) fn measured(record: &RunRecord) -> Vec<&PhaseRecord> {
    record.phases.iter().filter(|phase| phase.kind == PhaseKind::Measure).collect()
}

/// The phase runs that are kept in the record but are no part of the result.
pub(crate) fn warm_ups(record: &RunRecord) -> Vec<&PhaseRecord> {
    record.phases.iter().filter(|phase| phase.kind == PhaseKind::Warmup).collect()
}

/// The phase's name, with the number of the repeat from the second on.
pub(crate) fn phase_title(phase: &PhaseRecord) -> String {
    let name = legible(&phase.name);
    if phase.repeat_index > 0 { format!("{name} #{}", u64::from(phase.repeat_index) + 1) } else { name }
}

/// What a phase counts: an action of one request is called what everybody calls it.
pub(crate) fn noun(phase: &PhaseRecord) -> &'static str {
    if phase.requests.is_empty() { "requests" } else { "actions" }
}

/// `open, constant 1,000/s` or `closed, 64 users`: the load model, with as much as the plan in the record tells.
pub(crate) fn load_words(record: &RunRecord, phase: &PhaseRecord) -> String {
    let planned = record.plan.get("phases").and_then(Value::as_array).into_iter().flatten();
    let load = planned.into_iter().find(|planned| planned["name"] == phase.name.as_str());
    let load = load.map_or(&Value::Null, |planned| &planned["load"]);
    match phase.load_model {
        LoadModel::Open => open_words(&load["open"]),
        LoadModel::Closed if load["once"].is_object() => match load["once"]["users"].as_u64() {
            Some(users) => format!("once each, {}", plural(users, "user")),
            None => "once each".to_owned(),
        },
        LoadModel::Closed => match load["closed"]["users"].as_u64() {
            Some(users) => format!("closed, {}", plural(users, "user")),
            None => "closed".to_owned(),
        },
    }
}

fn open_words(load: &Value) -> String {
    let per_sec = |rate: &Value| {
        let rate: units::Rate = serde_json::from_value(rate.clone()).ok()?;
        Some(rate.to_string())
    };
    let spread = match load["arrivals"].as_str() {
        Some("constant") => "constant ",
        Some("poisson") => "Poisson ",
        Some("uniform_jitter") => "jittered ",
        _ => "",
    };
    let stages = load["stages"].as_array().map_or(&[][..], Vec::as_slice);
    let ends = stages
        .first()
        .zip(stages.last())
        .and_then(|(first, last)| Some((per_sec(&first["rate_from"])?, per_sec(&last["rate_to"])?)));
    match ends {
        Some((from, to)) if stages.len() == 1 && from == to => format!("open, {spread}{from}"),
        Some((from, to)) if stages.len() == 1 => format!("open, {spread}{from} → {to}"),
        Some((from, to)) => format!("open, {spread}{from} → {to} in {} stages", stages.len()),
        None => "open".to_owned(),
    }
}

/// How a reason of the verdict is headed: what does not touch the verdict is a note.
pub(crate) fn reason_label(state: VerdictState) -> &'static str {
    if state == VerdictState::Valid { "note" } else { state.as_str() }
}

/// `1 user`, `64 users`.
pub(crate) fn plural(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", units::count(count), if count == 1 { "" } else { "s" })
}

/// Where arrivals ended up besides `completed`: only what happened, `0 failed` always.
pub(crate) fn fates(counts: &CountsRecord) -> Vec<(u64, &'static str)> {
    let rest =
        [(counts.dropped, "dropped"), (counts.unstarted, "never started"), (counts.unfinished, "unfinished")];
    let mut fates = vec![(counts.failed, "failed")];
    fates.extend(rest.into_iter().filter(|(count, _)| *count > 0));
    fates
}

/// Error classes with their counts, most frequent first, in words.
pub(crate) fn errors(errors: &BTreeMap<String, u64>) -> Vec<(String, u64)> {
    let mut errors: Vec<_> =
        errors.iter().map(|(class, count)| (legible(class).replace('_', " "), *count)).collect();
    errors.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    errors
}

/// The rate that was reached against the one asked for: `999.9/s of 1,000/s asked (99.99%)`.
pub(crate) fn rate_words(phase: &PhaseRecord) -> String {
    let achieved = units::per_sec(phase.achieved_per_sec);
    match phase.offered_per_sec {
        Some(offered) if offered > 0.0 => {
            let share = units::ratio(phase.achieved_per_sec / offered);
            format!("{achieved}/s of {}/s asked ({share})", units::per_sec(offered))
        }
        _ => format!("{achieved}/s"),
    }
}

/// What the client itself cost.
pub(crate) struct ClientCost {
    /// CPU time of the process per request sent, without spinning before deadlines, ns; `None` when nothing was sent or
    /// what was used is lost in the spinning.
    pub(crate) cpu_ns_per_request: Option<u64>,
    /// Share of its time that the busiest worker thread worked in the busiest measured phase, 0..=1.
    pub(crate) busy_ratio_max: f64,
}

/// See [`ClientCost`]. CPU time is known for the whole run, so requests of warm-ups count here.
pub(crate) fn client_cost(record: &RunRecord) -> ClientCost {
    let client = &record.client;
    let sum = |of: fn(&WorkerRecord) -> u64| client.workers.iter().map(of).fold(0, u64::saturating_add);
    // Some systems count a process's time in ticks of 10 ms, a thread's in ns: a short run shows in the second alone.
    let process_ns = client.cpu_user_ns.saturating_add(client.cpu_system_ns);
    let cpu_ns = process_ns.max(sum(|worker| worker.cpu_ns)).saturating_sub(sum(|worker| worker.spin_ns));
    let requests = record.phases.iter().fold(0u64, |sum, phase| sum.saturating_add(phase.traffic.requests));
    ClientCost {
        cpu_ns_per_request: cpu_ns.checked_div(requests).filter(|ns| *ns > 0),
        busy_ratio_max: measured(record)
            .iter()
            .map(|phase| phase.busy_ratio_max)
            .fold(0.0, f64::max)
            .min(1.0),
    }
}

/// Bytes per second over load and drain, as people read them.
pub(crate) fn bytes_per_sec(bytes: u64, phase: &PhaseRecord) -> String {
    let span_ns = phase.duration_ns.saturating_add(phase.drain_ns).max(1);
    let per_sec = u128::from(bytes) * u128::from(units::NS_PER_SEC) / u128::from(span_ns);
    format!("{}/s", units::size(u64::try_from(per_sec).unwrap_or(u64::MAX)))
}
