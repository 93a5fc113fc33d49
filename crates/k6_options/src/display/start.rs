//! What is said before a run: what runs, where results go, and a line for each scenario.

use super::Colour;
use crate::options::Consolidated;
use k6_metrics::GoDuration;

/// What the start-up text tells besides the scenarios.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StartText<'a> {
    /// The script as it was named.
    pub script: &'a str,
    /// What outputs say of themselves: `json (file.json)`; none: `-`.
    pub outputs: &'a [String],
    /// Where a dashboard is, if there is one.
    pub web_dashboard: Option<&'a str>,
}

impl StartText<'_> {
    /// The text with a line break at the end of each line and an empty line after each block. Scenarios for which this instance has no VUs are in
    /// it too. A name of the program above it is the
    /// caller's.
    pub fn text(&self, test: &Consolidated, colour: Colour) -> String {
        let value = |text: &str| colour.paint(36, text);
        let output = if self.outputs.is_empty() { "-".to_owned() } else { self.outputs.join(", ") };
        let mut text = format!(
            "     execution: {}\n        script: {}\n        output: {}\n",
            value("local"),
            value(self.script),
            value(&output)
        );
        if let Some(place) = self.web_dashboard {
            text.push_str(&format!(" web dashboard: {}\n", value(place)));
        }
        let all = test.scenarios();
        let requirements = test.requirements();
        let scenarios = match all.len() {
            1 => "1 scenario".to_owned(),
            count => format!("{count} scenarios"),
        };
        let longest = requirements.end().round(GoDuration::from_ns(100_000_000));
        let summary = format!(
            "({:.2}%) {scenarios}, {} max VUs, {longest} max duration (incl. graceful stop):",
            test.share.ratio() * 100.0,
            requirements.vus_max()
        );
        text.push_str(&format!("\n     scenarios: {}\n", value(&summary)));
        for (name, scenario) in all {
            text.push_str(&format!("              * {name}: {}\n", scenario.description(&test.share)));
        }
        text.push('\n');
        text
    }
}
