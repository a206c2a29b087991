//! A message of a conversation, as REST, events and storage show it.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::ids::{ConversationId, MessageId, TurnId};
use crate::message_type::MessageType;
pub use crate::metadata::Metadata;
use crate::plan::Plan;
use crate::question::{Question, QuestionOption, SubQuestion};
pub use crate::timestamp::Timestamp;
use crate::tool::{ToolCall, ToolResult};

/// One message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "StoredMessage")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct Message {
    /// Its id; text that streamed under the same id is replaced by it.
    pub id: MessageId,
    /// Its conversation.
    pub conversation_id: ConversationId,
    /// The turn that it is part of.
    pub turn_id: TurnId,
    /// Who wrote it.
    pub role: Role,
    /// What it is.
    pub message_type: MessageType,
    /// Its text. A client that does not know the type shows this.
    pub content: String,
    /// The structure behind the text, for types that have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<MessageData>,
    /// The options of a question, or of the first of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<QuestionOption>>,
    /// The questions of a `multi_question`, all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub questions: Option<Vec<SubQuestion>>,
    /// Facts that are safe to show.
    #[cfg_attr(feature = "typescript", ts(type = "Record<string, unknown>"))]
    pub metadata: Metadata,
    /// When it was written.
    pub created_at: Timestamp,
}

/// Who wrote a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Role {
    /// A person.
    User,
    /// The agent.
    Assistant,
    /// A tool.
    Tool,
}

/// The structure behind a message's text; the message's type decides which.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum MessageData {
    /// Of a `plan`.
    Plan(Plan),
    /// Of a `question`.
    Question(Question),
    /// Of a `tool_call`.
    ToolCall(ToolCall),
    /// Of a `tool_result`.
    ToolResult(ToolResult),
    /// Of a type that this version does not know, or that does not fit its
    /// type: kept as it is, so that nothing is lost on the way through (T-7).
    Other(#[cfg_attr(feature = "typescript", ts(type = "unknown"))] Value),
}

impl MessageData {
    /// Reads the structure that belongs to a type; what does not fit is kept as it is.
    pub fn from_json(message_type: &MessageType, value: Value) -> Self {
        fn read<T: for<'de> Deserialize<'de>>(
            value: Value,
            wrap: fn(T) -> MessageData,
        ) -> MessageData {
            T::deserialize(&value).map(wrap).unwrap_or(MessageData::Other(value))
        }
        match message_type {
            MessageType::Plan => read(value, Self::Plan),
            MessageType::Question => read(value, Self::Question),
            MessageType::ToolCall => read(value, Self::ToolCall),
            MessageType::ToolResult => read(value, Self::ToolResult),
            MessageType::Text
            | MessageType::MultiQuestion
            | MessageType::Info
            | MessageType::Error
            | MessageType::Thinking
            | MessageType::Unknown(_) => Self::Other(value),
        }
    }
}

/// A message as it may lie in an old row: whatever came later is optional (T-1).
#[derive(Deserialize)]
struct StoredMessage {
    id: MessageId,
    conversation_id: ConversationId,
    turn_id: TurnId,
    role: Role,
    #[serde(default)]
    message_type: MessageType,
    #[serde(default)]
    content: String,
    #[serde(default)]
    data: Option<Value>,
    #[serde(default)]
    options: Option<Vec<QuestionOption>>,
    #[serde(default)]
    questions: Option<Vec<SubQuestion>>,
    #[serde(default, deserialize_with = "null_is_empty")]
    metadata: Metadata,
    #[serde(default)]
    created_at: Timestamp,
}

fn null_is_empty<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Metadata, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

impl From<StoredMessage> for Message {
    fn from(stored: StoredMessage) -> Self {
        let data = stored.data.map(|data| MessageData::from_json(&stored.message_type, data));
        Self {
            id: stored.id,
            conversation_id: stored.conversation_id,
            turn_id: stored.turn_id,
            role: stored.role,
            message_type: stored.message_type,
            content: stored.content,
            data,
            options: stored.options,
            questions: stored.questions,
            metadata: stored.metadata,
            created_at: stored.created_at,
        }
    }
}
