//! The limit on open files, raised before a run that needs many connections.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::fmt;

/// The process may not open as many files as the run needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FdLimit {
    /// Open files that the run needs.
    pub needed: u64,
    /// The soft limit that holds now.
    pub soft: u64,
    /// The hard limit, up to which a process may raise its own soft limit.
    pub hard: u64,
}

impl fmt::Display for FdLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { needed, soft, hard } = self;
        write!(
            f,
            "the run needs {needed} open files, but the limit is {soft} and may be raised to {hard} only; \
             ask for fewer connections, or raise the hard limit (as root: `ulimit -Hn {needed}`, or `nofile` in \
             /etc/security/limits.conf)"
        )
    }
}

impl std::error::Error for FdLimit {}

/// Makes sure that this process may have `needed` files open at once, by raising its soft limit if it must and may.
///
/// # Errors
/// [`FdLimit`] with both limits, when the hard limit is below `needed` or the system refuses.
pub fn raise_fd_limit(needed: u64) -> Result<(), FdLimit> {
    let limit = getrlimit(Resource::Nofile);
    // None is no limit.
    let soft = limit.current.unwrap_or(u64::MAX);
    let hard = limit.maximum.unwrap_or(u64::MAX);
    if needed <= soft {
        return Ok(());
    }
    if needed > hard {
        return Err(FdLimit { needed, soft, hard });
    }
    setrlimit(Resource::Nofile, Rlimit { current: Some(needed), maximum: limit.maximum })
        .map_err(|_| FdLimit { needed, soft, hard })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raises_to_the_hard_limit_and_no_further() {
        let before = getrlimit(Resource::Nofile);
        let soft = before.current.unwrap_or(u64::MAX);
        assert_eq!(raise_fd_limit(soft), Ok(()));
        assert_eq!(getrlimit(Resource::Nofile), before);
        if let Some(hard) = before.maximum {
            assert_eq!(raise_fd_limit(hard), Ok(()));
            assert_eq!(getrlimit(Resource::Nofile).current, Some(hard));
            let refused = raise_fd_limit(hard + 1).unwrap_err();
            assert_eq!(refused, FdLimit { needed: hard + 1, soft: hard, hard });
            let text = refused.to_string();
            assert!(text.contains(&hard.to_string()) && text.contains(&(hard + 1).to_string()), "{text}");
        }
    }
}
