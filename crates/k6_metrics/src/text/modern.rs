//! The text of releases from 1.0 on, compact and full.

use super::legacy::failed_line;
use super::style::{Colors, Ink, printable};
use super::table::{Inks, RateForm, Table, TableStyle, compare};
use super::{OWN, OWN_TITLE, Visibility};
use crate::metric::{Contains, MetricKind};
use crate::summary::{CheckSummary, MetricSummary, Section, Summary, ThresholdSummary};

/// Headings of metrics, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Heading {
    Custom,
    Http,
    Execution,
    Network,
    Browser,
    WebVitals,
    Grpc,
    WebSocket,
}

const HEADINGS: [(Heading, &str); 8] = [
    (Heading::Custom, "CUSTOM"),
    (Heading::Http, "HTTP"),
    (Heading::Execution, "EXECUTION"),
    (Heading::Network, "NETWORK"),
    (Heading::Browser, "BROWSER"),
    (Heading::WebVitals, "WEB_VITALS"),
    (Heading::Grpc, "GRPC"),
    (Heading::WebSocket, "WEBSOCKET"),
];

impl Heading {
    /// By the whole name of a built-in metric: a custom metric whose name begins like one is custom.
    fn of(name: &str) -> Self {
        if name.starts_with("browser_web_vital_") {
            return Self::WebVitals;
        }
        if name.starts_with("browser_") {
            return Self::Browser;
        }
        if !crate::BUILT_INS.iter().any(|metric| metric.name == name) {
            return Self::Custom;
        }
        match name.split_once('_').map_or(name, |(first, _)| first) {
            "http" => Self::Http,
            "data" => Self::Network,
            "grpc" => Self::Grpc,
            "ws" => Self::WebSocket,
            _ => Self::Execution,
        }
    }
}

/// How the new text is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ModernText {
    /// Compact, or full: with all metrics, and with the groups and scenarios that the summary has.
    pub visibility: Visibility,
    /// Whether it is coloured.
    pub colors: Colors,
}

impl ModernText {
    /// The text: it begins with an empty line and ends with two, of which the last has no line break. As the test's own summary it stands between one line
    /// break and two.
    pub fn render(&self, summary: &Summary) -> String {
        let stats: Vec<&str> = summary.options.trend_stats.names().collect();
        let style = TableStyle {
            colors: self.colors,
            inks: Inks { dots: Ink::FaintWhite, extra: Ink::FaintCyan },
            time_unit: summary.options.time_unit,
            trend_stats: stats,
            rate_form: RateForm::OutOf,
        };
        let duration_ms = summary.state.test_run_duration_ms;
        let mut writer = Writer { text: *self, style: &style, duration_ms, lines: vec![String::new()] };
        writer.thresholds(summary);
        writer.title("TOTAL RESULTS");
        writer.body(&summary.checks, &summary.metrics, 1);
        writer.lines.push(String::new());
        if self.visibility == Visibility::Full {
            let groups = summary.groups.iter().map(|section| ("GROUP", section));
            for (what, section) in groups.chain(summary.scenarios.iter().map(|section| ("SCENARIO", section)))
            {
                writer.title(&format!("{what}: {}", printable(&section.name)));
                writer.section(section, 1);
                writer.lines.push(String::new());
            }
        }
        writer.lines.join("\n")
    }
}

struct Writer<'a> {
    text: ModernText,
    style: &'a TableStyle<'a>,
    duration_ms: f64,
    lines: Vec<String>,
}

/// Two spaces for each level and two more: sections' contents are level 1.
fn indent(level: usize) -> String {
    "  ".repeat(level + 1)
}

impl Writer<'_> {
    fn title(&mut self, title: &str) {
        self.lines.push(format!("  █ {} ", self.text.colors.paint(Ink::Bold, title)));
        self.lines.push(String::new());
    }

    fn thresholds(&mut self, summary: &Summary) {
        let mut metrics: Vec<&MetricSummary> =
            summary.metrics.iter().filter(|metric| !metric.thresholds.is_empty()).collect();
        if metrics.is_empty() {
            return;
        }
        metrics.sort_by(|a, b| compare(a, b));
        self.title("THRESHOLDS");
        for metric in &metrics {
            let is_parent = |other: &&MetricSummary| other.parts() == (metric.parts().0, None);
            let (indent, name) = match metric.parts() {
                (_, Some(suffix)) if metrics.iter().any(is_parent) => {
                    (indent(2), format!("{{{}}}", printable(suffix)))
                }
                _ => (indent(1), printable(&metric.name).into_owned()),
            };
            self.lines.push(format!("{indent}{name}"));
            for threshold in &metric.thresholds {
                self.lines.push(format!("{indent}{}", self.threshold(metric, threshold)));
            }
            self.lines.push(String::new());
        }
        self.lines.push(String::new());
    }

    fn threshold(&self, metric: &MetricSummary, threshold: &ThresholdSummary) -> String {
        let colors = self.text.colors;
        let (ink, mark) = if threshold.is_ok { (Ink::Green, "✓") } else { (Ink::Red, "✗") };
        let expression = format!("'{}'", printable(threshold.expression.trim()));
        let mut line = format!("{} {}", colors.paint(ink, mark), colors.paint(Ink::White, &expression));
        if let Some((aggregation, value)) = &threshold.measured {
            let mut value = self.style.value(metric, aggregation, *value);
            if metric.kind == MetricKind::Counter && aggregation == "rate" {
                value.push_str("/s");
            }
            let aggregation = colors.paint(Ink::White, aggregation);
            line.push_str(&format!(" {aggregation}={}", colors.paint(Ink::Cyan, &value)));
        }
        line
    }

    /// Groups are at most [`crate::groups`]' depth, so this ends.
    fn section(&mut self, section: &Section, level: usize) {
        self.body(&section.checks, &section.metrics, level);
        for group in &section.groups {
            let title = format!("GROUP: {}", printable(&group.name));
            self.lines.push(format!("{}↳ {} ", indent(level), self.text.colors.paint(Ink::Bold, &title)));
            self.lines.push(String::new());
            self.section(group, level + 1);
        }
    }

    fn body(&mut self, checks: &[CheckSummary], metrics: &[MetricSummary], level: usize) {
        if !checks.is_empty() {
            self.checks(checks, level);
        }
        let (own, k6s): (Vec<_>, Vec<_>) = metrics
            .iter()
            .filter(|metric| self.text.visibility.shows(metric.parts().0))
            .partition(|metric| OWN.contains(&metric.parts().0));
        let table = Table::new(k6s, self.style);
        let indent = indent(level);
        for (heading, title) in HEADINGS {
            let lines = table.lines().filter(|(metric, _)| Heading::of(metric.parts().0) == heading);
            let mut lines = lines.map(|(_, line)| format!("{indent}{line}")).peekable();
            if lines.peek().is_some() {
                self.lines.push(format!("{indent}{}", self.text.colors.paint(Ink::Bold, title)));
                self.lines.extend(lines);
                self.lines.push(String::new());
            }
        }
        if !own.is_empty() {
            self.lines.push(format!("{indent}{}", self.text.colors.paint(Ink::Bold, OWN_TITLE)));
            let table = Table::new(own, self.style);
            self.lines.extend(table.lines().map(|(_, line)| format!("{indent}{line}")));
            self.lines.push(String::new());
        }
    }

    fn checks(&mut self, checks: &[CheckSummary], level: usize) {
        let indent = indent(level);
        let metrics = self.check_metrics(checks);
        // In the order in which they are made, not sorted, so each has its line looked up.
        let table = Table::new(&metrics, self.style);
        for wanted in &metrics {
            let line = table.lines().find(|(metric, _)| metric.name == wanted.name);
            self.lines.extend(line.map(|(_, line)| format!("{indent}{line}")));
        }
        self.lines.push(String::new());
        let colors = self.text.colors;
        for check in checks {
            let name = printable(&check.name);
            if check.fails == 0 {
                self.lines.push(format!("{indent}{}", colors.paint(Ink::Green, &format!("✓ {name}"))));
                continue;
            }
            self.lines.push(format!("{indent}{}", colors.paint(Ink::Red, &format!("✗ {name}"))));
            // Twice as deep in nested groups as it would have to be; readers of the text know it so.
            let deeper = "  ".repeat(2 * level + 1);
            self.lines.push(format!("{deeper}{}", colors.paint(Ink::Red, &failed_line(check))));
        }
        self.lines.push(String::new());
    }

    fn check_metrics(&self, checks: &[CheckSummary]) -> [MetricSummary; 3] {
        let passes: u64 = checks.iter().map(|check| check.passes).sum();
        let fails: u64 = checks.iter().map(|check| check.fails).sum();
        let total = passes as f64 + fails as f64;
        let metric = |name: &str, kind, values: &[(&str, f64)]| MetricSummary {
            name: name.to_owned(),
            kind,
            contains: Contains::Default,
            values: values.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
            thresholds: Vec::new(),
        };
        let rate = |name, passes: u64, fails: u64| {
            let (passes, fails) = (passes as f64, fails as f64);
            metric(name, MetricKind::Rate, &[("rate", passes / total), ("passes", passes), ("fails", fails)])
        };
        let per_sec = if self.duration_ms > 0.0 { total / (self.duration_ms / 1e3) } else { 0.0 };
        [
            metric("checks_total", MetricKind::Counter, &[("count", total), ("rate", per_sec)]),
            rate("checks_succeeded", passes, fails),
            rate("checks_failed", fails, passes),
        ]
    }
}
