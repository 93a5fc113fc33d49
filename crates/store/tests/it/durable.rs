//! What befalls files: two writers, damage, other programs, newer and older versions, folders that can't be written.

use crate::folder::Folder;
use crate::made::{Shape, run};
use record::{Progress, RunObserver, RunRecord, VerdictState};
use rusqlite::Connection;
use store::{Filter, Keeper, RunState, Store, StoreError};

const SMALL: Shape = Shape { phases: 2, seconds: 3, actions: 2, per_sec: 60 };

fn ids(store: &Store) -> Vec<String> {
    store.list(&Filter::default()).unwrap().into_iter().map(|run| run.id).collect()
}

fn keeper(folder: &Folder) -> Keeper {
    Keeper::start(&folder.store(), Box::new(|_| {})).unwrap()
}

/// Shows a run to an observer as it would have happened, phases side by side so that their order of start is not that of the record.
fn play(keeper: &mut Keeper, record: &RunRecord) {
    keeper.run_started(&record.without_phases());
    for phase in record.phases.iter().rev() {
        for interval in &phase.intervals {
            keeper.interval_ended(&Progress {
                phase: &phase.name,
                is_warmup: false,
                repeat: (phase.repeat_index, 1),
                elapsed_ns: 0,
                duration_ns: None,
                offered_per_sec: phase.offered_per_sec,
                interval,
            });
        }
        keeper.phase_ended(phase);
    }
}

#[test]
fn a_run_kept_as_it_happens_reads_back_as_it_was() {
    let folder = Folder::new("keeper");
    // More intervals than the channel has room for: what found none is written at the end.
    let record = run("a1", Shape { seconds: 90, ..SMALL }, 3);
    let mut keeper = keeper(&folder);
    play(&mut keeper, &record);
    keeper.finish(&record).unwrap();
    let store = Store::open_to_read(&folder.store()).unwrap();
    assert_eq!(store.load("a1").unwrap(), record);
    assert_eq!(store.summary("a1").unwrap().state, RunState::Ended);
}

#[test]
fn a_run_whose_end_is_missing_is_rebuilt_and_says_so() {
    let folder = Folder::new("no-end");
    let record = run("a1", SMALL, 3);
    let mut keeper = keeper(&folder);
    play(&mut keeper, &record);
    drop(keeper);
    // The thread writes what it was given; then nothing comes any more.
    let store = loop {
        match Store::open_to_read(&folder.store()) {
            Ok(store) if store.count().unwrap() == 1 && store.load("a1").unwrap().phases.len() == 2 => {
                break store;
            }
            _ => std::thread::yield_now(),
        }
    };
    // As long as this process is there, the run may go on.
    assert_eq!(store.summary("a1").unwrap().state, RunState::Running);
    drop(store);
    let database = Connection::open(folder.store()).unwrap();
    database.execute("UPDATE run SET writer = '1 1 elsewhere', touched_unix_ns = 0", []).unwrap();
    drop(database);
    let store = Store::open_to_read(&folder.store()).unwrap();
    let (rebuilt, summary) = (store.load("a1").unwrap(), store.summary("a1").unwrap());
    assert_eq!((summary.state, summary.verdict), (RunState::Aborted, VerdictState::Invalid));
    assert!(rebuilt.aborted.unwrap().contains("killed"));
    assert_eq!(rebuilt.verdict.state, VerdictState::Invalid);
    let started =
        |record: &[record::PhaseRecord]| record.iter().map(|phase| phase.counts.started).sum::<u64>();
    assert_eq!(started(&rebuilt.phases), started(&record.phases));
}

#[test]
fn a_phase_that_did_not_end_is_the_sum_of_its_intervals() {
    let folder = Folder::new("cut");
    let record = run("a1", Shape { phases: 1, ..SMALL }, 3);
    let phase = &record.phases[0];
    let mut keeper = keeper(&folder);
    keeper.run_started(&record.without_phases());
    for interval in &phase.intervals {
        keeper.interval_ended(&Progress {
            phase: &phase.name,
            is_warmup: false,
            repeat: (0, 1),
            elapsed_ns: 0,
            duration_ns: None,
            offered_per_sec: Some(60.0),
            interval,
        });
    }
    drop(keeper);
    let rebuilt = loop {
        let loaded = Store::open_to_read(&folder.store()).and_then(|store| store.load("a1"));
        match loaded {
            Ok(run) if run.phases.first().is_some_and(|phase| phase.intervals.len() == 3) => break run,
            _ => std::thread::yield_now(),
        }
    };
    let again = &rebuilt.phases[0];
    assert_eq!(again.intervals, phase.intervals);
    assert_eq!((again.counts, again.duration_ns), (phase.counts, phase.duration_ns));
    assert_eq!(again.response_ns.histogram, phase.response_ns.histogram);
    let counts = |phase: &record::PhaseRecord| -> Vec<_> {
        phase.actions.iter().map(|action| (action.name.clone(), action.counts)).collect()
    };
    assert_eq!(counts(again), counts(phase));
}

#[test]
fn two_writers_at_once_are_safe() {
    let folder = Folder::new("two");
    let path = folder.store();
    std::thread::scope(|scope| {
        for writer in ["a", "b"] {
            let path = &path;
            scope.spawn(move || {
                for seed in 0..8 {
                    let record = run(&format!("{writer}{seed}"), Shape { phases: 1, ..SMALL }, seed);
                    let mut keeper = Keeper::start(path, Box::new(|_| {})).unwrap();
                    play(&mut keeper, &record);
                    keeper.finish(&record).unwrap();
                }
            });
        }
    });
    let store = Store::open_to_read(&path).unwrap();
    assert_eq!(store.count().unwrap(), 16);
    for id in ids(&store) {
        let seed = id[1..].parse().unwrap();
        assert_eq!(store.load(&id).unwrap(), run(&id, Shape { phases: 1, ..SMALL }, seed));
    }
}

#[test]
fn what_is_no_store_is_refused_and_left_alone() {
    let folder = Folder::new("damaged");
    let path = folder.path().join("runs.db");
    let check = |content: &[u8], expected: &str| {
        std::fs::write(&path, content).unwrap();
        let error = Store::open(&path).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert!(!error.hint().is_empty());
        assert!(Keeper::start(&path, Box::new(|_| {})).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), content);
    };
    check(
        b"this is a text and no database, long enough to be looked at as one would be",
        "damaged or no store",
    );
    let store = folder.store();
    Store::open(&store).unwrap().insert(&run("a1", SMALL, 1)).unwrap();
    let whole = std::fs::read(&store).unwrap();
    let mut broken = whole;
    broken[..100].fill(0xff);
    check(&broken, "damaged or no store");
    let other = folder.path().join("other.db");
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
    check(&std::fs::read(&other).unwrap(), "a database of another program");
    let newer = folder.path().join("newer.db");
    drop(Store::open(&newer).unwrap());
    Connection::open(&newer).unwrap().execute_batch("PRAGMA user_version = 99").unwrap();
    let error = Store::open(&newer).unwrap_err();
    assert!(matches!(error, StoreError::Newer { found: 99, .. }), "{error}");
}

#[test]
fn a_damaged_row_is_said_and_the_others_are_read() {
    let folder = Folder::new("row");
    let mut store = Store::open(&folder.store()).unwrap();
    for id in ["a1", "a2"] {
        store.insert(&run(id, SMALL, 1)).unwrap();
    }
    let database = Connection::open(folder.store()).unwrap();
    let sql = "UPDATE interval SET content = substr(content, 1, 20) WHERE run = (SELECT key FROM run WHERE id = 'a1')";
    assert!(database.execute(sql, []).unwrap() > 0);
    assert!(matches!(store.load("a1"), Err(StoreError::Corrupt { .. })));
    assert!(store.load("a2").is_ok());
    assert_eq!(ids(&store).len(), 2);
}

#[test]
fn an_older_store_becomes_one_of_today_with_its_runs() {
    let folder = Folder::new("older");
    let record = run("a1", SMALL, 1);
    Store::open(&folder.store()).unwrap().insert(&record).unwrap();
    let version = |database: &Connection| -> i64 {
        database.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
    };
    // A store of version 1: what version 2 brought is taken away.
    let database = Connection::open(folder.store()).unwrap();
    let today = version(&database);
    database.execute_batch("DROP TABLE wish; PRAGMA user_version = 1").unwrap();
    drop(database);
    let store = Store::open_to_read(&folder.store()).unwrap();
    assert_eq!(store.load("a1").unwrap(), record);
    let database = Connection::open(folder.store()).unwrap();
    assert_eq!(version(&database), today);
    let wishes: i64 = database.query_row("SELECT count(*) FROM wish", [], |row| row.get(0)).unwrap();
    assert_eq!(wishes, 0);
}

#[test]
fn a_place_that_cant_be_written_is_said_and_nothing_is_made() {
    let error = Store::open(std::path::Path::new("/proc/weir/runs.db")).unwrap_err();
    assert!(matches!(error, StoreError::Access { .. }), "{error}");
    let folder = Folder::new("no-store");
    for error in [Store::open(folder.path()).unwrap_err(), Store::open_to_read(folder.path()).unwrap_err()] {
        assert!(error.to_string().ends_with(": it is a folder, not a file"), "{error}");
    }
    let error = Store::open_to_read(&folder.store()).unwrap_err();
    assert!(matches!(error, StoreError::Absent { .. }), "{error}");
    drop(keeper(&folder));
    assert!(!folder.store().exists(), "a run that never started leaves no store");
}

#[test]
fn a_store_is_its_owners_and_kept_out_of_git() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new("mode");
    let _store = Store::open(&folder.store()).unwrap();
    for name in ["runs.db", "runs.db-wal", "runs.db-shm"] {
        let facts = std::fs::metadata(folder.store().with_file_name(name)).unwrap();
        assert_eq!(facts.permissions().mode() & 0o777, 0o600, "{name}");
    }
    assert_eq!(std::fs::read_to_string(folder.store().with_file_name(".gitignore")).unwrap(), "*\n");
}
