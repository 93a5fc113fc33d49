//! What both texts have in common: a metric's value and what stands beside it, in columns.

use super::collate;
use super::number::humanize_value;
use super::style::{Colors, Ink, fill, printable, width};
use crate::metric::MetricKind;
use crate::summary::{MetricSummary, TimeUnit};
use std::cmp::Ordering;

/// How a rate's counts are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RateForm {
    /// `✓ 10 ✗ 8`, in two columns: releases up to 0.53, and the library for scripts.
    #[default]
    Marks,
    /// `10 out of 18`: later releases.
    OutOf,
}

/// The inks of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inks {
    pub(crate) dots: Ink,
    pub(crate) extra: Ink,
}

/// How a table is printed.
#[derive(Debug, Clone)]
pub(crate) struct TableStyle<'a> {
    pub(crate) colors: Colors,
    pub(crate) inks: Inks,
    pub(crate) time_unit: Option<TimeUnit>,
    pub(crate) trend_stats: Vec<&'a str>,
    pub(crate) rate_form: RateForm,
}

/// One metric's texts.
#[derive(Debug)]
enum Cells {
    /// By stat.
    Trend(Vec<String>),
    /// The value and what stands beside it.
    Value(String, Vec<String>),
}

/// Metrics whose columns stand under each other.
#[derive(Debug)]
pub(crate) struct Table<'a> {
    style: &'a TableStyle<'a>,
    rows: Vec<(&'a MetricSummary, String, Cells)>,
    name_width: usize,
    trend_widths: Vec<usize>,
    value_width: usize,
    extra_widths: Vec<usize>,
}

/// By the metric's name, then by what stands between the braces.
pub(crate) fn compare(a: &MetricSummary, b: &MetricSummary) -> Ordering {
    let ((a_name, a_suffix), (b_name, b_suffix)) = (a.parts(), b.parts());
    collate::compare(a_name, b_name)
        .then_with(|| collate::compare(a_suffix.unwrap_or_default(), b_suffix.unwrap_or_default()))
        .then_with(|| a_suffix.is_some().cmp(&b_suffix.is_some()))
}

impl<'a> Table<'a> {
    /// Of these metrics, sorted.
    pub(crate) fn new(
        metrics: impl IntoIterator<Item = &'a MetricSummary>,
        style: &'a TableStyle<'a>,
    ) -> Self {
        let mut sorted: Vec<&MetricSummary> = metrics.into_iter().collect();
        sorted.sort_by(|a, b| compare(a, b));
        let row = |metric: &'a MetricSummary| (metric, shown_name(metric), style.cells(metric));
        let rows: Vec<_> = sorted.into_iter().map(row).collect();
        let mut table = Self {
            style,
            name_width: rows.iter().map(|(_, name, _)| width(name)).max().unwrap_or(0),
            rows: Vec::new(),
            trend_widths: Vec::new(),
            value_width: 0,
            extra_widths: Vec::new(),
        };
        for (_, _, cells) in &rows {
            match cells {
                Cells::Trend(values) => widen(&mut table.trend_widths, values),
                Cells::Value(value, extras) => {
                    table.value_width = table.value_width.max(width(value));
                    widen(&mut table.extra_widths, extras);
                }
            }
        }
        table.rows = rows;
        table
    }

    /// The metrics with their lines: name (of a part: its tags, two spaces deeper), dots, data.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (&'a MetricSummary, String)> {
        let Self { style, name_width, .. } = self;
        self.rows.iter().map(move |(metric, name, cells)| {
            let dots = format!("{}:", ".".repeat(name_width + 3 - width(name)));
            let line = format!("{name}{} {}", style.colors.paint(style.inks.dots, &dots), self.data(cells));
            (*metric, line)
        })
    }

    fn data(&self, cells: &Cells) -> String {
        let colors = self.style.colors;
        let padded =
            |ink, text: &str, wanted| format!("{}{}", colors.paint(ink, text), fill(" ", text, wanted));
        match cells {
            Cells::Trend(values) => {
                let stats = self.style.trend_stats.iter().zip(values).zip(&self.trend_widths);
                let shown = stats
                    .map(|((stat, value), wanted)| format!("{stat}={}", padded(Ink::Cyan, value, *wanted)));
                shown.collect::<Vec<_>>().join(" ")
            }
            Cells::Value(value, extras) => {
                let value = padded(Ink::Cyan, value, self.value_width);
                let ink = self.style.inks.extra;
                // One alone has nothing to stand under.
                let extras: Vec<String> = match extras.as_slice() {
                    [one] => vec![colors.paint(ink, one)],
                    many => many
                        .iter()
                        .zip(&self.extra_widths)
                        .map(|(text, wanted)| padded(ink, text, *wanted))
                        .collect(),
                };
                format!("{value} {}", extras.join(" "))
            }
        }
    }
}

fn widen(widths: &mut Vec<usize>, texts: &[String]) {
    if widths.len() < texts.len() {
        widths.resize(texts.len(), 0);
    }
    for (own, text) in widths.iter_mut().zip(texts) {
        *own = (*own).max(width(text));
    }
}

/// The metric's name; of a part `  { tag:value }`.
fn shown_name(metric: &MetricSummary) -> String {
    match metric.parts() {
        (name, None) => printable(name).into_owned(),
        (_, Some(suffix)) => format!("  {{ {} }}", printable(suffix)),
    }
}

impl TableStyle<'_> {
    /// One of a metric's values.
    pub(crate) fn value(&self, metric: &MetricSummary, stat: &str, value: f64) -> String {
        if stat == "count" && metric.kind == MetricKind::Trend {
            return super::number::plain(value);
        }
        humanize_value(value, metric.kind, metric.contains, self.time_unit)
    }

    fn cells(&self, metric: &MetricSummary) -> Cells {
        // A script may have taken a value away.
        let text = |stat: &str| {
            metric.value(stat).map_or_else(|| "-".to_owned(), |value| self.value(metric, stat, value))
        };
        let count = |stat: &str| super::number::plain(metric.value(stat).unwrap_or(0.0));
        match metric.kind {
            MetricKind::Trend => Cells::Trend(self.trend_stats.iter().map(|stat| text(stat)).collect()),
            MetricKind::Counter => Cells::Value(text("count"), vec![format!("{}/s", text("rate"))]),
            MetricKind::Gauge => Cells::Value(
                text("value"),
                ["min", "max"].map(|stat| format!("{stat}={}", text(stat))).into(),
            ),
            MetricKind::Rate => Cells::Value(
                text("rate"),
                match self.rate_form {
                    RateForm::Marks => {
                        vec![format!("✓ {}", count("passes")), format!("✗ {}", count("fails"))]
                    }
                    RateForm::OutOf => {
                        let total =
                            metric.value("passes").unwrap_or(0.0) + metric.value("fails").unwrap_or(0.0);
                        vec![format!("{} out of {}", count("passes"), super::number::plain(total))]
                    }
                },
            ),
        }
    }
}
