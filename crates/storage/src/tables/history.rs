//! The raw history for the model: opaque JSON, never served.

use parlor_database::{Batch, Row, query};
use parlor_protocol::{ConversationId, TurnId};
use serde_json::Value;

use crate::columns::{counter, json, parsed, to_column, to_json};
use crate::error::StorageError;
use crate::path::Path;
use crate::store::Store;

/// A part of the history with its position.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryPart {
    /// Its position.
    pub position: u64,
    /// Its JSON.
    pub body: Value,
}

impl Store {
    /// The history of a path, in order, each part with its turn.
    pub async fn history(&self, path: Path) -> Result<Vec<(TurnId, Value)>, StorageError> {
        let id = path.conversation().to_string();
        let parts = match path.leaf() {
            None => {
                const LINE: &str = "SELECT turn_id, body FROM history
                     WHERE conversation_id = $1 ORDER BY position";
                query(LINE).bind(id)
            }
            Some(leaf) => query(Path::walked(
                "SELECT h.turn_id, h.body FROM path p
                 JOIN turns t ON t.conversation_id = $1 AND t.start_seq BETWEEN p.first AND p.last
                 JOIN history h ON h.turn_id = t.id
                 WHERE h.conversation_id = $1 ORDER BY h.position",
            ))
            .bind(id)
            .bind(leaf),
        };
        let rows = parts.fetch_all(self.reader()).await?;
        rows.iter().map(|row| Ok((parsed(row, "turn_id")?, json(row, "body")?))).collect()
    }

    /// The history of one turn so far, newest first, each part with its position.
    pub async fn history_of_turn(
        &self,
        id: ConversationId,
        turn: TurnId,
    ) -> Result<Vec<HistoryPart>, StorageError> {
        let rows = query(
            "SELECT position, body FROM history WHERE conversation_id = $1 AND turn_id = $2
             ORDER BY position DESC",
        )
        .bind(id.to_string())
        .bind(turn.to_string())
        .fetch_all(self.reader())
        .await?;
        let part = |row: &Row| {
            Ok(HistoryPart { position: counter(row, "position")?, body: json(row, "body")? })
        };
        rows.iter().map(part).collect()
    }
}

/// Replaces a part of the history.
pub(crate) fn amend(
    batch: &mut Batch,
    conversation: ConversationId,
    part: &HistoryPart,
) -> Result<(), StorageError> {
    batch
        .add("UPDATE history SET body = $3 WHERE conversation_id = $1 AND position = $2")
        .bind(conversation.to_string())
        .bind(to_column(part.position))
        .bind(to_json(&part.body)?);
    Ok(())
}

/// Appends to the history. The conversation's row counts these parts already: positions
/// come from there and not from `MAX`, because two writers on a larger engine would
/// read the same maximum.
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
