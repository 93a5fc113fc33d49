//! Native part of `k6/encoding`: base 64.

use super::bytes_of;
use crate::host::VuHost;
use js::Calls;
use js::rquickjs::function::Func;
use js::rquickjs::{ArrayBuffer, Ctx, Exception, Function, Object, Result, Value};

/// `encode`, `decode`, `text` of base 64.
pub(super) fn module<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, module: &Object<'js>) -> Result<()> {
    use base64::Engine as _;
    use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
    let engine = |variant: &str| match variant {
        "rawstd" => STANDARD_NO_PAD,
        "url" => URL_SAFE,
        "rawurl" => URL_SAFE_NO_PAD,
        _ => STANDARD,
    };
    let encode = move |ctx: Ctx<'js>, input: Value<'js>, variant: String| -> Result<String> {
        let bytes =
            bytes_of(&input).ok_or_else(|| Exception::throw_message(&ctx, &super::no_bytes(&input)))?;
        Ok(engine(&variant).encode(bytes))
    };
    module.set("encode", Function::new(ctx.clone(), encode)?)?;
    let own = calls.clone();
    let decode = move |ctx: Ctx<'js>, input: String, variant: String| -> Result<ArrayBuffer<'js>> {
        own.add(&ctx, js::Part::TypedArrays);
        // Lines may be broken anywhere.
        let text: String = input.chars().filter(|letter| !matches!(letter, '\r' | '\n')).collect();
        let bytes = engine(&variant).decode(text.as_bytes()).map_err(|error| {
            let at = place(&text, error);
            Exception::throw_message(&ctx, &format!("illegal base64 data at input byte {at}"))
        });
        ArrayBuffer::new(ctx.clone(), bytes?)
    };
    module.set("decode", Function::new(ctx.clone(), decode)?)?;
    let text =
        |value: Value<'js>| String::from_utf8_lossy(&bytes_of(&value).unwrap_or_default()).into_owned();
    module.set("text", Func::from(text))
}

/// Where a text stops being base 64: at a wrong letter, or where the last group begins that is not whole.
fn place(text: &str, error: base64::DecodeError) -> usize {
    match error {
        base64::DecodeError::InvalidByte(at, _) => at,
        _ => text
            .find('=')
            .map_or(text.len() / 4 * 4, |at| if text.len().is_multiple_of(4) { at } else { text.len() }),
    }
}
