//! `open`: files that a script reads while it loads.

use crate::host::VuHost;
use js::Calls;
use js::rquickjs::{ArrayBuffer, Ctx, Exception, Result, Value};

pub(crate) fn open<'js>(
    ctx: &Ctx<'js>,
    calls: &Calls<VuHost>,
    path: &str,
    mode: Option<&str>,
) -> Result<Value<'js>> {
    let host = calls.host();
    host.only_in_init(ctx, "open()")?;
    if path.is_empty() {
        return Err(Exception::throw_message(ctx, "open() can't be used with an empty filename"));
    }
    let path = path.strip_prefix("file://").unwrap_or(path);
    let place = crate::sources::normal(&host.test.folder.join(path));
    let bytes = crate::sources::read_bytes(&place).map_err(|said| Exception::throw_message(ctx, &said))?;
    if mode == Some("b") {
        calls.add(ctx, js::Part::TypedArrays);
        return Ok(ArrayBuffer::new(ctx.clone(), bytes)?.into_value());
    }
    Ok(js::rquickjs::String::from_str(ctx.clone(), &String::from_utf8_lossy(&bytes))?.into_value())
}
