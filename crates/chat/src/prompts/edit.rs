//! Arguments that a person edits before approving a call.
//!
//! The person edits what was shown. A masked part must come back unchanged, and its raw
//! value is put back (S-5).

use serde_json::{Map, Value};

use crate::validation_error::{self, ValidationError};

/// The raw arguments with the person's changes.
pub(super) fn merge(
    raw: &Map<String, Value>,
    shown: &Value,
    masked: &[String],
    edited: &Value,
) -> Result<Map<String, Value>, ValidationError> {
    let mut merged = edited.clone();
    let raw = Value::Object(raw.clone());
    for pointer in masked {
        if shown.pointer(pointer) != edited.pointer(pointer) {
            return Err(ValidationError::masked(pointer));
        }
        match (merged.pointer_mut(pointer), raw.pointer(pointer)) {
            (Some(slot), Some(original)) if !pointer.is_empty() => *slot = original.clone(),
            // The name of a field is masked: its raw name cannot be put back.
            _ => return Err("These arguments hold masked names and cannot be changed.".into()),
        }
    }
    match merged {
        Value::Object(arguments) => Ok(arguments),
        _ => Err("The arguments must be a JSON object.".into()),
    }
}

/// Validates the arguments against the tool's schema. A schema that is not valid refuses
/// nothing: the MCP server validates for itself.
pub(super) fn validate(
    schema: Option<&Value>,
    arguments: &Map<String, Value>,
) -> Result<(), ValidationError> {
    let arguments = Value::Object(arguments.clone());
    schema.and_then(|schema| validation_error::validate(schema, &arguments)).unwrap_or(Ok(()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    /// S-5: an edit is merged into the raw input; masked parts keep their raw value.
    #[test]
    fn masked_parts_stay_and_the_rest_is_edited() {
        let raw =
            object(json!({"title": "Soup", "by": "Claude Code", "n": [1, {"k": "sk-ant-x"}]}));
        let shown = json!({"title": "Soup", "by": "[assistant]", "n": [1, {"k": "[token]"}]});
        let masked = ["/by".to_owned(), "/n/1/k".to_owned()];
        let edited = json!({"title": "Stew", "by": "[assistant]", "n": [2, {"k": "[token]"}]});
        assert_eq!(
            merge(&raw, &shown, &masked, &edited).unwrap(),
            object(json!({"title": "Stew", "by": "Claude Code", "n": [2, {"k": "sk-ant-x"}]}))
        );
        for (bad, why) in [
            (json!({"by": "me", "n": [1, {"k": "[token]"}]}), "By is masked"),
            (json!({"title": "x", "by": "[assistant]"}), "N 2 K is masked"),
            (json!("x"), "By is masked"),
        ] {
            let error = merge(&raw, &shown, &masked, &bad).unwrap_err();
            assert!(error.message.starts_with(why), "{error}");
        }
        assert!(merge(&raw, &shown, &[String::new()], &shown).is_err());
        assert!(merge(&raw, &shown, &["/[x]".to_owned()], &json!({})).is_err());
    }
}
