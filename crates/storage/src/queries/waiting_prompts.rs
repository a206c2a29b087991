//! What waits in a tenant, for its administrators: all of it, whoever is asked. What is asked is
//! part of a conversation, and left out where that is not seen.

use parlor_database::{Row, query};
use parlor_protocol::{ConversationId, PersonId, ProjectId, PromptId, Timestamp, UserPrompt};
use serde::Serialize;

use crate::columns::{counter, optional, parsed};
use crate::error::StorageError;
use crate::pages::{PageCursor, cut};
use crate::scope::{Scope, sees};
use crate::served::Served;
use crate::store::Store;
use crate::tables::prompts::prompt;

/// A prompt that waits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WaitingPrompt {
    /// Its id.
    pub id: PromptId,
    /// The project.
    pub project: ProjectId,
    /// Who asks: `approval`, `agent`, or `mcp:<server>`.
    pub origin: String,
    /// Since when.
    pub opened_at: Timestamp,
    /// Until when, if there is a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Whether a turn waits for it.
    pub turn_waits: bool,
    /// The person whose conversation it is in; none for the shared account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<PersonId>,
    /// Their name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person_name: Option<String>,
    /// What is asked, and where, if the reader sees it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<WaitingContent>,
}

/// What is asked, and where.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WaitingContent {
    /// The conversation.
    pub conversation_id: ConversationId,
    /// Its title.
    pub title: Served<String>,
    /// The prompt as people see it.
    pub prompt: Served<UserPrompt>,
}

/// A page of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WaitingPage {
    /// The prompts, newest first.
    pub prompts: Vec<WaitingPrompt>,
    /// The cursor of the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_before: Option<PageCursor>,
}

impl Store {
    /// The open prompts of a tenant, newest first, from a cursor on.
    pub async fn waiting_prompts(
        &self,
        scope: &Scope,
        before: Option<&PageCursor>,
        limit: u32,
    ) -> Result<WaitingPage, StorageError> {
        let (at, id) = PageCursor::bounds(before);
        let select = query(format!(
            "SELECT p.*, c.title AS title, c.person AS whose, COALESCE(w.name, v.name) AS whose_name,
             CAST(CASE WHEN {} THEN 1 ELSE 0 END AS BIGINT) AS seen
             FROM prompts p JOIN conversations c ON c.id = p.conversation_id
             LEFT JOIN people w ON w.id = c.person LEFT JOIN visitors v ON v.id = c.person
             WHERE p.tenant = $1 AND p.status = 'open' AND c.deleted_at IS NULL
             AND (p.opened_at < $4 OR (p.opened_at = $4 AND p.id < $5))
             ORDER BY p.opened_at DESC, p.id DESC LIMIT $6",
            sees(1)
        ));
        let rows = scope
            .bind(select)
            .bind(at)
            .bind(id)
            .bind(i64::from(limit) + 1)
            .fetch_all(self.reader())
            .await?;
        let prompts = rows.iter().map(waiting).collect::<Result<Vec<_>, _>>()?;
        let position = |one: &WaitingPrompt| (one.opened_at, one.id.to_string());
        let (prompts, next_before) = cut(prompts, limit, position);
        Ok(WaitingPage { prompts, next_before })
    }
}

fn waiting(row: &Row) -> Result<WaitingPrompt, StorageError> {
    let asked = prompt(row)?;
    let content = match counter(row, "seen")? {
        0 => None,
        _ => Some(WaitingContent {
            conversation_id: parsed(row, "conversation_id")?,
            title: Served::new(row.try_get("title")?),
            prompt: asked.public,
        }),
    };
    Ok(WaitingPrompt {
        id: asked.id,
        project: asked.project,
        origin: asked.origin,
        opened_at: asked.opened_at,
        expires_at: asked.expires_at,
        turn_waits: asked.turn_waits,
        person: optional(row, "whose")?,
        person_name: row.try_get("whose_name")?,
        content,
    })
}
