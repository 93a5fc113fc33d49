//! What a page shows of a run beside its measurements: kept in the record's plan under [`KEY`], so that the page can be printed again from
//! the record alone.

use crate::options::{Mode, Options};
use crate::sampler::STRETCH_NS;
use crate::statistics::Statistics;
use record::RunRecord;
use serde::{Deserialize, Serialize};

/// Where the record's plan holds [`Facts`].
pub const KEY: &str = "wrk";

/// What was asked for, as far as pages show it, and the samples of answers per second.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// `wrk` or `wrk2`.
    pub mode: String,
    /// As it was typed, a password hidden.
    pub url: String,
    /// As given.
    pub threads: u32,
    /// As given; all are opened.
    pub connections: u32,
    /// As given.
    pub duration_ns: u64,
    /// Whether the distribution is printed.
    pub latency: bool,
    /// Whether the distribution of service times is printed too.
    pub uncorrected_latency: bool,
    /// Whether a pipelined batch is one latency.
    pub batch_latency: bool,
    /// Whether certificates went unverified.
    pub insecure: bool,
    /// Tells scripts with their arguments apart; `None`: there was none.
    #[serde(default)]
    pub script: Option<String>,
    /// Answers to one batch of requests; 1 without pipelining.
    pub pipeline_depth: u32,
    /// Answers per second of each thread, one sample per `sampling_ns`.
    pub requests_per_sec: Statistics,
    /// How often a sample is taken, ns.
    pub sampling_ns: u64,
}

impl Facts {
    /// Of a command line, before the run.
    pub fn of(options: &Options) -> Self {
        Self {
            mode: options.mode.as_str().to_owned(),
            url: options.url.text.clone(),
            threads: options.threads,
            connections: options.connections,
            duration_ns: options.duration_ns,
            latency: options.latency,
            uncorrected_latency: options.uncorrected_latency,
            batch_latency: options.batch_latency,
            insecure: options.insecure,
            script: None,
            pipeline_depth: 1,
            requests_per_sec: Statistics::default(),
            sampling_ns: STRETCH_NS,
        }
    }

    /// The same with a script, whose text and arguments are kept as a fingerprint: 16 hexadecimal digits (FNV-1a, 64 bits).
    #[must_use]
    pub fn with_script(mut self, source: &[u8], arguments: &[String]) -> Self {
        let words = arguments.iter().flat_map(|word| [&[0][..], word.as_bytes()]);
        let bytes = std::iter::once(source).chain(words).flatten();
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        self.script = Some(format!("{hash:016x}"));
        self
    }

    /// Whose layout the page has.
    pub fn mode(&self) -> Mode {
        Mode::of_name(&self.mode).unwrap_or(Mode::Wrk)
    }

    /// Puts them into a record's plan.
    pub fn put_into(&self, plan: &mut serde_json::Value) {
        if let (Some(plan), Ok(facts)) = (plan.as_object_mut(), serde_json::to_value(self)) {
            plan.insert(KEY.to_owned(), facts);
        }
    }

    /// Those of a record; `None`: it is no run of wrk's or wrk2's command line.
    pub fn read(record: &RunRecord) -> Option<Self> {
        Self::deserialize(record.plan.get(KEY)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_told_apart_by_text_and_arguments() {
        let options = crate::read(&["http://a/".to_owned()], Mode::Wrk, "wrk").outcome.unwrap();
        let of = |source: &str, arguments: &[&str]| {
            let arguments: Vec<String> = arguments.iter().map(|word| (*word).to_owned()).collect();
            Facts::of(&options).with_script(source.as_bytes(), &arguments).script.unwrap()
        };
        // The hash's own test vector for the letter a.
        assert_eq!(of("a", &[]), "af63dc4c8601ec8c");
        let all = [of("a", &[]), of("b", &[]), of("a", &["b"]), of("a", &["", "b"]), of("ab", &[])];
        for (index, one) in all.iter().enumerate() {
            assert_eq!(all.iter().position(|other| other == one), Some(index));
        }
    }
}
