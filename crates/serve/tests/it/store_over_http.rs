//! The store's contents, over HTTP.

use crate::*;
use store::Store;

#[test]
fn a_store_that_is_not_there_yet_has_no_runs() {
    let scratch = Scratch::new("absent");
    let server = serving(&scratch.store(), None);
    let list = get(&server, "/api/runs").json();
    assert_eq!((list["count"].as_u64(), list["runs"].as_array().map(Vec::len)), (Some(0), Some(0)));
    let missing = get(&server, "/api/runs/last");
    assert_eq!(missing.status, 404, "{}", missing.body);
    assert!(missing.json()["hint"].as_str().is_some_and(|hint| !hint.is_empty()));
    assert_eq!(get(&server, "/api/nothing").status, 404);
}

#[test]
fn runs_are_listed_filtered_read_and_deleted() {
    let scratch = Scratch::new("runs");
    let mut store = Store::open(&scratch.store()).unwrap();
    let hostile = "<img src=x onerror=alert(1)>";
    let mut labelled = run("02b", hostile);
    labelled.labels.insert("branch".to_owned(), "main".to_owned());
    labelled.started_unix_ns += 1_000_000_000;
    store.insert(&run("01a", "shop")).unwrap();
    store.insert(&labelled).unwrap();
    let server = serving(&scratch.store(), None);

    let list = get(&server, "/api/runs").json();
    let ids: Vec<&str> =
        list["runs"].as_array().unwrap().iter().map(|run| run["id"].as_str().unwrap()).collect();
    assert_eq!((ids, list["count"].as_u64()), (vec!["02b", "01a"], Some(2)));
    let filtered =
        |query: &str| get(&server, &format!("/api/runs?{query}")).json()["runs"].as_array().unwrap().len();
    assert_eq!((filtered("name=sho"), filtered("label=branch%3Dmain"), filtered("limit=1")), (1, 1, 1));
    assert_eq!((filtered("name=nobody"), get(&server, "/api/runs?limit=x").status), (0, 400));

    let answer = get(&server, "/api/runs/branch=main");
    assert!(
        answer.head.contains("content-type: application/json") && answer.head.contains("nosniff"),
        "{}",
        answer.head
    );
    let read: RunRecord = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(read, store.load("02b").unwrap());

    // The beginning of an id selects a run, but deletes none.
    let delete = |path: &str| ask(&server, &format!("DELETE /api/runs/{path}"), &["x-weir: 1"], "").status;
    assert_eq!((delete("01"), delete("01a"), delete("01a")), (404, 204, 404));
    assert_eq!(store.count().unwrap(), 1);
}

#[test]
fn runs_are_compared_or_it_is_said_why_not() {
    let scratch = Scratch::new("compare");
    let mut store = Store::open(&scratch.store()).unwrap();
    store.insert(&run("01a", "before")).unwrap();
    store.insert(&run("02b", "after")).unwrap();
    let server = serving(&scratch.store(), None);
    let comparison = get(&server, "/api/compare?baseline=01a&candidate=02b&force=1");
    assert_eq!(comparison.status, 200, "{}", comparison.body);
    let comparison = comparison.json();
    assert_eq!(comparison["sides"][1]["runs"][0]["run_id"], "02b");
    assert!(comparison["candidates"][0]["rows"].as_array().is_some_and(|rows| !rows.is_empty()));
    assert_eq!(get(&server, "/api/compare?baseline=01a").status, 400);
    let twice = get(&server, "/api/compare?baseline=01a&candidate=01a");
    assert_eq!(twice.status, 422, "{}", twice.body);
    assert!(twice.json()["error"].as_str().is_some_and(|error| !error.is_empty()), "{}", twice.body);
}
