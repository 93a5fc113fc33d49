//! Where load goes.

use super::Pairs;
use crate::read::{At, Count, Map, OneOrMany, PositiveDuration, Scalar, ScalarShape, choice, model};
use plan::Diagnostic;
use std::net::IpAddr;

model! {
    /// What takes load: an origin, and how connections to it are made. Its URL alone will do.
    pub(crate) struct Target: "target" {
        /// `http://` or `https://`, host, port if it is not the usual one, and a path that is put before those of requests.
        url: At<String> = Required,
        /// Headers of every request. A request's own header of the same name takes its place.
        headers: Map<Pairs> = Optional("none"),
        /// How TLS is spoken.
        tls: Tls = Optional("certificates are verified against the built-in roots"),
        /// Whose the connections are: one of each user's own, a new one for each request, or a pool of so many, shared by all users.
        connections: At<Connections> = Optional("per_user"),
        /// Connect to this socket instead of host and port. Seen from the plan's folder.
        unix_socket: At<String> = Optional("none"),
        /// Addresses to use, in turn, instead of those that the host's name resolves to.
        addresses: OneOrMany<At<IpAddr>> = Optional("resolve the name, use all addresses"),
        /// Targets that take turns with this one: the first user's requests to it go to it, the second's to the first of these, and so on.
        alternates: OneOrMany<At<String>> = Optional("none"),
        /// Limit on connecting, TLS included.
        connect_timeout: At<PositiveDuration> = Optional("5s"),
        /// Limit from sending a request to the end of its answer.
        request_timeout: At<PositiveDuration> = Optional("30s"),
    }
    short At<String> => |url| Self { url: Some(url), ..Self::default() };
}

model! {
    /// How TLS is spoken. Files are PEM, seen from the plan's folder.
    pub(crate) struct Tls: "tls" {
        /// Trusted certificates, instead of the built-in roots.
        ca: At<String> = Optional("built-in roots"),
        /// The client's certificate, its own first.
        cert: At<String> = Optional("none"),
        /// The key that belongs to `cert`.
        key: At<String> = Optional("none"),
        /// Accept any certificate.
        insecure: At<bool> = Optional("false"),
        /// Name sent to the server and looked for in its certificate.
        server_name: At<String> = Optional("the URL's host"),
        /// Oldest version spoken.
        min: At<TlsVersionText> = Optional("\"1.2\""),
        /// Newest version spoken.
        max: At<TlsVersionText> = Optional("\"1.3\""),
    }
}

choice! {
    /// A version of TLS.
    pub(crate) enum TlsVersionText: "a version of TLS" {
        /// TLS 1.2
        V1_2 = "1.2",
        /// TLS 1.3
        V1_3 = "1.3",
    }
}

/// Whose the connections are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Connections {
    PerUser,
    PerRequest,
    Shared(u32),
}

/// More connections than a client's addresses have ports for.
const CONNECTIONS_MAX: u32 = 1_000_000;

impl Scalar for Connections {
    const SHAPE: ScalarShape = ScalarShape {
        words: "`per_user`, `per_request` or the size of a shared pool",
        example: "64",
        json_types: &["string", "integer"],
    };

    fn parse(text: &str) -> Result<Self, Diagnostic> {
        match text {
            "per_user" => Ok(Self::PerUser),
            "per_request" => Ok(Self::PerRequest),
            _ if text.starts_with(|c: char| c.is_ascii_digit()) => {
                Count::<1, CONNECTIONS_MAX>::parse(text).map(|Count(size)| Self::Shared(size))
            }
            _ => {
                let fault =
                    Diagnostic::error(format!("{} is no way to keep connections", crate::text::quoted(text)));
                Err(match plan::nearest(text, ["per_user", "per_request"]) {
                    Some(meant) => fault.hint(format!("did you mean `{meant}`?")),
                    None => fault.hint("use `per_user`, `per_request`, or a number for a shared pool"),
                })
            }
        }
    }
}
