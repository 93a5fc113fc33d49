//! TLS for the server: its identity, and one connection's encryption over buffers.

use std::fmt;
use std::io::{BufRead, Write};
use std::net::IpAddr;
use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, SanType,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{HandshakeKind, RootCertStore, ServerConfig, ServerConnection};

use crate::request::TlsFacts;

/// Who the server says it is.
#[derive(Clone)]
pub enum TlsIdentity {
    /// A certificate for `localhost`, 127.0.0.1, ::1 and the address listened on, made at the start and signed by a CA made with it. The CA's
    /// certificate is at `Server::ca_pem`; its key is thrown away.
    SelfSigned,
    /// A certificate chain, the server's own first, and its private key (PKCS#8, SEC 1 or PKCS#1), as PEM text.
    Pem {
        /// The chain.
        certificates: String,
        /// The key.
        private_key: String,
    },
}

/// Without the key.
impl fmt::Debug for TlsIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SelfSigned => "SelfSigned",
            Self::Pem { .. } => "Pem",
        })
    }
}

/// Which versions of TLS the server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TlsVersions {
    /// 1.2 and 1.3.
    #[default]
    All,
    /// 1.2 only.
    Only12,
    /// 1.3 only.
    Only13,
}

/// TLS of a server. It offers `http/1.1` by ALPN and resumes sessions (tickets).
#[derive(Debug, Clone)]
pub struct TlsOptions {
    /// The server's certificate.
    pub identity: TlsIdentity,
    /// Versions spoken.
    pub versions: TlsVersions,
    /// PEM of the CAs of client certificates. With it every client must show a certificate signed by one of them.
    pub client_ca_pem: Option<String>,
}

impl Default for TlsOptions {
    fn default() -> Self {
        Self { identity: TlsIdentity::SelfSigned, versions: TlsVersions::All, client_ca_pem: None }
    }
}

/// What the threads need to speak TLS, and the certificate by which a client can trust the server.
#[derive(Debug)]
pub(crate) struct TlsSetup {
    pub(crate) config: Arc<ServerConfig>,
    pub(crate) ca_pem: String,
}

/// Prepares TLS. The error says what is wrong with the material given.
pub(crate) fn set_up(options: &TlsOptions, listen_ip: Option<IpAddr>) -> Result<TlsSetup, String> {
    let (certificates_pem, key_pem, ca_pem) = match &options.identity {
        TlsIdentity::SelfSigned => {
            self_signed(listen_ip).map_err(|e| format!("no certificate could be made: {e}"))?
        }
        TlsIdentity::Pem { certificates, private_key } => {
            (certificates.clone(), private_key.clone(), certificates.clone())
        }
    };
    let certificates = certificates_in(&certificates_pem, "the certificate chain")?;
    let key = PrivateKeyDer::from_pem_slice(key_pem.as_bytes())
        .map_err(|e| format!("the private key is not PEM: {e}"))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions: &[&rustls::SupportedProtocolVersion] = match options.versions {
        TlsVersions::All => rustls::ALL_VERSIONS,
        TlsVersions::Only12 => &[&rustls::version::TLS12],
        TlsVersions::Only13 => &[&rustls::version::TLS13],
    };
    let builder = ServerConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(versions)
        .map_err(|e| e.to_string())?;
    let builder = match &options.client_ca_pem {
        None => builder.with_no_client_auth(),
        Some(pem) => {
            let mut roots = RootCertStore::empty();
            for certificate in certificates_in(pem, "the client CA")? {
                roots.add(certificate).map_err(|e| format!("the client CA cannot be used: {e}"))?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
            builder.with_client_cert_verifier(
                verifier.map_err(|e| format!("the client CA cannot be used: {e}"))?,
            )
        }
    };
    let mut config = builder
        .with_single_cert(certificates, key)
        .map_err(|e| format!("certificate and key do not go together: {e}"))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config.ticketer = rustls::crypto::ring::Ticketer::new().map_err(|e| e.to_string())?;
    Ok(TlsSetup { config: Arc::new(config), ca_pem })
}

fn certificates_in(pem: &str, what: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem.as_bytes()).collect();
    let all = all.map_err(|e| format!("{what} is not PEM: {e}"))?;
    if all.is_empty() {
        return Err(format!("{what} holds no certificate (expected `-----BEGIN CERTIFICATE-----`)"));
    }
    Ok(all)
}

/// A chain, its key and the CA's certificate, as PEM. A CA apart from the server's certificate, because a strict client takes no CA for a server.
fn self_signed(listen_ip: Option<IpAddr>) -> Result<(String, String, String), rcgen::Error> {
    let mut ca = CertificateParams::new(Vec::new())?;
    ca.distinguished_name.push(DnType::CommonName, "weir target test CA");
    ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    ca.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let ca_key = KeyPair::generate()?;
    let ca_certificate = ca.self_signed(&ca_key)?;

    let names = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
    let mut server = CertificateParams::new(names)?;
    server.distinguished_name.push(DnType::CommonName, "weir target");
    server.subject_alt_names.extend(listen_ip.map(SanType::IpAddress));
    server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    server.use_authority_key_identifier_extension = true;
    let server_key = KeyPair::generate()?;
    let server_certificate = server.signed_by(&server_key, &Issuer::new(ca, ca_key))?;
    Ok((server_certificate.pem(), server_key.serialize_pem(), ca_certificate.pem()))
}

/// One connection's encryption: ciphertext in, plaintext out, and the reverse. No sockets.
#[derive(Debug)]
pub(crate) struct Cipher {
    session: ServerConnection,
    established: bool,
}

/// What came of feeding ciphertext.
#[derive(Debug)]
pub(crate) struct Fed {
    /// The peer said that it will send no more.
    pub(crate) closed: bool,
    /// Set once, when the handshake is done.
    pub(crate) established: Option<TlsFacts>,
}

impl Cipher {
    pub(crate) fn new(config: &Arc<ServerConfig>) -> Result<Self, rustls::Error> {
        let mut session = ServerConnection::new(config.clone())?;
        // What is written here is bounded by the caller and taken out at once.
        session.set_buffer_limit(None);
        Ok(Self { session, established: false })
    }

    /// Decrypts `bytes` into `plain`. After an error the alert for the peer is still to be taken with `take_output`.
    pub(crate) fn feed(&mut self, mut bytes: &[u8], plain: &mut Vec<u8>) -> Result<Fed, rustls::Error> {
        let mut closed = false;
        while !bytes.is_empty() {
            let taken =
                self.session.read_tls(&mut bytes).map_err(|e| rustls::Error::General(e.to_string()))?;
            closed |= self.session.process_new_packets()?.peer_has_closed();
            self.drain(plain);
            if taken == 0 {
                break;
            }
        }
        Ok(Fed { closed, established: self.newly_established() })
    }

    fn drain(&mut self, plain: &mut Vec<u8>) {
        let mut reader = self.session.reader();
        while let Ok(bytes) = reader.fill_buf() {
            let count = bytes.len();
            if count == 0 {
                break;
            }
            plain.extend_from_slice(bytes);
            reader.consume(count);
        }
    }

    fn newly_established(&mut self) -> Option<TlsFacts> {
        if self.established || self.session.is_handshaking() {
            return None;
        }
        self.established = true;
        let session = &self.session;
        Some(TlsFacts {
            version: session.protocol_version().and_then(|v| v.as_str()).unwrap_or("unknown").to_owned(),
            cipher_suite: session
                .negotiated_cipher_suite()
                .and_then(|suite| suite.suite().as_str())
                .unwrap_or("unknown")
                .to_owned(),
            server_name: session.server_name().map(str::to_owned),
            resumed: session.handshake_kind() == Some(HandshakeKind::Resumed),
            client_certificates: session.peer_certificates().map_or(0, <[_]>::len),
        })
    }

    pub(crate) fn is_established(&self) -> bool {
        self.established
    }

    /// Encrypts `bytes`; the ciphertext is to be taken with `take_output`.
    pub(crate) fn encrypt(&mut self, bytes: &[u8]) {
        // Buffering in memory without a limit does not fail.
        let _ = self.session.writer().write_all(bytes);
    }

    pub(crate) fn say_goodbye(&mut self) {
        self.session.send_close_notify();
    }

    /// Appends what is to be sent.
    pub(crate) fn take_output(&mut self, wire: &mut Vec<u8>) {
        while self.session.wants_write() {
            if self.session.write_tls(wire).is_err() {
                return;
            }
        }
    }
}
