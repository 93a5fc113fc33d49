//! The interpreter against hand-made answers: what it sends, keeps, checks, follows and gives up.

use super::*;
use crate::Scenario;
use crate::{ScenarioFactory, Timing, Want};
use plan::{
    Action, ActionOrder, AtEnd, Body, Capture, CaptureSource, Check, CheckKind, Feed, FeedOrder, Plan,
    Request, Step, Target, Template, TextMatch, VariableIndex,
};
use proto::http1::{Limits, Session};

fn plan_of(actions: Vec<Action>, edit: impl FnOnce(&mut Plan)) -> Plan {
    let mut target = Target::new(Scheme::Http, "127.0.0.1", 7070);
    target.base_path = "/api".into();
    let scenario = plan::Scenario {
        name: "s".into(),
        order: ActionOrder::Sequence,
        actions,
        cookies: CookiePolicy::Keep,
        initial: Vec::new(),
        feeds: Vec::new(),
    };
    let mut plan = Plan {
        name: "p".into(),
        seed: 1,
        targets: vec![target],
        feeds: Vec::new(),
        variables: vec!["id".into(), "name".into()],
        scenarios: vec![scenario],
        phases: Vec::new(),
        slos: Vec::new(),
        interval_ns: Plan::INTERVAL_NS,
    };
    edit(&mut plan);
    plan
}

fn template(text: &str) -> Template {
    Template::parse(text, |name| {
        ["id", "name"].iter().position(|known| *known == name).map(|i| VariableIndex(i as u16))
    })
    .unwrap()
}

fn get(path: &str) -> Request {
    Request {
        name: format!("GET {path}"),
        target: 0,
        method: "GET".into(),
        path: template(path),
        query: Vec::new(),
        headers: Vec::new(),
        body: Body::None,
        checks: Vec::new(),
        captures: Vec::new(),
        redirects_max: 0,
        timeout_ns: None,
    }
}

fn action(requests: Vec<Request>) -> Action {
    Action { name: "a".into(), steps: requests.into_iter().map(|r| Step::Request(Box::new(r))).collect() }
}

/// One user and what it sees.
struct Conversation {
    user: Box<dyn Scenario>,
    checks: Vec<(u64, u64)>,
}

impl Conversation {
    fn new(plan: &Plan) -> Self {
        let program = Arc::new(Program::compile(plan, 0).unwrap());
        let checks = vec![(0, 0); program.shape().checks.len()];
        Self { user: program.source(0, 1).user(0), checks }
    }

    fn begin(&mut self) -> Next {
        self.user.begin(Choice::Next).unwrap();
        self.resume(Event::Begun)
    }

    fn resume(&mut self, event: Event<'_>) -> Next {
        self.user.resume(event, &mut Context { now_ns: 0, intended_ns: 0, checks: &mut self.checks })
    }

    fn answer(&mut self, bytes: &str) -> Next {
        let mut session = Session::new(Limits::default());
        session.expect(RequestKind::Other, Want::ALL);
        session.handle(bytes.as_bytes()).unwrap();
        let response = session.response().unwrap();
        let answer = Answer {
            status: response.status,
            headers: response.headers,
            body: response.body,
            body_bytes: 0,
            service_ns: 5,
            timing: Timing::default(),
            remote: None,
            tls: None,
        };
        let answer = Answer { body_bytes: answer.body.whole().map_or(0, |body| body.len() as u64), ..answer };
        self.resume(Event::Answered(answer))
    }

    fn sent(&self) -> String {
        String::from_utf8(self.user.request().to_vec()).unwrap()
    }

    fn first_line(&self) -> String {
        self.sent().lines().next().unwrap_or_default().to_owned()
    }
}

fn answer(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n{body}", body.len())
}

const DONE: Next = Next::Done(Ok(()));

#[test]
fn a_fixed_request_is_sent_as_it_was_rendered() {
    let mut request = get("/hello");
    request.query = vec![("q".into(), template("a b"))];
    request.headers = vec![("X-Trace".into(), template("1"))];
    let mut talk = Conversation::new(&plan_of(vec![action(vec![request])], |_| ()));
    assert!(
        matches!(talk.begin(), Next::Exchange(exchange) if exchange.timeout_ns == Target::REQUEST_TIMEOUT_NS)
    );
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        talk.sent(),
        format!(
            "GET /api/hello?q=a%20b HTTP/1.1\r\nhost: 127.0.0.1:7070\r\nuser-agent: weir/{version}\r\nX-Trace: 1\r\n\r\n"
        )
    );
    assert_eq!(talk.answer(&answer("200 OK", "", "x")), DONE);
    talk.begin();
    assert_eq!(talk.answer(&answer("503 No", "", "x")), Next::Done(Err(ErrorClass::Status)));
    talk.begin();
    assert_eq!(talk.resume(Event::Failed(ErrorClass::Timeout)), Next::Done(Err(ErrorClass::Timeout)));
}

#[test]
fn captures_feed_the_next_request() {
    let mut first = get("/login");
    first.captures = vec![
        Capture {
            variable: VariableIndex(0),
            source: CaptureSource::Json("$.user.id".into()),
            default: None,
        },
        Capture {
            variable: VariableIndex(1),
            source: CaptureSource::Regex("\"name\":\"(\\w+)".into()),
            default: None,
        },
    ];
    let mut second = get("/users/${id}");
    second.method = "POST".into();
    second.body = Body::Form(vec![("n".into(), template("${name}&"))]);
    let mut talk = Conversation::new(&plan_of(vec![action(vec![first, second])], |_| ()));
    talk.begin();
    assert!(matches!(
        talk.answer(&answer("200 OK", "", r#"{"user":{"id":42,"name":"ann"}}"#)),
        Next::Exchange(_)
    ));
    let sent = talk.sent();
    assert!(sent.starts_with("POST /api/users/42 HTTP/1.1\r\n"), "{sent}");
    assert!(sent.contains("content-type: application/x-www-form-urlencoded\r\n"), "{sent}");
    assert!(sent.ends_with("content-length: 8\r\n\r\nn=ann%26"), "{sent}");
    talk.begin();
    assert_eq!(talk.answer(&answer("200 OK", "", "{}")), Next::Done(Err(ErrorClass::Check)));
}

#[test]
fn every_check_is_counted_and_the_first_failure_names_the_class() {
    let mut request = get("/x");
    let check = |name: &str, kind| Check { name: name.into(), kind };
    request.checks = vec![
        check("status", CheckKind::Status(vec![(200, 299), (404, 404)])),
        check("type", CheckKind::Header("Content-Type".into(), TextMatch::Contains(template("json")))),
        check("id", CheckKind::Json("$.id".into(), TextMatch::Equals(template("7")))),
        check("body", CheckKind::Body(TextMatch::Regex("i.\"".into()))),
        check("size", CheckKind::Size { min_bytes: 1, max_bytes: 10 }),
        check("time", CheckKind::Time { max_ns: 5 }),
    ];
    let mut talk = Conversation::new(&plan_of(vec![action(vec![request])], |_| ()));
    talk.begin();
    assert_eq!(talk.answer(&answer("404 No", "content-type: application/json\r\n", r#"{"id":7}"#)), DONE);
    assert_eq!(talk.checks, [(1, 0); 6]);
    talk.begin();
    let gzip_less = answer("500 No", "", "not json at all");
    assert_eq!(talk.answer(&gzip_less), Next::Done(Err(ErrorClass::Status)));
    assert_eq!(talk.checks, [(1, 1), (1, 1), (1, 1), (1, 1), (1, 1), (2, 0)]);
}

#[test]
fn cookies_come_back_and_redirects_are_followed_within_the_plan() {
    let mut request = get("/a/start");
    request.redirects_max = 3;
    let plan = plan_of(vec![action(vec![request])], |plan| {
        plan.targets.push(Target::new(Scheme::Https, "shop.example", 443));
    });
    let mut talk = Conversation::new(&plan);
    talk.begin();
    talk.answer(&answer("302 Found", "location: ../b?x=1\r\nset-cookie: sid=9; Path=/\r\n", ""));
    assert_eq!(talk.first_line(), "GET /api/b?x=1 HTTP/1.1");
    assert!(talk.sent().contains("\r\ncookie: sid=9\r\n"), "{}", talk.sent());
    let next = talk.answer(&answer("301 Moved", "location: https://shop.example/c\r\n", ""));
    assert!(matches!(next, Next::Exchange(exchange) if exchange.target == 1));
    assert!(
        talk.sent().starts_with("GET /c HTTP/1.1\r\nhost: shop.example\r\n") && !talk.sent().contains("sid"),
        "{}",
        talk.sent()
    );
    talk.answer(&answer("307 Moved", "location: /d\r\n", ""));
    assert_eq!(talk.first_line(), "GET /d HTTP/1.1");
    let too_many = talk.answer(&answer("302 Moved", "location: /e\r\n", ""));
    assert_eq!(too_many, Next::Done(Err(ErrorClass::Redirect)));
    talk.begin();
    assert!(talk.sent().contains("cookie: sid=9\r\n"));
    let foreign = talk.answer(&answer("302 Found", "location: http://elsewhere.example/\r\n", ""));
    assert_eq!(foreign, Next::Done(Err(ErrorClass::Redirect)));
}

#[test]
fn pauses_think_and_delay_and_a_post_becomes_a_get_on_302() {
    let mut request = get("/p");
    request.method = "POST".into();
    request.body = Body::Bytes(b"xyz".to_vec());
    request.redirects_max = 1;
    let steps = vec![
        Step::Think(Pause::Constant(7)),
        Step::Delay(Pause::Uniform(3, 3)),
        Step::Request(Box::new(request)),
    ];
    let mut talk = Conversation::new(&plan_of(vec![Action { name: "a".into(), steps }], |_| ()));
    assert_eq!(talk.begin(), Next::Rest { duration_ns: 7, kind: RestKind::Think });
    assert_eq!(talk.resume(Event::Rested), Next::Rest { duration_ns: 3, kind: RestKind::Delay });
    assert!(matches!(talk.resume(Event::Rested), Next::Exchange(_)));
    assert!(talk.sent().ends_with("content-length: 3\r\n\r\nxyz"));
    talk.answer(&answer("302 Found", "location: /q\r\n", ""));
    assert!(talk.sent().starts_with("GET /q ") && !talk.sent().contains("content-length"), "{}", talk.sent());
}

#[test]
fn a_feed_gives_each_row_once_and_then_stops() {
    let feed = |order, at_end| Feed {
        name: "f".into(),
        columns: vec![VariableIndex(0)],
        rows: (0..5).map(|n| vec![n.to_string()]).collect(),
        order,
        at_end,
    };
    let plan = |order, at_end| {
        plan_of(vec![action(vec![get("/${id}")])], |plan| {
            plan.feeds.push(feed(order, at_end));
            plan.scenarios[0].feeds.push(0);
        })
    };
    let program = Arc::new(Program::compile(&plan(FeedOrder::Unique, AtEnd::Stop), 0).unwrap());
    let mut seen = Vec::new();
    for worker_index in 0..2 {
        let mut user = program.source(worker_index, 2).user(worker_index);
        while user.begin(Choice::Next).is_some() {
            user.resume(Event::Begun, &mut Context { now_ns: 0, intended_ns: 0, checks: &mut [] });
            seen.push(String::from_utf8_lossy(user.request()).split(' ').nth(1).unwrap().to_owned());
        }
    }
    seen.sort();
    assert_eq!(seen, ["/api/0", "/api/1", "/api/2", "/api/3", "/api/4"]);
    let mut talk = Conversation::new(&plan(FeedOrder::Sequential, AtEnd::Fail));
    (0..5).for_each(|_| assert!(matches!(talk.begin(), Next::Exchange(_))));
    assert_eq!(talk.begin(), Next::Done(Err(ErrorClass::Check)));
}

#[test]
fn what_could_not_be_sent_is_a_fault_before_the_run() {
    let mut request = get("/x");
    request.headers = vec![("bad name".into(), template("1")), ("x".into(), Template::text("a\r\nb"))];
    request.checks = vec![Check { name: "r".into(), kind: CheckKind::Body(TextMatch::Regex("(".into())) }];
    let faults = Program::compile(&plan_of(vec![action(vec![request])], |_| ()), 0).unwrap_err();
    assert_eq!(faults.len(), 3, "{faults:?}");
}

#[test]
fn relative_references_follow_the_rfc() {
    // RFC 3986 §5.4.1, the path-only ones.
    let base = "/b/c/d;p?q";
    for (reference, expect) in [
        ("g", "/b/c/g"),
        ("./g", "/b/c/g"),
        ("g/", "/b/c/g/"),
        ("/g", "/g"),
        ("?y", "/b/c/d;p?y"),
        ("..", "/b/"),
        ("../../g", "/g"),
        ("../../../g", "/g"),
        (".", "/b/c/"),
        ("", "/b/c/d;p?q"),
    ] {
        assert_eq!(relative(reference, base), expect, "{reference}");
    }
}
