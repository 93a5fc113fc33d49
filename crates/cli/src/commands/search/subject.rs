//! What is searched: a plan's open phase, or a URL made into one; and what is asked for.

use crate::args::{Cli, Command, SearchArgs};
use crate::exit::Failure;
use crate::findings;
use crate::quick::{self, flag_fault};
use crate::talk::Talk;
use clap::Parser as _;
use plan::{ConnectionPolicy, Diagnostic, Load, Plan};
use search::find::Options;
use search::trial_plan;
use std::path::{Path, PathBuf};
use units::{QuantityError, Rate, parse_duration_ns, parse_ratio};

/// The soak where none is asked for, and the share of the budget that it may take.
const CONFIRM_NS: u64 = 120 * units::NS_PER_SEC;
const CONFIRM_SHARE: u64 = 5;

/// A plan, and the phase of it that is varied.
#[derive(Debug)]
pub(crate) struct Subject {
    pub(crate) plan: Plan,
    pub(crate) phase_index: usize,
    /// Beside which the store is, where nobody says otherwise.
    pub(crate) folder: PathBuf,
}

impl Subject {
    /// Reads the plan or makes it from the URL.
    pub(crate) fn of(args: &SearchArgs, talk: &Talk) -> Result<Self, Failure> {
        let mut plan = if is_plan(&args.subject) { read_plan(args, talk)? } else { plan_of_url(args)? };
        let phase_index = trial_plan::open_phase(&plan, args.phase.as_deref())
            .map_err(|error| Failure::usage(&quick::with_mend(&error.to_string())))?;
        // The others speak of phases that a search leaves out; the phase is the only one then.
        if let Some(name) = plan.phases.get(phase_index).map(|phase| phase.name.clone()) {
            plan.slos.retain(|slo| slo.phase.as_ref().is_none_or(|of| *of == name));
            plan.slos.iter_mut().for_each(|slo| slo.phase = None);
        }
        if let Some(seed) = args.runner.seed {
            plan.seed = seed;
        }
        if let Some(name) = &args.runner.name {
            plan.name.clone_from(name);
        }
        let folder = Path::new(&args.subject).parent().filter(|_| is_plan(&args.subject));
        Ok(Self { plan, phase_index, folder: folder.unwrap_or(Path::new("")).to_owned() })
    }

    /// Actions that may be in flight at once: users, or connections where users share fewer.
    pub(crate) fn in_flight_max(&self) -> Option<u64> {
        let phase = self.plan.phases.get(self.phase_index)?;
        let Load::Open { users_max, .. } = phase.load else { return None };
        let shared = self.plan.targets.iter().filter_map(|target| match target.connections {
            ConnectionPolicy::Shared(count) => Some(u64::from(count)),
            ConnectionPolicy::PerUser | ConnectionPolicy::PerAction | ConnectionPolicy::PerRequest => None,
        });
        Some(shared.sum::<u64>().max(1).min(u64::from(users_max)))
            .filter(|_| {
                self.plan.targets.iter().all(|t| matches!(t.connections, ConnectionPolicy::Shared(_)))
            })
            .or(Some(u64::from(users_max)))
    }
}

/// A file that is there, or a name that only a plan has.
fn is_plan(text: &str) -> bool {
    let path = Path::new(text);
    let has_ending = |ending: &str| path.extension().is_some_and(|extension| extension == ending);
    !text.contains("://") && (path.is_file() || ["yaml", "yml"].into_iter().any(has_ending))
}

fn read_plan(args: &SearchArgs, talk: &Talk) -> Result<Plan, Failure> {
    let mut plan = findings::load(Path::new(&args.subject), talk)?;
    let mut faults = Vec::new();
    plan.slos.extend(quick::slos(&args.runner.slos, &mut faults));
    if faults.is_empty() {
        faults = plan.faults();
    }
    if faults.is_empty() { Ok(plan) } else { Err(faults.into()) }
}

/// The URL at some rate; each trial has its own.
fn plan_of_url(args: &SearchArgs) -> Result<Plan, Failure> {
    let cli = Cli::try_parse_from(http_flags(args))
        .map_err(|error| Failure::internal(&format!("the flags of a request are not understood: {error}")))?;
    let Command::Http(http) = cli.command else {
        return Err(Failure::internal("the flags of a request are another command"));
    };
    Ok(quick::plan(&http)?)
}

/// The flags of `weir http` that say the same, so that a request means the same in both.
fn http_flags(args: &SearchArgs) -> Vec<String> {
    let request = &args.request;
    let mut flags: Vec<String> = ["weir", "http", "--rate=1/s"].map(str::to_owned).into();
    flags.push(format!("--connections={}", request.connections));
    let mut give = |flag: &str, value: Option<&str>| {
        flags.extend(value.map(|value| format!("--{flag}={value}")));
    };
    give("method", request.method.as_deref());
    give("body", request.body.as_deref());
    give("timeout", request.timeout.as_deref());
    give("cacert", request.cacert.as_deref());
    give("unix-socket", request.unix_socket.as_deref().and_then(Path::to_str));
    request.headers.iter().for_each(|header| give("header", Some(header)));
    args.runner.slos.iter().for_each(|slo| give("slo", Some(slo)));
    let switches = [(request.poisson, "--poisson"), (request.insecure, "--insecure")];
    flags.extend(switches.into_iter().filter(|(is_on, _)| *is_on).map(|(_, flag)| flag.to_owned()));
    flags.extend(["--".to_owned(), args.subject.clone()]);
    flags
}

/// What the flags ask for, or all that is wrong with them.
pub(crate) fn options(args: &SearchArgs, plan: &Plan) -> Result<Options, Vec<Diagnostic>> {
    let mut faults = Vec::new();
    let mut take = |flag: &str, result: Result<u64, QuantityError>| {
        result.map_err(|error| faults.push(flag_fault(flag, &error.to_string()))).unwrap_or(1)
    };
    let full_ns = take("--trial", at_least(&args.trial, trial_plan::FULL_NS_MIN));
    let settle_ns = take("--settle", parse_duration_ns(&args.settle));
    let budget_ns = take("--budget", at_least(&args.budget, 1));
    let confirm_ns = match &args.confirm {
        Some(text) => take("--confirm", parse_duration_ns(text)),
        None => CONFIRM_NS.min(budget_ns / CONFIRM_SHARE),
    };
    let mut share = |flag: &str, text: &str| {
        parse_ratio(text).map_err(|error| faults.push(flag_fault(flag, &error.to_string()))).unwrap_or(0.02)
    };
    let precision_ratio = share("--precision", &args.precision);
    let exceed_ratio = share("--exceed", &args.exceed);
    let mut rate = |flag: &str, text: &Option<String>| {
        let parsed = Rate::parse(text.as_ref()?);
        parsed.map_err(|error| faults.push(flag_fault(flag, &error.to_string()))).ok().map(Rate::as_f64)
    };
    let (min, max) = (rate("--min", &args.min), rate("--max", &args.max));
    let start = rate("--start", &args.start);
    if !faults.is_empty() {
        return Err(faults);
    }
    let defaults = Options::default();
    let options = Options {
        rate_min_per_sec: min.unwrap_or(defaults.rate_min_per_sec.min(max.unwrap_or(f64::MAX) / 100.0)),
        rate_max_per_sec: max.unwrap_or(defaults.rate_max_per_sec),
        rate_start_per_sec: start,
        precision_ratio,
        exceed_ratio,
        maximum_ns: defaults.maximum_ns.min(full_ns),
        short_ns: full_ns * 2 / 5,
        full_ns,
        settle_ns,
        budget_ns,
        confirm_ns,
        samples_min: trial_plan::samples_min(plan),
        hysteresis: args.hysteresis,
    };
    let wrong: Vec<Diagnostic> =
        options.faults().iter().map(|fault| quick::with_mend(&fault.to_string())).collect();
    if wrong.is_empty() { Ok(options) } else { Err(wrong) }
}

/// A time of at least `least_ns`.
fn at_least(text: &str, least_ns: u64) -> Result<u64, QuantityError> {
    match parse_duration_ns(text) {
        Ok(ns) if ns < least_ns => {
            Err(QuantityError::OutOfRange { text: text.to_owned(), range: "a longer time, such as 5s" })
        }
        other => other,
    }
}
