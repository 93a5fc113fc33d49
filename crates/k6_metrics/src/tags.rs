//! Sets of tags as small numbers: a set is put together once, then samples carry its number.
//!
//! The interner is shared by all threads and behind a lock; each thread asks it through its own [`Tags`], which remembers what it was told and then
//! neither locks nor allocates. A set is the same number however it was put together.
//!
//! A script can make up tags without end (an address with a number in it). Beyond the limits below, values that were never seen before become
//! [`OTHER_VALUE`], and what was folded so is counted: sums stay right, only the part by tag is coarser.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher as _;
use std::sync::Arc;

/// Sets told apart before new values are folded: some 200 bytes each, and ten times as many as a run is advised to have.
pub const TAG_SETS_MAX: usize = 1 << 20;
/// Sets that folded values may still make, so that they keep their other tags.
const FOLDED_SETS_MAX: usize = 1 << 16;
/// Bytes of all keys and values together.
const TEXT_BYTES_MAX: usize = 256 << 20;
/// Bytes of a key or a value: an address that browsers and servers still take. What is longer is cut and ends in `…`.
pub const TAG_TEXT_BYTES_MAX: usize = 8 << 10;
/// Tags of a set; further ones are left out.
pub const TAGS_PER_SET_MAX: usize = 128;
/// What a value that is one too many becomes.
pub const OTHER_VALUE: &str = "(other)";
/// Answers that a thread remembers; a map that grows beyond is begun anew.
const REMEMBERED_MAX: usize = 1 << 16;

/// A set of tags in its registry: the same number in every thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TagSetId(pub(crate) u32);

impl TagSetId {
    /// The set without any tag.
    pub const EMPTY: Self = Self(0);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Keys and values, sorted by key, each key once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TagSet {
    pairs: Vec<(Arc<str>, Arc<str>)>,
}

impl TagSet {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        let at = self.pairs.binary_search_by(|(own, _)| (**own).cmp(key)).ok()?;
        self.pairs.get(at).map(|(_, value)| &**value)
    }

    /// All pairs by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pairs.iter().map(|(key, value)| (&**key, &**value))
    }

    /// Whether it has no tag.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }
}

/// A text's number.
type TextId = u32;
/// A set as numbers, sorted by the keys' texts.
type Pairs = Box<[(TextId, TextId)]>;

/// All sets and the texts in them.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    hasher: DefaultHashBuilder,
    texts: Vec<Arc<str>>,
    text_index: HashTable<TextId>,
    text_bytes: usize,
    sets: Vec<Pairs>,
    set_index: HashTable<u32>,
    /// How many times a set was folded or refused.
    pub(crate) folded_count: u64,
    limits: Limits,
}

#[derive(Debug, Clone, Copy)]
struct Limits {
    sets: usize,
    folded_sets: usize,
    text_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { sets: TAG_SETS_MAX, folded_sets: FOLDED_SETS_MAX, text_bytes: TEXT_BYTES_MAX }
    }
}

impl Interner {
    /// With the empty set in it.
    pub(crate) fn new() -> Self {
        let mut interner = Self::default();
        let _ = interner.add(Box::default());
        interner
    }

    /// How many sets there are.
    pub(crate) fn set_count(&self) -> usize {
        self.sets.len()
    }

    /// A set as texts.
    pub(crate) fn set(&self, id: TagSetId) -> TagSet {
        let pairs = self.sets.get(id.index()).map_or(&[][..], |pairs| pairs);
        TagSet { pairs: pairs.iter().map(|(key, value)| (self.text(*key), self.text(*value))).collect() }
    }

    fn text(&self, id: TextId) -> Arc<str> {
        self.texts.get(id as usize).cloned().unwrap_or_default()
    }

    /// The base with these pairs put on it; a pair without value takes its key away.
    pub(crate) fn with(&mut self, base: TagSetId, changes: &[(&str, Option<&str>)]) -> TagSetId {
        if let Some(pairs) = self.changed(base, changes, Folding::None)
            && let Some(id) = self.add(pairs)
        {
            return id;
        }
        self.folded_count += 1;
        let folded = self.changed(base, changes, Folding::NewTexts);
        folded.and_then(|pairs| self.add_folded(pairs)).unwrap_or(base)
    }

    /// `None` if a text is one too many.
    fn changed(
        &mut self,
        base: TagSetId,
        changes: &[(&str, Option<&str>)],
        folding: Folding,
    ) -> Option<Pairs> {
        let mut pairs = self.sets.get(base.index()).map(|pairs| pairs.to_vec()).unwrap_or_default();
        for (key, value) in changes {
            let key = self.intern(cut(key).as_ref(), Folding::None)?;
            let place = pairs.binary_search_by(|(own, _)| self.text(*own).cmp(&self.text(key)));
            match (place, value) {
                (Ok(at), None) => drop(pairs.remove(at)),
                (Err(_), None) => {}
                (place, Some(value)) => {
                    let value = self.intern(cut(value).as_ref(), folding)?;
                    match place {
                        Ok(at) => pairs[at].1 = value,
                        Err(at) if pairs.len() < TAGS_PER_SET_MAX => pairs.insert(at, (key, value)),
                        Err(_) => {}
                    }
                }
            }
        }
        Some(pairs.into_boxed_slice())
    }

    fn intern(&mut self, text: &str, folding: Folding) -> Option<TextId> {
        let hash = self.hasher.hash_one(text);
        if let Some(id) =
            self.text_index.find(hash, |id| self.texts.get(*id as usize).is_some_and(|own| **own == *text))
        {
            return Some(*id);
        }
        let is_full = self.sets.len() >= self.limits.sets || self.text_bytes >= self.limits.text_bytes;
        let text = match folding {
            // Once more, for the text that stands in: it may be there already, and is always taken.
            Folding::NewTexts if text != OTHER_VALUE => return self.intern(OTHER_VALUE, Folding::NewTexts),
            Folding::None if is_full => return None,
            _ => text,
        };
        let id = TextId::try_from(self.texts.len()).ok()?;
        self.text_bytes += text.len();
        self.texts.push(Arc::from(text));
        let (texts, hasher) = (&self.texts, &self.hasher);
        let rehash = |id: &TextId| hasher.hash_one(texts.get(*id as usize).map_or("", |text| text));
        self.text_index.insert_unique(hash, id, rehash);
        Some(id)
    }

    /// The number of a set; `None` if it is new and one too many.
    fn add(&mut self, pairs: Pairs) -> Option<TagSetId> {
        self.add_below(pairs, self.limits.sets)
    }

    fn add_folded(&mut self, pairs: Pairs) -> Option<TagSetId> {
        self.add_below(pairs, self.limits.sets + self.limits.folded_sets)
    }

    fn add_below(&mut self, pairs: Pairs, sets_max: usize) -> Option<TagSetId> {
        let hash = self.hasher.hash_one(&*pairs);
        if let Some(id) = self.set_index.find(hash, |id| self.sets.get(*id as usize) == Some(&pairs)) {
            return Some(TagSetId(*id));
        }
        if self.sets.len() >= sets_max {
            return None;
        }
        let id = u32::try_from(self.sets.len()).ok()?;
        self.sets.push(pairs);
        let (sets, hasher) = (&self.sets, &self.hasher);
        let rehash = |id: &u32| hasher.hash_one(sets.get(*id as usize).map_or(&[][..], |pairs| pairs));
        self.set_index.insert_unique(hash, id, rehash);
        Some(TagSetId(id))
    }
}

/// What becomes of a value that was never seen before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Folding {
    None,
    NewTexts,
}

/// At most so many bytes as a key or value may have.
pub(crate) fn cut(text: &str) -> std::borrow::Cow<'_, str> {
    if text.len() <= TAG_TEXT_BYTES_MAX {
        return text.into();
    }
    let end = (0..=TAG_TEXT_BYTES_MAX - '…'.len_utf8()).rev().find(|end| text.is_char_boundary(*end));
    format!("{}…", text.get(..end.unwrap_or(0)).unwrap_or_default()).into()
}

/// One thread's way to the sets of a registry.
#[derive(Debug)]
pub struct Tags {
    registry: crate::Registry,
    hasher: DefaultHashBuilder,
    known: HashTable<Known>,
}

/// An answer of the interner, with the question.
#[derive(Debug)]
struct Known {
    hash: u64,
    base: TagSetId,
    /// Keys and values in the question's order, one after the other.
    text: Box<str>,
    /// Where in `text` each of them ends; [`REMOVED`] for the value of a key that is taken away.
    ends: Box<[u32]>,
    id: TagSetId,
}

/// Stands for the end of a value that is not there.
const REMOVED: u32 = u32::MAX;

impl Tags {
    /// For one thread.
    pub fn new(registry: &crate::Registry) -> Self {
        Self { registry: registry.clone(), hasher: DefaultHashBuilder::default(), known: HashTable::new() }
    }

    /// The set with one more tag, or another value of it.
    #[inline]
    pub fn with(&mut self, base: TagSetId, key: &str, value: &str) -> TagSetId {
        self.changed(base, &[(key, Some(value))])
    }

    /// The set with all these tags: one look-up, so cheaper than one after the other.
    #[inline]
    pub fn with_all(&mut self, base: TagSetId, pairs: &[(&str, &str)]) -> TagSetId {
        let mut changes = [("", None); 16];
        if let Some(changes) = changes.get_mut(..pairs.len()) {
            for (change, (key, value)) in changes.iter_mut().zip(pairs) {
                *change = (*key, Some(*value));
            }
            return self.changed(base, changes);
        }
        let changes: Vec<_> = pairs.iter().map(|(key, value)| (*key, Some(*value))).collect();
        self.changed(base, &changes)
    }

    /// The set without a tag.
    #[inline]
    pub fn without(&mut self, base: TagSetId, key: &str) -> TagSetId {
        self.changed(base, &[(key, None)])
    }

    /// The set as texts; takes the lock and allocates, so not for each sample.
    pub fn set(&self, id: TagSetId) -> TagSet {
        self.registry.tag_set(id)
    }

    fn changed(&mut self, base: TagSetId, changes: &[(&str, Option<&str>)]) -> TagSetId {
        let hash = self.hasher.hash_one((base, changes));
        let found = self.known.find(hash, |known| known.hash == hash && known.is_answer_to(base, changes));
        if let Some(known) = found {
            return known.id;
        }
        self.ask(hash, base, changes)
    }

    #[cold]
    fn ask(&mut self, hash: u64, base: TagSetId, changes: &[(&str, Option<&str>)]) -> TagSetId {
        let id = self.registry.change_tags(base, changes);
        if self.known.len() >= REMEMBERED_MAX {
            self.known.clear();
        }
        // Too long to be remembered cheaply: asked again each time.
        if changes.iter().all(|(key, value)| key.len() + value.map_or(0, str::len) <= TAG_TEXT_BYTES_MAX) {
            self.known.insert_unique(hash, Known::new(hash, base, changes, id), |known| known.hash);
        }
        id
    }
}

impl Known {
    fn new(hash: u64, base: TagSetId, changes: &[(&str, Option<&str>)], id: TagSetId) -> Self {
        let (mut text, mut ends) = (String::new(), Vec::with_capacity(2 * changes.len()));
        for (key, value) in changes {
            text.push_str(key);
            ends.push(text.len() as u32);
            text.push_str(value.unwrap_or_default());
            ends.push(value.map_or(REMOVED, |_| text.len() as u32));
        }
        Self { hash, base, text: text.into(), ends: ends.into(), id }
    }

    fn is_answer_to(&self, base: TagSetId, changes: &[(&str, Option<&str>)]) -> bool {
        if self.base != base || self.ends.len() != 2 * changes.len() {
            return false;
        }
        let mut rest = self.text.as_bytes();
        let mut end = 0_u32;
        let mut is_next = |text: &str, own_end: u32| {
            end = end.wrapping_add(text.len() as u32);
            match rest.strip_prefix(text.as_bytes()) {
                Some(after) if own_end == end => {
                    rest = after;
                    true
                }
                _ => false,
            }
        };
        self.ends.chunks_exact(2).zip(changes).all(|(ends, (key, value))| match (ends, value) {
            ([key_end, REMOVED], None) => is_next(key, *key_end),
            ([key_end, value_end], Some(value)) => is_next(key, *key_end) && is_next(value, *value_end),
            _ => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interner(sets: usize, text_bytes: usize) -> Interner {
        Interner { limits: Limits { sets, folded_sets: 4, text_bytes }, ..Interner::new() }
    }

    fn with(interner: &mut Interner, base: TagSetId, pairs: &[(&str, &str)]) -> TagSetId {
        let changes: Vec<_> = pairs.iter().map(|(key, value)| (*key, Some(*value))).collect();
        interner.with(base, &changes)
    }

    fn check(interner: &Interner, id: TagSetId, expected: &[(&str, &str)]) {
        assert_eq!(interner.set(id).iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn values_without_end_are_folded_and_counted() {
        let mut interner = interner(20, usize::MAX);
        let base = with(&mut interner, TagSetId::EMPTY, &[("scenario", "s"), ("status", "200")]);
        let known = with(&mut interner, base, &[("url", "u0")]);
        for index in 1..1_000 {
            with(&mut interner, base, &[("url", &format!("u{index}"))]);
        }
        assert_eq!(interner.set_count(), 21, "one more, in which all others are");
        assert_eq!(interner.folded_count, 1_000 - 18);
        let folded = with(&mut interner, base, &[("url", "one more"), ("status", "u0")]);
        check(&interner, folded, &[("scenario", "s"), ("status", "u0"), ("url", OTHER_VALUE)]);
        assert_eq!(with(&mut interner, base, &[("url", "u0")]), known, "what is known stays");
        // Sets of known values are new too; when even they are too many, the base stands for them.
        for status in ["u1", "u2", "u3", "u4", "u5"] {
            let last = with(&mut interner, base, &[("url", status), ("status", status)]);
            let kept = interner.set(last);
            assert_eq!(kept.get("scenario"), Some("s"));
        }
        assert_eq!(interner.set_count(), 24);
        assert_eq!(with(&mut interner, base, &[("a new key", "0")]), base);
    }

    #[test]
    fn texts_are_bounded_together() {
        let mut interner = interner(usize::MAX / 2, 1_000);
        let long = "x".repeat(900);
        let first = with(&mut interner, TagSetId::EMPTY, &[("error", &long)]);
        check(&interner, first, &[("error", &long)]);
        let second = with(&mut interner, TagSetId::EMPTY, &[("error", &"y".repeat(900))]);
        check(&interner, second, &[("error", &"y".repeat(900))]);
        let third = with(&mut interner, TagSetId::EMPTY, &[("error", "z")]);
        check(&interner, third, &[("error", OTHER_VALUE)]);
        assert_eq!(interner.folded_count, 1);
    }
}
