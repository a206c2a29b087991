//! What a client may send: a message, an answer, more time, a stop.
//!
//! Unknown fields are ignored, wrong types are refused by serde with a message
//! that names the field.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::ids::{
    ClientMessageId, ConversationId, MessageId, ProjectId, PromptId, TenantId, TurnId,
};

/// A person's message (`POST /api/chat`, or a frame).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct ChatRequest {
    /// What the person wrote; may be empty beside an image.
    #[serde(default)]
    pub message: String,
    /// The conversation that it belongs to; without one a new one begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<ConversationId>,
    /// A picture to look at. For an edit `null` leaves out the picture that the message had.
    #[serde(default, deserialize_with = "named", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(type = "ImageAttachment | null"))]
    pub image: Option<Option<ImageAttachment>>,
    /// Files to look at: pictures, PDF and text. For an edit or a retry, a list says that those of
    /// the message are left out; without one they are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<FileAttachment>>,
    /// The tenant; a session's or key's own by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<TenantId>,
    /// The project; the tenant's first by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectId>,
    /// Whether to plan or to act; the conversation's own by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// The client's own id: the same id twice starts one turn (H-5).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_message_id: Option<ClientMessageId>,
    /// Tries a message of this conversation again: a person's, or any of the turn
    /// that it began. What is left out, text or picture, is that message's own.
    /// The new message has `retry_of` in its metadata; the model sees the last try
    /// only, and earlier ones in which tools were called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_of: Option<MessageId>,
    /// Puts this message in the place of one that a person wrote: a branch begins there, and the
    /// old one stays. Its picture is kept unless `image` says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit_of: Option<MessageId>,
    /// Asks for another answer, as a branch: a message of a person, or any of the turn that it
    /// began. The message is the same again, so none comes with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regenerate: Option<MessageId>,
    /// Goes on without what was read (F-1): from this message on the model gets of what was
    /// before only the person's own messages, and results of the people's own systems.
    #[serde(default, skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<bool>"))]
    pub clear_context: bool,
    /// Tools that the client has. A call of one waits as a prompt of type `client_call`, which the
    /// client answers with the result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<ClientTool>>", optional))]
    pub client_tools: Vec<ClientTool>,
}

impl ChatRequest {
    /// The picture, if one came.
    pub fn take_image(&mut self) -> Option<ImageAttachment> {
        self.image.take().flatten()
    }

    /// Whether it has an image or a file of its own.
    pub fn has_files(&self) -> bool {
        matches!(self.image, Some(Some(_)))
            || self.files.as_ref().is_some_and(|all| !all.is_empty())
    }
}

/// Which branch of a conversation to go on with (`PUT /api/conversations/{id}/branch`): a turn or
/// a message names it, and its newest end counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct BranchChoice {
    /// A turn of the branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// A message of the branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<MessageId>,
}

/// A tool that the client has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ClientTool {
    /// Its name.
    pub name: String,
    /// What it does, for the model.
    #[serde(default)]
    pub description: String,
    /// The JSON Schema of its arguments.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
    pub input_schema: Value,
}

/// A picture, as the seed sends it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ImageAttachment {
    /// Base64, without the prefix of a data URL.
    pub data: String,
    /// What the client says it is; the bytes decide (H-4).
    pub media_type: String,
}

/// A file that a person attaches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct FileAttachment {
    /// What the person calls it.
    pub name: String,
    /// Base64, without the prefix of a data URL.
    pub data: String,
    /// What the client says it is; the bytes decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
}

/// What an agent may do in a conversation (T-3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Mode {
    /// Nothing is changed.
    Plan,
    /// Changing tools may run.
    #[default]
    Act,
}

/// A person's answer to a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct PromptAnswer {
    /// `yes`/`no`, a value, a text, `execute`/`refine`, or an object by question.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
    pub response: Value,
    /// A refusal; `response` is ignored.
    #[serde(default, skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<bool>"))]
    pub cancelled: bool,
    /// The tool's arguments, edited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
    pub input: Option<Value>,
    /// Why, for the agent to read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How long a yes holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remember: Option<Remember>,
}

/// How long a yes holds (P-11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Remember {
    /// For this tool in this conversation.
    Conversation,
}

/// One frame from a client of the WebSocket (W-1).
#[derive(Debug, Clone, PartialEq)]
pub enum ClientFrame {
    /// `{"message": …}`; a message has no `type`.
    Message(Box<ChatRequest>),
    /// `{"type": "userPromptResponse", "messageId", …}`.
    PromptResponse {
        /// The prompt.
        id: PromptId,
        /// The answer.
        answer: PromptAnswer,
    },
    /// `{"type": "userPromptExtend", "messageId", "seconds"?}`.
    PromptExtend {
        /// The prompt.
        id: PromptId,
        /// For how long; absent: the same time again; 0: without end.
        seconds: Option<u64>,
    },
    /// `{"type": "stop"}`.
    Stop,
}

impl<'de> Deserialize<'de> for ClientFrame {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;

        #[derive(Deserialize)]
        struct Response {
            #[serde(rename = "messageId")]
            id: PromptId,
            #[serde(flatten)]
            answer: PromptAnswer,
        }
        #[derive(Deserialize)]
        struct Extend {
            #[serde(rename = "messageId")]
            id: PromptId,
            #[serde(default)]
            seconds: Option<u64>,
        }

        let frame = Value::deserialize(deserializer)?;
        let wrong = |error: serde_json::Error| D::Error::custom(error);
        match (frame.get("type"), frame.get("message")) {
            (None, Some(_)) => {
                ChatRequest::deserialize(frame).map(|r| Self::Message(Box::new(r))).map_err(wrong)
            }
            (Some(Value::String(name)), _) => match name.as_str() {
                "userPromptResponse" => Response::deserialize(frame)
                    .map(|Response { id, answer }| Self::PromptResponse { id, answer })
                    .map_err(wrong),
                "userPromptExtend" => Extend::deserialize(frame)
                    .map(|Extend { id, seconds }| Self::PromptExtend { id, seconds })
                    .map_err(wrong),
                "stop" => Ok(Self::Stop),
                other => Err(D::Error::custom(format!("a frame of type '{other}' is not known"))),
            },
            _ => Err(D::Error::custom("a frame is {\"message\": …} or has a known \"type\"")),
        }
    }
}

/// A field that is there, even if it is null.
fn named<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

fn is_false(flag: &bool) -> bool {
    !flag
}
