//! Help, man pages and completions.

use crate::command::{Folder, weir};
use expect_test::expect_file;

#[test]
fn the_help_of_every_command() {
    let top = weir(&["--help"]);
    assert_eq!((top.code, top.stderr.as_str()), (Some(0), ""));
    expect_file!["gold/help.txt"].assert_eq(&top.stdout);
    let check = |command: &str, expected: expect_test::ExpectFile| {
        let help = weir(&[command, "--help"]);
        assert_eq!((help.code, help.stderr.as_str()), (Some(0), ""));
        expected.assert_eq(&help.stdout);
        assert_eq!(weir(&[command, "-h"]).stdout, help.stdout);
        assert!(help.stdout.lines().all(|line| line.chars().count() <= 80), "{}", help.stdout);
    };
    check("http", expect_file!["gold/help-http.txt"]);
    check("run", expect_file!["gold/help-run.txt"]);
    check("check", expect_file!["gold/help-check.txt"]);
    check("report", expect_file!["gold/help-report.txt"]);
    check("target", expect_file!["gold/help-target.txt"]);
    check("demo", expect_file!["gold/help-demo.txt"]);
    check("completions", expect_file!["gold/help-completions.txt"]);
    check("man", expect_file!["gold/help-man.txt"]);
}

#[test]
fn completions_and_man_pages_speak_of_every_command() {
    let man = weir(&["man"]).stdout;
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = weir(&["completions", shell]).stdout;
        for command in ["http", "run", "check", "schema", "report", "target", "demo"] {
            assert!(script.contains(command) && man.contains(command), "{shell} {command}");
        }
        assert!(script.contains("connect-timeout"), "{shell}");
    }
}

#[test]
fn man_pages_are_written_into_a_folder() {
    let folder = Folder::new("man");
    let out = folder.file("pages");
    let run = weir(&["man", "--out", &out]);
    assert_eq!(run.shown(&[]), "exit code 0\n");
    for page in ["weir.1", "weir-http.1", "weir-run.1", "weir-target.1"] {
        let text = std::fs::read_to_string(format!("{out}/{page}")).unwrap();
        assert!(text.contains(".SH NAME"), "{page}");
    }
    let run = weir(&["man", "--out", &format!("{out}/weir.1/pages")]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
}
