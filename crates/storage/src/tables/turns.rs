//! Turns: their status, and how one ends.

use parlor_database::{Row, query};
use parlor_protocol::{BootId, ClientMessageId, ConversationId, PersonId, Timestamp, TurnId};

use serde_json::Value;

use crate::columns::{counter, optional, optional_json, parsed};
use crate::error::StorageError;
use crate::scope::{Scope, sees_conversation};
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
    /// The turn that a client's message id began, if it did (H-5), in a conversation that is seen.
    pub async fn turn_by_client_message(
        &self,
        scope: &Scope,
        started_by: &str,
        id: &ClientMessageId,
    ) -> Result<Option<TurnRow>, StorageError> {
        let select = query(format!(
            "SELECT * FROM turns t
             WHERE t.tenant = $1 AND t.started_by = $4 AND t.client_message_id = $5 AND {}",
            sees_conversation("t.conversation_id", 1)
        ));
        let select = scope.bind(select).bind(started_by).bind(id.as_str());
        let row = select.fetch_optional(self.reader()).await?;
        row.as_ref().map(turn).transpose()
    }

    /// The newest turn that a request with this hash began, in a conversation that is seen.
    pub async fn turn_by_request(
        &self,
        scope: &Scope,
        started_by: &str,
        request_hash: &str,
    ) -> Result<Option<TurnRow>, StorageError> {
        let select = query(format!(
            "SELECT * FROM turns t
             WHERE t.tenant = $1 AND t.started_by = $4 AND t.request_hash = $5 AND {}
             ORDER BY t.started_at DESC, t.id DESC LIMIT 1",
            sees_conversation("t.conversation_id", 1)
        ));
        let select = scope.bind(select).bind(started_by).bind(request_hash);
        let row = select.fetch_optional(self.reader()).await?;
        row.as_ref().map(turn).transpose()
    }

    /// A turn of a conversation that is seen; any other is `NotFound`.
    pub async fn turn(&self, scope: &Scope, id: TurnId) -> Result<TurnRow, StorageError> {
        let select = query(format!(
            "SELECT * FROM turns t WHERE t.id = $1 AND {}",
            sees_conversation("t.conversation_id", 2)
        ));
        let row = scope.bind(select.bind(id.to_string())).fetch_one(self.reader()).await?;
        turn(&row)
    }

    /// The newest turn of a conversation, if it has one.
    pub async fn last_turn(
        &self,
        conversation: ConversationId,
    ) -> Result<Option<TurnRow>, StorageError> {
        let row = query(
            "SELECT * FROM turns WHERE conversation_id = $1
             ORDER BY started_at DESC, start_seq DESC LIMIT 1",
        )
        .bind(conversation.to_string())
        .fetch_optional(self.reader())
        .await?;
        row.as_ref().map(turn).transpose()
    }

    /// The person who began a turn, or whose conversation the agent began one in; none for the shared
    /// account.
    pub async fn person_of_turn(&self, id: TurnId) -> Result<Option<PersonId>, StorageError> {
        let row = query("SELECT person FROM turns WHERE id = $1")
            .bind(id.to_string())
            .fetch_one(self.reader())
            .await?;
        optional(&row, "person")
    }

    /// The tools that the client has for a turn.
    pub async fn client_tools(&self, id: TurnId) -> Result<Option<Value>, StorageError> {
        let row = query("SELECT client_tools FROM turns WHERE id = $1")
            .bind(id.to_string())
            .fetch_one(self.reader())
            .await?;
        optional_json(&row, "client_tools")
    }
}

/// What a node has to do for a turn that it owns, because of what was written elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Stop the turn of this conversation.
    Stop(ConversationId),
    /// Begin the turn that was handed over.
    Begin(ConversationId),
}

impl Store {
    /// Stores that a person wants the running turn of a conversation to stop; returns
    /// whether one runs.
    pub async fn request_stop(
        &self,
        conversation: ConversationId,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        let running = query(
            "UPDATE turns SET stop_at = COALESCE(stop_at, $2)
             WHERE conversation_id = $1 AND status = 'running'",
        )
        .bind(conversation.to_string())
        .bind(now.0)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(running > 0)
    }

    /// What other nodes wrote for the turns of this one.
    pub async fn wanted(&self, boot: BootId) -> Result<Vec<Wanted>, StorageError> {
        let rows = query(
            "SELECT conversation_id, handed_over FROM turns WHERE owner = $1
             AND status = 'running' AND (handed_over OR stop_at IS NOT NULL)",
        )
        .bind(boot.to_string())
        .fetch_all(self.reader())
        .await?;
        rows.iter()
            .map(|row| {
                let conversation = parsed(row, "conversation_id")?;
                let begin: bool = row.try_get("handed_over")?;
                Ok(if begin { Wanted::Begin(conversation) } else { Wanted::Stop(conversation) })
            })
            .collect()
    }

    /// The conversations whose turn runs under a boot.
    pub async fn owned_turns(&self, boot: BootId) -> Result<Vec<ConversationId>, StorageError> {
        let rows =
            query("SELECT conversation_id FROM turns WHERE owner = $1 AND status = 'running'")
                .bind(boot.to_string())
                .fetch_all(self.reader())
                .await?;
        rows.iter().map(|row| parsed(row, "conversation_id")).collect()
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
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Complete => "complete",
            Self::Stopped => "stopped",
            Self::Error => "error",
            Self::Interrupted => "interrupted",
        }
    }

    pub(crate) fn from_name(name: &str) -> Self {
        match name {
            "running" => Self::Running,
            "complete" => Self::Complete,
            "stopped" => Self::Stopped,
            "error" => Self::Error,
            _ => Self::Interrupted,
        }
    }
}
