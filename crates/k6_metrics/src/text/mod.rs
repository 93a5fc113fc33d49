//! The text at a test's end: the layout of old releases and that of new ones.

mod collate;
mod legacy;
mod modern;
mod number;
mod style;
mod table;

pub use legacy::{LegacyText, RateForm};
pub use modern::ModernText;
pub use number::humanize_value;
pub use style::Colors;

/// Which metrics the new text shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Visibility {
    /// Without the stretches of requests.
    #[default]
    Compact,
    /// All but those that are shown in another way.
    Full,
}

/// Shown as the list of checks, or too many.
const HIDDEN: [&str; 2] = ["checks", "group_duration"];
/// Stretches of requests.
const STRETCHES: [&str; 6] = [
    "http_req_blocked",
    "http_req_connecting",
    "http_req_receiving",
    "http_req_sending",
    "http_req_tls_handshaking",
    "http_req_waiting",
];

/// Metrics that k6 does not have: they stand in a table of their own after all others, so that k6's lines stay what they are.
const OWN: [&str; 2] = ["iteration_start_delay", "iteration_response_time"];
/// What that table is called.
const OWN_TITLE: &str = "WEIR";

impl Visibility {
    /// Whether a metric of this name (without tags) is shown. Names are compared whole: a custom `checks_of_mine` is shown.
    pub fn shows(self, name: &str) -> bool {
        !HIDDEN.contains(&name) && (self == Self::Full || !STRETCHES.contains(&name))
    }
}
