//! A plan as the text of a native plan file: YAML that the native reader turns into the same plan.
//!
//! It writes what configurations can lead to. Of a file of native actions it writes the common steps and says which ones it can't.

use crate::faults::{Faults, quoted};
use plan::{
    Action, ActionOrder, Body, CheckKind, ConnectionPolicy, CookiePolicy, Load, Pause, Phase, PhaseKind,
    Plan, Request, Scenario, Scheme, Step, Target, Template, TemplatePart,
};
use std::fmt::Write as _;

pub(super) fn write(plan: &Plan, thread_count: Option<usize>, faults: &mut Faults<'_>) -> String {
    let mut out = String::new();
    if let Some(count) = thread_count.filter(|count| *count > 1) {
        let message = format!(
            "a plan does not say how many threads carry it out, and the configuration asks for {count}"
        );
        faults.warning(0, message, format!("run it with `--threads {count}`"));
        let _ = writeln!(out, "# run with --threads {count}");
    }
    let _ = writeln!(out, "name: {}", scalar(&plan.name));
    let mut writer = Writer { plan, out, faults };
    writer.targets();
    writer.scenarios();
    writer.phases();
    writer.out
}

struct Writer<'w, 's> {
    plan: &'w Plan,
    out: String,
    faults: &'w mut Faults<'s>,
}

impl Writer<'_, '_> {
    fn line(&mut self, depth: usize, text: impl AsRef<str>) {
        let _ = writeln!(self.out, "{}{}", "  ".repeat(depth), text.as_ref());
    }

    fn cant(&mut self, what: &str) {
        let message = format!("{what} can't be written into the plan");
        self.faults.error(
            0,
            message,
            "migrate without --actions where the class is built in, or take the file of actions over by hand",
        );
    }

    fn targets(&mut self) {
        if self.plan.targets.is_empty() {
            return;
        }
        self.line(0, "\ntargets:");
        for target in &self.plan.targets {
            self.line(1, format!("{}:", scalar(&target.name)));
            self.line(2, format!("url: {}", scalar(&target.url())));
            if !target.headers.is_empty() {
                let each = target
                    .headers
                    .iter()
                    .map(|(name, value)| format!("{}: {}", scalar(name), scalar(value.expose())));
                self.line(2, format!("headers: {{ {} }}", each.collect::<Vec<_>>().join(", ")));
            }
            match target.connections {
                // Tulip has no connections that go with an action.
                ConnectionPolicy::PerUser | ConnectionPolicy::PerAction => {}
                ConnectionPolicy::PerRequest => self.line(2, "connections: per_request"),
                ConnectionPolicy::Shared(count) => self.line(2, format!("connections: {count}")),
            }
            if !target.alternates.is_empty() {
                let names = target.alternates.iter().filter_map(|index| self.plan.targets.get(*index));
                let names: Vec<String> = names.map(|other| scalar(&other.name)).collect();
                self.line(2, format!("alternates: [{}]", names.join(", ")));
            }
            if target.connect_timeout_ns != Target::CONNECT_TIMEOUT_NS {
                self.line(2, format!("connect_timeout: {}", time(target.connect_timeout_ns)));
            }
            if target.request_timeout_ns != Target::REQUEST_TIMEOUT_NS {
                self.line(2, format!("request_timeout: {}", time(target.request_timeout_ns)));
            }
            if target.unix_socket.is_some()
                || !target.addresses.is_empty()
                || (target.scheme == Scheme::Https && target.tls != plan::TlsSettings::default())
            {
                self.cant(&format!(
                    "how the target {} is reached (its socket, addresses or TLS)",
                    quoted(&target.name)
                ));
            }
        }
    }

    fn scenarios(&mut self) {
        self.line(0, "\nscenarios:");
        for (index, scenario) in self.plan.scenarios.iter().enumerate() {
            self.line(1, format!("{}:", scalar(&scenario_name(self.plan, index))));
            if scenario.cookies == CookiePolicy::Ignore {
                self.line(2, "cookies: ignore");
            }
            if !scenario.feeds.is_empty() || !scenario.initial.is_empty() {
                self.cant(&format!("the variables and feeds of the scenario {}", quoted(&scenario.name)));
            }
            let names = self.action_names(scenario);
            let weights = match &scenario.order {
                ActionOrder::Sequence => Vec::new(),
                ActionOrder::Weighted(weights) => weights.iter().map(f64::to_string).collect(),
                ActionOrder::Cycle(counts) => {
                    self.line(2, "order: cycle");
                    counts.iter().map(u32::to_string).collect()
                }
                ActionOrder::Workflow { start, rows } => {
                    self.workflow(start, rows, &names);
                    Vec::new()
                }
            };
            self.line(2, "actions:");
            for (index, (action, name)) in scenario.actions.iter().zip(&names).enumerate() {
                self.line(3, format!("- name: {}", scalar(name)));
                if let Some(weight) = weights.get(index) {
                    self.line(4, format!("weight: {weight}"));
                }
                self.action(action);
            }
        }
    }

    /// The names of actions, of which there is one each. In a workflow they are keys beside `start`.
    fn action_names(&mut self, scenario: &Scenario) -> Vec<String> {
        let is_workflow = matches!(scenario.order, ActionOrder::Workflow { .. });
        let mut names: Vec<String> = Vec::new();
        for action in &scenario.actions {
            let plain = match action.name.as_str() {
                "start" if is_workflow => "start (action)",
                name => name,
            };
            let mut name = plain.to_owned();
            let mut number = 2;
            while names.contains(&name) {
                name = format!("{plain} ({number})");
                number += 1;
            }
            if name != action.name {
                let message = format!(
                    "the action {} is called {} in the scenario {}",
                    quoted(&action.name),
                    quoted(&name),
                    quoted(&scenario.name)
                );
                self.faults.warning(
                    0,
                    message,
                    "names are one each in a plan; its results have a row for each",
                );
            }
            names.push(name);
        }
        names
    }

    fn workflow(&mut self, start: &[f64], rows: &[Vec<f64>], names: &[String]) {
        self.line(2, "workflow:");
        let shares = |row: &[f64]| {
            let each = row.iter().zip(names).filter(|(share, _)| **share > 0.0);
            let each = each.map(|(share, name)| format!("{}: {}", scalar(name), percent(*share)));
            each.collect::<Vec<_>>().join(", ")
        };
        self.line(3, format!("start: {{ {} }}", shares(start)));
        for (row, name) in rows.iter().zip(names).filter(|(row, _)| row.iter().any(|share| *share > 0.0)) {
            self.line(3, format!("{}: {{ {} }}", scalar(name), shares(row)));
        }
    }

    fn action(&mut self, action: &Action) {
        match action.steps.as_slice() {
            [] => self.line(4, "noop:"),
            // The one request of an action is called like it.
            [Step::Request(request)] if request.name == action.name => self.request(request, 4, 4),
            [Step::Delay(pause)] => self.line(4, format!("delay: {}", length(*pause))),
            [Step::Think(pause)] => self.line(4, format!("think: {}", length(*pause))),
            steps => {
                self.line(4, "steps:");
                for step in steps {
                    match step {
                        Step::Request(request) => self.request(request, 5, 6),
                        Step::Delay(pause) => self.line(5, format!("- delay: {}", length(*pause))),
                        Step::Think(pause) => self.line(5, format!("- think: {}", length(*pause))),
                        Step::Set(..) => {
                            self.cant(&format!("a variable that the action {} sets", quoted(&action.name)))
                        }
                    }
                }
            }
        }
    }

    /// `first_depth` below `depth`: the request is an item of a list.
    fn request(&mut self, request: &Request, first_depth: usize, depth: usize) {
        let dash = if first_depth < depth { "- " } else { "" };
        let path = template(&request.path);
        let method = request.method.to_ascii_lowercase();
        if ["get", "post", "put", "patch", "delete", "head", "options"].contains(&method.as_str()) {
            self.line(first_depth, format!("{dash}{method}: {path}"));
        } else {
            self.line(
                first_depth,
                format!("{dash}request: {}", scalar(&format!("{} {}", request.method, request.path))),
            );
        }
        if dash == "- " {
            self.line(depth, format!("name: {}", scalar(&request.name)));
        }
        if let Some(target) = self.plan.targets.get(request.target).filter(|_| self.plan.targets.len() > 1) {
            self.line(depth, format!("target: {}", scalar(&target.name)));
        }
        for (key, pairs) in [("query", &request.query), ("headers", &request.headers)] {
            if !pairs.is_empty() {
                let each = pairs.iter().map(|(name, value)| format!("{}: {}", scalar(name), template(value)));
                self.line(depth, format!("{key}: {{ {} }}", each.collect::<Vec<_>>().join(", ")));
            }
        }
        match &request.body {
            Body::None => {}
            Body::Bytes(bytes) if bytes.is_empty() => {}
            Body::Text(text) => self.line(depth, format!("body: {{ text: {} }}", template(text))),
            Body::Bytes(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => {
                    self.line(depth, format!("body: {{ text: {} }}", template(&Template::text(text))))
                }
                Err(_) => self.cant(&format!("the body of {}, which is no text,", quoted(&request.name))),
            },
            Body::Form(_) | Body::Multipart(_) => {
                self.cant(&format!("the form of {}", quoted(&request.name)))
            }
        }
        for check in &request.checks {
            match &check.kind {
                CheckKind::Status(ranges) => {
                    let each: Vec<String> = ranges.iter().map(|(low, high)| status(*low, *high)).collect();
                    self.line(depth, format!("check: [{}]", each.join(", ")));
                }
                _ => self.cant(&format!("the check {} of {}", quoted(&check.name), quoted(&request.name))),
            }
        }
        if !request.captures.is_empty() {
            self.cant(&format!("what {} captures", quoted(&request.name)));
        }
        if request.redirects_max > 0 {
            self.line(depth, format!("redirects: {}", request.redirects_max));
        }
        if let Some(limit_ns) = request.timeout_ns {
            self.line(depth, format!("timeout: {}", time(limit_ns)));
        }
    }

    fn phases(&mut self) {
        self.line(0, "\nphases:");
        for phase in &self.plan.phases {
            self.phase(phase);
        }
    }

    fn phase(&mut self, phase: &Phase) {
        self.line(1, format!("- name: {}", scalar(&phase.name)));
        if phase.kind == PhaseKind::Warmup {
            self.line(2, "warmup: true");
        }
        if self.plan.scenarios.len() > 1 {
            self.line(2, format!("scenario: {}", scalar(&scenario_name(self.plan, phase.scenario))));
        }
        match &phase.load {
            Load::Closed { users, in_flight_max } => {
                self.line(2, format!("users: {users}"));
                self.in_flight(*in_flight_max);
            }
            Load::Once { users, in_flight_max } => {
                self.line(2, format!("once: {users}"));
                self.in_flight(*in_flight_max);
            }
            Load::Open { stages, users_max, users, .. } => {
                for stage in stages {
                    self.line(2, format!("rate: {}", rate(stage.rate_from)));
                }
                if let Some(users) = users {
                    self.line(2, format!("users_in_turn: {users}"));
                }
                self.line(2, format!("users_max: {users_max}"));
            }
            // No configuration of Tulip becomes a load of another kind.
            _ => {}
        }
        if let Some(duration_ns) = phase.duration_ns {
            self.line(2, format!("duration: {}", time(duration_ns)));
        }
        if phase.repeat_count > 1 {
            self.line(2, format!("repeat: {}", phase.repeat_count));
        }
    }

    fn in_flight(&mut self, max: Option<u32>) {
        if let Some(max) = max {
            self.line(2, format!("in_flight_max: {max}"));
        }
    }
}

/// The name of a scenario as a key, of which there is one each.
fn scenario_name(plan: &Plan, index: usize) -> String {
    let name = |index: usize| plan.scenarios.get(index).map_or("", |scenario| scenario.name.as_str());
    let earlier = (0..index).filter(|earlier| name(*earlier) == name(index)).count();
    if earlier == 0 { name(index).to_owned() } else { format!("{} ({})", name(index), earlier + 1) }
}

/// A text as a YAML scalar: plain where nobody could take it for something else, else in double quotes as JSON has them.
fn scalar(text: &str) -> String {
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c))
        && !["true", "false", "yes", "no", "on", "off", "null", "y", "n"]
            .contains(&text.to_ascii_lowercase().as_str());
    if is_plain { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}

/// A text with variables; a `${` that is none is marked as such.
fn template(text: &Template) -> String {
    let part = |part: &TemplatePart| match part {
        TemplatePart::Text(text) => text.replace("${", "$${"),
        other => Template { parts: vec![other.clone()] }.to_string(),
    };
    scalar(&text.parts.iter().map(part).collect::<String>())
}

/// The longest unit that keeps it whole.
fn time(ns: u64) -> String {
    const UNITS: [(u64, &str); 3] =
        [(units::NS_PER_SEC, "s"), (units::NS_PER_MS, "ms"), (units::NS_PER_US, "us")];
    let unit = UNITS.iter().find(|(unit_ns, _)| ns > 0 && ns.is_multiple_of(*unit_ns));
    unit.map_or_else(|| format!("{ns}ns"), |(unit_ns, unit)| format!("{}{unit}", ns / unit_ns))
}

fn length(pause: Pause) -> String {
    match pause {
        Pause::Constant(ns) => time(ns),
        Pause::Uniform(low_ns, high_ns) => format!("{{ uniform: [{}, {}] }}", time(low_ns), time(high_ns)),
        Pause::Exponential(mean_ns) => format!("{{ exponential: {} }}", time(mean_ns)),
    }
}

fn rate(rate: units::Rate) -> String {
    format!("{}/s", rate.as_f64())
}

fn percent(share: f64) -> String {
    // Fifteen digits are all that a share has; more would only show how binary fractions are written.
    let digits = format!("{:.13}", share * 100.0);
    format!("{}%", digits.trim_end_matches('0').trim_end_matches('.'))
}

/// `200`, `2xx`, `200-299`.
fn status(low: u16, high: u16) -> String {
    match (low, high) {
        (low, high) if low == high => low.to_string(),
        (low, high) if low % 100 == 0 && high == low + 99 => format!("{}xx", low / 100),
        (low, high) => format!("{low}-{high}"),
    }
}
