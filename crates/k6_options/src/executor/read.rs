//! Scenarios read from JSON and shown again: one table per executor, each key set or not, with the value (`else`) where it is not.

use crate::options::value::{OptionValue, members, not_a};
use crate::options::{Stage, Tags};
use k6_metrics::{GoDuration, Json, quoted};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// More scenarios than anybody writes; each costs a phase of its own.
const SCENARIO_COUNT_MAX: usize = 1_000;
/// Seconds that an executor runs at most where no `maxDuration` is given.
const MAX_DURATION: GoDuration = GoDuration::from_secs(600);
const GRACEFUL: GoDuration = GoDuration::from_secs(30);
const SECOND: GoDuration = GoDuration::from_secs(1);

/// What runs, by name.
pub type Scenarios = BTreeMap<String, Scenario>;

/// One scenario: an executor and what all executors have.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// How long after the test's start it begins.
    pub start_time: Option<GoDuration>,
    /// How long iterations may go on after the regular end.
    pub graceful_stop: Option<GoDuration>,
    /// Laid over `__ENV`.
    pub env: Option<Tags>,
    /// The exported function.
    pub exec: Option<String>,
    /// What its samples carry.
    pub tags: Option<Tags>,
    /// Options of the scenario's own, such as `browser`; carried.
    pub options: Option<Value>,
    /// What it runs.
    pub executor: Executor,
}

macro_rules! executors {
    ($($(#[$doc:meta])* $name:ident = $word:literal {
        $(#[$field_doc:meta] $field:ident: $type:ty = $key:literal $(, else $default:expr)?;)*
    })*) => {
        $($(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Default)]
        pub struct $name {
            $(#[$field_doc] pub $field: Option<$type>,)*
        }

        impl $name {
            $($(
                #[$field_doc]
                pub fn $field(&self) -> $type {
                    self.$field.unwrap_or($default)
                }
            )?)*

            /// `Ok(false)`: it has no such key.
            fn read_member(&mut self, name: &str, value: &Value) -> Result<bool, String> {
                $(if name.eq_ignore_ascii_case($key) {
                    self.$field = if value.is_null() { None } else { <$type>::from_json(value)? };
                    return Ok(true);
                })*
                Ok(false)
            }

            fn members(&self) -> Vec<(String, Json)> {
                vec![$(($key.to_owned(), Json::or_null(self.$field.as_ref(), OptionValue::to_json))),*]
            }
        })*

        /// What a scenario runs.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Executor {
            $($(#[$doc])* $name($name),)*
        }

        impl Executor {
            /// The word by which scripts name it.
            pub fn word(&self) -> &'static str {
                match self { $(Self::$name(_) => $word,)* }
            }

            fn of_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$name($name::default())),)* _ => None }
            }

            fn read_member(&mut self, name: &str, value: &Value) -> Result<bool, String> {
                match self { $(Self::$name(executor) => executor.read_member(name, value),)* }
            }

            fn members(&self) -> Vec<(String, Json)> {
                match self { $(Self::$name(executor) => executor.members(),)* }
            }
        }
    };
}

executors! {
    /// A number of iterations that all VUs share.
    SharedIterations = "shared-iterations" {
        /// VUs over all instances.
        vus: i64 = "vus", else 1;
        /// Iterations over all VUs and instances.
        iterations: i64 = "iterations", else 1;
        /// The regular end after the scenario's start.
        max_duration: GoDuration = "maxDuration", else MAX_DURATION;
    }
    /// A number of iterations for each VU.
    PerVuIterations = "per-vu-iterations" {
        /// VUs over all instances.
        vus: i64 = "vus", else 1;
        /// Iterations of each VU.
        iterations: i64 = "iterations", else 1;
        /// The regular end after the scenario's start.
        max_duration: GoDuration = "maxDuration", else MAX_DURATION;
    }
    /// VUs that begin their next iteration as soon as the last is done.
    ConstantVus = "constant-vus" {
        /// VUs over all instances.
        vus: i64 = "vus", else 1;
        /// The regular end after the scenario's start; needed.
        duration: GoDuration = "duration", else GoDuration::ZERO;
    }
    /// As many of these as stages say.
    RampingVus = "ramping-vus" {
        /// VUs at the start over all instances.
        start_vus: i64 = "startVUs", else 1;
        /// Needed.
        stages: Vec<Stage> = "stages";
        /// How long an iteration of a VU that is no longer needed may go on.
        graceful_ramp_down: GoDuration = "gracefulRampDown", else GRACEFUL;
    }
    /// Iterations that begin at a constant rate.
    ConstantArrivalRate = "constant-arrival-rate" {
        /// Iterations per `timeUnit` over all instances; needed.
        rate: i64 = "rate", else 0;
        /// What the rate counts per.
        time_unit: GoDuration = "timeUnit", else SECOND;
        /// The regular end after the scenario's start; needed.
        duration: GoDuration = "duration", else GoDuration::ZERO;
        /// VUs that are there from the start, over all instances; needed.
        pre_allocated_vus: i64 = "preAllocatedVUs", else 0;
        /// As many as `preAllocatedVUs` where it is not set.
        max_vus: i64 = "maxVUs";
    }
    /// Iterations that begin at a rate that goes in straight lines.
    RampingArrivalRate = "ramping-arrival-rate" {
        /// Iterations per `timeUnit` at the start, over all instances.
        start_rate: i64 = "startRate", else 0;
        /// What rates count per.
        time_unit: GoDuration = "timeUnit", else SECOND;
        /// Needed.
        stages: Vec<Stage> = "stages";
        /// VUs that are there from the start, over all instances; needed.
        pre_allocated_vus: i64 = "preAllocatedVUs", else 0;
        /// As many as `preAllocatedVUs` where it is not set.
        max_vus: i64 = "maxVUs";
    }
    /// As many VUs as are asked for while the test runs (k6 up to 1.8).
    ExternallyControlled = "externally-controlled" {
        /// VUs at the start.
        vus: i64 = "vus", else 0;
        /// The regular end after the scenario's start; needed, and 0 is without end.
        duration: GoDuration = "duration", else GoDuration::ZERO;
        /// As many as `vus` where it is not set.
        max_vus: i64 = "maxVUs";
    }
}

/// What stands for a value that is not set and depends on others.
impl RampingVus {
    /// The stages.
    pub fn stages(&self) -> &[Stage] {
        self.stages.as_deref().unwrap_or_default()
    }

    /// The most VUs at any time over all instances.
    pub fn vus_max(&self) -> i64 {
        self.stages().iter().filter_map(|stage| stage.target).fold(self.start_vus(), i64::max)
    }
}

impl ConstantArrivalRate {
    /// The most VUs over all instances.
    pub fn max_vus(&self) -> i64 {
        self.max_vus.unwrap_or(self.pre_allocated_vus())
    }
}

impl RampingArrivalRate {
    /// The stages.
    pub fn stages(&self) -> &[Stage] {
        self.stages.as_deref().unwrap_or_default()
    }

    /// The most VUs over all instances.
    pub fn max_vus(&self) -> i64 {
        self.max_vus.unwrap_or(self.pre_allocated_vus())
    }

    /// The highest rate per time unit at any time.
    pub fn rate_max(&self) -> i64 {
        self.stages().iter().filter_map(|stage| stage.target).fold(self.start_rate(), i64::max)
    }
}

impl ExternallyControlled {
    /// The most VUs that can be asked for.
    pub fn max_vus(&self) -> i64 {
        self.max_vus.unwrap_or(self.vus())
    }
}

impl Scenario {
    /// An executor with nothing else set.
    pub fn of(executor: Executor) -> Self {
        Self {
            start_time: None,
            graceful_stop: None,
            env: None,
            exec: None,
            tags: None,
            options: None,
            executor,
        }
    }

    /// How long after the test's start it begins.
    pub fn start_time(&self) -> GoDuration {
        self.start_time.unwrap_or_default()
    }

    /// How long iterations may go on after the regular end: 30 s where it is not set; without a regular end nothing.
    pub fn graceful_stop(&self) -> GoDuration {
        match self.executor {
            Executor::ExternallyControlled(_) => GoDuration::ZERO,
            _ => self.graceful_stop.unwrap_or(GRACEFUL),
        }
    }

    /// The exported function that it runs.
    pub fn exec(&self) -> &str {
        self.exec.as_deref().unwrap_or("default")
    }

    fn read(name: &str, value: &Value) -> Result<Self, String> {
        let no_executor = || format!("scenario '{name}' doesn't have a specified executor type");
        if value.is_null() {
            return Err(no_executor());
        }
        let members = members(value, "a scenario", usize::MAX)?;
        let word = match member(members, "executor") {
            None | Some(Value::Null) => return Err(no_executor()),
            Some(word) => word.as_str().ok_or_else(|| not_a(word, "an executor type"))?,
        };
        if word.is_empty() {
            return Err(no_executor());
        }
        let short: String = word.chars().take(64).collect();
        let executor = Executor::of_word(word).ok_or_else(|| format!("unknown executor type '{short}'"))?;
        let mut scenario = Self::of(executor);
        for (key, value) in members {
            scenario.read_member(key, value).map_err(|said| format!("{said} (scenario `{name}`)"))?;
        }
        Ok(scenario)
    }

    fn read_member(&mut self, key: &str, value: &Value) -> Result<(), String> {
        fn read<T: OptionValue>(value: &Value) -> Result<Option<T>, String> {
            if value.is_null() { Ok(None) } else { T::from_json(value) }
        }
        match key.to_ascii_lowercase().as_str() {
            "executor" => {}
            "starttime" => self.start_time = read(value)?,
            "gracefulstop" => self.graceful_stop = read(value)?,
            "env" => self.env = read(value)?,
            "exec" => self.exec = read(value)?,
            "tags" => self.tags = read(value)?,
            "options" => self.options = read(value)?,
            _ => {
                if key.eq_ignore_ascii_case("stages") {
                    only_known(value)?;
                }
                if !self.executor.read_member(key, value)? {
                    return Err(unknown_field(key));
                }
            }
        }
        Ok(())
    }

    fn to_json(&self) -> Json {
        let duration = |duration: Option<GoDuration>| Json::or_null(duration, |duration| duration.to_json());
        let mut all = vec![
            ("executor".to_owned(), Json::from(self.executor.word())),
            ("startTime".to_owned(), duration(self.start_time)),
            ("gracefulStop".to_owned(), duration(self.graceful_stop)),
            ("env".to_owned(), Json::or_null(self.env.as_ref(), OptionValue::to_json)),
            ("exec".to_owned(), Json::or_null(self.exec.as_ref(), Json::from)),
            ("tags".to_owned(), Json::or_null(self.tags.as_ref(), OptionValue::to_json)),
        ];
        all.extend(self.options.as_ref().map(|options| ("options".to_owned(), Json::from(options))));
        all.extend(self.executor.members());
        Json::Object(all)
    }
}

/// In scenarios the keys of a stage are strict, other than in the shortcut.
fn only_known(stages: &Value) -> Result<(), String> {
    let keys = stages.as_array().into_iter().flatten().filter_map(Value::as_object).flat_map(Map::keys);
    let is_known = |key: &String| ["duration", "target"].iter().any(|known| key.eq_ignore_ascii_case(known));
    let unknown = keys.into_iter().find(|key| !is_known(key));
    unknown.map_or(Ok(()), |key| Err(unknown_field(key)))
}

fn unknown_field(key: &str) -> String {
    format!("json: unknown field {}", quoted(&key.chars().take(64).collect::<String>()))
}

fn member<'a>(members: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    members
        .get(key)
        .or_else(|| members.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, value)| value))
}

impl OptionValue for Scenarios {
    fn from_json(value: &Value) -> Result<Option<Self>, String> {
        let mut all = Self::new();
        let mut faults = Vec::new();
        for (name, value) in members(value, "an object of scenarios", SCENARIO_COUNT_MAX)? {
            let name: String = name.chars().take(256).collect();
            match Scenario::read(&name, value) {
                Ok(scenario) => drop(all.insert(name, scenario)),
                Err(said) => faults.push(said),
            }
        }
        if faults.is_empty() { Ok(Some(all)) } else { Err(faults.join("; ")) }
    }

    fn to_json(&self) -> Json {
        Json::Object(self.iter().map(|(name, scenario)| (name.clone(), scenario.to_json())).collect())
    }
}
