//! A foreign result as a record.

use record::{
    CheckRecord, Client, CountsRecord, Environment, Latencies, LoadModel, PhaseKind, PhaseRecord, Reason,
    ReasonCode, RunRecord, SCHEMA_VERSION, SloRecord, TrafficRecord, Verdict, VerdictState,
};
use std::collections::BTreeMap;

/// How far figures that were printed with three digits may be out of order by rounding alone.
const ROUNDING_RATIO: f64 = 0.02;
/// Longest name kept: foreign texts may be of any length.
const NAME_CHARS_MAX: usize = 500;

/// What a tool's result tells of a run.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Foreign {
    /// The tool, as the record's origin.
    pub(super) tool: &'static str,
    pub(super) name: String,
    pub(super) labels: BTreeMap<String, String>,
    pub(super) environment: Environment,
    pub(super) started_unix_ns: Option<u64>,
    pub(super) measured: Measured,
    pub(super) slos: Vec<SloRecord>,
    /// What this tool's figures leave open.
    pub(super) lacking: &'static str,
}

/// Its one phase.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Measured {
    pub(super) is_open: bool,
    pub(super) duration_ns: u64,
    /// Asked for, where that is known.
    pub(super) offered_per_sec: Option<f64>,
    pub(super) achieved_per_sec: Option<f64>,
    pub(super) completed: u64,
    pub(super) errors: BTreeMap<String, u64>,
    pub(super) unfinished: u64,
    pub(super) dropped: u64,
    pub(super) bytes_sent: u64,
    pub(super) bytes_received: u64,
    pub(super) statuses: BTreeMap<String, u64>,
    pub(super) response_ns: Latencies,
    pub(super) service_ns: Latencies,
    pub(super) checks: Vec<CheckRecord>,
}

impl Foreign {
    /// The record. `content` is the file's, from which the id follows: the same file twice is the same run.
    pub(super) fn into_record(
        self,
        content: &[u8],
        index: u64,
        read_unix_ns: u64,
    ) -> Result<RunRecord, String> {
        check(&self.measured.response_ns)?;
        check(&self.measured.service_ns)?;
        let started_unix_ns = self.started_unix_ns.unwrap_or(read_unix_ns);
        let phase = self.measured.into_phase();
        let message = format!(
            "{} measured this, and nothing here knows whether its requests left on time or what it was held up by: {}",
            self.tool, self.lacking
        );
        let reason = Reason {
            code: ReasonCode::Environment,
            state: VerdictState::Suspect,
            message,
            hint: "measure with weir for response times and a verdict".to_owned(),
        };
        Ok(RunRecord {
            schema_version: SCHEMA_VERSION,
            run_id: run_id(started_unix_ns / units::NS_PER_MS, content, index),
            name: if self.name.is_empty() { self.tool.to_owned() } else { shortened(&self.name) },
            origin: self.tool.to_owned(),
            labels: self.labels,
            started_unix_ns,
            duration_ns: phase.duration_ns,
            aborted: None,
            plan: serde_json::Value::Null,
            environment: self.environment,
            verdict: Verdict { state: VerdictState::Suspect, reasons: vec![reason] },
            slos: self.slos,
            phases: vec![phase],
            client: Client::default(),
        })
    }
}

impl Measured {
    fn into_phase(self) -> PhaseRecord {
        let failed = self.errors.values().fold(0u64, |sum, count| sum.saturating_add(*count));
        let started = self.completed.saturating_add(failed).saturating_add(self.unfinished);
        let secs = self.duration_ns as f64 / 1e9;
        let achieved = if secs > 0.0 { self.completed as f64 / secs } else { 0.0 };
        let errors = self.errors.into_iter().filter(|(_, count)| *count > 0).collect();
        PhaseRecord {
            name: "measure".to_owned(),
            kind: PhaseKind::Measure,
            load_model: if self.is_open { LoadModel::Open } else { LoadModel::Closed },
            repeat_index: 0,
            start_ns: 0,
            duration_ns: self.duration_ns,
            drain_ns: 0,
            offered_per_sec: self.offered_per_sec,
            achieved_per_sec: self.achieved_per_sec.unwrap_or(achieved),
            counts: CountsRecord {
                due: started.saturating_add(self.dropped),
                started,
                completed: self.completed,
                failed,
                dropped: self.dropped,
                unstarted: 0,
                unfinished: self.unfinished,
                censored: 0,
            },
            errors,
            bytes_sent: self.bytes_sent,
            bytes_received: self.bytes_received,
            traffic: TrafficRecord { requests: started, statuses: self.statuses, ..TrafficRecord::default() },
            in_flight_mean: 0.0,
            in_flight_max: 0,
            think_ns: 0,
            service_ns: self.service_ns,
            response_ns: self.response_ns,
            wait_ns: Latencies::default(),
            lateness_ns: Latencies::default(),
            busy_ratio_max: 0.0,
            off_cpu_ratio_max: None,
            actions: Vec::new(),
            requests: Vec::new(),
            checks: self.checks,
            intervals: Vec::new(),
        }
    }
}

/// Leaves out the quantiles that so many values do not carry, as a record of this program does.
pub(super) fn carried(mut latencies: Latencies) -> Latencies {
    let count = latencies.count as f64;
    let beyond = stats::SAMPLES_BEYOND_MIN as f64 - 1e-6;
    let places = [
        (&mut latencies.p50, 0.5),
        (&mut latencies.p75, 0.75),
        (&mut latencies.p90, 0.9),
        (&mut latencies.p95, 0.95),
        (&mut latencies.p99, 0.99),
        (&mut latencies.p99_9, 0.999),
        (&mut latencies.p99_99, 0.9999),
    ];
    for (place, quantile) in places {
        *place = place.filter(|_| count * (1.0 - quantile) >= beyond);
    }
    latencies
}

/// Whether quantiles ascend between the least and the greatest, and the mean lies between them.
fn check(latencies: &Latencies) -> Result<(), String> {
    let quantiles = latencies.quantiles().into_iter().filter_map(|(_, value)| value);
    let ascending: Vec<u64> = latencies.min.into_iter().chain(quantiles).chain(latencies.max).collect();
    let exceeds = |low: u64, high: u64| low as f64 > high as f64 * (1.0 + ROUNDING_RATIO) + 1_000.0;
    let is_ordered = ascending.windows(2).all(|pair| !matches!(pair, [low, high] if exceeds(*low, *high)));
    let holds_mean = latencies.mean.is_none_or(|mean| {
        !latencies.min.is_some_and(|min| exceeds(min, mean))
            && !latencies.max.is_some_and(|max| exceeds(mean, max))
    });
    if is_ordered && holds_mean { Ok(()) } else { Err("its latencies contradict each other".to_owned()) }
}

fn shortened(text: &str) -> String {
    text.chars().take(NAME_CHARS_MAX).collect()
}

/// Nine letters of Crockford's base 32 for the milliseconds, as ids of runs begin, and four for the content.
fn run_id(unix_ms: u64, content: &[u8], index: u64) -> String {
    const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    // FNV-1a: <http://www.isthe.com/chongo/tech/comp/fnv/>.
    let hash = content.iter().chain(&index.to_le_bytes()).fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let digit = |value: u64| DIGITS.get((value & 31) as usize).map_or('0', |digit| char::from(*digit));
    let time = (0..9).rev().map(|place| digit(unix_ms >> (5 * place)));
    time.chain((0..4).map(|place| digit(hash >> (5 * place)))).collect()
}
