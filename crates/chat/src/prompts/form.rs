//! Forms of MCP servers: a JSON Schema that an answer must fit (M-3). A form that asks for a
//! password or another secret is not shown.
//!
//! Formats are validated, unknown fields are refused, and a field that was left out gets its
//! default, if the default is valid.

use serde_json::{Map, Value};

use crate::schema::compile_with_formats;
use crate::validation_error::{self, ValidationError};

/// A field whose name contains one of these asks for a secret.
const SECRETS: &[&str] = &[
    "password", "passwd", "passphrase", "passcode", "secret", "token", "apikey", "credential",
    "privatekey", "pincode", "senha", "cvv", "cvc", "ssn",
];

/// Why a form is not shown; `None` if it is.
pub(crate) fn refusal(schema: &Value) -> Option<String> {
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        return Some("its form is not an object".to_owned());
    }
    if let Some(field) = secret_field(schema) {
        return Some(format!("it asks for '{field}', and passwords are never asked for here"));
    }
    compile_with_formats(schema).err().map(|error| format!("its form is not valid: {error}"))
}

/// The answer with its defaults, if it is valid; the error names the field.
pub(crate) fn validate(schema: &Value, answer: &Value) -> Result<Value, ValidationError> {
    let validator = compile_with_formats(schema).map_err(|_| "This form cannot be answered.")?;
    let fields = schema.get("properties").and_then(Value::as_object);
    let mut answer = answer.clone();
    if let (Some(fields), Value::Object(given)) = (fields, &mut answer) {
        // A form with `additionalProperties` decides about unknown fields itself.
        if schema.get("additionalProperties").is_none()
            && let Some(unknown) = given.keys().find(|name| !fields.contains_key(*name))
        {
            return Err(ValidationError::unknown(schema, unknown));
        }
        add_defaults(fields, given);
        remove_blanks(schema, fields, given);
    }
    validation_error::validate_with(&validator, schema, &answer)?;
    Ok(answer)
}

/// Removes optional fields that were cleared: an empty text is of no format.
fn remove_blanks(schema: &Value, fields: &Map<String, Value>, given: &mut Map<String, Value>) {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &String| {
        required.is_some_and(|names| names.iter().any(|required| required == name.as_str()))
    };
    let has_format = |name: &String| fields.get(name).is_some_and(|f| f.get("format").is_some());
    given.retain(|name, value| value != "" || is_required(name) || !has_format(name));
}

/// Adds the defaults of missing fields. A default that does not fit its own field is ignored.
fn add_defaults(fields: &Map<String, Value>, given: &mut Map<String, Value>) {
    for (name, field) in fields {
        let Some(default) = field.get("default").filter(|_| !given.contains_key(name)) else {
            continue;
        };
        if compile_with_formats(field).is_ok_and(|validator| validator.is_valid(default)) {
            given.insert(name.clone(), default.clone());
        }
    }
}

fn secret_field(schema: &Value) -> Option<&str> {
    let fields = schema.get("properties")?.as_object()?;
    let is_secret = |name: &str, field: &Value| {
        let title = field.get("title").and_then(Value::as_str).unwrap_or_default();
        let format = field.get("format").and_then(Value::as_str);
        format == Some("password") || [name, title].iter().any(|text| names_a_secret(text))
    };
    fields.iter().find(|(name, field)| is_secret(name, field)).map(|(name, _)| name.as_str())
}

fn names_a_secret(text: &str) -> bool {
    let letters: String =
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    SECRETS.iter().any(|secret| letters.contains(secret))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// M-3: fields for secrets are refused, whatever their names.
    #[test]
    fn forms_that_ask_for_secrets_are_not_shown() {
        let form = |fields: Value| json!({"type": "object", "properties": fields});
        assert_eq!(refusal(&form(json!({"guests": {"type": "integer"}}))), None);
        for secret in [
            json!({"Pass-Word": {"type": "string"}}),
            json!({"x": {"type": "string", "format": "password"}}),
            json!({"x": {"type": "string", "title": "Your API key"}}),
            json!({"senha_do_banco": {"type": "string"}}),
        ] {
            assert!(refusal(&form(secret.clone())).is_some(), "{secret}");
        }
        assert!(refusal(&json!({"type": "string"})).is_some());
        assert!(refusal(&json!({"type": "object", "properties": {"a": {"type": 3}}})).is_some());
    }

    /// P-5: a validation error names the field.
    #[test]
    fn an_answer_must_fit_the_schema() {
        let schema = json!({"type": "object", "required": ["n"],
            "properties": {"n": {"type": "integer", "minimum": 1}}});
        assert!(validate(&schema, &json!({"n": 2})).is_ok());
        assert!(
            validate(&schema, &json!({"n": 0})).unwrap_err().message.starts_with("N is too small")
        );
        assert_eq!(validate(&schema, &json!({})).unwrap_err().message, "N is missing.");
    }

    /// M-3: an answer must have the format that the form asks for.
    #[test]
    fn formats_are_checked() {
        for (format, good, bad) in [
            ("email", "ana@example.org", "ana"),
            ("uri", "https://example.org/a", "example"),
            ("date", "2026-11-17", "17.11.2026"),
            ("date-time", "2026-11-17T12:00:00Z", "noon"),
        ] {
            let field = json!({"type": "string", "format": format});
            let schema = json!({"type": "object", "properties": {"x": field}});
            assert!(validate(&schema, &json!({"x": good})).is_ok(), "{format}");
            assert_eq!(
                validate(&schema, &json!({"x": ""})),
                Ok(json!({})),
                "a cleared field is left out"
            );
            assert!(
                validate(&schema, &json!({"x": bad})).unwrap_err().message.starts_with("X "),
                "{format}"
            );
        }
    }

    /// M-3: a server gets only the fields of its form, with their defaults.
    #[test]
    fn unknown_fields_are_refused_and_defaults_are_filled_in() {
        let schema = json!({"type": "object", "required": ["size"], "properties": {
            "size": {"type": "string", "enum": ["S", "L"], "default": "L"},
            "guests": {"type": "integer", "default": 4},
            "odd": {"type": "integer", "default": "four"},
            "note": {"type": "string"},
        }});
        assert_eq!(validate(&schema, &json!({})), Ok(json!({"size": "L", "guests": 4})));
        let given = json!({"guests": 2, "size": "S", "note": ""});
        assert_eq!(validate(&schema, &given), Ok(given));
        let error = validate(&schema, &json!({"size": "S", "admin": true})).unwrap_err();
        assert!(error.message.contains("Admin"), "{error}");
    }
}
