//! What a user does: actions, each a list of steps, and the rule by which the next action is chosen.

use crate::template::{Template, VariableIndex};
use serde::Serialize;

/// What the users of a phase do, over and over: choose an action, carry out its steps.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scenario {
    /// How phases and the record name it.
    pub name: String,
    /// How the next action is chosen.
    pub order: ActionOrder,
    /// At least one.
    pub actions: Vec<Action>,
    /// Whether users keep cookies.
    pub cookies: CookiePolicy,
    /// Values that variables have when a user begins.
    pub initial: Vec<(VariableIndex, String)>,
    /// Feeds of which each action takes the next row as it begins.
    pub feeds: Vec<usize>,
}

/// How a user's next action is chosen.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionOrder {
    /// First to last, then again.
    Sequence,
    /// By chance, in proportion to the weights: one per action, none negative, not all zero.
    Weighted(Vec<f64>),
    /// In shuffled cycles that hold each action exactly so many times: proportions are exact after each cycle.
    Cycle(Vec<u32>),
    /// A Markov chain.
    Workflow {
        /// Chance of each action to be a user's first; sums to 1.
        start: Vec<f64>,
        /// Row per action: chance of each action to be next. What a row lacks to 1 is the chance to begin anew by `start`.
        rows: Vec<Vec<f64>>,
    },
}

/// One thing a user does and the unit of measurement: each execution is one sample.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Action {
    /// How the record names it.
    pub name: String,
    /// In order; may be empty (a no-op). A failed step ends the action.
    pub steps: Vec<Step>,
}

/// A piece of an action.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// One HTTP exchange, redirects included.
    Request(Box<Request>),
    /// The user's own pause: in neither service nor response time.
    Think(Pause),
    /// A pause that stands for work: it is in both.
    Delay(Pause),
    /// Sets a variable.
    Set(VariableIndex, Template),
}

/// A length of time, fixed or by chance; ns.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pause {
    /// Always the same.
    Constant(u64),
    /// Uniform in low..=high.
    Uniform(u64, u64),
    /// Exponential with this mean, cut at 20 × the mean.
    Exponential(u64),
}

/// One HTTP request and what is done with its answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Request {
    /// How the record names it; usually `METHOD path`.
    pub name: String,
    /// Index of the target.
    pub target: usize,
    /// A token such as `GET`.
    pub method: String,
    /// Path, appended to the target's base path.
    pub path: Template,
    /// Appended to the path, percent-encoded.
    pub query: Vec<(String, Template)>,
    /// In order; a name that the target also gives replaces it. Credentials among them are not shown.
    #[serde(serialize_with = "headers_without_credentials")]
    pub headers: Vec<(String, Template)>,
    /// What is sent.
    pub body: Body,
    /// What must hold of the answer. Without a status check any status from 400 is a failure.
    pub checks: Vec<Check>,
    /// What is kept of the answer.
    pub captures: Vec<Capture>,
    /// How many redirects are followed; 0: none.
    pub redirects_max: u32,
    /// In place of the target's request timeout, ns.
    pub timeout_ns: Option<u64>,
}

/// What a request carries.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    /// Nothing.
    None,
    /// Fixed bytes (a file's, or a JSON document without variables).
    Bytes(#[serde(serialize_with = "length_only")] Vec<u8>),
    /// Text with variables; also JSON whose strings hold variables.
    Text(Template),
    /// `application/x-www-form-urlencoded`.
    Form(Vec<(String, Template)>),
    /// `multipart/form-data`.
    Multipart(Vec<Part>),
}

/// One part of a multipart body.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    /// Field name.
    pub name: String,
    /// File name, for file parts.
    pub file_name: Option<String>,
    /// Media type, when given.
    pub content_type: Option<String>,
    /// The content, fixed or with variables.
    pub content: Body,
}

/// Something that must hold of an answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Check {
    /// How the record names it.
    pub name: String,
    /// What must hold.
    pub kind: CheckKind,
}

/// What a check looks at.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckKind {
    /// Status within one of the ranges, both ends included.
    Status(Vec<(u16, u16)>),
    /// A header (any of that name) matches.
    Header(String, TextMatch),
    /// The decoded body matches.
    Body(TextMatch),
    /// The first value that a JSON path (RFC 9535) finds in the decoded body matches; strings without their quotes.
    Json(String, TextMatch),
    /// Size of the decoded body in bytes, both ends included.
    Size {
        /// Smallest.
        min_bytes: u64,
        /// Greatest.
        max_bytes: u64,
    },
    /// Service time of the request in ns at most.
    Time {
        /// Greatest.
        max_ns: u64,
    },
}

/// How a text is matched.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TextMatch {
    /// It is there.
    Exists,
    /// It is exactly this.
    Equals(Template),
    /// It has this in it.
    Contains(Template),
    /// A regular expression (crate `regex`'s syntax) finds something in it.
    Regex(String),
}

/// Something kept of an answer. Finding nothing is a failure of class `check`, unless there is a default.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Capture {
    /// Where it goes.
    pub variable: VariableIndex,
    /// Where it comes from.
    pub source: CaptureSource,
    /// Taken when nothing is found.
    pub default: Option<String>,
}

/// Where a captured value comes from.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CaptureSource {
    /// First match of a JSON path (RFC 9535); strings without their quotes.
    Json(String),
    /// First match of a regular expression: its first group, or all of it.
    Regex(String),
    /// First header of that name.
    Header(String),
    /// A cookie that this answer sets.
    Cookie(String),
}

/// Whether users keep the cookies that servers set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CookiePolicy {
    /// They do, each for itself.
    Keep,
    /// They don't.
    Ignore,
}

/// A table whose columns fill variables.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Feed {
    /// How scenarios name it.
    pub name: String,
    /// The variable of each column.
    pub columns: Vec<VariableIndex>,
    /// Rows of as many values as there are columns.
    #[serde(serialize_with = "row_count_only")]
    pub rows: Vec<Vec<String>>,
    /// Which row is next.
    pub order: FeedOrder,
    /// What happens when all were taken.
    pub at_end: AtEnd,
}

/// Which row of a feed is next. Each worker has its share of the rows: row i goes to worker i mod workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FeedOrder {
    /// First to last.
    Sequential,
    /// Any, each time anew.
    Random,
    /// Each at most once in a run, in shuffled order.
    Unique,
}

/// What happens when a feed's rows were all taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AtEnd {
    /// From the first again.
    Restart,
    /// The phase ends for that worker's users.
    Stop,
    /// Actions fail, with class `check`.
    Fail,
}

fn headers_without_credentials<S: serde::Serializer>(
    headers: &[(String, Template)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(
        headers.iter().map(|(name, value)| (name, crate::Secret::header_value(name, value.to_string()))),
    )
}

fn length_only<S: serde::Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    match std::str::from_utf8(bytes) {
        Ok(text) if text.len() <= 4096 => serializer.serialize_str(text),
        _ => serializer.collect_str(&format_args!("({} bytes)", bytes.len())),
    }
}

fn row_count_only<S: serde::Serializer>(rows: &[Vec<String>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("({} rows)", rows.len()))
}
