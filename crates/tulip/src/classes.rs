//! The user classes that are built in: what each id does, in the plan's steps.
//!
//! What a class printed per action is left out; what it slept is kept. Random sleeps were whole milliseconds and are any here, with the same mean.

use crate::config::Dialect;
use crate::faults::{Faults, quoted};
use crate::url::{self, Url};
use plan::{
    Body, Builtin, Check, CheckKind, ConnectionPolicy, Pause, Request, Scheme, Secret, Step, Target,
    Template, TemplatePart,
};
use units::NS_PER_MS;

/// Most URLs of one site: each has connections of its own.
const URLS_MAX: usize = 1_000;

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
    /// The class of that name, if it is built in. Without a package `HttpUser` was the one class in the first releases, the other later.
    pub(crate) fn of(name: &str, dialect: Dialect) -> Option<Self> {
        match name.trim() {
            "user.http.HttpUser" => Some(Self::Seed),
            "HttpUser" if dialect <= Dialect::B => Some(Self::Seed),
            "org.example.user.HttpUser" | "org.example.user.TestHttpUser" | "HttpUser" | "TestHttpUser" => {
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
        checks: vec![Check { name: format!("status {}", statuses(ok)), kind: CheckKind::Status(vec![ok]) }],
        captures: Vec::new(),
        redirects_max: 0,
        timeout_ns: None,
    }))
}

/// `200`, `2xx`.
fn statuses((low, high): (u16, u16)) -> String {
    if low == high { low.to_string() } else { format!("{}xx", low / 100) }
}

/// Where a class sends, as `user_params` say.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Site {
    /// One for each URL, at least one; users take turns.
    pub(crate) targets: Vec<Target>,
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
            let mut given = self.context.iter().chain(self.header);
            let meant = given.find(|(name, _)| name != "urlx" && plan::nearest(name, ["url"]).is_some());
            let message = "`user_params` has no `url`, and actions send requests";
            match meant {
                Some((name, value)) if name != "url" => {
                    faults.error(value.at, message, format!("did you mean `url` by {}?", quoted(name)));
                }
                _ => faults.error(self.at, message, "add `\"url\": \"http://localhost:7070\"`"),
            }
            return None;
        };
        let mut texts: Vec<&str> = text.split(',').map(str::trim).filter(|url| !url.is_empty()).collect();
        let shares = self.shares(faults);
        if texts.len() > 1 && !shares {
            let message =
                "of several URLs in `url` only the first is used, as in Tulip without shared connections";
            faults.warning(
                at,
                message,
                "keep one, or set `shareConnections` to true: users then take the URLs in turn",
            );
            texts.truncate(1);
        } else if texts.len() > 1 && class == Class::Seed {
            let message = "this class sends to one URL, and `url` has several";
            faults.error(at, message, "keep one, or run the configuration once per URL");
        }
        if texts.len() > URLS_MAX {
            faults.error(at, format!("`url` has {} URLs", texts.len()), format!("keep {URLS_MAX} at most"));
            return None;
        }
        let mut urls = Vec::new();
        for text in texts {
            match url::parse(text) {
                Ok(url) => urls.push(url),
                Err(why) => {
                    let message = format!("the URL {}: {why}", quoted(text));
                    faults.error(at, message, "write for example http://localhost:7070");
                    return None;
                }
            }
        }
        let Some(Url { path, query, .. }) = urls.first().cloned() else {
            faults.error(at, "there is no URL in `url`", "write for example http://localhost:7070");
            return None;
        };
        match class {
            Class::Kwrk if urls.iter().any(|url| (&url.path, &url.query) != (&path, &query)) => {
                let message = "the URLs in `url` differ in their path, and all users ask for the same";
                faults.error(at, message, "give all of them the same path and query");
            }
            Class::Demonstration if urls.iter().any(|url| !url.path.is_empty() || !url.query.is_empty()) => {
                let message =
                    "what follows host and port in `url` is in no request: each action has its own path";
                faults.warning(at, message, "remove it");
            }
            Class::Seed | Class::Demonstration | Class::Kwrk => {}
        }
        let policy = if shares { ConnectionPolicy::Shared(user_count) } else { ConnectionPolicy::PerUser };
        let mut targets: Vec<Target> = Vec::new();
        for Url { scheme, host, port, path, .. } in urls {
            let mut target = Target::new(scheme, host, port);
            if port != scheme.default_port() || scheme == Scheme::Https {
                target.name = target.authority();
            }
            target.connections = policy;
            if class == Class::Seed {
                target.base_path = path;
            }
            targets.push(target);
        }
        if class != Class::Seed {
            self.client_settings(&mut targets, faults);
        }
        self.say_what_was_meant(faults);
        let json_body = self.get("jsonBody").map_or_else(String::new, |(_, body)| body.to_owned());
        Some(Site { targets, path: if path.is_empty() { "/".to_owned() } else { path }, query, json_body })
    }

    /// Names parameters that are nearly those of a built-in class. Any other is somebody's own.
    fn say_what_was_meant(&self, faults: &mut Faults<'_>) {
        const READ: [&str; 7] = [
            "url",
            "httpVersion",
            "httpHeader",
            "connectTimeoutMillis",
            "readTimeoutMillis",
            "shareConnections",
            "jsonBody",
        ];
        const UNUSED: [&str; 3] = ["urlx", "debug", "http_port"];
        let given = || self.context.iter().chain(self.header);
        for (name, value) in given() {
            if READ.contains(&name.as_str()) || UNUSED.contains(&name.as_str()) {
                continue;
            }
            if let Some(meant) = plan::nearest(name, READ) {
                let message = format!("the class reads no parameter {}", quoted(name));
                faults.warning(value.at, message, format!("did you mean `{meant}`?"));
            }
        }
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
    fn client_settings(&self, targets: &mut [Target], faults: &mut Faults<'_>) {
        match self.get("httpVersion") {
            None | Some((_, "HTTP_1_1")) => {}
            Some((at, version @ ("HTTP_2" | "HTTP_3"))) => {
                let message = format!(
                    "`httpVersion` {}: requests go by HTTP/1.1, and what is measured is HTTP/1.1",
                    quoted(version)
                );
                faults.warning(at, message, "write HTTP_1_1 to say so");
            }
            Some((at, version)) => {
                let message =
                    format!("`httpVersion` {} is none, and HTTP/1.1 is spoken, as in Tulip", quoted(version));
                faults.warning(at, message, "write HTTP_1_1");
            }
        }
        let connect_ns = self.limit_ns("connectTimeoutMillis", faults);
        let request_ns = self.limit_ns("readTimeoutMillis", faults);
        let header = self.header(faults);
        for target in targets {
            target.connect_timeout_ns = connect_ns.unwrap_or(target.connect_timeout_ns);
            target.request_timeout_ns = request_ns.unwrap_or(target.request_timeout_ns);
            target.headers.extend(header.clone());
        }
    }

    fn limit_ns(&self, name: &str, faults: &mut Faults<'_>) -> Option<u64> {
        let (at, text) = self.get(name)?;
        let ms = text.parse::<u32>().ok().filter(|ms| *ms > 0);
        if ms.is_none() {
            let message = format!("`{name}` must be a whole number above 0, found {}", quoted(text));
            faults.error(at, message, "write for example 1000");
        }
        ms.map(|ms| u64::from(ms) * NS_PER_MS)
    }

    /// The one header; unless given it names Tulip.
    fn header(&self, faults: &mut Faults<'_>) -> Option<(String, Secret)> {
        let (at, line) = self.get("httpHeader").unwrap_or((self.at, "User-Agent: Tulip"));
        match line.split_once(':') {
            Some((name, value)) if !name.trim().is_empty() => {
                if value.contains(':') {
                    let message = "the value of `httpHeader` is sent whole; Tulip cut it at its colon";
                    faults.warning(at, message, "nothing need be done");
                }
                let value = Secret::header_value(name.trim(), value.trim());
                Some((name.trim().to_owned(), value))
            }
            _ => {
                let message = format!("`httpHeader` {} is no header", quoted(line));
                faults.error(at, message, "write `Name: value`");
                None
            }
        }
    }
}
