//! What threads, the process and the machine used, as the system tells it.

use engine::Usage;
use rustix::time::{ClockId, clock_gettime};
use std::fs;

/// What the calling thread has used so far; elapsed and spinning time are left at 0.
pub(crate) fn of_thread() -> Usage {
    let cpu = clock_gettime(ClockId::ThreadCPUTime);
    let cpu_ns = (cpu.tv_sec as u64).saturating_mul(units::NS_PER_SEC).saturating_add(cpu.tv_nsec as u64);
    // Fields: time on a CPU, time ready but waiting for one, both ns; time slices (Documentation/scheduler/sched-stats.rst).
    let schedstat = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let off_cpu_ns = schedstat.split_ascii_whitespace().nth(1).and_then(|field| field.parse().ok());
    Usage { cpu_ns, off_cpu_ns, ..Usage::default() }
}

/// CPU time of the process, and the machine's steal time.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Process {
    pub(crate) cpu_user_ns: u64,
    pub(crate) cpu_system_ns: u64,
    /// Steal and total time of all CPUs, in ticks.
    steal: Option<(u64, u64)>,
}

impl Process {
    pub(crate) fn read() -> Self {
        let cpu = clock_gettime(ClockId::ProcessCPUTime);
        let cpu_ns = (cpu.tv_sec as u64).saturating_mul(units::NS_PER_SEC).saturating_add(cpu.tv_nsec as u64);
        // The clock is exact but does not part user from system; fields 14 and 15 of proc_pid_stat(5) do, in ticks of 10 ms.
        let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
        let fields: Vec<u64> = stat
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .split_ascii_whitespace()
            .map(|field| field.parse().unwrap_or(0))
            .collect();
        let ticks = |index: usize| fields.get(index).copied().unwrap_or(0);
        let (user, system) = (ticks(11), ticks(12));
        let user_share = if user + system == 0 { 1.0 } else { user as f64 / (user + system) as f64 };
        let cpu_user_ns = (cpu_ns as f64 * user_share) as u64;
        Self { cpu_user_ns, cpu_system_ns: cpu_ns - cpu_user_ns.min(cpu_ns), steal: machine_steal() }
    }

    /// Share of the machine's time that was stolen since an earlier reading.
    pub(crate) fn steal_ratio_since(&self, earlier: &Self) -> Option<f64> {
        let ((steal, total), (steal_before, total_before)) = (self.steal?, earlier.steal?);
        let total = total.saturating_sub(total_before);
        (total > 0).then(|| steal.saturating_sub(steal_before) as f64 / total as f64)
    }
}

/// First line of proc_stat(5): user nice system idle iowait irq softirq steal …
fn machine_steal() -> Option<(u64, u64)> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let fields: Vec<u64> = stat
        .lines()
        .next()?
        .split_ascii_whitespace()
        .skip(1)
        .take(8)
        .filter_map(|field| field.parse().ok())
        .collect();
    Some((*fields.get(7)?, fields.iter().sum()))
}

/// Most memory that the process had resident.
pub(crate) fn rss_bytes_max() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib: u64 = line.and_then(|rest| rest.split_ascii_whitespace().next()?.parse().ok()).unwrap_or(0);
    kib * 1024
}
