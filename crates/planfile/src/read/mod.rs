//! From values to typed models. One declaration per key: its name, its meaning, its type and its default stand in one `model!` table
//! (see [`table`]), and parsing, JSON Schema and reference are all made from that table.
//!
//! A reader never stops at a fault: it says what is wrong, gives `None` for that value, and goes on with the next.

mod collections;
mod scalar;
pub(crate) mod table;

pub(crate) use collections::{AnyValue, List, Map, OneOrMany};
pub(crate) use scalar::{
    At, BigCount, Count, Duration, PositiveDuration, Scalar, Separator, Share, Weight, choice, quantity_fault,
};
pub(crate) use table::{Field, Fields, Group, Presence, Table, TableInfo, model};

use crate::text::{Faults, Node, quoted};
use plan::Diagnostic;

/// A type that a value of the plan's text is read into.
pub(crate) trait Model: Sized {
    /// The model, or `None` after saying what is wrong.
    fn read(node: &Node, faults: &mut Faults<'_>) -> Option<Self>;

    /// What may be written, for schema, reference and messages.
    fn shape() -> Shape;
}

/// What may be written at a place.
#[derive(Clone)]
pub(crate) enum Shape {
    /// One text or number.
    Scalar(ScalarShape),
    /// One word of some.
    Choice(&'static [Choice]),
    /// Items of one shape, in order.
    List(Box<Shape>),
    /// Values of one shape under names that the plan gives.
    Map(&'static str, Box<Shape>),
    /// Known keys.
    Table(TableInfo),
    /// Any of these.
    AnyOf(Vec<Shape>),
    /// Whatever JSON can say.
    Anything,
}

/// A text or number.
#[derive(Clone, Copy)]
pub(crate) struct ScalarShape {
    /// With its article: `a duration`.
    pub(crate) words: &'static str,
    /// How it is written.
    pub(crate) example: &'static str,
    /// The JSON types that are taken.
    pub(crate) json_types: &'static [&'static str],
}

/// A word with its meaning.
#[derive(Clone, Copy)]
pub(crate) struct Choice {
    pub(crate) word: &'static str,
    pub(crate) doc: &'static [&'static str],
}

impl Shape {
    /// For messages: `a duration such as 5s`, `a list of rates such as 200/s`.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Scalar(scalar) if scalar.example.is_empty() => scalar.words.to_owned(),
            Self::Scalar(scalar) => format!("{} such as `{}`", scalar.words, scalar.example),
            Self::Choice(choices) => {
                let words: Vec<String> = choices.iter().map(|choice| format!("`{}`", choice.word)).collect();
                words.join(", ")
            }
            Self::List(item) => format!("a list, each item {}", item.words()),
            Self::Map(name, value) => format!("a mapping of {name} to {}", value.words()),
            Self::Table(info) => match info.short {
                Some(short) => format!("{}, or a mapping", short().words()),
                None => "a mapping".to_owned(),
            },
            Self::AnyOf(shapes) => shapes.iter().map(Self::words).collect::<Vec<_>>().join(", or "),
            Self::Anything => "anything".to_owned(),
        }
    }
}

/// A word that is none of those known.
pub(crate) fn unknown_word(words: &str, text: &str, choices: &[Choice]) -> Diagnostic {
    let known = || choices.iter().map(|choice| choice.word);
    let fault = Diagnostic::error(format!("{} is not {words}", quoted(text)));
    match plan::nearest(text, known()) {
        Some(meant) => fault.hint(format!("did you mean `{meant}`?")),
        None => fault.hint(format!("use one of {}", known().collect::<Vec<_>>().join(", "))),
    }
}

/// Says that a value is of the wrong type.
pub(crate) fn wrong_type(node: &Node, shape: &Shape, faults: &mut Faults<'_>) {
    let fault = Diagnostic::error(format!("expected {}, found {}", shape.words(), node.describe()));
    let fault = match shape {
        _ if node.is_null() => fault.hint("give it a value, or remove it"),
        Shape::List(_) => fault.hint("begin each item with `- `, or put them into `[…]`"),
        Shape::Table(info) => {
            let keys: Vec<&str> = info.all_fields().iter().map(|field| field.key).collect();
            fault.hint(format!("its keys: {}", keys.join(", ")))
        }
        _ => fault,
    };
    faults.push(node.at, fault);
}
