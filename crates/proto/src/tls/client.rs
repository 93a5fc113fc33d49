//! Settings of TLS towards a target, checked once and turned into what connections share.

use std::fmt;
use std::sync::Arc;

use rustls::client::{Resumption, WebPkiServerVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::{ClientConfig, RootCertStore, SupportedProtocolVersion, pki_types};

use super::insecure::AcceptAny;
use super::{PemPart, TlsSettingsError, pem};

/// Servers whose sessions are kept for resumption. For each: one TLS 1.2 session, and `rustls` keeps the newest eight TLS 1.3 tickets.
const RESUMABLE_SERVER_COUNT_MAX: usize = 256;

/// How to speak TLS with a target. The default is what a browser would do: verify against the public roots, TLS 1.2 or 1.3.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsSettings {
    /// Whose certificates are trusted.
    pub roots: Roots,
    /// The certificate and key to show when the server asks for one.
    pub identity: Option<ClientIdentity>,
    /// Whether the server's certificate is verified.
    pub certificates: Certificates,
    /// The name to ask for (SNI) and to verify, in place of the URL's host.
    pub server_name: Option<String>,
    /// Lowest version offered.
    pub version_min: TlsVersion,
    /// Highest version offered.
    pub version_max: TlsVersion,
    /// Cipher suites offered with TLS 1.2, by their numbers in IANA's registry; empty: all of `rustls`. Those of TLS 1.3 stay.
    pub cipher_suites: Vec<u16>,
    /// Application protocols offered, in order of preference (RFC 7301). A server that ignores them is accepted.
    pub alpn: Vec<Vec<u8>>,
}

impl Default for TlsSettings {
    fn default() -> TlsSettings {
        TlsSettings {
            roots: Roots::Public,
            identity: None,
            certificates: Certificates::Verify,
            server_name: None,
            version_min: TlsVersion::V1_2,
            version_max: TlsVersion::V1_3,
            cipher_suites: Vec::new(),
            alpn: vec![b"http/1.1".to_vec()],
        }
    }
}

/// Whose certificates are trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Roots {
    /// Mozilla's public roots, built in; the machine's own store is not asked, so a run means the same everywhere.
    Public,
    /// Only these: the bytes of a PEM file with one CA certificate or more (or the server's own self-signed one).
    Pem(Vec<u8>),
}

/// A client's certificate and key.
#[derive(Clone, PartialEq, Eq)]
pub struct ClientIdentity {
    /// PEM with the client's certificate first, then the intermediate ones.
    pub certificate_pem: Vec<u8>,
    /// PEM with the key: PKCS#8, PKCS#1 or SEC1, not encrypted. May be the same file.
    pub key_pem: Vec<u8>,
}

impl fmt::Debug for ClientIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The key must not get into a log or a record by way of a derived Debug.
        f.debug_struct("ClientIdentity").finish_non_exhaustive()
    }
}

/// What is done with the server's certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Certificates {
    /// Chain, dates and name are verified.
    Verify,
    /// Any certificate is accepted: whoever answers is believed. For test systems.
    Insecure,
}

/// A version of TLS. Older ones are not spoken (RFC 8996 forbids them).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TlsVersion {
    /// TLS 1.2, RFC 5246.
    V1_2,
    /// TLS 1.3, RFC 8446.
    V1_3,
}

impl fmt::Display for TlsVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TlsVersion::V1_2 => "1.2",
            TlsVersion::V1_3 => "1.3",
        })
    }
}

/// A server's name: a DNS name, sent as SNI and verified, or an IP address, only verified (RFC 6066 §3).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ServerName(pub(super) pki_types::ServerName<'static>);

impl ServerName {
    /// Takes a URL's host; an IPv6 address may be in brackets.
    pub fn new(host: &str) -> Result<ServerName, TlsSettingsError> {
        let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
        pki_types::ServerName::try_from(bare.to_owned())
            .map(ServerName)
            .map_err(|_| TlsSettingsError::BadServerName { name: host.to_owned() })
    }
}

/// What connections to a target share: checked settings and a store of sessions to resume. Clones share both.
#[derive(Debug, Clone)]
pub struct TlsClient {
    pub(super) config: Arc<ClientConfig>,
    /// Asked for in place of the host, if set.
    pub(super) server_name: Option<ServerName>,
}

impl TlsClient {
    /// Checks the settings. Errors say which part is wrong and how to mend it.
    pub fn new(settings: &TlsSettings) -> Result<TlsClient, TlsSettingsError> {
        let mut provider = ring::default_provider();
        if !settings.cipher_suites.is_empty() {
            provider.cipher_suites.retain(|suite| {
                suite.tls13().is_some() || settings.cipher_suites.contains(&u16::from(suite.suite()))
            });
        }
        let provider = Arc::new(provider);
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(&versions(settings)?)
            // The provider has ciphers for both versions: only a choice without any for the versions asked for can fail.
            .map_err(|_| no_version(settings))?;
        let builder = match settings.certificates {
            Certificates::Verify => builder.with_webpki_verifier(verifier(&settings.roots, provider)?),
            Certificates::Insecure => {
                let algorithms = provider.signature_verification_algorithms;
                builder.dangerous().with_custom_certificate_verifier(Arc::new(AcceptAny { algorithms }))
            }
        };
        let mut config = match &settings.identity {
            None => builder.with_no_client_auth(),
            Some(identity) => {
                let chain = pem::certificates(&identity.certificate_pem, PemPart::ClientCertificate)?;
                builder
                    .with_client_auth_cert(chain, pem::private_key(&identity.key_pem)?)
                    .map_err(|error| TlsSettingsError::BadIdentity { cause: error.to_string() })?
            }
        };
        if settings.alpn.iter().any(|name| name.is_empty() || name.len() > usize::from(u8::MAX)) {
            return Err(TlsSettingsError::BadAlpn);
        }
        config.alpn_protocols.clone_from(&settings.alpn);
        config.resumption = Resumption::in_memory_sessions(RESUMABLE_SERVER_COUNT_MAX);
        let server_name = settings.server_name.as_deref().map(ServerName::new).transpose()?;
        Ok(TlsClient { config: Arc::new(config), server_name })
    }

    /// The same settings with a session store of its own. Give one to each worker, so that they share no lock.
    pub fn with_own_sessions(&self) -> TlsClient {
        let mut config = ClientConfig::clone(&self.config);
        config.resumption = Resumption::in_memory_sessions(RESUMABLE_SERVER_COUNT_MAX);
        TlsClient { config: Arc::new(config), server_name: self.server_name.clone() }
    }
}

/// Numbers in IANA's registry of the cipher suites of TLS 1.2 and 1.3 that can be offered.
pub fn cipher_suites() -> impl Iterator<Item = u16> {
    ring::ALL_CIPHER_SUITES.iter().map(|suite| u16::from(suite.suite()))
}

fn versions(settings: &TlsSettings) -> Result<Vec<&'static SupportedProtocolVersion>, TlsSettingsError> {
    let asked = settings.version_min..=settings.version_max;
    let known = [(TlsVersion::V1_3, &rustls::version::TLS13), (TlsVersion::V1_2, &rustls::version::TLS12)];
    let chosen = known.into_iter().filter(|(version, _)| asked.contains(version));
    let chosen: Vec<_> = chosen.map(|(_, supported)| supported).collect();
    if chosen.is_empty() { Err(no_version(settings)) } else { Ok(chosen) }
}

fn no_version(settings: &TlsSettings) -> TlsSettingsError {
    if settings.version_min <= settings.version_max {
        return TlsSettingsError::NoCipherSuite;
    }
    TlsSettingsError::NoVersion { min: settings.version_min, max: settings.version_max }
}

fn verifier(
    roots: &Roots,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<WebPkiServerVerifier>, TlsSettingsError> {
    let broken = |cause: String| TlsSettingsError::BadSection { part: PemPart::Roots, cause };
    let mut store = RootCertStore::empty();
    match roots {
        Roots::Public => store.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        Roots::Pem(pem) => {
            for certificate in pem::certificates(pem, PemPart::Roots)? {
                store.add(certificate).map_err(|error| broken(error.to_string()))?;
            }
        }
    }
    WebPkiServerVerifier::builder_with_provider(Arc::new(store), provider)
        .build()
        .map_err(|error| broken(error.to_string()))
}
