//! Differences from k6 that are on purpose, each once and with its reason. One that is no longer there is a finding: its line goes.

/// A difference that is on purpose.
struct Accepted {
    /// The script, or `*`: in any of them.
    script: &'static str,
    /// What the finding contains.
    part: &'static str,
    /// Why it stays.
    reason: &'static str,
}

const ACCEPTED: &[Accepted] = &[];

/// How many findings are accepted, and those that are not. `names`: the scripts that were compared, none of them for all.
pub(super) fn sort(findings: Vec<String>, names: &[String]) -> (usize, Vec<String>) {
    let is_of = |accepted: &Accepted, finding: &str| {
        let (script, what) = finding.split_once(": ").unwrap_or((finding, ""));
        (accepted.script == "*" || accepted.script == script) && what.contains(accepted.part)
    };
    let mut open: Vec<String> = findings
        .iter()
        .filter(|finding| !ACCEPTED.iter().any(|accepted| is_of(accepted, finding)))
        .cloned()
        .collect();
    let accepted_count = findings.len() - open.len();
    let gone = ACCEPTED.iter().filter(|accepted| {
        let is_compared = names.is_empty() || names.iter().any(|name| name == accepted.script);
        is_compared && !findings.iter().any(|finding| is_of(accepted, finding))
    });
    open.extend(gone.map(|accepted| {
        format!("{}: no difference in `{}` any more ({})", accepted.script, accepted.part, accepted.reason)
    }));
    (accepted_count, open)
}
