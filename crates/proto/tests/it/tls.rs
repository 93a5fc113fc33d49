//! TLS in memory against a server of the same library: what is accepted, what is refused, and in which words.

use std::io::{Read, Write};
use std::sync::Arc;

use proto::tls::{
    Certificates, ClientIdentity, PemPart, Roots, ServerName, TlsClient, TlsEnd, TlsError, TlsProgress,
    TlsSession, TlsSettings, TlsSettingsError, TlsVersion,
};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, SupportedProtocolVersion};

const BOTH: &[&SupportedProtocolVersion] = &[&rustls::version::TLS13, &rustls::version::TLS12];
const ONLY_1_2: &[&SupportedProtocolVersion] = &[&rustls::version::TLS12];

/// A certificate authority and what it signs.
struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Authority {
        Authority::named("authority")
    }

    fn named(name: &str) -> Authority {
        let mut params = CertificateParams::new(Vec::new()).expect("no names are sound");
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        Authority(CertifiedIssuer::self_signed(params, key).expect("a self-signed certificate"))
    }

    fn roots(&self) -> Roots {
        Roots::Pem(self.0.pem().into_bytes())
    }

    /// Certificate and key for these names, as PEM; `years` from when to when it is valid.
    fn issue(&self, names: &[&str], years: (i32, i32)) -> ClientIdentity {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let mut params = CertificateParams::new(names).expect("sound names");
        params.not_before = rcgen::date_time_ymd(years.0, 1, 1);
        params.not_after = rcgen::date_time_ymd(years.1, 1, 1);
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.0).expect("a signed certificate");
        ClientIdentity {
            certificate_pem: certificate.pem().into_bytes(),
            key_pem: key.serialize_pem().into_bytes(),
        }
    }

    fn server(&self, names: &[&str]) -> ServerConfig {
        server(&self.issue(names, (2020, 2120)), BOTH)
    }
}

fn server(identity: &ClientIdentity, versions: &[&'static SupportedProtocolVersion]) -> ServerConfig {
    let chain = vec![CertificateDer::from_pem_slice(&identity.certificate_pem).expect("a certificate")];
    let key = PrivateKeyDer::from_pem_slice(&identity.key_pem).expect("a key");
    let mut config =
        builder(versions).with_no_client_auth().with_single_cert(chain, key).expect("they match");
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config
}

fn builder(
    versions: &[&'static SupportedProtocolVersion],
) -> rustls::ConfigBuilder<ServerConfig, rustls::WantsVerifier> {
    ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_protocol_versions(versions)
        .expect("the provider has ciphers")
}

/// Both sides of a connection, and what passed.
struct Pair {
    client: TlsSession,
    server: ServerConnection,
    received: Vec<u8>,
    handshake_count: usize,
    peer_closed: bool,
}

impl Pair {
    fn new(client: &TlsClient, server: &Arc<ServerConfig>, host: &str) -> Pair {
        let name = ServerName::new(host).expect("a sound name");
        Pair {
            client: TlsSession::new(client, &name).expect("a session"),
            server: ServerConnection::new(Arc::clone(server)).expect("a server"),
            received: Vec::new(),
            handshake_count: 0,
            peer_closed: false,
        }
    }

    /// Passes bytes to and fro until both are silent, `length` at a time towards the client.
    fn run(&mut self, length: usize) -> Result<(), TlsError> {
        loop {
            let mut to_server = Vec::new();
            self.client.poll_transmit(&mut to_server);
            let mut rest = &to_server[..];
            while !rest.is_empty() {
                self.server.read_tls(&mut rest).expect("a slice can be read");
                // A server that refuses sends an alert, from which the client learns.
                let _refusal = self.server.process_new_packets();
            }
            let mut to_client = Vec::new();
            while self.server.wants_write() {
                self.server.write_tls(&mut to_client).expect("a Vec takes all");
            }
            if to_server.is_empty() && to_client.is_empty() {
                return Ok(());
            }
            for piece in to_client.chunks(length) {
                let progress = self.client.handle(piece, &mut self.received)?;
                self.handshake_count += usize::from(progress.handshake_completed);
                self.peer_closed = progress.peer_closed;
            }
        }
    }

    fn server_receives(&mut self) -> Vec<u8> {
        let mut bytes = vec![0; 256];
        let length = self.server.reader().read(&mut bytes).unwrap_or(0);
        bytes.truncate(length);
        bytes
    }
}

fn client(settings: TlsSettings) -> TlsClient {
    TlsClient::new(&settings).expect("sound settings")
}

fn trusting(authority: &Authority) -> TlsSettings {
    TlsSettings { roots: authority.roots(), ..TlsSettings::default() }
}

fn handshake(settings: TlsSettings, server: ServerConfig, host: &str) -> Result<Pair, TlsError> {
    let mut pair = Pair::new(&client(settings), &Arc::new(server), host);
    pair.run(usize::MAX)?;
    assert_eq!((pair.client.is_handshaking(), pair.handshake_count), (false, 1));
    Ok(pair)
}

fn refused(settings: TlsSettings, server: ServerConfig, host: &str) -> TlsError {
    handshake(settings, server, host).err().expect("the connection is refused")
}

#[test]
fn a_verified_server_is_spoken_with() {
    let authority = Authority::new();
    for length in [usize::MAX, 100, 1] {
        let server = Arc::new(authority.server(&["example.test"]));
        let mut pair = Pair::new(&client(trusting(&authority)), &server, "example.test");
        pair.run(length).expect("a handshake");
        assert_eq!(pair.client.version(), Some(TlsVersion::V1_3));
        assert_eq!(pair.client.alpn(), Some(&b"http/1.1"[..]));
        assert!(!pair.client.resumed());

        pair.client.send(b"GET").expect("it is sent");
        pair.run(length).expect("it passes");
        assert_eq!(pair.server_receives(), b"GET");
        let answer = vec![b'x'; 100_000];
        pair.server.set_buffer_limit(None);
        pair.server.writer().write_all(&answer).expect("it is taken");
        pair.run(length).expect("it passes");
        assert_eq!(pair.received, answer);
        assert_eq!(pair.handshake_count, 1);
    }
}

#[test]
fn addresses_are_verified_too() {
    let authority = Authority::new();
    for (host, name) in [("127.0.0.1", "127.0.0.1"), ("[::1]", "::1")] {
        assert!(handshake(trusting(&authority), authority.server(&[name]), host).is_ok(), "{host}");
    }
}

#[test]
fn an_unknown_issuer_is_refused() {
    let server = || Authority::new().server(&["example.test"]);
    assert_eq!(refused(TlsSettings::default(), server(), "example.test"), TlsError::UnknownIssuer);
}

#[test]
fn a_wrong_name_is_refused_unless_it_is_the_one_set() {
    let authority = Authority::new();
    let server = || authority.server(&["other.test"]);
    let error = refused(trusting(&authority), server(), "example.test");
    assert!(matches!(error, TlsError::WrongName { .. }), "{error:?}");
    assert!(error.to_string().contains("other.test"), "{error}");

    let named = TlsSettings { server_name: Some("other.test".to_owned()), ..trusting(&authority) };
    let pair = handshake(named, server(), "example.test").expect("the name set is verified");
    assert_eq!(pair.server.server_name(), Some("other.test"));
}

#[test]
fn dates_are_verified() {
    let authority = Authority::new();
    for years in [(2000, 2001), (2110, 2120)] {
        let server = server(&authority.issue(&["example.test"], years), BOTH);
        let error = refused(trusting(&authority), server, "example.test");
        assert!(matches!(error, TlsError::OutOfDate { .. }), "{error:?}");
    }
}

#[test]
fn insecure_accepts_any_certificate() {
    let settings = || TlsSettings { certificates: Certificates::Insecure, ..TlsSettings::default() };
    for versions in [BOTH, ONLY_1_2] {
        let expired = Authority::new().issue(&["other.test"], (2000, 2001));
        let pair =
            handshake(settings(), server(&expired, versions), "example.test").expect("all is accepted");
        assert!(!pair.client.is_handshaking());
    }
}

#[test]
fn versions_are_kept_to() {
    let authority = Authority::new();
    let identity = authority.issue(&["example.test"], (2020, 2120));
    let only = |version| TlsSettings { version_min: version, version_max: version, ..trusting(&authority) };

    let pair = handshake(only(TlsVersion::V1_2), server(&identity, BOTH), "example.test").expect("1.2");
    assert_eq!(pair.client.version(), Some(TlsVersion::V1_2));
    let pair = handshake(trusting(&authority), server(&identity, ONLY_1_2), "example.test").expect("1.2");
    assert_eq!(pair.client.version(), Some(TlsVersion::V1_2));
    let error = refused(only(TlsVersion::V1_3), server(&identity, ONLY_1_2), "example.test");
    assert!(matches!(error, TlsError::Incompatible { .. }), "{error:?}");
}

#[test]
fn sessions_are_resumed() {
    let authority = Authority::new();
    let identity = authority.issue(&["example.test"], (2020, 2120));
    for versions in [BOTH, ONLY_1_2] {
        let server = Arc::new(server(&identity, versions));
        let client = client(trusting(&authority));
        let mut resumed = Vec::new();
        for client in [&client, &client, &client.with_own_sessions(), &client.clone()] {
            let mut pair = Pair::new(client, &server, "example.test");
            pair.run(usize::MAX).expect("a handshake");
            resumed.push(pair.client.resumed());
        }
        assert_eq!(resumed, [false, true, false, true]);
    }
}

#[test]
fn client_certificates() {
    let authority = Authority::new();
    let demanding = |versions: &[&'static SupportedProtocolVersion]| {
        let mut roots = RootCertStore::empty();
        roots.add(authority.0.der().clone()).expect("a root");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
        let identity = authority.issue(&["example.test"], (2020, 2120));
        let chain = vec![CertificateDer::from_pem_slice(&identity.certificate_pem).expect("a certificate")];
        let key = PrivateKeyDer::from_pem_slice(&identity.key_pem).expect("a key");
        builder(versions)
            .with_client_cert_verifier(verifier.build().expect("a verifier"))
            .with_single_cert(chain, key)
            .expect("they match")
    };
    for versions in [BOTH, ONLY_1_2] {
        let identity = authority.issue(&["client"], (2020, 2120));
        let mut both_in_one = identity.certificate_pem.clone();
        both_in_one.extend_from_slice(&identity.key_pem);
        let one_file = ClientIdentity { certificate_pem: both_in_one.clone(), key_pem: both_in_one };
        for identity in [identity, one_file] {
            let known = TlsSettings { identity: Some(identity), ..trusting(&authority) };
            assert!(handshake(known, demanding(versions), "example.test").is_ok());
        }
    }
    // In TLS 1.3 the refusal comes after the client's handshake is done, in TLS 1.2 within it.
    assert_eq!(refused(trusting(&authority), demanding(BOTH), "example.test"), TlsError::ClientCertificate);
    let stranger = Authority::named("stranger").issue(&["client"], (2020, 2120));
    let unknown = TlsSettings { identity: Some(stranger), ..trusting(&authority) };
    assert_eq!(refused(unknown, demanding(BOTH), "example.test"), TlsError::ClientCertificate);
}

#[test]
fn a_plain_server_is_told_apart() {
    let mut session =
        TlsSession::new(&client(TlsSettings::default()), &ServerName::new("a").expect("a name"))
            .expect("a session");
    let mut plaintext = Vec::new();
    let answer = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n";
    assert_eq!(session.handle(answer, &mut plaintext), Err(TlsError::NotTls));
    assert!(plaintext.is_empty());
}

#[test]
fn an_end_is_clean_only_after_close_notify() {
    let authority = Authority::new();
    let pair = || handshake(trusting(&authority), authority.server(&["a"]), "a").expect("a handshake");

    let mut cut = pair();
    cut.server.writer().write_all(b"part").expect("it is taken");
    cut.run(usize::MAX).expect("it passes");
    assert_eq!((cut.peer_closed, cut.client.end()), (false, TlsEnd::Truncated));

    let mut closed = pair();
    closed.server.writer().write_all(b"all").expect("it is taken");
    closed.server.send_close_notify();
    closed.run(usize::MAX).expect("it passes");
    assert_eq!(
        (&closed.received[..], closed.peer_closed, closed.client.end()),
        (&b"all"[..], true, TlsEnd::Clean)
    );
    // What comes behind is dropped, and is no error.
    let behind = closed.client.handle(b"junk", &mut closed.received);
    assert_eq!(behind, Ok(TlsProgress { handshake_completed: false, peer_closed: true }));
    assert_eq!(closed.received, b"all");

    let mut early = Pair::new(&client(trusting(&authority)), &Arc::new(authority.server(&["a"])), "a");
    assert_eq!(early.client.end(), TlsEnd::InHandshake);

    let mut own = pair();
    own.client.close_notify();
    own.run(usize::MAX).expect("it passes");
    assert_eq!(own.server.reader().read(&mut [0]).ok(), Some(0), "the server sees the clean end");
}

#[test]
fn damaged_records_are_errors_and_what_came_before_counts() {
    let authority = Authority::new();
    let mut pair = handshake(trusting(&authority), authority.server(&["a"]), "a").expect("a handshake");
    let mut to_client = Vec::new();
    for text in [&b"sound"[..], b"damaged"] {
        pair.server.writer().write_all(text).expect("it is taken");
        pair.server.write_tls(&mut to_client).expect("a Vec takes all");
    }
    *to_client.last_mut().expect("records were written") ^= 1;
    let error = pair.client.handle(&to_client, &mut pair.received).expect_err("the record is damaged");
    assert!(matches!(error, TlsError::Protocol { .. }), "{error:?}");
    assert_eq!(pair.received, b"sound");
    assert!(pair.client.poll_transmit(&mut Vec::new()), "an alert is due");
}

#[test]
fn settings_say_what_is_wrong_with_them() {
    let authority = Authority::new();
    let ClientIdentity { certificate_pem, key_pem } = authority.issue(&["client"], (2020, 2120));
    let error_of = |settings: TlsSettings| TlsClient::new(&settings).expect_err("the settings are wrong");
    let with_roots =
        |pem: &[u8]| error_of(TlsSettings { roots: Roots::Pem(pem.to_vec()), ..TlsSettings::default() });
    let with_identity = |certificate: &[u8], key: &[u8]| {
        let identity = ClientIdentity { certificate_pem: certificate.to_vec(), key_pem: key.to_vec() };
        error_of(TlsSettings { identity: Some(identity), ..TlsSettings::default() })
    };

    assert_eq!(with_roots(authority.0.der()), TlsSettingsError::NotPem { part: PemPart::Roots });
    let found = vec!["PRIVATE KEY".to_owned()];
    assert_eq!(with_roots(&key_pem), TlsSettingsError::MissingSection { part: PemPart::Roots, found });
    let cut = &certificate_pem[..certificate_pem.len() / 2];
    let error = with_roots(cut);
    assert!(matches!(error, TlsSettingsError::BadSection { part: PemPart::Roots, .. }), "{error:?}");
    let empty = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let error = with_roots(empty);
    assert!(matches!(error, TlsSettingsError::BadSection { part: PemPart::Roots, .. }), "{error:?}");

    let found = vec!["CERTIFICATE".to_owned()];
    let missing = TlsSettingsError::MissingSection { part: PemPart::ClientKey, found };
    assert_eq!(with_identity(&certificate_pem, &certificate_pem), missing);
    assert_eq!(
        missing.to_string(),
        "the client key file has no PRIVATE KEY section, only CERTIFICATE; is it the wrong file?"
    );
    for encrypted in [
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nAAAA\n-----END RSA PRIVATE KEY-----\n",
    ] {
        assert_eq!(with_identity(&certificate_pem, encrypted.as_bytes()), TlsSettingsError::EncryptedKey);
    }
    let other_key = authority.issue(&["other"], (2020, 2120)).key_pem;
    let error = with_identity(&certificate_pem, &other_key);
    assert!(matches!(error, TlsSettingsError::BadIdentity { .. }), "{error:?}");

    let (min, max) = (TlsVersion::V1_3, TlsVersion::V1_2);
    let swapped = TlsSettings { version_min: min, version_max: max, ..TlsSettings::default() };
    assert_eq!(error_of(swapped), TlsSettingsError::NoVersion { min, max });
    let named = TlsSettings { server_name: Some("a b".to_owned()), ..TlsSettings::default() };
    assert_eq!(error_of(named), TlsSettingsError::BadServerName { name: "a b".to_owned() });
    let unnamed = TlsSettings { alpn: vec![Vec::new()], ..TlsSettings::default() };
    assert_eq!(error_of(unnamed), TlsSettingsError::BadAlpn);
}

#[test]
fn keys_are_not_printed() {
    let identity = Authority::new().issue(&["client"], (2020, 2120));
    let settings = TlsSettings { identity: Some(identity), ..TlsSettings::default() };
    assert!(format!("{settings:?}").contains("identity: Some(ClientIdentity { .. })"), "{settings:?}");
}
