//! What was typed, turned into two plans that differ in nothing but their target.

use crate::args::{AbArgs, HttpArgs};
use crate::exit::{Exit, Failure};
use crate::findings;
use crate::quick::{self, flag_fault};
use crate::talk::Talk;
use crate::url::{self, Url};
use clap::{Args as _, FromArgMatches as _};
use compare::PairedSide;
use plan::{Diagnostic, PhaseKind, Plan, Target};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Length of a slice of a URL where nobody says.
const SLICE_DEFAULT: &str = "5s";
/// Load before each slice of a URL where nobody says: connections and caches are warm again after the other side had its turn.
const WARMUP_DEFAULT: &str = "500ms";
/// A server on this machine or nearby answers a connect within this, or does not listen.
const CONNECT_LIMIT: Duration = Duration::from_millis(500);

/// Both sides.
pub(super) struct Sides {
    plans: [Plan; 2],
    names: [String; 2],
    has_own_plans: bool,
}

/// Where a side's first target listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    Tcp(String, u16),
    Unix(PathBuf),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Tcp(host, port) if host.contains(':') => write!(f, "[{host}]:{port}"),
            Self::Tcp(host, port) => write!(f, "{host}:{port}"),
            Self::Unix(path) => write!(f, "{}", path.display()),
        }
    }
}

impl Place {
    /// Whether a connection is taken there now.
    pub(super) fn listens(&self) -> bool {
        match self {
            Self::Tcp(host, port) => {
                let addresses = (host.as_str(), *port).to_socket_addrs();
                addresses.is_ok_and(|mut all| {
                    all.any(|address| TcpStream::connect_timeout(&address, CONNECT_LIMIT).is_ok())
                })
            }
            Self::Unix(path) => UnixStream::connect(path).is_ok(),
        }
    }
}

impl Sides {
    pub(super) fn of(args: &AbArgs, talk: &Talk) -> Result<Self, Failure> {
        let mut sides = match (&args.plan_a, &args.plan_b, args.what.as_deref().filter(|text| is_plan(text)))
        {
            (Some(a), Some(b), _) => Self::of_plans(args, a, b, talk)?,
            (_, _, Some(plan)) => Self::of_plan(args, Path::new(plan), talk)?,
            _ => Self::of_urls(args)?,
        };
        for plan in &mut sides.plans {
            // Objectives are promises about a run; here runs are compared, and one that aborts would only cut slices short.
            plan.slos.clear();
            let faults = plan.faults();
            if !faults.is_empty() {
                return Err(faults.into());
            }
        }
        Ok(sides)
    }

    pub(super) fn plan(&self, side: PairedSide) -> &Plan {
        let [a, b] = &self.plans;
        if side == PairedSide::A { a } else { b }
    }

    pub(super) fn names(&self) -> [String; 2] {
        self.names.clone()
    }

    /// Whether the sides may differ in more than their target.
    pub(super) fn has_own_plans(&self) -> bool {
        self.has_own_plans
    }

    pub(super) fn place(&self, side: PairedSide) -> Place {
        let target = self.plan(side).targets.first();
        match target {
            Some(Target { unix_socket: Some(path), .. }) => Place::Unix(path.clone()),
            Some(target) => Place::Tcp(target.host.clone(), target.port),
            None => Place::Tcp(String::new(), 0),
        }
    }

    fn of_plans(args: &AbArgs, a: &Path, b: &Path, talk: &Talk) -> Result<Self, Failure> {
        if args.a.is_some() || args.b.is_some() {
            let message = "with --plan-a and --plan-b each plan names its own target; remove --a and --b";
            return Err(Failure::usage(&flag_fault("--a, --b", message)));
        }
        let plans = [load(args, a, talk)?, load(args, b, talk)?];
        let names = [a, b].map(|path| path.display().to_string());
        Ok(Self { plans, names, has_own_plans: true })
    }

    fn of_plan(args: &AbArgs, path: &Path, talk: &Talk) -> Result<Self, Failure> {
        refuse_url_flags(args)?;
        let plan = load(args, path, talk)?;
        let (a, b) = both(args, true)?;
        let aimed = |url: Option<&str>, flag: &str| match url {
            None => Ok(plan.clone()),
            Some(text) => aim(plan.clone(), text, flag),
        };
        let plans = [aimed(a, "--a")?, aimed(b, "--b")?];
        let names = plans.each_ref().map(|plan| plan.targets.first().map_or(String::new(), Target::url));
        Ok(Self { plans, names: with_commands(args, names), has_own_plans: false })
    }

    fn of_urls(args: &AbArgs) -> Result<Self, Failure> {
        let (a, b) = both(args, false)?;
        let one = |side: Option<&str>| -> Result<Plan, Failure> {
            let text = match (side, args.what.as_deref()) {
                (Some(side), Some(shared)) => joined(side, shared)?,
                (Some(url), None) | (None, Some(url)) => url.to_owned(),
                (None, None) => String::new(),
            };
            Ok(quick::plan(&http_args(args, &text)?)?)
        };
        let plans = [one(a)?, one(b)?];
        let names = plans.each_ref().map(|plan| plan.name.clone());
        Ok(Self { plans, names: with_commands(args, names), has_own_plans: false })
    }
}

/// A side that is started here is called by its command, too.
fn with_commands(args: &AbArgs, [a, b]: [String; 2]) -> [String; 2] {
    let named = |name: String, command: &Option<String>| match command {
        Some(command) => format!("{command}  ({name})"),
        None => name,
    };
    let cmd_b = if args.aa { &args.cmd_a } else { &args.cmd_b };
    [named(a, &args.cmd_a), named(b, cmd_b)]
}

/// Whether a text means a file and not a URL.
fn is_plan(text: &str) -> bool {
    let path = Path::new(text);
    let ending = path.extension().and_then(std::ffi::OsStr::to_str).unwrap_or_default();
    !text.contains("://") && (path.is_file() || ["yaml", "yml", "json"].contains(&ending))
}

/// The URLs of both sides. A plan has a target of its own, which A may keep.
fn both(args: &AbArgs, has_target: bool) -> Result<(Option<&str>, Option<&str>), Failure> {
    let a = args.a.as_deref();
    let b = if args.aa { a } else { args.b.as_deref() };
    let has_a = a.is_some() || has_target || args.what.is_some();
    if has_a && (args.aa || b.is_some()) {
        return Ok((a, b));
    }
    let message = if has_a { "there is no B to compare with" } else { "there is no A, the baseline" };
    let hint = "name both: weir ab --a localhost:8081/ --b localhost:8082/, or check a target against itself with --aa";
    Err(Failure::usage(&Diagnostic::error(message).hint(hint)))
}

/// A side's origin with the shared path, unless it has one of its own.
fn joined(side: &str, shared: &str) -> Result<String, Failure> {
    let parse = |text: &str| url::parse(text).map_err(|fault| Failure::usage(&fault));
    let (own, other): (Url, Url) = (parse(side)?, parse(shared)?);
    if own.path_and_query != "/" {
        return Ok(side.to_owned());
    }
    let host = if own.host.contains(':') { format!("[{}]", own.host) } else { own.host };
    Ok(format!("{}://{host}:{}{}", own.scheme.as_str(), own.port, other.path_and_query))
}

/// What `weir http` would have been told for one slice.
fn http_args(args: &AbArgs, url: &str) -> Result<HttpArgs, Failure> {
    let mut words: Vec<String> = vec!["http".to_owned()];
    let mut flag = |name: &str, value: &str| words.push(format!("{name}={value}"));
    flag("--duration", args.slice.as_deref().unwrap_or(SLICE_DEFAULT));
    flag("--warmup", args.warmup.as_deref().unwrap_or(WARMUP_DEFAULT));
    let connections = args.connections.map(|count| count.to_string());
    let given = [
        ("--connections", connections.as_deref()),
        ("--rate", args.rate.as_deref()),
        ("--method", args.method.as_deref()),
        ("--body", args.body.as_deref()),
    ];
    given
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .for_each(|(name, value)| flag(name, value));
    args.headers.iter().for_each(|header| flag("--header", header));
    let switches = [("--poisson", args.poisson), ("--insecure", args.insecure)];
    words.extend(switches.into_iter().filter(|(_, is_on)| *is_on).map(|(name, _)| name.to_owned()));
    words.extend(["--".to_owned(), url.to_owned()]);
    let command = HttpArgs::augment_args(clap::Command::new("http"));
    let parsed = command.try_get_matches_from(words).and_then(|matches| HttpArgs::from_arg_matches(&matches));
    parsed.map_err(|error| Failure {
        exit: Exit::BadPlan,
        messages: vec![error.to_string().trim_end().to_owned()],
    })
}

fn refuse_url_flags(args: &AbArgs) -> Result<(), Failure> {
    let given = [
        ("--connections", args.connections.is_some()),
        ("--rate", args.rate.is_some()),
        ("--method", args.method.is_some()),
        ("--header", !args.headers.is_empty()),
        ("--body", args.body.is_some()),
        ("--warmup", args.warmup.is_some()),
    ];
    let faults: Vec<Diagnostic> = given
        .into_iter()
        .filter(|(_, is_given)| *is_given)
        .map(|(flag, _)| flag_fault(flag, "the plan says that itself; change it there"))
        .collect();
    if faults.is_empty() { Ok(()) } else { Err(faults.into()) }
}

/// A plan file, its measured phases as long as a slice.
fn load(args: &AbArgs, path: &Path, talk: &Talk) -> Result<Plan, Failure> {
    let mut plan = findings::load(path, talk)?;
    if let Some(text) = &args.slice {
        let slice_ns = units::parse_duration_ns(text).ok().filter(|ns| *ns > 0);
        let slice_ns = slice_ns.ok_or_else(|| {
            Failure::usage(&flag_fault("--slice", &format!("`{text}` is no length; write for example 5s")))
        })?;
        scale(&mut plan, slice_ns).map_err(|fault| Failure::usage(&fault))?;
    }
    Ok(plan)
}

/// Makes the measured phases together last `slice_ns`; warm-ups stay as they are.
fn scale(plan: &mut Plan, slice_ns: u64) -> Result<(), Diagnostic> {
    let measured = || plan.phases.iter().filter(|phase| phase.kind == PhaseKind::Measure);
    let length_ns = |phase: &plan::Phase| {
        phase
            .duration_ns
            .unwrap_or_else(|| phase.load.stages_ns())
            .saturating_mul(u64::from(phase.repeat_count))
    };
    let whole_ns = measured().map(length_ns).fold(0, u64::saturating_add);
    if whole_ns == 0 {
        let message = "the plan's measured phases have no length that could be changed";
        return Err(flag_fault("--slice", &format!("{message}; leave it out")));
    }
    let factor = slice_ns as f64 / whole_ns as f64;
    let scaled = |ns: u64| if ns == 0 { 0 } else { ((ns as f64 * factor) as u64).max(units::NS_PER_MS) };
    for phase in plan.phases.iter_mut().filter(|phase| phase.kind == PhaseKind::Measure) {
        phase.duration_ns = phase.duration_ns.map(scaled);
        phase.load.scale_stages(scaled);
    }
    Ok(())
}

/// The plan against another target: scheme, place and path before all paths.
fn aim(mut plan: Plan, text: &str, flag: &str) -> Result<Plan, Failure> {
    let url = url::parse(text).map_err(|fault| Failure::usage(&fault))?;
    let [target] = plan.targets.as_mut_slice() else {
        let message = format!(
            "the plan has {} targets; write a plan for each side: --plan-a, --plan-b",
            plan.targets.len()
        );
        return Err(Failure::usage(&flag_fault(flag, &message)));
    };
    if url.path_and_query.contains('?') {
        let message = "a target has no query; remove what stands from the `?` on";
        return Err(Failure::usage(&flag_fault(flag, message)));
    }
    (target.scheme, target.host, target.port) = (url.scheme, url.host, url.port);
    target.base_path = url.path_and_query.trim_end_matches('/').to_owned();
    target.unix_socket = None;
    target.addresses.clear();
    Ok(plan)
}
