//! Objectives.

use super::Context;
use crate::model::SloText;
use crate::read::OneOrMany;
use crate::text::quoted;
use plan::{Phase, PhaseKind, Scenario, Slo};

impl Context<'_, '_> {
    pub(crate) fn slos(
        &mut self,
        slos: Option<&OneOrMany<SloText>>,
        phases: &[Phase],
        scenarios: &[Scenario],
    ) -> Vec<Slo> {
        let mut lowered = Vec::new();
        for text in slos.iter().flat_map(|slos| &slos.0) {
            if let Some(name) = &text.phase {
                match phases.iter().find(|phase| phase.name == name.value.trim()) {
                    None => self.unknown_name("phase", name, phases.iter().map(|phase| phase.name.as_str())),
                    Some(phase) if phase.kind == PhaseKind::Warmup => {
                        let message =
                            format!("the phase {} is a warm-up, which is not judged", quoted(&name.value));
                        self.error(name.at, message, "name a measured phase");
                    }
                    Some(_) => {}
                }
            }
            if let Some(name) = &text.action {
                let known = scenarios
                    .iter()
                    .flat_map(|scenario| &scenario.actions)
                    .map(|action| action.name.as_str());
                if !known.clone().any(|action| action == name.value.trim()) {
                    self.unknown_name("action", name, known);
                }
            }
            let Some(expect) = &text.expect else { continue };
            let named = |name: &Option<crate::read::At<String>>| {
                name.as_ref().map(|name| name.value.trim().to_owned())
            };
            lowered.push(Slo {
                phase: named(&text.phase),
                action: named(&text.action),
                abort: text.abort.as_ref().is_some_and(|abort| abort.value),
                ..expect.value.clone()
            });
        }
        lowered
    }
}
