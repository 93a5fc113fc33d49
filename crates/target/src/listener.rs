//! The socket that listens, and how it is made.
//!
//! There is one listening socket, and the first thread accepts for all, dealing connections out in turn. Listeners of their own
//! for each thread (SO_REUSEPORT) would spread connections by a hash: 64 of them over 2 threads come out as uneven as 26 to 38 in one
//! run of ten (binomial, standard deviation 4), and a thread with half more connections is a server that is
//! slower for some. Accepting in turn costs a hand-over for each connection and none for each request.

use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::io::Errno;
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, accept_with, bind, getsockname, listen,
    socket_with, sockopt,
};

use crate::options::Listen;

/// Connections that may wait to be accepted; the kernel lowers it to `net.core.somaxconn`, 4096 on most machines.
const BACKLOG: i32 = 65_535;

const SOCKET_FLAGS: SocketFlags = SocketFlags::CLOEXEC.union(SocketFlags::NONBLOCK);

#[derive(Debug)]
pub(crate) struct Listener {
    pub(crate) socket: OwnedFd,
    /// The address with its real port.
    pub(crate) address: Listen,
}

/// What came of accepting.
#[derive(Debug)]
pub(crate) enum Accepted {
    Socket(OwnedFd),
    /// Nobody waits.
    None,
    /// No descriptor or memory for it now; the connection still waits.
    Exhausted,
}

impl Listener {
    pub(crate) fn open(address: &Listen) -> rustix::io::Result<Self> {
        match address {
            Listen::Tcp(address) => Self::open_tcp(*address),
            Listen::Unix(path) => Self::open_unix(path),
        }
    }

    fn open_tcp(address: SocketAddr) -> rustix::io::Result<Self> {
        let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let socket = socket_with(family, SocketType::STREAM, SOCKET_FLAGS, None)?;
        // Without it a restart on the same port would fail while old connections are in TIME_WAIT.
        sockopt::set_socket_reuseaddr(&socket, true)?;
        // Accepted sockets inherit it on Linux: one call here instead of one for each connection.
        sockopt::set_tcp_nodelay(&socket, true)?;
        bind(&socket, &address)?;
        listen(&socket, BACKLOG)?;
        let bound = SocketAddr::try_from(getsockname(&socket)?).map_err(|_| Errno::AFNOSUPPORT)?;
        Ok(Self { socket, address: Listen::Tcp(bound) })
    }

    fn open_unix(path: &Path) -> rustix::io::Result<Self> {
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, SOCKET_FLAGS, None)?;
        bind(&socket, &SocketAddrUnix::new(path)?)?;
        listen(&socket, BACKLOG)?;
        Ok(Self { socket, address: Listen::Unix(path.to_owned()) })
    }

    pub(crate) fn accept(&self) -> Accepted {
        loop {
            match accept_with(&self.socket, SOCKET_FLAGS) {
                Ok(socket) => return Accepted::Socket(socket),
                // The connection died while it waited: there may be another.
                Err(Errno::INTR | Errno::CONNABORTED) => {}
                Err(Errno::MFILE | Errno::NFILE | Errno::NOBUFS | Errno::NOMEM) => {
                    return Accepted::Exhausted;
                }
                Err(_) => return Accepted::None,
            }
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Listen::Unix(path) = &self.address {
            // Somebody else may have removed it already.
            let _ = std::fs::remove_file(path);
        }
    }
}
