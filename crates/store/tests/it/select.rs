//! What users type and which run they mean by it.

use crate::folder::Folder;
use crate::made::{Shape, run};
use store::{Filter, Store, StoreError};

#[test]
fn a_run_is_meant_by_place_id_name_or_label() {
    let folder = Folder::new("select");
    let mut store = Store::open(&folder.store()).unwrap();
    for (id, name, seed) in
        [("0a1", "home", 1), ("0a2", "pay", 2), ("0b3", "home", 3), ("0c4", "k=v~1", 4), ("0d5", "0a", 5)]
    {
        let mut record = run(id, Shape { phases: 1, seconds: 1, actions: 1, per_sec: 10 }, seed);
        record.name = name.to_owned();
        record.labels = [("parity".to_owned(), (seed % 2).to_string())].into();
        store.insert(&record).unwrap();
    }
    let check = |selector: &str, expected: &str| {
        let found = store.select(selector).unwrap_or_else(|error| format!("{error}; {}", error.hint()));
        assert_eq!(found, expected, "{selector}");
    };
    check("last", "0d5");
    check("last~1", "0c4");
    check("last~4", "0a1");
    check(
        "last~5",
        "no run is `last~5`; weir runs lists them; last, last~1, an id, a name or KEY=VALUE of a label name one",
    );
    check("0a2", "0a2");
    check("0b", "0b3");
    check("0a", "0d5");
    check("0", "several runs begin with `0`; write more of it: 0a1, 0a2, 0b3, 0c4, 0d5");
    check("home", "0b3");
    check("home~1", "0a1");
    check("k=v~1", "0c4");
    check("parity=0", "0c4");
    check("parity=0~1", "0a2");
    check(
        "parity=7",
        "no run is `parity=7`; weir runs lists them; last, last~1, an id, a name or KEY=VALUE of a label name one",
    );
    check(
        "",
        "no run is ``; weir runs lists them; last, last~1, an id, a name or KEY=VALUE of a label name one",
    );
    let ids = |filter: Filter| -> Vec<String> {
        store.list(&filter).unwrap().into_iter().map(|summary| summary.id).collect()
    };
    assert_eq!(ids(Filter::default()), ["0d5", "0c4", "0b3", "0a2", "0a1"]);
    assert_eq!(ids(Filter { limit: Some(2), ..Filter::default() }), ["0d5", "0c4"]);
    assert_eq!(ids(Filter { names: vec!["o".to_owned()], ..Filter::default() }), ["0b3", "0a1"]);
    let odd = Filter { labels: vec![("parity".to_owned(), "1".to_owned())], ..Filter::default() };
    assert_eq!(ids(odd), ["0d5", "0b3", "0a1"]);
    assert!(matches!(store.insert(&store.load("0a1").unwrap()), Err(StoreError::Taken { .. })));
    assert_eq!(store.remove(&["0a1".to_owned(), "gone".to_owned()]).unwrap(), 1);
    assert_eq!((store.count().unwrap(), store.load("0a1").is_err()), (4, true));
}
