//! After a crash: takes over the turns that ran, so that their old owner can no longer
//! write to them.

use parlor_database::{Connection, query};
use parlor_protocol::{ConversationId, MessageId, Mode, ProjectId, TenantId, TurnId};
use serde_json::Value;

use crate::block_kind::BlockKind;
use crate::columns::{counter, optional_json, parsed};
use crate::error::StorageError;
use crate::served::Served;
use crate::store::Store;
use crate::tables::conversations::mode_from_name;
use crate::tables::prompts::{self, Prompt};
use crate::tables::text_blocks;
use crate::tables::tool_runs::{self, ToolRun};

/// A turn that ran when the server went down.
#[derive(Debug, Clone, PartialEq)]
pub struct InterruptedTurn {
    /// The tenant.
    pub tenant: TenantId,
    /// The conversation.
    pub conversation: ConversationId,
    /// The turn.
    pub turn: TurnId,
    /// The epoch that its writes carry from now on.
    pub epoch: u64,
    /// The next free number of the log: above every number that was ever shown.
    pub next_seq: u64,
    /// Where the agent can resume.
    pub checkpoint: Option<Value>,
    /// How often it was taken over, this time included. Take-overs while it waited for a
    /// person do not count.
    pub resumes: u64,
    /// The message that streams next, if text does.
    pub block_message: MessageId,
    /// Text that was streaming.
    pub block: Option<OpenTextBlock>,
    /// Prompts whose end is not in the log.
    pub prompts: Vec<Prompt>,
    /// Tool runs that are not over.
    pub runs: Vec<ToolRun>,
    /// The project whose agent takes the turn.
    pub project: ProjectId,
    /// Whether the agent plans or acts.
    pub mode: Mode,
}

/// Text that was streaming when the server went down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenTextBlock {
    /// Its number.
    pub seq: u64,
    /// The message that it would have become.
    pub message: MessageId,
    /// Text or thinking.
    pub kind: BlockKind,
    /// As the agent wrote it, as far as it is stored.
    pub raw: String,
    /// As people saw it, as far as it is stored.
    pub clean: Served<String>,
}

impl Store {
    /// Takes over every turn that is marked as running.
    pub async fn take_over(&self) -> Result<Vec<InterruptedTurn>, StorageError> {
        let mut transaction = self.begin().await?;
        let rows = query(
            "UPDATE conversations SET epoch = epoch + 1
             WHERE id IN (SELECT conversation_id FROM turns WHERE status = 'running')
             RETURNING id, tenant, project, mode, epoch, next_seq",
        )
        .fetch_all(&mut *transaction)
        .await?;
        let mut interrupted = Vec::with_capacity(rows.len());
        for row in &rows {
            let conversation: ConversationId = parsed(row, "id")?;
            let turn = query(
                "UPDATE turns SET resumes = resumes + CASE WHEN EXISTS (
                     SELECT 1 FROM prompts p
                     WHERE p.turn_id = turns.id AND p.parks AND p.status = 'open')
                     THEN 0 ELSE 1 END
                 WHERE conversation_id = $1 AND status = 'running'
                 RETURNING id, checkpoint, resumes, block_message",
            )
            .bind(conversation.to_string())
            .fetch_one(&mut *transaction)
            .await?;
            let turn_id: TurnId = parsed(&turn, "id")?;
            interrupted.push(InterruptedTurn {
                tenant: parsed(row, "tenant")?,
                conversation,
                turn: turn_id,
                epoch: counter(row, "epoch")?,
                next_seq: counter(row, "next_seq")?,
                checkpoint: optional_json(&turn, "checkpoint")?,
                resumes: counter(&turn, "resumes")?,
                block_message: parsed(&turn, "block_message")?,
                prompts: prompts::unlogged(&mut transaction, turn_id).await?,
                runs: tool_runs::unfinished(&mut transaction, turn_id).await?,
                project: parsed(row, "project")?,
                mode: mode_from_name(row.try_get("mode")?),
                block: open_block(&mut transaction, conversation, turn_id).await?,
            });
        }
        transaction.commit().await?;
        Ok(interrupted)
    }
}

/// The text block of the turn that has stored pieces: those of a closed one are deleted.
async fn open_block(
    transaction: &mut Connection,
    conversation: ConversationId,
    turn: TurnId,
) -> Result<Option<OpenTextBlock>, StorageError> {
    let row = query(
        "SELECT e.seq, e.message_id, e.body FROM events e
         WHERE e.conversation_id = $1 AND e.turn_id = $2 AND e.kind = 'block'
         AND EXISTS (SELECT 1 FROM deltas d
                     WHERE d.conversation_id = e.conversation_id AND d.block = e.seq)
         ORDER BY e.seq DESC LIMIT 1",
    )
    .bind(conversation.to_string())
    .bind(turn.to_string())
    .fetch_optional(&mut *transaction)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let seq = counter(&row, "seq")?;
    let (raw, clean) = text_blocks::texts(transaction, conversation, seq).await?;
    Ok(Some(OpenTextBlock {
        seq,
        message: parsed(&row, "message_id")?,
        kind: BlockKind::from_column(&row, "body")?,
        raw,
        clean: Served::new(clean),
    }))
}
