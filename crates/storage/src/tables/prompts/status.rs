//! The status of a prompt: open, or how it ended.

use parlor_protocol::PromptOutcome;
use serde::{Deserialize, Serialize};

/// The status of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptStatus {
    /// It waits for a person.
    Open,
    /// A person answered.
    Answered,
    /// A person refused.
    Refused,
    /// Nobody answered in time.
    Expired,
    /// The turn that asked was stopped.
    Cancelled,
}

impl PromptStatus {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Answered => "answered",
            Self::Refused => "refused",
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
        }
    }

    pub(crate) fn from_name(name: &str) -> Self {
        match name {
            "open" => Self::Open,
            "answered" => Self::Answered,
            "refused" => Self::Refused,
            "expired" => Self::Expired,
            _ => Self::Cancelled,
        }
    }

    /// How the prompt ended, if it did.
    pub(crate) fn outcome(self) -> Option<PromptOutcome> {
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
        match outcome {
            PromptOutcome::Answered => Self::Answered,
            PromptOutcome::Refused => Self::Refused,
            PromptOutcome::Expired => Self::Expired,
            PromptOutcome::Cancelled => Self::Cancelled,
        }
    }
}
