//! What `console` shows of values: texts as they are, structures with their parts.

use js::rquickjs::{Coerced, Function, Object, Value};

/// Structures within structures that are shown.
const DEPTH_MAX: usize = 32;

/// A value as an argument of `console`.
pub(crate) fn shown(value: &Value<'_>) -> String {
    show(value, &mut Vec::new())
}

fn coerced(value: &Value<'_>) -> String {
    let text = value.get::<Coerced<String>>().map(|text| text.0);
    text.unwrap_or_else(|_| {
        // What its `toString` threw concerns nobody.
        value.ctx().catch();
        format!("[object {}]", value.type_name())
    })
}

/// `around`: the structures that it is in.
fn show<'js>(value: &Value<'js>, around: &mut Vec<Value<'js>>) -> String {
    let is_inner = !around.is_empty();
    if value.is_function() {
        return "[object Function]".to_owned();
    }
    if is_inner && (value.is_null() || value.is_undefined()) {
        return "null".to_owned();
    }
    let Some(object) = value.as_object() else {
        let text = match value.as_symbol() {
            Some(_) => "Symbol()".to_owned(),
            None => coerced(value),
        };
        return if is_inner && value.is_string() { quoted(&text) } else { text };
    };
    if around.contains(value) || around.len() >= DEPTH_MAX {
        return "[Circular]".to_owned();
    }
    let class = class_of(object);
    match class.as_deref() {
        Some("Date") if is_inner => {
            let iso = object.get::<_, Function<'js>>("toISOString");
            let iso =
                iso.and_then(|iso| iso.call::<_, String>((js::rquickjs::function::This(object.clone()),)));
            return iso.map_or_else(|_| "null".to_owned(), |iso| quoted(&iso));
        }
        Some("Date") => return coerced(value),
        _ if object.is_error() => return coerced(value),
        _ => {}
    }
    around.push(value.clone());
    let text = match class.as_deref().filter(|class| class.ends_with("Array") && *class != "Array") {
        Some(class) if object.contains_key("byteLength").unwrap_or_default() => typed(object, class, around),
        _ => structure(value, object, around),
    };
    around.pop();
    text
}

/// The name of what made an object, for those whose makers have one.
fn class_of(object: &Object<'_>) -> Option<String> {
    let maker: Value<'_> = object.get("constructor").ok()?;
    maker.as_object()?.get::<_, Option<String>>("name").ok().flatten()
}

fn structure<'js>(value: &Value<'js>, object: &Object<'js>, around: &mut Vec<Value<'js>>) -> String {
    if value.is_array() || is_list(value) {
        let count = object.get::<_, f64>("length").unwrap_or_default() as usize;
        let items = (0..count).map(|index| match object.get::<_, Value<'js>>(index as u32) {
            Ok(item) => show(&item, around),
            Err(_) => "null".to_owned(),
        });
        return framed("[", items.collect(), "]");
    }
    let keys = object.keys::<String>().flatten().collect::<Vec<_>>();
    let pairs = keys.into_iter().filter_map(|key| {
        let value: Value<'js> = object.get(key.as_str()).ok()?;
        Some(format!("{key}: {}", show(&value, around)))
    });
    framed("{", pairs.collect(), "}")
}

/// Whether it is a list that the engine's own does not know as one, as a shared array.
fn is_list(value: &Value<'_>) -> bool {
    let is_array = || -> js::rquickjs::Result<bool> {
        let array: Object<'_> = value.ctx().globals().get("Array")?;
        array.get::<_, Function<'_>>("isArray")?.call((value.clone(),))
    };
    is_array().unwrap_or_default()
}

fn typed<'js>(object: &Object<'js>, class: &str, around: &mut Vec<Value<'js>>) -> String {
    let count = object.get::<_, f64>("length").unwrap_or_default() as u32;
    let items = (0..count).filter_map(|index| object.get::<_, Value<'js>>(index).ok());
    let items: Vec<String> = items.map(|item| show(&item, around)).collect();
    format!("{class}({count}) {}", framed("[", items, "]"))
}

fn framed(begin: &str, parts: Vec<String>, end: &str) -> String {
    match parts.is_empty() {
        true => format!("{begin}{end}"),
        false => format!("{begin} {} {end}", parts.join(", ")),
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
