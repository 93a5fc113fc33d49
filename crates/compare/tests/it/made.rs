//! Records of a service whose times are known: a median, a spread, a run that is a little off as runs are.

use record::{
    Client, Environment, IntervalRecord, LoadModel, PhaseFrame, PhaseKind, PhaseRecord, RunRecord, Verdict,
};
use serde_json::json;
use stats::{Interval, Outcome, Sample};
use units::{NS_PER_SEC, Random};

/// What a made-up run is like.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Made {
    /// Median service time.
    pub(crate) median_ns: f64,
    /// Actions per second, over so many seconds.
    pub(crate) per_sec: u64,
    pub(crate) secs: u64,
    /// Standard deviation of a second's own level, on logarithms, hanging together from second to second.
    pub(crate) second_sd: f64,
    pub(crate) repeats: u32,
    pub(crate) actions: &'static [&'static str],
    /// One of so many fails with a time-out.
    pub(crate) fails_one_in: Option<u64>,
    pub(crate) port: u16,
}

pub(crate) const MADE: Made = Made {
    median_ns: 1e6,
    per_sec: 200,
    secs: 20,
    second_sd: 0.0,
    repeats: 1,
    actions: &["GET /"],
    fails_one_in: None,
    port: 80,
};

impl Made {
    /// One run, by its seed.
    pub(crate) fn run(self, seed: u64) -> RunRecord {
        let mut random = Random::new(seed);
        let phases = (0..self.repeats).map(|repeat| self.phase(repeat, &mut random)).collect();
        RunRecord {
            schema_version: record::SCHEMA_VERSION,
            run_id: format!("run{seed}-{}", self.median_ns),
            name: "made".to_owned(),
            origin: String::new(),
            labels: Default::default(),
            started_unix_ns: seed,
            duration_ns: self.secs * NS_PER_SEC,
            aborted: None,
            plan: json!({
                "name": format!("plan {seed}"),
                "seed": seed,
                "targets": [{"name": "shop", "host": "shop", "port": self.port, "connections": {"shared": 8}}],
                "phases": [{"name": "steady", "duration_ns": self.secs * NS_PER_SEC, "load": {"open": {"stages": [{"rate_from": [self.per_sec, 1_000_000_000]}]}}}],
            }),
            environment: Environment::default(),
            verdict: Verdict::default(),
            slos: Vec::new(),
            phases,
            client: Client::default(),
        }
    }

    fn phase(self, repeat_index: u32, random: &mut Random) -> PhaseRecord {
        let mut total = Interval::new(self.actions.len(), 0, 0);
        let (mut intervals, mut level) = (Vec::new(), 0.0);
        let names: Vec<String> = self.actions.iter().map(|name| (*name).to_owned()).collect();
        for second in 0..self.secs {
            let mut interval = total.blank();
            interval.start_ns = second * NS_PER_SEC;
            interval.duration_ns = NS_PER_SEC;
            level = 0.8 * level + 0.6 * self.second_sd * crate::weather::normal(random);
            for index in 0..self.per_sec {
                let service = (level + 0.3 * crate::weather::normal(random)).exp() * self.median_ns;
                let is_failed = self.fails_one_in.is_some_and(|every| index % every == 0);
                let outcome =
                    if is_failed { Outcome::Failed(stats::ErrorClass::Timeout) } else { Outcome::Completed };
                let sample = Sample {
                    intended_ns: 0,
                    sent_ns: Some(1_000),
                    done_ns: service as u64 + 1_000,
                    think_ns: 0,
                    outcome,
                };
                let place = index as usize % self.actions.len();
                interval.actions[place].record(&sample);
                interval.actions[place].counts.started += 1;
                interval.actions[place].counts.due += 1;
            }
            intervals.push(IntervalRecord::of(&interval, 0).with_actions(&interval, &names));
            total.append(&interval);
        }
        let completed_in_time = total.total().counts.completed;
        let frame = PhaseFrame {
            name: "steady".to_owned(),
            kind: PhaseKind::Measure,
            load_model: LoadModel::Open,
            repeat_index,
            start_ns: 0,
            duration_ns: self.secs * NS_PER_SEC,
            drain_ns: 0,
            completed_in_time,
            busy_ratio_max: 0.1,
            off_cpu_ratio_max: None,
            action_names: names,
            request_names: Vec::new(),
            check_names: Vec::new(),
        };
        PhaseRecord::of(frame, &total, intervals)
    }

    /// The same service `share` slower.
    pub(crate) fn slower(self, share: f64) -> Self {
        Self { median_ns: self.median_ns * (1.0 + share), ..self }
    }

    /// Several runs, each a little off by itself: standard deviation `sd` on logarithms.
    pub(crate) fn runs(self, count: u64, sd: f64, seed: u64) -> Vec<RunRecord> {
        let run = |index: u64| {
            let mut random = Random::stream(seed, index);
            let off = (sd * crate::weather::normal(&mut random)).exp();
            Self { median_ns: self.median_ns * off, ..self }.run(seed * 1_000 + index)
        };
        (0..count).map(run).collect()
    }
}
