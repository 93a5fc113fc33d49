//! What `console` shows of values.

use js::rquickjs::{Coerced, Value};

/// A value as `console` shows it; `depth` 0 is an argument itself.
pub(crate) fn shown(value: &Value<'_>, depth: usize) -> String {
    const DEPTH_MAX: usize = 16;
    let coerced = || value.get::<Coerced<String>>().map(|text| text.0).unwrap_or_default();
    if value.is_null() || value.is_undefined() {
        return if depth == 0 { coerced() } else { "null".to_owned() };
    }
    if let Some(text) = value.as_string() {
        let text = text.to_string().unwrap_or_default();
        return if depth == 0 { text } else { format!("{text:?}") };
    }
    if value.is_function() {
        return "[object Function]".to_owned();
    }
    if depth >= DEPTH_MAX {
        return "[Circular]".to_owned();
    }
    if let Some(list) = value.as_array() {
        let items: Vec<String> =
            list.iter::<Value<'_>>().flatten().map(|item| shown(&item, depth + 1)).collect();
        return if items.is_empty() { "[]".to_owned() } else { format!("[ {} ]", items.join(", ")) };
    }
    match value.as_object() {
        Some(object) if !object.is_error() => {
            let pairs = object.props::<String, Value<'_>>().flatten();
            let pairs: Vec<String> =
                pairs.map(|(key, value)| format!("{key}: {}", shown(&value, depth + 1))).collect();
            if pairs.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", pairs.join(", ")) }
        }
        _ => coerced(),
    }
}
