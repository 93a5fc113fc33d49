//! Samples that go to a server while the test runs: InfluxDB, Prometheus.
//!
//! ```text
//! the writing thread: samples ─► lines or sums ─ bodies, now and then ─► a thread of the output's own: POST, answer
//! ```
//!
//! Nobody waits for a server: files go on, the load goes on. A server that is away is said once; what did not arrive is counted and said at the end.

mod http;
mod influx;
mod message;
mod prometheus;
mod sender;
#[cfg(test)]
mod tests;

pub use influx::InfluxSpec;
pub use prometheus::PrometheusSpec;

use self::http::{Client, Endpoint};
use self::influx::Lines;
use self::prometheus::Table;
use self::sender::{FINISH_TIME_MAX, Mailer};
use super::feed::Sample;
use super::sink::OutputError;
use super::time::Origin;
use super::writer::OutputReport;
use crate::GoDuration;
use crate::registry::{Registry, shown};
use base64::Engine as _;
use proto::tls::{Roots, TlsSettings};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// Bytes of lines that are sent at once, before it is time: InfluxDB takes 25 MB.
const BODY_BYTES: usize = 8 << 20;
/// A file of certificates or a key at most, bytes.
const PEM_BYTES_MAX: u64 = 4 << 20;
/// What requests say of who sends them.
const AGENT: &str = concat!("weir/", env!("CARGO_PKG_VERSION"));

/// A server that gets samples.
#[derive(Debug, Clone, PartialEq)]
pub enum PushSpec {
    /// InfluxDB 1, or what takes its line protocol.
    Influx(Box<InfluxSpec>),
    /// What takes Prometheus' remote write 1.0.
    Prometheus(Box<PrometheusSpec>),
}

impl PushSpec {
    pub(super) fn influxdb(argument: &str, variables: &BTreeMap<String, String>) -> Result<Self, String> {
        InfluxSpec::read(argument, &|name| variables.get(name).cloned())
            .map(|spec| Self::Influx(Box::new(spec)))
    }

    pub(super) fn prometheus(argument: &str, variables: &BTreeMap<String, String>) -> Result<Self, String> {
        PrometheusSpec::read(argument, variables).map(|spec| Self::Prometheus(Box::new(spec)))
    }

    /// As it stands in the description of a run.
    pub(super) fn description(&self) -> String {
        match self {
            Self::Influx(spec) => format!("InfluxDBv1 ({})", spec.endpoint.origin()),
            Self::Prometheus(spec) => {
                format!("Prometheus remote write ({}{})", spec.endpoint.origin(), spec.target())
            }
        }
    }

    pub(super) fn warnings(&self) -> &[String] {
        match self {
            Self::Influx(_) => &[],
            Self::Prometheus(spec) => &spec.warnings,
        }
    }
}

/// What samples become.
#[derive(Debug)]
enum Form {
    Lines { lines: Lines, target: String, buffer: String, count: u64 },
    Sums { table: Table, target: String },
}

/// A server that gets samples, as the writing thread has it.
#[derive(Debug)]
pub(super) struct Push {
    name: String,
    form: Form,
    mailer: Mailer,
    interval: Duration,
    next_at: Instant,
    /// Samples that the form can't express or keep.
    left_out_count: u64,
}

impl Push {
    /// Starts the output's thread.
    pub(super) fn open(
        registry: &Registry,
        origin: Origin,
        spec: &PushSpec,
        errors: &Sender<OutputError>,
    ) -> Result<Self, OutputError> {
        let name = spec.description();
        let error = |source| OutputError { path: PathBuf::from(&name), action: "open", source };
        let (endpoint, tls, interval) = match spec {
            PushSpec::Influx(spec) => (&spec.endpoint, &spec.tls, spec.push_interval),
            PushSpec::Prometheus(spec) => (&spec.endpoint, &spec.tls, spec.push_interval),
        };
        let client = Client::new(endpoint.clone(), tls, headers(spec, endpoint))
            .map_err(|said| error(std::io::Error::other(said)))?;
        let mailer = Mailer::start(client, &name, errors.clone()).map_err(error)?;
        let form = match spec {
            PushSpec::Influx(spec) => {
                // It may be there already, or be somebody else's to make.
                mailer.attempt(&spec.create);
                let lines = Lines::new(registry, origin, spec);
                Form::Lines { lines, target: spec.write.clone(), buffer: String::new(), count: 0 }
            }
            PushSpec::Prometheus(spec) => {
                Form::Sums { table: Table::new(registry, origin, spec), target: spec.target() }
            }
        };
        Ok(Self { name, form, mailer, interval, next_at: Instant::now() + interval, left_out_count: 0 })
    }

    pub(super) fn write(&mut self, samples: &[Sample]) {
        let is_much = match &mut self.form {
            Form::Lines { lines, buffer, count, .. } => {
                let written = samples.iter().filter(|sample| lines.write(buffer, sample)).count() as u64;
                *count += written;
                self.left_out_count += samples.len() as u64 - written;
                buffer.len() >= BODY_BYTES
            }
            Form::Sums { table, .. } => {
                samples.iter().for_each(|sample| table.add(sample));
                false
            }
        };
        if is_much {
            self.push();
        }
    }

    /// Sends what is there if it is time.
    pub(super) fn tick(&mut self, now: Instant) {
        // Sums that wait are newer than those that would have been sent.
        let may_wait = matches!(self.form, Form::Sums { .. }) && !self.mailer.is_idle();
        if now >= self.next_at && !may_wait {
            self.push();
            self.next_at = now + self.interval;
        }
    }

    fn push(&mut self) {
        match &mut self.form {
            Form::Lines { target, buffer, count, .. } => {
                if *count > 0 {
                    self.mailer.send(target, std::mem::take(buffer).into_bytes(), std::mem::take(count));
                }
            }
            Form::Sums { table, target } => {
                for (body, count) in table.take() {
                    self.mailer.send(target, body, count);
                }
            }
        }
    }

    /// Sends what is left; to be followed by [`Push::report`].
    pub(super) fn finish(&mut self) {
        self.push();
        if let Form::Sums { table, target } = &mut self.form {
            for (body, count) in table.take_end() {
                self.mailer.send(target, body, count);
            }
            self.left_out_count += table.left_out_count;
        }
        self.mailer.close(FINISH_TIME_MAX);
    }

    /// What came of it, once all is sent or given up.
    pub(super) fn report(mut self) -> OutputReport {
        let (written_count, lost_count) = self.mailer.wait();
        OutputReport {
            path: PathBuf::from(self.name),
            written_count,
            lost_count: lost_count + self.left_out_count,
        }
    }
}

fn headers(spec: &PushSpec, endpoint: &Endpoint) -> Vec<(String, String)> {
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let mut headers = vec![pair("user-agent", AGENT)];
    if let Some((name, password)) = &endpoint.user {
        let encoded = base64::engine::general_purpose::STANDARD.encode(format!("{name}:{password}"));
        headers.push(("authorization".to_owned(), format!("Basic {encoded}")));
    }
    if let PushSpec::Prometheus(spec) = spec {
        headers.push(pair("content-type", "application/x-protobuf"));
        headers.push(pair("content-encoding", "snappy"));
        headers.push(pair("x-prometheus-remote-write-version", "0.1.0"));
        headers.extend(spec.headers.iter().cloned());
    }
    headers
}

fn is_true(text: &str) -> bool {
    matches!(text, "1" | "t" | "T" | "true" | "TRUE" | "True")
}

/// A time between pushes.
fn interval(text: Option<&str>, default: Duration) -> Result<Duration, String> {
    let Some(text) = text else { return Ok(default) };
    match GoDuration::parse_extended(text) {
        Ok(interval) if interval > GoDuration::ZERO => Ok(Duration::from_nanos(interval.as_ns())),
        _ => Err(format!("the push interval `{}` is no time above 0: write for example `1s`", shown(text))),
    }
}

/// Settings that trust the public roots, or those of `SSL_CERT_FILE`.
fn roots(variable: &dyn Fn(&str) -> Option<String>) -> Result<TlsSettings, String> {
    let file = variable("SSL_CERT_FILE").filter(|path| !path.is_empty());
    let roots = file.map(|path| pem(&path)).transpose()?.map_or(Roots::Public, Roots::Pem);
    Ok(TlsSettings { roots, ..TlsSettings::default() })
}

fn pem(path: &str) -> Result<Vec<u8>, String> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(PEM_BYTES_MAX).read_to_end(&mut bytes));
    read.map(|_| bytes)
        .map_err(|error| format!("can't read {}: {}", shown(path), units::system_words(&error)))
}
