//! What `console` shows of values: texts as they are, structures with their parts.

use js::rquickjs::{Coerced, Function, Object, Result, Value};

/// Structures within structures that are shown.
const DEPTH_MAX: usize = 64;
/// Length of what is shown of one argument, bytes. A structure that names its parts many times has no end otherwise, and a log line of
/// megabytes is read by nobody.
const SHOWN_BYTES_MAX: usize = 4 << 20;
/// What stands in the place of what is not shown.
const CUT: &str = "…";

/// A value as an argument of `console`.
pub(crate) fn shown(value: &Value<'_>) -> String {
    let mut shown = Shown { text: String::new(), around: Vec::new(), is_over: false };
    shown.show(value);
    let mut text = shown.text;
    if text.len() > SHOWN_BYTES_MAX {
        let mut end = SHOWN_BYTES_MAX;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push_str(CUT);
    }
    text
}

fn coerced(value: &Value<'_>) -> String {
    let text = value.get::<Coerced<String>>().map(|text| text.0);
    text.unwrap_or_else(|_| {
        // What its `toString` threw concerns nobody.
        value.ctx().catch();
        format!("[object {}]", value.type_name())
    })
}

/// A text on its way.
struct Shown<'js> {
    text: String,
    /// The structures that the next value is in.
    around: Vec<Value<'js>>,
    /// Whether the script was stopped meanwhile.
    is_over: bool,
}

impl<'js> Shown<'js> {
    fn show(&mut self, value: &Value<'js>) {
        let is_inner = !self.around.is_empty();
        if value.is_function() {
            return self.text.push_str("[object Function]");
        }
        if is_inner && (value.is_null() || value.is_undefined()) {
            return self.text.push_str("null");
        }
        let Some(object) = value.as_object() else {
            let text = match value.as_symbol() {
                Some(_) => "Symbol()".to_owned(),
                None => coerced(value),
            };
            let is_quoted = is_inner && value.is_string();
            return self.text.push_str(&if is_quoted { quoted(&text) } else { text });
        };
        if self.around.contains(value) {
            return self.text.push_str("[Circular]");
        }
        if self.around.len() >= DEPTH_MAX {
            return self.text.push_str(CUT);
        }
        let class = class_of(object);
        match class.as_deref() {
            Some("Date") => {
                let iso = object.get::<_, Function<'js>>("toISOString");
                let iso = iso
                    .and_then(|iso| iso.call::<_, String>((js::rquickjs::function::This(object.clone()),)));
                let iso = iso.map_or_else(|_| "null".to_owned(), |iso| quoted(&iso));
                return self.text.push_str(&iso);
            }
            _ if object.is_error() => return self.text.push_str(&coerced(value)),
            _ => {}
        }
        self.around.push(value.clone());
        match class.as_deref().filter(|class| class.ends_with("Array") && *class != "Array") {
            Some(class) if object.contains_key("byteLength").unwrap_or_default() => {
                let count = object.get::<_, f64>("length").unwrap_or_default();
                self.text.push_str(&format!("{class}({count}) "));
                self.items(object, count);
            }
            _ if value.is_array() || is_list(value) => {
                let count = object.get::<_, f64>("length").unwrap_or_default();
                self.items(object, count);
            }
            _ => self.pairs(object),
        }
        self.around.pop();
    }

    /// Whether there is room for more.
    fn goes_on(&mut self) -> bool {
        !self.is_over && self.text.len() <= SHOWN_BYTES_MAX
    }

    /// What looking at a part gave. A script that was stopped within it is over.
    fn looked(&mut self, object: &Object<'js>, part: Result<Value<'js>>) -> Option<Value<'js>> {
        if part.is_err() {
            self.is_over |= object.ctx().catch().is_uncatchable_error();
        }
        part.ok()
    }

    fn items(&mut self, object: &Object<'js>, count: f64) {
        self.text.push('[');
        let count = count as u32;
        for index in 0..count {
            if !self.goes_on() {
                break;
            }
            self.text.push_str(if index == 0 { " " } else { ", " });
            let item = object.get::<_, Value<'js>>(index);
            match self.looked(object, item) {
                Some(item) => self.show(&item),
                None => self.text.push_str("null"),
            }
        }
        self.text.push_str(if count == 0 { "]" } else { " ]" });
    }

    fn pairs(&mut self, object: &Object<'js>) {
        self.text.push('{');
        let mut is_first = true;
        for key in object.keys::<String>() {
            if !self.goes_on() {
                break;
            }
            let value =
                key.and_then(|key| object.get::<_, Value<'js>>(key.as_str()).map(|value| (key, value)));
            let (key, value) = match value {
                Ok(pair) => pair,
                Err(error) => {
                    self.looked(object, Err(error));
                    continue;
                }
            };
            self.text.push_str(if is_first { " " } else { ", " });
            is_first = false;
            self.text.push_str(&key);
            self.text.push_str(": ");
            self.show(&value);
        }
        self.text.push_str(if is_first { "}" } else { " }" });
    }
}

/// The name of what made an object, for those whose makers have one.
fn class_of(object: &Object<'_>) -> Option<String> {
    let maker: Value<'_> = object.get("constructor").ok()?;
    maker.as_object()?.get::<_, Option<String>>("name").ok().flatten()
}

/// Whether it is a list that the engine's own does not know as one, as a shared array.
fn is_list(value: &Value<'_>) -> bool {
    let is_array = || -> Result<bool> {
        let array: Object<'_> = value.ctx().globals().get("Array")?;
        array.get::<_, Function<'_>>("isArray")?.call((value.clone(),))
    };
    is_array().unwrap_or_default()
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
