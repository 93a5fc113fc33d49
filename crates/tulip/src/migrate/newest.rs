//! The form of Tulip 2.3: what each key of any release is called there, and what must be worked out anew (tokens, the id at the end).

use super::Source;
use super::comments::Comments;
use super::print::{Member, Piece, print, quoted as in_quotes};
use crate::classes::Class;
use crate::config::{Benchmark, Config, Context, Dialect, Tokens, WeightedId};
use crate::faults::{Faults, quoted};
use crate::fields::Fields;
use crate::json::{Entry, Node, Value};
use crate::read;

/// The id at the end in the newest form.
const STOP_ID: u32 = 100;
/// What earlier forms called it.
const OLD_STOP_ID: u32 = 99;

pub(super) fn write(source: &Source, text: &str, faults: &mut Faults<'_>) -> String {
    let comments = Comments::new(&source.comments, &source.tree, text);
    let mut quiet = faults.apart();
    let top = Fields::of(&source.tree, "the configuration", &mut quiet);
    let writer = Writer { config: &source.config, top };
    let mut members = vec![writer.header(faults), writer.contexts(faults), writer.benchmarks(faults)];
    members.extend(writer.workflows(faults));
    print(&members, comments)
}

struct Writer<'s> {
    config: &'s Config,
    top: Fields<'s>,
}

/// The first field of several objects that has one of the names.
fn find<'s>(places: &[Fields<'s>], names: &[&str]) -> Option<&'s Entry> {
    let within = |fields: &Fields<'s>| {
        names.iter().find_map(|name| fields.entries().iter().find(|entry| entry.key == *name))
    };
    places.iter().find_map(within)
}

fn at(entry: Option<&Entry>) -> Option<usize> {
    entry.map(|entry| entry.at)
}

/// A number as Tulip writes rates.
fn number(value: f64) -> String {
    format!("{value:?}")
}

impl<'s> Writer<'s> {
    fn fields(&self, node: &'s Node, faults: &Faults<'_>) -> Fields<'s> {
        Fields::of(node, "", &mut faults.apart())
    }

    /// The objects of a list or a map, in order, as the configuration was read.
    fn items(&self, key: &str) -> Vec<&'s Node> {
        match find(&[self.top], &[key]).map(|entry| &entry.node.value) {
            Some(Value::List(items)) => items.iter().collect(),
            Some(Value::Map(entries)) => entries.iter().map(|entry| &entry.node).collect(),
            _ => Vec::new(),
        }
    }

    fn id(&self, id: u32) -> u32 {
        if self.config.stop_id == OLD_STOP_ID && id == OLD_STOP_ID { STOP_ID } else { id }
    }

    fn header(&self, faults: &mut Faults<'_>) -> Member {
        let header = &self.config.header;
        let entry = find(&[self.top], &["actions", "static"]);
        let fields: Vec<Fields<'_>> =
            entry.map(|entry| self.fields(&entry.node, faults)).into_iter().collect();
        let given = |name: &str| at(find(&fields, &[name]));
        let mut members = Vec::new();
        let texts = [
            ("description", &header.description),
            ("output_filename", &header.output_filename),
            ("report_filename", &header.report_filename),
        ];
        for (key, text) in texts {
            if given(key).is_some() {
                members.push(Member::text(key, given(key), text));
            }
        }
        members.push(Member::text("user_class", given("user_class"), self.class(faults)));
        members.extend(find(&fields, &["user_params"]).map(|entry| self.params(entry, faults)));
        members.push(self.user_actions(find(&fields, &["user_actions"]), faults));
        Member::new("actions", at(entry), Piece::Map(members))
    }

    /// A class without a package meant another one in the first releases.
    fn class(&self, faults: &mut Faults<'_>) -> &str {
        let name = &self.config.header.user_class;
        if name.value.trim() == "HttpUser" && Class::of(&name.value, self.config.dialect) == Some(Class::Seed)
        {
            let message = "the class `HttpUser` of the first releases is `user.http.HttpUser` here: later ones have another by that name";
            faults.warning(name.at, message, "for a run in Tulip name the class that you ship");
            return "user.http.HttpUser";
        }
        &name.value
    }

    fn params(&self, entry: &'s Entry, faults: &mut Faults<'_>) -> Member {
        let fields = self.fields(&entry.node, faults);
        let mut members = Vec::new();
        for (entry, (key, value)) in
            fields.entries().iter().zip(Fields::of_one(entry).params(&entry.key, &mut faults.apart()))
        {
            let word = match &entry.node.value {
                Value::Word(word) if is_json_scalar(word) => word.clone(),
                _ => in_quotes(&value.value),
            };
            members.push(Member::word(&key, Some(entry.at), word));
        }
        Member::new("user_params", Some(entry.at), Piece::Map(members))
    }

    fn user_actions(&self, entry: Option<&'s Entry>, faults: &mut Faults<'_>) -> Member {
        let names = &self.config.header.user_actions;
        let fields = entry.map(|entry| self.fields(&entry.node, faults));
        let mut members = Vec::new();
        for entry in fields.iter().flat_map(|fields| fields.entries()) {
            let Some((id, name)) = entry.key.parse().ok().and_then(|id: u32| names.get_key_value(&id)) else {
                continue;
            };
            if *id == STOP_ID && self.id(OLD_STOP_ID) == STOP_ID && names.contains_key(&OLD_STOP_ID) {
                let message = "the name of action 100 is left out: 99, the action at the end, takes that id";
                faults.warning(entry.at, message, "give the other action another id beforehand");
                continue;
            }
            members.push(Member::text(&self.id(*id).to_string(), Some(entry.at), name));
        }
        let ends = self.config.benchmarks.iter().flat_map(|benchmark| &benchmark.actions);
        let end = ends.clone().find(|action| action.id == OLD_STOP_ID && self.id(action.id) == STOP_ID);
        if let Some(end) = end {
            if !names.contains_key(&OLD_STOP_ID) {
                // It had a name by its id; the same name makes reports from before and after comparable.
                members.push(Member::text(&STOP_ID.to_string(), None, "action99"));
            }
            let message = "the action at the end has the id 100 in place of 99";
            faults.warning(
                end.at,
                message,
                "in a file of actions call it by its name, or rename \"99\" to \"100\"",
            );
        }
        Member::new("user_actions", at(entry), Piece::Map(members))
    }

    fn contexts(&self, faults: &mut Faults<'_>) -> Member {
        let entry = find(&[self.top], &["contexts"]);
        let nodes = self.items("contexts");
        let counts = self.context_tokens();
        let mut names = Names::default();
        let mut members = Vec::new();
        for (index, context) in self.config.contexts.iter().enumerate() {
            let fields: Vec<Fields<'_>> =
                nodes.get(index).map(|node| self.fields(node, faults)).into_iter().collect();
            let given = |name: &str| at(find(&fields, &[name]));
            let mut inner = vec![
                Member::word("enabled", given("enabled"), context.is_enabled),
                Member::word("num_users", given("num_users"), context.user_count),
            ];
            if let Some(count) = context.task_count.or(counts.get(index).copied()) {
                inner.push(Member::word("num_tasks", given("num_tasks"), count));
            }
            inner.push(Member::word("num_threads", given("num_threads"), context.thread_count));
            inner.extend(find(&fields, &["user_params"]).map(|entry| self.params(entry, faults)));
            if let Some(model) = find(&fields, &["workload_model"])
                && let Value::Word(word) | Value::Text(word) = &model.node.value
            {
                inner.push(Member::text("workload_model", Some(model.at), word));
            }
            let name = names.unique(&context.name, context.at, "context", faults);
            members.push(Member::new(&name, Some(context.at), Piece::Map(inner)));
        }
        Member::new("contexts", at(entry), Piece::Map(members))
    }

    /// Tokens for the contexts themselves, where those of benchmarks differ by context: those that most benchmarks have.
    fn context_tokens(&self) -> Vec<u32> {
        let mut differing: Vec<(usize, Vec<u32>)> = Vec::new();
        for benchmark in &self.config.benchmarks {
            if matches!(benchmark.tokens, Tokens::Tasks(_)) {
                // Those of the newest releases ask the context already.
                return Vec::new();
            }
            let counts = self.counts(benchmark);
            if counts.iter().all(|count| Some(count) == counts.first()) {
                continue;
            }
            match differing.iter_mut().find(|(_, known)| *known == counts) {
                Some((number, _)) => *number += 1,
                None => differing.push((1, counts)),
            }
        }
        let most = differing.iter().map(|(number, _)| *number).max();
        let found = differing.into_iter().find(|(number, _)| Some(*number) == most);
        found.map(|(_, counts)| counts).unwrap_or_default()
    }

    fn counts(&self, benchmark: &Benchmark) -> Vec<u32> {
        self.config.contexts.iter().map(|context| benchmark.tokens.count(context)).collect()
    }

    /// A benchmark's own tokens; `None`: the context's hold.
    fn tokens(&self, benchmark: &Benchmark, faults: &mut Faults<'_>) -> Option<u32> {
        if let Tokens::Tasks(count) = benchmark.tokens {
            return (count > 0).then_some(count);
        }
        let counts = self.counts(benchmark);
        if counts == self.context_tokens() {
            return None;
        }
        let enabled = |context: &&Context| context.is_enabled;
        let first = self.config.contexts.iter().find(enabled).or(self.config.contexts.first())?;
        let count = benchmark.tokens.count(first);
        for (context, other) in self.config.contexts.iter().zip(&counts) {
            if *other != count {
                let message = format!(
                    "the tokens of {} are {count} now in all contexts; in {} they were {other}",
                    quoted(benchmark.name.trim()),
                    quoted(&context.name)
                );
                faults.warning(
                    benchmark.at,
                    message,
                    "change `num_tasks` when you enable that context, or have one file per context",
                );
            }
        }
        Some(count)
    }

    fn benchmarks(&self, faults: &mut Faults<'_>) -> Member {
        let entry = find(&[self.top], &["benchmarks"]);
        let nodes = self.items("benchmarks");
        let mut names = Names::default();
        let mut members = Vec::new();
        let is_older = self.config.dialect < Dialect::F;
        let forced = |index: usize, name: &str| match name {
            "onStart" if index == 0 => Some(0),
            "onStop" if index + 1 == self.config.benchmarks.len() => Some(self.config.stop_id),
            _ => None,
        };
        let (mut has_start, mut has_stop) = (!is_older, !is_older);
        for (index, benchmark) in self.config.benchmarks.iter().enumerate() {
            let mut name = benchmark.name.clone();
            if let (true, Some(id)) = (is_older, forced(index, &benchmark.name)) {
                let is_forced_list = benchmark.actions.iter().map(|action| action.id).eq([id]);
                if is_forced_list {
                    (has_start, has_stop) = (has_start || id == 0, has_stop || id != 0);
                } else {
                    name.push_str(" (2)");
                    let message = format!(
                        "{} is called {} now: the newest releases run one action of their own under that name",
                        quoted(&benchmark.name),
                        quoted(&name)
                    );
                    faults.warning(benchmark.at, message, "rename it as you like");
                }
            }
            let name = names.unique(&name, benchmark.at, "benchmark", faults);
            let inner = self.benchmark(benchmark, nodes.get(index).copied(), faults);
            members.push(Member::new(&name, Some(benchmark.at), Piece::Map(inner)));
        }
        let disabled =
            |name: &str| Member::new(name, None, Piece::Map(vec![Member::word("enabled", None, false)]));
        if !has_start {
            members.insert(0, disabled("onStart"));
        }
        if !has_stop {
            members.push(disabled("onStop"));
        }
        if !has_start || !has_stop {
            let message = "releases from 2.2.1 on put `onStart` before and `onStop` behind the benchmarks; a disabled one of that name keeps them out, as before";
            faults.warning(
                at(entry).unwrap_or(0),
                message,
                "remove it to have actions 0 and 100 carried out",
            );
        }
        Member::new("benchmarks", at(entry), Piece::Map(members))
    }

    fn benchmark(
        &self,
        benchmark: &Benchmark,
        node: Option<&'s Node>,
        faults: &mut Faults<'_>,
    ) -> Vec<Member> {
        let mut places: Vec<Fields<'_>> = node.map(|node| self.fields(node, faults)).into_iter().collect();
        let time = find(&places, &["time"]);
        places.extend(time.map(|entry| self.fields(&entry.node, faults)));
        let given = |names: &[&str]| at(find(&places, names));
        let mut members = vec![Member::word("enabled", given(&["enabled"]), benchmark.is_enabled)];
        let put = |members: &mut Vec<Member>, key: &str, names: &[&str], word: String, is_default: bool| {
            if !is_default {
                members.push(Member::word(key, given(names), word));
            }
        };
        put(&mut members, "save_stats", &["save_stats"], benchmark.is_saved.to_string(), benchmark.is_saved);
        let has_rate = given(&read::RATE).is_some();
        put(&mut members, "aps_rate", &read::RATE, number(benchmark.rate.value), !has_rate);
        let change = benchmark.rate_step_change;
        let has_change = given(&read::RATE_STEP_CHANGE).is_some();
        put(&mut members, "aps_rate_step_change", &read::RATE_STEP_CHANGE, number(change), !has_change);
        let (steps, step_names) = (benchmark.rate_step_count, ["aps_rate_step_count"]);
        put(
            &mut members,
            "aps_rate_step_count",
            &step_names,
            steps.to_string(),
            given(&step_names).is_none(),
        );
        if let Some(count) = self.tokens(benchmark, faults) {
            put(&mut members, "num_tasks", &read::TOKENS, count.to_string(), false);
        }
        let lengths = [
            ("warmup_duration1", &read::WARMUP_1[..], benchmark.warmup_1_s, 0),
            ("warmup_duration2", &read::WARMUP_2, benchmark.warmup_2_s, 0),
            ("benchmark_duration", &read::DURATION, benchmark.duration_s, 0),
            ("benchmark_iterations", &read::ITERATIONS, benchmark.iteration_count, 1),
        ];
        for (key, names, value, default) in lengths {
            put(&mut members, key, names, value.to_string(), value == default);
        }
        // What stood at `time` itself stands at the first of what it held.
        let is_length = |member: &&mut Member| lengths.iter().any(|(key, ..)| *key == member.key);
        if let Some(member) = members.iter_mut().find(is_length) {
            member.holder = at(time);
        }
        if let Some(workflow) = &benchmark.workflow {
            put(&mut members, "scenario_workflow", &read::WORKFLOW, in_quotes(&workflow.value), false);
        }
        let list = find(&places, &read::ACTIONS);
        if list.is_some_and(
            |entry| matches!(&entry.node.value, Value::List(items) if items.len() > benchmark.actions.len()),
        ) {
            let message = format!(
                "{} loses actions with negative ids: its workflow says what is next",
                quoted(benchmark.name.trim())
            );
            faults.warning(benchmark.at, message, "nothing need be done");
        }
        if !benchmark.actions.is_empty() {
            let item = |action: &WeightedId| {
                let node = list.and_then(|list| match &list.node.value {
                    Value::List(items) => items.iter().find(|item| item.at == action.at),
                    _ => None,
                });
                let fields: Vec<Fields<'_>> =
                    node.map(|node| self.fields(node, faults)).into_iter().collect();
                let given = |name: &str| at(find(&fields, &[name]));
                let mut inner = vec![Member::word("id", given("id"), self.id(action.id))];
                if action.weight > 0 || given("weight").is_some() {
                    inner.push(Member::word("weight", given("weight"), action.weight));
                }
                (action.at, inner)
            };
            let items = benchmark.actions.iter().map(item).collect();
            members.push(Member::new("scenario_actions", at(list), Piece::List(items)));
        }
        members
    }

    fn workflows(&self, faults: &mut Faults<'_>) -> Option<Member> {
        if self.config.workflows.is_empty() {
            return None;
        }
        let entry = find(&[self.top], &["workflows"]);
        let mut names = Names::default();
        let mut members = Vec::new();
        for workflow in &self.config.workflows {
            let mut rows = Vec::new();
            for row in &workflow.rows {
                let next = |(state, chance): &(String, crate::config::At<f64>)| {
                    Member::word(state, None, number(chance.value))
                };
                rows.push(Member::new(
                    &row.state,
                    Some(row.at),
                    Piece::Map(row.chances.iter().map(next).collect()),
                ));
                let ends = |state: &str| state == OLD_STOP_ID.to_string() && self.id(OLD_STOP_ID) == STOP_ID;
                if ends(&row.state) || row.chances.iter().any(|(state, _)| ends(state)) {
                    let message = format!(
                        "the workflow {} has the action at the end for a state, and 100 can't be one",
                        quoted(&workflow.name)
                    );
                    faults.error(row.at, message, "leave it to a benchmark without a duration");
                }
            }
            let name = names.unique(&workflow.name, workflow.at, "workflow", faults);
            members.push(Member::new(&name, Some(workflow.at), Piece::Map(rows)));
        }
        Some(Member::new("workflows", at(entry), Piece::Map(members)))
    }
}

/// Names that become keys, of which there may be one each.
#[derive(Default)]
struct Names(Vec<String>);

impl Names {
    fn unique(&mut self, name: &str, at: usize, what: &str, faults: &mut Faults<'_>) -> String {
        let mut unique = name.to_owned();
        let mut number = 2;
        while self.0.contains(&unique) {
            unique = format!("{name} ({number})");
            number += 1;
        }
        if unique != name {
            let message = format!(
                "a second {what} is called {}: names are keys now, and it becomes {}",
                quoted(name),
                quoted(&unique)
            );
            faults.warning(at, message, "rename it as you like");
        }
        self.0.push(unique.clone());
        unique
    }
}

/// Whether a word without quotes is a number or truth value of JSON.
fn is_json_scalar(word: &str) -> bool {
    matches!(
        serde_json::from_str::<serde_json::Value>(word),
        Ok(serde_json::Value::Number(_) | serde_json::Value::Bool(_))
    )
}
