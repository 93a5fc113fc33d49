//! What flags change of a plan that was read from a file.

use crate::quick::flag_fault;
use plan::{Diagnostic, PhaseStart, Plan, VariableIndex};

/// Gives a variable of `vars` another first value: `VARIABLE=VALUE`, in every scenario that has it.
pub(crate) fn set_variable(plan: &mut Plan, assignment: &str) -> Result<(), Diagnostic> {
    let flag = format!("--set {assignment}");
    let (name, value) = assignment
        .split_once('=')
        .ok_or_else(|| flag_fault(&flag, "there is no `=`; write for example --set user=ann"))?;
    let mut is_known = false;
    let wanted = plan.variables.iter().position(|known| known == name).and_then(|at| u16::try_from(at).ok());
    let initial = plan.scenarios.iter_mut().flat_map(|scenario| &mut scenario.initial);
    for (index, first) in initial {
        if wanted.map(VariableIndex) == Some(*index) {
            value.clone_into(first);
            is_known = true;
        }
    }
    if is_known { Ok(()) } else { Err(unknown_variable(plan, &flag, name)) }
}

fn unknown_variable(plan: &Plan, flag: &str, name: &str) -> Diagnostic {
    let firsts = plan.scenarios.iter().flat_map(|scenario| &scenario.initial);
    let mut known: Vec<&str> = firsts
        .filter_map(|(VariableIndex(index), _)| plan.variables.get(usize::from(*index)))
        .map(String::as_str)
        .collect();
    known.sort_unstable();
    known.dedup();
    let fault = Diagnostic::error(format!("{flag}: the plan gives no variable `{name}` a first value"));
    match plan::nearest(name, known.iter().copied()) {
        Some(meant) => fault.hint(format!("did you mean `{meant}`?")),
        None if known.is_empty() => fault.hint("add it to the plan under `vars:`"),
        None => fault.hint(format!("variables under `vars:`: {}", known.join(", "))),
    }
}

/// Multiplies the lengths of phases and stages and the pauses between phases. Rates, think times and limits stay.
pub(crate) fn scale_time(plan: &mut Plan, factor: f64) -> Result<(), Diagnostic> {
    if !(factor > 0.0 && factor <= 1e6) {
        return Err(flag_fault(
            &format!("--time-scale {factor}"),
            "the factor is out of range; use a number above 0, such as 0.05",
        ));
    }
    // At least 1 ms stays of what was not 0, so that no phase ends before it began.
    let scaled = |ns: u64| if ns == 0 { 0 } else { ((ns as f64 * factor) as u64).max(units::NS_PER_MS) };
    for phase in &mut plan.phases {
        phase.duration_ns = phase.duration_ns.map(scaled);
        let (PhaseStart::After(_, delay_ns) | PhaseStart::With(_, delay_ns)) = &mut phase.start;
        *delay_ns = scaled(*delay_ns);
        phase.load.scale_stages(scaled);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::Load;
    use planfile::InMemory;

    const TEXT: &str = "
target: http://a
vars: {user: ann, page: '1'}
request: GET /${user}/${page}
phases:
  - {stages: [{from: 1/s, to: 9/s, over: 10s}, {rate: 5/s, for: 1s}]}
  - {users: 3, duration: 1s, start: {delay: 2s}}
  - {users: 3, count: 7}
";

    fn plan() -> Plan {
        planfile::parse(TEXT, "plan.yaml", &InMemory::default()).plan.unwrap()
    }

    #[test]
    fn variables_are_set_in_every_scenario() {
        let mut plan = plan();
        assert_eq!(set_variable(&mut plan, "user=b=c"), Ok(()));
        let values: Vec<&str> = plan.scenarios[0].initial.iter().map(|(_, value)| value.as_str()).collect();
        assert!(values.contains(&"b=c") && values.contains(&"1") && !values.contains(&"ann"), "{values:?}");
        let mut said = |text: &str| set_variable(&mut plan, text).unwrap_err().to_string();
        assert_eq!(
            said("user"),
            "error: --set user: there is no `=`\nhint: write for example --set user=ann"
        );
        assert_eq!(
            said("usr=1"),
            "error: --set usr=1: the plan gives no variable `usr` a first value\nhint: did you mean `user`?"
        );
        assert!(said("nothing=1").ends_with("hint: variables under `vars:`: page, user"));
    }

    #[test]
    fn times_are_scaled_and_counts_stay() {
        let mut plan = plan();
        assert_eq!(scale_time(&mut plan, 0.1), Ok(()));
        let Load::Open { stages, .. } = &plan.phases[0].load else { unreachable!("the first phase is open") };
        assert_eq!(
            stages.iter().map(|stage| stage.duration_ns).collect::<Vec<_>>(),
            [1_000_000_000, 100_000_000]
        );
        assert_eq!(plan.phases[1].duration_ns, Some(100_000_000));
        assert!(matches!(plan.phases[1].start, PhaseStart::After(_, 200_000_000)));
        assert_eq!((plan.phases[2].duration_ns, plan.phases[2].action_count_max), (None, Some(7)));
        for factor in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(scale_time(&mut plan, factor).is_err(), "{factor}");
        }
        assert_eq!(scale_time(&mut plan, 1e-9), Ok(()));
        assert_eq!(plan.phases[1].duration_ns, Some(units::NS_PER_MS));
    }
}
