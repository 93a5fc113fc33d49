//! When the number of VUs changes, exactly.
//!
//! For a stage that ends at T after a length of D and leads from a to b VUs: up, VU number n (a < n ≤ b) begins at T − D·(b − n)/(b − a);
//! down, the count falls to m (a > m ≥ b) at T − D·(m − b)/(a − b), which is a step later than a mirror image would be, so that the last falls
//! at T itself. Divisions are of whole ns and truncate. A stage of length 0 jumps.

use super::read::RampingVus;
use crate::options::Stage;
use crate::segment::Share;

/// From `at_ns` on there are `vus` VUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VuStep {
    /// Since the scenario's start.
    pub at_ns: u64,
    /// Of this instance.
    pub vus: u64,
}

/// All steps of one instance, in order of time; of two at the same time the later one holds. Lazy: nothing is kept but the place in it.
#[derive(Debug, Clone)]
pub struct VuSteps<'a> {
    share: Share,
    stages: std::slice::Iter<'a, Stage>,
    /// VUs of all instances at the current stage's start, its target, its end and its length.
    stage: StageNow,
    /// Of this instance.
    vus: u64,
    begun: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct StageNow {
    from: u64,
    to: u64,
    end_ns: u64,
    length_ns: u64,
}

impl RampingVus {
    /// How the number of VUs of one instance changes: first what it is at 0, last what it is at the end of the last stage. (At that moment the
    /// executor stops all that are left.)
    pub fn steps(&self, share: &Share) -> VuSteps<'_> {
        let start = count(Some(self.start_vus()));
        VuSteps {
            share: share.clone(),
            stages: self.stages().iter(),
            stage: StageNow { from: start, to: start, end_ns: 0, length_ns: 0 },
            vus: share.scale(start),
            begun: false,
        }
    }
}

/// What checks let through is in 0..=10⁸.
fn count(number: Option<i64>) -> u64 {
    number.and_then(|number| u64::try_from(number).ok()).unwrap_or(0)
}

impl StageNow {
    /// When the count of all instances comes to `vus` on the way.
    fn when(&self, vus: u64) -> u64 {
        let distance = u128::from(self.from.abs_diff(self.to)).max(1);
        let left = u128::from(vus.abs_diff(self.to));
        let before_end_ns = u128::from(self.length_ns) * left / distance;
        self.end_ns.saturating_sub(u64::try_from(before_end_ns).unwrap_or(u64::MAX))
    }
}

impl VuSteps<'_> {
    /// The next change within the current stage.
    fn within_stage(&mut self) -> Option<VuStep> {
        let stage = self.stage;
        if stage.length_ns == 0 {
            let vus = self.share.scale(stage.to);
            let changes = vus != self.vus;
            self.vus = vus;
            return changes.then_some(VuStep { at_ns: stage.end_ns, vus });
        }
        if stage.to > stage.from {
            // The next VU of this instance is one of all: its number there says when it begins.
            let number = self.share.nth(self.vus)?.checked_add(1)?;
            if number > stage.to {
                return None;
            }
            self.vus += 1;
            return Some(VuStep { at_ns: stage.when(number), vus: self.vus });
        }
        let left = self.share.nth(self.vus.checked_sub(1)?)?;
        if left < stage.to {
            return None;
        }
        self.vus -= 1;
        Some(VuStep { at_ns: stage.when(left), vus: self.vus })
    }
}

impl Iterator for VuSteps<'_> {
    type Item = VuStep;

    fn next(&mut self) -> Option<VuStep> {
        if !self.begun {
            self.begun = true;
            return Some(VuStep { at_ns: 0, vus: self.vus });
        }
        loop {
            if let Some(step) = self.within_stage() {
                return Some(step);
            }
            let next = self.stages.next()?;
            let length_ns = next.duration.map_or(0, |duration| duration.as_ns());
            self.stage = StageNow {
                from: self.stage.to,
                to: count(next.target),
                end_ns: self.stage.end_ns.saturating_add(length_ns),
                length_ns,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::{Segment, SegmentSequence};
    use k6_metrics::GoDuration;
    use proptest::prelude::*;

    fn ramp(start_vus: i64, stages: &[(i64, i64)]) -> RampingVus {
        let stage = |&(ms, target): &(i64, i64)| Stage {
            duration: Some(GoDuration::from_ns(ms * 1_000_000)),
            target: Some(target),
        };
        RampingVus {
            start_vus: Some(start_vus),
            stages: Some(stages.iter().map(stage).collect()),
            graceful_ramp_down: None,
        }
    }

    fn check(start_vus: i64, stages: &[(i64, i64)], expected: &str) {
        let ramp = ramp(start_vus, stages);
        let steps = ramp
            .steps(&Share::whole())
            .map(|step| format!("{}={}", GoDuration::from_ns(step.at_ns as i64), step.vus));
        assert_eq!(steps.collect::<Vec<_>>().join(" "), expected);
    }

    #[test]
    fn ramps_switch_at_exact_times() {
        check(0, &[(10_000, 10)], "0s=0 1s=1 2s=2 3s=3 4s=4 5s=5 6s=6 7s=7 8s=8 9s=9 10s=10");
        check(10, &[(10_000, 0)], "0s=10 1s=9 2s=8 3s=7 4s=6 5s=5 6s=4 7s=3 8s=2 9s=1 10s=0");
        // Level stages change nothing, those without length jump.
        check(2, &[(5_000, 2), (0, 4), (1_000, 4), (0, 1)], "0s=2 5s=4 6s=1");
        check(0, &[(0, 3)], "0s=0 0s=3");
        // 1 s for three steps: 10⁹/3 truncated, counted back from the end.
        check(0, &[(1_000, 3)], "0s=0 333.333334ms=1 666.666667ms=2 1s=3");
        check(3, &[(1_000, 0)], "0s=3 333.333334ms=2 666.666667ms=1 1s=0");
    }

    #[test]
    fn segments_take_their_own_vus_at_the_global_times() {
        let ramp = ramp(0, &[(6_000, 6), (6_000, 0)]);
        let sequence = SegmentSequence::parse("0,1/2,1").unwrap();
        let steps = |segment: &str| {
            let share = Share::new(Some(Segment::parse(segment).unwrap()), Some(&sequence)).unwrap();
            let steps = ramp.steps(&share).map(|step| format!("{}={}", step.at_ns / 1_000_000_000, step.vus));
            steps.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(steps("0:1/2"), "0=0 1=1 3=2 5=3 8=2 10=1 12=0");
        assert_eq!(steps("1/2:1"), "0=0 2=1 4=2 6=3 7=2 9=1 11=0");
    }

    #[test]
    fn a_part_of_a_ramp_is_k6s() {
        // Two thirds take VUs 1, 3, 4, 6, 7 of all; k6 2.2 was seen to start them at these times.
        let ramp = ramp(1, &[(2_000, 7), (1_000, 2), (0, 5), (1_000, 5)]);
        let sequence = SegmentSequence::parse("0,1/3,1").unwrap();
        let share = Share::new(Some(Segment::parse("1/3:1").unwrap()), Some(&sequence)).unwrap();
        let steps = ramp.steps(&share).map(|step| format!("{}={}", step.at_ns / 1_000_000, step.vus));
        let steps: Vec<String> = steps.collect();
        assert_eq!(steps.join(" "), "0=1 666=2 1000=3 1666=4 2000=5 2200=4 2400=3 2800=2 3000=1 3000=3");
    }

    proptest! {
        #[test]
        fn instances_add_up_to_the_whole_at_every_moment(
            start in 0i64..40,
            stages in proptest::collection::vec((0i64..5_000, 0i64..40), 1..6),
            thirds in 1u64..5,
        ) {
            let ramp = ramp(start, &stages);
            let sequence = SegmentSequence::parse(&format!("0,{thirds}/6,1")).unwrap();
            let at = |share: &Share, ns: u64| {
                ramp.steps(share).take_while(|step| step.at_ns <= ns).last().map_or(0, |step| step.vus)
            };
            let shares: Vec<Share> =
                sequence.segments().iter().map(|segment| Share::new(Some(*segment), Some(&sequence)).unwrap()).collect();
            let mut last_ns = 0;
            for step in ramp.steps(&Share::whole()) {
                prop_assert!(step.at_ns >= last_ns);
                last_ns = step.at_ns;
                let whole = at(&Share::whole(), step.at_ns);
                prop_assert_eq!(shares.iter().map(|share| at(share, step.at_ns)).sum::<u64>(), whole);
                prop_assert!(whole <= ramp.vus_max() as u64);
            }
            let end: i64 = stages.iter().map(|(ms, _)| ms).sum();
            prop_assert_eq!(at(&Share::whole(), end as u64 * 1_000_000), stages.last().map_or(0, |(_, target)| *target) as u64);
        }
    }
}
