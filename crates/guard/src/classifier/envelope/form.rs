//! Elicitation: a form that a person fills in, as questions.
//!
//! A form with one field to choose from is a question; one with more fields is
//! several; one without fields is only its message.

use parlor_protocol::{Question, QuestionOption, SubQuestion};
use serde_json::Value;

use super::{Said, first_of, first_text};

/// A field with this ending takes free text beside the choices of another.
const OTHER: &str = "_custom";

/// Reads an elicitation of an MCP server or of an agent.
pub(super) fn read(request: &Value) -> Said<'_> {
    let message = first_text(request, &["message"]).unwrap_or_default();
    let schema = first_of(request, &["requestedSchema", "requested_schema", "schema"]);
    let questions = schema.map(|schema| fields(schema, message)).unwrap_or_default();
    match questions.as_slice() {
        [] if message.is_empty() => Said::nothing(),
        [] => Said::words(message),
        [only] if !only.options.is_empty() && !only.multi_select && !only.allow_other => {
            Said { question: Some(question(message, only)), ..Said::nothing() }
        }
        _ => Said { questions, ..Said::nothing() },
    }
}

fn question(message: &str, field: &SubQuestion) -> Question {
    let asked = if message.is_empty() { &field.question } else { message };
    Question {
        question: asked.to_owned(),
        options: field.options.clone(),
        context: None,
        severity: None,
        default: None,
    }
}

fn fields(schema: &Value, message: &str) -> Vec<SubQuestion> {
    let Some(properties) = schema["properties"].as_object() else {
        return Vec::new();
    };
    let alone = properties.len() == 1;
    properties
        .iter()
        .filter(|(id, _)| !id.strip_suffix(OTHER).is_some_and(|base| properties.contains_key(base)))
        .map(|(id, field)| SubQuestion {
            allow_other: properties.contains_key(&format!("{id}{OTHER}")),
            ..read_field(id, field, if alone { message } else { "" })
        })
        .collect()
}

fn read_field(id: &str, field: &Value, message: &str) -> SubQuestion {
    let title = first_text(field, &["title"]);
    let asked = first_text(field, &["description"]).or((!message.is_empty()).then_some(message));
    SubQuestion {
        id: id.to_owned(),
        question: asked.or(title).unwrap_or(id).to_owned(),
        header: title.filter(|_| asked.is_some()).map(str::to_owned),
        options: choices(field).or_else(|| choices(field.get("items")?)).unwrap_or_default(),
        multi_select: field["type"] == "array",
        allow_other: false,
    }
}

fn choices(field: &Value) -> Option<Vec<QuestionOption>> {
    if field["type"] == "boolean" {
        return Some(["true", "false"].map(QuestionOption::plain).into());
    }
    match first_of(field, &["oneOf", "anyOf"]) {
        Some(Value::Array(items)) => items.iter().map(titled).collect(),
        _ => QuestionOption::list_from_json(field.get("enum")?),
    }
}

fn titled(item: &Value) -> Option<QuestionOption> {
    let value = first_text(item, &["const"])?;
    Some(QuestionOption {
        label: first_text(item, &["title"]).unwrap_or(value).to_owned(),
        value: value.to_owned(),
        description: first_text(item, &["description"]).map(str::to_owned),
    })
}
