//! The order of a scenario's actions: by weight, in cycles, or by a workflow.

use super::Context;
use super::scenario::ScenarioSource;
use crate::model::{Next, OrderText};
use crate::read::{At, Map, Weight};
use crate::text::{Place, quoted};
use plan::{Action, ActionOrder};

/// The key of a workflow under which its beginning stands.
const START: &str = "start";
/// How far sums of shares may be from 1: thirds, written with three digits, are.
const SHARE_SLACK: f64 = 1e-3;

impl Context<'_, '_> {
    pub(super) fn order(&mut self, source: &ScenarioSource<'_>, actions: &[Action]) -> ActionOrder {
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
        for weight in source.actions.iter().filter_map(|action| action.weight) {
            if weight.value.0.fract() != 0.0 {
                let hint = "a cycle holds each action as often as its weight says";
                self.error(weight.at, "the weight is not a whole number", hint);
            }
        }
        let Some(weights) = self.weights(source, actions) else { return ActionOrder::Sequence };
        let length: f64 = weights.iter().map(|weight| weight.value.0).sum();
        if let (Some(first), false) = (weights.first(), (1.0..=CYCLE_MAX).contains(&length)) {
            let message = format!("a cycle would hold {length} actions");
            let hint = "let the weights sum to 1 to 1000000, by dividing them by a common factor";
            self.error(first.at, message, hint);
        }
        ActionOrder::Cycle(weights.iter().map(|weight| weight.value.0.min(CYCLE_MAX) as u32).collect())
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
