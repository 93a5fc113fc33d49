//! The user classes that are built in: what each id does, in the plan's steps.
//!
//! What a class printed per action is left out; what it slept is kept. Random sleeps were whole milliseconds and are any here, with the same mean.

use crate::faults::{Faults, quoted};
use crate::url::{self, Url};
use plan::{
    Body, Builtin, Check, CheckKind, ConnectionPolicy, Pause, Request, Scheme, Secret, Step, Target,
    Template, TemplatePart,
};
use units::NS_PER_MS;

/// A class that needs no JVM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// `user.http.HttpUser` of the first releases: records of the user's own number; 200 is success.
    Seed,
    /// `org.example.user.HttpUser` and `TestHttpUser` of later ones: records at random; 2xx is success.
    Demonstration,
    /// `KwrkHttpUser`: one URL, GET or POST.
    Kwrk,
}

/// Steps of an action.
pub(crate) type Steps = Vec<Step>;

impl Class {
    /// The class of that name, if it is built in.
    pub(crate) fn of(name: &str) -> Option<Self> {
        match name.trim() {
            "user.http.HttpUser" | "HttpUser" => Some(Self::Seed),
            "org.example.user.HttpUser" | "org.example.user.TestHttpUser" | "TestHttpUser" => {
                Some(Self::Demonstration)
            }
            name if name.rsplit('.').next() == Some("KwrkHttpUser") => Some(Self::Kwrk),
            _ => None,
        }
    }

    /// Whether an id sends requests.
    pub(crate) fn sends(self, id: u32) -> bool {
        match self {
            Self::Seed | Self::Demonstration => (3..=7).contains(&id),
            Self::Kwrk => matches!(id, 1 | 2),
        }
    }

    /// What an id does; `None`: the class has no such action. `target` is the index of its target in the plan.
    pub(crate) fn steps(self, id: u32, stop_id: u32, target: usize, site: Option<&Site>) -> Option<Steps> {
        let ms = |low: u64, high: u64| vec![Step::Delay(Pause::Uniform(low * NS_PER_MS, high * NS_PER_MS))];
        let fixed = |ms: u64| vec![Step::Delay(Pause::Constant(ms * NS_PER_MS))];
        if id == 0 {
            return Some(Vec::new());
        }
        if id == stop_id {
            return Some(if self == Self::Kwrk { Vec::new() } else { fixed(100) });
        }
        if self == Self::Kwrk {
            let site = site?;
            let path = Template::text(format!("{}{}", site.path, site.query));
            return match id {
                1 => Some(vec![request("GET", path, target, (200, 299), Body::None)]),
                2 => {
                    let body = Body::Bytes(site.json_body.clone().into_bytes());
                    Some(vec![request("POST", path, target, (200, 299), body)])
                }
                _ => None,
            };
        }
        match id {
            1 => Some(ms(0, 12)),
            2 => Some(ms(0, 28)),
            3..=7 => {
                let (name, last) = record_of(id)?;
                let (value, ok) = match self {
                    Self::Seed => (Builtin::UserNumber, (200, 200)),
                    _ => (Builtin::Random { low: 1, high: last }, (200, 299)),
                };
                let parts = vec![TemplatePart::Text(format!("/{name}/")), TemplatePart::Builtin(value)];
                Some(vec![request("GET", Template { parts }, target, ok, Body::None)])
            }
            8 | 9 => Some(Vec::new()),
            10 => Some(fixed(10)),
            _ => None,
        }
    }
}

/// The collection that an id reads, and the number of its last record.
fn record_of(id: u32) -> Option<(&'static str, u64)> {
    match id {
        3 => Some(("posts", 100)),
        4 => Some(("comments", 500)),
        5 => Some(("albums", 100)),
        6 => Some(("photos", 5000)),
        7 => Some(("todos", 200)),
        _ => None,
    }
}

fn request(method: &str, path: Template, target: usize, ok: (u16, u16), body: Body) -> Step {
    let mut headers = Vec::new();
    if body != Body::None {
        headers.push(("content-type".to_owned(), Template::text("application/json")));
    }
    Step::Request(Box::new(Request {
        name: format!("{method} {path}"),
        target,
        method: method.to_owned(),
        path,
        query: Vec::new(),
        headers,
        body,
        checks: vec![Check { name: "status".to_owned(), kind: CheckKind::Status(vec![ok]) }],
        captures: Vec::new(),
        redirects_max: 0,
        timeout_ns: None,
    }))
}

/// Where a class sends, as `user_params` say.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Site {
    pub(crate) target: Target,
    path: String,
    query: String,
    json_body: String,
}

/// The parameters of one context: those of the context win over the header's.
pub(crate) struct Params<'c> {
    pub(crate) header: &'c crate::config::Params,
    pub(crate) context: &'c crate::config::Params,
    /// Where the header stands, for what is missing.
    pub(crate) at: usize,
}

impl Params<'_> {
    fn get(&self, name: &str) -> Option<(usize, &str)> {
        let mut all = self.context.iter().chain(self.header);
        let found = all.find(|(key, _)| key == name).map(|(_, value)| (value.at, value.value.trim()));
        found.filter(|(_, value)| !value.is_empty())
    }

    /// The site of a class with so many users. `None`: something is wrong, and `faults` says what.
    pub(crate) fn site(&self, class: Class, user_count: u32, faults: &mut Faults<'_>) -> Option<Site> {
        let Some((at, text)) = self.get("url") else {
            faults.error(
                self.at,
                "`user_params` has no `url`, and actions send requests",
                "add `\"url\": \"http://localhost:7070\"`",
            );
            return None;
        };
        let mut urls = text.split(',').map(str::trim).filter(|url| !url.is_empty());
        let first = urls.next().unwrap_or_default();
        let shares = self.shares(faults);
        if urls.next().is_some() {
            match shares {
                true => faults.error(
                    at,
                    "several URLs in `url` are not supported",
                    "keep one, or run the configuration once per URL",
                ),
                false => faults.warning(
                    at,
                    "of several URLs in `url` only the first is used, as in Tulip",
                    "keep one",
                ),
            }
        }
        let url = url::parse(first)
            .map_err(|why| {
                faults.error(
                    at,
                    format!("the URL {}: {why}", quoted(first)),
                    "write for example http://localhost:7070",
                )
            })
            .ok()?;
        let Url { scheme, host, port, path, query } = url;
        let mut target = Target::new(scheme, host, port);
        if port != scheme.default_port() || scheme == Scheme::Https {
            target.name = target.authority();
        }
        target.connections =
            if shares { ConnectionPolicy::Shared(user_count) } else { ConnectionPolicy::PerUser };
        if class == Class::Seed {
            target.base_path = path.clone();
        } else {
            self.client_settings(&mut target, faults);
        }
        let json_body = self.get("jsonBody").map_or_else(String::new, |(_, body)| body.to_owned());
        Some(Site { target, path: if path.is_empty() { "/".to_owned() } else { path }, query, json_body })
    }

    /// Whether users share connections; unset means so, anything unknown means not.
    fn shares(&self, faults: &mut Faults<'_>) -> bool {
        match self.get("shareConnections") {
            None | Some((_, "true")) => true,
            Some((_, "false")) => false,
            Some((at, other)) => {
                faults.warning(
                    at,
                    format!("`shareConnections` {} counts as false", quoted(other)),
                    "write true or false",
                );
                false
            }
        }
    }

    /// What the later releases' HttpUser reads.
    fn client_settings(&self, target: &mut Target, faults: &mut Faults<'_>) {
        match self.get("httpVersion") {
            None | Some((_, "HTTP_1_1")) => {}
            Some((at, version)) => {
                faults.warning(
                    at,
                    format!("`httpVersion` {}: requests go by HTTP/1.1", quoted(version)),
                    "write HTTP_1_1",
                );
            }
        }
        for (name, limit_ns) in [
            ("connectTimeoutMillis", &mut target.connect_timeout_ns),
            ("readTimeoutMillis", &mut target.request_timeout_ns),
        ] {
            let Some((at, text)) = self.get(name) else { continue };
            match text.parse::<u32>() {
                Ok(ms) if ms > 0 => *limit_ns = u64::from(ms) * NS_PER_MS,
                _ => faults.error(
                    at,
                    format!("`{name}` must be a whole number above 0, found {}", quoted(text)),
                    "write for example 1000",
                ),
            }
        }
        let (at, line) = self.get("httpHeader").unwrap_or((self.at, "User-Agent: Tulip"));
        match line.split_once(':') {
            Some((name, value)) if !name.trim().is_empty() => {
                let value = Secret::header_value(name.trim(), value.trim());
                target.headers.push((name.trim().to_owned(), value));
            }
            _ => {
                faults.error(at, format!("`httpHeader` {} is no header", quoted(line)), "write `Name: value`")
            }
        }
    }
}
