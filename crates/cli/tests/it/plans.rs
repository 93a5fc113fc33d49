//! `weir run`, `weir check` and `weir schema`.

use crate::command::{Folder, weir};
use crate::server::target;
use expect_test::expect;

fn plan(address: &str) -> String {
    format!(
        "name: shop
target: http://{address}
vars: {{page: '1'}}
actions:
  - {{name: look, weight: 3, get: '/posts/${{page}}', check: 200}}
  - {{name: buy, weight: 1, post: /load, body: text}}
phases:
  - {{name: warm-up, warmup: true, users: 2, count: 10}}
  - {{name: steady, rate: 400/s, duration: 500ms}}
slos: errors <= 0
"
    )
}

#[test]
fn a_plan_runs_and_flags_change_it() {
    let folder = Folder::new("plan");
    let (running, address) = target();
    let path = folder.write("shop.yaml", &plan(&address));
    let run = weir(&[
        "run",
        &path,
        "--set",
        "page=7",
        "--time-scale",
        "0.5",
        "--name",
        "tried out",
        "--slo",
        "achieved >= 1%",
    ]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.starts_with("tried out  "), "{}", run.stdout);
    assert!(run.stdout.contains("open, constant 400/s for 250 ms"), "{}", run.stdout);
    assert!(run.stdout.contains("\n  action       completed  failed  "), "{}", run.stdout);
    assert!(run.stdout.contains("\n  ✓ achieved >= 1.00%  "), "{}", run.stdout);
    let stats = running.stop();
    assert_eq!(stats.requests, 110, "{:?}", stats.paths);
}

#[test]
fn a_wrong_plan_is_said_with_its_places_and_nothing_is_sent() {
    let folder = Folder::new("wrong");
    let here = folder.path().to_str().unwrap();
    let (running, address) = target();
    let text = plan(&address).replace("duration: 500ms", "durration: 500").replace("errors <= 0", "errors");
    let path = folder.write("shop.yaml", &text);
    let names = [(here, "DIR"), (address.as_str(), "ADDRESS")];
    let run = weir(&["run", &path]).shown(&names);
    expect![[r#"
        exit code 2
        --- stderr
        error: the phase `steady` never ends
          --> DIR/shop.yaml:9:5
           |
         9 |   - {name: steady, rate: 400/s, durration: 500}
           |     ^
        hint: add `duration: 30s`, or `count: 1000`

        error: unknown key `durration`
          --> DIR/shop.yaml:9:33
           |
         9 |   - {name: steady, rate: 400/s, durration: 500}
           |                                 ^
        hint: did you mean `duration`?

        error: an objective needs `<`, `<=`, `>` or `>=`, as in `p99(response) < 50ms`
          --> DIR/shop.yaml:10:7
            |
         10 | slos: errors
            |       ^
    "#]]
    .assert_eq(&run);
    assert_eq!(weir(&["check", &path]).shown(&names), run);
    expect![[r#"
        exit code 2
        --- stderr
        error: can't read the plan `DIR/gone.yaml`: no such file or directory
        hint: check the path
    "#]]
    .assert_eq(&weir(&["run", &folder.file("gone.yaml")]).shown(&names));
    assert_eq!(running.stop().connections_accepted, 0);
}

#[test]
fn wrong_changes_are_all_said() {
    let folder = Folder::new("changes");
    let here = folder.path().to_str().unwrap();
    let path = folder.write("shop.yaml", &plan("127.0.0.1:9"));
    let run =
        weir(&["run", &path, "--set", "pge=1", "--set", "x", "--time-scale", "0", "--slo", "p99 < 1ms"]);
    expect![[r#"
        exit code 2
        --- stderr
        error: --set pge=1: the plan gives no variable `pge` a first value
        hint: did you mean `page`?

        error: --set x: there is no `=`
        hint: write for example --set user=ann

        error: --time-scale 0: the factor is out of range
        hint: use a number above 0, such as 0.05

        error: --slo 'p99 < 1ms': unknown metric `p99`
        hint: use pNN(response|service|wait), mean(…), max(…), error_ratio, errors, achieved, rate or dropped
    "#]]
    .assert_eq(&run.shown(&[(here, "DIR")]));
}

#[test]
fn check_speaks_of_every_plan() {
    let folder = Folder::new("check");
    let here = folder.path().to_str().unwrap();
    let (good, bad) = (folder.write("good.yaml", &plan("a")), folder.write("bad.yaml", "target: a\n"));
    expect![[r#"
        exit code 2
        --- stdout
        DIR/good.yaml: ok, 2 phases (1 warm-up), 1 scenario, 1 objective
        --- stderr
        error: the plan says nothing of what users do
          --> DIR/bad.yaml:1:1
           |
         1 | target: a
           | ^
        hint: add `request: GET /`, or `actions:`, or `scenarios:`

        error: the plan says nothing of how much load
          --> DIR/bad.yaml:1:1
           |
         1 | target: a
           | ^
        hint: add `rate: 100/s` or `users: 10`, and `duration: 30s`; or `phases:`

        error: `a` is no URL
          --> DIR/bad.yaml:1:9
           |
         1 | target: a
           |         ^
        hint: write `http://a` or `https://…`
    "#]]
    .assert_eq(&weir(&["check", &good, &bad]).shown(&[(here, "DIR")]));
    assert_eq!(weir(&["check", &good]).code, Some(0));
}

#[test]
fn the_schema_is_json() {
    let schema = weir(&["schema"]);
    assert_eq!((schema.code, schema.stderr.as_str()), (Some(0), ""));
    let value: serde_json::Value = serde_json::from_str(&schema.stdout).unwrap();
    assert!(value["properties"]["phases"].is_object());
}
