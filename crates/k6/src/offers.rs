//! What built-in modules offer, each made when a script takes it: a script uses few of the fifty names of `k6/http`, and its users are
//! thousands. What is written in JavaScript stands in modules of CommonJS that run when one of their names is first taken.

use crate::host::VuHost;
use js::Calls;
use js::rquickjs::{Ctx, Object, Result, Value};

/// A module of k6.
struct Offer {
    name: &'static str,
    names: &'static [&'static str],
    /// The modules that `make` loads.
    behind: &'static [&'static str],
    make: for<'js> fn(&Ctx<'js>, &Calls<VuHost>, &'static str) -> Result<Value<'js>>,
}

const CORE: &str = "weir:core";
const REQUESTS: &str = "weir:http/requests";
const BATCH: &str = "weir:http/batch";
const JARS: &str = "weir:http/jars";
const ARGUMENTS: &str = "weir:http/arguments";
const EXECUTION: &str = "weir:execution/objects";

const OFFERS: &[Offer] = &[
    Offer {
        name: "k6",
        names: &["check", "fail", "group", "randomSeed", "sleep"],
        behind: &[CORE],
        make: |ctx, calls, name| from(ctx, calls, CORE, name),
    },
    Offer { name: "k6/http", names: HTTP, behind: &[REQUESTS, BATCH, JARS, ARGUMENTS], make: http },
    Offer {
        name: "k6/execution",
        names: &["instance", "scenario", "test", "vu"],
        behind: &[EXECUTION],
        make: |ctx, calls, name| from(ctx, calls, EXECUTION, name),
    },
];

/// In k6's order.
const HTTP: &[&str] = &[
    "TLS_1_0",
    "TLS_1_1",
    "TLS_1_2",
    "TLS_1_3",
    "OCSP_STATUS_GOOD",
    "OCSP_STATUS_REVOKED",
    "OCSP_STATUS_SERVER_FAILED",
    "OCSP_STATUS_UNKNOWN",
    "OCSP_REASON_UNSPECIFIED",
    "OCSP_REASON_KEY_COMPROMISE",
    "OCSP_REASON_CA_COMPROMISE",
    "OCSP_REASON_AFFILIATION_CHANGED",
    "OCSP_REASON_SUPERSEDED",
    "OCSP_REASON_CESSATION_OF_OPERATION",
    "OCSP_REASON_CERTIFICATE_HOLD",
    "OCSP_REASON_REMOVE_FROM_CRL",
    "OCSP_REASON_PRIVILEGE_WITHDRAWN",
    "OCSP_REASON_AA_COMPROMISE",
    "url",
    "CookieJar",
    "cookieJar",
    "file",
    "get",
    "head",
    "post",
    "put",
    "patch",
    "del",
    "options",
    "request",
    "asyncRequest",
    "batch",
    "setResponseCallback",
    "expectedStatuses",
];

/// What stands under a name of `k6/http`.
fn http<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, name: &'static str) -> Result<Value<'js>> {
    let place = match name {
        "batch" => BATCH,
        "cookieJar" | "CookieJar" => JARS,
        "url" | "file" | "expectedStatuses" | "setResponseCallback" => ARGUMENTS,
        _ => match constant(name) {
            Some(text) => {
                return js::rquickjs::String::from_str(ctx.clone(), &text)
                    .map(js::rquickjs::String::into_value);
            }
            None => REQUESTS,
        },
    };
    from(ctx, calls, place, name)
}

/// The text of a constant, which its name tells.
fn constant(name: &str) -> Option<String> {
    if let Some(version) = name.strip_prefix("TLS_") {
        return Some(format!("tls{}", version.replace('_', ".")));
    }
    let word = name.strip_prefix("OCSP_STATUS_").or_else(|| name.strip_prefix("OCSP_REASON_"))?;
    Some(word.to_ascii_lowercase())
}

fn from<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, module: &str, name: &str) -> Result<Value<'js>> {
    calls.load(ctx, module)?.into_object().unwrap_or(Object::new(ctx.clone())?).get(name)
}

fn of(module: &str) -> Option<&'static Offer> {
    OFFERS.iter().find(|offer| offer.name == module)
}

/// The names that a module offers; `None`: it is none of these.
pub(crate) fn names(module: &str) -> Option<&'static [&'static str]> {
    of(module).map(|offer| offer.names)
}

/// The modules behind what a module offers.
pub(crate) fn behind(module: &str) -> &'static [&'static str] {
    of(module).map_or(&[], |offer| offer.behind)
}

/// All that a module offers; `None`: it is none of these.
pub(crate) fn make<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, module: &str) -> Option<Result<Value<'js>>> {
    of(module).map(|offer| calls.shelf(ctx, offer.names, offer.make).map(Object::into_value))
}
