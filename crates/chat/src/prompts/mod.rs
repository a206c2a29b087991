//! The prompt desk: one mechanism for approvals, questions, plans and forms (P-3).
//!
//! The life of a prompt:
//! 1. [`opening`]: it becomes a row, with a public clean half and a private raw
//!    half, in the same write as the event that shows it.
//! 2. [`preview`]: what a call would change, also while a person edits it.
//! 3. [`check`]: an answer is judged against both halves; a bad one changes
//!    nothing and says what is wrong (P-5).
//! 4. [`desk`]: a good one closes the row by compare-and-set, together with
//!    the run that it approves and the line in the audit. So does the clock.
//! 5. If the turn waits for it, the turn's own task notices, writes the end
//!    into the log and goes on (`session::asking`). Otherwise the answer is
//!    the message that begins the next turn.
//!
//! Nothing here is kept in memory: after a restart the rows are what there is.

pub(crate) mod check;
mod desk;
mod edit;
pub(crate) mod form;
mod misfit;
pub(crate) mod opening;
pub(crate) mod preview;

use parlor_protocol::PromptDraft;
use parlor_storage::Prompt;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

pub use desk::Answered;
pub(crate) use desk::{bytes, closed_event, unanswered};
pub use misfit::Misfit;
pub use preview::Previewed;

/// Who asks, as it is written down. Only `approval` looks like an approval.
pub(crate) const APPROVAL: &str = "approval";
pub(crate) const AGENT: &str = "agent";

/// What whoever asks meant: the private half of a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Meant {
    /// A call that waits for a yes.
    Call(Box<MeantCall>),
    /// A suspicious result that waits for a yes before the model reads it (G-8).
    Result,
    /// A question, in the asker's own words.
    Question(Box<PromptDraft>),
}

/// A call as it would run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct MeantCall {
    pub(crate) run: Uuid,
    pub(crate) server: String,
    pub(crate) tool: String,
    /// The tool as it was shown.
    pub(crate) fingerprint: String,
    pub(crate) input: Map<String, Value>,
    /// What edited arguments must fit; nothing where it is not known.
    pub(crate) schema: Option<Value>,
}

/// What an answer means to whoever asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Decided {
    /// Do it. Of a call, with the bytes that are in the ledger.
    Yes,
    /// The answer, options by the asker's own values.
    Given {
        value: Value,
        /// What the person said, in words.
        said: String,
    },
    /// No, and perhaps why.
    No(Option<String>),
}

/// The private half of a prompt.
pub(crate) fn meant(prompt: &Prompt) -> Option<Meant> {
    serde_json::from_value(prompt.private.clone()).ok()
}

/// What was decided, if anything was.
pub(crate) fn decided(prompt: &Prompt) -> Option<Decided> {
    prompt.decision.clone().and_then(|decision| serde_json::from_value(decision).ok())
}
