//! Bodies of requests: bytes, forms, files in parts, and what compresses them.

use crate::host::bytes_of;
use js::rquickjs::{Coerced, Object, Result, Value};
use std::io::Write as _;

/// Of 0 to 11: the one of k6's encoder where nothing else is said, a balance of time and size.
const BROTLI_QUALITY: i32 = 6;

/// A body and what it says of itself.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Body {
    pub(crate) bytes: Option<Vec<u8>>,
    pub(crate) content_type: Option<String>,
    /// Fields whose values were objects: sent as nothing.
    pub(crate) nested: Vec<String>,
}

/// One field of an object.
enum Field {
    Text(String),
    File { data: Vec<u8>, name: String, content_type: String },
}

/// The body that a script gives; the inner error is what is wrong with it. `unique` tells parts from their content.
pub(crate) fn read(
    value: Option<&Value<'_>>,
    unique: impl FnOnce() -> u64,
) -> Result<std::result::Result<Body, String>> {
    let Some(value) = value.filter(|value| !value.is_null() && !value.is_undefined()) else {
        return Ok(Ok(Body::default()));
    };
    if let Some(bytes) = bytes_of(value) {
        return Ok(Ok(Body { bytes: Some(bytes), ..Body::default() }));
    }
    match value.as_object().filter(|object| !object.is_function()) {
        Some(object) => fields(object, unique()),
        None => Ok(Err("unknown request body type".to_owned())),
    }
}

fn fields(object: &Object<'_>, unique: u64) -> Result<std::result::Result<Body, String>> {
    let mut all: Vec<(String, Field)> = Vec::new();
    let mut nested = Vec::new();
    let mut has_file = false;
    for pair in object.props::<String, Value<'_>>() {
        let (key, value) = pair?;
        match value.as_array() {
            Some(list) => {
                for one in list.iter::<Value<'_>>() {
                    let text = text_of(&one?, &key, &mut nested)?;
                    all.push((key.clone(), Field::Text(text)));
                }
            }
            None => match file_of(&value)? {
                Some(Ok(file)) => {
                    has_file = true;
                    all.push((key, file));
                }
                Some(Err(said)) => return Ok(Err(said)),
                None => {
                    let text = text_of(&value, &key, &mut nested)?;
                    all.push((key, Field::Text(text)));
                }
            },
        }
    }
    all.sort_by(|(a, _), (b, _)| a.cmp(b));
    let (bytes, content_type) = if has_file { parts(all, unique) } else { form(all) };
    Ok(Ok(Body { bytes: Some(bytes), content_type: Some(content_type), nested }))
}

fn text_of(value: &Value<'_>, key: &str, nested: &mut Vec<String>) -> Result<String> {
    if value.is_null() || value.is_undefined() {
        return Ok(String::new());
    }
    if value.is_object() {
        nested.push(key.to_owned());
        return Ok(String::new());
    }
    Ok(value.get::<Coerced<String>>()?.0)
}

/// What `http.file` made, if the value is that.
fn file_of(value: &Value<'_>) -> Result<Option<std::result::Result<Field, String>>> {
    let Some(object) = value.as_object().filter(|object| object.contains_key("__file").unwrap_or(false))
    else {
        return Ok(None);
    };
    let data: Value<'_> = object.get("data")?;
    let data = match (bytes_of(&data), data.as_array()) {
        (Some(bytes), _) => bytes,
        (None, Some(list)) => {
            list.iter::<Coerced<f64>>().map(|byte| Ok(byte?.0 as u8)).collect::<Result<_>>()?
        }
        _ => {
            return Ok(Some(
                Err("invalid type of http.file data: use a string or an ArrayBuffer".to_owned()),
            ));
        }
    };
    let name = object.get::<_, Coerced<String>>("filename")?.0;
    let content_type = object.get::<_, Coerced<String>>("content_type")?.0;
    Ok(Some(Ok(Field::File { data, name, content_type })))
}

/// `application/x-www-form-urlencoded`
fn form(fields: Vec<(String, Field)>) -> (Vec<u8>, String) {
    let mut text = String::new();
    for (key, field) in fields {
        if !text.is_empty() {
            text.push('&');
        }
        encode(&key, &mut text);
        text.push('=');
        if let Field::Text(value) = field {
            encode(&value, &mut text);
        }
    }
    (text.into_bytes(), "application/x-www-form-urlencoded".to_owned())
}

fn encode(text: &str, out: &mut String) {
    use std::fmt::Write as _;
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            b' ' => out.push('+'),
            // Writing to a text can't fail.
            _ => write!(out, "%{byte:02X}").unwrap_or_default(),
        }
    }
}

/// `multipart/form-data`, RFC 7578.
fn parts(fields: Vec<(String, Field)>, unique: u64) -> (Vec<u8>, String) {
    let boundary = format!("weir{unique:016x}{:016x}", unique.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let quoted = |text: &str| {
        let line = text.replace('\\', "\\\\").replace('"', "\\\"");
        line.replace('\r', "%0D").replace('\n', "%0A")
    };
    let mut bytes = Vec::new();
    for (key, field) in fields {
        let begin = format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{}\"", quoted(&key));
        bytes.extend_from_slice(begin.as_bytes());
        let data = match field {
            Field::Text(text) => {
                bytes.extend_from_slice(b"\r\n\r\n");
                text.into_bytes()
            }
            Field::File { data, name, content_type } => {
                let kind: String = content_type.chars().filter(|letter| !letter.is_control()).collect();
                let rest = format!("; filename=\"{}\"\r\nContent-Type: {kind}\r\n\r\n", quoted(&name));
                bytes.extend_from_slice(rest.as_bytes());
                data
            }
        };
        bytes.extend_from_slice(&data);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    (bytes, format!("multipart/form-data; boundary={boundary}"))
}

/// Compresses by each of a comma list, in its order; the value of `Content-Encoding`, and the body.
///
/// # Errors
/// A name that is none, or that can't be written here.
pub(crate) fn compress(body: Vec<u8>, list: &str) -> std::result::Result<(Vec<u8>, String), String> {
    use flate2::Compression;
    let mut names = Vec::new();
    let mut bytes = body;
    for name in list.split(',').map(str::trim) {
        let said = |error: std::io::Error| format!("compression {name}: {error}");
        bytes = match name {
            "gzip" => {
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(&bytes).and_then(|()| encoder.finish()).map_err(said)?
            }
            "deflate" => {
                let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(&bytes).and_then(|()| encoder.finish()).map_err(said)?
            }
            "br" => {
                let mut compressed = Vec::new();
                let parameters =
                    brotli::enc::BrotliEncoderParams { quality: BROTLI_QUALITY, ..Default::default() };
                brotli::BrotliCompress(&mut bytes.as_slice(), &mut compressed, &parameters).map_err(said)?;
                compressed
            }
            "zstd" => ruzstd::encoding::compress_to_vec(
                bytes.as_slice(),
                ruzstd::encoding::CompressionLevel::Fastest,
            ),
            _ => {
                return Err(format!(
                    "unknown compression algorithm \"{}\": use gzip, deflate, br or zstd",
                    name.escape_debug()
                ));
            }
        };
        names.push(name);
    }
    Ok((bytes, names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &str) -> Field {
        Field::Text(value.to_owned())
    }

    #[test]
    fn forms_are_encoded() {
        let fields = vec![("a b".to_owned(), text("1&2")), ("c".to_owned(), text("ä~"))];
        assert_eq!(form(fields).0, b"a+b=1%262&c=%C3%A4~");
    }

    #[test]
    fn files_are_parts() {
        let file = Field::File { data: vec![0, 1], name: "a\"b\\\r".into(), content_type: "text/x\n".into() };
        let (bytes, kind) = parts(vec![("f".to_owned(), file), ("t".to_owned(), text("v"))], 7);
        let boundary = kind.strip_prefix("multipart/form-data; boundary=").unwrap();
        let expected = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a\\\"b\\\\%0D\"\r\nContent-Type: text/x\r\n\r\n\0\u{1}\r\n--{boundary}\r\nContent-Disposition: form-data; name=\"t\"\r\n\r\nv\r\n--{boundary}--\r\n"
        );
        assert_eq!(String::from_utf8(bytes).unwrap(), expected);
    }

    #[test]
    fn compression_is_undone_by_the_same_names() {
        let body = b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa".to_vec();
        for list in ["gzip", "deflate", "br", "zstd", "gzip, deflate", "br, gzip, zstd"] {
            let (bytes, names) = compress(body.clone(), list).unwrap();
            assert_eq!(names, list);
            let plain = proto::content::decode(names.as_bytes(), &bytes, 1 << 20).unwrap();
            assert_eq!(plain.as_ref(), body.as_slice(), "{list}");
        }
        let (empty, _) = compress(Vec::new(), "zstd, br").unwrap();
        assert_eq!(proto::content::decode(b"zstd, br", &empty, 64).unwrap().as_ref(), b"");
        assert!(compress(body.clone(), "lzw").is_err());
        assert!(compress(body, "gzip,").is_err());
    }
}
