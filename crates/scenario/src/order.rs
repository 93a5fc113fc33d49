//! Which action is next.

use plan::ActionOrder;
use units::Random;

/// An order made ready: chances as running sums, so that a choice is one search.
#[derive(Debug, Clone)]
pub(crate) enum Order {
    Sequence,
    Weighted(Vec<f64>),
    Cycle(Vec<u16>),
    Workflow { start: Vec<f64>, rows: Vec<Vec<f64>> },
}

/// Where a user stands in its order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Place {
    last: Option<u16>,
    position: usize,
    cycle: Vec<u16>,
}

impl Order {
    pub(crate) fn new(order: &ActionOrder) -> Self {
        match order {
            ActionOrder::Sequence => Self::Sequence,
            ActionOrder::Weighted(weights) => Self::Weighted(running_sums(weights, weights.iter().sum())),
            ActionOrder::Cycle(counts) => {
                let actions = (0u16..).zip(counts);
                Self::Cycle(
                    actions
                        .flat_map(|(action, count)| std::iter::repeat_n(action, *count as usize))
                        .collect(),
                )
            }
            ActionOrder::Workflow { start, rows } => Self::Workflow {
                start: running_sums(start, start.iter().sum()),
                // A row may sum to less than 1: the rest begins anew.
                rows: rows.iter().map(|row| running_sums(row, row.iter().sum::<f64>().max(1.0))).collect(),
            },
        }
    }

    /// The next action for a user at `place`, of `action_count` (at least 1).
    pub(crate) fn next(&self, place: &mut Place, random: &mut Random, action_count: u16) -> u16 {
        let action = match self {
            Self::Sequence => place.last.map_or(0, |last| (last + 1) % action_count),
            Self::Weighted(sums) => pick(sums, random.unit()).unwrap_or(action_count - 1),
            Self::Cycle(actions) => place.next_in_cycle(actions, random),
            Self::Workflow { start, rows } => {
                let row = place.last.and_then(|last| rows.get(usize::from(last)));
                let following = row.and_then(|row| pick(row, random.unit()));
                following.or_else(|| pick(start, random.unit())).unwrap_or(0)
            }
        };
        place.last = Some(action);
        action
    }
}

impl Place {
    fn next_in_cycle(&mut self, actions: &[u16], random: &mut Random) -> u16 {
        if self.position >= self.cycle.len() {
            self.cycle.clear();
            self.cycle.extend_from_slice(actions);
            random.shuffle(&mut self.cycle);
            self.position = 0;
        }
        self.position += 1;
        self.cycle.get(self.position - 1).copied().unwrap_or(0)
    }
}

fn running_sums(shares: &[f64], total: f64) -> Vec<f64> {
    let sums = shares.iter().scan(0.0, |sum, share| {
        *sum += share / total;
        Some(*sum)
    });
    sums.collect()
}

/// The first place whose running sum is beyond `unit`; `None` when all sums are at or below it. A full row ends at 1 but for
/// rounding, which is forgiven to its last place with a share.
fn pick(sums: &[f64], unit: f64) -> Option<u16> {
    let place = sums.partition_point(|sum| *sum <= unit);
    if place < sums.len() {
        return u16::try_from(place).ok();
    }
    let full = sums.last().is_some_and(|sum| *sum > 1.0 - 1e-9);
    let last_share = sums.partition_point(|sum| *sum < sums.last().copied().unwrap_or(0.0));
    if full { u16::try_from(last_share).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(order: &ActionOrder, n: u32) -> Vec<f64> {
        let order = Order::new(order);
        let (mut place, mut random) = (Place::default(), Random::new(3));
        let mut counts = [0u32; 3];
        for _ in 0..n {
            counts[usize::from(order.next(&mut place, &mut random, 3))] += 1;
        }
        counts.iter().map(|count| f64::from(*count) / f64::from(n)).collect()
    }

    #[test]
    fn orders_keep_their_proportions() {
        assert_eq!(shares(&ActionOrder::Sequence, 9), [1.0 / 3.0; 3]);
        assert_eq!(shares(&ActionOrder::Cycle(vec![1, 3, 0]), 4000), [0.25, 0.75, 0.0]);
        let weighted = shares(&ActionOrder::Weighted(vec![1.0, 0.0, 3.0]), 40_000);
        assert!((weighted[0] - 0.25).abs() < 0.01 && weighted[1] == 0.0, "{weighted:?}");
    }

    #[test]
    fn a_workflow_has_its_stationary_distribution() {
        // From 0 always to 1; from 1 half to 0, half anew (start: 0 or 2 alike); from 2 back to 0. Stationary: π0 = π1, π2 = π1 / 4.
        let rows = vec![vec![0.0, 1.0, 0.0], vec![0.5, 0.0, 0.0], vec![1.0, 0.0, 0.0]];
        let got = shares(&ActionOrder::Workflow { start: vec![0.5, 0.0, 0.5], rows }, 90_000);
        for (got, exact) in got.iter().zip([4.0 / 9.0, 4.0 / 9.0, 1.0 / 9.0]) {
            assert!((got - exact).abs() < 0.01, "{got} {exact}");
        }
    }
}
