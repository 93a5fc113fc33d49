//! One user of a declarative scenario: its place in the steps, its variables and cookies.

use crate::check::Seen;
use crate::compile::{CompiledRequest, CompiledStep, Program, Variant};
use crate::cookies::Jar;
use crate::feed::{FeedCursor, Row};
use crate::order::Place;
use crate::render::{Rendering, Text, Values};
use crate::{Answer, Choice, Connecting, Context, Event, Exchange, Next, RequestKind, RestKind, Scenario};
use plan::{CookiePolicy, Pause, Scheme};
use stats::ErrorClass;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use units::Random;

/// What the users of one worker share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) feeds: Vec<FeedCursor>,
    pub(crate) scratch: Vec<u8>,
}

/// An exponential pause is cut at so many times its mean: one in half a billion is longer.
const EXPONENTIAL_CUT: f64 = 20.0;

/// A user and the program it follows. Apart, so that a step can borrow the one while it changes the other without counting references.
pub(crate) struct Interpreter {
    program: Arc<Program>,
    user: User,
}

struct User {
    shared: Rc<RefCell<Shared>>,
    user_index: u64,
    iteration: u64,
    random: Random,
    place: Place,
    action: u16,
    step: usize,
    variables: Vec<String>,
    jar: Jar,
    /// The rendered request; unused while the fixed one is sent.
    buffer: Vec<u8>,
    sends_fixed: bool,
    redirect: Option<Redirect>,
    redirects_left: u32,
    feed_failed: bool,
}

/// Where an answer sent the user on to.
struct Redirect {
    target: u16,
    path: String,
    /// Whether method and body stay (RFC 9110 §15.4.8) or a GET without body is sent.
    keeps_method: bool,
}

impl Interpreter {
    pub(crate) fn new(program: Arc<Program>, shared: Rc<RefCell<Shared>>, user_index: u64) -> Self {
        let user = User {
            variables: program.variables.clone(),
            random: Random::stream(program.seed, user_index),
            shared,
            user_index,
            iteration: 0,
            place: Place::default(),
            action: 0,
            step: 0,
            jar: Jar::default(),
            buffer: Vec::new(),
            sends_fixed: false,
            redirect: None,
            redirects_left: 0,
            feed_failed: false,
        };
        Self { program, user }
    }
}

impl User {
    /// Fills the feeds' variables. `false`: a feed has ended, and with it the user.
    fn feed(&mut self) -> bool {
        let mut shared = self.shared.borrow_mut();
        for cursor in &mut shared.feeds {
            match cursor.next() {
                Row::Values(columns, values) => {
                    for (column, value) in columns.iter().zip(values) {
                        if let Some(variable) = self.variables.get_mut(usize::from(column.0)) {
                            variable.clone_from(value);
                        }
                    }
                }
                Row::Stop => return false,
                Row::Fail => self.feed_failed = true,
            }
        }
        true
    }

    /// Goes through the steps from the present one until something takes time.
    fn go_on(&mut self, program: &Program, now_ns: u64) -> Next {
        let steps = program.actions.get(usize::from(self.action)).map_or(&[][..], Vec::as_slice);
        while let Some(step) = steps.get(self.step) {
            match step {
                CompiledStep::Request(request) => {
                    self.redirect = None;
                    self.redirects_left = request.redirects_max;
                    return self.exchange(program, request, now_ns);
                }
                CompiledStep::Think(pause) => return self.rest(*pause, RestKind::Think),
                CompiledStep::Delay(pause) => return self.rest(*pause, RestKind::Delay),
                CompiledStep::Set(variable, text) => self.set(*variable, text),
            }
            self.step += 1;
        }
        Next::Done(Ok(()))
    }

    fn rest(&mut self, pause: Pause, kind: RestKind) -> Next {
        let duration_ns = match pause {
            Pause::Constant(ns) => ns,
            Pause::Uniform(low, high) => low + self.random.below(high.saturating_sub(low).saturating_add(1)),
            Pause::Exponential(mean_ns) => {
                (mean_ns as f64 * self.random.exponential().min(EXPONENTIAL_CUT)) as u64
            }
        };
        Next::Rest { duration_ns, kind }
    }

    fn set(&mut self, variable: usize, text: &Text) {
        let mut scratch = std::mem::take(&mut self.shared.borrow_mut().scratch);
        scratch.clear();
        text.write(&mut self.values(), &mut scratch);
        if let Some(place) = self.variables.get_mut(variable) {
            place.clear();
            place.push_str(&String::from_utf8_lossy(&scratch));
        }
        self.shared.borrow_mut().scratch = scratch;
    }

    fn values(&mut self) -> Values<'_> {
        Values {
            variables: &self.variables,
            user_index: self.user_index,
            iteration: self.iteration.saturating_sub(1),
            random: &mut self.random,
        }
    }

    /// Makes the request's bytes ready and says how to exchange them.
    fn exchange(&mut self, program: &Program, request: &CompiledRequest, now_ns: u64) -> Next {
        let variant = request.variant(self.user_index);
        let target = self.redirect.as_ref().map_or(variant.target, |redirect| redirect.target);
        let is_plain = self.redirect.is_none() && self.jar.is_empty();
        self.sends_fixed = is_plain && variant.fixed.is_some();
        let marks = match &variant.fixed {
            Some((_, marks)) if is_plain => *marks,
            _ => self.render(program, variant, target, now_ns),
        };
        let kind = match &self.redirect {
            Some(redirect) if !redirect.keeps_method && request.kind != RequestKind::Head => {
                RequestKind::Other
            }
            _ => request.kind,
        };
        let has_body = self.redirect.as_ref().is_none_or(|redirect| redirect.keeps_method);
        Next::Exchange(Exchange {
            target,
            request_index: request.request_index,
            kind,
            want: request.want,
            timeout_ns: request.timeout_ns,
            connecting: Connecting::Apart,
            times_write: false,
            head_bytes: (request.expects_continue && has_body).then_some(marks.head_bytes),
        })
    }

    fn render(
        &mut self,
        program: &Program,
        variant: &Variant,
        target: u16,
        now_ns: u64,
    ) -> crate::render::Marks {
        let redirected;
        let rendering = match &self.redirect {
            None => &variant.rendering,
            Some(redirect) => {
                redirected = redirect.applied_to(&variant.rendering, target == variant.target);
                &redirected
            }
        };
        let facts = program.targets.get(usize::from(target));
        let host = facts.map_or("", |facts| facts.authority.as_str());
        let is_secure = facts.is_some_and(|facts| facts.scheme == Scheme::Https);
        let Self { variables, user_index, iteration, random, jar, buffer, shared, .. } = self;
        let mut values =
            Values { variables, user_index: *user_index, iteration: iteration.saturating_sub(1), random };
        let scratch = &mut shared.borrow_mut().scratch;
        rendering.write(host, &mut values, scratch, buffer, |path, out| {
            jar.write(target, path, is_secure, now_ns, out)
        })
    }

    fn answered(&mut self, program: &Program, answer: Answer<'_>, context: &mut Context<'_>) -> Next {
        let steps = program.actions.get(usize::from(self.action)).map_or(&[][..], Vec::as_slice);
        let Some(CompiledStep::Request(request)) = steps.get(self.step) else {
            return Next::Done(Err(ErrorClass::Protocol));
        };
        if program.cookies == CookiePolicy::Keep {
            self.keep_cookies(request, &answer, context.now_ns);
        }
        if request.redirects_max > 0 && matches!(answer.status, 301 | 302 | 303 | 307 | 308) {
            match self.redirected(program, request, &answer) {
                Some(true) => return self.exchange(program, request, context.now_ns),
                Some(false) => return Next::Done(Err(ErrorClass::Redirect)),
                None => {}
            }
        }
        match self.judge(request, answer, context) {
            Ok(()) => {
                self.step += 1;
                self.go_on(program, context.now_ns)
            }
            Err(class) => Next::Done(Err(class)),
        }
    }

    /// Runs all checks, then the captures; the first failure decides the class.
    fn judge(
        &mut self,
        request: &CompiledRequest,
        answer: Answer<'_>,
        context: &mut Context<'_>,
    ) -> Result<(), ErrorClass> {
        let mut failure = (!request.checks_status && answer.status >= 400).then_some(ErrorClass::Status);
        if request.checks.is_empty() && request.captures.is_empty() {
            return failure.map_or(Ok(()), Err);
        }
        let mut seen = Seen::new(answer);
        for check in &request.checks {
            let holds = check.test.holds(&mut seen, &mut self.values());
            if let Some((passed, failed)) = context.checks.get_mut(check.slot) {
                *passed += u64::from(holds);
                *failed += u64::from(!holds);
            }
            if !holds {
                let class = match check.test {
                    crate::check::Test::Status(_) => ErrorClass::Status,
                    _ => ErrorClass::Check,
                };
                failure = failure.or(Some(class));
            }
        }
        for capture in &request.captures {
            let found = capture.source.find(&mut seen);
            match (found.as_deref().or(capture.default.as_deref()), self.variables.get_mut(capture.variable))
            {
                (Some(value), Some(variable)) => {
                    variable.clear();
                    variable.push_str(value);
                }
                _ => failure = failure.or(Some(ErrorClass::Check)),
            }
        }
        failure.map_or(Ok(()), Err)
    }

    fn keep_cookies(&mut self, request: &CompiledRequest, answer: &Answer<'_>, now_ns: u64) {
        let Some(headers) = answer.headers else { return };
        let own = request.variant(self.user_index).target;
        let target = self.redirect.as_ref().map_or(own, |redirect| redirect.target);
        for (_, line) in headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie")) {
            let path = self.sent_path(request).to_owned();
            self.jar.set(target, line, &path, now_ns);
        }
    }

    /// The path of the request that was sent last.
    fn sent_path<'a>(&'a self, request: &'a CompiledRequest) -> &'a str {
        let bytes = match &request.variant(self.user_index).fixed {
            Some((bytes, _)) if self.sends_fixed => bytes.as_slice(),
            _ => self.buffer.as_slice(),
        };
        let line = bytes.split(|byte| *byte == b'\r').next().unwrap_or_default();
        let path = line.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
        std::str::from_utf8(path).unwrap_or("/")
    }

    /// Notes where a redirect leads. `None`: it leads nowhere (no Location), and the answer stands for itself; `Some(false)`: it can't be followed.
    fn redirected(
        &mut self,
        program: &Program,
        request: &CompiledRequest,
        answer: &Answer<'_>,
    ) -> Option<bool> {
        let location = answer.headers?.get("location")?;
        let Ok(location) = std::str::from_utf8(location) else { return Some(false) };
        if self.redirects_left == 0 {
            return Some(false);
        }
        self.redirects_left -= 1;
        let variant = request.variant(self.user_index);
        let from = self.redirect.as_ref().map_or(variant.target, |redirect| redirect.target);
        let Some((target, path)) = resolve(program, location, from, self.sent_path(request)) else {
            return Some(false);
        };
        let already_get = self.redirect.as_ref().is_some_and(|redirect| !redirect.keeps_method);
        let is_safe = matches!(variant.rendering.method.as_str(), "GET" | "HEAD");
        let keeps_method = !already_get && (matches!(answer.status, 307 | 308) || is_safe);
        self.redirect = Some(Redirect { target, path, keeps_method });
        Some(true)
    }
}

/// Target and path of a reference relative to `from_path` on target `from` (RFC 3986 §5.2, for http references).
fn resolve(program: &Program, location: &str, from: u16, from_path: &str) -> Option<(u16, String)> {
    let location = location.split('#').next().unwrap_or_default();
    let lower = location.get(..8).unwrap_or(location).to_ascii_lowercase();
    let facts = program.targets.get(usize::from(from))?;
    let (scheme, rest) = match (lower.strip_prefix("http://"), lower.strip_prefix("https://")) {
        (Some(_), _) => (Scheme::Http, location.get(7..)?),
        (_, Some(_)) => (Scheme::Https, location.get(8..)?),
        _ => match location.strip_prefix("//") {
            Some(rest) => (facts.scheme, rest),
            None => return Some((from, relative(location, from_path))),
        },
    };
    let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    let same_origin = |target: &crate::compile::TargetFacts| {
        let bare = if target.host.contains(':') { format!("[{}]", target.host) } else { target.host.clone() };
        let with_port = format!("{bare}:{}", target.port);
        target.scheme == scheme
            && (authority.eq_ignore_ascii_case(&with_port)
                || (target.port == scheme.default_port() && authority.eq_ignore_ascii_case(&bare)))
    };
    if same_origin(facts) {
        return Some((from, path));
    }
    let other = program.targets.iter().position(same_origin)?;
    Some((u16::try_from(other).ok()?, path))
}

/// A reference without authority against the path it came from, dot segments removed (RFC 3986 §5.2.4).
fn relative(reference: &str, from_path: &str) -> String {
    let base = from_path.split('?').next().unwrap_or("/");
    let joined = match reference {
        "" => return from_path.to_owned(),
        r if r.starts_with('/') => r.to_owned(),
        r if r.starts_with('?') => format!("{base}{r}"),
        r => format!("{}{r}", base.get(..=base.rfind('/').unwrap_or(0)).unwrap_or("/")),
    };
    let (path, query) = joined.split_at(joined.find('?').unwrap_or(joined.len()));
    let mut segments: Vec<&str> = Vec::new();
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    for (index, part) in parts.iter().enumerate() {
        let is_last = index + 1 == parts.len();
        match *part {
            "." | ".." => {
                if *part == ".." {
                    segments.pop();
                }
                if is_last {
                    segments.push("");
                }
            }
            part => segments.push(part),
        }
    }
    format!("/{}{query}", segments.join("/"))
}

impl Redirect {
    /// The request as it goes to the new place. Credentials in headers stay within the same target.
    fn applied_to(&self, original: &Rendering, same_target: bool) -> Rendering {
        let mut path = Text::default();
        path.push(&plan::Template::text(&self.path), crate::render::Place::Path);
        let method = match (self.keeps_method, original.method.as_str()) {
            (true, method) => method,
            (false, "HEAD") => "HEAD",
            (false, _) => "GET",
        };
        Rendering {
            method: method.to_owned(),
            path,
            lines: if same_target { original.lines.clone() } else { Text::default() },
            body: if self.keeps_method { original.body.clone() } else { None },
            host: if same_target { original.host.clone() } else { None },
        }
    }
}

impl Scenario for Interpreter {
    fn begin(&mut self, choice: Choice) -> Option<u16> {
        let Self { program, user } = self;
        if !user.feed() {
            return None;
        }
        user.step = 0;
        user.iteration += 1;
        let action_count = u16::try_from(program.actions.len()).unwrap_or(u16::MAX);
        user.action = match choice {
            Choice::Next => program.order.next(&mut user.place, &mut user.random, action_count),
            Choice::Exactly(action) if action < action_count => action,
            Choice::Exactly(_) => return None,
        };
        Some(user.action)
    }

    fn resume(&mut self, event: Event<'_>, context: &mut Context<'_>) -> Next {
        let Self { program, user } = self;
        match event {
            Event::Begun if std::mem::take(&mut user.feed_failed) => Next::Done(Err(ErrorClass::Check)),
            Event::Begun => user.go_on(program, context.now_ns),
            Event::Answered(answer) => user.answered(program, answer, context),
            Event::Failed(class) => Next::Done(Err(class)),
            // Nothing was asked for that these would answer.
            Event::Lane(..) | Event::Met(_) => Next::Done(Err(ErrorClass::Protocol)),
            Event::Rested => {
                user.step += 1;
                user.go_on(program, context.now_ns)
            }
        }
    }

    fn request(&self) -> &[u8] {
        let Self { program, user } = self;
        if !user.sends_fixed {
            return &user.buffer;
        }
        let steps = program.actions.get(usize::from(user.action));
        match steps.and_then(|steps| steps.get(user.step)) {
            Some(CompiledStep::Request(request)) => {
                request.variant(user.user_index).fixed.as_ref().map_or(&[], |(bytes, _)| bytes)
            }
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests;
