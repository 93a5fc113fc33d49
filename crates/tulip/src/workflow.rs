//! A workflow's rows checked and turned into the plan's matrix of chances.
//!
//! State `-` is start and end and is never carried out: what leads to it leads to what follows it. Tulip cut chances to thousandths and wanted
//! exactly 1000 of them; what it took is taken here, and so is what sums to 1 with more digits.

use crate::config::{Row, Workflow};
use crate::faults::{Faults, quoted};
use plan::ActionOrder;

/// Start and end.
const START: &str = "-";
/// How far a sum may be from 1 by the rounding of its terms.
const SUM_SLACK: f64 = 1e-6;

/// A workflow ready for a plan.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chain {
    /// The ids, ascending; the matrix is in their order.
    pub(crate) ids: Vec<u32>,
    pub(crate) order: ActionOrder,
}

/// `None`: something is wrong, and `faults` says what.
pub(crate) fn compile(workflow: &Workflow, faults: &mut Faults<'_>) -> Option<Chain> {
    let name = quoted(&workflow.name);
    let is_sound = {
        let checks: Vec<bool> = workflow.rows.iter().map(|row| is_row_sound(workflow, row, faults)).collect();
        checks.into_iter().all(|sound| sound)
    };
    if row_of(workflow, START).is_none() {
        faults.error(
            workflow.at,
            format!("the workflow {name} has no row `-`"),
            "say what comes first: `\"-\": {\"1\": 1.0}`",
        );
        return None;
    }
    if !is_sound {
        return None;
    }
    let mut ids: Vec<u32> = Vec::new();
    let mut to_visit = vec![START];
    while let Some(state) = to_visit.pop() {
        let Some(row) = row_of(workflow, state) else {
            let message =
                format!("the workflow {name} leads to the state {}, which has no row", quoted(state));
            faults.error(workflow.at, message, format!("add `\"{state}\": {{\"-\": 1.0}}`"));
            return None;
        };
        for (next, chance) in row.chances.iter().filter(|(next, _)| next != START) {
            let id = next.parse().unwrap_or_default();
            if chance.value > 0.0 && !ids.contains(&id) {
                ids.push(id);
                to_visit.push(next);
            }
        }
    }
    ids.sort_unstable();
    let chances = |state: &str| -> Vec<f64> {
        let chances = row_of(workflow, state).map_or(&[][..], |row| &row.chances);
        let chance = |id: &u32| {
            chances.iter().find(|(next, _)| next.parse() == Ok(*id)).map_or(0.0, |(_, chance)| chance.value)
        };
        ids.iter().map(chance).collect()
    };
    let start = chances(START);
    let total: f64 = start.iter().sum();
    if total <= 0.0 {
        faults.error(
            workflow.at,
            format!("the workflow {name} never begins: `-` leads to no action"),
            "give an action a chance above 0",
        );
        return None;
    }
    let start = start.iter().map(|chance| chance / total).collect();
    let rows = ids.iter().map(|id| chances(&id.to_string())).collect();
    Some(Chain { ids, order: ActionOrder::Workflow { start, rows } })
}

fn row_of<'w>(workflow: &'w Workflow, state: &str) -> Option<&'w Row> {
    workflow.rows.iter().find(|row| row.state == state)
}

fn is_row_sound(workflow: &Workflow, row: &Row, faults: &mut Faults<'_>) -> bool {
    if row.chances.iter().any(|(_, chance)| chance.value.is_nan()) {
        return false;
    }
    let place = format!("workflow {}, state {}", quoted(&workflow.name), quoted(&row.state));
    let mut is_sound = is_state(&row.state, &place, row.at, faults);
    for (next, chance) in &row.chances {
        is_sound &= is_state(next, &place, chance.at, faults);
        if !(0.0..=1.0).contains(&chance.value) {
            faults.error(chance.at, format!("{place}: {} is no probability", chance.value), "use 0.0 to 1.0");
            is_sound = false;
        }
    }
    let sum: f64 = row.chances.iter().map(|(_, chance)| chance.value).sum();
    let thousandths: i64 =
        row.chances.iter().map(|(_, chance)| (chance.value * 1000.0 + SUM_SLACK) as i64).sum();
    if (sum - 1.0).abs() > SUM_SLACK && thousandths != 1000 {
        // The sum of nothing is -0.
        let sum = (sum * 1e6).round() / 1e6 + 0.0;
        let message = format!("{place}: the probabilities sum to {sum}, not to 1");
        faults.error(row.at, message, "make them sum to 1; what is left over may go to \"-\"");
        is_sound = false;
    }
    is_sound
}

fn is_state(state: &str, place: &str, at: usize, faults: &mut Faults<'_>) -> bool {
    let is_known = state == START
        || state.parse::<u32>().is_ok_and(|id| (1..=99).contains(&id) && id.to_string() == state);
    if !is_known {
        let hint = match state {
            "*" => "no release of Tulip carried a wildcard out; write a row for each state",
            _ => "states are `-` and the ids 1 to 99",
        };
        faults.error(at, format!("{place}: {} is no state", quoted(state)), hint);
    }
    is_known
}
