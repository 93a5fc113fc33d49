//! Native part of `k6/data`: arrays that all users share, one JSON text per element.

use crate::host::VuHost;
use js::Calls;
use js::rquickjs::{Array, Ctx, Function, Object, Result};
use std::sync::Arc;

pub(super) fn module<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, module: &Object<'js>) -> Result<()> {
    let arrays = |host: &VuHost, name: &str| {
        host.test.state.shared_arrays.lock().ok().and_then(|arrays| arrays.get(name).cloned())
    };
    let own = calls.clone();
    let length = move |name: String| arrays(own.host(), &name).map(|array| array.len() as f64);
    module.set("length", Function::new(ctx.clone(), length)?)?;
    let own = calls.clone();
    let read = move |name: String, index: f64| {
        arrays(own.host(), &name).and_then(|array| array.get(index as usize).cloned()).unwrap_or_default()
    };
    module.set("read", Function::new(ctx.clone(), read)?)?;
    let own = calls.clone();
    let store = move |ctx: Ctx<'js>, name: String, elements: Array<'js>| -> Result<()> {
        own.host().only_in_init(&ctx, "new SharedArray()")?;
        let elements = elements.iter::<String>().collect::<Result<Vec<_>>>()?;
        if let Ok(mut arrays) = own.host().test.state.shared_arrays.lock() {
            arrays.entry(name).or_insert_with(|| Arc::new(elements));
        }
        Ok(())
    };
    module.set("store", Function::new(ctx.clone(), store)?)
}
