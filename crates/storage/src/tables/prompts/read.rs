//! Reading prompts: one, those of a turn, those of a conversation.

use parlor_database::{Connection, Executor, Row, query};
use parlor_protocol::{ConversationId, PromptId, TenantId, Timestamp, TurnId, UserPrompt};

use super::Prompt;
use crate::columns::{json, optional_json, parsed};
use crate::error::StorageError;
use crate::scope::{Scope, sees_conversation};
use crate::served::Served;
use crate::store::Store;
use parlor_protocol::PromptStatus;

impl Store {
    /// A prompt of a conversation that is seen; any other is `NotFound`.
    pub async fn prompt(&self, scope: &Scope, id: PromptId) -> Result<Prompt, StorageError> {
        let select = query(format!(
            "SELECT * FROM prompts p WHERE p.id = $1 AND {}",
            sees_conversation("p.conversation_id", 2)
        ));
        let row = scope.bind(select.bind(id.to_string())).fetch_one(self.reader()).await?;
        prompt(&row)
    }

    /// A prompt of a tenant that names who answers it, whoever sees its conversation.
    pub async fn limited_prompt(
        &self,
        tenant: &TenantId,
        id: PromptId,
    ) -> Result<Prompt, StorageError> {
        let row = query("SELECT * FROM prompts WHERE id = $1 AND tenant = $2 AND limited")
            .bind(id.to_string())
            .bind(tenant.as_str())
            .fetch_one(self.reader())
            .await?;
        prompt(&row)
    }

    /// The open prompts that name who answers them, in conversations that are not seen, the newest first.
    pub async fn unseen_limited_prompts(
        &self,
        scope: &Scope,
        limit: u32,
    ) -> Result<Vec<Prompt>, StorageError> {
        let select = query(format!(
            "SELECT * FROM prompts p WHERE p.tenant = $1 AND p.status = 'open' AND p.limited
             AND NOT {} ORDER BY p.opened_at DESC, p.id DESC LIMIT $4",
            sees_conversation("p.conversation_id", 1)
        ));
        let rows = scope.bind(select).bind(i64::from(limit)).fetch_all(self.reader()).await?;
        rows.iter().map(prompt).collect()
    }

    /// The prompt of a turn by the asker's own id of it.
    pub async fn prompt_of(
        &self,
        turn: TurnId,
        ask_id: &str,
    ) -> Result<Option<Prompt>, StorageError> {
        let row = query("SELECT * FROM prompts WHERE turn_id = $1 AND ask_id = $2")
            .bind(turn.to_string())
            .bind(ask_id)
            .fetch_optional(self.reader())
            .await?;
        row.as_ref().map(prompt).transpose()
    }

    /// The open prompts of a conversation, oldest first.
    pub async fn open_prompts(
        &self,
        conversation: ConversationId,
    ) -> Result<Vec<Prompt>, StorageError> {
        let rows = query(
            "SELECT * FROM prompts WHERE conversation_id = $1 AND status = 'open'
             ORDER BY opened_at, id",
        )
        .bind(conversation.to_string())
        .fetch_all(self.reader())
        .await?;
        rows.iter().map(prompt).collect()
    }

    /// The prompts that a turn waits for, or waited for, and whose end is not in the
    /// log yet.
    pub async fn unlogged_prompts(&self, turn: TurnId) -> Result<Vec<Prompt>, StorageError> {
        unlogged(self.reader(), turn).await
    }
}

/// The same inside a transaction.
pub(crate) async fn unlogged(
    on: impl Into<Executor<'_>>,
    turn: TurnId,
) -> Result<Vec<Prompt>, StorageError> {
    let rows = query(
        "SELECT * FROM prompts WHERE turn_id = $1 AND parks AND NOT told ORDER BY opened_at, id",
    )
    .bind(turn.to_string())
    .fetch_all(on)
    .await?;
    rows.iter().map(prompt).collect()
}

/// All prompts of a conversation, oldest first.
pub(crate) async fn of_conversation(
    connection: &mut Connection,
    conversation: ConversationId,
) -> Result<Vec<Prompt>, StorageError> {
    let rows = query("SELECT * FROM prompts WHERE conversation_id = $1 ORDER BY opened_at, id")
        .bind(conversation.to_string())
        .fetch_all(connection)
        .await?;
    rows.iter().map(prompt).collect()
}

pub(crate) fn prompt(row: &Row) -> Result<Prompt, StorageError> {
    let time = |column| row.try_get::<Option<i64>>(column).map(|at| at.map(Timestamp));
    let expires_at = time("expires_at")?;
    let mut public: UserPrompt = json(row, "public")?;
    // Only the column has the time that was added since.
    public.expires_at = expires_at;
    Ok(Prompt {
        id: parsed(row, "id")?,
        tenant: parsed(row, "tenant")?,
        conversation: parsed(row, "conversation_id")?,
        project: parsed(row, "project")?,
        turn: parsed(row, "turn_id")?,
        ask_id: row.try_get("ask_id")?,
        origin: row.try_get("origin")?,
        turn_waits: row.try_get("parks")?,
        outcome: PromptStatus::from_name(row.try_get("status")?).outcome(),
        public: Served::new(public),
        private: json(row, "private")?,
        timeout_ms: row.try_get("timeout_ms")?,
        expires_at,
        opened_at: Timestamp(row.try_get("opened_at")?),
        closed_at: time("closed_at")?,
        response: optional_json(row, "response")?,
        decision: optional_json(row, "decision")?,
        reason: row.try_get("reason")?,
        allowed: optional_json(row, "allowed_call")?.map(Served::new),
        allowed_preview: optional_json(row, "allowed_preview")?.map(Served::new),
        answered_by: row.try_get("answered_by")?,
        logged: row.try_get("told")?,
    })
}
