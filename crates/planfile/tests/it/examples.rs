//! Every example loads without a finding, means what its golden says, and can be run.

use crate::{file_name, plans_in, root};
use expect_test::expect_file;

#[test]
fn examples_load_and_mean_what_they_meant() {
    for path in plans_in(&root().join("examples")) {
        let loaded = planfile::load(&path);
        assert_eq!(loaded.diagnostics, [], "{}", path.display());
        let plan = loaded.plan.expect("no findings");
        let json = serde_json::to_string_pretty(&plan).expect("a plan is plain data");
        expect_file![format!("../golden/{}.plan.json", file_name(&path))].assert_eq(&(json + "\n"));
        for index in 0..plan.scenarios.len() {
            let compiled = scenario::Program::compile(&plan, index);
            assert!(compiled.is_ok(), "{}: {:?}", path.display(), compiled.err());
        }
    }
}
