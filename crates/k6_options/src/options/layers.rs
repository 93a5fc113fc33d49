//! Where options come from, which wins, and what runs in the end.
//!
//! Configuration file < script < variables < command line. A layer that says anything of duration, iterations, stages or scenarios throws away all
//! four of the layers below, since together they say one thing: what runs.

use super::limits::{check, gathered, listed};
use super::value::OptionValue;
use super::{Options, TrendStats};
use crate::executor::{
    ConstantVus, Executor, PerVuIterations, RampingVus, Requirements, Scenario, Scenarios, SharedIterations,
};
use crate::exit::Fault;
use crate::segment::Share;
use k6_metrics::{GoDuration, Json, SystemTags};
use serde_json::Value;

/// The layers of a test, each as it was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Layers {
    /// Of the configuration file.
    pub config_file: Options,
    /// What the script exports.
    pub script: Options,
    /// Of `K6_*` variables.
    pub variables: Options,
    /// Of the command line.
    pub flags: Options,
}

/// Options as they hold for the run, and what was odd on the way.
#[derive(Debug, Clone, PartialEq)]
pub struct Consolidated {
    /// Of all layers; `scenarios` is set and says all that runs, the shortcuts are as they were given.
    pub options: Options,
    /// Which experimental features are on, of those that there are: `freeze-env`, `merge-run-tags`, `native-histograms`.
    pub features: Vec<String>,
    /// What this instance takes of the whole.
    pub share: Share,
    /// For the log at level `warning`.
    pub warnings: Vec<String>,
}

impl Options {
    /// Whether it says anything of what runs.
    fn says_what_runs(&self) -> bool {
        self.duration.is_some()
            || self.iterations.is_some()
            || self.stages.is_some()
            || self.scenarios.is_some()
    }

    /// Lays a layer over this one. `true`: it threw scenarios away.
    pub(crate) fn apply(&mut self, above: Self) -> bool {
        let had_scenarios = self.scenarios.as_ref().is_some_and(|scenarios| !scenarios.is_empty());
        let wipes = above.says_what_runs();
        if wipes {
            self.duration = None;
            self.iterations = None;
            self.stages = None;
            self.scenarios = None;
        }
        self.overlay(above);
        had_scenarios && wipes
    }
}

impl Layers {
    /// What holds of all layers, before scenarios are made of shortcuts.
    pub fn merged(&self) -> (Options, Vec<String>) {
        let mut options = self.config_file.clone();
        let mut warnings = Vec::new();
        // The names of features come from the top layer that has any; what they do holds for all layers.
        let features = [&self.flags, &self.variables, &self.config_file]
            .into_iter()
            .find_map(|layer| layer.features.clone());
        let merges_tags = features.is_some_and(|names| names.iter().any(|name| name == MERGE_RUN_TAGS));
        for (name, layer) in [("script", &self.script), ("env", &self.variables), ("cli", &self.flags)] {
            let mut layer = layer.clone();
            if let (true, Some(above), Some(below)) = (merges_tags, &mut layer.tags, &options.tags) {
                let missing = below.iter().filter(|(name, _)| !above.contains_key(*name));
                let missing: Vec<_> = missing.map(|(name, value)| (name.clone(), value.clone())).collect();
                above.extend(missing);
            }
            if options.apply(layer) {
                warnings.push(format!(
                    "\"{name}\" level configuration overrode scenarios configuration entirely"
                ));
            }
        }
        (options, warnings)
    }

    /// What holds for the run: layers merged, shortcuts made into scenarios, all of it checked.
    ///
    /// # Errors
    ///
    /// Shortcuts that exclude each other, scenarios that can't run, segments that don't fit, statistics that don't exist; each with the exit
    /// code that k6 has for it.
    pub fn consolidate(&self) -> Result<Consolidated, Fault> {
        let (mut options, mut warnings) = self.merged();
        let features = take_features(&mut options, &mut warnings);
        derive_scenarios(&mut options, &mut warnings)?;
        let share = options.check()?;
        Ok(Consolidated { options, features, share, warnings })
    }
}

/// Tags of all layers are merged instead of replaced.
const MERGE_RUN_TAGS: &str = "merge-run-tags";
const FEATURES: [&str; 3] = ["freeze-env", MERGE_RUN_TAGS, "native-histograms"];

/// The known ones of the features that are asked for; each leaves a tag on all samples, as in k6.
fn take_features(options: &mut Options, warnings: &mut Vec<String>) -> Vec<String> {
    let mut features = options.features.take().unwrap_or_default();
    features.retain(|name| {
        let is_known = FEATURES.contains(&name.as_str());
        if !is_known {
            let short: String = name.chars().take(64).collect();
            warnings.push(format!("Unknown feature flag: {short}"));
        }
        is_known
    });
    features.sort();
    features.dedup();
    for name in &features {
        let tag = format!("k6_feature_{}", name.replace('-', "_"));
        options.tags.get_or_insert_default().insert(tag, "true".to_owned());
    }
    features
}

/// Makes scenarios of the shortcuts.
fn derive_scenarios(options: &mut Options, warnings: &mut Vec<String>) -> Result<(), Fault> {
    let stages = options.stages.as_ref().map(|stages| {
        // A stage without length and without a way to say so is none.
        stages.iter().filter(|stage| stage.duration.is_some()).copied().collect::<Vec<_>>()
    });
    let has_stages = stages.as_ref().is_some_and(|stages| !stages.is_empty());
    let has_scenarios = options.scenarios.as_ref().is_some_and(|scenarios| !scenarios.is_empty());
    let given = [
        ("iterations", options.iterations.is_some()),
        ("duration", options.duration.is_some()),
        ("stages", has_stages),
        ("scenarios", has_scenarios),
    ];
    for (index, (first, is_given)) in given.iter().enumerate() {
        for (second, is_also) in
            given.iter().skip(index + 1).filter(|(second, _)| (*first, *second) != ("iterations", "duration"))
        {
            if *is_given && *is_also {
                let said = format!("using `{first}` and `{second}` options simultaneously is not allowed");
                return Err(Fault::config(said).hint(format!("leave out `{first}` or `{second}`")));
            }
        }
    }
    let executor = if let Some(iterations) = options.iterations {
        Executor::SharedIterations(SharedIterations {
            vus: options.vus,
            iterations: Some(iterations),
            max_duration: options.duration,
        })
    } else if let Some(duration) = options.duration {
        if duration <= GoDuration::ZERO {
            let said = "`duration` option should be more than 0, for infinite duration use the externally-controlled executor";
            return Err(Fault::config(said));
        }
        Executor::ConstantVus(ConstantVus { vus: options.vus, duration: Some(duration) })
    } else if has_stages {
        Executor::RampingVus(RampingVus { start_vus: options.vus, stages, graceful_ramp_down: None })
    } else if let (Some(vus), None) = (options.vus, &options.stages) {
        if options.scenarios.is_some() {
            warnings.push(format!("`vus={vus}` overrides scenarios configuration"));
        }
        let iterations = Some(vus);
        Executor::SharedIterations(SharedIterations { vus: Some(vus), iterations, max_duration: None })
    } else if has_scenarios {
        return Ok(());
    } else {
        for (name, is_empty) in
            [("stages", options.stages.is_some()), ("scenarios", options.scenarios.is_some())]
        {
            if is_empty {
                warnings.push(format!("`{name}` was explicitly set to an empty value, running the script with 1 iteration in 1 VU"));
            }
        }
        Executor::PerVuIterations(PerVuIterations::default())
    };
    options.scenarios = Some(Scenarios::from([("default".to_owned(), Scenario::of(executor))]));
    Ok(())
}

impl Options {
    /// Whether consolidated options can run, and what this instance takes of them.
    fn check(&self) -> Result<Share, Fault> {
        if let Some(dns) = &self.dns {
            dns.ttl_ns()?;
        }
        if let Some(stats) = &self.summary_trend_stats {
            stats.check()?;
        }
        let mut faults = Vec::new();
        let share = Share::new(self.execution_segment, self.execution_segment_sequence.as_ref());
        let share = share.map_err(|fault| faults.push(fault.message)).ok();
        if self.setup_timeout.is_some_and(|timeout| timeout <= GoDuration::ZERO) {
            faults.push("setupTimeout must be positive".to_owned());
        }
        if let Some(scenarios) = &self.scenarios {
            faults.extend(crate::executor::check_all(scenarios));
        }
        match share {
            Some(share) if faults.is_empty() => Ok(share),
            _ => Err(listed(&faults)),
        }
    }
}

impl Consolidated {
    /// The scenarios in the order in which they are shown and started: by start time, then by name.
    pub fn scenarios(&self) -> Vec<(&str, &Scenario)> {
        let all = self.options.scenarios.iter().flatten();
        let mut all: Vec<(&str, &Scenario)> = all.map(|(name, scenario)| (name.as_str(), scenario)).collect();
        all.sort_by_key(|(name, scenario)| (scenario.start_time(), *name));
        all
    }

    /// Which VUs this instance must have ready when.
    pub fn requirements(&self) -> Requirements {
        self.options
            .scenarios
            .as_ref()
            .map_or_else(Requirements::default, |all| Requirements::of_all(all, &self.share))
    }

    /// Whether every scenario's function is among those that the script exports.
    ///
    /// # Errors
    ///
    /// All that are not: 104.
    pub fn check_exports<T: AsRef<str>>(&self, exported: &[T]) -> Result<(), Fault> {
        let is_missing = |scenario: &Scenario| !exported.iter().any(|name| name.as_ref() == scenario.exec());
        let missing = self.scenarios().into_iter().filter(|(_, scenario)| is_missing(scenario));
        let faults: Vec<String> = missing
            .map(|(name, scenario)| {
                format!("executor {name}: function '{}' not found in exports", scenario.exec())
            })
            .collect();
        if faults.is_empty() { Ok(()) } else { Err(listed(&faults)) }
    }

    /// What `inspect --execution-requirements` prints: all options with derived scenarios and defaults, then how long and with how many VUs.
    pub fn inspect(&self) -> Json {
        let requirements = self.requirements();
        let mut json = self.with_defaults().inspect();
        if let Json::Object(members) = &mut json {
            members.push(("totalDuration".to_owned(), Json::from(requirements.end().to_string())));
            let vus_max = i64::try_from(requirements.vus_max()).unwrap_or(i64::MAX);
            members.push(("maxVUs".to_owned(), Json::Int(vus_max)));
        }
        json
    }

    /// The object that scripts see as `exec.test.options`.
    pub fn as_seen_by_scripts(&self) -> Json {
        self.with_defaults().as_seen_by_scripts()
    }

    /// Two options have their defaults written in.
    fn with_defaults(&self) -> Options {
        let mut options = self.options.clone();
        options.system_tags.get_or_insert_with(SystemTags::default);
        options.summary_trend_stats.get_or_insert_with(TrendStats::default);
        options
    }
}

/// The configuration file: options, and some flags of `run`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ConfigFile {
    /// Its options.
    pub options: Options,
    /// Where samples go.
    pub out: Option<Vec<String>>,
    /// Whether the process stays after the test's end.
    pub linger: Option<bool>,
    /// Carried.
    pub no_usage_report: Option<bool>,
}

impl ConfigFile {
    /// Reads the file's JSON; keys that are not known are passed over, as in k6.
    ///
    /// # Errors
    ///
    /// What can't be read, with its key: 104.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let wrong = |said: String| Fault::config(format!("failed to parse the configuration file: {said}"));
        let value: Value = serde_json::from_str(text).map_err(|fault| wrong(fault.to_string()))?;
        check(&value)?;
        let (options, _) = Options::from_json(&value).map_err(|fault| fault.within("configuration file"))?;
        let mut file = Self { options, ..Self::default() };
        let mut faults = Vec::new();
        for (name, value) in value.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null()) {
            let read = match name.to_ascii_lowercase().as_str() {
                "out" => Vec::from_json(value).map(|out| file.out = out),
                "linger" => bool::from_json(value).map(|linger| file.linger = linger),
                "nousagereport" => bool::from_json(value).map(|flag| file.no_usage_report = flag),
                _ => Ok(()),
            };
            faults.extend(read.err().map(|said| format!("configuration file: `{name}`: {said}")));
        }
        gathered(faults)?;
        Ok(file)
    }
}
