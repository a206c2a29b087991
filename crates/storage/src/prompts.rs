//! Prompts: rows before anyone sees them, closed by compare-and-set.
//!
//! Closing a prompt changes the row only; whoever runs the turn writes the end
//! into the log ([`PromptWrite::Told`]). So an answer needs no log, and an
//! answer, a refusal and the clock can race: the first one wins.

use parlor_guard::Clean;
use parlor_protocol::{
    ConversationId, Preview, ProjectId, PromptClosed, PromptId, PromptOutcome, TenantId, Timestamp,
    ToolCall, TurnId, UserPrompt,
};
use parlor_sqlite::Batch;
use serde::Serialize;
use serde_json::Value;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};

use crate::error::StorageError;
use crate::rows::{json, optional_json, parsed, to_json};
use crate::served::Served;
use crate::store::Store;
use crate::takeover;

/// A prompt that opens.
#[derive(Debug, Clone)]
pub struct NewPrompt {
    /// Whose.
    pub tenant: TenantId,
    /// With which agent.
    pub project: ProjectId,
    /// The asker's own name for it.
    pub ask_id: String,
    /// `approval`, `agent`, or `mcp:<server>`.
    pub origin: String,
    /// Whether the turn waits for it.
    pub parks: bool,
    /// What the person sees.
    pub public: Clean<UserPrompt>,
    /// What whoever asks meant.
    pub private: Value,
    /// How long it waits; `None` waits.
    pub timeout_ms: Option<i64>,
}

/// A prompt as it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// Its id.
    pub id: PromptId,
    /// Whose.
    pub tenant: TenantId,
    /// Where it is asked.
    pub conversation: ConversationId,
    /// With which agent.
    pub project: ProjectId,
    /// The turn that asked.
    pub turn: TurnId,
    /// The asker's own name for it.
    pub ask_id: String,
    /// `approval`, `agent`, or `mcp:<server>`.
    pub origin: String,
    /// Whether the turn waits for it.
    pub parks: bool,
    /// How it ended; `None` while it is open.
    pub outcome: Option<PromptOutcome>,
    /// What the person sees.
    pub public: Served<UserPrompt>,
    /// What whoever asks meant.
    pub private: Value,
    /// How long it waits.
    pub timeout_ms: Option<i64>,
    /// When it lapses.
    pub expires_at: Option<Timestamp>,
    /// When it opened.
    pub opened_at: Timestamp,
    /// When it was closed.
    pub closed_at: Option<Timestamp>,
    /// What the person answered.
    pub response: Option<Value>,
    /// What that means to whoever asked.
    pub decision: Option<Value>,
    /// Why not, in the person's words.
    pub reason: Option<String>,
    /// The call as it was allowed, if the person changed it.
    pub allowed: Option<Served<ToolCall>>,
    /// What that changes.
    pub allowed_preview: Option<Served<Preview>>,
    /// Who answered.
    pub answered_by: Option<String>,
    /// Whether its end is in the log.
    pub told: bool,
}

/// A prompt and what became of it, for people (P-6).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PromptView {
    /// The prompt.
    pub prompt: Served<UserPrompt>,
    /// `open`, or how it ended.
    pub status: &'static str,
    /// Who asks: `approval`, `agent`, or `mcp:<server>`.
    pub origin: String,
    /// When it opened.
    pub opened_at: Timestamp,
    /// What became of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed: Option<PromptClosed>,
}

/// A change of prompts, inside the write of a turn's step.
#[derive(Debug, Clone)]
pub enum PromptWrite {
    /// It opens.
    Open(Box<NewPrompt>),
    /// It gets its full time again, as after a restart (P-4).
    Renew(PromptId, Option<Timestamp>),
    /// Its end is in the log now.
    Told(PromptId),
    /// It is asked anew: another prompt takes its name.
    Supersede(PromptId),
}

/// How a prompt is closed.
#[derive(Debug, Clone, PartialEq)]
pub struct Closing {
    /// Which.
    pub id: PromptId,
    /// How.
    pub outcome: PromptOutcome,
    /// What the person answered.
    pub response: Option<Value>,
    /// What that means to whoever asked.
    pub decision: Option<Value>,
    /// Why not, in the person's words.
    pub reason: Option<String>,
    /// The call as it is allowed, if the person changed it.
    pub allowed: Option<Clean<ToolCall>>,
    /// What that changes.
    pub allowed_preview: Option<Clean<Preview>>,
    /// Who.
    pub answered_by: Option<String>,
    /// Whether the clock does not matter: whoever asked is gone.
    pub forced: bool,
    /// When. An answer needs time to be left, a lapse that there is none.
    pub now: Timestamp,
}

impl Store {
    /// A prompt of a tenant; another tenant's does not exist.
    pub async fn prompt(&self, tenant: &TenantId, id: PromptId) -> Result<Prompt, StorageError> {
        let row = sqlx::query("SELECT * FROM prompts WHERE id = $1 AND tenant = $2")
            .bind(id.to_string())
            .bind(tenant.as_str())
            .fetch_one(self.reader())
            .await?;
        prompt(&row)
    }

    /// The prompt that a turn asked under a name.
    pub async fn prompt_of(
        &self,
        turn: TurnId,
        ask_id: &str,
    ) -> Result<Option<Prompt>, StorageError> {
        let row = sqlx::query("SELECT * FROM prompts WHERE turn_id = $1 AND ask_id = $2")
            .bind(turn.to_string())
            .bind(ask_id)
            .fetch_optional(self.reader())
            .await?;
        row.as_ref().map(prompt).transpose()
    }

    /// The prompts of a conversation that are open.
    pub async fn open_prompts(
        &self,
        conversation: ConversationId,
    ) -> Result<Vec<Prompt>, StorageError> {
        let rows = sqlx::query(
            "SELECT * FROM prompts WHERE conversation_id = $1 AND status = 'open'
             ORDER BY opened_at, id",
        )
        .bind(conversation.to_string())
        .fetch_all(self.reader())
        .await?;
        rows.iter().map(prompt).collect()
    }

    /// What holds up a turn, or did, and whose end is not in the log yet.
    pub async fn untold_prompts(&self, turn: TurnId) -> Result<Vec<Prompt>, StorageError> {
        let mut reader = self.reader().acquire().await?;
        takeover::untold_prompts(&mut reader, turn).await
    }

    /// Gives an open prompt another end; says whether it was open.
    pub async fn extend_prompt(
        &self,
        id: PromptId,
        expires_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let mut transaction = self.write().await?;
        let extended = sqlx::query(
            "UPDATE prompts SET expires_at = $2 WHERE id = $1 AND status = 'open'
             AND (expires_at IS NULL OR expires_at > $3)",
        )
        .bind(id.to_string())
        .bind(expires_at.map(|at| at.0))
        .bind(now.0)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(extended.rows_affected() == 1)
    }
}

/// Compare-and-set. A person's word counts only while there is time; a lapse
/// only when there is none.
pub(crate) async fn close(
    transaction: &mut SqliteConnection,
    closing: &Closing,
) -> Result<bool, StorageError> {
    let closed = sqlx::query(
        "UPDATE prompts SET status = $2, response = $3, decision = $4, answered_by = $5,
         closed_at = $6, reason = $8, allowed_call = $9, allowed_preview = $10
         WHERE id = $1 AND status = 'open' AND
         CASE WHEN $7 OR $2 = 'cancelled' THEN TRUE
              WHEN $2 = 'expired' THEN expires_at IS NULL OR expires_at <= $6
              ELSE expires_at IS NULL OR expires_at > $6 END",
    )
    .bind(closing.id.to_string())
    .bind(outcome_name(closing.outcome))
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
    Ok(closed.rows_affected() == 1)
}

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
        PromptWrite::Told(id) => {
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
             parks, status, public, private, timeout_ms, opened_at, expires_at, told)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'open', $9, $10, $11, $12, $13, FALSE)",
        )
        .bind(public.id.to_string())
        .bind(public.conversation_id.to_string())
        .bind(new.tenant.as_str())
        .bind(new.project.as_str())
        .bind(turn.to_string())
        .bind(&new.ask_id)
        .bind(&new.origin)
        .bind(new.parks)
        .bind(to_json(public)?)
        .bind(to_json(&new.private)?)
        .bind(new.timeout_ms)
        .bind(now.0)
        .bind(public.expires_at.map(|at| at.0));
    Ok(())
}

impl Prompt {
    /// What became of it, if it is closed.
    pub fn closed(&self) -> Option<PromptClosed> {
        Some(PromptClosed {
            id: self.id,
            outcome: self.outcome?,
            response: self.response.clone(),
            reason: self.reason.clone(),
            tool_call: self.allowed.as_ref().map(|call| call.get().clone()),
            preview: self.allowed_preview.as_ref().map(|preview| preview.get().clone()),
            answered_by: self.answered_by.clone(),
            at: self.closed_at.unwrap_or(self.opened_at),
        })
    }

    /// As people see it.
    pub fn view(self) -> PromptView {
        PromptView {
            status: self.outcome.map_or("open", outcome_name),
            closed: self.closed(),
            origin: self.origin,
            opened_at: self.opened_at,
            prompt: self.public,
        }
    }
}

pub(crate) fn prompt(row: &SqliteRow) -> Result<Prompt, StorageError> {
    let time = |column| row.try_get::<Option<i64>, _>(column).map(|at| at.map(Timestamp));
    let expires_at = time("expires_at")?;
    let mut public: UserPrompt = json(row, "public")?;
    // The row knows of the time that was given since.
    public.expires_at = expires_at;
    Ok(Prompt {
        id: parsed(row, "id")?,
        tenant: parsed(row, "tenant")?,
        conversation: parsed(row, "conversation_id")?,
        project: parsed(row, "project")?,
        turn: parsed(row, "turn_id")?,
        ask_id: row.try_get("ask_id")?,
        origin: row.try_get("origin")?,
        parks: row.try_get("parks")?,
        outcome: outcome(row.try_get("status")?),
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
        told: row.try_get("told")?,
    })
}

pub(crate) fn outcome_name(outcome: PromptOutcome) -> &'static str {
    match outcome {
        PromptOutcome::Answered => "answered",
        PromptOutcome::Refused => "refused",
        PromptOutcome::Expired => "expired",
        PromptOutcome::Cancelled => "cancelled",
    }
}

fn outcome(name: &str) -> Option<PromptOutcome> {
    match name {
        "open" => None,
        "answered" => Some(PromptOutcome::Answered),
        "refused" => Some(PromptOutcome::Refused),
        "expired" => Some(PromptOutcome::Expired),
        _ => Some(PromptOutcome::Cancelled),
    }
}
