//! The result file of the first releases: configuration with every value said, then a row a line; times in ms, histograms in µs.
//!
//! Source: `saveStatsJson` of release 2.0.0-beta7.

use super::{ById, Percentiles, VENDOR, at, json, rows, seconds, version};
use crate::date;
use crate::results::config::{config_of, seed_config};
use crate::results::figures::{Figures, Group, Iteration, Results};
use serde::Serialize;
use stats::Histogram;
use units::{NS_PER_MS, NS_PER_US};

pub(super) fn text(results: &Results<'_>) -> String {
    let config = config_of(&results.facts);
    let config = seed_config(&results.facts, &config);
    let config = serde_json::to_string_pretty(&config).unwrap_or_default();
    let stamp = date::stamp_ms(results.stamp_unix_ns());
    let head = format!("{{  \n\"config\": {config}\n, \"timestamp\": \"{stamp}\", \"results\":[");
    let all = results.groups().flat_map(|group| {
        let row = |(index, iteration)| row(&group, index, iteration);
        group.iterations.iter().enumerate().map(row).collect::<Vec<_>>()
    });
    rows(head, "", all)
}

#[derive(Serialize)]
struct Row<'r> {
    attributes: Attributes,
    scenario_name: &'r str,
    scenario_id: usize,
    num_users: u32,
    num_threads: u32,
    queue_length: u32,
    test_name: &'r str,
    test_id: usize,
    row_id: usize,
    test_begin: String,
    test_end: String,
    java: Java<'r>,
    duration: f64,
    jvm_memory_used: u64,
    jvm_memory_free: u64,
    jvm_memory_total: u64,
    jvm_memory_maximum: u64,
    system_cpu_utilization: f64,
    avg_wthread_qsize: f64,
    max_wthread_qsize: u64,
    avg_wt: f64,
    max_wt: f64,
    #[serde(flatten)]
    times: Times,
    user_actions: ById<Action>,
}

#[derive(Serialize)]
struct Attributes {
    r#type: &'static str,
}

#[derive(Serialize)]
struct Java<'r> {
    #[serde(rename = "java.vendor")]
    vendor: &'static str,
    #[serde(rename = "java.runtime.version")]
    version: &'r str,
}

#[derive(Serialize)]
struct Times {
    num_actions: u64,
    num_failed: u64,
    avg_tps: f64,
    avg_rt: f64,
    sdev_rt: f64,
    min_rt: f64,
    max_rt: f64,
    max_rt_ts: String,
    percentiles_rt: Percentiles<5>,
    histogram_rt: String,
}

#[derive(Serialize)]
struct Action {
    name: String,
    #[serde(flatten)]
    times: Times,
}

fn row(group: &Group<'_>, index: usize, iteration: &Iteration<'_>) -> String {
    let (results, facts) = (group.results, group.benchmark);
    let figures = iteration.figures();
    let [used, total, most] = iteration.memory();
    let whole = figures.whole;
    let user_actions = ById::of(results, iteration, |name, figures| Action {
        name,
        times: times(figures, results, iteration),
    });
    json(&Row {
        attributes: Attributes { r#type: "data" },
        scenario_name: &facts.context,
        scenario_id: facts.context_index,
        num_users: facts.user_count,
        num_threads: facts.thread_count,
        queue_length: facts.token_count,
        test_name: &facts.benchmark,
        test_id: facts.benchmark_index,
        row_id: index,
        test_begin: date::stamp_ms(results.unix_ns(iteration.phase.start_ns)),
        test_end: date::stamp_ms(results.unix_ns(iteration.end_ns())),
        java: Java { vendor: VENDOR, version: version(results) },
        duration: seconds(iteration.phase.duration_ns),
        jvm_memory_used: used,
        jvm_memory_free: total.saturating_sub(used),
        jvm_memory_total: total,
        jvm_memory_maximum: most.max(1),
        system_cpu_utilization: ((whole.cpu_ratio * 1000.0).floor() / 10.0).min(100.0),
        avg_wthread_qsize: whole.queue_mean,
        max_wthread_qsize: whole.queue_max as u64,
        avg_wt: ms(whole.wait_ns_mean),
        max_wt: ms(whole.wait_ns_max),
        times: times(&figures, results, iteration),
        user_actions,
    })
}

fn times(figures: &Figures, results: &Results<'_>, iteration: &Iteration<'_>) -> Times {
    let service = &figures.service;
    let whole_us = |ns: f64| (ns / NS_PER_US as f64).floor() / 1e3;
    let percentile = |name: &'static str, percentile| (name, whole_us(at(service, percentile)));
    Times {
        num_actions: figures.ended,
        num_failed: figures.failed,
        avg_tps: figures.per_sec(),
        avg_rt: ms(service.mean_ns().unwrap_or(0.0)),
        sdev_rt: ms(service.stdev_ns().unwrap_or(0.0)),
        min_rt: whole_us(service.min_ns().unwrap_or(0) as f64),
        max_rt: whole_us(service.max_ns().unwrap_or(0) as f64),
        max_rt_ts: date::stamp_ms(results.unix_ns(figures.max_at_ns.unwrap_or(iteration.end_ns()))),
        percentiles_rt: Percentiles([
            percentile("50.0", 50.0),
            percentile("90.0", 90.0),
            percentile("95.0", 95.0),
            percentile("99.0", 99.0),
            percentile("99.9", 99.9),
        ]),
        histogram_rt: in_us(service).to_base64(),
    }
}

fn ms(ns: f64) -> f64 {
    ns / NS_PER_MS as f64
}

/// The same values in whole microseconds.
fn in_us(service: &Histogram) -> Histogram {
    let mut in_us = Histogram::default();
    service.values().for_each(|(value_ns, count)| in_us.record_n(value_ns / NS_PER_US, count));
    in_us
}
