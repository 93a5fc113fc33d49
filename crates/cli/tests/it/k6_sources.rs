//! Where scripts come from: archives, stdin, modules by https (locked, mirrored, fetched), recordings.

use crate::command::{Folder, Transcript, command, weir, weir_in};
use crate::server::target;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::{Arc, Mutex};

/// A server of modules over TLS. It lives until the process ends.
struct Modules {
    /// `https://localhost:PORT`
    url: String,
    ca_pem: String,
    /// The targets that were asked for.
    asked: Arc<Mutex<Vec<String>>>,
}

/// Serves texts by their targets; what is not there is a 404.
fn modules(texts: &'static [(&'static str, &'static str)]) -> Modules {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let ca = params.self_signed(&key).unwrap();
    let issuer = Issuer::new(params, key);
    let own_key = KeyPair::generate().unwrap();
    let own = CertificateParams::new(vec!["localhost".to_owned(), "modules.example".to_owned()])
        .unwrap()
        .signed_by(&own_key, &issuer)
        .unwrap();
    let private = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(own_key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.with_no_client_auth().with_single_cert(vec![own.der().clone()], private).unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("localhost:0").unwrap();
    let url = format!("https://localhost:{}", listener.local_addr().unwrap().port());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = BufReader::new(StreamOwned::new(connection, stream.unwrap()));
            let mut line = String::new();
            // A client that does not trust the certificate ends here.
            if stream.read_line(&mut line).is_err() {
                continue;
            }
            let wanted = line.split(' ').nth(1).unwrap_or_default().to_owned();
            let found = texts.iter().find(|(target, _)| *target == wanted);
            let (status, text) = found.map_or(("404 Not Found", ""), |(_, text)| ("200 OK", *text));
            seen.lock().unwrap().push(wanted);
            let head =
                format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", text.len());
            let stream = stream.get_mut();
            // Whoever has read enough may be gone.
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(text.as_bytes()));
            stream.conn.send_close_notify();
            let _ = stream.flush();
        }
    });
    Modules { url, ca_pem: ca.pem(), asked }
}

fn run(mut command: std::process::Command) -> Transcript {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Transcript { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// A script with a module and a file beside it.
fn with_parts(name: &str) -> (Folder, String) {
    let folder = Folder::new(name);
    std::fs::create_dir_all(folder.path().join("parts")).unwrap();
    folder.write("parts/lib.ts", "export const value: number = 40;");
    folder.write("parts/data.txt", "two");
    let script = folder.write(
        "main.js",
        "import { value } from './parts/lib.ts';
        import { uuidv4 } from 'https://jslib.k6.io/k6-utils/1.4.0/index.js';
        import { textSummary } from 'https://jslib.k6.io/k6-summary/0.1.0/index.js';
        const data = open('./parts/data.txt');
        export const options = { iterations: 2, tags: { kind: 'archived' } };
        export default () => console.log(`${value} ${data} ${__ENV.WHO} ${uuidv4().length} ${typeof textSummary}`);",
    );
    (folder, script)
}

#[test]
fn a_test_in_one_file_runs_without_its_folder() {
    let (folder, script) = with_parts("k6-archive");
    let archive = folder.file("test.tar");
    let made = weir(&["k6", "archive", "-u", "2", "-e", "WHO=ada", "-O", &archive, &script]);
    assert_eq!((made.code, made.stdout.as_str()), (Some(0), ""), "{}", made.stderr);
    // Of what is built in, k6 can run one as it is, and fetches the other.
    assert!(made.stderr.contains("k6-summary/0.1.0/index.js is not in the archive"), "{}", made.stderr);
    assert!(!made.stderr.contains("k6-utils"), "{}", made.stderr);
    std::fs::remove_file(&script).unwrap();
    std::fs::remove_dir_all(folder.path().join("parts")).unwrap();
    let ran = weir(&["k6", "run", "-q", "--log-format", "raw", &archive]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), "40 two ada 36 function\n".repeat(2).as_str()));
    let other = weir(&["run", "-q", "--log-format", "raw", "-e", "WHO=bob", "-i", "3", &archive]);
    assert_eq!((other.code, other.stderr.as_str()), (Some(0), "40 two bob 36 function\n".repeat(3).as_str()));
    let seen = weir(&["k6", "inspect", &archive]);
    assert!(
        seen.stdout.contains("\"kind\": \"archived\"") && seen.stdout.contains("\"vus\": 2"),
        "{}",
        seen.stdout
    );
    let as_script = weir(&["k6", "run", "-q", "-t", "js", &archive]);
    assert_eq!(as_script.code, Some(107), "{}", as_script.stderr);
}

#[test]
fn archives_are_laid_out_as_k6s() {
    let (folder, script) = with_parts("k6-archive-layout");
    let archive = folder.file("test.tar");
    for _ in 0..2 {
        let made = weir(&["k6", "archive", "--exclude-env-vars", "-e", "WHO=ada", "-O", &archive, &script]);
        assert_eq!(made.code, Some(0), "{}", made.stderr);
    }
    let bytes = std::fs::read(&archive).unwrap();
    let mut tar = tar::Archive::new(bytes.as_slice());
    let place = folder.path().to_str().unwrap();
    let entries = tar.entries().unwrap().map(|entry| {
        let entry = entry.unwrap();
        let kind = char::from(entry.header().entry_type().as_byte());
        format!("{kind} {}", entry.path().unwrap().display()).replace(place, "/FOLDER")
    });
    let above = place.matches('/').count();
    let entries: Vec<String> = entries.collect();
    assert_eq!(entries.iter().take(3).collect::<Vec<_>>(), ["0 metadata.json", "0 data", "5 file"]);
    let rest: Vec<&str> = entries.iter().skip(2 + above).map(String::as_str).collect();
    let expected = [
        "5 file/FOLDER",
        "5 file/FOLDER/parts",
        "1 file/FOLDER/main.js",
        "0 file/FOLDER/parts/data.txt",
        "0 file/FOLDER/parts/lib.ts",
        "5 https",
        "5 https/jslib.k6.io",
        "5 https/jslib.k6.io/k6-utils",
        "5 https/jslib.k6.io/k6-utils/1.4.0",
        "0 https/jslib.k6.io/k6-utils/1.4.0/index.js",
    ];
    assert_eq!(rest, expected);
    let mut tar = tar::Archive::new(bytes.as_slice());
    let metadata: serde_json::Value =
        serde_json::from_reader(tar.entries().unwrap().next().unwrap().unwrap()).unwrap();
    assert_eq!(metadata["env"], serde_json::Value::Null);
    assert_eq!(metadata["filename"], format!("file://{script}"));
    assert_eq!(metadata["pwd"], format!("file://{place}"));
    assert_eq!(metadata["options"]["tags"]["kind"], "archived");
    assert_eq!(metadata["options"]["iterations"], 2);
    assert!(metadata["options"].as_object().unwrap().contains_key("scenarios"));
}

#[test]
fn archives_and_scripts_come_by_stdin_too() {
    let (folder, script) = with_parts("k6-archive-stdin");
    let through = |input: Vec<u8>, args: &[&str]| {
        let mut child = command(args).current_dir(folder.path()).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(&input).unwrap();
        let output = child.wait_with_output().unwrap();
        (output.status.code(), output.stdout, String::from_utf8(output.stderr).unwrap())
    };
    let text = std::fs::read(&script).unwrap();
    let said = "40 two undefined 36 function\n".repeat(2);
    let typed = [text.clone(), b"\nconst typed: number = 1;".to_vec()].concat();
    let (code, _, stderr) = through(typed, &["k6", "run", "-q", "--log-format", "raw", "-"]);
    assert_eq!((code, stderr.as_str()), (Some(0), said.as_str()));
    let (code, tar, stderr) = through(text, &["k6", "archive", "-O", "-", "-"]);
    assert_eq!(code, Some(0), "{stderr}");
    std::fs::remove_dir_all(folder.path().join("parts")).unwrap();
    let (code, _, stderr) = through(tar, &["k6", "run", "-q", "--log-format", "raw", "-"]);
    assert_eq!((code, stderr.as_str()), (Some(0), said.as_str()));
}

#[test]
fn archives_that_lead_elsewhere_are_refused() {
    let folder = Folder::new("k6-archive-hostile");
    let check = |name: &str, expected: &str, fill: &dyn Fn(&mut tar::Builder<Vec<u8>>)| {
        let mut builder = tar::Builder::new(Vec::new());
        fill(&mut builder);
        let path = folder.path().join(name);
        std::fs::write(&path, builder.into_inner().unwrap()).unwrap();
        let run = weir(&["k6", "run", path.to_str().unwrap()]);
        assert_eq!(run.code, Some(255), "{name}: {}", run.stderr);
        assert!(run.stderr.contains(expected), "{name}: {}", run.stderr);
    };
    let header = |kind: tar::EntryType, name: &[u8], size: u64| {
        let mut header = tar::Header::new_gnu();
        header.as_old_mut().name[..name.len()].copy_from_slice(name);
        header.set_entry_type(kind);
        header.set_size(size);
        header.set_cksum();
        header
    };
    check("up.tar", "has a name that leads out of it", &|builder| {
        builder.append(&header(tar::EntryType::Regular, b"file/../../etc/x", 0), std::io::empty()).unwrap();
    });
    check("link.tar", "is neither a file nor a folder nor the link", &|builder| {
        let mut link = header(tar::EntryType::Symlink, b"file/a", 0);
        builder.append_link(&mut link, "file/a", "/etc/passwd").unwrap();
    });
    check("other.tar", "is neither a file nor a folder nor the link", &|builder| {
        let mut link = header(tar::EntryType::Link, b"file/a", 0);
        builder.append_link(&mut link, "file/a", "metadata.json").unwrap();
    });
    check("huge.tar", "it is no whole tar file", &|builder| {
        builder.append(&header(tar::EntryType::Regular, b"data", 1 << 40), std::io::empty()).unwrap();
    });
    check("empty.tar", "there is no metadata.json in it", &|builder| {
        builder.append(&header(tar::EntryType::Regular, b"data", 0), std::io::empty()).unwrap();
    });
}

const TEXTS: &[(&str, &str)] = &[
    (
        "/lib/index.js?_k6=1",
        "export { two } from '../two.js?v=2'; export { three } from '/three'; export default 1;",
    ),
    ("/two.js?v=2", "exports.two = 2;"),
    ("/three", "import file from './more.json'; export const three = file.three;"),
    ("/more.json", "{ \"three\": 3 }"),
    ("/bad.js", "import x from 'file:///etc/passwd'; export default x;"),
];

fn importing(folder: &Folder, url: &str) -> String {
    folder.write(
        "main.js",
        &format!(
            "import one, {{ two, three }} from '{url}/lib/index.js';
            export default () => console.log(one, two, three);"
        ),
    )
}

#[test]
fn modules_by_https_are_fetched_when_that_is_asked_for() {
    let server = modules(TEXTS);
    let folder = Folder::new("k6-remote");
    let script = importing(&folder, &server.url);
    let ca = folder.write("ca.pem", &server.ca_pem);
    let with = |args: &[&str]| {
        let mut words = vec!["k6", "run", "-q", "--log-format", "raw"];
        words.extend(args);
        let mut command = command(&words);
        command.env("SSL_CERT_FILE", &ca);
        run(command)
    };
    let closed = with(&[&script]);
    assert_eq!(closed.code, Some(107));
    for part in [
        &format!("{}/lib/index.js is not on this machine", server.url),
        "--jslib DIR",
        "weir k6 vendor",
        "--allow-remote",
    ] {
        assert!(closed.stderr.contains(part), "{}", closed.stderr);
    }
    assert!(server.asked.lock().unwrap().is_empty());
    let fetched = with(&["--allow-remote", &script]);
    assert_eq!((fetched.code, fetched.stderr.as_str()), (Some(0), "1 2 3\n"), "{}", fetched.stdout);
    // k6's mark first, then without; each module once.
    let mut asked = server.asked.lock().unwrap().clone();
    asked.sort();
    let expected = [
        "/lib/index.js?_k6=1",
        "/more.json",
        "/more.json?_k6=1",
        "/three",
        "/three?_k6=1",
        "/two.js?v=2",
        "/two.js?v=2&_k6=1",
    ];
    assert_eq!(asked, expected);
    let missing = folder
        .write("missing.js", &format!("import '{}/nothing.js'; export default () => {{}};", server.url));
    let missing = with(&["--allow-remote", &missing]);
    assert_eq!(missing.code, Some(107));
    assert!(missing.stderr.contains(&format!("not found: {}/nothing.js", server.url)), "{}", missing.stderr);
    let local = with(&["--allow-remote", &format!("{}/bad.js", server.url)]);
    assert_eq!(local.code, Some(107));
    assert!(local.stderr.contains("may not import a file of this machine"), "{}", local.stderr);
    let untrusted = weir(&["k6", "run", "-q", "--allow-remote", &script]);
    assert_eq!(untrusted.code, Some(107));
    assert!(untrusted.stderr.contains("could not be fetched"), "{}", untrusted.stderr);
}

/// A proxy that leads wherever it is asked to the one place; what it was asked for.
fn proxy(place: String) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut client = BufReader::new(stream.unwrap());
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") && client.read_line(&mut head).unwrap() > 0 {}
            seen.lock().unwrap().push(head);
            let mut client = client.into_inner();
            client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
            let mut server = TcpStream::connect(&place).unwrap();
            let (mut from_client, mut to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
            // Either side may end the connection first.
            std::thread::spawn(move || std::io::copy(&mut from_client, &mut to_server));
            std::thread::spawn(move || std::io::copy(&mut server, &mut client));
        }
    });
    (address, asked)
}

#[test]
fn modules_are_fetched_through_the_proxy_that_the_environment_names() {
    let server = modules(TEXTS);
    let (address, asked) = proxy(server.url.replace("https://", ""));
    let folder = Folder::new("k6-remote-proxy");
    let script = importing(&folder, "https://modules.example");
    let mut command = command(&["k6", "run", "-q", "--log-format", "raw", "--allow-remote", &script]);
    command.env("SSL_CERT_FILE", folder.write("ca.pem", &server.ca_pem));
    command
        .env("HTTPS_PROXY", format!("http://ada:secret@{address}"))
        .env_remove("NO_PROXY")
        .env_remove("no_proxy");
    let ran = run(command);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), "1 2 3\n"), "{}", ran.stdout);
    let asked = asked.lock().unwrap();
    let head = asked.first().unwrap();
    assert!(head.starts_with("CONNECT modules.example:443 HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("Proxy-Authorization: Basic YWRhOnNlY3JldA==\r\n"), "{head}");
}

#[test]
fn modules_that_were_locked_need_no_network_and_must_not_change() {
    let server = modules(TEXTS);
    let folder = Folder::new("k6-vendor");
    let script = importing(&folder, &server.url);
    let ca = folder.write("ca.pem", &server.ca_pem);
    let vendor = || {
        let mut command = command(&["k6", "vendor", &script]);
        command.env("SSL_CERT_FILE", &ca);
        run(command)
    };
    let done = vendor();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let expected: String = ["/lib/index.js", "/more.json", "/three", "/two.js?v=2"]
        .map(|target| format!("new     {}{target}\n", server.url))
        .concat();
    assert_eq!(done.stdout, expected);
    let count = server.asked.lock().unwrap().len();
    let ran = weir(&["k6", "run", "-q", "--log-format", "raw", &script]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), "1 2 3\n"), "{}", ran.stdout);
    assert_eq!(server.asked.lock().unwrap().len(), count);
    assert!(vendor().stdout.starts_with("same    "), "the text is the same");
    // An archive has the texts, so that it needs neither lock nor network.
    let archive = folder.file("test.tar");
    assert_eq!(weir(&["k6", "archive", "-O", &archive, &script]).code, Some(0));
    let host = server.url.strip_prefix("https://").unwrap();
    let file = folder.path().join("k6-modules").join(host).join("three.module");
    std::fs::write(&file, "export const three = 4;").unwrap();
    let changed = weir(&["k6", "run", "-q", &script]);
    assert_eq!(changed.code, Some(107));
    assert!(
        changed.stderr.contains("three is locked, and") && changed.stderr.contains("has another content"),
        "{}",
        changed.stderr
    );
    let archived = weir(&["k6", "run", "-q", "--log-format", "raw", &archive]);
    assert_eq!((archived.code, archived.stderr.as_str()), (Some(0), "1 2 3\n"));
}

#[test]
fn modules_by_https_come_from_a_folder_that_mirrors_hosts() {
    let folder = Folder::new("k6-jslib");
    std::fs::create_dir_all(folder.path().join("libs/jslib.k6.io/odd/1.0.0")).unwrap();
    folder.write(
        "libs/jslib.k6.io/odd/1.0.0/index.js",
        "module.exports = { odd: 7, default: { name: 'odd' } };",
    );
    let script = folder.write(
        "main.js",
        "import it, { odd } from 'https://jslib.k6.io/odd/1.0.0/index.js?x=1';
        export default () => console.log(it.name, odd);",
    );
    let ran = weir_in(&folder, &["k6", "run", "-q", "--log-format", "raw", "--jslib", "libs", &script]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), "odd 7\n"), "{}", ran.stdout);
    let none = weir_in(&folder, &["k6", "run", "-q", "--jslib", "nowhere", &script]);
    assert_eq!(none.code, Some(255));
    assert!(none.stderr.contains("--jslib nowhere: there is no such folder"), "{}", none.stderr);
}

/// A recording of the seeds of fuzzing, with the target in the place of whatever was recorded.
fn recording(folder: &Folder, name: &str, address: &str) -> String {
    let path = format!("{}/../../fuzz/seeds/k6_har/{name}.har", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap().replace("127.0.0.1:8080", address);
    folder.write(&format!("{name}.har"), &text)
}

#[test]
fn scripts_made_of_recordings_send_what_was_recorded() {
    let (_running, address) = target();
    let folder = Folder::new("k6-convert");
    let check = |name: &str, flags: &[&str], said: &str, holds: &[(&str, u64)]| {
        let (har, script, export) =
            (recording(&folder, name, &address), folder.file("script.js"), folder.file("export.json"));
        let mut words = vec!["k6", "convert", "--min-sleep", "0", "--max-sleep", "0", "-O", &script];
        words.extend(flags);
        words.push(&har);
        let made = weir(&words);
        assert_eq!((made.code, made.stderr.as_str()), (Some(0), said), "{name}");
        // Nobody's rests are waited for.
        let text = std::fs::read_to_string(&script).unwrap();
        let rests = text.lines().filter(|line| line.trim_start().starts_with("sleep(")).count();
        assert!(rests > 0, "{text}");
        std::fs::write(&script, text.replace("sleep(", "((seconds) => seconds)(")).unwrap();
        let ran = weir(&["k6", "run", "-q", "-u", "1", "-i", "1", "--summary-export", &export, &script]);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{name}: {text}");
        let export: serde_json::Value = serde_json::from_slice(&std::fs::read(&export).unwrap()).unwrap();
        for (path, expected) in holds {
            let (metric, field) = path.split_once('.').unwrap();
            assert_eq!(export["metrics"][metric][field], *expected, "{name} {path}: {text}");
        }
    };
    let left = "left out: 1 WebSockets\n\
        left out: 1 answered by the browser's own cache\n\
        left out: 1 of no web address (data:, blob:, extensions)\n";
    let chromium = "5 requests in 2 groups\n".to_owned() + left;
    check(
        "chromium",
        &["--enable-status-code-checks"],
        &chromium,
        &[("http_reqs.count", 5), ("checks.passes", 5)],
    );
    check(
        "chromium",
        &["--no-batch", "--return-on-failed-check"],
        &chromium,
        &[("http_reqs.count", 5), ("checks.passes", 5)],
    );
    check(
        "firefox",
        &["--enable-status-code-checks"],
        "2 requests in 1 groups\n",
        &[("http_reqs.count", 2), ("checks.passes", 2)],
    );
    let recorder = "4 requests in 1 groups\nleft out: 1 without a method or URL that can be sent\n";
    check("recorder", &["--batch-threshold", "0"], recorder, &[("http_reqs.count", 4)]);
}

#[test]
fn flags_of_convert_choose_what_is_sent() {
    let folder = Folder::new("k6-convert-flags");
    let har = recording(&folder, "chromium", "a.example");
    let made = |flags: &[&str]| weir(&[&["k6", "convert"], flags, &[har.as_str()]].concat());
    let check = |flags: &[&str], parts: &[&str], none: &[&str]| {
        let made = made(flags);
        assert_eq!(made.code, Some(0), "{}", made.stderr);
        parts
            .iter()
            .for_each(|part| assert!(made.stdout.contains(part), "{flags:?} {part}: {}", made.stdout));
        none.iter()
            .for_each(|part| assert!(!made.stdout.contains(part), "{flags:?} {part}: {}", made.stdout));
    };
    check(
        &[],
        &["\"maxRedirects\": 0", "http.batch([", "group(\"page_1", "sleep(20 + Math.random() * 20);"],
        &["check("],
    );
    check(
        &["--nobatch", "--min-sleep", "3", "--max-sleep", "3"],
        &["response = http.request(\"POST\"", "sleep(3);"],
        &["http.batch"],
    );
    check(&["--only", "example"], &["http://a.example/hello?a=1\""], &[]);
    check(
        &["--enable-status-code-checks"],
        &["check(response[0], { 'status equals 200': (r) => r.status === 200 });"],
        &[],
    );
    check(&["--return-on-failed-check"], &["if (!group(\"page_1", ")) return false;", "})) return;"], &[]);
    // Values that later requests hold: a header, a text and a number of JSON, a redirect.
    let taken = [
        "\"Bearer \" + String(value",
        "= response.json().token;",
        "= response.json().list[0].id;",
        "= response.json()[\"odd key\"];",
        "= response.headers.Location;",
    ];
    check(&["--correlate"], &taken, &["http.batch"]);
    // Cookies that an answer set are the jar's; others are sent as they were.
    check(
        &[],
        &["\"early\": \"1\"", "\"late\": \"2\""],
        &["\"session\": \"x\"", ":authority", "content-length"],
    );
    let options = folder.write("options.json", "{ \"vus\": 3, \"maxRedirects\": 4 }");
    check(&["--options", &options], &["\"vus\": 3", "\"maxRedirects\": 4"], &[]);
    let all_left_out = made(&["--skip", "a.example"]);
    assert_eq!(all_left_out.code, Some(255));
    assert!(all_left_out.stderr.contains("no request is left of it"), "{}", all_left_out.stderr);
    let wrong = made(&["--min-sleep", "5", "--max-sleep", "4"]);
    assert_eq!(wrong.code, Some(255));
    assert!(wrong.stderr.contains("--min-sleep 5 is more than --max-sleep 4"), "{}", wrong.stderr);
    let options = folder.write("options.json", "{ \"vus\": [] }");
    assert_eq!(made(&["--options", &options]).code, Some(104));
}
