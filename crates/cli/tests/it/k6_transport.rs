//! How requests of k6 scripts travel: TLS, proxies, addresses, limits. Against peers in this process, each over sockets of its own.

use crate::command::{Folder, Transcript, command};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};

/// Runs a script whose default function is `body`, with flags and variables; its `console.log` lines are on stderr.
fn run(name: &str, words: &[&str], variables: &[(&str, &str)], options: &str, body: &str) -> Transcript {
    let folder = Folder::new(&format!("k6-transport-{name}"));
    let script = format!(
        "import http from 'k6/http';
         export const options = {{ vus: 1, iterations: 1, {options} }};
         export default function () {{ {body} }}"
    );
    let path = folder.write("script.js", &script);
    let mut all = vec!["k6", "run", "--log-format", "raw", "--summary-mode", "disabled", "-q"];
    all.extend(words);
    all.push(&path);
    let mut command = command(&all);
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"] {
        command.env_remove(name).env_remove(name.to_lowercase());
    }
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Transcript { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// Checks what a script logs.
#[track_caller]
fn logs(transcript: &Transcript, expected: &str) {
    assert_eq!((transcript.stderr.as_str(), transcript.code), (expected, Some(0)), "{}", transcript.stdout);
}

fn serve(tls: Option<target::TlsOptions>) -> (target::Running, SocketAddr) {
    let options = target::Options { tls, ..target::Options::default() };
    let running = target::Server::bind(options).unwrap().start().unwrap();
    let address = running.local_addr().unwrap();
    (running, address)
}

/// Accepts for as long as the process lives, each connection on a thread of its own.
fn accept(handle: impl Fn(TcpStream, SocketAddr) + Send + Sync + Clone + 'static) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        while let Ok((stream, peer)) = listener.accept() {
            let handle = handle.clone();
            std::thread::spawn(move || handle(stream, peer));
        }
    });
    address
}

/// The lines of a head; none at the end.
fn head(reader: &mut BufReader<TcpStream>) -> Vec<String> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return Vec::new();
        }
        match line.trim_end() {
            "" => return lines,
            text => lines.push(text.to_owned()),
        }
    }
}

/// An HTTP proxy that takes all names for `plain` and tunnels to `secret`; it tells the head of each request.
fn proxy(plain: SocketAddr, secret: SocketAddr) -> (SocketAddr, Receiver<Vec<String>>) {
    let (tell, told) = channel();
    let address = accept(move |mut stream, _| {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let lines = head(&mut reader);
        let Some(first) = lines.first().cloned() else { return };
        tell.send(lines.clone()).unwrap();
        let words: Vec<&str> = first.split(' ').collect();
        if words[0] != "CONNECT" {
            let path = words[1].split_once("://").unwrap().1.split_once('/').unwrap().1;
            let mut server = TcpStream::connect(plain).unwrap();
            let own = |line: &&String| !line.to_lowercase().starts_with("proxy-");
            let rest: Vec<String> = lines.iter().skip(1).filter(own).cloned().collect();
            write!(
                server,
                "{} /{path} HTTP/1.1\r\n{}\r\nConnection: close\r\n\r\n",
                words[0],
                rest.join("\r\n")
            )
            .unwrap();
            std::io::copy(&mut server, &mut stream).unwrap();
            return;
        }
        if words[1].starts_with("closed.test:") {
            stream.write_all(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n").unwrap();
            return;
        }
        let mut server = TcpStream::connect(secret).unwrap();
        stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").unwrap();
        let (mut from, mut to) = (server.try_clone().unwrap(), stream.try_clone().unwrap());
        let back = std::thread::spawn(move || {
            let _ = std::io::copy(&mut from, &mut to);
            let _ = to.shutdown(Shutdown::Write);
        });
        let _ = std::io::copy(&mut reader, &mut server);
        let _ = server.shutdown(Shutdown::Write);
        back.join().unwrap();
    });
    (address, told)
}

#[test]
fn limits_hold_while_connecting() {
    // Its system takes connections, and nobody ever answers on them.
    let silent = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    // A queue for one: others' connects get no answer at all.
    let full =
        rustix::net::socket(rustix::net::AddressFamily::INET, rustix::net::SocketType::STREAM, None).unwrap();
    rustix::net::bind(&full, &SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).unwrap();
    rustix::net::listen(&full, 0).unwrap();
    let full_address = SocketAddr::try_from(rustix::net::getsockname(&full).unwrap()).unwrap();
    let _first = TcpStream::connect(full_address).unwrap();
    let body = format!(
        "for (const url of ['https://{}/', 'http://{full_address}/', 'http://127.0.0.1:1/']) {{
           const begun = Date.now();
           const {{ error_code, error, timings }} = http.get(url, {{ timeout: 300 }});
           const ms = Date.now() - begun;
           console.log(error_code, error, timings.duration, ms >= 299 && ms < 5000);
         }}
         const begun = Date.now();
         for (let at = 0; at < 20; at += 1) http.get('http://127.0.0.1:1/');
         console.log('no pause between refusals', Date.now() - begun < 1500);",
        silent.local_addr().unwrap()
    );
    let run = run("limits", &[], &[], "", &body);
    let said: Vec<&str> = run.stderr.lines().filter(|line| *line != "Request Failed").collect();
    let expected = [
        "1050 request timeout 0 true",
        "1050 request timeout 0 true",
        "1212 dial: connection refused 0 false",
        "no pause between refusals true",
    ];
    assert_eq!(said, expected);
}

#[test]
fn tls_is_spoken_as_the_options_have_it() {
    let (_running, address) = serve(Some(target::TlsOptions::default()));
    let check = |options: &str, expected: &str| {
        let body = format!(
            "const response = http.get('https://{address}/echo');
             const heard = response.status ? response.json().connection.tls.cipher_suite.replace('TLS13', 'TLS') : '';
             console.log(response.error_code, response.tls_version, response.tls_cipher_suite, heard === response.tls_cipher_suite);"
        );
        let run = run("tls", &[], &[], &format!("insecureSkipTLSVerify: true, {options}"), &body);
        logs(&run, expected);
    };
    const AES_256: &str = "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384";
    const RC4: &str = "TLS_RSA_WITH_RC4_128_SHA";
    check("tlsVersion: 'tls1.3'", "0 tls1.3 TLS_AES_256_GCM_SHA384 true\n");
    check(
        &format!("tlsVersion: 'tls1.2', tlsCipherSuites: ['{AES_256}']"),
        &format!("0 tls1.2 {AES_256} true\n"),
    );
    let unspoken = "the option tlsCipherSuites is not wholly honoured: TLS_RSA_WITH_RC4_128_SHA can't be spoken here and is not offered\n";
    check(
        &format!("tlsVersion: {{ max: 'tls1.2' }}, tlsCipherSuites: ['{RC4}', '{AES_256}']"),
        &format!("{unspoken}0 tls1.2 {AES_256} true\n"),
    );
    check(
        &format!("tlsVersion: 'tls1.2', tlsCipherSuites: ['{RC4}']"),
        &format!("{unspoken}Request Failed\n1300   true\n"),
    );
    check(
        "tlsVersion: 'tls1.1'",
        "the option tlsVersion is not honoured: TLS 1.0 and 1.1 can't be spoken here, so requests to https fail\nRequest Failed\n1000   true\n",
    );
}

#[test]
fn certificates_are_shown_to_the_hosts_that_they_are_for() {
    let authority = |name: &str| {
        let mut parameters = rcgen::CertificateParams::new(Vec::new()).unwrap();
        parameters.distinguished_name.push(rcgen::DnType::CommonName, name);
        parameters.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let key = rcgen::KeyPair::generate().unwrap();
        (parameters.self_signed(&key).unwrap().pem(), rcgen::Issuer::new(parameters, key))
    };
    let (ca_pem, issuer) = authority("own");
    let key = rcgen::KeyPair::generate().unwrap();
    let shown =
        rcgen::CertificateParams::new(vec!["me.test".to_owned()]).unwrap().signed_by(&key, &issuer).unwrap();
    let tls = target::TlsOptions { client_ca_pem: Some(ca_pem), ..target::TlsOptions::default() };
    let (_running, address) = serve(Some(tls));
    let port = address.port();
    let pair = format!("cert: {:?}, key: {:?}", shown.pem(), key.serialize_pem());
    let options = format!(
        "insecureSkipTLSVerify: true, hosts: {{ '*.known.test': '127.0.0.1', 'stranger.test': '127.0.0.1' }},
         tlsAuth: [{{ domains: ['*.known.test'], {pair} }}]"
    );
    let body = format!(
        "console.log(http.get('https://a.known.test:{port}/echo').json().connection.tls.client_certificates);
         console.log(http.get('https://stranger.test:{port}/echo').status);"
    );
    logs(&run("certificates", &[], &[], &options, &body), "1\nRequest Failed\n0\n");
}

#[test]
fn requests_go_by_proxies() {
    let (_plain, plain) = serve(None);
    let (_secret, secret) = serve(Some(target::TlsOptions::default()));
    let (address, told) = proxy(plain, secret);
    let url = format!("http://me:p%40ss@{address}");
    let variables =
        [("HTTP_PROXY", url.as_str()), ("https_proxy", url.as_str()), ("NO_PROXY", "straight.test")];
    let options = format!("insecureSkipTLSVerify: true, hosts: {{ 'straight.test': '{plain}' }}");
    let body = format!(
        "const plain = http.get('http://shop.test/echo?a=1', {{ tags: {{ name: 'x' }} }});
         console.log(plain.json().target, plain.remote_port === {}, plain.url);
         const secret = ['one', 'two'].map((path) => http.get('https://shop.test/echo?' + path).json().connection);
         console.log(secret.map((one) => one.tls.server_name + ' ' + one.request_index).join(', '));
         console.log(http.get('https://closed.test/').error);
         console.log(http.get('http://straight.test/hello').body, http.get('http://{plain}/hello').body);",
        address.port()
    );
    let run = run("proxies", &[], &variables, &options, &body);
    logs(
        &run,
        "/echo?a=1 true http://shop.test/echo?a=1\nshop.test 1, shop.test 2\nRequest Failed\nthe proxy opened no tunnel to the host\nHello world Hello world\n",
    );
    let heads: Vec<Vec<String>> = told.try_iter().collect();
    let first: Vec<&str> = heads.iter().map(|head| head[0].as_str()).collect();
    let expected = [
        "GET http://shop.test/echo?a=1 HTTP/1.1",
        "CONNECT shop.test:443 HTTP/1.1",
        "CONNECT closed.test:443 HTTP/1.1",
    ];
    assert_eq!(first, expected);
    let credentials = "proxy-authorization: basic bWU6cEBzcw==".to_lowercase();
    assert!(heads.iter().all(|head| head.iter().any(|line| line.to_lowercase() == credentials)), "{heads:?}");
    assert!(heads[0].iter().any(|line| line.to_lowercase() == "host: shop.test"), "{heads:?}");
}

#[test]
fn a_proxy_that_is_none_fails_its_requests() {
    let variables = [("HTTP_PROXY", "socks5://me:secret@127.0.0.1:1")];
    let run = run("socks", &[], &variables, "", "console.log(http.get('http://shop.test/').error);");
    logs(
        &run,
        "Request Failed\nproxy \"****@127.0.0.1:1\": SOCKS is not spoken here; write http://host:port\n",
    );
}

#[test]
fn users_come_from_addresses_in_turn() {
    let address = accept(|mut stream, peer| {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        while !head(&mut reader).is_empty() {
            let text = peer.ip().to_string();
            write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        }
        let _ = reader.read(&mut [0]);
    });
    let options = "scenarios: { all: { executor: 'per-vu-iterations', vus: 3, iterations: 2 } }, vus: undefined, iterations: undefined";
    let body = format!("console.log(__VU, http.get('http://{address}/').body);");
    for words in [
        &["--local-ips", "127.0.0.2-127.0.0.3"][..],
        &["--local-ips", "127.0.0.2-127.0.0.3", "--threads", "2"],
    ] {
        let run = run("addresses", words, &[], options, &body);
        let mut lines: Vec<&str> = run.stderr.lines().collect();
        lines.sort_unstable();
        let expected =
            ["1 127.0.0.2", "1 127.0.0.2", "2 127.0.0.3", "2 127.0.0.3", "3 127.0.0.2", "3 127.0.0.2"];
        assert_eq!((lines, run.code), (expected.to_vec(), Some(0)));
    }
    let away = run(
        "away",
        &["--local-ips", "192.0.2.1"],
        &[],
        "",
        &format!("console.log(http.get('http://{address}/').error_code);"),
    );
    logs(&away, "Request Failed\n1210\n");
}

/// A server that lets in who answers its challenge on the connection that was challenged, whatever the answer: what that is, the
/// specification's examples hold in `request/ntlm.rs`.
fn ntlm_server() -> SocketAddr {
    accept(|mut stream, _| {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        for count in 1.. {
            let lines = head(&mut reader);
            if lines.is_empty() {
                return;
            }
            let said = lines.iter().find_map(|line| line.strip_prefix("Authorization: NTLM "));
            let bytes =
                base64::Engine::decode(&base64::engine::general_purpose::STANDARD, said.unwrap_or_default())
                    .unwrap();
            let asked = match bytes.get(8) {
                Some(1) => {
                    let mut challenge = b"NTLMSSP\0\x02\0\0\0".to_vec();
                    challenge.extend([0, 0, 0, 0, 48, 0, 0, 0]);
                    challenge.extend([1, 2, 0x88, 0]);
                    challenge.extend(*b"12345678");
                    challenge.extend([0; 8]);
                    challenge.extend([4, 0, 4, 0, 48, 0, 0, 0]);
                    challenge.extend([0; 4]);
                    let text = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, challenge);
                    format!("WWW-Authenticate: NTLM {text}\r\n")
                }
                Some(3) => String::new(),
                _ => "WWW-Authenticate: Basic realm=x\r\nWWW-Authenticate: NTLM\r\n".to_owned(),
            };
            let status = if asked.is_empty() { "200 OK" } else { "401 Unauthorized" };
            let body = format!("{count} {}", bytes.len());
            write!(stream, "HTTP/1.1 {status}\r\n{asked}Content-Length: {}\r\n\r\n{body}", body.len())
                .unwrap();
        }
    })
}

#[test]
fn ntlm_is_spoken_over_one_connection() {
    let address = ntlm_server();
    let body = format!(
        "const url = 'http://DOMAIN%5cuser:secret@{address}/';
         const alone = http.get(url, {{ auth: 'ntlm' }});
         console.log(alone.status, alone.body);
         console.log(http.batch([['GET', url, null, {{ auth: 'ntlm' }}], ['GET', url, null, {{ auth: 'ntlm' }}]]).map((one) => one.status + ' ' + Number(one.body.split(' ')[0]) % 3).join(', '));
         console.log(http.get(url).status);"
    );
    // 64 bytes of head, 24 of the old answer, 16 + 28 + 4 + 4 of the new one, 12 and 8 of the names.
    logs(&run("ntlm", &[], &[], "", &body), "200 3 160\n200 0, 200 0\n401\n");
}
