//! Keys and sessions as administrators see and end them.

use parlor_database::query;
use parlor_protocol::{PersonId, TenantId, Timestamp};

use crate::error::StorageError;
use crate::tables::access::{Access, SELECT, Token, token};

impl Access<'_> {
    /// The newest keys of a tenant, the valid ones first.
    pub async fn keys(&self, tenant: &TenantId, limit: u32) -> Result<Vec<Token>, StorageError> {
        let rows = query(format!(
            "{SELECT} WHERE t.tenant = $1 AND t.kind = 'key'
             ORDER BY CASE WHEN COALESCE(t.revoked_at, p.disabled_at) IS NULL THEN 0 ELSE 1 END,
             t.created_at DESC, t.id LIMIT $2"
        ))
        .bind(tenant.as_str())
        .bind(i64::from(limit))
        .fetch_all(self.0.reader())
        .await?;
        rows.iter().map(token).collect()
    }

    /// A key of a tenant, by its public id.
    pub async fn key(&self, tenant: &TenantId, id: &str) -> Result<Option<Token>, StorageError> {
        let row = query(format!("{SELECT} WHERE t.tenant = $1 AND t.id = $2 AND t.kind = 'key'"))
            .bind(tenant.as_str())
            .bind(id)
            .fetch_optional(self.0.reader())
            .await?;
        row.as_ref().map(token).transpose()
    }

    /// Revokes all sessions of a person; returns how many there were.
    pub async fn revoke_sessions_of(
        &self,
        person: PersonId,
        now: Timestamp,
    ) -> Result<u64, StorageError> {
        let mut transaction = self.0.begin().await?;
        let revoked = query(
            "UPDATE tokens SET revoked_at = $2
             WHERE person = $1 AND kind = 'session' AND revoked_at IS NULL",
        )
        .bind(person.to_string())
        .bind(now.0)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(revoked)
    }
}
