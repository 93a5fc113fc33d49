//! What the whole test shares of the network: addresses of names, the limit of requests per second; and which options say what can't be done.

use crate::names::Names;
use k6_options::Options;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Shared by all users.
#[derive(Debug, Default)]
pub(crate) struct Network {
    pub(crate) names: Names,
    rate: Mutex<Option<Instant>>,
}

impl Network {
    /// How long the next request has to wait, ns: `per_sec` over all users, evenly, none saved up.
    pub(crate) fn wait_ns(&self, per_sec: u64) -> u64 {
        let Ok(mut next) = self.rate.lock() else { return 0 };
        let now = Instant::now();
        let slot = next.filter(|next| *next > now).unwrap_or(now);
        *next = Some(slot + Duration::from_nanos(units::NS_PER_SEC / per_sec.max(1)));
        slot.duration_since(now).as_nanos() as u64
    }
}

/// Options that are set and not, or not wholly, done as they say: one warning each.
pub(crate) fn not_honoured(options: &Options, env: &BTreeMap<String, String>) -> Vec<String> {
    let mut said = Vec::new();
    let mut say = |is_so: bool, text: &str| {
        if is_so {
            said.push(text.to_owned());
        }
    };
    say(
        options.no_vu_connection_reuse == Some(true),
        "the option noVUConnectionReuse is not honoured: connections are kept from one iteration to the next; use noConnectionReuse for one connection per request",
    );
    say(
        options.tls_cipher_suites.as_ref().is_some_and(|suites| !suites.is_empty()),
        "the option tlsCipherSuites is not honoured: all suites of TLS 1.2 and 1.3 that are sound are offered",
    );
    let is_old = |version: Option<k6_options::TlsVersion>| {
        version.is_some_and(|version| version < k6_options::TlsVersion::V1_2)
    };
    let versions = options.tls_version.unwrap_or_default();
    say(
        is_old(versions.min) || is_old(versions.max),
        "the option tlsVersion is not wholly honoured: TLS 1.0 and 1.1 are not spoken, TLS 1.2 is in their place",
    );
    say(
        options
            .tls_auth
            .iter()
            .flatten()
            .any(|auth| auth.password.as_ref().is_some_and(|word| !word.is_empty())),
        "the option tlsAuth is not wholly honoured: a key with a password can't be read; give it decrypted",
    );
    say(options.local_ips.is_some(), "the option localIPs is not honoured: the system chooses the address");
    let proxies = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"];
    say(
        proxies.iter().any(|name| env.get(*name).is_some_and(|value| !value.is_empty())),
        "HTTP_PROXY and HTTPS_PROXY are not honoured: requests go straight to their hosts",
    );
    let dns = options.dns.clone().unwrap_or_default();
    say(
        dns.ttl.is_some() || dns.select.is_some(),
        "the option dns is not wholly honoured: a VU keeps to the address that `select` gave it; connections that stand stay when `ttl` is over",
    );
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_has_no_bursts() {
        let network = Network::default();
        let waits: Vec<u64> = (0..5).map(|_| network.wait_ns(2)).collect();
        let pairs = waits.windows(2);
        assert_eq!(waits.first(), Some(&0));
        for pair in pairs {
            let [a, b] = pair else { continue };
            assert!(b - a > 400_000_000 && b - a <= 500_000_000, "{waits:?}");
        }
    }

    #[test]
    fn what_is_not_done_is_said() {
        let options = Options { no_vu_connection_reuse: Some(true), ..Options::default() };
        let said = not_honoured(&options, &BTreeMap::new());
        assert_eq!(said.len(), 1, "{said:?}");
        assert_eq!(not_honoured(&Options::default(), &BTreeMap::new()), Vec::<String>::new());
        let proxied = BTreeMap::from([("HTTP_PROXY".to_owned(), "a".to_owned())]);
        assert_eq!(not_honoured(&Options::default(), &proxied).len(), 1);
    }
}
