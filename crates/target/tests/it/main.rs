//! The server over real sockets, byte by byte.

mod answers;
mod arrivals;
mod connections;
mod counts;
mod faults;
mod hostile;
mod peer;
mod stalls;
mod timing;
mod tls;
