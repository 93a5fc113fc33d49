//! When the number of users of a ramping load changes.

use plan::UserStage;

/// From a time on, so many users have a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserStep {
    /// Since the phase's start, ns.
    pub at_ns: u64,
    /// Over all workers.
    pub users: u32,
}

/// All changes of a ramping load in order, the first at 0. A stage that ends at T after a length D and goes from a to b users
/// - up: gives the user with number n (from 1) its place at T − D·(b − n)/(b − a): the last one just at T;
/// - down: takes the place of the user with number n at T − D·(n − 1 − b)/(a − b): again the last one just at T.
///
/// Fractions of a ns are cut off. Steps at the same time are one.
pub fn user_steps(users_from: u32, stages: &[UserStage]) -> Vec<UserStep> {
    let mut steps = vec![UserStep { at_ns: 0, users: users_from }];
    let mut push = |at_ns: u64, users: u32| match steps.last_mut() {
        Some(last) if last.at_ns == at_ns => last.users = users,
        Some(last) if last.users == users => {}
        _ => steps.push(UserStep { at_ns, users }),
    };
    let (mut from, mut end_ns) = (users_from, 0u64);
    for stage in stages {
        let (to, length_ns) = (stage.users_to, stage.duration_ns);
        end_ns = end_ns.saturating_add(length_ns);
        let before_end = |part: u32| {
            let part_ns = u128::from(length_ns) * u128::from(part) / u128::from(from.abs_diff(to).max(1));
            end_ns.saturating_sub(part_ns as u64)
        };
        if length_ns == 0 {
            push(end_ns, to);
        } else if to > from {
            (from + 1..=to).for_each(|number| push(before_end(to - number), number));
        } else {
            (to + 1..=from).rev().for_each(|number| push(before_end(number - 1 - to), number - 1));
        }
        from = to;
    }
    steps
}
