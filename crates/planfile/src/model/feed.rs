//! Tables of values for variables.

use crate::read::{At, Group, List, Map, Model, OneOrMany, Separator, Shape, choice, model, wrong_type};
use crate::text::{Faults, Node, Value};

model! {
    /// A table whose columns fill variables: each action begins with the next row. The name of a file alone will do.
    pub(crate) struct Feed: "feed" {
        /// A CSV file (RFC 4180) whose first row names the columns, or, if its name ends in `.json`, an array of objects.
        /// Seen from the plan's folder.
        file: At<String> = Optional("none"),
        /// The rows themselves: mappings of columns to values, or, with `columns`, lists of values.
        rows: List<Rows> = Optional("none"),
        /// Which row is next.
        order: At<FeedOrderText> = Optional("sequential"),
        /// What happens when all rows were taken.
        at_end: At<EndText> = Optional("restart; stop if the order is unique"),
        /// Names of the columns. A CSV file then has no first row of names; of objects, only these keys are taken.
        columns: OneOrMany<At<String>> = Optional("the first row, or the objects' keys"),
        /// The character between values of a CSV file.
        separator: At<Separator> = Optional("\",\""),
    }
    short At<String> => |file| Self { file: Some(file), ..Self::default() };
    groups [Group::exactly_one(&["file", "rows"])];
}

choice! {
    /// Which row of a feed is next. Rows are shared out among Weir's threads.
    pub(crate) enum FeedOrderText: "an order of rows" {
        /// First to last.
        Sequential = "sequential",
        /// Any, each time anew.
        Random = "random",
        /// Each at most once in a run, shuffled.
        Unique = "unique",
    }
}

choice! {
    /// What happens when all rows of a feed were taken.
    pub(crate) enum EndText: "an end of a feed" {
        /// Begin with the first again.
        Restart = "restart",
        /// The phase ends for the users of that thread.
        Stop = "stop",
        /// Actions fail.
        Fail = "fail",
    }
}

/// One inline row.
#[derive(Debug, Clone)]
pub(crate) enum Rows {
    Named(Map<At<String>>),
    Listed(Node, List<At<String>>),
}

impl Model for Rows {
    fn read(node: &Node, faults: &mut Faults<'_>) -> Option<Self> {
        match &node.value {
            Value::Map(_) => Map::read(node, faults).map(Self::Named),
            Value::List(_) => List::read(node, faults).map(|row| Self::Listed(node.clone(), row)),
            Value::Scalar { .. } => {
                wrong_type(node, &Self::shape(), faults);
                None
            }
        }
    }

    fn shape() -> Shape {
        Shape::AnyOf(vec![Map::<At<String>>::shape(), List::<At<String>>::shape()])
    }
}
