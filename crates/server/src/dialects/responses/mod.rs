//! OpenAI Responses: a part of a turn as one response, streamed or whole.
//!
//! - A response ends when the turn ends, or at the first prompt that the turn waits for, answered
//!   since or not: its content and the numbers of its events follow from the log alone.
//! - Texts and reasoning are items; so are the calls of the server's tools (`mcp_call`).
//! - An approval is an `mcp_approval_request`, named by its prompt; the call that it allows is in
//!   the response to the answer. A question was told as a text, and `metadata` has the prompt.
//! - A call of the client's own tool is a `function_call`, named by its prompt.
//!
//! Text that was streamed cannot be taken back, but what ends an item and the response has all of
//! the text as it is. White space at the end of a text is left out: it is not part of the log.

mod ids;
mod items;
mod numbered;
mod object;
mod output;

use std::collections::HashMap;

use bytes::BytesMut;
use parlor_protocol::{
    CallId, DoneReason, ErrorCode, EventBody, MessageType, PromptType, ToolStatus, UserPrompt,
};
use parlor_storage::Served;
use serde_json::{Value, json};

pub(crate) use self::ids::{ResponseId, approval, approval_name};
use self::items::McpCall;
pub(crate) use self::object::{About, Status};
use self::output::Output;
use super::data_lines::write_done;
use super::openai_values::error;
use super::turn_dialect::{End, TurnDialect, Wants};
use super::turn_steps::{Step, TextBlock, TurnSteps};

/// What a client reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Events.
    Stream {
        /// The last number that it has.
        after: Option<u64>,
    },
    /// One object.
    Whole,
}

/// One response.
#[derive(Debug)]
pub(crate) struct Responses {
    form: Form,
    steps: TurnSteps,
    output: Output,
    /// Prompts that are open at this place of the log.
    open: Vec<UserPrompt>,
    /// The calls that were asked about, with their prompts.
    asked: HashMap<CallId, McpCall>,
    /// What failed, until the response ends with it.
    error: Option<(String, ErrorCode)>,
}

impl Responses {
    /// A response that is about this.
    pub(crate) fn new(about: About, form: Form) -> Self {
        let (is_stream, after) = match form {
            Form::Stream { after } => (true, after),
            Form::Whole => (false, None),
        };
        Self {
            form,
            steps: TurnSteps::default(),
            output: Output::new(about, is_stream, after),
            open: Vec::new(),
            asked: HashMap::new(),
            error: None,
        }
    }

    /// The object as it is.
    pub(crate) fn object(&self) -> Value {
        self.output.object()
    }

    /// The object of a response whose turn is only beginning.
    pub(crate) fn queued(mut self) -> Value {
        self.output.state.status = Status::Queued;
        self.output.object()
    }

    /// Whether the client has to ask again: the response did not come to its end.
    pub(crate) fn is_lost(&self) -> bool {
        self.output.state.status == Status::InProgress
    }

    /// The response shows this prompt, which opened before it.
    pub(crate) fn show(&mut self, prompt: &UserPrompt) {
        self.open.push(prompt.clone());
    }

    fn step(&mut self, step: Step<'_>, to: &mut BytesMut) {
        match step {
            Step::TextBegins(block) => self.output.begin_text(block, to),
            Step::Text(block, text) => self.output.push_text(block, text, to),
            Step::TextEnds(block, message) => {
                self.output.end_text(block, message.map(|message| message.content.as_str()), to);
            }
            Step::Replaced(block, text) => self.output.replace_text(block, text),
            Step::Message(message) if message.message_type == MessageType::Error => {}
            Step::Message(message) => {
                let block = TextBlock { id: message.id, is_reasoning: false };
                self.output.whole_text(block, &message.content, to);
            }
            Step::Call(call) => {
                if let Some(prompt) = call.by_client {
                    self.output.function_call(prompt, call.tool, &call.input, to);
                }
            }
            Step::Result { by_client: Some(_), .. } => {}
            Step::Result { result, status, .. } => {
                // A call that was refused has not begun.
                self.begin_call(result.call_id, &result.name, None, to);
                let has_failed = items::has_failed(status, result.is_error);
                self.output.end_call(result.call_id, has_failed, &result.output, to);
            }
            // Progress is live only, so it can have no number.
            Step::Progress { .. }
            | Step::Artifact { .. }
            | Step::Prompt(_)
            | Step::PromptClosed(_) => {}
            Step::Error { message, code } => self.error = Some((message.to_owned(), code)),
        }
    }

    fn begin_call(&mut self, id: CallId, name: &str, input: Option<&Value>, to: &mut BytesMut) {
        let asked = self.asked.get(&id);
        let known = || asked.map_or_else(|| json!({}), |call| call.input.clone());
        let call = McpCall {
            id,
            name: name.to_owned(),
            input: input.cloned().unwrap_or_else(known),
            prompt: asked.and_then(|call| call.prompt),
        };
        self.output.begin_call(call, to);
    }

    /// What is open at this place of the log, and what was asked.
    fn track(&mut self, event: &EventBody) {
        match event {
            EventBody::UserPrompt(prompt) => {
                if let (Some(call), Some(id)) = (&prompt.tool_call, prompt.call_id) {
                    let (name, input) = (call.name.clone(), call.input.clone());
                    let call = McpCall { id, name, input, prompt: Some(prompt.id) };
                    self.asked.insert(id, call);
                }
                self.open.push((**prompt).clone());
            }
            EventBody::UserPromptClosed(closed) => {
                self.open.retain(|prompt| prompt.id != closed.id);
                self.output.state.last = Some(closed.at);
            }
            EventBody::Message(message) => self.output.state.last = Some(message.created_at),
            _ => {}
        }
    }

    /// Asks for approvals; a question was told as a text.
    fn ask(&mut self, to: &mut BytesMut) {
        for prompt in std::mem::take(&mut self.open) {
            match prompt.prompt_type {
                PromptType::Confirm | PromptType::Plan => self.output.approval(&prompt, to),
                PromptType::Input
                | PromptType::Select
                | PromptType::MultiQuestion
                | PromptType::Wizard
                | PromptType::Form
                | PromptType::ClientCall => {}
            }
            self.tell(&prompt);
        }
    }

    /// Names a prompt in the metadata.
    fn tell(&mut self, prompt: &UserPrompt) {
        let facts = &mut self.output.state.asked;
        facts.insert("prompt_id".to_owned(), json!(prompt.id));
        facts.insert("prompt".to_owned(), json!(json!(prompt).to_string()));
        let page = &self.output.about.page;
        facts.insert("answer_at".to_owned(), json!(page));
    }
}

impl TurnDialect for Responses {
    fn earlier(&mut self, event: &Served<EventBody>) {
        self.track(event.get());
        self.steps.read(event.get(), &mut |_| {});
    }

    fn begin(&mut self, to: &mut BytesMut) {
        self.steps.close_block();
        self.output.begin(to);
    }

    fn event(&mut self, event: &Served<EventBody>, to: &mut BytesMut) -> Wants {
        let event = event.get();
        self.track(event);
        let mut steps = std::mem::take(&mut self.steps);
        steps.read(event, &mut |step| self.step(step, to));
        self.steps = steps;
        if let EventBody::ToolUse { tool, call_id, status: ToolStatus::Running, input, progress } =
            event
            && progress.is_none()
        {
            self.begin_call(*call_id, tool, input.as_ref(), to);
        }
        Wants::More
    }

    fn end(&mut self, end: &End, to: &mut BytesMut) {
        if let Some(block) = self.steps.close_block() {
            self.output.end_text(block, None, to);
        }
        match end {
            End::Waits(_) => {
                self.ask(to);
                self.output.finish(Status::Completed, None, to);
            }
            End::Nothing => self.output.finish(Status::Completed, None, to),
            End::Lost => return self.output.lost(to),
            End::Done { reason, tokens_used, .. } => {
                for prompt in std::mem::take(&mut self.open) {
                    self.tell(&prompt);
                }
                let status = match reason {
                    DoneReason::Complete => Status::Completed,
                    DoneReason::Stopped => Status::Cancelled,
                    DoneReason::Error | DoneReason::Interrupted => {
                        let (message, code) = self.error.take().unwrap_or_else(|| {
                            ("The answer was interrupted.".to_owned(), ErrorCode::AgentFailed)
                        });
                        let failure = error(code.as_str(), &message);
                        let failure = json!({"code": failure["code"], "message": message});
                        self.output.state.error = Some(failure);
                        Status::Failed
                    }
                };
                self.output.finish(status, *tokens_used, to);
            }
        }
        if self.form != Form::Whole {
            write_done(to);
        }
    }

    /// The end of a response must not depend on when it is read.
    fn ends_at_answered_prompts(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
