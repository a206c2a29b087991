//! The prompts that somebody sees, page by page.

use parlor_database::query;
use serde::Serialize;

use super::read::prompt;
use super::{Prompt, PromptView};
use crate::error::StorageError;
use crate::pages::{PageCursor, cut};
use crate::scope::{Scope, sees_conversation};
use crate::store::Store;
use parlor_protocol::PromptStatus;

/// A page of prompts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PromptPage {
    /// The prompts, newest first.
    pub prompts: Vec<PromptView>,
    /// The cursor of the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_before: Option<PageCursor>,
}

impl Store {
    /// The prompts of conversations that are seen, or those with a status, newest first, from a
    /// cursor on.
    pub async fn prompts(
        &self,
        scope: &Scope,
        status: Option<PromptStatus>,
        before: Option<&PageCursor>,
        limit: u32,
    ) -> Result<PromptPage, StorageError> {
        let (at, id) = PageCursor::bounds(before);
        let select = query(format!(
            "SELECT * FROM prompts p WHERE p.tenant = $1 AND ($4 IS NULL OR p.status = $4)
             AND (p.opened_at < $5 OR (p.opened_at = $5 AND p.id < $6)) AND {}
             ORDER BY p.opened_at DESC, p.id DESC LIMIT $7",
            sees_conversation("p.conversation_id", 1)
        ));
        let rows = scope
            .bind(select)
            .bind(status.map(PromptStatus::as_str))
            .bind(at)
            .bind(id)
            .bind(i64::from(limit) + 1)
            .fetch_all(self.reader())
            .await?;
        let prompts = rows.iter().map(prompt).collect::<Result<Vec<_>, _>>()?;
        let position = |prompt: &Prompt| (prompt.opened_at, prompt.id.to_string());
        let (prompts, next_before) = cut(prompts, limit, position);
        Ok(PromptPage { prompts: prompts.into_iter().map(Prompt::view).collect(), next_before })
    }
}
