//! The ring itself: opened with the flags this driver lives by, entered, and why it may be refused.

use io_uring::types::{CancelBuilder, SubmitArgs, Timespec};
use io_uring::{IoUring, cqueue, squeue};
use std::fmt;
use std::io;
use std::time::Duration;

/// Operations handed over at once; more of them cost another system call, nothing else.
const SUBMISSION_COUNT: u32 = 1024;
/// Completions that fit the ring; the kernel keeps more of them aside (`IORING_FEAT_NODROP`).
const COMPLETION_COUNT: u32 = 4096;
/// Longest wait for the kernel to let go of operations when a driver is dropped.
const FAREWELL: Duration = Duration::from_secs(1);

/// Why this machine gives no ring that the driver can work with.
#[derive(Debug)]
pub(super) enum Refusal {
    /// Making the ring failed.
    Setup(io::Error),
    /// The kernel lacks a part.
    Lacks {
        /// What is missing.
        what: &'static str,
        /// The first Linux that has it.
        since: &'static str,
    },
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Self::Setup(error)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lacks { what, since } => {
                write!(f, "this kernel has no {what}; Linux {since} or newer does")
            }
            Self::Setup(error) => match error.raw_os_error() {
                Some(libc::ENOSYS) => {
                    write!(
                        f,
                        "this kernel has no io_uring, or a sandbox hides it (as gVisor and some seccomp profiles do)"
                    )
                }
                Some(libc::EPERM | libc::EACCES) => write!(f, "{}", forbidden_by()),
                Some(libc::ENOMEM) => write!(
                    f,
                    "not enough locked memory for io_uring: raise the limit (`ulimit -l`) or use a kernel since 5.12"
                ),
                Some(libc::EMFILE | libc::ENFILE) => {
                    write!(f, "too many open files for one more ring ({error})")
                }
                _ => write!(f, "io_uring is refused: {error}"),
            },
        }
    }
}

impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> Self {
        let kind = match &refusal {
            Refusal::Setup(error) => error.kind(),
            Refusal::Lacks { .. } => io::ErrorKind::Unsupported,
        };
        Self::new(kind, refusal.to_string())
    }
}

/// Who forbids io_uring on this machine.
fn forbidden_by() -> String {
    const SETTING: &str = "/proc/sys/kernel/io_uring_disabled";
    match std::fs::read_to_string(SETTING).as_deref().map(str::trim) {
        Ok("2") => "io_uring is switched off for all (sysctl kernel.io_uring_disabled = 2)".to_owned(),
        Ok("1") => {
            "io_uring is switched off for this user (sysctl kernel.io_uring_disabled = 1: only members of \
                    kernel.io_uring_group and the privileged may use it)"
                .to_owned()
        }
        _ => "io_uring is forbidden by a security policy, most likely the seccomp profile of a container"
            .to_owned(),
    }
}

/// An io_uring that belongs to the first thread which enters it.
pub(super) struct Ring {
    ring: IoUring,
    /// Whether a thread has taken the ring. Until then it may be moved between threads.
    is_enabled: bool,
}

impl Ring {
    /// A ring that nobody has entered yet. `DEFER_TASKRUN` (Linux 6.1) where the kernel has it: completions are then worked
    /// out only while this thread waits for them, in one go, and never interrupt it.
    pub(super) fn open() -> Result<Self, Refusal> {
        let ring = match build(Taskrun::Deferred) {
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => match build(Taskrun::Cooperative) {
                Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {
                    return Err(Refusal::Lacks { what: "single-issuer rings", since: "6.0" });
                }
                built => built?,
            },
            built => built?,
        };
        if !ring.params().is_feature_ext_arg() || !ring.params().is_feature_nodrop() {
            return Err(Refusal::Lacks { what: "timed waits on io_uring", since: "5.11" });
        }
        Ok(Self { ring, is_enabled: false })
    }

    pub(super) fn inner(&self) -> &IoUring {
        &self.ring
    }

    /// Appends an operation; hands it back when there is no room before the next [`Ring::enter`].
    ///
    /// # Safety
    /// Whatever memory the operation points at must stay valid, and unchanged if it is read from, until its last completion
    /// was taken, or until it was submitted where the kernel reads it only then.
    #[inline]
    pub(super) unsafe fn push(&mut self, entry: squeue::Entry) -> Result<(), squeue::Entry> {
        // SAFETY: passed on to the caller.
        unsafe { self.ring.submission().push(&entry) }.map_err(|_| entry)
    }

    /// Whether all operations are with the kernel.
    #[inline]
    pub(super) fn is_all_submitted(&mut self) -> bool {
        self.ring.submission().is_empty()
    }

    /// Whether entering would bring anything.
    #[inline]
    pub(super) fn is_worth_entering(&mut self) -> bool {
        let (_, submission, completion) = self.ring.split();
        !submission.is_empty() || submission.taskrun() || submission.cq_overflow() || !completion.is_empty()
    }

    /// Whether the kernel keeps completions aside, for which the ring had no room.
    #[inline]
    pub(super) fn has_overflow(&mut self) -> bool {
        self.ring.submission().cq_overflow()
    }

    /// Hands the operations over. With a time-out, waits for at least one completion as long as that.
    pub(super) fn enter(&mut self, timeout_ns: Option<u64>) {
        if !self.is_enabled {
            self.enable();
        }
        let submitter = self.ring.submitter();
        let entered = match timeout_ns {
            None => submitter.submit(),
            Some(timeout_ns) => {
                let timeout = Timespec::from(Duration::from_nanos(timeout_ns));
                submitter.submit_with_args(1, &SubmitArgs::new().timespec(&timeout))
            }
        };
        if let Err(error) = entered {
            match error.raw_os_error() {
                // Time is up, a signal came, or the kernel has no room just now: what was not taken stays in the ring.
                Some(libc::ETIME | libc::EINTR | libc::EAGAIN | libc::EBUSY) => {}
                Some(libc::EEXIST) => {
                    panic!("the driver was used on one thread before and is used on another now")
                }
                _ => panic!("entering the ring: {error}"),
            }
        }
    }

    fn enable(&mut self) {
        self.is_enabled = true;
        if let Err(error) = self.ring.submitter().register_enable_rings() {
            panic!("enabling the ring: {error}");
        }
    }

    /// Takes the completions that are there.
    #[inline]
    pub(super) fn take_completions(&mut self, into: &mut Vec<cqueue::Entry>) {
        into.extend(self.ring.completion());
    }

    /// Ends all operations and waits for it; after that the kernel touches none of their memory.
    ///
    /// # Errors
    /// The system's. Then operations may still be under way.
    pub(super) fn cancel_all(&mut self) -> io::Result<()> {
        if !self.is_enabled {
            return Ok(());
        }
        let all = CancelBuilder::any().all();
        match self.ring.submitter().register_sync_cancel(Some(Timespec::from(FAREWELL)), all) {
            Err(error) if error.raw_os_error() == Some(libc::ENOENT) => Ok(()),
            cancelled => cancelled,
        }
    }
}

/// Who works out completions: the waiting thread alone, or it at its next system call.
#[derive(Debug, Clone, Copy)]
enum Taskrun {
    Deferred,
    Cooperative,
}

fn build(taskrun: Taskrun) -> io::Result<IoUring> {
    let mut builder = IoUring::builder();
    builder.setup_cqsize(COMPLETION_COUNT).setup_submit_all().setup_single_issuer().setup_r_disabled();
    builder.setup_coop_taskrun().setup_taskrun_flag();
    if let Taskrun::Deferred = taskrun {
        builder.setup_defer_taskrun();
    }
    builder.build(SUBMISSION_COUNT)
}
