//! The `url` of `user_params`.

use plan::Scheme;

/// What a request needs of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Url {
    pub(crate) scheme: Scheme,
    /// IPv6 without brackets.
    pub(crate) host: String,
    pub(crate) port: u16,
    /// Empty, or begins with `/`.
    pub(crate) path: String,
    /// Empty, or begins with `?`.
    pub(crate) query: String,
}

/// Reads one. The error says what is wrong.
pub(crate) fn parse(text: &str) -> Result<Url, String> {
    let text = text.trim();
    let (scheme, rest) = match text.split_once("://") {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => (Scheme::Http, rest),
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("https") => (Scheme::Https, rest),
        _ => return Err("it begins with neither http:// nor https://".to_owned()),
    };
    let rest = rest.split('#').next().unwrap_or_default();
    let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let (path, query) = path.split_at(path.find('?').unwrap_or(path.len()));
    if authority.contains('@') {
        return Err("a user name and password don't belong into it".to_owned());
    }
    if rest.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err("there is a blank or control character in it".to_owned());
    }
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (host, after) = rest.split_once(']').ok_or("the bracket is not closed")?;
            (host, after.strip_prefix(':').unwrap_or(after))
        }
        None => authority.split_once(':').unwrap_or((authority, "")),
    };
    if host.is_empty() {
        return Err("there is no host in it".to_owned());
    }
    let port = match port {
        "" => scheme.default_port(),
        port => port.parse().ok().filter(|port| *port > 0).ok_or_else(|| format!("`{port}` is no port"))?,
    };
    let host = host.to_ascii_lowercase();
    Ok(Url { scheme, host, port, path: path.trim_end_matches('/').to_owned(), query: query.to_owned() })
}
