//! Who decided what: written with the answer itself, and never changed.

use parlor_guard::Clean;
use parlor_protocol::{
    ConversationId, EventBody, ProjectId, PromptId, PromptOutcome, TenantId, Timestamp, TurnId,
};
use parlor_sqlite::Batch;
use serde::Serialize;
use serde_json::Value;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};
use uuid::Uuid;

use crate::error::StorageError;
use crate::log::{self, Logged};
use crate::prompts::{self, Closing, PromptWrite, outcome_name};
use crate::rows::{counter, optional_json, parsed, to_json};
use crate::store::Store;
use crate::tool_runs;

/// One decision, as an administrator reads it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Decision {
    /// Its id.
    pub id: String,
    /// When.
    pub at: Timestamp,
    /// Whose.
    pub tenant: TenantId,
    /// With which agent.
    pub project: ProjectId,
    /// Where.
    pub conversation_id: ConversationId,
    /// What was asked.
    pub prompt_id: PromptId,
    /// Who asked: `approval`, `agent`, or `mcp:<server>`.
    pub origin: String,
    /// `answered`, `refused`, `expired` or `cancelled`.
    pub outcome: String,
    /// By which session or key; `None` if nobody answered.
    pub session: Option<String>,
    /// What a person calls it.
    pub answered_by: Option<String>,
    /// The question in words.
    pub question: String,
    /// The answer.
    pub response: Option<Value>,
    /// Why not, in the person's words.
    pub reason: Option<String>,
    /// The server of the tool that was decided on.
    pub server: Option<String>,
    /// The tool.
    pub tool: Option<String>,
    /// The run that it allowed.
    pub run_id: Option<String>,
    /// The arguments that were asked about, where they are not those that ran; as
    /// the person saw them.
    pub proposed: Option<Value>,
    /// The arguments that ran, masked as in an approval; nothing if it did not run.
    pub arguments: Option<Value>,
    /// SHA-256 of the exact argument bytes, in hex.
    pub arguments_hash: Option<String>,
    /// Whether the person changed the arguments.
    pub edited: bool,
    /// Whether it holds for the rest of the conversation.
    pub remembered: bool,
}

/// What an answer changes, all or nothing.
#[derive(Debug, Clone)]
pub struct Answering {
    /// The prompt.
    pub closing: Closing,
    /// A run that may start now, with exactly these bytes.
    pub approves: Option<(Uuid, String)>,
    /// What holds for the rest of the conversation.
    pub allows: Option<Allowance>,
    /// What is written down about it.
    pub decision: Decision,
}

/// "Always allow in this conversation" (P-11).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Allowance {
    /// The server that has the tool.
    pub server: String,
    /// The tool, as the model calls it.
    pub tool: String,
    /// The tool as it was then; another one is asked about again.
    #[serde(skip)]
    pub fingerprint: String,
    /// Who.
    pub granted_by: String,
    /// When.
    pub granted_at: Timestamp,
}

impl Store {
    /// Takes an answer, if the prompt is still open and has time; says whether
    /// this was it.
    pub async fn answer_prompt(&self, answering: &Answering) -> Result<bool, StorageError> {
        let mut transaction = self.write().await?;
        let is_it = answer(&mut transaction, answering).await?;
        // Also where another was first: that one may wait for this very commit,
        // and whoever asks now what became of the prompt must see it.
        transaction.commit().await?;
        Ok(is_it)
    }

    /// Takes an answer that begins no turn, and writes the end into the log. No
    /// turn runs then: the message that begins one closes such prompts.
    pub async fn close_and_log(
        &self,
        answering: &Answering,
        event: &Clean<EventBody>,
        turn: TurnId,
    ) -> Result<Vec<Logged>, StorageError> {
        let (conversation, now) = (answering.decision.conversation_id, answering.closing.now);
        let mut transaction = self.write().await?;
        if !answer(&mut transaction, answering).await? {
            return Err(StorageError::PromptClosed);
        }
        let row = sqlx::query(
            "UPDATE conversations SET next_seq = next_seq + 1, updated_at = $2 WHERE id = $1
             RETURNING next_seq",
        )
        .bind(conversation.to_string())
        .bind(now.0)
        .fetch_one(&mut *transaction)
        .await?;
        let seq = counter(&row, "next_seq")?.saturating_sub(1);
        let mut batch = Batch::default();
        let logged = log::insert(&mut batch, conversation, turn, seq, [event], now)?;
        prompts::apply(&mut batch, turn, &PromptWrite::Told(answering.closing.id), now)?;
        batch.run(&mut transaction).await.result?;
        transaction.commit().await?;
        Ok(logged)
    }

    /// The decisions of a tenant after a place (time and id), oldest first.
    pub async fn decisions(
        &self,
        tenant: &TenantId,
        after: (Timestamp, &str),
        limit: u32,
    ) -> Result<Vec<Decision>, StorageError> {
        let rows = sqlx::query(
            "SELECT * FROM decisions WHERE tenant = $1 AND (at > $2 OR (at = $2 AND id > $3))
             ORDER BY at, id LIMIT $4",
        )
        .bind(tenant.as_str())
        .bind(after.0.0)
        .bind(after.1)
        .bind(i64::from(limit))
        .fetch_all(self.reader())
        .await?;
        rows.iter().map(decision).collect()
    }

    /// What is always allowed in a conversation.
    pub async fn allowances(
        &self,
        conversation: ConversationId,
    ) -> Result<Vec<Allowance>, StorageError> {
        let rows = sqlx::query(
            "SELECT * FROM allowances WHERE conversation_id = $1 ORDER BY granted_at, tool",
        )
        .bind(conversation.to_string())
        .fetch_all(self.reader())
        .await?;
        rows.iter()
            .map(|row| {
                Ok(Allowance {
                    server: row.try_get("server")?,
                    tool: row.try_get("tool")?,
                    fingerprint: row.try_get("fingerprint")?,
                    granted_by: row.try_get("granted_by")?,
                    granted_at: Timestamp(row.try_get("granted_at")?),
                })
            })
            .collect()
    }

    /// Takes an allowance back, or all of them; says how many there were.
    pub async fn revoke_allowances(
        &self,
        conversation: ConversationId,
        tool: Option<&str>,
    ) -> Result<u64, StorageError> {
        let mut transaction = self.write().await?;
        let revoked = sqlx::query(
            "DELETE FROM allowances WHERE conversation_id = $1 AND ($2 IS NULL OR tool = $2)",
        )
        .bind(conversation.to_string())
        .bind(tool)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(revoked.rows_affected())
    }
}

/// Inside a transaction: the prompt, the run, the allowance and the audit.
pub(crate) async fn answer(
    transaction: &mut SqliteConnection,
    answering: &Answering,
) -> Result<bool, StorageError> {
    if !prompts::close(transaction, &answering.closing).await? {
        return Ok(false);
    }
    if let Some((run, arguments)) = &answering.approves {
        tool_runs::approve(transaction, *run, arguments).await?;
    }
    if let Some(allowance) = &answering.allows {
        allow(transaction, answering.decision.conversation_id, allowance).await?;
    }
    insert(transaction, &answering.decision).await?;
    Ok(true)
}

async fn allow(
    transaction: &mut SqliteConnection,
    conversation: ConversationId,
    allowance: &Allowance,
) -> Result<(), StorageError> {
    sqlx::query(
        "INSERT INTO allowances (conversation_id, server, tool, fingerprint, granted_by, granted_at)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (conversation_id, server, tool)
         DO UPDATE SET fingerprint = $4, granted_by = $5, granted_at = $6",
    )
    .bind(conversation.to_string())
    .bind(&allowance.server)
    .bind(&allowance.tool)
    .bind(&allowance.fingerprint)
    .bind(&allowance.granted_by)
    .bind(allowance.granted_at.0)
    .execute(&mut *transaction)
    .await?;
    Ok(())
}

async fn insert(
    transaction: &mut SqliteConnection,
    decision: &Decision,
) -> Result<(), StorageError> {
    sqlx::query(
        "INSERT INTO decisions (id, at, tenant, project, conversation_id, prompt_id, origin,
         outcome, session, answered_by, question, response, server, tool, run_id, arguments_hash,
         edited, remembered, reason, proposed, arguments)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
         $19, $20, $21)",
    )
    .bind(&decision.id)
    .bind(decision.at.0)
    .bind(decision.tenant.as_str())
    .bind(decision.project.as_str())
    .bind(decision.conversation_id.to_string())
    .bind(decision.prompt_id.to_string())
    .bind(&decision.origin)
    .bind(&decision.outcome)
    .bind(&decision.session)
    .bind(&decision.answered_by)
    .bind(&decision.question)
    .bind(decision.response.as_ref().map(to_json).transpose()?)
    .bind(&decision.server)
    .bind(&decision.tool)
    .bind(&decision.run_id)
    .bind(&decision.arguments_hash)
    .bind(decision.edited)
    .bind(decision.remembered)
    .bind(&decision.reason)
    .bind(decision.proposed.as_ref().map(to_json).transpose()?)
    .bind(decision.arguments.as_ref().map(to_json).transpose()?)
    .execute(&mut *transaction)
    .await?;
    Ok(())
}

fn decision(row: &SqliteRow) -> Result<Decision, StorageError> {
    Ok(Decision {
        id: row.try_get("id")?,
        at: Timestamp(row.try_get("at")?),
        tenant: parsed(row, "tenant")?,
        project: parsed(row, "project")?,
        conversation_id: parsed(row, "conversation_id")?,
        prompt_id: parsed(row, "prompt_id")?,
        origin: row.try_get("origin")?,
        outcome: row.try_get("outcome")?,
        session: row.try_get("session")?,
        answered_by: row.try_get("answered_by")?,
        question: row.try_get("question")?,
        response: optional_json(row, "response")?,
        reason: row.try_get("reason")?,
        server: row.try_get("server")?,
        tool: row.try_get("tool")?,
        run_id: row.try_get("run_id")?,
        proposed: optional_json(row, "proposed")?,
        arguments: optional_json(row, "arguments")?,
        arguments_hash: row.try_get("arguments_hash")?,
        edited: row.try_get("edited")?,
        remembered: row.try_get("remembered")?,
    })
}

impl Decision {
    /// The name of an outcome, as it is written down.
    pub fn outcome_name(outcome: PromptOutcome) -> String {
        outcome_name(outcome).to_owned()
    }
}
