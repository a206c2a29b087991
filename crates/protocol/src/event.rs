//! The events of a conversation, in their order.
//!
//! There is one vocabulary and several dialects: server-sent events and WebSocket
//! frames are written from these bodies by pure functions of the server. The
//! name and the data of an event are those of WIRE: `{"event", "data"}`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::ErrorCode;
use crate::ids::{CallId, ConversationId, MessageId, TurnId};
use crate::message::Message;
use crate::prompt::{PromptClosed, PromptUpdated, UserPrompt};
use crate::tool::{ToolProgress, ToolStatus};

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", content = "data", rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum EventBody {
    /// A person's message is stored and its turn begins: the acknowledgement. Or the
    /// agent begins a turn by itself (an agent-initiated turn).
    Start {
        /// Where.
        conversation_id: ConversationId,
        /// The turn that begins.
        turn_id: TurnId,
        /// The person's message; absent in an agent-initiated turn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional))]
        message_id: Option<MessageId>,
        /// The MCP server whose app makes the only call of this turn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional))]
        app: Option<String>,
        /// Set if the turn does not follow the turn before it in the log.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional))]
        branch: Option<Branch>,
    },
    /// A person chose another path through the turns. The next message goes on from its end.
    BranchChosen {
        /// Where.
        conversation_id: ConversationId,
        /// The last turn of the path.
        turn_id: TurnId,
    },
    /// The turn waits for a free process. The next event, whatever it is, ends the wait.
    Queued {
        /// The turn.
        turn_id: TurnId,
    },
    /// Text, as it is produced.
    Chunk {
        /// The next piece.
        text: String,
        /// The message that it will be part of.
        message_id: MessageId,
    },
    /// Text that replaces what was streamed so far.
    Snapshot {
        /// All of it.
        text: String,
        /// The message that it will be part of.
        message_id: MessageId,
    },
    /// Reasoning, as it is produced.
    Thinking {
        /// The next piece.
        text: String,
        /// The message that it will be part of.
        message_id: MessageId,
    },
    /// The status of a tool call changed.
    ToolUse {
        /// The tool's name.
        tool: String,
        /// The call.
        call_id: CallId,
        /// Its status.
        status: ToolStatus,
        /// Its arguments, when it begins to run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional, type = "unknown"))]
        input: Option<Value>,
        /// What its server says about it while it runs. Such an event is live only:
        /// it has no id, and is not repeated.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional))]
        progress: Option<ToolProgress>,
    },
    /// Something is to be shown beside the chat.
    Artifact {
        /// What kind of thing; `recipe` is written as `recipe_artifact` for clients.
        kind: String,
        /// Which one.
        id: String,
    },
    /// A finished message. It replaces what was streamed under its id.
    Message(Box<Message>),
    /// A question waits for a person.
    #[serde(rename = "userPrompt")]
    UserPrompt(Box<UserPrompt>),
    /// A prompt got more time.
    #[serde(rename = "userPromptUpdated")]
    UserPromptUpdated(PromptUpdated),
    /// A prompt was answered, refused, or expired.
    #[serde(rename = "userPromptClosed")]
    UserPromptClosed(Box<PromptClosed>),
    /// Something failed.
    Error {
        /// What happened, as a sentence that a person can act on.
        message: String,
        /// The same for programs.
        code: ErrorCode,
        /// Whether trying again can help.
        recoverable: bool,
    },
    /// The turn ended; each has exactly one, also after an error (H-1).
    Done {
        /// Where.
        conversation_id: ConversationId,
        /// The turn.
        turn_id: TurnId,
        /// Tokens in and out, where the agent reports them.
        #[cfg_attr(feature = "typescript", ts(type = "number | null"))]
        tokens_used: Option<u64>,
        /// Why it ended.
        reason: DoneReason,
    },
}

/// Where a turn begins that does not follow the turn before it in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct Branch {
    /// The turn that it follows; absent if it is the first of its path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<TurnId>,
}

/// Why a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum DoneReason {
    /// The agent was finished.
    Complete,
    /// A person stopped it.
    Stopped,
    /// It failed.
    Error,
    /// The server went down during it.
    Interrupted,
}
