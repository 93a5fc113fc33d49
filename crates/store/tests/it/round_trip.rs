//! What is read back is what was kept.

use crate::folder::Folder;
use crate::made::{Shape, run};
use store::Store;

#[test]
fn a_run_reads_back_as_it_was() {
    let folder = Folder::new("round-trip");
    let mut store = Store::open(&folder.store()).unwrap();
    let record = run("a1", Shape { phases: 2, seconds: 3, actions: 3, per_sec: 300 }, 7);
    store.insert(&record).unwrap();
    assert!(record.phases[0].intervals[0].actions.len() == 3);
    assert_eq!(store.load("a1").unwrap(), record);
    let again = Store::open_to_read(&folder.store()).unwrap();
    assert_eq!(again.load("a1").unwrap(), record);
}
