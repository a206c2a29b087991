//! JSON Schemas of MCP servers, compiled within limits.
//!
//! A schema is refused before it is compiled if it refers or nests too much: references that
//! each use the next one twice take exponential time, and a chain of them overflows the
//! stack, which ends the server. Nothing is fetched for a reference, from the network or
//! from a file: jsonschema is built without its resolvers.

use jsonschema::{ValidationOptions, Validator};
use serde_json::Value;

/// The most references in a schema: with as many, the worst one is validated within a second.
const MAX_REFERENCES: usize = 32;

/// How deep a schema may nest: with as many references, a stack of 2 MB is deep enough.
const MAX_DEPTH: usize = 32;

/// Formats are validated if the schema's draft says so.
pub(crate) fn compile(schema: &Value) -> Result<Validator, String> {
    compile_with(&jsonschema::options(), schema)
}

/// Formats are validated, whatever the draft says.
pub(crate) fn compile_with_formats(schema: &Value) -> Result<Validator, String> {
    compile_with(&jsonschema::options().should_validate_formats(true), schema)
}

fn compile_with(options: &ValidationOptions<'_>, schema: &Value) -> Result<Validator, String> {
    let mut references = 0;
    check_limits(schema, MAX_DEPTH, &mut references)?;
    options.build(schema).map_err(|error| error.to_string())
}

fn check_limits(schema: &Value, depth: usize, references: &mut usize) -> Result<(), String> {
    let depth = depth.checked_sub(1).ok_or(format!("it is nested deeper than {MAX_DEPTH}"))?;
    match schema {
        Value::Object(fields) => {
            let is_reference =
                |name: &&String| matches!(name.as_str(), "$ref" | "$dynamicRef" | "$recursiveRef");
            *references += fields.keys().filter(is_reference).count();
            if *references > MAX_REFERENCES {
                return Err(format!("it has more than {MAX_REFERENCES} references"));
            }
            fields.values().try_for_each(|field| check_limits(field, depth, references))
        }
        Value::Array(entries) => {
            entries.iter().try_for_each(|entry| check_limits(entry, depth, references))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use serde_json::{Map, json};

    use super::*;

    /// A schema with definitions `0` to `levels`, each made of references to the next one.
    fn chain(levels: usize, link: impl Fn(Value) -> Value) -> Value {
        let next = |level: usize| json!({"$ref": format!("#/$defs/{level}")});
        let mut definitions: Map<String, Value> =
            (0..levels).map(|level| (level.to_string(), link(next(level + 1)))).collect();
        definitions.insert(levels.to_string(), json!({"type": "string"}));
        json!({"$ref": "#/$defs/0", "$defs": definitions})
    }

    /// N-1: a schema cannot overflow the stack or take exponential time.
    #[test]
    fn schemas_that_refer_or_nest_too_much_are_refused() {
        let twice = |next: Value| json!({"allOf": [next, next]});
        for (schema, why) in [
            (chain(20_000, |next| next), "references"),
            (chain(40, twice), "references"),
            (chain(1, |next| (0..100).fold(next, |inner, _| json!({"not": inner}))), "nested"),
        ] {
            let error = compile(&schema).map(|_| ()).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
        let deepest = chain(31, |next| (0..28).fold(next, |inner, _| json!({"not": inner})));
        assert!(compile(&deepest).unwrap().is_valid(&json!("text")));
        let widest = chain(10, |next| json!({"anyOf": [next, next, next]}));
        assert!(!compile(&widest).unwrap().is_valid(&json!(1)));
    }

    /// M-3: a reference to another place makes no request and reads no file.
    #[test]
    fn nothing_is_fetched_for_a_schema() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("schema.json");
        std::fs::write(&file, r#"{"type": "object"}"#).unwrap();
        for place in [
            format!("http://{address}/schema.json"),
            format!("file://{}", file.display()),
            file.display().to_string(),
            "schema.json".to_owned(),
        ] {
            for keyword in ["$ref", "$dynamicRef", "$schema"] {
                assert!(compile(&json!({keyword: place})).is_err(), "{keyword} {place}");
            }
            let below = json!({"$id": format!("http://{address}/"), "$ref": "schema.json"});
            assert!(compile(&below).is_err());
        }
        assert!(listener.accept().is_err(), "something connected");
    }

    /// M-3: a broken schema is an error, and all drafts are known.
    #[test]
    fn broken_schemas_are_errors_and_all_drafts_are_known() {
        for broken in [
            json!(null),
            json!(3),
            json!([]),
            json!({"type": 3}),
            json!({"pattern": "("}),
            json!({"$id": "%%"}),
            json!({"$ref": "#/nowhere"}),
            json!({"$ref": "#%zz"}),
        ] {
            assert!(compile(&broken).is_err(), "{broken}");
        }
        for draft in [
            "http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-06/schema#",
            "http://json-schema.org/draft-07/schema#",
            "https://json-schema.org/draft/2019-09/schema",
            "https://json-schema.org/draft/2020-12/schema",
        ] {
            let validator = compile(&json!({"$schema": draft, "minimum": 3})).unwrap();
            assert!(validator.is_valid(&json!(3)) && !validator.is_valid(&json!(2)), "{draft}");
        }
    }
}
