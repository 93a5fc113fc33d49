//! The embedded HTTP/1.1 server: demonstration, test peer with known delays and faults, calibration target of benchmarks.
//!
//! One idea: whatever a client is to be tested for, the server knows the exact answer. It counts what it received before it answers,
//! delays by a known time, stands still on a known schedule, and breaks the protocol in known ways. As a calibration target it must never
//! be the bottleneck, so a small request costs it one `recv`, one `send` and its share of an `epoll_pwait2`.
//!
//! ```no_run
//! let running = target::Server::bind(target::Options::default())?.start()?;
//! println!("{}/hello", running.base_url());
//! println!("{} requests", running.stop().requests);
//! # Ok::<(), target::BindError>(())
//! ```
//!
//! Read `worker` for the loop, `session` for the life of a request, `endpoint` for the list of paths.

mod arrivals;
mod body;
mod clock;
mod connection;
mod counts;
mod endpoint;
mod head;
mod link;
mod listener;
mod mailbox;
mod options;
mod query;
mod reply;
mod request;
mod server;
mod session;
mod shared;
mod stall;
mod stream;
mod timers;
mod tls;
mod worker;

pub use arrivals::{Arrivals, GapSummary, ScheduleSummary};
pub use counts::{ControlStats, Stats};
pub use endpoint::endpoints;
pub use options::{ARRIVALS_MAX_DEFAULT, Listen, Options};
pub use server::{BindError, Running, Server};
pub use stall::{Stall, StallError};
pub use tls::{TlsIdentity, TlsOptions, TlsVersions};
