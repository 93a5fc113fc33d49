//! From books and thresholds to the summary.

use super::{
    CheckSummary, GroupSummary, MetricSummary, Section, Summary, SummaryOptions, SummaryState,
    ThresholdSummary,
};
use crate::books::Books;
use crate::groups::{Groups, Place, SEPARATOR};
use crate::metric::MetricId;
use crate::registry::{Metric, SeriesId};
use crate::sink::{Rate, Sink};
use crate::thresholds::{ThresholdList, Thresholds};
use crate::{GroupId, Json};

/// What a summary is made of.
#[derive(Debug, Clone, Copy)]
pub struct SummaryInput<'a> {
    /// The merged books of the whole test.
    pub books: &'a Books,
    /// Its thresholds after their final evaluation.
    pub thresholds: &'a Thresholds,
    /// What the user asked of the summary.
    pub options: &'a SummaryOptions,
    /// What is known of the run besides.
    pub state: SummaryState,
    /// What `setup` returned.
    pub setup_data: Option<&'a Json>,
}

impl Summary {
    /// Puts a test's results together. Scenarios and groups of the full text are there if the books kept them: [`crate::Detail::Full`].
    pub fn new(input: SummaryInput<'_>) -> Self {
        let groups = input.books.registry().groups();
        let metrics = input.books.registry().metrics();
        let builder = Builder { input, metrics: &metrics, groups: &groups };
        let (sections, scenarios) = builder.sections();
        Self {
            options: input.options.clone(),
            state: input.state,
            setup_data: input.setup_data.cloned(),
            root_group: builder.group(GroupId::ROOT),
            metrics: builder.metrics(),
            groups: sections,
            scenarios,
            checks: builder.checks_by_name(|check| input.books.check_counts(check)),
        }
    }
}

struct Builder<'a> {
    input: SummaryInput<'a>,
    metrics: &'a [Metric],
    groups: &'a Groups,
}

impl Builder<'_> {
    fn metrics(&self) -> Vec<MetricSummary> {
        let mut all = Vec::new();
        for (index, metric) in (0_u32..).zip(self.metrics) {
            let id = MetricId(index);
            let mut parts = Vec::new();
            for (sub_index, sub) in (0_u32..).zip(&metric.sub_metrics) {
                let series = SeriesId { metric: id, sub_index: Some(sub_index) };
                parts.extend(self.series(series, &sub.name, metric, false));
            }
            // A part with a threshold shows its metric too.
            let is_shown = parts.iter().any(|part| !part.thresholds.is_empty());
            all.extend(self.series(id.into(), &metric.name, metric, is_shown));
            all.append(&mut parts);
        }
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    }

    fn series(&self, series: SeriesId, name: &str, metric: &Metric, is_shown: bool) -> Option<MetricSummary> {
        let sink = self.input.books.sink(series)?;
        let list = self.input.thresholds.of(series);
        let thresholds = list.map(|list| self.thresholds(list, sink)).unwrap_or_default();
        if sink.is_empty() && thresholds.is_empty() && !is_shown {
            return None;
        }
        Some(MetricSummary { thresholds, ..self.metric(name, metric, sink) })
    }

    fn thresholds(&self, list: &ThresholdList, sink: &Sink) -> Vec<ThresholdSummary> {
        let summary = |threshold: &crate::thresholds::Threshold| {
            let expression = &threshold.expression;
            let value = expression.aggregation.of(sink, self.elapsed_ns()).unwrap_or(0.0);
            ThresholdSummary {
                expression: threshold.spec.expression.clone(),
                is_ok: threshold.is_ok,
                measured: Some((expression.aggregation_text.clone(), value)),
            }
        };
        list.thresholds.iter().map(summary).collect()
    }

    fn elapsed_ns(&self) -> u64 {
        (self.input.state.test_run_duration_ms * 1e6) as u64
    }

    fn metric(&self, name: &str, metric: &Metric, sink: &Sink) -> MetricSummary {
        let named = |name: &str, value| (name.to_owned(), value);
        let values = match sink {
            Sink::Counter(counter) => {
                let duration_sec = self.input.state.test_run_duration_ms / 1e3;
                let rate = if duration_sec > 0.0 { counter.sum() / duration_sec } else { 0.0 };
                vec![named("count", counter.sum()), named("rate", rate)]
            }
            Sink::Gauge(gauge) => {
                vec![named("value", gauge.value()), named("min", gauge.min()), named("max", gauge.max())]
            }
            Sink::Rate(rate) => vec![
                named("rate", rate.ratio()),
                named("passes", rate.passes as f64),
                named("fails", rate.fails() as f64),
            ],
            Sink::Trend(trend) => self.input.options.trend_stats.of(trend),
        };
        MetricSummary {
            name: name.to_owned(),
            kind: metric.kind,
            contains: metric.contains,
            values,
            thresholds: Vec::new(),
        }
    }

    /// Groups are at most [`crate::groups`]' depth, so this ends.
    fn group(&self, id: GroupId) -> GroupSummary {
        let Some(group) = self.groups.groups.get(id.index()) else { return GroupSummary::default() };
        let checks = group.checks.iter().filter_map(|check| {
            let counts = self.input.books.check_counts(*check);
            let name = &self.groups.checks.get(check.index())?.name;
            Some(self.check(&group.path, name, counts))
        });
        GroupSummary {
            name: group.name.to_string(),
            path: group.path.to_string(),
            groups: group.groups.iter().map(|id| self.group(*id)).collect(),
            checks: checks.filter(|check| check.passes + check.fails > 0).collect(),
        }
    }

    fn check(&self, group_path: &str, name: &str, counts: Rate) -> CheckSummary {
        let path = format!("{group_path}{SEPARATOR}{name}");
        CheckSummary { name: name.to_owned(), path, passes: counts.passes, fails: counts.fails() }
    }

    /// The checks that were made, equal names of all groups together, in the order in which they first appeared.
    fn checks_by_name(&self, counts: impl Fn(crate::CheckId) -> Rate) -> Vec<CheckSummary> {
        let mut checks = Vec::<CheckSummary>::new();
        let mut positions = std::collections::HashMap::new();
        for (index, check) in (0_u32..).zip(&self.groups.checks) {
            let counts = counts(crate::CheckId(index));
            if counts.total == 0 {
                continue;
            }
            let position = *positions.entry(&check.name).or_insert(checks.len());
            match checks.get_mut(position) {
                Some(there) => {
                    there.passes += counts.passes;
                    there.fails += counts.fails();
                }
                None => {
                    let path = self.groups.groups.get(check.group.index()).map_or("", |group| &group.path);
                    checks.push(self.check(path, &check.name, counts));
                }
            }
        }
        checks
    }

    /// Groups outside scenarios, and scenarios.
    fn sections(&self) -> (Vec<Section>, Vec<Section>) {
        let (mut groups, mut scenarios) = (Section::default(), Section::default());
        for (index, name) in (0_u32..).zip(&self.groups.places) {
            let Some((sinks, checks)) = self.input.books.place(Place(index)) else { continue };
            if sinks.iter().flatten().all(Sink::is_empty) {
                continue;
            }
            let mut section = match &name.scenario {
                Some(scenario) => scenarios.child(scenario),
                None => &mut groups,
            };
            if let Some(path) = &name.group {
                let names = path.strip_prefix(SEPARATOR).unwrap_or(path).split(SEPARATOR);
                section = names.take(crate::groups::DEPTH_MAX).fold(section, Section::child);
            }
            let of_metric = |(metric, sink): (&Metric, &Option<Sink>)| {
                let sink = sink.as_ref().filter(|sink| !sink.is_empty())?;
                Some(self.metric(&metric.name, metric, sink))
            };
            section.metrics = self.metrics.iter().zip(sinks).filter_map(of_metric).collect();
            section.metrics.sort_by(|a, b| a.name.cmp(&b.name));
            section.checks =
                self.checks_by_name(|check| checks.get(check.index()).copied().unwrap_or_default());
        }
        scenarios.groups.sort_by(|a, b| a.name.cmp(&b.name));
        (groups.groups, scenarios.groups)
    }
}

impl Section {
    fn child(&mut self, name: &(impl AsRef<str> + ?Sized)) -> &mut Self {
        let name = name.as_ref();
        let position = self.groups.iter().position(|group| group.name == name).unwrap_or_else(|| {
            self.groups.push(Self { name: name.to_owned(), ..Self::default() });
            self.groups.len() - 1
        });
        &mut self.groups[position]
    }
}
