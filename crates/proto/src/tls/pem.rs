//! Certificates and keys out of PEM (RFC 7468), with errors that say what the file holds instead.

use std::fmt;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::TlsSettingsError;

/// Which of the PEM files is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PemPart {
    /// The trusted roots (CA certificates).
    Roots,
    /// The client's certificate chain.
    ClientCertificate,
    /// The client's private key.
    ClientKey,
}

impl PemPart {
    pub(super) fn wanted_label(self) -> &'static str {
        match self {
            PemPart::Roots | PemPart::ClientCertificate => "CERTIFICATE",
            PemPart::ClientKey => "PRIVATE KEY",
        }
    }
}

impl fmt::Display for PemPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PemPart::Roots => "the root certificate file",
            PemPart::ClientCertificate => "the client certificate file",
            PemPart::ClientKey => "the client key file",
        })
    }
}

/// All certificates in the file, at least one; other sections are passed over, so a file may hold the key too.
pub(super) fn certificates(
    pem: &[u8],
    part: PemPart,
) -> Result<Vec<CertificateDer<'static>>, TlsSettingsError> {
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let certificates =
        certificates.map_err(|error| TlsSettingsError::BadSection { part, cause: error.to_string() })?;
    if certificates.is_empty() {
        return Err(nothing_found(pem, part));
    }
    Ok(certificates)
}

/// The first private key in the file: PKCS#8, PKCS#1 or SEC1.
pub(super) fn private_key(pem: &[u8]) -> Result<PrivateKeyDer<'static>, TlsSettingsError> {
    let part = PemPart::ClientKey;
    match PrivateKeyDer::pem_slice_iter(pem).next() {
        Some(Ok(key)) => Ok(key),
        // The old form marks encryption within a section, whose base64 then has a header before it.
        Some(Err(_)) if is_encrypted(pem) => Err(TlsSettingsError::EncryptedKey),
        Some(Err(error)) => Err(TlsSettingsError::BadSection { part, cause: error.to_string() }),
        None => Err(nothing_found(pem, part)),
    }
}

fn nothing_found(pem: &[u8], part: PemPart) -> TlsSettingsError {
    let found = labels(pem);
    if !contains(pem, b"-----BEGIN") {
        TlsSettingsError::NotPem { part }
    } else if part == PemPart::ClientKey && is_encrypted(pem) {
        TlsSettingsError::EncryptedKey
    } else {
        TlsSettingsError::MissingSection { part, found }
    }
}

/// `BEGIN ENCRYPTED PRIVATE KEY` (PKCS#8), or `Proc-Type: 4,ENCRYPTED` (the old OpenSSL form).
fn is_encrypted(pem: &[u8]) -> bool {
    contains(pem, b"BEGIN ENCRYPTED PRIVATE KEY") || contains(pem, b"4,ENCRYPTED")
}

fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

/// Labels of the sections begun, each once, for the message; at most a handful.
fn labels(pem: &[u8]) -> Vec<String> {
    let mut labels = Vec::new();
    for line in pem.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii) {
        let label = line.strip_prefix(b"-----BEGIN ").and_then(|rest| rest.strip_suffix(b"-----"));
        let label = label.map(|label| String::from_utf8_lossy(label).escape_debug().to_string());
        if let Some(label) = label.filter(|label| !labels.contains(label) && labels.len() < 8) {
            labels.push(label);
        }
    }
    labels
}
