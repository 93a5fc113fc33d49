//! What users do.

use super::{Exchange, Request};
use crate::read::{
    AnyValue, At, Group, List, Map, Model, PositiveDuration, Shape, Share, Weight, choice, model, wrong_type,
};
use crate::text::{Faults, Node, Value};

model! {
    /// What the users of a phase do, over and over: choose an action, carry it out. A single request such as `GET /hello` will do.
    pub(crate) struct Scenario: "scenario" {
        /// How the next action is chosen.
        order: At<OrderText> = Optional("weighted if actions have weights, workflow if there is one, else sequence"),
        /// Whether users keep the cookies that servers set, each for itself.
        cookies: At<CookiesText> = Optional("keep"),
        /// Feeds of which each action takes the next row as it begins, besides those whose variables are used.
        feeds: List<At<String>> = Optional("those whose variables are used"),
        /// Variables with the values that they have when a user begins; they take the place of the plan's.
        vars: Map<At<String>> = Optional("the plan's"),
        /// The target of requests that name none.
        target: At<String> = Optional("the plan's only target"),
        /// For each action by name, and for `start`, the shares of the actions that follow it. What shares lack to 100% begins anew
        /// at `start`.
        workflow: Map<Next> = Optional("none"),
        /// What users choose from.
        actions: List<Action> = Optional("none"),
        /// The only action, in place of `actions`.
        request: Request = Optional("none"),
        /// The steps of the only action, in place of `actions`.
        steps: List<Step> = Optional("none"),
    }
    short Request => |request| Self { request: Some(request), ..Self::default() };
    groups [Group::exactly_one(&["actions", "request", "steps"])];
}

choice! {
    /// How a user's next action is chosen.
    pub(crate) enum OrderText: "an order of actions" {
        /// First to last, then again.
        Sequence = "sequence",
        /// By chance, in proportion to the actions' weights.
        Weighted = "weighted",
        /// In shuffled cycles that hold each action exactly as often as its weight, a whole number, says.
        Cycle = "cycle",
        /// By the shares of `workflow`: a Markov chain.
        Workflow = "workflow",
    }
}

choice! {
    /// Whether users keep cookies.
    pub(crate) enum CookiesText: "a way with cookies" {
        /// They do.
        Keep = "keep",
        /// They don't.
        Ignore = "ignore",
    }
}

model! {
    /// One thing that a user does, and the unit of measurement: each time it is carried out is one sample. Its steps stand under
    /// `steps`; the keys of a single step, or text such as `GET /hello`, will do.
    pub(crate) struct Action: "action" {
        /// What the record calls it.
        name: At<String> = Optional("that of its first request"),
        /// How often it is chosen, in proportion to the weights of the others.
        weight: At<Weight> = Optional("none"),
        /// What is done, in order. A step that fails ends the action.
        steps: List<Step> = Optional("the one step whose keys are given here"),
    }
    with { step: Step }
    short Step => |step| Self { step, ..Self::default() };
    groups [Group::exactly_one(&[
        "steps", "request", "get", "post", "put", "patch", "delete", "head", "options", "think", "delay", "set", "noop"
    ])];
}

model! {
    /// A piece of an action. One key says what it is: a request by its method (`get`, `post`, …) or in full (`request`), a pause
    /// (`think`, `delay`), `set` or `noop`. Text such as `GET /hello` or `noop` will do.
    pub(crate) struct Step: "step" {
        /// A `GET` of this path, which begins with `/` and may hold variables.
        get: At<String> = Optional("none"),
        /// A `POST` to this path.
        post: At<String> = Optional("none"),
        /// A `PUT` to this path.
        put: At<String> = Optional("none"),
        /// A `PATCH` of this path.
        patch: At<String> = Optional("none"),
        /// A `DELETE` of this path.
        delete: At<String> = Optional("none"),
        /// A `HEAD` of this path.
        head: At<String> = Optional("none"),
        /// An `OPTIONS` of this path.
        options: At<String> = Optional("none"),
        /// A request of any method, as text (`PURGE /cache`) or in full.
        request: Request = Optional("none"),
        /// The user's own pause: part of neither service nor response time.
        think: Pause = Optional("none"),
        /// A pause that stands for work: part of both.
        delay: Pause = Optional("none"),
        /// Variables that get new values.
        set: Map<At<String>> = Optional("none"),
        /// Nothing is done.
        _noop as "noop": AnyValue = Optional("none"),
    }
    with { exchange: Exchange }
    short At<String> => Self::from_line;
    groups [Group::exactly_one(&[
        "request", "get", "post", "put", "patch", "delete", "head", "options", "think", "delay", "set", "noop"
    ])];
}

impl Step {
    /// `noop`, or a request's line.
    fn from_line(line: At<String>) -> Self {
        if line.value == "noop" {
            let value = Value::Scalar { text: line.value, plain: true };
            return Self { _noop: Some(AnyValue(Node { at: line.at, value })), ..Self::default() };
        }
        Self { request: Some(Request { line: Some(line), ..Request::default() }), ..Self::default() }
    }
}

model! {
    /// A length of time, fixed or by chance. A duration alone is a fixed one.
    pub(crate) struct Pause: "pause" {
        /// Always the same.
        constant: At<crate::read::Duration> = Optional("none"),
        /// Anywhere between two durations: `[1s, 3s]`.
        uniform: List<At<crate::read::Duration>> = Optional("none"),
        /// Exponentially distributed with this mean, cut at 20 times the mean.
        exponential: At<PositiveDuration> = Optional("none"),
    }
    short At<crate::read::Duration> => |constant| Self { constant: Some(constant), ..Self::default() };
    groups [Group::exactly_one(&["constant", "uniform", "exponential"])];
}

/// What follows an action of a workflow.
#[derive(Debug, Clone)]
pub(crate) enum Next {
    /// Always the same action.
    Always(At<String>),
    /// One of several, with their shares.
    Shares(Map<At<Share>>),
}

impl Model for Next {
    fn read(node: &Node, faults: &mut Faults<'_>) -> Option<Self> {
        match &node.value {
            Value::Map(_) => Map::read(node, faults).map(Self::Shares),
            Value::Scalar { .. } if !node.is_null() => At::read(node, faults).map(Self::Always),
            _ => {
                wrong_type(node, &Self::shape(), faults);
                None
            }
        }
    }

    fn shape() -> Shape {
        Shape::AnyOf(vec![At::<String>::shape(), Map::<At<Share>>::shape()])
    }
}
