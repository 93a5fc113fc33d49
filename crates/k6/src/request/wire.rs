//! A hop's bytes, where they go, and what may not be gone to.

use super::arguments::{Asked, Auth, Fault};
use super::jar;
use crate::host::VuHost;
use crate::proxy::Proxy;
use crate::url::{KnownUrl, Url};
use plan::{
    CertificateCheck, ClientCertificate, ConnectionPolicy, Scheme, Secret, Target, TlsSettings, TlsVersion,
    Tunnel,
};
use proto::http1::request::{RequestError, RequestHead, is_own_header};
use std::net::IpAddr;
use std::rc::Rc;

/// The bytes of a hop, and which cookies they hold.
pub(crate) struct Written {
    pub(crate) bytes: Vec<u8>,
    pub(crate) cookies: Vec<(String, String)>,
}

/// Writes a hop. `authorization`: in place of what the URL says.
pub(crate) fn write(
    host: &VuHost,
    asked: &Asked,
    authorization: Option<&str>,
    now_unix_ms: i64,
) -> Result<Written, String> {
    let said = |error: RequestError| error.to_string();
    let mut bytes = Vec::with_capacity(256 + asked.body.as_ref().map_or(0, Vec::len));
    let authority = asked.host.as_ref().unwrap_or(&asked.url.authority);
    let proxy = proxy_of(host, &asked.url)?.filter(|_| asked.url.scheme == Scheme::Http);
    // RFC 9112 §3.2.2: a proxy is asked for the whole URL.
    let whole = proxy.map(|_| format!("{}{}", asked.url.origin, asked.url.target));
    let target = whole.as_deref().unwrap_or(&asked.url.target);
    let mut head = RequestHead::begin(&mut bytes, &asked.method, target, authority).map_err(said)?;
    if let Some(authorization) = proxy.and_then(|proxy| proxy.authorization.as_deref()) {
        head.header("Proxy-Authorization", authorization.as_bytes()).map_err(said)?;
    }
    for (name, value) in &asked.headers {
        let is_no_agent = name == "User-Agent" && value.is_empty();
        if !is_own_header(name) && !is_no_agent && name != "Cookie" {
            head.header(name, value.as_bytes()).map_err(said)?;
        }
    }
    if let Some(value) = authorization {
        head.header("Authorization", value.as_bytes()).map_err(said)?;
    } else if let Some(userinfo) = &asked.url.userinfo
        && asked.auth == Auth::Basic
        && asked.header("Authorization").is_none()
    {
        use base64::Engine as _;
        let plain = percent_decoded(userinfo);
        let value = format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(plain));
        head.header("Authorization", value.as_bytes()).map_err(said)?;
    }
    if host.test.consolidated.options.no_connection_reuse == Some(true)
        && asked.header("Connection").is_none()
    {
        head.header("Connection", b"close").map_err(said)?;
    }
    let cookies = cookies(asked, now_unix_ms);
    let pairs: Vec<String> = cookies.iter().map(|(name, value)| jar::pair(name, value)).collect();
    let own = asked.header("Cookie").filter(|own| !own.is_empty());
    let line: Vec<&str> = own.into_iter().chain(pairs.iter().map(String::as_str)).collect();
    if !line.is_empty() {
        head.header("Cookie", line.join("; ").as_bytes()).map_err(said)?;
    }
    let foresees_body = matches!(asked.method.as_str(), "POST" | "PUT" | "PATCH");
    let body_bytes = asked.body.as_ref().map(|body| body.len() as u64);
    head.finish(body_bytes.filter(|length| *length > 0).or(foresees_body.then_some(0)));
    if let Some(body) = &asked.body {
        bytes.extend_from_slice(body);
    }
    Ok(Written { bytes, cookies })
}

/// The request's own cookies, then those of its jar that none of them replaces.
fn cookies(asked: &Asked, now_unix_ms: i64) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> =
        asked.cookies.iter().map(|own| (own.name.clone(), own.value.clone())).collect();
    let is_replaced = |name: &str| asked.cookies.iter().any(|own| own.replaces && own.name == name);
    let kept = asked.jar.borrow().for_url(&asked.url, now_unix_ms);
    all.extend(kept.into_iter().filter(|(name, _)| !is_replaced(name)));
    all
}

/// `%41` as `A`.
pub(crate) fn percent_decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let pair = bytes.get(at + 1..at + 3).and_then(|pair| std::str::from_utf8(pair).ok());
        match pair.filter(|_| *byte == b'%').and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(value) => {
                decoded.push(value);
                at += 3;
            }
            None => {
                decoded.push(*byte);
                at += 1;
            }
        }
    }
    decoded
}

/// Where a hop goes.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    /// By this name among the worker's targets.
    At(Rc<str>, Option<IpAddr>),
    /// Its name is being looked up.
    LookingUp,
}

/// The proxy that a URL's requests go to, if there is one.
fn proxy_of<'h>(host: &'h VuHost, url: &Url) -> Result<Option<&'h Proxy>, String> {
    let proxy = host.test.network.proxies.serving(url)?;
    match proxy {
        Some(proxy) if proxy.scheme == Scheme::Https && url.scheme == Scheme::Https => {
            Err(format!("{proxy} can't be asked for a tunnel over TLS here; give it as http://"))
        }
        _ => Ok(proxy),
    }
}

/// Where a URL's requests go, unless they may not: names that are blocked, then names with addresses of their own, then networks that are
/// blocked. Behind a proxy all of it is said of the proxy, which is what is connected to.
pub(crate) fn place(host: &VuHost, url: &KnownUrl) -> Result<Place, Fault> {
    let options = &host.test.consolidated.options;
    let newest = options.tls_version.and_then(|versions| versions.max);
    if url.scheme == Scheme::Https && newest.is_some_and(|newest| newest < k6_options::TlsVersion::V1_2) {
        return Err((1000, "tls: versions 1.0 and 1.1 can't be spoken here".to_owned()));
    }
    let proxy = proxy_of(host, url).map_err(|said| (1000, said))?;
    let (name, port) = proxy.map_or((&url.host, url.port), |proxy| (&proxy.host, proxy.port));
    let mut place = match proxy {
        None => Rc::clone(&url.origin),
        // One connection to a proxy serves all that is asked of it.
        Some(proxy) if url.scheme == Scheme::Http => proxy.to_string().into(),
        Some(proxy) => format!("{} by {proxy}", url.origin).into(),
    };
    if let Some(local) = local_address(host) {
        place = format!("{place} from {local}").into();
    }
    let literal: Option<IpAddr> = name.parse().ok();
    if let Some(patterns) = options.block_hostnames.as_ref().filter(|_| literal.is_none())
        && patterns.matching(name).is_some()
    {
        return Err((1111, "hostname is blocked".to_owned()));
    }
    let given = options.hosts.as_ref().and_then(|hosts| hosts.resolve(name, port));
    let known = given.map(|(address, _)| address).or(literal);
    if known.is_none() && host.test.network.names.is_needed(options) {
        return match host.test.network.names.address(name, host.vu.id, options) {
            None => Ok(Place::LookingUp),
            Some(Err(())) => Err((1101, "lookup: no such host".to_owned())),
            Some(Ok(address)) => {
                not_blocked(host, address)?;
                Ok(Place::At(format!("{place} at {address}").into(), Some(address)))
            }
        };
    }
    if let Some(address) = known {
        not_blocked(host, address)?;
    }
    Ok(Place::At(place, None))
}

/// The address that the user's connections come from, if the options say one.
fn local_address(host: &VuHost) -> Option<IpAddr> {
    host.test.consolidated.options.local_ips.as_ref().map(|pool| pool.address_of(host.vu.id))
}

fn not_blocked(host: &VuHost, address: IpAddr) -> Result<(), Fault> {
    let ranges = host.test.consolidated.options.blacklist_ips.as_deref().unwrap_or_default();
    match ranges.iter().any(|range| range.contains(address)) {
        true => Err((1110, "ip is blacklisted".to_owned())),
        false => Ok(()),
    }
}

/// A target as the options have it. Each user has connections of its own.
pub(crate) fn target(host: &VuHost, url: &Url, name: String, address: Option<IpAddr>) -> Target {
    let options = &host.test.consolidated.options;
    // What can't be gone to was refused before.
    let proxy = proxy_of(host, url).ok().flatten();
    let mut target = match proxy {
        Some(proxy) if url.scheme == Scheme::Http => {
            Target::new(proxy.scheme, proxy.host.clone(), proxy.port)
        }
        _ => Target::new(url.scheme, url.host.clone(), url.port),
    };
    target.tunnel = proxy.filter(|_| url.scheme == Scheme::Https).map(|proxy| Tunnel {
        host: proxy.host.clone(),
        port: proxy.port,
        authorization: proxy
            .authorization
            .as_ref()
            .map(|value| Secret::header_value("proxy-authorization", value.clone())),
    });
    target.local_address = local_address(host);
    target.name = name;
    target.connections = match (options.no_connection_reuse, options.no_vu_connection_reuse) {
        (Some(true), _) => ConnectionPolicy::PerRequest,
        (_, Some(true)) => ConnectionPolicy::PerAction,
        _ => ConnectionPolicy::PerUser,
    };
    target.connect_timeout_ns = 30 * units::NS_PER_SEC;
    target.addresses.extend(address);
    let dialled = proxy.map_or((&url.host, url.port), |proxy| (&proxy.host, proxy.port));
    if let Some((address, port)) =
        options.hosts.as_ref().and_then(|hosts| hosts.resolve(dialled.0, dialled.1))
    {
        target.addresses = vec![address];
        match &mut target.tunnel {
            Some(tunnel) => tunnel.port = port,
            None => target.port = port,
        }
    }
    let own = options.tls_auth.iter().flatten().find(|auth| auth.is_for(&url.host));
    let spoken = |version: k6_options::TlsVersion| match version.as_str() {
        "tls1.3" => TlsVersion::V1_3,
        _ => TlsVersion::V1_2,
    };
    let versions = options.tls_version.unwrap_or_default();
    target.tls = TlsSettings {
        ca_pem: host.test.network.roots.clone(),
        check: match options.insecure_skip_tls_verify {
            Some(true) => CertificateCheck::Insecure,
            _ => CertificateCheck::Verify,
        },
        client_certificate: own.map(|own| ClientCertificate {
            chain_pem: own.cert.clone().into_bytes(),
            key_pem: own.key.clone().into_bytes(),
        }),
        version_min: versions.min.map(spoken),
        version_max: versions.max.map(spoken),
        cipher_suites: options.tls_cipher_suites.iter().flatten().map(|suite| suite.number()).collect(),
        ..TlsSettings::default()
    };
    target
}
