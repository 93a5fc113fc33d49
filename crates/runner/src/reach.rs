//! From a target's name to addresses that answer: resolution, and one trial connection to each address before any load.

use crate::RunError;
use engine::TargetSetup;
use netio::Address;
use plan::{CertificateCheck, Scheme, Target};
use proto::http1::request::{RequestError, RequestHead};
use proto::tls::{
    Certificates, ClientIdentity, Roots, ServerName, TlsClient, TlsSession, TlsSettings, TlsVersion,
};
use stats::ErrorClass;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

/// A target as workers will use it, with the addresses that answered.
pub(crate) fn reach(target: &Target) -> Result<TargetSetup, RunError> {
    let tls = tls_of(target)?;
    let addresses = addresses_of(target)?;
    let mut answering = Vec::new();
    let mut failure = None;
    for address in addresses {
        // Behind a proxy only the proxy is tried.
        let spoken = tls.as_ref().filter(|_| target.tunnel.is_none());
        match try_address(&address, spoken, target.connect_timeout_ns) {
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
            tunnel: tunnel_of(target)?,
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
        tunnel: tunnel_of(target).map_err(class)?,
        connections: target.connections,
        connect_timeout_ns: target.connect_timeout_ns,
    })
}

/// An address as people write it.
pub(crate) fn text_of(address: &Address) -> String {
    match address {
        Address::Inet(address) | Address::Bound { to: address, .. } => address.to_string(),
        Address::Unix(path) => format!("unix:{}", path.display()),
    }
}

fn addresses_of(target: &Target) -> Result<Vec<Address>, RunError> {
    if let Some(path) = &target.unix_socket {
        return Ok(vec![Address::Unix(path.clone())]);
    }
    let (host, port) = match &target.tunnel {
        Some(tunnel) => (tunnel.host.as_str(), tunnel.port),
        None => (target.host.as_str(), target.port),
    };
    let unreachable = |class: ErrorClass, message: String| RunError::Unreachable {
        target: target.url(),
        address: host.to_owned(),
        class,
        message,
    };
    let all: Vec<SocketAddr> = if target.addresses.is_empty() {
        let resolved = (host, port).to_socket_addrs();
        resolved.map_err(|error| unreachable(ErrorClass::Resolve, units::system_words(&error)))?.collect()
    } else {
        target.addresses.iter().map(|address| SocketAddr::new(*address, port)).collect()
    };
    if all.is_empty() {
        return Err(unreachable(ErrorClass::Resolve, "the name has no address".to_owned()));
    }
    let Some(from) = target.local_address else { return Ok(all.into_iter().map(Address::Inet).collect()) };
    let fitting = all.into_iter().filter(|to| to.is_ipv4() == from.is_ipv4());
    let bound: Vec<Address> = fitting.map(|to| Address::Bound { to, from }).collect();
    if bound.is_empty() {
        let said = format!("it has no address of the family of {from}, which connections are to come from");
        return Err(unreachable(ErrorClass::ConnectNoAddress, said));
    }
    Ok(bound)
}

/// What asks the proxy for a tunnel.
fn tunnel_of(target: &Target) -> Result<Option<Arc<[u8]>>, RunError> {
    let Some(tunnel) = &target.tunnel else { return Ok(None) };
    let host = if target.host.contains(':') { format!("[{}]", target.host) } else { target.host.clone() };
    let place = format!("{host}:{}", target.port);
    let bad = |error: RequestError| {
        RunError::BadPlan(vec![plan::Diagnostic::error(format!("target `{}`: {error}", target.name))])
    };
    let mut bytes = Vec::new();
    let mut head = RequestHead::begin(&mut bytes, "CONNECT", &place, &place).map_err(bad)?;
    if let Some(authorization) = &tunnel.authorization {
        head.header("Proxy-Authorization", authorization.expose().as_bytes()).map_err(bad)?;
    }
    head.finish(None);
    Ok(Some(bytes.into()))
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
        // Where a load comes from says nothing of whether its target is there.
        Address::Inet(address) | Address::Bound { to: address, .. } => {
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
