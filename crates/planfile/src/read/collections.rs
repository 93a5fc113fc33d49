//! Lists, mappings by name, and values kept as they are.

use super::{Model, Shape, wrong_type};
use crate::read::At;
use crate::text::{Faults, Node, Value};

/// Items of one kind, in order.
#[derive(Debug, Clone)]
pub(crate) struct List<T>(pub(crate) Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Model> Model for List<T> {
    fn read(node: &Node, faults: &mut Faults<'_>) -> Option<Self> {
        let Value::List(items) = &node.value else {
            wrong_type(node, &Self::shape(), faults);
            return None;
        };
        Some(Self(items.iter().filter_map(|item| T::read(item, faults)).collect()))
    }

    fn shape() -> Shape {
        Shape::List(Box::new(T::shape()))
    }
}

/// One item, or a list of them.
#[derive(Debug, Clone)]
pub(crate) struct OneOrMany<T>(pub(crate) Vec<T>);

impl<T: Model> Model for OneOrMany<T> {
    fn read(node: &Node, faults: &mut Faults<'_>) -> Option<Self> {
        match &node.value {
            Value::List(items) => Some(Self(items.iter().filter_map(|item| T::read(item, faults)).collect())),
            _ => T::read(node, faults).map(|item| Self(vec![item])),
        }
    }

    fn shape() -> Shape {
        Shape::AnyOf(vec![T::shape(), Shape::List(Box::new(T::shape()))])
    }
}

/// Values under names that the plan gives, in order.
#[derive(Debug, Clone)]
pub(crate) struct Map<T>(pub(crate) Vec<(At<String>, T)>);

impl<T> Default for Map<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Map<T> {
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&At<String>, &T)> {
        self.0.iter().map(|(name, value)| (name, value))
    }
}

impl<T: Model> Model for Map<T> {
    fn read(node: &Node, faults: &mut Faults<'_>) -> Option<Self> {
        let Value::Map(entries) = &node.value else {
            wrong_type(node, &Self::shape(), faults);
            return None;
        };
        let read = entries.iter().filter_map(|entry| {
            let value = T::read(&entry.node, faults)?;
            Some((At { value: entry.key.clone(), at: entry.key_at }, value))
        });
        Some(Self(read.collect()))
    }

    fn shape() -> Shape {
        Shape::Map("names", Box::new(T::shape()))
    }
}

/// A value kept as it is written, for JSON bodies.
#[derive(Debug, Clone)]
pub(crate) struct AnyValue(pub(crate) Node);

impl Model for AnyValue {
    fn read(node: &Node, _: &mut Faults<'_>) -> Option<Self> {
        Some(Self(node.clone()))
    }

    fn shape() -> Shape {
        Shape::Anything
    }
}
