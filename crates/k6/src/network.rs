//! What the whole test shares of the network: addresses of names, the limit of requests per second; and which options say what can't be done.

use crate::names::Names;
use crate::proxy::Proxies;
use k6_options::{CipherSuite, Options};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Shared by all users.
#[derive(Debug)]
pub(crate) struct Network {
    pub(crate) names: Names,
    pub(crate) proxies: Proxies,
    /// PEM of the certificates to trust in place of the public ones, if the environment names a file of them.
    pub(crate) roots: Option<Vec<u8>>,
    rate: Mutex<Option<Instant>>,
}

impl Default for Network {
    /// That of this process: with the proxies and roots that its environment names.
    fn default() -> Self {
        // A file that can't be read trusts nobody, as with Go's programs.
        let file = std::env::var_os("SSL_CERT_FILE").filter(|file| !file.is_empty());
        Self {
            names: Names::default(),
            proxies: Proxies::from_environment(),
            roots: file.map(|file| std::fs::read(file).unwrap_or_default()),
            rate: Mutex::default(),
        }
    }
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
pub(crate) fn not_honoured(options: &Options) -> Vec<String> {
    let mut said = Vec::new();
    let mut say = |is_so: bool, text: &str| {
        if is_so {
            said.push(text.to_owned());
        }
    };
    let is_spoken = |suite: &&CipherSuite| proto::tls::cipher_suites().any(|number| number == suite.number());
    let suites: Vec<&CipherSuite> = options.tls_cipher_suites.iter().flatten().collect();
    let unspoken: Vec<&str> =
        suites.iter().filter(|suite| !is_spoken(suite)).map(|suite| suite.name()).collect();
    say(
        !unspoken.is_empty(),
        &format!(
            "the option tlsCipherSuites is not wholly honoured: {} can't be spoken here and is not offered",
            unspoken.join(", ")
        ),
    );
    let is_old = |version: Option<k6_options::TlsVersion>| {
        version.is_some_and(|version| version < k6_options::TlsVersion::V1_2)
    };
    let versions = options.tls_version.unwrap_or_default();
    say(
        is_old(versions.min) && !is_old(versions.max),
        "the option tlsVersion is not wholly honoured: TLS 1.0 and 1.1 can't be spoken here, 1.2 is the lowest that is offered",
    );
    say(
        is_old(versions.max),
        "the option tlsVersion is not honoured: TLS 1.0 and 1.1 can't be spoken here, so requests to https fail",
    );
    say(
        options
            .tls_auth
            .iter()
            .flatten()
            .any(|auth| auth.password.as_ref().is_some_and(|word| !word.is_empty())),
        "the option tlsAuth is not wholly honoured: a key with a password can't be read; give it decrypted",
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
        let suites = ["TLS_RSA_WITH_RC4_128_SHA", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"];
        let suites = suites.map(|name| CipherSuite::parse(name).unwrap()).to_vec();
        let options = Options { tls_cipher_suites: Some(suites), ..Options::default() };
        let said = not_honoured(&options);
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].contains(": TLS_RSA_WITH_RC4_128_SHA can't"), "{said:?}");
        assert_eq!(not_honoured(&Options::default()), Vec::<String>::new());
    }
}
