//! Text blocks: streamed text under one number of the log, in pieces until it is a
//! message.
//!
//! One task appends the pieces of all conversations in one transaction: a commit
//! for each piece would wait for the disk each time.

use parlor_database::{Batch, Connection, Guard, query};
use parlor_protocol::{ConversationId, MessageId, Timestamp, TurnId};

use super::events;
use crate::block_kind::BlockKind;
use crate::columns::to_column;
use crate::error::StorageError;
use crate::served::Served;
use crate::store::Store;

/// The unit of streamed text under one number of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextBlock {
    /// Its number.
    pub seq: u64,
    /// The message that it will be part of.
    pub message: MessageId,
    /// Text or thinking.
    pub kind: BlockKind,
    /// How many pieces of it are stored; the first one puts it into the log.
    pub parts: u64,
}

/// The text of one block since the last write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delta {
    /// The conversation.
    pub conversation: ConversationId,
    /// The turn.
    pub turn: TurnId,
    /// The epoch under which the turn writes.
    pub epoch: u64,
    /// The block; its `parts` is the number of this piece.
    pub block: TextBlock,
    /// As the agent wrote it.
    pub raw: String,
    /// As people see it. Its offset is the sum of the pieces before it.
    pub clean: Served<String>,
    /// When.
    pub now: Timestamp,
}

/// SQLite takes 32,766 values in a statement; a row has seven at most.
const ROWS_PER_STATEMENT: usize = 1_000;

/// A turn that was taken over stores nothing more.
const SAME_EPOCH: Guard = Guard { table: "conversations", key: "id", column: "epoch" };

impl Store {
    /// Appends pieces of any number of conversations in one transaction. Those of a
    /// conversation that was taken over are left out: its turn learns it with its next
    /// commit. A piece whose end was unknown may come again, and longer.
    pub async fn flush(&self, pieces: &[Delta]) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        for pieces in pieces.chunks(ROWS_PER_STATEMENT) {
            // The first piece of a block puts it into the log.
            let first = pieces.iter().filter(|piece| piece.block.parts == 0);
            let again = " ON CONFLICT (conversation_id, seq) DO NOTHING";
            batch.insert_guarded(events::INTO, again, SAME_EPOCH, first, |row, piece| {
                bind_open(row, piece.conversation, piece.turn, &piece.block, piece.now);
                row.bind(to_column(piece.epoch));
            });
            let columns = "deltas (conversation_id, block, part, raw, clean)";
            let again = " ON CONFLICT (conversation_id, block, part)
                 DO UPDATE SET raw = excluded.raw, clean = excluded.clean";
            batch.insert_guarded(columns, again, SAME_EPOCH, pieces, |row, piece| {
                row.bind(piece.conversation.to_string())
                    .bind(to_column(piece.block.seq))
                    .bind(to_column(piece.block.parts))
                    .bind(&piece.raw)
                    .bind(piece.clean.get())
                    .bind(to_column(piece.epoch));
            });
        }
        self.run(batch).await
    }
}

/// The values of a block's row in the log.
fn bind_open(
    row: &mut Batch,
    conversation: ConversationId,
    turn: TurnId,
    block: &TextBlock,
    now: Timestamp,
) {
    row.bind(conversation.to_string())
        .bind(to_column(block.seq))
        .bind(turn.to_string())
        .bind("block")
        .bind(block.message.to_string())
        .bind(block.kind.as_str())
        .bind(now.0);
}

/// Deletes the pieces of a block whose text is in a message now. Its number stays in
/// the log, also if none of its pieces was stored.
pub(crate) fn close(
    batch: &mut Batch,
    conversation: ConversationId,
    turn: TurnId,
    block: &TextBlock,
    now: Timestamp,
) {
    if block.parts == 0 {
        return batch.insert(events::INTO, [block], |row, block| {
            bind_open(row, conversation, turn, block, now);
        });
    }
    batch
        .add("DELETE FROM deltas WHERE conversation_id = $1 AND block = $2")
        .bind(conversation.to_string())
        .bind(to_column(block.seq));
}

/// The stored text of a block, as people saw it.
pub(crate) async fn clean_text(
    connection: &mut Connection,
    conversation: ConversationId,
    block: u64,
) -> Result<String, StorageError> {
    Ok(texts(connection, conversation, block).await?.1)
}

/// The stored text of a block: as the agent wrote it, and as people saw it.
pub(crate) async fn texts(
    connection: &mut Connection,
    conversation: ConversationId,
    block: u64,
) -> Result<(String, String), StorageError> {
    let rows = query(
        "SELECT raw, clean FROM deltas WHERE conversation_id = $1 AND block = $2 ORDER BY part",
    )
    .bind(conversation.to_string())
    .bind(to_column(block))
    .fetch_all(&mut *connection)
    .await?;
    let (mut raw, mut clean) = (String::new(), String::new());
    for row in rows {
        raw.push_str(row.try_get("raw")?);
        clean.push_str(row.try_get("clean")?);
    }
    Ok((raw, clean))
}
