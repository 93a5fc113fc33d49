//! One GET at a time, as a script loads and nobody is measured: a blocking socket around the sessions that the load uses too.

use super::Address;
use crate::proxy::{Proxies, Proxy};
use crate::url::Url;
use plan::Scheme;
use proto::http1::request::RequestHead;
use proto::http1::{Event, Limits, RequestKind, Session, Want};
use proto::tls::{Roots, ServerName, TlsClient, TlsSession, TlsSettings};
use std::io::{Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// All attempts at one module together, as in k6.
const TIME_MAX: Duration = Duration::from_secs(60);
/// Redirects that are followed: as many as browsers' and Go's clients nearly agree on.
const REDIRECTS_MAX: usize = 10;
/// Body of a module at most, bytes: as large as one from disk.
const BODY_BYTES_MAX: usize = 32 << 20;
/// Read at a time, bytes: a record of TLS.
const CHUNK_BYTES: usize = 16 << 10;
/// Asks servers for the text that k6 gets, rather than for a page about it.
const MARK: &str = "_k6=1";

/// The way to other machines: whose certificates are trusted, and through which proxy.
#[derive(Debug, Clone)]
pub struct Network {
    client: TlsClient,
    proxies: Arc<Proxies>,
}

/// Why a module could not be fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchError {
    /// The certificates given can't be read.
    Roots(String),
    /// The server said that there is none.
    NotFound(String),
    /// Another answer than 200.
    Status {
        /// Of the module.
        url: String,
        /// What came instead.
        status: u16,
    },
    /// No answer, or a broken one.
    Failed {
        /// Of the module.
        url: String,
        /// What went wrong.
        why: String,
    },
}

impl std::fmt::Display for FetchError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Roots(why) => write!(f, "the certificates in SSL_CERT_FILE: {why}"),
            Self::NotFound(url) => write!(f, "not found: {url}"),
            Self::Status { url, status } => write!(f, "{url} was answered with {status}; only 200 is taken"),
            Self::Failed { url, why } => write!(f, "{url} could not be fetched: {why}"),
        }
    }
}

impl std::error::Error for FetchError {}

/// One answer.
struct Answer {
    status: u16,
    location: Option<String>,
    body: Vec<u8>,
}

impl Network {
    /// Trusts the certificates in a PEM text, or else the public ones that are built in. Goes through the proxy that `HTTPS_PROXY` names.
    ///
    /// # Errors
    /// PEM that can't be read.
    pub fn new(roots_pem: Option<Vec<u8>>) -> Result<Self, FetchError> {
        let roots = roots_pem.map_or(Roots::Public, Roots::Pem);
        let client = TlsClient::new(&TlsSettings { roots, ..TlsSettings::default() });
        let client = client.map_err(|error| FetchError::Roots(error.to_string()))?;
        Ok(Self { client, proxies: Arc::new(Proxies::from_environment()) })
    }

    /// A module's bytes: asked for with k6's mark in the query, then without.
    pub(crate) fn module(&self, address: &Address) -> Result<Vec<u8>, FetchError> {
        let until = Instant::now() + TIME_MAX;
        let query = address.query.as_ref().filter(|query| !query.is_empty());
        let query = query.map_or(MARK.to_owned(), |query| format!("{query}&{MARK}"));
        let marked = Address { query: Some(query), ..address.clone() };
        if let Ok(Answer { status: 200, body, .. }) = self.followed(&marked, until) {
            return Ok(body);
        }
        let url = address.url();
        match self.followed(address, until) {
            Ok(Answer { status: 200, body, .. }) => Ok(body),
            Ok(Answer { status: 404, .. }) => Err(FetchError::NotFound(url)),
            Ok(Answer { status, .. }) => Err(FetchError::Status { url, status }),
            Err(why) => Err(FetchError::Failed { url, why }),
        }
    }

    /// An answer that is no redirect.
    fn followed(&self, address: &Address, until: Instant) -> Result<Answer, String> {
        let mut at = address.clone();
        for _ in 0..=REDIRECTS_MAX {
            let answer = self.get(&at, until)?;
            let location = answer.location.as_deref().filter(|_| (301..=308).contains(&answer.status));
            let Some(location) = location else { return Ok(answer) };
            at = if location.contains("://") {
                Address::parse(location)
                    .ok_or_else(|| format!("a redirect to {location}, which is no https"))?
            } else {
                at.join(location)
            };
        }
        Err(format!("more than {REDIRECTS_MAX} redirects"))
    }

    fn get(&self, address: &Address, until: Instant) -> Result<Answer, String> {
        let (host, port) = address.host_and_port().ok_or("the port is none")?;
        let name = ServerName::new(host).map_err(|error| error.to_string())?;
        let mut tls = TlsSession::new(&self.client, &name).map_err(|error| error.to_string())?;
        let mut stream = match self.proxies.serving(&Url::parse(&address.url())?)? {
            Some(proxy) => {
                tunnel(proxy, host, port, until).map_err(|why| format!("the proxy {proxy}: {why}"))?
            }
            None => connect(host, port, until)?,
        };
        let mut request = Vec::new();
        let mut head = RequestHead::begin(&mut request, "GET", &address.target(), &address.authority)
            .map_err(|error| error.to_string())?;
        for (name, value) in [
            ("User-Agent", concat!("weir/", env!("CARGO_PKG_VERSION"))),
            ("Accept", "*/*"),
            ("Connection", "close"),
        ] {
            head.header(name, value.as_bytes()).map_err(|error| error.to_string())?;
        }
        head.finish(None);
        let mut session = Session::new(Limits { body_kept_bytes_max: BODY_BYTES_MAX, ..Limits::default() });
        session.expect(RequestKind::Other, Want::ALL);
        exchange(&mut stream, &mut tls, &request, &mut session, until)?;
        let response = session.response().ok_or("an answer without an end")?;
        let header = |name: &str| response.headers.and_then(|headers| headers.get(name));
        let location = header("location").map(|value| String::from_utf8_lossy(value).into_owned());
        let body = response.body.whole().ok_or_else(|| format!("more than {} MiB", BODY_BYTES_MAX >> 20))?;
        // None was asked for; some servers compress all the same.
        let encodings = header("content-encoding").unwrap_or_default();
        let body =
            proto::content::decode(encodings, body, BODY_BYTES_MAX).map_err(|error| error.to_string())?;
        Ok(Answer { status: response.status, location, body: body.into_owned() })
    }
}

/// What is left of the time, or why there is none.
fn left(until: Instant) -> Result<Duration, String> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(format!("no answer within {} s", TIME_MAX.as_secs())) } else { Ok(left) }
}

fn connect(host: &str, port: u16, until: Instant) -> Result<TcpStream, String> {
    let addresses = (host, port).to_socket_addrs();
    let addresses = addresses.map_err(|error| format!("the host {host}: {}", units::system_words(&error)))?;
    let mut said = format!("the host {host} has no address");
    for address in addresses {
        match TcpStream::connect_timeout(&address, left(until)?) {
            Ok(stream) => return Ok(stream),
            Err(error) => said = format!("{address}: {}", units::system_words(&error)),
        }
    }
    Err(said)
}

/// A connection through a proxy (RFC 9110 §9.3.6).
fn tunnel(proxy: &Proxy, host: &str, port: u16, until: Instant) -> Result<TcpStream, String> {
    if proxy.scheme == Scheme::Https {
        return Err("only http:// proxies are spoken to".to_owned());
    }
    let mut stream = connect(&proxy.host, proxy.port, until)?;
    let host = if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") };
    let mut request = Vec::new();
    let mut head =
        RequestHead::begin(&mut request, "CONNECT", &host, &host).map_err(|error| error.to_string())?;
    if let Some(authorization) = &proxy.authorization {
        head.header("Proxy-Authorization", authorization.as_bytes()).map_err(|error| error.to_string())?;
    }
    head.finish(None);
    stream.write_all(&request).map_err(|error| units::system_words(&error))?;
    let mut session = Session::new(Limits::default());
    session.expect(RequestKind::Connect, Want::NOTHING);
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        stream.set_read_timeout(Some(left(until)?)).map_err(|error| error.to_string())?;
        let count = stream.read(&mut chunk).map_err(|error| units::system_words(&error))?;
        // In TLS the client speaks first, so nothing stands behind the answer yet.
        let mut rest = chunk.get(..count).unwrap_or_default();
        if rest.is_empty() {
            return Err("it ended the connection".to_owned());
        }
        while !rest.is_empty() {
            let (used, event) = session.handle(rest).map_err(|error| error.to_string())?;
            rest = rest.get(used..).unwrap_or_default();
            match event {
                Some(Event::Complete(answer)) if (200..300).contains(&answer.status) => return Ok(stream),
                Some(Event::Complete(answer)) => return Err(format!("it answered with {}", answer.status)),
                _ => {}
            }
        }
    }
}

/// Sends the request and takes the answer.
fn exchange(
    stream: &mut TcpStream,
    tls: &mut TlsSession,
    request: &[u8],
    session: &mut Session,
    until: Instant,
) -> Result<(), String> {
    tls.send(request).map_err(|error| error.to_string())?;
    let (mut out, mut plain) = (Vec::new(), Vec::new());
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        if tls.poll_transmit(&mut out) {
            stream.set_write_timeout(Some(left(until)?)).map_err(|error| error.to_string())?;
            stream.write_all(&out).map_err(|error| units::system_words(&error))?;
            out.clear();
        }
        stream.set_read_timeout(Some(left(until)?)).map_err(|error| error.to_string())?;
        let count = stream.read(&mut chunk).map_err(|error| units::system_words(&error))?;
        let came = chunk.get(..count).unwrap_or_default();
        let progress = tls.handle(came, &mut plain).map_err(|error| error.to_string())?;
        let mut rest = plain.as_slice();
        while !rest.is_empty() {
            let (used, event) = session.handle(rest).map_err(|error| error.to_string())?;
            rest = rest.get(used..).unwrap_or_default();
            if matches!(event, Some(Event::Complete(_))) {
                return Ok(());
            }
        }
        plain.clear();
        if count == 0 || progress.peer_closed {
            // Without a length, the end is the body's end, if the peer said so.
            return match session.end() {
                proto::http1::Ended::Complete(_)
                    if progress.peer_closed || tls.end() == proto::tls::TlsEnd::Clean =>
                {
                    Ok(())
                }
                _ => Err("the connection ended within the answer".to_owned()),
            };
        }
    }
}
