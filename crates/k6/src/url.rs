//! URLs as requests need them: RFC 3986, as far as `http` and `https` use it.

use plan::Scheme;
use std::rc::Rc;

/// A URL of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Url {
    pub(crate) scheme: Scheme,
    /// `user:password`, percent-encoded as it came.
    pub(crate) userinfo: Option<String>,
    pub(crate) host: String,
    pub(crate) port: u16,
    /// Path and query, beginning with `/`.
    pub(crate) target: String,
}

impl Url {
    /// Reads an absolute URL.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let unsupported = |scheme: &str| format!("unsupported protocol scheme \"{scheme}\"");
        let (scheme, rest) = text.split_once("://").ok_or_else(|| unsupported(""))?;
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            other => return Err(unsupported(other)),
        };
        let rest = rest.split('#').next().unwrap_or_default();
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, target) = rest.split_at(end);
        let (userinfo, place) = match authority.rsplit_once('@') {
            Some((userinfo, place)) => (Some(userinfo.to_owned()), place),
            None => (None, authority),
        };
        let (host, port) = place_of(place)?;
        let target = if target.starts_with('/') { target.to_owned() } else { format!("/{target}") };
        let port = port.unwrap_or_else(|| scheme.default_port());
        Ok(Self { scheme, userinfo, host, port, target: encoded(&target) })
    }

    /// What a `Location` means beside this URL: RFC 3986, section 5.2, without dot segments.
    pub(crate) fn join(&self, location: &str) -> Result<Self, String> {
        if location.contains("://") {
            return Self::parse(location);
        }
        let location = location.split('#').next().unwrap_or_default();
        if let Some(rest) = location.strip_prefix("//") {
            return Self::parse(&format!("{}://{rest}", self.scheme.as_str()));
        }
        let path = self.target.split('?').next().unwrap_or_default();
        let target = if location.starts_with('/') {
            location.to_owned()
        } else if location.starts_with('?') {
            format!("{path}{location}")
        } else {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            format!("{folder}/{location}")
        };
        Ok(Self { target: encoded(&without_dots(&target)), ..self.clone() })
    }

    /// Host and port as the `Host` header has them.
    pub(crate) fn authority(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        if self.port == self.scheme.default_port() { host } else { format!("{host}:{}", self.port) }
    }

    /// Scheme, host and port: what connections are kept by.
    pub(crate) fn origin(&self) -> String {
        format!("{}://{}", self.scheme.as_str(), self.authority())
    }

    /// The path without the query.
    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }
}

/// A URL with what each request to it needs, made once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownUrl {
    url: Url,
    /// As [`Url`] shows itself.
    pub(crate) shown: String,
    /// [`Url::authority`].
    pub(crate) authority: String,
    /// [`Url::origin`].
    pub(crate) origin: Rc<str>,
}

impl From<Url> for KnownUrl {
    fn from(url: Url) -> Self {
        Self { shown: url.to_string(), authority: url.authority(), origin: url.origin().into(), url }
    }
}

impl std::ops::Deref for KnownUrl {
    type Target = Url;

    fn deref(&self) -> &Url {
        &self.url
    }
}

impl std::fmt::Display for KnownUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown)
    }
}

impl std::fmt::Display for Url {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}://", self.scheme.as_str())?;
        if self.userinfo.is_some() {
            f.write_str("****:****@")?;
        }
        write!(f, "{}{}", self.authority(), self.target)
    }
}

fn place_of(place: &str) -> Result<(String, Option<u16>), String> {
    let wrong = || format!("invalid host \"{}\"", place.escape_debug());
    let (host, port) = match place.strip_prefix('[') {
        Some(rest) => {
            let (host, rest) = rest.split_once(']').ok_or_else(wrong)?;
            (host, rest.strip_prefix(':'))
        }
        None => place.split_once(':').map_or((place, None), |(host, port)| (host, Some(port))),
    };
    let is_odd =
        |letter: char| letter.is_control() || letter.is_whitespace() || "<>\"\\^`{|}%".contains(letter);
    if host.is_empty() || host.contains(is_odd) {
        return Err(wrong());
    }
    let port = port.filter(|port| !port.is_empty()).map(str::parse).transpose().map_err(|_| wrong())?;
    Ok((host.to_ascii_lowercase(), port))
}

/// With what a request line can't hold percent-encoded.
fn encoded(target: &str) -> String {
    let mut text = String::with_capacity(target.len());
    for byte in target.bytes() {
        match byte {
            b'!'..=b'~' if !b"\"<>\\^`{|}".contains(&byte) => text.push(char::from(byte)),
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

/// Section 5.2.4.
fn without_dots(target: &str) -> String {
    let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
    let mut kept: Vec<&str> = Vec::new();
    let ends_in_folder = path.ends_with('/') || path.ends_with("/.") || path.ends_with("/..");
    for part in path.split('/').skip(1) {
        match part {
            "." => {}
            ".." => drop(kept.pop()),
            part => kept.push(part),
        }
    }
    if ends_in_folder && kept.last() != Some(&"") {
        kept.push("");
    }
    let path = format!("/{}", kept.join("/"));
    query.map_or(path.clone(), |query| format!("{path}?{query}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_read_and_written() {
        let url = Url::parse("HTTP://ann:b@Host.test:8080/a b?c=ä#d").unwrap();
        assert_eq!(
            (url.host.as_str(), url.port, url.target.as_str()),
            ("host.test", 8080, "/a%20b?c=%C3%A4")
        );
        assert_eq!(url.to_string(), "http://****:****@host.test:8080/a%20b?c=%C3%A4");
        assert_eq!(Url::parse("https://[::1]?x").unwrap().to_string(), "https://[::1]/?x");
        for wrong in
            ["a", "ftp://a/", "http://", "http://a:99999/", "http://a b/", "http://[::1/", "http://a:b:1/"]
        {
            assert!(Url::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn locations_are_joined_as_the_standard_says() {
        // RFC 3986, section 5.4, as far as it is about paths and queries.
        let base = Url::parse("http://a/b/c/d;p?q").unwrap();
        for (location, wanted) in [
            ("g", "http://a/b/c/g"),
            ("./g", "http://a/b/c/g"),
            ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g/"),
            ("?y", "http://a/b/c/d;p?y"),
            ("g?y", "http://a/b/c/g?y"),
            ("g#s", "http://a/b/c/g"),
            (".", "http://a/b/c/"),
            ("..", "http://a/b/"),
            ("../g", "http://a/b/g"),
            ("../..", "http://a/"),
            ("../../g", "http://a/g"),
            ("../../../g", "http://a/g"),
            ("https://h/i", "https://h/i"),
        ] {
            assert_eq!(base.join(location).unwrap().to_string(), wanted, "{location}");
        }
    }
}
