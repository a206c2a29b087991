//! The raw history that a model needs: opaque JSON, never served.

use parlor_protocol::{ConversationId, TurnId};
use serde_json::Value;
use sqlx::{Sqlite, Transaction};

use crate::error::StorageError;
use crate::rows::{counter, json, parsed, to_column, to_json};
use crate::store::Store;

impl Store {
    /// The history of a conversation, in order, each part with its turn.
    pub async fn history(&self, id: ConversationId) -> Result<Vec<(TurnId, Value)>, StorageError> {
        let rows = sqlx::query(
            "SELECT turn_id, body FROM history WHERE conversation_id = $1 ORDER BY position",
        )
        .bind(id.to_string())
        .fetch_all(self.reader())
        .await?;
        rows.iter().map(|row| Ok((parsed(row, "turn_id")?, json(row, "body")?))).collect()
    }
}

/// Appends to the history, inside the write that the words belong to.
pub(crate) async fn append(
    transaction: &mut Transaction<'_, Sqlite>,
    conversation: ConversationId,
    turn: TurnId,
    parts: &[Value],
) -> Result<(), StorageError> {
    if parts.is_empty() {
        return Ok(());
    }
    // The number comes from the parent row, not from MAX: two writers on a
    // larger engine would read the same maximum.
    let row = sqlx::query(
        "UPDATE conversations SET next_position = next_position + $2 WHERE id = $1
         RETURNING next_position",
    )
    .bind(conversation.to_string())
    .bind(to_column(parts.len() as u64))
    .fetch_one(&mut **transaction)
    .await?;
    let first = counter(&row, "next_position")?.saturating_sub(parts.len() as u64);
    for (position, part) in (first..).zip(parts) {
        sqlx::query(
            "INSERT INTO history (conversation_id, position, turn_id, body)
             VALUES ($1, $2, $3, $4)",
        )
        .bind(conversation.to_string())
        .bind(to_column(position))
        .bind(turn.to_string())
        .bind(to_json(part)?)
        .execute(&mut **transaction)
        .await?;
    }
    Ok(())
}
