//! Examples fit their schemas, and so do the golden files of the protocol.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use super::Document;
use crate::streams::Event;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../protocol/tests/golden");

/// The schema of a golden file.
fn schema_of(file: &str) -> &'static str {
    match file {
        "branch_choice" => "BranchChoice",
        "budget_use" => "BudgetUse",
        "chat_request" => "ChatRequest",
        "prompt_answer" => "PromptAnswer",
        "prompt_closed" | "prompt_refused" => "PromptClosed",
        file if file.starts_with("error") => "ErrorEnvelope",
        file if file.starts_with("message_") => "Message",
        file if file.starts_with("preview_") => "Preview",
        file if file.starts_with("prompt_") => "UserPrompt",
        other => panic!("{other}.json is new: which schema is it of?"),
    }
}

fn golden(name: &str) -> Value {
    let text = std::fs::read_to_string(Path::new(GOLDEN).join(format!("{name}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// I-7: an example that does not fit its schema fails.
#[test]
fn every_example_fits() {
    let document = Document::load();
    let mut count = 0;
    check(&document, "", &document.json, &mut count);
    assert!(count > 20, "only {count} examples were found");
}

/// Checks the examples of a schema (a list), and those of a body or a parameter (by name).
fn check(document: &Document, place: &str, value: &Value, count: &mut usize) {
    match value {
        Value::Object(fields) => {
            let mut fits = |schema: &Value, example: &Value| {
                *count += 1;
                document.assert_fits(&format!("an example at {place}"), schema, example);
            };
            match fields.get("examples") {
                Some(Value::Array(examples)) => examples.iter().for_each(|one| fits(value, one)),
                Some(Value::Object(examples)) => examples
                    .values()
                    .for_each(|one| fits(&value["schema"], &document.resolve(one)["value"])),
                _ => {}
            }
            if let Some(example) = fields.get("example") {
                fits(&value["schema"], example);
            }
            for (name, inner) in fields {
                if !name.starts_with("example") {
                    check(document, &format!("{place}/{name}"), inner, count);
                }
            }
        }
        Value::Array(items) => {
            items.iter().for_each(|item| check(document, place, item, count));
        }
        _ => {}
    }
}

/// I-7: what `crates/protocol` writes fits the document.
#[test]
fn golden_files_fit() {
    let document = Document::load();
    for entry in std::fs::read_dir(GOLDEN).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        if name != "events" {
            let schema = document.schema(schema_of(name));
            document.assert_fits(&format!("{name}.json"), schema, &golden(name));
        }
    }
}

/// I-7, H-1: the document has every event, by the name that it has in a stream.
#[test]
fn every_event_is_in_the_document() {
    let document = Document::load();
    // Recipes have an event of their own in streams.
    let mut names = BTreeSet::from(["recipe_artifact".to_owned()]);
    for event in golden("events").as_array().unwrap() {
        let name = event["event"].as_str().unwrap().to_owned();
        names.insert(name.clone());
        document.assert_event(&Event { id: "7".to_owned(), name, data: event["data"].clone() });
    }
    let listed = document.schema("Event")["discriminator"]["mapping"].as_object().unwrap();
    let listed: BTreeSet<String> = listed.keys().cloned().collect();
    assert_eq!(listed, names, "left: the document, right: the golden files");
}

/// I-7: a field that is new, gone, or of another type is found.
#[test]
fn a_changed_shape_is_found() {
    let document = Document::load();
    let schema = document.schema("Message");
    let changes: [fn(&mut Value); 4] = [
        |message| message["color"] = json!("red"),
        |message| message["data"]["color"] = json!("red"),
        |message| message["created_at"] = json!("today"),
        |message| _ = message.as_object_mut().unwrap().remove("content"),
    ];
    for change in changes {
        let mut message = golden("message_plan");
        change(&mut message);
        assert!(!document.problems(schema, &message).is_empty(), "{message:#}");
    }
}
