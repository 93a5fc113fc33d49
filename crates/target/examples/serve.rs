//! Runs a server until it is killed: `serve 127.0.0.1:7070|/path/of/socket [--threads N] [--tls] [--stall 200ms/1s] [--http-req-concurrency N] [--spin 100us]`.

use std::error::Error;

use target::{Listen, Options, Server, TlsOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let mut options = Options::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--threads" => options.threads = value()?.parse()?,
            "--tls" => options.tls = Some(TlsOptions::default()),
            "--stall" => options.stall = Some(value()?.parse()?),
            "--spin" => options.timer_spin_ns = units::parse_duration_ns(&value()?)?,
            "--http-req-concurrency" => options.http_req_concurrency = Some(value()?.parse()?),
            path if path.starts_with(['/', '.']) => options.listen = Listen::Unix(path.into()),
            address => options.listen = Listen::Tcp(address.parse()?),
        }
    }
    let server = Server::bind(options)?;
    if let Some(pem) = server.ca_pem() {
        print!("{pem}");
    }
    eprintln!("listening on {:?}", server.address());
    server.start()?.wait();
    Ok(())
}
