//! What every script finds without an import: `console`, timers, a `Math.random` with a seed.

use super::host::{Calls, Host, Level};
use super::timers::Timer;
use rquickjs::function::{Opt, Rest};
use rquickjs::{Coerced, Ctx, Exception, Function, Object, Persistent, Result, Value};
use std::rc::Rc;

/// The shortest interval, as browsers have it for repeated timers: without it a script would never wait.
const INTERVAL_NS_MIN: u64 = 1_000_000;
/// The longest delay, ms: 2³¹ − 1, as everywhere. A longer one is due at once there; here it is this.
const DELAY_MS_MAX: f64 = 2_147_483_647.0;

/// Adds them to the global object, as far as the script can ask for them.
pub(super) fn install<'js, H: Host>(ctx: &Ctx<'js>, calls: &Calls<H>) -> Result<()> {
    let globals = ctx.globals();
    let may_name = |name: &&str| calls.0.script.may_name_own(name);
    if may_name(&"console") {
        globals.set("console", console(ctx, calls)?)?;
    }
    if may_name(&"Math") {
        let random = calls.clone();
        let random = Function::new(ctx.clone(), move || random.0.random.borrow_mut().unit())?;
        globals.get::<_, Object<'js>>("Math")?.set("random", random.with_name("random")?)?;
    }
    let timers = [("setTimeout", Kind::Once), ("setInterval", Kind::Again)];
    for (name, kind) in timers.into_iter().filter(|(name, _)| may_name(name)) {
        globals.set(name, timer(ctx, calls, kind)?.with_name(name)?)?;
    }
    for name in ["clearTimeout", "clearInterval"].into_iter().filter(may_name) {
        let calls = calls.clone();
        let clear = move |id: Opt<Value<'js>>| {
            let id = id.0.and_then(|id| id.as_number()).filter(|id| *id >= 1.0);
            let _timer = id.and_then(|id| calls.0.timers.borrow_mut().unset(id as u64));
        };
        globals.set(name, Function::new(ctx.clone(), clear)?.with_name(name)?)?;
    }
    Ok(())
}

fn console<'js, H: Host>(ctx: &Ctx<'js>, calls: &Calls<H>) -> Result<Object<'js>> {
    let console = Object::new(ctx.clone())?;
    let levels = [
        ("debug", Level::Debug),
        ("log", Level::Log),
        ("info", Level::Info),
        ("warn", Level::Warn),
        ("error", Level::Error),
    ];
    for (name, level) in levels {
        let calls = calls.clone();
        let say = move |ctx: Ctx<'js>, arguments: Rest<Value<'js>>| {
            if !calls.is_stopped() {
                calls.host().console(&ctx, level, &arguments.0);
            }
        };
        console.set(name, Function::new(ctx.clone(), say)?.with_name(name)?)?;
    }
    Ok(console)
}

/// The function that sets timers of a kind.
pub(super) fn timer<'js, H: Host>(ctx: &Ctx<'js>, calls: &Calls<H>, kind: Kind) -> Result<Function<'js>> {
    let calls = calls.clone();
    let set = move |ctx: Ctx<'js>, function: Value<'js>, delay: Opt<Value<'js>>, rest: Rest<Value<'js>>| {
        set_timer(&ctx, &calls, kind, &function, delay.0, rest.0)
    };
    Function::new(ctx.clone(), set)
}

/// Whether a timer is over after its first call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Once,
    Again,
}

fn set_timer<'js, H: Host>(
    ctx: &Ctx<'js>,
    calls: &Calls<H>,
    kind: Kind,
    function: &Value<'js>,
    delay: Option<Value<'js>>,
    arguments: Vec<Value<'js>>,
) -> Result<f64> {
    let Some(function) = function.as_function() else {
        return Err(Exception::throw_type(ctx, "a timer calls a function, and this is none"));
    };
    let delay_ms = delay.map_or(Ok(0.0), |delay| delay.get::<Coerced<f64>>().map(|delay| delay.0))?;
    // A delay that is no number counts as none, and so does one below zero.
    let delay_ns = (delay_ms.clamp(0.0, DELAY_MS_MAX) * 1e6) as u64;
    let every_ns = (kind == Kind::Again).then(|| delay_ns.max(INTERVAL_NS_MIN));
    let shared = &*calls.0;
    // Throwing runs what the script set as `Error.prepareStackTrace`, which may set timers: nothing is borrowed meanwhile.
    let id = shared.timers.borrow_mut().next_id();
    let Some(id) = id else {
        let most = shared.limits.timers_max;
        return Err(Exception::throw_range(ctx, &format!("more than {most} timers at a time")));
    };
    let function = Persistent::save(ctx, function.clone());
    let arguments = arguments.into_iter().map(|value| Persistent::save(ctx, value)).collect();
    let due_ns = shared.host.now_ns().saturating_add(every_ns.unwrap_or(delay_ns));
    shared.timers.borrow_mut().set(due_ns, Timer { id, function, arguments, every_ns });
    Ok(id as f64)
}

/// Notes promises that are rejected while nothing handles them, and those that are handled later after all.
pub(super) fn track_rejections<H: Host>(
    shared: &Rc<super::host::Shared<H>>,
) -> rquickjs::runtime::RejectionTracker {
    let shared = Rc::downgrade(shared);
    Box::new(move |ctx, promise, reason, is_handled| {
        let Some(shared) = shared.upgrade() else { return };
        let mut rejections = shared.rejections.borrow_mut();
        if is_handled {
            let is_it = |saved: &Persistent<Value<'static>>| {
                saved.clone().restore(&ctx).is_ok_and(|saved| saved == promise)
            };
            let place = rejections.iter().position(|(saved, _)| is_it(saved));
            let handled = place.map(|place| rejections.swap_remove(place));
            drop(rejections);
            drop(handled);
        } else {
            rejections.push((Persistent::save(&ctx, promise), Persistent::save(&ctx, reason)));
        }
    })
}
