//! Who may ask: whoever knows the token, or sits on this machine; never a page of another site in somebody's browser.
//!
//! A browser lends its user's reach to every page that it shows. Four things stop such a page: a name that was made to lead here (DNS rebinding) is not
//! in the allowed `Host`s; browsers say with `Sec-Fetch-Site` and `Origin` where a request comes from; the cookie is `SameSite=Strict`; and what changes
//! something wants a header of its own, which no other site may send without asking first, and is never allowed to.

use crate::Shared;
use crate::fault::Fault;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// The cookie that carries the token.
const COOKIE: &str = "weir_token";
/// The header that says that a change is meant.
const MEANT: &str = "x-weir";
/// Shortest token: 16 characters of letters and digits are beyond guessing.
const TOKEN_CHARS_MIN: usize = 16;

/// A secret that askers must know.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// A token of at least 16 letters, digits, `-`, `_` or `.`; `None` when it is none.
    pub fn new(text: &str) -> Option<Self> {
        let is_fit = |c: char| c.is_ascii_alphanumeric() || ['-', '_', '.'].contains(&c);
        (text.len() >= TOKEN_CHARS_MIN && text.chars().all(is_fit)).then(|| Self(text.to_owned()))
    }

    /// Compares in a time that does not tell how much of it was right.
    fn is(&self, given: &str) -> bool {
        let (own, given) = (self.0.as_bytes(), given.as_bytes());
        let differences = own.iter().zip(given).fold(0, |sum, (a, b)| sum | (a ^ b));
        own.len() == given.len() && differences == 0
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("(hidden)")
    }
}

/// Lets a request through or answers it.
pub(crate) async fn admit(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let mut response = match judge(&shared, request.method(), request.uri(), request.headers()) {
        Judgement::Admitted => next.run(request).await,
        Judgement::Answered(response) => *response,
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

enum Judgement {
    Admitted,
    Answered(Box<Response>),
}

impl Judgement {
    fn refused(message: &str, hint: &str) -> Self {
        let fault = Fault::new(StatusCode::FORBIDDEN, message, hint);
        Self::Answered(Box::new(fault.into_response()))
    }
}

fn judge(shared: &Shared, method: &Method, uri: &Uri, headers: &HeaderMap) -> Judgement {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let host = text("host").unwrap_or_default();
    if shared.token.is_none() && !is_own_name(host) {
        return Judgement::refused(
            "this name is not this server's",
            "open it as http://127.0.0.1 or http://localhost with its port",
        );
    }
    if let Some(token) = &shared.token {
        if let Some(given) = token_of_query(uri) {
            return if token.is(given) { welcome(given) } else { unknown_asker() };
        }
        let bearer = text("authorization").and_then(|value| value.strip_prefix("Bearer "));
        if !bearer.or_else(|| cookie(headers)).is_some_and(|given| token.is(given)) {
            return unknown_asker();
        }
    }
    // A link to the page may stand anywhere; its data may not be asked for from elsewhere.
    let is_link = uri.path() == "/" && text("sec-fetch-mode") == Some("navigate");
    let is_own_site = text("sec-fetch-site").is_none_or(|site| site == "same-origin" || site == "none");
    let is_own_origin = text("origin").is_none_or(|origin| {
        let origin = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        origin == Some(host)
    });
    let is_own = is_own_site && is_own_origin;
    if !is_link && !is_own {
        return Judgement::refused("pages of other sites may not ask", "open this server's own page");
    }
    if *method != Method::GET && *method != Method::HEAD && text(MEANT) != Some("1") {
        return Judgement::refused("a change must be meant", "send the header `x-weir: 1`");
    }
    Judgement::Admitted
}

/// A name of this machine's loopback, with or without a port.
fn is_own_name(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

fn token_of_query(uri: &Uri) -> Option<&str> {
    uri.query()?.split('&').find_map(|pair| pair.strip_prefix("token="))
}

fn cookie(headers: &HeaderMap) -> Option<&str> {
    let pairs = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    pairs
        .flat_map(|line| line.split(';'))
        .find_map(|pair| pair.trim().strip_prefix(COOKIE).and_then(|rest| rest.strip_prefix('=')))
}

/// Keeps the token in a cookie and takes it out of the address, where histories and logs would keep it.
fn welcome(token: &str) -> Judgement {
    let cookie = format!("{COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict");
    let mut response = (StatusCode::SEE_OTHER, [(header::LOCATION, "/")]).into_response();
    if let Ok(value) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, value);
    }
    Judgement::Answered(Box::new(response))
}

fn unknown_asker() -> Judgement {
    let fault = Fault::new(
        StatusCode::UNAUTHORIZED,
        "the token is missing or wrong",
        "open the address that `weir serve` printed, or send `authorization: Bearer TOKEN`",
    );
    Judgement::Answered(Box::new(fault.into_response()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_loopback_are_known_from_others() {
        for own in ["localhost:8686", "LOCALHOST", "127.0.0.1:1", "127.8.8.8", "[::1]:8686", "[::1]"] {
            assert!(is_own_name(own), "{own}");
        }
        for other in
            ["", "evil.example:8686", "localhost.evil.example", "10.0.0.1", "[fe80::1]:1", "127.0.0.1.evil"]
        {
            assert!(!is_own_name(other), "{other}");
        }
    }

    #[test]
    fn a_token_is_long_and_plain() {
        assert!(Token::new("short").is_none() && Token::new("0123456789abcde;").is_none());
        let token = Token::new("0123456789abcdef").unwrap();
        assert!(token.is("0123456789abcdef"));
        assert!(!token.is("0123456789abcdeg") && !token.is("") && !token.is("0123456789abcdef0"));
        assert_eq!(format!("{token:?}"), "(hidden)");
    }
}
