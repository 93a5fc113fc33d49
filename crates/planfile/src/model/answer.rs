//! What must hold of an answer, and what is kept of it.

use crate::read::{At, Group, Map, OneOrMany, Scalar, ScalarShape, model, quantity_fault};
use crate::text::quoted;
use plan::Diagnostic;

model! {
    /// What must hold of an answer. Statuses alone will do.
    pub(crate) struct Check: "check" {
        /// The status: a number, a class such as `2xx`, a range such as `200-299`, or a list of those.
        status: OneOrMany<At<StatusRange>> = Optional("any below 400"),
        /// Headers by name. With several of one name, any of them.
        header: Map<ContentMatch> = Optional("none"),
        /// The body, decompressed.
        body: ContentMatch = Optional("none"),
        /// Values of the body by JSON path (RFC 9535), such as `$.items[0].id`. Of several, the first; texts without their quotes.
        json: Map<ContentMatch> = Optional("none"),
        /// Size of the body, decompressed: `<= 10KiB`, `> 0B`, or several such.
        size: OneOrMany<At<SizeRange>> = Optional("none"),
        /// Service time of the request, redirects included: `< 200ms`.
        time: At<TimeLimit> = Optional("none"),
    }
    short OneOrMany<At<StatusRange>> => |status| Self { status: Some(status), ..Self::default() };
}

model! {
    /// What a text must be like. Text alone is what it must equal. Of several keys, and of several values in a list, all must hold.
    pub(crate) struct ContentMatch: "match" {
        /// It is exactly this.
        equals: At<String> = Optional("none"),
        /// It has this in it.
        contains: OneOrMany<At<String>> = Optional("none"),
        /// This regular expression finds something in it.
        regex: OneOrMany<At<String>> = Optional("none"),
        /// `true`: it is there.
        exists: At<bool> = Optional("none"),
    }
    short At<String> => |equals| Self { equals: Some(equals), ..Self::default() };
}

model! {
    /// Where a variable's new value comes from. A JSON path alone will do. Finding nothing fails the action unless there is a `default`.
    pub(crate) struct Capture: "capture" {
        /// The first value that this JSON path (RFC 9535) finds in the body; texts without their quotes.
        json: At<String> = Optional("none"),
        /// The first match of this regular expression in the body: its first group, or all of it.
        regex: At<String> = Optional("none"),
        /// The first header of this name.
        header: At<String> = Optional("none"),
        /// The cookie of this name that the answer sets.
        cookie: At<String> = Optional("none"),
        /// The value when nothing is found.
        default: At<String> = Optional("none: finding nothing fails the action"),
    }
    short At<String> => |json| Self { json: Some(json), ..Self::default() };
    groups [Group::exactly_one(&["json", "regex", "header", "cookie"])];
}

/// Statuses from one to another, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StatusRange(pub(crate) u16, pub(crate) u16);

impl Scalar for StatusRange {
    const SHAPE: ScalarShape =
        ScalarShape { words: "a status", example: "2xx", json_types: &["integer", "string"] };

    fn parse(text: &str) -> Result<Self, Diagnostic> {
        let text = text.trim();
        let status = |text: &str| {
            let is_number = text.len() == 3 && text.bytes().all(|b| b.is_ascii_digit());
            is_number
                .then(|| text.parse::<u16>().ok())
                .flatten()
                .filter(|status| (100..=999).contains(status))
        };
        let class = |text: &str| {
            let digit = text.strip_suffix("xx").or_else(|| text.strip_suffix("XX"))?;
            matches!(digit, "1" | "2" | "3" | "4" | "5").then(|| digit.parse::<u16>().ok()).flatten()
        };
        let range = match text.split_once('-') {
            Some((from, to)) => status(from.trim()).zip(status(to.trim())),
            None => status(text)
                .map(|one| (one, one))
                .or_else(|| class(text).map(|digit| (digit * 100, digit * 100 + 99))),
        };
        match range {
            Some((from, to)) if from <= to => Ok(Self(from, to)),
            _ => Err(Diagnostic::error(format!("{} is not a status", quoted(text)))
                .hint("write `200`, `2xx` or `200-299`")),
        }
    }
}

/// Sizes from one to another in bytes, both included; printed as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SizeRange {
    pub(crate) min_bytes: u64,
    pub(crate) max_bytes: u64,
    pub(crate) text: String,
}

impl Scalar for SizeRange {
    const SHAPE: ScalarShape =
        ScalarShape { words: "a limit on size", example: "<= 10KiB", json_types: &["string"] };

    fn parse(text: &str) -> Result<Self, Diagnostic> {
        let (comparison, quantity) = comparison(text);
        let bytes = units::parse_bytes(quantity).map_err(quantity_fault)?;
        let empty =
            || Diagnostic::error(format!("no size is {}", quoted(text))).hint("write for example `<= 10KiB`");
        let (min_bytes, max_bytes) = match comparison {
            "<" => (0, bytes.checked_sub(1).ok_or_else(empty)?),
            "<=" => (0, bytes),
            ">" => (bytes.checked_add(1).ok_or_else(empty)?, u64::MAX),
            ">=" => (bytes, u64::MAX),
            _ => (bytes, bytes),
        };
        Ok(Self { min_bytes, max_bytes, text: text.trim().to_owned() })
    }
}

/// The longest time in ns; printed as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TimeLimit {
    pub(crate) max_ns: u64,
    pub(crate) text: String,
}

impl Scalar for TimeLimit {
    const SHAPE: ScalarShape =
        ScalarShape { words: "a limit on time", example: "< 200ms", json_types: &["string"] };

    fn parse(text: &str) -> Result<Self, Diagnostic> {
        let (comparison, quantity) = comparison(text);
        let ns = units::parse_duration_ns(quantity).map_err(quantity_fault)?;
        let max_ns = match comparison {
            "<=" => Some(ns),
            "<" => ns.checked_sub(1),
            _ => None,
        };
        let fault = || {
            Diagnostic::error(format!("{} is no limit on time", quoted(text)))
                .hint("write for example `< 200ms`")
        };
        Ok(Self { max_ns: max_ns.ok_or_else(fault)?, text: text.trim().to_owned() })
    }
}

/// Splits `<= 10KiB` into `<=` and `10KiB`; without a comparison it is empty.
fn comparison(text: &str) -> (&'static str, &str) {
    let text = text.trim();
    let known = ["<=", ">=", "<", ">", "==", "="];
    let found = known.into_iter().find_map(|sign| Some((sign, text.strip_prefix(sign)?)));
    let (sign, rest) = found.unwrap_or(("", text));
    (sign, rest.trim())
}
