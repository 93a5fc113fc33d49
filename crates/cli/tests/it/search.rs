//! `weir search`: against servers of known capacity, real and simulated, and what is said of wrong wishes.

use crate::command::{Folder, Transcript, weir};
use netio::sim::{FixedServer, PeerConnection, Replies, SimDriver, SimPeer};
use netio::{Address, Close};
use search::find::{Answer, Limit, Options, Outcome, Search, Step, Trial, TrialKind, TrialResult};
use search::{Context, SearchRecord, trial_plan};
use std::num::NonZeroU32;
use target::{Options as TargetOptions, Running, Server};

const SEC: u64 = units::NS_PER_SEC;

/// A target that does `servers` × 250 requests per second, and the URL where.
fn target(servers: u32) -> (Running, String) {
    let options =
        TargetOptions { http_req_concurrency: NonZeroU32::new(servers), ..TargetOptions::default() };
    let running = Server::bind(options).unwrap().start().unwrap();
    let url = format!("{}/tests/http_req/a.xml?value=1&service_us=4000", running.base_url());
    (running, url)
}

fn searched(args: &[&str]) -> Transcript {
    weir(&[&["search", "--no-store", "--warmup", "0s", "--settle", "10ms"], args].concat())
}

fn read(path: &str) -> SearchRecord {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn a_target_of_known_capacity_is_found() {
    let folder = Folder::new("search-known");
    let (_running, url) = target(2);
    let json = folder.file("search.json");
    let found = searched(&[
        &url,
        "--slo",
        "p90(response) < 100ms",
        "--start",
        "450/s",
        "--trial",
        "500ms",
        "--budget",
        "20s",
        "--confirm",
        "1s",
        "--json",
        &json,
    ]);
    assert_eq!(found.code, Some(0), "{}", found.stderr);
    let record = read(&json);
    let answer = record.answer.unwrap();
    let share = answer.rate_per_sec / 500.0;
    assert!(share <= 1.01, "{}{}", found.stdout, found.stderr);
    // However disturbed it was: the interval does not lie below the truth.
    let high = answer.estimate.map_or(f64::INFINITY, |estimate| estimate.high_per_sec);
    assert!(high >= 485.0, "{}{}", found.stdout, found.stderr);
    // On a machine that is busy with other tests the client is the limit now and then; then it says "at least".
    if answer.limit == Limit::Service && answer.is_precise {
        assert!(share >= 0.97, "{}{}", found.stdout, found.stderr);
        assert!(found.stdout.contains(" sustains "), "{}", found.stdout);
    }
    assert!(record.trials.iter().all(|trial| trial.run.phases.len() == 1));
}

#[test]
fn a_search_goes_on_where_it_was_ended_and_is_compared() {
    let folder = Folder::new("search-resume");
    let (_running, url) = target(2);
    let json = folder.file("search.json");
    let flags = [
        url.as_str(),
        "--start",
        "400/s",
        "--trial",
        "500ms",
        "--budget",
        "8s",
        "--precision",
        "20%",
        "--confirm",
        "0s",
        "-q",
    ];
    let whole = searched(&[&flags[..], &["--json", &json]].concat());
    assert_eq!(whole.code, Some(0), "{}", whole.stderr);
    let mut record = read(&json);
    let answer = record.answer.unwrap();
    let all = record.trials.len();
    // As an interruption after the third trial leaves it.
    record.trials.truncate(3);
    record.answer = None;
    let cut = folder.write("cut.json", &serde_json::to_string(&record).unwrap());
    let again = folder.file("again.json");
    let resumed = searched(&[&flags[..], &["--resume", &cut, "--json", &again]].concat());
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    let resumed = read(&again);
    assert_eq!(resumed.search_id, record.search_id);
    assert_eq!(resumed.trials[..3], record.trials[..]);
    assert!(resumed.trials.len() > 3 && all > 3);
    // All told, the controller ends where it ended: nothing is sent any more.
    let told = searched(&[&flags[..], &["--resume", &json, "--json", &again]].concat());
    assert_eq!(read(&again).answer.map(|a| a.rate_per_sec), Some(answer.rate_per_sec), "{}", told.stderr);
    let other =
        searched(&[&url, "--resume", &json, "--trial", "600ms", "--budget", "20s", "--confirm", "0s"]);
    assert_eq!(other.code, Some(2));
    assert!(other.stderr.starts_with("error: --resume: that search had other options"), "{}", other.stderr);
    // A baseline that was surely better.
    let mut better = read(&json);
    let double = |answer: Answer| {
        let estimate = answer.estimate.map(|mut estimate| {
            estimate.low_per_sec *= 3.0;
            estimate.high_per_sec *= 3.0;
            estimate
        });
        Answer { rate_per_sec: answer.rate_per_sec * 3.0, limit: Limit::Service, estimate, ..answer }
    };
    better.answer = better.answer.map(double);
    let baseline = folder.write("better.json", &serde_json::to_string(&better).unwrap());
    let compared = [&flags[..], &["--resume", &json, "--baseline", &baseline, "--fail-on", "lower"]].concat();
    let worse = searched(&compared);
    if answer.limit == Limit::Service {
        assert_eq!(worse.code, Some(1), "{}", worse.stdout);
        assert!(worse.stdout.contains("baseline    −66.7%, lower beyond doubt"), "{}", worse.stdout);
    }
}

#[test]
fn a_service_that_fails_at_the_lowest_rate_is_said_to_with_the_reason() {
    let (running, _) = target(1);
    let url = format!("{}/status/500", running.base_url());
    let found = searched(&[
        &url,
        "--min",
        "50/s",
        "--max",
        "60/s",
        "--start",
        "50/s",
        "--trial",
        "500ms",
        "--budget",
        "20s",
        "--confirm",
        "0s",
    ]);
    assert_eq!(found.code, Some(1), "{}", found.stderr);
    assert!(found.stdout.contains("does not sustain even the lowest rate asked for"), "{}", found.stdout);
    assert!(found.stdout.contains("why         at 50/s: "), "{}", found.stdout);
    assert!(found.stdout.contains("failed, mostly status"), "{}", found.stdout);
}

#[test]
fn wrong_wishes_are_refused_with_the_mend() {
    let folder = Folder::new("search-wrong");
    let check = |args: &[&str], expected: &str| {
        let found = searched(args);
        assert_eq!((found.code, found.stderr.as_str(), found.stdout.as_str()), (Some(2), expected, ""));
    };
    check(
        &["a", "--slo", "p99 < 5ms"],
        "error: --slo 'p99 < 5ms': unknown metric `p99`\nhint: use pNN(response|service|wait), mean(…), max(…), error_ratio, errors, achieved, rate or dropped\n",
    );
    check(
        &["a", "--min", "100/s", "--max", "50/s"],
        "error: the lowest rate, 100/s, is not below the highest, 50/s\nhint: give --min below --max, both above 0\n",
    );
    check(
        &["a", "--budget", "40s", "--confirm", "0s"],
        "error: a budget of 40.0 s is too small for a precision of 2.00%: it would reach about 20.0%\nhint: give at least --budget 56s, or --precision 20%, or shorter trials (--trial)\n",
    );
    check(
        &["a", "--budget", "10s"],
        "error: a budget of 10.0 s is too small for a precision of 2.00%: it would not even bracket the answer\nhint: give at least --budget 58s, or shorter trials (--trial)\n",
    );
    check(
        &["a", "--precision", "0.02"],
        "error: --precision: `0.02` has no unit\nhint: write for example `2%`\n",
    );
    check(
        &["a", "--start", "5/s", "--min", "10/s"],
        "error: the first rate, 5/s, is not between --min and --max\nhint: choose --start between them, or leave it out\n",
    );
    check(
        &["a", "--curve", "5", "--min", "100/s", "--max", "50/s"],
        "error: the lowest rate, 100/s, is not below the highest, 50/s\nhint: give --min below --max, both above 0\n",
    );
    let short = weir(&["search", "a", "--cloudi", "--tick-length", "500ms"]);
    assert_eq!(
        (short.code, short.stderr.as_str()),
        (Some(2), "error: --tick-length: a tick is at least a second long\nhint: give 1s or more\n")
    );
    let ignored = weir(&["search", "a", "--cloudi", "--slo", "p99(response) < 5ms"]);
    assert_eq!(ignored.code, Some(2));
    assert!(
        ignored.stderr.contains("'--cloudi' cannot be used with '--slo <OBJECTIVE>'"),
        "{}",
        ignored.stderr
    );
    let closed = folder.write(
        "closed.yaml",
        "target: http://a\nrequest: GET /\nphases: [{name: p, users: 3, duration: 1s}]\n",
    );
    check(
        &[&closed],
        "error: the plan has no phase with a rate (there are: p), and a search changes the rate\nhint: give one phase a `rate` in place of `users`\n",
    );
    let no_search = folder.write("run.json", "{\"schema_version\": 1}");
    check(
        &["a", "--resume", &no_search],
        &format!(
            "error: --resume: `{no_search}` is no record of a search: it is of another kind\nhint: name a file that `weir search --json` wrote\n"
        ),
    );
}

#[test]
fn a_curve_is_drawn_up_to_the_highest_rate() {
    let folder = Folder::new("search-curve");
    let (_running, url) = target(2);
    let json = folder.file("curve.json");
    let markdown = folder.file("curve.md");
    let found = searched(&[
        &url,
        "--curve",
        "4",
        "--max",
        "800/s",
        "--trial",
        "500ms",
        "--json",
        &json,
        "--markdown",
        &markdown,
    ]);
    assert_eq!(found.code, Some(0), "{}", found.stderr);
    let curve = read(&json).curve.unwrap();
    let offered: Vec<f64> = curve.points.iter().map(|point| point.offered_per_sec).collect();
    assert_eq!(offered, [200.0, 400.0, 600.0, 800.0]);
    assert!(curve.points[3].achieved_per_sec < 560.0, "{curve:?}");
    assert!(curve.points[3].p50_ns > curve.points[0].p50_ns, "{curve:?}");
    assert!(found.stdout.contains("   offered  achieved"), "{}", found.stdout);
    assert!(std::fs::read_to_string(markdown).unwrap().contains("| 800/s | "));
}

/// The controller with trials in simulated time: exact, without a machine in the way.
#[test]
fn simulated_servers_are_found_exactly() {
    const REPLY: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";
    for (servers, service_us) in [(1usize, 1_000u64), (4, 10_000), (16, 25_000)] {
        let capacity = servers as f64 * 1e6 / service_us as f64;
        let yaml = "targets: {a: {url: 'http://127.0.0.1', connections: 200}}\nrequest: GET /\nrate: 1/s\nduration: 1s\nslos: ['p90(response) < 60ms']\n";
        let loaded = planfile::parse(yaml, "test.yaml", &planfile::InMemory::default());
        let plan = loaded.plan.unwrap_or_else(|| panic!("{:#?}", loaded.diagnostics));
        let options = Options {
            full_ns: 2 * SEC,
            short_ns: SEC,
            maximum_ns: SEC,
            confirm_ns: 10 * SEC,
            samples_min: trial_plan::samples_min(&plan),
            ..Options::default()
        };
        let mut search = Search::new(options).unwrap();
        let mut trials = 0;
        let answer = loop {
            let trial = match search.next() {
                Step::Try(trial) => trial,
                Step::Done(answer) => break answer,
            };
            trials += 1;
            let server = FixedServer::new(service_us * 1000, servers, REPLY);
            let made = trial_plan::for_trial(&plan, 0, &trial, 0, trials);
            let record = runner::simulate(&made, SimDriver::new(Box::new(server))).unwrap();
            let found = search::assess(&record, &made.slos, Context::default()).unwrap();
            let took_ns = trial.duration_ns + trial.settle_ns;
            search.on_trial(&TrialResult {
                outcome: found.outcome,
                achieved_per_sec: found.achieved_per_sec,
                took_ns,
            });
        };
        let share = answer.rate_per_sec / capacity;
        assert!((0.98..=1.01).contains(&share), "{servers} × {service_us} µs: {share}, {answer:?}");
        assert_eq!(answer.limit, Limit::Service);
        assert!(trials < 40, "{trials} trials");
    }
}

/// Two kinds of requests: those to `/dear` wait for one server, all others are answered at once.
struct TwoKinds {
    dear_ns: u64,
    free_at_ns: u64,
}

impl SimPeer for TwoKinds {
    fn connecting(&mut self, now_ns: u64, connection: PeerConnection, _: &Address, replies: &mut Replies) {
        replies.accept(connection, now_ns);
    }

    fn received(&mut self, now_ns: u64, connection: PeerConnection, bytes: &[u8], replies: &mut Replies) {
        let mut ready_ns = now_ns + 100_000;
        if bytes.starts_with(b"GET /dear ") {
            ready_ns = self.free_at_ns.max(now_ns) + self.dear_ns;
            self.free_at_ns = ready_ns;
        }
        replies.bytes(connection, ready_ns, b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok".to_vec());
    }

    fn closed(&mut self, _: u64, _: PeerConnection, _: Close, _: &mut Replies) {}
}

#[test]
fn a_rare_action_that_piles_up_is_not_hidden_by_the_many() {
    let yaml = "targets: {a: {url: 'http://127.0.0.1', connections: 500}}\nactions: [{name: cheap, weight: 99, get: /}, {name: dear, weight: 1, get: /dear}]\nrate: 1/s\nduration: 1s\n";
    let plan = planfile::parse(yaml, "test.yaml", &planfile::InMemory::default()).plan.unwrap();
    let found = |rate_per_sec: f64| {
        let trial = Trial { kind: TrialKind::Measure, rate_per_sec, duration_ns: 5 * SEC, settle_ns: 0 };
        // 50 dear ones per second, and so 5000 in all.
        let server = TwoKinds { dear_ns: 20_000_000, free_at_ns: 0 };
        let made = trial_plan::for_trial(&plan, 0, &trial, 0, 1);
        let record = runner::simulate(&made, SimDriver::new(Box::new(server))).unwrap();
        search::assess(&record, &made.slos, Context::default()).unwrap()
    };
    assert_eq!(found(3_500.0).outcome, Outcome::Sustained, "{:?}", found(3_500.0).reasons);
    let overloaded = found(6_000.0);
    assert_eq!(overloaded.outcome, Outcome::NotSustained);
    assert!(
        overloaded.reasons[0].starts_with("work piled up: response times of dear grew by "),
        "{:?}",
        overloaded.reasons
    );
}

#[test]
fn wrong_answers_are_the_services_fault_however_late_the_client_was() {
    let yaml = "targets: {a: {url: 'http://127.0.0.1', connections: 50}}\nrequest: GET /\nrate: 1/s\nduration: 1s\nslos: ['error_ratio < 1%']\n";
    let plan = planfile::parse(yaml, "test.yaml", &planfile::InMemory::default()).plan.unwrap();
    let outcome = |reply: &'static [u8]| {
        let trial = Trial { kind: TrialKind::Measure, rate_per_sec: 200.0, duration_ns: SEC, settle_ns: 0 };
        let made = trial_plan::for_trial(&plan, 0, &trial, 0, 1);
        // A server that does half of it.
        let server = FixedServer::new(10_000_000, 1, reply);
        let mut record = runner::simulate(&made, SimDriver::new(Box::new(server))).unwrap();
        let late = record::Reason {
            code: record::ReasonCode::SendLateness,
            state: record::VerdictState::Invalid,
            message: "requests left late".to_owned(),
            hint: String::new(),
        };
        record.verdict.reasons.push(late);
        search::assess(&record, &made.slos, Context::default()).unwrap().outcome
    };
    assert_eq!(outcome(b"HTTP/1.1 500 No\r\ncontent-length: 2\r\n\r\nno"), Outcome::NotSustained);
    assert_eq!(outcome(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"), Outcome::ClientLimited);
}

#[test]
fn a_runs_statistics_page_is_shown() {
    let folder = Folder::new("search-moments");
    let (_running, url) = target(2);
    let json = folder.file("run.json");
    let ran = weir(&["http", &url, "-r", "400/s", "-d", "700ms", "--no-store", "-q", "--json", &json]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let shown = weir(&["show", &json, "--moments"]);
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    let lines: Vec<&str> = shown.stdout.lines().collect();
    assert!(
        lines[0].starts_with("measure: ") && lines[0].ends_with(" requests/second, 280 response times"),
        "{lines:?}"
    );
    for label in [
        "    mean  ",
        "    stddev  ",
        "    skewness  ",
        "    kurtosis  ",
        "      0% (minimum)  ",
        "    100% (maximum)  ",
    ] {
        assert!(lines.iter().any(|line| line.starts_with(label)), "{label}: {lines:?}");
    }
    assert!(lines.iter().any(|line| line.starts_with("  → ")), "{lines:?}");
}
