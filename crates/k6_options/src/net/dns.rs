//! How names are resolved: how long answers are kept, which of several addresses is taken, and which family.

use crate::exit::{ExitCode, Fault};
use k6_metrics::GoDuration;

/// A year: what `inf` stands for.
const FOREVER: GoDuration = GoDuration::from_secs(365 * 24 * 3600);
const TTL_DEFAULT: GoDuration = GoDuration::from_secs(5 * 60);

/// What was said of name resolution; what was not said is `None`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dns {
    /// How long answers are kept, as it was written.
    pub ttl: Option<String>,
    /// Which of several addresses.
    pub select: Option<DnsSelect>,
    /// Which family.
    pub policy: Option<DnsPolicy>,
}

/// Which of several addresses a new connection takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DnsSelect {
    /// The first of the answer.
    First,
    /// Any.
    #[default]
    Random,
    /// Each in turn.
    RoundRobin,
}

/// Which family of addresses is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DnsPolicy {
    /// IPv4 where there is any, else IPv6.
    #[default]
    PreferIpv4,
    /// IPv6 where there is any, else IPv4.
    PreferIpv6,
    /// IPv4 alone.
    OnlyIpv4,
    /// IPv6 alone.
    OnlyIpv6,
    /// All alike.
    Any,
}

const SELECTS: [(&str, DnsSelect); 3] =
    [("first", DnsSelect::First), ("random", DnsSelect::Random), ("roundRobin", DnsSelect::RoundRobin)];
const POLICIES: [(&str, DnsPolicy); 5] = [
    ("preferIPv4", DnsPolicy::PreferIpv4),
    ("preferIPv6", DnsPolicy::PreferIpv6),
    ("onlyIPv4", DnsPolicy::OnlyIpv4),
    ("onlyIPv6", DnsPolicy::OnlyIpv6),
    ("any", DnsPolicy::Any),
];

impl DnsSelect {
    /// Its word in options.
    pub fn as_str(self) -> &'static str {
        SELECTS.iter().find(|(_, value)| *value == self).map_or("", |(word, _)| word)
    }

    /// Reads the word.
    ///
    /// # Errors
    ///
    /// Any other, with k6's text.
    pub fn parse(word: &str) -> Result<Self, String> {
        let found = SELECTS.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
        found.ok_or_else(|| format!("{} does not belong to DNSSelect values", short(word)))
    }
}

impl DnsPolicy {
    /// Its word in options.
    pub fn as_str(self) -> &'static str {
        POLICIES.iter().find(|(_, value)| *value == self).map_or("", |(word, _)| word)
    }

    /// Reads the word.
    ///
    /// # Errors
    ///
    /// Any other, with k6's text.
    pub fn parse(word: &str) -> Result<Self, String> {
        let found = POLICIES.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
        found.ok_or_else(|| format!("{} does not belong to DNSPolicy values", short(word)))
    }
}

fn short(word: &str) -> String {
    word.chars().take(64).collect()
}

impl Dns {
    /// Reads `ttl=5m,select=random,policy=preferIPv4`, each part at will.
    ///
    /// # Errors
    ///
    /// A part that is none, with k6's text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut dns = Self::default();
        for part in text.split(',') {
            let part = short(part);
            match part.split_once('=') {
                None => return Err(format!("no value for key {part}")),
                Some(("ttl", value)) => dns.ttl = Some(value.to_owned()),
                Some(("select", value)) => dns.select = Some(DnsSelect::parse(value)?),
                Some(("policy", value)) => dns.policy = Some(DnsPolicy::parse(value)?),
                Some((name, _)) => return Err(format!("unknown DNS configuration field: {name}")),
            }
        }
        Ok(dns)
    }

    /// How long an answer is kept, ns; 0: it is not. `inf` is a year, a bare number ms; 5 minutes where nothing is said.
    ///
    /// # Errors
    ///
    /// What is no duration or negative: 255, as in k6.
    pub fn ttl_ns(&self) -> Result<u64, Fault> {
        let Some(text) = self.ttl.as_deref().filter(|text| !text.is_empty()) else {
            return Ok(TTL_DEFAULT.as_ns());
        };
        let wrong = || Fault {
            exit_code: ExitCode::Other,
            message: format!("invalid DNS TTL: {}", short(text)),
            hint: Some("write `inf`, `0`, or a duration such as `5m`".to_owned()),
        };
        let ttl =
            if text == "inf" { FOREVER } else { GoDuration::parse_extended(text).map_err(|_| wrong())? };
        u64::try_from(ttl.ns()).map_err(|_| wrong())
    }

    /// What is said above replaces what is said here, part by part.
    pub(crate) fn overlay(&mut self, above: &Self) {
        if above.ttl.is_some() {
            self.ttl.clone_from(&above.ttl);
        }
        self.select = above.select.or(self.select);
        self.policy = above.policy.or(self.policy);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_and_laid_over() {
        let mut dns = Dns::parse("ttl=1m,policy=any").unwrap();
        assert_eq!((dns.ttl.as_deref(), dns.select, dns.policy), (Some("1m"), None, Some(DnsPolicy::Any)));
        dns.overlay(&Dns::parse("select=roundRobin,policy=onlyIPv6").unwrap());
        assert_eq!(dns.select.map(DnsSelect::as_str), Some("roundRobin"));
        assert_eq!(dns.policy.map(DnsPolicy::as_str), Some("onlyIPv6"));
        assert_eq!(dns.ttl.as_deref(), Some("1m"));
        for (text, said) in [
            ("foo=1", "unknown DNS configuration field: foo"),
            ("ttl", "no value for key ttl"),
            ("", "no value for key "),
            ("select=x", "x does not belong to DNSSelect values"),
            ("policy=x", "x does not belong to DNSPolicy values"),
        ] {
            assert_eq!(Dns::parse(text), Err(said.to_owned()));
        }
    }

    #[test]
    fn ttls_are_durations_and_two_words() {
        let ttl = |text: &str| {
            Dns { ttl: Some(text.to_owned()), ..Dns::default() }.ttl_ns().map_err(|fault| fault.message)
        };
        assert_eq!(Dns::default().ttl_ns(), Ok(300_000_000_000));
        assert_eq!(ttl("inf"), Ok(31_536_000_000_000_000));
        assert_eq!(ttl("0"), Ok(0));
        assert_eq!(ttl("500"), Ok(500_000_000));
        assert_eq!(ttl("1m"), Ok(60_000_000_000));
        assert_eq!(ttl("x"), Err("invalid DNS TTL: x".to_owned()));
        assert_eq!(ttl("-1s"), Err("invalid DNS TTL: -1s".to_owned()));
    }
}
