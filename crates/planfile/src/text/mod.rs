//! Text to a tree of values that know their place: YAML 1.2, and with it JSON.
//!
//! The tree keeps scalars as they were written. What a scalar is (a number, a duration, a name) is decided by whoever reads it, so that
//! `version: 1.10` is never turned into 1.1 on its way.

mod faults;
mod hints;
mod place;
mod tree;

pub(crate) use faults::{Faults, is_invisible, quoted};
pub(crate) use place::Place;
pub use place::Source;
pub(crate) use tree::{Entry, Node, Value, parse};
