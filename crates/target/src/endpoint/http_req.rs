//! `/tests/http_req/<name>.xml?value=N`, the example service of CloudI in its many languages, with a cost that can be set.
//!
//! With a concurrency limit of L and `service_us=T` the server's capacity is known: L/T requests per second, first come, first served.
//! The queue needs no events: each of L servers has a time at which it is free next; a request takes the one that is
//! free first, starts then or now, and its answer is due when it ends.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::num::NonZeroU32;
use std::sync::Mutex;

use units::NS_PER_SEC;

use crate::clock;
use crate::query::{Fault, Query};
use crate::reply::Reply;
use crate::shared::locked;

/// Longest `service_us`: a minute.
const SERVICE_NS_MAX: u64 = 60 * NS_PER_SEC;
/// Longest `work_us`: the thread serves nobody else meanwhile.
const WORK_NS_MAX: u64 = NS_PER_SEC;
/// Most servers behind the queue; more is no limit at all.
const SERVERS_MAX: u32 = 65_536;

const XML: (&str, &str) = ("content-type", "text/xml; charset=utf-8");
const NO_VALUE: &[u8] = b"<http_test><error>no value specified</error></http_test>";

/// A decimal 64-bit `value`, reformatted; the error body, still with 200, for anything else. The first `value` wins.
pub(crate) fn answer(query: Query<'_>, queue: &ServiceQueue, reply: &mut Reply<'_>) -> Result<(), Fault> {
    let service_ns = query.time_ns("service_us", "us", SERVICE_NS_MAX)?;
    reply.work_ns = query.time_ns("work_us", "us", WORK_NS_MAX)?;
    if service_ns > 0 {
        reply.due_ns = queue.admit(clock::now_ns(), service_ns);
    }
    match query.raw("value").filter(|text| !text.starts_with('+')).and_then(|text| text.parse::<i64>().ok()) {
        Some(value) => {
            reply.body(200, &[XML], format!("<http_test><value>{value}</value></http_test>").as_bytes())
        }
        None => reply.body(200, &[XML], NO_VALUE),
    }
    Ok(())
}

/// A queue in front of a number of equal servers, in the order of arrival. Unlimited: nobody waits.
#[derive(Debug)]
pub(crate) struct ServiceQueue {
    free_ns: Option<Mutex<BinaryHeap<Reverse<u64>>>>,
}

impl ServiceQueue {
    pub(crate) fn new(concurrency: Option<NonZeroU32>) -> Self {
        let servers = concurrency.map(|limit| limit.get().min(SERVERS_MAX) as usize);
        Self { free_ns: servers.map(|count| Mutex::new(vec![Reverse(0); count].into())) }
    }

    /// When a request that arrives now and needs `service_ns` will be done.
    pub(crate) fn admit(&self, now_ns: u64, service_ns: u64) -> u64 {
        let Some(free_ns) = &self.free_ns else { return now_ns.saturating_add(service_ns) };
        let mut free_ns = locked(free_ns);
        let start_ns = free_ns.pop().map_or(now_ns, |Reverse(free_ns)| free_ns.max(now_ns));
        let done_ns = start_ns.saturating_add(service_ns);
        free_ns.push(Reverse(done_ns));
        done_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_servers_take_requests_in_the_order_of_arrival() {
        let queue = ServiceQueue::new(NonZeroU32::new(2));
        let done: Vec<u64> = [(100, 50), (100, 10), (105, 10), (105, 10), (500, 10)]
            .map(|(now, s)| queue.admit(now, s))
            .into();
        assert_eq!(done, [150, 110, 120, 130, 510]);
        assert_eq!(ServiceQueue::new(None).admit(100, 50), 150);
    }
}
