//! How late `Driver::wait` returns, and what that costs: `cargo run --release -p netio --example lateness -- epoll 200 5`
//! waits for deadlines 200 µs apart for 5 s and prints quantiles of the lateness in ns and the CPU time used.

use netio::Driver;
use netio::epoll::EpollDriver;
use netio::uring::UringDriver;
use std::time::Instant;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let driver = arguments.next().unwrap_or_else(|| "epoll".to_owned());
    let gap_us: u64 = arguments.next().and_then(|word| word.parse().ok()).unwrap_or(200);
    let seconds: u64 = arguments.next().and_then(|word| word.parse().ok()).unwrap_or(5);
    if let Err(error) = netio::prepare_thread() {
        eprintln!("timer slack stays as it is: {error}");
    }
    let origin = Instant::now();
    match driver.as_str() {
        "epoll" => report(EpollDriver::new(origin).expect("an epoll driver").0, gap_us * 1_000, seconds),
        "uring" => report(UringDriver::new(origin).expect("a ring").0, gap_us * 1_000, seconds),
        other => eprintln!("no driver `{other}`"),
    }
}

fn report(mut driver: impl Driver, gap_ns: u64, seconds: u64) {
    let began_ns = driver.now_ns();
    let count = seconds * 1_000_000_000 / gap_ns.max(1);
    let mut late_ns: Vec<u64> = Vec::with_capacity(count as usize);
    let cpu_began_ns = cpu_ns();
    for index in 1..=count {
        let deadline_ns = began_ns + index * gap_ns;
        late_ns.push(driver.wait(deadline_ns) - deadline_ns);
    }
    let cpu_ratio = (cpu_ns() - cpu_began_ns) as f64 / (seconds * 1_000_000_000) as f64;
    late_ns.sort_unstable();
    let quantile = |ratio: f64| late_ns.get((ratio * count as f64) as usize).copied().unwrap_or_default();
    println!(
        "{count} deadlines {gap_ns} ns apart: late by p50 {} p90 {} p99 {} p99.9 {} max {} ns; CPU {:.0} %, spinning {:.0} %",
        quantile(0.5),
        quantile(0.9),
        quantile(0.99),
        quantile(0.999),
        late_ns.last().copied().unwrap_or_default(),
        cpu_ratio * 100.0,
        driver.spin_ns() as f64 / (seconds * 10_000_000) as f64,
    );
}

/// CPU time of this thread so far.
fn cpu_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned()
}
