//! What the model server does with one request.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::Semaphore;

use crate::deed::{Deed, OfferedTool};
use crate::framing::Framing;
use crate::say::{Cost, Say};

/// What to do with one request, from top to bottom.
#[derive(Clone)]
pub struct Script {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) steps: Vec<Step>,
    pub(crate) framing: Framing,
    pub(crate) stop_reason: &'static str,
    pub(crate) cost: Cost,
    /// Whether the end comes after the steps.
    pub(crate) ends: bool,
    /// Whether the end has its marker, where that can be left out.
    pub(crate) end_marker: bool,
    /// Whether the steps are all there is: no beginning and no end is added.
    pub(crate) bare: bool,
}

/// One thing to do.
#[derive(Clone)]
pub(crate) enum Step {
    /// Say something, encoded in the wire format.
    Say(Say),
    /// Call whichever offered tool does this. It is turned into a [`Say`] when the tools
    /// are known.
    Do { id: String, deed: Deed },
    /// Send an event as it is.
    Event(Value),
    /// The body of a refusal, encoded in the wire format.
    Refusal { kind: Option<String>, message: String },
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

/// Lets a test decide when the server continues.
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
            stop_reason: "end_turn",
            cost: Cost::Tokens { input: 10, output: 1 },
            ends: true,
            end_marker: true,
            bare: false,
        }
    }

    /// A refusal with this HTTP status, and the API's kind of error for it.
    pub fn failure(status: u16) -> Self {
        Self::refusal(status, None, "scripted failure")
    }

    /// A refusal with this status, kind and message.
    pub fn failure_saying(status: u16, kind: &str, message: &str) -> Self {
        Self::refusal(status, Some(kind), message)
    }

    /// A JSON document instead of a stream.
    pub(crate) fn json(document: &Value) -> Self {
        Self::response(200, "application/json", document.to_string())
    }

    /// Any other answer.
    pub fn response(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![("content-type".into(), content_type.into())];
        let steps = vec![Step::Raw(body.into())];
        Self { status, headers, steps, bare: true, ..Self::answer() }
    }

    /// No response at all: the request is read, and nothing comes back.
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
        self.say(Say::Text(piece.to_owned()))
    }

    /// Each word as a piece of text.
    pub fn words(self, text: &str) -> Self {
        text.split_inclusive(' ').fold(self, Self::text)
    }

    /// A piece of reasoning, in the open block of it or in a new one.
    pub fn thinking(self, piece: &str) -> Self {
        self.say(Say::Thinking(piece.to_owned()))
    }

    /// Signs the reasoning and ends it.
    pub fn signature(self, signature: &str) -> Self {
        self.say(Say::Signature(signature.to_owned())).end_block()
    }

    /// A tool call; its input comes in two pieces.
    pub fn tool_use(self, id: &str, name: &str, input: &Value) -> Self {
        self.tool_use_saying(id, name, &input.to_string())
    }

    /// A tool call with this text as its input, which need not be JSON.
    pub fn tool_use_saying(self, id: &str, name: &str, arguments: &str) -> Self {
        let (id, name, arguments) = (id.to_owned(), name.to_owned(), arguments.to_owned());
        self.say(Say::ToolCall { id, name, arguments }).stop_reason("tool_use")
    }

    /// A call of the tool that runs commands, whatever the client calls it.
    pub fn shell(self, id: &str, command: &str) -> Self {
        self.deed(id, Deed::Shell { command: command.to_owned() })
    }

    /// A call of the tool that writes a file, whatever the client calls it.
    pub fn write_file(self, id: &str, path: &str, content: &str) -> Self {
        self.deed(id, Deed::WriteFile { path: path.to_owned(), content: content.to_owned() })
    }

    /// A block that comes whole.
    pub fn block(self, block: Value) -> Self {
        self.say(Say::Block(block))
    }

    /// Ends the block that is open.
    pub fn end_block(self) -> Self {
        self.say(Say::EndBlock)
    }

    /// What the request cost.
    pub fn usage(mut self, input_tokens: u64, output_tokens: u64) -> Self {
        self.cost = Cost::Tokens { input: input_tokens, output: output_tokens };
        self
    }

    /// What the request cost, as JSON of the API.
    pub fn usage_json(mut self, usage: Value) -> Self {
        self.cost = Cost::Json(usage);
        self
    }

    /// Leaves out what the request cost.
    pub fn without_usage(mut self) -> Self {
        self.cost = Cost::Unsaid;
        self
    }

    /// The stop reason, as the Messages API names it or as the API itself does.
    pub fn stop_reason(mut self, reason: &'static str) -> Self {
        self.stop_reason = reason;
        self
    }

    /// An error in the middle of the answer, and its end.
    pub fn error(self, kind: &str, message: &str) -> Self {
        let (kind, message) = (kind.to_owned(), message.to_owned());
        self.say(Say::Error { kind, message }).without_end()
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
        mut self,
        count: u64,
        every: Duration,
        text: impl Fn(u64) -> String + Send + Sync + 'static,
    ) -> Self {
        self.steps.push(Step::Steady { count, every, text: Arc::new(text) });
        self
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
        self.ends = false;
        self
    }

    /// Leaves out the marker after the end, as some servers do. The Messages
    /// API has none that could be left out.
    pub fn without_end_marker(mut self) -> Self {
        self.end_marker = false;
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

    /// The same with a call of an offered tool for everything that is to be done. Where
    /// none is offered, the model says so.
    pub(crate) fn with_tools(mut self, offered: &[OfferedTool]) -> Self {
        for step in &mut self.steps {
            if let Step::Do { id, deed } = step {
                *step = Step::Say(match deed.call(offered) {
                    Some((name, arguments)) => Say::ToolCall { id: id.clone(), name, arguments },
                    None => Say::Text(format!("(no offered tool can do this: {deed:?})")),
                });
            }
        }
        self
    }

    fn refusal(status: u16, kind: Option<&str>, message: &str) -> Self {
        let refusal = Step::Refusal { kind: kind.map(str::to_owned), message: message.to_owned() };
        let headers = vec![("content-type".into(), "application/json".into())];
        Self { status, headers, steps: vec![refusal], bare: true, ..Self::answer() }
    }

    fn deed(mut self, id: &str, deed: Deed) -> Self {
        self.steps.push(Step::Do { id: id.to_owned(), deed });
        self.stop_reason("tool_use")
    }

    fn say(mut self, say: Say) -> Self {
        self.steps.push(Step::Say(say));
        self
    }
}
