//! Prompts as external clients see and answer them: a JSON Schema of the answer, and the answer
//! that a client gives by it. One place for all dialects.

use parlor_protocol::{PromptAnswer, PromptType, QuestionOption, UserPrompt};
use serde_json::{Map, Value, json};

/// The JSON Schema of the answer to a prompt.
pub(crate) fn schema(prompt: &UserPrompt) -> Value {
    match prompt.prompt_type {
        PromptType::Confirm => json!({
            "type": "object",
            "properties": {
                "approved": {"type": "boolean"},
                "input": {"type": "object", "description": "The arguments, if they are changed"},
                "reason": {"type": "string"},
                "remember": {"enum": ["conversation"]},
            },
            "required": ["approved"],
        }),
        PromptType::Input => json!({"type": "string"}),
        PromptType::Select => values(prompt.options.as_deref()),
        PromptType::MultiQuestion => object(prompt.questions.iter().flatten().map(|question| {
            let one = match question.allow_other || question.options.is_empty() {
                true => json!({"type": "string"}),
                false => values(Some(&question.options)),
            };
            let schema = match question.multi_select {
                true => json!({"type": "array", "items": one}),
                false => one,
            };
            (question.id.clone(), titled(schema, &question.question))
        })),
        PromptType::Wizard => object(prompt.steps.iter().flatten().map(|step| {
            let schema = match step.prompt_type {
                PromptType::Confirm => json!({"enum": ["yes", "no"]}),
                PromptType::Select => values(step.options.as_deref()),
                _ => step.schema.clone().unwrap_or_else(|| json!({"type": "string"})),
            };
            (step.id.clone(), titled(schema, &step.question))
        })),
        PromptType::Plan => json!({
            "type": "object",
            "properties": {
                "decision": {"enum": ["execute", "refine"]},
                "reason": {"type": "string", "description": "What to change"},
            },
            "required": ["decision"],
        }),
        PromptType::Form => prompt.schema.clone().unwrap_or_else(|| json!({"type": "object"})),
        PromptType::ClientCall => json!({}),
    }
}

/// The answer that a client gives with a value that fits the schema. A plain `true`, `"yes"` or
/// `"execute"` is understood too.
pub(crate) fn answer(prompt_type: PromptType, payload: Value) -> PromptAnswer {
    let text = |key: &str| payload.get(key).and_then(Value::as_str).map(str::to_owned);
    let mut answer = PromptAnswer {
        response: Value::Null,
        cancelled: false,
        input: None,
        reason: text("reason"),
        remember: None,
    };
    match prompt_type {
        PromptType::Confirm => {
            answer.input = payload.get("input").filter(|input| !input.is_null()).cloned();
            answer.remember = payload
                .get("remember")
                .and_then(|value| serde_json::from_value(value.clone()).ok());
            answer.response = yes_or_no(payload.get("approved").unwrap_or(&payload));
        }
        PromptType::Plan => {
            let decided = match payload.get("approved") {
                Some(Value::Bool(true)) => json!("execute"),
                Some(Value::Bool(false)) => json!("refine"),
                _ => {
                    payload.get("decision").or(payload.get("response")).unwrap_or(&payload).clone()
                }
            };
            // A plan that is not wanted, without a word about why, is refused.
            answer.cancelled = decided == json!("refine") && answer.reason.is_none();
            answer.response = decided;
        }
        PromptType::Input | PromptType::Select => {
            answer.response = payload.get("response").unwrap_or(&payload).clone();
        }
        PromptType::MultiQuestion
        | PromptType::Wizard
        | PromptType::Form
        | PromptType::ClientCall => {
            answer.reason = None;
            answer.response = payload;
        }
    }
    answer
}

/// The answer that a person gives to a question with a message, if it is one: a text, or the name
/// of an option. It is never consent.
pub(crate) fn said(prompt: &UserPrompt, text: &str) -> Option<PromptAnswer> {
    let text = text.trim();
    match prompt.prompt_type {
        PromptType::Input => Some(answer(PromptType::Input, json!(text))),
        PromptType::Select => {
            let mut options = prompt.options.iter().flatten();
            let is_it = |option: &&QuestionOption| {
                option.value == text || option.label.eq_ignore_ascii_case(text)
            };
            let chosen = options.find(is_it)?;
            Some(answer(PromptType::Select, json!(chosen.value)))
        }
        PromptType::Confirm
        | PromptType::MultiQuestion
        | PromptType::Wizard
        | PromptType::Plan
        | PromptType::Form
        | PromptType::ClientCall => None,
    }
}

/// A refusal.
pub(crate) fn refusal(reason: Option<String>) -> PromptAnswer {
    PromptAnswer { response: Value::Null, cancelled: true, input: None, reason, remember: None }
}

fn yes_or_no(approved: &Value) -> Value {
    match approved {
        Value::Bool(true) => json!("yes"),
        Value::Bool(false) => json!("no"),
        other => other.clone(),
    }
}

fn values(options: Option<&[QuestionOption]>) -> Value {
    let options = options.unwrap_or_default().iter();
    let each = options.map(|option| json!({"const": option.value, "title": option.label}));
    json!({"type": "string", "oneOf": each.collect::<Vec<_>>()})
}

fn object(fields: impl Iterator<Item = (String, Value)>) -> Value {
    let fields: Map<String, Value> = fields.collect();
    json!({"type": "object", "properties": fields})
}

fn titled(mut schema: Value, title: &str) -> Value {
    if let Some(schema) = schema.as_object_mut() {
        schema.entry("title").or_insert_with(|| json!(title));
    }
    schema
}
