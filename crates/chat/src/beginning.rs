//! What begins a turn, and all that is written with it: a person's message, or that the
//! agent speaks up by itself.

use parlor_agent::{ContentBlock, HistoryMessage};
use parlor_guard::Clean;
use parlor_protocol::message::{Message, Metadata};
use parlor_protocol::{
    ClientMessageId, ConversationId, EventBody, MessageId, MessageType, Mode, PromptOutcome, Role,
    TenantId, TurnId,
};
use parlor_storage::{
    BeginTurn, ClosedPrompts, NewConversation, NewImage, Prompt, PromptClosing, PromptResolution,
};
use serde_json::json;
use uuid::Uuid;

use crate::chat_agent::Caller;
use crate::project::Project;
use crate::prompts::{AGENT, closed_event};
use crate::retry::{self, Retry};
use crate::session::raw;
use crate::texts::now;

/// What begins a turn.
#[derive(Debug)]
pub(crate) struct Begins {
    pub(crate) conversation: ConversationId,
    /// Set if the conversation begins with this turn.
    pub(crate) new: Option<NewConversation>,
    /// What the person wrote, or said by choosing.
    pub(crate) text: String,
    /// What the model is told instead, where the person only pressed a button.
    pub(crate) told: Option<String>,
    pub(crate) image: Option<NewImage>,
    /// What is tried again.
    pub(crate) retry: Option<Retry>,
    pub(crate) client_message_id: Option<ClientMessageId>,
    /// The mode that holds from now on, if it changes.
    pub(crate) mode: Option<Mode>,
    /// The prompt that this answers.
    pub(crate) answering: Option<Box<PromptResolution>>,
    /// Open prompts that this passes over.
    pub(crate) passed_over: Vec<Prompt>,
}

impl Begins {
    /// A person's words in a conversation.
    pub(crate) fn new(conversation: ConversationId, text: String) -> Self {
        Self {
            conversation,
            new: None,
            text,
            told: None,
            image: None,
            retry: None,
            client_message_id: None,
            mode: None,
            answering: None,
            passed_over: Vec::new(),
        }
    }

    /// The picture that belongs to it: its own, or that of the message that is
    /// tried again.
    pub(crate) fn picture(&self) -> Option<&NewImage> {
        self.image.as_ref().or_else(|| self.retry.as_ref()?.picture.as_ref())
    }
}

/// The write that acknowledges a message and begins its turn.
pub(crate) fn beginning(caller: &Caller, project: &Project, begins: Begins) -> BeginTurn {
    let at = now();
    let turn = TurnId::new(Uuid::now_v7());
    let message = message_of(&begins, turn);
    let start = EventBody::Start {
        conversation_id: begins.conversation,
        turn_id: turn,
        message_id: Some(message.id),
    };
    let told = begins.told.as_ref().unwrap_or(&begins.text);
    let mut history = raw(&history_of(told, begins.picture()));
    if let Some(retry) = &begins.retry {
        retry::mark(&mut history, retry.turn);
    }
    let sanitizer = &project.sanitizer;
    let message = Clean::new(sanitizer, message);
    let passed_over: Vec<PromptClosing> = begins.passed_over.iter().map(pass_over).collect();
    let answered = begins.answering.as_ref().map(|answering| &answering.closing);
    let events = answered
        .into_iter()
        .chain(&passed_over)
        .map(|closing| Clean::new(sanitizer, closed_event(closing)))
        .collect();
    BeginTurn {
        tenant: caller.tenant.clone(),
        conversation: begins.conversation,
        new: begins.new,
        mode: begins.mode,
        turn,
        started_by: caller.session.clone(),
        client_message_id: begins.client_message_id,
        start: Clean::new(sanitizer, start),
        message: Some(message),
        history: vec![history],
        image: begins.image,
        closes: ClosedPrompts { answered: begins.answering, passed_over, events },
        block_message: MessageId::new(Uuid::now_v7()),
        now: at,
    }
}

/// The write that begins a turn of the agent's own, in a conversation that is there.
/// Questions that are open without a turn stay open.
pub(crate) fn unasked(
    tenant: &TenantId,
    project: &Project,
    conversation: ConversationId,
) -> BeginTurn {
    let turn = TurnId::new(Uuid::now_v7());
    let start = EventBody::Start { conversation_id: conversation, turn_id: turn, message_id: None };
    BeginTurn {
        tenant: tenant.clone(),
        conversation,
        new: None,
        mode: None,
        turn,
        started_by: AGENT.to_owned(),
        client_message_id: None,
        start: Clean::new(&project.sanitizer, start),
        message: None,
        history: Vec::new(),
        image: None,
        closes: ClosedPrompts::default(),
        block_message: MessageId::new(Uuid::now_v7()),
        now: now(),
    }
}

fn message_of(begins: &Begins, turn: TurnId) -> Message {
    let mut metadata = Metadata::new();
    if let Some(retry) = &begins.retry {
        metadata.insert("retry_of".to_owned(), json!(retry.message));
    }
    if let Some(image) = begins.picture() {
        let image = json!({"id": image.id, "media_type": image.media_type});
        metadata.insert("image".to_owned(), image);
    }
    if let Some(answering) = &begins.answering {
        metadata.insert("answers".to_owned(), json!(answering.closing.id));
    }
    Message {
        id: MessageId::new(Uuid::now_v7()),
        conversation_id: begins.conversation,
        turn_id: turn,
        role: Role::User,
        message_type: MessageType::Text,
        content: begins.text.clone(),
        data: None,
        options: None,
        questions: None,
        metadata,
        created_at: now(),
    }
}

/// A message instead of an answer.
fn pass_over(prompt: &Prompt) -> PromptClosing {
    PromptClosing {
        id: prompt.id,
        outcome: PromptOutcome::Cancelled,
        response: None,
        decision: None,
        reason: None,
        allowed: None,
        allowed_preview: None,
        answered_by: None,
        forced: false,
        now: now(),
    }
}

fn history_of(text: &str, image: Option<&NewImage>) -> HistoryMessage {
    let mut message = HistoryMessage { role: Role::User, blocks: Vec::new() };
    if let Some(image) = image {
        message.blocks.push(ContentBlock::Image {
            media_type: image.media_type.clone(),
            data: data_encoding::BASE64.encode(&image.bytes),
        });
    }
    if !text.trim().is_empty() {
        message.blocks.push(ContentBlock::text(text));
    }
    message
}
