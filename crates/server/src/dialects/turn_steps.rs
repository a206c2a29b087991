//! The events of a turn as steps that every external protocol has: text, calls, results.
//!
//! The log says more than these protocols can, and in another order: a text streams before it is a
//! message, a call has its arguments in a prompt or when it runs. This is where that is put
//! together, once for all dialects.

use std::collections::HashMap;

use parlor_protocol::message::{Message, MessageData};
use parlor_protocol::{
    CallId, ErrorCode, EventBody, MessageId, MessageType, PromptClosed, PromptId, PromptType, Role,
    ToolProgress, ToolResult, ToolStatus, UserPrompt,
};
use serde_json::{Value, json};

/// What happens next.
#[derive(Debug)]
pub(super) enum Step<'e> {
    /// A text block begins.
    TextBegins(TextBlock),
    /// The next piece of the open text block.
    Text(TextBlock, &'e str),
    /// The text block ends; with its message, if that came with it.
    TextEnds(TextBlock, Option<&'e Message>),
    /// What was shown of a text is not what it is: this is all of it.
    Replaced(TextBlock, &'e str),
    /// A message that did not stream.
    Message(&'e Message),
    /// A tool is called, or shall be.
    Call(Call<'e>),
    /// What came of a call.
    Result {
        result: &'e ToolResult,
        message: &'e Message,
        status: ToolStatus,
        /// The prompt by which the client answered a call of its own tool.
        by_client: Option<PromptId>,
    },
    /// How far a running call is.
    Progress { call: CallId, tool: &'e str, progress: &'e ToolProgress },
    /// Something is to be shown beside the chat.
    Artifact { kind: &'e str, id: &'e str },
    /// A prompt opens.
    Prompt(&'e UserPrompt),
    /// A prompt is closed.
    PromptClosed(&'e PromptClosed),
    /// Something failed.
    Error { message: &'e str, code: ErrorCode },
}

/// A text block: its message and whether it is reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct TextBlock {
    pub(super) id: MessageId,
    pub(super) is_reasoning: bool,
}

/// A call of a tool.
#[derive(Debug)]
pub(super) struct Call<'e> {
    pub(super) id: CallId,
    pub(super) tool: &'e str,
    pub(super) input: Value,
    /// The prompt by which the client answers a call of its own tool.
    pub(super) by_client: Option<PromptId>,
}

/// Reads the events of a turn.
#[derive(Debug, Default)]
pub(super) struct TurnSteps {
    open: Option<TextBlock>,
    /// The texts that streamed, as they are now.
    texts: HashMap<MessageId, String>,
    /// The calls that were told, with their last status.
    calls: HashMap<CallId, ToolStatus>,
    /// The calls that the client answers, by their prompts.
    of_client: HashMap<CallId, PromptId>,
}

impl TurnSteps {
    /// The block that is open. A response begins without one.
    pub(super) fn close_block(&mut self) -> Option<TextBlock> {
        self.open.take()
    }

    /// Tells the steps of an event, in order.
    pub(super) fn read<'e>(&mut self, event: &'e EventBody, tell: &mut impl FnMut(Step<'e>)) {
        match event {
            EventBody::Chunk { text, message_id } => {
                self.text(TextBlock { id: *message_id, is_reasoning: false }, text, tell);
            }
            EventBody::Thinking { text, message_id } => {
                self.text(TextBlock { id: *message_id, is_reasoning: true }, text, tell);
            }
            EventBody::Snapshot { text, message_id } => {
                self.whole_text(TextBlock { id: *message_id, is_reasoning: false }, text, tell);
            }
            EventBody::Message(message) => self.message(message, tell),
            EventBody::ToolUse { tool, call_id, progress: Some(progress), .. } => {
                tell(Step::Progress { call: *call_id, tool, progress });
            }
            EventBody::ToolUse { tool, call_id, status, input, .. } => {
                if *status == ToolStatus::Running && !self.calls.contains_key(call_id) {
                    self.end_block(None, tell);
                    let input = input.clone().unwrap_or_else(|| json!({}));
                    tell(Step::Call(Call { id: *call_id, tool, input, by_client: None }));
                }
                if *status != ToolStatus::Waiting || self.calls.contains_key(call_id) {
                    self.calls.insert(*call_id, *status);
                }
            }
            EventBody::Artifact { kind, id } => tell(Step::Artifact { kind, id }),
            EventBody::UserPrompt(prompt) => self.prompt(prompt, tell),
            EventBody::UserPromptClosed(closed) => tell(Step::PromptClosed(closed)),
            EventBody::Error { message, code, .. } => {
                self.end_block(None, tell);
                tell(Step::Error { message, code: *code });
            }
            EventBody::Done { .. } => self.end_block(None, tell),
            EventBody::Start { .. }
            | EventBody::BranchChosen { .. }
            | EventBody::Queued { .. }
            | EventBody::UserPromptUpdated(_) => {}
        }
    }

    fn text<'e>(&mut self, block: TextBlock, text: &'e str, tell: &mut impl FnMut(Step<'e>)) {
        self.begin_block(block, tell);
        self.texts.entry(block.id).or_default().push_str(text);
        tell(Step::Text(block, text));
    }

    /// All of a text: the rest of what streamed, or something else.
    fn whole_text<'e>(&mut self, block: TextBlock, text: &'e str, tell: &mut impl FnMut(Step<'e>)) {
        let shown = self.texts.get(&block.id).map_or("", String::as_str);
        match text.strip_prefix(shown) {
            Some("") => {}
            Some(rest) => self.text(block, rest, tell),
            None if text.trim_end() == shown.trim_end() => {}
            None => {
                self.texts.insert(block.id, text.to_owned());
                tell(Step::Replaced(block, text));
            }
        }
    }

    fn message<'e>(&mut self, message: &'e Message, tell: &mut impl FnMut(Step<'e>)) {
        let is_reasoning = message.message_type == MessageType::Thinking;
        let block = TextBlock { id: message.id, is_reasoning };
        match (message.role, &message.data) {
            (Role::User, _) => {}
            (Role::Tool, Some(MessageData::ToolResult(result))) => {
                self.end_block(None, tell);
                let status = self.calls.get(&result.call_id).copied();
                let status = status.unwrap_or(ToolStatus::Completed);
                let by_client = self.of_client.get(&result.call_id).copied();
                tell(Step::Result { result, message, status, by_client });
            }
            // The call itself is told with its prompt.
            (_, Some(MessageData::ToolCall(_))) => self.end_block(None, tell),
            _ if is_reasoning || self.texts.contains_key(&message.id) => {
                self.whole_text(block, &message.content, tell);
                if self.open == Some(block) {
                    self.end_block(Some(message), tell);
                }
            }
            _ => {
                self.end_block(None, tell);
                tell(Step::Message(message));
            }
        }
    }

    fn prompt<'e>(&mut self, prompt: &'e UserPrompt, tell: &mut impl FnMut(Step<'e>)) {
        self.end_block(None, tell);
        if let (Some(call), Some(id)) = (&prompt.tool_call, prompt.call_id) {
            let is_of_client = prompt.prompt_type == PromptType::ClientCall;
            let by_client = is_of_client.then_some(prompt.id);
            if let Some(prompt) = by_client {
                self.of_client.insert(id, prompt);
            }
            if self.calls.insert(id, ToolStatus::Waiting).is_none() {
                let (tool, input) = (call.name.as_str(), call.input.clone());
                tell(Step::Call(Call { id, tool, input, by_client }));
            }
        }
        tell(Step::Prompt(prompt));
    }

    fn begin_block<'e>(&mut self, block: TextBlock, tell: &mut impl FnMut(Step<'e>)) {
        if self.open != Some(block) {
            self.end_block(None, tell);
            self.open = Some(block);
            tell(Step::TextBegins(block));
        }
    }

    fn end_block<'e>(&mut self, message: Option<&'e Message>, tell: &mut impl FnMut(Step<'e>)) {
        if let Some(block) = self.open.take() {
            tell(Step::TextEnds(block, message));
        }
    }
}
