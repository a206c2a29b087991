//! After a crash: turns that ran are taken over and told to nobody as running.

use parlor_protocol::{ConversationId, MessageId, Mode, ProjectId, TenantId, TurnId};
use serde_json::Value;
use sqlx::{Row, SqliteConnection};

use crate::conversations::mode_of;
use crate::deltas;
use crate::error::StorageError;
use crate::prompts::{Prompt, prompt};
use crate::rows::{counter, optional_json, parsed};
use crate::served::Served;
use crate::store::Store;
use crate::tool_runs::{self, ToolRun};

/// A turn that ran when the server went down.
#[derive(Debug, Clone, PartialEq)]
pub struct Interrupted {
    /// Whose.
    pub tenant: TenantId,
    /// Where.
    pub conversation: ConversationId,
    /// The turn.
    pub turn: TurnId,
    /// The epoch that its writes carry from now on.
    pub epoch: u64,
    /// The next free number of the log: above all that anyone has seen.
    pub next_seq: u64,
    /// Where the agent can go on.
    pub checkpoint: Option<Value>,
    /// How often it was taken over, this time included; while it waited for a person it
    /// did nothing that counts.
    pub resumes: u64,
    /// The message that streams next, if text does.
    pub block_message: MessageId,
    /// Text that was streaming.
    pub block: Option<OpenBlock>,
    /// Prompts whose end is not in the log.
    pub prompts: Vec<Prompt>,
    /// Tool calls that are not over.
    pub runs: Vec<ToolRun>,
    /// The agent that the turn is held with.
    pub project: ProjectId,
    /// Whether the agent plans or acts.
    pub mode: Mode,
}

/// Text that was streaming when the server went down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenBlock {
    /// Its number.
    pub seq: u64,
    /// The message that it would have become.
    pub message: MessageId,
    /// Whether it is reasoning.
    pub thinking: bool,
    /// As the agent wrote it, as far as it is stored.
    pub raw: String,
    /// As people saw it, as far as it is stored.
    pub clean: Served<String>,
}

impl Store {
    /// Takes over every turn that is marked as running. Whoever ran them can
    /// no longer write.
    pub async fn take_over(&self) -> Result<Vec<Interrupted>, StorageError> {
        let mut transaction = self.write().await?;
        let rows = sqlx::query(
            "UPDATE conversations SET epoch = epoch + 1
             WHERE id IN (SELECT conversation_id FROM turns WHERE status = 'running')
             RETURNING id, tenant, project, mode, epoch, next_seq",
        )
        .fetch_all(&mut *transaction)
        .await?;
        let mut interrupted = Vec::with_capacity(rows.len());
        for row in &rows {
            let conversation: ConversationId = parsed(row, "id")?;
            let turn = sqlx::query(
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
            interrupted.push(Interrupted {
                tenant: parsed(row, "tenant")?,
                conversation,
                turn: turn_id,
                epoch: counter(row, "epoch")?,
                next_seq: counter(row, "next_seq")?,
                checkpoint: optional_json(&turn, "checkpoint")?,
                resumes: counter(&turn, "resumes")?,
                block_message: parsed(&turn, "block_message")?,
                prompts: untold_prompts(&mut transaction, turn_id).await?,
                runs: tool_runs::unfinished(&mut transaction, turn_id).await?,
                project: parsed(row, "project")?,
                mode: mode_of(row.try_get("mode")?),
                block: open_block(&mut transaction, conversation, turn_id).await?,
            });
        }
        transaction.commit().await?;
        Ok(interrupted)
    }
}

/// Prompts of the turn whose end is not in the log.
pub(crate) async fn untold_prompts(
    transaction: &mut SqliteConnection,
    turn: TurnId,
) -> Result<Vec<Prompt>, StorageError> {
    let rows = sqlx::query(
        "SELECT * FROM prompts WHERE turn_id = $1 AND parks AND NOT told ORDER BY opened_at, id",
    )
    .bind(turn.to_string())
    .fetch_all(&mut *transaction)
    .await?;
    rows.iter().map(prompt).collect()
}

/// A block of the turn that has pieces: those of a finished one are gone.
async fn open_block(
    transaction: &mut SqliteConnection,
    conversation: ConversationId,
    turn: TurnId,
) -> Result<Option<OpenBlock>, StorageError> {
    let row = sqlx::query(
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
    let (raw, clean) = deltas::texts(transaction, conversation, seq).await?;
    Ok(Some(OpenBlock {
        seq,
        message: parsed(&row, "message_id")?,
        thinking: row.try_get::<&str, _>("body")? == "thinking",
        raw,
        clean: Served::new(clean),
    }))
}
