//! Resolves a prompt: it closes, together with the run that it approves, the allowance
//! that it grants and the decision in the audit.

use parlor_database::{Batch, Connection, query};
use parlor_guard::Clean;
use parlor_protocol::{EventBody, TurnId};
use uuid::Uuid;

use crate::columns::counter;
use crate::error::StorageError;
use crate::store::Store;
use crate::tables::allowances::{self, Allowance};
use crate::tables::decisions::{self, Decision};
use crate::tables::events::{self, Logged};
use crate::tables::prompts::{self, PromptClosing, PromptWrite};
use crate::tables::tool_runs;

/// The end of a prompt, and everything that it changes, all or nothing.
#[derive(Debug, Clone)]
pub struct PromptResolution {
    /// How the prompt closes.
    pub closing: PromptClosing,
    /// A run that may start now, with exactly these arguments.
    pub approves: Option<(Uuid, String)>,
    /// What is always allowed from now on in the conversation.
    pub allows: Option<Allowance>,
    /// The decision for the audit.
    pub decision: Decision,
}

impl Store {
    /// Resolves a prompt that is still open and in time; returns whether it was.
    pub async fn resolve_prompt(
        &self,
        resolution: &PromptResolution,
    ) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        let resolved = resolve(&mut transaction, resolution).await?;
        // Also if another resolution was first: that one may wait for this very commit,
        // and the caller must be able to read it.
        match transaction.commit().await.map_err(StorageError::from) {
            Err(error) if self.is_resolved(resolution, &error).await? => Ok(true),
            written => written.map(|()| resolved),
        }
    }

    /// Whether a prompt was resolved, although that failed with an unknown end.
    async fn is_resolved(
        &self,
        resolution: &PromptResolution,
        error: &StorageError,
    ) -> Result<bool, StorageError> {
        self.is_written(error, || {
            query("SELECT 1 FROM decisions WHERE id = $1").bind(&resolution.decision.id)
        })
        .await
    }

    /// Resolves a prompt without beginning a turn, and writes its end to the log. No
    /// turn runs then: the message that begins one closes such prompts.
    pub async fn resolve_and_log_prompt(
        &self,
        resolution: &PromptResolution,
        event: &Clean<EventBody>,
        turn: TurnId,
    ) -> Result<Vec<Logged>, StorageError> {
        let (conversation, now) = (resolution.decision.conversation_id, resolution.closing.now);
        let mut transaction = self.begin().await?;
        // The conversation first, as everywhere: two transactions that lock the same rows
        // in another order would wait for each other.
        let row = query(
            "UPDATE conversations SET next_seq = next_seq + 1, updated_at = $2 WHERE id = $1
             RETURNING next_seq",
        )
        .bind(conversation.to_string())
        .bind(now.0)
        .fetch_one(&mut *transaction)
        .await?;
        if !resolve(&mut transaction, resolution).await? {
            return Err(StorageError::PromptClosed);
        }
        let seq = counter(&row, "next_seq")?.saturating_sub(1);
        let mut batch = Batch::default();
        let logged = events::insert(&mut batch, conversation, turn, seq, [event], now)?;
        prompts::apply(&mut batch, turn, &PromptWrite::Logged(resolution.closing.id), now)?;
        transaction.run(batch).await?;
        match transaction.commit().await.map_err(StorageError::from) {
            Err(error) if self.is_resolved(resolution, &error).await? => Ok(logged),
            written => written.map(|()| logged),
        }
    }
}

/// Inside a transaction; returns whether the prompt was still open and in time.
pub(super) async fn resolve(
    transaction: &mut Connection,
    resolution: &PromptResolution,
) -> Result<bool, StorageError> {
    if !prompts::close(transaction, &resolution.closing).await? {
        return Ok(false);
    }
    if let Some((run, arguments)) = &resolution.approves {
        tool_runs::approve(transaction, *run, arguments).await?;
    }
    if let Some(allowance) = &resolution.allows {
        allowances::grant(transaction, resolution.decision.conversation_id, allowance).await?;
    }
    decisions::insert(transaction, &resolution.decision).await?;
    Ok(true)
}
