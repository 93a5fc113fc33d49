//! Who writes a run, so that others can tell a run that goes on from one that was killed.
//!
//! A process is known by its number, its start and the machine's boot, and numbers only mean something within one PID namespace. All of it is
//! read from `/proc`; where there is none, a run without an end counts as going on as long as it was written to a moment ago.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

/// A run that was written to so long ago is not going on, where its process can't be asked for.
const SILENCE_NS_MAX: u64 = 60 * units::NS_PER_SEC;

/// This process: `PID START BOOT NAMESPACE`; empty where the system does not tell.
pub(crate) fn this_process() -> String {
    described(std::process::id()).unwrap_or_default()
}

/// Whether the process that wrote a run is still there, or may be.
pub(crate) fn is_alive(writer: &str, touched_unix_ns: u64) -> bool {
    let was_written_lately = now_unix_ns().saturating_sub(touched_unix_ns) < SILENCE_NS_MAX;
    let mut words = writer.split(' ');
    let (Some(pid), Some(place)) = (words.next().and_then(|pid| pid.parse().ok()), words.nth(1)) else {
        return was_written_lately;
    };
    let is_here = this_process().split(' ').nth(2) == Some(place);
    if is_here { described(pid).is_some_and(|found| found == writer) } else { was_written_lately }
}

/// The wall clock.
pub(crate) fn now_unix_ns() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
}

/// `PID START PLACE`: the place is the machine's boot and the namespace in which the number is one.
fn described(pid: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // Field 22 of proc_pid_stat(5), counted behind the name, which may hold anything: the start in ticks since the boot.
    let start = stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(19)?.to_owned();
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let namespace = fs::read_link("/proc/self/ns/pid").ok()?;
    Some(format!("{pid} {start} {}/{}", boot.trim(), namespace.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_is_gone_is_not_alive() {
        let this = this_process();
        assert!(is_alive(&this, 0), "{this}");
        let mut words: Vec<&str> = this.split(' ').collect();
        words[1] = "1";
        assert!(!is_alive(&words.join(" "), now_unix_ns()), "another process had the number");
        words[2] = "elsewhere";
        assert!(is_alive(&words.join(" "), now_unix_ns()));
        assert!(!is_alive(&words.join(" "), now_unix_ns() - 2 * SILENCE_NS_MAX));
        assert!(!is_alive("", 0));
    }
}
