//! Arguments that a person changed before saying yes.
//!
//! The person edits what was shown. What was masked there stands for other
//! bytes, so it must come back untouched, and is put back as it was (S-5).

use serde_json::{Map, Value};

use super::misfit::{self, Misfit};

/// The raw arguments with the person's changes; the error says what to do.
pub(crate) fn merged(
    raw: &Map<String, Value>,
    shown: &Value,
    masked: &[String],
    edited: &Value,
) -> Result<Map<String, Value>, Misfit> {
    let mut merged = edited.clone();
    let raw = Value::Object(raw.clone());
    for pointer in masked {
        if shown.pointer(pointer) != edited.pointer(pointer) {
            return Err(Misfit::masked(pointer));
        }
        match (merged.pointer_mut(pointer), raw.pointer(pointer)) {
            (Some(slot), Some(original)) if !pointer.is_empty() => *slot = original.clone(),
            // The name of a field is masked: there is nowhere to put it back.
            _ => return Err("These arguments hold masked names and cannot be changed.".into()),
        }
    }
    match merged {
        Value::Object(arguments) => Ok(arguments),
        _ => Err("The arguments must be a JSON object.".into()),
    }
}

/// Whether the arguments fit the tool's schema. One that cannot be read
/// refuses nothing: the server checks for itself.
pub(crate) fn fits(schema: Option<&Value>, arguments: &Map<String, Value>) -> Result<(), Misfit> {
    let arguments = Value::Object(arguments.clone());
    schema.and_then(|schema| misfit::fits(schema, &arguments)).unwrap_or(Ok(()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    /// S-5: an edit is merged into the raw input; masked parts stay what they were.
    #[test]
    fn masked_parts_stay_and_the_rest_is_the_persons() {
        let raw =
            object(json!({"title": "Soup", "by": "Claude Code", "n": [1, {"k": "sk-ant-x"}]}));
        let shown = json!({"title": "Soup", "by": "[assistant]", "n": [1, {"k": "[token]"}]});
        let masked = ["/by".to_owned(), "/n/1/k".to_owned()];
        let edited = json!({"title": "Stew", "by": "[assistant]", "n": [2, {"k": "[token]"}]});
        assert_eq!(
            merged(&raw, &shown, &masked, &edited).unwrap(),
            object(json!({"title": "Stew", "by": "Claude Code", "n": [2, {"k": "sk-ant-x"}]}))
        );
        for (bad, why) in [
            (json!({"by": "me", "n": [1, {"k": "[token]"}]}), "By is masked"),
            (json!({"title": "x", "by": "[assistant]"}), "N 2 K is masked"),
            (json!("x"), "By is masked"),
        ] {
            let error = merged(&raw, &shown, &masked, &bad).unwrap_err();
            assert!(error.message.starts_with(why), "{error}");
        }
        assert!(merged(&raw, &shown, &[String::new()], &shown).is_err());
        assert!(merged(&raw, &shown, &["/[x]".to_owned()], &json!({})).is_err());
    }
}
