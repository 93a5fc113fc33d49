//! Sets of tags as numbers.

use k6_metrics::{Registry, SystemTags, TAG_TEXT_BYTES_MAX, TAGS_PER_SET_MAX, TagSetId, Tags};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn pairs(tags: &Tags, id: TagSetId) -> Vec<(String, String)> {
    tags.set(id).iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

#[test]
fn a_set_is_the_same_number_however_it_was_made() {
    let registry = Registry::new(SystemTags::default());
    let (mut one, mut other) = (Tags::new(&registry), Tags::new(&registry));
    let a = one.with(TagSetId::EMPTY, "a", "1");
    let ab = one.with(a, "b", "2");
    let b = other.with(TagSetId::EMPTY, "b", "2");
    assert_eq!(other.with(b, "a", "1"), ab);
    assert_eq!(one.with_all(TagSetId::EMPTY, &[("b", "x"), ("a", "1"), ("b", "2")]), ab);
    assert_eq!(registry.tags(&[("b", "2"), ("a", "1")]), ab);
    assert_eq!(other.without(ab, "a"), b);
    assert_eq!(other.without(b, "b"), TagSetId::EMPTY);
    assert_eq!(other.without(b, "c"), b);
    assert_eq!(one.with(ab, "b", "2"), ab);
    // Keys and values whose texts run together alike.
    assert_ne!(one.with(TagSetId::EMPTY, "ab", "c"), one.with(TagSetId::EMPTY, "a", "bc"));
    assert_ne!(one.with(a, "b", ""), one.without(a, "b"));
    assert_eq!(pairs(&one, ab), [("a".into(), "1".into()), ("b".into(), "2".into())]);
}

#[test]
fn texts_and_sets_have_bounds() {
    let registry = Registry::new(SystemTags::default());
    let mut tags = Tags::new(&registry);
    let long = "é".repeat(TAG_TEXT_BYTES_MAX);
    for _ in 0..2 {
        let set = tags.with(TagSetId::EMPTY, "url", &long);
        let kept = pairs(&tags, set);
        assert!(kept[0].1.len() <= TAG_TEXT_BYTES_MAX && kept[0].1.ends_with("é…"), "{}", kept[0].1.len());
    }
    let mut set = TagSetId::EMPTY;
    for index in 0..TAGS_PER_SET_MAX + 5 {
        set = tags.with(set, &format!("k{index:04}"), "v");
    }
    assert_eq!(pairs(&tags, set).len(), TAGS_PER_SET_MAX);
    let many: Vec<(String, &str)> = (0..40).map(|index| (format!("k{index:04}"), "w")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(key, value)| (key.as_str(), *value)).collect();
    let changed = tags.with_all(set, &many);
    assert_eq!(tags.set(changed).get("k0039"), Some("w"));
    assert_eq!(tags.set(changed).get("k0040"), Some("v"));
}

proptest! {
    #[test]
    fn sets_are_what_a_map_would_be(
        steps in prop::collection::vec((prop::collection::vec(("[a-d]{0,2}", prop::option::of("[x-z]{0,2}")), 0..4), 0_usize..6), 0..40),
    ) {
        let registry = Registry::new(SystemTags::default());
        let mut tags = Tags::new(&registry);
        let mut known: Vec<(TagSetId, BTreeMap<String, String>)> = vec![(TagSetId::EMPTY, BTreeMap::new())];
        for (changes, base) in steps {
            let (mut id, mut map) = known[base % known.len()].clone();
            for (key, value) in &changes {
                match value {
                    Some(value) => {
                        id = tags.with(id, key, value);
                        map.insert(key.clone(), value.clone());
                    }
                    None => {
                        id = tags.without(id, key);
                        map.remove(key);
                    }
                }
            }
            prop_assert_eq!(pairs(&tags, id), map.clone().into_iter().collect::<Vec<_>>());
            for (other, other_map) in &known {
                prop_assert_eq!(*other == id, *other_map == map);
            }
            known.push((id, map));
        }
    }
}
