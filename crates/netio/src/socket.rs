//! Sockets as the real drivers open them: close-on-exec, without Nagle's delay.

use crate::{Address, Close};
use rustix::fd::{AsRawFd as _, OwnedFd};
use rustix::io::Errno;
use rustix::net::sockopt::{set_socket_linger, set_tcp_nodelay};
use rustix::net::{AddressFamily, SocketAddrAny, SocketAddrUnix, SocketFlags, SocketType, bind, socket_with};
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
        Address::Inet(to) | Address::Bound { to, .. } if to.is_ipv4() => (AddressFamily::INET, (*to).into()),
        Address::Inet(to) | Address::Bound { to, .. } => (AddressFamily::INET6, (*to).into()),
        Address::Unix(path) => (AddressFamily::UNIX, SocketAddrUnix::new(path)?.into()),
    };
    let fd = socket_with(family, SocketType::STREAM, flags, None)?;
    match address {
        Address::Inet(_) => set_tcp_nodelay(&fd, true)?,
        Address::Bound { from, .. } => {
            set_tcp_nodelay(&fd, true)?;
            leave_port_open(&fd)?;
            bind(&fd, &SocketAddr::new(*from, 0))?;
        }
        Address::Unix(_) => {}
    }
    Ok((fd, system_address))
}

/// The port is chosen when the socket connects, so that one port serves connections to several targets: chosen by `bind`, some 28,000
/// would be all that an address has.
fn leave_port_open(fd: &OwnedFd) -> Result<(), Errno> {
    let on: libc::c_int = 1;
    // SAFETY: the kernel reads an int of that length, which lives until the call returns; the descriptor is open.
    let set = unsafe {
        libc::setsockopt(
            fd.as_raw_fd(),
            libc::SOL_IP,
            libc::IP_BIND_ADDRESS_NO_PORT,
            (&raw const on).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    if set == 0 {
        Ok(())
    } else {
        Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::INVAL))
    }
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
