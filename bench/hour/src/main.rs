//! A run of some simulated time and the most memory that it took: `hour 3600` for an hour, in a few seconds.
//!
//! The load is 100 requests/s, arrivals as independent users make them, against a simulated server of varying delay. A run's memory may
//! grow by the intervals of its record, one a second, and by nothing else: so both are printed, as
//! `rss_max_bytes` and `intervals_bytes` (their JSON, which holds what they hold in memory).

use netio::sim::{FixedServer, SimDriver};
use std::error::Error;

const MS: u64 = 1_000_000;
const REPLY: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";

fn main() -> Result<(), Box<dyn Error>> {
    let seconds: u64 = std::env::args().nth(1).ok_or("usage: hour SECONDS")?.parse()?;
    let text = format!(
        "target: http://127.0.0.1:80\nrequest: GET /\nrate: 100/s\narrivals: poisson\nduration: {seconds}s\n"
    );
    let loaded = planfile::parse(&text, "hour.yaml", &planfile::InMemory::default());
    let plan = loaded.plan.ok_or("the plan above is sound")?;
    let server = FixedServer::new(MS, 10, REPLY).jittering(1, 20 * MS);
    let record = runner::simulate(&plan, SimDriver::new(Box::new(server)))?;
    let rss_max_bytes = rss_max_bytes()?;
    let intervals: Vec<_> = record.phases.iter().flat_map(|phase| &phase.intervals).collect();
    println!("rss_max_bytes {rss_max_bytes}");
    println!("intervals_bytes {}", serde_json::to_vec(&intervals)?.len());
    Ok(())
}

/// VmHWM of proc_pid_status(5), in kB.
fn rss_max_bytes() -> Result<u64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    let kilobytes: u64 = line.split_ascii_whitespace().next().ok_or("no number")?.parse()?;
    Ok(kilobytes * 1024)
}
