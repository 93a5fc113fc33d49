//! How connections are secured: versions, cipher suites, certificates of the client.

/// A version of TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TlsVersion {
    /// RFC 2246
    V1_0,
    /// RFC 4346
    V1_1,
    /// RFC 5246
    V1_2,
    /// RFC 8446
    V1_3,
}

const VERSIONS: [(&str, TlsVersion); 4] = [
    ("tls1.0", TlsVersion::V1_0),
    ("tls1.1", TlsVersion::V1_1),
    ("tls1.2", TlsVersion::V1_2),
    ("tls1.3", TlsVersion::V1_3),
];

impl TlsVersion {
    /// Its word in options: `tls1.2`.
    pub fn as_str(self) -> &'static str {
        VERSIONS.iter().find(|(_, version)| *version == self).map_or("", |(word, _)| word)
    }

    /// Reads the word.
    ///
    /// # Errors
    ///
    /// Any other.
    pub fn parse(word: &str) -> Result<Self, String> {
        let found = VERSIONS.iter().find(|(name, _)| *name == word).map(|(_, version)| *version);
        found.ok_or_else(|| {
            let short: String = word.chars().take(32).collect();
            format!("unknown TLS version '{short}'")
        })
    }
}

/// The lowest and the highest version that may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TlsVersions {
    /// `None`: the client's own.
    pub min: Option<TlsVersion>,
    /// `None`: the client's own.
    pub max: Option<TlsVersion>,
}

/// A cipher suite by its name at IANA.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CipherSuite {
    name: &'static str,
    number: u16,
}

/// Names and numbers of the IANA registry "TLS Cipher Suites", those that k6 knows.
const SUITES: [(&str, u16); 26] = [
    ("TLS_RSA_WITH_RC4_128_SHA", 0x0005),
    ("TLS_RSA_WITH_3DES_EDE_CBC_SHA", 0x000a),
    ("TLS_RSA_WITH_AES_128_CBC_SHA", 0x002f),
    ("TLS_RSA_WITH_AES_256_CBC_SHA", 0x0035),
    ("TLS_RSA_WITH_AES_128_CBC_SHA256", 0x003c),
    ("TLS_RSA_WITH_AES_128_GCM_SHA256", 0x009c),
    ("TLS_RSA_WITH_AES_256_GCM_SHA384", 0x009d),
    ("TLS_ECDHE_ECDSA_WITH_RC4_128_SHA", 0xc007),
    ("TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", 0xc009),
    ("TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", 0xc00a),
    ("TLS_ECDHE_RSA_WITH_RC4_128_SHA", 0xc011),
    ("TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA", 0xc012),
    ("TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", 0xc013),
    ("TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", 0xc014),
    ("TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256", 0xc023),
    ("TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256", 0xc027),
    ("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", 0xc02f),
    ("TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", 0xc02b),
    ("TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", 0xc030),
    ("TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", 0xc02c),
    ("TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", 0xcca8),
    ("TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", 0xcca9),
    ("TLS_AES_128_GCM_SHA256", 0x1301),
    ("TLS_AES_256_GCM_SHA384", 0x1302),
    ("TLS_CHACHA20_POLY1305_SHA256", 0x1303),
    ("TLS_FALLBACK_SCSV", 0x5600),
];
/// Names that older scripts use for two of them.
const ALIASES: [(&str, &str); 2] = [
    ("TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305", "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"),
    ("TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305", "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"),
];

impl CipherSuite {
    /// Reads a name.
    ///
    /// # Errors
    ///
    /// Any that is not known, with k6's text.
    pub fn parse(name: &str) -> Result<Self, String> {
        let full = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, full)| full);
        let found =
            SUITES.iter().find(|(known, _)| *known == full).map(|&(name, number)| Self { name, number });
        found.ok_or_else(|| {
            let short: String = name.chars().take(64).collect();
            format!("unknown cipher suite '{short}'")
        })
    }

    /// The suite of a number at IANA.
    pub fn by_number(number: u16) -> Option<Self> {
        let found = SUITES.iter().find(|(_, known)| *known == number);
        found.map(|&(name, number)| Self { name, number })
    }

    /// The name at IANA.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// The number at IANA.
    pub fn number(self) -> u16 {
        self.number
    }
}

/// A certificate of the client and its key, and for which hosts.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct TlsAuth {
    /// PEM.
    pub cert: String,
    /// PEM.
    pub key: String,
    /// Of an encrypted key.
    pub password: Option<String>,
    /// Names, or `*.` and the rest of one; `None` or empty: all.
    pub domains: Option<Vec<String>>,
}

impl std::fmt::Debug for TlsAuth {
    /// Key and password are not shown.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TlsAuth").field("domains", &self.domains).finish_non_exhaustive()
    }
}

impl TlsAuth {
    /// Whether the certificate is shown to a host: a pattern's `*` stands for one label.
    pub fn is_for(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let fits = |domain: &String| {
            let domain = domain.trim_end_matches('.').to_ascii_lowercase();
            match domain.strip_prefix("*.") {
                Some(rest) => host.split_once('.').is_some_and(|(_, parent)| parent == rest),
                None => domain == host,
            }
        };
        self.domains.as_ref().is_none_or(|domains| domains.is_empty() || domains.iter().any(fits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_known_or_refused() {
        assert_eq!(TlsVersion::parse("tls1.2").map(TlsVersion::as_str), Ok("tls1.2"));
        assert_eq!(TlsVersion::parse("tls1.9"), Err("unknown TLS version 'tls1.9'".to_owned()));
        assert!(TlsVersion::V1_2 < TlsVersion::V1_3);
        let suite = CipherSuite::parse("TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305").unwrap();
        assert_eq!((suite.name(), suite.number()), ("TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", 0xcca8));
        assert_eq!(CipherSuite::parse("FOO"), Err("unknown cipher suite 'FOO'".to_owned()));
        let mut numbers: Vec<u16> = SUITES.iter().map(|(_, number)| *number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), SUITES.len());
    }

    #[test]
    fn certificates_are_for_their_domains() {
        let auth = |domains: &[&str]| TlsAuth {
            domains: Some(domains.iter().map(|domain| (*domain).to_owned()).collect()),
            ..TlsAuth::default()
        };
        assert!(TlsAuth::default().is_for("any.test") && auth(&[]).is_for("any.test"));
        let some = auth(&["a.test", "*.b.test"]);
        assert!(some.is_for("A.test") && some.is_for("x.b.test"));
        assert!(!some.is_for("b.test") && !some.is_for("x.y.b.test") && !some.is_for("c.test"));
        let secret = TlsAuth { key: "secret".to_owned(), ..TlsAuth::default() };
        assert!(!format!("{secret:?}").contains("secret"));
    }
}
