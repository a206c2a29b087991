//! What an editor is shown of the events of a conversation. Pure: events in, updates out.
//!
//! - An editor can only append: text that replaces what was streamed is sent as far as it is
//!   more, or else once more. A message that follows another begins a new paragraph.
//! - A call is known by its `tool_use` events, its arguments come with the message that asks
//!   for approval, its result with another one.
//! - What this editor's person wrote is not repeated.
//! - Of a prompt only what its call would change is shown here: [`super::turn`] asks it.

use std::collections::{HashMap, HashSet};

use agent_client_protocol_schema::v1::{
    ContentBlock, ContentChunk, Plan as PlanUpdate, PlanEntry, PlanEntryPriority, PlanEntryStatus,
    SessionUpdate,
};
use parlor_protocol::message::{Message, MessageData};
use parlor_protocol::{
    CallId, DoneReason, EventBody, FileReference, ImageReference, MessageId, MessageType, Metadata,
    Plan, PromptId, Role, metadata,
};
use serde::Deserialize as _;

use super::tool_calls::ToolCalls;

/// What the editor has been shown.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// The text of each message of the running turn.
    texts: HashMap<MessageId, String>,
    /// The text that the last update was a part of, if it was text.
    last: Option<(Voice, Source)>,
    calls: ToolCalls,
    /// The error that the turn ended with.
    error: Option<String>,
    ending: Ending,
    /// Messages and answers of this editor's person, whom nobody has to tell.
    own_messages: HashSet<MessageId>,
    own_answers: HashSet<PromptId>,
}

/// What messages said about the end of the turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Ending {
    /// The answer reached a limit.
    pub(super) cut_off: bool,
    /// The model declined to answer.
    pub(super) declined: bool,
}

/// Where text comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Message(MessageId),
    /// A paragraph of our own.
    Parlor,
}

/// Whose text it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Voice {
    Person,
    Agent,
    Thought,
}

impl Shown {
    /// The editor has shown its person's message: what follows is not a part of what was
    /// before.
    pub(super) fn begin_prompt(&mut self) {
        self.last = None;
    }

    /// This editor's person wrote a message.
    pub(super) fn own_message(&mut self, id: MessageId) {
        self.own_messages.insert(id);
    }

    /// This editor's person answered a prompt.
    pub(super) fn own_answer(&mut self, id: PromptId) {
        self.own_answers.insert(id);
    }

    /// The call that a prompt is about.
    pub(super) fn call_of(&self, prompt: PromptId) -> Option<CallId> {
        self.calls.of_prompt(prompt)
    }

    /// What messages said about the end of the turn.
    pub(super) fn ending(&self) -> Ending {
        self.ending
    }

    /// The updates for an event.
    pub(super) fn updates(&mut self, event: &EventBody) -> Vec<SessionUpdate> {
        match event {
            EventBody::Chunk { text, message_id } => self.more(*message_id, Voice::Agent, text),
            EventBody::Thinking { text, message_id } => {
                self.more(*message_id, Voice::Thought, text)
            }
            EventBody::Snapshot { text, message_id } => self.all(*message_id, Voice::Agent, text),
            EventBody::Message(message) => self.message(message),
            EventBody::ToolUse { tool, call_id, status, progress, .. } => {
                let updates = self.calls.status(tool, *call_id, *status, progress.as_ref());
                self.between(updates)
            }
            EventBody::UserPrompt(prompt) => {
                let updates = self.calls.previewed(prompt);
                self.between(updates)
            }
            EventBody::UserPromptClosed(closed) => {
                let updates = self.calls.closed(closed);
                self.between(updates)
            }
            EventBody::Error { message, .. } if self.error.as_ref() != Some(message) => {
                self.error = Some(message.clone());
                self.say(message)
            }
            EventBody::Start { .. } => {
                self.forget_turn();
                Vec::new()
            }
            EventBody::Done { reason: DoneReason::Interrupted, .. } => {
                self.say("(The server went down in the middle of this answer.)")
            }
            EventBody::Done { .. }
            | EventBody::Error { .. }
            | EventBody::BranchChosen { .. }
            | EventBody::Queued { .. }
            | EventBody::Artifact { .. }
            | EventBody::UserPromptUpdated(_) => Vec::new(),
        }
    }

    /// A paragraph of our own.
    pub(super) fn say(&mut self, text: &str) -> Vec<SessionUpdate> {
        // Two of them are two paragraphs.
        let is_first = self.last.is_none_or(|(voice, _)| voice != Voice::Agent);
        let text = if is_first { text.to_owned() } else { format!("\n\n{text}") };
        self.last = Some((Voice::Agent, Source::Parlor));
        vec![SessionUpdate::AgentMessageChunk(ContentChunk::new(text.into()))]
    }

    fn forget_turn(&mut self) {
        self.texts.clear();
        self.error = None;
        self.ending = Ending::default();
    }

    fn message(&mut self, message: &Message) -> Vec<SessionUpdate> {
        match message.role {
            Role::User => self.person(message),
            Role::Tool => {
                let updates = self.calls.result(message);
                self.between(updates)
            }
            Role::Assistant => self.agent(message),
        }
    }

    fn person(&mut self, message: &Message) -> Vec<SessionUpdate> {
        let answers = metadata::ANSWERS.get(&message.metadata);
        let is_own = self.own_messages.contains(&message.id)
            || answers.is_some_and(|prompt| self.own_answers.contains(&prompt));
        if is_own {
            return Vec::new();
        }
        let image: Option<ImageReference> = metadata::IMAGE.get(&message.metadata);
        let text = match image {
            Some(_) if message.content.is_empty() => "(an image)".to_owned(),
            Some(_) => format!("{}\n\n(with an image)", message.content),
            None => message.content.clone(),
        };
        let text = with_files(text, &message.metadata);
        self.all(message.id, Voice::Person, &text)
    }

    fn agent(&mut self, message: &Message) -> Vec<SessionUpdate> {
        self.ending.cut_off |= metadata::CUT_OFF.get(&message.metadata) == Some(true);
        let remedy = metadata::REMEDY.raw(&message.metadata).and_then(|remedy| remedy.as_str());
        self.ending.declined |= remedy == Some("rephrase");
        match (&message.message_type, &message.data) {
            (MessageType::Thinking, _) => self.all(message.id, Voice::Thought, &message.content),
            (MessageType::ToolCall, Some(MessageData::ToolCall(call))) => {
                let prompt = metadata::PROMPT_ID.get(&message.metadata);
                let updates = self.calls.proposed(call, prompt);
                self.between(updates)
            }
            (MessageType::Plan, Some(MessageData::Plan(plan))) => {
                let mut updates = self.all(message.id, Voice::Agent, &plan.to_markdown());
                updates.extend(plan_update(plan));
                updates
            }
            (MessageType::Error, _) => {
                self.error = Some(message.content.clone());
                self.all(message.id, Voice::Agent, &message.content)
            }
            _ => self.all(message.id, Voice::Agent, &message.content),
        }
    }

    /// Updates that separate text before them from text after them.
    fn between(&mut self, updates: Vec<SessionUpdate>) -> Vec<SessionUpdate> {
        if !updates.is_empty() {
            self.last = None;
        }
        updates
    }

    /// The next piece of a text.
    fn more(&mut self, id: MessageId, voice: Voice, piece: &str) -> Vec<SessionUpdate> {
        self.texts.entry(id).or_default().push_str(piece);
        self.chunk(id, voice, piece)
    }

    /// All of a text, of which a part may have been shown.
    fn all(&mut self, id: MessageId, voice: Voice, text: &str) -> Vec<SessionUpdate> {
        let before = self.texts.insert(id, text.to_owned()).unwrap_or_default();
        match text.strip_prefix(before.as_str()) {
            Some(rest) => self.chunk(id, voice, rest),
            None if before.starts_with(text.trim_end()) => Vec::new(),
            // It replaces what was shown.
            None => self.chunk(id, voice, &format!("\n\n{text}")),
        }
    }

    fn chunk(&mut self, id: MessageId, voice: Voice, text: &str) -> Vec<SessionUpdate> {
        if text.is_empty() {
            return Vec::new();
        }
        let now = (voice, Source::Message(id));
        let follows_another = self.last.is_some_and(|last| last.0 == voice && last != now);
        self.last = Some(now);
        let text = if follows_another { format!("\n\n{text}") } else { text.to_owned() };
        let chunk = ContentChunk::new(ContentBlock::from(text)).message_id(id.to_string().as_str());
        vec![match voice {
            Voice::Person => SessionUpdate::UserMessageChunk(chunk),
            Voice::Agent => SessionUpdate::AgentMessageChunk(chunk),
            Voice::Thought => SessionUpdate::AgentThoughtChunk(chunk),
        }]
    }
}

/// A text with the names of the files that came with it.
fn with_files(text: String, metadata: &Metadata) -> String {
    let files = metadata::FILES.raw(metadata);
    let files: Vec<FileReference> =
        files.and_then(|files| Vec::deserialize(files).ok()).unwrap_or_default();
    let names = files.into_iter().map(|file| format!("(with the file {})", file.name));
    let parts = [text].into_iter().chain(names).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("\n\n")
}

/// The steps of a plan. Parlor does not say which of them are done.
fn plan_update(plan: &Plan) -> Option<SessionUpdate> {
    let entry = |action: &String| {
        let (priority, status) = (PlanEntryPriority::Medium, PlanEntryStatus::Pending);
        PlanEntry::new(action.clone(), priority, status)
    };
    let entries: Vec<PlanEntry> = plan.steps.iter().map(|step| entry(&step.action)).collect();
    (!entries.is_empty()).then(|| SessionUpdate::Plan(PlanUpdate::new(entries)))
}

#[cfg(test)]
mod tests;
