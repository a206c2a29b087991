//! The output of a response while it is put together: items in order, and the events that tell them.

use std::collections::HashMap;

use bytes::BytesMut;
use parlor_protocol::{CallId, PromptId, UserPrompt};
use serde_json::{Map, Value, json};

use super::items::{self, McpCall};
use super::numbered::Numbered;
use super::object::{About, State, Status, object};
use crate::dialects::turn_steps::TextBlock;

/// An output.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) about: About,
    pub(super) state: State,
    events: Numbered,
    open: Option<OpenText>,
    /// The texts that ended, by their items.
    texts: HashMap<TextBlock, usize>,
    /// The calls that began, by their items.
    calls: HashMap<CallId, (usize, McpCall)>,
}

/// A text that is being written.
#[derive(Debug)]
struct OpenText {
    block: TextBlock,
    index: usize,
    /// What was told.
    text: String,
    /// White space that may be the end.
    held: String,
    /// The number of its first byte.
    first: u64,
}

impl Output {
    pub(super) fn new(about: About, is_stream: bool, after: Option<u64>) -> Self {
        let state = State {
            status: Status::InProgress,
            output: Vec::new(),
            error: None,
            tokens: None,
            last: None,
            asked: Map::new(),
        };
        Self {
            about,
            state,
            events: Numbered::new(is_stream, after),
            open: None,
            texts: HashMap::new(),
            calls: HashMap::new(),
        }
    }

    pub(super) fn object(&self) -> Value {
        object(&self.about, &self.state)
    }

    pub(super) fn begin(&mut self, to: &mut BytesMut) {
        for kind in ["response.created", "response.in_progress"] {
            let response = self.object();
            self.events.event(kind, json!({"response": response}), to);
        }
    }

    /// The response ends.
    pub(super) fn finish(&mut self, status: Status, tokens: Option<u64>, to: &mut BytesMut) {
        self.state.status = status;
        self.state.tokens = tokens;
        let kind = match status {
            Status::Completed | Status::Queued | Status::InProgress => "response.completed",
            Status::Cancelled => "response.incomplete",
            Status::Failed => "response.failed",
        };
        let response = self.object();
        self.events.last(kind, json!({"response": response}), to);
    }

    /// The client has to ask again, after the last number that it has.
    pub(super) fn lost(&self, to: &mut BytesMut) {
        let message = "The answer goes on; read the rest with starting_after.";
        let data = json!({"code": "connection_lost", "message": message, "param": null});
        self.events.lost(data, to);
    }

    /// Adds an item; returns its place.
    fn add(&mut self, item: Value, to: &mut BytesMut) -> usize {
        let index = self.state.output.len();
        let data = json!({"output_index": index, "item": item});
        self.events.event("response.output_item.added", data, to);
        self.state.output.push(item);
        index
    }

    /// An item is complete.
    fn end(&mut self, index: usize, item: Value, to: &mut BytesMut) {
        let data = json!({"output_index": index, "item": item});
        self.events.event("response.output_item.done", data, to);
        if let Some(place) = self.state.output.get_mut(index) {
            *place = item;
        }
    }

    pub(super) fn begin_text(&mut self, block: TextBlock, to: &mut BytesMut) {
        let index = self.add(items::open_text(block), to);
        let (kind, part) = match block.is_reasoning {
            true => ("response.reasoning_summary_part.added", items::summary_part("")),
            false => ("response.content_part.added", items::text_part("")),
        };
        let mut data = place(block, index);
        data["part"] = part;
        self.events.event(kind, data, to);
        let (text, held, first) = (String::new(), String::new(), self.events.next());
        self.open = Some(OpenText { block, index, text, held, first });
    }

    pub(super) fn push_text(&mut self, block: TextBlock, text: &str, to: &mut BytesMut) {
        let Some(open) = self.open.as_mut().filter(|open| open.block == block) else { return };
        open.held.push_str(text);
        let length = open.held.trim_end().len();
        let rest = open.held.split_off(length);
        let text = std::mem::replace(&mut open.held, rest);
        let index = open.index;
        open.text.push_str(&text);
        self.delta(block, index, &text, to);
    }

    fn delta(&mut self, block: TextBlock, index: usize, text: &str, to: &mut BytesMut) {
        let mut data = place(block, index);
        let kind = match block.is_reasoning {
            true => "response.reasoning_summary_text.delta",
            false => {
                data["logprobs"] = json!([]);
                "response.output_text.delta"
            }
        };
        self.events.text(kind, data, text, to);
    }

    /// What was told of a text is not what it is.
    pub(super) fn replace_text(&mut self, block: TextBlock, text: &str) {
        let text = text.trim_end();
        match &mut self.open {
            Some(open) if open.block == block => {
                self.events.continue_at(open.first + text.len() as u64);
                text.clone_into(&mut open.text);
                open.held.clear();
            }
            _ => self.rewrite(block, text),
        }
    }

    fn rewrite(&mut self, block: TextBlock, text: &str) {
        let place = self.texts.get(&block).and_then(|index| self.state.output.get_mut(*index));
        if let Some(place) = place {
            *place = items::whole_text(block, text);
        }
    }

    /// A text ends; with all of it, if that is known.
    pub(super) fn end_text(&mut self, block: TextBlock, whole: Option<&str>, to: &mut BytesMut) {
        let Some(OpenText { index, text: told, first, .. }) =
            self.open.take_if(|open| open.block == block)
        else {
            return;
        };
        let text = whole.map_or(told.as_str(), str::trim_end);
        match text.strip_prefix(told.as_str()) {
            Some(rest) => self.delta(block, index, rest, to),
            None => self.events.continue_at(first + text.len() as u64),
        }
        let mut data = place(block, index);
        data["text"] = json!(text);
        let mut part = place(block, index);
        match block.is_reasoning {
            true => {
                self.events.event("response.reasoning_summary_text.done", data, to);
                part["part"] = items::summary_part(text);
                self.events.event("response.reasoning_summary_part.done", part, to);
            }
            false => {
                data["logprobs"] = json!([]);
                self.events.event("response.output_text.done", data, to);
                part["part"] = items::text_part(text);
                self.events.event("response.content_part.done", part, to);
            }
        }
        self.texts.insert(block, index);
        self.end(index, items::whole_text(block, text), to);
    }

    /// A text that did not stream, or that is another one now.
    pub(super) fn whole_text(&mut self, block: TextBlock, text: &str, to: &mut BytesMut) {
        if self.texts.contains_key(&block) {
            return self.rewrite(block, text.trim_end());
        }
        self.begin_text(block, to);
        self.end_text(block, Some(text), to);
    }

    /// A tool of the server is called.
    pub(super) fn begin_call(&mut self, call: McpCall, to: &mut BytesMut) {
        if self.calls.contains_key(&call.id) {
            return;
        }
        let index = self.add(call.item(&self.about.label), to);
        let data = json!({"output_index": index, "item_id": call.item_id()});
        self.events.event("response.mcp_call.in_progress", data.clone(), to);
        let arguments = call.input.to_string();
        let mut delta = data.clone();
        delta["delta"] = json!(arguments);
        self.events.event("response.mcp_call_arguments.delta", delta, to);
        let mut done = data;
        done["arguments"] = json!(arguments);
        self.events.event("response.mcp_call_arguments.done", done, to);
        self.calls.insert(call.id, (index, call));
    }

    /// A call of a tool of the server has a result.
    pub(super) fn end_call(
        &mut self,
        id: CallId,
        has_failed: bool,
        output: &Value,
        to: &mut BytesMut,
    ) {
        let Some((index, call)) = self.calls.get(&id).cloned() else { return };
        let kind =
            if has_failed { "response.mcp_call.failed" } else { "response.mcp_call.completed" };
        let data = json!({"output_index": index, "item_id": call.item_id()});
        self.events.event(kind, data, to);
        self.end(index, call.ended(&self.about.label, has_failed, output), to);
    }

    /// The client is to call its own tool.
    pub(super) fn function_call(
        &mut self,
        prompt: PromptId,
        name: &str,
        input: &Value,
        to: &mut BytesMut,
    ) {
        let arguments = input.to_string();
        let index = self.add(items::function_call(prompt, name, ""), to);
        let item = items::function_call(prompt, name, &arguments);
        let data = json!({"output_index": index, "item_id": item["id"]});
        let mut delta = data.clone();
        delta["delta"] = json!(arguments);
        self.events.event("response.function_call_arguments.delta", delta, to);
        let mut done = data;
        done["name"] = json!(name);
        done["arguments"] = json!(arguments);
        self.events.event("response.function_call_arguments.done", done, to);
        self.end(index, item, to);
    }

    /// A person is asked for an approval.
    pub(super) fn approval(&mut self, prompt: &UserPrompt, to: &mut BytesMut) {
        let item = items::approval_request(prompt, &self.about.label);
        let index = self.add(item.clone(), to);
        self.end(index, item, to);
    }
}

/// Where a text is.
fn place(block: TextBlock, index: usize) -> Value {
    let part = if block.is_reasoning { "summary_index" } else { "content_index" };
    json!({"item_id": items::text_id(block), "output_index": index, part: 0})
}
