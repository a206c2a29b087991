//! Content blocks, as the model APIs and Claude Code have them.

use serde_json::Value;

use super::{Said, ToolOutput, ToolUse, first_of, first_text};

/// Reads a message's content: a text, one block or several.
pub(super) fn of_content(content: &Value) -> Said<'_> {
    match content {
        Value::String(text) => Said::words(text),
        Value::Array(blocks) => read(blocks),
        Value::Object(_) => read(std::slice::from_ref(content)),
        Value::Null | Value::Bool(_) | Value::Number(_) => Said::nothing(),
    }
}

/// Reads a list of blocks.
pub(super) fn read(blocks: &[Value]) -> Said<'_> {
    let mut said = Said::nothing();
    for block in blocks {
        add(block, &mut said);
    }
    said
}

fn add<'v>(block: &'v Value, said: &mut Said<'v>) {
    match first_text(block, &["type"]).unwrap_or_default() {
        "thinking" | "reasoning" => said.thinking.extend(thoughts(block)),
        // Its content cannot be read.
        "redacted_thinking" => {}
        kind if is_tool_output(kind) => said.results.push(ToolOutput::read(block)),
        kind if is_tool_use(kind) => said.tools.push(ToolUse::read(block)),
        // The Responses API has whole messages in its list.
        "message" => {
            said.text.extend(block.get("content").map(of_content).unwrap_or_default().text)
        }
        "image" | "image_url" => {}
        _ => match block {
            Value::String(text) => said.text.push(text.clone()),
            _ => said.text.extend(first_text(block, &["text", "refusal"]).map(str::to_owned)),
        },
    }
}

/// True for what a tool gave back; providers' own tools have longer names.
pub(super) fn is_tool_output(kind: &str) -> bool {
    kind.ends_with("tool_result") || kind == "function_call_output"
}

/// True for a tool that is used.
pub(super) fn is_tool_use(kind: &str) -> bool {
    kind.ends_with("tool_use") || matches!(kind, "function_call" | "function" | "tool_call")
}

/// The readable part of a thinking block, or of a reasoning item.
pub(super) fn thoughts(block: &Value) -> Option<String> {
    let written = first_of(block, &["thinking", "text", "reasoning"]).and_then(Value::as_str);
    let words = match written {
        Some(text) => text.to_owned(),
        None => first_of(block, &["summary", "content"]).map(super::tool::output_text)?,
    };
    (!words.trim().is_empty()).then_some(words)
}
