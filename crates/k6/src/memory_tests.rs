//! What a user takes: thousands of them wait in one process, so a kilobyte for each is ten megabytes, and what is added for one script's sake is
//! paid by the users of all. The engine's own count is held, which is the same on every machine.

use crate::host::{ScenarioFacts, VuHost, Worker};
use crate::test::{Source, Test};
use js::{Limits, Step, Vm};
use std::rc::Rc;
use std::sync::Arc;

/// What the engine holds for a user whose script has loaded, bytes.
fn user_bytes(text: &str) -> u64 {
    let mut source =
        Source { script: "/memory.js".to_owned(), text: Some(text.to_owned()), ..Source::default() };
    source.env = (0..40).map(|index| (format!("VARIABLE_{index}"), "its value".repeat(3))).collect();
    let test = Test::load(source, Box::new(|_| {})).expect("a sound script");
    let worker = Rc::new(Worker::new(&test));
    let host = VuHost::new(&test, &worker, &Arc::new(ScenarioFacts::default()), 1);
    let mut vm = Vm::new(&test.script, host, Limits::default(), 1).expect("a stack");
    assert!(matches!(vm.start(), Step::Done(Ok(_))), "{text}");
    vm.memory_use().bytes
}

/// No more than so many KiB, and no less than 4 KiB below: who makes it smaller lowers the bound.
fn check(imports: &str, kib_max: u64) {
    let bytes = user_bytes(&format!("{imports}\nexport default function () {{ sleep(1); }}"));
    let held = (kib_max - 4) << 10..=kib_max << 10;
    assert!(
        held.contains(&bytes),
        "{imports}\ntakes {bytes} bytes: {:.1} KiB of {kib_max}",
        bytes as f64 / 1024.0
    );
}

#[test]
fn a_user_takes_no_more_than_it_did() {
    check("import { sleep } from 'k6';", 80);
    check("import http from 'k6/http'; import { check, sleep } from 'k6';", 80);
    check(
        "import { get } from 'k6/http'; import { check, sleep } from 'k6'; import exec from 'k6/execution';",
        93,
    );
}
