//! From a target's name to addresses that answer: resolution, and one trial connection to each address before any load.

use crate::RunError;
use engine::TargetSetup;
use netio::Address;
use plan::{CertificateCheck, Scheme, Target};
use proto::tls::{
    Certificates, ClientIdentity, Roots, ServerName, TlsClient, TlsSession, TlsSettings, TlsVersion,
};
use stats::ErrorClass;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// A target as workers will use it, with the addresses that answered.
pub(crate) fn reach(target: &Target) -> Result<TargetSetup, RunError> {
    let tls = tls_of(target)?;
    let addresses = addresses_of(target)?;
    let mut answering = Vec::new();
    let mut failure = None;
    for address in addresses {
        match try_address(&address, tls.as_ref(), target.connect_timeout_ns) {
            Ok(()) => answering.push(address),
            Err(failed) => failure = failure.or(Some((address, failed))),
        }
    }
    match failure {
        Some((address, (class, message))) if answering.is_empty() => {
            Err(RunError::Unreachable { target: target.url(), address: text_of(&address), class, message })
        }
        // Addresses that don't answer are left out, such as ::1 of a server that listens on 127.0.0.1 only.
        _ => Ok(TargetSetup {
            addresses: answering,
            tls,
            connections: target.connections,
            connect_timeout_ns: target.connect_timeout_ns,
        }),
    }
}

/// A target that users asked for while they ran, with all its addresses: those that don't answer are its users' to see.
pub(crate) fn look_up(target: &Target) -> Result<TargetSetup, ErrorClass> {
    let class = |error: RunError| match error {
        RunError::Unreachable { class, .. } => class,
        _ => ErrorClass::Tls,
    };
    Ok(TargetSetup {
        addresses: addresses_of(target).map_err(class)?,
        tls: tls_of(target).map_err(class)?,
        connections: target.connections,
        connect_timeout_ns: target.connect_timeout_ns,
    })
}

/// An address as people write it.
pub(crate) fn text_of(address: &Address) -> String {
    match address {
        Address::Inet(address) => address.to_string(),
        Address::Unix(path) => format!("unix:{}", path.display()),
    }
}

fn addresses_of(target: &Target) -> Result<Vec<Address>, RunError> {
    if let Some(path) = &target.unix_socket {
        return Ok(vec![Address::Unix(path.clone())]);
    }
    if !target.addresses.is_empty() {
        let inet = |address: &std::net::IpAddr| Address::Inet(SocketAddr::new(*address, target.port));
        return Ok(target.addresses.iter().map(inet).collect());
    }
    let unresolved = |message: String| RunError::Unreachable {
        target: target.url(),
        address: target.host.clone(),
        class: ErrorClass::Resolve,
        message,
    };
    let resolved = (target.host.as_str(), target.port)
        .to_socket_addrs()
        .map_err(|error| unresolved(units::system_words(&error)))?;
    let addresses: Vec<Address> = resolved.map(Address::Inet).collect();
    if addresses.is_empty() { Err(unresolved("the name has no address".to_owned())) } else { Ok(addresses) }
}

fn tls_of(target: &Target) -> Result<Option<(TlsClient, ServerName)>, RunError> {
    if target.scheme == Scheme::Http {
        return Ok(None);
    }
    let settings = &target.tls;
    let version = |version: plan::TlsVersion| match version {
        plan::TlsVersion::V1_2 => TlsVersion::V1_2,
        plan::TlsVersion::V1_3 => TlsVersion::V1_3,
    };
    let mut given = TlsSettings {
        server_name: settings.server_name.clone(),
        alpn: vec![b"http/1.1".to_vec()],
        certificates: match settings.check {
            CertificateCheck::Verify => Certificates::Verify,
            CertificateCheck::Insecure => Certificates::Insecure,
        },
        ..TlsSettings::default()
    };
    if let Some(pem) = &settings.ca_pem {
        given.roots = Roots::Pem(pem.clone());
    }
    given.identity = settings.client_certificate.as_ref().map(|certificate| ClientIdentity {
        certificate_pem: certificate.chain_pem.clone(),
        key_pem: certificate.key_pem.clone(),
    });
    given.version_min = settings.version_min.map_or(given.version_min, version);
    given.version_max = settings.version_max.map_or(given.version_max, version);
    given.cipher_suites.clone_from(&settings.cipher_suites);
    let bad = |error: proto::tls::TlsSettingsError| {
        let fault = plan::Diagnostic::error(format!("target `{}`: {error}", target.name));
        RunError::BadPlan(vec![fault.hint("check the files that its TLS settings name")])
    };
    let client = TlsClient::new(&given).map_err(bad)?;
    let name = ServerName::new(&target.host).map_err(bad)?;
    Ok(Some((client, name)))
}

/// Connects, and shakes hands where TLS is spoken; sends no request.
fn try_address(
    address: &Address,
    tls: Option<&(TlsClient, ServerName)>,
    limit_ns: u64,
) -> Result<(), (ErrorClass, String)> {
    let limit = Duration::from_nanos(limit_ns.max(1));
    let failed = |error: io::Error| (class_of(&error), units::system_words(&error));
    match address {
        Address::Inet(address) => {
            let stream = TcpStream::connect_timeout(address, limit).map_err(failed)?;
            stream.set_read_timeout(Some(limit)).map_err(failed)?;
            shake_hands(stream, tls)
        }
        Address::Unix(path) => {
            let stream = UnixStream::connect(path).map_err(failed)?;
            stream.set_read_timeout(Some(limit)).map_err(failed)?;
            shake_hands(stream, tls)
        }
    }
}

fn shake_hands(
    mut stream: impl Read + Write,
    tls: Option<&(TlsClient, ServerName)>,
) -> Result<(), (ErrorClass, String)> {
    let Some((client, name)) = tls else { return Ok(()) };
    let tls_failed = |message: String| (ErrorClass::Tls, message);
    let mut session = TlsSession::new(client, name).map_err(|error| tls_failed(error.to_string()))?;
    let (mut out, mut plaintext, mut buffer) = (Vec::new(), Vec::new(), [0u8; 16 * 1024]);
    while session.is_handshaking() {
        out.clear();
        session.poll_transmit(&mut out);
        stream.write_all(&out).map_err(|error| tls_failed(error.to_string()))?;
        let count = stream.read(&mut buffer).map_err(|error| tls_failed(error.to_string()))?;
        if count == 0 {
            return Err(tls_failed("the server closed the connection during the handshake".to_owned()));
        }
        let handled = session.handle(buffer.get(..count).unwrap_or_default(), &mut plaintext);
        handled.map_err(|error| tls_failed(error.to_string()))?;
    }
    out.clear();
    session.close_notify();
    session.poll_transmit(&mut out);
    // A courtesy: the connection is closed next.
    let _ = stream.write_all(&out);
    Ok(())
}

fn class_of(error: &io::Error) -> ErrorClass {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => ErrorClass::ConnectRefused,
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => ErrorClass::ConnectTimeout,
        io::ErrorKind::AddrNotAvailable
        | io::ErrorKind::NetworkUnreachable
        | io::ErrorKind::HostUnreachable => ErrorClass::ConnectNoAddress,
        _ => ErrorClass::ConnectFailed,
    }
}
