//! Addresses of hosts, as scripts look them up and try them.

use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _};
use std::time::Duration;

/// How long a trial connection may take. The system's own limit is above two minutes, and a script waits for it.
const CONNECT_LIMIT: Duration = Duration::from_secs(5);
/// Where the system keeps the names of services.
const SERVICES: &str = "/etc/services";

/// All addresses of a host, with the service's port.
///
/// # Errors
/// `unable to resolve HOST:SERVICE REASON`.
pub(super) fn lookup(host: &str, service: &str) -> Result<Vec<SocketAddr>, String> {
    let unresolved = |reason: String| format!("unable to resolve {host}:{service} {reason}");
    let port = port_of(service).ok_or_else(|| unresolved("unknown service".to_owned()))?;
    let found = (host, port).to_socket_addrs();
    let found = found.map_err(|error| unresolved(system_words(&error.to_string()).to_owned()))?;
    Ok(found.collect())
}

fn port_of(service: &str) -> Option<u16> {
    match service {
        "http" => Some(80),
        "https" => Some(443),
        digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().ok(),
        name => {
            let text = std::fs::read_to_string(SERVICES).ok()?;
            text.lines().find_map(|line| {
                let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
                let (first, port) = (words.next()?, words.next()?.strip_suffix("/tcp")?);
                (first == name || words.any(|alias| alias == name)).then(|| port.parse().ok())?
            })
        }
    }
}

/// What the system says of a failure, without the words that Rust puts around it: as both tools print it.
pub fn system_words(message: &str) -> &str {
    let message = message.strip_prefix("failed to lookup address information: ").unwrap_or(message);
    message.split(" (os error").next().unwrap_or(message)
}

/// One connection, closed at once.
pub(super) fn try_connect(address: SocketAddr) -> std::io::Result<()> {
    TcpStream::connect_timeout(&address, CONNECT_LIMIT).map(drop)
}
