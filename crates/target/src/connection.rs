//! One connection: its session driven over its link, and what it waits for.

use rustix::event::epoll::EventFlags;

use crate::clock;
use crate::counts::{Class, Counts};
use crate::link::{Link, Sent};
use crate::reply::End;
use crate::session::{Progress, Session, Turn};
use crate::timers::Token;

/// Polls of a session in a row before others get their turn: about 1 MiB of a long body.
const POLLS_MAX: usize = 8;
/// Reading stops while this much waits behind an unfinished answer.
const UNREAD_BYTES_MAX: usize = 64 * 1024;
/// How long a client may go on sending after an answer that ended the connection early.
const LINGER_NS: u64 = 2 * units::NS_PER_SEC;

#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) link: Link,
    pub(crate) session: Session,
    pub(crate) token: Token,
    /// What the epoll set watches for it.
    pub(crate) watched: EventFlags,
    /// The one timer that counts.
    pub(crate) wake_ns: Option<u64>,
    /// Answers kept back by a stall.
    pub(crate) held: Vec<u8>,
    peer_closed: bool,
    lingering: bool,
}

/// What a connection wants after it was driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Want {
    /// To be told of these, and woken at this time.
    Events { flags: EventFlags, wake_ns: Option<u64> },
    /// To be dropped.
    Drop,
}

/// What stands in the way of going on.
enum Obstacle {
    Blocked,
    Stalled { until_ns: u64 },
    Broken,
}

impl Connection {
    pub(crate) fn new(link: Link, token: Token, index: u64) -> Self {
        Self {
            link,
            session: Session::new(index),
            token,
            watched: EventFlags::empty(),
            wake_ns: None,
            held: Vec::new(),
            peer_closed: false,
            lingering: false,
        }
    }

    /// Goes on with what arrived, which may be nothing, as far as the client takes the answers.
    pub(crate) fn drive(&mut self, input: &[u8], turn: &mut Turn<'_>) -> Want {
        if self.lingering {
            return self.want_linger_on();
        }
        let mut input = input;
        for _ in 0..POLLS_MAX {
            if let Err(obstacle) = self.deliver(turn) {
                self.session.keep_unread(input);
                return self.want_past(&obstacle);
            }
            let progress = self.session.poll(input, turn);
            input = &[];
            match (self.deliver(turn), progress) {
                (Err(obstacle), _) => return self.want_past(&obstacle),
                (Ok(()), Progress::Again) => {}
                (Ok(()), Progress::Input) if self.peer_closed => return Want::Drop,
                (Ok(()), Progress::Input) => return self.want_input(None),
                (Ok(()), Progress::Wait { until_ns }) => return self.want_input(Some(until_ns)),
                (Ok(()), Progress::Over(end)) => return self.end(end),
            }
        }
        // Others first; a socket that can be written to is reported at once.
        Want::Events { flags: EventFlags::OUT, wake_ns: None }
    }

    /// Sends what waits, oldest first.
    fn deliver(&mut self, turn: &mut Turn<'_>) -> Result<(), Obstacle> {
        if self.link.has_unsent() {
            self.link.flush().into_result()?;
        }
        if self.held.is_empty() && turn.out.is_empty() {
            return Ok(());
        }
        if let Some(until_ns) = turn.shared.stalled_until_ns()
            && (turn.class == Class::Load || !self.held.is_empty())
        {
            self.held.append(&mut turn.out);
            return Err(Obstacle::Stalled { until_ns });
        }
        if !self.held.is_empty() {
            let mut held = std::mem::take(&mut self.held);
            turn.counts.written(Class::Load).add(held.len() as u64);
            self.link.send(&mut held).into_result()?;
        }
        if turn.out.is_empty() {
            return Ok(());
        }
        turn.counts.written(turn.class).add(turn.out.len() as u64);
        self.link.send(&mut turn.out).into_result()
    }

    fn want_past(&self, obstacle: &Obstacle) -> Want {
        match obstacle {
            Obstacle::Blocked => Want::Events { flags: EventFlags::OUT, wake_ns: None },
            Obstacle::Stalled { until_ns } => self.want_input(Some(*until_ns)),
            Obstacle::Broken => Want::Drop,
        }
    }

    fn want_input(&self, wake_ns: Option<u64>) -> Want {
        let full = wake_ns.is_some() && self.session.unread_bytes() >= UNREAD_BYTES_MAX;
        let flags = if self.peer_closed || full { EventFlags::empty() } else { EventFlags::IN };
        Want::Events { flags, wake_ns }
    }

    fn end(&mut self, end: End) -> Want {
        match end {
            End::Reset => {
                self.link.prepare_reset();
                Want::Drop
            }
            End::Linger if !self.peer_closed => {
                self.link.finish();
                self.lingering = true;
                Want::Events {
                    flags: EventFlags::IN,
                    wake_ns: Some(clock::now_ns().saturating_add(LINGER_NS)),
                }
            }
            End::Linger | End::Close | End::KeepAlive => {
                if self.link.is_encrypted() {
                    self.link.finish();
                }
                Want::Drop
            }
        }
    }

    /// What arrives while lingering is forgotten; the timer that was set stays.
    fn want_linger_on(&self) -> Want {
        Want::Events { flags: EventFlags::IN, wake_ns: self.wake_ns }
    }

    /// The client sends no more. What it asked before is still answered: it may have closed only its half.
    pub(crate) fn peer_closed(&mut self, turn: &mut Turn<'_>) -> Want {
        self.peer_closed = true;
        if self.lingering {
            return Want::Drop;
        }
        self.drive(&[], turn)
    }

    /// Its timer went off.
    pub(crate) fn wake(&mut self, turn: &mut Turn<'_>) -> Want {
        if self.lingering {
            return Want::Drop;
        }
        self.drive(&[], turn)
    }

    /// Counts how it ended.
    pub(crate) fn count_end(&self, counts: &Counts) {
        counts.closed.add(1);
        if self.lingering {
            return;
        }
        if !self.link.is_encrypted() {
            counts.written(Class::Load).take_back(self.link.unsent_bytes() as u64);
        }
        if self.session.is_answering() || self.link.has_unsent() || !self.held.is_empty() {
            counts.abandoned.add(1);
        } else if self.session.is_reading() {
            counts.cut_short.add(1);
        }
    }
}

impl Sent {
    fn into_result(self) -> Result<(), Obstacle> {
        match self {
            Self::All => Ok(()),
            Self::Blocked => Err(Obstacle::Blocked),
            Self::Failed => Err(Obstacle::Broken),
        }
    }
}
