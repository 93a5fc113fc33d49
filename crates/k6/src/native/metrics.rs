//! Native part of `k6/metrics`: metrics of the script's own.

use super::console::shown;
use crate::host::VuHost;
use js::rquickjs::function::Opt;
use js::rquickjs::{Coerced, Ctx, Exception, Function, Object, Result, Value};
use js::{Calls, Host as _};
use k6_metrics::{Contains, MetricKind};

pub(super) fn module<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, module: &Object<'js>) -> Result<()> {
    let own = calls.clone();
    let make = move |ctx: Ctx<'js>, kind: String, name: Coerced<String>, is_time: bool| -> Result<f64> {
        let host = own.host();
        host.only_in_init(&ctx, "metrics")?;
        let kind = MetricKind::from_word(&kind).unwrap_or(MetricKind::Counter);
        let contains = if is_time { Contains::Time } else { Contains::Default };
        let made = host.test.registry.metric(&name.0, kind, contains);
        let (id, _) = made.map_err(|error| Exception::throw_message(&ctx, &error.to_string()))?;
        let mut metrics = host.vu.metrics.borrow_mut();
        metrics.push((id, name.0));
        Ok((metrics.len() - 1) as f64)
    };
    module.set("make", Function::new(ctx.clone(), make)?)?;
    let own = calls.clone();
    let add = move |ctx: Ctx<'js>, id: f64, value: Opt<Value<'js>>, tags: Opt<Value<'js>>| -> Result<bool> {
        let host = own.host();
        host.not_in_init(&ctx, "Adding to a metric")?;
        let Some((metric, name)) = host.vu.metrics.borrow().get(id as usize).cloned() else {
            return Ok(false);
        };
        let value = value.0.unwrap_or_else(|| Value::new_undefined(ctx.clone()));
        let number =
            if value.is_null() || value.is_undefined() { f64::NAN } else { value.get::<Coerced<f64>>()?.0 };
        let number = if number == 0.0 && value.get::<Coerced<bool>>()?.0 { 1.0 } else { number };
        if number.is_nan() {
            let said = format!(
                "'{}' is an invalid value for metric '{name}', a number or a boolean value is expected",
                shown(&value)
            );
            if host.test.consolidated.options.throw == Some(true) {
                return Err(Exception::throw_type(&ctx, &said));
            }
            host.test.warn(&said);
            return Ok(false);
        }
        let set = host.tags_with(&ctx, host.vu.tags.get(), tags.0.as_ref())?;
        host.worker.add(metric, set, number, host.now_ns());
        Ok(true)
    };
    module.set("add", Function::new(ctx.clone(), add)?)
}
