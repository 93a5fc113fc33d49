//! Scenarios: their actions, the order of these, and the steps within.

use super::variables::Scope;
use super::{Context, entries};
use crate::model::{
    Action as ActionText, CookiesText, Exchange, Next, OrderText, Pause as PauseText, PlanText,
    Request as RequestText, Scenario as ScenarioText, Step as StepText,
};
use crate::read::{At, Map, Table, Weight};
use crate::text::{Place, quoted};
use plan::{Action, ActionOrder, CookiePolicy, Pause, Scenario, Step, VariableIndex};
use std::collections::BTreeMap;

/// A scenario as the text gives it, by whichever of its forms.
pub(crate) struct ScenarioSource<'t> {
    pub(crate) name: String,
    pub(crate) at: Place,
    /// Absent where the plan's top gives actions alone.
    settings: Option<&'t ScenarioText>,
    actions: Vec<ActionSource<'t>>,
}

/// An action as the text gives it.
struct ActionSource<'t> {
    at: Place,
    name: Option<&'t At<String>>,
    weight: Option<&'t At<Weight>>,
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

    fn order(&mut self, source: &ScenarioSource<'_>, actions: &[Action]) -> ActionOrder {
        let workflow = source.settings.and_then(|settings| settings.workflow.as_ref());
        let given = source.settings.and_then(|settings| settings.order.as_ref());
        let has_weights = source.actions.iter().any(|action| action.weight.is_some());
        let order = match (given, workflow) {
            (Some(order), _) => order.value,
            (None, Some(_)) => OrderText::Workflow,
            (None, None) if has_weights => OrderText::Weighted,
            (None, None) => OrderText::Sequence,
        };
        if order != OrderText::Workflow
            && let Some((name, _)) = workflow.and_then(|workflow| workflow.0.first())
        {
            self.error(
                name.at,
                "`workflow` has no effect with this `order`",
                "write `order: workflow`, or remove one of them",
            );
        }
        if matches!(order, OrderText::Sequence | OrderText::Workflow)
            && let Some(weight) = source.actions.iter().find_map(|action| action.weight)
        {
            let word = if order == OrderText::Sequence { "sequence" } else { "workflow" };
            let message = format!("weights have no effect in the order `{word}`");
            self.error(weight.at, message, "remove them, or write `order: weighted`");
        }
        match order {
            OrderText::Sequence => ActionOrder::Sequence,
            OrderText::Weighted => self.weighted(source, actions),
            OrderText::Cycle => self.cycle(source, actions),
            OrderText::Workflow => match workflow {
                Some(workflow) => self.workflow(workflow, actions, source.at),
                None => {
                    self.error(
                        given.map_or(source.at, |order| order.at),
                        "there is no `workflow`",
                        "add one, or choose another order",
                    );
                    ActionOrder::Sequence
                }
            },
        }
    }

    /// Each action's weight; `None` after saying which is missing.
    fn weights<'t>(
        &mut self,
        source: &ScenarioSource<'t>,
        actions: &[Action],
    ) -> Option<Vec<&'t At<Weight>>> {
        let mut weights = Vec::new();
        for (action, lowered) in source.actions.iter().zip(actions) {
            match action.weight {
                Some(weight) => weights.push(weight),
                None => {
                    let message = format!(
                        "the action {} has no weight, and its order needs one",
                        quoted(&lowered.name)
                    );
                    self.error(action.at, message, "add `weight:`; 0 is never");
                }
            }
        }
        (weights.len() == actions.len()).then_some(weights)
    }

    fn weighted(&mut self, source: &ScenarioSource<'_>, actions: &[Action]) -> ActionOrder {
        let Some(weights) = self.weights(source, actions) else { return ActionOrder::Sequence };
        let values: Vec<f64> = weights.iter().map(|weight| weight.value.0).collect();
        if let (Some(first), false) = (weights.first(), values.iter().any(|value| *value > 0.0)) {
            self.error(
                first.at,
                "all weights are 0, so no action is ever chosen",
                "give one of them more than 0",
            );
        }
        ActionOrder::Weighted(values)
    }

    fn cycle(&mut self, source: &ScenarioSource<'_>, actions: &[Action]) -> ActionOrder {
        /// A cycle is held in memory, shuffled, by each worker.
        const CYCLE_MAX: f64 = 1_000_000.0;
        let Some(weights) = self.weights(source, actions) else { return ActionOrder::Sequence };
        let mut counts = Vec::new();
        for weight in &weights {
            if weight.value.0.fract() != 0.0 || weight.value.0 > CYCLE_MAX {
                let hint =
                    "a cycle holds each action as often as its weight, a whole number up to 1000000, says";
                self.error(weight.at, "the weight is not a whole number of actions in a cycle", hint);
            }
            counts.push(weight.value.0.min(CYCLE_MAX) as u32);
        }
        let length: f64 = weights.iter().map(|weight| weight.value.0).sum();
        if let (Some(first), false) = (weights.first(), (1.0..=CYCLE_MAX).contains(&length)) {
            let message = format!("a cycle would hold {length} actions");
            self.error(
                first.at,
                message,
                "the weights of a cycle sum to 1 to 1000000; divide them by a common factor",
            );
        }
        ActionOrder::Cycle(counts)
    }

    fn workflow(&mut self, text: &Map<Next>, actions: &[Action], at: Place) -> ActionOrder {
        let mut start: Option<Vec<f64>> = None;
        let mut rows = vec![vec![0.0; actions.len()]; actions.len()];
        if let Some(named) = actions.iter().find(|action| action.name == START) {
            let message = format!("the action {} has the name of a workflow's start", quoted(&named.name));
            self.error(at, message, "rename it");
        }
        for (name, next) in text.iter() {
            let row = self.workflow_row(name, next, actions);
            if name.value == START {
                start = Some(row);
                continue;
            }
            match actions.iter().position(|action| action.name == name.value) {
                Some(index) => _ = rows.get_mut(index).map(|place| *place = row),
                None => self.unknown_name("action", name, actions.iter().map(|action| action.name.as_str())),
            }
        }
        let start = start.unwrap_or_else(|| {
            let first_at = text.0.first().map_or(at, |(name, _)| name.at);
            self.error(
                first_at,
                "the workflow does not say where users start",
                "add `start:` with the name of an action",
            );
            vec![0.0; actions.len()]
        });
        ActionOrder::Workflow { start, rows }
    }

    /// The chance of each action to be next.
    fn workflow_row(&mut self, name: &At<String>, next: &Next, actions: &[Action]) -> Vec<f64> {
        let mut row = vec![0.0; actions.len()];
        let mut is_whole = true;
        let mut give = |context: &mut Self, action: &At<String>, share: f64| {
            match actions.iter().position(|known| known.name == action.value) {
                Some(index) => _ = row.get_mut(index).map(|place| *place = share),
                None => {
                    context.unknown_name("action", action, actions.iter().map(|action| action.name.as_str()));
                    is_whole = false;
                }
            }
            share
        };
        let sum: f64 = match next {
            Next::Always(action) => give(self, action, 1.0),
            Next::Shares(shares) => {
                shares.iter().map(|(action, share)| give(self, action, share.value.0)).sum()
            }
        };
        let in_percent = (sum * 1e6).round() / 1e4;
        if sum > 1.0 + SHARE_SLACK {
            let message = format!("the shares after {} sum to {in_percent}%", quoted(&name.value));
            self.error(name.at, message, "let them sum to at most 100%");
        } else if name.value == START && is_whole && sum < 1.0 - SHARE_SLACK {
            let message = format!("the shares of `start` sum to {in_percent}%");
            self.error(name.at, message, "let them sum to 100%: every user starts somewhere");
        }
        row
    }
}

/// The key of a workflow under which its beginning stands.
const START: &str = "start";
/// How far sums of shares may be from 1: thirds, written with three digits, are.
const SHARE_SLACK: f64 = 1e-3;

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
