//! Webhooks, and what they are still to be told (O-3).
//!
//! 1. [`Webhooks::set`] stores those of the configuration.
//! 2. A message is written in the write that opens a prompt ([`prompt_opened`]), closes it
//!    ([`prompt_closed`]) or records a blocked input ([`input_blocked`]), for every webhook that wants
//!    it. It says only what it is about: what is told is read when it is sent, so that what was
//!    deleted is told to nobody.
//! 3. A node claims messages that are due for a while ([`Webhooks::claim`]), as it does those of
//!    browsers; whatever a node did not finish is due again. Of one prompt the opening goes first.
//! 4. What was taken is removed, and what nobody took for too long ([`Webhooks::expire`]).

use parlor_database::{Batch, Connection, Query, Row, query};
use parlor_protocol::{ConversationId, ProjectId, PromptId, PromptOutcome, TenantId, Timestamp};

use crate::columns::{counter, optional, parsed, to_column};
use crate::error::StorageError;
use crate::store::Store;

/// What a webhook can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WebhookEvent {
    /// A prompt waits for somebody.
    PromptOpened,
    /// Somebody answered or refused it.
    PromptAnswered,
    /// It ended without an answer.
    PromptLapsed,
    /// The guardrail refused an input.
    InputBlocked,
}

/// A webhook of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// The tenant.
    pub tenant: TenantId,
    /// Its name.
    pub name: String,
    /// The project, or all of the tenant.
    pub project: Option<ProjectId>,
    /// What it is told.
    pub events: Vec<WebhookEvent>,
}

/// A message that a node has claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookMessage {
    /// The tenant.
    pub tenant: TenantId,
    /// The webhook.
    pub webhook: String,
    /// What it is about: the id of a prompt or of a blocked input.
    pub subject: String,
    /// What happened.
    pub event: WebhookEvent,
    /// Where.
    pub project: ProjectId,
    /// In which conversation.
    pub conversation: Option<ConversationId>,
    /// When.
    pub at: Timestamp,
    /// How often it was tried.
    pub attempts: u64,
}

/// How a webhook of a tenant is, for administrators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookQueue {
    /// Its name.
    pub webhook: String,
    /// Messages that it did not take yet.
    pub waiting: u64,
    /// When the oldest of them happened.
    pub oldest: Timestamp,
    /// Why one of them was not taken.
    pub problem: Option<String>,
}

/// Webhooks and their messages.
#[derive(Debug, Clone, Copy)]
pub struct Webhooks<'s>(&'s Store);

impl Store {
    /// Webhooks and their messages.
    pub fn webhooks(&self) -> Webhooks<'_> {
        Webhooks(self)
    }
}

impl WebhookEvent {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::PromptOpened, Self::PromptAnswered, Self::PromptLapsed, Self::InputBlocked];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PromptOpened => "prompt.opened",
            Self::PromptAnswered => "prompt.answered",
            Self::PromptLapsed => "prompt.lapsed",
            Self::InputBlocked => "input.blocked",
        }
    }

    /// The event of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.as_str() == name)
    }

    fn of_outcome(outcome: PromptOutcome) -> Self {
        match outcome {
            PromptOutcome::Answered | PromptOutcome::Refused => Self::PromptAnswered,
            PromptOutcome::Expired | PromptOutcome::Cancelled => Self::PromptLapsed,
        }
    }

    /// Finds it in the column of events.
    fn pattern(self) -> String {
        format!("%,{},%", self.as_str())
    }
}

const INTO: &str = "INSERT INTO webhook_messages
     (tenant, webhook, subject, event, project, conversation_id, at, due_at)";

/// The rows about a prompt: its id, the event, when, and the pattern of the event are bound.
fn about_prompt() -> String {
    format!(
        "{INTO} SELECT w.tenant, w.name, p.id, CAST($2 AS TEXT), p.project, p.conversation_id,
         CAST($3 AS BIGINT), CAST($3 AS BIGINT)
         FROM prompts p JOIN webhooks w ON w.tenant = p.tenant
         WHERE p.id = $1 AND (w.project = '' OR w.project = p.project) AND w.events LIKE $4
         ON CONFLICT (tenant, webhook, subject, event) DO NOTHING"
    )
}

/// Adds a prompt that opens, after its row.
pub(crate) fn prompt_opened(batch: &mut Batch, prompt: PromptId, now: Timestamp) {
    let event = WebhookEvent::PromptOpened;
    batch
        .add(about_prompt())
        .bind(prompt.to_string())
        .bind(event.as_str())
        .bind(now.0)
        .bind(event.pattern());
}

/// Adds a prompt that has closed.
pub(crate) async fn prompt_closed(
    transaction: &mut Connection,
    prompt: PromptId,
    outcome: PromptOutcome,
    now: Timestamp,
) -> Result<(), StorageError> {
    let event = WebhookEvent::of_outcome(outcome);
    query(about_prompt())
        .bind(prompt.to_string())
        .bind(event.as_str())
        .bind(now.0)
        .bind(event.pattern())
        .execute(transaction)
        .await?;
    Ok(())
}

/// Adds an input that the guardrail refused.
pub(crate) async fn input_blocked(
    transaction: &mut Connection,
    tenant: &TenantId,
    project: &ProjectId,
    id: &str,
    at: Timestamp,
) -> Result<(), StorageError> {
    let event = WebhookEvent::InputBlocked;
    query(format!(
        "{INTO} SELECT w.tenant, w.name, CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT), NULL,
         CAST($5 AS BIGINT), CAST($5 AS BIGINT) FROM webhooks w
         WHERE w.tenant = $1 AND (w.project = '' OR w.project = CAST($4 AS TEXT))
         AND w.events LIKE $6
         ON CONFLICT (tenant, webhook, subject, event) DO NOTHING"
    ))
    .bind(tenant.as_str())
    .bind(id)
    .bind(event.as_str())
    .bind(project.as_str())
    .bind(at.0)
    .bind(event.pattern())
    .execute(transaction)
    .await?;
    Ok(())
}

impl Webhooks<'_> {
    /// Stores the webhooks of the configuration, in place of those before. What others were still to
    /// be told is forgotten; returns how many messages that were.
    pub async fn set(&self, webhooks: &[Webhook]) -> Result<u64, StorageError> {
        let mut transaction = self.0.begin().await?;
        query("DELETE FROM webhooks").execute(&mut *transaction).await?;
        for webhook in webhooks {
            let events: Vec<&str> = webhook.events.iter().map(|event| event.as_str()).collect();
            query(
                "INSERT INTO webhooks (tenant, name, project, events) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (tenant, name) DO UPDATE SET project = $3, events = $4",
            )
            .bind(webhook.tenant.as_str())
            .bind(&webhook.name)
            .bind(webhook.project.as_ref().map_or("", |project| project.as_str()))
            .bind(format!(",{},", events.join(",")))
            .execute(&mut *transaction)
            .await?;
        }
        let forgotten = query(
            "DELETE FROM webhook_messages WHERE NOT EXISTS (SELECT 1 FROM webhooks w
             WHERE w.tenant = webhook_messages.tenant AND w.name = webhook_messages.webhook)",
        )
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(forgotten)
    }

    /// Claims messages for a webhook that are due, the oldest first, until a time. Of several nodes
    /// one gets each of them.
    pub async fn claim(
        &self,
        tenant: &TenantId,
        webhook: &str,
        now: Timestamp,
        until: Timestamp,
        most: u32,
    ) -> Result<Vec<WebhookMessage>, StorageError> {
        const DUE: &str = "m.tenant = $1 AND m.webhook = $2 AND m.claimed_until <= $3
             AND m.due_at <= $3 AND (m.event = 'prompt.opened' OR NOT EXISTS (
                 SELECT 1 FROM webhook_messages o WHERE o.tenant = m.tenant
                 AND o.webhook = m.webhook AND o.subject = m.subject
                 AND o.event = 'prompt.opened'))";
        let due = |select: Query| select.bind(tenant.as_str()).bind(webhook).bind(now.0);
        // Mostly there is none, and a look disturbs nobody.
        let look = query(format!("SELECT 1 FROM webhook_messages m WHERE {DUE} LIMIT 1"));
        if due(look).fetch_optional(self.0.reader()).await?.is_none() {
            return Ok(Vec::new());
        }
        let mut transaction = self.0.begin().await?;
        let claim = query(format!(
            "UPDATE webhook_messages SET claimed_until = $4
             WHERE tenant = $1 AND webhook = $2 AND claimed_until <= $3
             AND (subject, event) IN (SELECT m.subject, m.event FROM webhook_messages m
                 WHERE {DUE} ORDER BY m.at, m.subject LIMIT $5)
             RETURNING *"
        ));
        let rows =
            due(claim).bind(until.0).bind(i64::from(most)).fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        let mut claimed: Vec<WebhookMessage> =
            rows.iter().map(message).collect::<Result<_, _>>()?;
        claimed.sort_by_key(|message| message.at);
        Ok(claimed)
    }

    /// Removes a message that was taken, or that is about nothing any more.
    pub async fn done(&self, message: &WebhookMessage) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        let remove = batch.add(
            "DELETE FROM webhook_messages
             WHERE tenant = $1 AND webhook = $2 AND subject = $3 AND event = $4",
        );
        remove
            .bind(message.tenant.as_str())
            .bind(&message.webhook)
            .bind(&message.subject)
            .bind(message.event.as_str());
        self.0.run(batch).await
    }

    /// Gives a message back that was not taken, to be tried again from then on.
    pub async fn later(
        &self,
        message: &WebhookMessage,
        due_at: Timestamp,
        problem: &str,
    ) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        batch
            .add(
                "UPDATE webhook_messages SET due_at = $5, claimed_until = 0, attempts = $6,
                 problem = $7 WHERE tenant = $1 AND webhook = $2 AND subject = $3 AND event = $4",
            )
            .bind(message.tenant.as_str())
            .bind(&message.webhook)
            .bind(&message.subject)
            .bind(message.event.as_str())
            .bind(due_at.0)
            .bind(to_column(message.attempts + 1))
            .bind(problem);
        self.0.run(batch).await
    }

    /// Removes messages for a webhook from before a time, and returns them.
    pub async fn expire(
        &self,
        tenant: &TenantId,
        webhook: &str,
        before: Timestamp,
    ) -> Result<Vec<WebhookMessage>, StorageError> {
        const OLD: &str = "tenant = $1 AND webhook = $2 AND at < $3";
        let old = |query: Query| query.bind(tenant.as_str()).bind(webhook).bind(before.0);
        // Mostly there is none, and a look disturbs nobody.
        let look = query(format!("SELECT 1 FROM webhook_messages WHERE {OLD} LIMIT 1"));
        if old(look).fetch_optional(self.0.reader()).await?.is_none() {
            return Ok(Vec::new());
        }
        let mut transaction = self.0.begin().await?;
        let remove = query(format!("DELETE FROM webhook_messages WHERE {OLD} RETURNING *"));
        let rows = old(remove).fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        rows.iter().map(message).collect()
    }

    /// The webhooks of a tenant that have messages to take.
    pub async fn queues(&self, tenant: &TenantId) -> Result<Vec<WebhookQueue>, StorageError> {
        let rows = query(
            "SELECT webhook, COUNT(*) AS waiting, MIN(at) AS oldest, MAX(problem) AS problem
             FROM webhook_messages WHERE tenant = $1 GROUP BY webhook ORDER BY webhook",
        )
        .bind(tenant.as_str())
        .fetch_all(self.0.reader())
        .await?;
        let queue = |row: &Row| {
            Ok(WebhookQueue {
                webhook: row.try_get("webhook")?,
                waiting: counter(row, "waiting")?,
                oldest: Timestamp(row.try_get("oldest")?),
                problem: row.try_get("problem")?,
            })
        };
        rows.iter().map(queue).collect()
    }
}

fn message(row: &Row) -> Result<WebhookMessage, StorageError> {
    let event: &str = row.try_get("event")?;
    Ok(WebhookMessage {
        tenant: parsed(row, "tenant")?,
        webhook: row.try_get("webhook")?,
        subject: row.try_get("subject")?,
        event: WebhookEvent::from_name(event)
            .ok_or_else(|| StorageError::Corrupt(format!("a webhook is told of {event}")))?,
        project: parsed(row, "project")?,
        conversation: optional(row, "conversation_id")?,
        at: Timestamp(row.try_get("at")?),
        attempts: counter(row, "attempts")?,
    })
}
