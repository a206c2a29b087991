//! Tools that can only be called as tasks (`execution.taskSupport: "required"`).
//!
//! The library drops the field that says so. It is moved to where the library keeps
//! what it does not know, before a message is read.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// Marks such a tool in its `_meta`.
pub(super) const NEEDS_TASK: &str = "parlor/needs-task";
const FIELD: &str = "\"taskSupport\"";

/// The message with its tools marked. Nearly all messages stay as they are.
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
