//! The shapes of frames, field by field.

use parlor_protocol::message::{Message, MessageData, Metadata, Timestamp};
use parlor_protocol::{
    ClientMessageId, ConversationId, ErrorCode, EventId, FieldProblem, MessageId, MessageType,
    PromptId, QuestionOption, Role, SpentBudget, SubQuestion, TurnId, metadata,
};
use serde::Serialize;
use serde_json::Value;

use crate::dialects::event_writer::AsDisplay;

/// What every frame begins with. `conversation_id` is `null` without a conversation.
#[derive(Serialize)]
pub(super) struct Frame<'a, D> {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) id: AsDisplay<EventId>,
    pub(super) conversation_id: Option<AsDisplay<ConversationId>>,
    #[serde(flatten)]
    pub(super) data: &'a D,
}

/// A frame whose data has the conversation, and perhaps the type.
#[derive(Serialize)]
pub(super) struct BareFrame<'a, D> {
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(super) kind: Option<&'static str>,
    pub(super) id: AsDisplay<EventId>,
    #[serde(flatten)]
    pub(super) data: &'a D,
}

/// Text begins to stream.
#[derive(Serialize)]
pub(super) struct StreamStart {
    pub(super) message_id: AsDisplay<MessageId>,
    /// Discard what was streamed of this message: the text starts again.
    #[serde(skip_serializing_if = "is_false")]
    pub(super) replaces: bool,
}

/// The next piece of text.
#[derive(Serialize)]
pub(super) struct StreamToken<'a> {
    pub(super) token: &'a str,
    pub(super) message_id: AsDisplay<MessageId>,
}

/// There is no more text; the message follows.
#[derive(Serialize)]
pub(super) struct StreamEnd {
    pub(super) message_id: AsDisplay<MessageId>,
}

/// There is no more text, because something failed.
#[derive(Serialize)]
pub(super) struct StreamError<'a> {
    pub(super) error: &'a str,
    pub(super) code: ErrorCode,
    pub(super) recoverable: bool,
    /// Text that was left without its message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message_id: Option<AsDisplay<MessageId>>,
}

/// The next piece of thinking, under both names that clients know.
#[derive(Serialize)]
pub(super) struct Thinking<'a> {
    pub(super) content: &'a str,
    pub(super) text: &'a str,
    pub(super) message_id: AsDisplay<MessageId>,
}

/// An artifact that is not a recipe.
#[derive(Serialize)]
pub(super) struct Artifact<'a> {
    pub(super) kind: &'a str,
    pub(super) artifact_id: &'a str,
}

/// A finished message.
#[derive(Serialize)]
pub(super) struct TypedMessage<'a> {
    #[serde(rename = "type")]
    kind: &'a MessageType,
    id: AsDisplay<EventId>,
    conversation_id: AsDisplay<ConversationId>,
    message_id: AsDisplay<MessageId>,
    turn_id: AsDisplay<TurnId>,
    role: Role,
    content: &'a str,
    #[serde(flatten)]
    failure: Option<Failure<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a MessageData>,
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<&'a [QuestionOption]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    questions: Option<&'a [SubQuestion]>,
    metadata: &'a Metadata,
    created_at: Timestamp,
}

/// The fields of every frame of type `error`, also of one that is a message.
#[derive(Serialize)]
struct Failure<'a> {
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recoverable: Option<&'a Value>,
}

/// Why a frame of the client was refused.
#[derive(Serialize)]
pub(super) struct Refusal<'a> {
    pub(super) message: &'a str,
    pub(super) content: &'a str,
    pub(super) code: ErrorCode,
    pub(super) recoverable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) retry_after: Option<u64>,
    /// The open prompt that must be answered first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) prompt_id: Option<AsDisplay<PromptId>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) problems: Option<&'a [FieldProblem]>,
    /// The budget that is used up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) budget: Option<SpentBudget>,
    /// The client's own id of the refused message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) client_message_id: Option<&'a ClientMessageId>,
    /// The prompt whose answer is refused.
    #[serde(rename = "messageId", skip_serializing_if = "Option::is_none")]
    pub(super) answered_prompt: Option<AsDisplay<PromptId>>,
}

impl<'a> TypedMessage<'a> {
    pub(super) fn new(id: EventId, message: &'a Message) -> Self {
        let failure = (message.message_type == MessageType::Error).then(|| Failure {
            message: &message.content,
            code: metadata::CODE.raw(&message.metadata),
            recoverable: metadata::RECOVERABLE.raw(&message.metadata),
        });
        Self {
            kind: &message.message_type,
            id: AsDisplay(id),
            conversation_id: AsDisplay(message.conversation_id),
            message_id: AsDisplay(message.id),
            turn_id: AsDisplay(message.turn_id),
            role: message.role,
            content: &message.content,
            failure,
            data: message.data.as_ref(),
            options: message.options.as_deref(),
            questions: message.questions.as_deref(),
            metadata: &message.metadata,
            created_at: message.created_at,
        }
    }
}

fn is_false(flag: &bool) -> bool {
    !flag
}
