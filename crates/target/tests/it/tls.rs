//! TLS, with a client that verifies.

use std::net::TcpStream;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use target::{BindError, Options, Running, Server, TlsIdentity, TlsOptions, TlsVersions};

use crate::peer::{Peer, address, get, serve};

type Client = Peer<StreamOwned<ClientConnection, TcpStream>>;

fn serve_tls(tls: TlsOptions) -> Running {
    serve(Options { tls: Some(tls), ..Options::default() })
}

fn roots(pem: &str) -> RootCertStore {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()) {
        roots.add(certificate.unwrap()).unwrap();
    }
    roots
}

fn trusting(running: &Running) -> Arc<ClientConfig> {
    let builder = ClientConfig::builder().with_root_certificates(roots(running.ca_pem().unwrap()));
    Arc::new(builder.with_no_client_auth())
}

fn connect(running: &Running, config: &Arc<ClientConfig>, name: &'static str) -> Client {
    let stream = TcpStream::connect(address(running)).unwrap();
    let session = ClientConnection::new(config.clone(), ServerName::try_from(name).unwrap()).unwrap();
    Peer::over(StreamOwned::new(session, stream))
}

#[test]
fn a_self_signed_identity_can_be_verified_for_its_names() {
    let running = serve_tls(TlsOptions::default());
    let config = trusting(&running);
    for name in ["localhost", "127.0.0.1", "::1"] {
        let mut peer = connect(&running, &config, name);
        assert_eq!(peer.get("/hello").text(), "Hello world");
        let body = peer.get("/file?size=3MB").body;
        assert_eq!(body.len(), 3_000_000);
        peer.send(format!("POST /load HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n", body.len()));
        peer.send(&body);
        assert_eq!(peer.response().body.len(), 4_000_000);
    }
    let stats = running.stats();
    assert_eq!((stats.tls_handshakes, stats.tls_failed, stats.requests), (3, 0, 9));
}

#[test]
fn the_connection_ends_with_close_notify() {
    let running = serve_tls(TlsOptions::default());
    let mut peer = connect(&running, &trusting(&running), "localhost");
    assert_eq!(
        peer.get("/eof?size=100000").body.len(),
        100_000,
        "an end without close_notify would be an error here"
    );
}

#[test]
fn sessions_are_resumed() {
    for versions in [TlsVersions::Only12, TlsVersions::Only13] {
        let running = serve_tls(TlsOptions { versions, ..TlsOptions::default() });
        let config = trusting(&running);
        let resumed = [(); 3].map(|()| {
            connect(&running, &config, "localhost").get("/echo").json()["connection"]["tls"]["resumed"]
                .clone()
        });
        assert_eq!(resumed, [false, true, true], "{versions:?}");
        assert_eq!((running.stats().tls_handshakes, running.stats().tls_resumed), (3, 2));
    }
}

#[test]
fn those_who_do_not_trust_it_are_counted() {
    let running = serve_tls(TlsOptions::default());
    let stranger = serve_tls(TlsOptions::default());
    let mut peer = connect(&running, &trusting(&stranger), "localhost");
    let error =
        std::io::Write::write_all(&mut peer.stream, get("/hello").as_bytes()).expect_err("not trusted");
    assert!(error.to_string().contains("certificate"), "{error}");
    drop(peer);
    let mut plain = Peer::connect(&running);
    plain.send(get("/hello"));
    let _ = plain.rest();
    drop(plain);
    while running.stats().tls_failed < 2 {
        std::thread::yield_now();
    }
    assert_eq!((running.stats().tls_failed, running.stats().requests), (2, 0));
}

#[test]
fn client_certificates_can_be_demanded() {
    let authority = rcgen::KeyPair::generate().unwrap();
    let mut ca = rcgen::CertificateParams::new(Vec::new()).unwrap();
    ca.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let ca_pem = ca.self_signed(&authority).unwrap().pem();
    let key = rcgen::KeyPair::generate().unwrap();
    let client = rcgen::CertificateParams::new(vec!["client".to_owned()]).unwrap();
    let certificate = client.signed_by(&key, &rcgen::Issuer::new(ca, authority)).unwrap();

    let running = serve_tls(TlsOptions { client_ca_pem: Some(ca_pem), ..TlsOptions::default() });
    let private_key = PrivateKeyDer::from_pem_slice(key.serialize_pem().as_bytes()).unwrap();
    let builder = ClientConfig::builder().with_root_certificates(roots(running.ca_pem().unwrap()));
    let config =
        Arc::new(builder.with_client_auth_cert(vec![certificate.der().clone()], private_key).unwrap());
    let echo = connect(&running, &config, "localhost").get("/echo").json();
    assert_eq!(echo["connection"]["tls"]["client_certificates"], 1);
    assert_eq!(echo["connection"]["tls"]["server_name"], "localhost");

    let mut without = connect(&running, &trusting(&running), "localhost");
    let _ = std::io::Write::write_all(&mut without.stream, get("/hello").as_bytes());
    assert!(without.rest().is_err());
    assert_eq!((running.stats().requests, running.stats().tls_failed), (1, 1));
}

#[test]
fn a_given_identity_is_used_and_a_wrong_one_refused() {
    let made = rcgen::generate_simple_self_signed(vec!["weir.test".to_owned()]).unwrap();
    let (certificates, private_key) = (made.cert.pem(), made.signing_key.serialize_pem());
    let identity = TlsIdentity::Pem { certificates: certificates.clone(), private_key: private_key.clone() };
    let running = serve_tls(TlsOptions { identity, ..TlsOptions::default() });
    assert_eq!(running.ca_pem(), Some(certificates.as_str()));
    assert_eq!(connect(&running, &trusting(&running), "weir.test").get("/hello").text(), "Hello world");

    let other = rcgen::KeyPair::generate().unwrap().serialize_pem();
    for (certificates, private_key, says) in [
        (certificates.clone(), other, "do not go together"),
        (certificates.clone(), "nonsense".to_owned(), "private key is not PEM"),
        ("nonsense".to_owned(), private_key, "holds no certificate"),
    ] {
        let identity = TlsIdentity::Pem { certificates, private_key };
        let tls = Some(TlsOptions { identity, ..TlsOptions::default() });
        let error = Server::bind(Options { tls, ..Options::default() }).expect_err("refused");
        assert!(matches!(&error, BindError::Tls { reason } if reason.contains(says)), "{error}");
    }
}
