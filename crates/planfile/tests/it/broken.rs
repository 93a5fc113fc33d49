//! Broken plans with the full text of all that is said about them. `UPDATE_EXPECT=1 cargo test` writes the goldens anew; read them then.

use crate::{file_name, plans_in};
use expect_test::expect_file;
use planfile::{Folder, parse_bytes, render};
use std::path::Path;

#[test]
fn all_findings_of_broken_plans() {
    // Relative, so that no golden holds a folder of this machine.
    let folder = Path::new("tests/broken");
    for path in plans_in(folder) {
        let bytes = std::fs::read(&path).expect("part of the repository");
        let loaded = parse_bytes(&bytes, &file_name(&path), &Folder::of(&path));
        assert_eq!(loaded.plan, None, "{}", path.display());
        let findings: Vec<String> =
            loaded.diagnostics.iter().map(|finding| render(finding, &loaded.source)).collect();
        expect_file![format!("../broken/{}.txt", file_name(&path))]
            .assert_eq(&(findings.join("\n\n") + "\n"));
    }
}

#[test]
fn an_unreadable_plan_is_a_finding() {
    let loaded = planfile::load(Path::new("tests/broken/no-such-plan.yaml"));
    let said: Vec<String> = loaded.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "error: can't read the plan `tests/broken/no-such-plan.yaml`: no such file or directory\nhint: check the path"
        ]
    );
    assert!(planfile::load(Path::new("tests/broken")).plan.is_none(), "a folder is no plan");
}
