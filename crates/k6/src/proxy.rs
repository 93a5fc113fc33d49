//! Proxies as the environment names them, by the rules that Go's programs keep: `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, or their names in
//! small letters; addresses of this machine are gone to straight.

use crate::request::percent_decoded;
use crate::url::Url;
use base64::Engine as _;
use plan::Scheme;
use std::net::IpAddr;

/// Entries of `NO_PROXY` that are read at most: no list of hosts by hand is longer.
const EXCEPTION_COUNT_MAX: usize = 1_000;

/// A proxy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Proxy {
    pub(crate) scheme: Scheme,
    pub(crate) host: String,
    pub(crate) port: u16,
    /// The value of `Proxy-Authorization`, if its URL has a name.
    pub(crate) authorization: Option<String>,
}

impl std::fmt::Display for Proxy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}://{}:{}", self.scheme.as_str(), self.host, self.port)
    }
}

/// Which proxy serves which URL.
#[derive(Debug, Default)]
pub(crate) struct Proxies {
    /// Or what is wrong with what was given.
    http: Option<Result<Proxy, String>>,
    https: Option<Result<Proxy, String>>,
    exceptions: Vec<Exception>,
}

/// What is gone to straight.
#[derive(Debug, PartialEq, Eq)]
enum Exception {
    All,
    Network(k6_options::IpRange),
    Address(IpAddr, Option<u16>),
    /// A name's end with its dot, whether the name without it is meant too, and the port if it says one.
    Domain {
        suffix: String,
        is_own: bool,
        port: Option<u16>,
    },
}

impl Proxies {
    /// Those of this process.
    pub(crate) fn from_environment() -> Self {
        Self::of(|name| std::env::var(name).ok())
    }

    fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        let either = |name: &str| {
            let found =
                [name.to_owned(), name.to_ascii_lowercase()].into_iter().filter_map(|name| variable(&name));
            found.map(|text| text.trim().to_owned()).find(|text| !text.is_empty())
        };
        let exceptions = either("NO_PROXY").unwrap_or_default();
        let exceptions = exceptions.split(',').take(EXCEPTION_COUNT_MAX);
        Self {
            http: either("HTTP_PROXY").map(|text| parse(&text)),
            https: either("HTTPS_PROXY").map(|text| parse(&text)),
            exceptions: exceptions.filter_map(|text| Exception::parse(&text.trim().to_lowercase())).collect(),
        }
    }

    /// The proxy that a URL's requests go to; `None`: they go straight.
    ///
    /// # Errors
    /// What is wrong with what the environment says.
    pub(crate) fn serving(&self, url: &Url) -> Result<Option<&Proxy>, String> {
        let proxy = match url.scheme {
            Scheme::Http => &self.http,
            Scheme::Https => &self.https,
        };
        let Some(proxy) = proxy else { return Ok(None) };
        let address: Option<IpAddr> = url.host.parse().ok();
        let is_own = url.host == "localhost" || address.is_some_and(|address| address.is_loopback());
        if is_own || self.exceptions.iter().any(|exception| exception.is_for(url, address)) {
            return Ok(None);
        }
        proxy.as_ref().map(Some).map_err(String::clone)
    }
}

impl Exception {
    fn parse(text: &str) -> Option<Self> {
        if text == "*" {
            return Some(Self::All);
        }
        if text.contains('/')
            && let Ok(range) = k6_options::IpRange::parse(text)
        {
            return Some(Self::Network(range));
        }
        if let Ok(address) = text.trim_matches(['[', ']']).parse() {
            return Some(Self::Address(address, None));
        }
        let (place, port) = match text.rsplit_once(':') {
            Some((place, port)) => (place, Some(port.parse().ok()?)),
            None => (text, None),
        };
        if let Ok(address) = place.trim_matches(['[', ']']).parse() {
            return Some(Self::Address(address, port));
        }
        let place = place.strip_prefix('*').filter(|rest| rest.starts_with('.')).unwrap_or(place);
        match place.strip_prefix('.') {
            _ if place.trim_matches('.').is_empty() => None,
            Some(_) => Some(Self::Domain { suffix: place.to_owned(), is_own: false, port }),
            None => Some(Self::Domain { suffix: format!(".{place}"), is_own: true, port }),
        }
    }

    fn is_for(&self, url: &Url, address: Option<IpAddr>) -> bool {
        let has_port = |port: Option<u16>| port.is_none_or(|port| port == url.port);
        match self {
            Self::All => true,
            Self::Network(range) => address.is_some_and(|address| range.contains(address)),
            Self::Address(own, port) => address == Some(*own) && has_port(*port),
            Self::Domain { suffix, is_own, port } => {
                let host = url.host.trim_end_matches('.');
                let is_named = *is_own && suffix.strip_prefix('.') == Some(host);
                (is_named || host.ends_with(suffix.as_str())) && has_port(*port)
            }
        }
    }
}

/// A URL, or host and port.
fn parse(text: &str) -> Result<Proxy, String> {
    let wrong = |said: &str| format!("proxy {:?}: {said}; write http://host:port", Hidden(text).to_string());
    let full = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    if ["socks4://", "socks5://", "socks5h://"]
        .iter()
        .any(|scheme| full.to_ascii_lowercase().starts_with(scheme))
    {
        return Err(wrong("SOCKS is not spoken here"));
    }
    let url = Url::parse(&full).map_err(|said| wrong(&said))?;
    let authorization = url.userinfo.as_deref().map(|userinfo| {
        // RFC 7617: a name without a password has an empty one.
        let mut plain = percent_decoded(userinfo);
        if !plain.contains(&b':') {
            plain.push(b':');
        }
        format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(plain))
    });
    Ok(Proxy { scheme: url.scheme, host: url.host, port: url.port, authorization })
}

/// A proxy's URL without its password.
struct Hidden<'a>(&'a str);

impl std::fmt::Display for Hidden<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0.rsplit_once('@') {
            Some((_, place)) => write!(f, "****@{place}"),
            None => f.write_str(self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> Proxies {
        Proxies::of(|name| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
    }

    fn check(pairs: &[(&str, &str)], url: &str, expected: Option<&str>) {
        let found = of(pairs).serving(&Url::parse(url).unwrap()).map(|found| found.map(Proxy::to_string));
        assert_eq!(found, Ok(expected.map(str::to_owned)), "{pairs:?} {url}");
    }

    #[test]
    fn each_scheme_has_a_proxy_of_its_own() {
        let both = [("HTTP_PROXY", "http://a.test:3128"), ("https_proxy", "b.test:8080")];
        check(&both, "http://shop.test/", Some("http://a.test:3128"));
        check(&both, "https://shop.test/", Some("http://b.test:8080"));
        check(&both, "http://localhost:9/", None);
        check(&both, "http://127.3.2.1/", None);
        check(&both, "http://[::1]/", None);
        check(&[("HTTP_PROXY", " ")], "http://shop.test/", None);
        check(&[("HTTP_PROXY", "https://a.test")], "http://shop.test/", Some("https://a.test:443"));
    }

    #[test]
    fn exceptions_are_names_addresses_and_networks() {
        let but = |list: &'static str| [("HTTP_PROXY", "a.test"), ("NO_PROXY", list)];
        let proxied = Some("http://a.test:80");
        for (list, url, expected) in [
            ("shop.test", "http://shop.test/", None),
            ("shop.test", "http://www.shop.test/", None),
            ("shop.test", "http://myshop.test/", proxied),
            (".shop.test", "http://shop.test/", proxied),
            ("*.shop.test", "http://a.b.shop.test/", None),
            ("x, shop.test:8080", "http://shop.test/", proxied),
            ("x, SHOP.test:8080", "http://shop.test:8080/", None),
            ("10.0.0.0/8", "http://10.1.2.3/", None),
            ("10.0.0.0/8", "http://11.1.2.3/", proxied),
            ("10.1.2.3:81", "http://10.1.2.3/", proxied),
            ("10.1.2.3", "http://10.1.2.3/", None),
            ("*", "http://shop.test/", None),
            (",.,*.", "http://shop.test/", proxied),
        ] {
            check(&but(list), url, expected);
        }
    }

    #[test]
    fn credentials_are_sent_and_not_shown() {
        let url = Url::parse("http://shop.test/").unwrap();
        let proxies = of(&[("HTTP_PROXY", "http://me:p%40ss@a.test:1")]);
        let proxy = proxies.serving(&url).unwrap().unwrap();
        assert_eq!(proxy.authorization.as_deref(), Some("Basic bWU6cEBzcw=="));
        let proxies = of(&[("HTTP_PROXY", "socks5://me:secret@a.test")]);
        let said = proxies.serving(&url).unwrap_err();
        assert!(said.contains("SOCKS") && !said.contains("secret"), "{said}");
    }
}
