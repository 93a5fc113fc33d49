//! `weir import`: runs of files put into the store.

use crate::args::{ImportArgs, StoreArgs};
use crate::exit::{Exit, Failure};
use crate::selected::{open, records_of_file, said};
use crate::talk::Talk;
use record::RunRecord;
use store::{Store, StoreError};

pub(crate) fn run(args: &ImportArgs, talk: &Talk) -> Result<Exit, Failure> {
    let mut failure = Failure { exit: Exit::BadPlan, messages: Vec::new() };
    let mut records: Vec<RunRecord> = Vec::new();
    for file in &args.files {
        match records_of_file(file) {
            Ok(found) => records.extend(found),
            Err(diagnostic) => failure.messages.push(diagnostic.to_string()),
        }
    }
    if !failure.messages.is_empty() {
        return Err(failure);
    }
    let store: &StoreArgs = &args.store;
    let mut store = open(store).map_err(|diagnostic| Failure::usage(&diagnostic))?;
    for mut record in records {
        if let Some(name) = &args.name {
            record.name.clone_from(name);
        }
        record.labels.extend(args.labels.iter().cloned());
        match put(&mut store, &record) {
            Ok(told) => talk.say(&format!("{told} {}  {}", record.run_id, record.name)),
            Err(error) => failure.messages.push(said(&error).to_string()),
        }
    }
    if failure.messages.is_empty() { Ok(Exit::Done) } else { Err(failure) }
}

/// Keeps a run; the same run twice is kept once.
fn put(store: &mut Store, record: &RunRecord) -> Result<&'static str, StoreError> {
    match store.insert(record) {
        Err(StoreError::Taken { .. }) if store.load(&record.run_id)? == *record => Ok("already there:"),
        other => other.map(|()| "kept"),
    }
}
