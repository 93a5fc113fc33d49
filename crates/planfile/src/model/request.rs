//! HTTP requests and what they carry.

use super::{Capture, Check};
use crate::read::{AnyValue, At, Count, Group, List, Map, OneOrMany, PositiveDuration, model};

/// One value, or several under the same name.
pub(crate) type Pairs = OneOrMany<At<String>>;

/// More redirects than any browser follows.
const REDIRECTS_MAX: u32 = 100;

model! {
    /// What goes along with a request, and what is done with its answer. These keys stand beside `get`, `post` and so on, or within
    /// `request`.
    pub(crate) struct Exchange: "exchange" {
        /// What the record calls the request.
        name: At<String> = Optional("method and path"),
        /// The target, by name.
        target: At<String> = Optional("the scenario's, or the plan's only one"),
        /// Put behind the path, percent-encoded. A list gives the name several times.
        query: Map<Pairs> = Optional("none"),
        /// Headers, in order. A list gives the name several times.
        headers: Map<Pairs> = Optional("the target's"),
        /// What is sent.
        body: Body = Optional("nothing"),
        /// Limit from sending to the end of the answer.
        timeout: At<PositiveDuration> = Optional("the target's `request_timeout`"),
        /// How many redirects are followed.
        redirects: At<Count<0, REDIRECTS_MAX>> = Optional("0"),
        /// What must hold of the answer.
        check: Check = Optional("the status is below 400"),
        /// What is kept of the answer, by variable.
        capture: Map<Capture> = Optional("none"),
    }
}

model! {
    /// A request in full. Text such as `GET /hello` will do.
    pub(crate) struct Request: "request" {
        /// The method, in capitals.
        method: At<String> = Optional("GET"),
        /// The path, which begins with `/` and may hold variables.
        path: At<String> = Required,
    }
    with { exchange: Exchange }
    also { line: Option<At<String>> }
    short At<String> => |line| Self { line: Some(line), ..Self::default() };
}

model! {
    /// What is sent. Text alone will do, and may hold variables.
    pub(crate) struct Body: "body" {
        /// Text.
        text: At<String> = Optional("none"),
        /// A file's content as it stands, seen from the plan's folder.
        file: At<String> = Optional("none"),
        /// Any value, sent as JSON with `content-type: application/json` unless another is given. A variable's value is put into a
        /// text as it stands: one with quotes in it makes broken JSON. For a number write the JSON as `text`.
        json: AnyValue = Optional("none"),
        /// Fields of a form, sent as `application/x-www-form-urlencoded`.
        form: Map<Pairs> = Optional("none"),
        /// Parts of a form, sent as `multipart/form-data`.
        multipart: List<Part> = Optional("none"),
    }
    short At<String> => |text| Self { text: Some(text), ..Self::default() };
    groups [Group::exactly_one(&["text", "file", "json", "form", "multipart"])];
}

model! {
    /// One part of a multipart body.
    pub(crate) struct Part: "part" {
        /// The field's name.
        name: At<String> = Required,
        /// Its value.
        text: At<String> = Optional("none"),
        /// A file to send, seen from the plan's folder.
        file: At<String> = Optional("none"),
        /// The file's name as the server gets it.
        file_name: At<String> = Optional("the last piece of `file`"),
        /// The media type.
        media_type as "type": At<String> = Optional("none"),
    }
    groups [Group::exactly_one(&["text", "file"])];
}
