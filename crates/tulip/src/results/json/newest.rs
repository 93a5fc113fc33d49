//! The result file of the last releases: a head, then a row a line; all times in ns.
//!
//! Source: `BenchmarkStats.kt` and `DataCollector.kt` of release 2.3.4.

use super::{ById, Percentiles, VENDOR, at, json, rows, seconds, version};
use crate::config::TOKENS_DEFAULT;
use crate::date;
use crate::results::config::{config_of, newest_config};
use crate::results::figures::{Figures, Group, Iteration, Results};
use serde::Serialize;

/// The release whose form this is; its readers tell the unit of times by it.
const RELEASE: &str = "2.3.4";

pub(super) fn text(results: &Results<'_>) -> String {
    let config = config_of(&results.facts);
    let version = version(results);
    let head = Head {
        version: RELEASE,
        timestamp: date::stamp(results.stamp_unix_ns()),
        java: Java {
            properties: Properties {
                vendor: VENDOR,
                version,
                runtime_version: version,
                os: &results.record.environment.os,
                arch: std::env::consts::ARCH,
            },
            options: [],
        },
        config: newest_config(&results.facts, &config),
    };
    let mut head = json(&head);
    head.pop();
    head.push_str(", \"results\": [\n");
    let all = results.groups().flat_map(|group| {
        let row = |(index, iteration)| row(&group, index, iteration);
        group.iterations.iter().enumerate().map(row).collect::<Vec<_>>()
    });
    rows(head, " ", all)
}

#[derive(Serialize)]
struct Head<'r, C> {
    version: &'static str,
    timestamp: String,
    java: Java<'r>,
    config: C,
}

#[derive(Serialize)]
struct Java<'r> {
    #[serde(rename = "jvm.system.properties")]
    properties: Properties<'r>,
    #[serde(rename = "jvm.runtime.options")]
    options: [&'r str; 0],
}

#[derive(Serialize)]
struct Properties<'r> {
    #[serde(rename = "java.vendor")]
    vendor: &'static str,
    #[serde(rename = "java.version")]
    version: &'r str,
    #[serde(rename = "java.runtime.version")]
    runtime_version: &'r str,
    #[serde(rename = "os.name")]
    os: &'r str,
    #[serde(rename = "os.arch")]
    arch: &'static str,
}

#[derive(Serialize)]
struct Row<'r> {
    context_name: &'r str,
    context_id: usize,
    bm_name: &'r str,
    bm_id: usize,
    row_id: usize,
    num_users: u32,
    num_tasks: u32,
    num_threads: u32,
    queue_length: u32,
    workflow_name: &'r str,
    test_begin: String,
    test_end: String,
    duration: f64,
    jvm_memory_used: u64,
    jvm_memory_free: u64,
    jvm_memory_total: u64,
    jvm_memory_maximum: u64,
    process_cpu_utilization: f64,
    process_cpu_cores: f64,
    process_cpu_time_ns: u64,
    process_cgc_time_ns: u64,
    avg_wthread_qsize: f64,
    max_wthread_qsize: u64,
    avg_wt: f64,
    max_wt: f64,
    #[serde(flatten)]
    counts: Counts,
    avg_rt: f64,
    sd_rt: f64,
    #[serde(flatten)]
    times: Times,
    user_actions: ById<Action>,
}

#[derive(Serialize)]
struct Action {
    name: String,
    #[serde(flatten)]
    counts: Counts,
    avg_rt: f64,
    /// Called otherwise than in the row.
    sdev_rt: f64,
    #[serde(flatten)]
    times: Times,
}

#[derive(Serialize)]
struct Counts {
    num_actions: u64,
    num_failed: u64,
    avg_aps: f64,
    aps_target_rate: f64,
}

#[derive(Serialize)]
struct Times {
    min_rt: f64,
    max_rt: f64,
    max_rt_ts: String,
    percentiles_rt: Percentiles<5>,
    hdr_histogram_rt: String,
}

fn row(group: &Group<'_>, index: usize, iteration: &Iteration<'_>) -> String {
    let (results, facts) = (group.results, group.benchmark);
    let figures = iteration.figures();
    let [used, total, most] = iteration.memory();
    let whole = figures.whole;
    let user_actions = ById::of(results, iteration, |name, figures| Action {
        name,
        counts: counts(figures, 0.0),
        avg_rt: figures.service.mean_ns().unwrap_or(0.0),
        sdev_rt: figures.service.stdev_ns().unwrap_or(0.0),
        times: times(figures, results, iteration),
    });
    json(&Row {
        context_name: &facts.context,
        context_id: facts.context_index,
        bm_name: &facts.benchmark,
        bm_id: facts.benchmark_index,
        row_id: index,
        num_users: facts.user_count,
        num_tasks: task_count(results, &facts.context),
        num_threads: facts.thread_count,
        queue_length: facts.token_count,
        workflow_name: facts.workflow.as_deref().unwrap_or_default(),
        test_begin: date::stamp(results.unix_ns(iteration.phase.start_ns)),
        test_end: date::stamp(results.unix_ns(iteration.end_ns())),
        duration: seconds(iteration.phase.duration_ns),
        jvm_memory_used: used,
        jvm_memory_free: total.saturating_sub(used),
        jvm_memory_total: total,
        jvm_memory_maximum: most.max(1),
        process_cpu_utilization: whole.cpu_ratio * 100.0,
        process_cpu_cores: whole.cpu_ratio,
        process_cpu_time_ns: whole.cpu_ns,
        process_cgc_time_ns: whole.collection_ns,
        avg_wthread_qsize: whole.queue_mean,
        max_wthread_qsize: whole.queue_max as u64,
        avg_wt: whole.wait_ns_mean,
        max_wt: whole.wait_ns_max,
        counts: counts(&figures, iteration.target_per_sec),
        avg_rt: figures.service.mean_ns().unwrap_or(0.0),
        sd_rt: figures.service.stdev_ns().unwrap_or(0.0),
        times: times(&figures, results, iteration),
        user_actions,
    })
}

/// Tokens of a context, whatever its benchmarks say.
pub(crate) fn task_count(results: &Results<'_>, context: &str) -> u32 {
    let mut contexts = results.facts.config.iter().flat_map(|config| &config.contexts);
    let found = contexts.find(|known| known.name == context);
    found.and_then(|context| context.task_count).unwrap_or(TOKENS_DEFAULT)
}

fn counts(figures: &Figures, target_per_sec: f64) -> Counts {
    Counts {
        num_actions: figures.ended,
        num_failed: figures.failed,
        avg_aps: figures.per_sec(),
        aps_target_rate: target_per_sec,
    }
}

fn times(figures: &Figures, results: &Results<'_>, iteration: &Iteration<'_>) -> Times {
    let service = &figures.service;
    let percentile = |name: &'static str, percentile| (name, at(service, percentile));
    Times {
        min_rt: service.min_ns().unwrap_or(0) as f64,
        max_rt: service.max_ns().unwrap_or(0) as f64,
        max_rt_ts: date::stamp(results.unix_ns(figures.max_at_ns.unwrap_or(iteration.end_ns()))),
        percentiles_rt: Percentiles([
            percentile("50.0", 50.0),
            percentile("75.0", 75.0),
            percentile("90.0", 90.0),
            percentile("95.0", 95.0),
            percentile("99.0", 99.0),
        ]),
        hdr_histogram_rt: service.to_base64(),
    }
}
