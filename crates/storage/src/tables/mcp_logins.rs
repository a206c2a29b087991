//! Logins to MCP servers, and those that were begun. What is stored is encrypted; the key is not
//! here.

use parlor_database::{Batch, query};
use parlor_protocol::{PersonId, ProjectId, TenantId, Timestamp};

use crate::columns::{optional, parsed};
use crate::error::StorageError;
use crate::store::Store;

/// An MCP server of a project.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct McpServerId {
    /// The tenant.
    pub tenant: TenantId,
    /// The project.
    pub project: ProjectId,
    /// The server, as in the configuration.
    pub server: String,
}

/// A login that was begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpLoginAttempt {
    /// Where it leads.
    pub server: McpServerId,
    /// Who logs in for themselves; nobody if an administrator does, for the project.
    pub person: Option<PersonId>,
    /// The session or key that began it.
    pub session: String,
    /// What is needed to finish it, encrypted.
    pub sealed: Vec<u8>,
    /// When it lapses.
    pub expires_at: Timestamp,
}

/// The stored logins to MCP servers.
#[derive(Debug, Clone, Copy)]
pub struct McpLogins<'s>(&'s Store);

impl Store {
    /// The stored logins to MCP servers.
    pub fn mcp_logins(&self) -> McpLogins<'_> {
        McpLogins(self)
    }
}

impl McpLogins<'_> {
    /// The login to a server, encrypted.
    pub async fn read(&self, server: &McpServerId) -> Result<Option<Vec<u8>>, StorageError> {
        let row = query(
            "SELECT sealed FROM mcp_logins WHERE tenant = $1 AND project = $2 AND server = $3",
        )
        .bind(server.tenant.as_str())
        .bind(server.project.as_str())
        .bind(&server.server)
        .fetch_optional(self.0.reader())
        .await?;
        Ok(row.map(|row| row.try_get("sealed")).transpose()?)
    }

    /// Stores new tokens of the login to a server; `false` if it has ended meanwhile.
    pub async fn renew(
        &self,
        server: &McpServerId,
        sealed: &[u8],
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let mut transaction = self.0.begin().await?;
        let updated = query(
            "UPDATE mcp_logins SET sealed = $4, saved_at = $5
             WHERE tenant = $1 AND project = $2 AND server = $3",
        )
        .bind(server.tenant.as_str())
        .bind(server.project.as_str())
        .bind(&server.server)
        .bind(sealed.to_vec())
        .bind(now.0)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(updated > 0)
    }

    /// Stores the login to a server, in place of the one before.
    pub async fn save(
        &self,
        server: &McpServerId,
        sealed: &[u8],
        now: Timestamp,
    ) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        batch
            .add(
                "INSERT INTO mcp_logins (tenant, project, server, sealed, saved_at)
                 VALUES ($1, $2, $3, $4, $5)
                 ON CONFLICT (tenant, project, server) DO UPDATE SET sealed = $4, saved_at = $5",
            )
            .bind(server.tenant.as_str())
            .bind(server.project.as_str())
            .bind(&server.server)
            .bind(sealed.to_vec())
            .bind(now.0);
        self.0.run(batch).await
    }

    /// Forgets the login to a server.
    pub async fn delete(&self, server: &McpServerId) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        batch
            .add("DELETE FROM mcp_logins WHERE tenant = $1 AND project = $2 AND server = $3")
            .bind(server.tenant.as_str())
            .bind(server.project.as_str())
            .bind(&server.server);
        self.0.run(batch).await
    }

    /// Claims the right to renew a login for some milliseconds, by the database's clock. Of
    /// several processes one gets it; the end of another's time frees it.
    pub async fn claim(&self, server: &McpServerId, for_ms: i64) -> Result<bool, StorageError> {
        let clock = self.0.database().clock();
        let mut transaction = self.0.begin().await?;
        let claimed = query(format!(
            "UPDATE mcp_logins SET renewing_until = {clock} + $4
             WHERE tenant = $1 AND project = $2 AND server = $3 AND renewing_until < {clock}"
        ))
        .bind(server.tenant.as_str())
        .bind(server.project.as_str())
        .bind(&server.server)
        .bind(for_ms)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(claimed > 0)
    }

    /// Gives the right to renew back.
    pub async fn release(&self, server: &McpServerId) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        batch
            .add(
                "UPDATE mcp_logins SET renewing_until = 0
                 WHERE tenant = $1 AND project = $2 AND server = $3",
            )
            .bind(server.tenant.as_str())
            .bind(server.project.as_str())
            .bind(&server.server);
        self.0.run(batch).await
    }

    /// Stores a login that was begun, and forgets those that lapsed.
    pub async fn begin(
        &self,
        id: &str,
        attempt: &McpLoginAttempt,
        now: Timestamp,
    ) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        batch.add("DELETE FROM mcp_login_attempts WHERE expires_at < $1").bind(now.0);
        batch
            .add(
                "INSERT INTO mcp_login_attempts
                 (id, tenant, project, server, session, sealed, expires_at, person)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            )
            .bind(id)
            .bind(attempt.server.tenant.as_str())
            .bind(attempt.server.project.as_str())
            .bind(&attempt.server.server)
            .bind(&attempt.session)
            .bind(attempt.sealed.clone())
            .bind(attempt.expires_at.0)
            .bind(attempt.person.map(|person| person.to_string()));
        self.0.run(batch).await
    }

    /// Takes a login that the session began and that has not lapsed. It can be taken once.
    pub async fn take(
        &self,
        id: &str,
        tenant: &TenantId,
        session: &str,
        now: Timestamp,
    ) -> Result<Option<McpLoginAttempt>, StorageError> {
        let mut transaction = self.0.begin().await?;
        let row = query(
            "DELETE FROM mcp_login_attempts
             WHERE id = $1 AND tenant = $2 AND session = $3 AND expires_at >= $4
             RETURNING tenant, project, server, session, sealed, expires_at, person",
        )
        .bind(id)
        .bind(tenant.as_str())
        .bind(session)
        .bind(now.0)
        .fetch_optional(&mut *transaction)
        .await?;
        transaction.commit().await?;
        let Some(row) = row else { return Ok(None) };
        let server = McpServerId {
            tenant: parsed(&row, "tenant")?,
            project: parsed(&row, "project")?,
            server: row.try_get("server")?,
        };
        Ok(Some(McpLoginAttempt {
            server,
            person: optional(&row, "person")?,
            session: row.try_get("session")?,
            sealed: row.try_get("sealed")?,
            expires_at: Timestamp(row.try_get("expires_at")?),
        }))
    }
}
