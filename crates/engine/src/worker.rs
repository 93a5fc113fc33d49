//! The loop itself: one thread, one driver, and the [`Core`](crate::core::Core) between them.

use crate::connection::State;
use crate::core::{Core, Op};
use crate::exchange::CONTINUE_WAIT_NS;
use crate::message::{Command, PhaseOrder, Report, Usage, WorkerLoad};
use crate::phase::PhaseRun;
use crate::recorder::Recorder;
use crate::timers::Timer;
use crate::user::{Doing, User};
use netio::{Address, Close, Completion, Driver, Sends};
use plan::ConnectionPolicy;
use proto::tls::{ServerName, TlsClient};
use scenario::{Connecting, ScenarioFactory};
use schedule::Slice;
use stats::Interval;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};

/// Where a worker's reports go. Called about once a second, never per request.
pub type ReportSink = Box<dyn FnMut(Report) + Send>;

/// A target as one worker is to use it.
#[derive(Debug, Clone)]
pub struct TargetSetup {
    /// All are used in turn; at least one.
    pub addresses: Vec<Address>,
    /// How TLS is spoken and the name that is asked for; `None`: plain.
    pub tls: Option<(TlsClient, ServerName)>,
    /// What asks a proxy for a tunnel, as it is sent; `None`: there is none.
    pub tunnel: Option<Arc<[u8]>>,
    /// This worker's share of the policy.
    pub connections: ConnectionPolicy,
    /// Limit on TCP, and again on TLS, ns.
    pub connect_timeout_ns: u64,
}

impl TargetSetup {
    /// Whether connections are closed when their user's action ends.
    pub(crate) fn closes_with_actions(&self) -> bool {
        self.connections == ConnectionPolicy::PerAction
    }
}

/// What a worker is made of.
#[derive(Clone)]
pub struct WorkerSetup {
    /// Per scenario: which of the workers that have users of it this one is; users and rows of feeds are dealt out by it.
    pub slices: Vec<Slice>,
    /// By index, as scenarios name them.
    pub targets: Vec<TargetSetup>,
    /// By index, as phases name them.
    pub scenarios: Vec<Arc<dyn ScenarioFactory>>,
    /// Length of an interval, ns.
    pub interval_ns: u64,
    /// Reads what the thread has used: CPU time and time off the CPU; times and spinning are filled in by the worker.
    pub read_usage: fn() -> Usage,
}

/// A worker.
pub struct Worker<D> {
    driver: D,
    core: Core,
    commands: Receiver<Command>,
    ciphertext: Vec<u8>,
    has_to_exit: bool,
    /// Usage when the first phase began.
    first_usage: Option<Usage>,
}

impl<D: Driver> Worker<D> {
    /// A worker that takes its orders from `commands` (whose sender wakes the driver) and tells on `reports`.
    pub fn new(driver: D, setup: WorkerSetup, commands: Receiver<Command>, reports: ReportSink) -> Self {
        let core = Core::new(setup, reports);
        Self { driver, core, commands, ciphertext: Vec::new(), has_to_exit: false, first_usage: None }
    }

    /// Turns until told to exit, or until nobody is left to tell.
    pub fn run(&mut self) {
        while self.turn() {}
        self.exit();
    }

    /// The time by the worker's clock.
    pub fn now_ns(&mut self) -> u64 {
        self.driver.now_ns()
    }

    /// One turn of the loop; `false` when it was told to exit.
    pub fn turn(&mut self) -> bool {
        let due_ns = self.driver.now_ns(); // reading 1: what is due
        self.take_commands(due_ns);
        if self.has_to_exit {
            return false;
        }
        while let Some(entry) = self.core.timers.pop_due(due_ns) {
            self.core.on_timer(entry, due_ns);
        }
        let (driver, read_usage) = (&self.driver, self.core.setup.read_usage);
        let usage = || Usage { elapsed_ns: due_ns, spin_ns: driver.spin_ns(), ..read_usage() };
        self.core.advance_phases(due_ns, usage);
        self.apply();
        self.flush();
        let deadline_ns = self.deadline_ns();
        let woke_ns = self.driver.wait(deadline_ns); // reading 3; reading 2 is in the flush
        let (driver, read_usage) = (&self.driver, self.core.setup.read_usage);
        let usage = || Usage { elapsed_ns: woke_ns, spin_ns: driver.spin_ns(), ..read_usage() };
        for slot in 0..self.core.phases.len() as u32 {
            self.core.cut_intervals(slot, woke_ns, usage);
        }
        while let Some(completion) = self.driver.next() {
            match completion {
                Completion::Received { conn, bytes } => self.core.on_received(conn, bytes, woke_ns),
                Completion::Connected { conn } => self.core.on_connected(conn, woke_ns),
                Completion::Ended { conn } => self.core.on_ended(conn, woke_ns),
                Completion::Drained { conn } => self.core.on_drained(conn, woke_ns),
                Completion::Failed { conn, during, error } => {
                    self.core.on_failed(conn, during, &error, woke_ns)
                }
                Completion::Woken => {}
            }
            if !self.core.ops.is_empty() {
                self.apply();
            }
        }
        true
    }

    fn take_commands(&mut self, now_ns: u64) {
        loop {
            match self.commands.try_recv() {
                Ok(Command::Prepare { scenario, load }) => {
                    let user_count = match load {
                        WorkerLoad::Closed { users, .. } | WorkerLoad::Once { users, .. } => users,
                        WorkerLoad::Ramping { steps, .. } => {
                            steps.iter().map(|step| step.users).max().unwrap_or(0)
                        }
                        WorkerLoad::Open { users, .. } => users.unwrap_or(0),
                    };
                    self.core.prepare(scenario as u16, user_count, now_ns);
                }
                Ok(Command::Start(order)) => self.start(*order, now_ns),
                Ok(Command::ChangeRate { phase_run, at_ns, rate }) => {
                    self.core.change_rate(phase_run, at_ns, rate);
                }
                Ok(Command::Stop) => self.core.stop(now_ns, false),
                Ok(Command::Abort) => self.core.stop(now_ns, true),
                Ok(Command::Met { number, setup }) => self.core.on_met(number, setup, now_ns),
                Ok(Command::Recycle(interval)) => self.core.recycle(interval),
                Ok(Command::Exit) | Err(TryRecvError::Disconnected) => {
                    self.has_to_exit = true;
                    return;
                }
                Err(TryRecvError::Empty) => return,
            }
        }
    }

    fn start(&mut self, order: PhaseOrder, now_ns: u64) {
        let Some(factory) = self.core.setup.scenarios.get(order.scenario) else { return };
        let shape = factory.shape();
        let blank = Interval::new(shape.actions.len(), shape.requests.len(), shape.checks.len());
        let recorder = Recorder::new(order.phase_run, order.start_ns, self.core.setup.interval_ns, blank);
        let usage = self.usage(now_ns);
        self.first_usage.get_or_insert(usage);
        self.core.add_phase(PhaseRun::new(order, recorder));
    }

    fn usage(&self, now_ns: u64) -> Usage {
        Usage { elapsed_ns: now_ns, spin_ns: self.driver.spin_ns(), ..(self.core.setup.read_usage)() }
    }

    /// Opens and closes what the core asks for.
    fn apply(&mut self) {
        let Self { driver, core, ciphertext, .. } = self;
        while let Some(op) = core.ops.pop_front() {
            match op {
                Op::Connect(conn_id) => {
                    let conn = &core.conns[conn_id as usize];
                    let pool = core.pools.get(usize::from(conn.target));
                    if let Some(address) = pool.and_then(|pool| pool.setup.addresses.get(conn.address)) {
                        driver.connect(conn_id, address);
                    }
                }
                Op::Close(conn_id, how) => {
                    if !core.to_send.is_empty() {
                        core.to_send.retain(|sending| *sending != conn_id);
                    }
                    driver.close(conn_id, how);
                }
                Op::Tunnel(conn_id) => {
                    let pool = core.pools.get(usize::from(core.conns[conn_id as usize].target));
                    if let Some(request) = pool.and_then(|pool| pool.setup.tunnel.as_deref()) {
                        driver.send(conn_id, request);
                    }
                }
                Op::Transmit(conn_id) => transmit(driver, core, conn_id, ciphertext),
                Op::SendBody(conn_id) => send_body(driver, core, conn_id, ciphertext),
            }
        }
    }

    /// Sends all requests that are ready. Each is stamped just before its send; where sends leave in one batch, all just before it.
    fn flush(&mut self) {
        let Self { driver, core, ciphertext, .. } = self;
        if core.to_send.is_empty() {
            driver.submit();
            return;
        }
        let is_batched = driver.sends() == Sends::Batched;
        let batch_ns = if is_batched { driver.now_ns() } else { 0 }; // reading 2
        let mut to_send = std::mem::take(&mut core.to_send);
        for conn_id in to_send.drain(..) {
            let sent_ns = if is_batched { batch_ns } else { driver.now_ns() };
            send_request(driver, core, conn_id, sent_ns, ciphertext);
        }
        core.to_send = to_send;
        driver.submit();
    }

    fn deadline_ns(&self) -> u64 {
        let phases = self.core.phases.iter().flatten().map(PhaseRun::deadline_ns);
        phases.fold(self.core.timers.next_ns(), u64::min)
    }

    /// Closes everything and says goodbye.
    fn exit(&mut self) {
        let now_ns = self.driver.now_ns();
        let usage = self.usage(now_ns);
        for conn_id in 0..self.core.conns.len() as u32 {
            if self.core.conns[conn_id as usize].is_open() {
                self.driver.close(conn_id, Close::Graceful);
            }
        }
        self.driver.submit();
        self.core.report(Report::Exited(usage.since(&self.first_usage.unwrap_or(usage))));
    }
}

/// Sends the request of the user that has this connection.
#[inline]
fn send_request<D: Driver>(
    driver: &mut D,
    core: &mut Core,
    conn_id: u32,
    sent_ns: u64,
    ciphertext: &mut Vec<u8>,
) {
    let Core { conns, users, .. } = core;
    let conn = &mut conns[conn_id as usize];
    let user_id = conn.user;
    let Some(user) = users.get_mut(user_id as usize) else { return };
    let Some(exchange) = user.exchange.filter(|_| conn.state == State::Busy && user.doing == Doing::Sending)
    else {
        return;
    };
    user.doing = Doing::AwaitingAnswer;
    user.request_sent_ns = sent_ns;
    (user.written_ns, user.first_byte_ns, user.received_bytes) = (sent_ns, None, 0);
    if exchange.connecting == Connecting::Apart {
        user.limit_ns = sent_ns.saturating_add(exchange.timeout_ns);
    }
    conn.session.expect(exchange.kind, exchange.want);
    let bytes = request_of(users, user_id);
    let (first, rest) = bytes.split_at(exchange.head_bytes.unwrap_or(bytes.len()).min(bytes.len()));
    let (holds_body, byte_count) = (!rest.is_empty(), bytes.len() as u64);
    send_bytes(driver, conn.tls.as_deref_mut(), conn_id, first, ciphertext);
    let user = &mut users[user_id as usize];
    if exchange.times_write {
        user.written_ns = driver.now_ns();
    }
    user.holds_body = holds_body;
    if holds_body {
        user.generation = user.generation.wrapping_add(1);
        let generation = user.generation;
        core.timers.set(sent_ns.saturating_add(CONTINUE_WAIT_NS), Timer::Continue(user_id), generation);
    }
    core.arm_request_limit(user_id);
    let person = core.users[user_id as usize].lane_of.map_or(user_id, |(person, _)| person);
    core.note_sent(person, sent_ns);
    let traffic = core.traffic(conn_id);
    traffic.requests += 1;
    traffic.bytes_sent += byte_count;
}

/// What a user or a lane sends.
#[inline]
fn request_of(users: &[User], user_id: u32) -> &[u8] {
    let user = &users[user_id as usize];
    match user.lane_of {
        None => user.scenario.request(),
        Some((person, lane)) => users[person as usize].scenario.lane_request(lane),
    }
}

/// Sends plain bytes, through TLS where there is some.
#[inline]
fn send_bytes<D: Driver>(
    driver: &mut D,
    tls: Option<&mut proto::tls::TlsSession>,
    conn_id: u32,
    bytes: &[u8],
    ciphertext: &mut Vec<u8>,
) {
    match tls {
        None => driver.send(conn_id, bytes),
        Some(tls) => {
            // An error would mean more plaintext than memory holds: the request then times out.
            let _ = tls.send(bytes);
            ciphertext.clear();
            if tls.poll_transmit(ciphertext) {
                driver.send(conn_id, ciphertext);
            }
        }
    }
}

fn transmit<D: Driver>(driver: &mut D, core: &mut Core, conn_id: u32, ciphertext: &mut Vec<u8>) {
    if let Some(tls) = &mut core.conns[conn_id as usize].tls {
        ciphertext.clear();
        if tls.poll_transmit(ciphertext) {
            driver.send(conn_id, ciphertext);
        }
    }
}

fn send_body<D: Driver>(driver: &mut D, core: &mut Core, conn_id: u32, ciphertext: &mut Vec<u8>) {
    let Core { conns, users, .. } = core;
    let conn = &mut conns[conn_id as usize];
    let user_id = conn.user;
    let Some(user) = users.get_mut(user_id as usize) else { return };
    if !std::mem::take(&mut user.holds_body) {
        return;
    }
    let head_bytes = user.exchange.and_then(|exchange| exchange.head_bytes);
    let bytes = request_of(users, user_id);
    let head_bytes = head_bytes.unwrap_or(bytes.len());
    send_bytes(
        driver,
        conn.tls.as_deref_mut(),
        conn_id,
        bytes.get(head_bytes..).unwrap_or_default(),
        ciphertext,
    );
}
