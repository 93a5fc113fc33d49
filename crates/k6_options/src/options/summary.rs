//! Options about what is shown and kept: trend statistics, system tags, thresholds.

use super::value::{OptionValue, list, members, not_a};
use crate::exit::Fault;
use k6_metrics::{GoDuration, Json, SystemTags};
use serde_json::Value;
use std::collections::BTreeMap;

impl OptionValue for SystemTags {
    fn from_json(value: &Value) -> Result<Option<Self>, String> {
        Ok(Vec::<String>::from_json(value)?.map(Self::named))
    }

    fn from_text(text: &str) -> Result<Option<Self>, String> {
        Ok((!text.is_empty()).then(|| Self::named(text.split(','))))
    }

    fn to_json(&self) -> Json {
        Json::texts(self.names())
    }
}

/// Which statistics of a trend the summary shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrendStats(Vec<String>);

impl TrendStats {
    /// The names as they were given; [`check`](Self::check) says whether they are known.
    pub fn new(names: Vec<String>) -> Self {
        Self(names)
    }

    /// As they were given.
    pub fn names(&self) -> &[String] {
        &self.0
    }

    /// Whether all are known: `avg`, `min`, `med`, `max`, `count`, `p(N)` with N in 0..=100.
    ///
    /// # Errors
    ///
    /// The first that is not: 255, with k6's text.
    pub fn check(&self) -> Result<(), Fault> {
        self.0.iter().try_for_each(|name| {
            if ["avg", "min", "med", "max", "count"].contains(&name.as_str()) {
                return Ok(());
            }
            let short: String = name.chars().take(64).collect();
            let hint = "write avg, min, med, max, count or p(N) with N from 0 to 100";
            let Some(number) = name.strip_prefix("p(").and_then(|rest| rest.strip_suffix(')')) else {
                return Err(Fault::usage(format!("invalid trend stat '{short}', unknown format")).hint(hint));
            };
            match number.parse::<f64>() {
                Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(()),
                _ => {
                    let said = format!(
                        "invalid percentile trend stat value '{short}', provide a number between 0 and 100"
                    );
                    Err(Fault::usage(said).hint(hint))
                }
            }
        })
    }
}

impl Default for TrendStats {
    fn default() -> Self {
        Self(["avg", "min", "med", "max", "p(90)", "p(95)"].map(str::to_owned).to_vec())
    }
}

impl OptionValue for TrendStats {
    fn from_json(value: &Value) -> Result<Option<Self>, String> {
        Ok(Vec::from_json(value)?.map(Self))
    }

    fn from_text(text: &str) -> Result<Option<Self>, String> {
        let names = if text.is_empty() { Vec::new() } else { text.split(',').map(str::to_owned).collect() };
        Ok(Some(Self(names)))
    }

    fn to_json(&self) -> Json {
        Json::texts(&self.0)
    }
}

/// A threshold as it was written; its expression is read by those who know the metrics.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Threshold {
    /// Such as `p(95)<500`.
    pub expression: String,
    /// Whether crossing it ends the test.
    pub abort_on_fail: bool,
    /// Not before this time.
    pub delay_abort_eval: Option<GoDuration>,
}

impl Threshold {
    fn from_json(value: &Value) -> Result<Self, String> {
        if let Some(expression) = value.as_str() {
            return Ok(Self { expression: expression.to_owned(), ..Self::default() });
        }
        let mut threshold = Self::default();
        let members = members(value, "a threshold", THRESHOLD_COUNT_MAX)?;
        for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
            match name.to_ascii_lowercase().as_str() {
                "threshold" => threshold.expression = String::from_json(value)?.unwrap_or_default(),
                "abortonfail" => threshold.abort_on_fail = bool::from_json(value)?.unwrap_or_default(),
                "delayaborteval" => threshold.delay_abort_eval = GoDuration::from_json(value)?,
                _ => {}
            }
        }
        Ok(threshold)
    }

    /// A text where there is no more to it.
    fn to_json(&self) -> Json {
        if !self.abort_on_fail {
            return Json::from(&self.expression);
        }
        Json::Object(vec![
            ("threshold".to_owned(), Json::from(&self.expression)),
            ("abortOnFail".to_owned(), Json::Bool(self.abort_on_fail)),
            (
                "delayAbortEval".to_owned(),
                Json::or_null(self.delay_abort_eval, |delay| Json::from(delay.to_string())),
            ),
        ])
    }
}

/// More objectives than anybody states for one test.
const THRESHOLD_COUNT_MAX: usize = 100_000;

/// Thresholds by metric or sub-metric.
pub type Thresholds = BTreeMap<String, Vec<Threshold>>;

impl OptionValue for Thresholds {
    fn from_json(value: &Value) -> Result<Option<Self>, String> {
        let mut all = Self::new();
        for (metric, value) in members(value, "an object of lists of thresholds", THRESHOLD_COUNT_MAX)? {
            if value.is_null() {
                all.insert(metric.clone(), Vec::new());
                continue;
            }
            let place = |said: String| format!("{said} (thresholds of `{metric}`)");
            if !value.is_array() {
                return Err(place(not_a(value, "a list of thresholds")));
            }
            let list = list(value, "a list of thresholds", THRESHOLD_COUNT_MAX).map_err(place)?;
            let thresholds =
                list.iter().map(Threshold::from_json).collect::<Result<_, _>>().map_err(place)?;
            all.insert(metric.clone(), thresholds);
        }
        Ok(Some(all))
    }

    fn from_text(text: &str) -> Result<Option<Self>, String> {
        if text.is_empty() {
            return Ok(None);
        }
        let value: Value = serde_json::from_str(text).map_err(|fault| format!("no JSON: {fault}"))?;
        Self::from_json(&value)
    }

    fn to_json(&self) -> Json {
        let thresholds = |list: &Vec<Threshold>| Json::List(list.iter().map(Threshold::to_json).collect());
        Json::Object(self.iter().map(|(metric, list)| (metric.clone(), thresholds(list))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trend_stats_are_checked() {
        let said = |name: &str| {
            TrendStats::new(vec![name.to_owned()])
                .check()
                .map_err(|fault| (fault.exit_code.number(), fault.message))
        };
        for name in ["avg", "count", "p(0)", "p(99.99)", "p(100)"] {
            assert_eq!(said(name), Ok(()), "{name}");
        }
        assert_eq!(said(" max"), Err((255, "invalid trend stat ' max', unknown format".to_owned())));
        for name in ["p(101)", "p(-1)", "p()", "p(x)", "p(NaN)"] {
            let message =
                format!("invalid percentile trend stat value '{name}', provide a number between 0 and 100");
            assert_eq!(said(name), Err((255, message)));
        }
        assert_eq!(TrendStats::default().check(), Ok(()));
    }
}
