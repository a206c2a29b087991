//! What kind of text a text block streams.

use crate::error::StorageError;
use parlor_database::Row;

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

    pub(crate) fn from_column(row: &Row, column: &str) -> Result<Self, StorageError> {
        Ok(match row.try_get(column)? {
            "thinking" => Self::Thinking,
            _ => Self::Text,
        })
    }
}
