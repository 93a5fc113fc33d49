//! A declarative scenario made ready to run: names resolved, requests rendered, expressions compiled, once for all users.

use crate::check::{CompiledCapture, CompiledCheck, Source, Test};
use crate::feed::FeedCursor;
use crate::interpreter::{Interpreter, Shared};
use crate::order::Order;
use crate::render::{Marks, Place, Rendering, Text, Values};
use crate::{Scenario, ScenarioFactory, Shape, UserSource, Want};
use plan::{
    Body, ConnectionPolicy, CookiePolicy, Diagnostic, Feed, Part, Pause, Plan, Request, Scheme, Step,
    Template,
};
use proto::http1::RequestKind;
use proto::http1::request::RequestHead;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use units::Random;

/// Streams of a scenario's seed from here on are its feeds'; below are its users'.
const FEED_STREAM: u64 = 1 << 40;

/// A scenario of a plan, ready to run.
#[derive(Debug)]
pub struct Program {
    pub(crate) shape: Shape,
    pub(crate) order: Order,
    pub(crate) actions: Vec<Vec<CompiledStep>>,
    pub(crate) targets: Vec<TargetFacts>,
    pub(crate) cookies: CookiePolicy,
    pub(crate) variables: Vec<String>,
    pub(crate) seed: u64,
    feeds: Vec<Arc<Feed>>,
}

/// What requests need to know of a target.
#[derive(Debug)]
pub(crate) struct TargetFacts {
    pub(crate) scheme: Scheme,
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) authority: String,
}

#[derive(Debug)]
pub(crate) enum CompiledStep {
    Request(Box<CompiledRequest>),
    Think(Pause),
    Delay(Pause),
    Set(usize, Text),
}

#[derive(Debug)]
pub(crate) struct CompiledRequest {
    /// One for each target that takes turns; users have theirs by their number.
    pub(crate) variants: Vec<Variant>,
    pub(crate) request_index: Option<u16>,
    pub(crate) kind: RequestKind,
    pub(crate) want: Want,
    pub(crate) timeout_ns: u64,
    pub(crate) expects_continue: bool,
    pub(crate) checks_status: bool,
    pub(crate) checks: Vec<CompiledCheck>,
    pub(crate) captures: Vec<CompiledCapture>,
    pub(crate) redirects_max: u32,
}

/// A request as it goes to one target.
#[derive(Debug)]
pub(crate) struct Variant {
    pub(crate) target: u16,
    pub(crate) rendering: Rendering,
    /// The request itself, when nothing in it varies.
    pub(crate) fixed: Option<(Vec<u8>, Marks)>,
}

impl CompiledRequest {
    /// The variant of a user.
    #[inline]
    pub(crate) fn variant(&self, user_index: u64) -> &Variant {
        // Almost always there is one, and a division would cost more than the rest of the choice.
        let count = self.variants.len();
        if count == 1 { &self.variants[0] } else { &self.variants[user_index as usize % count] }
    }
}

impl Program {
    /// Compiles scenario `scenario_index` of a plan without faults. Errors: headers, paths and expressions that can't be.
    pub fn compile(plan: &Plan, scenario_index: usize) -> Result<Self, Vec<Diagnostic>> {
        let Some(scenario) = plan.scenarios.get(scenario_index) else {
            return Err(vec![Diagnostic::error("the plan has no such scenario")]);
        };
        let mut compiler = Compiler { plan, scenario, shape: Shape::default(), faults: Vec::new() };
        let actions: Vec<Vec<CompiledStep>> =
            scenario.actions.iter().map(|action| compiler.action(action)).collect();
        let Compiler { shape, faults, .. } = compiler;
        if !faults.is_empty() {
            return Err(faults);
        }
        let mut variables = vec![String::new(); plan.variables.len()];
        for (index, value) in &scenario.initial {
            if let Some(variable) = variables.get_mut(usize::from(index.0)) {
                variable.clone_from(value);
            }
        }
        let target = |target: &plan::Target| TargetFacts {
            scheme: target.scheme,
            host: target.host.clone(),
            port: target.port,
            authority: target.authority(),
        };
        Ok(Self {
            shape,
            order: Order::new(&scenario.order),
            actions,
            targets: plan.targets.iter().map(target).collect(),
            cookies: scenario.cookies,
            variables,
            // A stream of its own for each scenario.
            seed: Random::stream(plan.seed, scenario_index as u64).bits(),
            feeds: scenario
                .feeds
                .iter()
                .filter_map(|feed| plan.feeds.get(*feed))
                .cloned()
                .map(Arc::new)
                .collect(),
        })
    }
}

/// A program is shared by its users, so the factory is the shared handle.
impl ScenarioFactory for Arc<Program> {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn source(&self, worker_index: u64, worker_count: u64) -> Box<dyn UserSource> {
        let cursor = |(index, feed): (usize, &Arc<Feed>)| {
            // Each feed draws from a stream of its own, apart from those of users.
            let seed = Random::stream(self.seed, FEED_STREAM + index as u64).bits();
            FeedCursor::new(Arc::clone(feed), seed, worker_index, worker_count)
        };
        let feeds = self.feeds.iter().enumerate().map(cursor).collect();
        let shared = Rc::new(RefCell::new(Shared { feeds, scratch: Vec::new() }));
        Box::new(ProgramUsers { program: Arc::clone(self), shared })
    }
}

/// One worker's users of a program.
struct ProgramUsers {
    program: Arc<Program>,
    shared: Rc<RefCell<Shared>>,
}

impl UserSource for ProgramUsers {
    fn user(&mut self, user_index: u64) -> Box<dyn Scenario> {
        Box::new(Interpreter::new(Arc::clone(&self.program), Rc::clone(&self.shared), user_index))
    }
}

struct Compiler<'a> {
    plan: &'a Plan,
    scenario: &'a plan::Scenario,
    shape: Shape,
    faults: Vec<Diagnostic>,
}

impl Compiler<'_> {
    fn action(&mut self, action: &plan::Action) -> Vec<CompiledStep> {
        self.shape.actions.push(action.name.clone());
        let request_count = action.steps.iter().filter(|step| matches!(step, Step::Request(_))).count();
        let mut steps = Vec::new();
        for step in &action.steps {
            steps.push(match step {
                Step::Request(request) => match self.request(request, &action.name, request_count > 1) {
                    Some(request) => CompiledStep::Request(Box::new(request)),
                    None => continue,
                },
                Step::Think(pause) => CompiledStep::Think(*pause),
                Step::Delay(pause) => CompiledStep::Delay(*pause),
                Step::Set(variable, template) => {
                    let mut text = Text::default();
                    text.push(template, Place::Body);
                    CompiledStep::Set(usize::from(variable.0), text)
                }
            });
        }
        steps
    }

    fn request(
        &mut self,
        request: &Request,
        action: &str,
        is_measured_apart: bool,
    ) -> Option<CompiledRequest> {
        let fault_count = self.faults.len();
        let target = self.plan.targets.get(request.target)?;
        let turns = std::iter::once(&request.target).chain(&target.alternates);
        let mut variants = Vec::new();
        for index in turns {
            let target = self.plan.targets.get(*index)?;
            let rendering = self.rendering(request, target);
            let fixed = fixed(&rendering, &target.authority());
            variants.push(Variant { target: u16::try_from(*index).ok()?, rendering, fixed });
        }
        let (checks, captures) = (self.checks(request, action), self.captures(request));
        if self.faults.len() > fault_count {
            return None;
        }
        let request_index = is_measured_apart.then(|| {
            self.shape.requests.push(format!("{action} / {}", request.name));
            u16::try_from(self.shape.requests.len() - 1).unwrap_or(u16::MAX)
        });
        let wants_body = checks.iter().any(|check| check.test.wants_body())
            || captures.iter().any(|capture| capture.source.wants_body());
        let wants_headers = wants_body
            || !captures.is_empty()
            || request.redirects_max > 0
            || self.scenario.cookies == CookiePolicy::Keep
            || checks.iter().any(|check| check.test.wants_headers());
        let kind = match request.method.as_str() {
            "HEAD" => RequestKind::Head,
            "CONNECT" => RequestKind::Connect,
            _ => RequestKind::Other,
        };
        let expects_continue = variants.iter().all(|variant| variant.rendering.body.is_some())
            && request.headers.iter().any(|(name, value)| {
                name.eq_ignore_ascii_case("expect")
                    && value.as_static().is_some_and(|v| v.eq_ignore_ascii_case("100-continue"))
            });
        Some(CompiledRequest {
            variants,
            request_index,
            kind,
            want: Want { headers: wants_headers, body: wants_body },
            timeout_ns: request.timeout_ns.unwrap_or(target.request_timeout_ns),
            expects_continue,
            checks_status: checks.iter().any(|check| matches!(check.test, Test::Status(_))),
            checks,
            captures,
            redirects_max: request.redirects_max,
        })
    }

    fn checks(&mut self, request: &Request, action: &str) -> Vec<CompiledCheck> {
        let mut compiled = Vec::new();
        for check in &request.checks {
            match Test::compile(&check.kind) {
                Ok(test) => {
                    compiled.push(CompiledCheck { slot: self.shape.checks.len(), test });
                    self.shape.checks.push(format!("{action} / {}", check.name));
                }
                Err(message) => self.faults.push(Diagnostic::error(message)),
            }
        }
        compiled
    }

    fn captures(&mut self, request: &Request) -> Vec<CompiledCapture> {
        let mut compiled = Vec::new();
        for capture in &request.captures {
            match Source::compile(&capture.source) {
                Ok(source) => compiled.push(CompiledCapture {
                    variable: usize::from(capture.variable.0),
                    source,
                    default: capture.default.clone(),
                }),
                Err(message) => self.faults.push(Diagnostic::error(message)),
            }
        }
        compiled
    }

    fn rendering(&mut self, request: &Request, target: &plan::Target) -> Rendering {
        let mut path = Text::default();
        path.push(&Template::text(&target.base_path), Place::Path);
        path.push(&request.path, Place::Path);
        if path.as_fixed() == Some(b"") {
            path.push_bytes(b"/");
        }
        let has_query = request
            .path
            .parts
            .iter()
            .any(|part| matches!(part, plan::TemplatePart::Text(text) if text.contains('?')));
        for (index, (name, value)) in request.query.iter().enumerate() {
            path.push_bytes(if index == 0 && !has_query { b"?" } else { b"&" });
            path.push(&Template::text(name), Place::Query);
            path.push_bytes(b"=");
            path.push(value, Place::Query);
        }
        let (body, body_type) = self.body(&request.body, &request.name);
        let given = |name: &str| request.headers.iter().any(|(header, _)| header.eq_ignore_ascii_case(name));
        let mut headers: Vec<(String, Template)> = Vec::new();
        for (name, value) in target.headers.iter().filter(|(name, _)| !given(name)) {
            headers.push((name.clone(), Template::text(value.expose())));
        }
        headers.extend(request.headers.iter().cloned());
        let mut defaults = vec![("user-agent", concat!("weir/", env!("CARGO_PKG_VERSION")).to_owned())];
        defaults.extend(body_type.map(|value| ("content-type", value)));
        if target.connections == ConnectionPolicy::PerRequest {
            defaults.push(("connection", "close".to_owned()));
        }
        for (name, value) in defaults.into_iter().rev() {
            if !headers.iter().any(|(header, _)| header.eq_ignore_ascii_case(name)) {
                headers.insert(0, (name.to_owned(), Template::text(value)));
            }
        }
        let host = headers.iter().position(|(name, _)| name.eq_ignore_ascii_case("host"));
        let host = host.map(|at| headers.remove(at).1.to_string());
        let lines = self.lines(request, &headers, host.as_deref().unwrap_or(&target.authority()));
        // A method that foresees a body announces an empty one too (RFC 9110 §8.6).
        let body =
            body.or_else(|| matches!(request.method.as_str(), "POST" | "PUT" | "PATCH").then(Text::default));
        Rendering { method: request.method.clone(), path, lines, body, host }
    }

    /// The header lines; what could not be sent becomes a fault.
    fn lines(&mut self, request: &Request, headers: &[(String, Template)], host: &str) -> Text {
        let mut lines = Text::default();
        let mut proof = Vec::new();
        let mut fault = |error: proto::http1::request::RequestError| {
            self.faults.push(Diagnostic::error(format!("request `{}`: {error}", request.name)));
        };
        match RequestHead::begin(&mut proof, &request.method, "/", host) {
            Err(error) => fault(error),
            Ok(mut head) => {
                for (name, value) in headers {
                    let fixed: String = value
                        .parts
                        .iter()
                        .filter_map(|part| match part {
                            plan::TemplatePart::Text(text) => Some(text.as_str()),
                            _ => None,
                        })
                        .collect();
                    if let Err(error) = head.header(name, fixed.as_bytes()) {
                        fault(error);
                    }
                    lines.push_bytes(name.as_bytes());
                    lines.push_bytes(b": ");
                    lines.push(value, Place::Header);
                    lines.push_bytes(b"\r\n");
                }
            }
        }
        lines
    }

    /// The body's text and the media type that it implies.
    fn body(&mut self, body: &Body, request: &str) -> (Option<Text>, Option<String>) {
        let mut text = Text::default();
        let mut media_type = None;
        match body {
            Body::None => return (None, None),
            Body::Bytes(bytes) => text.push_bytes(bytes),
            Body::Text(template) => text.push(template, Place::Body),
            Body::Form(fields) => {
                for (index, (name, value)) in fields.iter().enumerate() {
                    text.push_bytes(if index == 0 { b"" } else { b"&" });
                    text.push(&Template::text(name), Place::Query);
                    text.push_bytes(b"=");
                    text.push(value, Place::Query);
                }
                media_type = Some("application/x-www-form-urlencoded".to_owned());
            }
            Body::Multipart(parts) => {
                // Fixed by the seed and the request, so that runs repeat; 64 random bits do not occur in content by chance.
                let salt = request
                    .bytes()
                    .fold(0u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
                let boundary = format!("weir-{:016x}", Random::stream(self.plan.seed, salt).bits());
                for part in parts {
                    self.part(part, &boundary, &mut text);
                }
                text.push_bytes(format!("--{boundary}--\r\n").as_bytes());
                media_type = Some(format!("multipart/form-data; boundary={boundary}"));
            }
        }
        (Some(text), media_type)
    }

    /// RFC 7578 §4: one part with its delimiter.
    fn part(&mut self, part: &Part, boundary: &str, text: &mut Text) {
        // RFC 7578 §2 refers to the HTML standard: quotes and line ends in names are percent-encoded.
        let quoted = |name: &str| name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A");
        let mut head =
            format!("--{boundary}\r\ncontent-disposition: form-data; name=\"{}\"", quoted(&part.name));
        if let Some(file_name) = &part.file_name {
            head.push_str(&format!("; filename=\"{}\"", quoted(file_name)));
        }
        let default_type = part.file_name.as_ref().map(|_| "application/octet-stream");
        if let Some(media_type) = part.content_type.as_deref().or(default_type) {
            head.push_str(&format!("\r\ncontent-type: {}", media_type.replace(['\r', '\n'], " ")));
        }
        text.push_bytes(head.as_bytes());
        text.push_bytes(b"\r\n\r\n");
        match &part.content {
            Body::Bytes(bytes) => text.push_bytes(bytes),
            Body::Text(template) => text.push(template, Place::Body),
            Body::None => {}
            Body::Form(_) | Body::Multipart(_) => {
                self.faults.push(Diagnostic::error(format!(
                    "part `{}` of a multipart body is itself a form",
                    part.name
                )));
            }
        }
        text.push_bytes(b"\r\n");
    }
}

/// The request's bytes, when nothing in it varies.
fn fixed(rendering: &Rendering, authority: &str) -> Option<(Vec<u8>, Marks)> {
    if !rendering.is_fixed() {
        return None;
    }
    let (mut out, mut scratch) = (Vec::new(), Vec::new());
    let mut random = Random::new(0);
    let mut values = Values { variables: &[], user_index: 0, iteration: 0, random: &mut random };
    let marks = rendering.write(authority, &mut values, &mut scratch, &mut out, |_, _| ());
    Some((out, marks))
}
