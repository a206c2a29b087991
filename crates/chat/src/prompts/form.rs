//! Forms: a JSON Schema that an answer must fit. They come from MCP servers,
//! which are asked politely to keep their hands off passwords (M-3).

use serde_json::Value;

/// Words in the name of a field that no server may ask for.
const SECRETS: &[&str] = &[
    "password", "passwd", "passphrase", "passcode", "secret", "token", "apikey", "credential",
    "privatekey", "pincode", "senha", "cvv", "cvc", "ssn",
];

/// Why a form is not shown at all.
pub(crate) fn refusal(schema: &Value) -> Option<String> {
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        return Some("its form is not an object".to_owned());
    }
    if let Some(field) = secret_field(schema) {
        return Some(format!("it asks for '{field}', and passwords are never asked for here"));
    }
    jsonschema::validator_for(schema).err().map(|error| format!("its form is not valid: {error}"))
}

/// Whether an answer fits; the error names the field.
pub(crate) fn check(schema: &Value, answer: &Value) -> Result<(), String> {
    let validator = jsonschema::validator_for(schema)
        .map_err(|_| "This form cannot be answered.".to_owned())?;
    validator.validate(answer).map_err(|error| {
        let path = error.instance_path().to_string();
        if path.is_empty() { error.to_string() } else { format!("'{path}': {error}") }
    })
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

    /// M-3: password-like fields are refused, however they are called.
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

    /// P-5: an answer that does not fit says which field.
    #[test]
    fn an_answer_must_fit_the_schema() {
        let schema = json!({"type": "object", "required": ["n"],
            "properties": {"n": {"type": "integer", "minimum": 1}}});
        assert!(check(&schema, &json!({"n": 2})).is_ok());
        assert!(check(&schema, &json!({"n": 0})).unwrap_err().starts_with("'/n'"));
        assert!(check(&schema, &json!({})).unwrap_err().contains("\"n\""));
    }
}
