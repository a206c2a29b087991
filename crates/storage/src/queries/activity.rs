//! Turns, tokens and costs by project and hour, for administrators.

use parlor_database::query;
use parlor_protocol::{ProjectId, TenantId, Timestamp};

use crate::columns::{counter, parsed, to_column};
use crate::error::StorageError;
use crate::store::Store;

const HOUR_MS: u64 = 3_600_000;

/// The turns of one project in one hour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activity {
    /// The project.
    pub project: ProjectId,
    /// When the hour began.
    pub hour: Timestamp,
    /// Turns that began.
    pub turns: u64,
    /// Tokens in and out, as far as they are known.
    pub tokens: u64,
    /// Millionths of a dollar, as far as they are known.
    pub cost_micros: u64,
}

impl Store {
    /// The hours since then in which turns began, oldest first.
    pub async fn activity(
        &self,
        tenant: &TenantId,
        since: Timestamp,
    ) -> Result<Vec<Activity>, StorageError> {
        let rows = query(
            "SELECT c.project AS project, t.started_at / $3 AS hour, COUNT(*) AS turns,
             CAST(COALESCE(SUM(t.tokens_used), 0) AS BIGINT) AS tokens,
             CAST(COALESCE(SUM(t.cost_micros), 0) AS BIGINT) AS cost_micros
             FROM turns t JOIN conversations c ON c.id = t.conversation_id
             WHERE t.tenant = $1 AND t.started_at >= $2
             GROUP BY c.project, t.started_at / $3 ORDER BY hour, project",
        )
        .bind(tenant.as_str())
        .bind(since.0)
        .bind(to_column(HOUR_MS))
        .fetch_all(self.reader())
        .await?;
        let activity = rows.iter().map(|row| {
            Ok(Activity {
                project: parsed(row, "project")?,
                hour: Timestamp(to_column(counter(row, "hour")?.saturating_mul(HOUR_MS))),
                turns: counter(row, "turns")?,
                tokens: counter(row, "tokens")?,
                cost_micros: counter(row, "cost_micros")?,
            })
        });
        activity.collect()
    }
}
