//! Native parts of modules: what the JavaScript in `src/modules/` stands on. Each is made when a module that imports it runs.

pub(crate) mod console;
mod core;
mod crypto;
mod data;
mod encoding;
mod execution;
pub(crate) mod files;
pub(crate) mod globals;
mod html;
mod metrics;

use crate::host::VuHost;
use js::Calls;
use js::rquickjs::{ArrayBuffer, Ctx, Exception, Object, Result, Value};

/// Makes the native module of a name.
pub(crate) fn make<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, url: &str) -> Result<Value<'js>> {
    if let Some(offered) = crate::offers::make(ctx, calls, url) {
        return offered;
    }
    let module = Object::new(ctx.clone())?;
    match url {
        "weir:core" => core::module(ctx, calls, &module)?,
        "weir:http" => crate::request::module(ctx, calls, &module)?,
        "weir:metrics" => metrics::module(ctx, calls, &module)?,
        "weir:execution" => execution::module(ctx, calls, &module)?,
        "weir:data" => data::module(ctx, calls, &module)?,
        "weir:crypto" => crypto::module(ctx, calls, &module)?,
        "weir:files" => files::module(ctx, calls, &module)?,
        "weir:html" => html::module(ctx, &module)?,
        "weir:later" => html::later(ctx, calls, &module)?,
        "weir:encoding" => encoding::module(ctx, calls, &module)?,
        "weir:summary" => crate::summary::module(ctx, &module)?,
        _ => return Err(Exception::throw_reference(ctx, &format!("there is no module {url}"))),
    }
    Ok(module.into_value())
}

/// Bytes of a text, of an array of bytes or of a view of one.
pub(crate) fn bytes_of(value: &Value<'_>) -> Option<Vec<u8>> {
    if let Some(text) = value.as_string() {
        return text.to_string().ok().map(String::into_bytes);
    }
    let object = value.as_object()?;
    if let Some(buffer) = ArrayBuffer::from_object(object.clone()) {
        return buffer.as_bytes().map(<[u8]>::to_vec);
    }
    let buffer = ArrayBuffer::from_object(object.get("buffer").ok()?)?;
    let (offset, length): (f64, f64) = (object.get("byteOffset").ok()?, object.get("byteLength").ok()?);
    let (offset, length) = (offset as usize, length as usize);
    buffer.as_bytes()?.get(offset..offset.checked_add(length)?).map(<[u8]>::to_vec)
}

/// An `ArrayBuffer` of bytes.
pub(crate) fn buffer<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, bytes: Vec<u8>) -> Result<Value<'js>> {
    calls.add(ctx, js::Part::TypedArrays);
    Ok(ArrayBuffer::new(ctx.clone(), bytes)?.into_value())
}
