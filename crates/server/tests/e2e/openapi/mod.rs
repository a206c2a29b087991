//! The OpenAPI document is true (I-7).
//!
//! 1. It has every route, and no other ([`coverage`]).
//! 2. Its shapes have the fields and the values of the types in the sources ([`shapes`]).
//! 3. Its examples fit its shapes, and so do the golden files of the protocol ([`examples`]).
//! 4. A real server answers as it says ([`responses`]).
//!
//! Clients ignore fields that they do not know, so the document allows them. Here they are
//! refused: a field that is new in a response has to be written down.

mod administration;
mod conversations;
mod coverage;
mod examples;
mod notifications;
mod person_logins;
mod recipes;
mod responses;
mod shapes;

use std::collections::BTreeSet;

use reqwest::Response;
use serde_json::{Map, Value, json};

use crate::streams::Event;

const TEXT: &str = include_str!("../../../../../docs/openapi.json");

/// The methods that an operation can have.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

struct Document {
    json: Value,
    /// Its components, which allow only the fields that are written down.
    strict: Value,
}

struct Operation<'d> {
    method: String,
    path: &'d str,
    /// What its path says for all methods.
    item: &'d Value,
    json: &'d Value,
}

impl Document {
    fn load() -> Self {
        let json: Value = serde_json::from_str(TEXT).unwrap();
        let strict = strict(&json["components"]);
        Self { json, strict }
    }

    fn operations(&self) -> Vec<Operation<'_>> {
        let mut operations = Vec::new();
        for (path, item) in self.json["paths"].as_object().unwrap() {
            for method in METHODS {
                if let Some(json) = item.get(method) {
                    let method = method.to_uppercase();
                    operations.push(Operation { method, path, item, json });
                }
            }
        }
        operations
    }

    fn operation(&self, method: &str, path: &str) -> &Value {
        let operation = &self.json["paths"][path][method.to_lowercase()];
        assert!(operation.is_object(), "{method} {path} is not in the document");
        operation
    }

    fn schema(&self, name: &str) -> &Value {
        let schema = &self.json["components"]["schemas"][name];
        assert!(schema.is_object(), "the document has no schema {name}");
        schema
    }

    /// What a reference names, or the value itself.
    fn resolve<'d>(&'d self, value: &'d Value) -> &'d Value {
        let Some(reference) = value["$ref"].as_str() else { return value };
        let named = reference.strip_prefix('#').and_then(|pointer| self.json.pointer(pointer));
        named.unwrap_or_else(|| panic!("{reference} names nothing"))
    }

    /// The parameters of an operation in one place, such as `query`.
    fn parameters<'d>(&'d self, operation: &Operation<'d>, place: &str) -> BTreeSet<&'d str> {
        let lists = [&operation.item["parameters"], &operation.json["parameters"]];
        let all = lists.into_iter().filter_map(Value::as_array).flatten();
        let all = all.map(|parameter| self.resolve(parameter));
        let here = all.filter(|parameter| parameter["in"] == place);
        here.map(|parameter| parameter["name"].as_str().unwrap()).collect()
    }

    /// What is wrong with a value.
    fn problems(&self, schema: &Value, value: &Value) -> Vec<String> {
        let mut schema = strict(schema);
        schema["components"] = self.strict.clone();
        let validator = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
        let problem =
            |error: jsonschema::ValidationError<'_>| format!("{}: {error}", error.instance_path());
        validator.iter_errors(value).map(problem).collect()
    }

    fn assert_fits(&self, what: &str, schema: &Value, value: &Value) {
        let problems = self.problems(schema, value);
        assert!(problems.is_empty(), "{what} does not fit: {problems:#?}\n{value:#}");
    }

    /// The schema of an event by its name.
    fn assert_event(&self, event: &Event) {
        let mut value = json!({"event": event.name, "data": event.data});
        if !event.id.is_empty() {
            value["id"] = json!(event.id);
        }
        let names = &self.schema("Event")["discriminator"]["mapping"];
        let schema =
            names.get(&event.name).unwrap_or_else(|| panic!("{event:?} is not written down"));
        self.assert_fits(&format!("event {}", event.name), &json!({"$ref": schema}), &value);
    }

    fn assert_request(&self, method: &str, path: &str, body: &Value) {
        let content = &self.operation(method, path)["requestBody"]["content"];
        let schema = &content["application/json"]["schema"];
        assert!(schema.is_object(), "{method} {path} takes no JSON");
        self.assert_fits(&format!("the body of {method} {path}"), schema, body);
    }

    /// The schema of a response, whose status and content type are checked.
    fn response_schema(&self, method: &str, path: &str, response: &Response) -> Option<&Value> {
        let status = response.status().as_u16().to_string();
        let listed = &self.operation(method, path)["responses"][&status];
        assert!(listed.is_object(), "{method} {path} does not say {status}");
        let given = response.headers().get("content-type").map(|value| value.to_str().unwrap());
        let content = self.resolve(listed).get("content");
        match (content, given) {
            (None, None) => None,
            (Some(content), Some(given)) => {
                let essence = given.split(';').next().unwrap();
                let media = content.get(essence);
                media.unwrap_or_else(|| panic!("{method} {path} {status}: {given}")).get("schema")
            }
            _ => panic!("{method} {path} {status}: {given:?} came, {content:?} is written down"),
        }
    }
}

/// A schema that allows only the fields that it names.
fn strict(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(name, _)| *name != "examples");
            let fields = fields.map(|(name, value)| (name.clone(), strict(value)));
            let mut fields: Map<String, Value> = fields.collect();
            if fields.contains_key("properties") && !fields.contains_key("additionalProperties") {
                fields.insert("additionalProperties".to_owned(), json!(false));
            }
            Value::Object(fields)
        }
        Value::Array(items) => items.iter().map(strict).collect(),
        other => other.clone(),
    }
}
