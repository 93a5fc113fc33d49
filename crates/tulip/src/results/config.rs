//! The configuration as a result file repeats it: in the names of the first releases or in those of the last.

use crate::config::{Benchmark, Config, Context, Params, TOKENS_DEFAULT, Tokens};
use crate::facts::{BenchmarkConfig, ConfigFacts, ContextConfig, Facts};
use plan::Secret;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};

/// Stands for a credential.
const HIDDEN: &str = "(hidden)";
/// Parameters whose names hold one of these are taken for credentials.
const CREDENTIAL_WORDS: [&str; 8] =
    ["password", "passwd", "secret", "token", "apikey", "api_key", "authorization", "credential"];

/// What is known of a configuration before it is run: no contexts, benchmarks and actions yet.
pub(crate) fn facts_of(config: &Config) -> Facts {
    Facts {
        dialect: config.dialect.to_string(),
        description: config.header.description.clone(),
        output_filename: config.header.output_filename.clone(),
        report_filename: config.header.report_filename.clone(),
        user_class: config.header.user_class.value.clone(),
        config: Some(config_facts(config)),
        ..Facts::default()
    }
}

/// The configuration in one form, credentials hidden.
fn config_facts(config: &Config) -> ConfigFacts {
    let first = config.contexts.iter().find(|context| context.is_enabled).or(config.contexts.first());
    let workflows = config.workflows.iter().map(|workflow| {
        let rows = workflow.rows.iter().map(|row| {
            let chances = row.chances.iter().map(|(next, chance)| (next.clone(), chance.value));
            (row.state.clone(), chances.collect())
        });
        (workflow.name.clone(), rows.collect())
    });
    ConfigFacts {
        user_params: params(&config.header.user_params),
        user_actions: config.header.user_actions.clone(),
        contexts: config.contexts.iter().map(context_config).collect(),
        benchmarks: config.benchmarks.iter().map(|benchmark| benchmark_config(benchmark, first)).collect(),
        workflows: workflows.collect(),
    }
}

/// The configuration of a record; of one that has none, what is known of its actions.
pub(crate) fn config_of(facts: &Facts) -> ConfigFacts {
    facts.config.clone().unwrap_or_else(|| {
        let named = facts.actions.iter().filter_map(|action| Some((action.id, action.name.clone()?)));
        ConfigFacts { user_actions: named.collect(), ..ConfigFacts::default() }
    })
}

fn context_config(context: &Context) -> ContextConfig {
    ContextConfig {
        name: context.name.clone(),
        is_enabled: context.is_enabled,
        user_count: context.user_count,
        thread_count: context.thread_count,
        task_count: context.task_count,
        user_params: params(&context.user_params),
    }
}

fn benchmark_config(benchmark: &Benchmark, context: Option<&Context>) -> BenchmarkConfig {
    let count = context.map_or(TOKENS_DEFAULT, |context| benchmark.tokens.count(context));
    let counted = i32::try_from(count).unwrap_or(i32::MAX);
    BenchmarkConfig {
        name: benchmark.name.clone(),
        is_enabled: benchmark.is_enabled,
        is_saved: benchmark.is_saved,
        rate: benchmark.rate.value,
        rate_step_change: benchmark.rate_step_change,
        rate_step_count: benchmark.rate_step_count,
        work_in_progress: match benchmark.tokens {
            Tokens::WorkInProgress(tokens) => tokens,
            _ => counted,
        },
        task_count: match benchmark.tokens {
            Tokens::Tasks(tokens) => tokens,
            _ => count,
        },
        actions: benchmark.actions.iter().map(|action| (action.id, action.weight)).collect(),
        workflow: benchmark.workflow.as_ref().map(|name| name.value.clone()),
        warmup_1_s: benchmark.warmup_1_s,
        warmup_2_s: benchmark.warmup_2_s,
        duration_s: benchmark.duration_s,
        iteration_count: benchmark.iteration_count,
    }
}

fn params(params: &Params) -> Vec<(String, String)> {
    params.iter().map(|(key, value)| (key.clone(), without_credentials(key, &value.value))).collect()
}

/// A parameter's value as it may be shown: a result file is passed on more freely than a configuration.
fn without_credentials(key: &str, value: &str) -> String {
    let lower = key.to_ascii_lowercase();
    if CREDENTIAL_WORDS.iter().any(|word| lower.contains(word)) {
        return HIDDEN.to_owned();
    }
    if let Some((header, _)) = value.split_once(':').filter(|_| lower.contains("header"))
        && Secret::is_credential_header(header.trim())
    {
        return format!("{header}: {HIDDEN}");
    }
    // `https://user:password@host`, as often as there are URLs in a list.
    let hide = |url: &str| {
        let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
        let authority_end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        match rest.get(..authority_end).and_then(|authority| authority.rfind('@')) {
            Some(at) => format!("{scheme}://{HIDDEN}{}", rest.get(at..).unwrap_or_default()),
            None => url.to_owned(),
        }
    };
    value.split(',').map(hide).collect::<Vec<_>>().join(",")
}

/// Pairs as a JSON object, in their order; of a key given twice the first.
struct Object<'o, V>(Vec<(&'o str, V)>);

impl<V: Serialize> Serialize for Object<'_, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seen = BTreeSet::new();
        let mut map = serializer.serialize_map(None)?;
        for (key, value) in self.0.iter().filter(|(key, _)| seen.insert(*key)) {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

fn text_object(pairs: &[(String, String)]) -> Object<'_, &str> {
    Object(pairs.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect())
}

/// The names of the first releases; every value is said.
#[derive(Serialize)]
struct SeedConfig<'f> {
    #[serde(rename = "static")]
    header: Header<'f>,
    contexts: Vec<SeedContext<'f>>,
    benchmarks: Vec<SeedBenchmark<'f>>,
}

#[derive(Serialize)]
struct Header<'f> {
    description: &'f str,
    output_filename: &'f str,
    report_filename: &'f str,
    user_class: &'f str,
    user_params: Object<'f, &'f str>,
    user_actions: &'f BTreeMap<u32, String>,
    /// Here in 2.0.0 alone.
    #[serde(skip_serializing_if = "is_empty")]
    workflows: Workflows<'f>,
}

/// Chances of what follows, by state, by name.
type Workflows<'f> = Object<'f, Object<'f, Object<'f, f64>>>;

#[derive(Serialize)]
struct SeedContext<'f> {
    name: &'f str,
    enabled: bool,
    num_users: u32,
    num_threads: u32,
}

#[derive(Serialize)]
struct SeedBenchmark<'f> {
    name: &'f str,
    enabled: bool,
    time: SeedTime,
    throughput_rate: f64,
    work_in_progress: i32,
    actions: Vec<SeedAction>,
    /// From 2.0.0 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    workflow: Option<&'f str>,
}

#[derive(Serialize)]
struct SeedTime {
    #[serde(rename = "prewarmup_duration")]
    warmup_1_s: u32,
    #[serde(rename = "warmup_duration")]
    warmup_2_s: u32,
    #[serde(rename = "benchmark_duration")]
    duration_s: u32,
    benchmark_duration_repeat_count: u32,
}

#[derive(Serialize)]
struct SeedAction {
    id: u32,
    weight: u32,
}

/// The configuration in the names of the first releases.
pub(crate) fn seed_config<'f>(facts: &'f Facts, config: &'f ConfigFacts) -> impl Serialize + use<'f> {
    let context = |context: &'f ContextConfig| SeedContext {
        name: &context.name,
        enabled: context.is_enabled,
        num_users: context.user_count,
        num_threads: if context.thread_count == 0 { context.user_count } else { context.thread_count },
    };
    let benchmark = |benchmark: &'f BenchmarkConfig| SeedBenchmark {
        name: &benchmark.name,
        enabled: benchmark.is_enabled,
        time: SeedTime {
            warmup_1_s: benchmark.warmup_1_s,
            warmup_2_s: benchmark.warmup_2_s,
            duration_s: benchmark.duration_s,
            benchmark_duration_repeat_count: benchmark.iteration_count,
        },
        throughput_rate: benchmark.rate,
        work_in_progress: benchmark.work_in_progress,
        actions: benchmark
            .actions
            .iter()
            .map(|(id, weight)| SeedAction { id: *id, weight: *weight })
            .collect(),
        workflow: benchmark.workflow.as_deref(),
    };
    SeedConfig {
        header: header(facts, config, workflows(config)),
        contexts: config.contexts.iter().map(context).collect(),
        benchmarks: config.benchmarks.iter().map(benchmark).collect(),
    }
}

fn header<'f>(facts: &'f Facts, config: &'f ConfigFacts, workflows: Workflows<'f>) -> Header<'f> {
    Header {
        description: &facts.description,
        output_filename: &facts.output_filename,
        report_filename: &facts.report_filename,
        user_class: &facts.user_class,
        user_params: text_object(&config.user_params),
        user_actions: &config.user_actions,
        workflows,
    }
}

fn workflows(config: &ConfigFacts) -> Workflows<'_> {
    let workflows = config.workflows.iter().map(|(name, states)| {
        let states = states.iter().map(|(state, chances)| {
            let chances = chances.iter().map(|(next, chance)| (next.as_str(), *chance));
            (state.as_str(), Object(chances.collect()))
        });
        (name.as_str(), Object(states.collect()))
    });
    Object(workflows.collect())
}

/// The names of the last releases. What is as by default is left out, but for what its report can't do without.
#[derive(Serialize)]
struct NewestConfig<'f> {
    actions: Header<'f>,
    contexts: Object<'f, NewestContext<'f>>,
    benchmarks: Object<'f, NewestBenchmark<'f>>,
    #[serde(skip_serializing_if = "is_empty")]
    workflows: Workflows<'f>,
}

#[derive(Serialize)]
struct NewestContext<'f> {
    #[serde(skip_serializing_if = "is_false")]
    enabled: bool,
    num_users: u32,
    #[serde(skip_serializing_if = "is_default_tasks")]
    num_tasks: u32,
    #[serde(skip_serializing_if = "is_zero")]
    num_threads: u32,
    #[serde(skip_serializing_if = "is_empty")]
    user_params: Object<'f, &'f str>,
}

#[derive(Serialize)]
struct NewestBenchmark<'f> {
    #[serde(skip_serializing_if = "is_true")]
    enabled: bool,
    #[serde(skip_serializing_if = "is_true")]
    save_stats: bool,
    #[serde(skip_serializing_if = "is_nothing")]
    aps_rate: f64,
    #[serde(skip_serializing_if = "is_nothing")]
    aps_rate_step_change: f64,
    #[serde(skip_serializing_if = "is_one")]
    aps_rate_step_count: u32,
    #[serde(skip_serializing_if = "is_zero")]
    num_tasks: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    scenario_actions: Vec<NewestAction>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scenario_workflow: Option<&'f str>,
    #[serde(skip_serializing_if = "is_zero")]
    warmup_duration1: u32,
    #[serde(skip_serializing_if = "is_zero")]
    warmup_duration2: u32,
    #[serde(rename = "benchmark_duration", skip_serializing_if = "is_zero")]
    duration_s: u32,
    #[serde(skip_serializing_if = "is_one")]
    benchmark_iterations: u32,
}

#[derive(Serialize)]
struct NewestAction {
    id: u32,
    #[serde(skip_serializing_if = "is_zero")]
    weight: u32,
}

fn is_empty<V>(object: &Object<'_, V>) -> bool {
    object.0.is_empty()
}

fn is_false(value: &bool) -> bool {
    !*value
}

fn is_true(value: &bool) -> bool {
    *value
}

fn is_nothing(value: &f64) -> bool {
    *value == 0.0
}

fn is_zero(value: &u32) -> bool {
    *value == 0
}

fn is_one(value: &u32) -> bool {
    *value == 1
}

fn is_default_tasks(value: &u32) -> bool {
    *value == TOKENS_DEFAULT
}

/// The configuration in the names of the last releases.
pub(crate) fn newest_config<'f>(facts: &'f Facts, config: &'f ConfigFacts) -> impl Serialize + use<'f> {
    let context = |context: &'f ContextConfig| {
        let newest = NewestContext {
            enabled: context.is_enabled,
            num_users: context.user_count,
            num_tasks: context.task_count.unwrap_or(TOKENS_DEFAULT),
            num_threads: context.thread_count,
            user_params: text_object(&context.user_params),
        };
        (context.name.as_str(), newest)
    };
    NewestConfig {
        actions: header(facts, config, Object(Vec::new())),
        contexts: Object(config.contexts.iter().map(context).collect()),
        benchmarks: Object(config.benchmarks.iter().map(newest_benchmark).collect()),
        workflows: workflows(config),
    }
}

fn newest_benchmark(benchmark: &BenchmarkConfig) -> (&str, NewestBenchmark<'_>) {
    let newest = NewestBenchmark {
        enabled: benchmark.is_enabled,
        save_stats: benchmark.is_saved,
        aps_rate: benchmark.rate,
        aps_rate_step_change: benchmark.rate_step_change,
        aps_rate_step_count: benchmark.rate_step_count,
        num_tasks: benchmark.task_count,
        scenario_actions: benchmark
            .actions
            .iter()
            .map(|(id, weight)| NewestAction { id: *id, weight: *weight })
            .collect(),
        scenario_workflow: benchmark.workflow.as_deref(),
        warmup_duration1: benchmark.warmup_1_s,
        warmup_duration2: benchmark.warmup_2_s,
        duration_s: benchmark.duration_s,
        benchmark_iterations: benchmark.iteration_count,
    };
    (benchmark.name.as_str(), newest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_stay_out_of_results() {
        let check = |key: &str, value: &str, expected: &str| {
            assert_eq!(without_credentials(key, value), expected, "{key}");
        };
        check("url", "http://a:1/x?y=z@w", "http://a:1/x?y=z@w");
        check("url", "http://ann:pw@a:1/x,http://b", "http://(hidden)@a:1/x,http://b");
        check("httpHeader", "Authorization: Bearer x", "Authorization: (hidden)");
        check("httpHeader", "User-Agent: Tulip", "User-Agent: Tulip");
        check("apiToken", "abc", HIDDEN);
        check("debug", "true", "true");
    }
}
