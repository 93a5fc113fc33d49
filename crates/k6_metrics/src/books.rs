//! What one worker measured: a sink for each metric and each part of it, and the counts of checks. Books of workers and intervals merge to those of the run.
//!
//! Which parts a sample belongs to depends on its metric and its set of tags alone, so it is found out once and then looked up by number: a sample
//! costs some array accesses and its sink. Nothing is allocated once every metric, set of tags and order of magnitude occurred.

use crate::groups::{CheckId, Place};
use crate::metric::{MetricId, MetricKind};
use crate::registry::{Registry, SeriesId};
use crate::sink::{Rate, Sink};
use crate::tags::TagSetId;

/// Whether scenarios and groups are kept apart, as the full summary shows them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detail {
    /// All samples together; parts by tags only where thresholds ask for them.
    #[default]
    Compact,
    /// Besides, the samples of each scenario and of each group.
    Full,
}

/// Time series, pairs of metric and set of tags, that a test should not exceed: each takes memory until its end.
const TIME_SERIES_ADVISED: u64 = 100_000;

/// Says when a test has more time series than is good: at 100,000 and at each doubling.
#[derive(Debug, Clone, Copy)]
pub struct TimeSeriesWatch {
    next_count: u64,
}

impl Default for TimeSeriesWatch {
    fn default() -> Self {
        Self { next_count: TIME_SERIES_ADVISED }
    }
}

impl TimeSeriesWatch {
    /// The warning, if [`Books::time_series_count`] of the whole test passed the next bound.
    pub fn warning(&mut self, count: u64) -> Option<String> {
        if count <= self.next_count {
            return None;
        }
        while self.next_count < count {
            self.next_count = self.next_count.saturating_mul(2);
        }
        Some(format!(
            "the test has {count} time series (metric and tags), more than the advised {TIME_SERIES_ADVISED}: they take memory and make sample files large; \
             give requests whose addresses differ one name (tag `name`, or http.url)"
        ))
    }
}

/// Which sub-metrics of its metric a sample belongs to, by position.
type Route = Box<[u32]>;
/// A route that was not yet found out.
const UNKNOWN: u32 = 0;

/// One metric's sinks.
#[derive(Debug)]
struct MetricBook {
    whole: Sink,
    /// One for each sub-metric.
    parts: Vec<Sink>,
    /// Different routes; few.
    routes: Vec<Route>,
    /// By set of tags: the route's position + 1, or [`UNKNOWN`].
    route_of_set: Vec<u32>,
    /// By set of tags, a bit: whether a sample came with it.
    seen: Bits,
}

/// A bit for each number.
#[derive(Debug, Clone, Default)]
struct Bits(Vec<u64>);

/// One scenario's or group's samples.
#[derive(Debug, Default)]
struct PlaceBook {
    /// By metric.
    sinks: Vec<Option<Sink>>,
    /// By check.
    checks: Vec<Rate>,
}

/// A worker's or a run's measurements.
#[derive(Debug)]
pub struct Books {
    registry: Registry,
    detail: Detail,
    metrics: Vec<MetricBook>,
    /// By check.
    checks: Vec<Rate>,
    places: Vec<PlaceBook>,
    /// By set of tags: `None` where it was not yet found out.
    places_of_set: Vec<Option<[Option<Place>; 2]>>,
    /// Samples that were no number.
    nan_count: u64,
}

impl Bits {
    #[inline]
    fn set(&mut self, index: usize) {
        match self.0.get_mut(index / 64) {
            Some(word) => *word |= 1 << (index % 64),
            None => self.set_new(index),
        }
    }

    #[cold]
    fn set_new(&mut self, index: usize) {
        self.0.resize((index / 64 + 1).next_power_of_two(), 0);
        if let Some(word) = self.0.get_mut(index / 64) {
            *word |= 1 << (index % 64);
        }
    }

    fn merge(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own |= other;
        }
    }

    fn count(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}

impl Books {
    /// Empty ones. From the first on, the registry takes no new sub-metrics: thresholds are to be made before.
    pub fn new(registry: &Registry, detail: Detail) -> Self {
        registry.begin_books();
        let mut books = Self {
            registry: registry.clone(),
            detail,
            metrics: Vec::new(),
            checks: Vec::new(),
            places: Vec::new(),
            places_of_set: Vec::new(),
            nan_count: 0,
        };
        books.learn_metrics();
        books
    }

    /// Sinks for the metrics that are new in the registry.
    #[cold]
    fn learn_metrics(&mut self) {
        for metric in self.registry.metrics().iter().skip(self.metrics.len()) {
            let sink = || Sink::new(metric.kind);
            self.metrics.push(MetricBook {
                whole: sink(),
                parts: metric.sub_metrics.iter().map(|_| sink()).collect(),
                routes: Vec::new(),
                route_of_set: Vec::new(),
                seen: Bits::default(),
            });
        }
    }

    /// Adds a sample. `time_ns` decides which value of a gauge is the last; NaN is counted and left out.
    #[inline]
    pub fn add(&mut self, metric: MetricId, tags: TagSetId, value: f64, time_ns: u64) {
        if value.is_nan() {
            self.nan_count += 1;
            return;
        }
        if metric.index() >= self.metrics.len() {
            self.learn_metrics();
        }
        let Some(book) = self.metrics.get_mut(metric.index()) else { return };
        book.whole.add(value, time_ns);
        book.seen.set(tags.index());
        if !book.parts.is_empty() {
            book.add_to_parts(&self.registry, metric, tags, value, time_ns);
        }
        if self.detail == Detail::Full {
            self.add_to_places(metric, tags, value, time_ns);
        }
    }

    /// Adds a check's outcome: a sample of the metric `checks` and a count in the check's group.
    #[inline]
    pub fn check(&mut self, check: CheckId, tags: TagSetId, is_pass: bool, time_ns: u64) {
        self.add(MetricId::CHECKS, tags, f64::from(u8::from(is_pass)), time_ns);
        count_check(&mut self.checks, check, is_pass);
        if self.detail == Detail::Full {
            for place in self.places_of(tags).into_iter().flatten() {
                if let Some(book) = self.places.get_mut(place.0 as usize) {
                    count_check(&mut book.checks, check, is_pass);
                }
            }
        }
    }

    fn add_to_places(&mut self, metric: MetricId, tags: TagSetId, value: f64, time_ns: u64) {
        for place in self.places_of(tags).into_iter().flatten() {
            let Some(book) = self.places.get_mut(place.0 as usize) else { continue };
            if let Some(Some(sink)) = book.sinks.get_mut(metric.index()) {
                sink.add(value, time_ns);
            } else if let Some(kind) = self.metrics.get(metric.index()).map(|metric| metric.whole.kind()) {
                book.sink(metric.index(), kind).add(value, time_ns);
            }
        }
    }

    #[inline]
    fn places_of(&mut self, tags: TagSetId) -> [Option<Place>; 2] {
        match self.places_of_set.get(tags.index()) {
            Some(Some(places)) => *places,
            _ => self.learn_places(tags),
        }
    }

    #[cold]
    fn learn_places(&mut self, tags: TagSetId) -> [Option<Place>; 2] {
        let places = self.registry.places_of(&self.registry.tag_set(tags));
        if self.places_of_set.len() <= tags.index() {
            self.places_of_set.resize(tags.index() + 1, None);
        }
        if let Some(known) = self.places_of_set.get_mut(tags.index()) {
            *known = Some(places);
        }
        for place in places.into_iter().flatten() {
            if self.places.len() <= place.0 as usize {
                self.places.resize_with(place.0 as usize + 1, PlaceBook::default);
            }
        }
        places
    }

    /// Adds all of other books of the same registry. In any order and grouping the result is the same, but that of two gauge values at the same instant the
    /// greater is taken.
    pub fn merge(&mut self, other: &Self) {
        if self.metrics.len() < other.metrics.len() {
            self.learn_metrics();
        }
        for (own, other) in self.metrics.iter_mut().zip(&other.metrics) {
            if other.whole.is_empty() {
                continue;
            }
            own.whole.merge(&other.whole);
            own.parts.iter_mut().zip(&other.parts).for_each(|(own, other)| own.merge(other));
            own.seen.merge(&other.seen);
        }
        merge_checks(&mut self.checks, &other.checks);
        if self.places.len() < other.places.len() {
            self.places.resize_with(other.places.len(), PlaceBook::default);
        }
        for (own, other) in self.places.iter_mut().zip(&other.places) {
            own.merge(other);
        }
        self.nan_count += other.nan_count;
    }

    /// Forgets all samples, keeps the room and what was found out.
    pub fn clear(&mut self) {
        for book in &mut self.metrics {
            if book.whole.is_empty() {
                continue;
            }
            book.whole.clear();
            book.parts.iter_mut().for_each(Sink::clear);
            book.seen.0.fill(0);
        }
        self.checks.fill(Rate::default());
        for place in &mut self.places {
            place.sinks.iter_mut().flatten().for_each(Sink::clear);
            place.checks.fill(Rate::default());
        }
        self.nan_count = 0;
    }

    /// The registry whose numbers are used.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The sink of a metric or sub-metric; `None` if these books don't know it.
    pub fn sink(&self, series: impl Into<SeriesId>) -> Option<&Sink> {
        let series = series.into();
        let book = self.metrics.get(series.metric.index())?;
        match series.sub_index {
            None => Some(&book.whole),
            Some(index) => book.parts.get(index as usize),
        }
    }

    /// How often a check passed and was made.
    pub fn check_counts(&self, check: CheckId) -> Rate {
        self.checks.get(check.index()).copied().unwrap_or_default()
    }

    /// Distinct pairs of metric and set of tags that samples came with: what a run with many is warned of.
    pub fn time_series_count(&self) -> u64 {
        self.metrics.iter().map(|book| book.seen.count()).sum()
    }

    /// Samples left out because they were no number.
    pub fn nan_count(&self) -> u64 {
        self.nan_count
    }

    /// The sinks of a section of the full summary, by metric, and its checks.
    pub(crate) fn place(&self, place: Place) -> Option<(&[Option<Sink>], &[Rate])> {
        self.places.get(place.0 as usize).map(|book| (book.sinks.as_slice(), book.checks.as_slice()))
    }
}

impl MetricBook {
    #[inline]
    fn add_to_parts(
        &mut self,
        registry: &Registry,
        metric: MetricId,
        tags: TagSetId,
        value: f64,
        time_ns: u64,
    ) {
        let route = match self.route_of_set.get(tags.index()) {
            Some(route) if *route != UNKNOWN => *route,
            _ => self.learn_route(registry, metric, tags),
        };
        let Some(route) = self.routes.get(route as usize - 1) else { return };
        for part in route {
            if let Some(sink) = self.parts.get_mut(*part as usize) {
                sink.add(value, time_ns);
            }
        }
    }

    #[cold]
    fn learn_route(&mut self, registry: &Registry, metric: MetricId, tags: TagSetId) -> u32 {
        let set = registry.tag_set(tags);
        let subs = registry.describe(metric).map(|metric| metric.sub_metrics).unwrap_or_default();
        let matching = (0_u32..).zip(&subs).take(self.parts.len()).filter(|(_, sub)| sub.has(&set));
        let route: Route = matching.map(|(index, _)| index).collect();
        let there = self.routes.iter().position(|own| *own == route);
        let index = there.unwrap_or_else(|| {
            self.routes.push(route);
            self.routes.len() - 1
        });
        // There are at most as many routes as sets, which fit 32 bits.
        let known = index as u32 + 1;
        if self.route_of_set.len() <= tags.index() {
            self.route_of_set.resize(tags.index() + 1, UNKNOWN);
        }
        if let Some(place) = self.route_of_set.get_mut(tags.index()) {
            *place = known;
        }
        known
    }
}

impl PlaceBook {
    fn sink(&mut self, metric_index: usize, kind: MetricKind) -> &mut Sink {
        if self.sinks.len() <= metric_index {
            self.sinks.resize_with(metric_index + 1, || None);
        }
        self.sinks[metric_index].get_or_insert_with(|| Sink::new(kind))
    }

    fn merge(&mut self, other: &Self) {
        for (index, sink) in other.sinks.iter().enumerate() {
            if let Some(sink) = sink.as_ref().filter(|sink| !sink.is_empty()) {
                self.sink(index, sink.kind()).merge(sink);
            }
        }
        merge_checks(&mut self.checks, &other.checks);
    }
}

#[inline]
fn count_check(checks: &mut Vec<Rate>, check: CheckId, is_pass: bool) {
    if checks.len() <= check.index() {
        checks.resize(check.index() + 1, Rate::default());
    }
    if let Some(counts) = checks.get_mut(check.index()) {
        counts.add(is_pass);
    }
}

fn merge_checks(own: &mut Vec<Rate>, other: &[Rate]) {
    if own.len() < other.len() {
        own.resize(other.len(), Rate::default());
    }
    for (own, other) in own.iter_mut().zip(other) {
        own.merge(*other);
    }
}
