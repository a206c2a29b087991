//! People as administrators see them: with what is known of their sessions and their login; and the
//! roles that they give them.

use parlor_database::query;
use parlor_protocol::{PersonId, RoleName, TenantId, Timestamp};
use serde::Serialize;

use crate::error::StorageError;
use crate::tables::people::{People, Person, person};

/// A person as an administrator sees them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedPerson {
    /// The person.
    #[serde(flatten)]
    pub person: Person,
    /// When a session or key of theirs was last used, to the minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_seen_at: Option<Timestamp>,
    /// The login provider that says their role, if they log in with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
}

impl People<'_> {
    /// The people of a tenant as an administrator sees them, in the order in which they came.
    pub async fn listed(&self, tenant: &TenantId) -> Result<Vec<ListedPerson>, StorageError> {
        let rows = query(
            "SELECT p.*,
             (SELECT MAX(t.last_used_at) FROM tokens t WHERE t.person = p.id) AS last_seen_at,
             (SELECT MIN(i.provider) FROM identities i WHERE i.person = p.id) AS provider
             FROM people p WHERE p.tenant = $1 ORDER BY p.created_at, p.id",
        )
        .bind(tenant.as_str())
        .fetch_all(self.0.reader())
        .await?;
        let listed = rows.iter().map(|row| {
            Ok(ListedPerson {
                person: person(row)?,
                last_seen_at: row.try_get::<Option<i64>>("last_seen_at")?.map(Timestamp),
                provider: row.try_get("provider")?,
            })
        });
        listed.collect()
    }

    /// Gives a person these roles, and no others.
    pub async fn set_roles(
        &self,
        tenant: &TenantId,
        id: PersonId,
        roles: &[RoleName],
    ) -> Result<(), StorageError> {
        let mut transaction = self.0.begin().await?;
        let set = query("UPDATE people SET roles = $3 WHERE tenant = $1 AND id = $2")
            .bind(tenant.as_str())
            .bind(id.to_string())
            .bind(roles.iter().map(RoleName::as_str).collect::<Vec<_>>().join(" "))
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        if set == 0 { Err(StorageError::NotFound) } else { Ok(()) }
    }

    /// Whether a login provider says what the role of a person is.
    pub async fn has_provider(&self, id: PersonId) -> Result<bool, StorageError> {
        let row = query("SELECT EXISTS (SELECT 1 FROM identities WHERE person = $1) AS has_one")
            .bind(id.to_string())
            .fetch_one(self.0.reader())
            .await?;
        Ok(row.try_get("has_one")?)
    }
}
