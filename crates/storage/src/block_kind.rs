//! What kind of text a text block streams.

use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::error::StorageError;

/// What kind of text a text block streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockKind {
    /// A part of the answer.
    Text,
    /// Reasoning before it.
    Thinking,
}

impl BlockKind {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Thinking => "thinking",
        }
    }

    pub(crate) fn from_column(row: &SqliteRow, column: &str) -> Result<Self, StorageError> {
        Ok(match row.try_get(column)? {
            "thinking" => Self::Thinking,
            _ => Self::Text,
        })
    }
}
