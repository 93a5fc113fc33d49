//! The interval histograms of a run as an HdrHistogram log, format version 1.3 with compressed V2 histograms.
//!
//! Each line is one histogram: `Tag=phase:response,start,length,max,histogram`, start and length in seconds since the run's start (the log's
//! base time), max in ms, the histogram's values in ns. Source: `HistogramLogWriter` of <https://github.com/HdrHistogram/HdrHistogram>.

use record::RunRecord;
use std::io::{self, Write};

/// Writes the log. Intervals without values have no line.
///
/// # Errors
/// Those of `out`.
pub fn write(record: &RunRecord, out: &mut dyn Write) -> io::Result<()> {
    let started_secs = record.started_unix_ns as f64 / 1e9;
    writeln!(out, "#[Logged by weir {}: {}]", record.environment.weir_version, one_line(&record.name))?;
    writeln!(out, "#[Histogram log format version 1.3]")?;
    writeln!(out, "#[StartTime: {started_secs:.3} (seconds since epoch)]")?;
    writeln!(out, "#[BaseTime: {started_secs:.3} (seconds since epoch)]")?;
    writeln!(
        out,
        "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\""
    )?;
    for phase in &record.phases {
        let name = if phase.repeat_index == 0 {
            phase.name.clone()
        } else {
            format!("{}#{}", phase.name, phase.repeat_index + 1)
        };
        for interval in &phase.intervals {
            let latencies = [
                ("response", &interval.response_ns),
                ("service", &interval.service_ns),
                ("wait", &interval.wait_ns),
            ];
            let mut line = |tag: &str, max_ns: u64, histogram: &str| {
                let (start, length) = (interval.start_ns as f64 / 1e9, interval.duration_ns as f64 / 1e9);
                // Nothing was measured, or only figures were kept.
                if histogram.is_empty() {
                    return Ok(());
                }
                writeln!(
                    out,
                    "Tag={},{start:.3},{length:.3},{:.6},{histogram}",
                    tagged(tag),
                    max_ns as f64 / 1e6
                )
            };
            for (which, latencies) in latencies {
                line(&format!("{name}:{which}"), latencies.max.unwrap_or(0), &latencies.histogram)?;
            }
            for action in &interval.actions {
                let (response, service) = (&action.response_ns, &action.service_ns);
                line(&format!("{name}:{}:response", action.name), response.max, &response.histogram)?;
                line(&format!("{name}:{}:service", action.name), service.max, &service.histogram)?;
            }
        }
    }
    Ok(())
}

/// A tag ends at a comma, and readers part at white space.
fn tagged(text: &str) -> String {
    text.chars().map(|c| if c == ',' || c.is_whitespace() || c.is_control() { '_' } else { c }).collect()
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
