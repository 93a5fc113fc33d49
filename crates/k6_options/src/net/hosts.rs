//! Names that go to an address of one's own: `hosts`.

use super::hostname::{PatternMap, Port, is_pattern};
use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;

/// Where a name goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostOverride {
    /// The address.
    pub address: IpAddr,
    /// The port; `None`: the request's own.
    pub port: Option<u16>,
}

impl HostOverride {
    fn parse(text: &str) -> Option<Result<Self, String>> {
        if let Ok(address) = text.parse() {
            return Some(Ok(Self { address, port: None }));
        }
        let (address, port) = text.rsplit_once(':')?;
        let address = address.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(address);
        let address = address.parse().ok()?;
        let number = port.parse().map(Some).map_err(|_| {
            let short: String = port.chars().take(32).collect();
            format!("strconv.Atoi: parsing \"{short}\": invalid syntax")
        });
        Some(number.map(|port| Self { address, port }))
    }
}

impl fmt::Display for HostOverride {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.address, self.port) {
            (address, None) => write!(f, "{address}"),
            (IpAddr::V4(address), Some(port)) => write!(f, "{address}:{port}"),
            (IpAddr::V6(address), Some(port)) => write!(f, "[{address}]:{port}"),
        }
    }
}

/// All overrides of a test.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hosts {
    all: BTreeMap<String, HostOverride>,
    map: PatternMap<HostOverride>,
}

impl Hosts {
    /// From pairs of a pattern (`host`, `host:port`, `*.ending`) and an address (`ip`, `ip:port`).
    ///
    /// # Errors
    ///
    /// The pair that is none; and more than 200,000. (k6 takes any text for an address and then can't connect to it.)
    pub fn new<K: AsRef<str>, V: AsRef<str>>(
        pairs: impl IntoIterator<Item = (K, V)>,
    ) -> Result<Self, String> {
        let mut hosts = Self::default();
        for (pattern, address) in pairs {
            let (pattern, address) = (pattern.as_ref(), address.as_ref());
            let short = |text: &str| text.chars().take(260).collect::<String>();
            if !is_pattern(pattern, Port::Allowed) {
                return Err(format!("invalid host pattern '{}'", short(pattern)));
            }
            let wrong = || {
                format!("host '{}' can't go to '{}', which is no IP address", short(pattern), short(address))
            };
            let target = HostOverride::parse(address).ok_or_else(wrong)??;
            hosts.all.insert(pattern.to_owned(), target);
            if !hosts.map.insert(pattern, target) {
                return Err("more than 200000 hosts".to_owned());
            }
        }
        Ok(hosts)
    }

    /// All pairs, by pattern.
    pub fn iter(&self) -> impl Iterator<Item = (&str, HostOverride)> {
        self.all.iter().map(|(pattern, target)| (pattern.as_str(), *target))
    }

    /// Where a connection to `host:port` goes: patterns with the port are looked at first, then those without; a missing port stays as it was.
    pub fn resolve(&self, host: &str, port: u16) -> Option<(IpAddr, u16)> {
        if self.all.is_empty() {
            return None;
        }
        let target = self.map.get(&format!("{host}:{port}")).or_else(|| self.map.get(host))?;
        Some((target.address, target.port.unwrap_or(port)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_where_they_are_sent() {
        let hosts = Hosts::new([
            ("a.test", "1.1.1.1"),
            ("a.test:8080", "1.1.1.2:90"),
            ("*.b.test", "[::1]:443"),
            ("*.b.test:80", "::2"),
        ])
        .unwrap();
        let check = |host: &str, port: u16, expected: Option<(&str, u16)>| {
            let expected = expected.map(|(address, port)| (address.parse().unwrap(), port));
            assert_eq!(hosts.resolve(host, port), expected, "{host}:{port}");
        };
        check("a.test", 80, Some(("1.1.1.1", 80)));
        check("A.Test", 8080, Some(("1.1.1.2", 90)));
        check("x.b.test", 80, Some(("::2", 80)));
        check("x.b.test", 81, Some(("::1", 443)));
        check("b.test", 80, None);
        assert_eq!(Hosts::default().resolve("a", 1), None);
        let said: Vec<String> = hosts.iter().map(|(pattern, target)| format!("{pattern} {target}")).collect();
        assert_eq!(
            said,
            ["*.b.test [::1]:443", "*.b.test:80 ::2", "a.test 1.1.1.1", "a.test:8080 1.1.1.2:90"]
        );
    }

    #[test]
    fn what_is_no_pair_is_refused() {
        for (pattern, address, said) in [
            ("a*b", "1.2.3.4", "invalid host pattern 'a*b'"),
            ("a:b", "1.2.3.4", "invalid host pattern 'a:b'"),
            ("a", "b", "host 'a' can't go to 'b', which is no IP address"),
            ("a", "1.2.3.4:x", "strconv.Atoi: parsing \"x\": invalid syntax"),
            ("a", "1.2.3.4:70000", "strconv.Atoi: parsing \"70000\": invalid syntax"),
        ] {
            assert_eq!(Hosts::new([(pattern, address)]), Err(said.to_owned()));
        }
    }
}
