//! Whether the machine has room for a test's users: each one's stack takes two of the memory mappings that Linux allows a process.

use ::k6::{Test, TestError};
use k6_options::ExitCode;

/// Where the system's limit stands; 65,530 unless it was raised.
const LIMIT: &str = "/proc/sys/vm/max_map_count";
/// A user's stack, and the page that guards its end.
const MAPPINGS_PER_USER: u64 = 2;
/// For all else: libraries, threads, heaps. A process without users has about 150.
const MAPPINGS_BESIDE: u64 = 1_024;

/// That all users that are made before the test begins have room.
///
/// # Errors
/// More of them than the system has mappings for, with the setting that helps.
pub(super) fn check(test: &Test) -> Result<(), TestError> {
    let text = std::fs::read_to_string(LIMIT).unwrap_or_default();
    let allowed = text.trim().parse().unwrap_or(u64::MAX);
    enough(test.consolidated.requirements().planned_max(), allowed)
}

fn enough(users: u64, allowed: u64) -> Result<(), TestError> {
    let needed = users.saturating_mul(MAPPINGS_PER_USER).saturating_add(MAPPINGS_BESIDE);
    if needed <= allowed {
        return Ok(());
    }
    let room = allowed.saturating_sub(MAPPINGS_BESIDE) / MAPPINGS_PER_USER;
    Err(TestError {
        code: ExitCode::InvalidConfig,
        message: format!(
            "{users} VUs need {needed} memory mappings, and the system allows {allowed}, enough for {room} VUs"
        ),
        hint: Some(format!(
            "`sysctl -w vm.max_map_count={needed}`, or several processes, each with its --execution-segment"
        )),
    })
}

#[cfg(test)]
mod tests {
    use super::enough;

    #[test]
    fn what_the_system_allows_is_said_with_the_setting_that_helps() {
        assert_eq!(enough(32_253, 65_530), Ok(()));
        let refused = enough(40_000, 65_530).unwrap_err();
        assert!(refused.message.ends_with("enough for 32253 VUs"), "{}", refused.message);
        assert!(refused.hint.unwrap().starts_with("`sysctl -w vm.max_map_count=81024`"));
        assert_eq!(enough(u64::MAX, u64::MAX), Ok(()));
    }
}
