//! What can go wrong, by what the caller does next.

use parlor_sqlite::{Fault, OpenError};

/// Why a read or a write did not happen. Writes that are committed together
/// fail together, so it can be told to several.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StorageError {
    /// Answer 404.
    #[error("there is no such thing")]
    NotFound,
    /// Answer 409: a turn runs in this conversation.
    #[error("a turn is running in this conversation")]
    TurnRunning,
    /// Answer 409: the prompt was answered already, or lapsed.
    #[error("the prompt is closed")]
    PromptClosed,
    /// Stop writing: another run of the server has taken the conversation over.
    #[error("this conversation has been taken over by another run of the server")]
    TakenOver,
    /// Do what the fault of the database asks for.
    #[error(transparent)]
    Fault(Fault),
    /// Refuse to start.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Log it: a row is not what this version wrote.
    #[error("a stored row cannot be read: {0}")]
    Corrupt(String),
}

impl From<Fault> for StorageError {
    fn from(fault: Fault) -> Self {
        match fault {
            // Only what belongs to a turn is claimed, under its epoch.
            Fault::NotClaimed => Self::TakenOver,
            fault => Self::Fault(fault),
        }
    }
}

impl From<sqlx::Error> for StorageError {
    fn from(error: sqlx::Error) -> Self {
        match error {
            sqlx::Error::RowNotFound => Self::NotFound,
            error => Fault::from(error).into(),
        }
    }
}

impl StorageError {
    /// Whether the same call may succeed later without anybody's help.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Fault(fault) if fault.is_passing())
    }
}
