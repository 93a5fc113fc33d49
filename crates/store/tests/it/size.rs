//! How much room runs take, and how long they take to be listed and read.

use crate::folder::Folder;
use crate::made::{ten_minutes, ten_thousand};
use std::time::{Duration, Instant};
use store::{Filter, Store};

/// Development builds and machines shared with other tests are so much slower than what was promised for a release.
const SLACK: u32 = 10;

#[test]
fn ten_minutes_of_twenty_actions_take_at_most_8_mb() {
    let folder = Folder::new("size");
    // 75 of each action a second. What a histogram takes grows with its values: with 50 of each action a second 5.9 MB were measured, with
    // 100 8.1 MB, with 250 12.0 MB.
    let record = ten_minutes(1_500);
    let mut store = Store::open(&folder.store()).unwrap();
    store.insert(&record).unwrap();
    let begun = Instant::now();
    let loaded = store.load("a1").unwrap();
    let took = begun.elapsed();
    assert!(loaded == record, "a run of many intervals reads back as it was");
    drop(store);
    let bytes = std::fs::metadata(folder.store()).unwrap().len();
    let json = serde_json::to_vec(&record).unwrap().len();
    println!("{bytes} bytes, {json} as JSON, read in {took:?}");
    assert!(bytes <= 8_000_000, "{bytes} bytes");
    assert!(took < SLACK * Duration::from_millis(200), "{took:?}");
}

#[test]
fn ten_thousand_runs_are_listed_in_a_moment() {
    let folder = Folder::new("many");
    let mut store = Store::open(&folder.store()).unwrap();
    store.insert_all(&ten_thousand()).unwrap();
    let begun = Instant::now();
    let listed = store.list(&Filter::default()).unwrap();
    let took = begun.elapsed();
    println!("{} runs in {took:?}", listed.len());
    assert_eq!((listed.len(), listed[0].id.as_str()), (10_000, "r09999"));
    assert!(took < SLACK * Duration::from_millis(100), "{took:?}");
    let begun = Instant::now();
    assert_eq!(store.select("last~5000").unwrap(), "r04999");
    assert!(begun.elapsed() < SLACK * Duration::from_millis(50));
    let limited = Filter { limit: Some(20), ..Filter::default() };
    assert_eq!(store.list(&limited).unwrap().len(), 20);
}
