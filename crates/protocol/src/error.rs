//! The errors that clients see: a stable code for programs and for translation, and
//! a sentence that says what to do.

use serde::{Deserialize, Serialize};

/// `{"error": {"code", "message", "retry_after"?}}`, the body of every refusal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ErrorEnvelope {
    /// What went wrong.
    pub error: ErrorBody,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct ErrorBody {
    /// For programs; it does not change.
    pub code: ErrorCode,
    /// For people.
    pub message: String,
    /// In how many seconds to try again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub retry_after: Option<u64>,
    /// The prompt that has to be answered first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_id: Option<crate::ids::PromptId>,
    /// What is wrong with the fields of an answer, where it is about fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<FieldProblem>>,
    /// The budget that is used up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<crate::budget::SpentBudget>,
}

/// What is wrong with one field of an answer (P-5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct FieldProblem {
    /// A JSON pointer to the field; empty if it is about all of it.
    pub pointer: String,
    /// What is wrong.
    pub problem: Problem,
    /// The limit that is exceeded, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub limit: Option<serde_json::Number>,
}

/// What can be wrong with a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Problem {
    /// It must be there.
    Missing,
    /// A text has fewer characters than it must have.
    TooShort,
    /// A text has more characters than it may have.
    TooLong,
    /// A number is below the least.
    TooSmall,
    /// A number is above the greatest.
    TooLarge,
    /// A list has fewer entries than it must have.
    TooFew,
    /// A list has more entries than it may have.
    TooMany,
    /// A text is not of the form that it must have.
    Pattern,
    /// It is of another type, such as a text in place of a number.
    WrongType,
    /// It is none of the values that can be chosen.
    NotAChoice,
    /// There is no such field.
    Unknown,
    /// It is masked, and cannot be changed.
    Masked,
    /// It does not fit for another reason.
    Other,
}

/// The stable codes. Each belongs to something that a client can do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum ErrorCode {
    /// The guardrail refused a text (G-1).
    InputBlocked,
    /// A text has nothing in it (G-4).
    InputEmpty,
    /// A text is longer than the limit (G-4).
    InputTooLong,
    /// A text holds what no text may hold (G-6).
    InputMalformed,
    /// A request is not JSON, or has another shape than it must have.
    Malformed,
    /// A picture cannot be read, or is of a kind that is not taken (H-4).
    BadImage,
    /// A file cannot be read: it is damaged, needs a password, or is too much for the model (U-9).
    BadFile,
    /// A file, or all pictures, are of a kind that is not taken here (U-9).
    FileType,
    /// Neither session nor key.
    Unauthorized,
    /// Not from here, or not for this access role.
    Forbidden,
    /// The answer of somebody else is needed (Y-2).
    NotApprover,
    /// There is no such thing, or it is another tenant's.
    NotFound,
    /// A turn runs; wait for it or stop it.
    TurnRunning,
    /// A prompt waits; answer it first.
    PromptOpen,
    /// A prompt was answered already, or has expired.
    PromptClosed,
    /// An answer does not fit its prompt; the prompt stays open.
    AnswerInvalid,
    /// Something else has this title; choose another one.
    TitleTaken,
    /// Somebody changed it in the meantime; read it again.
    Changed,
    /// A body, a picture or a number of things is over the limit.
    TooLarge,
    /// Too many messages; `retry_after` says when.
    RateLimited,
    /// A budget of a person, a project or the tenant is used up; `retry_after` says when the next
    /// one begins (Y-3).
    BudgetExceeded,
    /// The agent failed.
    AgentFailed,
    /// The server cannot save or answer right now; trying again later can help.
    Unavailable,
    /// The server failed; see its log.
    Internal,
}

impl ErrorCode {
    /// The code as text.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InputBlocked => "input_blocked",
            Self::InputEmpty => "input_empty",
            Self::InputTooLong => "input_too_long",
            Self::InputMalformed => "input_malformed",
            Self::Malformed => "malformed",
            Self::BadImage => "bad_image",
            Self::BadFile => "bad_file",
            Self::FileType => "file_type",
            Self::Unauthorized => "unauthorized",
            Self::Forbidden => "forbidden",
            Self::NotApprover => "not_approver",
            Self::NotFound => "not_found",
            Self::TurnRunning => "turn_running",
            Self::PromptOpen => "prompt_open",
            Self::PromptClosed => "prompt_closed",
            Self::AnswerInvalid => "answer_invalid",
            Self::TitleTaken => "title_taken",
            Self::Changed => "changed",
            Self::TooLarge => "too_large",
            Self::RateLimited => "rate_limited",
            Self::BudgetExceeded => "budget_exceeded",
            Self::AgentFailed => "agent_failed",
            Self::Unavailable => "unavailable",
            Self::Internal => "internal",
        }
    }
}
