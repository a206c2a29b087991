//! Text that streams: pieces of a block, until they are a message.
//!
//! One writer for all conversations appends what came in the meantime, in one
//! transaction: a commit for each piece would be a wait for the disk for each.

use parlor_protocol::{ConversationId, MessageId, Timestamp, TurnId};
use parlor_sqlite::Batch;
use sqlx::{Row, SqliteConnection};

use crate::error::StorageError;
use crate::log::Commit;
use crate::rows::to_column;
use crate::served::Served;
use crate::store::Store;

/// A place in the log in which text streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// Its number.
    pub seq: u64,
    /// The message that it will be part of.
    pub message: MessageId,
    /// Whether it is reasoning.
    pub thinking: bool,
    /// How many pieces of it were written; with the first it is in the log.
    pub parts: u64,
}

/// What streamed in one block since the last write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delta {
    /// Where.
    pub conversation: ConversationId,
    /// The turn.
    pub turn: TurnId,
    /// The block; its `parts` is the number of this piece.
    pub block: Block,
    /// As the agent wrote it.
    pub raw: String,
    /// As people see it. Its place is the sum of the pieces before it.
    pub clean: Served<String>,
    /// When.
    pub now: Timestamp,
}

/// SQLite takes 32,766 values in a statement; a row has seven at most.
const ROWS_A_STATEMENT: usize = 1_000;

impl Store {
    /// Appends pieces of any number of conversations in one transaction.
    pub async fn flush(&self, pieces: &[Delta]) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        for pieces in pieces.chunks(ROWS_A_STATEMENT) {
            // The block's place in the log comes with its first piece.
            let first = pieces.iter().filter(|piece| piece.block.parts == 0);
            let first =
                first.map(|piece| (piece.conversation, piece.turn, &piece.block, piece.now));
            open(&mut batch, first);
            let columns = "deltas (conversation_id, block, part, raw, clean)";
            batch.insert(columns, pieces, |row, piece| {
                row.bind(piece.conversation.to_string())
                    .bind(to_column(piece.block.seq))
                    .bind(to_column(piece.block.parts))
                    .bind(&piece.raw)
                    .bind(piece.clean.get());
            });
        }
        self.run(batch).await
    }
}

/// Opens blocks: their places in the log.
fn open<'b>(
    batch: &mut Batch,
    blocks: impl IntoIterator<Item = (ConversationId, TurnId, &'b Block, Timestamp)>,
) {
    let columns = "events (conversation_id, seq, turn_id, kind, message_id, body, created_at)";
    batch.insert(columns, blocks, |row, (conversation, turn, block, now)| {
        row.bind(conversation.to_string())
            .bind(to_column(block.seq))
            .bind(turn.to_string())
            .bind("block")
            .bind(block.message.to_string())
            .bind(if block.thinking { "thinking" } else { "text" })
            .bind(now.0);
    });
}

/// The words are in a message now. The place stays in the log, also of a block
/// that ended before anything of it was written.
pub(crate) fn close(batch: &mut Batch, commit: &Commit, block: &Block) {
    if block.parts == 0 {
        return open(batch, [(commit.conversation, commit.turn, block, commit.now)]);
    }
    batch
        .add("DELETE FROM deltas WHERE conversation_id = $1 AND block = $2")
        .bind(commit.conversation.to_string())
        .bind(to_column(block.seq));
}

/// What people have seen of a block, as far as it is stored.
pub(crate) async fn clean_text(
    moment: &mut SqliteConnection,
    conversation: ConversationId,
    block: u64,
) -> Result<String, StorageError> {
    Ok(texts(moment, conversation, block).await?.1)
}

/// What is stored of a block: as the agent wrote it, and as people saw it.
pub(crate) async fn texts(
    moment: &mut SqliteConnection,
    conversation: ConversationId,
    block: u64,
) -> Result<(String, String), StorageError> {
    let rows = sqlx::query(
        "SELECT raw, clean FROM deltas WHERE conversation_id = $1 AND block = $2 ORDER BY part",
    )
    .bind(conversation.to_string())
    .bind(to_column(block))
    .fetch_all(&mut *moment)
    .await?;
    let (mut raw, mut clean) = (String::new(), String::new());
    for row in rows {
        raw.push_str(row.try_get("raw")?);
        clean.push_str(row.try_get("clean")?);
    }
    Ok((raw, clean))
}
