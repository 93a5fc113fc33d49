//! What a program printed, with all that depends on the clock masked, so that two programs' texts can be held against each other.

/// Metrics that are not compared: those that come only when a run is seen at its full seconds, and those that are Weir's own.
const BY_CHANCE: [&str; 4] = ["vus", "vus_max", "iteration_start_delay", "iteration_response_time"];

/// Whether a metric, or a part of one by its tags, is compared.
pub(super) fn is_compared(metric: &str) -> bool {
    let name = metric.split('{').next().unwrap_or(metric);
    !BY_CHANCE.contains(&name)
}

/// The lines of stdout with numbers masked, in three parts.
#[derive(Debug, Default)]
pub(super) struct Printed {
    /// What the test is: from `execution:` to its scenarios.
    pub(super) start: Vec<String>,
    /// The summary, and what the script writes.
    pub(super) summary: Vec<String>,
    /// The last progress.
    pub(super) progress: Vec<String>,
}

impl Printed {
    pub(super) fn of(stdout: &str) -> Self {
        let mut printed = Self::default();
        let mut lines = stdout.lines().filter(|line| !line.starts_with("time=\"")).peekable();
        while lines.peek().is_some_and(|line| !line.contains("execution: ")) {
            lines.next();
        }
        while let Some(line) = lines.next_if(|line| !is_progress(line) && !line.contains('█')) {
            printed.start.push(line.trim_end().to_owned());
        }
        printed.start.retain(|line| !line.is_empty() && !line.contains("output: "));
        let is_by_chance = |line: &str| {
            let starts = |name: &&str| line.trim_start().starts_with(&format!("{name}."));
            line.trim() == "WEIR" || BY_CHANCE.iter().any(starts)
        };
        while let Some(line) = lines.next() {
            if is_progress(line) {
                printed.progress = vec![masked(line)];
                while let Some(line) = lines.next_if(|line| is_bar(line)) {
                    printed.progress.push(masked(line));
                }
            } else if !is_by_chance(line) {
                printed.summary.push(masked(line));
            }
        }
        // A heading of what was left out goes too.
        let is_title = |line: &str| !line.is_empty() && line.trim().chars().all(|c| c.is_ascii_uppercase());
        let lines = std::mem::take(&mut printed.summary);
        for (index, line) in lines.iter().enumerate() {
            if !is_title(line) || lines.get(index + 1).is_some_and(|next| !next.is_empty()) {
                printed.summary.push(line.clone());
            }
        }
        // Each block of progress has an empty line before it, and how many blocks there are is up to the clock.
        printed.summary.dedup_by(|line, before| line.is_empty() && before.is_empty());
        let is_blank = |line: Option<&String>| line.is_some_and(String::is_empty);
        while is_blank(printed.summary.last()) {
            printed.summary.pop();
        }
        if is_blank(printed.summary.first()) {
            printed.summary.remove(0);
        }
        printed
    }
}

fn is_progress(line: &str) -> bool {
    ["running (", "paused (", "Init  ", "Run   "].iter().any(|start| line.starts_with(start))
}

/// A scenario's line below the progress's first.
fn is_bar(line: &str) -> bool {
    line.contains("[ ") && line.contains('%') || line.contains(" • [") || line.contains("[-")
}

/// Numbers as `N`, dots and blanks of columns as one.
pub(super) fn masked(line: &str) -> String {
    let indent = line.len() - line.trim_start().len();
    let word = |word: &str| -> Option<String> {
        if ["B", "kB", "MB", "B/s", "kB/s", "MB/s"].contains(&word) {
            return None;
        }
        let word = word.trim_start_matches('(');
        let (key, value) = word.split_once('=').map_or(("", word), |(key, value)| (key, value));
        let is_number = value.starts_with(|c: char| c.is_ascii_digit());
        let shown = match (key.is_empty(), is_number) {
            (true, true) => "N".to_owned(),
            (false, true) => format!("{key}=N"),
            _ => word.to_owned(),
        };
        Some(match shown.find("...") {
            Some(at) => shown.get(..at).unwrap_or_default().to_owned(),
            None => shown,
        })
    };
    let words: Vec<String> = line.split_whitespace().filter_map(word).collect();
    format!("{}{}", " ".repeat(indent), words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_masked_and_columns_closed_up() {
        let check = |line: &str, expected: &str| assert_eq!(masked(line), expected);
        check("    a_gauge..............: 3      min=1          max=5", "    a_gauge N min=N max=N");
        check("    data_sent............: 1.2 kB 30 B/s", "    data_sent N N");
        check("    checks_failed......: 25.00% 1 out of 4", "    checks_failed N N out of N");
    }

    #[test]
    fn start_summary_and_progress_are_told_apart() {
        let stdout = "\n  name\n\n     execution: local\n\n              * default: 1 iterations\n\n\nrunning (0.1s), 0/1 VUs\ndefault   [   0% ] 1 VUs\n\n\n  █ TOTAL RESULTS \n\n    iterations...: 1\n\n\n\nrunning (0.2s), 0/1 VUs\ndefault ✓ [ 100% ] 1 VUs\n";
        let printed = Printed::of(stdout);
        assert_eq!(printed.start, ["     execution: local", "              * default: 1 iterations"]);
        assert_eq!(printed.summary, ["  █ TOTAL RESULTS", "", "    iterations N"]);
        assert_eq!(printed.progress, ["running N N VUs", "default ✓ [ N ] N VUs"]);
    }
}
