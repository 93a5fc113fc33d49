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
mod secrets;
mod webcrypto;
mod x509;

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
        "weir:secrets" => secrets::module(ctx, calls, &module)?,
        "weir:x509" => x509::module(ctx, &module)?,
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
    let around: Option<Object<'_>> = object.get("buffer").ok().flatten();
    let Some(around) = around else {
        return own_buffer(object)?.as_bytes().map(<[u8]>::to_vec);
    };
    let buffer = own_buffer(&around)?;
    let (offset, length): (f64, f64) = (object.get("byteOffset").ok()?, object.get("byteLength").ok()?);
    let (offset, length) = (offset as usize, length as usize);
    buffer.as_bytes()?.get(offset..offset.checked_add(length)?).map(<[u8]>::to_vec)
}

/// The `ArrayBuffer` that an object is. The engine throws where it is asked whether something is one, and the script would hear of that later.
fn own_buffer<'js>(object: &Object<'js>) -> Option<ArrayBuffer<'js>> {
    let buffer = ArrayBuffer::from_object(object.clone());
    if buffer.is_none() {
        object.ctx().catch();
    }
    buffer
}

/// Why a value has no bytes, with the names that Go has for its kind: scripts compare such texts.
pub(crate) fn no_bytes(value: &Value<'_>) -> String {
    let kind = match value {
        value if value.is_undefined() || value.is_null() => "<nil>",
        value if value.is_bool() => "bool",
        value if value.is_int() => "int64",
        value if value.is_number() => "float64",
        value if value.is_array() => "[]interface {}",
        _ => "map[string]interface {}",
    };
    format!("invalid type {kind}, expected string, []byte or ArrayBuffer")
}

/// An `ArrayBuffer` of bytes.
pub(crate) fn buffer<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, bytes: Vec<u8>) -> Result<Value<'js>> {
    calls.add(ctx, js::Part::TypedArrays);
    Ok(ArrayBuffer::new(ctx.clone(), bytes)?.into_value())
}
