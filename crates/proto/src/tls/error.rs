//! What can be wrong with TLS settings (before any load) and with a TLS connection (counted with the target's errors), and the mend.

use std::fmt;

use rustls::{AlertDescription, CertificateError, InvalidMessage};

use super::{PemPart, TlsVersion};

/// Settings that no connection could be made with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TlsSettingsError {
    /// The bytes hold no `-----BEGIN`: not PEM at all, perhaps DER.
    NotPem {
        /// Which of the files.
        part: PemPart,
    },
    /// PEM, but without a section of the kind that is needed.
    MissingSection {
        /// Which of the files.
        part: PemPart,
        /// Labels of the sections found, such as `PRIVATE KEY`.
        found: Vec<String>,
    },
    /// The key is encrypted with a passphrase, which cannot be asked for here.
    EncryptedKey,
    /// A section is broken: its base64, its end, or what it encodes.
    BadSection {
        /// Which of the files.
        part: PemPart,
        /// What the decoder says, for people to read.
        cause: String,
    },
    /// The client's key does not belong to its certificate, or is of a kind that is not supported.
    BadIdentity {
        /// What `rustls` says, for people to read.
        cause: String,
    },
    /// Neither a DNS name nor an IP address.
    BadServerName {
        /// As given.
        name: String,
    },
    /// The lowest version asked for is above the highest.
    NoVersion {
        /// The lowest asked for.
        min: TlsVersion,
        /// The highest asked for.
        max: TlsVersion,
    },
    /// None of the cipher suites asked for can be spoken here in the versions asked for.
    NoCipherSuite,
    /// An ALPN name is empty or longer than 255 bytes (RFC 7301 §3.1).
    BadAlpn,
}

impl fmt::Display for TlsSettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TlsSettingsError::NotPem { part } => {
                let command = match part {
                    PemPart::ClientKey => "openssl pkey -inform der",
                    PemPart::Roots | PemPart::ClientCertificate => "openssl x509 -inform der",
                };
                write!(
                    f,
                    "{part} is not PEM (no `-----BEGIN`); if it is DER, convert it: {command} -in FILE -out FILE.pem"
                )
            }
            TlsSettingsError::MissingSection { part, found } => {
                write!(f, "{part} has no {} section", part.wanted_label())?;
                match found.as_slice() {
                    [] => f.write_str("; no section in it is complete"),
                    found => write!(f, ", only {}; is it the wrong file?", found.join(", ")),
                }
            }
            TlsSettingsError::EncryptedKey => {
                f.write_str("the client key is encrypted; decrypt it: openssl pkey -in KEY -out KEY.plain")
            }
            TlsSettingsError::BadSection { part, cause } => write!(f, "{part} is broken: {cause}"),
            TlsSettingsError::BadIdentity { cause } => {
                write!(f, "the client certificate and key cannot be used: {cause}; do they belong together?")
            }
            TlsSettingsError::BadServerName { name } => {
                write!(f, "`{}` is neither a DNS name nor an IP address", name.escape_debug())
            }
            TlsSettingsError::NoVersion { min, max } => {
                write!(f, "the lowest TLS version asked for ({min}) is above the highest ({max})")
            }
            TlsSettingsError::NoCipherSuite => f.write_str(
                "none of the cipher suites asked for is spoken here; name one of ECDHE with AES-GCM or ChaCha20, or allow TLS 1.3",
            ),
            TlsSettingsError::BadAlpn => f.write_str("an ALPN name is empty or longer than 255 bytes"),
        }
    }
}

impl std::error::Error for TlsSettingsError {}

/// Why a TLS connection failed. It cannot go on; send what [`super::TlsSession::poll_transmit`] still gives (the alert), then close.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TlsError {
    /// No chain from the server's certificate to a trusted root.
    UnknownIssuer,
    /// The certificate is for other names.
    WrongName {
        /// What `rustls` says, for people to read.
        cause: String,
    },
    /// The certificate has expired or is not valid yet, by this machine's clock.
    OutOfDate {
        /// What `rustls` says, for people to read.
        cause: String,
    },
    /// The certificate cannot be accepted for another reason.
    BadCertificate {
        /// What `rustls` says, for people to read.
        cause: String,
    },
    /// The peer answered with something other than TLS: most likely plain HTTP.
    NotTls,
    /// Both sides speak TLS, but share no version, cipher suite or other parameter.
    Incompatible {
        /// What `rustls` says, for people to read.
        cause: String,
    },
    /// The server demands a client certificate, or refused the one given.
    ClientCertificate,
    /// The server refused with another alert.
    Alert {
        /// The alert's name in RFC 8446 §6.
        name: String,
    },
    /// The peer broke the TLS protocol, or data was damaged.
    Protocol {
        /// What `rustls` says, for people to read.
        cause: String,
    },
}

impl From<rustls::Error> for TlsError {
    fn from(error: rustls::Error) -> TlsError {
        use CertificateError::*;
        let cause = error.to_string();
        match error {
            rustls::Error::InvalidCertificate(UnknownIssuer) => TlsError::UnknownIssuer,
            rustls::Error::InvalidCertificate(NotValidForName | NotValidForNameContext { .. }) => {
                TlsError::WrongName { cause }
            }
            rustls::Error::InvalidCertificate(
                Expired | ExpiredContext { .. } | NotValidYet | NotValidYetContext { .. },
            ) => TlsError::OutOfDate { cause },
            rustls::Error::InvalidCertificate(_) | rustls::Error::NoCertificatesPresented => {
                TlsError::BadCertificate { cause }
            }
            rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType) => TlsError::NotTls,
            rustls::Error::PeerIncompatible(_) => TlsError::Incompatible { cause },
            rustls::Error::AlertReceived(alert) => of_alert(alert),
            _ => TlsError::Protocol { cause },
        }
    }
}

/// What a fatal alert from the server means (RFC 8446 §6.2).
fn of_alert(alert: AlertDescription) -> TlsError {
    match alert {
        AlertDescription::ProtocolVersion | AlertDescription::InsufficientSecurity => {
            TlsError::Incompatible {
                cause: "the server refused the TLS version or ciphers offered".to_owned(),
            }
        }
        AlertDescription::CertificateRequired
        | AlertDescription::BadCertificate
        | AlertDescription::UnknownCA
        | AlertDescription::CertificateExpired
        | AlertDescription::CertificateRevoked
        | AlertDescription::CertificateUnknown
        | AlertDescription::UnsupportedCertificate => TlsError::ClientCertificate,
        other => TlsError::Alert { name: format!("{other:?}") },
    }
}

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TlsError::UnknownIssuer => f.write_str(
                "the server's certificate is signed by an unknown issuer; give its CA as root, or accept any certificate",
            ),
            TlsError::WrongName { cause } => {
                write!(f, "the server's certificate is for another name: {cause}; set the server name, or use the right host")
            }
            TlsError::OutOfDate { cause } => {
                write!(f, "the server's certificate is out of date: {cause}; renew it, or set this machine's clock")
            }
            TlsError::BadCertificate { cause } => write!(f, "the server's certificate cannot be accepted: {cause}"),
            TlsError::NotTls => f.write_str("the server does not speak TLS on this port; is it http instead of https?"),
            TlsError::Incompatible { cause } => write!(f, "no common ground with the server's TLS: {cause}"),
            TlsError::ClientCertificate => {
                f.write_str("the server demands a client certificate, or refused the one given")
            }
            TlsError::Alert { name } => write!(f, "the server refused the TLS connection: {name}"),
            TlsError::Protocol { cause } => write!(f, "the server broke the TLS protocol: {cause}"),
        }
    }
}

impl std::error::Error for TlsError {}
