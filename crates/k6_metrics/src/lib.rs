//! All that is known of k6's metrics: samples with tags, what is made of them, thresholds, summaries, sample files.
//!
//! ```text
//! Registry     names → numbers: metrics, sub-metrics, sets of tags, groups, checks; one for a test, behind a lock
//! Tags         a thread's way to sets of tags, without the lock: with(set, key, value) → TagSetId
//! Books        a worker's sinks: add(metric, tags, value, time), check(…); merged by the control plane
//! Thresholds   what the test promises: evaluated against the merged books every two seconds and at the end
//! Summary      the results: as data (to_json, to_export, to_machine) and as text (text::LegacyText, text::ModernText, junit)
//! output       samples as JSON lines and CSV, to InfluxDB and Prometheus: a SampleFeed per worker, one thread that writes
//! ```
//!
//! Values of times are ms as `f64`; instants are ns since the run's origin. Layouts and schemas are k6's; numbers are Weir's: trends are histograms
//! whose quantiles are off by at most [`TREND_ERROR_RATIO`], everything else is exact.
//!
//! ```
//! use k6_metrics::*;
//!
//! // Init code, then thresholds, then books: books refuse new sub-metrics, whose samples they would have missed.
//! let registry = Registry::new(SystemTags::default());
//! let (visits, _) = registry.metric("visits", MetricKind::Counter, Contains::Default)?;
//! let option = Json::parse(r#"{"visits{page:home}": ["count>1"]}"#)?;
//! let mut thresholds = Thresholds::new(&registry, &read_thresholds(&option).unwrap()).unwrap();
//!
//! // A worker.
//! let mut tags = Tags::new(&registry);
//! let mut books = Books::new(&registry, Detail::Compact);
//! let home = tags.with_all(TagSetId::EMPTY, &[("group", "::shop"), ("page", "home")]);
//! books.add(visits, home, 1.0, 5_000_000);
//! let is_up = registry.check(registry.group("::shop"), "is up");
//! books.check(is_up, tags.with(home, "check", "is up"), true, 6_000_000);
//!
//! // The control plane.
//! let mut whole = Books::new(&registry, Detail::Compact);
//! whole.merge(&books);
//! books.clear();
//! let evaluation = thresholds.evaluate(&whole, 10_000_000_000, Moment::Final);
//! assert_eq!(evaluation.failure_text().as_deref(), Some("thresholds on metrics 'visits{page:home}' have been crossed"));
//! let state = SummaryState { test_run_duration_ms: 10_000.0, ..SummaryState::default() };
//! let (options, setup_data) = (SummaryOptions::default(), None);
//! let summary = Summary::new(SummaryInput { books: &whole, thresholds: &thresholds, options: &options, state, setup_data });
//! assert!(text::LegacyText::default().render(&summary).contains("✗ { page:home }...: 1       0.1/s"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod books;
mod exact_sum;
#[cfg(any(test, feature = "fuzz"))]
pub mod fuzz;
mod go_duration;
mod groups;
mod json;
mod junit;
mod log_histogram;
mod md5;
mod metric;
mod name;
pub mod output;
mod registry;
mod sink;
mod sub_metric;
pub mod summary;
mod system_tags;
mod tags;
pub mod text;
mod thresholds;
mod trend;

pub use books::{Books, Detail, TimeSeriesWatch};
pub use go_duration::{GoDuration, quoted};
pub use groups::{CheckId, GroupId};
pub use json::Json;
pub use junit::{JunitNames, junit};
pub use log_histogram::TREND_ERROR_RATIO;
pub use metric::{BUILT_INS, BuiltIn, Contains, MetricId, MetricKind};
pub use name::{NameRule, name_rule};
pub use registry::{METRICS_MAX, Metric, MetricError, Registry, SUB_METRICS_MAX, SeriesId, SubMetric};
pub use sink::{Counter, Gauge, Rate, Sink};
pub use sub_metric::{KeyError, MetricKey};
pub use summary::{Summary, SummaryInput, SummaryOptions, SummaryState, TrendStats};
pub use system_tags::{SystemTag, SystemTags};
pub use tags::{OTHER_VALUE, TAG_SETS_MAX, TAG_TEXT_BYTES_MAX, TAGS_PER_SET_MAX, TagSet, TagSetId, Tags};
pub use thresholds::{
    Aggregation, EVALUATION_PERIOD_NS, Evaluation, Expression, ExpressionError, Moment, ThresholdError,
    ThresholdSpec, Thresholds, read_thresholds,
};
pub use trend::{EXACT_VALUES_MAX, Trend};
