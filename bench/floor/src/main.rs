//! A bare epoll loop: the least that a request costs its client on this machine, as a yardstick for the CPU time of Weir.
//!
//! `floor 127.0.0.1:7070 64 5` keeps 64 connections busy with `GET /hello` for 5 s: one send and one receive per request,
//! one epoll_wait for all that are ready, no clock reading, no parsing, nothing kept. Answers must all have the length of
//! the first, which is found once from its Content-Length; after that bytes are only counted.
//!
//! Prints three lines: `requests`, `requests_per_sec`, `cpu_ns_per_request` (user and system time, as getrusage adds up).

use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use rustix::net::{RecvFlags, SendFlags, recv, send};
use rustix::time::{ClockId, clock_gettime};
use std::error::Error;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::ExitCode;

/// Events taken at once, as many as Weir's epoll driver takes.
const EVENT_COUNT_MAX: usize = 256;
const READ_BUFFER_BYTES: usize = 64 * 1024;
/// The clock is read once in this many waits, to see whether time is up.
const WAITS_PER_CLOCK_READING: u32 = 64;
/// Longest wait for an answer, so that a dead server ends the run.
const WAIT_MAX: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, connections, seconds] = arguments.as_slice() else {
        eprintln!("usage: floor HOST:PORT CONNECTIONS SECONDS");
        return ExitCode::from(2);
    };
    let (Ok(connections), Ok(seconds)) = (connections.parse(), seconds.parse()) else {
        eprintln!("error: CONNECTIONS and SECONDS are whole numbers");
        return ExitCode::from(2);
    };
    match run(address, connections, seconds) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {address}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(address: &str, connections: u32, seconds: u64) -> Result<(), Box<dyn Error>> {
    let request = format!("GET /hello HTTP/1.1\r\nHost: {address}\r\n\r\n").into_bytes();
    let streams = (0..connections).map(|_| connect(address)).collect::<Result<Vec<_>, _>>()?;
    let mut answer_bytes = 0;
    for stream in &streams {
        answer_bytes = first_answer_bytes(stream, &request)?;
    }
    let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    for (index, stream) in (0..).zip(&streams) {
        stream.set_nonblocking(true)?;
        epoll::add(&epoll, stream, epoll::EventData::new_u64(index), epoll::EventFlags::IN)?;
    }

    let mut left_bytes = vec![answer_bytes; streams.len()];
    let mut buffer = vec![0; READ_BUFFER_BYTES];
    let mut events = Vec::with_capacity(EVENT_COUNT_MAX);
    let mut request_count = 0_u64;
    let mut wait_count = 0_u32;
    let cpu_began_ns = ns(ClockId::ProcessCPUTime);
    let began_ns = ns(ClockId::Monotonic);
    let end_ns = began_ns + seconds * 1_000_000_000;
    for stream in &streams {
        send_whole(stream, &request)?;
    }
    loop {
        events.clear();
        epoll::wait(&epoll, spare_capacity(&mut events), Some(&WAIT_MAX))?;
        for event in &events {
            let index = event.data.u64() as usize;
            let (stream, left) = (&streams[index], &mut left_bytes[index]);
            let (byte_count, _) = recv(stream, &mut *buffer, RecvFlags::empty())?;
            *left = left.checked_sub(byte_count).ok_or("an answer is longer than the first")?;
            if *left == 0 {
                *left = answer_bytes;
                request_count += 1;
                send_whole(stream, &request)?;
            } else if byte_count == 0 {
                return Err("the server closed a connection".into());
            }
        }
        wait_count += 1;
        if events.is_empty() || wait_count.is_multiple_of(WAITS_PER_CLOCK_READING) {
            if ns(ClockId::Monotonic) >= end_ns {
                break;
            }
            if events.is_empty() {
                return Err("no answer for a second".into());
            }
        }
    }
    let seconds = (ns(ClockId::Monotonic) - began_ns) as f64 / 1e9;
    let cpu_ns = ns(ClockId::ProcessCPUTime) - cpu_began_ns;
    println!("requests {request_count}");
    println!("requests_per_sec {:.0}", request_count as f64 / seconds);
    println!("cpu_ns_per_request {}", cpu_ns / request_count.max(1));
    Ok(())
}

fn connect(address: &str) -> std::io::Result<TcpStream> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

#[inline]
fn send_whole(stream: &TcpStream, request: &[u8]) -> Result<(), Box<dyn Error>> {
    match send(stream, request, SendFlags::NOSIGNAL)? {
        sent_count if sent_count == request.len() => Ok(()),
        _ => Err("a request did not leave whole".into()),
    }
}

/// Asks once and says how long the whole answer is, from its head and Content-Length.
fn first_answer_bytes(mut stream: &TcpStream, request: &[u8]) -> Result<usize, Box<dyn Error>> {
    const ANSWER_BYTES_MAX: usize = 16 * 1024 * 1024;
    stream.write_all(request)?;
    let mut answer = Vec::new();
    let mut piece = [0; 4096];
    while answer.len() < ANSWER_BYTES_MAX {
        let byte_count = stream.read(&mut piece)?;
        if byte_count == 0 {
            return Err("the server closed a connection".into());
        }
        answer.extend_from_slice(&piece[..byte_count]);
        let Some(head) = answer.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let text = String::from_utf8_lossy(&answer[..head]);
        let mut fields = text.lines().filter_map(|line| line.split_once(':'));
        let length = fields.find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
        let length = length.and_then(|(_, value)| value.trim().parse::<usize>().ok());
        let whole = head + 4 + length.ok_or("the answer has no Content-Length")?;
        if answer.len() >= whole {
            return Ok(whole);
        }
    }
    Err("the answer is too long".into())
}

fn ns(clock: ClockId) -> u64 {
    let now = clock_gettime(clock);
    now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned()
}
