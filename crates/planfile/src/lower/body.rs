//! Bodies: text, files, JSON, forms.

use super::Context;
use super::variables::Scope;
use crate::model::{Body as BodyText, Part as PartText};
use crate::read::{At, Table};
use crate::text::{Node, Value, quoted};
use plan::{Body, Diagnostic, Part};
use std::path::Path;

/// Longest file sent. It is held in memory, once for all users.
const BODY_BYTES_MAX: u64 = 1 << 30;

impl Context<'_, '_> {
    pub(crate) fn body(&mut self, text: Option<&BodyText>, scope: &mut Scope) -> Body {
        let Some(text) = text else { return Body::None };
        if let Some(plain) = &text.text {
            return self.text_body(plain, scope);
        }
        if let Some(file) = &text.file {
            return self.file(file, BODY_BYTES_MAX).map_or(Body::None, Body::Bytes);
        }
        if let Some(json) = &text.json {
            let mut compact = String::new();
            self.write_json(&json.0, &mut compact);
            return self.templated(&compact, &json.0, scope);
        }
        if text.form.is_some() {
            return Body::Form(self.pairs(text.form.as_ref(), scope));
        }
        match &text.multipart {
            Some(parts) if parts.0.is_empty() => {
                self.error(
                    text.key_at("multipart"),
                    "a multipart body has at least one part",
                    "add `- { name: …, text: … }`",
                );
                Body::None
            }
            Some(parts) => Body::Multipart(parts.0.iter().map(|part| self.part(part, scope)).collect()),
            None => Body::None,
        }
    }

    fn text_body(&mut self, text: &At<String>, scope: &mut Scope) -> Body {
        let template = self.template(text, scope);
        match template.as_static() {
            Some("") => Body::None,
            Some(fixed) => Body::Bytes(fixed.as_bytes().to_vec()),
            None => Body::Text(template),
        }
    }

    fn templated(&mut self, compact: &str, node: &Node, scope: &mut Scope) -> Body {
        let template = self.template_of(compact, node.at, scope);
        match template.as_static() {
            Some(fixed) => Body::Bytes(fixed.as_bytes().to_vec()),
            None => Body::Text(template),
        }
    }

    fn part(&mut self, text: &PartText, scope: &mut Scope) -> Part {
        let (content, file_name) = match (&text.text, &text.file) {
            (Some(plain), _) => (self.text_body(plain, scope), None),
            (None, Some(file)) => {
                let name = Path::new(&file.value).file_name().map(|name| name.to_string_lossy().into_owned());
                (self.file(file, BODY_BYTES_MAX).map_or(Body::None, Body::Bytes), name)
            }
            (None, None) => (Body::None, None),
        };
        if let Some(media_type) = &text.media_type {
            self.header_text(&media_type.value, media_type.at);
        }
        Part {
            name: text.name.as_ref().map(|name| name.value.clone()).unwrap_or_default(),
            file_name: text.file_name.as_ref().map(|name| name.value.clone()).or(file_name),
            content_type: text.media_type.as_ref().map(|media_type| media_type.value.clone()),
            content,
        }
    }

    /// Compact JSON with keys in their order. Plain scalars mean what YAML 1.2's core schema says (§10.3.2).
    fn write_json(&mut self, node: &Node, out: &mut String) {
        match &node.value {
            Value::List(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    self.write_json(item, out);
                }
                out.push(']');
            }
            Value::Map(entries) => {
                out.push('{');
                for (index, entry) in entries.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    push_json_text(&entry.key, out);
                    out.push(':');
                    self.write_json(&entry.node, out);
                }
                out.push('}');
            }
            Value::Scalar { .. } if node.is_null() => out.push_str("null"),
            Value::Scalar { text, plain: true } => match text.as_str() {
                "true" | "True" | "TRUE" => out.push_str("true"),
                "false" | "False" | "FALSE" => out.push_str("false"),
                text => match json_number(text) {
                    Number::Is(number) => out.push_str(&number),
                    Number::IsNot => push_json_text(text, out),
                    Number::Unsayable => {
                        let fault = Diagnostic::error(format!("JSON can't say {}", quoted(text)));
                        self.faults.push(node.at, fault.hint("put it into quotes to send it as text"));
                    }
                },
            },
            Value::Scalar { text, plain: false } => push_json_text(text, out),
        }
    }
}

fn push_json_text(text: &str, out: &mut String) {
    out.push_str(&serde_json::Value::from(text).to_string());
}

/// Whether a plain scalar is a number.
enum Number {
    Is(String),
    IsNot,
    /// Infinite, not a number, or too long.
    Unsayable,
}

/// What is a number in JSON stays as it was written, so that no digit is lost.
fn json_number(text: &str) -> Number {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Number::Unsayable;
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        if let Some(digits) = text.strip_prefix(prefix)
            && !digits.is_empty()
            && digits.chars().all(|c| c.is_digit(radix))
        {
            return u128::from_str_radix(digits, radix)
                .map_or(Number::Unsayable, |number| Number::Is(number.to_string()));
        }
    }
    let is_number_like = unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && unsigned.contains(|c: char| c.is_ascii_digit())
        && unsigned.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-'));
    if !is_number_like {
        return Number::IsNot;
    }
    if is_json_number(text) {
        return Number::Is(text.to_owned());
    }
    // Forms that YAML has and JSON has not: `+1`, `007`, `.5`, `1.`.
    let is_integer = unsigned.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse::<f64>() {
        Err(_) => Number::IsNot,
        Ok(_) if is_integer => {
            let digits = unsigned.trim_start_matches('0');
            let sign = if text.starts_with('-') { "-" } else { "" };
            Number::Is(if digits.is_empty() { "0".to_owned() } else { format!("{sign}{digits}") })
        }
        Ok(number) => serde_json::Number::from_f64(number)
            .map_or(Number::Unsayable, |number| Number::Is(number.to_string())),
    }
}

/// RFC 8259 §6.
fn is_json_number(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (unsigned, None),
    };
    let (integer, fraction) = match mantissa.split_once('.') {
        Some((integer, fraction)) => (integer, Some(fraction)),
        None => (mantissa, None),
    };
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_digits(integer)
        && (integer == "0" || !integer.starts_with('0'))
        && fraction.is_none_or(is_digits)
        && exponent.is_none_or(is_digits)
}
