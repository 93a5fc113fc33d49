//! What the live line says, and that it leaves nothing behind.

use crate::sample;
use record::{IntervalRecord, Progress, RunObserver, RunRecord};
use report::{Color, LiveLine, Watcher};
use stats::Interval;

fn interval() -> IntervalRecord {
    let mut interval = Interval::new(1, 0, 0);
    interval.duration_ns = 500_000_000;
    let stats = &mut interval.actions[0];
    (0..2_000u64).for_each(|n| stats.response_ns.record(1_000_000 + n));
    (stats.counts.completed, stats.counts.failed) = (500, 3);
    IntervalRecord::of(&interval, 0)
}

/// All that is said of a run that has one interval in its second phase.
fn said(watcher: Watcher, record: &RunRecord) -> String {
    let mut bytes = Vec::new();
    let mut line = LiveLine::new(&mut bytes, watcher, Color::Never);
    line.run_started(record);
    let interval = interval();
    line.interval_ended(&Progress {
        phase: "steady",
        is_warmup: false,
        repeat: (1, 3),
        elapsed_ns: 3_000_000_000,
        duration_ns: Some(12_000_000_000),
        offered_per_sec: Some(1_200.0),
        interval: &interval,
    });
    for phase in &record.phases {
        line.phase_ended(phase);
    }
    line.run_ended(record);
    drop(line);
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_terminal_sees_one_line_that_goes_away() {
    expect_test::expect![[r#""\r\u{1b}[2Ksteady 2/3  6 errors/s  9s left  1,000/s of 1,200/s  p50 1.00 ms  p99 1.00 ms\r\u{1b}[2K""#]]
    .assert_eq(&format!("{:?}", said(Watcher::Terminal, &sample::quick())));
}

#[test]
fn a_log_gets_a_line_for_each_phase_of_several() {
    assert_eq!(said(Watcher::Log, &sample::quick()), "");
    expect_test::expect![[r#"
        warm-up      2.00 s  100/s of 100/s  p50 127 µs  p99 –
        steady       5.00 s  500/s of 500/s  p50 126 µs  p99 478 µs
        stall        5.00 s  293/s of 300/s  p50 162 µs  p99 190 ms  37 failed
        peak <&| 1   1.00 s  196/s  p50 118 µs  p99 –  4 failed

    "#]]
    .assert_eq(&said(Watcher::Log, &sample::checkout()));
}

#[test]
fn what_is_other_than_asked_for_is_said_at_the_start() {
    let mut record = sample::quick();
    record.environment.notes =
        vec!["io_uring can't be used here, so epoll was: it is \x1b[1mrefused".to_owned()];
    assert_eq!(
        said(Watcher::Log, &record),
        "note: io_uring can't be used here, so epoll was: it is \u{FFFD}[1mrefused\n"
    );
}
