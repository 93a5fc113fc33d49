//! Native parts of modules: what the JavaScript in `src/modules/` stands on. Each is made when a module that imports it runs.

pub(crate) mod console;
mod core;
mod data;
mod encoding;
mod execution;
pub(crate) mod files;
mod metrics;

use crate::host::VuHost;
use js::Calls;
use js::rquickjs::{ArrayBuffer, Ctx, Exception, Object, Result, TypedArray, Value};

/// Makes the native module of a name.
pub(crate) fn make<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, url: &str) -> Result<Value<'js>> {
    let module = Object::new(ctx.clone())?;
    match url {
        "weir:core" => core::module(ctx, calls, &module)?,
        "weir:http" => crate::request::module(ctx, calls, &module)?,
        "weir:metrics" => metrics::module(ctx, calls, &module)?,
        "weir:execution" => execution::module(ctx, calls, &module)?,
        "weir:data" => data::module(ctx, calls, &module)?,
        "weir:encoding" => encoding::module(ctx, calls, &module)?,
        "weir:summary" => crate::summary::module(ctx, &module)?,
        _ => return Err(Exception::throw_reference(ctx, &format!("there is no module {url}"))),
    }
    Ok(module.into_value())
}

/// Bytes of a text or an array of bytes.
pub(crate) fn bytes_of(value: &Value<'_>) -> Option<Vec<u8>> {
    if let Some(text) = value.as_string() {
        return text.to_string().ok().map(String::into_bytes);
    }
    let object = value.as_object()?;
    if let Some(buffer) = ArrayBuffer::from_object(object.clone()) {
        return buffer.as_bytes().map(<[u8]>::to_vec);
    }
    TypedArray::<u8>::from_object(object.clone()).ok()?.as_bytes().map(<[u8]>::to_vec)
}
