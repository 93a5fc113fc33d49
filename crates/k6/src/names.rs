//! Addresses of names, where the script's options say something of them: networks that are blocked, which family, which of several.
//!
//! Without such options the worker loop looks names up itself, once. Here it is done on a thread beside, since it may take seconds; a user
//! that needs the address looks again every [`Names::PERIOD_NS`].

use k6_options::{Dns, DnsPolicy, DnsSelect, Options};
use std::collections::HashMap;
use std::net::{IpAddr, ToSocketAddrs as _};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// Names looked up at most: a script that makes up hosts must not take a thread for each without end.
const NAMES_MAX: usize = 10_000;

/// Names and what came of them.
#[derive(Debug, Default)]
pub(crate) struct Names {
    known: Mutex<HashMap<String, Known>>,
}

#[derive(Debug)]
struct Known {
    answer: Answer,
    asked: Instant,
}

/// Empty until it is there; no addresses: there is no such name.
type Answer = Arc<OnceLock<Vec<IpAddr>>>;

impl Names {
    /// A user that waits looks again after so long.
    pub(crate) const PERIOD_NS: u64 = 2 * units::NS_PER_MS;

    /// Whether the options say anything of addresses.
    pub(crate) fn is_needed(&self, options: &Options) -> bool {
        options.blacklist_ips.as_ref().is_some_and(|ranges| !ranges.is_empty())
            || options.dns.as_ref().is_some_and(|dns| *dns != Dns::default())
    }

    /// The address that a user takes for a name; `None`: not yet known.
    pub(crate) fn address(&self, host: &str, vu: u64, options: &Options) -> Option<Result<IpAddr, ()>> {
        let dns = options.dns.clone().unwrap_or_default();
        // 0 would look up anew without end, as the answer is taken at a later look.
        let ttl = Duration::from_nanos(dns.ttl_ns().unwrap_or_default()).max(Duration::from_secs(1));
        let answer = self.answer(host, ttl)?;
        let all = answer.get()?;
        let fitting = of_policy(all, dns.policy.unwrap_or_default());
        let count = fitting.len() as u64;
        if count == 0 {
            return Some(Err(()));
        }
        // A user keeps to its address, so that its connections serve all of its requests.
        let index = match dns.select.unwrap_or_default() {
            DnsSelect::First => 0,
            DnsSelect::RoundRobin => vu % count,
            DnsSelect::Random => vu.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) % count,
        };
        Some(fitting.get(index as usize).copied().ok_or(()))
    }

    /// What is known of a name; begins a look-up of one that is new or too old.
    fn answer(&self, host: &str, ttl: Duration) -> Option<Answer> {
        let mut known = self.known.lock().ok()?;
        let is_old = |known: &Known| known.answer.get().is_some() && known.asked.elapsed() > ttl;
        if let Some(known) = known.get(host).filter(|known| !is_old(known)) {
            return Some(Arc::clone(&known.answer));
        }
        let answer = Answer::default();
        if known.len() >= NAMES_MAX {
            return Some(Arc::new(OnceLock::from(Vec::new())));
        }
        known.insert(host.to_owned(), Known { answer: Arc::clone(&answer), asked: Instant::now() });
        drop(known);
        let (name, place) = (host.to_owned(), Arc::clone(&answer));
        let look_up = move || {
            let found = (name.as_str(), 0).to_socket_addrs();
            let found = found.map(|found| found.map(|address| address.ip()).collect());
            // One thread for one answer.
            let _ = place.set(found.unwrap_or_default());
        };
        let begun = std::thread::Builder::new().name("look-up".to_owned()).spawn(look_up);
        if begun.is_err() {
            let _ = answer.set(Vec::new());
        }
        Some(answer)
    }
}

/// The addresses that a policy lets be used.
fn of_policy(all: &[IpAddr], policy: DnsPolicy) -> Vec<IpAddr> {
    let of = |is_v4: bool| -> Vec<IpAddr> {
        all.iter().copied().filter(|address| address.is_ipv4() == is_v4).collect()
    };
    let prefer =
        |is_v4: bool| Some(of(is_v4)).filter(|found| !found.is_empty()).unwrap_or_else(|| of(!is_v4));
    match policy {
        DnsPolicy::PreferIpv4 => prefer(true),
        DnsPolicy::PreferIpv6 => prefer(false),
        DnsPolicy::OnlyIpv4 => of(true),
        DnsPolicy::OnlyIpv6 => of(false),
        DnsPolicy::Any => all.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_pick_families() {
        let (four, six): (IpAddr, IpAddr) = ("127.0.0.1".parse().unwrap(), "::1".parse().unwrap());
        let check =
            |all: &[IpAddr], policy, expected: &[IpAddr]| assert_eq!(of_policy(all, policy), expected);
        check(&[six, four], DnsPolicy::PreferIpv4, &[four]);
        check(&[six, four], DnsPolicy::PreferIpv6, &[six]);
        check(&[six], DnsPolicy::PreferIpv4, &[six]);
        check(&[six], DnsPolicy::OnlyIpv4, &[]);
        check(&[six, four], DnsPolicy::OnlyIpv6, &[six]);
        check(&[six, four], DnsPolicy::Any, &[six, four]);
    }
}
