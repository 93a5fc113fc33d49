//! What one response costs the reading side: `cargo run --release -p proto --example head_cost [SHAPE]` prints ns per response.
//!
//! Each line is the median of nine rounds, and their spread. To count instructions, which vary less than times do, run one shape alone;
//! the number after it is how many responses to read:
//!
//! ```text
//! cargo build --release -p proto --example head_cost
//! valgrind --tool=callgrind --callgrind-out-file=callgrind.out.head target/release/examples/head_cost repeated 1000000
//! callgrind_annotate callgrind.out.head
//! ```

use std::hint::black_box;
use std::time::Instant;

use proto::http1::{Event, Limits, RequestKind, Session, Want};

const ROUND_COUNT: usize = 9;
const RESPONSES_PER_ROUND: usize = 400_000;

/// One kind of traffic: the slices that arrive in turn, each ending where a read ended.
struct Shape {
    name: &'static str,
    what: &'static str,
    want: Want,
    slices: Vec<Vec<u8>>,
    response_count: usize,
}

fn usual(date_second: usize, body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 200 OK\r\nserver: weir\r\ndate: Sat, 21 Nov 2026 01:50:{:02} GMT\r\ncontent-type: text/plain\r\n\
         content-length: {}\r\n\r\n{body}",
        date_second % 60,
        body.len()
    )
    .into_bytes()
}

fn shapes() -> Vec<Shape> {
    let whole = usual(1, "Hello world");
    let (front, back) = whole.split_at(70);
    let chunked =
        b"HTTP/1.1 200 OK\r\nserver: weir\r\ntransfer-encoding: chunked\r\n\r\n5\r\nHello\r\n6\r\n world\r\n0\r\n\r\n";
    let mut megabyte: Vec<Vec<u8>> = vec![b"HTTP/1.1 200 OK\r\ncontent-length: 1048576\r\n\r\n".to_vec()];
    megabyte.extend((0..16).map(|_| vec![b'x'; 65536]));
    let pipelined: Vec<u8> = whole.repeat(16);
    let shape = |name, what, want, slices, response_count| Shape { name, what, want, slices, response_count };
    vec![
        shape("repeated", "4 headers, 11-byte body, head as before", Want::NOTHING, vec![whole.clone()], 1),
        shape(
            "changing",
            "the same, but each head differs",
            Want::NOTHING,
            (0..60).map(|second| usual(second, "Hello world")).collect(),
            60,
        ),
        shape("wanted", "repeated, headers and body kept", Want::ALL, vec![whole.clone()], 1),
        shape("pipelined", "16 repeated answers in one slice", Want::NOTHING, vec![pipelined], 16),
        shape(
            "split",
            "repeated, cut within the head",
            Want::NOTHING,
            vec![front.to_vec(), back.to_vec()],
            1,
        ),
        shape("chunked", "two chunks in one slice", Want::NOTHING, vec![chunked.to_vec()], 1),
        shape("megabyte", "1 MiB in slices of 64 KiB", Want::NOTHING, megabyte, 1),
    ]
}

/// Reads at least `response_count` responses of the shape and returns how many it read.
fn read(session: &mut Session, shape: &Shape, response_count: usize) -> usize {
    let mut complete_count = 0;
    while complete_count < response_count {
        for _ in 0..shape.response_count {
            session.expect(RequestKind::Other, shape.want);
        }
        for slice in &shape.slices {
            let mut rest: &[u8] = black_box(slice);
            while !rest.is_empty() {
                let (consumed, event) = session.handle(rest).expect("the shapes are sound answers");
                rest = rest.get(consumed..).unwrap_or_default();
                if let Some(Event::Complete(complete)) = event {
                    black_box(complete);
                    complete_count += 1;
                }
            }
        }
    }
    complete_count
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let only = arguments.next();
    let fixed_count: Option<usize> = arguments.next().and_then(|count| count.parse().ok());
    for shape in shapes().iter().filter(|shape| only.as_deref().is_none_or(|name| name == shape.name)) {
        let mut session = Session::new(Limits::default());
        if let Some(response_count) = fixed_count {
            println!("{}: {} responses", shape.name, read(&mut session, shape, response_count));
            continue;
        }
        read(&mut session, shape, RESPONSES_PER_ROUND / 10);
        let mut rounds_ns: Vec<f64> = (0..ROUND_COUNT)
            .map(|_| {
                let started = Instant::now();
                let count = read(&mut session, shape, RESPONSES_PER_ROUND);
                started.elapsed().as_nanos() as f64 / count as f64
            })
            .collect();
        rounds_ns.sort_by(f64::total_cmp);
        let (least_ns, median_ns) = (rounds_ns[0], rounds_ns[ROUND_COUNT / 2]);
        let most_ns = rounds_ns[ROUND_COUNT - 1];
        println!("{:>10}  {median_ns:7.1} ns  ({least_ns:.1} to {most_ns:.1})  {}", shape.name, shape.what);
    }
}
