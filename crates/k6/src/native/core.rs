//! Native part of `k6`: checks, groups and waiting.

use crate::host::{Ask, VuHost};
use js::rquickjs::function::Opt;
use js::rquickjs::{Coerced, Ctx, Exception, Function, Object, Result, Value};
use js::{Calls, Host as _};
use k6_metrics::{CheckId, MetricId, TagSetId};

/// `check`, `fail`, `group`, `randomSeed`, `sleep`.
pub(super) fn module<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, module: &Object<'js>) -> Result<()> {
    let own = calls.clone();
    let check = move |ctx: Ctx<'js>, value: Opt<Value<'js>>, sets: Opt<Value<'js>>, tags: Opt<Value<'js>>| {
        let value = value.0.unwrap_or_else(|| Value::new_undefined(ctx.clone()));
        check(&ctx, own.host(), &value, sets.0.as_ref(), tags.0.as_ref())
    };
    module.set("check", Function::new(ctx.clone(), check)?)?;
    let fail = |ctx: Ctx<'js>, message: Opt<Coerced<String>>| -> Result<()> {
        Err(Exception::throw_message(&ctx, &message.0.map(|text| text.0).unwrap_or_default()))
    };
    module.set("fail", Function::new(ctx.clone(), fail)?)?;
    let own = calls.clone();
    let group = move |ctx: Ctx<'js>, name: Opt<Coerced<String>>, work: Opt<Value<'js>>| {
        let name = name.0.map_or_else(String::new, |name| name.0);
        group(&ctx, &own, &name, work.0)
    };
    module.set("group", Function::new(ctx.clone(), group)?)?;
    let own = calls.clone();
    let sleep = move |ctx: Ctx<'js>, seconds: Opt<Coerced<f64>>| -> Result<()> {
        let seconds = seconds.0.map_or(f64::NAN, |seconds| seconds.0);
        if seconds.is_nan() {
            return Err(Exception::throw_message(&ctx, "sleep() was called without a number of seconds"));
        }
        let ns = (seconds.clamp(0.0, 1e9) * 1e9) as u64;
        own.suspend(&ctx, Ask::Sleep { ns }).map(drop)
    };
    module.set("sleep", Function::new(ctx.clone(), sleep)?)?;
    let seed = calls.clone();
    module.set(
        "randomSeed",
        Function::new(ctx.clone(), move |seed_value: Coerced<f64>| seed.seed_random(seed_value.0.to_bits()))?,
    )
}

fn check<'js>(
    ctx: &Ctx<'js>,
    host: &VuHost,
    value: &Value<'js>,
    sets: Option<&Value<'js>>,
    tags: Option<&Value<'js>>,
) -> Result<bool> {
    host.not_in_init(ctx, "Using check()")?;
    let now_ns = host.now_ns();
    let base = host.tags_with(ctx, host.vu.tags.get(), tags)?;
    let Some(sets) = sets.filter(|sets| !sets.is_null() && !sets.is_undefined()) else {
        return Err(Exception::throw_message(
            ctx,
            "no checks provided to `check`: give it an object of them",
        ));
    };
    let Some(sets) = sets.as_object() else { return Ok(true) };
    let mut all = true;
    for pair in sets.props::<String, Value<'js>>() {
        let (name, test) = pair?;
        if name.contains("::") {
            return Err(Exception::throw_message(ctx, "group and check names may not contain '::'"));
        }
        let (check, set) = host.check_of(base, &name);
        let outcome = match test.as_function() {
            Some(function) => function.call::<_, Value<'js>>((value.clone(),)),
            None => Ok(test.clone()),
        };
        if outcome.as_ref().is_ok_and(Value::is_promise) {
            let message = format!("check '{name}' is an async function, which check() can't await");
            return Err(Exception::throw_message(ctx, &message));
        }
        let passed = match &outcome {
            Ok(value) => value.get::<Coerced<bool>>()?.0,
            Err(_) => false,
        };
        host.worker.add_check(check, set, passed, now_ns);
        outcome?;
        all &= passed;
    }
    Ok(all)
}

impl VuHost {
    fn check_of(&self, base: TagSetId, name: &str) -> (CheckId, TagSetId) {
        if let Some(known) = self.vu.checks.borrow().get(&base).and_then(|checks| checks.get(name)) {
            return *known;
        }
        let registry = &self.test.registry;
        let group = registry.group(&self.vu.group.borrow());
        let check = registry.check(group, name);
        let set = match registry.system_tags().has(k6_metrics::SystemTag::Check) {
            true => self.worker.tags.borrow_mut().with(base, "check", name),
            false => base,
        };
        self.vu.checks.borrow_mut().entry(base).or_default().insert(name.to_owned(), (check, set));
        (check, set)
    }
}

fn group<'js>(
    ctx: &Ctx<'js>,
    calls: &Calls<VuHost>,
    name: &str,
    work: Option<Value<'js>>,
) -> Result<Value<'js>> {
    let host = calls.host();
    host.not_in_init(ctx, "Using group()")?;
    let Some(work) = work.and_then(Value::into_function) else {
        return Err(Exception::throw_message(ctx, "group() requires a callback as a second argument"));
    };
    if name.contains("::") {
        return Err(Exception::throw_message(ctx, "group and check names may not contain '::'"));
    }
    let vu = &host.vu;
    let (outer, outer_tags) = (vu.group.borrow().clone(), vu.tags.get());
    let inner = format!("{outer}::{name}");
    if host.test.registry.system_tags().has(k6_metrics::SystemTag::Group) {
        vu.tags.set(host.worker.tags.borrow_mut().with(outer_tags, "group", &inner));
    }
    *vu.group.borrow_mut() = inner;
    host.test.registry.group(&vu.group.borrow());
    let begun_ns = host.now_ns();
    let outcome = work.call::<_, Value<'js>>(());
    let now_ns = host.now_ns();
    let ms = now_ns.saturating_sub(begun_ns) as f64 / 1e6;
    if !calls.is_stopped() {
        host.worker.add(MetricId::GROUP_DURATION, vu.tags.get(), ms, now_ns);
    }
    // Tags that were set within stay, but for the group's.
    if host.test.registry.system_tags().has(k6_metrics::SystemTag::Group) {
        vu.tags.set(host.worker.tags.borrow_mut().with(vu.tags.get(), "group", &outer));
    }
    *vu.group.borrow_mut() = outer;
    if outcome.as_ref().is_ok_and(Value::is_promise) && is_async(&work) {
        let message = "group() does not support async functions: what they do after an await would be outside of the group";
        return Err(Exception::throw_message(ctx, message));
    }
    outcome
}

/// Whether a function is an async one.
fn is_async(function: &Function<'_>) -> bool {
    let maker = function.get::<_, Object<'_>>("constructor").and_then(|maker| maker.get::<_, String>("name"));
    if maker.is_err() {
        function.ctx().catch();
    }
    maker.is_ok_and(|name| name == "AsyncFunction")
}
