//! The raw history that a model needs: opaque JSON, never served.

use parlor_protocol::{ConversationId, TurnId};
use parlor_sqlite::Batch;
use serde_json::Value;

use crate::error::StorageError;
use crate::rows::{json, parsed, to_column, to_json};
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

/// Appends to the history, inside the write that the words belong to. The
/// conversation's row counts them already: the number comes from there and not
/// from MAX, because two writers on a larger engine would read the same maximum.
pub(crate) fn append(
    batch: &mut Batch,
    conversation: ConversationId,
    turn: TurnId,
    parts: &[Value],
) -> Result<(), StorageError> {
    for (part, left) in parts.iter().zip((1..=parts.len()).rev()) {
        batch
            .add(
                "INSERT INTO history (conversation_id, position, turn_id, body)
                 SELECT id, next_position - $2, $3, $4 FROM conversations WHERE id = $1",
            )
            .bind(conversation.to_string())
            .bind(to_column(left as u64))
            .bind(turn.to_string())
            .bind(to_json(part)?);
    }
    Ok(())
}
