//! Reads fields of a program's lines leniently: a field of another type counts as missing.

use serde_json::{Map, Value};

/// A text; empty if it is missing.
pub(crate) fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// A text that is not empty.
pub(crate) fn said<'v>(value: &'v Value, field: &str) -> Option<&'v str> {
    Some(text(value, field)).filter(|text| !text.trim().is_empty())
}

/// A flag.
pub(crate) fn flag(value: &Value, field: &str) -> bool {
    value.get(field).and_then(Value::as_bool).unwrap_or_default()
}

/// A number.
pub(crate) fn number(value: &Value, field: &str) -> u64 {
    value.get(field).and_then(Value::as_u64).unwrap_or_default()
}

/// An object; empty if it is missing.
pub(crate) fn object(value: &Value, field: &str) -> Map<String, Value> {
    value.get(field).and_then(Value::as_object).cloned().unwrap_or_default()
}

/// The content blocks of a message; a bare text counts as one.
pub(crate) fn blocks(message: &Value) -> Vec<Value> {
    match message.get("content") {
        Some(Value::Array(blocks)) => blocks.clone(),
        Some(Value::String(text)) => vec![serde_json::json!({"type": "text", "text": text})],
        _ => Vec::new(),
    }
}
