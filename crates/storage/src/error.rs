//! What can go wrong, by what the caller does next.

use parlor_database::{Fault, OpenError};

/// So many conversations are on top of a list at most.
pub const MOST_PINNED: u32 = 50;

/// Why a read or a write failed. It can be cloned, because writes that are committed
/// together fail together.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StorageError {
    /// Answer 404.
    #[error("not found")]
    NotFound,
    /// Answer 409: a turn runs in this conversation.
    #[error("a turn is running in this conversation")]
    TurnRunning,
    /// Answer 409: the prompt was answered already, or has expired.
    #[error("the prompt is closed")]
    PromptClosed,
    /// Answer 409: so many conversations are on top of the list already.
    #[error("{MOST_PINNED} conversations are pinned already; unpin one first")]
    TooManyPinned,
    /// Choose another name: somebody of the tenant has it.
    #[error("somebody has this name already")]
    NameTaken,
    /// Stop writing: another node, or another run of this one, has taken over the conversation.
    #[error("this conversation has been taken over by another run of the server")]
    TakenOver,
    /// Refuse to start.
    #[error("a `parlor db` command uses this database alone; start the server when it is done")]
    InUse,
    /// Do what the fault says.
    #[error(transparent)]
    Fault(Fault),
    /// Refuse to start.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Log it: a row does not have the form that this version writes.
    #[error("a stored row cannot be read: {0}")]
    Corrupt(String),
}

impl From<Fault> for StorageError {
    fn from(fault: Fault) -> Self {
        match fault {
            // Only the writes of a turn claim something: its conversation, by epoch.
            Fault::NotClaimed => Self::TakenOver,
            Fault::NoRow => Self::NotFound,
            fault => Self::Fault(fault),
        }
    }
}

impl StorageError {
    /// Whether the same call may succeed later.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Fault(fault) if fault.is_transient())
    }

    /// Whether it is not known if something was written.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Fault(Fault::Unknown(_)))
    }
}
