//! The Gemini API: every event is a response with some parts of the answer.

use serde_json::{Value, json};

use super::Wire;
use crate::frame::{Data, Frame};
use crate::say::{Cost, Say};
use crate::script::Script;

/// One response. The format needs no state.
#[derive(Debug)]
pub(super) struct Gemini;

impl Wire for Gemini {
    fn begin(&mut self, _: &Script) -> Vec<Frame> {
        Vec::new()
    }

    fn say(&mut self, say: &Say) -> Vec<Frame> {
        match say {
            Say::Text(text) => vec![unnamed(response(&json!({"text": text})))],
            Say::Thinking(text) => {
                vec![unnamed(response(&json!({"text": text, "thought": true})))]
            }
            Say::ToolCall { id, name, arguments } => {
                // What is no JSON is sent as the text that it is.
                let parsed = serde_json::from_str(arguments);
                let parsed: Value = parsed.unwrap_or_else(|_| json!(arguments));
                let call = json!({"functionCall": {"id": id, "name": name, "args": parsed}});
                vec![unnamed(response(&call))]
            }
            Say::Error { kind, message } => vec![unnamed(error(500, kind, message))],
            // Nothing of this format is like it.
            Say::Signature(_) | Say::Block(_) | Say::EndBlock => Vec::new(),
        }
    }

    fn end(&mut self, script: &Script) -> Vec<Frame> {
        let mut last = response(&json!({"text": ""}));
        last["candidates"][0]["finishReason"] = json!(finish_reason(script.stop_reason));
        if let Some(usage) = usage(&script.cost) {
            last["usageMetadata"] = usage;
        }
        vec![unnamed(last)]
    }

    fn event(&self, event: Value) -> Frame {
        unnamed(event)
    }

    fn refusal(&self, status: u16, kind: Option<&str>, message: &str) -> Value {
        let usual = match status {
            401 => "UNAUTHENTICATED",
            403 => "PERMISSION_DENIED",
            404 => "NOT_FOUND",
            429 => "RESOURCE_EXHAUSTED",
            503 => "UNAVAILABLE",
            500.. => "INTERNAL",
            _ => "INVALID_ARGUMENT",
        };
        error(status, kind.unwrap_or(usual), message)
    }

    fn whole(&self, text: &str) -> Value {
        let mut whole = response(&json!({"text": text}));
        whole["candidates"][0]["finishReason"] = json!("STOP");
        whole["usageMetadata"] = usage(&Cost::Tokens { input: 5, output: 5 }).unwrap_or_default();
        whole
    }
}

fn response(part: &Value) -> Value {
    json!({
        "candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}],
        "modelVersion": "scripted",
    })
}

fn unnamed(event: Value) -> Frame {
    Frame { name: None, data: Data::Json(event) }
}

fn error(code: u16, status: &str, message: &str) -> Value {
    json!({"error": {"code": code, "message": message, "status": status}})
}

/// Scripts name reasons as the Messages API does; other names stay as they are.
fn finish_reason(reason: &str) -> &str {
    match reason {
        "end_turn" | "tool_use" => "STOP",
        "max_tokens" => "MAX_TOKENS",
        "refusal" => "SAFETY",
        other => other,
    }
}

fn usage(cost: &Cost) -> Option<Value> {
    match cost {
        Cost::Unsaid => None,
        Cost::Tokens { input, output } => Some(json!({
            "promptTokenCount": input, "candidatesTokenCount": output,
            "totalTokenCount": input.saturating_add(*output),
        })),
        Cost::Json(usage) => Some(usage.clone()),
    }
}
