//! All that is known of k6's metrics: samples with tags, what is made of them, thresholds, summaries, sample files.
//!
//! ```text
//! Registry  names → numbers: metrics, sub-metrics, sets of tags, groups, checks; one for a test
//! Tags      a thread's way to sets of tags: with(set, key, value) → TagSetId
//! Books     a worker's sinks: add(metric, tags, value, time), check(…); merged by the control plane
//! ```
//!
//! Values of times are ms as `f64`; instants are ns since the run's origin. Layouts and schemas are k6's; numbers are Weir's: trends are histograms
//! whose quantiles are off by at most [`TREND_ERROR_RATIO`], everything else is exact.

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
