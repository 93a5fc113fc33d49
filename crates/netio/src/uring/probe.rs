//! Whether io_uring works here, found out by trying it.

use super::buffers::{self, Buffers};
use super::ring::{Refusal, Ring};
use io_uring::{Probe, cqueue, opcode, squeue, types};
use rustix::fd::AsRawFd;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use std::io;

/// Tells in plain words why io_uring can't be used here, if so: the kernel is too old or lacks a part, the administrator
/// has switched it off, or a security policy forbids it.
///
/// It tries what the driver lives by on a pair of sockets; that takes well under a millisecond.
///
/// # Errors
/// The reason, as a clause without a full stop.
pub fn probe() -> Result<(), String> {
    try_out().map_err(|refusal| refusal.to_string())
}

fn try_out() -> Result<(), Refusal> {
    let mut ring = Ring::open()?;
    let mut buffers = Buffers::register(&ring)?;
    let mut known = Probe::new();
    ring.inner().submitter().register_probe(&mut known)?;
    let needed = [
        (opcode::Connect::CODE, "connecting by io_uring", "5.5"),
        (opcode::Send::CODE, "sending by io_uring", "5.6"),
        (opcode::RecvMulti::CODE, "receiving by io_uring", "5.6"),
        (opcode::AsyncCancel::CODE, "cancelling by io_uring", "5.5"),
        (opcode::PollAdd::CODE, "polling by io_uring", "5.1"),
    ];
    for (code, what, since) in needed {
        if !known.is_supported(code) {
            return Err(Refusal::Lacks { what, since });
        }
    }
    let outcome = send_and_receive(&mut ring, &buffers);
    if ring.cancel_all().is_err() {
        buffers.leak();
    }
    drop(ring);
    drop(buffers);
    outcome
}

/// One silent send and one lasting receive.
fn send_and_receive(ring: &mut Ring, buffers: &Buffers) -> Result<(), Refusal> {
    const RECEIVE: u64 = 1;
    const SEND: u64 = 2;
    const PATIENCE_NS: u64 = 1_000_000_000;
    static SENT: [u8; 3] = *b"abc";
    let pair = socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None);
    let (here, there) = pair.map_err(io::Error::from)?;
    let receive =
        opcode::RecvMulti::new(types::Fd(here.as_raw_fd()), buffers::GROUP).build().user_data(RECEIVE);
    let send = opcode::Send::new(types::Fd(there.as_raw_fd()), SENT.as_ptr(), SENT.len() as u32)
        .flags(libc::MSG_DONTWAIT | libc::MSG_WAITALL | libc::MSG_NOSIGNAL)
        .build()
        .flags(squeue::Flags::SKIP_SUCCESS)
        .user_data(SEND);
    for entry in [receive, send] {
        // SAFETY: the bytes sent are static, the buffers outlive the ring's use of them, the sockets this function.
        if unsafe { ring.push(entry) }.is_err() {
            return Err(Refusal::Setup(io::ErrorKind::OutOfMemory.into()));
        }
    }
    ring.enter(Some(PATIENCE_NS));
    let mut completions = Vec::new();
    ring.take_completions(&mut completions);
    let [received] = completions.as_slice() else {
        return Err(Refusal::Lacks { what: "silent sends by io_uring", since: "6.0" });
    };
    let bytes = cqueue::buffer_select(received.flags()).map(|buffer| buffers.bytes(buffer, SENT.len()));
    if received.user_data() != RECEIVE || !cqueue::more(received.flags()) || bytes != Some(&SENT) {
        return Err(Refusal::Lacks { what: "lasting receives by io_uring", since: "6.0" });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uring::UringDriver;
    use std::time::Instant;

    #[test]
    fn refusals_speak_plainly() {
        let setup = |number| Refusal::Setup(io::Error::from_raw_os_error(number)).to_string();
        assert!(setup(libc::ENOSYS).contains("no io_uring"));
        assert!(setup(libc::ENOMEM).contains("ulimit -l"));
        // Which of the two it is depends on this machine's setting.
        let forbidden = setup(libc::EPERM);
        assert!(forbidden.contains("sysctl") || forbidden.contains("seccomp"), "{forbidden}");
        let lacks = Refusal::Lacks { what: "lasting receives by io_uring", since: "6.0" };
        assert_eq!(
            lacks.to_string(),
            "this kernel has no lasting receives by io_uring; Linux 6.0 or newer does"
        );
        assert_eq!(io::Error::from(lacks).kind(), io::ErrorKind::Unsupported);
    }

    #[test]
    fn a_driver_is_made_where_the_probe_says_so() {
        assert_eq!(probe().is_ok(), UringDriver::new(Instant::now()).is_ok());
    }
}
