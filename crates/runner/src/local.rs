//! A run on this machine: one thread per worker, and the caller's thread as control plane.

use crate::conductor::{Conductor, Meeting, Observers, place_count, user_slices};
use crate::reach::{look_up, reach, text_of};
use crate::usage::{self, Process};
use crate::{RunError, environment};
use engine::{Command, Report, TargetSetup, Worker, WorkerSetup};
use netio::epoll::EpollDriver;
use netio::uring::{self, UringDriver};
use netio::{Driver, EventWaker, Waker};
use plan::{ConnectionPolicy, Load, Plan};
use record::{Client, Latencies, RunObserver, RunRecord, SCHEMA_VERSION, Verdict, WorkerRecord};
use scenario::{Program, ScenarioFactory};
use schedule::Slice;
use stats::ErrorClass;
use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use units::Rate;

/// Descriptors beside the connections: output files, epoll, wakers, the terminal.
const FD_SPARE_COUNT: u64 = 64;
/// How long workers that were told to give up may be silent. They need a turn of their loop for it: ms, on any machine.
const GIVE_UP_LIMIT: Duration = Duration::from_secs(1);

/// How to run.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// Worker threads; `None`: one. Never more than there are connections or users to share out.
    pub worker_count: Option<usize>,
    /// How sockets are driven.
    pub driver: DriverChoice,
    /// In place of the plan's name.
    pub name: Option<String>,
    /// What makes the run, as the record names it, such as a command.
    pub origin: String,
    /// What the user writes on it, by key.
    pub labels: BTreeMap<String, String>,
    /// By which the run can be ended or changed.
    pub control: RunControl,
}

/// How sockets are driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DriverChoice {
    /// The better one that this machine allows.
    #[default]
    Auto,
    /// By epoll.
    Epoll,
    /// By io_uring; where this machine refuses it, by epoll, and the record says so.
    IoUring,
}

/// Ends or changes a run from another thread or a signal handler's thread.
#[derive(Debug, Clone, Default)]
pub struct RunControl {
    inner: Arc<ControlInner>,
}

#[derive(Debug, Default)]
struct ControlInner {
    stop_count: AtomicU32,
    inbox: Mutex<Option<Sender<Message>>>,
}

impl RunControl {
    /// One that was not used yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The first call ends the load, lets what is under way drain, and the run is reported; the second gives up what is under way.
    pub fn stop(&self) {
        self.inner.stop_count.fetch_add(1, Ordering::SeqCst);
        if let Ok(inbox) = self.inner.inbox.lock()
            && let Some(inbox) = inbox.as_ref()
        {
            // The run may be over already.
            let _ = inbox.send(Message::Interrupted);
        }
    }

    /// Gives the open phases that run another rate, of all workers together, from some 20 ms on until their end; phases that begin later have
    /// their plan's. The record says so in its notes.
    pub fn change_rate(&self, rate: Rate) {
        if let Ok(inbox) = self.inner.inbox.lock()
            && let Some(inbox) = inbox.as_ref()
        {
            // The run may be over already.
            let _ = inbox.send(Message::ChangeRate(rate));
        }
    }

    fn stop_count(&self) -> u32 {
        self.inner.stop_count.load(Ordering::SeqCst)
    }

    fn attach(&self, inbox: Option<Sender<Message>>) {
        if let Ok(mut place) = self.inner.inbox.lock() {
            *place = inbox;
        }
    }
}

/// What the control plane hears.
#[derive(Debug)]
enum Message {
    Report(usize, Report),
    Interrupted,
    ChangeRate(Rate),
    Met(Meeting, Result<Box<TargetSetup>, ErrorClass>),
}

/// A worker's thread.
struct Hand {
    commands: Sender<Command>,
    waker: EventWaker,
    thread: JoinHandle<()>,
}

/// Runs a plan and returns its record, judged. Blocks until the run is over; observers are called from this thread.
///
/// # Errors
/// [`RunError`], always before any load was sent, but for [`RunError::Internal`].
pub fn execute(
    plan: Plan,
    options: RunOptions,
    observers: &mut [&mut dyn RunObserver],
) -> Result<RunRecord, RunError> {
    let scenarios = checked(&plan).and_then(|()| compile(&plan))?;
    execute_with(plan, scenarios, options, observers)
}

/// [`execute`] with scenarios that are no data but code, such as a front end's scripts: one for each of the plan's scenarios, in their order. Of
/// the plan's own they take the place; actions, requests and checks are named by [`ScenarioFactory::shape`].
///
/// # Errors
/// As [`execute`]; [`RunError::Internal`] when there are not as many factories as scenarios.
pub fn execute_with(
    plan: Plan,
    scenarios: Vec<Arc<dyn ScenarioFactory>>,
    options: RunOptions,
    observers: &mut [&mut dyn RunObserver],
) -> Result<RunRecord, RunError> {
    checked(&plan)?;
    if scenarios.len() != plan.scenarios.len() {
        let (found, wanted) = (scenarios.len(), plan.scenarios.len());
        return Err(RunError::Internal(format!("{found} factories for {wanted} scenarios")));
    }
    let targets = plan.targets.iter().map(reach).collect::<Result<Vec<_>, _>>()?;
    let worker_count = options.worker_count.unwrap_or(1).clamp(1, workers_max(&plan));
    let (certain, possible) = connections_of(&plan);
    if let Err(limit) = netio::raise_fd_limit(possible.saturating_add(FD_SPARE_COUNT)) {
        // As far as it goes; what is not there when it is needed is counted, and the verdict says so.
        let _ = netio::raise_fd_limit(limit.hard);
        netio::raise_fd_limit(certain.saturating_add(FD_SPARE_COUNT)).map_err(|limit| {
            RunError::Resources {
                message: limit.to_string(),
                hint: "use fewer connections or users".to_owned(),
            }
        })?;
    }
    let (driver, notes) = choose_driver(options.driver);
    let (sender, inbox) = mpsc::channel();
    options.control.attach(Some(sender.clone()));
    let mut record = blank_record(&plan, &options, driver, notes, &targets);
    let process_before = Process::read();
    let origin = Instant::now();
    let hands = (0..worker_count)
        .map(|index| {
            let setup = setup_of(&plan, &targets, &scenarios, index, worker_count);
            hire(driver, origin, setup, index, sender.clone())
        })
        .collect::<Result<Vec<_>, _>>()?;
    observers.iter_mut().for_each(|observer| observer.run_started(&record));
    let mail = (&sender, &inbox);
    let conductor = conduct(&plan, &scenarios, &hands, mail, origin, &options.control, observers)?;
    options.control.attach(None);
    for hand in hands {
        hand.thread.join().map_err(|_| RunError::Internal("a worker thread panicked".to_owned()))?;
    }
    record.client = client_of(&conductor, &process_before);
    record.environment.notes.extend_from_slice(conductor.notes());
    record.environment.addresses.extend(conductor.met_addresses().clone());
    record.aborted = conductor.aborted().map(str::to_owned);
    record.phases = conductor.into_phases();
    finish(&plan, &mut record);
    observers.iter_mut().for_each(|observer| observer.run_ended(&record));
    Ok(record)
}

/// Fills in what follows from the phases.
pub(crate) fn finish(plan: &Plan, record: &mut RunRecord) {
    record.duration_ns = record
        .phases
        .iter()
        .map(|phase| phase.start_ns + phase.duration_ns + phase.drain_ns)
        .max()
        .unwrap_or(0);
    record.slos = record::evaluate_slos(plan, &record.phases);
    record.verdict = record::judge(record);
}

fn checked(plan: &Plan) -> Result<(), RunError> {
    let faults = plan.faults();
    if faults.is_empty() { Ok(()) } else { Err(RunError::BadPlan(faults)) }
}

/// Compiles all scenarios, or says all that is wrong with them.
pub(crate) fn compile(plan: &Plan) -> Result<Vec<Arc<dyn ScenarioFactory>>, RunError> {
    let mut scenarios: Vec<Arc<dyn ScenarioFactory>> = Vec::new();
    let mut faults = Vec::new();
    for index in 0..plan.scenarios.len() {
        match Program::compile(plan, index) {
            Ok(program) => scenarios.push(Arc::new(Arc::new(program))),
            Err(found) => faults.extend(found),
        }
    }
    if faults.is_empty() { Ok(scenarios) } else { Err(RunError::BadPlan(faults)) }
}

/// More workers than this would leave some without a connection or a user.
fn workers_max(plan: &Plan) -> usize {
    let shared = plan.targets.iter().filter_map(|target| match target.connections {
        ConnectionPolicy::Shared(count) => Some(count),
        ConnectionPolicy::PerUser | ConnectionPolicy::PerAction | ConnectionPolicy::PerRequest => None,
    });
    // A worker without a place in a phase sits it out.
    let most = plan.phases.iter().map(|phase| place_count(&phase.load)).max();
    shared.chain(most).min().unwrap_or(1).max(1) as usize
}

/// Descriptors that a plan needs for certain, and those that it may come to use: a phase's `users_max` is a bound, not a wish.
fn connections_of(plan: &Plan) -> (u64, u64) {
    // Users stay with their scenario, and phases of one scenario may run side by side.
    let users_of = |scenario: usize, counts_open: bool| {
        let phases = plan.phases.iter().filter(move |phase| phase.scenario == scenario);
        let users = phases.map(move |phase| {
            let users = match phase.load {
                Load::Closed { users, .. } | Load::Once { users, .. } => u64::from(users),
                Load::Open { users: Some(users), .. } => u64::from(users),
                Load::Ramping { .. } => u64::from(place_count(&phase.load)),
                Load::Open { users_max, .. } => u64::from(users_max) * u64::from(counts_open),
            };
            (users, matches!(phase.start, plan::PhaseStart::With(..)))
        });
        users.fold(
            0u64,
            |sum, (users, beside)| if beside { sum.saturating_add(users) } else { sum.max(users) },
        )
    };
    let users =
        |counts_open| (0..plan.scenarios.len()).map(|scenario| users_of(scenario, counts_open)).sum::<u64>();
    let connections = |users: u64| {
        let per_target = plan.targets.iter().map(|target| match target.connections {
            ConnectionPolicy::Shared(count) => u64::from(count),
            ConnectionPolicy::PerUser | ConnectionPolicy::PerAction | ConnectionPolicy::PerRequest => users,
        });
        per_target.fold(0u64, u64::saturating_add)
    };
    (connections(users(false)), connections(users(true)))
}

/// A driver that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DriverKind {
    Epoll,
    IoUring,
}

impl DriverKind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Epoll => "epoll",
            Self::IoUring => "io_uring",
        }
    }
}

/// The driver to use, and what is to be said about the choice. Epoll is the default: it works everywhere, and each of its sends has a time
/// stamp of its own, where io_uring's share one per batch.
fn choose_driver(choice: DriverChoice) -> (DriverKind, Vec<String>) {
    match choice {
        DriverChoice::Auto | DriverChoice::Epoll => (DriverKind::Epoll, Vec::new()),
        DriverChoice::IoUring => match uring::probe() {
            Ok(()) => (DriverKind::IoUring, Vec::new()),
            Err(why) => {
                (DriverKind::Epoll, vec![format!("io_uring can't be used here, so epoll was: {why}")])
            }
        },
    }
}

fn blank_record(
    plan: &Plan,
    options: &RunOptions,
    driver: DriverKind,
    notes: Vec<String>,
    targets: &[TargetSetup],
) -> RunRecord {
    let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut environment = environment::read(driver.as_str(), notes);
    for (target, setup) in plan.targets.iter().zip(targets) {
        environment.addresses.insert(target.name.clone(), setup.addresses.iter().map(text_of).collect());
    }
    RunRecord {
        schema_version: SCHEMA_VERSION,
        run_id: run_id(started.as_millis() as u64, std::process::id()),
        name: options.name.clone().unwrap_or_else(|| plan.name.clone()),
        origin: options.origin.clone(),
        labels: options.labels.clone(),
        started_unix_ns: started.as_nanos() as u64,
        duration_ns: 0,
        aborted: None,
        plan: plan_value(plan),
        environment,
        verdict: Verdict::default(),
        slos: Vec::new(),
        phases: Vec::new(),
        client: Client::default(),
    }
}

/// The plan as the record keeps it: credentials hidden, also where they come by a variable.
pub(crate) fn plan_value(plan: &Plan) -> serde_json::Value {
    let mut plan = plan.clone();
    for scenario in &mut plan.scenarios {
        let steps = scenario.actions.iter().flat_map(|action| &action.steps);
        let headers = steps.flat_map(|step| match step {
            plan::Step::Request(request) => request.headers.as_slice(),
            plan::Step::Think(_) | plan::Step::Delay(_) | plan::Step::Set(..) => &[],
        });
        let credentials = headers.filter(|(name, _)| plan::Secret::is_credential_header(name));
        let secret: Vec<plan::VariableIndex> = credentials
            .flat_map(|(_, value)| &value.parts)
            .filter_map(|part| match part {
                plan::TemplatePart::Variable { index, .. } => Some(*index),
                plan::TemplatePart::Text(_) | plan::TemplatePart::Builtin(_) => None,
            })
            .collect();
        for (_, value) in scenario.initial.iter_mut().filter(|(variable, _)| secret.contains(variable)) {
            "(hidden)".clone_into(value);
        }
    }
    serde_json::to_value(&plan).unwrap_or_default()
}

/// Nine letters of Crockford's base 32 for the milliseconds, so that ids sort by time, and two that tell processes apart.
fn run_id(unix_ms: u64, process_id: u32) -> String {
    const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let digit = |value: u64| char::from(DIGITS[(value & 31) as usize]);
    let time = (0..9).rev().map(|place| digit(unix_ms >> (5 * place)));
    let process = units::Random::new(u64::from(process_id)).bits();
    time.chain([digit(process), digit(process >> 5)]).collect()
}

pub(crate) fn setup_of(
    plan: &Plan,
    targets: &[TargetSetup],
    scenarios: &[Arc<dyn ScenarioFactory>],
    index: usize,
    worker_count: usize,
) -> WorkerSetup {
    let slice = Slice { index: index as u64, count: worker_count as u64 };
    let share = |(target_index, target): (usize, &TargetSetup)| {
        let mut target = target.clone();
        let own = scenarios.iter().find_map(|factory| factory.addresses(target_index, slice.index));
        if let Some(own) = own.filter(|own| !own.is_empty()) {
            target.addresses = own.into_iter().map(netio::Address::Inet).collect();
        }
        if let ConnectionPolicy::Shared(count) = target.connections {
            target.connections = ConnectionPolicy::Shared(slice.share(u64::from(count)).max(1) as u32);
        }
        // Sessions to resume are kept per worker, so that workers share no lock.
        target.tls = target.tls.map(|(client, name)| (client.with_own_sessions(), name));
        target
    };
    WorkerSetup {
        slices: user_slices(plan, index, worker_count),
        targets: targets.iter().enumerate().map(share).collect(),
        scenarios: scenarios.to_vec(),
        interval_ns: plan.interval_ns,
        read_usage: usage::of_thread,
    }
}

/// Starts a worker's thread. The driver is made there, because it belongs to that thread.
fn hire(
    driver: DriverKind,
    origin: Instant,
    setup: WorkerSetup,
    index: usize,
    reports: Sender<Message>,
) -> Result<Hand, RunError> {
    let (commands, orders) = mpsc::channel();
    let (wakers, born) = mpsc::channel();
    let lacking = |message: String| RunError::Resources {
        message,
        hint: "close other programs, or raise the limits on threads and open files".to_owned(),
    };
    let work = move || {
        // Without finer timers pacing is coarser, and the lateness of sends tells.
        let _ = netio::prepare_thread();
        match driver {
            DriverKind::Epoll => work_with(EpollDriver::new(origin), &wakers, setup, orders, index, reports),
            DriverKind::IoUring => {
                work_with(UringDriver::new(origin), &wakers, setup, orders, index, reports)
            }
        }
    };
    let thread = std::thread::Builder::new()
        .name(format!("weir-worker-{index}"))
        .spawn(work)
        .map_err(|error| lacking(format!("no thread for a worker: {error}")))?;
    let waker =
        born.recv().map_err(|_| RunError::Internal("a worker thread died at its start".to_owned()))?;
    let waker = waker.map_err(|error| lacking(format!("no driver for a worker: {error}")))?;
    Ok(Hand { commands, waker, thread })
}

/// A worker's life: says how it may be woken (or why it can't live), then works until told to exit.
fn work_with<D: Driver>(
    driver: io::Result<(D, EventWaker)>,
    wakers: &Sender<Result<EventWaker, String>>,
    setup: WorkerSetup,
    orders: Receiver<Command>,
    index: usize,
    reports: Sender<Message>,
) {
    match driver {
        Err(error) => drop(wakers.send(Err(error.to_string()))),
        Ok((driver, waker)) => {
            drop(wakers.send(Ok(waker)));
            let last_words = reports.clone();
            // When the control plane is gone, nobody needs the report.
            let sink = Box::new(move |report| drop(reports.send(Message::Report(index, report))));
            let work = AssertUnwindSafe(|| Worker::new(driver, setup, orders, sink).run());
            if catch_unwind(work).is_err() {
                let broken = Report::Broken("a worker thread panicked".to_owned());
                drop(last_words.send(Message::Report(index, broken)));
            }
        }
    }
}

/// Leads the workers through the plan, and home.
fn conduct<'p>(
    plan: &'p Plan,
    scenarios: &[Arc<dyn ScenarioFactory>],
    hands: &[Hand],
    (sender, inbox): (&Sender<Message>, &Receiver<Message>),
    origin: Instant,
    control: &RunControl,
    observers: Observers<'_, '_>,
) -> Result<Conductor<'p>, RunError> {
    let now_ns = || origin.elapsed().as_nanos() as u64;
    let mut conductor = Conductor::new(plan, scenarios, hands.len());
    let mut seen_stop_count = 0;
    while !conductor.is_done() {
        if control.stop_count() > seen_stop_count {
            seen_stop_count = control.stop_count();
            conductor.interrupt("interrupted", seen_stop_count > 1);
        }
        conductor.advance(now_ns(), observers);
        deliver(&mut conductor, hands);
        if conductor.is_done() {
            break;
        }
        match next_message(inbox, seen_stop_count)? {
            Message::Report(worker, report) => conductor.on_report(worker, report, now_ns(), observers),
            Message::ChangeRate(rate) => conductor.change_rate(rate, now_ns()),
            Message::Met(meeting, setup) => conductor.on_met(&meeting, setup),
            Message::Interrupted => {}
        }
        for meeting in conductor.take_meetings() {
            look_up_beside(meeting, sender.clone());
        }
        if hands.iter().any(|hand| hand.thread.is_finished()) && !conductor.is_done() {
            return Err(RunError::Internal("a worker thread ended before its time".to_owned()));
        }
    }
    if let Some(message) = conductor.broken() {
        return Err(RunError::Internal(message.to_owned()));
    }
    for hand in hands {
        let _ = hand.commands.send(Command::Exit);
        hand.waker.wake();
    }
    while conductor.exits.len() < hands.len() {
        match inbox.recv() {
            Ok(Message::Report(worker, report)) => conductor.on_report(worker, report, now_ns(), observers),
            Ok(Message::Interrupted | Message::ChangeRate(_) | Message::Met(..)) => {}
            Err(_) => return Err(RunError::Internal("a worker thread died at its end".to_owned())),
        }
    }
    Ok(conductor)
}

/// Looks a target up on a thread of its own, because names may take seconds to resolve.
fn look_up_beside(meeting: Meeting, sender: Sender<Message>) {
    let (asked, answers) = (meeting.clone(), sender.clone());
    let answer = move || {
        let setup = look_up(&asked.target).map(Box::new);
        // The run may be over.
        let _ = answers.send(Message::Met(asked, setup));
    };
    if std::thread::Builder::new().name("weir-look-up".to_owned()).spawn(answer).is_err() {
        let _ = sender.send(Message::Met(meeting, Err(ErrorClass::Resolve)));
    }
}

/// The next message; once the run was to be given up, only for so long: nothing that workers do by themselves takes it.
fn next_message(inbox: &Receiver<Message>, stop_count: u32) -> Result<Message, RunError> {
    let gone = || RunError::Internal("all worker threads are gone".to_owned());
    if stop_count < 2 {
        return inbox.recv().map_err(|_| gone());
    }
    inbox.recv_timeout(GIVE_UP_LIMIT).map_err(|error| match error {
        RecvTimeoutError::Timeout => RunError::Stuck,
        RecvTimeoutError::Disconnected => gone(),
    })
}

fn deliver(conductor: &mut Conductor<'_>, hands: &[Hand]) {
    for (worker, command) in conductor.take_commands() {
        let Some(hand) = hands.get(worker) else { continue };
        // A blank interval is no reason to wake anybody.
        let is_urgent = !matches!(command, Command::Recycle(_));
        let _ = hand.commands.send(command);
        if is_urgent {
            hand.waker.wake();
        }
    }
}

fn client_of(conductor: &Conductor<'_>, before: &Process) -> Client {
    let after = Process::read();
    let mut exits = conductor.exits.clone();
    exits.sort_by_key(|(worker, _)| *worker);
    let worker = |(worker, usage): &(usize, engine::Usage)| WorkerRecord {
        cpu_ns: usage.cpu_ns,
        spin_ns: usage.spin_ns,
        elapsed_ns: usage.elapsed_ns,
        off_cpu_ns: usage.off_cpu_ns,
        lateness_ns: conductor.lateness_ns.get(*worker).map(Latencies::of).unwrap_or_default(),
    };
    Client {
        cpu_user_ns: after.cpu_user_ns.saturating_sub(before.cpu_user_ns),
        cpu_system_ns: after.cpu_system_ns.saturating_sub(before.cpu_system_ns),
        rss_bytes_max: usage::rss_bytes_max(),
        steal_ratio: after.steal_ratio_since(before),
        workers: exits.iter().map(worker).collect(),
    }
}
