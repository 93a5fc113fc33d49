//! The end of a test: thresholds for the last time, `handleSummary`, the text.

use crate::host::bytes_of;
use crate::test::{Loudness, Remark, Test};
use crate::vu::Vu;
use js::rquickjs::{Ctx, Exception, Function, Object, Result, Value};
use k6_metrics::summary::{Execution, MachineFacts, TimeUnit};
use k6_metrics::text::{Colors, LegacyText, ModernText, RateForm, Visibility, humanize_value};
use k6_metrics::{
    Books, Contains, Detail, Json, JunitNames, MetricKind, Moment, Summary, SummaryInput, SummaryOptions,
    SummaryState, TrendStats, junit,
};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Places and what is to be written there.
pub(crate) type Parts = Vec<(String, Vec<u8>)>;

/// What is to be written at a test's end.
#[derive(Debug, Default)]
pub struct Written {
    /// Place and content: `stdout`, `stderr`, or a path.
    pub parts: Vec<(String, Vec<u8>)>,
    /// The content of `--summary-export`; `None` where `handleSummary` returned no object, which leaves nothing.
    pub export: Option<String>,
}

/// How the thresholds came out.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The error of a test whose thresholds were crossed.
    pub crossed: Option<String>,
    /// What is to be written.
    pub written: Written,
}

/// What is said of a `handleSummary` that returns something else.
pub(crate) const NO_MAP: &str = "handleSummary() should return a map with string keys";

/// Why nothing came of `handleSummary`.
#[derive(Debug)]
pub(crate) enum HandleError {
    /// It returned no object: there is no text at all.
    NoMap,
    /// It threw: the common text stands in for it.
    Thrown(String),
}

impl From<String> for HandleError {
    fn from(said: String) -> Self {
        if said == NO_MAP { Self::NoMap } else { Self::Thrown(said) }
    }
}

/// How the text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TextForm {
    /// That of releases from 1.0 on.
    #[default]
    Modern,
    /// That of old releases.
    Legacy,
    /// There is neither text nor `handleSummary`.
    None,
}

/// The form of the summary's data: of the argument of `handleSummary` and the exported file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DataForm {
    /// That of all releases.
    #[default]
    Common,
    /// The newer one, `--new-machine-readable-summary`.
    Machine,
}

/// The release of k6 whose forms the data has.
const K6_VERSION: &str = "2.2.0";

impl Test {
    /// The test's end after `elapsed_ns`, its runs being over.
    pub fn summary(self: &Arc<Self>, elapsed_ns: u64, state: SummaryState, form: TextForm) -> Outcome {
        let options = &self.consolidated.options;
        let names = options.summary_trend_stats.as_ref().map(|stats| stats.names().to_vec());
        let stats = names.and_then(|names| TrendStats::parse(names.iter().map(String::as_str)).ok());
        let shown = SummaryOptions {
            trend_stats: stats.unwrap_or_default(),
            time_unit: options
                .summary_time_unit
                .as_ref()
                .and_then(|unit| TimeUnit::from_word(&unit.to_string())),
            no_color: !state.is_stdout_tty,
        };
        let setup_data =
            self.state.setup_data.get().cloned().flatten().and_then(|text| Json::parse(&text).ok());
        let mut thresholds = self.state.thresholds.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let state = SummaryState { test_run_duration_ms: elapsed_ns as f64 / 1e6, ..state };
        let (evaluation, summary, machine) = self.with_books(|books| {
            let evaluation = thresholds.evaluate(books, elapsed_ns, Moment::Final);
            let input = SummaryInput {
                books,
                thresholds: &thresholds,
                options: &shown,
                state,
                setup_data: setup_data.as_ref(),
            };
            let summary = Summary::new(input);
            let machine = self.machine_form(&summary, books);
            (evaluation, summary, machine)
        });
        let export = machine.as_ref().map_or_else(|| summary.to_export(), Json::clone).to_pretty();
        let mut written = Written { parts: Vec::new(), export: Some(export) };
        if form != TextForm::None {
            let data = machine.unwrap_or_else(|| summary.to_json()).to_compact();
            let parts = self.parts(&summary, data, form, state.is_stdout_tty);
            written.export = written.export.filter(|_| parts.is_some());
            written.parts = parts.unwrap_or_default();
        }
        Outcome { crossed: evaluation.failure_text(), written }
    }

    /// The data in the newer form, where that was asked for.
    fn machine_form(&self, summary: &Summary, books: &Books) -> Option<Json> {
        let script = self.machine_script.as_deref()?;
        let now_ns = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64;
        let facts = MachineFacts {
            script,
            execution: Execution::Local,
            generated_at: &k6_metrics::output::rfc3339(now_ns, 0),
            k6_version: K6_VERSION,
            visibility: self.visibility(),
        };
        Some(summary.to_machine(books, facts))
    }

    fn visibility(&self) -> Visibility {
        if self.detail == Detail::Full { Visibility::Full } else { Visibility::Compact }
    }

    /// What `handleSummary` returns, or the text; `None`: it returned what can't be written.
    fn parts(
        self: &Arc<Self>,
        summary: &Summary,
        data: String,
        form: TextForm,
        is_colored: bool,
    ) -> Option<Parts> {
        let text = || self.text(summary, form, is_colored).into_bytes();
        let default = || Some(vec![("stdout".to_owned(), text())]);
        if !self.exports.iter().any(|name| name == "handleSummary") {
            return default();
        }
        match Vu::handle_summary(self, data).map_err(HandleError::from) {
            Ok(None) => default(),
            Ok(Some(parts)) => Some(parts),
            Err(HandleError::NoMap) => {
                let fields = vec![("error", NO_MAP.to_owned())];
                let message = "failed to handle the end-of-test summary".to_owned();
                (self.listener)(&Remark {
                    loudness: Loudness::Error,
                    message,
                    source: None,
                    hint: None,
                    fields,
                });
                None
            }
            Err(HandleError::Thrown(error)) => {
                self.say(Loudness::Error, error, None, Some("script exception".to_owned()));
                default()
            }
        }
    }

    fn text(&self, summary: &Summary, form: TextForm, is_colored: bool) -> String {
        let colors = if is_colored { Colors::On } else { Colors::Off };
        match form {
            TextForm::Legacy => {
                // The library for scripts has marks; the text itself lost them in 0.54.
                let text = LegacyText { colors, rate_form: RateForm::OutOf, ..LegacyText::default() };
                format!("\n{}\n\n", text.render(summary))
            }
            TextForm::Modern | TextForm::None => {
                let visibility = self.visibility();
                format!("\n{}\n\n", ModernText { visibility, colors }.render(summary))
            }
        }
    }
}

/// The content of what `handleSummary` returned: `None` where it is nothing.
pub(crate) fn parts_of<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<Option<Parts>> {
    if !value.get::<js::rquickjs::Coerced<bool>>()?.0 {
        return Ok(None);
    }
    let Some(map) = value.as_object() else {
        return Err(Exception::throw_message(ctx, NO_MAP));
    };
    let mut parts = Vec::new();
    for pair in map.props::<String, Value<'js>>() {
        let (place, content) = pair?;
        let bytes = bytes_of(&content).ok_or_else(|| {
            Exception::throw_message(
                ctx,
                &format!("handleSummary(): the value of '{place}' is no string or ArrayBuffer"),
            )
        })?;
        parts.push((place, bytes));
    }
    Ok(Some(parts))
}

/// The native part of jslib's k6-summary.
pub(crate) fn module<'js>(ctx: &Ctx<'js>, module: &Object<'js>) -> Result<()> {
    let read = |ctx: &Ctx<'_>, text: &str| {
        Json::parse(text).map_err(|error| Exception::throw_message(ctx, &error.to_string()))
    };
    let text = move |ctx: Ctx<'js>, data: String, options: String| -> Result<String> {
        let (summary, options) = (Summary::from_json(&read(&ctx, &data)?), read(&ctx, &options)?);
        let names = options.get("summaryTrendStats").map(Json::list).unwrap_or_default();
        let stats = TrendStats::parse(names.iter().filter_map(Json::text)).ok().filter(|_| !names.is_empty());
        let is_colored = !summary.options.no_color && options.get("enableColors") != Some(&Json::Bool(false));
        let is_asked = options.get("enableColors") == Some(&Json::Bool(true));
        let form = LegacyText {
            indent: options.get("indent").and_then(Json::text).unwrap_or(" ").to_owned(),
            colors: if is_colored || is_asked { Colors::On } else { Colors::Off },
            time_unit: options.get("summaryTimeUnit").and_then(Json::text).and_then(TimeUnit::from_word),
            trend_stats: stats,
            ..LegacyText::default()
        };
        Ok(form.render(&summary))
    };
    module.set("text", Function::new(ctx.clone(), text)?)?;
    let humanize = |value: f64, kind: String, contains: String, unit: js::rquickjs::function::Opt<String>| {
        let kind = MetricKind::from_word(&kind).unwrap_or(MetricKind::Counter);
        let contains = Contains::from_word(&contains).unwrap_or(Contains::Default);
        humanize_value(value, kind, contains, unit.0.as_deref().and_then(TimeUnit::from_word))
    };
    module.set("humanize", Function::new(ctx.clone(), humanize)?)?;
    let junit_text = move |ctx: Ctx<'js>,
                           data: String,
                           name: js::rquickjs::function::Opt<String>,
                           classname: js::rquickjs::function::Opt<String>|
          -> Result<String> {
        let default = JunitNames::default();
        let names = JunitNames {
            name: name.0.unwrap_or(default.name),
            classname: classname.0.unwrap_or(default.classname),
        };
        Ok(junit(&Summary::from_json(&read(&ctx, &data)?), &names))
    };
    module.set("jUnitText", Function::new(ctx.clone(), junit_text)?)
}
