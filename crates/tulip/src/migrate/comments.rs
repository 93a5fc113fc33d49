//! Comments found again by what they stand at: before a key, or behind it on its line.

use crate::json::{Comment, Node, Value};
use std::collections::BTreeMap;

/// Comments by the byte of the key (or the element of a list) that they belong to.
#[derive(Debug, Default)]
pub(super) struct Comments {
    before: BTreeMap<usize, Vec<String>>,
    behind: BTreeMap<usize, Vec<String>>,
    /// Those that nothing follows.
    last: Vec<String>,
}

impl Comments {
    pub(super) fn new(found: &[Comment], tree: &Node, text: &str) -> Self {
        let mut places = Vec::new();
        gather(tree, &mut places);
        places.sort_unstable();
        let mut comments = Self::default();
        for Comment { at, lines } in found {
            let line_start = text.get(..*at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
            let next = places.partition_point(|place| place < at);
            let previous = next.checked_sub(1).and_then(|index| places.get(index));
            let kept = match (previous.filter(|place| **place >= line_start), places.get(next)) {
                (Some(place), _) => comments.behind.entry(*place).or_default(),
                (None, Some(place)) => comments.before.entry(*place).or_default(),
                (None, None) => &mut comments.last,
            };
            kept.extend(lines.iter().cloned());
        }
        comments
    }

    /// Takes what stood before a key.
    pub(super) fn take_before(&mut self, at: Option<usize>) -> Vec<String> {
        at.and_then(|at| self.before.remove(&at)).unwrap_or_default()
    }

    /// Takes what stood behind a key.
    pub(super) fn take_behind(&mut self, at: Option<usize>) -> Vec<String> {
        at.and_then(|at| self.behind.remove(&at)).unwrap_or_default()
    }

    /// Takes what stood behind everything.
    pub(super) fn take_last(&mut self) -> Vec<String> {
        std::mem::take(&mut self.last)
    }

    /// What stood at keys that are not in the new text.
    pub(super) fn rest(self) -> Vec<String> {
        let mut rest: Vec<(usize, Vec<String>)> = self.before.into_iter().chain(self.behind).collect();
        rest.sort_by_key(|(at, _)| *at);
        rest.into_iter().flat_map(|(_, lines)| lines).collect()
    }
}

/// Where keys stand, and elements of lists.
fn gather(node: &Node, places: &mut Vec<usize>) {
    match &node.value {
        Value::Map(entries) => {
            for entry in entries {
                places.push(entry.at);
                gather(&entry.node, places);
            }
        }
        Value::List(items) => {
            for item in items {
                places.push(item.at);
                gather(item, places);
            }
        }
        Value::Word(_) | Value::Text(_) => {}
    }
}
