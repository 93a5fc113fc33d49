//! What the columns mean where Weir is not Tulip: it has neither a virtual machine nor queues of tasks.

use super::figures::Results;

/// A column's name and what stands in it.
pub(crate) type Entry = (&'static str, &'static str);

const RESPONSE: Entry =
    ("RT", "service time, sent to done, as Tulip has it; a response time counts from when an action was due");
const FAILED: Entry = ("#F", "failed, and in #N too");
const QUANTILES: &str = "however few the samples, as Tulip has it; in response times - stands for too few";
const IMPORTED: [Entry; 2] = [
    ("RT", "service time, as the file has it; it holds no response times and no waits of actions"),
    (
        "",
        "all columns are as the file has them, queues, waits, CPU and memory those of the program that wrote it",
    ),
];

/// Of the first releases' columns.
pub(crate) fn seed(results: &Results<'_>) -> Vec<Entry> {
    if !results.facts.imported.is_empty() {
        return IMPORTED.to_vec();
    }
    vec![
        RESPONSE,
        FAILED,
        ("TPS", "ended within the time, failed ones counted"),
        ("RTT", "UTC, to a second; - where the run did not note when"),
        ("MQS", "most actions in flight in any iteration; AQS: greatest mean of an iteration"),
        ("WT", "due to sent, of the whole benchmark; Avg WT: greatest mean of an iteration"),
        ("CPU", "share of its time that Weir's busiest worker thread worked, greatest of an iteration, %"),
        ("JMM", "memory of Weir's own process at most, % of the machine's: there is no JVM"),
        ("90p", QUANTILES),
    ]
}

/// Of the last releases' columns.
pub(crate) fn newest(results: &Results<'_>) -> Vec<Entry> {
    if !results.facts.imported.is_empty() {
        return IMPORTED.to_vec();
    }
    vec![
        RESPONSE,
        FAILED,
        ("APS", "ended within the time, failed ones counted"),
        ("P50_RT", QUANTILES),
        ("MAX_RTT", "UTC, to a second; - where the run did not note when"),
        ("AQS", "greatest mean number of actions in flight of an iteration; MQS: most of them"),
        ("AWT", "due to sent, of the whole benchmark, greatest mean of an iteration; MWT: the greatest"),
        ("CPU", "share of its time that Weir's busiest worker thread worked, %; CPU_T: the time of that"),
        ("CGC_T", "always zero: nothing collects garbage"),
        ("MEM", "memory of Weir's own process at most, % of the machine's: there is no JVM"),
    ]
}
