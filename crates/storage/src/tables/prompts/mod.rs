//! Prompts: questions that wait for a person.
//!
//! 1. A row is written before anyone sees the prompt ([`PromptWrite::Open`]).
//! 2. It is closed by compare-and-set ([`close`]): an answer, a refusal and the expiry
//!    can race, and the first one wins. This changes the row only.
//! 3. The turn that asked writes the end to the log ([`PromptWrite::Logged`]).

mod list;
mod read;
mod write;

use parlor_guard::Clean;
use parlor_protocol::PromptStatus;
use parlor_protocol::{
    ConversationId, Preview, ProjectId, PromptClosed, PromptId, PromptOutcome, TenantId, Timestamp,
    ToolCall, TurnId, UserPrompt,
};
use serde::Serialize;
use serde_json::Value;

use crate::served::Served;

pub use list::PromptPage;
pub(crate) use read::{of_conversation, prompt, unlogged};
pub(crate) use write::{apply, close};

/// A prompt that opens.
#[derive(Debug, Clone)]
pub struct NewPrompt {
    /// The tenant.
    pub tenant: TenantId,
    /// The project.
    pub project: ProjectId,
    /// The asker's own id of it.
    pub ask_id: String,
    /// Who asks: `approval`, `agent`, or `mcp:<server>`.
    pub origin: String,
    /// Whether the turn waits for it.
    pub turn_waits: bool,
    /// What the person sees.
    pub public: Clean<UserPrompt>,
    /// What the asker needs to understand the answer.
    pub private: Value,
    /// How long it waits; `None` is without limit.
    pub timeout_ms: Option<i64>,
}

/// A prompt as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// Its id.
    pub id: PromptId,
    /// The tenant.
    pub tenant: TenantId,
    /// The conversation.
    pub conversation: ConversationId,
    /// The project.
    pub project: ProjectId,
    /// The turn that asked.
    pub turn: TurnId,
    /// The asker's own id of it.
    pub ask_id: String,
    /// Who asks: `approval`, `agent`, or `mcp:<server>`.
    pub origin: String,
    /// Whether the turn waits for it.
    pub turn_waits: bool,
    /// How it ended; `None` while it is open.
    pub outcome: Option<PromptOutcome>,
    /// What the person sees.
    pub public: Served<UserPrompt>,
    /// What the asker needs to understand the answer.
    pub private: Value,
    /// How long it waits; `None` is without limit.
    pub timeout_ms: Option<i64>,
    /// When it expires.
    pub expires_at: Option<Timestamp>,
    /// When it opened.
    pub opened_at: Timestamp,
    /// When it was closed.
    pub closed_at: Option<Timestamp>,
    /// What the person answered.
    pub response: Option<Value>,
    /// What that means to the asker.
    pub decision: Option<Value>,
    /// The person's reason for a refusal.
    pub reason: Option<String>,
    /// The call as it was allowed, if the person changed it.
    pub allowed: Option<Served<ToolCall>>,
    /// The preview of the changed call.
    pub allowed_preview: Option<Served<Preview>>,
    /// Who answered.
    pub answered_by: Option<String>,
    /// Whether its end is in the log.
    pub logged: bool,
}

/// A prompt with its status, for people (P-6).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PromptView {
    /// The prompt.
    pub prompt: Served<UserPrompt>,
    /// Its status.
    pub status: PromptStatus,
    /// Who asks: `approval`, `agent`, or `mcp:<server>`.
    pub origin: String,
    /// Whether a turn waits for it; otherwise the answer begins the next one.
    pub turn_waits: bool,
    /// Whether its reader does not see its conversation, and reads it because it names them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unseen: bool,
    /// When it opened.
    pub opened_at: Timestamp,
    /// How it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed: Option<PromptClosed>,
}

/// A change of a prompt, as part of a turn's step.
#[derive(Debug, Clone)]
pub enum PromptWrite {
    /// It opens.
    Open(Box<NewPrompt>),
    /// It gets its full time again, as after a restart (P-4).
    Renew(PromptId, Option<Timestamp>),
    /// Its end is in the log now.
    Logged(PromptId),
    /// It is asked anew: another prompt takes its `ask_id`.
    Supersede(PromptId),
}

/// How a prompt is closed.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptClosing {
    /// The prompt.
    pub id: PromptId,
    /// How it ends.
    pub outcome: PromptOutcome,
    /// What the person answered.
    pub response: Option<Value>,
    /// What that means to the asker.
    pub decision: Option<Value>,
    /// The person's reason for a refusal.
    pub reason: Option<String>,
    /// The call as it is allowed, if the person changed it.
    pub allowed: Option<Clean<ToolCall>>,
    /// The preview of the changed call.
    pub allowed_preview: Option<Clean<Preview>>,
    /// Who answered.
    pub answered_by: Option<String>,
    /// Whether it closes whatever the time: the asker is gone.
    pub forced: bool,
    /// When. An answer must come before the expiry, and `Expired` after it.
    pub now: Timestamp,
}

impl Prompt {
    /// How it ended, if it is closed.
    pub fn closed(&self) -> Option<PromptClosed> {
        Some(PromptClosed {
            id: self.id,
            outcome: self.outcome?,
            response: self.response.clone(),
            reason: self.reason.clone(),
            tool_call: self.allowed.as_ref().map(|call| call.get().clone()),
            preview: self.allowed_preview.as_ref().map(|preview| preview.get().clone()),
            answered_by: self.answered_by.clone(),
            at: self.closed_at.unwrap_or(self.opened_at),
        })
    }

    /// As people see it.
    pub fn view(self) -> PromptView {
        PromptView {
            status: PromptStatus::from(self.outcome),
            closed: self.closed(),
            origin: self.origin,
            turn_waits: self.turn_waits,
            unseen: false,
            opened_at: self.opened_at,
            prompt: self.public,
        }
    }
}
