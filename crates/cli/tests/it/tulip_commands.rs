//! `weir tulip`: what it writes runs.

use crate::command::{Folder, command, weir};
use crate::server::target;
use netio::sim::{FixedServer, SimDriver};
use plan::{ActionOrder, Plan};
use std::path::{Path, PathBuf};

fn corpus() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tulip/tests/corpus");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    // Beside configurations, by their dialect's letter, there are results.
    let mut files: Vec<PathBuf> = files.filter(|path| name(path).as_bytes().get(1) == Some(&b'-')).collect();
    files.sort();
    files.iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect()
}

/// A plan whose shares are rounded: written in percent, a share may come back with another last bit.
fn rounded(plan: &Plan) -> Plan {
    let mut plan = plan.clone();
    for scenario in &mut plan.scenarios {
        if let ActionOrder::Workflow { start, rows } = &mut scenario.order {
            for share in start.iter_mut().chain(rows.iter_mut().flatten()) {
                *share = (*share * 1e12).round() / 1e12;
            }
        }
    }
    plan
}

#[test]
fn every_configuration_of_the_corpus_is_the_same_plan_as_yaml() {
    let files = corpus();
    assert_eq!(files.len(), 8);
    for (name, text) in files {
        let before = tulip::parse(&text, &name, None).run.unwrap().plan;
        let migrated = tulip::to_native(&text, &name, None);
        let yaml = migrated.text.unwrap_or_else(|| panic!("{name}: {:#?}", migrated.diagnostics));
        let loaded = planfile::parse(&yaml, "plan.yaml", &planfile::InMemory::default());
        assert_eq!(loaded.diagnostics, [], "{name}\n{yaml}");
        let after = loaded.plan.unwrap();
        let (before, after) = (rounded(&before), rounded(&after));
        assert_eq!(before.name, after.name);
        assert_eq!(before.targets, after.targets, "{name}");
        assert_eq!(before.phases, after.phases, "{name}\n{yaml}");
        assert_eq!(before.scenarios, after.scenarios, "{name}\n{yaml}");
    }
}

#[test]
fn a_migrated_configuration_is_checked_and_run_like_the_old_one() {
    let folder = Folder::new("tulip-migrate");
    let (running, address) = target();
    let (_, old) = corpus().into_iter().find(|(name, _)| name.starts_with("G-kwrk")).unwrap();
    let old = old.replace("127.0.0.1:8181", &address).replace("\"aps_rate\": 5.0", "\"aps_rate\": 500.0");
    let old = folder.write("old.json", &old);
    for (to, name) in [("tulip", "new.json"), ("weir", "new.yaml")] {
        let new = folder.file(name);
        let run = weir(&["tulip", "migrate", &old, "--to", to, "-o", &new]);
        assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""), "{to}");
        assert_eq!(weir(&["check", &new]).code, Some(0), "{to}");
        let run = weir(&["run", &new, "--time-scale", "0.002", "--quiet", "--no-tulip-files"]);
        assert_eq!(run.code, Some(0), "{to} {}", run.stderr);
        // It is not written over.
        let again = weir(&["tulip", "migrate", &old, "--to", to, "-o", &new]);
        assert_eq!(again.code, Some(2), "{to}");
        assert!(again.stderr.contains("hint: name a new file, or remove that one"), "{}", again.stderr);
    }
    // A warm-up at full speed and a rated one, three runs of 30 requests each, in both forms.
    assert!(running.stop().requests >= 2 * (30 + 3 * 30));
}

#[test]
fn what_can_t_be_migrated_is_said() {
    let folder = Folder::new("tulip-migrate-wrong");
    let here = folder.path().to_str().unwrap();
    let config = folder.write("c.json", "{actions: {user_class: shop.User},\ncontexts: {c: {enabled: true, num_users: 2, num_threads: 2}},\nbenchmarks: {b: {worker_thread_queue_size: 1, scenario_actions: [{id: 1}]}}}\n");
    let run = weir(&["tulip", "migrate", &config]);
    assert_eq!(run.code, Some(0), "the newest form needs no actions: {}", run.stderr);
    assert!(run.stdout.contains("\"num_tasks\": 2"), "{}", run.stdout);
    assert!(run.stderr.contains("a disabled one of that name keeps them out"), "{}", run.stderr);
    let run = weir(&["tulip", "migrate", &config, "--to", "weir"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("the user class `shop.User` is not built in"), "{}", run.stderr);
    let actions = folder.write("a.yaml", "target: http://127.0.0.1:7070\nactions:\n  - {name: '1', get: /a, query: {q: 'x y'}, headers: {x-a: '1'}, check: [200, 404], timeout: 2s}\n");
    let run = weir(&["tulip", "migrate", &config, "--to", "weir", "--actions", &actions]);
    expect_test::expect![[r#"
        exit code 0
        --- stdout
        # run with --threads 2
        name: c

        targets:
          "127.0.0.1":
            url: "http://127.0.0.1:7070"

        scenarios:
          b:
            actions:
              - name: action1
                get: "/a"
                query: { q: "x y" }
                headers: { x-a: "1" }
                check: [200, 404]
                timeout: 2s

        phases:
          - name: b
            once: 2
        --- stderr
        warning: a plan does not say how many threads carry it out, and the configuration asks for 2
          --> DIR/c.json:1:1
           |
         1 | {actions: {user_class: shop.User},
           | ^
        hint: run it with `--threads 2`
    "#]]
    .assert_eq(&run.shown(&[(here, "DIR")]));
    let actions = folder.write(
        "b.yaml",
        "target: http://127.0.0.1:7070\nactions:\n  - {name: '1', get: /a, capture: {x: $.id}}\n",
    );
    let run = weir(&["tulip", "migrate", &config, "--to", "weir", "--actions", &actions]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("what `action1` captures can't be written into the plan"), "{}", run.stderr);
    let run = weir(&["tulip", "migrate", &folder.file("nowhere.json")]);
    expect_test::expect![[r#"
        exit code 2
        --- stderr
        error: can't read the configuration `DIR/nowhere.json`: no such file or directory
        hint: check the path
    "#]]
    .assert_eq(&run.shown(&[(here, "DIR")]));
}

#[test]
fn a_project_runs_at_once_and_nothing_is_overwritten() {
    let folder = Folder::new("tulip-init");
    let (running, address) = target();
    let project = folder.file("project");
    let url = format!("http://{address}");
    let made = weir(&["tulip", "init", &project, "--url", &url, "--aps", "50"]);
    assert_eq!((made.code, made.stderr.as_str()), (Some(0), ""));
    assert!(made.stdout.contains("run_bench.sh"), "{}", made.stdout);
    let mut script = std::process::Command::new(Path::new(&project).join("run_bench.sh"));
    script.args(["--time-scale", "0.02", "--quiet"]).env("WEIR", env!("CARGO_BIN_EXE_weir"));
    let ran = script.output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert_eq!(ran.status.code(), Some(0), "{stdout}{stderr}");
    for row in ["[1.posts]", "[2.comments]", "Max", "Fixed", "Response time, due to done"] {
        assert!(stdout.contains(row), "{row}\n{stdout}");
    }
    assert!(Path::new(&project).join("benchmark_record.json").is_file());
    let stats = running.stop();
    assert_eq!(stats.paths.get("(unknown)"), None, "{:?}", stats.paths);
    let before = std::fs::read(Path::new(&project).join("actions.yaml")).unwrap();
    std::fs::remove_file(Path::new(&project).join("run_bench.sh")).unwrap();
    let again = weir(&["tulip", "init", &project]);
    assert_eq!(again.code, Some(2));
    assert!(
        again.stderr.contains("are there already\nhint: name another folder; nothing was written"),
        "{}",
        again.stderr
    );
    assert_eq!(std::fs::read(Path::new(&project).join("actions.yaml")).unwrap(), before);
    assert!(!Path::new(&project).join("run_bench.sh").exists());
}

#[test]
fn a_project_that_could_not_run_is_not_written() {
    let folder = Folder::new("tulip-init-wrong");
    let project = folder.file("project");
    for (flags, said) in [
        (["--url", "nope"], "actions.yaml:3:9"),
        (["--url", "http://a b"], "actions.yaml:3:9"),
        (["--aps", "1e300"], "benchmark_config.json"),
        (["--aps", "0"], "--aps 0 is no rate"),
    ] {
        let made = weir(&[&["tulip", "init", &project], &flags[..]].concat());
        assert_eq!(made.code, Some(2), "{flags:?}\n{}", made.stdout);
        assert!(made.stderr.contains(said), "{flags:?}\n{}", made.stderr);
        assert!(!Path::new(&project).exists(), "{flags:?}");
    }
}

#[test]
fn kwrk_takes_its_flags_and_leaves_its_files() {
    let folder = Folder::new("tulip-kwrk");
    let (running, address) = target();
    let url = format!("http://{address}/hello");
    let mut kwrk =
        command(&["tulip", "kwrk", "--url", &url, "--rate=1000.0", "--conns", "4", "--tasks", "4"]);
    kwrk.args([
        "--warmup",
        "1",
        "--duration",
        "2",
        "--iterations",
        "2",
        "--name",
        "t",
        "--time-scale",
        "0.1",
    ]);
    kwrk.args(["--rateStepChange", "-500", "--quiet"]).current_dir(folder.path());
    let ran = kwrk.output().unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.file(name)).unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert_eq!(ran.status.code(), Some(0), "{stdout}{stderr}");
    assert!(stdout.contains("[1.GET:url]") && stdout.contains("HTTP"), "{stdout}");
    assert_eq!(stderr, "");
    assert!(read("kwrk_index.html").contains("<a href=\"./kwrk_t_report.html\">"));
    let output: serde_json::Value = serde_json::from_str(&read("kwrk_t_output.json")).unwrap();
    let rows = output["results"].as_array().unwrap();
    let counts: Vec<u64> = rows.iter().map(|row| row["num_actions"].as_u64().unwrap()).collect();
    // 200 ms at 1000/s, then at 500/s.
    assert_eq!(counts, [200, 100]);
    let stats = running.stop();
    // The warm-up at the rate has 100 ms; the one at full speed has whatever comes through.
    assert!(stats.requests > 300 + 100, "{}", stats.requests);
    let again = weir(&["check", &folder.file("kwrk_t_config.json")]);
    assert_eq!((again.code, again.stderr.as_str()), (Some(0), ""));
}

/// The stall probe: so many actions per second of 1 ms each from 16 users on 2 threads with 22 tokens.
fn probe(address: &str, per_sec: u32, seconds: u32) -> (String, Plan) {
    let config = format!(
        r#"{{actions: {{user_class: probe}}, contexts: {{c: {{enabled: true, num_users: 16, num_threads: 2, num_tasks: 22}}}},
        benchmarks: {{p: {{aps_rate: {per_sec}, benchmark_duration: {seconds}, scenario_actions: [{{id: 1}}]}}}}}}"#
    );
    let actions = format!(
        "target: http://{address}\nactions: [{{name: '1', get: '/delay?ms=1'}}]\nphases: [{{once: 1}}]\n"
    );
    let loaded = planfile::parse(&actions, "actions.yaml", &planfile::InMemory::default());
    (config, loaded.plan.unwrap_or_else(|| panic!("{:#?}", loaded.diagnostics)))
}

#[test]
fn the_stall_probe_reads_as_arithmetic_says() {
    const MS: u64 = 1_000_000;
    let (config, actions) = probe("127.0.0.1:80", 100, 10);
    let plan = tulip::parse(&config, "probe.json", Some(&actions)).run.unwrap().plan;
    // Frozen from 4 s to 6 s: of the 200 arrivals due then, the first waits 2 s and the last 10 ms.
    let reply: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
    let server = FixedServer::new(MS, 1000, reply).stalling(6000 * MS, 2000 * MS);
    let record = runner::simulate(&plan, SimDriver::new(Box::new(server))).unwrap();
    let phase = &record.phases[0];
    assert_eq!(phase.counts.completed, 1000);
    let figures = |latencies: &record::Latencies| {
        let histogram = latencies.to_histogram().unwrap();
        let ms = |ns: u64| ns as f64 / MS as f64;
        let mut figures = vec![histogram.mean_ns().unwrap() / MS as f64];
        figures.extend([0.5, 0.9, 0.95, 0.99, 1.0].map(|q| ms(histogram.quantile_ns(q).unwrap())));
        figures
    };
    let (response, service) = (figures(&phase.response_ns), figures(&phase.service_ns));
    for (got, exact) in response.iter().zip([202.0, 1.0, 1000.0, 1500.0, 1900.0, 2000.0]) {
        assert!((got - exact).abs() <= exact * 0.02, "{response:?}");
    }
    // Next to it what Tulip would have shown: 16 of 1000 were on their way as it froze, and the rest took 1 ms.
    assert!(service[0] < 33.0 && service[3] < 1.1, "{service:?}");
}

#[test]
fn the_stall_probe_over_sockets() {
    // A fifth of the probe's length at five times its rate: waits are a fifth, 400 ms at most.
    let stall = target::Stall::once(500_000_000, 400_000_000).unwrap();
    let options = target::Options { stall: Some(stall), ..target::Options::default() };
    let running = target::Server::bind(options).unwrap().start().unwrap();
    let folder = Folder::new("tulip-probe");
    let (config, _) = probe("127.0.0.1:80", 500, 2);
    let config = folder.write("config.json", &config);
    let address = running.local_addr().unwrap();
    let actions = format!("target: http://{address}\nactions: [{{name: '1', get: '/delay?ms=1'}}]\n");
    let (actions, json) = (folder.write("actions.yaml", &actions), folder.file("run.json"));
    let run = weir(&["run", &config, "--actions", &actions, "--json", &json, "--quiet"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let record: record::RunRecord = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    let response = record.phases[0].response_ns.to_histogram().unwrap();
    let ms = |quantile: f64| response.quantile_ns(quantile).unwrap() as f64 / 1e6;
    // A tenth and 5 ms are what a busy machine may add; the median holds the target's own overhead and the timer's.
    for (quantile, exact) in [(0.9, 200.0), (0.95, 300.0), (0.99, 380.0), (1.0, 400.0)] {
        assert!(
            (ms(quantile) - exact).abs() <= exact * 0.1 + 5.0,
            "{quantile}: {} ms, not {exact} ms",
            ms(quantile)
        );
    }
    assert!((1.0..5.0).contains(&ms(0.5)), "{}", ms(0.5));
}
