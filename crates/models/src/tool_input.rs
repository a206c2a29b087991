//! The arguments of a tool call, between a model's words and a history.
//!
//! A model writes the arguments as text, and what it writes need not be JSON,
//! nor an object. In a history ([`parlor_agent::ContentBlock::ToolUse`]) good arguments are an
//! object, and everything else is kept as it is: other JSON as that JSON, text
//! that is no JSON as a string, and so is JSON with a number in it that would be
//! rounded ([`crate::exact`]). So whoever runs tools sees a call whose input is
//! no object, and answers it with an error that the model can learn from.
//!
//! No API takes such a call back: each wants an object. It goes back as one
//! that holds what was written.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::exact;

/// What a model wrote, as the input of a call. Tools without arguments are
/// often called with nothing, or with `null`.
pub(crate) fn parse(written: &str) -> Value {
    if written.trim().is_empty() {
        return Value::Object(Map::new());
    }
    match serde_json::from_str(written) {
        Ok(Value::Null) => Value::Object(Map::new()),
        Ok(input) if exact::is_exact(written) => input,
        Ok(_) | Err(_) => Value::String(written.to_owned()),
    }
}

/// The input of a call as an API takes it back.
pub(crate) fn as_object(input: &Value) -> Cow<'_, Value> {
    if input.is_object() {
        Cow::Borrowed(input)
    } else {
        Cow::Owned(json!({"invalid_arguments": input}))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_model_writes_is_never_lost() {
        for (written, input, goes_back) in [
            (r#"{"z": 1, "a": 2}"#, json!({"z": 1, "a": 2}), json!({"z": 1, "a": 2})),
            ("", json!({}), json!({})),
            (" \n", json!({}), json!({})),
            ("null", json!({}), json!({})),
            ("[1]", json!([1]), json!({"invalid_arguments": [1]})),
            (
                "{\"n\": 123456789012345678901}",
                json!("{\"n\": 123456789012345678901}"),
                json!({"invalid_arguments": "{\"n\": 123456789012345678901}"}),
            ),
            ("{\"at\": [1,", json!("{\"at\": [1,"), json!({"invalid_arguments": "{\"at\": [1,"})),
        ] {
            let parsed = parse(written);
            assert_eq!(parsed, input, "{written}");
            assert_eq!(*as_object(&parsed), goes_back, "{written}");
        }
    }
}
