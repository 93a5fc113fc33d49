//! What is printed when a command line can't be used, or asks for help.

use crate::options::Mode;

const FLAGS: &str = "\
Usage: wrk <options> <url>
  Options:
    -c, --connections <N>  Connections, all of them kept open (10)
    -d, --duration    <T>  How long the test takes (10s)
    -t, --threads     <N>  Worker threads (2)

    -s, --script      <F>  A Lua script; words after the URL are its arguments
    -H, --header      <H>  A header 'name: value'; may be given several times
    -L, --latency          Print the distribution of latencies
    -T, --timeout     <T>  Limit from sending a request to its answer's end (2s)
    -v, --version          Print the version
";
const FLAGS_WRK2: &str = "    -R, --rate        <N>  Requests per second over all connections; needed
    -U, --u_latency        Print the distribution of service times, too
    -B, --batch_latency    One latency for a pipelined batch, not one per answer
";
const ADDED: &str = "
  Beyond the original:
";
const ADDED_WRK: &str = "    -R, --rate        <N>  Requests per second, due by the clock: shows stalls
";
const ADDED_BOTH: &str = "        --warmup      <T>  Load for so long first that is in no figure
    -k, --insecure         Don't verify the server's certificate
        --cacert      <F>  Trust the certificates in this PEM file instead
        --json        <F>  Write the whole record as JSON; - is stdout
        --markdown    <F>  Write tables for a pull request
        --junit       <F>  Write verdict and objectives as JUnit XML
        --slo         <O>  An objective such as 'p99(response) < 50ms'
        --fail-on     <V>  Exit with 6 when the verdict is invalid or suspect
        --driver      <D>  How sockets are driven: epoll or io_uring
        --seed        <N>  Governs all chance
        --name        <S>  What the run is called in its results
        --label     <K=V>  Write on the run, to find it by
        --store       <F>  Keep the run in this store, not in .weir/runs.db here
        --no-store         Don't keep the run
    -q, --quiet            Nothing on stderr but errors

  Numbers may have a unit (1k, 1M, 1G), times too (500ms, 1.5s, 2m, 2h)

  Examples:
";
const EXAMPLES_WRK: &str = "    weir wrk -t2 -c100 -d30s --latency http://localhost:8080/
    weir wrk -c100 -R 2k -L http://localhost:8080/      stalls are seen
    weir wrk -s post.lua http://localhost:8080/ --json run.json
";
const EXAMPLES_WRK2: &str = "    weir wrk2 -t2 -c100 -d30s -R2000 --latency http://localhost:8080/
    weir wrk2 -c100 -d30s -R2000 --warmup 10s -U http://localhost:8080/
";

/// The text, whose first line is that of both tools.
pub fn usage(mode: Mode) -> String {
    match mode {
        Mode::Wrk => [FLAGS, ADDED, ADDED_WRK, ADDED_BOTH, EXAMPLES_WRK].concat(),
        Mode::Wrk2 => [FLAGS, FLAGS_WRK2, ADDED, ADDED_BOTH, EXAMPLES_WRK2].concat(),
    }
}

/// The line of `-v`, which begins as those who look for a version expect it.
pub fn version_line(mode: Mode, weir_version: &str) -> String {
    let version = match mode {
        Mode::Wrk => "4.2.0",
        Mode::Wrk2 => "4.0.0",
    };
    format!("wrk {version} [epoll] as weir {weir_version} speaks it\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_fits_a_terminal_and_begins_as_expected() {
        for mode in [Mode::Wrk, Mode::Wrk2] {
            let text = usage(mode);
            assert!(text.starts_with("Usage: wrk <options> <url>\n"));
            assert_eq!(
                text.lines().map(|line| line.chars().count()).filter(|length| *length > 80).count(),
                0
            );
            assert!(
                text.contains(&format!("\n    weir {} ", mode.as_str())) && text.contains("\n    -R, --rate")
            );
            assert!(text.contains("\n        --warmup "), "{text}");
        }
        assert!(version_line(Mode::Wrk, "1.2.3").starts_with("wrk 4.2.0 [epoll] "));
    }
}
