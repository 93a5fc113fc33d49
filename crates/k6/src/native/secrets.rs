//! Native part of `k6/secrets`.

use crate::host::VuHost;
use js::Calls;
use js::rquickjs::{Array, Ctx, Function, Object, Result};

/// `find(source, key)`: an array of the value, or of nothing and why there is none; a source of null is the default one.
pub(super) fn module<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, module: &Object<'js>) -> Result<()> {
    let own = calls.clone();
    let find = move |ctx: Ctx<'js>, source: Option<String>, key: String| -> Result<Array<'js>> {
        let answer = Array::new(ctx)?;
        match own.host().test.secrets.get(source.as_deref(), &key) {
            Ok(value) => answer.set(0, value)?,
            Err(said) => answer.set(1, said)?,
        }
        Ok(answer)
    };
    module.set("find", Function::new(ctx.clone(), find)?)
}
