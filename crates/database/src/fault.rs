//! What can go wrong with a database, by what the caller does next.

use std::error::Error;
use std::sync::Arc;

/// Why a read or a write failed. It can be cloned, because writes that are committed
/// together fail together.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Fault {
    /// Try again later: the database is locked by another program, or too many writes or
    /// reads wait for it.
    #[error("the database is busy: {0}")]
    Busy(String),
    /// Try again later: nothing was written.
    #[error("the database server cannot be reached: {0}")]
    Unreachable(String),
    /// Read whether it was written before trying again: the connection was lost after the
    /// write was sent.
    #[error("the connection to the database was lost during a write: {0}")]
    Unknown(String),
    /// Tell the administrator: nothing can be written.
    #[error("the database cannot be written: {0}")]
    Unwritable(String),
    /// Tell the administrator: the disk is full.
    #[error("the disk is full")]
    Full,
    /// Tell the administrator: the file is damaged.
    #[error("the database is damaged: {0}; restore a backup")]
    Malformed(String),
    /// Stop writing: the first statement of a claiming batch changed nothing.
    #[error("another process has taken over what was to be written")]
    NotClaimed,
    /// A row that must be unique is there already.
    #[error("a row with the same key exists: {0}")]
    Conflict(String),
    /// A row was expected, and there is none.
    #[error("there is no such row")]
    NoRow,
    /// Log it.
    #[error("the database failed: {0}")]
    Other(#[source] Arc<dyn Error + Send + Sync>),
}

impl Fault {
    /// Whether the same call may succeed later.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Busy(_) | Self::Unreachable(_) | Self::Full | Self::Unwritable(_))
    }

    /// The database is closed for good.
    pub(crate) fn closed() -> Self {
        Self::other("it is closed")
    }

    pub(crate) fn other(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Other(Arc::from(error.into()))
    }
}

/// Why a database cannot be used.
#[derive(Debug, Clone, thiserror::Error)]
pub enum OpenError {
    /// Refuse to start.
    #[error(
        "the database {database} was written by a newer version of Parlor (schema {found}, this \
         version knows {known}); run that version, or restore a backup"
    )]
    NewerSchema {
        /// The path of the file, or the address of the server.
        database: String,
        /// The newest migration in it.
        found: i64,
        /// The newest migration that this binary has.
        known: i64,
    },
    /// Refuse to start.
    #[error("the database {database} cannot be opened: {why}")]
    CannotOpen {
        /// The path of the file, or the address of the server.
        database: String,
        /// The cause, and what to do about it.
        why: String,
    },
}
