//! What can go wrong, by what the caller does next.

use std::sync::Arc;

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
    /// Try again later: the database is locked by someone else.
    #[error("the database is locked by another program")]
    Busy,
    /// Tell the administrator: nothing can be written.
    #[error("the database cannot be written: {0}")]
    ReadOnly(String),
    /// Tell the administrator: the disk is full.
    #[error("the disk is full")]
    Full,
    /// Refuse to start.
    #[error(
        "the database {path} was written by a newer version of Parlor (schema {found}, this \
         version knows {known}); run that version, or restore a backup"
    )]
    NewerSchema {
        /// Where it is.
        path: String,
        /// The newest migration in it.
        found: i64,
        /// The newest migration that this binary has.
        known: i64,
    },
    /// Refuse to start.
    #[error("the database {path} cannot be opened: {why}")]
    CannotOpen {
        /// Where it is.
        path: String,
        /// What the system says.
        why: String,
    },
    /// Log it: a row is not what this version wrote.
    #[error("a stored row cannot be read: {0}")]
    Corrupt(String),
    /// Log it.
    #[error("the database failed: {0}")]
    Other(#[source] Arc<sqlx::Error>),
}

impl From<sqlx::Error> for StorageError {
    fn from(error: sqlx::Error) -> Self {
        let code = error.as_database_error().and_then(|e| e.code()).unwrap_or_default();
        let message = || error.to_string();
        // SQLite's primary result code is the low byte of the extended one.
        match code.parse::<u32>().map(|code| code & 0xFF) {
            Ok(5 | 6) => Self::Busy,
            // Read-only, no permission, an input or output that failed, a file
            // that cannot be opened: whoever runs the server can mend all of them.
            Ok(3 | 8 | 10 | 14 | 23) => Self::ReadOnly(message()),
            Ok(13) => Self::Full,
            _ => match error {
                sqlx::Error::RowNotFound => Self::NotFound,
                sqlx::Error::PoolTimedOut => Self::Busy,
                other => Self::Other(Arc::new(other)),
            },
        }
    }
}

impl StorageError {
    /// Whether the same call may succeed later without anybody's help.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Busy | Self::Full | Self::ReadOnly(_))
    }
}
