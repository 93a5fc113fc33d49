//! Requests: method, path, query, headers.

use super::variables::Scope;
use super::{Context, entries};
use crate::model::{Exchange, Pairs, Request as RequestText};
use crate::read::{At, Map, Table};
use crate::text::{Place, quoted};
use plan::{Diagnostic, Request, Template, TemplatePart};

/// Methods that people write in small letters; others may be meant so (RFC 9110 §9.1: methods are case-sensitive).
const METHODS: [&str; 8] = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"];
/// What Weir works out itself from the body.
const FRAMING_HEADERS: [&str; 2] = ["content-length", "transfer-encoding"];

impl Context<'_, '_> {
    /// A request from its line (`GET /hello`) or its keys.
    pub(crate) fn request_in_full(
        &mut self,
        text: &RequestText,
        exchange: &Exchange,
        target: Option<usize>,
        scope: &mut Scope,
    ) -> Request {
        let path = match &text.line {
            None => match &text.path {
                Some(path) => path,
                // Said to be missing.
                None => &At { value: "/".to_owned(), at: text.at },
            },
            Some(line) => {
                let (method, path) = match line.value.trim().split_once(char::is_whitespace) {
                    Some((method, path)) => (method.to_owned(), path.trim().to_owned()),
                    None if line.value.starts_with('/') => ("GET".to_owned(), line.value.trim().to_owned()),
                    None => {
                        let message = format!("{} is not a request", quoted(&line.value));
                        self.error(line.at, message, "write a method and a path, such as `GET /hello`");
                        ("GET".to_owned(), "/".to_owned())
                    }
                };
                let method = self.method(&At { value: method, at: line.at });
                return self.request(&method, &At { value: path, at: line.at }, exchange, target, scope);
            }
        };
        let method = text.method.as_ref().map_or_else(|| "GET".to_owned(), |method| self.method(method));
        self.request(&method, path, exchange, target, scope)
    }

    fn method(&mut self, method: &At<String>) -> String {
        let upper = method.value.to_ascii_uppercase();
        if !is_token(&method.value) {
            self.error(
                method.at,
                format!("{} is not a method", quoted(&method.value)),
                "write one such as `GET` or `POST`",
            );
        } else if method.value != upper && METHODS.contains(&upper.as_str()) {
            let message = format!("methods are written in capitals, and not {}", quoted(&method.value));
            self.error(method.at, message, format!("write `{upper}`"));
        } else if method.value == "CONNECT" {
            self.error(method.at, "`CONNECT` opens a tunnel, which is not load", "use another method");
        }
        method.value.clone()
    }

    pub(crate) fn request(
        &mut self,
        method: &str,
        path: &At<String>,
        exchange: &Exchange,
        scenario_target: Option<usize>,
        scope: &mut Scope,
    ) -> Request {
        let target = match &exchange.target {
            Some(name) => self.target_index(name),
            None => scenario_target.or_else(|| self.only_target(exchange, path.at)),
        };
        let target = target.unwrap_or(0);
        let path_template = self.path(path, scope);
        let mut headers = self.headers(exchange.headers.as_ref(), scope);
        let body = self.body(exchange.body.as_ref(), scope);
        let has_type = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"))
            || self.targets_with_content_type.get(target).is_some_and(|given| *given);
        if exchange.body.as_ref().is_some_and(|body| body.json.is_some()) && !has_type {
            headers.push(("content-type".to_owned(), Template::text("application/json")));
        }
        let name = match &exchange.name {
            Some(name) => self.name(name),
            None => format!("{method} {}", path.value.trim()),
        };
        let query = exchange.query.as_ref();
        Request {
            name,
            target,
            method: method.to_owned(),
            path: path_template,
            query: self.pairs(query, scope),
            headers,
            body,
            checks: exchange.check.as_ref().map(|check| self.checks(check, scope)).unwrap_or_default(),
            captures: self.captures(exchange.capture.as_ref()),
            redirects_max: exchange.redirects.as_ref().map_or(0, |redirects| redirects.value.0),
            timeout_ns: exchange.timeout.as_ref().map(|timeout| timeout.value.0),
        }
    }

    /// The target of a request that names none.
    fn only_target(&mut self, exchange: &Exchange, at: Place) -> Option<usize> {
        match self.target_names.len() {
            // A faulty target was reported, and a missing one is reported once for the plan.
            0 | 1 => {}
            _ if exchange.has("target") => {}
            _ => {
                let names = self.target_names.join(", ");
                self.error(
                    at,
                    "the request does not say which of the targets it goes to",
                    format!("add `target:` with one of {names}"),
                );
            }
        }
        Some(0)
    }

    fn path(&mut self, path: &At<String>, scope: &mut Scope) -> Template {
        let text = path.value.trim();
        let fault = |message: String, hint: &str| Diagnostic::error(message).hint(hint);
        let is_absolute = text.starts_with("http://") || text.starts_with("https://");
        if is_absolute {
            let hint = "write its origin as a target's `url`, and only the path here";
            self.faults.push_within(path.at, text, fault(format!("{} is not a path", quoted(text)), hint));
        } else if !text.starts_with('/') && !text.starts_with("${") {
            let hint = format!("write `/{text}`");
            self.faults.push_within(
                path.at,
                text,
                fault(format!("the path {} does not begin with `/`", quoted(text)), &hint),
            );
        }
        let template = self.template_of(text, path.at, scope);
        for part in &template.parts {
            let TemplatePart::Text(piece) = part else { continue };
            if let Some(wrong) = piece.chars().find(|c| !c.is_ascii_graphic() || *c == '#') {
                let what = match wrong {
                    '#' => "a fragment is never sent to a server".to_owned(),
                    ' ' => "a path can't hold a blank".to_owned(),
                    c => format!("a path can't hold {}", quoted(&c.to_string())),
                };
                let hint = "percent-encode it (a blank is `%20`), or use `query`, which is encoded for you";
                self.faults.push_within(path.at, &wrong.to_string(), fault(what, hint));
            }
        }
        template
    }

    /// Names with one or several values each.
    pub(crate) fn pairs(&mut self, pairs: Option<&Map<Pairs>>, scope: &mut Scope) -> Vec<(String, Template)> {
        let mut out = Vec::new();
        for (name, values) in entries(pairs) {
            if name.value.contains("${") {
                self.error(name.at, "a name can't hold variables", "put them into the value");
            }
            for value in &values.0 {
                out.push((name.value.clone(), self.template(value, scope)));
            }
        }
        out
    }

    fn headers(&mut self, headers: Option<&Map<Pairs>>, scope: &mut Scope) -> Vec<(String, Template)> {
        for (name, values) in entries(headers) {
            self.header_name(name);
            for value in &values.0 {
                self.header_text(&value.value, value.at);
                if name.value.eq_ignore_ascii_case("host") {
                    self.literal(value, "the `host` header", "write each host as a request of its own");
                }
            }
        }
        let plain = headers.map(|headers| {
            Map(headers.0.iter().filter(|(name, _)| is_token(&name.value)).cloned().collect())
        });
        self.pairs(plain.as_ref(), scope)
    }

    pub(crate) fn header_name(&mut self, name: &At<String>) {
        if !is_token(&name.value) {
            let hint = "use letters, digits and `-`";
            self.error(name.at, format!("{} is not a header's name", quoted(&name.value)), hint);
        } else if FRAMING_HEADERS.iter().any(|known| name.value.eq_ignore_ascii_case(known)) {
            self.error(name.at, format!("`{}` is worked out from the body", name.value), "remove it");
        }
    }

    /// RFC 9110 §5.5: a value holds no line ends and no control characters but tabs.
    pub(crate) fn header_text(&mut self, text: &str, at: Place) {
        if text.chars().any(|c| c.is_control() && c != '\t') {
            self.error(
                at,
                "a header's value can't hold line ends or control characters",
                "write it on one line",
            );
        }
    }
}

/// A token of RFC 9110 §5.6.2, as methods and names of headers are.
pub(crate) fn is_token(text: &str) -> bool {
    let is_token_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_token_byte)
}
