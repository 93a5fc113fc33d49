//! What becomes of a metric's samples: one sink for each kind. Sinks of parts merge to the sink of the whole.

use crate::exact_sum::ExactSum;
use crate::metric::MetricKind;
use crate::trend::Trend;

/// All samples of a metric, or of a part of it.
#[derive(Debug, Clone)]
pub enum Sink {
    /// Of a counter.
    Counter(Counter),
    /// Of a gauge.
    Gauge(Gauge),
    /// Of a rate.
    Rate(Rate),
    /// Of a trend; in a box, since it is much greater than the others.
    Trend(Box<Trend>),
}

/// The sum of all values.
#[derive(Debug, Clone, Default)]
pub struct Counter {
    sum: ExactSum,
    sample_count: u64,
}

/// The last value with the least and the greatest.
#[derive(Debug, Clone, Default)]
pub struct Gauge {
    /// Time and value.
    last: Option<(u64, f64)>,
    min: f64,
    max: f64,
}

/// How many values were not zero, and how many there were.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rate {
    /// Values other than zero.
    pub passes: u64,
    /// All values.
    pub total: u64,
}

impl Counter {
    /// The sum; 0 when empty.
    pub fn sum(&self) -> f64 {
        self.sum.value()
    }
}

impl Gauge {
    /// The value with the latest time; 0 when empty.
    pub fn value(&self) -> f64 {
        self.last.map_or(0.0, |(_, value)| value)
    }

    /// The least value; 0 when empty.
    pub fn min(&self) -> f64 {
        self.min
    }

    /// The greatest value; 0 when empty.
    pub fn max(&self) -> f64 {
        self.max
    }

    fn add(&mut self, value: f64, time_ns: u64) {
        match self.last {
            None => (self.last, self.min, self.max) = (Some((time_ns, value)), value, value),
            Some((last_ns, _)) => {
                if time_ns >= last_ns {
                    self.last = Some((time_ns, value));
                }
                (self.min, self.max) = (self.min.min(value), self.max.max(value));
            }
        }
    }

    fn merge(&mut self, other: &Self) {
        let (Some(own), Some(others)) = (self.last, other.last) else {
            if self.last.is_none() {
                *self = other.clone();
            }
            return;
        };
        // At the same instant nobody was last: the greater value is taken, so that the order of merging does not matter.
        let is_later = others.0 > own.0 || (others.0 == own.0 && others.1 > own.1);
        self.last = Some(if is_later { others } else { own });
        (self.min, self.max) = (self.min.min(other.min), self.max.max(other.max));
    }
}

impl Rate {
    /// The share of values that are not zero; 0 when empty.
    pub fn ratio(&self) -> f64 {
        if self.total == 0 { 0.0 } else { self.passes as f64 / self.total as f64 }
    }

    /// Values that are zero.
    pub fn fails(&self) -> u64 {
        self.total - self.passes
    }

    pub(crate) fn add(&mut self, is_pass: bool) {
        self.total += 1;
        self.passes += u64::from(is_pass);
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.total += other.total;
        self.passes += other.passes;
    }
}

impl Sink {
    /// An empty one.
    pub(crate) fn new(kind: MetricKind) -> Self {
        match kind {
            MetricKind::Counter => Self::Counter(Counter::default()),
            MetricKind::Gauge => Self::Gauge(Gauge::default()),
            MetricKind::Rate => Self::Rate(Rate::default()),
            MetricKind::Trend => Self::Trend(Box::default()),
        }
    }

    /// Of which kind of metric it is.
    pub fn kind(&self) -> MetricKind {
        match self {
            Self::Counter(_) => MetricKind::Counter,
            Self::Gauge(_) => MetricKind::Gauge,
            Self::Rate(_) => MetricKind::Rate,
            Self::Trend(_) => MetricKind::Trend,
        }
    }

    /// Adds a sample. NaN must not come.
    #[inline]
    pub(crate) fn add(&mut self, value: f64, time_ns: u64) {
        match self {
            Self::Counter(counter) => {
                counter.sum.add(value);
                counter.sample_count += 1;
            }
            Self::Gauge(gauge) => gauge.add(value, time_ns),
            Self::Rate(rate) => rate.add(value != 0.0),
            Self::Trend(trend) => trend.add(value),
        }
    }

    /// Adds all of another's samples; one of another kind has none.
    pub(crate) fn merge(&mut self, other: &Self) {
        match (self, other) {
            (Self::Counter(own), Self::Counter(other)) => {
                own.sum.merge(&other.sum);
                own.sample_count += other.sample_count;
            }
            (Self::Gauge(own), Self::Gauge(other)) => own.merge(other),
            (Self::Rate(own), Self::Rate(other)) => own.merge(*other),
            (Self::Trend(own), Self::Trend(other)) if other.count() > 0 => own.merge(other),
            _ => {}
        }
    }

    /// Forgets all samples, keeps the room.
    pub(crate) fn clear(&mut self) {
        match self {
            Self::Counter(counter) => *counter = Counter::default(),
            Self::Gauge(gauge) => *gauge = Gauge::default(),
            Self::Rate(rate) => *rate = Rate::default(),
            Self::Trend(trend) => trend.clear(),
        }
    }

    /// Whether no sample came.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Counter(counter) => counter.sample_count == 0,
            Self::Gauge(gauge) => gauge.last.is_none(),
            Self::Rate(rate) => rate.total == 0,
            Self::Trend(trend) => trend.count() == 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gauge(samples: &[(u64, f64)]) -> Sink {
        let mut sink = Sink::new(MetricKind::Gauge);
        for (time_ns, value) in samples {
            sink.add(*value, *time_ns);
        }
        sink
    }

    fn check_gauge(sink: &Sink, expected: (f64, f64, f64)) {
        let Sink::Gauge(gauge) = sink else { unreachable!("a gauge was made") };
        assert_eq!((gauge.value(), gauge.min(), gauge.max()), expected);
    }

    #[test]
    fn the_last_of_a_gauge_is_by_time() {
        check_gauge(&gauge(&[]), (0.0, 0.0, 0.0));
        check_gauge(&gauge(&[(5, -1.0), (3, 7.0)]), (-1.0, -1.0, 7.0));
        check_gauge(&gauge(&[(5, 9.0), (5, 2.0)]), (2.0, 2.0, 9.0));
        let parts = [gauge(&[(1, 4.0), (9, 5.0)]), gauge(&[(9, 3.0), (7, 8.0)]), gauge(&[])];
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let mut merged = gauge(&[]);
            for index in order {
                merged.merge(&parts[index]);
            }
            check_gauge(&merged, (5.0, 3.0, 8.0));
        }
    }

    #[test]
    fn a_rate_counts_what_is_not_zero() {
        let mut rate = Sink::new(MetricKind::Rate);
        for value in [1.0, 0.0, -0.0, 0.5, -3.0] {
            rate.add(value, 0);
        }
        let Sink::Rate(rate) = rate else { unreachable!("a rate was made") };
        assert_eq!((rate.passes, rate.fails(), rate.ratio()), (3, 2, 0.6));
        assert_eq!(Rate::default().ratio(), 0.0);
    }

    #[test]
    fn a_counter_that_got_a_zero_is_not_empty() {
        let mut counter = Sink::new(MetricKind::Counter);
        assert!(counter.is_empty());
        counter.add(0.0, 0);
        assert!(!counter.is_empty());
    }
}
