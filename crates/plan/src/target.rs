//! Where load goes: an origin, how to reach it, and how connections to it are kept.

use serde::{Serialize, Serializer};
use std::net::IpAddr;
use std::path::PathBuf;

/// A system that takes load: one origin.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Target {
    /// How steps and the record name it.
    pub name: String,
    /// Plain or over TLS.
    pub scheme: Scheme,
    /// Host name or address literal (IPv6 without brackets).
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// Prefix of every path, without a final `/`; may be empty.
    pub base_path: String,
    /// Headers of every request to it, before the request's own.
    pub headers: Vec<(String, Secret)>,
    /// TLS settings; without meaning for [`Scheme::Http`].
    pub tls: TlsSettings,
    /// How many connections, and whose.
    pub connections: ConnectionPolicy,
    /// Connect here in place of host and port.
    pub unix_socket: Option<PathBuf>,
    /// Addresses to use in place of name resolution; empty: resolve. All are used in turn.
    pub addresses: Vec<IpAddr>,
    /// The address of this machine that connections come from; `None`: the system chooses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_address: Option<IpAddr>,
    /// Reach it through a tunnel; `unix_socket` and `addresses` are then the proxy's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tunnel: Option<Tunnel>,
    /// Indices of targets that take turns with this one: a request to it by user u goes to the (u mod n)th of it and these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alternates: Vec<usize>,
    /// Limit on TCP connect plus TLS handshake, ns.
    pub connect_timeout_ns: u64,
    /// Limit from sending a request to the end of its answer, ns.
    pub request_timeout_ns: u64,
}

impl Target {
    /// Limit on connecting where none is given: 5 s.
    pub const CONNECT_TIMEOUT_NS: u64 = 5 * units::NS_PER_SEC;
    /// Limit on a request where none is given: 30 s.
    pub const REQUEST_TIMEOUT_NS: u64 = 30 * units::NS_PER_SEC;

    /// A plain target with defaults for everything but its place.
    pub fn new(scheme: Scheme, host: impl Into<String>, port: u16) -> Self {
        let host = host.into();
        Self {
            name: host.clone(),
            scheme,
            host,
            port,
            base_path: String::new(),
            headers: Vec::new(),
            tls: TlsSettings::default(),
            connections: ConnectionPolicy::PerUser,
            unix_socket: None,
            addresses: Vec::new(),
            local_address: None,
            tunnel: None,
            alternates: Vec::new(),
            connect_timeout_ns: Self::CONNECT_TIMEOUT_NS,
            request_timeout_ns: Self::REQUEST_TIMEOUT_NS,
        }
    }

    /// The value of the `Host` header: the port is left out when it is the scheme's own (RFC 9110 §7.2).
    pub fn authority(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        if self.port == self.scheme.default_port() { host } else { format!("{host}:{}", self.port) }
    }

    /// The origin as people write it: `http://host:port/base`.
    pub fn url(&self) -> String {
        format!("{}://{}{}", self.scheme.as_str(), self.authority(), self.base_path)
    }
}

/// A tunnel that an HTTP proxy opens to a target (CONNECT, RFC 9110 §9.3.6). What is spoken with the proxy itself is plain.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tunnel {
    /// The proxy's name or address literal (IPv6 without brackets).
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The value of `Proxy-Authorization`, if it wants one.
    pub authorization: Option<Secret>,
}

/// Plain or over TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scheme {
    /// `http`, port 80.
    Http,
    /// `https`, port 443.
    Https,
}

impl Scheme {
    /// The port when a URL gives none.
    pub fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }

    /// `http` or `https`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }
}

/// How connections to a target are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ConnectionPolicy {
    /// A pool of so many, shared by all users; who finds none free waits, and the wait is in the response time.
    Shared(u32),
    /// Each user keeps one of its own.
    PerUser,
    /// Each user keeps one of its own until its action ends.
    PerAction,
    /// A new one for each request.
    PerRequest,
}

/// How TLS is spoken.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct TlsSettings {
    /// Trusted roots in PEM in place of the built-in ones.
    pub ca_pem: Option<Vec<u8>>,
    /// What the client shows of itself.
    pub client_certificate: Option<ClientCertificate>,
    /// Whether the server's certificate is verified.
    pub check: CertificateCheck,
    /// Name sent in SNI and verified, in place of the host.
    pub server_name: Option<String>,
    /// Oldest version spoken.
    pub version_min: Option<TlsVersion>,
    /// Newest version spoken.
    pub version_max: Option<TlsVersion>,
    /// Cipher suites offered with TLS 1.2, by their numbers at IANA; empty: all there are. TLS 1.3 has its own, all of them sound.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cipher_suites: Vec<u16>,
}

/// Whether the server's certificate is verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CertificateCheck {
    /// Chain, name and dates.
    #[default]
    Verify,
    /// Anything goes.
    Insecure,
}

/// A client's certificate chain and key, PEM.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClientCertificate {
    /// Leaf first.
    pub chain_pem: Vec<u8>,
    /// PKCS#8, PKCS#1 or SEC1.
    #[serde(serialize_with = "hidden")]
    pub key_pem: Vec<u8>,
}

/// TLS versions spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum TlsVersion {
    /// TLS 1.2.
    #[serde(rename = "1.2")]
    V1_2,
    /// TLS 1.3.
    #[serde(rename = "1.3")]
    V1_3,
}

/// A text that may be a credential. It is sent, but never printed or recorded where [`Secret::header_value`] found it to be one.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret {
    text: String,
    hidden: bool,
}

impl Secret {
    /// A header's value, hidden when the header is one that carries credentials.
    pub fn header_value(name: &str, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { hidden: Self::is_credential_header(name), text }
    }

    /// The headers that carry credentials, in lower case.
    pub const CREDENTIAL_HEADERS: [&str; 5] =
        ["authorization", "proxy-authorization", "cookie", "x-api-key", "x-auth-token"];

    /// Whether a header of this name carries credentials.
    pub fn is_credential_header(name: &str) -> bool {
        Self::CREDENTIAL_HEADERS.iter().any(|known| name.eq_ignore_ascii_case(known))
    }

    /// The text itself, for sending.
    pub fn expose(&self) -> &str {
        &self.text
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.hidden { "(hidden)" } else { &self.text })
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(if self.hidden { "(hidden)" } else { &self.text })
    }
}

fn hidden<S: Serializer>(_: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str("(hidden)")
}
