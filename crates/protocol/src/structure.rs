//! Reading the JSON that agents write, which is only roughly what was asked for.
//!
//! Validation is strict about what a card cannot do without and lenient about
//! the rest: a number where a text was asked for is taken, one text where a
//! list was asked for is a list of one.

use serde_json::Value;

/// Why JSON that looks like a plan or a question is not one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StructureError {
    /// Not even an object.
    #[error("it is not a JSON object")]
    NotAnObject,
    /// A field that must be there is missing or has no content.
    #[error("'{0}' is missing or empty")]
    Missing(&'static str),
    /// A field has another type than it must have.
    #[error("'{field}' must be {expected}")]
    WrongType {
        /// Which field.
        field: &'static str,
        /// What belongs there.
        expected: &'static str,
    },
}

/// A text that has to be there.
pub(crate) fn required_text(value: &Value, field: &'static str) -> Result<String, StructureError> {
    match value.get(field) {
        None | Some(Value::Null) => Err(StructureError::Missing(field)),
        Some(Value::String(text)) if text.trim().is_empty() => Err(StructureError::Missing(field)),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(StructureError::WrongType { field, expected: "a text" }),
    }
}

/// A text that may be there; numbers are taken as text, anything else as absent.
pub(crate) fn optional_text(value: &Value, field: &str) -> Option<String> {
    value.get(field).and_then(scalar_text).filter(|text| !text.trim().is_empty())
}

/// A list of texts that may be there; one text is a list of one.
pub(crate) fn optional_texts(value: &Value, field: &str) -> Option<Vec<String>> {
    let texts: Vec<String> = match value.get(field)? {
        Value::Array(items) => items.iter().filter_map(scalar_text).collect(),
        other => scalar_text(other).into_iter().collect(),
    };
    let texts: Vec<String> = texts.into_iter().filter(|text| !text.trim().is_empty()).collect();
    (!texts.is_empty()).then_some(texts)
}

/// A list that has to be there and hold something.
pub(crate) fn required_list<'v>(
    value: &'v Value,
    field: &'static str,
) -> Result<&'v [Value], StructureError> {
    match value.get(field) {
        None | Some(Value::Null) => Err(StructureError::Missing(field)),
        Some(Value::Array(items)) if items.is_empty() => Err(StructureError::Missing(field)),
        Some(Value::Array(items)) => Ok(items),
        Some(_) => Err(StructureError::WrongType { field, expected: "a list" }),
    }
}

/// A single text, number or yes/no as text.
pub(crate) fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
