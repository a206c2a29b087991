//! The prompts of a tenant, page by page.

use parlor_database::query;
use parlor_protocol::TenantId;
use serde::Serialize;

use super::read::prompt;
use super::{Prompt, PromptView};
use crate::error::StorageError;
use crate::pages::{PageCursor, cut};
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
    /// The prompts of a tenant, or those with a status, newest first, from a cursor on.
    pub async fn prompts(
        &self,
        tenant: &TenantId,
        status: Option<PromptStatus>,
        before: Option<&PageCursor>,
        limit: u32,
    ) -> Result<PromptPage, StorageError> {
        let (at, id) = PageCursor::bounds(before);
        let rows = query(
            "SELECT * FROM prompts WHERE tenant = $1 AND ($2 IS NULL OR status = $2)
             AND (opened_at < $3 OR (opened_at = $3 AND id < $4))
             ORDER BY opened_at DESC, id DESC LIMIT $5",
        )
        .bind(tenant.as_str())
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
