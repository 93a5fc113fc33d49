//! The endpoints that steer and read the server: stalls, counts, arrivals. They take GET and POST alike.

use serde_json::{Value, json};

use crate::query::{Fault, Query};
use crate::reply::{JSON, Reply};
use crate::shared::Shared;
use crate::stall::Stall;

/// Sets a stall (`for` with `every`, or `at` with `for`), ends it (`off`), and in any case says which one is in force.
pub(crate) fn stall(query: Query<'_>, shared: &Shared, reply: &mut Reply<'_>) -> Result<(), Fault> {
    let times = (query.duration_ns("for")?, query.duration_ns("every")?, query.duration_ns("at")?);
    match times {
        _ if query.has("off") => shared.set_stall(None),
        (Some(for_ns), Some(every_ns), None) => {
            shared.set_stall(Some(Stall::every(for_ns, every_ns).map_err(|e| e.to_string())?));
        }
        (Some(for_ns), None, Some(at_ns)) => {
            shared.set_stall(Some(Stall::once(at_ns, for_ns).map_err(|e| e.to_string())?));
        }
        (None, None, None) => {}
        _ => return Err("write /stall?for=200ms&every=1s, /stall?at=4s&for=2s or /stall?off".to_owned()),
    }
    let value = match shared.stall() {
        None => Value::Null,
        Some(Stall::Every { for_ns, every_ns }) => json!({ "for_ns": for_ns, "every_ns": every_ns }),
        Some(Stall::Once { at_ns, for_ns }) => json!({ "at_ns": at_ns, "for_ns": for_ns }),
    };
    reply.json(200, &json!({ "stall": value }));
    Ok(())
}

pub(crate) fn stats(shared: &Shared, reply: &mut Reply<'_>) {
    // A struct of numbers and maps always serialises.
    let text = serde_json::to_string_pretty(&shared.stats()).unwrap_or_default();
    reply.body(200, &[JSON], text.as_bytes());
}

pub(crate) fn reset_stats(shared: &Shared, reply: &mut Reply<'_>) {
    shared.reset_stats();
    reply.body(200, &[JSON], b"{\"reset\":true}");
}

/// `start` forgets all and records from now, `stop` ends that; `raw` gives the time stamps, `interval=200us` their distance from that schedule,
/// otherwise the statistics of their gaps.
pub(crate) fn arrivals(query: Query<'_>, shared: &Shared, reply: &mut Reply<'_>) -> Result<(), Fault> {
    let interval_ns = query.duration_ns("interval")?;
    if query.has("start") {
        shared.start_arrivals();
        reply.body(200, &[JSON], b"{\"recording\":true}");
        return Ok(());
    }
    if query.has("stop") {
        shared.stop_arrivals();
    }
    let arrivals = shared.arrivals.collect();
    let text = match interval_ns {
        _ if query.has("raw") => serde_json::to_string(&arrivals),
        Some(interval_ns) => serde_json::to_string_pretty(&arrivals.against_schedule(interval_ns)),
        None => serde_json::to_string_pretty(&arrivals.gaps()),
    };
    reply.body(200, &[JSON], text.unwrap_or_default().as_bytes());
    Ok(())
}
