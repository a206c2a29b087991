//! Conversations: reading, listing, renaming, deleting.

use parlor_protocol::message::Message;
use parlor_protocol::{ConversationId, EventId, Mode, ProjectId, TenantId, Timestamp};
use serde::Serialize;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::error::StorageError;
use crate::messages;
use crate::pages::{self, PagePlace};
use crate::prompts::{PromptView, prompt};
use crate::rows::{counter, parsed};
use crate::served::Served;
use crate::store::Store;

/// One conversation, without its messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conversation {
    /// Its id.
    pub id: ConversationId,
    /// The agent that it is held with.
    pub project: ProjectId,
    /// What it is called.
    pub title: Served<String>,
    /// Whether the agent plans or acts.
    pub mode: Mode,
    /// When it began.
    pub created_at: Timestamp,
    /// When something last happened in it.
    pub updated_at: Timestamp,
    /// Whether a turn runs.
    pub running: bool,
    /// Who may write turns here.
    #[serde(skip)]
    pub epoch: u64,
    /// The next number of its log.
    #[serde(skip)]
    pub next_seq: u64,
}

/// A conversation with its messages and the place to go on from, of one moment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConversationView {
    /// The conversation.
    #[serde(flatten)]
    pub conversation: Conversation,
    /// Its messages, in order.
    pub messages: Vec<Served<Message>>,
    /// Its prompts with what became of them, in order.
    pub prompts: Vec<PromptView>,
    /// The last event that is part of these messages.
    pub cursor: EventId,
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConversationPage {
    /// The conversations, the latest first.
    pub conversations: Vec<Conversation>,
    /// What to ask for to see the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_before: Option<PagePlace>,
}

const COLUMNS: &str = "SELECT c.*, EXISTS (SELECT 1 FROM turns t
     WHERE t.conversation_id = c.id AND t.status = 'running') AS running FROM conversations c";

impl Store {
    /// A conversation of a tenant; another tenant's does not exist.
    pub async fn conversation(
        &self,
        tenant: &TenantId,
        id: ConversationId,
    ) -> Result<Conversation, StorageError> {
        let row = sqlx::query(sqlx::AssertSqlSafe(format!(
            "{COLUMNS} WHERE c.id = $1 AND c.tenant = $2"
        )))
        .bind(id.to_string())
        .bind(tenant.as_str())
        .fetch_one(self.reader())
        .await?;
        conversation(&row)
    }

    /// A conversation with its messages and cursor, of one moment.
    pub async fn conversation_view(
        &self,
        tenant: &TenantId,
        id: ConversationId,
    ) -> Result<ConversationView, StorageError> {
        let mut moment = self.reader().begin().await?;
        let row = sqlx::query(sqlx::AssertSqlSafe(format!(
            "{COLUMNS} WHERE c.id = $1 AND c.tenant = $2"
        )))
        .bind(id.to_string())
        .bind(tenant.as_str())
        .fetch_one(&mut *moment)
        .await?;
        let conversation = conversation(&row)?;
        let messages = messages::of_conversation(&mut moment, id).await?;
        let prompts =
            sqlx::query("SELECT * FROM prompts WHERE conversation_id = $1 ORDER BY opened_at, id")
                .bind(id.to_string())
                .fetch_all(&mut *moment)
                .await?;
        let prompts = prompts.iter().map(|row| Ok(prompt(row)?.view()));
        let prompts = prompts.collect::<Result<_, StorageError>>()?;
        // Text that still streams is not a message yet: it is shown from its
        // beginning to whoever goes on from here.
        let last = sqlx::query(
            "SELECT COALESCE(MAX(seq), 0) AS last FROM events
             WHERE conversation_id = $1 AND kind <> 'block'",
        )
        .bind(id.to_string())
        .fetch_one(&mut *moment)
        .await?;
        Ok(ConversationView {
            conversation,
            messages,
            prompts,
            cursor: EventId::durable(counter(&last, "last")?),
        })
    }

    /// The conversations of a tenant, the latest first: those whose title
    /// holds `query`, and of those the ones after the place `before`.
    pub async fn conversations(
        &self,
        tenant: &TenantId,
        query: Option<&str>,
        before: Option<&PagePlace>,
        limit: u32,
    ) -> Result<ConversationPage, StorageError> {
        let (before_time, before_id) = PagePlace::bounds(before);
        let pattern = query.map(like_pattern).unwrap_or_else(|| "%".to_owned());
        let rows = sqlx::query(sqlx::AssertSqlSafe(format!(
            "{COLUMNS} WHERE c.tenant = $1 AND LOWER(c.title) LIKE $2 ESCAPE '!'
             AND (c.updated_at < $3 OR (c.updated_at = $3 AND c.id < $4))
             ORDER BY c.updated_at DESC, c.id DESC LIMIT $5"
        )))
        .bind(tenant.as_str())
        .bind(pattern)
        .bind(before_time)
        .bind(before_id)
        .bind(i64::from(limit) + 1)
        .fetch_all(self.reader())
        .await?;
        let rows = rows.iter().map(conversation).collect::<Result<_, _>>()?;
        let place = |row: &Conversation| (row.updated_at, row.id.to_string());
        let (conversations, next_before) = pages::cut(rows, limit, place);
        Ok(ConversationPage { conversations, next_before })
    }

    /// Changes title or mode; what is `None` stays. A title is the person's own words.
    pub async fn update_conversation(
        &self,
        tenant: &TenantId,
        id: ConversationId,
        title: Option<&str>,
        mode: Option<Mode>,
    ) -> Result<(), StorageError> {
        let mut transaction = self.write().await?;
        let updated = sqlx::query(
            "UPDATE conversations SET title = COALESCE($3, title), mode = COALESCE($4, mode)
             WHERE id = $1 AND tenant = $2",
        )
        .bind(id.to_string())
        .bind(tenant.as_str())
        .bind(title)
        .bind(mode.map(mode_name))
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        if updated.rows_affected() == 0 { Err(StorageError::NotFound) } else { Ok(()) }
    }

    /// Deletes a conversation and everything in it.
    pub async fn delete_conversation(
        &self,
        tenant: &TenantId,
        id: ConversationId,
    ) -> Result<(), StorageError> {
        let mut transaction = self.write().await?;
        let deleted = sqlx::query("DELETE FROM conversations WHERE id = $1 AND tenant = $2")
            .bind(id.to_string())
            .bind(tenant.as_str())
            .execute(&mut *transaction)
            .await?;
        if deleted.rows_affected() == 0 {
            return Err(StorageError::NotFound);
        }
        for statement in [
            "DELETE FROM turns WHERE conversation_id = $1",
            "DELETE FROM events WHERE conversation_id = $1",
            "DELETE FROM deltas WHERE conversation_id = $1",
            "DELETE FROM messages WHERE conversation_id = $1",
            "DELETE FROM history WHERE conversation_id = $1",
            "DELETE FROM images WHERE conversation_id = $1",
            "DELETE FROM prompts WHERE conversation_id = $1",
            "DELETE FROM tool_runs WHERE conversation_id = $1",
            "DELETE FROM allowances WHERE conversation_id = $1",
        ] {
            sqlx::query(statement).bind(id.to_string()).execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(())
    }
}

pub(crate) fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Plan => "plan",
        Mode::Act => "act",
    }
}

pub(crate) fn mode_of(name: &str) -> Mode {
    if name == "plan" { Mode::Plan } else { Mode::Act }
}

fn conversation(row: &SqliteRow) -> Result<Conversation, StorageError> {
    Ok(Conversation {
        id: parsed(row, "id")?,
        project: parsed(row, "project")?,
        title: Served::new(row.try_get("title")?),
        mode: mode_of(row.try_get("mode")?),
        created_at: Timestamp(row.try_get("created_at")?),
        updated_at: Timestamp(row.try_get("updated_at")?),
        running: row.try_get("running")?,
        epoch: counter(row, "epoch")?,
        next_seq: counter(row, "next_seq")?,
    })
}

fn like_pattern(query: &str) -> String {
    let mut pattern = String::from("%");
    for c in query.to_lowercase().chars() {
        if matches!(c, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}
