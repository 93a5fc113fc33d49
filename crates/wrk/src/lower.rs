//! A command line turned into a plan: a closed load of one user per connection, or with a rate one global open schedule over them.

use crate::options::Options;
use plan::{
    Action, ActionOrder, Arrivals, Body, CertificateCheck, ConnectionPolicy, CookiePolicy, Diagnostic, Load,
    Phase, PhaseKind, PhaseStart, Plan, Request, Saturation, Scenario, Secret, Slo, Stage, Step, Target,
    Template, TlsSettings,
};
use units::{NS_PER_MS, Rate};

/// The name of the phase that is in no figure.
pub const WARM_UP: &str = "warm-up";
/// How long what is under way may go on after the end: a run ends on time, and no later than wrk's own did (its ticks are as long).
const DRAIN_LIMIT_NS: u64 = 100 * NS_PER_MS;

/// The plan of a command line.
///
/// `pipeline_depth` is how many requests a script sends at once (1 without one); a rate counts requests, so that arrivals are so many times
/// fewer. `ca_pem` holds the roots to trust in place of the built-in ones. The scenario stands for what is sent; a script takes its place.
///
/// # Errors
/// Objectives that can't be read, and what [`Plan::faults`] finds.
pub fn lower(
    options: &Options,
    pipeline_depth: u32,
    ca_pem: Option<Vec<u8>>,
) -> Result<Plan, Vec<Diagnostic>> {
    let mut faults = Vec::new();
    let mut slos = Vec::with_capacity(options.slos.len());
    for text in &options.slos {
        match Slo::parse(text) {
            Ok(slo) => slos.push(slo),
            Err(error) => faults.push(Diagnostic::error(format!("--slo '{text}': {error}"))),
        }
    }
    let plan = Plan {
        name: options.name.clone().unwrap_or_else(|| options.url.text.clone()),
        seed: options.seed.unwrap_or(Plan::SEED),
        targets: vec![target(options, ca_pem)],
        feeds: Vec::new(),
        variables: Vec::new(),
        scenarios: vec![scenario(options)],
        phases: phases(options, pipeline_depth),
        slos,
        interval_ns: Plan::INTERVAL_NS,
    };
    faults.extend(plan.faults());
    if faults.is_empty() { Ok(plan) } else { Err(faults) }
}

/// The request that is sent over and over without a script: no header but `Host`, which comes first, and those that were given.
pub fn request_text(options: &Options) -> Vec<u8> {
    let is_host = |name: &str| name.eq_ignore_ascii_case("host");
    let given = options.headers.iter().find(|(name, _)| is_host(name)).map(|(_, value)| value.clone());
    let host = given.unwrap_or_else(|| options.url.authority());
    let mut text = format!("GET {} HTTP/1.1\r\nHost: {host}\r\n", options.url.path);
    for (name, value) in options.headers.iter().filter(|(name, _)| !is_host(name)) {
        text.push_str(name);
        text.push_str(": ");
        text.push_str(value);
        text.push_str("\r\n");
    }
    text.push_str("\r\n");
    text.into_bytes()
}

fn target(options: &Options, ca_pem: Option<Vec<u8>>) -> Target {
    let header = |(name, value): &(String, String)| (name.clone(), Secret::header_value(name, value.clone()));
    Target {
        headers: options.headers.iter().map(header).collect(),
        tls: TlsSettings {
            ca_pem,
            check: if options.insecure { CertificateCheck::Insecure } else { CertificateCheck::Verify },
            ..TlsSettings::default()
        },
        connections: ConnectionPolicy::PerUser,
        request_timeout_ns: options.timeout_ns,
        ..Target::new(options.url.scheme, options.url.host.clone(), options.url.port_or_default())
    }
}

fn scenario(options: &Options) -> Scenario {
    let request = Request {
        name: match &options.script {
            Some(script) => script.display().to_string(),
            None => format!("GET {}", options.url.path),
        },
        target: 0,
        method: "GET".to_owned(),
        path: Template::text(options.url.path.clone()),
        query: Vec::new(),
        headers: Vec::new(),
        body: Body::None,
        checks: Vec::new(),
        captures: Vec::new(),
        redirects_max: 0,
        timeout_ns: None,
    };
    Scenario {
        name: options.mode.as_str().to_owned(),
        order: ActionOrder::Sequence,
        actions: vec![Action {
            name: crate::scenario::ACTION.to_owned(),
            steps: vec![Step::Request(Box::new(request))],
        }],
        cookies: CookiePolicy::Ignore,
        initial: Vec::new(),
        feeds: Vec::new(),
    }
}

/// wrk2 forgets the latencies of its first ten seconds, and with them whatever went wrong there. Here all of `-d` counts, and load that is not
/// to count is asked for by name and comes before.
fn phases(options: &Options, pipeline_depth: u32) -> Vec<Phase> {
    let warmup_ns = options.warmup_ns.unwrap_or(0);
    let phase = |name: &str, kind, duration_ns, after| Phase {
        name: name.to_owned(),
        kind,
        scenario: 0,
        load: load(options, pipeline_depth),
        duration_ns: Some(duration_ns),
        action_count_max: None,
        repeat_count: 1,
        start: PhaseStart::After(after, 0),
        drain_limit_ns: DRAIN_LIMIT_NS,
    };
    let mut phases = Vec::with_capacity(2);
    if warmup_ns > 0 {
        phases.push(phase(WARM_UP, PhaseKind::Warmup, warmup_ns, None));
    }
    let after = phases.len().checked_sub(1);
    phases.push(phase("measure", PhaseKind::Measure, options.duration_ns, after));
    phases
}

fn load(options: &Options, pipeline_depth: u32) -> Load {
    let Some(rate) = options.rate else {
        return Load::Closed { users: options.connections, in_flight_max: None };
    };
    // A batch is one arrival and counts as many requests as it holds.
    let period_ns = rate.period_ns().checked_mul(u64::from(pipeline_depth.max(1)));
    let rate = period_ns.and_then(|period_ns| Rate::new(rate.count(), period_ns)).unwrap_or(rate);
    Load::Open {
        stages: vec![Stage { rate_from: rate, rate_to: rate, duration_ns: 0 }],
        arrivals: Arrivals::Constant,
        on_saturation: Saturation::Queue,
        users_max: options.connections,
        // In turn, so that every connection is used, as each of wrk2's has a plan of its own.
        users: Some(options.connections),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Mode;

    fn plan(line: &str, mode: Mode, depth: u32) -> Plan {
        let words: Vec<String> = line.split_ascii_whitespace().map(str::to_owned).collect();
        lower(&crate::read(&words, mode, "wrk").outcome.unwrap(), depth, None).unwrap()
    }

    /// Name, kind and length in ms of each phase.
    fn phases(line: &str, mode: Mode) -> Vec<(String, PhaseKind, u64)> {
        let plan = plan(line, mode, 1);
        let length_ms = |phase: &Phase| phase.duration_ns.unwrap_or(0) / NS_PER_MS;
        plan.phases.iter().map(|phase| (phase.name.clone(), phase.kind, length_ms(phase))).collect()
    }

    #[test]
    fn a_closed_load_has_a_user_for_every_connection() {
        let plan = plan("-t3 -c10 http://a:81/x -H authorization:secret", Mode::Wrk, 1);
        assert_eq!(plan.phases[0].load, Load::Closed { users: 10, in_flight_max: None });
        let target = &plan.targets[0];
        assert_eq!(
            (target.connections, target.request_timeout_ns),
            (ConnectionPolicy::PerUser, 2_000_000_000)
        );
        assert!(!format!("{target:?}").contains("secret"));
    }

    #[test]
    fn all_of_the_duration_counts_and_a_warm_up_comes_before() {
        let measure = |ms| ("measure".to_owned(), PhaseKind::Measure, ms);
        let warm_up = |ms| ("warm-up".to_owned(), PhaseKind::Warmup, ms);
        assert_eq!(phases("-d30 http://a/", Mode::Wrk), [measure(30_000)]);
        assert_eq!(phases("-d30 -R5 http://a/", Mode::Wrk2), [measure(30_000)]);
        assert_eq!(phases("-d30 -R5 --warmup 0 http://a/", Mode::Wrk2), [measure(30_000)]);
        assert_eq!(phases("-d5 --warmup 500ms http://a/", Mode::Wrk), [warm_up(500), measure(5_000)]);
    }

    #[test]
    fn a_rate_counts_requests_and_not_batches() {
        let Load::Open { stages, users, users_max, .. } =
            &plan("-R900 -c20 http://a/", Mode::Wrk2, 3).phases[0].load
        else {
            panic!("the load is open");
        };
        assert_eq!((stages[0].rate_from.as_f64(), *users, *users_max), (300.0, Some(20), 20));
    }

    #[test]
    fn a_request_is_what_the_flags_say() {
        let check = |words: &[&str], expected: &str| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let options = crate::read(&words, Mode::Wrk, "wrk").outcome.unwrap();
            assert_eq!(String::from_utf8(request_text(&options)).unwrap(), expected);
        };
        check(&["http://a:80/x?y#z"], "GET /x?y HTTP/1.1\r\nHost: a:80\r\n\r\n");
        check(
            &["-H", "B:1", "-H", "host: other", "-H", "A: 2", "-H", "B: 3", "http://[::1]/"],
            "GET / HTTP/1.1\r\nHost: other\r\nB: 1\r\nA: 2\r\nB: 3\r\n\r\n",
        );
        check(&["-H", "Content-Length: 5", "http://a/"], "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    }

    #[test]
    fn objectives_that_cant_be_read_are_said() {
        let words = ["--slo", "p99 is fine", "http://a/"].map(str::to_owned);
        let options = crate::read(&words, Mode::Wrk, "wrk").outcome.unwrap();
        let said = lower(&options, 1, None).unwrap_err();
        assert!(said[0].message.starts_with("--slo 'p99 is fine': "), "{said:?}");
    }
}
