//! A run in simulated time: the same worker and the same conductor, on one thread, against a simulated server.

use crate::conductor::Conductor;
use crate::{RunError, local};
use engine::{Command, Report, TargetSetup, Usage, Worker, WorkerSetup};
use netio::sim::SimDriver;
use netio::{Address, Waker};
use plan::Plan;
use record::{Client, Environment, RunRecord, SCHEMA_VERSION, Verdict};
use schedule::Slice;
use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, mpsc};

/// Turns after which a simulated run is given up as stuck: a run of a million requests takes some ten million.
const TURN_COUNT_MAX: u64 = 1_000_000_000;

/// Runs a plan on one simulated worker. Targets are whatever the driver simulates, without TLS.
/// The same plan and the same driver give the same record, byte for byte: it holds no wall clock and no machine.
///
/// # Errors
/// A plan with faults; a simulation that gets stuck.
pub fn simulate(plan: &Plan, driver: SimDriver) -> Result<RunRecord, RunError> {
    let faults = plan.faults();
    if !faults.is_empty() {
        return Err(RunError::BadPlan(faults));
    }
    let scenarios = local::compile(plan)?;
    let target = |target: &plan::Target| TargetSetup {
        addresses: vec![Address::Inet(SocketAddr::from((Ipv4Addr::LOCALHOST, target.port)))],
        tls: None,
        tunnel: None,
        connections: target.connections,
        connect_timeout_ns: target.connect_timeout_ns,
    };
    let setup = WorkerSetup {
        slices: vec![Slice::WHOLE; plan.scenarios.len()],
        targets: plan.targets.iter().map(target).collect(),
        scenarios: scenarios.clone(),
        interval_ns: plan.interval_ns,
        read_usage: Usage::default,
    };
    let (commands, orders) = mpsc::channel();
    let told: Arc<Mutex<VecDeque<Report>>> = Arc::default();
    let sink = Arc::clone(&told);
    let waker = driver.waker();
    let push = move |report| {
        // The conductor has its turn before the worker waits.
        waker.wake();
        if let Ok(mut told) = sink.lock() {
            told.push_back(report);
        }
    };
    let mut worker = Worker::new(driver, setup, orders, Box::new(push));
    let mut conductor = Conductor::new(plan, &scenarios, 1);
    for _ in 0..TURN_COUNT_MAX {
        conductor.advance(worker.now_ns(), &mut []);
        for (_, command) in conductor.take_commands() {
            let _ = commands.send(command);
        }
        if conductor.is_done() {
            let _ = commands.send(Command::Exit);
            worker.run();
            return Ok(record_of(plan, conductor));
        }
        worker.turn();
        let reports = told.lock().map(|mut told| std::mem::take(&mut *told)).unwrap_or_default();
        for report in reports {
            conductor.on_report(0, report, worker.now_ns(), &mut []);
        }
        for meeting in conductor.take_meetings() {
            // A plan names all its targets, and nothing but plans is simulated.
            conductor.on_met(&meeting, Err(stats::ErrorClass::Resolve));
        }
    }
    Err(RunError::Internal("the simulation does not end".to_owned()))
}

fn record_of(plan: &Plan, conductor: Conductor<'_>) -> RunRecord {
    let environment = Environment { driver: "simulated".to_owned(), ..Environment::default() };
    let mut record = RunRecord {
        schema_version: SCHEMA_VERSION,
        run_id: "simulated".to_owned(),
        name: plan.name.clone(),
        origin: String::new(),
        labels: Default::default(),
        started_unix_ns: 0,
        duration_ns: 0,
        aborted: conductor.aborted().map(str::to_owned),
        plan: local::plan_value(plan),
        environment,
        verdict: Verdict::default(),
        slos: Vec::new(),
        phases: conductor.into_phases(),
        client: Client::default(),
    };
    local::finish(plan, &mut record);
    record
}
