//! What a request costs over a driver, with as little as can be above it:
//! `cargo run --release -p netio --example throughput -- epoll 127.0.0.1:7070 64 5` keeps 64 connections busy with
//! `GET /hello` for 5 s. Compare with `bench/floor`, which does the same without a driver.

use netio::epoll::EpollDriver;
use netio::uring::UringDriver;
use netio::{Address, Completion, Driver};
use rustix::time::{ClockId, clock_gettime};
use std::time::Instant;

const REQUEST: &[u8] = b"GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n";

fn main() {
    let mut arguments = std::env::args().skip(1);
    let driver = arguments.next().expect("epoll or uring");
    let address =
        arguments.next().expect("host:port").parse().map(Address::Inet).expect("an IP address and port");
    let count: u32 = arguments.next().map_or(64, |word| word.parse().expect("a count of connections"));
    let seconds: u64 = arguments.next().map_or(5, |word| word.parse().expect("seconds"));
    let origin = Instant::now();
    match driver.as_str() {
        "epoll" => report(EpollDriver::new(origin).expect("an epoll driver").0, &address, count, seconds),
        "uring" => report(UringDriver::new(origin).expect("a ring").0, &address, count, seconds),
        other => eprintln!("no driver `{other}`"),
    }
}

fn report(mut driver: impl Driver, address: &Address, count: u32, seconds: u64) {
    for conn in 0..count {
        driver.connect(conn, address);
    }
    // All connections are open, and the size of a whole answer is known from one of each.
    let mut answer_bytes = 0;
    let mut answered = 0;
    while answered < count {
        driver.submit();
        driver.wait(u64::MAX);
        let mut connected = Vec::new();
        while let Some(completion) = driver.next() {
            match completion {
                Completion::Connected { conn } => connected.push(conn),
                Completion::Received { bytes, .. } => {
                    answer_bytes = bytes.len();
                    answered += 1;
                }
                other => panic!("{other:?}"),
            }
        }
        for conn in connected {
            driver.send(conn, REQUEST);
        }
    }
    let cpu_began_ns = cpu_ns();
    let began_ns = driver.now_ns();
    let end_ns = began_ns + seconds * 1_000_000_000;
    let mut request_count = 0_u64;
    let mut wait_count = 0_u64;
    let mut due: Vec<u32> = (0..count).collect();
    let mut now_ns = began_ns;
    while now_ns < end_ns {
        for conn in due.drain(..) {
            driver.send(conn, REQUEST);
        }
        driver.submit();
        now_ns = driver.wait(end_ns);
        wait_count += 1;
        while let Some(completion) = driver.next() {
            match completion {
                Completion::Received { conn, bytes } => {
                    assert_eq!(bytes.len(), answer_bytes);
                    request_count += 1;
                    due.push(conn);
                }
                other => panic!("{other:?}"),
            }
        }
    }
    println!(
        "{request_count} requests, {:.0}/s, CPU {} ns per request, {:.1} per wait",
        request_count as f64 / ((now_ns - began_ns) as f64 / 1e9),
        (cpu_ns() - cpu_began_ns) / request_count,
        request_count as f64 / wait_count as f64,
    );
}

/// CPU time of this process so far, in the program and in the kernel.
fn cpu_ns() -> u64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned()
}
