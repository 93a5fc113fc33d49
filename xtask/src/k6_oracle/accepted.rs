//! Differences from k6 that are on purpose, each once and with its reason. Where one is no longer there, its line goes.

/// A difference that is on purpose.
struct Accepted {
    /// The script.
    script: &'static str,
    /// What the finding contains.
    part: &'static str,
    /// Why it stays.
    reason: &'static str,
}

const ABORT: &str = "what an aborted iteration had done until then is a duration of nothing: k6 counts it as an iteration, and as interrupted too";
const GROWS: &str = "users up to maxVUs are made when they are needed, so that nothing is dropped meanwhile";
const SETUP: &str =
    "k6's arrays of setup data are Go's: they grow in no copy, and pop and shift leave null behind";

const COLUMNS: &str = "scenarios have their columns while setup runs, as they do later";

const ACCEPTED: &[Accepted] = &[
    Accepted { script: "abort", part: "\"iteration_duration\"", reason: ABORT },
    Accepted { script: "abort", part: "\"iterations\"", reason: ABORT },
    Accepted { script: "abort", part: "summary: ", reason: ABORT },
    Accepted { script: "abort", part: "samples of data_", reason: ABORT },
    Accepted { script: "executor_constant_arrival_rate_grows", part: "dropped_iterations", reason: GROWS },
    Accepted { script: "setup_teardown_data", part: "checks", reason: SETUP },
    Accepted { script: "setup_teardown_data", part: "own copy", reason: SETUP },
    Accepted { script: "abort_in_setup", part: "last progress", reason: COLUMNS },
    Accepted { script: "setup_rejected", part: "last progress", reason: COLUMNS },
    Accepted { script: "setup_throws", part: "last progress", reason: COLUMNS },
    Accepted { script: "setup_timeout", part: "last progress", reason: COLUMNS },
    Accepted {
        script: "thresholds_left_out",
        part: "declared iterations",
        reason: "with --no-thresholds no threshold is held, so none is named",
    },
    Accepted {
        script: "unknown_option",
        part: "log: ",
        reason: "all unknown names stand in the message, where k6 has the first in a field",
    },
    Accepted {
        script: "summary_legacy",
        part: "log: k6 has `warning` too",
        reason: "the text of old releases stays, so nothing warns of its end",
    },
];

const BEYOND: &str = "it asks for what the pinned k6 has not: what came later, or what Weir has of its own";
const WORDS: &str = "it asks for words that are not k6's: they say more, or name what there is here";
const ENDLESS: &str = "k6 does not come to its end";

/// Scripts that CI does not compare, and why; `cargo xtask k6-oracle` does.
pub(super) const OPEN: &[(&str, &str)] = &[
    ("abort_is_final", ABORT),
    ("await_without_end", "k6's exit code is another one: open"),
    ("console_without_end", ENDLESS),
    ("csv_faults", BEYOND),
    ("errors_told", WORDS),
    ("globals", BEYOND),
    ("graceful_ramp_down", "k6's last progress has a tick where there is a cross: open"),
    ("group_async", "k6 refuses an async function before it runs: open"),
    ("handle_summary_timeout", ENDLESS),
    ("import_of_unknown_name", WORDS),
    ("import_other_scheme", WORDS),
    ("import_remote", WORDS),
    ("import_short_form", WORDS),
    ("interrupted_user_stays", "what is left of an interrupted iteration in k6 runs its `finally`: open"),
    ("log_in_ntlm", BEYOND),
    ("moved_module", BEYOND),
    ("options_as_strings", "a k6 on a machine at work drops iterations"),
    ("output_removed", WORDS),
    ("output_unknown", WORDS),
    ("outputs", WORDS),
    ("setup_circular", WORDS),
    ("setup_endless_loop", ENDLESS),
    ("start_delay", BEYOND),
    ("streams", BEYOND),
    ("uncaught", BEYOND),
    ("webcrypto", BEYOND),
    ("where_requests_may_go", "k6 keeps capitals of a host in the name of a request: open"),
];

/// Findings by what becomes of them.
pub(super) struct Sorted {
    /// Accepted ones.
    pub(super) accepted_count: usize,
    /// Those that are not.
    pub(super) open: Vec<String>,
    /// What is accepted and was not found. Some differences need a k6 as slow as that of a machine at work.
    pub(super) gone: Vec<String>,
}

/// Sorts findings. `names`: the scripts that were compared.
pub(super) fn sort(findings: Vec<String>, names: &[String]) -> Sorted {
    let is_of = |accepted: &Accepted, finding: &str| {
        let (script, what) = finding.split_once(": ").unwrap_or((finding, ""));
        accepted.script == script && what.contains(accepted.part)
    };
    let open: Vec<String> = findings
        .iter()
        .filter(|finding| !ACCEPTED.iter().any(|accepted| is_of(accepted, finding)))
        .cloned()
        .collect();
    let accepted_count = findings.len() - open.len();
    let gone = ACCEPTED.iter().filter(|accepted| {
        let is_compared = names.iter().any(|name| name == accepted.script);
        is_compared && !findings.iter().any(|finding| is_of(accepted, finding))
    });
    let gone = gone.map(|accepted| {
        format!("{}: no difference in `{}` any more ({})", accepted.script, accepted.part, accepted.reason)
    });
    Sorted { accepted_count, open, gone: gone.collect() }
}
