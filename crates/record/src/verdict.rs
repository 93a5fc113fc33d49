//! Whether a run's numbers may be believed, from what the run measured of itself.
//!
//! Each rule says what was seen, what it means for the numbers, and what to do. The worst of them is the state.

use crate::{LoadModel, PhaseKind, PhaseRecord, RunRecord};
use serde::{Deserialize, Serialize};

/// The judgement on a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Verdict {
    /// The worst of the reasons.
    pub state: VerdictState,
    /// Why, worst first.
    pub reasons: Vec<Reason>,
}

/// How far the numbers may be believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictState {
    /// They may.
    #[default]
    Valid,
    /// With the reasons in mind.
    Suspect,
    /// They may not.
    Invalid,
}

impl VerdictState {
    /// `valid`, `suspect` or `invalid`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Suspect => "suspect",
            Self::Invalid => "invalid",
        }
    }
}

/// One thing that was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// What kind of thing.
    pub code: ReasonCode,
    /// How grave; `valid` for what is only worth knowing.
    pub state: VerdictState,
    /// What was seen and what it means.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

/// The kinds of things that are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasonCode {
    /// Requests left late by the generator's own fault.
    SendLateness,
    /// A worker thread was busy nearly all the time.
    GeneratorBound,
    /// A worker thread was ready but not on a CPU.
    OffCpu,
    /// The hypervisor took CPU time away.
    Steal,
    /// Arrivals were thrown away.
    ArrivalsDropped,
    /// Less was completed than offered.
    BelowOffered,
    /// Concurrency, rate and time contradict each other.
    LittlesLaw,
    /// A usual quantile has too few samples.
    FewSamples,
    /// Many times are only lower bounds.
    Censored,
    /// Nothing was completed.
    NothingCompleted,
    /// The model hides stalls.
    ClosedModel,
    /// The run was cut short.
    Aborted,
    /// Descriptors or local ports ran out.
    LocalResources,
    /// The machine did not give what was asked for; something else was used.
    Environment,
}

/// Lateness below this never matters: it is what timers and a loop turn cost.
const LATENESS_NS_HARMLESS: u64 = 50_000;
/// Share of a response quantile that may be the generator's lateness: beyond the first the quantile is coloured, beyond the second it is mostly that.
const LATENESS_RATIO: (f64, f64) = (0.1, 0.5);
/// A worker busier than this has no room for bursts (the guides of other generators advise about 80 %; the loop here is cheaper per turn).
const BUSY_RATIO: f64 = 0.9;
/// Share of the time off the CPU while ready: beyond the first the tail is coloured, beyond the second all is.
const OFF_CPU_RATIO: (f64, f64) = (0.05, 0.25);
/// Share of the machine's time taken by the hypervisor.
const STEAL_RATIO: (f64, f64) = (0.02, 0.1);
/// Completed to offered below which the service (or the generator) did not follow.
const ACHIEVED_RATIO: f64 = 0.99;
/// Mean response time of the last quarter of a phase to that of the second, beyond which it grew and did not merely scatter.
const GROWTH_RATIO: f64 = 1.3;
/// Little's law must hold to this share once enough was measured.
const LITTLE_RATIO: f64 = 0.05;
/// Below so many samples or so many in flight on average, rounding and the edges of a phase outweigh the law.
const LITTLE_SAMPLES_MIN: u64 = 1_000;
/// Share of lower bounds beyond which p99 is touched.
const CENSORED_RATIO: f64 = 0.001;

/// Judges a record whose phases, client and `aborted` are filled in.
pub fn judge(record: &RunRecord) -> Verdict {
    let mut reasons = Vec::new();
    if let Some(why) = &record.aborted {
        let message = format!("the run was cut short: {why}");
        push(
            &mut reasons,
            ReasonCode::Aborted,
            VerdictState::Suspect,
            message,
            "what was measured until then is kept",
        );
    }
    for note in &record.environment.notes {
        push(
            &mut reasons,
            ReasonCode::Environment,
            VerdictState::Valid,
            note.clone(),
            "compare only with runs of the same environment",
        );
    }
    let measured: Vec<&PhaseRecord> =
        record.phases.iter().filter(|phase| phase.kind == PhaseKind::Measure).collect();
    if measured.is_empty() && !record.phases.is_empty() {
        let message = "no phase was measured: all that ran was warm-up".to_owned();
        push(
            &mut reasons,
            ReasonCode::NothingCompleted,
            VerdictState::Invalid,
            message,
            "give the plan a phase that is no warm-up",
        );
    }
    for phase in &measured {
        judge_phase(phase, &mut reasons);
    }
    if let Some(steal) = record.client.steal_ratio
        && let Some(state) = graded(steal, STEAL_RATIO)
    {
        let message = format!("the hypervisor took {} of the CPU time away", units::ratio(steal));
        push(&mut reasons, ReasonCode::Steal, state, message, "repeat on a quieter or a dedicated machine");
    }
    // Several phases may give the same kind of reason; all stay, worst first, otherwise in the order found.
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.state));
    let state = reasons.iter().map(|reason| reason.state).max().unwrap_or_default();
    Verdict { state, reasons }
}

fn push(reasons: &mut Vec<Reason>, code: ReasonCode, state: VerdictState, message: String, hint: &str) {
    reasons.push(Reason { code, state, message, hint: hint.to_owned() });
}

/// Beyond the second of two limits: invalid; beyond the first: suspect.
fn graded(value: f64, (suspect, invalid): (f64, f64)) -> Option<VerdictState> {
    match value {
        v if v > invalid => Some(VerdictState::Invalid),
        v if v > suspect => Some(VerdictState::Suspect),
        _ => None,
    }
}

fn judge_phase(phase: &PhaseRecord, reasons: &mut Vec<Reason>) {
    let counts = &phase.counts;
    let name = if phase.repeat_index > 0 {
        format!("{} #{}", phase.name, phase.repeat_index + 1)
    } else {
        phase.name.clone()
    };
    if counts.completed == 0 {
        let message = format!("phase {name}: nothing was completed");
        let hint = if counts.failed > 0 {
            "look at the errors by class"
        } else {
            "no answer came before the end: run longer, or look at whether the server answers at all"
        };
        push(reasons, ReasonCode::NothingCompleted, VerdictState::Invalid, message, hint);
        return;
    }
    judge_generator(phase, &name, reasons);
    judge_lateness(phase, &name, reasons);
    if counts.dropped > 0 {
        let share = counts.dropped as f64 / counts.due.max(1) as f64;
        let message = format!(
            "phase {name}: {} of {} arrivals were dropped ({}): the latencies speak only of the rest",
            units::count(counts.dropped),
            units::count(counts.due),
            units::ratio(share)
        );
        let state = graded(share, (0.0, 0.05)).unwrap_or(VerdictState::Suspect);
        push(
            reasons,
            ReasonCode::ArrivalsDropped,
            state,
            message,
            "raise `users_max`, lower the rate, or let arrivals queue",
        );
    }
    if fell_behind(phase) && counts.failed < counts.due / 100 {
        let message = format!(
            "phase {name}: {}/s were completed of {}/s offered; work piled up, so response times grow with the length of the phase",
            units::per_sec(phase.achieved_per_sec),
            units::per_sec(phase.offered_per_sec.unwrap_or_default())
        );
        let hint = "the load is above what was sustained: lower the rate, or read the result as overload";
        push(reasons, ReasonCode::BelowOffered, VerdictState::Suspect, message, hint);
    }
    let lacking = phase.errors.get("connect_no_address").copied().unwrap_or(0);
    if lacking > 0 {
        let message = format!(
            "phase {name}: {} times this machine had no descriptor or local port left for a connection: these failures are the generator's own",
            units::count(lacking)
        );
        let hint = "raise the limit on open files, keep connections alive, or use more addresses";
        push(reasons, ReasonCode::LocalResources, VerdictState::Invalid, message, hint);
    }
    judge_little(phase, &name, reasons);
    let censored = counts.censored as f64 / phase.response_ns.count.max(1) as f64;
    if censored > CENSORED_RATIO {
        let message = format!(
            "phase {name}: {} of the times are lower bounds (time-outs, lost connections, unanswered at the end): the true quantiles may be higher",
            units::ratio(censored)
        );
        push(reasons, ReasonCode::Censored, VerdictState::Suspect, message, "look at the errors by class");
    }
    if phase.response_ns.p99.is_none() {
        let message = format!(
            "phase {name}: {} {} not carry p99, which is left out",
            units::count(phase.response_ns.count),
            if phase.response_ns.count == 1 { "sample does" } else { "samples do" }
        );
        push(
            reasons,
            ReasonCode::FewSamples,
            VerdictState::Valid,
            message,
            "1000 samples carry p99, 10000 carry p99.9: run longer",
        );
    }
    if phase.load_model == LoadModel::Closed {
        let message = format!(
            "phase {name}: in a closed model requests that a stall held back were never due, so stalls are hidden"
        );
        push(
            reasons,
            ReasonCode::ClosedModel,
            VerdictState::Valid,
            message,
            "give a rate to see the latency that arrivals would see",
        );
    }
}

fn judge_lateness(phase: &PhaseRecord, name: &str, reasons: &mut Vec<Reason>) {
    if phase.load_model == LoadModel::Closed {
        return;
    }
    let quantiles = phase.lateness_ns.quantiles().into_iter().zip(phase.response_ns.quantiles());
    let worst = quantiles
        .filter_map(|((key, late_ns), (_, response_ns))| {
            let (late_ns, response_ns) = (late_ns?, response_ns?);
            let share = late_ns as f64 / response_ns.max(1) as f64;
            let state = graded(share, LATENESS_RATIO)?;
            (late_ns > LATENESS_NS_HARMLESS).then_some((state, share, key, late_ns, response_ns))
        })
        .max_by(|a, b| a.1.total_cmp(&b.1));
    if let Some((state, share, key, late_ns, response_ns)) = worst {
        let key = key.replace('_', ".");
        let message = format!(
            "phase {name}: requests left {} late at {key} by the generator's own fault, {} of the response time's {key} of {}",
            units::duration(late_ns),
            units::ratio(share),
            units::duration(response_ns)
        );
        push(
            reasons,
            ReasonCode::SendLateness,
            state,
            message,
            "use more threads, a quieter machine, or a lower rate",
        );
    }
}

/// Whether less was completed than offered because work piled up, and not only because answers take long.
fn fell_behind(phase: &PhaseRecord) -> bool {
    let Some(offered) = phase.offered_per_sec else { return false };
    if phase.achieved_per_sec >= offered * ACHIEVED_RATIO {
        return false;
    }
    let load_end_ns = phase.start_ns + phase.duration_ns;
    let means: Vec<f64> = phase
        .intervals
        .iter()
        .filter(|interval| interval.start_ns < load_end_ns)
        .filter_map(|interval| interval.response_ns.mean.map(|mean_ns| mean_ns as f64))
        .collect();
    let quarter = means.len() / 4;
    if phase.counts.unstarted > 0 || quarter == 0 {
        return true;
    }
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    mean(&means[means.len() - quarter..]) > GROWTH_RATIO * mean(&means[quarter..2 * quarter])
}

/// Little's law, L = λW: the mean number in flight is the rate times the mean time in flight (J. D. C. Little, 1961).
fn judge_little(phase: &PhaseRecord, name: &str, reasons: &mut Vec<Reason>) {
    let span_ns = (phase.duration_ns + phase.drain_ns) as f64;
    let residence_ns =
        phase.service_ns.mean.unwrap_or(0) as f64 * phase.service_ns.count as f64 + phase.think_ns as f64;
    let expected = if span_ns > 0.0 { residence_ns / span_ns } else { 0.0 };
    let off = (phase.in_flight_mean - expected).abs();
    if phase.service_ns.count < LITTLE_SAMPLES_MIN || expected < 0.1 || off <= LITTLE_RATIO * expected {
        return;
    }
    let message = format!(
        "phase {name}: {:.2} actions were in flight on average, but rate × time gives {expected:.2}: the measurement contradicts itself",
        phase.in_flight_mean
    );
    push(
        reasons,
        ReasonCode::LittlesLaw,
        VerdictState::Invalid,
        message,
        "please report this with the record",
    );
}

/// Whether the worker threads themselves were the limit, or were kept from working.
fn judge_generator(phase: &PhaseRecord, name: &str, reasons: &mut Vec<Reason>) {
    let busy = phase.busy_ratio_max;
    if busy > BUSY_RATIO {
        let fell_behind =
            phase.offered_per_sec.is_some_and(|offered| phase.achieved_per_sec < offered * ACHIEVED_RATIO);
        let state = if fell_behind { VerdictState::Invalid } else { VerdictState::Suspect };
        let message = format!(
            "phase {name}: the generator was the limit: a worker thread was busy {} of the time; the service can do at least this rate, and latencies hold the client's own queueing",
            units::ratio(busy.min(1.0))
        );
        push(
            reasons,
            ReasonCode::GeneratorBound,
            state,
            message,
            "use more threads (-t) or give a rate below this one",
        );
    }
    if let Some(off_cpu) = phase.off_cpu_ratio_max
        && let Some(state) = graded(off_cpu, OFF_CPU_RATIO)
    {
        let message = format!(
            "phase {name}: a worker thread was ready but kept off the CPU {} of the time: its latencies hold that",
            units::ratio(off_cpu)
        );
        push(
            reasons,
            ReasonCode::OffCpu,
            state,
            message,
            "leave a CPU free for each worker thread, or use fewer (-t)",
        );
    }
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod tests;
