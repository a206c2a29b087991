//! AG-UI: a part of a turn as one run.
//!
//! A run ends when the turn ends or waits. Every prompt that is open then is an interrupt, whose id
//! is the prompt's: the next run of the client answers all of them. A call of the client's own tool
//! is no interrupt: it is named by its prompt too, and its result comes as a message.

mod events;
mod messages;

use bytes::BytesMut;
use parlor_protocol::message::{Message, MessageData};
use parlor_protocol::{DoneReason, ErrorCode, EventBody, MessageType, PromptType, metadata};
use parlor_storage::{ConversationView, PromptView, Served};
use serde_json::{Value, json};

use self::events::Event;
use super::answers;
use super::data_lines::write;
use super::turn_dialect::{End, TurnDialect, Wants};
use super::turn_steps::{Step, TextBlock, TurnSteps};
use crate::timestamp;

/// The version of the protocol that a client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    /// 0.0.59: it says nothing, and fails on everything that it does not know.
    Zero,
    /// 1.0.
    One,
}

/// One run.
#[derive(Debug)]
pub(crate) struct AgUi {
    thread: String,
    run: String,
    version: Version,
    steps: TurnSteps,
    /// What failed, until the run ends with it.
    error: Option<(String, ErrorCode)>,
    /// Whether the run begins with all messages.
    shows_past: bool,
}

impl AgUi {
    /// A run as the client names it.
    pub(crate) fn new(thread: String, run: String, version: Version) -> Self {
        let steps = TurnSteps::default();
        Self { thread, run, version, steps, error: None, shows_past: false }
    }

    /// A whole run that shows a conversation as it is; the turn that runs follows.
    pub(crate) fn connect(&mut self, view: Option<&ConversationView>, to: &mut BytesMut) {
        self.begin(to);
        let messages = view.map(messages::all);
        write(to, &Event::MessagesSnapshot { messages: messages.unwrap_or_default() });
        self.shows_past = true;
    }

    fn step(&mut self, step: Step<'_>, to: &mut BytesMut) -> Wants {
        match step {
            Step::TextBegins(block) => begin_text(block, to),
            Step::Text(block, delta) => {
                let message_id = block.id;
                match block.is_reasoning {
                    true => write(to, &Event::ReasoningMessageContent { message_id, delta }),
                    false => write(to, &Event::TextMessageContent { message_id, delta }),
                }
            }
            Step::TextEnds(block, message) => end_text(block, message, to),
            Step::Replaced(..) => return Wants::Conversation,
            Step::Message(message) => whole_message(message, to),
            Step::Call(call) => {
                let tool_call_id = match call.by_client {
                    Some(prompt) => prompt.to_string(),
                    None => call.id.to_string(),
                };
                let (id, tool_call_name) = (tool_call_id.as_str(), call.tool);
                write(to, &Event::ToolCallStart { tool_call_id: id, tool_call_name });
                let delta = call.input.to_string();
                write(to, &Event::ToolCallArgs { tool_call_id: id, delta: &delta });
                write(to, &Event::ToolCallEnd { tool_call_id: id });
            }
            // The client has the result of its own tool.
            Step::Result { by_client: Some(_), .. } => {}
            Step::Result { result, message, .. } => write(
                to,
                &Event::ToolCallResult {
                    message_id: message.id,
                    tool_call_id: result.call_id,
                    content: messages::result_text(&result.output),
                    role: "tool",
                },
            ),
            Step::Progress { call, tool, progress } => {
                let value = json!({"call_id": call, "tool": tool, "progress": progress});
                write(to, &Event::Custom { name: "tool_progress", value });
            }
            Step::Artifact { kind, id } => {
                let message_id = format!("{kind}-{id}");
                let content = json!({"kind": kind, "id": id});
                write(to, &Event::ActivitySnapshot { message_id, activity_type: kind, content });
            }
            Step::Prompt(_) | Step::PromptClosed(_) => {}
            Step::Error { message, code } => self.error = Some((message.to_owned(), code)),
        }
        Wants::More
    }

    fn finish(&mut self, outcome: Value, tokens: Option<u64>, to: &mut BytesMut) {
        let (thread_id, run_id) = (self.thread.as_str(), self.run.as_str());
        let usage = tokens.map(|tokens| json!([{"totalTokens": tokens}]));
        write(to, &Event::RunFinished { thread_id, run_id, outcome, usage });
    }

    fn fail(&self, message: &str, code: &str, to: &mut BytesMut) {
        write(to, &Event::RunError { message, code });
    }

    /// The interrupts of open prompts. The client answers its own calls by messages.
    fn interrupts(&self, open: &[PromptView]) -> Vec<Value> {
        let mut interrupts = Vec::new();
        for view in open {
            let prompt = view.prompt.get();
            if prompt.prompt_type == PromptType::ClientCall {
                continue;
            }
            let mut interrupt = json!({
                "id": prompt.id,
                "reason": prompt.prompt_type,
                "message": prompt.question,
                "responseSchema": answers::schema(prompt),
                "metadata": {"prompt": prompt},
            });
            if let Some(call) = prompt.call_id {
                interrupt["toolCallId"] = json!(call);
            }
            // Once it is past, a client of the old version could never go on.
            if let (Version::One, Some(at)) = (self.version, prompt.expires_at) {
                interrupt["expiresAt"] = json!(timestamp::iso(at));
            }
            interrupts.push(interrupt);
        }
        interrupts
    }

    fn waits_or(&self, open: &[PromptView], otherwise: Value) -> Value {
        match self.interrupts(open) {
            none if none.is_empty() => otherwise,
            interrupts => json!({"type": "interrupt", "interrupts": interrupts}),
        }
    }
}

impl TurnDialect for AgUi {
    fn earlier(&mut self, event: &Served<EventBody>) {
        self.steps.read(event.get(), &mut |_| {});
    }

    fn begin(&mut self, to: &mut BytesMut) {
        self.steps.close_block();
        if !self.shows_past {
            let (thread_id, run_id) = (self.thread.as_str(), self.run.as_str());
            write(to, &Event::RunStarted { thread_id, run_id });
        }
    }

    fn event(&mut self, event: &Served<EventBody>, to: &mut BytesMut) -> Wants {
        let mut steps = std::mem::take(&mut self.steps);
        let mut wants = Wants::More;
        steps.read(event.get(), &mut |step| {
            if self.step(step, to) == Wants::Conversation {
                wants = Wants::Conversation;
            }
        });
        self.steps = steps;
        wants
    }

    fn conversation(&mut self, view: &ConversationView, to: &mut BytesMut) {
        let messages = messages::all(view);
        write(to, &Event::MessagesSnapshot { messages });
    }

    fn end(&mut self, end: &End, to: &mut BytesMut) {
        if let Some(block) = self.steps.close_block() {
            end_text(block, None, to);
        }
        let success = json!({"type": "success"});
        match end {
            End::Waits(open) => self.finish(self.waits_or(open, success), None, to),
            End::Nothing => self.finish(success, None, to),
            End::Lost => self
                .fail("The answer goes on; connect again to read the rest.", "connection_lost", to),
            End::Done { reason: DoneReason::Stopped, tokens_used, open } => {
                let cancelled = match self.version {
                    Version::One => json!({"type": "cancelled"}),
                    Version::Zero => success,
                };
                self.finish(self.waits_or(open, cancelled), *tokens_used, to);
            }
            End::Done { reason: DoneReason::Complete, tokens_used, open } => {
                self.finish(self.waits_or(open, success), *tokens_used, to);
            }
            End::Done { reason: DoneReason::Error | DoneReason::Interrupted, .. } => {
                match self.error.take() {
                    Some((message, code)) => self.fail(&message, code.as_str(), to),
                    None => self.fail("The answer was interrupted.", "interrupted", to),
                }
            }
        }
    }
}

fn begin_text(block: TextBlock, to: &mut BytesMut) {
    let message_id = block.id;
    if block.is_reasoning {
        write(to, &Event::ReasoningStart { message_id });
        write(to, &Event::ReasoningMessageStart { message_id, role: "reasoning" });
    } else {
        write(to, &Event::TextMessageStart { message_id, role: "assistant" });
    }
}

fn end_text(block: TextBlock, message: Option<&Message>, to: &mut BytesMut) {
    let message_id = block.id;
    if block.is_reasoning {
        write(to, &Event::ReasoningMessageEnd { message_id });
        write(to, &Event::ReasoningEnd { message_id });
    } else {
        let metadata = message.map(messages::facts);
        write(to, &Event::TextMessageEnd { message_id, metadata });
    }
}

/// A message that did not stream; a plan is an activity too.
fn whole_message(message: &Message, to: &mut BytesMut) {
    let block = TextBlock { id: message.id, is_reasoning: false };
    begin_text(block, to);
    if !message.content.is_empty() {
        let (message_id, delta) = (message.id, message.content.as_str());
        write(to, &Event::TextMessageContent { message_id, delta });
    }
    end_text(block, Some(message), to);
    if let (MessageType::Plan, Some(MessageData::Plan(plan))) =
        (&message.message_type, &message.data)
    {
        let message_id = format!("plan-{}", message.id);
        let mut content = json!({"plan": plan});
        if let Some(prompt) = metadata::PROMPT_ID.get(&message.metadata) {
            content["prompt_id"] = json!(prompt);
        }
        write(to, &Event::ActivitySnapshot { message_id, activity_type: "plan", content });
    }
}
