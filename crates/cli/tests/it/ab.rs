//! `weir ab`: real slices on real targets, and servers that it starts.

use crate::command::{Folder, command, weir};
use crate::server::{signal, target};
use rustix::process::Signal;
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::{TcpListener, TcpStream};

#[test]
fn a_slower_target_is_found_and_every_slice_is_kept() {
    let folder = Folder::new("ab");
    let ((_one, a), (_other, b)) = (target(), target());
    let (a, b, json) = (format!("{a}/delay?ms=5"), format!("{b}/delay?ms=10"), folder.file("ab.json"));
    let args = [
        "ab",
        "--a",
        &a,
        "--b",
        &b,
        "-c",
        "8",
        "-r",
        "200/s",
        "--slice",
        "200ms",
        "--warmup",
        "0s",
        "--pairs",
        "12",
        "--metric",
        "response.p50",
        "--force",
        "--json",
        &json,
        "--fail-on",
        "slower",
    ];
    let found = weir(&args);
    assert_eq!(found.code, Some(1), "{}{}", found.stdout, found.stderr);
    assert!(found.stdout.contains("✗ slower     1 of 1: response p50 +"), "{}", found.stdout);
    assert!(found.stdout.lines().all(|line| line.chars().count() <= 80), "{}", found.stdout);
    let whole: Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    let slices = whole["slices"].as_array().unwrap();
    assert_eq!((slices.len(), slices[0]["record"]["labels"]["pair"].as_str()), (24, Some("1")));
    let sides: Vec<&str> = slices.iter().map(|slice| slice["side"].as_str().unwrap()).collect();
    for block in sides.chunks(4) {
        assert!([["a", "b", "b", "a"], ["b", "a", "a", "b"]].iter().any(|order| order == block), "{block:?}");
    }
    let seeds: Vec<&Value> = slices.iter().map(|slice| &slice["record"]["plan"]["seed"]).collect();
    assert!(seeds.chunks(2).all(|pair| pair[0] == pair[1]), "{seeds:?}");
}

#[test]
fn a_target_is_not_different_from_itself() {
    let (_running, address) = target();
    let a = format!("{address}/delay?ms=5");
    let args = [
        "ab",
        "--a",
        &a,
        "--aa",
        "-c",
        "8",
        "-r",
        "200/s",
        "--slice",
        "150ms",
        "--warmup",
        "0s",
        "--pairs",
        "12",
        "--fail-on",
        "changed",
        "--force",
    ];
    let checked = weir(&args);
    assert_eq!(checked.code, Some(0), "{}{}", checked.stdout, checked.stderr);
    assert!(checked.stdout.contains("noise floor"), "{}", checked.stdout);
}

/// A port that was free a moment ago.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

#[test]
fn servers_are_started_for_each_slice_and_gone_at_the_end() {
    let folder = Folder::new("ab-servers");
    let (port, logs) = (free_port(), folder.file("logs"));
    let url = format!("127.0.0.1:{port}/hello");
    let server = format!("{} target --listen 127.0.0.1:{port}", env!("CARGO_BIN_EXE_weir"));
    let args = [
        "ab", "--a", &url, "--b", &url, "--cmd-a", &server, "--cmd-b", &server, "-c", "2", "-r", "100/s",
        "--slice", "100ms", "--warmup", "0s", "--pairs", "2", "--logs", &logs, "--format", "json",
    ];
    let ended = weir(&args);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let comparison: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(
        (&comparison["pairs"]["is_relaunched"], &comparison["pairs"]["pair_count"]),
        (&true.into(), &2.into())
    );
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
    let mut printed = String::new();
    for log in std::fs::read_dir(&logs).unwrap() {
        std::fs::File::open(log.unwrap().path()).unwrap().read_to_string(&mut printed).unwrap();
    }
    assert_eq!(printed.matches("serving http://").count(), 4, "{printed}");
}

#[test]
fn a_server_that_does_not_start_says_why() {
    let folder = Folder::new("ab-no-server");
    let url = format!("127.0.0.1:{}/", free_port());
    let logs = folder.file("logs");
    let failed = weir(&["ab", "--a", &url, "--aa", "--cmd-a", "echo no licence; exit 3", "--logs", &logs]);
    assert_eq!(failed.code, Some(3));
    let expected = "ended before it listened";
    assert!(failed.stderr.contains(expected) && failed.stderr.contains("  no licence"), "{}", failed.stderr);
}

#[test]
fn a_signal_ends_it_with_what_is_there() {
    let ((_one, a), (_other, b)) = (target(), target());
    let (a, b) = (format!("{a}/hello"), format!("{b}/hello"));
    let args = [
        "ab", "--a", &a, "--b", &b, "-c", "2", "-r", "100/s", "--slice", "50ms", "--warmup", "0s", "--pairs",
        "40",
    ];
    let mut child = command(&args).spawn().unwrap();
    // The first quarter's line: by then there are blocks to analyse.
    let mut talk = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    talk.read_line(&mut line).unwrap();
    assert!(line.starts_with("pair 11 of 40"), "{line}");
    signal(&child, Signal::INT);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(4));
    assert!(String::from_utf8(output.stdout).unwrap().contains("ended by hand after 1"));
}

#[test]
fn what_is_wrong_is_said_before_anything_is_sent() {
    let check = |args: &[&str], expected: &str| {
        let wrong = weir(&[&["ab"], args].concat());
        assert_eq!((wrong.code, wrong.stdout.as_str()), (Some(2), ""), "{}", wrong.stderr);
        assert!(wrong.stderr.contains(expected), "{}", wrong.stderr);
    };
    check(&[], "there is no A, the baseline");
    check(&["--a", "localhost:1/"], "there is no B to compare with");
    check(&["--a", "localhost:1/", "--b", "localhost:1/"], "A and B are both at localhost:1");
    check(&["--a", "localhost:1/", "--b", "localhost:2/", "--pairs", "3"], "two pairs make a block ABBA");
    check(&["--a", "localhost:1/", "--b", "localhost:2/", "--relaunch"], "there is no server to start anew");
    check(&["gone.yaml", "--b", "localhost:2/"], "gone.yaml");
}
