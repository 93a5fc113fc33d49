//! Tulip's configurations where a plan may be given.

use crate::command::{Folder, weir, weir_in};
use crate::server::target;
use record::{PhaseKind, PhaseRecord, RunRecord};

const SEED: &str = include_str!("../../../tulip/tests/corpus/A-2024-08-seed-default.json");

fn seed(address: &str) -> String {
    SEED.replace("https://jsonplaceholder.typicode.com", &format!("http://{address}"))
}

/// Rows of actions. Six draws may leave out the action that is one in four.
fn rows_of(phase: &PhaseRecord) -> usize {
    if phase.name == "Fixed TPS-a" { phase.actions.len().max(2) } else { phase.actions.len() }
}

#[test]
fn the_first_configuration_runs_unchanged_and_gives_every_row() {
    let folder = Folder::new("tulip-seed");
    let (running, address) = target();
    let (config, json) = (folder.write("config.json", &seed(&address)), folder.file("run.json"));
    let run = weir_in(&folder, &["run", &config, "--time-scale", "0.002", "--json", &json, "--quiet"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.stdout);
    let record: RunRecord = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    let measured = record.phases.iter().filter(|phase| phase.kind == PhaseKind::Measure);
    let rows: Vec<(&str, usize, u64)> =
        measured.map(|phase| (phase.name.as_str(), rows_of(phase), phase.counts.failed)).collect();
    let mut expected = vec![("Init", 2, 0)];
    expected.extend([("Max TPS-a", 1, 0); 3]);
    expected.extend([("Max TPS-b", 1, 0); 3]);
    expected.extend([("Fixed TPS-a", 2, 0); 4]);
    expected.extend([("Fixed TPS-b", 1, 0); 4]);
    expected.extend([("HTTP-a", 5, 0); 3]);
    expected.extend([("HTTP-b", 5, 0); 3]);
    expected.push(("Shutdown", 1, 0));
    assert_eq!(rows, expected);
    let count = |name: &str| record.phases.iter().find(|phase| phase.name == name).unwrap().counts.completed;
    // 16 users do each action once; 1,000,000/s for 60 ms; 100/s and 1250/s for as long.
    assert_eq!((count("Init"), count("Shutdown")), (32, 16));
    assert_eq!((count("Max TPS-b"), count("Fixed TPS-b"), count("HTTP-b")), (60_000, 6, 75));
    assert_eq!(record.client.workers.len(), 2, "num_threads");
    // One token: one after another, 100 ms each.
    let shutdown = record.phases.last().unwrap();
    assert_eq!((shutdown.in_flight_max, shutdown.duration_ns / 100_000_000), (1, 16));
    let heads = run.stdout.lines().filter(|line| line.starts_with("SID    Name            RID "));
    assert_eq!(heads.count(), 16, "eight groups, and again with response times\n{}", run.stdout);
    assert!(run.stdout.starts_with("Benchmark Report / Micro-benchmarks / 20"), "{}", run.stdout);
    for label in ["[0.start]", "[9.noop]", "[2.DELAY-14ms]", "[7.HTTP-todos]", "[99.stop]"] {
        assert!(run.stdout.contains(&format!("                {label}")), "{label}\n{}", run.stdout);
    }
    assert_eq!(weir(&["report", &json, "--format", "tulip"]).stdout, run.stdout);
    let asked = running.stop().paths;
    assert!(asked["/posts/{id}"] > 0 && asked["/todos/{id}"] > 0, "{asked:?}");
    // The files that it names, in the form of its release; read back, the first table is the same.
    let output = std::fs::read_to_string(folder.path().join("benchmark_output.json")).unwrap();
    assert!(output.starts_with("{  \n\"config\": {\n  \"static\": {\n"), "{output}");
    let read = weir_in(&folder, &["report", "benchmark_output.json", "--format", "tulip"]);
    // Labels, lengths, counts and rates; times went through microseconds on their way.
    let rows = |text: &str| -> Vec<String> {
        let width = text.lines().find_map(|line| line.find("Min RT")).unwrap();
        let first =
            text.lines().skip(2).take_while(|line| !line.starts_with("Re") && !line.starts_with("RT "));
        first.map(|line| line.chars().take(width).collect()).collect()
    };
    let (expected, found) = (rows(&run.stdout), rows(&read.stdout));
    assert_eq!((read.code, found.join("\n")), (Some(0), expected.join("\n")));
    assert!(found.len() > 50, "{found:?}");
    let page = std::fs::read_to_string(folder.path().join("benchmark_report.html")).unwrap();
    let page_again = weir(&["report", &json, "--format", "tulip-html", "--dialect", "a"]);
    assert_eq!((page_again.code, page_again.stdout), (Some(0), page));
}

const SMALL: &str = r#"{actions: {description: "small", output_filename: "out.json", report_filename: "page.html", user_class: TestHttpUser},
    contexts: {c: {enabled: true, num_users: 2, num_threads: 1}},
    benchmarks: {b: {benchmark_duration: 1, aps_rate: 100, benchmark_iterations: 2, scenario_actions: [{id: 8}]}}}"#;

#[test]
fn files_that_a_configuration_names_are_written_anew_but_never_over_others() {
    let folder = Folder::new("tulip-files");
    let config = folder.write("config.json", SMALL);
    let args = ["run", config.as_str(), "--time-scale", "0.01"];
    for _ in 0..2 {
        let run = weir_in(&folder, &args);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(run.stderr.ends_with("written: out.json, page.html\n"), "{}", run.stderr);
    }
    let output = std::fs::read_to_string(folder.path().join("out.json")).unwrap();
    assert!(output.starts_with("{\"version\":\"2.3.4\",\"timestamp\":\"20"), "{output}");
    let read = weir_in(&folder, &["report", "out.json"]);
    assert_eq!(read.code, Some(0), "{}", read.stderr);
    assert!(read.stdout.starts_with("small  ! suspect\n"), "{}", read.stdout);
    folder.write("out.json", "{\"my\": \"notes\"}");
    folder.write("page.html", "<!DOCTYPE html><p>mine");
    expect_test::expect![[r#"
        exit code 2
        --- stderr
        error: `out.json`, which the configuration's `output_filename` names, is there and is no result of a run
        hint: move it away, change `output_filename`, or write neither file with --no-tulip-files

        error: `page.html`, which the configuration's `report_filename` names, is there and is no report of a run
        hint: move it away, change `report_filename`, or write neither file with --no-tulip-files
    "#]]
    .assert_eq(&weir_in(&folder, &args).shown(&[]));
    let run = weir_in(&folder, &[&args[..], &["--no-tulip-files", "--quiet"]].concat());
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert_eq!(std::fs::read_to_string(folder.path().join("out.json")).unwrap(), "{\"my\": \"notes\"}");
}

#[test]
fn a_result_of_tulip_stands_where_a_run_does() {
    let output = concat!(env!("CARGO_MANIFEST_DIR"), "/../tulip/tests/corpus/output-2.1.8.json");
    let text = weir(&["report", output]);
    assert_eq!((text.code, text.stderr.as_str()), (Some(0), ""));
    assert!(text.stdout.contains("10,000/s"), "{}", text.stdout);
    let table = weir(&["report", output, "--format", "tulip"]);
    assert!(table.stdout.contains("[2.GET:comments]"), "{}", table.stdout);
    for (form, start) in
        [("tulip-html", "<!DOCTYPE html>"), ("tulip-json", "{\"version\""), ("json", "{"), ("html", "<")]
    {
        let shown = weir(&["report", output, "--format", form]);
        assert_eq!((shown.code, shown.stdout.starts_with(start)), (Some(0), true), "{form} {}", shown.stderr);
    }
    let folder = Folder::new("tulip-broken");
    let here = folder.path().to_str().unwrap();
    let broken = folder.write("out.json", r#"{"config": {"benchmarks": {}}, "results": [{"bm_name": "x"}]}"#);
    expect_test::expect![[r#"
        exit code 2
        --- stderr
        error: `DIR/out.json` is not a result of Tulip that can be read: missing field `row_id` at line 1 column 59
        hint: name a benchmark_output.json as Tulip wrote it
    "#]]
    .assert_eq(&weir(&["report", &broken]).shown(&[(here, "DIR")]));
}

#[test]
fn a_file_of_actions_stands_for_a_class() {
    let folder = Folder::new("tulip-actions");
    let (running, address) = target();
    let config = r#"{actions: {user_class: shop.User, user_actions: {1: "look, Looks around"}}, // mine
        contexts: {c: {enabled: true, num_users: 3, num_threads: 2}},
        benchmarks: {b: {benchmark_duration: 1, aps_rate: 100, scenario_actions: [{id: 1, weight: 3}, {id: 2, weight: 1}]}}}"#;
    let config = folder.write("config.json", config);
    let run = weir(&["run", &config]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("the user class `shop.User` is not built in"), "{}", run.stderr);
    assert!(run.stderr.contains("    - name: \"1\"   # look\n      get: /\n"), "{}", run.stderr);
    let text = format!(
        "target: http://{address}\nactions:\n  - {{name: look, get: /hello}}\n  - {{name: '2', get: /posts/7}}\n"
    );
    let actions = folder.write("actions.yaml", &text);
    let run = weir(&["run", &config, "--actions", &actions, "--time-scale", "0.4", "--quiet"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.stdout);
    let stats = running.stop();
    // Shuffled cycles of four per user: over 40 actions of three users, whole cycles but for one begun per user.
    let looks = stats.paths["/hello"];
    assert_eq!((stats.requests, stats.paths["/posts/{id}"] + looks), (40, 40));
    assert!((27..=33).contains(&looks), "{looks}");
    let run = weir(&["check", &config, "--actions", &actions]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert!(
        run.stdout.ends_with(
            "config.json: ok, 1 phase, 1 scenario, 0 objectives, Tulip's dialect G (2.3.0 and later)\n"
        ),
        "{}",
        run.stdout
    );
}

#[test]
fn a_file_of_actions_is_yaml_or_json_with_a_load_or_without() {
    let folder = Folder::new("tulip-action-files");
    let config = "{actions: {user_class: shop.User}, contexts: {c: {enabled: true, num_users: 3}},
        benchmarks: {b: {benchmark_duration: 1, scenario_actions: [{id: 1}]}}}";
    let config = folder.write("config.json", config);
    let check = |text: &str| {
        let actions = folder.write("actions", text);
        weir(&["check", &config, "--actions", &actions])
    };
    for text in [
        "target: http://127.0.0.1:1\nactions:\n  - {name: '1', get: /hello}",
        "target: http://127.0.0.1:1\nactions:\n  - {name: '1', get: /hello}\nrate: 5/s\nduration: 3s\n",
        r#"{"target": "http://127.0.0.1:1", "actions": [{"name": "1", "get": "/hello"}]}"#,
        "{\"target\": \"http://127.0.0.1:1\", \"actions\": [{\"name\": \"1\", \"get\": \"/hello\"}],\n}\n",
    ] {
        let run = check(text);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{text}");
    }
    // What is wrong is said of the file as it is, not of what it is read with.
    for text in [
        "target: \"http://a\nactions: []",
        "target: [http://a\n",
        "target: http://a\nactions:\n  - {name: '1', gett: /}\n",
    ] {
        let run = check(text);
        assert_eq!(run.code, Some(2), "{text}");
        assert!(!run.stderr.contains("phases"), "{text}\n{}", run.stderr);
    }
}

#[test]
fn what_is_wrong_ends_with_2() {
    let folder = Folder::new("tulip-wrong");
    let here = folder.path().to_str().unwrap();
    let config = folder.write("config.json", "{actions: {user_class: HttpUser}, contexts: {c: {enabled: true}}, benchmarks: {b: {scenario_workflow: x}}}");
    expect_test::expect![[r#"
        exit code 2
        --- stderr
        error: the context `c` has no users
          --> DIR/config.json:1:46
           |
         1 | {actions: {user_class: HttpUser}, contexts: {c: {enabled: true}}, benchmarks: {b: {scenario_workflow: x}}}
           |                                              ^
        hint: set `num_users` to 1 or more

        error: there is no workflow `x`
          --> DIR/config.json:1:103
           |
         1 | {actions: {user_class: HttpUser}, contexts: {c: {enabled: true}}, benchmarks: {b: {scenario_workflow: x}}}
           |                                                                                                       ^
        hint: add it under `workflows`
    "#]].assert_eq(&weir(&["check", &config]).shown(&[(here, "DIR")]));
    let native = folder
        .write("plan.yaml", "target: http://127.0.0.1:1\nrequest: GET /\nphases: [{users: 1, count: 1}]\n");
    expect_test::expect![[r#"
        exit code 2
        --- stderr
        error: --actions says what a Tulip configuration's actions do, and this plan says it itself
        hint: remove --actions
    "#]]
    .assert_eq(&weir(&["run", &native, "--actions", "x"]).shown(&[(here, "DIR")]));
    expect_test::expect![[r#"
        exit code 2
        --- stderr
        error: can't read the actions `nowhere.yaml`: no such file or directory
        hint: check the path
    "#]]
    .assert_eq(&weir(&["check", "--actions", "nowhere.yaml", &config]).shown(&[(here, "DIR")]));
}

#[test]
fn other_runs_have_no_table_of_tulip() {
    let folder = Folder::new("tulip-other");
    let here = folder.path().to_str().unwrap();
    let (_running, address) = target();
    let json = folder.file("run.json");
    assert_eq!(weir(&["http", &address, "-n", "10", "--json", &json, "--quiet"]).code, Some(0));
    expect_test::expect![[r#"
        exit code 2
        --- stderr
        error: `DIR/run.json` is no run of a Tulip configuration
        hint: use --format text
    "#]]
    .assert_eq(&weir(&["report", &json, "--format", "tulip"]).shown(&[(here, "DIR")]));
}

#[test]
fn a_stall_shows_in_response_time_and_hardly_in_what_tulip_shows() {
    let folder = Folder::new("tulip-stall");
    let stall = "200ms/1s".parse().unwrap();
    let options = target::Options { stall: Some(stall), ..target::Options::default() };
    let running = target::Server::bind(options).unwrap().start().unwrap();
    let address = running.local_addr().unwrap();
    let config =
        "{actions: {user_class: probe}, contexts: {c: {enabled: true, num_users: 2, num_threads: 1}},
        benchmarks: {p: {aps_rate: 100, benchmark_duration: 1, scenario_actions: [{id: 1}]}}}";
    let config = folder.write("config.json", config);
    let actions = format!("target: http://{address}\nactions: [{{name: '1', get: /hello}}]\n");
    let (actions, json) = (folder.write("actions.yaml", &actions), folder.file("run.json"));
    let run = weir(&["run", &config, "--actions", &actions, "--json", &json, "--quiet"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let record: RunRecord = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    let phase = &record.phases[0];
    let mean_ms = |latencies: &record::Latencies| latencies.mean.unwrap() as f64 / 1e6;
    // Of the 100 due in a second, 20 come within the stall and wait 100 ms on average; two at a time are on their way.
    let (response, service) = (mean_ms(&phase.response_ns), mean_ms(&phase.service_ns));
    assert!((18.0..100.0).contains(&response) && service < response / 2.0, "{response} {service}");
    assert_eq!(phase.counts.completed, 100);
}
