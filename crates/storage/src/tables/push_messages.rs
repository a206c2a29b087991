//! The outbox: what browsers are still to be told.
//!
//! 1. A row is written in the write that opens the prompt or ends the turn, for every subscribed
//!    browser whose session may answer ([`prompt_opened`]) or has asked ([`turn_ended`]).
//! 2. A node claims rows that are due for a while ([`Push::claim`]); whatever a node did not finish
//!    is due again.
//! 3. What was sent is removed, but for prompts: their rows stay until the prompt has closed and the
//!    browser was told that too.

use parlor_database::{Batch, Row, query};
use parlor_protocol::{ConversationId, PersonId, PromptId, TenantId, Timestamp, TurnId};

use super::push::{Push, is_valid};
use super::turns::TurnStatus;
use crate::columns::{counter, optional, to_column};
use crate::error::StorageError;
use crate::scope::{Scope, sees};
use crate::store::Store;

/// What a browser is told about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PushSubject {
    /// A prompt that waits, or has closed.
    Prompt(PromptId),
    /// A turn that has ended.
    Turn(TurnId),
    /// Nothing: the person wants to see whether it works.
    Test,
}

/// A message that a node has claimed.
#[derive(Debug, Clone)]
pub struct PushMessage {
    /// The session whose browser is told.
    pub session: String,
    /// What it is about.
    pub subject: PushSubject,
    /// Where that is.
    pub conversation: Option<ConversationId>,
    /// When it happened.
    pub at: Timestamp,
    /// How often it was tried.
    pub attempts: u64,
    /// Whether the browser was told that the prompt waits.
    pub sent: bool,
    /// Whom to tell, if the session is valid and subscribed.
    pub to: Option<PushRecipient>,
    /// The key of its row.
    subject_id: String,
}

/// Whom a message is for.
#[derive(Debug, Clone)]
pub struct PushRecipient {
    /// The tenant.
    pub tenant: TenantId,
    /// The person; none for the shared account.
    pub person: Option<PersonId>,
    /// Endpoint and keys, encrypted.
    pub sealed: Vec<u8>,
    /// The language in which they are told.
    pub language: String,
}

/// When rows are due.
#[derive(Debug, Clone, Copy)]
pub struct PushClaim {
    /// Now.
    pub now: Timestamp,
    /// What happened later is not told yet.
    pub happened_by: Timestamp,
    /// Until when the rows are this node's.
    pub until: Timestamp,
    /// How many.
    pub most: u32,
}

/// A turn that has ended, as far as a notification needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndedTurn {
    /// How it ended.
    pub status: TurnStatus,
    /// How long it took, in milliseconds.
    pub took_ms: i64,
    /// Whether another one began after it.
    pub is_followed: bool,
    /// Whether it left a prompt open, which is told by itself.
    pub asks: bool,
}

const TEST: &str = "test";
const INSERT: &str = "INSERT INTO push_messages
     (session, subject, kind, conversation_id, at, due_at, claimed_until, attempts)";

/// Adds a prompt that opens to the outbox, for everybody who may answer it.
pub(crate) fn prompt_opened(
    batch: &mut Batch,
    conversation: ConversationId,
    prompt: PromptId,
    now: Timestamp,
) {
    batch
        .add(format!(
            "{INSERT} SELECT s.session, CAST($1 AS TEXT), 'prompt', c.id, CAST($3 AS BIGINT),
             CAST($3 AS BIGINT), 0, 0
             FROM push_subscriptions s JOIN tokens t ON t.id = s.session
             JOIN conversations c ON c.id = $2 AND c.tenant = s.tenant
             WHERE t.revoked_at IS NULL
             AND (c.visibility = 'tenant' OR c.person IS NULL OR c.person = t.person)
             ON CONFLICT (session, subject) DO NOTHING"
        ))
        .bind(prompt.to_string())
        .bind(conversation.to_string())
        .bind(now.0);
}

/// Adds the end of a turn to the outbox, for whoever began it.
pub(crate) fn turn_ended(batch: &mut Batch, turn: TurnId, now: Timestamp) {
    batch
        .add(format!(
            "{INSERT} SELECT s.session, u.id, 'answer', u.conversation_id, CAST($2 AS BIGINT),
             CAST($2 AS BIGINT), 0, 0
             FROM push_subscriptions s JOIN tokens t ON t.id = s.session
             JOIN turns u ON u.id = $1 AND u.tenant = s.tenant
             WHERE t.revoked_at IS NULL AND (u.started_by = s.session OR u.person = t.person)
             ON CONFLICT (session, subject) DO NOTHING"
        ))
        .bind(turn.to_string())
        .bind(now.0);
}

impl Push<'_> {
    /// Adds a message that says nothing but that it arrived, once however often it is asked for.
    pub async fn add_test(&self, session: &str, now: Timestamp) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        batch
            .add(format!(
                "{INSERT} SELECT s.session, 'test', 'test', NULL, CAST($2 AS BIGINT),
                 CAST($2 AS BIGINT), 0, 0 FROM push_subscriptions s WHERE s.session = $1
                 ON CONFLICT (session, subject) DO UPDATE SET at = $2, due_at = $2, attempts = 0"
            ))
            .bind(session)
            .bind(now.0);
        self.0.run(batch).await
    }

    /// Claims messages that are due, the oldest first. Of several nodes one gets each of them, until
    /// its claim is over.
    pub async fn claim(&self, claim: PushClaim) -> Result<Vec<PushMessage>, StorageError> {
        let mut transaction = self.0.begin().await?;
        let rows = query(
            "UPDATE push_messages SET claimed_until = $3
             WHERE claimed_until <= $1 AND (session, subject) IN (
                 SELECT m.session, m.subject FROM push_messages m
                 WHERE m.claimed_until <= $1 AND m.due_at <= $1 AND (m.at <= $2 OR m.kind = 'test')
                 AND (m.sent_at IS NULL OR NOT EXISTS (
                     SELECT 1 FROM prompts p WHERE p.id = m.subject AND p.status = 'open'))
                 ORDER BY m.due_at, m.session, m.subject LIMIT $4)
             RETURNING session, subject",
        )
        .bind(claim.now.0)
        .bind(claim.happened_by.0)
        .bind(claim.until.0)
        .bind(i64::from(claim.most))
        .fetch_all(&mut *transaction)
        .await?;
        transaction.commit().await?;
        let mut claimed = Vec::with_capacity(rows.len());
        for row in &rows {
            let (session, subject) = (row.try_get("session")?, row.try_get("subject")?);
            claimed.extend(self.message(session, subject, claim.now).await?);
        }
        Ok(claimed)
    }

    async fn message(
        &self,
        session: String,
        subject: String,
        now: Timestamp,
    ) -> Result<Option<PushMessage>, StorageError> {
        let valid = is_valid("$3");
        let row = query(format!(
            "SELECT m.kind, m.conversation_id, m.at, m.attempts, m.sent_at,
             r.tenant, r.person, r.sealed, r.language FROM push_messages m
             LEFT JOIN (SELECT s.session, s.sealed, s.language, t.tenant, t.person
                 FROM push_subscriptions s JOIN tokens t ON t.id = s.session
                 LEFT JOIN people w ON w.id = t.person WHERE {valid}) r ON r.session = m.session
             WHERE m.session = $1 AND m.subject = $2"
        ))
        .bind(&session)
        .bind(&subject)
        .bind(now.0)
        .fetch_optional(self.0.reader())
        .await?;
        row.map(|row| message(&row, session, subject)).transpose()
    }

    /// Stores that a message was taken. That a prompt waits is remembered until it has closed.
    pub async fn sent(&self, message: &PushMessage, now: Timestamp) -> Result<(), StorageError> {
        if message.sent || !matches!(message.subject, PushSubject::Prompt(_)) {
            return self.done(message).await;
        }
        let mut batch = Batch::default();
        batch
            .add(
                "UPDATE push_messages SET sent_at = $3, claimed_until = 0, attempts = 0
                 WHERE session = $1 AND subject = $2",
            )
            .bind(&message.session)
            .bind(&message.subject_id)
            .bind(now.0);
        self.0.run(batch).await
    }

    /// Removes a message: there is nothing left to say.
    pub async fn done(&self, message: &PushMessage) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        batch
            .add("DELETE FROM push_messages WHERE session = $1 AND subject = $2")
            .bind(&message.session)
            .bind(&message.subject_id);
        self.0.run(batch).await
    }

    /// Gives a message back, to be tried again from then on.
    pub async fn later(
        &self,
        message: &PushMessage,
        due_at: Timestamp,
    ) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        batch
            .add(
                "UPDATE push_messages SET due_at = $3, claimed_until = 0, attempts = $4
                 WHERE session = $1 AND subject = $2",
            )
            .bind(&message.session)
            .bind(&message.subject_id)
            .bind(due_at.0)
            .bind(to_column(message.attempts + 1));
        self.0.run(batch).await
    }

    /// Gives back what an earlier run of this server had claimed. Only for a server that is alone.
    pub async fn release_claims(&self) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        batch.add("UPDATE push_messages SET claimed_until = 0 WHERE claimed_until > 0");
        self.0.run(batch).await
    }

    /// Whether there is anything to be told, now or later.
    pub async fn are_left(&self) -> Result<bool, StorageError> {
        let row = query("SELECT EXISTS (SELECT 1 FROM push_messages) AS some_exist")
            .fetch_one(self.0.reader())
            .await?;
        Ok(row.try_get("some_exist")?)
    }
}

impl Store {
    /// How a turn ended, in a conversation that is seen.
    pub async fn ended_turn(&self, scope: &Scope, id: TurnId) -> Result<EndedTurn, StorageError> {
        let seen = sees(2);
        let row = query(format!(
            "SELECT u.status, COALESCE(u.ended_at, u.started_at) - u.started_at AS took,
             CAST(CASE WHEN EXISTS (SELECT 1 FROM turns n WHERE n.conversation_id = u.conversation_id
                 AND n.start_seq > u.start_seq) THEN 1 ELSE 0 END AS BIGINT) AS followed,
             (SELECT COUNT(*) FROM prompts p WHERE p.turn_id = u.id AND p.status = 'open') AS asks
             FROM turns u JOIN conversations c ON c.id = u.conversation_id
             WHERE u.id = $1 AND {seen}"
        ));
        let row = scope.bind(row.bind(id.to_string())).fetch_one(self.reader()).await?;
        Ok(EndedTurn {
            status: TurnStatus::from_name(row.try_get("status")?),
            took_ms: row.try_get("took")?,
            is_followed: counter(&row, "followed")? > 0,
            asks: counter(&row, "asks")? > 0,
        })
    }

    /// How many prompts wait for somebody.
    pub async fn open_prompt_count(&self, scope: &Scope) -> Result<u64, StorageError> {
        let seen = sees(1);
        let row = query(format!(
            "SELECT COUNT(*) AS waiting FROM prompts p JOIN conversations c
             ON c.id = p.conversation_id WHERE p.tenant = $1 AND p.status = 'open' AND {seen}"
        ));
        let row = scope.bind(row).fetch_one(self.reader()).await?;
        counter(&row, "waiting")
    }
}

fn message(row: &Row, session: String, subject_id: String) -> Result<PushMessage, StorageError> {
    let subject = match row.try_get::<String>("kind")?.as_str() {
        TEST => PushSubject::Test,
        "prompt" => PushSubject::Prompt(id(&subject_id)?),
        _ => PushSubject::Turn(id(&subject_id)?),
    };
    let to = match optional(row, "tenant")? {
        Some(tenant) => Some(PushRecipient {
            tenant,
            person: optional(row, "person")?,
            sealed: row.try_get("sealed")?,
            language: row.try_get("language")?,
        }),
        None => None,
    };
    Ok(PushMessage {
        session,
        subject,
        conversation: optional(row, "conversation_id")?,
        at: Timestamp(row.try_get("at")?),
        attempts: counter(row, "attempts")?,
        sent: row.try_get::<Option<i64>>("sent_at")?.is_some(),
        to,
        subject_id,
    })
}

fn id<T: std::str::FromStr>(text: &str) -> Result<T, StorageError> {
    text.parse().map_err(|_| StorageError::Corrupt("push_messages names no subject".to_owned()))
}
