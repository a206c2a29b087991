//! Prompts: one mechanism for approvals, questions, plans and forms (P-3).
//!
//! The life of a prompt:
//! 1. [`opening`]: it becomes a row with a public half, which is clean, and a private half,
//!    which is raw, in the same write as the event that shows it.
//! 2. [`preview`]: what a call would change, also while a person edits it.
//! 3. [`validation`]: an answer is validated against both halves; an invalid one changes
//!    nothing and says what is wrong (P-5).
//! 4. [`closing`]: a valid one closes the row by compare-and-set, together with the run that
//!    it approves and the entry in the audit. So does the deadline.
//! 5. If a turn waits for it, the turn's own task notices, writes the end into the log and
//!    goes on ([`crate::turn`]). Otherwise the answer is the message that begins the next turn
//!    (`crate::answering`).
//!
//! Nothing here is kept in memory: after a restart the rows are all there is.

pub(crate) mod closing;
mod edit;
pub(crate) mod form;
pub(crate) mod opening;
pub(crate) mod preview;
pub(crate) mod validation;

use parlor_protocol::PromptDraft;
use parlor_storage::Prompt;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

pub use preview::PreviewedCall;

/// The origin of approvals. No agent and no server can claim it.
pub(crate) const APPROVAL: &str = "approval";
/// The origin of calls of tools that the client has.
pub(crate) const CLIENT: &str = "client";
/// The origin of an agent's own questions, and who begins an agent-initiated turn.
pub(crate) const AGENT: &str = "agent";

/// What a prompt is about: its private half.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Subject {
    /// A call that waits for approval.
    Call(Box<PendingCall>),
    /// A suspicious result that waits for approval before the model reads it (G-8).
    Result,
    /// A call of a tool that the client has.
    ClientCall,
    /// A question, as the agent or server wrote it.
    Question(Box<PromptDraft>),
}

/// A call that waits for approval, as it would run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PendingCall {
    pub(crate) run: Uuid,
    pub(crate) server: String,
    pub(crate) tool: String,
    /// Of the tool that was shown.
    pub(crate) fingerprint: String,
    pub(crate) input: Map<String, Value>,
    /// The schema of the arguments, if it is known.
    pub(crate) schema: Option<Value>,
}

/// What an answer means to whoever asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Resolution {
    /// Do it. A call runs with the arguments in the ledger.
    Yes,
    /// The answer, with options by the asker's own values.
    Given {
        value: Value,
        /// The answer as a sentence for people.
        said: String,
    },
    /// No, and perhaps why.
    No(Option<String>),
}

/// The private half of a prompt.
pub(crate) fn subject(prompt: &Prompt) -> Option<Subject> {
    serde_json::from_value(prompt.private.clone()).ok()
}

/// What the answer means, if there is one.
pub(crate) fn resolution(prompt: &Prompt) -> Option<Resolution> {
    prompt.decision.clone().and_then(|decision| serde_json::from_value(decision).ok())
}
