//! Whole runs against the embedded target over real sockets: what Weir counts is what the server counted, and faults have their class.

mod counts;
mod edges;
mod faults;
mod lanes;
mod laws;
mod pipelined;
mod protocol;
mod ramps;
mod times;
mod turns;

use plan::Plan;
use record::{PhaseRecord, RunObserver, RunRecord};
use runner::{DriverChoice, RunError, RunOptions, execute};
use target::{Options, Running, Server};

/// A target on a free port of 127.0.0.1.
fn target() -> Running {
    target_with(Options::default())
}

fn target_with(options: Options) -> Running {
    Server::bind(options).and_then(Server::start).expect("the loopback has a free port")
}

/// The native plan in `yaml`, with `URL` standing for the target's.
fn plan_for(running: &Running, yaml: &str) -> Plan {
    let url = format!("http://{}", running.local_addr().expect("a TCP target"));
    plan(&yaml.replace("URL", &url))
}

fn plan(yaml: &str) -> Plan {
    let loaded = planfile::parse(yaml, "test.yaml", &planfile::InMemory::default());
    loaded.plan.unwrap_or_else(|| panic!("{:#?}", loaded.diagnostics))
}

fn run(plan: Plan) -> RunRecord {
    run_with(plan, RunOptions::default()).expect("the target is there")
}

fn run_with(plan: Plan, options: RunOptions) -> Result<RunRecord, RunError> {
    execute(plan, options, &mut [])
}

/// The same run by each driver that this machine has.
fn with_each_driver(mut check: impl FnMut(DriverChoice)) {
    check(DriverChoice::Epoll);
    match netio::uring::probe() {
        Ok(()) => check(DriverChoice::IoUring),
        Err(why) => println!("io_uring left out: {why}"),
    }
}

/// The laws that hold for every phase that has drained.
fn assert_laws(phase: &PhaseRecord) {
    let counts = &phase.counts;
    assert_eq!(counts.due, counts.started + counts.dropped + counts.unstarted, "{counts:?}");
    assert_eq!(counts.started, counts.completed + counts.failed + counts.unfinished, "{counts:?}");
    assert_eq!(phase.response_ns.count, counts.started + counts.unstarted, "{counts:?}");
    let per_action: u64 = phase.actions.iter().map(|action| action.counts.started).sum();
    assert_eq!(per_action, counts.started);
    let per_interval: u64 = phase.intervals.iter().map(|interval| interval.counts.started).sum();
    assert_eq!(per_interval, counts.started);
    let errors: u64 = phase.errors.values().sum();
    assert_eq!(errors, counts.failed);
}

/// Calls a closure at the first interval that ends.
struct AtFirstInterval<F: FnMut()>(Option<F>);

impl<F: FnMut()> RunObserver for AtFirstInterval<F> {
    fn interval_ended(&mut self, _: &record::Progress<'_>) {
        if let Some(mut act) = self.0.take() {
            act();
        }
    }
}
