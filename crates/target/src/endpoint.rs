//! Which path is answered by what. The table here is the one list of endpoints: routing, counting and the 404 are made from it.

pub(crate) mod basic;
pub(crate) mod control;
pub(crate) mod encoded;
pub(crate) mod fault;
pub(crate) mod http_req;
pub(crate) mod inspect;
pub(crate) mod records;
pub(crate) mod timing;

use crate::counts::Counts;
use crate::query::Query;
use crate::reply::Reply;
use crate::request::{ConnectionFacts, Request};
use crate::shared::Shared;

/// What a path is answered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Endpoint {
    Root,
    NoRead,
    Hello,
    File,
    Load,
    Delay,
    Status,
    Bytes,
    Close,
    Reset,
    Garbage,
    Chunked,
    Gzip,
    Deflate,
    Brotli,
    Zstd,
    Continue,
    EarlyHints,
    Eof,
    Echo,
    CookieSet,
    Cookie,
    Redirect,
    RedirectChain,
    Posts,
    Post,
    Comments,
    Comment,
    Albums,
    Album,
    Photos,
    Photo,
    Todos,
    Todo,
    HttpReq,
    Unknown,
    // Controls stand last: see `is_control`.
    Stall,
    Stats,
    StatsReset,
    Arrivals,
}

/// An endpoint, how it is written (also its name in the counts), and what it does.
pub(crate) struct Row {
    pub(crate) endpoint: Endpoint,
    pub(crate) pattern: &'static str,
    pub(crate) summary: &'static str,
}

const fn row(endpoint: Endpoint, pattern: &'static str, summary: &'static str) -> Row {
    Row { endpoint, pattern, summary }
}

/// How many endpoints there are.
pub(crate) const ENDPOINT_COUNT: usize = 40;

/// In the order of the variants.
pub(crate) const ENDPOINTS: [Row; ENDPOINT_COUNT] = [
    row(Endpoint::Root, "/", "reads any body; empty 200"),
    row(Endpoint::NoRead, "/no-read", "answers before it reads the request's body, then drains it"),
    row(Endpoint::Hello, "/hello", "`Hello world`, text/plain"),
    row(Endpoint::File, "/file", "?size=N: N bytes, 1MiB by default, at most 10 GB"),
    row(Endpoint::Load, "/load", "the Base64 of the request's body"),
    row(
        Endpoint::Delay,
        "/delay",
        "?ms=N[&jitter=MS]: answers after N to N+MS ms, uniform; fractions allowed",
    ),
    row(Endpoint::Status, "/status/{code}", "answers with this status, 200 to 999"),
    row(Endpoint::Bytes, "/bytes", "?rate=BYTES_PER_SEC&size=N[&chunk=N]: a slow trickle"),
    row(Endpoint::Close, "/close", "answers, then closes the connection"),
    row(Endpoint::Reset, "/reset", "?size=N: declares N bytes, sends half, then resets the connection"),
    row(Endpoint::Garbage, "/garbage", "?kind=K: bytes that are no HTTP response"),
    row(Endpoint::Chunked, "/chunked", "?size=N&chunk=N&trailers=1: chunked transfer coding"),
    row(Endpoint::Gzip, "/gzip", "JSON with content-encoding gzip"),
    row(Endpoint::Deflate, "/deflate", "JSON with content-encoding deflate (zlib)"),
    row(Endpoint::Brotli, "/br", "JSON with content-encoding br"),
    row(Endpoint::Zstd, "/zstd", "JSON with content-encoding zstd"),
    row(
        Endpoint::Continue,
        "/continue",
        "sends 100 Continue when expected (?always: in any case; ?refuse=417: answers that instead)",
    ),
    row(Endpoint::EarlyHints, "/early-hints", "?count=N: 103 Early Hints, then 200"),
    row(Endpoint::Eof, "/eof", "?size=N: a body that ends with the connection"),
    row(Endpoint::Echo, "/echo", "the request as JSON"),
    row(Endpoint::CookieSet, "/cookie/set", "?name=value: sets cookies"),
    row(Endpoint::Cookie, "/cookie", "the request's cookies as JSON"),
    row(Endpoint::Redirect, "/redirect", "?to=TARGET&status=302: redirects there"),
    row(Endpoint::RedirectChain, "/redirect/{n}", "n redirects, then /hello"),
    row(Endpoint::Posts, "/posts", "records 1 to 100; POST gives 201"),
    row(Endpoint::Post, "/posts/{id}", "one record, as jsonplaceholder shapes it"),
    row(Endpoint::Comments, "/comments", "records 1 to 500"),
    row(Endpoint::Comment, "/comments/{id}", "one record"),
    row(Endpoint::Albums, "/albums", "records 1 to 100"),
    row(Endpoint::Album, "/albums/{id}", "one record"),
    row(Endpoint::Photos, "/photos", "records 1 to 5000"),
    row(Endpoint::Photo, "/photos/{id}", "one record"),
    row(Endpoint::Todos, "/todos", "records 1 to 200"),
    row(Endpoint::Todo, "/todos/{id}", "one record"),
    row(
        Endpoint::HttpReq,
        "/tests/http_req/{name}.xml",
        "?value=N[&service_us=T][&work_us=T]: the value as XML, after T of service time, using T of CPU",
    ),
    row(Endpoint::Unknown, "(unknown)", "anything else: 404 with this list"),
    row(Endpoint::Stall, "/stall", "control: ?for=200ms&every=1s, ?at=4s&for=2s, ?off: stand still"),
    row(Endpoint::Stats, "/stats", "control: what was counted, as JSON"),
    row(Endpoint::StatsReset, "/stats/reset", "control: counts from 0 again"),
    row(
        Endpoint::Arrivals,
        "/arrivals",
        "control: ?start, ?stop, ?raw, ?interval=200us: when requests arrived, their gaps, their distance from a schedule",
    ),
];

/// The endpoints as they are written, with what each does, for help texts. The same list as in the 404.
pub fn endpoints() -> impl Iterator<Item = (&'static str, &'static str)> {
    ENDPOINTS.iter().filter(|row| row.pattern.starts_with('/')).map(|row| (row.pattern, row.summary))
}

impl Endpoint {
    /// The endpoint for a path, which is compared as sent: no percent-decoding, no trailing slash forgiven.
    pub(crate) fn for_path(path: &str) -> Self {
        match path {
            "/hello" => Self::Hello,
            "/" => Self::Root,
            _ => Self::for_longer_path(path),
        }
    }

    fn for_longer_path(path: &str) -> Self {
        if let Some(row) = ENDPOINTS.iter().find(|row| row.pattern == path && path.starts_with('/')) {
            return row.endpoint;
        }
        let Some((folder, leaf)) = path.rsplit_once('/') else { return Self::Unknown };
        match folder {
            _ if leaf.is_empty() => Self::Unknown,
            "/status" => Self::Status,
            "/posts" => Self::Post,
            "/comments" => Self::Comment,
            "/albums" => Self::Album,
            "/photos" => Self::Photo,
            "/todos" => Self::Todo,
            "/redirect" => Self::RedirectChain,
            "/tests/http_req" if leaf.len() > 4 && leaf.ends_with(".xml") => Self::HttpReq,
            _ => Self::Unknown,
        }
    }

    /// Controls steer or read the server. They are counted apart, are no arrivals and are answered during stalls.
    pub(crate) fn is_control(self) -> bool {
        self as usize >= Self::Stall as usize
    }

    /// Lets the endpoint write its answer. A fault in the query is answered with 400.
    pub(crate) fn answer(
        self,
        request: &Request<'_>,
        facts: &ConnectionFacts,
        shared: &Shared,
        counts: &Counts,
        reply: &mut Reply<'_>,
    ) {
        let query = Query(request.head.query);
        let path = request.head.path;
        let outcome = match self {
            Self::Hello => return basic::hello(reply),
            Self::Root | Self::NoRead => return basic::empty(reply),
            Self::Load => return basic::load(request, reply),
            Self::Close => return fault::close(reply),
            Self::Gzip => return basic::encoded("gzip", encoded::GZIP, reply),
            Self::Deflate => return basic::encoded("deflate", encoded::DEFLATE, reply),
            Self::Brotli => return basic::encoded("br", encoded::BROTLI, reply),
            Self::Zstd => return basic::encoded("zstd", encoded::ZSTD, reply),
            Self::Echo => return inspect::echo(request, facts, reply),
            Self::Cookie => return inspect::cookies(request, reply),
            Self::Unknown => return inspect::unknown(path, reply),
            Self::Stats => return control::stats(shared, reply),
            Self::StatsReset => return control::reset_stats(shared, reply),
            Self::Post | Self::Comment | Self::Album | Self::Photo | Self::Todo => {
                return records::one(self, request, reply);
            }
            Self::Posts | Self::Comments | Self::Albums | Self::Photos | Self::Todos => {
                records::all(self, request, reply)
            }
            Self::File => basic::file(query, reply),
            Self::Delay => timing::delay(query, shared, reply),
            Self::Status => basic::status(path, reply),
            Self::Bytes => timing::trickle(query, reply),
            Self::Reset => fault::reset(query, reply),
            Self::Garbage => fault::garbage(query, reply),
            Self::Chunked => basic::chunked(query, reply),
            Self::Continue => fault::after_continue(query, request, reply),
            Self::EarlyHints => fault::early_hints(query, counts, reply),
            Self::Eof => basic::eof(query, reply),
            Self::CookieSet => inspect::set_cookies(query, reply),
            Self::Redirect => basic::redirect(query, reply),
            Self::RedirectChain => basic::redirect_chain(path, reply),
            Self::HttpReq => http_req::answer(query, &shared.service_queue, reply),
            Self::Stall => control::stall(query, shared, reply),
            Self::Arrivals => control::arrivals(query, shared, reply),
        };
        if let Err(fault) = outcome {
            reply.refuse(&fault);
        }
    }

    /// Whether the request's body is kept for the answer; other bodies are read and forgotten.
    pub(crate) fn keeps_body(self) -> bool {
        matches!(
            self,
            Self::Load
                | Self::Echo
                | Self::Posts
                | Self::Comments
                | Self::Albums
                | Self::Photos
                | Self::Todos
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_variants() {
        for (index, row) in ENDPOINTS.iter().enumerate() {
            assert_eq!(row.endpoint as usize, index, "{}", row.pattern);
        }
    }

    #[test]
    fn paths_find_their_endpoint() {
        for (path, want) in [
            ("/hello", Endpoint::Hello),
            ("/status/404", Endpoint::Status),
            ("/stats/reset", Endpoint::StatsReset),
            ("/posts", Endpoint::Posts),
            ("/posts/7", Endpoint::Post),
            ("/redirect", Endpoint::Redirect),
            ("/redirect/3", Endpoint::RedirectChain),
            ("/tests/http_req/erlang.xml", Endpoint::HttpReq),
            ("/tests/http_req/.xml", Endpoint::Unknown),
            ("/hello/", Endpoint::Unknown),
            ("/status/{code}", Endpoint::Status),
            ("(unknown)", Endpoint::Unknown),
            ("*", Endpoint::Unknown),
            ("", Endpoint::Unknown),
        ] {
            assert_eq!(Endpoint::for_path(path), want, "{path}");
        }
        assert!(Endpoint::Stats.is_control() && !Endpoint::Unknown.is_control());
    }
}
