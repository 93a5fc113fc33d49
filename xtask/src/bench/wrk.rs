//! `weir wrk` against wrk itself: CPU time per request without a script, with `request()`, with `response()`; and memory at its peak.
//!
//! Both run the same command line against the same server, in turn, on the same core. The server is nginx where it is installed, as users of
//! wrk measure it, else `weir target`; it counts the requests.

use super::child::{Ended, Target, after, number, run_measured};
use super::cpu::first_number;
use super::report::Section;
use super::{Setup, median, spread};
use anyhow::{Context as _, Result, bail};
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const CONNECTIONS: &str = "-c64";
const MB: f64 = 1e6;
/// Until nginx serves.
const START_MAX: Duration = Duration::from_secs(5);
/// A client's count may miss what was under way when it stopped.
const COUNT_SLACK: f64 = 256.0;

/// What is compared: a name, and the script in `bench/wrk` if there is one.
const CASES: [(&str, Option<&str>); 3] =
    [("no script", None), ("request()", Some("request.lua")), ("response()", Some("response.lua"))];

/// Who makes the load.
const CLIENTS: [&str; 2] = ["weir wrk", "wrk"];

const METHOD: &str = "`-t1 -c64` on `/hello`, the same command line for both, in turn, client and server pinned to a core each. CPU time is the \
    kernel's for the client's whole process, divided by the requests that the server counted.";

/// One turn.
struct Turn {
    cpu_us: f64,
    per_sec: f64,
    rss_mb: f64,
}

pub(super) fn run(setup: &Setup) -> Result<Section> {
    let mut section = Section::new("As wrk", METHOD);
    if Command::new("wrk").output().is_err() {
        let why = "wrk is not installed: on Debian `apt-get install wrk`";
        CASES.iter().for_each(|(case, _)| section.not_measured(&bar(case), "≤ 0.85", why));
        return Ok(section);
    }
    let server = Server::start(setup)?;
    section.note(format!("The server is {}.", server.name()));
    let mut rows = Vec::new();
    let mut peaks_mb = Vec::new();
    for (case, script) in CASES {
        let mut turns: [Vec<Turn>; 2] = [Vec::new(), Vec::new()];
        for round in 0..setup.round_count {
            // Each round begins with the other client.
            for place in 0..CLIENTS.len() {
                let index = (round + place) % CLIENTS.len();
                if let (Some(client), Some(turns)) = (CLIENTS.get(index), turns.get_mut(index)) {
                    turns.push(turn(setup, &server, client, script)?);
                }
            }
        }
        let [ours, theirs] = &turns;
        let ratios: Vec<f64> =
            ours.iter().zip(theirs).map(|(ours, theirs)| ours.cpu_us / theirs.cpu_us).collect();
        section.at_most(&bar(case), 0.85, &ratios, |value| format!("{value:.3}"));
        peaks_mb.extend(ours.iter().map(|turn| turn.rss_mb));
        rows.extend(CLIENTS.iter().zip(&turns).map(|(client, turns)| row(case, client, turns)));
    }
    section.table(&["script", "client", "requests/s", "CPU µs/request", "peak memory"], rows);
    let peak_mb = peaks_mb.iter().copied().fold(0.0, f64::max);
    section.at_most("weir wrk: peak memory, with and without scripts", 12.0, &[peak_mb], |value| {
        format!("{value:.1} MB")
    });
    Ok(section)
}

fn bar(case: &str) -> String {
    format!("weir wrk, {case}: CPU per request against wrk")
}

fn row(case: &str, client: &str, turns: &[Turn]) -> Vec<String> {
    let of = |figure: fn(&Turn) -> f64| -> Vec<f64> { turns.iter().map(figure).collect() };
    vec![
        case.to_owned(),
        client.to_owned(),
        spread(&of(|turn| turn.per_sec), |value| format!("{value:.0}")),
        spread(&of(|turn| turn.cpu_us), |value| format!("{value:.2}")),
        format!("{:.1} MB", median(&of(|turn| turn.rss_mb))),
    ]
}

fn turn(setup: &Setup, server: &Server, client: &str, script: Option<&str>) -> Result<Turn> {
    let before = server.request_count()?;
    let (url, duration) = (format!("http://{}/hello", server.address()), format!("-d{}s", setup.turn_secs));
    let script = script.map(|name| setup.root.join("bench/wrk").join(name).display().to_string());
    let store = setup.scratch().join("runs.db").display().to_string();
    let mut arguments = vec!["-t1", CONNECTIONS, &duration];
    if let Some(script) = &script {
        arguments.extend(["-s", script]);
    }
    arguments.push(&url);
    let ended: Ended = if client == "wrk" {
        run_measured(setup, Path::new("wrk"), &arguments)?
    } else {
        // Kept as users' runs are, but elsewhere.
        arguments.splice(0..0, ["wrk", "--store", &store]);
        run_measured(setup, &setup.weir, &arguments)?
    };
    let counted = server.request_count()? - before;
    let requests = first_number(&ended.stdout, " requests in")?;
    if (counted - requests).abs() > COUNT_SLACK {
        bail!("{client} says {requests} requests, but the server counted {counted}");
    }
    Ok(Turn {
        cpu_us: (ended.user_us + ended.system_us) / counted,
        per_sec: after(&ended.stdout, "Requests/sec:")?,
        rss_mb: ended.rss_max_bytes as f64 / MB,
    })
}

/// Who is asked.
enum Server {
    Nginx(Nginx),
    Weir(Target),
}

impl Server {
    fn start(setup: &Setup) -> Result<Self> {
        if Command::new("nginx").arg("-v").output().is_ok() {
            return Ok(Self::Nginx(Nginx::start(setup)?));
        }
        Ok(Self::Weir(Target::start(setup, &[])?))
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Nginx(_) => "nginx with one worker",
            Self::Weir(_) => "`weir target`, since nginx is not installed",
        }
    }

    fn address(&self) -> &str {
        match self {
            Self::Nginx(nginx) => &nginx.address,
            Self::Weir(target) => &target.address,
        }
    }

    /// Requests on `/hello` so far.
    fn request_count(&self) -> Result<f64> {
        match self {
            Self::Nginx(nginx) => nginx.request_count(),
            Self::Weir(target) => {
                let stats = target.ask("/stats")?;
                Ok(number(&stats, &["paths", "/hello"]).unwrap_or(0.0))
            }
        }
    }
}

/// An nginx with one worker on the server's core; ends when dropped.
struct Nginx {
    child: Child,
    address: String,
}

impl Nginx {
    fn start(setup: &Setup) -> Result<Self> {
        // Freed again at once, for nginx can't be asked for any free port.
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string();
        let folder = setup.scratch().join("nginx");
        fs::create_dir_all(&folder)?;
        let file = folder.join("nginx.conf");
        fs::write(&file, config(&folder.display().to_string(), &address))?;
        let child = Command::new("taskset")
            .args(["-c", &setup.server_core.to_string(), "nginx", "-e", "stderr", "-c"])
            .arg(&file)
            .stdin(Stdio::null())
            .spawn()
            .context("can't run nginx")?;
        let nginx = Self { child, address };
        let started = Instant::now();
        while let Err(error) = nginx.request_count() {
            if started.elapsed() > START_MAX {
                return Err(error.context("nginx does not serve"));
            }
            std::thread::yield_now();
        }
        Ok(nginx)
    }

    /// The last number of the third line of `stub_status`, less the requests for it.
    fn request_count(&self) -> Result<f64> {
        let mut stream = TcpStream::connect(&self.address)?;
        write!(stream, "GET /status HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let body = answer.split("\r\n\r\n").nth(1).context("no answer")?;
        let count = body.lines().nth(2).and_then(|line| line.split_ascii_whitespace().next_back());
        count.and_then(|count| count.parse().ok()).with_context(|| format!("no count in: {body}"))
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // The master takes its worker with it only when it is asked to stop.
        let id = nix::unistd::Pid::from_raw(i32::try_from(self.child.id()).unwrap_or(0));
        let _ = nix::sys::signal::kill(id, nix::sys::signal::Signal::SIGTERM);
        let _ = self.child.wait();
    }
}

/// A 17-byte answer, no log, connections kept for ever.
fn config(folder: &str, address: &str) -> String {
    format!(
        "daemon off;\nworker_processes 1;\npid {folder}/pid;\nerror_log stderr crit;\nevents {{ worker_connections 4096; }}\nhttp {{\n\
         access_log off;\nkeepalive_requests 1000000000;\nkeepalive_timeout 1h;\ndefault_type text/plain;\n\
         client_body_temp_path {folder}/body;\nproxy_temp_path {folder}/proxy;\nfastcgi_temp_path {folder}/fastcgi;\n\
         uwsgi_temp_path {folder}/uwsgi;\nscgi_temp_path {folder}/scgi;\n\
         server {{\nlisten {address};\nlocation /status {{ stub_status; }}\nlocation / {{ return 200 \"seventeen letters\"; }}\n}}\n}}\n"
    )
}
