//! The write that begins a turn: a person's message, or nothing if the agent begins by
//! itself. Pure, but for ids and the clock.
//!
//! This is where a message enters the history that a model reads: only as [`Checked`].

use parlor_agent::{ContentBlock, HistoryMessage, Takes};
use parlor_guard::{Checked, Clean};
use parlor_protocol::message::{Message, Metadata};
use parlor_protocol::{
    BootId, ConversationId, EventBody, FileReference, ImageReference, MessageId, MessageType,
    PersonId, Role, TenantId, TurnId, metadata,
};
use parlor_storage::{
    BeginTurn, ClosedPrompts, Follows, Prompt, PromptClosing, PromptResolution, TurnOwner,
};
use serde_json::Value;
use uuid::Uuid;

use super::writer::history_json;
use crate::caller::Caller;
use crate::clock::now;
use crate::files::MessageFile;
use crate::project::Project;
use crate::prompts::AGENT;
use crate::prompts::closing::{closed_event, passed_over};
use crate::retries::{self, Retry};
use crate::versions::{self, Version};

/// What a person says: a message, or an answer that no turn waits for.
#[derive(Debug)]
pub(crate) struct PersonMessage {
    /// As people read it.
    pub(crate) text: Checked<String>,
    /// As the model reads it, if that is not the same.
    pub(crate) for_model: Option<Checked<String>>,
    /// Its files, those of the message that is tried again or in whose place it is among them.
    pub(crate) files: Vec<MessageFile>,
    /// The message that is tried again.
    pub(crate) retry: Option<Retry>,
    /// The message in whose place this one is.
    pub(crate) version: Option<Version>,
    /// Set if the model goes on without what was read: the mark in the raw history.
    pub(crate) clears: Option<Value>,
}

impl PersonMessage {
    /// What begins its turn in the raw history: marks, and the message.
    fn history(&self, takes: Takes) -> Vec<Value> {
        let branch = self.version.is_some().then(versions::mark);
        branch.into_iter().chain(self.clears.clone()).chain([self.message(takes)]).collect()
    }

    /// The message for the raw history.
    fn message(&self, takes: Takes) -> Value {
        let text = self.for_model.as_ref().unwrap_or(&self.text);
        let mut history = history_json(&history_message(text, &self.files, takes));
        if let Some(retry) = &self.retry {
            retries::mark(&mut history, retry.turn);
        }
        history
    }
}

/// The write that stores a person's message and begins its turn. With `answers` the message
/// is the answer to a prompt; the prompts in `cancelled` are closed without one.
pub(crate) fn message_turn(
    caller: &Caller,
    project: &Project,
    conversation: ConversationId,
    said: PersonMessage,
    answers: Option<Box<PromptResolution>>,
    cancelled: &[Prompt],
) -> BeginTurn {
    let sanitizer = &project.sanitizer;
    let turn = TurnId::new(Uuid::now_v7());
    let answered = answers.as_ref().map(|answering| &answering.closing);
    let message = message(&said, conversation, turn, answered);
    let passed_over: Vec<PromptClosing> = cancelled.iter().map(passed_over).collect();
    let events = answered
        .into_iter()
        .chain(&passed_over)
        .map(|closing| Clean::new(sanitizer, closed_event(closing)))
        .collect();
    let start = start(project, conversation, turn, Some(message.id));
    let history = said.history(project.agent.takes());
    let of_others = said.files.iter().filter(|one| one.file.facts.suspicious.is_some());
    let told = of_others.map(|one| one.file.clone()).collect();
    let (clears, follows) = (
        said.clears.is_some(),
        said.version.as_ref().map_or_else(Follows::default, Version::follows),
    );
    let new = said.files.into_iter().filter(|one| !one.is_stored);
    BeginTurn {
        started_by: caller.principal(),
        person: caller.person(),
        clears,
        follows,
        history,
        message: Some(Clean::new(sanitizer, message)),
        files: new.map(|one| one.file).collect(),
        told,
        closes: ClosedPrompts { answered: answers, passed_over, events },
        ..empty_turn(&caller.tenant, conversation, turn, start)
    }
}

/// The write that begins an agent-initiated turn, which counts against the person whose
/// conversation it is. Prompts that no turn waits for stay open.
pub(crate) fn agent_turn(
    tenant: &TenantId,
    project: &Project,
    conversation: ConversationId,
    person: Option<PersonId>,
) -> BeginTurn {
    let turn = TurnId::new(Uuid::now_v7());
    let start = start(project, conversation, turn, None);
    // Its process knows the path of its last turn, and no other one.
    let turn = empty_turn(tenant, conversation, turn, start);
    BeginTurn { follows: Follows::Newest, person, ..turn }
}

/// The write that begins a turn for a call of an app, which a person has before them.
pub(crate) fn app_turn(
    caller: &Caller,
    project: &Project,
    conversation_id: ConversationId,
    server: String,
) -> BeginTurn {
    let (turn_id, app) = (TurnId::new(Uuid::now_v7()), Some(server));
    let (message_id, branch) = (None, None);
    let start = EventBody::Start { conversation_id, turn_id, message_id, app, branch };
    let start = Clean::new(&project.sanitizer, start);
    let (started_by, person) = (caller.principal(), caller.person());
    BeginTurn { started_by, person, ..empty_turn(&caller.tenant, conversation_id, turn_id, start) }
}

/// A turn without a message.
fn empty_turn(
    tenant: &TenantId,
    conversation: ConversationId,
    turn: TurnId,
    start: Clean<EventBody>,
) -> BeginTurn {
    BeginTurn {
        tenant: tenant.clone(),
        conversation,
        new: None,
        title: None,
        mode: None,
        turn,
        follows: Follows::Leaf,
        started_by: AGENT.to_owned(),
        person: None,
        usage: None,
        client_message_id: None,
        request_hash: None,
        external: None,
        client_tools: None,
        start,
        message: None,
        clears: false,
        history: Vec::new(),
        files: Vec::new(),
        told: Vec::new(),
        closes: ClosedPrompts::default(),
        block_message: MessageId::new(Uuid::now_v7()),
        // Decided when it is written.
        owner: TurnOwner { boot: BootId::new(Uuid::nil()), handed_over: false, home: None },
        now: now(),
    }
}

fn start(
    project: &Project,
    conversation_id: ConversationId,
    turn_id: TurnId,
    message_id: Option<MessageId>,
) -> Clean<EventBody> {
    // Where it branches is known when it is written.
    let (app, branch) = (None, None);
    let start = EventBody::Start { conversation_id, turn_id, message_id, app, branch };
    Clean::new(&project.sanitizer, start)
}

fn message(
    said: &PersonMessage,
    conversation_id: ConversationId,
    turn_id: TurnId,
    answered: Option<&PromptClosing>,
) -> Message {
    let mut metadata = Metadata::new();
    if let Some(retry) = &said.retry {
        metadata::RETRY_OF.set(&mut metadata, &retry.message);
    }
    if let Some(version) = &said.version {
        version.say(&mut metadata);
    }
    let (images, files): (Vec<_>, Vec<_>) = said.files.iter().partition(|one| one.is_image);
    if let Some(MessageFile { file, .. }) = images.first() {
        let image = ImageReference { id: file.id, media_type: file.media_type.clone() };
        metadata::IMAGE.set(&mut metadata, &image);
    }
    if !files.is_empty() {
        let files: Vec<FileReference> = files.into_iter().map(MessageFile::reference).collect();
        metadata::FILES.set(&mut metadata, &files);
    }
    if said.clears.is_some() {
        metadata::CLEARS.set(&mut metadata, &true);
    }
    if let Some(closing) = answered {
        metadata::ANSWERS.set(&mut metadata, &closing.id);
    }
    Message {
        id: MessageId::new(Uuid::now_v7()),
        conversation_id,
        turn_id,
        role: Role::User,
        message_type: MessageType::Text,
        content: said.text.get().clone(),
        data: None,
        options: None,
        questions: None,
        metadata,
        created_at: now(),
    }
}

fn history_message(text: &Checked<String>, files: &[MessageFile], takes: Takes) -> HistoryMessage {
    let blocks = files.iter().map(|one| ContentBlock::File(one.attached(takes))).collect();
    let mut message = HistoryMessage { role: Role::User, blocks };
    if !text.get().trim().is_empty() {
        message.blocks.push(ContentBlock::text(text.get()));
    }
    message
}
