//! What is made from the tables: the committed reference and schema are those of today, and the schema takes what the parser takes.

use crate::{json_schema, plans_in, root};
use expect_test::expect_file;
use planfile::{InMemory, parse, reference, schema};
use serde_json::{Value, json};

#[test]
fn the_committed_reference_and_schema_are_those_of_the_tables() {
    let docs = root().join("docs/reference");
    expect_file![docs.join("plan.md")].assert_eq(&reference());
    let schema = serde_json::to_string_pretty(&schema()).expect("a schema is plain data");
    expect_file![docs.join("plan.schema.json")].assert_eq(&(schema + "\n"));
}

/// Plans as JSON, for the schema: written in flow style here, since the schema sees JSON alone.
fn is_plan(plan: &Value) -> bool {
    parse(&plan.to_string(), "plan.json", &InMemory::default()).plan.is_some()
}

#[test]
fn schema_and_parser_agree() {
    let schema = schema();
    let short = json!({ "target": "http://h", "request": "GET /", "rate": "1/s", "duration": "1s" });
    let with = |key: &str, value: Value| {
        let mut plan = short.clone();
        plan[key] = value;
        plan
    };
    let right = [
        short.clone(),
        with("target", json!({ "url": "http://h", "connections": 3, "headers": { "a": ["b", 1] } })),
        with(
            "request",
            json!({ "path": "/", "body": { "json": [1, { "a": null }] }, "check": [200, "3xx"] }),
        ),
        with(
            "request",
            json!({ "path": "/", "capture": { "a": "$.a", "b": { "header": "x", "default": "" } } }),
        ),
        with("slos", json!(["errors <= 0", { "expect": "rate > 1/s", "abort": true }])),
        with("vars", json!({ "a": 1, "b": true, "c": "d" })),
        with("seed", json!(7)),
        json!({ "target": "http://h", "phases": [{ "once": 1 }],
            "scenario": { "workflow": { "start": { "a": 0.5, "b": "50%" }, "a": "b" },
                "actions": [{ "name": "a", "get": "/" }, { "name": "b", "steps": ["noop", { "think": "1s" }, { "noop": null }] }] } }),
        json!({ "targets": { "a": "http://h" }, "scenarios": { "b": { "steps": [{ "delay": { "uniform": ["1s", "2s"] } }] } },
            "phases": [{ "scenario": "b", "stages": [{ "rate": "1/s", "for": "1s" }], "start": { "delay": "1s" } }] }),
    ];
    for plan in &right {
        assert!(
            is_plan(plan),
            "{plan}: {:?}",
            parse(&plan.to_string(), "plan.json", &InMemory::default()).diagnostics
        );
        assert_eq!(json_schema::fault(&schema, plan), None, "{plan}");
    }
    let wrong = [
        json!([]),
        with("nmae", json!("x")),
        with("seed", json!("x")),
        with("users", json!(3)),
        with("targets", json!({})),
        with("arrivals", json!("sometimes")),
        with("target", json!({ "headers": {} })),
        with("target", json!({ "url": "http://h", "hedaers": {} })),
        with("request", json!({ "path": "/", "body": { "text": "a", "file": "b" } })),
        with("request", json!({ "path": "/", "capture": { "a": { "default": "x" } } })),
        with("request", json!({ "path": "/", "check": { "body": { "equal": "x" } } })),
        with("slos", json!([{ "phase": "main" }])),
        with("duration", json!(5)),
    ];
    for plan in &wrong {
        assert!(!is_plan(plan), "{plan}");
        assert!(json_schema::fault(&schema, plan).is_some(), "{plan}");
    }
}

#[test]
fn the_json_example_follows_the_schema() {
    let json = plans_in(&root().join("examples"))
        .into_iter()
        .filter(|path| path.extension().is_some_and(|e| e == "json"));
    for path in json {
        let text = std::fs::read_to_string(&path).expect("part of the repository");
        let plan = serde_json::from_str(&text).expect("JSON");
        assert_eq!(json_schema::fault(&schema(), &plan), None, "{}", path.display());
    }
}
