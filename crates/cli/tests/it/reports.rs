//! `weir report`: a record read back.

use crate::command::{Folder, weir};
use crate::server::target;
use expect_test::expect;

#[test]
fn a_record_read_back_prints_as_the_run_did() {
    let folder = Folder::new("report");
    let (json, markdown, junit) = (folder.file("run.json"), folder.file("run.md"), folder.file("run.xml"));
    let (_running, address) = target();
    let run = weir(&[
        "http",
        &address,
        "-n",
        "200",
        "--slo",
        "errors <= 0",
        "--json",
        &json,
        "--markdown",
        &markdown,
        "--junit",
        &junit,
    ]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report = |format: &str| {
        let report = weir(&["report", &json, "--format", format]);
        assert_eq!((report.code, report.stderr.as_str()), (Some(0), ""));
        report.stdout
    };
    let file = |path: &str| std::fs::read_to_string(path).unwrap();
    assert_eq!(report("text"), run.stdout);
    assert_eq!(report("markdown"), file(&markdown));
    assert_eq!(report("junit"), file(&junit));
    assert_eq!(report("json"), file(&json));
    let export = weir(&["export", &json, "--format", "csv", "--of", "actions"]);
    assert_eq!(report("csv"), export.stdout);
    assert!(report("csv").lines().nth(1).is_some_and(|line| line.contains(",200,")), "{}", report("csv"));
    let table = folder.file("run.csv");
    assert_eq!(weir(&["report", &json, "-o", &table]).shown(&[]), "exit code 0\n");
    assert_eq!(file(&table), export.stdout);
    let copy = folder.file("copy.txt");
    assert_eq!(weir(&["report", &json, "-o", &copy]).shown(&[]), "exit code 0\n");
    assert_eq!(file(&copy), run.stdout);
}

#[test]
fn a_page_shows_several_runs_and_is_read_back() {
    let folder = Folder::new("page");
    let (_running, address) = target();
    let [first, second] = ["first.json", "second.json"].map(|name| {
        let json = folder.file(name);
        let run =
            weir(&["http", &address, "-n", "50", "--no-store", "--quiet", "--name", name, "--json", &json]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        json
    });
    let file = |path: &str| std::fs::read_to_string(path).unwrap();
    // The ending says the form.
    let page = folder.file("one.html");
    assert_eq!(weir(&["report", &first, "-o", &page]).shown(&[]), "exit code 0\n");
    assert!(file(&page).starts_with("<!doctype html>"));
    assert_eq!(weir(&["report", &page, "--format", "json"]).stdout, file(&first));
    let both = weir(&["report", &first, &second, "--format", "html"]);
    assert_eq!((both.code, both.stderr.as_str()), (Some(0), ""));
    assert!(
        both.stdout.contains(r#""name":"first.json""#) && both.stdout.contains(r#""name":"second.json""#)
    );
    expect![[r#"
        exit code 2
        --- stderr
        error: 2 runs are named, and this form shows one
        hint: write a page that shows all of them (-o runs.html), or hold them against each other with `weir compare`
    "#]]
    .assert_eq(&weir(&["report", &first, &second]).shown(&[]));
}

#[test]
fn what_is_no_record_is_refused() {
    let folder = Folder::new("no-record");
    let here = folder.path().to_str().unwrap();
    let check = |name: &str, text: Option<&str>, expected: expect_test::Expect| {
        let path = text.map_or(folder.file(name), |text| folder.write(name, text));
        expected.assert_eq(&weir(&["report", &path]).shown(&[(here, "DIR")]));
    };
    check(
        "gone.json",
        None,
        expect![[r#"
            exit code 2
            --- stderr
            error: can't read `DIR/gone.json`: no such file or directory
            hint: name a record that --json wrote
        "#]],
    );
    check(
        "cut.json",
        Some("{\"schema_version\": 1, \"run_id\""),
        expect![[r#"
        exit code 2
        --- stderr
        error: `DIR/cut.json` is no record of a run: EOF while parsing an object at line 1 column 30
        hint: name a record that --json or export wrote, an HTML report, or a result of wrk, wrk2, k6, Tulip, vegeta, oha or java-http
    "#]],
    );
    check(
        "other.json",
        Some("{\"a\": 1}"),
        expect![[r#"
        exit code 2
        --- stderr
        error: `DIR/other.json` is no record of a run: missing field `schema_version`
        hint: name a record that --json or export wrote, an HTML report, or a result of wrk, wrk2, k6, Tulip, vegeta, oha or java-http
    "#]],
    );
    check(
        "newer.json",
        Some("{\"schema_version\": 99}"),
        expect![[r#"
        exit code 2
        --- stderr
        error: `DIR/newer.json` has schema version 99, and this weir reads up to 1
        hint: use the weir that wrote it, or a newer one
    "#]],
    );
}
