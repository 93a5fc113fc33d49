//! The other side: blocking std sockets on threads of their own, told by channels what to do when.

use netio::Address;
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::JoinHandle;

/// A listener on a free port of the loopback, and its address.
pub(crate) fn listen() -> (TcpListener, Address) {
    listen_on("127.0.0.1:0")
}

/// A listener on the address given, with port 0 for a free one.
pub(crate) fn listen_on(address: &str) -> (TcpListener, Address) {
    let listener = TcpListener::bind(address).unwrap();
    let address = Address::Inet(listener.local_addr().unwrap());
    (listener, address)
}

/// A Unix listener whose path goes when it is dropped.
pub(crate) struct UnixPeer {
    pub(crate) listener: UnixListener,
    pub(crate) path: PathBuf,
}

impl UnixPeer {
    pub(crate) fn listen() -> Self {
        let path = unused_unix_path();
        Self { listener: UnixListener::bind(&path).unwrap(), path }
    }

    pub(crate) fn address(&self) -> Address {
        Address::Unix(self.path.clone())
    }
}

impl Drop for UnixPeer {
    fn drop(&mut self) {
        // The file may be gone with its directory; nothing depends on it.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// A path for a Unix socket that no other test has.
pub(crate) fn unused_unix_path() -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("netio-{}-{count}.sock", std::process::id()))
}

/// Accepts one connection and plays the peer on a thread of its own.
pub(crate) fn accept_and<T: Send + 'static>(
    listener: TcpListener,
    play: impl FnOnce(TcpStream) -> T + Send + 'static,
) -> JoinHandle<T> {
    std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        play(stream)
    })
}

/// Makes the close of a stream a reset.
pub(crate) fn reset(stream: TcpStream) {
    rustix::net::sockopt::set_socket_linger(&stream, Some(std::time::Duration::ZERO)).unwrap();
    drop(stream);
}

/// Bytes without a short period, so that a lost, doubled or swapped piece shows.
pub(crate) fn pattern(count: usize) -> Vec<u8> {
    (0..count as u32).map(|index| (index.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}
