//! `weir target`: the embedded server in the foreground, until a signal.

use crate::args::TargetArgs;
use crate::exit::{self, Exit, Failure};
use crate::outputs;
use crate::quick::{flag_fault, with_mend};
use crate::signals::SignalWatch;
use crate::talk::Talk;
use ::target::{Listen, Options, Running, Server, Stall, Stats, TlsOptions};
use std::io::Write as _;
use std::net::SocketAddr;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

pub(crate) fn run(args: &TargetArgs, talk: &Talk) -> Result<Exit, Failure> {
    let options = options(args)?;
    let ca_out = args.ca_out.as_deref().map(outputs::open).transpose()?;
    let refused = |error: ::target::BindError| Failure::usage(&with_mend(&error.to_string()));
    let server = Server::bind(options).map_err(refused)?;
    if let (Some(file), Some(pem)) = (ca_out, server.ca_pem()) {
        outputs::write(file, |out| out.write_all(pem.as_bytes()))?;
    }
    // Watched before the address is told, so that whoever reads it can stop the server.
    let (_watch, stopped) = SignalWatch::first()?;
    let running = server.start().map_err(refused)?;
    exit::of_stdout(write!(std::io::stdout(), "{}", welcome(args, &running)))?;
    // An error means that the watch ended, and with it the wait.
    let _ = stopped.recv();
    talk.say("");
    exit::of_stdout(write!(std::io::stdout(), "{}", farewell(&running.stop())))
}

fn options(args: &TargetArgs) -> Result<Options, Failure> {
    let mut faults = Vec::new();
    let listen = match args.listen.strip_prefix("unix:") {
        Some(path) => Some(Listen::Unix(PathBuf::from(path))),
        None => {
            let address = args.listen.replace("localhost", "127.0.0.1").parse::<SocketAddr>();
            let fault = || {
                let message = format!("`{}` is no address with a port", args.listen);
                let mend = "write for example 127.0.0.1:7070, [::1]:0 or unix:/tmp/weir.sock";
                flag_fault("--listen", &format!("{message}; {mend}"))
            };
            address.map(Listen::Tcp).map_err(|_| faults.push(fault())).ok()
        }
    };
    let stall = args.stall.as_deref().map(str::parse::<Stall>).transpose();
    let stall = stall.unwrap_or_else(|error| {
        faults.push(flag_fault("--stall", &error.to_string()));
        None
    });
    let Some(listen) = listen.filter(|_| faults.is_empty()) else { return Err(faults.into()) };
    Ok(Options {
        listen,
        threads: NonZeroUsize::new(usize::from(args.threads)).unwrap_or(NonZeroUsize::MIN),
        tls: args.tls.then(TlsOptions::default),
        stall,
        seed: args.seed,
        http_req_concurrency: args.servers.and_then(NonZeroU32::new),
        ..Options::default()
    })
}

/// Where it serves, and a line to try.
fn welcome(args: &TargetArgs, running: &Running) -> String {
    let scheme = if args.tls { "https" } else { "http" };
    let (place, to) = match running.address() {
        Listen::Tcp(address) => (format!("{scheme}://{address}/"), format!("{scheme}://{address}/hello")),
        Listen::Unix(path) => {
            let path = path.display();
            (format!("unix:{path}"), format!("{scheme}://localhost/hello --unix-socket {path}"))
        }
    };
    let trust = match (&args.ca_out, args.tls) {
        (Some(path), true) => format!(" --cacert {}", path.display()),
        (None, true) => " --insecure".to_owned(),
        _ => String::new(),
    };
    let stall = args.stall.as_deref().map_or(String::new(), |stall| format!(", standing still {stall}"));
    format!(
        "serving {place}{stall}\ntry: weir http {to}{trust} -r 1000/s\nan unknown path lists all that it serves, /stats counts; Ctrl-C stops\n"
    )
}

/// What was counted.
fn farewell(stats: &Stats) -> String {
    let mut text = format!(
        "{} requests on {} connections, {} in, {} out\n",
        units::count(stats.requests),
        units::count(stats.connections_accepted),
        units::size(stats.bytes_in),
        units::size(stats.bytes_out)
    );
    for (path, count) in &stats.paths {
        text.push_str(&format!("  {:>12}  {path}\n", units::count(*count)));
    }
    let faults = [
        (stats.protocol_errors, "requests broke the protocol"),
        (stats.cut_short, "connections ended inside a request"),
        (stats.abandoned, "connections ended before their answer"),
        (stats.tls_failed, "TLS handshakes failed"),
    ];
    for (count, what) in faults.into_iter().filter(|(count, _)| *count > 0) {
        text.push_str(&format!("  {:>12}  {what}\n", units::count(count)));
    }
    text
}
