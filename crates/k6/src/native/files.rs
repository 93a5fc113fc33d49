//! `open` and `k6/experimental/fs`: files that a script reads while it loads. A file is read once for all users, and only what the first look at
//! the script opened can be opened: so a run never waits for a disk.

use super::{buffer, bytes_of};
use crate::host::VuHost;
use crate::sources::normal;
use js::Calls;
use js::rquickjs::function::Opt;
use js::rquickjs::{Ctx, Exception, Function, IntoJs as _, Object, Result, Value};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files by their paths.
pub(crate) type Opened = std::sync::Mutex<std::collections::HashMap<PathBuf, Arc<[u8]>>>;

/// The bytes of a file: beside the module that asks, or else beside the script.
fn bytes(ctx: &Ctx<'_>, calls: &Calls<VuHost>, what: &str, path: &str) -> Result<Arc<[u8]>> {
    let host = calls.host();
    host.only_in_init(ctx, what)?;
    if path.is_empty() {
        return Err(Exception::throw_message(ctx, &format!("{what} can't be used with an empty filename")));
    }
    let path = path.strip_prefix("file://").unwrap_or(path);
    let beside = calls.caller(ctx).map(PathBuf::from);
    let beside = beside.as_deref().and_then(Path::parent).map(|folder| normal(&folder.join(path)));
    let places = beside.into_iter().chain([normal(&host.test.folder.join(path))]);
    let mut opened =
        host.test.state.opened.lock().map_err(|_| Exception::throw_message(ctx, "a file can't be opened"))?;
    let mut said = String::new();
    for place in places {
        if let Some(bytes) = opened.get(&place) {
            return Ok(Arc::clone(bytes));
        }
        if host.vu.id != 0 {
            said = format!(
                "{what} can't be used with files that weren't previously opened during initialization (__VU==0), path: {path:?}"
            );
            continue;
        }
        if place.as_os_str().is_empty() || place.is_dir() {
            said = format!("{what} can't be used with directories, path: {path:?}");
            continue;
        }
        match host.test.read(&place) {
            Ok(bytes) => {
                let bytes: Arc<[u8]> = bytes.into();
                opened.insert(place, Arc::clone(&bytes));
                return Ok(bytes);
            }
            Err(error) => said = error,
        }
    }
    Err(Exception::throw_message(ctx, &said))
}

/// The global `open`.
pub(crate) fn open<'js>(
    ctx: &Ctx<'js>,
    calls: &Calls<VuHost>,
    path: &str,
    mode: Option<&str>,
) -> Result<Value<'js>> {
    let bytes = bytes(ctx, calls, "open()", path)?;
    if mode == Some("b") {
        return buffer(ctx, calls, bytes.to_vec());
    }
    String::from_utf8_lossy(&bytes).into_js(ctx)
}

/// `open(path)`: a function from an offset and a count to bytes, or without them to the size.
pub(super) fn module<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, module: &Object<'js>) -> Result<()> {
    let own = calls.clone();
    let open = move |ctx: Ctx<'js>, path: String| -> Result<Function<'js>> {
        let bytes = bytes(&ctx, &own, "fs.open()", &path)?;
        let own = own.clone();
        let read = move |ctx: Ctx<'js>, offset: Opt<f64>, count: Opt<f64>| -> Result<Value<'js>> {
            let (Some(offset), Some(count)) = (offset.0, count.0) else {
                return (bytes.len() as f64).into_js(&ctx);
            };
            let begin = (offset as usize).min(bytes.len());
            let end = begin.saturating_add(count as usize).min(bytes.len());
            buffer(&ctx, &own, bytes.get(begin..end).unwrap_or_default().to_vec())
        };
        Function::new(ctx, read)
    };
    module.set("open", Function::new(ctx.clone(), open)?)?;
    let text = |data: Value<'js>| String::from_utf8_lossy(&bytes_of(&data).unwrap_or_default()).into_owned();
    module.set("text", Function::new(ctx.clone(), text)?)
}
