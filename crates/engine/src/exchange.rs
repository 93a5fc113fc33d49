//! Requests and answers: finding a connection, what arrives on it, and what goes wrong.

use crate::connection::{Connection, State};
use crate::core::{Core, Op, Preparation};
use crate::message::Report;
use crate::pool::backoff_ns;
use crate::timers::{Entry, Timer};
use crate::user::{Doing, NONE};
use netio::{Close, During};
use plan::ConnectionPolicy;
use proto::http1::{Complete, Ended, Event as Heard};
use proto::tls::{TlsEnd, TlsSession};
use scenario::{Answer, Connecting, Event, Exchange, Next, RequestKind, Timing, Want};
use stats::{ErrorClass, Outcome, Sample, Traffic};
use std::io;

/// How long a body waits for `100 Continue` before it is sent all the same (RFC 9110 §10.1.1 asks not to wait for ever; curl waits as long).
pub(crate) const CONTINUE_WAIT_NS: u64 = units::NS_PER_SEC;
/// So many connections are opened at a time while preparing: less than any listener's usual queue.
const OPENING_COUNT_MAX: u32 = 128;

impl Core {
    // ---- finding a connection ----

    /// Gives the user a connection to its exchange's target, or lets it wait for one.
    pub(crate) fn seek_connection(&mut self, user_id: u32, now_ns: u64) {
        let user = &mut self.users[user_id as usize];
        let Some(exchange) = user.exchange else { return };
        if exchange.connecting == Connecting::Within {
            user.limit_ns = now_ns.saturating_add(exchange.timeout_ns);
        }
        let target = exchange.target;
        let Some(pool) = self.pools.get_mut(usize::from(target)) else { return };
        let conn = match pool.setup.connections {
            ConnectionPolicy::PerUser | ConnectionPolicy::PerAction => {
                let own = user.own_conns.get(usize::from(target)).copied().unwrap_or(NONE);
                if own == NONE { self.own_connection(user_id, target) } else { own }
            }
            ConnectionPolicy::PerRequest => match pool.closed.pop() {
                Some(conn) => conn,
                None => self.new_connection(target),
            },
            ConnectionPolicy::Shared(count) => match pool.idle.pop().or_else(|| pool.closed.pop()) {
                Some(conn) => conn,
                None if pool.count < count => self.new_connection(target),
                None => {
                    user.doing = Doing::AwaitingConnection;
                    user.is_unhindered = false;
                    pool.waiting.push_back(user_id);
                    return;
                }
            },
        };
        self.assign(conn, user_id, now_ns);
    }

    fn new_connection(&mut self, target: u16) -> u32 {
        self.conns.push(Connection::new(target));
        if let Some(pool) = self.pools.get_mut(usize::from(target)) {
            pool.count += 1;
        }
        self.conns.len() as u32 - 1
    }

    fn own_connection(&mut self, user_id: u32, target: u16) -> u32 {
        let conn = self.new_connection(target);
        let (own_conns, place) = (&mut self.users[user_id as usize].own_conns, usize::from(target));
        if own_conns.len() <= place {
            own_conns.resize(place + 1, NONE);
        }
        own_conns[place] = conn;
        conn
    }

    /// The user's request goes over this connection, at once or when it stands.
    fn assign(&mut self, conn_id: u32, user_id: u32, now_ns: u64) {
        let user = &mut self.users[user_id as usize];
        let conn = &mut self.conns[conn_id as usize];
        conn.user = user_id;
        user.conn = conn_id;
        if conn.state == State::Ready {
            conn.state = State::Busy;
            user.doing = Doing::Sending;
            self.to_send.push(conn_id);
            return;
        }
        user.doing = Doing::AwaitingConnection;
        let is_within = user.exchange.is_some_and(|exchange| exchange.connecting == Connecting::Within);
        if is_within && conn.state == State::Closed {
            conn.retry_at_ns = 0;
        }
        let is_fresh = conn.state == State::Closed && conn.retry_at_ns <= now_ns;
        let asks_anew = self.pools.get(usize::from(conn.target)).map(|pool| pool.setup.connections)
            == Some(ConnectionPolicy::PerRequest);
        if is_fresh && asks_anew {
            // To connect is part of such a request: it leaves now, as far as the generator is concerned.
            self.note_departure(user_id, now_ns);
        }
        self.users[user_id as usize].is_unhindered = false;
        if self.conns[conn_id as usize].state == State::Closed {
            self.open_or_wait(conn_id, now_ns);
        }
        if is_within {
            self.arm_request_limit(user_id);
        }
    }

    /// Sets a timer that looks at the request's limit, unless one that comes no later is set.
    #[inline]
    pub(crate) fn arm_request_limit(&mut self, user_id: u32) {
        let user = &mut self.users[user_id as usize];
        if user.limit_ns < user.limit_armed_ns {
            user.limit_armed_ns = user.limit_ns;
            self.timers.set(user.limit_ns, Timer::RequestLimit(user_id), user.generation);
        }
    }

    fn note_departure(&mut self, user_id: u32, now_ns: u64) {
        let user = &self.users[user_id as usize];
        let (is_unhindered, intended_ns, slot) = (user.is_unhindered, user.intended_ns, user.phase);
        if let Some(phase) = self.phase(slot)
            && is_unhindered
            && matches!(phase.load, crate::phase::Load::Open { .. })
        {
            phase.recorder.now().lateness_ns.record(now_ns.saturating_sub(intended_ns));
        }
    }

    /// Opens a closed connection, or sets a timer while it is too early to try again.
    fn open_or_wait(&mut self, conn_id: u32, now_ns: u64) {
        let conn = &mut self.conns[conn_id as usize];
        conn.generation = conn.generation.wrapping_add(1);
        if now_ns < conn.retry_at_ns {
            conn.state = State::Waiting;
            self.timers.set(conn.retry_at_ns, Timer::Reconnect(conn_id), conn.generation);
            return;
        }
        conn.tried_count = 0;
        self.open(conn_id, now_ns);
    }

    fn open(&mut self, conn_id: u32, now_ns: u64) {
        let conn = &mut self.conns[conn_id as usize];
        let Some(pool) = self.pools.get_mut(usize::from(conn.target)) else { return };
        conn.address = if conn.tried_count == 0 {
            pool.next_address()
        } else {
            (conn.address + 1) % pool.setup.addresses.len().max(1)
        };
        conn.tried_count += 1;
        conn.state = State::Connecting;
        conn.since_ns = now_ns;
        self.timers.set(
            now_ns.saturating_add(pool.setup.connect_timeout_ns),
            Timer::ConnectLimit(conn_id),
            conn.generation,
        );
        self.ops.push_back(Op::Connect(conn_id));
    }

    // ---- the connection stands, or not ----

    /// TCP stands.
    pub(crate) fn on_connected(&mut self, conn_id: u32, now_ns: u64) {
        let conn = &mut self.conns[conn_id as usize];
        if conn.state != State::Connecting {
            return;
        }
        let connect_ns = now_ns.saturating_sub(conn.since_ns);
        (conn.connect_ns, conn.tls_ns) = (connect_ns, 0);
        let has_tunnel =
            self.pools.get(usize::from(conn.target)).is_some_and(|pool| pool.setup.tunnel.is_some());
        self.traffic(conn_id).connect_ns.record(connect_ns);
        if !has_tunnel {
            return self.on_reached(conn_id, now_ns);
        }
        let conn = &mut self.conns[conn_id as usize];
        conn.state = State::Tunnelling;
        conn.session.reset();
        conn.session.expect(RequestKind::Connect, Want::NOTHING);
        self.ops.push_back(Op::Tunnel(conn_id));
    }

    /// A proxy answers the request for a tunnel.
    fn on_proxy(&mut self, conn_id: u32, mut bytes: &[u8], now_ns: u64) {
        loop {
            match self.conns[conn_id as usize].session.handle(bytes) {
                Err(_) => return self.lose(conn_id, ErrorClass::Proxy, now_ns),
                Ok((_, None)) => return,
                Ok((consumed, Some(Heard::Informational { .. }))) => {
                    bytes = bytes.get(consumed..).unwrap_or_default();
                }
                // The target speaks after the client, with TLS as with HTTP.
                Ok((consumed, Some(Heard::Complete(complete)))) => {
                    let is_open = (200..300).contains(&complete.status) && consumed == bytes.len();
                    return match is_open {
                        true => self.on_reached(conn_id, now_ns),
                        false => self.lose(conn_id, ErrorClass::Proxy, now_ns),
                    };
                }
            }
        }
    }

    /// Bytes reach the target.
    fn on_reached(&mut self, conn_id: u32, now_ns: u64) {
        let conn = &self.conns[conn_id as usize];
        let tls = self.pools.get(usize::from(conn.target)).and_then(|pool| pool.setup.tls.as_ref());
        let session = tls.map(|(client, name)| TlsSession::new(client, name));
        match session {
            None => self.on_standing(conn_id, now_ns),
            Some(Err(_)) => self.lose(conn_id, ErrorClass::Tls, now_ns),
            Some(Ok(session)) => {
                let conn = &mut self.conns[conn_id as usize];
                conn.tls = Some(Box::new(session));
                conn.state = State::Handshaking;
                conn.since_ns = now_ns;
                self.ops.push_back(Op::Transmit(conn_id));
            }
        }
    }

    /// The connection can carry requests.
    fn on_standing(&mut self, conn_id: u32, now_ns: u64) {
        self.traffic(conn_id).connections_opened += 1;
        let conn = &mut self.conns[conn_id as usize];
        conn.session.reset();
        conn.failure_count = 0;
        conn.state = State::Ready;
        conn.generation = conn.generation.wrapping_add(1);
        self.settle_preparation(conn_id, None, now_ns);
        let conn = &mut self.conns[conn_id as usize];
        if conn.user == NONE {
            self.release(conn_id, true, now_ns);
            return;
        }
        conn.state = State::Busy;
        self.users[conn.user as usize].doing = Doing::Sending;
        self.to_send.push(conn_id);
    }

    /// A connection of a shared pool is free: who waits longest gets it.
    fn offer(&mut self, conn_id: u32, now_ns: u64) {
        let target = usize::from(self.conns[conn_id as usize].target);
        let is_open = self.conns[conn_id as usize].is_open();
        let Some(pool) = self.pools.get_mut(target) else { return };
        match pool.setup.connections {
            ConnectionPolicy::PerUser | ConnectionPolicy::PerAction => {}
            ConnectionPolicy::PerRequest => pool.closed.push(conn_id),
            ConnectionPolicy::Shared(_) => match pool.waiting.pop_front() {
                Some(user_id) => self.assign(conn_id, user_id, now_ns),
                None if is_open => pool.idle.push(conn_id),
                None => pool.closed.push(conn_id),
            },
        }
    }

    /// The driver says that an operation failed; the socket is closed already.
    pub(crate) fn on_failed(&mut self, conn_id: u32, during: During, error: &io::Error, now_ns: u64) {
        let conn = &mut self.conns[conn_id as usize];
        if !conn.is_open() {
            return;
        }
        if conn.state == State::Connecting && self.try_next_address(conn_id, now_ns) {
            return;
        }
        if during == During::Receive && self.reopens(conn_id, now_ns) {
            return;
        }
        let class = match during {
            During::Connect => connect_class(error),
            During::Send => ErrorClass::Send,
            During::Receive if error.kind() == io::ErrorKind::ConnectionReset => ErrorClass::ReceiveReset,
            During::Receive => ErrorClass::ReceiveEarlyEnd,
        };
        self.fall(conn_id, class, now_ns);
    }

    /// Connects to the next address, if there is one that was not tried for this opening.
    fn try_next_address(&mut self, conn_id: u32, now_ns: u64) -> bool {
        let conn = &mut self.conns[conn_id as usize];
        let address_count =
            self.pools.get(usize::from(conn.target)).map_or(1, |pool| pool.setup.addresses.len());
        if conn.tried_count >= address_count {
            return false;
        }
        conn.generation = conn.generation.wrapping_add(1);
        self.open(conn_id, now_ns);
        true
    }

    /// Gives a connection up from this side.
    fn lose(&mut self, conn_id: u32, class: ErrorClass, now_ns: u64) {
        self.ops.push_back(Op::Close(conn_id, Close::Reset));
        self.fall(conn_id, class, now_ns);
    }

    /// The connection is gone. Who used it fails with `class`; who waits for its place goes on with it.
    fn fall(&mut self, conn_id: u32, class: ErrorClass, now_ns: u64) {
        let conn = &mut self.conns[conn_id as usize];
        let (user_id, was_busy) = (conn.user, conn.state == State::Busy);
        let has_stood = matches!(conn.state, State::Ready | State::Busy);
        conn.tls = None;
        conn.state = State::Closed;
        conn.user = NONE;
        conn.generation = conn.generation.wrapping_add(1);
        if !has_stood {
            // Trying again at once would only be a storm. A connection that stood and was lost is the matter of its request alone.
            conn.failure_count = conn.failure_count.saturating_add(1);
            conn.retry_at_ns = now_ns.saturating_add(backoff_ns(conn.failure_count));
        }
        if has_stood {
            self.traffic_of(user_id).connections_lost += 1;
        }
        if has_stood
            && !was_busy
            && let Some(pool) = self.pools.get_mut(usize::from(self.conns[conn_id as usize].target))
        {
            pool.forget_idle(conn_id);
        }
        self.settle_preparation(conn_id, Some(class), now_ns);
        self.offer(conn_id, now_ns);
        if user_id != NONE {
            self.fail_exchange(user_id, class, now_ns);
        }
    }

    /// The user's exchange came to nothing; its connection is no longer its own.
    fn fail_exchange(&mut self, user_id: u32, class: ErrorClass, now_ns: u64) {
        let user = &mut self.users[user_id as usize];
        user.conn = NONE;
        user.limit_ns = u64::MAX;
        let was_sent = user.doing == Doing::AwaitingAnswer;
        user.doing = Doing::Idle;
        let lane_of = user.lane_of;
        self.book_request(user_id, Outcome::Failed(class), was_sent, now_ns);
        let (person, event) = match lane_of {
            None => (user_id, Event::Failed(class)),
            Some((person, lane)) => {
                self.lane_ended(person);
                (person, Event::Lane(lane, Err(class)))
            }
        };
        if let Some(next) = self.resume(person, event, now_ns) {
            self.follow(person, next, now_ns);
        }
    }

    /// Takes a user's connection from it without telling the user: the phase is over.
    pub(crate) fn part_from_connection(&mut self, user_id: u32, now_ns: u64) {
        let user = &mut self.users[user_id as usize];
        let conn_id = std::mem::replace(&mut user.conn, NONE);
        user.exchange = None;
        if conn_id == NONE {
            for pool in &mut self.pools {
                pool.waiting.retain(|waiting| *waiting != user_id);
            }
            return;
        }
        let conn = &mut self.conns[conn_id as usize];
        conn.user = NONE;
        if conn.state == State::Busy {
            self.ops.push_back(Op::Close(conn_id, Close::Reset));
            conn.state = State::Closed;
            conn.tls = None;
            conn.generation = conn.generation.wrapping_add(1);
            self.offer(conn_id, now_ns);
        } else if conn.state == State::Waiting {
            conn.state = State::Closed;
            conn.generation = conn.generation.wrapping_add(1);
            self.offer(conn_id, now_ns);
        }
    }

    // ---- bytes ----

    /// Bytes arrived.
    #[inline]
    pub(crate) fn on_received(&mut self, conn_id: u32, bytes: &[u8], now_ns: u64) {
        let conn = &self.conns[conn_id as usize];
        if conn.tls.is_some() {
            self.on_ciphertext(conn_id, bytes, now_ns);
        } else if conn.state == State::Tunnelling {
            self.on_proxy(conn_id, bytes, now_ns);
        } else {
            self.on_plaintext(conn_id, bytes, now_ns);
        }
    }

    fn on_ciphertext(&mut self, conn_id: u32, bytes: &[u8], now_ns: u64) {
        let mut plaintext = std::mem::take(&mut self.plaintext);
        plaintext.clear();
        let conn = &mut self.conns[conn_id as usize];
        let handled = match &mut conn.tls {
            Some(tls) => tls.handle(bytes, &mut plaintext),
            None => return,
        };
        // Handshake messages, alerts and key updates.
        self.ops.push_back(Op::Transmit(conn_id));
        if let Ok(progress) = &handled
            && progress.handshake_completed
        {
            let tls_ns = now_ns.saturating_sub(self.conns[conn_id as usize].since_ns);
            self.conns[conn_id as usize].tls_ns = tls_ns;
            self.traffic(conn_id).tls_ns.record(tls_ns);
            self.on_standing(conn_id, now_ns);
        }
        // An answer may end the connection, and its number may at once be opened anew: what follows is then not its business.
        let generation = self.conns[conn_id as usize].generation;
        self.on_plaintext(conn_id, &plaintext, now_ns);
        let conn = &self.conns[conn_id as usize];
        if conn.generation == generation && conn.is_open() {
            match handled {
                // What came soundly before the fault has counted.
                Err(_) => self.lose(conn_id, ErrorClass::Tls, now_ns),
                Ok(progress) if progress.peer_closed => self.on_ended(conn_id, now_ns),
                Ok(_) => {}
            }
        }
        self.plaintext = plaintext;
    }

    #[inline]
    fn on_plaintext(&mut self, conn_id: u32, mut bytes: &[u8], now_ns: u64) {
        if bytes.is_empty() {
            return;
        }
        let conn = &mut self.conns[conn_id as usize];
        let user_id = conn.user;
        self.note_arrival(user_id, bytes.len() as u64, now_ns);
        while !bytes.is_empty() {
            let conn = &mut self.conns[conn_id as usize];
            match conn.session.handle(bytes) {
                Err(_) => {
                    self.lose(conn_id, ErrorClass::Protocol, now_ns);
                    return;
                }
                Ok((consumed, heard)) => {
                    bytes = bytes.get(consumed..).unwrap_or_default();
                    match heard {
                        None => return,
                        Some(Heard::Informational { status }) => self.on_informational(conn_id, status),
                        Some(Heard::Complete(complete)) => {
                            // Bytes that nobody asked for: the next answer on this connection could not be told from them.
                            let is_clean = bytes.is_empty();
                            if !self.on_complete(conn_id, &complete, is_clean, now_ns) {
                                return;
                            }
                        }
                    }
                }
            }
        }
    }

    #[inline]
    fn note_arrival(&mut self, user_id: u32, byte_count: u64, now_ns: u64) {
        let Self { users, phases, .. } = self;
        let Some(user) = users.get_mut(user_id as usize) else { return };
        let Some(phase) = phases.get_mut(user.phase as usize).and_then(Option::as_mut) else { return };
        let traffic = &mut phase.recorder.now().traffic;
        traffic.bytes_received += byte_count;
        if user.doing == Doing::AwaitingAnswer {
            user.received_bytes += byte_count;
            if user.first_byte_ns.is_none() {
                user.first_byte_ns = Some(now_ns);
                traffic.first_byte_ns.record(now_ns.saturating_sub(user.request_sent_ns));
            }
        }
    }

    /// What the system did not take at once of a request has left.
    pub(crate) fn on_drained(&mut self, conn_id: u32, now_ns: u64) {
        let user_id = self.conns[conn_id as usize].user;
        if let Some(user) = self.users.get_mut(user_id as usize)
            && user.doing == Doing::AwaitingAnswer
        {
            user.written_ns = now_ns;
        }
    }

    fn on_informational(&mut self, conn_id: u32, status: u16) {
        let user_id = self.conns[conn_id as usize].user;
        self.traffic_of(user_id).statuses[0] += 1;
        if let Some(user) = self.users.get_mut(user_id as usize)
            && status == 100
            && user.holds_body
        {
            self.ops.push_back(Op::SendBody(conn_id));
        }
    }

    /// An answer is whole. Whether another one is awaited on this connection.
    #[inline]
    fn on_complete(&mut self, conn_id: u32, complete: &Complete, is_clean: bool, now_ns: u64) -> bool {
        let Self { users, conns, phases, pools, .. } = self;
        let conn = &mut conns[conn_id as usize];
        let Some(user) = users.get(conn.user as usize).filter(|user| user.doing == Doing::AwaitingAnswer)
        else {
            self.lose(conn_id, ErrorClass::Protocol, now_ns);
            return false;
        };
        let user_id = conn.user;
        let Some(phase) = phases.get_mut(user.phase as usize).and_then(Option::as_mut) else { return false };
        let interval = phase.recorder.now();
        // RFC 9110 §15: a status beyond 599 is taken for a server error.
        let hundreds = usize::from(complete.status / 100).min(interval.traffic.statuses.len());
        if let Some(count) = interval.traffic.statuses.get_mut(hundreds.saturating_sub(1)) {
            *count += 1;
        }
        let response = conn.session.response();
        let answer = Answer {
            status: complete.status,
            headers: response.and_then(|response| response.headers),
            body: response.map_or(scenario::Body::Dropped, |response| response.body),
            body_bytes: complete.body_bytes,
            service_ns: now_ns.saturating_sub(user.request_sent_ns),
            timing: Timing {
                asked_ns: user.request_intended_ns,
                connect_ns: conn.connect_ns,
                tls_ns: conn.tls_ns,
                sent_ns: user.request_sent_ns,
                written_ns: user.written_ns,
                first_byte_ns: user.first_byte_ns.unwrap_or(now_ns),
                received_bytes: user.received_bytes,
            },
            remote: pools.get(usize::from(conn.target)).and_then(|pool| pool.inet_address(conn.address)),
            tls: conn.tls.as_deref(),
        };
        (conn.connect_ns, conn.tls_ns) = (0, 0);
        let is_measured_apart = user.exchange.is_some_and(|exchange| exchange.request_index.is_some());
        let mut context =
            scenario::Context { now_ns, intended_ns: user.intended_ns, checks: &mut interval.checks };
        let (person, event) = match user.lane_of {
            None => (user_id, Event::Answered(answer)),
            Some((person, lane)) => (person, Event::Lane(lane, Ok(answer))),
        };
        let next = users[person as usize].scenario.resume(event, &mut context);
        if is_measured_apart {
            let outcome = match next {
                Next::Done(Err(class)) => Outcome::Failed(class),
                _ => Outcome::Completed,
            };
            self.book_request(user_id, outcome, true, now_ns);
        }
        let user = &mut self.users[user_id as usize];
        if let Next::Await(exchange) = next
            && person == user_id
        {
            user.exchange = Some(exchange);
            self.await_another(conn_id, exchange, complete.keep_alive, now_ns);
            return complete.keep_alive;
        }
        user.conn = NONE;
        user.limit_ns = u64::MAX;
        user.doing = Doing::Idle;
        // A body that was never asked for leaves the connection in doubt.
        let keeps = complete.keep_alive && is_clean && !std::mem::take(&mut user.holds_body);
        if person != user_id {
            self.lane_ended(person);
        }
        self.release(conn_id, keeps, now_ns);
        self.follow(person, next, now_ns);
        false
    }

    /// The next answer to pipelined requests is due, unless the last one was the connection's last.
    fn await_another(&mut self, conn_id: u32, exchange: Exchange, keep_alive: bool, now_ns: u64) {
        self.traffic(conn_id).requests += 1;
        self.conns[conn_id as usize].session.expect(exchange.kind, exchange.want);
        if !keep_alive {
            self.lose(conn_id, ErrorClass::ReceiveEarlyEnd, now_ns);
        }
    }

    /// The user is done with the connection.
    #[inline]
    fn release(&mut self, conn_id: u32, keeps: bool, now_ns: u64) {
        let Self { conns, pools, .. } = self;
        let conn = &mut conns[conn_id as usize];
        conn.user = NONE;
        let policy = pools.get(usize::from(conn.target)).map(|pool| pool.setup.connections);
        if keeps && policy != Some(ConnectionPolicy::PerRequest) {
            conn.state = State::Ready;
            if policy != Some(ConnectionPolicy::PerUser) {
                self.offer(conn_id, now_ns);
            }
            return;
        }
        conn.state = State::Closed;
        conn.tls = None;
        conn.generation = conn.generation.wrapping_add(1);
        self.ops.push_back(Op::Close(conn_id, Close::Graceful));
        self.offer(conn_id, now_ns);
    }

    /// The user's action is over: closes connections of its own, and of its lanes, that are kept for no longer.
    pub(crate) fn close_with_action(&mut self, user_id: u32) {
        let Self { users, conns, pools, ops, .. } = self;
        let user = &users[user_id as usize];
        let lanes = user.lanes.iter().filter_map(|lane| users.get(*lane as usize));
        for conn_id in std::iter::once(user).chain(lanes).flat_map(|each| &each.own_conns).copied() {
            let Some(conn) = conns.get_mut(conn_id as usize) else { continue };
            let policy = pools.get(usize::from(conn.target)).map(|pool| pool.setup.connections);
            if conn.state == State::Ready && policy == Some(ConnectionPolicy::PerAction) {
                conn.state = State::Closed;
                conn.tls = None;
                conn.generation = conn.generation.wrapping_add(1);
                ops.push_back(Op::Close(conn_id, Close::Graceful));
            }
        }
    }

    /// The peer ended its side.
    pub(crate) fn on_ended(&mut self, conn_id: u32, now_ns: u64) {
        let conn = &mut self.conns[conn_id as usize];
        if !conn.is_open() {
            return;
        }
        if let Some(tls) = &mut conn.tls {
            match tls.end() {
                TlsEnd::InHandshake => return self.lose(conn_id, ErrorClass::Tls, now_ns),
                // Without close_notify the end may be an attacker's: it is no body's end (RFC 9112 §9.8).
                TlsEnd::Truncated if conn.session.is_within_answer() => {
                    return self.lose(conn_id, ErrorClass::ReceiveEarlyEnd, now_ns);
                }
                TlsEnd::Truncated | TlsEnd::Clean => {}
            }
        }
        match self.conns[conn_id as usize].session.end() {
            Ended::Complete(complete) => {
                self.on_complete(conn_id, &complete, false, now_ns);
            }
            Ended::Idle if self.reopens(conn_id, now_ns) => {}
            Ended::Idle | Ended::Early { .. } => self.lose(conn_id, ErrorClass::ReceiveEarlyEnd, now_ns),
        }
    }

    /// An idle connection may go just as it is chosen: nothing was sent, so it is opened anew for its user. Once per request; a server
    /// that closes what it has just accepted fails the request.
    fn reopens(&mut self, conn_id: u32, now_ns: u64) -> bool {
        let conn = &self.conns[conn_id as usize];
        let Some(user) = self.users.get_mut(conn.user as usize) else { return false };
        if user.doing != Doing::Sending || user.has_reopened {
            return false;
        }
        user.has_reopened = true;
        self.reopen(conn_id, now_ns);
        true
    }

    fn reopen(&mut self, conn_id: u32, now_ns: u64) {
        self.to_send.retain(|conn| *conn != conn_id);
        let conn = &mut self.conns[conn_id as usize];
        let user_id = conn.user;
        conn.tls = None;
        conn.state = State::Closed;
        self.ops.push_back(Op::Close(conn_id, Close::Graceful));
        self.traffic_of(user_id).connections_lost += 1;
        if let Some(user) = self.users.get_mut(user_id as usize) {
            user.doing = Doing::AwaitingConnection;
            user.is_unhindered = false;
        }
        self.open_or_wait(conn_id, now_ns);
    }

    // ---- time ----

    /// A timer is due.
    pub(crate) fn on_timer(&mut self, entry: Entry, now_ns: u64) {
        match entry.timer {
            Timer::Rest(user_id) => {
                let user = &self.users[user_id as usize];
                if user.generation == entry.generation
                    && matches!(user.doing, Doing::Resting | Doing::Lingering)
                    && let Some(next) = self.resume(user_id, Event::Rested, now_ns)
                {
                    self.follow(user_id, next, now_ns);
                }
            }
            Timer::RequestLimit(user_id) => self.on_request_limit(user_id, now_ns),
            Timer::Continue(user_id) => {
                let user = &self.users[user_id as usize];
                if user.generation == entry.generation
                    && user.holds_body
                    && user.doing == Doing::AwaitingAnswer
                {
                    self.ops.push_back(Op::SendBody(user.conn));
                }
            }
            Timer::Reconnect(conn_id) => {
                let conn = &mut self.conns[conn_id as usize];
                if conn.generation == entry.generation && conn.state == State::Waiting {
                    conn.state = State::Closed;
                    self.open_or_wait(conn_id, now_ns);
                }
            }
            Timer::ConnectLimit(conn_id) => {
                let conn = &self.conns[conn_id as usize];
                if conn.generation == entry.generation {
                    self.on_connect_limit(conn_id, now_ns);
                }
            }
        }
    }

    fn on_connect_limit(&mut self, conn_id: u32, now_ns: u64) {
        match self.conns[conn_id as usize].state {
            State::Handshaking => self.lose(conn_id, ErrorClass::Tls, now_ns),
            State::Tunnelling => self.lose(conn_id, ErrorClass::Proxy, now_ns),
            State::Connecting => {
                self.ops.push_back(Op::Close(conn_id, Close::Reset));
                if !self.try_next_address(conn_id, now_ns) {
                    self.fall(conn_id, ErrorClass::ConnectTimeout, now_ns);
                }
            }
            State::Closed | State::Waiting | State::Ready | State::Busy => {}
        }
    }

    fn on_request_limit(&mut self, user_id: u32, now_ns: u64) {
        let user = &mut self.users[user_id as usize];
        user.limit_armed_ns = u64::MAX;
        if user.limit_ns == u64::MAX {
            return;
        }
        if now_ns < user.limit_ns {
            user.limit_armed_ns = user.limit_ns;
            let (limit_ns, generation) = (user.limit_ns, user.generation);
            self.timers.set(limit_ns, Timer::RequestLimit(user_id), generation);
            return;
        }
        let (conn_id, doing) = (user.conn, user.doing);
        match doing {
            Doing::AwaitingAnswer => self.lose(conn_id, ErrorClass::Timeout, now_ns),
            // Only a limit that connecting is within reaches here.
            Doing::AwaitingConnection if conn_id != NONE => {
                self.lose(conn_id, ErrorClass::ConnectTimeout, now_ns);
            }
            _ => {}
        }
    }

    // ---- books ----

    /// Where what happens on a connection is booked: its user's phase, else what comes before all phases.
    pub(crate) fn traffic(&mut self, conn_id: u32) -> &mut Traffic {
        let user_id = self.conns[conn_id as usize].user;
        self.traffic_of(user_id)
    }

    fn traffic_of(&mut self, user_id: u32) -> &mut Traffic {
        let slot = self.users.get(user_id as usize).map_or(NONE, |user| user.phase);
        // A connection without a user belongs to whatever phase runs.
        let is_there = |slot: usize| self.phases.get(slot).is_some_and(Option::is_some);
        let slot = if is_there(slot as usize) {
            Some(slot as usize)
        } else {
            self.phases.iter().position(Option::is_some)
        };
        match slot.and_then(|slot| self.phases.get_mut(slot)).and_then(Option::as_mut) {
            Some(phase) => &mut phase.recorder.now().traffic,
            None => &mut self.early_traffic,
        }
    }

    /// Books a request that is measured apart from its action.
    pub(crate) fn book_request(&mut self, user_id: u32, outcome: Outcome, was_sent: bool, now_ns: u64) {
        let Self { users, phases, .. } = self;
        let user = &mut users[user_id as usize];
        let Some(request_index) = user.exchange.and_then(|exchange| exchange.request_index) else { return };
        let sample = Sample {
            intended_ns: user.request_intended_ns,
            sent_ns: was_sent.then_some(user.request_sent_ns),
            done_ns: now_ns,
            think_ns: 0,
            outcome,
        };
        let phase = phases.get_mut(user.phase as usize).and_then(Option::as_mut);
        if let Some(stats) =
            phase.and_then(|phase| phase.recorder.now().requests.get_mut(usize::from(request_index)))
        {
            stats.counts.started += 1;
            stats.record(&sample);
        }
    }

    // ---- preparation ----

    /// Opens the connections that a load will use: a shared pool whole, own ones for so many users where there is one target.
    pub(crate) fn prepare(&mut self, population: u16, user_count: u32, now_ns: u64) {
        let mut preparation = Preparation::default();
        for target in 0..self.pools.len() as u16 {
            let Some(pool) = self.pools.get(usize::from(target)) else { continue };
            for _ in pool.count..pool.shared_max().unwrap_or(0) {
                preparation.to_open.push_back(self.new_connection(target));
            }
        }
        let owns = self.pools.len() == 1
            && self.pools.iter().all(|pool| pool.setup.connections == ConnectionPolicy::PerUser);
        if owns {
            let users: Vec<u32> =
                (0..user_count).map_while(|_| self.acquire(population, user_count)).collect();
            for user_id in &users {
                let own = self.users[*user_id as usize].own_conns.first().copied().unwrap_or(NONE);
                let conn = if own == NONE { self.own_connection(*user_id, 0) } else { own };
                if self.conns[conn as usize].state == State::Closed {
                    preparation.to_open.push_back(conn);
                }
            }
            if let Some(people) = self.populations.get_mut(usize::from(population)) {
                people.idle.extend(users.into_iter().rev());
            }
        }
        self.preparation = Some(preparation);
        self.go_on_preparing(now_ns);
    }

    fn go_on_preparing(&mut self, now_ns: u64) {
        loop {
            let Some(preparation) = &mut self.preparation else { return };
            if preparation.opening_count >= OPENING_COUNT_MAX {
                return;
            }
            let Some(conn_id) = preparation.to_open.pop_front() else { break };
            preparation.opening_count += 1;
            let conn = &mut self.conns[conn_id as usize];
            conn.is_awaited = true;
            conn.retry_at_ns = 0;
            self.open_or_wait(conn_id, now_ns);
        }
        if let Some(done) = self.preparation.take_if(|preparation| preparation.opening_count == 0) {
            let Preparation { open_count, failed_count, last_failure, .. } = done;
            self.report(Report::Ready { open_count, failed_count, last_failure });
        }
    }

    /// A connection that a preparation waits for stands or has failed.
    fn settle_preparation(&mut self, conn_id: u32, failure: Option<ErrorClass>, now_ns: u64) {
        if !std::mem::take(&mut self.conns[conn_id as usize].is_awaited) {
            return;
        }
        if let Some(preparation) = &mut self.preparation {
            preparation.opening_count -= 1;
            match failure {
                None => preparation.open_count += 1,
                Some(class) => {
                    preparation.failed_count += 1;
                    preparation.last_failure = Some(class);
                }
            }
            self.go_on_preparing(now_ns);
        }
    }
}

/// The class of a failure to connect.
fn connect_class(error: &io::Error) -> ErrorClass {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => ErrorClass::ConnectRefused,
        io::ErrorKind::TimedOut => ErrorClass::ConnectTimeout,
        io::ErrorKind::AddrNotAvailable
        | io::ErrorKind::NetworkUnreachable
        | io::ErrorKind::HostUnreachable => ErrorClass::ConnectNoAddress,
        _ => ErrorClass::ConnectFailed,
    }
}
