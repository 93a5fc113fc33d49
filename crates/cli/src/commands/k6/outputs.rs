//! What `--out` and its variables ask for: files, servers, the dashboard, for which Weir's own page stands; and what came of them.

use super::log::Log;
use super::{error_of, say_warning};
use crate::args::KeepArgs;
use crate::outputs;
use crate::selected::store_path;
use ::k6::{Test, TestError};
use ::report::{Html, OutputFile};
use k6_metrics::output::{OutputSpec, SpecError};
use k6_options::{ExitCode, Settings};
use record::RunRecord;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;

/// Where k6's dashboard is served.
const DASHBOARD_PORT: u16 = 5665;
/// The kinds that there are.
const KINDS: &str = "csv, experimental-prometheus-rw, influxdb, json, web-dashboard";
/// Kinds that k6 had and has no more, and what to do instead.
const REMOVED: &[(&str, &str)] = &[
    ("statsd", "k6 removed it in v0.55"),
    ("datadog", "k6 removed it in v0.34"),
    ("kafka", "k6 removed it in v0.34"),
];
/// Kinds of k6's that are not done; the test runs without.
const NOT_DONE: &[(&str, &str)] = &[
    ("cloud", "nothing is sent to a cloud; the run is kept on this machine, see `weir runs`"),
    (
        "opentelemetry",
        "nothing is sent; use experimental-prometheus-rw, which OpenTelemetry's collector receives too",
    ),
    (
        "experimental-opentelemetry",
        "nothing is sent; use experimental-prometheus-rw, which OpenTelemetry's collector receives too",
    ),
];

/// The outputs of a test.
#[derive(Debug, Default)]
pub(super) struct Asked {
    pub(super) specs: Vec<OutputSpec>,
    dashboard: Option<Dashboard>,
}

/// The page of a run: while it runs, and as a file at its end.
#[derive(Debug, Default)]
struct Dashboard {
    /// `None`: not served.
    listen: Option<SocketAddr>,
    export: Option<String>,
}

/// The page's file, opened before the run.
pub(super) struct Page(Option<OutputFile>);

impl Asked {
    /// Reads what flags and variables say.
    pub(super) fn read(
        settings: &Settings,
        variables: &BTreeMap<String, String>,
        log: &Log,
    ) -> Result<Self, TestError> {
        let mut asked = Self::default();
        for text in &settings.out {
            let (kind, argument) = text.split_once('=').unwrap_or((text, ""));
            let of = |name: &str| variables.get(name).cloned();
            match kind {
                "json" => asked.specs.push(OutputSpec::json(argument)),
                "csv" => asked.specs.push(valid(text, OutputSpec::csv(argument, of))?),
                "influxdb" => asked.specs.push(valid(text, OutputSpec::influxdb(argument, variables))?),
                "experimental-prometheus-rw" => {
                    asked.specs.push(valid(text, OutputSpec::prometheus(argument, variables))?);
                }
                "web-dashboard" => asked.dashboard = Some(Dashboard::read(argument, variables)?),
                _ => not_there(kind, log)?,
            }
        }
        if settings.web_dashboard == Some(true) && asked.dashboard.is_none() {
            asked.dashboard = Some(Dashboard::read("", variables)?);
        }
        for warning in asked.specs.iter().flat_map(OutputSpec::warnings) {
            say_warning(log, warning.clone());
        }
        Ok(asked)
    }

    /// Opens the page's file, and has the run's page served where that can be. Returns its address too.
    pub(super) fn page(&self, keep: &mut KeepArgs, log: &Log) -> Result<(Page, Option<String>), TestError> {
        let Some(dashboard) = &self.dashboard else { return Ok((Page(None), None)) };
        let file = dashboard.export.as_ref().map(|path| outputs::open(Path::new(path))).transpose();
        let file = file.map_err(super::of_failure)?;
        let has_store = !keep.no_store && store_path(keep.store.as_deref(), Path::new("")).is_some();
        let free = |address: &SocketAddr| match TcpListener::bind(address) {
            Ok(_) => true,
            Err(error) => {
                say_warning(
                    log,
                    format!("the web dashboard is not served: {address}: {}", units::system_words(&error)),
                );
                false
            }
        };
        if has_store {
            keep.serve = dashboard.listen.filter(free);
        } else if dashboard.listen.is_some() {
            let said = "the web dashboard is not served: it shows what the store has of the run, and the run is not kept";
            say_warning(log, said.to_owned());
        }
        let address =
            keep.serve.filter(|address| address.port() > 0).map(|address| format!("http://{address}"));
        Ok((Page(file), address))
    }
}

impl Page {
    /// Writes the page of the run.
    pub(super) fn write(self, record: Option<&RunRecord>) -> Result<(), TestError> {
        if let (Some(file), Some(record)) = (self.0, record) {
            let runs = std::slice::from_ref(record);
            outputs::write(file, |out| Html.write_all(runs, out)).map_err(super::of_failure)?;
        }
        Ok(())
    }
}

impl Dashboard {
    /// The argument is `host=…&port=…&export=…`; what it does not say, the variables may. Port -1: not served.
    fn read(argument: &str, variables: &BTreeMap<String, String>) -> Result<Self, TestError> {
        let setting = |key: &str| {
            let given =
                argument.split('&').filter_map(|pair| pair.split_once('=')).find(|(own, _)| *own == key);
            let variable = || variables.get(&format!("K6_WEB_DASHBOARD_{}", key.to_uppercase()));
            let found = given.map(|(_, value)| value.to_owned()).or_else(|| variable().cloned());
            found.filter(|text| !text.is_empty())
        };
        let bad = |key: &str, text: &str, hint: &str| {
            error_of(ExitCode::Other, format!("web-dashboard: the {key} `{text}` can't be: {hint}"))
        };
        let host = match setting("host") {
            None => IpAddr::V4(Ipv4Addr::LOCALHOST),
            Some(text) if text == "localhost" => IpAddr::V4(Ipv4Addr::LOCALHOST),
            Some(text) => text.parse().map_err(|_| bad("host", &text, "write an IP address"))?,
        };
        let port = match setting("port").as_deref() {
            None => Some(DASHBOARD_PORT),
            Some("-1") => None,
            Some(text) => {
                Some(text.parse().map_err(|_| bad("port", text, "write 0 to 65535, or -1 for no page"))?)
            }
        };
        Ok(Self { listen: port.map(|port| SocketAddr::new(host, port)), export: setting("export") })
    }
}

fn valid(text: &str, spec: Result<OutputSpec, SpecError>) -> Result<OutputSpec, TestError> {
    spec.map_err(|error| error_of(ExitCode::Other, format!("--out {}: {error}", without_password(text))))
}

/// Arguments are shown without what may stand before the host.
fn without_password(text: &str) -> String {
    match (text.split_once("://"), text.rsplit_once('@')) {
        (Some((start, _)), Some((_, end))) => format!("{start}://***@{end}"),
        _ => text.to_owned(),
    }
}

/// Kinds that are none here.
fn not_there(kind: &str, log: &Log) -> Result<(), TestError> {
    if let Some((_, why)) = NOT_DONE.iter().find(|(name, _)| *name == kind) {
        say_warning(log, format!("--out {kind}: {why}"));
        return Ok(());
    }
    let removed = REMOVED.iter().find(|(name, _)| *name == kind);
    Err(error_of(
        ExitCode::Other,
        match removed {
            Some((_, why)) => format!("could not create the '{kind}' output: {why}; there are {KINDS}"),
            None => format!("invalid output type '{kind}', available types are: {KINDS}"),
        },
    ))
}

/// Closes files and connections, and says what did not get there.
pub(super) fn close(test: &Test, log: &Log) {
    let end = test.close_outputs();
    let missing = end.missing.text().map(|said| error_of(ExitCode::Other, said));
    let errors = end.errors.iter().map(|error| error_of(ExitCode::Other, format!("--out: {error}")));
    let lost = end.reports.iter().filter(|report| report.lost_count > 0).map(|report| {
        let (lost, all) = (report.lost_count, report.lost_count.saturating_add(report.written_count));
        let text = format!("--out: {lost} of {all} samples did not get to {}", report.path.display());
        error_of(ExitCode::Other, text)
    });
    errors.chain(missing).chain(lost).for_each(|error| log.say_error(&error));
}
