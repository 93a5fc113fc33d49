//! Making a server, running it, stopping it.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::arrivals::Arrivals;
use crate::counts::Stats;
use crate::listener::Listener;
use crate::mailbox::Mailbox;
use crate::options::{Listen, Options};
use crate::shared::Shared;
use crate::stall::Stall;
use crate::tls::{self, TlsSetup};
use crate::worker::Worker;

/// Most threads; more than the largest machines have cores.
const THREADS_MAX: usize = 1024;

/// Why a server could not be made.
#[derive(Debug)]
pub enum BindError {
    /// The address cannot be listened on: it is taken, not of this machine, or not allowed.
    Listen {
        /// The address asked for.
        listen: Listen,
        /// What the kernel said.
        cause: io::Error,
    },
    /// The certificate, the key or the client CA cannot be used.
    Tls {
        /// What is wrong with them.
        reason: String,
    },
    /// The kernel refused an epoll set, an event or a thread.
    Resources {
        /// What it said.
        cause: io::Error,
    },
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use units::system_words as words;
        match self {
            Self::Listen { listen: Listen::Tcp(address), cause } => {
                let cause = words(cause);
                write!(
                    f,
                    "cannot listen on {address}: {cause}; choose another port, or port 0 for any free one"
                )
            }
            Self::Listen { listen: Listen::Unix(path), cause } => {
                let (path, cause) = (path.display(), words(cause));
                write!(f, "cannot listen on {path}: {cause}; the path must be writable and not exist yet")
            }
            Self::Tls { reason } => write!(f, "TLS cannot be set up: {reason}"),
            Self::Resources { cause } => write!(f, "the server cannot be set up: {}", words(cause)),
        }
    }
}

impl std::error::Error for BindError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Listen { cause, .. } | Self::Resources { cause } => Some(cause),
            Self::Tls { .. } => None,
        }
    }
}

/// A server that listens but does not answer yet: clients can connect and wait.
#[derive(Debug)]
pub struct Server {
    shared: Arc<Shared>,
    workers: Vec<Worker>,
    address: Listen,
    ca_pem: Option<String>,
    stall: Option<Stall>,
}

impl Server {
    /// Listens. Raises this process's soft limit on descriptors to the hard one, as far as that is allowed.
    pub fn bind(options: Options) -> Result<Self, BindError> {
        raise_descriptor_limit();
        let listener = Listener::open(&options.listen)
            .map_err(|e| BindError::Listen { listen: options.listen.clone(), cause: e.into() })?;
        let listener = Arc::new(listener);
        let address = listener.address.clone();
        let ip = match &address {
            Listen::Tcp(address) => Some(address.ip()),
            Listen::Unix(_) => None,
        };
        let tls = options.tls.as_ref().map(|tls| tls::set_up(tls, ip)).transpose();
        let tls = tls.map_err(|reason| BindError::Tls { reason })?;
        let (config, ca_pem) = tls.map(|TlsSetup { config, ca_pem }| (config, ca_pem)).unzip();

        let refused = |e: rustix::io::Errno| BindError::Resources { cause: e.into() };
        let thread_count = options.threads.get().min(THREADS_MAX);
        let mailboxes: Result<Vec<Mailbox>, _> = (0..thread_count).map(|_| Mailbox::new()).collect();
        let shared = Arc::new(Shared::new(&options, mailboxes.map_err(refused)?));
        let workers: Result<Vec<Worker>, _> = (0..thread_count)
            .map(|index| {
                Worker::new(index, shared.clone(), config.clone(), (index == 0).then(|| listener.clone()))
            })
            .collect();
        Ok(Self { shared, workers: workers.map_err(refused)?, address, ca_pem, stall: options.stall })
    }

    /// Where it listens, with the real port.
    pub fn address(&self) -> &Listen {
        &self.address
    }

    /// Where it listens, if on TCP, with the real port.
    pub fn local_addr(&self) -> Option<SocketAddr> {
        tcp_address(&self.address)
    }

    /// What a client puts before a path: `http://127.0.0.1:7070`, or `https://…` with TLS. For a Unix socket the host is `localhost`.
    pub fn base_url(&self) -> String {
        base_url(&self.address, self.ca_pem.is_some())
    }

    /// The certificate to trust in order to trust this server, if it speaks TLS: the CA of a self-signed identity, else the chain given.
    pub fn ca_pem(&self) -> Option<&str> {
        self.ca_pem.as_deref()
    }

    /// Starts the threads, and the clock of the stall that was asked for.
    pub fn start(self) -> Result<Running, BindError> {
        let mut running =
            Running { shared: self.shared, threads: Vec::new(), address: self.address, ca_pem: self.ca_pem };
        if self.stall.is_some() {
            running.shared.set_stall(self.stall);
        }
        for (index, worker) in self.workers.into_iter().enumerate() {
            let thread =
                std::thread::Builder::new().name(format!("target-{index}")).spawn(move || worker.run());
            // Dropping `running` stops those that run already.
            running.threads.push(thread.map_err(|cause| BindError::Resources { cause })?);
        }
        Ok(running)
    }
}

/// A server whose threads run. Dropping it stops them.
#[derive(Debug)]
pub struct Running {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    address: Listen,
    ca_pem: Option<String>,
}

impl Running {
    /// Where it listens, with the real port.
    pub fn address(&self) -> &Listen {
        &self.address
    }

    /// Where it listens, if on TCP, with the real port.
    pub fn local_addr(&self) -> Option<SocketAddr> {
        tcp_address(&self.address)
    }

    /// See `Server::base_url`.
    pub fn base_url(&self) -> String {
        base_url(&self.address, self.ca_pem.is_some())
    }

    /// See `Server::ca_pem`.
    pub fn ca_pem(&self) -> Option<&str> {
        self.ca_pem.as_deref()
    }

    /// What was counted since the start or the last reset: the same as `GET /stats`.
    pub fn stats(&self) -> Stats {
        self.shared.stats()
    }

    /// Connections that each thread has taken over since the start. They are dealt out in turn, so these differ by 1 at most.
    pub fn connections_per_thread(&self) -> Vec<u64> {
        self.shared.counts.iter().map(|counts| counts.accepted.read()).collect()
    }

    /// Counts from 0 again: the same as `/stats/reset`.
    pub fn reset_stats(&self) {
        self.shared.reset_stats();
    }

    /// Stands still from now on, or no more: the same as `/stall`.
    pub fn set_stall(&self, stall: Option<Stall>) {
        self.shared.set_stall(stall);
    }

    /// Forgets arrivals and records them from now on: the same as `/arrivals?start`.
    pub fn start_arrivals(&self) {
        self.shared.start_arrivals();
    }

    /// Records no more arrivals: the same as `/arrivals?stop`.
    pub fn stop_arrivals(&self) {
        self.shared.stop_arrivals();
    }

    /// The arrivals recorded so far: the same as `/arrivals?raw`.
    pub fn arrivals(&self) -> Arrivals {
        self.shared.arrivals.collect()
    }

    /// Stops at once: open connections are closed, whatever they wait for. Gives the counts of the whole.
    pub fn stop(mut self) -> Stats {
        self.halt();
        self.shared.stats()
    }

    /// Serves until the process ends or the threads die, which only a bug can bring about.
    pub fn wait(mut self) {
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }

    fn halt(&mut self) {
        self.shared.stop();
        for thread in self.threads.drain(..) {
            // A thread that panicked has said so on stderr.
            let _ = thread.join();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.halt();
    }
}

fn base_url(address: &Listen, tls: bool) -> String {
    let scheme = if tls { "https" } else { "http" };
    match tcp_address(address) {
        Some(address) => format!("{scheme}://{address}"),
        None => format!("{scheme}://localhost"),
    }
}

fn tcp_address(address: &Listen) -> Option<SocketAddr> {
    match address {
        Listen::Tcp(address) => Some(*address),
        Listen::Unix(_) => None,
    }
}

/// Ten thousand connections need ten thousand descriptors; the usual soft limit is 1024.
fn raise_descriptor_limit() {
    let limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        // Refused: then accepting pauses when the descriptors are used up.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    }
}
