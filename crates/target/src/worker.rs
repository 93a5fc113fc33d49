//! A thread of the server: one epoll set, the connections in it, their timers.
//!
//! A turn of the loop: wait for events or the next timer, then for each readable socket one read, the session's answer, one send. Events
//! are level-triggered, so a small request costs two system calls and its share of a wait. All buffers belong to the
//! thread; a connection at rest owns nothing but its state.

use std::os::fd::OwnedFd;
use std::sync::Arc;

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use rustix::thread::set_current_timer_slack;
use rustix::time::Timespec;
use rustls::ServerConfig;
use units::{NS_PER_MS, NS_PER_SEC};

use crate::clock;
use crate::connection::{Connection, Want};
use crate::counts::{Class, Counts};
use crate::link::{Buffers, Link};
use crate::listener::{Accepted, Listener};
use crate::session::Turn;
use crate::shared::Shared;
use crate::timers::{Timers, Token};

/// Events taken from the kernel at once.
const EVENTS_MAX: usize = 256;
/// Due timers are looked for after so many events, about 50 µs of work.
const EVENTS_BETWEEN_TIMERS: usize = 8;
/// Connections accepted in a row before requests get their turn.
const ACCEPTS_IN_A_ROW: usize = 64;
/// Without descriptors accepting stops for so long: the listener would be reported ready again at once.
const EXHAUSTED_PAUSE_NS: u64 = 10 * NS_PER_MS;
/// A thread's output buffer is given back when one answer made it larger than this.
const OUT_BYTES_KEPT: usize = 1 << 20;

/// Tokens that are no connection's.
const MAILBOX: Token = Token { index: u32::MAX, tenancy: 0 };
const LISTENER: Token = Token { index: u32::MAX - 1, tenancy: 0 };

/// A place for a connection; `tenancy` counts those who had it.
#[derive(Debug, Default)]
struct Slot {
    tenancy: u32,
    connection: Option<Box<Connection>>,
}

#[derive(Debug)]
pub(crate) struct Worker {
    thread_index: usize,
    shared: Arc<Shared>,
    counts: Arc<Counts>,
    tls: Option<Arc<ServerConfig>>,
    epoll: OwnedFd,
    /// Only the first thread has it.
    listener: Option<Arc<Listener>>,
    next_thread_index: usize,
    slots: Vec<Slot>,
    free: Vec<u32>,
    timers: Timers,
    buffers: Buffers,
    out: Vec<u8>,
    stall_generation: u64,
}

impl Worker {
    pub(crate) fn new(
        thread_index: usize,
        shared: Arc<Shared>,
        tls: Option<Arc<ServerConfig>>,
        listener: Option<Arc<Listener>>,
    ) -> rustix::io::Result<Self> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        if let Some(mailbox) = shared.mailboxes.get(thread_index) {
            epoll::add(&epoll, mailbox, event_data(MAILBOX), EventFlags::IN)?;
        }
        if let Some(listener) = &listener {
            epoll::add(&epoll, &listener.socket, event_data(LISTENER), EventFlags::IN)?;
        }
        let counts = shared.counts.get(thread_index).cloned().unwrap_or_default();
        Ok(Self {
            thread_index,
            shared,
            counts,
            tls,
            epoll,
            listener,
            next_thread_index: 0,
            slots: Vec::new(),
            free: Vec::new(),
            timers: Timers::default(),
            buffers: Buffers::new(),
            out: Vec::new(),
            stall_generation: 0,
        })
    }

    /// Serves until the server is stopped.
    pub(crate) fn run(mut self) {
        // Ask for exact wake-ups: by default the kernel may be 50 µs late. It is refused nowhere known; then delays are that much coarser.
        let _ = set_current_timer_slack(std::num::NonZeroU64::new(1));
        let mut events: Vec<Event> = Vec::with_capacity(EVENTS_MAX);
        while !self.shared.is_stopping() {
            let timeout = self.timers.next_due_ns().map(|due_ns| {
                let sleep_until_ns = due_ns.saturating_sub(self.shared.timer_spin_ns);
                timespec(sleep_until_ns.saturating_sub(clock::now_ns()))
            });
            events.clear();
            match epoll::wait(&self.epoll, spare_capacity(&mut events), timeout.as_ref()) {
                Ok(_) | Err(Errno::INTR) => {}
                // The set itself is broken, which nothing outside can bring about.
                Err(_) => return,
            }
            for (index, event) in (1..).zip(&events) {
                self.handle(event);
                if index % EVENTS_BETWEEN_TIMERS == 0 {
                    self.fire_timers();
                }
            }
            self.fire_timers();
        }
        // Those who watch the counts see the connections end.
        for connection in self.slots.iter().filter_map(|slot| slot.connection.as_deref()) {
            connection.count_end(&self.counts);
        }
    }

    fn handle(&mut self, event: &Event) {
        let (data, flags) = (event.data.u64(), event.flags);
        let token = Token { index: data as u32, tenancy: (data >> 32) as u32 };
        match token {
            MAILBOX => self.collect_mail(),
            LISTENER => self.accept(),
            token => self.with(token, |connection, turn, buffers| {
                if flags.contains(EventFlags::IN) {
                    return read(connection, turn, buffers);
                }
                if flags.intersects(EventFlags::ERR | EventFlags::HUP) {
                    return Want::Drop;
                }
                connection.drive(&[], turn)
            }),
        }
    }

    /// Lets `act` drive a connection and does what it then wants. Nothing happens when its place has a new tenant.
    #[inline]
    fn with(&mut self, token: Token, act: impl FnOnce(&mut Connection, &mut Turn<'_>, &mut Buffers) -> Want) {
        let Some(slot) =
            self.slots.get_mut(token.index as usize).filter(|slot| slot.tenancy == token.tenancy)
        else {
            return;
        };
        let Some(connection) = slot.connection.as_deref_mut() else { return };
        let mut turn = Turn {
            shared: &self.shared,
            counts: &self.counts,
            thread_index: self.thread_index,
            out: std::mem::take(&mut self.out),
            class: Class::Load,
        };
        let want = act(connection, &mut turn, &mut self.buffers);
        self.out = turn.out;
        self.out.clear();
        if self.out.capacity() > OUT_BYTES_KEPT {
            self.out = Vec::new();
        }
        let kept = match want {
            Want::Events { flags, wake_ns } => {
                if let Some(due_ns) = wake_ns
                    && connection.wake_ns != wake_ns
                {
                    self.timers.set(due_ns, token);
                }
                connection.wake_ns = wake_ns;
                watch(&self.epoll, connection, flags)
            }
            Want::Drop => false,
        };
        if !kept {
            connection.count_end(&self.counts);
            slot.connection = None;
            slot.tenancy = slot.tenancy.wrapping_add(1);
            self.free.push(token.index);
        }
    }

    fn fire_timers(&mut self) {
        if self.timers.next_due_ns().is_none() {
            return;
        }
        let now_ns = clock::now_ns();
        while let Some((due_ns, token)) = self.timers.take_due(now_ns) {
            if token == LISTENER {
                self.listen_again();
                continue;
            }
            self.with(token, |connection, turn, _| {
                if connection.wake_ns != Some(due_ns) {
                    return Want::Events { flags: connection.watched, wake_ns: connection.wake_ns };
                }
                turn.counts.timer(now_ns - due_ns);
                connection.wake_ns = None;
                connection.wake(turn)
            });
        }
        let slots = &self.slots;
        self.timers.prune(|due_ns, token| {
            let slot = slots.get(token.index as usize).filter(|slot| slot.tenancy == token.tenancy);
            token == LISTENER
                || slot.and_then(|slot| slot.connection.as_ref()).is_some_and(|c| c.wake_ns == Some(due_ns))
        });
    }

    fn accept(&mut self) {
        for _ in 0..ACCEPTS_IN_A_ROW {
            let Some(listener) = &self.listener else { return };
            match listener.accept() {
                Accepted::Socket(socket) => self.deal_out(socket),
                Accepted::None => return,
                Accepted::Exhausted => {
                    let _ = epoll::modify(
                        &self.epoll,
                        &listener.socket,
                        event_data(LISTENER),
                        EventFlags::empty(),
                    );
                    self.timers.set(clock::now_ns().saturating_add(EXHAUSTED_PAUSE_NS), LISTENER);
                    return;
                }
            }
        }
    }

    fn listen_again(&mut self) {
        if let Some(listener) = &self.listener {
            let _ = epoll::modify(&self.epoll, &listener.socket, event_data(LISTENER), EventFlags::IN);
        }
    }

    /// Gives a new connection to the thread whose turn it is.
    fn deal_out(&mut self, socket: OwnedFd) {
        let thread_index = self.next_thread_index;
        self.next_thread_index = (thread_index + 1) % self.shared.mailboxes.len().max(1);
        match self.shared.mailboxes.get(thread_index) {
            Some(mailbox) if thread_index != self.thread_index => mailbox.post(socket),
            _ => self.adopt(socket),
        }
    }

    fn adopt(&mut self, socket: OwnedFd) {
        self.counts.accepted.add(1);
        let index = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            (self.slots.len() - 1) as u32
        });
        let Some(slot) = self.slots.get_mut(index as usize) else { return };
        let token = Token { index, tenancy: slot.tenancy };
        let link = Link::new(socket, self.tls.as_ref()).ok();
        // Fails when the limit on watches (fs.epoll.max_user_watches) is reached: the client sees its connection closed.
        let link =
            link.filter(|link| epoll::add(&self.epoll, link, event_data(token), EventFlags::IN).is_ok());
        let Some(link) = link else {
            self.counts.closed.add(1);
            self.free.push(index);
            return;
        };
        let mut connection = Box::new(Connection::new(link, token, self.shared.next_connection_index()));
        connection.watched = EventFlags::IN;
        slot.connection = Some(connection);
    }

    /// Takes over connections, and if a stall began or ended looks again at the answers that it held back.
    fn collect_mail(&mut self) {
        let sockets =
            self.shared.mailboxes.get(self.thread_index).map(|mailbox| mailbox.collect()).unwrap_or_default();
        for socket in sockets {
            self.adopt(socket);
        }
        let generation = self.shared.stall_generation();
        if generation == self.stall_generation {
            return;
        }
        self.stall_generation = generation;
        let held = |slot: &Slot| slot.connection.as_ref().filter(|c| !c.held.is_empty()).map(|c| c.token);
        let tokens: Vec<Token> = self.slots.iter().filter_map(held).collect();
        for token in tokens {
            self.with(token, |connection, turn, _| connection.drive(&[], turn));
        }
    }
}

/// Reads once and lets the session go on.
fn read(connection: &mut Connection, turn: &mut Turn<'_>, buffers: &mut Buffers) -> Want {
    let received = connection.link.receive(buffers, turn.counts);
    if let Some(facts) = received.established {
        turn.counts.tls_handshakes.add(1);
        turn.counts.tls_resumed.add(u64::from(facts.resumed));
        connection.session.facts.tls = Some(facts);
    }
    if received.failed {
        return Want::Drop;
    }
    let want = connection.drive(received.bytes, turn);
    if received.closed && want != Want::Drop {
        if connection.link.is_handshaking() {
            turn.counts.tls_failed.add(1);
        }
        return connection.peer_closed(turn);
    }
    want
}

/// Makes the epoll set watch for `flags`; whether that went well.
fn watch(epoll: &OwnedFd, connection: &mut Connection, flags: EventFlags) -> bool {
    if connection.watched == flags {
        return true;
    }
    connection.watched = flags;
    epoll::modify(epoll, &connection.link, event_data(connection.token), flags).is_ok()
}

fn event_data(token: Token) -> EventData {
    EventData::new_u64(u64::from(token.tenancy) << 32 | u64::from(token.index))
}

fn timespec(wait_ns: u64) -> Timespec {
    Timespec { tv_sec: (wait_ns / NS_PER_SEC) as i64, tv_nsec: (wait_ns % NS_PER_SEC) as i64 }
}
