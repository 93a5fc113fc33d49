//! Values on their way from one thread's state to another's: copied, since states share nothing.

use mlua::{Error, Lua, Result, Value};

/// Tables within tables at most. A table that contains itself would have no end; data is a few levels deep.
const DEPTH_MAX: usize = 64;

/// A copy of `value` in the state `to`: nil, booleans, numbers, strings, and tables of these.
///
/// # Errors
/// Another type, or tables nested too deep.
pub(super) fn copy(value: &Value, to: &Lua) -> Result<Value> {
    copy_at(value, to, DEPTH_MAX)
}

fn copy_at(value: &Value, to: &Lua, depth_left: usize) -> Result<Value> {
    Ok(match value {
        Value::Nil => Value::Nil,
        Value::Boolean(value) => Value::Boolean(*value),
        Value::Integer(value) => Value::Integer(*value),
        Value::Number(value) => Value::Number(*value),
        Value::String(text) => Value::String(to.create_string(text.as_bytes())?),
        Value::Table(table) => {
            let Some(depth_left) = depth_left.checked_sub(1) else {
                let text = format!(
                    "a table can't be given to another thread: it is more than {DEPTH_MAX} levels deep, or contains itself"
                );
                return Err(Error::RuntimeError(text));
            };
            let copied = to.create_table()?;
            for pair in table.pairs::<Value, Value>() {
                let (key, value) = pair?;
                copied.raw_set(copy_at(&key, to, depth_left)?, copy_at(&value, to, depth_left)?)?;
            }
            Value::Table(copied)
        }
        other => {
            return Err(Error::RuntimeError(format!(
                "a {} can't be given to another thread: only nil, booleans, numbers, strings and tables of these",
                other.type_name()
            )));
        }
    })
}
