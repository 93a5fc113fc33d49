//! HTTP/1.1 as real servers speak it, through the whole stack.

use crate::*;
use target::{Listen, TlsIdentity, TlsOptions};

/// Runs one request 20 times with two users and returns its phase.
fn exchange(request: &str) -> PhaseRecord {
    let running = target();
    let what = if request.starts_with('{') {
        format!("actions: [{{name: a, steps: [{request}]}}]")
    } else {
        format!("request: {request}")
    };
    let mut record = run(plan_for(&running, &format!("target: URL\n{what}\nusers: 2\ncount: 20\n")));
    assert_laws(&record.phases[0]);
    record.phases.remove(0)
}

#[test]
fn every_kind_of_answer_completes() {
    for request in [
        "GET /",
        "{head: /file?size=1MiB}",
        "GET /no-read",
        "GET /file?size=3MiB",
        "{post: /load, body: {text: hello}, check: {body: {equals: aGVsbG8=}}}",
        "GET /status/204",
        "GET /status/304",
        "GET /chunked?trailers=1",
        "{get: /gzip, check: {json: {$: {exists: true}}}}",
        "{get: /deflate, check: {json: {$: {exists: true}}}}",
        "{get: /br, check: {json: {$: {exists: true}}}}",
        "{get: /zstd, check: {json: {$: {exists: true}}}}",
        "GET /eof",
        "GET /close",
        "GET /early-hints",
        "{post: /continue, headers: {expect: 100-continue}, body: {text: some text}}",
        "{post: /echo, headers: {expect: 100-continue}, body: {text: late}, check: {body: {contains: late}}}",
        "{get: /redirect/3, redirects: 5, check: {status: 200}}",
        "{get: '/echo?x=1', query: {y: a b}, check: {body: {contains: a}}}",
        "{get: '/bytes?rate=100000&size=1000', check: {size: '>= 1000B'}}",
        "{post: /echo, body: {multipart: [{name: a, text: one}, {name: b, text: two, type: text/plain}]}, check: {body: {contains: two}}}",
    ] {
        let phase = exchange(request);
        assert_eq!(phase.counts.completed, 20, "{request}: {:?} {:?}", phase.counts, phase.errors);
    }
}

#[test]
fn every_kind_of_fault_has_its_class() {
    for (request, class) in [
        ("GET /status/500", "status"),
        ("{get: /hello, check: {body: {contains: goodbye}}}", "check"),
        ("{get: /redirect/3, redirects: 1}", "redirect"),
        ("GET /garbage", "protocol"),
        ("GET /reset", "receive_reset"),
        ("{get: '/delay?ms=2000', timeout: 30ms}", "timeout"),
    ] {
        let phase = exchange(request);
        let errors: Vec<(&str, u64)> =
            phase.errors.iter().map(|(class, count)| (class.as_str(), *count)).collect();
        assert_eq!(errors, [(class, 20)], "{request}");
        let is_censored = !matches!(class, "status" | "check" | "redirect");
        assert_eq!(phase.counts.censored, if is_censored { 20 } else { 0 }, "{request}");
    }
}

#[test]
fn cookies_and_captures_are_each_users_own() {
    let running = target();
    let record = run(plan_for(
        &running,
        "target: URL
scenarios:
  s:
    cookies: keep
    actions:
      - name: visit
        steps:
          - get: /cookie/set?name=u&value=x
          - set: {me: 'user-${user_index}'}
          - {post: /echo, body: {json: {who: '${me}'}}, capture: {said: {regex: 'user-(\\d+)'}}}
          - {get: '/echo?said=${said}', check: {body: {contains: 'said=${user_index}'}}}
phases: [{name: p, users: 5, count: 50}]
",
    ));
    let phase = &record.phases[0];
    assert_laws(phase);
    assert_eq!(phase.counts.completed, 50, "{:?} {:?}", phase.errors, phase.checks);
}

#[test]
fn tls_is_verified_unless_told_otherwise_and_resumes() {
    let identity = TlsOptions { identity: TlsIdentity::SelfSigned, ..TlsOptions::default() };
    let running = target_with(Options { tls: Some(identity), ..Options::default() });
    let address = running.local_addr().unwrap();
    let ca = running.ca_pem().unwrap().to_owned();
    let yaml = |tls: &str, host: &str| {
        format!(
            "targets: {{a: {{url: 'https://{host}:{}', tls: {{{tls}}}, connections: per_request}}}}\nrequest: GET /hello\nusers: 2\ncount: 30\n",
            address.port()
        )
    };
    let load = |text: &str| {
        let files = planfile::InMemory([("ca.pem".to_owned(), ca.clone().into_bytes())].into());
        planfile::parse(text, "test.yaml", &files).plan.expect("a sound plan")
    };
    let refused = run_with(plan(&yaml("", "127.0.0.1")), RunOptions::default());
    assert!(
        matches!(&refused, Err(RunError::Unreachable { class, .. }) if class.as_str() == "tls"),
        "{refused:?}"
    );
    for tls in ["insecure: true", "ca: ca.pem", "ca: ca.pem, max: '1.2'", "ca: ca.pem, min: '1.3'"] {
        let record = run(load(&yaml(tls, "127.0.0.1")));
        let phase = &record.phases[0];
        assert_eq!(phase.counts.completed, 30, "{tls}: {:?}", phase.errors);
        assert_eq!(phase.traffic.tls_ns.count, 30, "{tls}");
    }
    assert!(running.stop().tls_resumed > 60);
}

#[test]
fn unix_sockets_and_ipv6_carry_load() {
    let folder = std::env::temp_dir().join(format!("weir-it-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("t.sock");
    let running = target_with(Options { listen: Listen::Unix(path.clone()), ..Options::default() });
    let yaml = format!(
        "targets: {{a: {{url: 'http://localhost', unix_socket: '{}'}}}}\nrequest: GET /hello\nusers: 2\ncount: 50\n",
        path.display()
    );
    assert_eq!(run(plan(&yaml)).phases[0].counts.completed, 50);
    assert_eq!(running.stop().requests, 50);
    std::fs::remove_dir_all(&folder).unwrap();
    let listen = Listen::Tcp("[::1]:0".parse().unwrap());
    let running = target_with(Options { listen, ..Options::default() });
    assert_eq!(
        run(plan_for(&running, "target: URL\nrequest: GET /hello\nusers: 2\ncount: 50\n")).phases[0]
            .counts
            .completed,
        50
    );
    // A name with several addresses of which one answers: the others are left out.
    let port = running.local_addr().unwrap().port();
    let yaml = format!(
        "targets: {{a: {{url: 'http://some.name:{port}', addresses: [127.0.0.1, '::1']}}}}\nrequest: GET /hello\nusers: 4\ncount: 50\n"
    );
    assert_eq!(run(plan(&yaml)).phases[0].counts.completed, 50);
}
