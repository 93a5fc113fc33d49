//! What is said of wrong flags: what, where, how to mend, all at once, exit code 2.

use crate::command::{Folder, weir};
use expect_test::{Expect, expect};

fn check(args: &[&str], expected: Expect) {
    expected.assert_eq(&weir(args).shown(&[]));
}

#[test]
fn unknown_commands_and_flags() {
    check(
        &["htp"],
        expect![[r#"
        exit code 2
        --- stderr
        error: unrecognized subcommand 'htp'

          tip: a similar subcommand exists: 'http'

        Usage: weir [OPTIONS] <COMMAND>

        For more information, try '--help'.
    "#]],
    );
    check(
        &["http"],
        expect![[r#"
        exit code 2
        --- stderr
        error: the following required arguments were not provided:
          <URL>

        Usage: weir http <URL>

        For more information, try '--help'.
    "#]],
    );
    check(
        &["http", "a", "--rat", "5/s"],
        expect![[r#"
        exit code 2
        --- stderr
        error: unexpected argument '--rat' found

          tip: a similar argument exists: '--rate'

        Usage: weir http --rate <RATE> <URL>

        For more information, try '--help'.
    "#]],
    );
    check(
        &["http", "a", "-c", "0"],
        expect![[r#"
        exit code 2
        --- stderr
        error: invalid value '0' for '--connections <N>': 0 is not in 1..=10000000

        For more information, try '--help'.
    "#]],
    );
    check(
        &["http", "a", "--driver", "kqueue"],
        expect![[r#"
        exit code 2
        --- stderr
        error: invalid value 'kqueue' for '--driver <DRIVER>'
          [possible values: auto, epoll, io_uring]

        For more information, try '--help'.
    "#]],
    );
}

#[test]
fn a_version_is_an_answer() {
    let version = weir(&["--version"]);
    assert_eq!(
        (version.code, version.stdout.as_str()),
        (Some(0), concat!("weir ", env!("CARGO_PKG_VERSION"), "\n"))
    );
}

#[test]
fn a_rate_needs_its_unit() {
    check(
        &["http", "127.0.0.1:9", "-r", "1000"],
        expect![[r#"
            exit code 2
            --- stderr
            error: --rate: `1000` has no unit
            hint: write for example `1000/s`
        "#]],
    );
}

#[test]
fn everything_wrong_is_said_at_once() {
    check(
        &[
            "http",
            "ftp://a/",
            "-r",
            "1000",
            "-H",
            "nope",
            "-b",
            "@/no/such/file",
            "--slo",
            "p99(response) < 50",
        ],
        expect![[r#"
            exit code 2
            --- stderr
            error: `ftp://a/`: `ftp` is not spoken
            hint: use http:// or https://

            error: --body: can't read `/no/such/file`: no such file or directory
            hint: name a file that is there and may be read

            error: --header 'nope': there is no colon
            hint: write for example -H 'accept: text/html'

            error: --rate: `1000` has no unit
            hint: write for example `1000/s`

            error: --slo 'p99(response) < 50': `50` has no unit
            hint: write for example `50s`
        "#]],
    );
}

#[test]
fn results_that_cant_be_written_are_all_named_before_the_run() {
    let folder = Folder::new("unwritable");
    let here = folder.path().to_str().unwrap();
    let twice = folder.file("twice.json");
    let run = weir(&[
        "http",
        "127.0.0.1:9",
        "--json",
        &twice,
        "--markdown",
        &format!("{here}/no/x.md"),
        "--junit",
        &twice,
    ]);
    expect![[r#"
        exit code 2
        --- stderr
        error: can't open `DIR/no/x.md`: no such file or directory
        hint: create the folder first: mkdir -p 'DIR/no'

        error: two results go to `DIR/twice.json`
        hint: give each a file of its own
    "#]]
    .assert_eq(&run.shown(&[(here, "DIR")]));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn colour_is_a_choice() {
    let colored = weir(&["--color", "always", "http", "a:x"]).stderr;
    assert!(colored.starts_with("\x1b[1;31merror:\x1b[0m `a:x`"), "{colored:?}");
    assert!(weir(&["http", "a:x"]).stderr.starts_with("error: `a:x`"));
}

#[test]
fn a_target_says_what_it_cant_listen_on() {
    check(
        &["target", "--listen", "here", "--stall", "1s"],
        expect![[r#"
            exit code 2
            --- stderr
            error: --listen: `here` is no address with a port
            hint: write for example 127.0.0.1:7070, [::1]:0 or unix:/tmp/weir.sock

            error: --stall: `1s` is no stall
            hint: write `200ms/1s` (of every second) or `2s@4s` (once, after 4 s)
        "#]],
    );
    check(
        &["target", "--listen", "203.0.113.1:80"],
        expect![[r#"
            exit code 2
            --- stderr
            error: cannot listen on 203.0.113.1:80: cannot assign requested address
            hint: choose another port, or port 0 for any free one
        "#]],
    );
    check(
        &["target", "--ca-out", "x"],
        expect![[r#"
        exit code 2
        --- stderr
        error: the following required arguments were not provided:
          --tls

        Usage: weir target --tls --ca-out <FILE>

        For more information, try '--help'.
    "#]],
    );
}

#[test]
fn what_is_said_holds_no_escape_sequences_and_no_passwords() {
    let said = weir(&["http", "ht\x1b[31mp://x"]);
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("`ht\u{FFFD}[31mp` is not spoken"), "{}", said.stderr);
    let said = weir(&["http", "http://ann:hidden@localhost/"]);
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("password don't belong here"), "{}", said.stderr);
    assert!(!said.stderr.contains("hidden"), "{}", said.stderr);
}
