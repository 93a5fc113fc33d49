//! When iterations are due, exactly as k6 computes it, and the same as stages of a plan.
//!
//! **Constant.** The period is `timeUnit / rate` truncated to whole ns; iteration k = 0, 1, … is due at k periods. A plan's stage with the rate
//! "1 per period" has precisely these times ([`ConstantArrivalRate::plan_stages`]); a stage with the rate "`rate` per `timeUnit`" does not where
//! the division has a rest: it is exact over time, and k6 runs ahead of it by less than k ns.
//!
//! **Ramping.** Iteration i = 1, 2, … is due when the rate's integral reaches i. `schedule` has its first arrival at integral 0, so k6's i-th
//! iteration is the schedule's arrival number i, and its arrival 0 has no counterpart. Both work in floating point, by formulas that are
//! equal on paper: the one here loses digits where a rate hardly changes over a stage, so the times agree to 1 µs and mostly to 1 ns.

use super::read::{ConstantArrivalRate, RampingArrivalRate};
use crate::segment::Share;
use units::Rate;

impl ConstantArrivalRate {
    /// Time between two iterations over all instances, ns, truncated; at least 1.
    pub fn period_ns(&self) -> u64 {
        let rate = u64::try_from(self.rate()).unwrap_or(0).max(1);
        (self.time_unit().as_ns() / rate).max(1)
    }

    /// When iterations of one instance are due; `None`: it has none to do.
    pub fn due_times(&self, share: &Share) -> Option<ConstantDueTimes> {
        let share = share.by_weight_of(u64::try_from(self.max_vus()).ok()?)?;
        Some(ConstantDueTimes {
            share,
            period_ns: self.period_ns(),
            end_ns: self.duration().as_ns(),
            taken: 0,
        })
    }

    /// The whole test's arrivals as stages of an open load, with the same due times.
    pub fn plan_stages(&self) -> Vec<plan::Stage> {
        let rate = Rate::new(1, self.period_ns());
        let stage = rate.map(|rate| plan::Stage {
            rate_from: rate,
            rate_to: rate,
            duration_ns: self.duration().as_ns(),
        });
        stage.into_iter().collect()
    }
}

/// Due times of one instance at a constant rate, ns since the scenario's start, ascending.
#[derive(Debug, Clone)]
pub struct ConstantDueTimes {
    share: Share,
    period_ns: u64,
    end_ns: u64,
    taken: u64,
}

impl ConstantDueTimes {
    /// When this instance's k-th iteration is due, k from 0, whatever the end.
    pub fn due_ns(&self, k: u64) -> Option<u64> {
        self.share.nth(k)?.checked_mul(self.period_ns)
    }
}

impl Iterator for ConstantDueTimes {
    type Item = u64;

    /// Up to the regular end, which is no longer part of it: in k6 it is chance whether a tick at the end itself still counts.
    fn next(&mut self) -> Option<u64> {
        let due_ns = self.due_ns(self.taken).filter(|due_ns| *due_ns < self.end_ns)?;
        self.taken += 1;
        Some(due_ns)
    }
}

impl RampingArrivalRate {
    /// When iterations of one instance are due; `None`: it has none to do.
    pub fn due_times(&self, share: &Share) -> Option<RampingDueTimes> {
        let share = share.by_weight_of(u64::try_from(self.max_vus()).ok()?)?;
        let unit_ns = self.time_unit().as_ns().max(1) as f64;
        let mut from = self.start_rate().max(0) as f64;
        let mut lines = Vec::with_capacity(self.stages().len());
        let (mut start_ns, mut before) = (0u64, 0.0);
        for stage in self.stages() {
            let length_ns = stage.duration.map_or(0, |duration| duration.as_ns());
            let to = stage.target.unwrap_or(0).max(0) as f64;
            let until = before + length_ns as f64 * (from + to) / (2.0 * unit_ns);
            lines.push(Line { start_ns, length_ns: length_ns as f64, unit_ns, from, to, before, until });
            (from, before) = (to, until);
            start_ns = start_ns.saturating_add(length_ns);
        }
        Some(RampingDueTimes { share, lines, at: 0, taken: 0 })
    }

    /// The whole test's arrivals as stages of an open load. Arrival number i of the schedule is k6's i-th iteration, i from 1.
    pub fn plan_stages(&self) -> Vec<plan::Stage> {
        let unit_ns = self.time_unit().as_ns().max(1);
        let rate = |rate: i64| Rate::new(u64::try_from(rate).unwrap_or(0), unit_ns);
        let starts = [self.start_rate()]
            .into_iter()
            .chain(self.stages().iter().map(|stage| stage.target.unwrap_or(0)));
        let stages = starts.zip(self.stages()).filter_map(|(from, stage)| {
            Some(plan::Stage {
                rate_from: rate(from)?,
                rate_to: rate(stage.target.unwrap_or(0))?,
                duration_ns: stage.duration.map_or(0, |duration| duration.as_ns()),
            })
        });
        stages.collect()
    }
}

/// A stage as a straight line of the rate.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Line {
    start_ns: u64,
    length_ns: f64,
    /// What rates count per.
    unit_ns: f64,
    /// Iterations per unit.
    from: f64,
    to: f64,
    /// The integral at its start and at its end.
    before: f64,
    until: f64,
}

impl Line {
    /// When the integral reaches `i`, after the line's start, truncated to ns.
    fn offset_ns(&self, i: f64) -> u64 {
        let &Self { length_ns, unit_ns, from, to, before, .. } = self;
        let offset = if from == to {
            (i - before) * unit_ns / to
        } else {
            // The root of the integral's quadratic, as the reference writes it (8.7) with rates per unit in place of per ns: whole numbers are
            // exact, where k6's quotients are not. Rounding may take the radicand below 0.
            let radicand = length_ns * (from * from * length_ns + 2.0 * unit_ns * (i - before) * (to - from));
            (from * length_ns - radicand.max(0.0).sqrt()) / (from - to)
        };
        // Out of range and NaN become the nearest end and 0.
        offset.max(0.0) as u64
    }
}

/// Due times of one instance at a rate in straight lines, ns since the scenario's start, ascending.
#[derive(Debug, Clone)]
pub struct RampingDueTimes {
    share: Share,
    lines: Vec<Line>,
    at: usize,
    taken: u64,
}

impl Iterator for RampingDueTimes {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let i = self.share.nth(self.taken)?.checked_add(1)? as f64;
        let line = loop {
            let line = self.lines.get(self.at)?;
            if i <= line.until {
                break line;
            }
            self.at += 1;
        };
        self.taken += 1;
        Some(line.start_ns.saturating_add(line.offset_ns(i)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Stage;
    use crate::segment::{Segment, SegmentSequence};
    use k6_metrics::GoDuration;
    use proptest::prelude::*;
    use schedule::{FireTimes, Profile, Slice};

    fn constant(rate: i64, unit_ns: i64, secs: i64) -> ConstantArrivalRate {
        ConstantArrivalRate {
            rate: Some(rate),
            time_unit: Some(GoDuration::from_ns(unit_ns)),
            duration: Some(GoDuration::from_secs(secs)),
            pre_allocated_vus: Some(12),
            max_vus: None,
        }
    }

    fn ramping(start_rate: i64, stages: &[(i64, i64)]) -> RampingArrivalRate {
        let stage = |&(ms, target): &(i64, i64)| Stage {
            duration: Some(GoDuration::from_ns(ms * 1_000_000)),
            target: Some(target),
        };
        RampingArrivalRate {
            start_rate: Some(start_rate),
            time_unit: None,
            stages: Some(stages.iter().map(stage).collect()),
            pre_allocated_vus: Some(12),
            max_vus: None,
        }
    }

    /// All arrivals that the schedule of a plan would have.
    fn scheduled(stages: Vec<plan::Stage>, count: usize) -> Vec<u64> {
        let end_ns = stages.iter().map(|stage| stage.duration_ns).sum();
        let profile =
            Profile { stages, arrivals: plan::Arrivals::Constant, end_ns, count_max: u64::MAX, seed: 0 };
        let mut times = FireTimes::new(&profile, Slice::WHOLE);
        let next = std::iter::from_fn(|| {
            let due_ns = times.peek_ns();
            times.advance();
            due_ns
        });
        next.take(count).collect()
    }

    #[test]
    fn constant_rates_tick_by_a_truncated_period() {
        let due: Vec<u64> = constant(3, 1_000_000_000, 1).due_times(&Share::whole()).unwrap().collect();
        assert_eq!(due, [0, 333_333_333, 666_666_666, 999_999_999]);
        let hundred = constant(100, 1_000_000_000, 15).due_times(&Share::whole()).unwrap();
        assert_eq!(hundred.due_ns(1_500), Some(15_000_000_000));
        assert_eq!(hundred.count(), 1_500);
        assert_eq!(constant(1, 60_000_000_000, 60).period_ns(), 60_000_000_000);
        assert_eq!(constant(5, 0, 1).period_ns(), 1);
    }

    #[test]
    fn a_plan_has_the_same_times_where_its_rate_is_one_per_period() {
        for (rate, unit_ns) in
            [(3, 1_000_000_000), (100, 1_000_000_000), (7, 60_000_000_000), (999, 1_000_000_000)]
        {
            let executor = constant(rate, unit_ns, 10);
            let due: Vec<u64> = executor.due_times(&Share::whole()).unwrap().collect();
            assert_eq!(scheduled(executor.plan_stages(), due.len() + 1), due, "{rate} per {unit_ns}");
        }
        // With the rate itself, the schedule keeps what truncation loses.
        let exact = plan::Stage {
            rate_from: Rate::new(3, 1_000_000_000).unwrap(),
            rate_to: Rate::new(3, 1_000_000_000).unwrap(),
            duration_ns: 1_000_000_000,
        };
        assert_eq!(scheduled(vec![exact], 4), [0, 333_333_333, 666_666_666]);
    }

    #[test]
    fn ramping_rates_start_when_the_integral_is_whole() {
        let due = |start, stages: &[(i64, i64)]| -> Vec<u64> {
            ramping(start, stages).due_times(&Share::whole()).unwrap().collect()
        };
        // A constant 2/s fires first after half a second, and at the end too.
        assert_eq!(due(2, &[(2_000, 2)]), [500_000_000, 1_000_000_000, 1_500_000_000, 2_000_000_000]);
        // 0 → 2/s in 4 s: t²/4 = i, so √(4i) s.
        let roots: Vec<u64> = due(0, &[(4_000, 2)]);
        assert_eq!(roots, [2_000_000_000, 2_828_427_124, 3_464_101_615, 4_000_000_000]);
        // A jump to 1/s after a second of silence; what is left at the stage's end carries over: 0.5 until 1.5 s, then 2/s.
        assert_eq!(
            due(0, &[(1_000, 0), (0, 1), (500, 1), (0, 2), (1_000, 2)]),
            [1_750_000_000, 2_250_000_000]
        );
        assert_eq!(due(0, &[(1_000, 0)]), [0u64; 0]);
    }

    #[test]
    fn instances_take_the_iterations_that_k6s_take() {
        // As k6 2.2 was seen to run them: which numbers, and with 20/s when.
        let five = ConstantArrivalRate { pre_allocated_vus: Some(5), ..constant(20, 1_000_000_000, 1) };
        let seven = RampingArrivalRate { pre_allocated_vus: Some(7), ..ramping(10, &[(1_000, 30)]) };
        let check = |segment: &str, sequence: &str, of_five: &[u64], of_seven: &[u64]| {
            let sequence = (!sequence.is_empty()).then(|| SegmentSequence::parse(sequence).unwrap());
            let share = Share::new(Some(Segment::parse(segment).unwrap()), sequence.as_ref()).unwrap();
            let due: Vec<u64> = five.due_times(&share).unwrap().collect();
            assert_eq!(
                due,
                of_five.iter().map(|number| number * 50_000_000).collect::<Vec<_>>(),
                "{segment}"
            );
            let whole: Vec<u64> = seven.due_times(&Share::whole()).unwrap().collect();
            let own: Vec<u64> = seven.due_times(&share).unwrap().collect();
            // The last two are due within the last 40 ms, which k6's one VU did not always reach.
            let numbers = own.iter().filter_map(|due_ns| whole.iter().position(|other| other == due_ns));
            let numbers: Vec<u64> =
                numbers.map(|number| number as u64).filter(|number| *number < 19).collect();
            assert_eq!(numbers, of_seven, "{segment}");
        };
        check(
            "0:1/2",
            "",
            &[0, 2, 4, 5, 7, 9, 10, 12, 14, 15, 17, 19],
            &[0, 2, 4, 6, 7, 9, 11, 13, 14, 16, 18],
        );
        check("1/2:1", "", &[1, 3, 6, 8, 11, 13, 16, 18], &[1, 3, 5, 8, 10, 12, 15, 17]);
        check("1/3:2/3", "0,1/3,2/3,1", &[1, 4, 6, 9, 11, 14, 16, 19], &[1, 4, 8, 11, 15, 18]);
        check("1/4:1/2", "0,1/4,1/2,1", &[3, 8, 13, 18], &[3, 10, 17]);
    }

    #[test]
    fn without_vus_an_instance_has_nothing_to_do() {
        let few = ConstantArrivalRate { pre_allocated_vus: Some(1), ..constant(10, 1_000_000_000, 1) };
        let sequence = SegmentSequence::parse("0,1/2,1").unwrap();
        let due = |segment: &str| {
            let share = Share::new(Some(Segment::parse(segment).unwrap()), Some(&sequence)).unwrap();
            few.due_times(&share).map(Iterator::count)
        };
        assert_eq!((due("0:1/2"), due("1/2:1")), (Some(10), None));
    }

    proptest! {
        #[test]
        fn the_schedule_agrees_with_ramping_rates(
            start in 0i64..300,
            stages in proptest::collection::vec((0i64..3_000, 0i64..300), 1..5),
        ) {
            let executor = ramping(start, &stages);
            let due: Vec<u64> = executor.due_times(&Share::whole()).unwrap().collect();
            let other = scheduled(executor.plan_stages(), due.len() + 1);
            // The schedule ends before the last stage's end, k6 with it; and rounding may put the last one to either side.
            let both = due.iter().zip(other.iter().skip(1));
            prop_assert!(due.len().abs_diff(other.len().saturating_sub(1)) <= 1, "{} {}", due.len(), other.len());
            for (due_ns, scheduled_ns) in both {
                prop_assert!(due_ns.abs_diff(*scheduled_ns) <= 1_000, "{} {}", due_ns, scheduled_ns);
            }
            prop_assert!(due.is_sorted());
        }

        #[test]
        fn instances_make_up_the_whole(
            start in 0i64..100,
            stages in proptest::collection::vec((0i64..3_000, 0i64..100), 1..4),
            sixths in 1u64..6,
        ) {
            let sequence = SegmentSequence::parse(&format!("0,{sixths}/6,1")).unwrap();
            let shares: Vec<Share> =
                sequence.segments().iter().map(|segment| Share::new(Some(*segment), Some(&sequence)).unwrap()).collect();
            let ramping = ramping(start, &stages);
            let mut all: Vec<u64> = shares.iter().filter_map(|share| ramping.due_times(share)).flatten().collect();
            all.sort_unstable();
            prop_assert_eq!(all, ramping.due_times(&Share::whole()).unwrap().collect::<Vec<_>>());
            let constant = constant(start + 1, 1_000_000_000, 2);
            let mut all: Vec<u64> = shares.iter().filter_map(|share| constant.due_times(share)).flatten().collect();
            all.sort_unstable();
            prop_assert_eq!(all, constant.due_times(&Share::whole()).unwrap().collect::<Vec<_>>());
        }
    }
}
