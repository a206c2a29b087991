//! What the model server does with one request.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::framing::Framing;

/// What to do with one request, from top to bottom.
#[derive(Clone)]
pub struct Script {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) steps: Vec<Step>,
    pub(crate) framing: Framing,
    open: Option<&'static str>,
    blocks: usize,
    stop_reason: &'static str,
    usage: Value,
    /// Whether the end is written already, or is not to come.
    ended: bool,
    /// Whether the steps are all there is: no beginning and no end is added.
    bare: bool,
}

/// One thing to do.
#[derive(Clone)]
pub(crate) enum Step {
    /// Send an event.
    Event(Value),
    /// Send bytes as they are.
    Raw(Vec<u8>),
    /// Wait.
    Delay(Duration),
    /// Wait for the test.
    Gate(Gate),
    /// Send text at a steady rate.
    Steady { count: u64, every: Duration, text: Arc<dyn Fn(u64) -> String + Send + Sync> },
    /// Break the connection.
    Reset,
    /// Send nothing more, and keep the connection.
    Silence,
}

/// Lets a test decide when the server goes on.
#[derive(Clone)]
pub struct Gate(Arc<Semaphore>);

impl Gate {
    /// A gate that is closed.
    pub fn closed() -> Self {
        Self(Arc::new(Semaphore::new(0)))
    }

    /// Lets the server pass so many times.
    pub fn release(&self, times: usize) {
        self.0.add_permits(times);
    }

    pub(crate) async fn pass(&self) {
        // The semaphore is never closed; if it were, the gate would be open.
        if let Ok(permit) = self.0.acquire().await {
            permit.forget();
        }
    }
}

impl Script {
    /// A good answer. Text, reasoning and tools follow; the end comes by itself.
    pub fn answer() -> Self {
        Self {
            status: 200,
            headers: vec![("content-type".into(), "text/event-stream; charset=utf-8".into())],
            steps: Vec::new(),
            framing: Framing::default(),
            open: None,
            blocks: 0,
            stop_reason: "end_turn",
            usage: json!({"input_tokens": 10, "output_tokens": 1}),
            ended: false,
            bare: false,
        }
    }

    /// A refusal with this HTTP status, and the API's kind of error for it.
    pub fn failure(status: u16) -> Self {
        let kind = match status {
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
        Self::failure_saying(status, kind, "scripted failure")
    }

    /// A refusal with this status, kind and message.
    pub fn failure_saying(status: u16, kind: &str, message: &str) -> Self {
        let body = json!({"type": "error", "error": {"type": kind, "message": message}});
        Self::response(status, "application/json", body.to_string())
    }

    /// Any other answer.
    pub fn response(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![("content-type".into(), content_type.into())];
        let steps = vec![Step::Raw(body.into())];
        Self { status, headers, steps, bare: true, ..Self::answer() }
    }

    /// No answer at all: the request is taken, and nothing comes back.
    pub fn mute() -> Self {
        Self { steps: vec![Step::Silence], bare: true, ..Self::answer() }
    }

    /// Adds a header to the answer.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Asks the client to wait before it tries again.
    pub fn retry_after(self, seconds: u64) -> Self {
        self.header("retry-after", &seconds.to_string())
    }

    /// A piece of text, in the text block that is open or in a new one.
    pub fn text(self, piece: &str) -> Self {
        self.open("text", json!({"type": "text", "text": ""}))
            .delta(json!({"type": "text_delta", "text": piece}))
    }

    /// Each word as a piece of text.
    pub fn words(self, text: &str) -> Self {
        text.split_inclusive(' ').fold(self, Self::text)
    }

    /// A piece of reasoning, in the open block of it or in a new one.
    pub fn thinking(self, piece: &str) -> Self {
        self.open("thinking", json!({"type": "thinking", "thinking": "", "signature": ""}))
            .delta(json!({"type": "thinking_delta", "thinking": piece}))
    }

    /// Signs the reasoning and ends it.
    pub fn signature(self, signature: &str) -> Self {
        self.delta(json!({"type": "signature_delta", "signature": signature})).end_block()
    }

    /// A tool call; its input comes in two pieces.
    pub fn tool_use(self, id: &str, name: &str, input: &Value) -> Self {
        let input = input.to_string();
        let (first, second) = input.split_at(input.len() / 2);
        self.end_block()
            .open("tool_use", json!({"type": "tool_use", "id": id, "name": name, "input": {}}))
            .delta(json!({"type": "input_json_delta", "partial_json": ""}))
            .delta(json!({"type": "input_json_delta", "partial_json": first}))
            .delta(json!({"type": "input_json_delta", "partial_json": second}))
            .end_block()
            .stop_reason("tool_use")
    }

    /// A block that comes whole.
    pub fn block(self, block: Value) -> Self {
        self.end_block().open("whole", block).end_block()
    }

    /// Ends the block that is open.
    pub fn end_block(mut self) -> Self {
        if self.open.take().is_some() {
            let index = self.blocks - 1;
            self.steps.push(Step::Event(json!({"type": "content_block_stop", "index": index})));
        }
        self
    }

    /// What the request cost.
    pub fn usage(self, input_tokens: u64, output_tokens: u64) -> Self {
        self.usage_json(json!({"input_tokens": input_tokens, "output_tokens": output_tokens}))
    }

    /// What the request cost, in the API's words.
    pub fn usage_json(mut self, usage: Value) -> Self {
        self.usage = usage;
        self
    }

    /// Why the model stops.
    pub fn stop_reason(mut self, reason: &'static str) -> Self {
        self.stop_reason = reason;
        self
    }

    /// An `error` event in the middle of the answer, and its end.
    pub fn error(self, kind: &str, message: &str) -> Self {
        let error = json!({"type": "error", "error": {"type": kind, "message": message}});
        self.event(error).without_end()
    }

    /// Any event.
    pub fn event(mut self, event: Value) -> Self {
        self.steps.push(Step::Event(event));
        self
    }

    /// Any bytes.
    pub fn raw(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.steps.push(Step::Raw(bytes.into()));
        self
    }

    /// A wait.
    pub fn delay(mut self, delay: Duration) -> Self {
        self.steps.push(Step::Delay(delay));
        self
    }

    /// A wait for the test.
    pub fn gate(mut self, gate: &Gate) -> Self {
        self.steps.push(Step::Gate(gate.clone()));
        self
    }

    /// `count` pieces of text, one in each `every`; `text` makes them at the
    /// moment when they are sent.
    pub fn steady(
        self,
        count: u64,
        every: Duration,
        text: impl Fn(u64) -> String + Send + Sync + 'static,
    ) -> Self {
        let mut script = self.open("text", json!({"type": "text", "text": ""}));
        script.steps.push(Step::Steady { count, every, text: Arc::new(text) });
        script
    }

    /// Breaks the connection here.
    pub fn reset(mut self) -> Self {
        self.steps.push(Step::Reset);
        self.without_end()
    }

    /// Sends nothing more from here on, and keeps the connection.
    pub fn silence(mut self) -> Self {
        self.steps.push(Step::Silence);
        self.without_end()
    }

    /// Leaves out the end: the answer just stops.
    pub fn without_end(mut self) -> Self {
        self.ended = true;
        self
    }

    /// Sends everything in pieces of so many bytes, each flushed.
    pub fn split(mut self, bytes: usize) -> Self {
        self.framing.split = Some(bytes.max(1));
        self
    }

    /// Ends lines with this: `\n`, `\r\n` or `\r`.
    pub fn line_end(mut self, end: &'static str) -> Self {
        self.framing.line_end = end;
        self
    }

    /// Puts comments and a byte order mark between and before events.
    pub fn comments(mut self) -> Self {
        self.framing.comments = true;
        self
    }

    /// Writes the data of every event on several lines.
    pub fn multi_line(mut self) -> Self {
        self.framing.multi_line = true;
        self
    }

    /// The script with its beginning and its end.
    pub(crate) fn finished(mut self) -> Self {
        if self.bare {
            return self;
        }
        if !self.ended {
            self = self.end_block();
            let delta = json!({"stop_reason": self.stop_reason, "stop_sequence": null});
            let end = json!({"type": "message_delta", "delta": delta, "usage": self.usage});
            self.steps.push(Step::Event(end));
            self.steps.push(Step::Event(json!({"type": "message_stop"})));
        }
        let mut usage = self.usage.clone();
        usage["output_tokens"] = json!(1);
        let start = json!({"type": "message_start", "message": {
            "id": "msg_scripted", "type": "message", "role": "assistant", "model": "scripted",
            "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage,
        }});
        self.steps.splice(0..0, [Step::Event(start), Step::Event(json!({"type": "ping"}))]);
        self
    }

    fn open(mut self, kind: &'static str, block: Value) -> Self {
        if self.open == Some(kind) {
            return self;
        }
        self = self.end_block();
        self.open = Some(kind);
        self.blocks += 1;
        let index = self.blocks - 1;
        self.event(json!({"type": "content_block_start", "index": index, "content_block": block}))
    }

    fn delta(self, delta: Value) -> Self {
        let index = self.blocks.saturating_sub(1);
        self.event(json!({"type": "content_block_delta", "index": index, "delta": delta}))
    }
}
