//! What ids do: by a file of native actions where it names them, else by a built-in class.

use crate::classes::{Class, Site};
use crate::config::{Benchmark, Config, Context, Workflow};
use crate::facts::ActionFacts;
use crate::faults::{Faults, quoted};
use crate::{lower, workflow};
use plan::{Action, CookiePolicy, Plan, Severity, Target, VariableIndex};

/// What came of asking for an id.
pub(crate) enum Binding {
    /// It is defined.
    Found(Box<Action>),
    /// Neither the class nor the file has it.
    Missing,
}

/// The actions of a configuration.
pub(crate) struct Actions<'c> {
    config: &'c Config,
    binding: Option<&'c Plan>,
    class: Option<Class>,
    context: Option<&'c Context>,
    /// The present context's site and its index, once an action asked for it.
    site: Option<(usize, Site)>,
    /// All contexts' sites so far.
    sites: Vec<(usize, Site)>,
    site_is_wrong: bool,
    /// Greatest number of users of any enabled context: so many connections are shared.
    user_count_max: u32,
    /// Whether the message with the stub was said.
    said_class: bool,
    pub(crate) targets: Vec<Target>,
    pub(crate) facts: Vec<ActionFacts>,
}

impl<'c> Actions<'c> {
    pub(crate) fn new(config: &'c Config, binding: Option<&'c Plan>) -> Self {
        let users =
            config.contexts.iter().filter(|context| context.is_enabled).map(|context| context.user_count);
        Self {
            config,
            binding,
            class: Class::of(&config.header.user_class.value, config.dialect),
            context: None,
            site: None,
            sites: Vec::new(),
            site_is_wrong: false,
            user_count_max: users.max().unwrap_or(1),
            said_class: false,
            targets: binding.map_or_else(Vec::new, |plan| plan.targets.clone()),
            facts: Vec::new(),
        }
    }

    /// Goes on to another context, whose parameters may differ.
    pub(crate) fn enter(&mut self, context: &'c Context) {
        self.context = Some(context);
        self.site = None;
    }

    pub(crate) fn cookies(&self) -> CookiePolicy {
        self.binding
            .and_then(|plan| plan.scenarios.first())
            .map_or(lower::COOKIES, |scenario| scenario.cookies)
    }

    pub(crate) fn initial(&self) -> Vec<(VariableIndex, String)> {
        let scenarios = self.binding.map_or(&[][..], |plan| &plan.scenarios);
        scenarios.iter().flat_map(|scenario| scenario.initial.clone()).collect()
    }

    pub(crate) fn feeds(&self) -> Vec<usize> {
        let scenarios = self.binding.map_or(&[][..], |plan| &plan.scenarios);
        let mut feeds: Vec<usize> = scenarios.iter().flat_map(|scenario| scenario.feeds.clone()).collect();
        feeds.sort_unstable();
        feeds.dedup();
        feeds
    }

    /// What an id does.
    pub(crate) fn action(&mut self, id: u32, faults: &mut Faults<'_>) -> Binding {
        let steps = match self.bound_steps(id) {
            Some(steps) => Some(steps),
            None => self.class_steps(id, faults),
        };
        let Some(mut steps) = steps else { return Binding::Missing };
        let name = self.name(id);
        if let [plan::Step::Request(request)] = steps.as_mut_slice() {
            // The one request of an action is the action.
            request.name.clone_from(&name);
        }
        Binding::Found(Box::new(Action { name, steps }))
    }

    /// Steps of the file's action with the id or one of its names.
    fn bound_steps(&self, id: u32) -> Option<Vec<plan::Step>> {
        let full = self.config.header.user_actions.get(&id);
        let wanted = [Some(id.to_string()), full.cloned(), full.map(|name| short_name(name).to_owned())];
        let mut actions = self.binding?.scenarios.iter().flat_map(|scenario| &scenario.actions);
        actions
            .find(|action| wanted.iter().flatten().any(|name| *name == action.name))
            .map(|action| action.steps.clone())
    }

    fn class_steps(&mut self, id: u32, faults: &mut Faults<'_>) -> Option<Vec<plan::Step>> {
        let class = self.class?;
        if class.sends(id) && !self.find_site(class, faults) {
            // What is wrong was said; the action itself is known.
            return Some(Vec::new());
        }
        let (target, site) = self.site.as_ref().map_or((0, None), |(index, site)| (*index, Some(site)));
        class.steps(id, self.config.stop_id, target, site)
    }

    fn find_site(&mut self, class: Class, faults: &mut Faults<'_>) -> bool {
        if self.site.is_some() {
            return true;
        }
        let Some(context) = self.context.filter(|_| !self.site_is_wrong) else { return false };
        let Some(mut site) = lower::site(self.config, context, class, self.user_count_max, faults) else {
            self.site_is_wrong = true;
            return false;
        };
        // A context that sends where an earlier one did shares its connections.
        if let Some((index, known)) = self.sites.iter().find(|(_, known)| *known == site) {
            self.site = Some((*index, known.clone()));
            return true;
        }
        self.sites.push((self.targets.len(), site.clone()));
        let turn_count = site.targets.len();
        let first = self.targets.len();
        for (index, target) in site.targets.iter_mut().enumerate() {
            let alike = |known: &&Target| {
                known.name == target.name || known.name.starts_with(&format!("{} (", target.name))
            };
            let count = self.targets.iter().filter(alike).count();
            if count > 0 {
                target.name = format!("{} ({})", target.name, count + 1);
            }
            if index == 0 {
                target.alternates = (first + 1..first + turn_count).collect();
            }
            self.targets.push(target.clone());
        }
        self.site = Some((first, site));
        true
    }

    /// The name of an id in plan and record; noted with the id.
    fn name(&mut self, id: u32) -> String {
        if let Some(known) = self.facts.iter().find(|facts| facts.id == id) {
            return known.action.clone();
        }
        let name = self.config.header.user_actions.get(&id).map(|name| short_name(name).to_owned());
        let plain = name.clone().filter(|name| !name.is_empty()).unwrap_or_else(|| format!("action{id}"));
        let is_taken = self.facts.iter().any(|facts| facts.action == plain);
        let action = if is_taken { format!("{plain} ({id})") } else { plain };
        self.facts.push(ActionFacts { action: action.clone(), id, name });
        action
    }

    /// Says that an id is nowhere defined: once with the stub to write where the class is not known.
    pub(crate) fn say_missing(&mut self, id: u32, benchmark: &Benchmark, faults: &mut Faults<'_>) {
        let class = quoted(&self.config.header.user_class.value);
        if self.class.is_some() || self.binding.is_some() {
            let states = self.config.workflows.iter().filter(|workflow| {
                benchmark.workflow.as_ref().is_some_and(|name| name.value == workflow.name)
            });
            let mut rows = states.flat_map(|workflow| &workflow.rows);
            let at = match &benchmark.workflow {
                Some(_) => rows.find(|row| row.state == id.to_string()).map(|row| row.at),
                None => benchmark.actions.iter().find(|action| action.id == id).map(|action| action.at),
            };
            let at = at.unwrap_or(benchmark.at);
            let message = match (&self.binding, self.class) {
                (Some(_), Some(_)) => {
                    format!("neither the file of actions nor the class {class} has an action {id}")
                }
                (Some(_), None) => format!("the file of actions has no action {id}"),
                _ => format!("the class {class} has no action {id}"),
            };
            let hint = format!("define it in a file named with --actions, as an action named \"{id}\"");
            faults.error(at, message, hint);
            return;
        }
        if !std::mem::replace(&mut self.said_class, true) {
            let message = match self.config.header.user_class.value.trim() {
                "" => "no `user_class` is named, and nothing else says what actions do".to_owned(),
                _ => format!(
                    "the user class {class} is not built in, and nothing else says what its actions do"
                ),
            };
            faults.error(self.config.header.user_class.at, message, self.stub());
        }
    }

    /// A file of actions to begin with.
    fn stub(&self) -> String {
        let header = &self.config.header;
        let url = header
            .user_params
            .iter()
            .find(|(key, _)| key == "url")
            .map_or("http://localhost:7070".to_owned(), |(_, url)| {
                units::legible(url.value.split(',').next().unwrap_or_default().trim())
            });
        let mut stub = format!(
            "write what they do into a file and name it with --actions, for example\n\n  target: {url}\n  actions:\n"
        );
        let mut ids: Vec<u32> = self
            .config
            .benchmarks
            .iter()
            .flat_map(|benchmark| &benchmark.actions)
            .map(|action| action.id)
            .collect();
        for workflow in &self.config.workflows {
            ids.extend(workflow.rows.iter().filter_map(|row| row.state.parse::<u32>().ok()));
        }
        ids.sort_unstable();
        ids.dedup();
        for id in ids {
            let comment = header
                .user_actions
                .get(&id)
                .map_or(String::new(), |name| format!("   # {}", units::legible(short_name(name))));
            stub.push_str(&format!("    - name: \"{id}\"{comment}\n      get: /\n"));
        }
        stub.trim_end().to_owned()
    }

    /// Says what is wrong with a workflow that no benchmark uses, as a warning.
    pub(crate) fn check_unused(&self, workflow: &Workflow, faults: &mut Faults<'_>) {
        let mut apart = faults.apart();
        workflow::compile(workflow, &mut apart);
        for (at, mut finding) in apart.into_found() {
            finding.severity = Severity::Warning;
            finding.location = None;
            faults.push(at, finding);
        }
    }
}

/// What stands before the first comma of a name; behind it is a description.
fn short_name(name: &str) -> &str {
    name.split(',').next().unwrap_or_default().trim()
}
