//! What must hold of a scenario before it runs, with k6's texts.

use super::read::{
    ConstantArrivalRate, ConstantVus, Executor, ExternallyControlled, PerVuIterations, RampingArrivalRate,
    RampingVus, Scenario, Scenarios, SharedIterations,
};
use crate::options::Stage;
use k6_metrics::GoDuration;

/// k6's own limit of VUs, where it has one; here it holds for all numbers of VUs.
const VUS_MAX: i64 = 100_000_000;
/// The most changes of the number of VUs in a test: each is a step in a list, and a start or stop while the test runs.
const VU_CHANGES_MAX: i64 = 10_000_000;
/// One iteration each ns is more than a clock can tell apart.
const RATE_PER_NS_MAX: i64 = 1;
const DURATION_MIN: GoDuration = GoDuration::from_secs(1);

impl Scenario {
    /// All that is wrong, in k6's words and order; empty: it can run.
    pub fn faults(&self, name: &str) -> Vec<String> {
        let mut faults = Vec::new();
        let mut say = |is_wrong: bool, text: &str| {
            if is_wrong {
                faults.push(text.to_owned());
            }
        };
        say(name.is_empty(), "scenario name can't be empty");
        let is_name_byte = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        say(
            name.is_empty() || !name.bytes().all(is_name_byte),
            "the scenario name should contain only numbers, latin letters, underscores, and dashes",
        );
        say(self.exec.as_deref() == Some(""), "exec value cannot be empty");
        say(self.start_time() < GoDuration::ZERO, "the startTime can't be negative");
        say(self.graceful_stop() < GoDuration::ZERO, "the gracefulStop timeout can't be negative");
        faults.extend(match &self.executor {
            Executor::SharedIterations(executor) => executor.faults(),
            Executor::PerVuIterations(executor) => executor.faults(),
            Executor::ConstantVus(executor) => executor.faults(),
            Executor::RampingVus(executor) => executor.faults(),
            Executor::ConstantArrivalRate(executor) => executor.faults(),
            Executor::RampingArrivalRate(executor) => executor.faults(),
            Executor::ExternallyControlled(executor) => executor.faults(),
        });
        if matches!(self.executor, Executor::ExternallyControlled(_)) && self.graceful_stop.is_some() {
            faults.push("gracefulStop is not supported by the externally controlled executor".to_owned());
        }
        faults
    }
}

/// All that is wrong with all scenarios, a line each.
pub(crate) fn faults(scenarios: &Scenarios) -> Vec<String> {
    let said = scenarios.iter().filter_map(|(name, scenario)| {
        let faults = scenario.faults(name);
        (!faults.is_empty())
            .then(|| format!("scenario {name} has configuration errors: {}", faults.join(", ")))
    });
    let mut said: Vec<String> = said.collect();
    let changes = scenarios.values().map(|scenario| match &scenario.executor {
        Executor::RampingVus(executor) => executor.change_count(),
        _ => 0,
    });
    if said.is_empty() && changes.fold(0, i64::saturating_add) > VU_CHANGES_MAX {
        said.push(format!("all scenarios together start and stop VUs more than {VU_CHANGES_MAX} times"));
    }
    said
}

/// Puts texts together, each under its condition.
#[derive(Default)]
struct Said(Vec<String>);

impl Said {
    fn when(mut self, is_wrong: bool, text: impl Into<String>) -> Self {
        if is_wrong {
            self.0.push(text.into());
        }
        self
    }

    fn too_many_vus(self, vus: i64) -> Self {
        self.when(vus > VUS_MAX, format!("the number of VUs exceeds max limit of {VUS_MAX}"))
    }

    fn max_duration(self, max_duration: GoDuration) -> Self {
        let text = format!("the maxDuration must be at least {DURATION_MIN}, but is {max_duration}");
        self.when(max_duration < DURATION_MIN, text)
    }

    fn duration(self, duration: Option<GoDuration>) -> Self {
        match duration {
            None => self.when(true, "the duration is unspecified"),
            Some(duration) => {
                let text = format!("the duration must be at least {DURATION_MIN}, but is {duration}");
                self.when(duration < DURATION_MIN, text)
            }
        }
    }

    fn stages(mut self, stages: &[Stage]) -> Self {
        self = self.when(stages.is_empty(), "at least one stage has to be specified");
        for (number, stage) in (1..).zip(stages) {
            self = match stage.duration {
                None => self.when(true, format!("stage {number} doesn't have a duration")),
                Some(duration) => {
                    let text = format!("the duration for stage {number} can't be negative");
                    self.when(duration < GoDuration::ZERO, text)
                }
            };
            self = match stage.target {
                None => self.when(true, format!("stage {number} doesn't have a target")),
                Some(target) if target < 0 => {
                    self.when(true, format!("the target for stage {number} can't be negative"))
                }
                Some(target) => {
                    let text = format!("target for stage {number} exceeds max limit of {VUS_MAX}");
                    self.when(target > VUS_MAX, text)
                }
            };
        }
        self
    }

    fn pools(self, pre_allocated_vus: Option<i64>, max_vus: i64) -> Self {
        let said = match pre_allocated_vus {
            None => self.when(true, "the number of preAllocatedVUs isn't specified"),
            Some(vus) => self.when(vus < 0, "the number of preAllocatedVUs can't be negative"),
        };
        let is_less = max_vus < pre_allocated_vus.unwrap_or(0);
        said.when(is_less, "maxVUs can't be less than preAllocatedVUs").too_many_vus(max_vus)
    }

    fn rate(self, rate: i64, time_unit: GoDuration) -> Self {
        let most = time_unit.ns().saturating_mul(RATE_PER_NS_MAX);
        let is_wrong = time_unit > GoDuration::ZERO && rate > most;
        self.when(is_wrong, format!("the iteration rate is above 1 per ns ({rate} per {time_unit})"))
    }
}

impl SharedIterations {
    fn faults(&self) -> Vec<String> {
        let (vus, iterations) = (self.vus(), self.iterations());
        let few =
            format!("the number of iterations ({iterations}) can't be less than the number of VUs ({vus})");
        Said::default()
            .when(vus <= 0, "the number of VUs must be more than 0")
            .when(iterations < vus, few)
            .max_duration(self.max_duration())
            .too_many_vus(vus)
            .0
    }
}

impl PerVuIterations {
    fn faults(&self) -> Vec<String> {
        Said::default()
            .when(self.vus() <= 0, "the number of VUs must be more than 0")
            .when(self.iterations() <= 0, "the number of iterations must be more than 0")
            .max_duration(self.max_duration())
            .too_many_vus(self.vus())
            .0
    }
}

impl ConstantVus {
    fn faults(&self) -> Vec<String> {
        Said::default()
            .when(self.vus() <= 0, "the number of VUs must be more than 0")
            .duration(self.duration)
            .too_many_vus(self.vus())
            .0
    }
}

impl RampingVus {
    /// How often a VU is started or stopped.
    fn change_count(&self) -> i64 {
        let targets = self.stages().iter().filter_map(|stage| stage.target);
        let changes = targets.scan(self.start_vus(), |from, target| {
            let change = target.saturating_sub(*from).saturating_abs();
            *from = target;
            Some(change)
        });
        changes.fold(self.start_vus().saturating_abs(), i64::saturating_add)
    }

    fn faults(&self) -> Vec<String> {
        let start = self.start_vus();
        let many = format!("the stages start and stop VUs more than {VU_CHANGES_MAX} times");
        Said::default()
            .when(start < 0, "the number of start VUs can't be negative")
            .when(start > VUS_MAX, format!("the startVUs exceed max limit of {VUS_MAX}"))
            .when(
                self.vus_max() <= 0,
                "either startVUs or one of the stages' target values must be greater than 0",
            )
            .stages(self.stages())
            .when(self.vus_max() <= VUS_MAX && self.change_count() > VU_CHANGES_MAX, many)
            .0
    }
}

impl ConstantArrivalRate {
    fn faults(&self) -> Vec<String> {
        let said = match self.rate {
            None => Said::default().when(true, "the iteration rate isn't specified"),
            Some(rate) => Said::default().when(rate <= 0, "the iteration rate must be more than 0"),
        };
        said.when(self.time_unit() <= GoDuration::ZERO, "the timeUnit must be more than 0")
            .duration(self.duration)
            .pools(self.pre_allocated_vus, self.max_vus())
            .rate(self.rate(), self.time_unit())
            .0
    }
}

impl RampingArrivalRate {
    fn faults(&self) -> Vec<String> {
        Said::default()
            .when(self.start_rate() < 0, "the startRate value can't be negative")
            .when(self.time_unit() <= GoDuration::ZERO, "the timeUnit must be more than 0")
            .stages(self.stages())
            .pools(self.pre_allocated_vus, self.max_vus())
            .rate(self.rate_max(), self.time_unit())
            .0
    }
}

impl ExternallyControlled {
    fn faults(&self) -> Vec<String> {
        let (vus, max_vus) = (self.vus(), self.max_vus());
        let few = format!(
            "the number of active VUs ({vus}) must be less than or equal to the number of maxVUs ({max_vus})"
        );
        let said = Said::default()
            .when(vus < 0, "the number of VUs can't be negative")
            .when(max_vus < vus, few)
            .too_many_vus(max_vus);
        match self.duration {
            None => said.when(true, "the duration must be specified, for infinite duration use 0").0,
            Some(duration) => {
                said.when(
                    duration < GoDuration::ZERO,
                    "the duration can't be negative, for infinite duration use 0",
                )
                .0
            }
        }
    }
}
