//! What is shown of trends: the option `summaryTrendStats`.

use crate::trend::Trend;

/// Stats that are shown at most: columns of a table.
const STATS_MAX: usize = 100;

/// What is shown of a trend.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Stat {
    Avg,
    Min,
    Med,
    Max,
    Count,
    Percentile(f64),
}

/// What is shown of trends, in order, each under the name that the user wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct TrendStats(Vec<(String, Stat)>);

/// An entry that is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadTrendStat(pub String);

impl std::fmt::Display for BadTrendStat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "`{}` is none of avg, min, med, max, count, p(0) to p(100) (summaryTrendStats, at most {STATS_MAX})",
            crate::registry::shown(&self.0)
        )
    }
}

impl std::error::Error for BadTrendStat {}

impl Default for TrendStats {
    fn default() -> Self {
        let stat = |name: &str, stat| (name.to_owned(), stat);
        Self(vec![
            stat("avg", Stat::Avg),
            stat("min", Stat::Min),
            stat("med", Stat::Med),
            stat("max", Stat::Max),
            stat("p(90)", Stat::Percentile(90.0)),
            stat("p(95)", Stat::Percentile(95.0)),
        ])
    }
}

impl TrendStats {
    /// Reads the option's entries.
    ///
    /// Errors: the first that is none.
    pub fn parse<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, BadTrendStat> {
        let mut stats = Vec::new();
        for name in names {
            let stat = stat(name.trim()).filter(|_| stats.len() < STATS_MAX);
            stats.push((name.trim().to_owned(), stat.ok_or_else(|| BadTrendStat(name.to_owned()))?));
        }
        Ok(Self(stats))
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// Their values for a trend.
    pub(crate) fn of(&self, trend: &Trend) -> Vec<(String, f64)> {
        self.0.iter().map(|(name, stat)| (name.clone(), stat.of(trend))).collect()
    }
}

fn stat(name: &str) -> Option<Stat> {
    Some(match name {
        "avg" => Stat::Avg,
        "min" => Stat::Min,
        "med" => Stat::Med,
        "max" => Stat::Max,
        "count" => Stat::Count,
        _ => {
            let percent: f64 = name.strip_prefix("p(")?.strip_suffix(')')?.parse().ok()?;
            Stat::Percentile((0.0..=100.0).contains(&percent).then_some(percent)?)
        }
    })
}

impl Stat {
    fn of(self, trend: &Trend) -> f64 {
        match self {
            Self::Avg => trend.mean(),
            Self::Min => trend.min(),
            Self::Med => trend.quantile(0.5),
            Self::Max => trend.max(),
            Self::Count => trend.count() as f64,
            Self::Percentile(percent) => trend.quantile(percent / 100.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stats_are_read_and_computed() {
        let stats = TrendStats::parse(["count", "p(99.99)", " p(50) ", "min"]).unwrap();
        let mut trend = Trend::default();
        for value in [3.0, 1.0] {
            trend.add(value);
        }
        let values = stats.of(&trend);
        let names: Vec<&str> = values.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["count", "p(99.99)", "p(50)", "min"]);
        for ((_, value), expected) in values.iter().zip([2.0, 2.9998, 2.0, 1.0]) {
            assert!((value - expected).abs() < 1e-12, "{value} {expected}");
        }
        assert_eq!(
            TrendStats::default().names().collect::<Vec<_>>(),
            ["avg", "min", "med", "max", "p(90)", "p(95)"]
        );
        for bad in ["", "mean", "p(101)", "p(x)", "p(95", "p(nan)"] {
            assert_eq!(TrendStats::parse(["avg", bad]), Err(BadTrendStat(bad.to_owned())));
        }
        assert!(TrendStats::parse(vec!["avg"; STATS_MAX + 1]).is_err());
    }
}
