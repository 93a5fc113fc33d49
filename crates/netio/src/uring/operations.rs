//! Handing operations to the ring, and sorting what comes back: what needs no caller is dealt with at once.

use super::connection::{Connection, Operation, State, Token, Tried};
use super::{ROUND_BYTES, UringDriver, What, buffers, outcome_of};
use crate::Close;
use io_uring::{cqueue, opcode, squeue, types};
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{SocketAddrAny, sockopt::set_socket_linger};
use std::time::Duration;

/// What operations refer to that are not yet handed over, though the caller has closed their connection. The number of a
/// socket closed too early would be given to the next one, and the operation to a stranger.
#[derive(Debug)]
pub(super) struct Retired {
    _fd: OwnedFd,
    _address: Option<Box<SocketAddrAny>>,
}

impl UringDriver {
    /// Appends an operation, after making room if there is none.
    ///
    /// # Safety
    /// As for [`super::ring::Ring::push`].
    unsafe fn push(&mut self, mut entry: squeue::Entry) {
        // SAFETY: passed on to the caller.
        while let Err(back) = unsafe { self.ring.push(entry) } {
            self.enter(None);
            entry = back;
        }
    }

    pub(super) fn cancel(&mut self, target: Token) {
        let token = Token { operation: Operation::Cancel, ..target };
        let cancel = opcode::AsyncCancel::new(target.encode()).build();
        let cancel = cancel.user_data(token.encode()).flags(squeue::Flags::SKIP_SUCCESS);
        // SAFETY: the operation points at no memory.
        unsafe { self.push(cancel) };
    }

    pub(super) fn begin_connect(&mut self, conn: u32, fd: OwnedFd, address: SocketAddrAny) {
        let Some(connection) = self.connections.get_mut(conn as usize) else { return };
        assert!(connection.fd.is_none(), "connection {conn} is not closed ({:?})", connection.state);
        connection.generation = connection.generation.wrapping_add(1);
        connection.state = State::Connecting;
        let token = Token { operation: Operation::Connect, conn, generation: connection.generation };
        let address = match &mut connection.address {
            Some(place) => {
                **place = address;
                place
            }
            none => none.insert(Box::new(address)),
        };
        let connect =
            opcode::Connect::new(types::Fd(fd.as_raw_fd()), address.as_ptr().cast(), address.addr_len());
        connection.fd = Some(fd);
        // SAFETY: the kernel reads the address when the operation is handed over (`IORING_FEAT_SUBMIT_STABLE`); until then
        // it stays in its box, with the connection or among the retired. So does the socket.
        unsafe { self.push(connect.build().user_data(token.encode())) };
    }

    /// The connection stands: from now on bytes are received, and those given in advance leave.
    pub(super) fn opened(&mut self, conn: u32) {
        let Some(connection) = self.connections.get_mut(conn as usize) else { return };
        connection.state = State::Open;
        self.receive(conn);
        self.send_rest_later(conn);
    }

    fn receive(&mut self, conn: u32) {
        let Some(connection) = self.connections.get_mut(conn as usize) else { return };
        let Some(fd) = &connection.fd else { return };
        connection.is_receiving = true;
        let token = Token { operation: Operation::Receive, conn, generation: connection.generation };
        let receive = opcode::RecvMulti::new(types::Fd(fd.as_raw_fd()), buffers::GROUP).build();
        // SAFETY: the kernel writes to the buffers lent to it, which outlive the ring's use of them; the socket stays open
        // until the operation is handed over.
        unsafe { self.push(receive.user_data(token.encode())) };
    }

    /// Sends behind what the system has not taken yet, or has not been asked to take.
    #[cold]
    pub(super) fn send_slowly(&mut self, conn: u32, bytes: &[u8]) {
        // Entering decides the tries of this round and makes room for more.
        self.enter(None);
        let Some(connection) = self.connections.get_mut(conn as usize) else { return };
        match connection.state {
            State::Open | State::Ended => {}
            _ => return,
        }
        if connection.is_clear() && self.round.is_empty() && bytes.len() <= ROUND_BYTES {
            self.push_try(conn, bytes);
        } else {
            connection.keep(bytes);
            self.send_rest_later(conn);
        }
    }

    /// Tries a send at once. The connection must be clear, its last try decided, and the bytes must fit the round.
    #[inline]
    pub(super) fn push_try(&mut self, conn: u32, bytes: &[u8]) {
        let start = self.round.len();
        self.round.extend_from_slice(bytes);
        let Some(connection) = self.connections.get_mut(conn as usize) else { return };
        let Some(fd) = &connection.fd else { return };
        connection.tried =
            Tried { round: self.round_index, start: start as u32, byte_count: bytes.len() as u32 };
        let token = Token { operation: Operation::TrySend, conn, generation: connection.generation };
        let Some(tried) = self.round.get(start..) else { return };
        // MSG_DONTWAIT makes the kernel complete the operation while it is handed over, MSG_WAITALL makes a short send a
        // failure, and so a success without a completion is a whole one.
        let send = opcode::Send::new(types::Fd(fd.as_raw_fd()), tried.as_ptr(), tried.len() as u32)
            .flags(libc::MSG_DONTWAIT | libc::MSG_WAITALL | libc::MSG_NOSIGNAL)
            .build()
            .flags(squeue::Flags::SKIP_SUCCESS)
            .user_data(token.encode());
        // SAFETY: the round's bytes are neither moved (its capacity is never exceeded) nor changed until all operations
        // were handed over, which is when the kernel reads them; the socket stays open until then.
        unsafe { self.push(send) };
    }

    /// Notes that the connection may have a rest to send.
    pub(super) fn send_rest_later(&mut self, conn: u32) {
        let Some(connection) = self.connections.get(conn as usize) else { return };
        if !connection.is_sending && !connection.rest.is_empty() {
            self.to_send.push((conn, connection.generation));
        }
    }

    fn send_rest(&mut self, conn: u32, generation: u32) {
        let round_index = self.round_index;
        let Some(connection) = self.current(conn, generation) else { return };
        if connection.tried.round == round_index {
            // What the system leaves of that try comes first; how much, this round will tell.
            return self.to_send.push((conn, generation));
        }
        let Some(fd) = &connection.fd else { return };
        let is_allowed = matches!(connection.state, State::Open | State::Ended);
        if !is_allowed || connection.is_sending || connection.rest.is_empty() {
            return;
        }
        connection.is_sending = true;
        let bytes = connection.rest.bytes();
        let byte_count = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let token = Token { operation: Operation::SendRest, conn, generation };
        let send = opcode::Send::new(types::Fd(fd.as_raw_fd()), bytes.as_ptr(), byte_count)
            .flags(libc::MSG_NOSIGNAL)
            .build()
            .user_data(token.encode());
        // SAFETY: while `is_sending`, the rest is not touched; closing moves it (not its heap memory) to the orphans, which
        // keep it until the operation has completed.
        unsafe { self.push(send) };
    }

    /// Closes the socket, ends what is under way on it, and makes its completions and outcomes stale.
    pub(super) fn release(&mut self, conn: u32, how: Close) {
        let Some(connection) = self.connections.get_mut(conn as usize) else { return };
        let generation = connection.generation;
        let mut next = Connection { generation: generation.wrapping_add(1), ..Connection::default() };
        if connection.state != State::Connecting {
            next.address = connection.address.take();
        }
        let released = std::mem::replace(connection, next);
        let Some(fd) = released.fd else { return };
        if released.is_receiving {
            self.cancel(Token { operation: Operation::Receive, conn, generation });
        }
        if released.is_sending {
            let token = Token { operation: Operation::SendRest, conn, generation };
            self.orphans.insert(token.encode(), released.rest);
            self.cancel(token);
        }
        if released.state == State::Connecting {
            self.cancel(Token { operation: Operation::Connect, conn, generation });
        }
        if how == Close::Reset {
            // Linger zero makes the last close send RST; if it failed, FIN is what is left.
            let _ = set_socket_linger(&fd, Some(Duration::ZERO));
        }
        if !self.ring.is_all_submitted() {
            self.retired.push(Retired { _fd: fd, _address: released.address });
        }
    }

    /// Arms again what ended without fault, once the caller has taken all that came: only then are all buffers back.
    pub(super) fn rearm(&mut self) {
        if !self.is_waker_watched {
            self.is_waker_watched = true;
            let token = Token { operation: Operation::WatchWaker, conn: 0, generation: 0 };
            let watch = opcode::PollAdd::new(types::Fd(self.waker.fd().as_raw_fd()), libc::POLLIN as u32);
            // SAFETY: the operation points at no memory; the driver owns the waker's descriptor.
            unsafe { self.push(watch.multi(true).build().user_data(token.encode())) };
        }
        if self.to_receive.is_empty() || !self.pending.is_empty() {
            return;
        }
        let mut to_receive = std::mem::take(&mut self.to_receive);
        for (conn, generation) in to_receive.drain(..) {
            let open =
                |connection: &mut Connection| connection.state == State::Open && !connection.is_receiving;
            if self.current(conn, generation).is_some_and(open) {
                self.receive(conn);
            }
        }
        let came_since = std::mem::replace(&mut self.to_receive, to_receive);
        self.to_receive.extend(came_since);
    }

    /// Whether operations are to be appended at the next entering.
    pub(super) fn has_to_do(&self) -> bool {
        !self.to_send.is_empty() || !self.to_cancel.is_empty()
    }

    fn do_what_is_to_do(&mut self) {
        let mut to_send = std::mem::take(&mut self.to_send);
        for (conn, generation) in to_send.drain(..) {
            self.send_rest(conn, generation);
        }
        let came_since = std::mem::replace(&mut self.to_send, to_send);
        self.to_send.extend(came_since);
        while let Some(token) = self.to_cancel.pop() {
            self.cancel(token);
        }
    }

    /// Hands all operations over, waits if asked to, and sorts what came.
    pub(super) fn enter(&mut self, timeout_ns: Option<u64>) {
        if self.has_to_do() {
            self.do_what_is_to_do();
        }
        // A rest held back by a try of this round must not sleep until something else happens.
        self.ring.enter(timeout_ns.filter(|_| !self.has_to_do()));
        let is_all_submitted = self.ring.is_all_submitted();
        self.sort_completions();
        while self.ring.has_overflow() {
            self.ring.enter(None);
            self.sort_completions();
        }
        if is_all_submitted {
            // All tries are decided and what they left is copied: the bytes of the round are free.
            self.round.clear();
            self.round_index += 1;
            self.retired.clear();
        }
    }

    fn sort_completions(&mut self) {
        let mut fresh = std::mem::take(&mut self.fresh);
        self.ring.take_completions(&mut fresh);
        for entry in fresh.drain(..) {
            self.sort(entry);
        }
        self.fresh = fresh;
    }

    #[inline]
    fn sort(&mut self, entry: cqueue::Entry) {
        let Some(token) = Token::decode(entry.user_data()) else { return };
        match token.operation {
            Operation::Receive => self.sort_receive(token, entry),
            Operation::Connect | Operation::WatchWaker => self.pending.push_back(entry),
            Operation::TrySend => self.try_refused(token, entry.result()),
            Operation::SendRest => self.rest_sent(token, entry.result()),
            Operation::Cancel => {}
        }
    }

    #[inline]
    fn sort_receive(&mut self, Token { conn, generation, .. }: Token, entry: cqueue::Entry) {
        let has_more = cqueue::more(entry.flags());
        let Some(connection) = self.current(conn, generation) else {
            return self.give_back(cqueue::buffer_select(entry.flags()));
        };
        if has_more {
            return self.pending.push_back(entry);
        }
        connection.is_receiving = false;
        let state = connection.state;
        let outcome = outcome_of(entry.result());
        match (state, outcome) {
            (State::SendFailed(error), _) => self.push_outcome(conn, What::SendFailed(error)),
            (State::Open, Ok(1..) | Err(Errno::NOBUFS | Errno::INTR | Errno::AGAIN)) => {
                self.to_receive.push((conn, generation));
            }
            _ => {}
        }
        match outcome {
            Err(Errno::NOBUFS | Errno::INTR | Errno::AGAIN | Errno::CANCELED) => {
                self.give_back(cqueue::buffer_select(entry.flags()));
            }
            _ => self.pending.push_back(entry),
        }
    }

    /// The system did not take all of a send at once.
    fn try_refused(&mut self, Token { conn, generation, .. }: Token, result: i32) {
        let Some(connection) = self.connections.get_mut(conn as usize) else { return };
        if connection.generation != generation {
            return;
        }
        let sent_count = match outcome_of(result) {
            Ok(sent_count) => sent_count,
            Err(Errno::AGAIN | Errno::INTR) => 0,
            Err(error) => return self.send_failed(conn, error),
        };
        let start = connection.tried.start as usize;
        let tried = self.round.get(start..start + connection.tried.byte_count as usize).unwrap_or_default();
        // What was given since was kept, and could not get under way before this.
        let later = std::mem::take(&mut connection.rest);
        connection.rest.keep(tried.get(sent_count..).unwrap_or_default());
        connection.rest.keep(later.bytes());
        self.send_rest_later(conn);
    }

    fn rest_sent(&mut self, token: Token, result: i32) {
        if self.orphans.remove(&token.encode()).is_some() {
            return;
        }
        let Some(connection) = self.current(token.conn, token.generation) else { return };
        let sent_count = match outcome_of(result) {
            Ok(sent_count) => sent_count,
            Err(Errno::AGAIN | Errno::INTR) => 0,
            Err(error) => {
                connection.is_sending = false;
                return self.send_failed(token.conn, error);
            }
        };
        connection.rest_sent(sent_count);
        if connection.is_clear() {
            self.push_outcome(token.conn, What::Drained);
        }
        self.send_rest_later(token.conn);
    }
}
