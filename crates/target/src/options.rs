//! What a server can be told at its start.

use std::net::{Ipv4Addr, SocketAddr};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use crate::stall::Stall;
use crate::tls::TlsOptions;

/// Where the server listens, or, once bound, where it is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listen {
    /// A TCP address of either family. Port 0 lets the kernel choose a free one. `[::]` takes IPv4 as well.
    Tcp(SocketAddr),
    /// The path of a Unix stream socket. It must not exist; the server removes it when it stops.
    Unix(PathBuf),
}

/// All that can be chosen about a server. `Options::default()` is one thread on a free port of 127.0.0.1, plain HTTP.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where to listen.
    pub listen: Listen,
    /// Threads that serve, each with its own epoll set; at most 1024 are started. Connections are dealt to them in turn.
    pub threads: NonZeroUsize,
    /// Speak TLS.
    pub tls: Option<TlsOptions>,
    /// A stall that is in force from the start, its clock starting with `Server::start`.
    pub stall: Option<Stall>,
    /// Governs everything random: the jitter of `/delay`. The n-th jittered request of a server gets the n-th number.
    pub seed: u64,
    /// How many requests with `service_us` are in service at once at `/tests/http_req/…`; the others wait in order. `None`: any number.
    pub http_req_concurrency: Option<NonZeroU32>,
    /// How long before a timer a thread stops sleeping and polls instead, in ns. 0: it sleeps to the end, and a delay is late by the time that the
    /// machine needs to wake up (about 60 µs on an idle virtual machine). With 100 µs it is exact to a few µs, for that much CPU time for each delay.
    pub timer_spin_ns: u64,
    /// Arrival time stamps kept at most, 8 bytes each; later arrivals are counted as overflow.
    pub arrivals_max: usize,
}

/// 4 million time stamps: 32 MB, or 80 s at 50,000 requests/s.
pub const ARRIVALS_MAX_DEFAULT: usize = 4_000_000;

impl Default for Options {
    fn default() -> Self {
        Self {
            listen: Listen::Tcp(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))),
            threads: NonZeroUsize::MIN,
            tls: None,
            stall: None,
            seed: 1,
            http_req_concurrency: None,
            timer_spin_ns: 0,
            arrivals_max: ARRIVALS_MAX_DEFAULT,
        }
    }
}
