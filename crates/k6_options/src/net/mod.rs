//! Options that say where connections may go, from which addresses, and how they are secured: parsed once, then only asked.

mod address;
mod dns;
mod hostname;
mod hosts;
mod tls;

pub use address::{IpPool, IpRange};
pub use dns::{Dns, DnsPolicy, DnsSelect};
pub use hostname::HostnamePatterns;
pub use hosts::{HostOverride, Hosts};
pub use tls::{CipherSuite, TlsAuth, TlsVersion, TlsVersions};
