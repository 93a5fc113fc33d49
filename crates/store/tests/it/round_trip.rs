//! What is read back is what was kept.

use crate::folder::Folder;
use crate::made::{Shape, run};
use proptest::prelude::*;
use record::RunRecord;
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

/// What a record may hold besides what runs make: other programs write them too.
fn strange(seed: u64, name: String, rate: f64, count: u64, histogram: String) -> RunRecord {
    let mut record = run(
        "p1",
        Shape { phases: 1 + (seed % 2) as usize, seconds: 2, actions: 2, per_sec: 20 },
        seed % 1_000,
    );
    record.plan = serde_json::json!({"text": name, "number": rate, "count": count, "negative": -1, "list": [null, true, 1e300]});
    record.labels.insert(name.clone(), histogram.clone());
    record.started_unix_ns = count;
    record.environment.notes.push(name.clone());
    record.client.workers[0].lateness_ns.histogram.clone_from(&histogram);
    record.client.steal_ratio = Some(rate);
    let phase = &mut record.phases[0];
    phase.errors.insert(name.clone(), count);
    (phase.achieved_per_sec, phase.offered_per_sec) = (rate, None);
    phase.traffic.tls_ns.histogram.clone_from(&histogram);
    phase.intervals[1].wait_ns.histogram.clone_from(&histogram);
    phase.intervals[0].actions[1].service_ns.histogram = histogram;
    phase.intervals[0].in_flight_mean = rate;
    (phase.intervals[0].counts.due, phase.intervals[0].duration_ns) = (count, count);
    record.name = name;
    record
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_record_reads_back_to_the_last_bit(
        seed in any::<u64>(),
        name in any::<String>(),
        bits in any::<u64>(),
        count in any::<u64>(),
        histogram in prop_oneof![Just("@".to_owned()), Just("QUI=".to_owned()), Just("QUJ=".to_owned()), "[A-Za-z0-9+/=@]{0,40}"],
    ) {
        let rate = Some(f64::from_bits(bits)).filter(|rate| rate.is_finite()).unwrap_or(0.1);
        let record = strange(seed, name, rate, count, histogram);
        let folder = Folder::new(&format!("any-{seed}"));
        let mut store = Store::open(&folder.store()).unwrap();
        store.insert(&record).unwrap();
        let loaded = store.load("p1").unwrap();
        prop_assert_eq!(serde_json::to_string(&loaded).unwrap(), serde_json::to_string(&record).unwrap());
        prop_assert_eq!(loaded, record);
    }
}
