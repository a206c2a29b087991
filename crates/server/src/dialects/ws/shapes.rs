//! The frames, field by field.

use parlor_protocol::message::{Message, MessageData, Metadata, Timestamp};
use parlor_protocol::{
    ClientMessageId, ConversationId, ErrorCode, EventId, FieldProblem, MessageId, MessageType,
    PromptId, QuestionOption, Role, SubQuestion, TurnId, metadata,
};
use serde::Serialize;
use serde_json::Value;

use crate::dialects::vocabulary::Shown;

/// What every frame begins with. Without a conversation it is `null`.
#[derive(Serialize)]
pub(super) struct Frame<'a, D> {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) id: Shown<EventId>,
    pub(super) conversation_id: Option<Shown<ConversationId>>,
    #[serde(flatten)]
    pub(super) data: &'a D,
}

/// A frame whose data names its conversation, and perhaps its type.
#[derive(Serialize)]
pub(super) struct Numbered<'a, D> {
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(super) kind: Option<&'static str>,
    pub(super) id: Shown<EventId>,
    #[serde(flatten)]
    pub(super) data: &'a D,
}

/// Text begins to stream.
#[derive(Serialize)]
pub(super) struct StreamStart {
    pub(super) message_id: Shown<MessageId>,
    /// Forget what was streamed of this message: the text begins anew.
    #[serde(skip_serializing_if = "is_false")]
    pub(super) replaces: bool,
}

/// The next piece of text.
#[derive(Serialize)]
pub(super) struct StreamToken<'a> {
    pub(super) token: &'a str,
    pub(super) message_id: Shown<MessageId>,
}

/// There is no more text; the message follows.
#[derive(Serialize)]
pub(super) struct StreamEnd {
    pub(super) message_id: Shown<MessageId>,
}

/// There is no more text, because something failed.
#[derive(Serialize)]
pub(super) struct StreamError<'a> {
    pub(super) error: &'a str,
    pub(super) code: ErrorCode,
    pub(super) recoverable: bool,
    /// Text that was left without its message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message_id: Option<Shown<MessageId>>,
}

/// The next piece of reasoning, under both names that clients know.
#[derive(Serialize)]
pub(super) struct Thought<'a> {
    pub(super) content: &'a str,
    pub(super) text: &'a str,
    pub(super) message_id: Shown<MessageId>,
}

/// Something to be shown beside the chat that is no recipe.
#[derive(Serialize)]
pub(super) struct Artifact<'a> {
    pub(super) kind: &'a str,
    pub(super) artifact_id: &'a str,
}

/// A finished message.
#[derive(Serialize)]
pub(super) struct Typed<'a> {
    #[serde(rename = "type")]
    kind: &'a MessageType,
    id: Shown<EventId>,
    conversation_id: Shown<ConversationId>,
    message_id: Shown<MessageId>,
    turn_id: Shown<TurnId>,
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

/// What every frame of type `error` has, also one that is a message.
#[derive(Serialize)]
struct Failure<'a> {
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recoverable: Option<&'a Value>,
}

/// Why a frame of the client was not taken.
#[derive(Serialize)]
pub(super) struct Refusal<'a> {
    pub(super) message: &'a str,
    pub(super) content: &'a str,
    pub(super) code: ErrorCode,
    pub(super) recoverable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) retry_after: Option<u64>,
    /// The prompt that has to be answered first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) prompt_id: Option<Shown<PromptId>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) problems: Option<&'a [FieldProblem]>,
    /// The mark of the message that is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) client_message_id: Option<&'a ClientMessageId>,
    /// The prompt whose answer is refused.
    #[serde(rename = "messageId", skip_serializing_if = "Option::is_none")]
    pub(super) answers: Option<Shown<PromptId>>,
}

impl<'a> Typed<'a> {
    pub(super) fn new(id: EventId, message: &'a Message) -> Self {
        let failure = (message.message_type == MessageType::Error).then(|| Failure {
            message: &message.content,
            code: metadata::CODE.raw(&message.metadata),
            recoverable: metadata::RECOVERABLE.raw(&message.metadata),
        });
        Self {
            kind: &message.message_type,
            id: Shown(id),
            conversation_id: Shown(message.conversation_id),
            message_id: Shown(message.id),
            turn_id: Shown(message.turn_id),
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
