//! What the fuzz target `plan` does with its bytes; the crate's own tests run it over seeds and mutations of them.

use crate::{InMemory, parse_bytes, render};
use plan::Severity;

/// Reads any bytes as a plan. Panics if the reader does, or if it hands out neither a plan nor a reason.
pub fn plan(data: &[u8]) {
    let files =
        InMemory([("users.csv".to_owned(), data.to_vec()), ("rows.json".to_owned(), data.to_vec())].into());
    for name in ["plan.yaml", "plan.json"] {
        let loaded = parse_bytes(data, name, &files);
        let has_errors = loaded.diagnostics.iter().any(|finding| finding.severity == Severity::Error);
        assert_eq!(loaded.plan.is_none(), has_errors, "a plan or a reason: {:?}", loaded.diagnostics);
        for finding in &loaded.diagnostics {
            let shown = render(finding, &loaded.source);
            assert!(!shown.contains('\u{1b}'), "a terminal would obey {shown:?}");
        }
    }
}
