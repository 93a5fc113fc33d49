//! Groups and the checks in them, in the order in which they first appeared; and the places of the full summary: scenarios and groups.

use crate::tags::{TagSet, cut};
use std::collections::HashMap;
use std::sync::Arc;

/// What parts the names in a group's path.
pub(crate) const SEPARATOR: &str = "::";
/// Groups told apart; later ones are counted with their parent. Names made in a loop would fill memory and page.
const GROUPS_MAX: usize = 10_000;
/// Checks told apart; later ones are counted under [`crate::OTHER_VALUE`].
const CHECKS_MAX: usize = 10_000;
/// Sections of the full summary: more than anybody reads. What belongs to further ones is counted in the whole alone.
const PLACES_MAX: usize = 1_000;
/// Depth of groups; deeper ones are counted with the last that fits, so that readers of JSON, many of which stop at 128 levels, read the tree.
pub(crate) const DEPTH_MAX: usize = 48;
/// The scenario that scripts without scenarios have, which is no section of its own.
const DEFAULT_SCENARIO: &str = "default";
/// Groups of the life cycle, which the full summary leaves out.
const LIFE_CYCLE: [&str; 2] = ["::setup", "::teardown"];

/// A group in its registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId(pub(crate) u32);

impl GroupId {
    /// The group in which everything is that is in no other.
    pub const ROOT: Self = Self(0);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A check in its registry: of one group, with one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CheckId(pub(crate) u32);

impl CheckId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A section of the full summary: a scenario, or a group in a scenario or in none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place(pub(crate) u32);

/// What a place is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct PlaceName {
    /// The scenario, unless it is the default one.
    pub(crate) scenario: Option<Arc<str>>,
    /// The group's path; `None` is the scenario as a whole.
    pub(crate) group: Option<Arc<str>>,
}

/// One group.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    pub(crate) name: Arc<str>,
    pub(crate) path: Arc<str>,
    pub(crate) groups: Vec<GroupId>,
    pub(crate) checks: Vec<CheckId>,
    depth: usize,
}

/// One check.
#[derive(Debug, Clone)]
pub(crate) struct Check {
    pub(crate) name: Arc<str>,
    pub(crate) group: GroupId,
}

/// The tree of groups, the checks, the places.
#[derive(Debug, Clone)]
pub(crate) struct Groups {
    pub(crate) groups: Vec<Group>,
    by_path: HashMap<Arc<str>, GroupId>,
    pub(crate) checks: Vec<Check>,
    by_name: HashMap<(GroupId, Arc<str>), CheckId>,
    pub(crate) places: Vec<PlaceName>,
    by_place: HashMap<PlaceName, Place>,
    /// Whether there would be more places.
    pub(crate) has_hidden_places: bool,
}

impl Default for Groups {
    fn default() -> Self {
        let root: Arc<str> = Arc::from("");
        let group = Group {
            name: Arc::clone(&root),
            path: Arc::clone(&root),
            groups: Vec::new(),
            checks: Vec::new(),
            depth: 0,
        };
        Self {
            groups: vec![group],
            by_path: HashMap::from([(root, GroupId::ROOT)]),
            checks: Vec::new(),
            by_name: HashMap::new(),
            places: Vec::new(),
            by_place: HashMap::new(),
            has_hidden_places: false,
        }
    }
}

impl Groups {
    /// The group of a path, with those around it made if they are not there.
    pub(crate) fn group(&mut self, path: &str) -> GroupId {
        let path = cut(path);
        let path = path.as_ref();
        if let Some(id) = self.by_path.get(path) {
            return *id;
        }
        let (mut id, mut end) = (GroupId::ROOT, 0);
        for name in path.split(SEPARATOR).skip(usize::from(path.starts_with(SEPARATOR))) {
            // The path so far, as it stands in the text.
            end += name.len() + if end > 0 || path.starts_with(SEPARATOR) { SEPARATOR.len() } else { 0 };
            match self.child(id, name, path.get(..end).unwrap_or(path)) {
                Some(child) => id = child,
                None => return id,
            }
        }
        id
    }

    fn child(&mut self, parent: GroupId, name: &str, path: &str) -> Option<GroupId> {
        if let Some(id) = self.by_path.get(path) {
            return Some(*id);
        }
        let depth = self.groups.get(parent.index())?.depth + 1;
        if self.groups.len() >= GROUPS_MAX || depth > DEPTH_MAX {
            return None;
        }
        let id = GroupId(u32::try_from(self.groups.len()).ok()?);
        let path: Arc<str> = Arc::from(path);
        self.by_path.insert(Arc::clone(&path), id);
        self.groups.push(Group { name: name.into(), path, groups: Vec::new(), checks: Vec::new(), depth });
        self.groups.get_mut(parent.index())?.groups.push(id);
        Some(id)
    }

    /// The check of a group and name, made if it is not there.
    pub(crate) fn check(&mut self, group: GroupId, name: &str) -> CheckId {
        let mut key = (group, Arc::from(cut(name).as_ref()));
        if let Some(id) = self.by_name.get(&key) {
            return *id;
        }
        if self.checks.len() >= CHECKS_MAX {
            key.1 = Arc::from(crate::OTHER_VALUE);
            if let Some(id) = self.by_name.get(&key) {
                return *id;
            }
        }
        // Beyond the limit there is at most one more per group: far below 2³².
        let id = CheckId(self.checks.len() as u32);
        self.checks.push(Check { name: Arc::clone(&key.1), group });
        self.by_name.insert(key, id);
        if let Some(group) = self.groups.get_mut(group.index()) {
            group.checks.push(id);
        }
        id
    }

    /// The scenario and the group that samples with these tags are shown in.
    pub(crate) fn places_of(&mut self, tags: &TagSet) -> [Option<Place>; 2] {
        let wanted =
            |key, none: &[&str]| tags.get(key).filter(|value| !value.is_empty() && !none.contains(value));
        let scenario: Option<Arc<str>> = wanted("scenario", &[DEFAULT_SCENARIO]).map(Arc::from);
        let group: Option<Arc<str>> = wanted("group", &LIFE_CYCLE).map(Arc::from);
        let of_scenario =
            scenario.clone().map(|scenario| PlaceName { scenario: Some(scenario), group: None });
        let of_group = group.map(|group| PlaceName { scenario, group: Some(group) });
        [of_scenario.and_then(|name| self.place(name)), of_group.and_then(|name| self.place(name))]
    }

    fn place(&mut self, name: PlaceName) -> Option<Place> {
        if let Some(place) = self.by_place.get(&name) {
            return Some(*place);
        }
        if self.places.len() >= PLACES_MAX {
            self.has_hidden_places = true;
            return None;
        }
        let place = Place(u32::try_from(self.places.len()).ok()?);
        self.places.push(name.clone());
        self.by_place.insert(name, place);
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_a_tree_in_the_order_of_their_appearance() {
        let mut groups = Groups::default();
        let b = groups.group("::b");
        let inner = groups.group("::a::x::y");
        assert_eq!(groups.group("::a::x::y"), inner);
        assert_eq!(groups.group(""), GroupId::ROOT);
        let paths: Vec<&str> = groups.groups.iter().map(|group| &*group.path).collect();
        assert_eq!(paths, ["", "::b", "::a", "::a::x", "::a::x::y"]);
        let names: Vec<&str> = groups.groups.iter().map(|group| &*group.name).collect();
        assert_eq!(names, ["", "b", "a", "x", "y"]);
        assert_eq!(groups.groups[0].groups, [b, GroupId(2)]);
        let odd = groups.group("no start");
        assert_eq!(&*groups.groups[odd.index()].path, "no start");
    }

    #[test]
    fn depth_and_counts_are_bounded() {
        let mut groups = Groups::default();
        let deep = groups.group(&"::g".repeat(DEPTH_MAX + 10));
        assert_eq!(groups.groups[deep.index()].depth, DEPTH_MAX);
        for index in 0..GROUPS_MAX + 10 {
            groups.group(&format!("::{index}"));
        }
        assert_eq!(groups.groups.len(), GROUPS_MAX);
        assert_eq!(groups.group("::one more"), GroupId::ROOT);
        for index in 0..CHECKS_MAX + 10 {
            groups.check(GroupId::ROOT, &index.to_string());
        }
        assert_eq!(groups.checks.len(), CHECKS_MAX + 1);
        assert_eq!(&*groups.checks[CHECKS_MAX].name, crate::OTHER_VALUE);
        assert_eq!(groups.check(GroupId::ROOT, "7"), CheckId(7), "what is known stays");
        let long = Groups::default().group(&"::\u{e9}".repeat(crate::TAG_TEXT_BYTES_MAX));
        assert_eq!(long.index(), DEPTH_MAX);
    }
}
