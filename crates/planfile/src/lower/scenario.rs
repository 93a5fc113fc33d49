//! Scenarios: their actions, the order of these, and the steps within.

use super::variables::Scope;
use super::{Context, entries};
use crate::model::{
    Action as ActionText, CookiesText, Exchange, Pause as PauseText, PlanText, Request as RequestText,
    Scenario as ScenarioText, Step as StepText,
};
use crate::read::{At, Map, Table, Weight};
use crate::text::{Place, quoted};
use plan::{Action, CookiePolicy, Pause, Scenario, Step, VariableIndex};
use std::collections::BTreeMap;

/// A scenario as the text gives it, by whichever of its forms.
pub(crate) struct ScenarioSource<'t> {
    pub(crate) name: String,
    pub(crate) at: Place,
    /// Absent where the plan's top gives actions alone.
    pub(super) settings: Option<&'t ScenarioText>,
    pub(super) actions: Vec<ActionSource<'t>>,
}

/// An action as the text gives it.
pub(super) struct ActionSource<'t> {
    pub(super) at: Place,
    name: Option<&'t At<String>>,
    pub(super) weight: Option<&'t At<Weight>>,
    steps: Vec<StepSource<'t>>,
}

/// A step, or a request that stands for one.
#[derive(Clone, Copy)]
enum StepSource<'t> {
    Step(&'t StepText),
    Request(&'t RequestText),
}

impl<'t> ScenarioSource<'t> {
    /// The name of a scenario that the plan gives none.
    const NAME: &'static str = "main";

    /// All scenarios of a plan; one without actions where the plan has none.
    pub(crate) fn of_plan(text: &'t PlanText, context: &mut Context<'_, '_>) -> Vec<Self> {
        let mut sources = Vec::new();
        for (name, scenario) in entries(text.scenarios.as_ref()) {
            let name_text = context.name(name);
            sources.push(Self::new(name_text, name.at, Some(scenario), context));
        }
        if !sources.is_empty() {
            return sources;
        }
        let name = Self::NAME.to_owned();
        if let Some(scenario) = &text.scenario {
            sources.push(Self::new(name, scenario.at, Some(scenario), context));
        } else if let Some(request) = &text.request {
            let actions = vec![ActionSource::of_request(request)];
            sources.push(Self { name, at: request.at, settings: None, actions });
        } else if let Some(actions) = &text.actions {
            let at = text.key_at("actions");
            let actions = actions.0.iter().map(|action| ActionSource::of_action(action, context)).collect();
            sources.push(Self { name, at, settings: None, actions });
        } else if !text.has("scenarios")
            && !text.has("scenario")
            && !text.has("request")
            && !text.has("actions")
        {
            context.error(
                text.at,
                "the plan says nothing of what users do",
                "add `request: GET /`, or `actions:`, or `scenarios:`",
            );
        }
        sources
    }

    fn new(
        name: String,
        at: Place,
        settings: Option<&'t ScenarioText>,
        context: &mut Context<'_, '_>,
    ) -> Self {
        let mut actions = Vec::new();
        if let Some(settings) = settings {
            let given = settings.actions.iter().flat_map(|actions| &actions.0);
            actions.extend(given.map(|action| ActionSource::of_action(action, context)));
            actions.extend(settings.request.iter().map(ActionSource::of_request));
            actions.extend(settings.steps.iter().map(|steps| ActionSource {
                at: settings.key_at("steps"),
                name: None,
                weight: None,
                steps: steps.0.iter().map(StepSource::Step).collect(),
            }));
        }
        Self { name, at, settings, actions }
    }
}

impl<'t> ActionSource<'t> {
    fn of_request(request: &'t RequestText) -> Self {
        Self { at: request.at, name: None, weight: None, steps: vec![StepSource::Request(request)] }
    }

    fn of_action(action: &'t ActionText, context: &mut Context<'_, '_>) -> Self {
        let steps = match &action.steps {
            Some(steps) => {
                context.say_what_is_stray(&action.step.exchange, "a step of the action");
                steps.0.iter().map(StepSource::Step).collect()
            }
            None if action.has("steps") => Vec::new(),
            None => vec![StepSource::Step(&action.step)],
        };
        Self { at: action.at, name: action.name.as_ref(), weight: action.weight.as_ref(), steps }
    }
}

impl<'t> StepSource<'t> {
    /// What goes along with its request, by whichever form.
    fn exchange(self) -> &'t Exchange {
        match self {
            Self::Request(request) => &request.exchange,
            Self::Step(step) => match &step.request {
                Some(request) if request.line.is_none() => &request.exchange,
                _ => &step.exchange,
            },
        }
    }
}

impl Context<'_, '_> {
    pub(crate) fn scenarios(
        &mut self,
        sources: &[ScenarioSource<'_>],
        vars: Option<&Map<At<String>>>,
    ) -> Vec<Scenario> {
        sources.iter().map(|source| self.scenario(source, vars)).collect()
    }

    fn scenario(&mut self, source: &ScenarioSource<'_>, vars: Option<&Map<At<String>>>) -> Scenario {
        let settings = source.settings;
        let mut scope = Scope::default();
        let mut initial: BTreeMap<u16, String> = BTreeMap::new();
        for (name, value) in
            entries(vars).chain(entries(settings.and_then(|settings| settings.vars.as_ref())))
        {
            let index = self.variable(name);
            let value =
                self.literal(value, "a first value", "use a `set` step, which is evaluated for each user");
            scope.names.insert(name.value.clone());
            initial.insert(index.0, value);
        }
        self.gather_names(source, &mut scope);
        for name in settings.and_then(|settings| settings.feeds.as_ref()).iter().flat_map(|feeds| &feeds.0) {
            match self.feeds.iter().position(|feed| feed.name == name.value) {
                Some(index) => _ = scope.feeds.insert(index),
                None => {
                    let known: Vec<String> = self.feeds.iter().map(|feed| feed.name.clone()).collect();
                    self.unknown_name("feed", name, known.iter().map(String::as_str));
                }
            }
        }
        let target = settings
            .and_then(|settings| settings.target.as_ref())
            .and_then(|target| self.target_index(target));
        let mut actions: Vec<Action> = Vec::new();
        for (index, action) in source.actions.iter().enumerate() {
            let action = self.action(action, index, &actions, target, &mut scope);
            actions.push(action);
        }
        if source.actions.is_empty()
            && settings.is_none_or(|settings| settings.actions.as_ref().is_some_and(|a| a.0.is_empty()))
        {
            let message = format!("the scenario {} has no actions", quoted(&source.name));
            self.error(source.at, message, "give it at least one, such as `- get: /`");
        }
        if actions.len() > usize::from(u16::MAX) {
            self.error(source.at, "a scenario has at most 65535 actions", "split it into several");
        }
        let cookies =
            match settings.and_then(|settings| settings.cookies.as_ref()).map(|cookies| cookies.value) {
                None | Some(CookiesText::Keep) => CookiePolicy::Keep,
                Some(CookiesText::Ignore) => CookiePolicy::Ignore,
            };
        let order = self.order(source, &actions);
        let initial = initial.into_iter().map(|(index, value)| (VariableIndex(index), value)).collect();
        Scenario {
            name: source.name.clone(),
            order,
            actions,
            cookies,
            initial,
            feeds: scope.feeds.into_iter().collect(),
        }
    }

    /// The variables that steps fill. They are known everywhere in the scenario: an action may use what another one kept.
    fn gather_names(&mut self, source: &ScenarioSource<'_>, scope: &mut Scope) {
        for step in source.actions.iter().flat_map(|action| &action.steps) {
            let captured = entries(step.exchange().capture.as_ref()).map(|(name, _)| name);
            let set = match step {
                StepSource::Step(step) => step.set.as_ref(),
                StepSource::Request(_) => None,
            };
            for name in captured.chain(entries(set).map(|(name, _)| name)) {
                scope.names.insert(name.value.clone());
            }
        }
    }

    pub(crate) fn target_index(&mut self, name: &At<String>) -> Option<usize> {
        let index = self.target_names.iter().position(|known| *known == name.value.trim());
        if index.is_none() {
            let known = self.target_names.clone();
            self.unknown_name("target", name, known.iter().map(String::as_str));
        }
        index
    }

    fn action(
        &mut self,
        source: &ActionSource<'_>,
        index: usize,
        earlier: &[Action],
        target: Option<usize>,
        scope: &mut Scope,
    ) -> Action {
        let mut steps = Vec::new();
        for step in &source.steps {
            self.step(*step, target, scope, &mut steps);
        }
        let is_taken = |name: &str| earlier.iter().any(|action| action.name == name);
        let name = match source.name {
            Some(given) => {
                let name = self.name(given);
                if is_taken(&name) {
                    self.error(
                        given.at,
                        format!("two actions are named {}", quoted(&name)),
                        "give each action a name of its own",
                    );
                }
                name
            }
            None => {
                let first = steps.iter().find_map(|step| match step {
                    Step::Request(request) => Some(request.name.clone()),
                    _ => None,
                });
                let plain = first.unwrap_or_else(|| format!("action {}", index + 1));
                match is_taken(&plain) {
                    true => format!("{plain} ({})", index + 1),
                    false => plain,
                }
            }
        };
        Action { name, steps }
    }

    fn step(
        &mut self,
        source: StepSource<'_>,
        target: Option<usize>,
        scope: &mut Scope,
        steps: &mut Vec<Step>,
    ) {
        let step = match source {
            StepSource::Request(request) => {
                let request = self.request_in_full(request, &request.exchange, target, scope);
                steps.push(Step::Request(Box::new(request)));
                return;
            }
            StepSource::Step(step) => step,
        };
        if let Some(request) = &step.request {
            if request.line.is_none() {
                self.say_what_is_stray(&step.exchange, "`request`");
            }
            let request = self.request_in_full(request, source.exchange(), target, scope);
            steps.push(Step::Request(Box::new(request)));
        } else if let Some((method, path)) = step.by_method() {
            let request = self.request(method, path, &step.exchange, target, scope);
            steps.push(Step::Request(Box::new(request)));
        } else {
            self.say_what_is_stray(&step.exchange, "a request");
        }
        steps.extend(step.think.as_ref().map(|pause| Step::Think(self.pause(pause))));
        steps.extend(step.delay.as_ref().map(|pause| Step::Delay(self.pause(pause))));
        for (name, value) in entries(step.set.as_ref()) {
            let index = self.variable(name);
            steps.push(Step::Set(index, self.template(value, scope)));
        }
    }

    /// Keys of a request where there is none beside them. A name may stand anywhere.
    fn say_what_is_stray(&mut self, exchange: &Exchange, home: &str) {
        for (key, at) in exchange.given.iter().filter(|(key, _)| *key != "name") {
            self.error(
                *at,
                format!("`{key}` has no effect here"),
                format!("put it into {home}, or remove it"),
            );
        }
    }

    fn pause(&mut self, text: &PauseText) -> Pause {
        if let Some(constant) = &text.constant {
            return Pause::Constant(constant.value.0);
        }
        if let Some(mean) = &text.exponential {
            return Pause::Exponential(mean.value.0);
        }
        let Some(bounds) = &text.uniform else { return Pause::Constant(0) };
        match bounds.0.as_slice() {
            [low, high] if low.value.0 <= high.value.0 => Pause::Uniform(low.value.0, high.value.0),
            [_, high] => {
                self.error(high.at, "the longer of the two comes second", "swap them");
                Pause::Constant(0)
            }
            _ => {
                self.error(text.at, "`uniform` takes two durations", "write `uniform: [1s, 3s]`");
                Pause::Constant(0)
            }
        }
    }
}

impl StepText {
    /// The method and path of a step that names its request by method.
    fn by_method(&self) -> Option<(&'static str, &At<String>)> {
        let by_method = [
            ("GET", &self.get),
            ("POST", &self.post),
            ("PUT", &self.put),
            ("PATCH", &self.patch),
            ("DELETE", &self.delete),
            ("HEAD", &self.head),
            ("OPTIONS", &self.options),
        ];
        by_method.into_iter().find_map(|(method, path)| Some((method, path.as_ref()?)))
    }
}
