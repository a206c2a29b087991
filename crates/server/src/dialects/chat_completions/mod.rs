//! OpenAI chat completions: a part of a turn as one completion, streamed or whole.
//!
//! - The texts of a turn are one content, reasoning is `reasoning_content`.
//! - A call of the client's own tool is a tool call, named by its prompt, and ends the completion.
//! - Tools of the server are never tool calls: a client would run them. They are in `parlor`, a
//!   field that these clients pass over.
//! - Any other prompt ends the completion with a text that says what is asked and where it is
//!   answered: the protocol has no place for the answer. It is in `parlor` too.
//!
//! Text that was streamed cannot be taken back. If it has to be replaced, `parlor` says by what.

mod asked;
mod completion;

use bytes::BytesMut;
use parlor_protocol::message::Message;
use parlor_protocol::{
    CallId, DoneReason, ErrorCode, EventBody, MessageId, MessageType, PromptType, TurnId,
    UserPrompt,
};
use parlor_storage::Served;
use serde_json::{Value, json};

pub(crate) use self::completion::{Completion, Failure};
use super::data_lines::{write, write_done};
use super::openai_values::{call_name, created_at, error};
use super::turn_dialect::{End, TurnDialect, Wants};
use super::turn_steps::{Call, Step, TextBlock, TurnSteps};

/// What a client reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Chunks.
    Stream {
        /// Whether the last one tells the tokens.
        with_usage: bool,
    },
    /// One object.
    Whole,
}

/// One completion.
#[derive(Debug)]
pub(crate) struct ChatCompletions {
    turn: TurnId,
    model: String,
    /// The address of the conversation for people.
    page: String,
    form: Form,
    steps: TurnSteps,
    completion: Completion,
    /// Prompts that are open at this place of the log.
    open: Vec<UserPrompt>,
    /// What failed, until the completion ends with it.
    error: Option<(String, ErrorCode)>,
}

impl ChatCompletions {
    /// A completion of this turn, as this model.
    pub(crate) fn new(turn: TurnId, model: String, page: String, form: Form) -> Self {
        Self {
            turn,
            model,
            page,
            form,
            steps: TurnSteps::default(),
            completion: Completion::default(),
            open: Vec::new(),
            error: None,
        }
    }

    /// The whole completion, or why there is none.
    pub(crate) fn whole(self) -> Result<Value, Failure> {
        let (id, created) = (self.id(), created_at(self.turn.as_uuid()));
        self.completion.whole(&id, created, &self.model)
    }

    fn id(&self) -> String {
        format!("chatcmpl-{}", self.turn)
    }

    /// Writes a chunk, if the client reads chunks.
    fn chunk(&self, delta: Value, finish: Option<&str>, facts: Option<Value>, to: &mut BytesMut) {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish, "logprobs": null});
        self.write(json!([choice]), facts, None, to);
    }

    fn write(&self, choices: Value, facts: Option<Value>, usage: Option<Value>, to: &mut BytesMut) {
        if self.form == Form::Whole {
            return;
        }
        let mut chunk = json!({
            "id": self.id(),
            "object": "chat.completion.chunk",
            "created": created_at(self.turn.as_uuid()),
            "model": self.model,
            "choices": choices,
        });
        if let Some(facts) = facts {
            chunk["parlor"] = facts;
        }
        if let Some(usage) = usage {
            chunk["usage"] = usage;
        }
        write(to, &chunk);
    }

    fn step(&mut self, step: Step<'_>, to: &mut BytesMut) {
        self.track(&step);
        match step {
            Step::TextBegins(block) => self.completion.begin(block),
            Step::Text(block, text) => self.text(block, text, to),
            Step::TextEnds(..) | Step::PromptClosed(_) => {}
            Step::Replaced(block, text) => {
                self.completion.replace(block, text);
                let replaced = json!({"message_id": block.id, "text": text});
                self.chunk(json!({}), None, Some(json!({"replaced": replaced})), to);
            }
            Step::Message(message) => self.message(message, to),
            Step::Call(call) => self.call(call, to),
            Step::Result { by_client: Some(_), .. } => {}
            Step::Result { result, status, .. } => {
                self.tool(result.call_id, &result.name, json!({"status": status}), to);
            }
            Step::Progress { call, tool, progress } => {
                self.tool(call, tool, json!({"progress": progress}), to);
            }
            Step::Artifact { kind, id } => {
                let facts = json!({"artifact": {"kind": kind, "id": id}});
                self.chunk(json!({}), None, Some(facts), to);
            }
            Step::Prompt(_) => {}
            Step::Error { message, code } => self.error = Some((message.to_owned(), code)),
        }
    }

    fn text(&mut self, block: TextBlock, text: &str, to: &mut BytesMut) {
        let delta = self.completion.push(block, text, self.form);
        let delta = match block.is_reasoning {
            true => json!({"reasoning_content": delta}),
            false => json!({"content": delta}),
        };
        self.chunk(delta, None, None, to);
    }

    /// A message that did not stream. An error ends the completion anyway.
    fn message(&mut self, message: &Message, to: &mut BytesMut) {
        if message.message_type != MessageType::Error && !message.content.is_empty() {
            self.say(message.id, &message.content, to);
        }
    }

    fn say(&mut self, id: MessageId, text: &str, to: &mut BytesMut) {
        let block = TextBlock { id, is_reasoning: false };
        self.completion.begin(block);
        self.text(block, text, to);
    }

    fn call(&mut self, call: Call<'_>, to: &mut BytesMut) {
        let Some(prompt) = call.by_client else {
            return self.tool(call.id, call.tool, json!({"input": call.input}), to);
        };
        let mut function = json!({
            "id": call_name(prompt),
            "type": "function",
            "function": {"name": call.tool, "arguments": call.input.to_string()},
        });
        self.completion.calls.push(function.clone());
        function["index"] = json!(self.completion.calls.len() - 1);
        self.chunk(json!({"tool_calls": [function]}), None, None, to);
    }

    /// Tells of a tool of the server.
    fn tool(&self, call: CallId, name: &str, mut facts: Value, to: &mut BytesMut) {
        facts["call_id"] = json!(call);
        facts["name"] = json!(name);
        self.chunk(json!({}), None, Some(json!({"tool": facts})), to);
    }

    /// Says what is asked and where it is answered.
    fn ask(&mut self, to: &mut BytesMut) {
        let (turn, page) = (*self.turn.as_uuid(), self.page.clone());
        let open = self.open.iter().filter(|prompt| prompt.prompt_type != PromptType::ClientCall);
        for text in open.map(|prompt| asked::text(prompt, &page)).collect::<Vec<_>>() {
            self.say(MessageId::new(turn), &text, to);
        }
    }

    fn finish(&mut self, reason: &'static str, tokens: Option<u64>, to: &mut BytesMut) {
        let reason = match self.completion.calls.is_empty() {
            true => reason,
            false => "tool_calls",
        };
        let facts = self.open.first().map(|prompt| json!({"prompt": prompt}));
        self.chunk(json!({}), Some(reason), facts.clone(), to);
        self.completion.finish(reason, tokens, facts);
        if self.form == (Form::Stream { with_usage: true }) {
            let usage = tokens.map_or(Value::Null, completion::usage);
            self.write(json!([]), None, Some(usage), to);
        }
        if self.form != Form::Whole {
            write_done(to);
        }
    }

    fn fail(&mut self, failure: Failure, to: &mut BytesMut) {
        if self.form != Form::Whole {
            let (code, message) = failure.parts();
            write(to, &json!({"error": error(code, message)}));
        }
        self.completion.fail(failure);
    }

    /// What is open at this place of the log.
    fn track(&mut self, step: &Step<'_>) {
        match step {
            Step::Prompt(prompt) => self.open.push((*prompt).clone()),
            Step::PromptClosed(closed) => self.open.retain(|prompt| prompt.id != closed.id),
            _ => {}
        }
    }

    fn read(&mut self, event: &EventBody, tell: &mut impl FnMut(&mut Self, Step<'_>)) {
        let mut steps = std::mem::take(&mut self.steps);
        steps.read(event, &mut |step| tell(self, step));
        self.steps = steps;
    }
}

impl TurnDialect for ChatCompletions {
    fn earlier(&mut self, event: &Served<EventBody>) {
        self.read(event.get(), &mut |this, step| this.track(&step));
    }

    fn begin(&mut self, to: &mut BytesMut) {
        self.steps.close_block();
        self.chunk(json!({"role": "assistant", "content": ""}), None, None, to);
    }

    fn event(&mut self, event: &Served<EventBody>, to: &mut BytesMut) -> Wants {
        self.read(event.get(), &mut |this, step| this.step(step, to));
        Wants::More
    }

    fn end(&mut self, end: &End, to: &mut BytesMut) {
        match end {
            End::Waits(_) => {
                self.ask(to);
                self.finish("stop", None, to);
            }
            End::Nothing => self.finish("stop", None, to),
            End::Lost => self.fail(Failure::Lost, to),
            End::Done {
                reason: DoneReason::Complete | DoneReason::Stopped, tokens_used, ..
            } => {
                self.finish("stop", *tokens_used, to);
            }
            End::Done { reason: DoneReason::Error | DoneReason::Interrupted, .. } => {
                let (message, code) = self.error.take().unwrap_or_else(|| {
                    ("The answer was interrupted.".to_owned(), ErrorCode::AgentFailed)
                });
                self.fail(Failure::Turn { code, message }, to);
            }
        }
    }
}

#[cfg(test)]
mod tests;
