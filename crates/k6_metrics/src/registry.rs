//! All metrics, sets of tags, groups and checks of a test, each with a small number that is the same in every thread.
//!
//! A registry is a handle: clones are the same registry. It is behind a lock, so it is asked while scripts are read, when something occurs for
//! the first time, and when results are put together; never per sample.

use crate::groups::{CheckId, GroupId, Groups, Place};
use crate::metric::{BUILT_INS, BuiltIn, Contains, MetricId, MetricKind};
use crate::name::{NameRule, name_rule};
use crate::sub_metric::{KeyError, MetricKey};
use crate::system_tags::{SystemTag, SystemTags};
use crate::tags::{Interner, TagSet, TagSetId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Metrics told apart: scripts have dozens; one that makes them in a loop would fill the memory.
pub const METRICS_MAX: usize = 10_000;
/// Parts of a metric by tags, which are named one by one in thresholds.
pub const SUB_METRICS_MAX: usize = 10_000;

/// A metric with all that was said of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metric {
    /// Its name.
    pub name: Arc<str>,
    /// How its samples are put together.
    pub kind: MetricKind,
    /// What its values are.
    pub contains: Contains,
    /// Its parts by tags, in the order in which they were asked for.
    pub sub_metrics: Vec<SubMetric>,
}

/// The part of a metric whose samples have certain tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubMetric {
    /// The whole key as it was first written: `metric{a:b}`.
    pub name: Arc<str>,
    /// What stands between the braces.
    pub suffix: Arc<str>,
    /// The tags that a sample must have, sorted by key.
    pub tags: Vec<(String, String)>,
}

impl SubMetric {
    /// Whether a sample with these tags is part of it.
    pub fn has(&self, tags: &TagSet) -> bool {
        self.tags.iter().all(|(key, value)| tags.get(key) == Some(value))
    }
}

/// A metric or one of its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeriesId {
    /// The metric.
    pub metric: MetricId,
    /// Which of its sub-metrics; `None` is all of it.
    pub(crate) sub_index: Option<u32>,
}

impl From<MetricId> for SeriesId {
    fn from(metric: MetricId) -> Self {
        Self { metric, sub_index: None }
    }
}

/// Why a metric can't be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MetricError {
    /// No rule, old or new, takes the name.
    BadName(String),
    /// It is there already as something else.
    Redefined {
        /// Its name.
        name: String,
        /// What it is.
        is: (MetricKind, Contains),
        /// What was asked for.
        asked: (MetricKind, Contains),
    },
    /// No metric has the name.
    Unknown(String),
    /// The key of a sub-metric can't be read.
    BadKey {
        /// The key.
        key: String,
        /// What is wrong with it.
        error: KeyError,
    },
    /// The sub-metric is new, and there are books that would not count it.
    TooLate(String),
    /// There are [`METRICS_MAX`] metrics or [`SUB_METRICS_MAX`] sub-metrics.
    TooMany,
}

impl std::fmt::Display for MetricError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::BadName(name) => write!(
                f,
                "`{}` is no name for a metric: write letters, digits and `_`, no digit first, 2 to 129 characters",
                shown(name)
            ),
            Self::Redefined { name, is, asked } => write!(
                f,
                "the metric `{}` is there already as a {} (values: {}) and can't also be a {} (values: {}): give one of them another name",
                shown(name),
                is.0.word(),
                is.1.word(),
                asked.0.word(),
                asked.1.word()
            ),
            Self::Unknown(name) => {
                write!(
                    f,
                    "there is no metric `{}`: custom metrics must be made in the init code",
                    shown(name)
                )
            }
            Self::BadKey { key, error } => write!(f, "`{}`: {error}", shown(key)),
            Self::TooLate(key) => {
                write!(f, "`{}` is asked for after the first samples may have come: ask before", shown(key))
            }
            Self::TooMany => {
                write!(
                    f,
                    "there are too many metrics: {METRICS_MAX} metrics and {SUB_METRICS_MAX} parts by tags are the most"
                )
            }
        }
    }
}

impl std::error::Error for MetricError {}

/// A text from outside as part of a message: no line breaks or escapes, and not endless.
pub(crate) fn shown(text: &str) -> String {
    /// As much as fits two lines.
    const SHOWN_CHARS_MAX: usize = 160;
    let mut shown: String = text.chars().take(SHOWN_CHARS_MAX).flat_map(char::escape_debug).collect();
    if text.chars().nth(SHOWN_CHARS_MAX).is_some() {
        shown.push('…');
    }
    shown
}

/// All that is named in a test; see the module.
#[derive(Debug, Clone)]
pub struct Registry {
    system_tags: SystemTags,
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    metrics: Vec<Metric>,
    by_name: HashMap<Arc<str>, MetricId>,
    sub_metric_count: usize,
    /// Set once there are books: from then on no metric gets further parts, since samples may have been missed.
    has_books: bool,
    tags: Interner,
    groups: Groups,
}

impl Registry {
    /// With the built-in metrics, and the part of `http_req_duration` with expected responses if that tag is wanted.
    pub fn new(system_tags: SystemTags) -> Self {
        let state = State {
            metrics: Vec::new(),
            by_name: HashMap::new(),
            sub_metric_count: 0,
            has_books: false,
            tags: Interner::new(),
            groups: Groups::default(),
        };
        let registry = Self { system_tags, state: Arc::new(Mutex::new(state)) };
        for BuiltIn { name, kind, contains } in BUILT_INS {
            registry.lock().add(name, *kind, *contains);
        }
        if system_tags.has(SystemTag::ExpectedResponse) {
            // The metric was just made and the key is well-formed.
            let _ = registry.series("http_req_duration{expected_response:true}");
        }
        registry
    }

    /// The system tags that are wanted.
    pub fn system_tags(&self) -> SystemTags {
        self.system_tags
    }

    /// A custom metric, made if it is not there; with the rule that its name follows, so that old names can be warned of.
    ///
    /// Errors: the name is none; the metric is there with another kind or other values; there are too many.
    pub fn metric(
        &self,
        name: &str,
        kind: MetricKind,
        contains: Contains,
    ) -> Result<(MetricId, NameRule), MetricError> {
        let rule = name_rule(name).ok_or_else(|| MetricError::BadName(name.to_owned()))?;
        let mut state = self.lock();
        if let Some(id) = state.by_name.get(name).copied() {
            let is = state
                .metrics
                .get(id.index())
                .map_or((kind, contains), |metric| (metric.kind, metric.contains));
            let asked = (kind, contains);
            return if is == asked {
                Ok((id, rule))
            } else {
                Err(MetricError::Redefined { name: name.to_owned(), is, asked })
            };
        }
        if state.metrics.len() >= METRICS_MAX {
            return Err(MetricError::TooMany);
        }
        Ok((state.add(name, kind, contains), rule))
    }

    /// The metric of a name.
    pub fn find(&self, name: &str) -> Option<MetricId> {
        self.lock().by_name.get(name).copied()
    }

    /// The metric or sub-metric of a key `metric` or `metric{tag:value,…}`; a sub-metric is made if it is not there.
    ///
    /// Errors: the key can't be read; there is no such metric; there are too many; a new one is asked for after the first [`crate::Books`] were made, which would
    /// have missed samples of it.
    pub fn series(&self, key: &str) -> Result<SeriesId, MetricError> {
        let read = MetricKey::parse(key);
        let read = read.map_err(|error| MetricError::BadKey { key: key.to_owned(), error })?;
        let mut state = self.lock();
        let state = &mut *state;
        let unknown = || MetricError::Unknown(read.name.clone());
        let id = state.by_name.get(read.name.as_str()).copied().ok_or_else(unknown)?;
        let metric = state.metrics.get_mut(id.index()).ok_or_else(unknown)?;
        if read.tags.is_empty() {
            return Ok(id.into());
        }
        let tags = read.sorted_tags();
        let there = metric.sub_metrics.iter().position(|sub| sub.tags == tags);
        let index = match there {
            Some(index) => index,
            None if state.has_books => return Err(MetricError::TooLate(key.to_owned())),
            None if state.sub_metric_count >= SUB_METRICS_MAX => return Err(MetricError::TooMany),
            None => {
                state.sub_metric_count += 1;
                let (name, suffix) = (Arc::from(key), Arc::from(read.suffix));
                metric.sub_metrics.push(SubMetric { name, suffix, tags });
                metric.sub_metrics.len() - 1
            }
        };
        Ok(SeriesId { metric: id, sub_index: u32::try_from(index).ok() })
    }

    /// All that is known of a metric.
    pub fn describe(&self, id: MetricId) -> Option<Metric> {
        self.lock().metrics.get(id.index()).cloned()
    }

    /// All metrics by number.
    pub fn metrics(&self) -> Vec<Metric> {
        self.lock().metrics.clone()
    }

    /// A group by its path, `::outer::inner`; the empty path is the root. Made, with the groups around it, if it is not there.
    pub fn group(&self, path: &str) -> GroupId {
        self.lock().groups.group(path)
    }

    /// A check by its group and name; made if it is not there.
    pub fn check(&self, group: GroupId, name: &str) -> CheckId {
        self.lock().groups.check(group, name)
    }

    /// Whether the full summary lacks sections because there are too many: a thousand are shown. Their samples are in all other figures.
    pub fn has_hidden_sections(&self) -> bool {
        self.lock().groups.has_hidden_places
    }

    /// A set of tags as texts.
    pub fn tag_set(&self, id: TagSetId) -> TagSet {
        self.lock().tags.set(id)
    }

    /// A set of these tags. For once; a thread that makes many asks its [`crate::Tags`].
    pub fn tags(&self, pairs: &[(&str, &str)]) -> TagSetId {
        let changes: Vec<_> = pairs.iter().map(|(key, value)| (*key, Some(*value))).collect();
        self.change_tags(TagSetId::EMPTY, &changes)
    }

    /// How many sets of tags there are.
    pub fn tag_set_count(&self) -> usize {
        self.lock().tags.set_count()
    }

    /// How many times a set had to be folded into another, because there were too many: see [`crate::TAG_SETS_MAX`].
    pub fn folded_tags_count(&self) -> u64 {
        self.lock().tags.folded_count
    }

    /// From now on there are books.
    pub(crate) fn begin_books(&self) {
        self.lock().has_books = true;
    }

    pub(crate) fn change_tags(&self, base: TagSetId, changes: &[(&str, Option<&str>)]) -> TagSetId {
        self.lock().tags.with(base, changes)
    }

    /// A copy of the groups with their checks.
    pub(crate) fn groups(&self) -> Groups {
        self.lock().groups.clone()
    }

    /// Where samples with these tags are shown besides the whole.
    pub(crate) fn places_of(&self, tags: &TagSet) -> [Option<Place>; 2] {
        self.lock().groups.places_of(tags)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No step leaves the state half-done, so what a thread that panicked left is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn add(&mut self, name: &str, kind: MetricKind, contains: Contains) -> MetricId {
        // At most `METRICS_MAX`.
        let id = MetricId(self.metrics.len() as u32);
        let name: Arc<str> = Arc::from(name);
        self.by_name.insert(Arc::clone(&name), id);
        self.metrics.push(Metric { name, kind, contains, sub_metrics: Vec::new() });
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_metrics_have_their_constants() {
        let registry = Registry::new(SystemTags::default());
        for (index, built_in) in BUILT_INS.iter().enumerate() {
            assert_eq!(registry.find(built_in.name), Some(MetricId(index as u32)), "{}", built_in.name);
        }
        let duration = registry.describe(MetricId::HTTP_REQ_DURATION).unwrap();
        assert_eq!(&*duration.name, "http_req_duration");
        let subs: Vec<&str> = duration.sub_metrics.iter().map(|sub| &*sub.name).collect();
        assert_eq!(subs, ["http_req_duration{expected_response:true}"]);
        let without = Registry::new(SystemTags::NONE).describe(MetricId::HTTP_REQ_DURATION).unwrap();
        assert!(without.sub_metrics.is_empty());
        assert_eq!(
            registry.describe(MetricId::DATA_RECEIVED).map(|metric| metric.contains),
            Some(Contains::Data)
        );
    }

    #[test]
    fn a_metric_is_defined_once() {
        let registry = Registry::new(SystemTags::default());
        let (id, rule) = registry.metric("my_time", MetricKind::Trend, Contains::Time).unwrap();
        assert_eq!(rule, NameRule::Current);
        assert_eq!(registry.metric("my_time", MetricKind::Trend, Contains::Time), Ok((id, rule)));
        let error = registry.metric("my_time", MetricKind::Counter, Contains::Time).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the metric `my_time` is there already as a trend (values: time) and can't also be a counter (values: time): give one of them another name"
        );
        assert!(matches!(
            registry.metric("http_reqs", MetricKind::Counter, Contains::Time),
            Err(MetricError::Redefined { .. })
        ));
        assert_eq!(
            registry.metric("my time", MetricKind::Rate, Contains::Default).map(|(_, rule)| rule),
            Ok(NameRule::Old)
        );
        let bad = registry.metric("a\u{1b}[31m{", MetricKind::Rate, Contains::Default).unwrap_err();
        assert!(!bad.to_string().contains('\u{1b}'), "{bad}");
    }

    #[test]
    fn metrics_and_parts_are_bounded() {
        let registry = Registry::new(SystemTags::default());
        let make = |index: usize| registry.metric(&format!("m{index}_"), MetricKind::Rate, Contains::Default);
        let failed = (0..=METRICS_MAX).find_map(|index| make(index).err());
        assert_eq!(failed, Some(MetricError::TooMany));
        let part = |index: usize| registry.series(&format!("http_reqs{{a:{index}}}"));
        let failed = (0..=SUB_METRICS_MAX).find_map(|index| part(index).err());
        assert_eq!(failed, Some(MetricError::TooMany));
    }

    #[test]
    fn parts_with_the_same_tags_are_one() {
        let registry = Registry::new(SystemTags::default());
        let first = registry.series("http_reqs{a:b,c:d}").unwrap();
        assert_eq!(registry.series("http_reqs{ c : d , \"a\":b}"), Ok(first));
        assert_ne!(registry.series("http_reqs{a:b}"), Ok(first));
        assert_eq!(registry.series("http_reqs"), Ok(MetricId::HTTP_REQS.into()));
        assert_eq!(registry.series("no_such{a:b}"), Err(MetricError::Unknown("no_such".into())));
        assert!(matches!(registry.series("http_reqs{}"), Err(MetricError::BadKey { .. })));
    }
}
