//! What became of arrivals and actions, and of what class their errors were.

use std::ops::{Index, IndexMut};

/// Where every arrival and every action ended up. Laws: due = started + dropped + unstarted; started = completed + failed + unfinished
/// once a phase has drained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Arrivals that the load model called for. In a closed model each start is due.
    pub due: u64,
    /// Actions begun.
    pub started: u64,
    /// Actions that ended well.
    pub completed: u64,
    /// Actions that ended with an error.
    pub failed: u64,
    /// Arrivals thrown away because all users were busy.
    pub dropped: u64,
    /// Arrivals still waiting for a user when the phase ended.
    pub unstarted: u64,
    /// Actions still open when the drain limit passed.
    pub unfinished: u64,
    /// Samples whose time is only a lower bound: no answer came (time-outs, resets, unfinished and unstarted ones).
    pub censored: u64,
}

impl Counts {
    /// Adds another's counts.
    pub fn merge(&mut self, other: &Self) {
        self.due += other.due;
        self.started += other.started;
        self.completed += other.completed;
        self.failed += other.failed;
        self.dropped += other.dropped;
        self.unstarted += other.unstarted;
        self.unfinished += other.unfinished;
        self.censored += other.censored;
    }

    /// Actions that ended, well or not.
    pub fn ended(&self) -> u64 {
        self.completed + self.failed
    }
}

macro_rules! error_classes {
    ($($(#[doc = $doc:literal])+ $class:ident = $name:literal, $answered:literal;)+) => {
        /// Why an action failed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum ErrorClass { $($(#[doc = $doc])+ $class,)+ }

        impl ErrorClass {
            /// All classes, in the order in which they are printed.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$class),+];

            /// The name in the record.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$class => $name),+ }
            }

            /// Whether an answer came, so that the measured time is the answer's and not a lower bound.
            pub fn answered(self) -> bool {
                match self { $(Self::$class => $answered),+ }
            }
        }
    };
}

error_classes! {
    /// The host name could not be resolved.
    Resolve = "resolve", false;
    /// The target refused the connection.
    ConnectRefused = "connect_refused", false;
    /// No connection within the limit.
    ConnectTimeout = "connect_timeout", false;
    /// No local address or descriptor left, or no route.
    ConnectNoAddress = "connect_no_address", false;
    /// Connecting failed in another way.
    ConnectFailed = "connect_failed", false;
    /// A proxy did not open a tunnel to the target.
    Proxy = "proxy", false;
    /// The TLS handshake or a record failed.
    Tls = "tls", false;
    /// Sending failed.
    Send = "send", false;
    /// The connection was reset before the answer was whole.
    ReceiveReset = "receive_reset", false;
    /// The peer ended the connection before the answer was whole.
    ReceiveEarlyEnd = "receive_early_end", false;
    /// What came was not the protocol.
    Protocol = "protocol", false;
    /// No whole answer within the limit.
    Timeout = "timeout", false;
    /// The status was not one that counts as success.
    Status = "status", true;
    /// A check failed or a capture found nothing.
    Check = "check", true;
    /// A redirect that is not followed: too many, or to an origin that is no target of the plan.
    Redirect = "redirect", true;
}

/// How many errors there were of each class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Errors([u64; ErrorClass::ALL.len()]);

impl Index<ErrorClass> for Errors {
    type Output = u64;
    fn index(&self, class: ErrorClass) -> &u64 {
        &self.0[class as usize]
    }
}

impl IndexMut<ErrorClass> for Errors {
    fn index_mut(&mut self, class: ErrorClass) -> &mut u64 {
        &mut self.0[class as usize]
    }
}

impl Errors {
    /// Adds another's counts.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs;
        }
    }

    /// The classes that occurred, with their counts, in printing order.
    pub fn iter(&self) -> impl Iterator<Item = (ErrorClass, u64)> + '_ {
        ErrorClass::ALL.into_iter().map(|class| (class, self[class])).filter(|(_, count)| *count > 0)
    }
}
