//! Native part of `k6/execution`: what a script may know of its test, and how it ends it.

use crate::host::VuHost;
use crate::test::Loudness;
use js::rquickjs::{Coerced, Ctx, Exception, Function, Object, Result, Value};
use js::{Calls, Host as _};
use std::sync::atomic::Ordering;

pub(super) fn module<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, module: &Object<'js>) -> Result<()> {
    let number = |name: &str, read: fn(&VuHost) -> f64| -> Result<()> {
        let subject = subject(name);
        let own = calls.clone();
        let get = move |ctx: Ctx<'js>| -> Result<f64> {
            known(&ctx, own.host(), subject)?;
            Ok(read(own.host()))
        };
        module.set(name, Function::new(ctx.clone(), get)?)
    };
    let text = |name: &str, read: fn(&VuHost) -> String| -> Result<()> {
        let subject = subject(name);
        let own = calls.clone();
        let get = move |ctx: Ctx<'js>| -> Result<String> {
            known(&ctx, own.host(), subject)?;
            Ok(read(own.host()))
        };
        module.set(name, Function::new(ctx.clone(), get)?)
    };
    number("elapsedMs", |host| host.now_ns() as f64 / 1e6)?;
    number("iterationsCompleted", |host| host.test.iteration_counts().0 as f64)?;
    number("iterationsInterrupted", |host| host.test.iteration_counts().1 as f64)?;
    number("vusActive", |host| host.test.vu_counts().0 as f64)?;
    number("vusInitialized", |host| host.test.vu_counts().1 as f64)?;
    number("scenarioStartMs", |host| host.begun().0 as f64)?;
    number("scenarioProgress", |host| {
        let elapsed_ns = host.now_ns().saturating_sub(host.begun().1) as f64;
        (elapsed_ns / host.facts.regular_ns.max(1) as f64).min(1.0)
    })?;
    number("iterationInScenario", |host| host.vu.iteration_in_scenario.get() as f64)?;
    number("iterationOfVu", |host| host.vu.iteration.get() as f64)?;
    number("vuId", |host| host.vu.id as f64)?;
    text("scenarioName", |host| host.facts.name.clone())?;
    text("scenarioExecutor", |host| host.facts.executor.clone())?;
    text("optionsJson", |host| host.test.options_json.clone())?;
    let own = calls.clone();
    let abort = move |ctx: Ctx<'js>, message: String| -> Result<()> {
        let host = own.host();
        let said =
            if message.is_empty() { "test aborted".to_owned() } else { format!("test aborted: {message}") };
        host.test.abort(said);
        Err(own.end(&ctx))
    };
    module.set("abort", Function::new(ctx.clone(), abort)?)?;
    let own = calls.clone();
    let fail = move |ctx: Ctx<'js>, message: String| -> Result<()> {
        let host = own.host();
        host.not_in_init(&ctx, "test.fail")?;
        host.test.state.is_failed.store(true, Ordering::Relaxed);
        host.test.say(Loudness::Error, format!("test marked as failed: {message}"), None, None);
        Ok(())
    };
    module.set("failTest", Function::new(ctx.clone(), fail)?)?;
    tag_functions(ctx, calls, module)
}

/// What a native function tells about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subject {
    Instance,
    Scenario,
    Vu,
    Options,
}

fn subject(name: &str) -> Subject {
    match name {
        "elapsedMs" | "iterationsCompleted" | "iterationsInterrupted" | "vusActive" | "vusInitialized" => {
            Subject::Instance
        }
        "optionsJson" => Subject::Options,
        "vuId" | "iterationOfVu" => Subject::Vu,
        _ => Subject::Scenario,
    }
}

/// Nothing is known while a script loads, and of scenarios nothing outside of them.
fn known(ctx: &Ctx<'_>, host: &VuHost, subject: Subject) -> Result<()> {
    let what = match subject {
        Subject::Instance => "instance information",
        Subject::Scenario => "scenario information",
        Subject::Vu => "VU information",
        Subject::Options => "test options",
    };
    let place = match () {
        () if host.vu.is_in_init.get() => "in the init context",
        () if subject == Subject::Scenario && host.facts.name.is_empty() => "outside of the VU context",
        () => return Ok(()),
    };
    Err(Exception::throw_message(ctx, &format!("getting {what} {place} is not supported")))
}

fn tag_functions<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, module: &Object<'js>) -> Result<()> {
    let own = calls.clone();
    let get = move |ctx: Ctx<'js>, key: String| -> Result<Option<String>> {
        let host = own.host();
        known(&ctx, host, Subject::Vu)?;
        let set = host.worker.tags.borrow().set(host.vu.tags.get());
        Ok(set.get(&key).map(str::to_owned))
    };
    module.set("tag", Function::new(ctx.clone(), get)?)?;
    let own = calls.clone();
    let set = move |ctx: Ctx<'js>, key: String, value: Value<'js>| -> Result<()> {
        if value.is_object() || value.is_null() || value.is_undefined() {
            return Err(Exception::throw_type(
                &ctx,
                "only strings, booleans and numbers are accepted as tag values",
            ));
        }
        let host = own.host();
        known(&ctx, host, Subject::Vu)?;
        let value = value.get::<Coerced<String>>()?.0;
        host.vu.tags.set(host.worker.tags.borrow_mut().with(host.vu.tags.get(), &key, &value));
        Ok(())
    };
    module.set("setTag", Function::new(ctx.clone(), set)?)?;
    let own = calls.clone();
    let remove = move |key: String| {
        let host = own.host();
        host.vu.tags.set(host.worker.tags.borrow_mut().without(host.vu.tags.get(), &key));
    };
    module.set("removeTag", Function::new(ctx.clone(), remove)?)?;
    let own = calls.clone();
    let keys = move || -> Vec<String> {
        let host = own.host();
        let set = host.worker.tags.borrow().set(host.vu.tags.get());
        set.iter().map(|(key, _)| key.to_owned()).collect()
    };
    module.set("tagKeys", Function::new(ctx.clone(), keys)?)
}
