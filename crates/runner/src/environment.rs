//! Where a run takes place.

use record::Environment;
use std::fs;

/// The machine as the system describes it; what it does not tell stays empty.
pub(crate) fn read(driver: &str, notes: Vec<String>) -> Environment {
    let cpu_info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let after = |text: &str, key: &str| {
        let line = text.lines().find(|line| line.starts_with(key));
        line.and_then(|line| line.split_once(':'))
            .map(|(_, value)| value.trim().to_owned())
            .unwrap_or_default()
    };
    let memory_kib: u64 =
        after(&memory, "MemTotal").split_ascii_whitespace().next().and_then(|n| n.parse().ok()).unwrap_or(0);
    Environment {
        os: std::env::consts::OS.to_owned(),
        kernel: rustix::system::uname().release().to_string_lossy().into_owned(),
        cpu_model: after(&cpu_info, "model name"),
        cpu_count: std::thread::available_parallelism().map_or(1, |count| count.get() as u32),
        memory_bytes: memory_kib * 1024,
        weir_version: env!("CARGO_PKG_VERSION").to_owned(),
        driver: driver.to_owned(),
        notes,
        addresses: Default::default(),
    }
}
