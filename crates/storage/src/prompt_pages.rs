//! The prompts of a tenant, page by page.

use parlor_protocol::TenantId;
use serde::Serialize;

use crate::error::StorageError;
use crate::pages::{PagePlace, cut};
use crate::prompts::{Prompt, PromptView, prompt};
use crate::store::Store;

/// A page of prompts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PromptPage {
    /// The prompts, newest first.
    pub prompts: Vec<PromptView>,
    /// What to ask for to see the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_before: Option<PagePlace>,
}

impl Store {
    /// A page of the prompts of a tenant, newest first; with a status, of those only.
    pub async fn prompts(
        &self,
        tenant: &TenantId,
        status: Option<&str>,
        before: Option<&PagePlace>,
        limit: u32,
    ) -> Result<PromptPage, StorageError> {
        let (at, id) = PagePlace::bounds(before);
        let rows = sqlx::query(
            "SELECT * FROM prompts WHERE tenant = $1 AND ($2 IS NULL OR status = $2)
             AND (opened_at < $3 OR (opened_at = $3 AND id < $4))
             ORDER BY opened_at DESC, id DESC LIMIT $5",
        )
        .bind(tenant.as_str())
        .bind(status)
        .bind(at)
        .bind(id)
        .bind(i64::from(limit) + 1)
        .fetch_all(self.reader())
        .await?;
        let prompts = rows.iter().map(prompt).collect::<Result<Vec<_>, _>>()?;
        let place = |prompt: &Prompt| (prompt.opened_at, prompt.id.to_string());
        let (prompts, next_before) = cut(prompts, limit, place);
        Ok(PromptPage { prompts: prompts.into_iter().map(Prompt::view).collect(), next_before })
    }
}
