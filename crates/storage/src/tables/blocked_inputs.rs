//! Blocked inputs: what the guardrail refused, or noticed and let pass (G-7).

use parlor_database::{Row, query};
use parlor_protocol::{PersonId, ProjectId, TenantId, Timestamp};
use serde::Serialize;

use crate::columns::{optional, parsed};
use crate::error::StorageError;
use crate::pages::{self, PageCursor};
use crate::scope::{Scope, owned};
use crate::store::Store;
use crate::tables::webhooks;

/// The action of a rule that refuses an input.
const BLOCK: &str = "block";

/// An input that matched a rule, as an administrator sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BlockedInput {
    /// Its id.
    pub id: String,
    /// When.
    pub at: Timestamp,
    /// The tenant; its administrators know it.
    #[serde(skip)]
    pub tenant: TenantId,
    /// The project.
    pub project: ProjectId,
    /// The session or key that sent it.
    pub session: String,
    /// The person who sent it; none for the shared account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<PersonId>,
    /// The rule that matched.
    pub rule: String,
    /// The category of the rule.
    pub category: String,
    /// Whether it was blocked or only logged.
    pub action: String,
    /// The view of the text in which the rule matched.
    pub view: String,
    /// SHA-256 of the text, in hex.
    pub hash: String,
    /// Its beginning; empty if it is not for the reader.
    pub excerpt: String,
}

/// A page of blocked inputs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BlockedInputPage {
    /// The inputs, newest first.
    pub blocked_inputs: Vec<BlockedInput>,
    /// The cursor of the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_before: Option<PageCursor>,
}

impl Store {
    /// Stores an input that matched a rule.
    pub async fn add_blocked_input(&self, input: &BlockedInput) -> Result<(), StorageError> {
        let mut transaction = self.begin().await?;
        query(
            "INSERT INTO blocked_inputs
             (id, at, tenant, project, session, rule, category, action, view, hash, excerpt, person)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        )
        .bind(&input.id)
        .bind(input.at.0)
        .bind(input.tenant.as_str())
        .bind(input.project.as_str())
        .bind(&input.session)
        .bind(&input.rule)
        .bind(&input.category)
        .bind(&input.action)
        .bind(&input.view)
        .bind(&input.hash)
        .bind(&input.excerpt)
        .bind(input.person.map(|person| person.to_string()))
        .execute(&mut *transaction)
        .await?;
        if input.action == BLOCK {
            let BlockedInput { tenant, project, id, at, .. } = input;
            webhooks::input_blocked(&mut transaction, tenant, project, id, *at).await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    /// One blocked input of a tenant, as those see it who see the scope; `None` if there is none.
    pub async fn blocked_input(
        &self,
        scope: &Scope,
        id: &str,
    ) -> Result<Option<BlockedInput>, StorageError> {
        let select = query(format!(
            "SELECT b.*, CASE WHEN {} THEN b.excerpt ELSE '' END AS shown FROM blocked_inputs b
             WHERE b.tenant = $1 AND b.id = $4",
            owned("b.person", 1)
        ));
        let row = scope.bind(select).bind(id).fetch_optional(self.reader()).await?;
        row.as_ref().map(blocked_input).transpose()
    }

    /// The blocked inputs of a tenant, newest first, from a cursor on. What others wrote is left
    /// out of those that are not seen.
    pub async fn blocked_inputs(
        &self,
        scope: &Scope,
        before: Option<&PageCursor>,
        limit: u32,
    ) -> Result<BlockedInputPage, StorageError> {
        let (before_time, before_id) = PageCursor::bounds(before);
        let select = query(format!(
            "SELECT b.*, CASE WHEN {} THEN b.excerpt ELSE '' END AS shown FROM blocked_inputs b
             WHERE b.tenant = $1 AND (b.at < $4 OR (b.at = $4 AND b.id < $5))
             ORDER BY b.at DESC, b.id DESC LIMIT $6",
            owned("b.person", 1)
        ));
        let rows = scope
            .bind(select)
            .bind(before_time)
            .bind(before_id)
            .bind(i64::from(limit) + 1)
            .fetch_all(self.reader())
            .await?;
        let rows = rows.iter().map(blocked_input).collect::<Result<_, _>>()?;
        let position = |row: &BlockedInput| (row.at, row.id.clone());
        let (blocked_inputs, next_before) = pages::cut(rows, limit, position);
        Ok(BlockedInputPage { blocked_inputs, next_before })
    }
}

pub(crate) fn blocked_input(row: &Row) -> Result<BlockedInput, StorageError> {
    Ok(BlockedInput {
        id: row.try_get("id")?,
        at: Timestamp(row.try_get("at")?),
        tenant: parsed(row, "tenant")?,
        project: parsed(row, "project")?,
        session: row.try_get("session")?,
        person: optional(row, "person")?,
        rule: row.try_get("rule")?,
        category: row.try_get("category")?,
        action: row.try_get("action")?,
        view: row.try_get("view")?,
        hash: row.try_get("hash")?,
        excerpt: row.try_get("shown")?,
    })
}
