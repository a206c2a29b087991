//! The Anthropic Messages API: blocks that are opened, filled and closed.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use super::Wire;
use crate::frame::{Data, Frame};
use crate::say::{Cost, Say, halves};
use crate::script::Script;

/// Every response has its own id: clients assemble pieces by it.
static ANSWERS: AtomicU64 = AtomicU64::new(1);

/// One response.
#[derive(Debug, Default)]
pub(super) struct Messages {
    /// The kind of the block that is open.
    open: Option<&'static str>,
    blocks: usize,
}

impl Wire for Messages {
    fn begin(&mut self, script: &Script) -> Vec<Frame> {
        let mut usage = usage(&script.cost);
        usage["output_tokens"] = json!(1);
        let start = json!({"type": "message_start", "message": {
            "id": new_id(), "type": "message", "role": "assistant", "model": "scripted",
            "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage,
        }});
        vec![named(start), named(json!({"type": "ping"}))]
    }

    fn say(&mut self, say: &Say) -> Vec<Frame> {
        let mut out = Vec::new();
        match say {
            Say::Text(text) => {
                self.open("text", json!({"type": "text", "text": ""}), &mut out);
                out.push(self.delta(json!({"type": "text_delta", "text": text})));
            }
            Say::Thinking(text) => {
                let block = json!({"type": "thinking", "thinking": "", "signature": ""});
                self.open("thinking", block, &mut out);
                out.push(self.delta(json!({"type": "thinking_delta", "thinking": text})));
            }
            Say::Signature(signature) => {
                out.push(self.delta(json!({"type": "signature_delta", "signature": signature})));
            }
            Say::ToolCall { id, name, arguments } => {
                let block = json!({"type": "tool_use", "id": id, "name": name, "input": {}});
                self.close(&mut out);
                self.open("tool_use", block, &mut out);
                let (first, second) = halves(arguments);
                for piece in ["", first, second] {
                    let delta = json!({"type": "input_json_delta", "partial_json": piece});
                    out.push(self.delta(delta));
                }
                self.close(&mut out);
            }
            Say::Block(block) => {
                self.close(&mut out);
                self.open("whole", block.clone(), &mut out);
                self.close(&mut out);
            }
            Say::EndBlock => self.close(&mut out),
            Say::Error { kind, message } => out.push(named(error(kind, message))),
        }
        out
    }

    fn end(&mut self, script: &Script) -> Vec<Frame> {
        let mut out = Vec::new();
        self.close(&mut out);
        let delta = json!({"stop_reason": script.stop_reason, "stop_sequence": null});
        let usage = usage(&script.cost);
        out.push(named(json!({"type": "message_delta", "delta": delta, "usage": usage})));
        out.push(named(json!({"type": "message_stop"})));
        out
    }

    fn event(&self, event: Value) -> Frame {
        named(event)
    }

    fn refusal(&self, status: u16, kind: Option<&str>, message: &str) -> Value {
        let usual = match status {
            401 => "authentication_error",
            402 => "billing_error",
            403 => "permission_error",
            404 => "not_found_error",
            413 => "request_too_large",
            429 => "rate_limit_error",
            529 => "overloaded_error",
            500.. => "api_error",
            _ => "invalid_request_error",
        };
        error(kind.unwrap_or(usual), message)
    }

    fn whole(&self, text: &str) -> Value {
        json!({
            "id": new_id(), "type": "message", "role": "assistant", "model": "scripted",
            "content": [{"type": "text", "text": text}], "stop_reason": "end_turn",
            "stop_sequence": null, "usage": {"input_tokens": 5, "output_tokens": 5},
        })
    }
}

impl Messages {
    fn open(&mut self, kind: &'static str, block: Value, out: &mut Vec<Frame>) {
        if self.open == Some(kind) {
            return;
        }
        self.close(out);
        self.open = Some(kind);
        self.blocks += 1;
        let index = self.blocks - 1;
        let start = json!({"type": "content_block_start", "index": index, "content_block": block});
        out.push(named(start));
    }

    fn close(&mut self, out: &mut Vec<Frame>) {
        if self.open.take().is_some() {
            let index = self.blocks - 1;
            out.push(named(json!({"type": "content_block_stop", "index": index})));
        }
    }

    fn delta(&self, delta: Value) -> Frame {
        let index = self.blocks.saturating_sub(1);
        named(json!({"type": "content_block_delta", "index": index, "delta": delta}))
    }
}

fn new_id() -> String {
    format!("msg_scripted{}", ANSWERS.fetch_add(1, Ordering::Relaxed))
}

/// Events of this format have their type as their name.
fn named(event: Value) -> Frame {
    let name = event["type"].as_str().unwrap_or_default().to_owned();
    Frame { name: Some(name), data: Data::Json(event) }
}

fn error(kind: &str, message: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": message}})
}

fn usage(cost: &Cost) -> Value {
    match cost {
        Cost::Unsaid => json!({}),
        Cost::Tokens { input, output } => json!({"input_tokens": input, "output_tokens": output}),
        Cost::Json(usage) => usage.clone(),
    }
}
