//! Answers whose time is known: a delay, a trickle.

use units::{NS_PER_MS, NS_PER_SEC, Random};

use crate::clock;
use crate::endpoint::basic::SIZE_BYTES_MAX;
use crate::query::{Fault, Query};
use crate::reply::{Length, Reply, TEXT_PLAIN};
use crate::shared::Shared;
use crate::stream::{CHUNK_BYTES_MAX, Stream, Trickle};

/// Longest delay: an hour, and as much jitter.
pub(crate) const DELAY_NS_MAX: u64 = 3600 * NS_PER_SEC;
const TRICKLE_PER_SEC_DEFAULT: u64 = 1000;
const TRICKLE_BYTES_DEFAULT: u64 = 1000;
const TRICKLE_PER_SEC_MAX: u64 = 10_000_000_000;

/// Answers `ms` + U·`jitter` ms after the request was read, U uniform on [0, 1): never earlier, later by what the kernel's timer and the
/// queue of this thread add.
pub(crate) fn delay(query: Query<'_>, shared: &Shared, reply: &mut Reply<'_>) -> Result<(), Fault> {
    let read_ns = clock::now_ns();
    let delay_ns = query.time_ns("ms", "ms", DELAY_NS_MAX)?;
    let jitter_ns = query.time_ns("jitter", "ms", DELAY_NS_MAX)?;
    let extra_ns = match jitter_ns {
        0 => 0,
        _ => Random::stream(shared.seed, shared.next_jitter_index()).below(jitter_ns),
    };
    let total_ns = delay_ns + extra_ns;
    reply.due_ns = read_ns.saturating_add(total_ns);
    let body = format!("{}.{:06} ms\n", total_ns / NS_PER_MS, total_ns % NS_PER_MS);
    reply.body(200, &[TEXT_PLAIN], body.as_bytes());
    Ok(())
}

/// `size` bytes at `rate` per second in pieces of `chunk` bytes (default: a hundredth of a second's worth).
pub(crate) fn trickle(query: Query<'_>, reply: &mut Reply<'_>) -> Result<(), Fault> {
    let per_sec = query.size("rate", TRICKLE_PER_SEC_DEFAULT, 1..=TRICKLE_PER_SEC_MAX)?;
    let end = query.size("size", TRICKLE_BYTES_DEFAULT, 0..=SIZE_BYTES_MAX)?;
    let chunk_default = (per_sec / 100).clamp(1, CHUNK_BYTES_MAX);
    let chunk_bytes = query.size("chunk", chunk_default, 1..=CHUNK_BYTES_MAX)?;
    reply.head(200, Length::Bytes(end), &[("content-type", "application/octet-stream")]);
    reply.stream(Stream::Trickle(Trickle { at: 0, end, chunk_bytes, per_sec, start_ns: clock::now_ns() }));
    Ok(())
}
