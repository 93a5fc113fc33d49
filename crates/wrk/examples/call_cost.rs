//! What a script costs per request, without a network: ns for each kind of callback.
//!
//!     cargo run --profile quick -p wrk --example call_cost [SCRIPT.lua]
//!
//! One user goes through begin, request and answer as the worker loop leads it; the answer is read by a real session.

use proto::http1::{Limits, RequestKind, Session, Want};
use scenario::{Answer, Body, Choice, Context, Event, Next, ScenarioFactory, Timing};
use std::net::TcpListener;
use std::time::Instant;
use wrk::lua::Script;
use wrk::{Connections, Mode, Options, request_text};

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Sat, 21 Nov 2026 06:56:59 GMT\r\nContent-Type: text/plain\r\nContent-Length: 17\r\nConnection: keep-alive\r\n\r\nhello from nginx\n";
const COUNT: u32 = 2_000_000;

const SCRIPTS: [(&str, &str); 5] = [
    ("static", ""),
    ("request() gives one text", "function request() return wrk.request() end"),
    (
        "request() formats a counter",
        "n = 0 function request() n = n + 1 wrk.headers['X-Counter'] = n return wrk.format(nil, '/' .. n) end",
    ),
    ("response() looks at nothing", "function response() end"),
    ("response() looks at a header", "function response(s, h, b) x = h['Content-Type'] end"),
];

fn main() {
    // A script looks for its host before it starts.
    let listener = TcpListener::bind("127.0.0.1:0").expect("the loopback has a free port");
    let url = format!("http://{}/", listener.local_addr().expect("it is bound"));
    let words: Vec<String> = ["-t1", "-c1", &url].map(str::to_owned).to_vec();
    let options = wrk::read(&words, Mode::Wrk, "wrk").outcome.expect("the words are sound");
    let fixed = Connections::fixed(&options, request_text(&options));
    println!("{:40} {:>6.0} ns", "no script", cost_ns(&fixed, Want::NOTHING));
    if let Some(path) = std::env::args().nth(1) {
        let source = std::fs::read_to_string(&path).expect("the script is there");
        show(&options, &path, &source);
        return;
    }
    for (name, source) in SCRIPTS {
        show(&options, name, source);
    }
}

fn show(options: &Options, name: &str, source: &str) {
    let script = Script::start(options, source.as_bytes()).expect("the script is sound");
    let want = if source.contains("response") { Want::ALL } else { Want::NOTHING };
    println!("{name:40} {:>6.0} ns", cost_ns(&Connections::scripted(options, &script), want));
}

/// Mean ns per request.
fn cost_ns(connections: &Connections, want: Want) -> f64 {
    let mut user = connections.source(0, 1).user(0);
    let mut session = Session::new(Limits::default());
    let started = Instant::now();
    for count in 0..u64::from(COUNT) {
        // 10 µs apart, as at 100,000 requests per second.
        let mut context = Context { now_ns: count * 10_000, intended_ns: count * 10_000, checks: &mut [] };
        assert!(user.begin(Choice::Next).is_some());
        let Next::Exchange(exchange) = user.resume(Event::Begun, &mut context) else { panic!("no request") };
        assert!(!user.request().is_empty() && exchange.want == want);
        session.expect(RequestKind::Other, want);
        let complete = session.handle(ANSWER).expect("a sound answer");
        assert_eq!(complete.0, ANSWER.len());
        let response = session.response();
        let answer = Answer {
            status: 200,
            headers: response.and_then(|response| response.headers),
            body: response.map_or(Body::Dropped, |response| response.body),
            body_bytes: 17,
            service_ns: 50_000,
            timing: Timing::default(),
            remote: None,
            tls: None,
        };
        assert_eq!(user.resume(Event::Answered(answer), &mut context), Next::Done(Ok(())));
    }
    started.elapsed().as_nanos() as f64 / f64::from(COUNT)
}
