//! Tree to configuration: the seven dialects and any mixture of their names, one row per concept.

use crate::config::{At, Benchmark, Config, Context, Dialect, Header, Row, Tokens, WeightedId, Workflow};
use crate::faults::{Faults, quoted};
use crate::fields::{Fields, Unknown, number_of};
use crate::json::{Entry, Node, Value};
use std::collections::BTreeMap;

/// Longest length in seconds: a year.
const SECONDS_MAX: u32 = 366 * 86_400;
/// Most users of a context.
const USERS_MAX: u32 = 10_000_000;
/// Most iterations, over all rate steps: each is a row of the report.
pub(crate) const ITERATIONS_MAX: u32 = 100_000;
/// Greatest weight, which is also the longest cycle.
const WEIGHT_MAX: u32 = 1_000_000;

const TOP_KEYS: [&str; 5] = ["static", "actions", "contexts", "benchmarks", "workflows"];
const HEADER_KEYS: [&str; 7] = [
    "description",
    "output_filename",
    "report_filename",
    "user_class",
    "user_params",
    "user_actions",
    "workflows",
];
const CONTEXT_KEYS: [&str; 7] =
    ["name", "enabled", "num_users", "num_threads", "num_tasks", "user_params", "workload_model"];
pub(crate) const RATE: [&str; 2] = ["aps_rate", "throughput_rate"];
pub(crate) const RATE_STEP_CHANGE: [&str; 2] = ["aps_rate_step_change", "aps_rate_increment"];
pub(crate) const ACTIONS: [&str; 2] = ["scenario_actions", "actions"];
pub(crate) const WORKFLOW: [&str; 2] = ["scenario_workflow", "workflow"];
pub(crate) const TOKENS: [&str; 4] =
    ["num_tasks", "worker_thread_queue_size", "worker_thread_qsize", "work_in_progress"];
pub(crate) const WARMUP_1: [&str; 3] = ["warmup_duration1", "pre_warmup_duration", "prewarmup_duration"];
pub(crate) const WARMUP_2: [&str; 2] = ["warmup_duration2", "warmup_duration"];
pub(crate) const DURATION: [&str; 1] = ["benchmark_duration"];
pub(crate) const ITERATIONS: [&str; 3] =
    ["benchmark_iterations", "benchmark_repeat_count", "benchmark_duration_repeat_count"];

/// Whether a tree is a configuration of Tulip rather than some other plan.
pub(crate) fn is_config(node: &Node) -> bool {
    let Value::Map(entries) = &node.value else { return false };
    let has = |key: &str| entries.iter().any(|entry| entry.key == key);
    has("benchmarks") || (has("contexts") && has("actions")) || has("static")
}

/// Reads a tree; goes on past faults.
pub(crate) fn config(node: &Node, faults: &mut Faults<'_>) -> Config {
    let top = Fields::of(node, "the configuration", faults);
    let dialect = dialect_of(&top);
    let unknown = if dialect == Dialect::A { Unknown::Ignored } else { Unknown::Refused };
    top.refuse_others(&TOP_KEYS, "the configuration", unknown, faults);
    let reader = Reader { dialect, unknown };
    let (header, mut workflows) = reader.header(&top, faults);
    if let Some(entry) = top.get(&["workflows"], faults) {
        workflows.extend(self::workflows(&entry.node, faults));
    }
    let contexts = reader.named(&top, "contexts", faults);
    let contexts = contexts.iter().map(|item| reader.context(item, faults)).collect();
    let benchmarks = reader.named(&top, "benchmarks", faults);
    let benchmarks = benchmarks.iter().map(|item| reader.benchmark(item, faults)).collect();
    let stop_id = if is_old_shape(&top) { 99 } else { 100 };
    Config { dialect, header, contexts, benchmarks, workflows, stop_id }
}

/// Lists, or a header named `static`: releases before 2025.
fn is_old_shape(top: &Fields<'_>) -> bool {
    let list = |entry: &Entry| entry.key == "benchmarks" && matches!(entry.node.value, Value::List(_));
    top.has(&["static"]) || top.entries().iter().any(list)
}

/// The newest family whose names occur; where none does, by the shape.
fn dialect_of(top: &Fields<'_>) -> Dialect {
    let mut names: Vec<&str> = Vec::new();
    gather_keys(top.entries(), 0, &mut names);
    let has = |some: &[&str]| some.iter().any(|name| names.contains(name));
    if top.has(&["static"]) {
        let is_b = has(&["worker_thread_qsize", "benchmark_repeat_count", "workflow", "workflows"]);
        return if is_b { Dialect::B } else { Dialect::A };
    }
    let has_time = has(&["time"]);
    if is_old_shape(top) {
        Dialect::C
    } else if has_time && has(&["num_tasks", "workload_model"]) {
        Dialect::F
    } else if has_time && has(&["warmup_duration1", "warmup_duration2"]) {
        Dialect::E
    } else if has_time && has(&["throughput_rate", "benchmark_repeat_count"]) {
        Dialect::C
    } else if has_time || has(&["worker_thread_queue_size"]) {
        Dialect::D
    } else {
        Dialect::G
    }
}

/// Keys down to those of a benchmark's `time`; user parameters and names of actions are not the dialect's.
fn gather_keys<'n>(entries: &'n [Entry], depth: usize, names: &mut Vec<&'n str>) {
    const DEPTH_MAX: usize = 4;
    for entry in entries.iter().filter(|entry| !matches!(entry.key.as_str(), "user_params" | "user_actions"))
    {
        names.push(&entry.key);
        let below: Vec<&Node> = match &entry.node.value {
            Value::List(items) => items.iter().collect(),
            _ => vec![&entry.node],
        };
        for node in below {
            if let (Value::Map(inner), true) = (&node.value, depth < DEPTH_MAX) {
                gather_keys(inner, depth + 1, names);
            }
        }
    }
}

/// An element of `contexts` or `benchmarks`.
struct Named<'n> {
    name: String,
    at: usize,
    fields: Fields<'n>,
}

struct Reader {
    dialect: Dialect,
    unknown: Unknown,
}

impl Reader {
    fn header(&self, top: &Fields<'_>, faults: &mut Faults<'_>) -> (Header, Vec<Workflow>) {
        let Some(entry) = top.get(&["actions", "static"], faults) else {
            faults.error(
                top.at,
                "the configuration has no `actions`",
                "add `\"actions\": {\"user_class\": …}`",
            );
            return (Header::default(), Vec::new());
        };
        let fields = Fields::of(&entry.node, &quoted(&entry.key), faults);
        fields.refuse_others(&HEADER_KEYS, &quoted(&entry.key), self.unknown, faults);
        let workflows = fields.get(&["workflows"], faults).map(|entry| workflows(&entry.node, faults));
        let mut user_actions = BTreeMap::new();
        for (key, name) in fields.params("user_actions", faults) {
            match key.parse::<u32>() {
                Ok(id) if id <= 100 => _ = user_actions.insert(id, name.value),
                // Tulip took a name for any whole number.
                _ if key.parse::<i32>().is_ok() => {
                    let message =
                        format!("{} is no id of an action, and its name is shown nowhere", quoted(&key));
                    faults.warning(name.at, message, "ids are 0 to 100");
                }
                _ => {
                    let message = format!("{} is no id of an action", quoted(&key));
                    faults.error(name.at, message, "ids are whole numbers from 0 to 100");
                }
            }
        }
        let header = Header {
            at: entry.at,
            description: fields.text("description", faults).value,
            output_filename: fields.text("output_filename", faults).value,
            report_filename: fields.text("report_filename", faults).value,
            user_class: fields.text("user_class", faults),
            user_params: fields.params("user_params", faults),
            user_actions,
        };
        (header, workflows.unwrap_or_default())
    }

    /// The elements of a list with names, or of a map by name.
    fn named<'n>(&self, top: &Fields<'n>, key: &str, faults: &mut Faults<'_>) -> Vec<Named<'n>> {
        let Some(entry) = top.get(&[key], faults) else {
            faults.error(
                top.at,
                format!("the configuration has no {}", quoted(key)),
                format!("add `\"{key}\": {{…}}`"),
            );
            return Vec::new();
        };
        let what = format!("an element of {}", quoted(key));
        match &entry.node.value {
            Value::Map(entries) => {
                let named = |entry: &'n Entry| Named {
                    name: entry.key.clone(),
                    at: entry.at,
                    fields: Fields::of(&entry.node, &what, faults),
                };
                entries.iter().map(named).collect()
            }
            Value::List(items) => {
                let named = |node: &'n Node| {
                    let fields = Fields::of(node, &what, faults);
                    Named { name: fields.text("name", faults).value, at: node.at, fields }
                };
                items.iter().map(named).collect()
            }
            _ => {
                let message =
                    format!("{} must be a list or an object, found {}", quoted(key), entry.node.describe());
                faults.error(entry.node.at, message, "write `{\"name\": {…}}`");
                Vec::new()
            }
        }
    }

    fn context(&self, item: &Named<'_>, faults: &mut Faults<'_>) -> Context {
        let fields = item.fields;
        fields.refuse_others(
            &CONTEXT_KEYS,
            &format!("the context {}", quoted(&item.name)),
            self.unknown,
            faults,
        );
        let is_enabled = fields.flag("enabled", false, faults);
        let user_count = fields.count(&["num_users"], USERS_MAX, faults);
        let is_said = user_count.is_none() && fields.has(&["num_users"]);
        if user_count.unwrap_or(0) == 0 && is_enabled && !is_said {
            faults.error(
                item.at,
                format!("the context {} has no users", quoted(&item.name)),
                "set `num_users` to 1 or more",
            );
        }
        let model = fields.text("workload_model", faults);
        if !matches!(model.value.as_str(), "" | "closed") {
            let message = format!(
                "`workload_model` {} had no effect in Tulip, and has none here",
                quoted(&model.value)
            );
            faults.warning(model.at, message, "a benchmark with `aps_rate` is open, one without is closed");
        }
        Context {
            name: item.name.clone(),
            at: item.at,
            is_enabled,
            user_count: user_count.unwrap_or(1),
            thread_count: fields.count(&["num_threads"], USERS_MAX, faults).unwrap_or(0),
            task_count: fields.count(&["num_tasks"], USERS_MAX, faults),
            user_params: fields.params("user_params", faults),
        }
    }

    fn benchmark(&self, item: &Named<'_>, faults: &mut Faults<'_>) -> Benchmark {
        let fields = item.fields;
        let what = format!("the benchmark {}", quoted(item.name.trim()));
        let time_names = [&WARMUP_1[..], &WARMUP_2, &DURATION, &ITERATIONS].concat();
        let own = ["name", "enabled", "save_stats", "aps_rate_step_count", "time"];
        let known = [&own[..], &RATE, &RATE_STEP_CHANGE, &ACTIONS, &WORKFLOW, &TOKENS, &time_names].concat();
        fields.refuse_others(&known, &what, self.unknown, faults);
        let time = fields.get(&["time"], faults).map(|entry| Fields::of(&entry.node, "`time`", faults));
        if let Some(time) = &time {
            time.refuse_others(&time_names, &format!("`time` of {what}"), self.unknown, faults);
        }
        // Durations stand in `time`, or flat in the newest releases; in mixtures the flat ones count.
        let length = |names: &[&str], max: u32, faults: &mut Faults<'_>| {
            let flat = fields.count(names, max, faults);
            let length = flat.or_else(|| time.as_ref().and_then(|time| time.count(names, max, faults)));
            // One that was refused is there: that the benchmark had none would be said besides.
            let is_given = || fields.has(names) || time.as_ref().is_some_and(|time| time.has(names));
            length.or_else(|| is_given().then_some(1))
        };
        let rate = fields.number(&RATE, faults).unwrap_or(At { at: item.at, value: 0.0 });
        if rate.value < 0.0 {
            faults.error(
                rate.at,
                format!("{what} has a negative rate"),
                "use actions per second, or 0 for as fast as possible",
            );
        }
        let workflow =
            fields.get(&WORKFLOW, faults).map(|entry| At { at: entry.node.at, value: entry.key.clone() });
        let workflow =
            workflow.map(|key| fields.text(&key.value, faults)).filter(|name| !name.value.is_empty());
        let (actions, lacks_actions) = self.actions(&fields, workflow.is_some(), faults);
        Benchmark {
            name: item.name.clone(),
            at: item.at,
            // The first releases left a benchmark without this key out.
            is_enabled: fields.flag("enabled", self.dialect != Dialect::A, faults),
            is_saved: fields.flag("save_stats", true, faults),
            rate,
            rate_step_change: fields.number(&RATE_STEP_CHANGE, faults).map_or(0.0, |change| change.value),
            rate_step_count: fields
                .count(&["aps_rate_step_count"], ITERATIONS_MAX, faults)
                .unwrap_or(1)
                .max(1),
            tokens: self.tokens(&fields, faults),
            actions,
            lacks_actions,
            workflow,
            warmup_1_s: length(&WARMUP_1, SECONDS_MAX, faults).unwrap_or(0),
            warmup_2_s: length(&WARMUP_2, SECONDS_MAX, faults).unwrap_or(0),
            duration_s: length(&DURATION, SECONDS_MAX, faults).unwrap_or(0),
            iteration_count: length(&ITERATIONS, ITERATIONS_MAX, faults).unwrap_or(1),
        }
    }

    fn tokens(&self, fields: &Fields<'_>, faults: &mut Faults<'_>) -> Tokens {
        let Some(entry) = fields.get(&TOKENS, faults) else {
            return match self.dialect {
                Dialect::A => Tokens::WorkInProgress(0),
                Dialect::B => Tokens::QueueSizeB(0),
                Dialect::C | Dialect::D | Dialect::E => Tokens::QueueSize(0),
                Dialect::F | Dialect::G => Tokens::Tasks(0),
            };
        };
        match entry.key.as_str() {
            "num_tasks" => Tokens::Tasks(fields.count(&["num_tasks"], USERS_MAX, faults).unwrap_or(0)),
            key => {
                let number = fields.signed(key, faults).unwrap_or(0);
                match key {
                    "work_in_progress" => Tokens::WorkInProgress(number),
                    "worker_thread_qsize" => Tokens::QueueSizeB(number),
                    _ => Tokens::QueueSize(number),
                }
            }
        }
    }

    /// The action list, and whether something in it was refused.
    fn actions(
        &self,
        fields: &Fields<'_>,
        has_workflow: bool,
        faults: &mut Faults<'_>,
    ) -> (Vec<WeightedId>, bool) {
        let Some(entry) = fields.get(&ACTIONS, faults) else { return (Vec::new(), false) };
        let Value::List(items) = &entry.node.value else {
            let message = format!("{} must be a list, found {}", quoted(&entry.key), entry.node.describe());
            faults.error(entry.node.at, message, "write `[{\"id\": 1}]`");
            return (Vec::new(), true);
        };
        let mut actions = Vec::new();
        let mut lacks_actions = false;
        for item in items {
            let fields = Fields::of(item, "an action", faults);
            fields.refuse_others(&["id", "weight"], "an action", self.unknown, faults);
            let weight = fields.count(&["weight"], WEIGHT_MAX, faults).unwrap_or(0);
            let id = fields.signed("id", faults);
            if let Some(id @ 0..=100) = id {
                actions.push(WeightedId { at: item.at, id: id.unsigned_abs(), weight });
                continue;
            }
            lacks_actions = true;
            match id {
                // A negative id asked the class for the next action, which a workflow says here.
                Some(id) if id < 0 && has_workflow => {}
                Some(id) if id < 0 => {
                    let message = format!(
                        "the action id {id} asks a class written in a JVM language for the next action"
                    );
                    faults.error(item.at, message, "name a workflow instead: `\"scenario_workflow\": …`");
                }
                Some(id) => faults.error(item.at, format!("there is no action id {id}"), "ids are 0 to 100"),
                None if fields.has(&["id"]) => {}
                None => faults.error(item.at, "an action needs an `id`", "write `{\"id\": 1}`"),
            }
        }
        (actions, lacks_actions)
    }
}

fn workflows(node: &Node, faults: &mut Faults<'_>) -> Vec<Workflow> {
    let fields = Fields::of(node, "`workflows`", faults);
    let mut workflows = Vec::new();
    for entry in fields.entries() {
        let states = Fields::of(&entry.node, "a workflow", faults);
        let row = |state: &Entry, faults: &mut Faults<'_>| {
            let chances = Fields::of(&state.node, "a state of a workflow", faults);
            let chance = |next: &Entry, faults: &mut Faults<'_>| {
                // What is no number was said, and that it is no probability need not be.
                let value = number_of(&next.node, &next.key, faults).unwrap_or(f64::NAN);
                (next.key.clone(), At { at: next.node.at, value })
            };
            let chances = chances.entries().iter().map(|next| chance(next, faults)).collect();
            Row { state: state.key.clone(), at: state.at, chances }
        };
        let rows = states.entries().iter().map(|state| row(state, faults)).collect();
        workflows.push(Workflow { name: entry.key.clone(), at: entry.at, rows });
    }
    workflows
}
