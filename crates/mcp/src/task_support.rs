//! Tools that can only be called as tasks (`execution.taskSupport: "required"`).
//!
//! The library drops that field. Before a message is parsed, it is moved to `_meta`, which the
//! library keeps.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// The key in `_meta` that marks such a tool.
pub(super) const NEEDS_TASK: &str = "parlor/needs-task";
const FIELD: &str = "\"taskSupport\"";

/// The message with such tools marked. Nearly all messages are returned unchanged.
pub(super) fn marked(message: &[u8]) -> Cow<'_, [u8]> {
    let is_about_tasks = std::str::from_utf8(message).is_ok_and(|text| text.contains(FIELD));
    match is_about_tasks.then(|| mark(message)).flatten() {
        Some(marked) => Cow::Owned(marked),
        None => Cow::Borrowed(message),
    }
}

fn mark(message: &[u8]) -> Option<Vec<u8>> {
    let mut message: Value = serde_json::from_slice(message).ok()?;
    for tool in message.pointer_mut("/result/tools")?.as_array_mut()? {
        if tool.pointer("/execution/taskSupport").and_then(Value::as_str) == Some("required")
            && let Some(fields) = tool.as_object_mut()
            && let Value::Object(meta) =
                fields.entry("_meta").or_insert_with(|| Value::Object(Map::new()))
        {
            meta.insert(NEEDS_TASK.to_owned(), Value::Bool(true));
        }
    }
    serde_json::to_vec(&message).ok()
}
