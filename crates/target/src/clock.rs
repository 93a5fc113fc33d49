//! The server's clock: `CLOCK_MONOTONIC` in ns, so that its time stamps can be held against those of another process on this machine.

use rustix::time::{ClockId, clock_gettime};
use units::NS_PER_SEC;

/// Nanoseconds of `CLOCK_MONOTONIC`. About 25 ns a call (vDSO).
pub(crate) fn now_ns() -> u64 {
    read_ns(ClockId::Monotonic)
}

/// Uses up `work_ns` of CPU time of the calling thread. Time in which the kernel ran somebody else does not count.
pub(crate) fn spin_cpu(work_ns: u64) {
    let end_ns = read_ns(ClockId::ThreadCPUTime).saturating_add(work_ns);
    while read_ns(ClockId::ThreadCPUTime) < end_ns {
        std::hint::spin_loop();
    }
}

fn read_ns(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    (time.tv_sec as u64).wrapping_mul(NS_PER_SEC).wrapping_add(time.tv_nsec as u64)
}
