//! Λ(t), the number of arrivals called for until t, and its inverse, for rates that are constant or straight lines in pieces.

use plan::Stage;
use units::Rate;

/// A stretch over which the rate is a straight line.
#[derive(Debug, Clone, PartialEq)]
struct Segment {
    start_ns: f64,
    duration_ns: f64,
    /// Λ at its start.
    arrivals_before: f64,
    /// Arrivals per ns at its start.
    rate: f64,
    /// Change of that per ns.
    slope: f64,
}

impl Segment {
    /// Arrivals within the segment until `ns` after its start: r·t + s·t²/2.
    fn arrivals_until(&self, ns: f64) -> f64 {
        self.rate * ns + self.slope * ns * ns / 2.0
    }

    /// The inverse: the t ≥ 0 with r·t + s·t²/2 = x, in the form that does not cancel: 2x / (r + √(r² + 2sx)).
    fn when(&self, arrivals: f64) -> f64 {
        if arrivals <= 0.0 {
            return 0.0;
        }
        let root = (self.rate * self.rate + 2.0 * self.slope * arrivals).max(0.0).sqrt();
        2.0 * arrivals / (self.rate + root)
    }
}

/// A rate over time. Beyond the last stage its final rate goes on for ever.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RateCurve {
    segments: Vec<Segment>,
    first: Option<Rate>,
    /// The segment of the last answer: positions only grow, so the search starts there.
    at: usize,
}

impl RateCurve {
    pub(crate) fn new(stages: &[Stage]) -> Self {
        let per_ns = |rate: Rate| rate.count() as f64 / rate.period_ns() as f64;
        let mut segments = Vec::with_capacity(stages.len() + 1);
        let (mut start_ns, mut arrivals_before) = (0.0, 0.0);
        for stage in stages.iter().filter(|stage| stage.duration_ns > 0) {
            let duration_ns = stage.duration_ns as f64;
            let (from, to) = (per_ns(stage.rate_from), per_ns(stage.rate_to));
            let segment = Segment {
                start_ns,
                duration_ns,
                arrivals_before,
                rate: from,
                slope: (to - from) / duration_ns,
            };
            arrivals_before += segment.arrivals_until(duration_ns);
            start_ns += duration_ns;
            segments.push(segment);
        }
        if let Some(last) = stages.last() {
            let rate = per_ns(last.rate_to);
            segments.push(Segment {
                start_ns,
                duration_ns: f64::INFINITY,
                arrivals_before,
                rate,
                slope: 0.0,
            });
        }
        Self { segments, first: stages.first().map(|stage| stage.rate_from), at: 0 }
    }

    /// The one rate of a profile that never changes.
    pub(crate) fn constant_rate(stages: &[Stage]) -> Option<Rate> {
        let first = stages.first()?.rate_from;
        stages.iter().all(|stage| stage.rate_from == first && stage.rate_to == first).then_some(first)
    }

    pub(crate) fn first_rate(&self) -> Option<Rate> {
        self.first
    }

    /// When arrival `number + offset` is due; `None` when the rate never gets so far. Positions must not shrink from call to call.
    pub(crate) fn when(&mut self, number: u64, offset: f64) -> Option<u64> {
        let position = number as f64 + offset;
        while let Some(next) = self.segments.get(self.at + 1)
            && position >= next.arrivals_before
        {
            self.at += 1;
        }
        let segment = self.segments.get(self.at)?;
        if segment.rate == 0.0 && segment.slope == 0.0 {
            return None;
        }
        let within_ns = segment.when(position - segment.arrivals_before).min(segment.duration_ns);
        let due_ns = segment.start_ns + within_ns;
        (due_ns < u64::MAX as f64).then_some(due_ns as u64)
    }

    /// From `at_ns` on the rate is `rate`, for ever.
    pub(crate) fn change(&mut self, at_ns: u64, rate: Rate) {
        let start_ns = at_ns as f64;
        let until = self.segments.iter().rposition(|segment| segment.start_ns <= start_ns).unwrap_or(0);
        self.segments.truncate(until + 1);
        let arrivals_before = match self.segments.last_mut() {
            Some(last) => {
                last.duration_ns = (start_ns - last.start_ns).max(0.0);
                last.arrivals_before + last.arrivals_until(last.duration_ns)
            }
            None => 0.0,
        };
        let rate = rate.count() as f64 / rate.period_ns() as f64;
        self.segments.push(Segment {
            start_ns,
            duration_ns: f64::INFINITY,
            arrivals_before,
            rate,
            slope: 0.0,
        });
        self.at = self.at.min(until);
    }

    pub(crate) fn rate_per_sec_at(&self, elapsed_ns: u64) -> f64 {
        let elapsed_ns = elapsed_ns as f64;
        let segment = self.segments.iter().rev().find(|segment| elapsed_ns >= segment.start_ns);
        segment.map_or(0.0, |s| (s.rate + s.slope * (elapsed_ns - s.start_ns)) * 1e9)
    }
}
