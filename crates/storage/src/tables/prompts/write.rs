//! Writing prompts: they open, get more time, close.

use parlor_database::{Batch, Connection, query};
use parlor_protocol::{PromptId, Timestamp, TurnId};

use super::{NewPrompt, PromptClosing, PromptWrite};
use crate::columns::to_json;
use crate::error::StorageError;
use crate::store::Store;
use crate::tables::webhooks;
use parlor_protocol::PromptStatus;

impl Store {
    /// Sets another expiry for a prompt that is open and in time; returns whether it was.
    pub async fn extend_prompt(
        &self,
        id: PromptId,
        expires_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let mut transaction = self.begin().await?;
        let extended = query(
            "UPDATE prompts SET expires_at = $2 WHERE id = $1 AND status = 'open'
             AND (expires_at IS NULL OR expires_at > $3)",
        )
        .bind(id.to_string())
        .bind(expires_at.map(|at| at.0))
        .bind(now.0)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(extended == 1)
    }
}

/// Closes a prompt that is open; returns whether it was. An answer must come before the
/// expiry, and `expired` after it.
pub(crate) async fn close(
    transaction: &mut Connection,
    closing: &PromptClosing,
) -> Result<bool, StorageError> {
    let closed = query(
        "UPDATE prompts SET status = $2, response = $3, decision = $4, answered_by = $5,
         closed_at = $6, reason = $8, allowed_call = $9, allowed_preview = $10
         WHERE id = $1 AND status = 'open' AND
         CASE WHEN $7 OR $2 = 'cancelled' THEN TRUE
              WHEN $2 = 'expired' THEN expires_at IS NULL OR expires_at <= $6
              ELSE expires_at IS NULL OR expires_at > $6 END",
    )
    .bind(closing.id.to_string())
    .bind(PromptStatus::from(closing.outcome).as_str())
    .bind(closing.response.as_ref().map(to_json).transpose()?)
    .bind(closing.decision.as_ref().map(to_json).transpose()?)
    .bind(&closing.answered_by)
    .bind(closing.now.0)
    .bind(closing.forced)
    .bind(&closing.reason)
    .bind(closing.allowed.as_ref().map(to_json).transpose()?)
    .bind(closing.allowed_preview.as_ref().map(to_json).transpose()?)
    .execute(&mut *transaction)
    .await?;
    if closed == 1 {
        webhooks::prompt_closed(transaction, closing.id, closing.outcome, closing.now).await?;
    }
    Ok(closed == 1)
}

/// Adds a change of a prompt to the write of a turn's step.
pub(crate) fn apply(
    batch: &mut Batch,
    turn: TurnId,
    write: &PromptWrite,
    now: Timestamp,
) -> Result<(), StorageError> {
    match write {
        PromptWrite::Open(new) => open(batch, turn, new, now)?,
        PromptWrite::Renew(id, expires_at) => {
            batch
                .add("UPDATE prompts SET expires_at = $2 WHERE id = $1 AND status = 'open'")
                .bind(id.to_string())
                .bind(expires_at.map(|at| at.0));
        }
        PromptWrite::Logged(id) => {
            batch.add("UPDATE prompts SET told = TRUE WHERE id = $1").bind(id.to_string());
        }
        PromptWrite::Supersede(id) => {
            batch
                .add("UPDATE prompts SET ask_id = ask_id || '#' || id WHERE id = $1")
                .bind(id.to_string());
        }
    }
    Ok(())
}

fn open(
    batch: &mut Batch,
    turn: TurnId,
    new: &NewPrompt,
    now: Timestamp,
) -> Result<(), StorageError> {
    let public = new.public.get();
    batch
        .add(
            "INSERT INTO prompts (id, conversation_id, tenant, project, turn_id, ask_id, origin,
             parks, status, public, private, timeout_ms, opened_at, expires_at, told, limited)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'open', $9, $10, $11, $12, $13, FALSE, $14)",
        )
        .bind(public.id.to_string())
        .bind(public.conversation_id.to_string())
        .bind(new.tenant.as_str())
        .bind(new.project.as_str())
        .bind(turn.to_string())
        .bind(&new.ask_id)
        .bind(&new.origin)
        .bind(new.turn_waits)
        .bind(to_json(public)?)
        .bind(to_json(&new.private)?)
        .bind(new.timeout_ms)
        .bind(now.0)
        .bind(public.expires_at.map(|at| at.0))
        .bind(public.approvers.is_some());
    webhooks::prompt_opened(batch, public.id, now);
    Ok(())
}
