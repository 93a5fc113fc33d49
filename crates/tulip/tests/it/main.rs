//! Configurations as people have them: read, and what is wrong with them said.

mod corpus;
mod dialects;
mod foreign;
mod migrate;
mod page;
mod results;
mod sites;
mod table;
mod wrong;

use plan::{Load, Plan, Step};
use std::fmt::Write as _;
use tulip::Loaded;

/// What came of a text: the findings, then all of the plan that a run depends on.
fn shown(loaded: &Loaded) -> String {
    let mut out: Vec<String> = loaded.diagnostics.iter().map(ToString::to_string).collect();
    if let Some(run) = &loaded.run {
        let threads = run.thread_count.map_or("any".to_owned(), |count| count.to_string());
        out.push(format!("dialect {}, threads {threads}\n{}", run.dialect, shown_plan(&run.plan)));
        let facts = run.facts.benchmarks.iter().map(|facts| {
            let workflow = facts.workflow.as_deref().map_or(String::new(), |name| format!(" w:{name}"));
            format!(
                "[{}][{}] {:?} u:{} t:{} tokens:{}{workflow}{} {:?}",
                facts.context_index,
                facts.benchmark_index,
                facts.benchmark,
                facts.user_count,
                facts.thread_count,
                facts.token_count,
                if facts.is_saved { "" } else { " not saved" },
                facts.phases,
            )
        });
        out.extend(facts);
        let actions = run
            .facts
            .actions
            .iter()
            .map(|action| format!("{} {:?} {:?}", action.id, action.action, action.name));
        out.push(actions.collect::<Vec<_>>().join("\n"));
    }
    out.join("\n") + "\n"
}

fn shown_plan(plan: &Plan) -> String {
    let mut out = format!("plan {:?}\n", plan.name);
    for target in &plan.targets {
        let _ = writeln!(
            out,
            "target {} {} {:?}{} {:?}",
            target.name,
            target.url(),
            target.connections,
            target.alternates.iter().map(|index| format!(" or {index}")).collect::<String>(),
            target.headers
        );
    }
    for scenario in &plan.scenarios {
        let _ = writeln!(out, "scenario {:?} {:?}", scenario.name, scenario.order);
        for action in &scenario.actions {
            let steps: Vec<String> = action.steps.iter().map(shown_step).collect();
            let _ = writeln!(out, "{}", format!("    {:?} {}", action.name, steps.join(", ")).trim_end());
        }
    }
    for phase in &plan.phases {
        let load = match &phase.load {
            Load::Closed { users, in_flight_max } => {
                format!("closed {users} users, in flight {in_flight_max:?}")
            }
            Load::Once { users, in_flight_max } => {
                format!("once {users} users, in flight {in_flight_max:?}")
            }
            Load::Open { stages, users_max, users, .. } => {
                let rate = stages[0].rate_from.as_f64();
                format!("open {rate}/s, {} users, in flight {users_max}", users.unwrap_or_default())
            }
            other => format!("{other:?}"),
        };
        let length = phase.duration_ns.map_or("-".to_owned(), units::duration);
        let count = phase.action_count_max.map_or(String::new(), |count| format!(", count {count}"));
        let scenario = &plan.scenarios[phase.scenario].name;
        let _ = writeln!(
            out,
            "phase {:?} {:?} {scenario:?} {load}, {length}{count} x{}",
            phase.name, phase.kind, phase.repeat_count
        );
    }
    out.trim_end().to_owned()
}

fn shown_step(step: &Step) -> String {
    match step {
        Step::Request(request) => format!("{} {}", request.method, request.path),
        Step::Delay(pause) => format!("{pause:?}"),
        other => format!("{other:?}"),
    }
}
