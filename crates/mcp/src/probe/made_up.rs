//! Made-up values that fit a JSON Schema, as far as one can tell without a validator: for calls
//! that only show whether a tool answers, and for a server's questions.
//!
//! A default comes first, then what the schema names, then something of the right type. References
//! are followed inside the document only, and everything is bounded: the schema is a server's.

use serde_json::{Map, Value, json};

/// Deeper values are left out.
const DEEPEST: usize = 6;
const MOST_FIELDS: usize = 100;
const MOST_ITEMS: u64 = 5;
const LONGEST_TEXT: u64 = 1_000;

/// A value for each field of an object.
pub(super) fn arguments(schema: &Value) -> Map<String, Value> {
    fields(schema, schema, DEEPEST)
}

fn fields(schema: &Value, root: &Value, depth: usize) -> Map<String, Value> {
    let properties = schema["properties"].as_object().into_iter().flatten().take(MOST_FIELDS);
    let values = properties
        .filter_map(|(name, schema)| Some((name.clone(), value(schema, root, depth - 1)?)));
    values.collect()
}

fn value(schema: &Value, root: &Value, depth: usize) -> Option<Value> {
    if depth == 0 {
        return None;
    }
    if let Some(reference) = schema["$ref"].as_str() {
        let target = root.pointer(reference.strip_prefix('#')?)?;
        return value(target, root, depth - 1);
    }
    let named = ["default", "const"].into_iter().find_map(|key| schema.get(key));
    if let Some(named) = named.or_else(|| schema["enum"].get(0)) {
        return Some(named.clone());
    }
    let choice = ["oneOf", "anyOf", "allOf"].into_iter().find_map(|key| schema[key].get(0));
    if let Some(choice) = choice {
        return value(choice, root, depth - 1);
    }
    Some(match kind(schema) {
        "integer" | "number" => number(schema),
        "boolean" => json!(true),
        "array" => items(schema, root, depth),
        "object" => Value::Object(fields(schema, root, depth)),
        "null" => Value::Null,
        _ => json!(text(schema)),
    })
}

/// The type; of several, the first that is not `null`.
fn kind(schema: &Value) -> &str {
    match &schema["type"] {
        Value::String(kind) => kind,
        Value::Array(kinds) => {
            kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or("null")
        }
        _ if schema.get("properties").is_some() => "object",
        _ => "string",
    }
}

fn number(schema: &Value) -> Value {
    let least = schema["minimum"].as_i64();
    let most = schema["maximum"].as_i64();
    let number = least.map_or(2, |least| least.max(2));
    json!(most.map_or(number, |most| most.min(number)))
}

fn items(schema: &Value, root: &Value, depth: usize) -> Value {
    let number = schema["minItems"].as_u64().unwrap_or(0).min(MOST_ITEMS);
    (0..number).filter_map(|_| value(&schema["items"], root, depth - 1)).collect()
}

fn text(schema: &Value) -> String {
    let formatted = match schema["format"].as_str() {
        Some("email") => "somebody@example.org",
        Some("uri" | "url") => "https://example.org/",
        Some("date") => "2026-01-01",
        Some("date-time") => "2026-01-01T00:00:00Z",
        Some("uuid") => "00000000-0000-0000-0000-000000000000",
        _ => "x",
    };
    let least = schema["minLength"].as_u64().unwrap_or(0).min(LONGEST_TEXT);
    let missing = least.saturating_sub(formatted.len() as u64);
    formatted.to_owned() + &"x".repeat(usize::try_from(missing).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// I-5: each field gets its default, or something of its type.
    #[test]
    fn values_fit_their_schemas() {
        let schema = json!({
            "type": "object",
            "$defs": {"id": {"type": "string", "format": "uuid"}},
            "properties": {
                "name": {"type": "string", "default": "John"},
                "size": {"enum": ["small", "large"]},
                "kind": {"oneOf": [{"const": "a", "title": "A"}, {"const": "b"}]},
                "long": {"type": "string", "minLength": 3},
                "many": {"type": "integer", "minimum": 10, "maximum": 20},
                "few": {"type": "number", "maximum": 1},
                "sure": {"type": "boolean"},
                "list": {"type": "array", "items": {"type": "integer"}, "minItems": 2},
                "inner": {"type": "object", "properties": {"at": {"type": "string", "format": "date"}}},
                "maybe": {"type": ["null", "integer"]},
                "id": {"$ref": "#/$defs/id"},
                "elsewhere": {"$ref": "https://example.org/schema.json"},
            },
        });
        let expected = json!({
            "name": "John", "size": "small", "kind": "a", "long": "xxx", "many": 10, "few": 1,
            "sure": true, "list": [2, 2], "inner": {"at": "2026-01-01"}, "maybe": 2,
            "id": "00000000-0000-0000-0000-000000000000",
        });
        assert_eq!(Value::Object(arguments(&schema)), expected);
        assert_eq!(arguments(&json!({})), Map::new());
    }

    /// I-5: a schema of a server cannot make it work without end.
    #[test]
    fn a_schema_that_contains_itself_ends() {
        let schema =
            json!({"properties": {"again": {"$ref": "#"}, "same": {"$ref": "#/properties/same"}}});
        assert!(Value::Object(arguments(&schema)).to_string().len() < 10_000);
    }
}
