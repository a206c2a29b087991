//! Turns: their status, and how one ends.

use parlor_database::{Row, query};
use parlor_protocol::{ClientMessageId, ConversationId, TenantId, TurnId};

use crate::columns::{counter, parsed};
use crate::error::StorageError;
use crate::store::Store;

/// A turn as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnRow {
    /// Its id.
    pub id: TurnId,
    /// Its conversation.
    pub conversation: ConversationId,
    /// The number of its `start` in the log.
    pub start_seq: u64,
    /// Its status.
    pub status: TurnStatus,
}

/// The status of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TurnStatus {
    /// It runs.
    Running,
    /// The agent finished it.
    Complete,
    /// A person stopped it.
    Stopped,
    /// It failed.
    Error,
    /// The server went down while it ran.
    Interrupted,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnOutcome {
    /// Its last status.
    pub status: TurnStatus,
    /// Tokens in and out, if they are known.
    pub tokens_used: Option<u64>,
    /// Millionths of a dollar, if the agent says what it cost.
    pub cost_micros: Option<u64>,
}

impl Store {
    /// The turn that a client's message id began, if it did (H-5).
    pub async fn turn_by_client_message(
        &self,
        tenant: &TenantId,
        started_by: &str,
        id: &ClientMessageId,
    ) -> Result<Option<TurnRow>, StorageError> {
        let row = query(
            "SELECT * FROM turns WHERE tenant = $1 AND started_by = $2 AND client_message_id = $3",
        )
        .bind(tenant.as_str())
        .bind(started_by)
        .bind(id.as_str())
        .fetch_optional(self.reader())
        .await?;
        row.as_ref().map(turn).transpose()
    }
}

fn turn(row: &Row) -> Result<TurnRow, StorageError> {
    Ok(TurnRow {
        id: parsed(row, "id")?,
        conversation: parsed(row, "conversation_id")?,
        start_seq: counter(row, "start_seq")?,
        status: TurnStatus::from_name(row.try_get("status")?),
    })
}

impl TurnStatus {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Complete => "complete",
            Self::Stopped => "stopped",
            Self::Error => "error",
            Self::Interrupted => "interrupted",
        }
    }

    fn from_name(name: &str) -> Self {
        match name {
            "running" => Self::Running,
            "complete" => Self::Complete,
            "stopped" => Self::Stopped,
            "error" => Self::Error,
            _ => Self::Interrupted,
        }
    }
}
