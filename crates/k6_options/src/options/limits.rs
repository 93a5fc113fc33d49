//! How large options may be, and faults put together.

use crate::exit::Fault;
use serde_json::Value;

/// Options are a few levels deep; deeper values are only carried, and printing them must not exhaust the stack.
const DEPTH_MAX: usize = 64;
/// A million values are some 100 MB.
const VALUE_COUNT_MAX: usize = 1_000_000;
/// A certificate chain with all its keys fits many times.
const TEXT_LENGTH_MAX: usize = 1 << 20;
/// Beyond these a reader no longer reads.
const FAULT_COUNT_MAX: usize = 20;
/// What introduces more than one fault.
const INTRODUCTION: &str = "There were problems with the specified script configuration:";

/// Whether a value is small enough to be looked into. Walks it without recursion.
pub(crate) fn check(value: &Value) -> Result<(), Fault> {
    let too_large = |what: String| Err(Fault::config(format!("the options are too large: {what}")));
    let mut count = 0;
    let mut open = vec![(value, 1)];
    while let Some((value, depth)) = open.pop() {
        count += 1;
        if depth > DEPTH_MAX {
            return too_large(format!("nested more than {DEPTH_MAX} levels deep"));
        }
        if count > VALUE_COUNT_MAX {
            return too_large(format!("more than {VALUE_COUNT_MAX} values"));
        }
        match value {
            Value::String(text) if text.len() > TEXT_LENGTH_MAX => {
                return too_large(format!("a string of more than {TEXT_LENGTH_MAX} bytes"));
            }
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => open.extend(members.values().map(|value| (value, depth + 1))),
            _ => {}
        }
    }
    Ok(())
}

/// One fault alone, or all in a list, 104.
pub(crate) fn gathered(faults: Vec<String>) -> Result<(), Fault> {
    match faults.as_slice() {
        [] => Ok(()),
        [one] => Err(Fault::config(one.as_str())),
        all => Err(listed(all)),
    }
}

/// All in a list, as k6 lists what is wrong with a configuration, 104.
pub(crate) fn listed(faults: &[String]) -> Fault {
    let mut message = INTRODUCTION.to_owned();
    for fault in faults.iter().take(FAULT_COUNT_MAX) {
        message.push_str("\n\t- ");
        message.push_str(fault);
    }
    if faults.len() > FAULT_COUNT_MAX {
        message.push_str(&format!("\n\t- and {} more", faults.len() - FAULT_COUNT_MAX));
    }
    Fault::config(message)
}
