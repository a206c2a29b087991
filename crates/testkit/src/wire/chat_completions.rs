//! OpenAI chat completions: pieces of one message, tool calls by their index.

use serde_json::{Value, json};

use super::Wire;
use crate::frame::{Data, Frame};
use crate::say::{Cost, Say, halves};
use crate::script::Script;

/// One response.
#[derive(Debug)]
pub(super) struct ChatCompletions {
    calls: usize,
    /// Whether the client asked for the usage; it is not sent otherwise.
    with_usage: bool,
}

impl ChatCompletions {
    pub(super) fn new(request: &Value) -> Self {
        let with_usage = request["stream_options"]["include_usage"] == true;
        Self { calls: 0, with_usage }
    }
}

impl Wire for ChatCompletions {
    fn begin(&mut self, _: &Script) -> Vec<Frame> {
        vec![delta(json!({"role": "assistant", "content": ""}))]
    }

    fn say(&mut self, say: &Say) -> Vec<Frame> {
        match say {
            Say::Text(text) => vec![delta(json!({"content": text}))],
            Say::Thinking(text) => {
                vec![delta(json!({"content": null, "reasoning_content": text}))]
            }
            Say::ToolCall { id, name, arguments } => {
                let index = self.calls;
                self.calls += 1;
                let start = json!({"index": index, "id": id, "type": "function",
                                   "function": {"name": name, "arguments": ""}});
                let (first, second) = halves(arguments);
                let pieces = [first, second]
                    .map(|piece| json!({"index": index, "function": {"arguments": piece}}));
                let calls = [start].into_iter().chain(pieces);
                calls.map(|call| delta(json!({"tool_calls": [call]}))).collect()
            }
            Say::Error { kind, message } => vec![unnamed(error(kind, message))],
            // Nothing of this format is like it.
            Say::Signature(_) | Say::Block(_) | Say::EndBlock => Vec::new(),
        }
    }

    fn end(&mut self, script: &Script) -> Vec<Frame> {
        let reason = finish_reason(script.stop_reason);
        let finish = json!([{"index": 0, "delta": {}, "finish_reason": reason}]);
        let mut out = vec![chunk(finish, Value::Null)];
        if let Some(usage) = usage(&script.cost).filter(|_| self.with_usage) {
            out.push(chunk(json!([]), usage));
        }
        if script.end_marker {
            out.push(Frame { name: None, data: Data::Word("[DONE]") });
        }
        out
    }

    fn event(&self, event: Value) -> Frame {
        unnamed(event)
    }

    fn refusal(&self, status: u16, kind: Option<&str>, message: &str) -> Value {
        let usual = match status {
            401 => "invalid_api_key",
            404 => "model_not_found",
            429 => "rate_limit_exceeded",
            500.. => "server_error",
            _ => "invalid_request_error",
        };
        error(kind.unwrap_or(usual), message)
    }

    fn whole(&self, text: &str) -> Value {
        json!({
            "id": "chatcmpl-scripted", "object": "chat.completion", "created": 1_700_000_000,
            "model": "scripted", "usage": usage(&Cost::Tokens { input: 5, output: 5 }),
            "choices": [{"index": 0, "message": {"role": "assistant", "content": text},
                         "finish_reason": "stop"}],
        })
    }
}

fn delta(delta: Value) -> Frame {
    chunk(json!([{"index": 0, "delta": delta, "finish_reason": null}]), Value::Null)
}

fn chunk(choices: Value, usage: Value) -> Frame {
    unnamed(json!({
        "id": "chatcmpl-scripted", "object": "chat.completion.chunk", "created": 1_700_000_000,
        "model": "scripted", "choices": choices, "usage": usage,
    }))
}

fn unnamed(event: Value) -> Frame {
    Frame { name: None, data: Data::Json(event) }
}

fn error(kind: &str, message: &str) -> Value {
    json!({"error": {"message": message, "type": kind, "param": null, "code": kind}})
}

/// Scripts name reasons as the Messages API does; other names stay as they are.
fn finish_reason(reason: &str) -> &str {
    match reason {
        "end_turn" => "stop",
        "max_tokens" => "length",
        "tool_use" => "tool_calls",
        "refusal" => "content_filter",
        other => other,
    }
}

fn usage(cost: &Cost) -> Option<Value> {
    match cost {
        Cost::Unsaid => None,
        Cost::Tokens { input, output } => Some(json!({
            "prompt_tokens": input, "completion_tokens": output,
            "total_tokens": input.saturating_add(*output),
        })),
        Cost::Json(usage) => Some(usage.clone()),
    }
}
