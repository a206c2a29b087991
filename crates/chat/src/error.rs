//! Why a request failed. Variants are named by what the caller does next.

use parlor_guard::guardrail::Refusal;
use parlor_protocol::PromptId;
use parlor_storage::{Fault, StorageError};

use crate::over_budget::OverBudget;
use crate::validation_error::ValidationError;

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub enum ChatError {
    /// Show the reason beside the text, which is kept.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Answer 404.
    #[error("there is no such thing")]
    NotFound,
    /// Answer 403: they see it, and may not do that with it.
    #[error("{0}")]
    Forbidden(&'static str),
    /// Answer 403: somebody else has to answer.
    #[error("the answer of somebody else is needed")]
    NotApprover,
    /// Wait for the turn, or stop it.
    #[error("a turn is running in this conversation; wait for it or stop it")]
    TurnRunning,
    /// Wait until others have ended: the limit of parallel turns is reached.
    #[error("too many turns are running at the same time; wait for one to end")]
    TooManyTurns,
    /// Wait until the next one begins: a budget is used up.
    #[error(transparent)]
    BudgetExceeded(Box<OverBudget>),
    /// Answer the prompt first.
    #[error("a question waits for an answer in this conversation")]
    PromptOpen(PromptId),
    /// Read the prompt again: it was closed by somebody else or has expired.
    #[error("this question was answered already, or its time was up")]
    PromptClosed,
    /// Answer again: the prompt is still open, and this says what is wrong.
    #[error("{0}")]
    AnswerInvalid(ValidationError),
    /// Correct the request.
    #[error("{0}")]
    Malformed(String),
    /// Choose another image.
    #[error("{0}")]
    BadImage(String),
    /// Choose another file.
    #[error("{0}")]
    BadFile(String),
    /// Choose a file of another kind.
    #[error("{0}")]
    FileType(String),
    /// Choose a smaller image.
    #[error("{0}")]
    TooLarge(String),
    /// Try again later: the database does not accept writes now.
    #[error("{0}")]
    Unavailable(String),
    /// Look into the log.
    #[error("something failed inside")]
    Internal,
}

impl From<StorageError> for ChatError {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::NotFound => Self::NotFound,
            StorageError::TurnRunning => Self::TurnRunning,
            StorageError::PromptClosed => Self::PromptClosed,
            StorageError::Fault(
                fault @ (Fault::Busy(_) | Fault::Unreachable(_) | Fault::Unknown(_)),
            ) => {
                tracing::warn!(%fault, "the database is not available");
                Self::Unavailable("The database is busy; please try again in a moment.".into())
            }
            StorageError::Fault(Fault::Full) => Self::Unavailable(
                "The server's disk is full; nothing was saved. Please tell its administrator."
                    .into(),
            ),
            StorageError::Fault(Fault::Unwritable(why)) => {
                tracing::error!(%why, "the database cannot be written");
                Self::Unavailable(
                    "The server cannot save anything right now. Please tell its administrator."
                        .into(),
                )
            }
            other => {
                tracing::error!(error = %other, "storage failed");
                Self::Internal
            }
        }
    }
}
