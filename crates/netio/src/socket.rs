//! Sockets as the real drivers open them: close-on-exec, without Nagle's delay.

use crate::{Address, Close};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::sockopt::{set_socket_linger, set_tcp_nodelay};
use rustix::net::{AddressFamily, SocketAddrAny, SocketAddrUnix, SocketFlags, SocketType, socket_with};
use std::net::SocketAddr;
use std::time::Duration;

/// Whether calls on a socket may block the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Blocking {
    No,
    /// For io_uring, which waits in the caller's stead.
    Yes,
}

/// Opens a socket for `address` and gives the address in the system's form.
///
/// # Errors
/// The system's: `EMFILE` past the limit on open files, `ENAMETOOLONG` for a Unix path over 107 bytes, and the like.
pub(crate) fn open(address: &Address, blocking: Blocking) -> Result<(OwnedFd, SocketAddrAny), Errno> {
    let flags = match blocking {
        Blocking::No => SocketFlags::NONBLOCK | SocketFlags::CLOEXEC,
        Blocking::Yes => SocketFlags::CLOEXEC,
    };
    let (family, system_address) = match address {
        Address::Inet(inet @ SocketAddr::V4(_)) => (AddressFamily::INET, (*inet).into()),
        Address::Inet(inet @ SocketAddr::V6(_)) => (AddressFamily::INET6, (*inet).into()),
        Address::Unix(path) => (AddressFamily::UNIX, SocketAddrUnix::new(path)?.into()),
    };
    let fd = socket_with(family, SocketType::STREAM, flags, None)?;
    if let Address::Inet(_) = address {
        set_tcp_nodelay(&fd, true)?;
    }
    Ok((fd, system_address))
}

/// Puts a socket down in the way asked for.
pub(crate) fn close(fd: OwnedFd, how: Close) {
    match how {
        // Linger zero makes close send RST. It cannot fail on a socket, and if it did, FIN is what is left.
        Close::Reset => drop(set_socket_linger(&fd, Some(Duration::ZERO))),
        Close::Graceful => {}
    }
    drop(fd);
}
