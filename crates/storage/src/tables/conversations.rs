//! Conversations: reading, listing, renaming. Their messages are in
//! [`crate::queries::conversation_view`].

use parlor_database::{Executor, Row, query};
use parlor_protocol::{ConversationId, Mode, NodeId, ProjectId, TenantId, Timestamp};
use serde::Serialize;

use crate::columns::{counter, optional, parsed};
use crate::error::StorageError;
use crate::pages::{self, PageCursor};
use crate::served::Served;
use crate::store::Store;

/// One conversation, without its messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conversation {
    /// Its id.
    pub id: ConversationId,
    /// The project whose agent takes its turns.
    pub project: ProjectId,
    /// Its title.
    pub title: Served<String>,
    /// Whether the agent plans or acts.
    pub mode: Mode,
    /// When it began.
    pub created_at: Timestamp,
    /// When something was last written to it.
    pub updated_at: Timestamp,
    /// Whether a turn runs.
    pub running: bool,
    /// The epoch that writes of its turns must carry.
    #[serde(skip)]
    pub epoch: u64,
    /// The next number of its log.
    #[serde(skip)]
    pub next_seq: u64,
    /// The node that has the files of its agent, if that is a program.
    #[serde(skip)]
    pub home: Option<NodeId>,
}

/// A conversation that begins.
#[derive(Debug, Clone)]
pub struct NewConversation {
    /// The project whose agent takes its turns.
    pub project: ProjectId,
    /// Its title.
    pub title: String,
    /// Whether the agent plans or acts.
    pub mode: Mode,
}

/// A page of the list of conversations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConversationPage {
    /// The conversations, newest first.
    pub conversations: Vec<Conversation>,
    /// The cursor of the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_before: Option<PageCursor>,
}

const SELECT: &str = "SELECT c.*, EXISTS (SELECT 1 FROM turns t
     WHERE t.conversation_id = c.id AND t.status = 'running') AS running FROM conversations c";

impl Store {
    /// A conversation of a tenant; another tenant's is `NotFound`.
    pub async fn conversation(
        &self,
        tenant: &TenantId,
        id: ConversationId,
    ) -> Result<Conversation, StorageError> {
        find(self.reader(), tenant, id).await
    }

    /// The conversations of a tenant whose title contains `text`, newest first, from
    /// a cursor on.
    pub async fn conversations(
        &self,
        tenant: &TenantId,
        text: Option<&str>,
        before: Option<&PageCursor>,
        limit: u32,
    ) -> Result<ConversationPage, StorageError> {
        let (before_time, before_id) = PageCursor::bounds(before);
        let pattern = text.map(like_pattern).unwrap_or_else(|| "%".to_owned());
        let rows = query(format!(
            "{SELECT} WHERE c.tenant = $1 AND LOWER(c.title) LIKE $2 ESCAPE '!'
             AND (c.updated_at < $3 OR (c.updated_at = $3 AND c.id < $4))
             ORDER BY c.updated_at DESC, c.id DESC LIMIT $5"
        ))
        .bind(tenant.as_str())
        .bind(pattern)
        .bind(before_time)
        .bind(before_id)
        .bind(i64::from(limit) + 1)
        .fetch_all(self.reader())
        .await?;
        let rows = rows.iter().map(conversation).collect::<Result<_, _>>()?;
        let position = |row: &Conversation| (row.updated_at, row.id.to_string());
        let (conversations, next_before) = pages::cut(rows, limit, position);
        Ok(ConversationPage { conversations, next_before })
    }

    /// Changes title or mode; `None` leaves it as it is. A title is the person's own text.
    pub async fn update_conversation(
        &self,
        tenant: &TenantId,
        id: ConversationId,
        title: Option<&str>,
        mode: Option<Mode>,
    ) -> Result<(), StorageError> {
        let mut transaction = self.begin().await?;
        let updated = query(
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
        if updated == 0 { Err(StorageError::NotFound) } else { Ok(()) }
    }
}

/// A conversation of a tenant.
pub(crate) async fn find(
    on: impl Into<Executor<'_>>,
    tenant: &TenantId,
    id: ConversationId,
) -> Result<Conversation, StorageError> {
    let row = query(format!("{SELECT} WHERE c.id = $1 AND c.tenant = $2"))
        .bind(id.to_string())
        .bind(tenant.as_str())
        .fetch_one(on)
        .await?;
    conversation(&row)
}

pub(crate) fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Plan => "plan",
        Mode::Act => "act",
    }
}

pub(crate) fn mode_from_name(name: &str) -> Mode {
    if name == "plan" { Mode::Plan } else { Mode::Act }
}

fn conversation(row: &Row) -> Result<Conversation, StorageError> {
    Ok(Conversation {
        id: parsed(row, "id")?,
        project: parsed(row, "project")?,
        title: Served::new(row.try_get("title")?),
        mode: mode_from_name(row.try_get("mode")?),
        created_at: Timestamp(row.try_get("created_at")?),
        updated_at: Timestamp(row.try_get("updated_at")?),
        running: row.try_get("running")?,
        epoch: counter(row, "epoch")?,
        next_seq: counter(row, "next_seq")?,
        home: optional(row, "home")?,
    })
}

/// Finds a person's text literally.
fn like_pattern(text: &str) -> String {
    let mut pattern = String::from("%");
    for c in text.to_lowercase().chars() {
        if matches!(c, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}
