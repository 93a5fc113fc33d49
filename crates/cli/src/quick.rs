//! What the flags of `weir http` mean: a plan of one or two phases. Pure but for the reader of files that it is given.

use crate::args::HttpArgs;
use crate::url::{self, Url};
use plan::{
    Action, ActionOrder, Arrivals, Body, CertificateCheck, ConnectionPolicy, CookiePolicy, Diagnostic, Load,
    Phase, PhaseKind, PhaseStart, Plan, Request, Saturation, Scenario, Scheme, Secret, Slo, Stage, Step,
    Target, Template, TemplateError, TlsSettings,
};
use planfile::{Files as _, Folder};
use std::net::IpAddr;
use units::{QuantityError, Rate, parse_duration_ns};

/// How long a run is where nothing else ends it.
const DURATION_NS_DEFAULT: u64 = 10 * units::NS_PER_SEC;

/// Reads a whole file, within the limits of the caller; `Err` says why not, for people.
pub(crate) type ReadFile<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, String>;

/// All that is wrong, gathered so that it can be said at once.
#[derive(Default)]
struct Faults(Vec<Diagnostic>);

impl Faults {
    /// The value, or `None` after noting what is wrong with it.
    fn take<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|diagnostic| self.0.push(diagnostic)).ok()
    }

    fn quantity<T>(
        &mut self,
        flag: &str,
        text: Option<&str>,
        parse: impl Fn(&str) -> Result<T, QuantityError>,
    ) -> Option<T> {
        let result = parse(text?);
        self.take(result.map_err(|error| flag_fault(flag, &error.to_string())))
    }
}

/// A fault of a flag's value.
pub(crate) fn flag_fault(flag: &str, message: &str) -> Diagnostic {
    with_mend(&format!("{flag}: {message}"))
}

/// A message of a lower layer: what stands behind its last `;` is the mend.
pub(crate) fn with_mend(message: &str) -> Diagnostic {
    match message.rsplit_once("; ") {
        Some((what, mend)) => Diagnostic::error(what).hint(mend),
        None => Diagnostic::error(message),
    }
}

/// Greatest body or certificate read from a file: it is held in memory, once.
const FILE_BYTES_MAX: u64 = 256 << 20;

/// The plan that the flags stand for, with files of this folder, or all that is wrong with them.
pub(crate) fn plan(args: &HttpArgs) -> Result<Plan, Vec<Diagnostic>> {
    let here = Folder::new("");
    plan_of(args, &|path| here.read(path, FILE_BYTES_MAX))
}

/// Likewise, with files of anywhere.
fn plan_of(args: &HttpArgs, read: ReadFile<'_>) -> Result<Plan, Vec<Diagnostic>> {
    let mut faults = Faults::default();
    let url = faults.take(url::parse(&args.url));
    let request = request(args, url.as_ref(), read, &mut faults);
    let target = target(args, url.as_ref(), read, &mut faults);
    let phases = phases(args, &mut faults);
    let slos = slos(&args.runner.slos, &mut faults.0);
    let (Some(target), Some(request), true) = (target, request, faults.0.is_empty()) else {
        return Err(faults.0);
    };
    let name = args.runner.name.clone().unwrap_or_else(|| format!("{}{}", target.url(), request.path));
    let scenario = Scenario {
        name: "http".to_owned(),
        order: ActionOrder::Sequence,
        actions: vec![Action { name: request.name.clone(), steps: vec![Step::Request(Box::new(request))] }],
        cookies: CookiePolicy::Ignore,
        initial: Vec::new(),
        feeds: Vec::new(),
    };
    let plan = Plan {
        name,
        seed: args.runner.seed.unwrap_or(Plan::SEED),
        targets: vec![target],
        feeds: Vec::new(),
        variables: Vec::new(),
        scenarios: vec![scenario],
        phases,
        slos,
        interval_ns: Plan::INTERVAL_NS,
    };
    let faults = plan.faults();
    if faults.is_empty() { Ok(plan) } else { Err(faults) }
}

/// The objectives of `--slo`.
pub(crate) fn slos(texts: &[String], faults: &mut Vec<Diagnostic>) -> Vec<Slo> {
    let mut slos = Vec::with_capacity(texts.len());
    for text in texts {
        match Slo::parse(text) {
            Ok(slo) => slos.push(slo),
            Err(error) => faults.push(flag_fault(&format!("--slo '{text}'"), &error.to_string())),
        }
    }
    slos
}

fn target(args: &HttpArgs, url: Option<&Url>, read: ReadFile<'_>, faults: &mut Faults) -> Option<Target> {
    let connect_timeout = args.connect_timeout.as_deref();
    let connect_timeout_ns = faults.quantity("--connect-timeout", connect_timeout, some_time);
    let request_timeout_ns = faults.quantity("--timeout", args.timeout.as_deref(), some_time);
    let ca_pem = args
        .cacert
        .as_ref()
        .map(|path| faults.take(read(path).map_err(|why| unreadable("--cacert", path, &why))));
    let addresses: Vec<_> =
        args.resolve.iter().filter_map(|text| faults.take(address(text, &url?.host))).collect();
    let headers = args.headers.iter().filter_map(|text| faults.take(header(text))).collect();
    let connections = match (args.no_keepalive, &args.rate) {
        (true, _) => ConnectionPolicy::PerRequest,
        (false, Some(_)) => ConnectionPolicy::Shared(args.connections),
        (false, None) => ConnectionPolicy::PerUser,
    };
    let url = url?;
    for (flag, is_given) in [("--insecure", args.insecure), ("--cacert", args.cacert.is_some())] {
        if is_given && url.scheme == Scheme::Http {
            faults.0.push(flag_fault(flag, "has no meaning without TLS; write https://, or remove it"));
        }
    }
    Some(Target {
        headers,
        tls: TlsSettings {
            ca_pem: ca_pem.flatten(),
            check: if args.insecure { CertificateCheck::Insecure } else { CertificateCheck::Verify },
            ..TlsSettings::default()
        },
        connections,
        unix_socket: args.unix_socket.clone(),
        addresses,
        connect_timeout_ns: connect_timeout_ns.unwrap_or(Target::CONNECT_TIMEOUT_NS),
        request_timeout_ns: request_timeout_ns.unwrap_or(Target::REQUEST_TIMEOUT_NS),
        ..Target::new(url.scheme, url.host.clone(), url.port)
    })
}

/// A duration above 0.
fn some_time(text: &str) -> Result<u64, QuantityError> {
    match parse_duration_ns(text) {
        Ok(0) => {
            Err(QuantityError::OutOfRange { text: text.to_owned(), range: "a time above 0, such as 10s" })
        }
        other => other,
    }
}

/// The address of `HOST:ADDRESS`, an IPv6 one with or without brackets.
fn address(text: &str, host: &str) -> Result<IpAddr, Diagnostic> {
    let flag = format!("--resolve {text}");
    let example = format!("write for example --resolve {host}:10.0.0.1");
    let (named, address) =
        text.split_once(':').ok_or_else(|| flag_fault(&flag, &format!("there is no address; {example}")))?;
    if !named.eq_ignore_ascii_case(host) {
        return Err(flag_fault(&flag, &format!("the URL's host is `{host}`, not `{named}`; {example}")));
    }
    let bare = address.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(address);
    bare.parse().map_err(|_| flag_fault(&flag, &format!("`{address}` is no IP address; {example}")))
}

fn unreadable(flag: &str, path: &str, why: &str) -> Diagnostic {
    Diagnostic::error(format!("{flag}: can't read `{path}`: {why}"))
        .hint("name a file that is there and may be read")
}

fn request(args: &HttpArgs, url: Option<&Url>, read: ReadFile<'_>, faults: &mut Faults) -> Option<Request> {
    let body = body(args.body.as_deref(), read, faults);
    let default_method = if args.body.is_some() { "POST" } else { "GET" };
    let method = args.method.as_deref().unwrap_or(default_method);
    if !is_token(method) {
        let message = format!("`{method}` is no method; write for example -X PUT");
        faults.0.push(flag_fault("--method", &message));
    }
    let path = url.and_then(|url| faults.take(template("the URL", &url.path_and_query)))?;
    Some(Request {
        name: format!("{method} {path}"),
        target: 0,
        method: method.to_owned(),
        path,
        query: Vec::new(),
        headers: Vec::new(),
        body: body?,
        checks: Vec::new(),
        captures: Vec::new(),
        redirects_max: 0,
        timeout_ns: None,
    })
}

/// Text in which `${…}` stands for values that Weir makes.
fn template(place: &str, text: &str) -> Result<Template, Diagnostic> {
    Template::parse(text, |_| None).map_err(|error| match error {
        TemplateError::Unclosed => {
            Diagnostic::error(format!("{place}: a `${{` has no `}}`")).hint("write `$${` for a literal `${`")
        }
        TemplateError::UnknownVariable(name) => Diagnostic::error(format!(
            "{place}: nothing is known of `${{{name}}}`"
        ))
        .hint("use ${uuid}, ${iteration}, ${user_index} or ${random(LOW,HIGH)}, or `$${` for a literal `${`"),
    })
}

/// RFC 9110 §5.6.2.
fn is_token(text: &str) -> bool {
    let is_mark = |byte: u8| b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || is_mark(byte))
}

/// A header of the target, where the values of those that carry credentials are kept out of the record.
fn header(text: &str) -> Result<(String, Secret), Diagnostic> {
    // Only the first word is repeated: what follows may be a credential.
    let shown = text.split([':', ' ', '=']).next().unwrap_or_default();
    let flag = format!("--header '{shown}{}'", if shown.len() < text.len() { "…" } else { "" });
    let example = "write for example -H 'accept: text/html'";
    let (name, value) =
        text.split_once(':').ok_or_else(|| flag_fault(&flag, &format!("there is no colon; {example}")))?;
    let (name, value) = (name.trim(), value.trim());
    if !is_token(name) {
        return Err(flag_fault(&flag, &format!("`{name}` is no header's name; {example}")));
    }
    if value.chars().any(|c| c.is_control() && c != '\t') {
        return Err(flag_fault(&flag, "there is a control character in the value; remove it"));
    }
    if ["content-length", "transfer-encoding"].iter().any(|own| name.eq_ignore_ascii_case(own)) {
        return Err(flag_fault(&flag, "weir sets it from the body; remove it"));
    }
    Ok((name.to_owned(), Secret::header_value(name, value)))
}

fn body(text: Option<&str>, read: ReadFile<'_>, faults: &mut Faults) -> Option<Body> {
    let Some(text) = text else { return Some(Body::None) };
    if let Some(path) = text.strip_prefix('@') {
        let bytes = read(path).map_err(|why| unreadable("--body", path, &why));
        return faults.take(bytes).map(Body::Bytes);
    }
    let template = faults.take(template("--body", text))?;
    Some(match template.as_static() {
        Some(text) => Body::Bytes(text.as_bytes().to_vec()),
        None => Body::Text(template),
    })
}

fn phases(args: &HttpArgs, faults: &mut Faults) -> Vec<Phase> {
    let rate = faults.quantity("--rate", args.rate.as_deref(), |text| match Rate::parse(text) {
        Ok(rate) if rate.is_zero() => {
            Err(QuantityError::OutOfRange { text: text.to_owned(), range: "a rate above 0, such as 100/s" })
        }
        other => other,
    });
    let duration_ns = faults.quantity("--duration", args.duration.as_deref(), some_time);
    let duration_ns = match (args.duration.is_some(), args.count) {
        (true, _) => duration_ns,
        (false, Some(_)) => None,
        (false, None) => Some(DURATION_NS_DEFAULT),
    };
    let warm_up_ns = faults.quantity("--warmup", args.warmup.as_deref(), parse_duration_ns);
    let load = load(args, rate);
    let phase = |name: &str, kind, duration_ns, action_count_max, after| Phase {
        name: name.to_owned(),
        kind,
        scenario: 0,
        load: load.clone(),
        duration_ns,
        action_count_max,
        repeat_count: 1,
        start: PhaseStart::After(after, 0),
        drain_limit_ns: Phase::DRAIN_LIMIT_NS,
    };
    let warm_up = warm_up_ns.filter(|ns| *ns > 0);
    let mut phases: Vec<Phase> =
        warm_up.map(|ns| phase("warm-up", PhaseKind::Warmup, Some(ns), None, None)).into_iter().collect();
    let after = phases.len().checked_sub(1);
    phases.push(phase("measure", PhaseKind::Measure, duration_ns, args.count, after));
    phases
}

fn load(args: &HttpArgs, rate: Option<Rate>) -> Load {
    match rate {
        None => Load::Closed { users: args.connections, in_flight_max: None },
        Some(rate) => Load::Open {
            stages: vec![Stage { rate_from: rate, rate_to: rate, duration_ns: 0 }],
            arrivals: if args.poisson { Arrivals::Poisson } else { Arrivals::Constant },
            on_saturation: Saturation::Queue,
            // One user for each connection: an arrival that finds none free stays in the schedule, which is the queue.
            users_max: args.connections,
            users: None,
        },
    }
}

#[cfg(test)]
#[path = "quick_tests.rs"]
mod tests;
