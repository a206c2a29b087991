//! The OpenAI Responses API: numbered events about the items of one response.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use super::Wire;
use crate::frame::{Data, Frame};
use crate::record::RecordedRequest;
use crate::say::{Cost, Say, halves};
use crate::script::Script;

/// Every response and item has its own id: clients assemble pieces by it.
static IDS: AtomicU64 = AtomicU64::new(1);

/// One response.
#[derive(Debug)]
pub(super) struct Responses {
    id: String,
    /// The number of the next event.
    sequence: u64,
    open: Option<Open>,
    /// The items that are finished.
    items: Vec<Value>,
    /// The tools whose input is text and not JSON.
    free_form: Vec<String>,
}

/// The item that is being said.
#[derive(Debug)]
struct Open {
    id: String,
    is_reasoning: bool,
    text: String,
}

impl Responses {
    pub(super) fn new(request: &RecordedRequest) -> Self {
        let free_form = request.offered().into_iter().filter(|tool| tool.is_free_form);
        let free_form = free_form.map(|tool| tool.name).collect();
        Self { id: new_id("resp"), sequence: 0, open: None, items: Vec::new(), free_form }
    }
}

impl Wire for Responses {
    fn begin(&mut self, _: &Script) -> Vec<Frame> {
        let response = self.response("in_progress", &Cost::Unsaid);
        let kinds = ["response.created", "response.in_progress"];
        kinds.map(|kind| self.event_of(kind, json!({"response": response}))).into()
    }

    fn say(&mut self, say: &Say) -> Vec<Frame> {
        let mut out = Vec::new();
        match say {
            Say::Text(text) => self.piece(false, text, &mut out),
            Say::Thinking(text) => self.piece(true, text, &mut out),
            Say::ToolCall { id, name, arguments } => self.call(id, name, arguments, &mut out),
            Say::EndBlock => self.close(&mut out),
            Say::Error { kind, message } => {
                let mut response = self.response("failed", &Cost::Unsaid);
                response["error"] = json!({"code": kind, "message": message});
                out.push(self.event_of("response.failed", json!({"response": response})));
            }
            // Nothing of this format is like it.
            Say::Signature(_) | Say::Block(_) => {}
        }
        out
    }

    fn end(&mut self, script: &Script) -> Vec<Frame> {
        let mut out = Vec::new();
        self.close(&mut out);
        let incomplete = match script.stop_reason {
            "max_tokens" => Some("max_output_tokens"),
            "refusal" => Some("content_filter"),
            _ => None,
        };
        let status = if incomplete.is_some() { "incomplete" } else { "completed" };
        let mut response = self.response(status, &script.cost);
        if let Some(reason) = incomplete {
            response["incomplete_details"] = json!({"reason": reason});
        }
        out.push(self.event_of(&format!("response.{status}"), json!({"response": response})));
        out
    }

    fn event(&self, event: Value) -> Frame {
        named(event)
    }

    fn refusal(&self, status: u16, kind: Option<&str>, message: &str) -> Value {
        let usual = match status {
            401 => "invalid_api_key",
            404 => "model_not_found",
            429 => "rate_limit_exceeded",
            500.. => "server_error",
            _ => "invalid_request_error",
        };
        let kind = kind.unwrap_or(usual);
        json!({"error": {"message": message, "type": kind, "param": null, "code": kind}})
    }

    fn whole(&self, text: &str) -> Value {
        let mut response = self.response("completed", &Cost::Tokens { input: 5, output: 5 });
        response["output"] = json!([message(&new_id("msg"), text)]);
        response
    }
}

impl Responses {
    /// A piece of text or of reasoning, in the open item of its kind or in a new one.
    fn piece(&mut self, is_reasoning: bool, text: &str, out: &mut Vec<Frame>) {
        if self.open.as_ref().is_none_or(|open| open.is_reasoning != is_reasoning) {
            self.close(out);
            self.begin_item(is_reasoning, out);
        }
        let Some(open) = self.open.as_mut() else { return };
        open.text.push_str(text);
        let mut about = self.about_open();
        about["delta"] = json!(text);
        out.push(self.event_of(&kind(is_reasoning, "delta"), about));
    }

    fn begin_item(&mut self, is_reasoning: bool, out: &mut Vec<Frame>) {
        let id = new_id(if is_reasoning { "rs" } else { "msg" });
        let mut item = if is_reasoning { reasoning(&id, "") } else { message(&id, "") };
        let parts = if is_reasoning { "summary" } else { "content" };
        item[parts] = json!([]);
        out.push(self.item_event("added", &item));
        self.open = Some(Open { id, is_reasoning, text: String::new() });
        let mut about = self.about_open();
        about["part"] = part(is_reasoning, "");
        let kind = if is_reasoning { "reasoning_summary_part" } else { "content_part" };
        out.push(self.event_of(&format!("response.{kind}.added"), about));
    }

    /// Ends the item that is open.
    fn close(&mut self, out: &mut Vec<Frame>) {
        let mut about = self.about_open();
        let Some(Open { id, is_reasoning, text }) = self.open.take() else { return };
        about["text"] = json!(text);
        out.push(self.event_of(&kind(is_reasoning, "done"), about.clone()));
        about["part"] = part(is_reasoning, &text);
        let part = if is_reasoning { "reasoning_summary_part" } else { "content_part" };
        out.push(self.event_of(&format!("response.{part}.done"), about));
        let item = if is_reasoning { reasoning(&id, &text) } else { message(&id, &text) };
        self.finish(item, out);
    }

    fn call(&mut self, call: &str, name: &str, arguments: &str, out: &mut Vec<Frame>) {
        self.close(out);
        let is_free_form = self.free_form.iter().any(|free| free == name);
        let (kind, key, event) = match is_free_form {
            true => ("custom_tool_call", "input", "custom_tool_call_input"),
            false => ("function_call", "arguments", "function_call_arguments"),
        };
        let id = new_id("fc");
        let item = |status: &str, text: &str| {
            json!({"id": id, "type": kind, "status": status, "call_id": call, "name": name,
                   key: text})
        };
        out.push(self.item_event("added", &item("in_progress", "")));
        let about = json!({"item_id": id, "output_index": self.items.len()});
        let (first, second) = halves(arguments);
        for piece in [first, second] {
            let mut about = about.clone();
            about["delta"] = json!(piece);
            out.push(self.event_of(&format!("response.{event}.delta"), about));
        }
        let mut about = about;
        about[key] = json!(arguments);
        out.push(self.event_of(&format!("response.{event}.done"), about));
        self.finish(item("completed", arguments), out);
    }

    fn finish(&mut self, item: Value, out: &mut Vec<Frame>) {
        out.push(self.item_event("done", &item));
        self.items.push(item);
    }

    fn item_event(&mut self, what: &str, item: &Value) -> Frame {
        let about = json!({"output_index": self.items.len(), "item": item});
        self.event_of(&format!("response.output_item.{what}"), about)
    }

    /// Where in the response the open item is.
    fn about_open(&self) -> Value {
        let Some(open) = &self.open else { return json!({}) };
        let index = if open.is_reasoning { "summary_index" } else { "content_index" };
        json!({"item_id": open.id, "output_index": self.items.len(), index: 0})
    }

    fn event_of(&mut self, kind: &str, mut event: Value) -> Frame {
        event["type"] = json!(kind);
        event["sequence_number"] = json!(self.sequence);
        self.sequence += 1;
        named(event)
    }

    fn response(&self, status: &str, cost: &Cost) -> Value {
        json!({
            "id": self.id, "object": "response", "created_at": 1_700_000_000, "status": status,
            "model": "scripted", "output": self.items, "error": null, "incomplete_details": null,
            "parallel_tool_calls": true, "tool_choice": "auto", "tools": [], "usage": usage(cost),
        })
    }
}

/// The event of a piece of text or of its end.
fn kind(is_reasoning: bool, what: &str) -> String {
    let of = if is_reasoning { "reasoning_summary_text" } else { "output_text" };
    format!("response.{of}.{what}")
}

fn part(is_reasoning: bool, text: &str) -> Value {
    match is_reasoning {
        true => json!({"type": "summary_text", "text": text}),
        false => json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []}),
    }
}

fn message(id: &str, text: &str) -> Value {
    json!({"id": id, "type": "message", "role": "assistant", "status": "completed",
           "content": [part(false, text)]})
}

fn reasoning(id: &str, text: &str) -> Value {
    json!({"id": id, "type": "reasoning", "summary": [part(true, text)]})
}

fn usage(cost: &Cost) -> Value {
    match cost {
        Cost::Unsaid => Value::Null,
        Cost::Tokens { input, output } => json!({
            "input_tokens": input, "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": output, "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": input.saturating_add(*output),
        }),
        Cost::Json(usage) => usage.clone(),
    }
}

/// Events of this format have their type as their name.
fn named(event: Value) -> Frame {
    let name = event["type"].as_str().unwrap_or_default().to_owned();
    Frame { name: Some(name), data: Data::Json(event) }
}

fn new_id(kind: &str) -> String {
    format!("{kind}_scripted{}", IDS.fetch_add(1, Ordering::Relaxed))
}
