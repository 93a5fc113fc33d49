//! Who may ask.

use crate::*;
use serve::ServeError;

const TOKEN: &str = "a-token-of-24-characters";

#[test]
fn other_machines_need_a_token() {
    let listen = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
    let refused = Serving::start(Options { listen, store: "none".into(), token: None }).unwrap_err();
    assert!(matches!(refused, ServeError::NeedsToken { .. }), "{refused}");
    assert!(refused.hint().contains("--token"), "{}", refused.hint());
}

#[test]
fn the_token_opens_what_is_shut_without_it() {
    let scratch = Scratch::new("token");
    let server = serving(&scratch.store(), Some(TOKEN));
    let wrong = [
        get(&server, "/"),
        get(&server, "/api/runs"),
        get(&server, "/?token=a-token-of-24-characterz"),
        ask(&server, "GET /api/runs", &["authorization: Bearer a-token"], ""),
        ask(&server, "GET /api/runs", &["cookie: weir_token="], ""),
    ];
    for answer in &wrong {
        assert_eq!(answer.status, 401, "{}", answer.body);
        assert!(!answer.body.contains(TOKEN));
    }
    assert_eq!(ask(&server, "GET /api/runs", &[&format!("authorization: Bearer {TOKEN}")], "").status, 200);
    let welcome = get(&server, &format!("/?token={TOKEN}"));
    assert_eq!(welcome.status, 303);
    assert!(welcome.head.contains("location: /\r\n"), "{}", welcome.head);
    let cookie = welcome.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    assert!(cookie.contains("httponly") && cookie.contains("samesite=strict"), "{cookie}");
    let pair = cookie.split(';').next().unwrap();
    assert_eq!(ask(&server, "GET /api/runs", &[&format!("cookie: other=1; {pair}")], "").status, 200);
}

#[test]
fn pages_of_other_sites_get_nothing() {
    let scratch = Scratch::new("sites");
    let server = serving(&scratch.store(), None);
    let own = format!("origin: http://{}", server.local_addr());
    for (request, headers, status) in [
        ("GET /api/runs", vec!["host: evil.example:8686"], 403),
        ("GET /api/runs", vec!["origin: http://evil.example"], 403),
        ("GET /api/runs", vec!["sec-fetch-site: cross-site"], 403),
        ("GET /api/runs", vec!["sec-fetch-site: same-site"], 403),
        ("GET /api/runs", vec!["sec-fetch-site: same-origin", own.as_str()], 200),
        ("GET /", vec!["sec-fetch-site: cross-site", "sec-fetch-mode: navigate"], 200),
        ("GET /", vec!["sec-fetch-site: cross-site", "sec-fetch-mode: no-cors"], 403),
        ("DELETE /api/runs/x", vec![], 403),
        ("POST /api/runs/x/wishes", vec!["x-weir: 1", "origin: null"], 403),
        ("OPTIONS /api/runs/x", vec!["origin: http://evil.example"], 403),
    ] {
        let answer = ask(&server, request, &headers, "");
        assert_eq!(answer.status, status, "{request} {headers:?}: {}", answer.body);
        assert!(!answer.head.contains("access-control-allow"), "{}", answer.head);
        assert!(answer.head.contains("x-frame-options: deny"), "{}", answer.head);
    }
}

#[test]
fn the_page_may_ask_its_server_and_nobody_else() {
    let scratch = Scratch::new("page");
    let server = serving(&scratch.store(), None);
    let page = get(&server, "/");
    assert_eq!(page.status, 200);
    assert!(page.head.contains("content-type: text/html"), "{}", page.head);
    assert!(page.body.contains("connect-src 'self'") && page.body.contains("default-src 'none'"));
}
