//! Prompts (P): a question of the agent or of the server that waits for a person,
//! and its outcome. One shape serves approvals, questions, plans, wizards
//! and forms (P-3). Keys of the seed keep their camel case.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::approvers::Approvers;
use crate::ids::{CallId, ConversationId, PromptId};
use crate::influence::Influence;
use crate::message::Timestamp;
use crate::plan::Plan;
use crate::question::{QuestionOption, Severity, SubQuestion};
use crate::tool::ToolCall;

/// A question that waits for a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "userPrompt")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct UserPrompt {
    /// How it is answered.
    #[serde(rename = "promptType")]
    pub prompt_type: PromptType,
    /// The prompt's id.
    #[serde(rename = "messageId")]
    pub id: PromptId,
    /// Where it is asked.
    pub conversation_id: ConversationId,
    /// What is asked.
    pub question: String,
    /// What can be chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<QuestionOption>>,
    /// The tool that runs if the answer is yes; of a `client_call`, what the client is to do.
    #[serde(rename = "toolCall", default, skip_serializing_if = "Option::is_none")]
    pub tool_call: Option<ToolCall>,
    /// The call of that tool, as `tool_use` names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<CallId>,
    /// Several questions, answered together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub questions: Option<Vec<SubQuestion>>,
    /// The steps of a wizard, answered as one (P-8).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<Vec<PromptStep>>,
    /// The JSON Schema that the answer must fit; of a tool call, its edited arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
    pub schema: Option<Value>,
    /// The plan that is decided on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// What changes if the answer is yes (P-7).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<Preview>,
    /// How serious it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// What one should know to answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// The answer that is highlighted. It is never chosen automatically (P-4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// When it expires; absent if it waits without a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Whether it expires if the agent's process or the server ends, because the answer
    /// could not be carried out (P-9).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<bool>", optional))]
    pub ends_with_agent: bool,
    /// What one has to know about the approval of a call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<CallCaveat>>", optional))]
    pub caveats: Vec<CallCaveat>,
    /// What others wrote that may be behind the call (F-2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub influence: Option<Influence>,
    /// Whose answers count, if not those of everybody who takes part in the conversation (Y-2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approvers: Option<Approvers>,
}

/// What a person has to know about the approval of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum CallCaveat {
    /// The agent does not give the arguments: what is shown are its own words.
    NotProven,
    /// The agent takes no changed arguments: the call is refused, and the agent is told to make
    /// it with the changed ones.
    EditsAreRefusals,
}

/// How a prompt is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum PromptType {
    /// `yes` or `no`.
    Confirm,
    /// A text.
    Input,
    /// One of the options.
    Select,
    /// An answer to each question.
    MultiQuestion,
    /// `execute` or `refine`.
    Plan,
    /// An answer to each step.
    Wizard,
    /// An object that fits the schema.
    Form,
    /// The result of a tool that the client has: not a person answers it, but the program that
    /// sent the message.
    ClientCall,
}

/// One step of a wizard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct PromptStep {
    /// The key of its answer.
    pub id: String,
    /// A word or two that name the step.
    pub title: String,
    /// How it is answered.
    #[serde(rename = "promptType")]
    pub prompt_type: PromptType,
    /// What is asked.
    pub question: String,
    /// What can be chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<QuestionOption>>,
    /// The JSON Schema that the answer must fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
    pub schema: Option<Value>,
}

/// What an approval would change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Preview {
    /// A text, before and after.
    Diff {
        /// Before; absent if it is new.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional))]
        old: Option<String>,
        /// After; absent if it goes away.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional))]
        new: Option<String>,
    },
    /// A record, before and after.
    Record {
        /// Before; absent if it is new.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional, type = "unknown"))]
        old: Option<Value>,
        /// After; absent if it goes away.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional, type = "unknown"))]
        new: Option<Value>,
    },
    /// The things that are affected.
    List {
        /// As many of them as fit.
        items: Vec<String>,
        /// How many there are.
        #[cfg_attr(feature = "typescript", ts(type = "number"))]
        count: u64,
    },
}

/// A prompt got more time, or no limit at all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PromptUpdated {
    /// The prompt.
    #[serde(rename = "messageId")]
    pub id: PromptId,
    /// When it expires now; `null` if it waits without a limit.
    pub expires_at: Option<Timestamp>,
}

/// The outcome of a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct PromptClosed {
    /// The prompt.
    #[serde(rename = "messageId")]
    pub id: PromptId,
    /// How it ended.
    pub outcome: PromptOutcome,
    /// What was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
    pub response: Option<Value>,
    /// Why not, in the person's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The call as the person allowed it, if that is not the call that was proposed.
    #[serde(rename = "toolCall", default, skip_serializing_if = "Option::is_none")]
    pub tool_call: Option<ToolCall>,
    /// What the call changes as it was allowed, if that is not what was proposed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<Preview>,
    /// Who answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<String>,
    /// When.
    pub at: Timestamp,
}

/// How a prompt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum PromptOutcome {
    /// With an answer.
    Answered,
    /// With a no.
    Refused,
    /// Without an answer in time, which counts as a no.
    Expired,
    /// The turn that asked was stopped.
    Cancelled,
}

/// Whether a prompt waits, or how it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptStatus {
    /// It waits for an answer.
    Open,
    /// It ended with an answer.
    Answered,
    /// It ended with a no.
    Refused,
    /// It ended without an answer in time.
    Expired,
    /// The turn that asked was stopped.
    Cancelled,
}

impl PromptStatus {
    /// Its name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Answered => "answered",
            Self::Refused => "refused",
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
        }
    }
}

impl PromptStatus {
    /// The status of a stored name; one that is not known is over.
    pub fn from_name(name: &str) -> Self {
        match name {
            "open" => Self::Open,
            "answered" => Self::Answered,
            "refused" => Self::Refused,
            "expired" => Self::Expired,
            _ => Self::Cancelled,
        }
    }

    /// How the prompt ended, if it did.
    pub fn outcome(self) -> Option<PromptOutcome> {
        match self {
            Self::Open => None,
            Self::Answered => Some(PromptOutcome::Answered),
            Self::Refused => Some(PromptOutcome::Refused),
            Self::Expired => Some(PromptOutcome::Expired),
            Self::Cancelled => Some(PromptOutcome::Cancelled),
        }
    }
}

impl From<PromptOutcome> for PromptStatus {
    fn from(outcome: PromptOutcome) -> Self {
        Self::from(Some(outcome))
    }
}

impl From<Option<PromptOutcome>> for PromptStatus {
    fn from(outcome: Option<PromptOutcome>) -> Self {
        match outcome {
            None => Self::Open,
            Some(PromptOutcome::Answered) => Self::Answered,
            Some(PromptOutcome::Refused) => Self::Refused,
            Some(PromptOutcome::Expired) => Self::Expired,
            Some(PromptOutcome::Cancelled) => Self::Cancelled,
        }
    }
}
