//! Everything else: messages of the model APIs, the Gemini stream, and plain
//! objects that say something under one of the usual names.

use parlor_protocol::Plan;
use serde_json::Value;

use super::blocks::{is_tool_output, is_tool_use};
use super::{Said, ToolOutput, ToolUse, blocks, error_words, first_of, first_text, text_of};

/// Where words stand, in the order in which they are looked for.
const WORDS: [&str; 9] = [
    "text", "content", "message", "result", "response", "output_text", "answer", "output",
    "question",
];

/// Where structure stands if not in the object itself.
const INNER: [&str; 5] = ["message", "content", "data", "plan", "result"];

/// Reads any object.
pub(super) fn read(value: &Value) -> Said<'_> {
    let kind = text_of(value, "type").unwrap_or_default();
    match kind {
        "error" => return failure(value),
        "thinking" | "reasoning" => return thoughts(value),
        "permission_request" => return Said::uses(ToolUse::read(value).asking()),
        _ if is_tool_output(kind) => return Said::gives(ToolOutput::read(value)),
        _ if is_tool_use(kind) => return Said::uses(tool_use(value)),
        _ if kind.ends_with("delta") => return delta(kind, value),
        _ => {}
    }
    if let Some(tool) = ToolUse::read_named(value) {
        return Said::uses(tool);
    }
    match text_of(value, "role").unwrap_or_default() {
        // A person's words, or those of whoever runs the agent, are not the agent's.
        "user" => return people(value),
        "system" | "developer" => return Said::nothing(),
        "tool" | "function" => return Said::gives(ToolOutput::read(value)),
        _ => {}
    }
    if let Some(choice) = value.pointer("/choices/0") {
        return of_choice(choice);
    }
    message(kind, value)
}

/// A message, or an object that is like one.
fn message<'v>(kind: &str, value: &'v Value) -> Said<'v> {
    let mut said = first_of(value, &WORDS).map(of_words).unwrap_or_default();
    if let Some(calls) = value["tool_calls"].as_array() {
        said.tools.extend(calls.iter().map(ToolUse::read));
    }
    if let Some(call) = value.get("tool_use").filter(|call| call.is_object()) {
        said.tools.push(tool_use(call));
    }
    if let Some(result) = value.get("tool_result").filter(|result| !result.is_null()) {
        said.results.push(ToolOutput::read(result));
    }
    said.thinking.extend(first_text(value, &["thinking", "reasoning_content"]).map(str::to_owned));
    said.error = failed(value);
    said.partial = value["delta"].as_bool() == Some(true);
    said.plan = (kind == "plan").then(|| presented_plan(value)).flatten();
    said.objects = std::iter::once(value)
        .chain(INNER.iter().filter_map(|field| value.get(field)))
        .filter(|object| object.is_object())
        .collect();
    said
}

/// Words stand in a text, in blocks, or one level down in another message.
fn of_words(words: &Value) -> Said<'_> {
    match words {
        Value::Object(_) => match first_of(words, &["content", "text"]) {
            Some(inner) if text_of(words, "role") != Some("user") => {
                let mut said = blocks::of_content(inner);
                let calls = words["tool_calls"].as_array().into_iter().flatten();
                said.tools.extend(calls.map(ToolUse::read));
                said
            }
            _ => Said::nothing(),
        },
        _ => blocks::of_content(words),
    }
}

/// A message whose role is a person's: only the output
/// of tools in it is the agent's.
fn people(value: &Value) -> Said<'_> {
    let said = value.get("content").map(blocks::of_content).unwrap_or_default();
    Said { results: said.results, ..Said::nothing() }
}

fn tool_use(value: &Value) -> ToolUse {
    let tool = ToolUse::read(value);
    if value["requires_approval"].as_bool() == Some(true) { tool.asking() } else { tool }
}

fn failure(value: &Value) -> Said<'_> {
    let words = value
        .get("error")
        .and_then(error_words)
        .or_else(|| first_text(value, &WORDS))
        .or_else(|| error_words(value));
    Said::failed(words.unwrap_or_default())
}

/// The words of an `error` field: a text or an object with a message.
fn failed(value: &Value) -> Option<String> {
    error_words(value.get("error")?).filter(|words| !words.trim().is_empty()).map(str::to_owned)
}

fn thoughts(value: &Value) -> Said<'_> {
    blocks::thoughts(value).map(|words| Said::thoughts(&words)).unwrap_or_default()
}

fn presented_plan(value: &Value) -> Option<Plan> {
    first_text(value, &["plan", "content", "text", "markdown"]).map(Plan::from_markdown)
}

/// A piece of a message of the Responses API.
fn delta<'v>(kind: &str, value: &'v Value) -> Said<'v> {
    match text_of(value, "delta").or_else(|| text_of(value, "text")) {
        Some(words) if kind.contains("reasoning") || kind.contains("thinking") => {
            Said::thought_fragment(words)
        }
        Some(words) if kind.contains("text") => Said::fragment(words),
        _ => Said::nothing(),
    }
}

/// The answer of a chat completion, or a piece of it.
fn of_choice(choice: &Value) -> Said<'_> {
    if let Some(message_) = choice.get("message") {
        return message("", message_);
    }
    let delta = &choice["delta"];
    match (text_of(delta, "content"), text_of(delta, "reasoning_content")) {
        (Some(words), _) => Said::fragment(words),
        (_, Some(words)) => Said::thought_fragment(words),
        _ => Said::nothing(),
    }
}
