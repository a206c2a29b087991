//! The items of an output.

use parlor_protocol::{CallId, PromptId, ToolCall, ToolStatus, UserPrompt};
use serde_json::{Value, json};

use super::ids::approval_name;
use crate::dialects::openai_values::call_name;
use crate::dialects::turn_steps::TextBlock;

/// The id of a text.
pub(super) fn text_id(block: TextBlock) -> String {
    let prefix = if block.is_reasoning { "rs" } else { "msg" };
    format!("{prefix}_{}", block.id)
}

/// A part of a message.
pub(super) fn text_part(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []})
}

/// A part of reasoning.
pub(super) fn summary_part(text: &str) -> Value {
    json!({"type": "summary_text", "text": text})
}

/// A text that begins.
pub(super) fn open_text(block: TextBlock) -> Value {
    let id = text_id(block);
    match block.is_reasoning {
        true => json!({"id": id, "type": "reasoning", "status": "in_progress", "summary": []}),
        false => json!({
            "id": id,
            "type": "message",
            "status": "in_progress",
            "role": "assistant",
            "content": [],
        }),
    }
}

/// A whole text.
pub(super) fn whole_text(block: TextBlock, text: &str) -> Value {
    let id = text_id(block);
    match block.is_reasoning {
        true => json!({
            "id": id,
            "type": "reasoning",
            "status": "completed",
            "summary": [summary_part(text)],
        }),
        false => json!({
            "id": id,
            "type": "message",
            "status": "completed",
            "role": "assistant",
            "content": [text_part(text)],
        }),
    }
}

/// A call of a tool of the server.
#[derive(Debug, Clone)]
pub(super) struct McpCall {
    pub(super) id: CallId,
    pub(super) name: String,
    pub(super) input: Value,
    /// The prompt by which it was approved or refused.
    pub(super) prompt: Option<PromptId>,
}

impl McpCall {
    pub(super) fn item_id(&self) -> String {
        format!("mcp_{}", self.id)
    }

    pub(super) fn item(&self, label: &str) -> Value {
        json!({
            "id": self.item_id(),
            "type": "mcp_call",
            "status": "in_progress",
            "approval_request_id": self.prompt.map(approval_name),
            "server_label": label,
            "name": self.name,
            "arguments": "",
            "output": null,
            "error": null,
        })
    }

    /// The call with what came of it.
    pub(super) fn ended(&self, label: &str, has_failed: bool, output: &Value) -> Value {
        let text = match output {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let mut item = self.item(label);
        item["arguments"] = json!(self.input.to_string());
        item["status"] = json!(if has_failed { "failed" } else { "completed" });
        item[if has_failed { "error" } else { "output" }] = json!(text);
        item
    }
}

/// Whether a call that ended so has failed.
pub(super) fn has_failed(status: ToolStatus, is_error: bool) -> bool {
    match status {
        ToolStatus::Error | ToolStatus::Denied => true,
        ToolStatus::Completed | ToolStatus::Running | ToolStatus::Waiting => is_error,
    }
}

/// A call of the client's own tool; without arguments while they are told.
pub(super) fn function_call(prompt: PromptId, name: &str, arguments: &str) -> Value {
    let status = if arguments.is_empty() { "in_progress" } else { "completed" };
    json!({
        "id": format!("fc_{prompt}"),
        "type": "function_call",
        "status": status,
        "call_id": call_name(prompt),
        "name": name,
        "arguments": arguments,
    })
}

/// A request for an approval. What is not about a call is asked by its question.
pub(super) fn approval_request(prompt: &UserPrompt, label: &str) -> Value {
    let (name, arguments) = match &prompt.tool_call {
        Some(ToolCall { name, input, .. }) => (name.clone(), input.clone()),
        None => {
            let asked = json!({"question": prompt.question, "plan": prompt.plan});
            ("confirm".to_owned(), asked)
        }
    };
    json!({
        "id": approval_name(prompt.id),
        "type": "mcp_approval_request",
        "server_label": label,
        "name": name,
        "arguments": arguments.to_string(),
    })
}
