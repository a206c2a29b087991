//! Logins to MCP servers that each person makes for themselves. What is stored is encrypted; the
//! key is not here.

use parlor_database::{Batch, Row, query};
use parlor_protocol::{PersonId, ProjectId, TenantId, Timestamp};

use crate::columns::parsed;
use crate::error::StorageError;
use crate::store::Store;
use crate::tables::mcp_logins::McpServerId;

/// The row of a person at a server.
const OF_PERSON: &str = "tenant = $1 AND project = $2 AND server = $3 AND person = $4";
/// Nothing of somebody who is shut out is used, whoever shut them out.
const MAY_COME_IN: &str = "EXISTS (SELECT 1 FROM people p WHERE p.id = mcp_person_logins.person
     AND p.tenant = mcp_person_logins.tenant AND p.disabled_at IS NULL)";

/// A person at an MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PersonAtServer {
    /// The server.
    pub server: McpServerId,
    /// The person.
    pub person: PersonId,
}

/// A login of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonLogin {
    /// Another one with each login.
    pub id: String,
    /// The tokens, encrypted.
    pub sealed: Vec<u8>,
    /// Since when.
    pub logged_in_at: Timestamp,
    /// What the server refused, if it did: everything (empty), or what needs these scopes.
    pub refused: Option<String>,
}

/// A login of a person, in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPersonLogin {
    /// The project.
    pub project: ProjectId,
    /// The server.
    pub server: String,
    /// The person.
    pub person: PersonId,
    /// Their name.
    pub name: String,
    /// Since when.
    pub logged_in_at: Timestamp,
    /// What the server refused, if it did.
    pub refused: Option<String>,
}

/// The stored logins of people to MCP servers.
#[derive(Debug, Clone, Copy)]
pub struct PersonLogins<'s>(&'s Store);

impl Store {
    /// The stored logins of people to MCP servers.
    pub fn person_logins(&self) -> PersonLogins<'_> {
        PersonLogins(self)
    }
}

/// Binds what names a person at a server: the first four parameters.
macro_rules! bound {
    ($query:expr, $at:expr) => {
        $query
            .bind($at.server.tenant.as_str())
            .bind($at.server.project.as_str())
            .bind(&$at.server.server)
            .bind($at.person.to_string())
    };
}

impl PersonLogins<'_> {
    /// The login of a person who may come in.
    pub async fn read(&self, at: &PersonAtServer) -> Result<Option<PersonLogin>, StorageError> {
        let read = query(format!(
            "SELECT id, sealed, logged_in_at, refused FROM mcp_person_logins
             WHERE {OF_PERSON} AND {MAY_COME_IN}"
        ));
        let row = bound!(read, at).fetch_optional(self.0.reader()).await?;
        row.as_ref().map(login).transpose()
    }

    /// Stores a login in place of the one before; `false` if the person may not come in.
    pub async fn log_in(
        &self,
        at: &PersonAtServer,
        id: &str,
        sealed: &[u8],
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let mut transaction = self.0.begin().await?;
        // Held until the end, so that nobody is shut out in between.
        let held = query(
            "UPDATE people SET disabled_at = disabled_at
             WHERE tenant = $1 AND id = $2 AND disabled_at IS NULL",
        )
        .bind(at.server.tenant.as_str())
        .bind(at.person.to_string())
        .execute(&mut *transaction)
        .await?;
        if held == 0 {
            return Ok(false);
        }
        let insert = query(
            "INSERT INTO mcp_person_logins
             (tenant, project, server, person, id, sealed, logged_in_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)
             ON CONFLICT (tenant, project, server, person) DO UPDATE
             SET id = $5, sealed = $6, logged_in_at = $7, refused = NULL, renewing_until = 0",
        );
        bound!(insert, at)
            .bind(id)
            .bind(sealed.to_vec())
            .bind(now.0)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Stores new tokens of a login; `false` if it has ended meanwhile.
    pub async fn renew(
        &self,
        at: &PersonAtServer,
        id: &str,
        sealed: &[u8],
    ) -> Result<bool, StorageError> {
        let mut transaction = self.0.begin().await?;
        let update = query(format!(
            "UPDATE mcp_person_logins SET sealed = $6 WHERE {OF_PERSON} AND id = $5"
        ));
        let updated =
            bound!(update, at).bind(id).bind(sealed.to_vec()).execute(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(updated > 0)
    }

    /// Notes what the server refused a login, or that it refuses nothing any more.
    pub async fn refused(
        &self,
        at: &PersonAtServer,
        id: &str,
        what: Option<&str>,
    ) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        let update =
            format!("UPDATE mcp_person_logins SET refused = $6 WHERE {OF_PERSON} AND id = $5");
        bound!(batch.add(update), at).bind(id).bind(what.map(str::to_owned));
        self.0.run(batch).await
    }

    /// Ends a login: this one, or whichever there is.
    pub async fn end(&self, at: &PersonAtServer, id: Option<&str>) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        let delete =
            format!("DELETE FROM mcp_person_logins WHERE {OF_PERSON} AND ($5 = '' OR id = $5)");
        bound!(batch.add(delete), at).bind(id.unwrap_or_default());
        self.0.run(batch).await
    }

    /// Claims the right to renew a login for some milliseconds, by the database's clock. Of
    /// several processes one gets it; the end of another's time frees it.
    pub async fn claim(&self, at: &PersonAtServer, for_ms: i64) -> Result<bool, StorageError> {
        let clock = self.0.database().clock();
        let mut transaction = self.0.begin().await?;
        let update = query(format!(
            "UPDATE mcp_person_logins SET renewing_until = {clock} + $5
             WHERE {OF_PERSON} AND renewing_until < {clock}"
        ));
        let claimed = bound!(update, at).bind(for_ms).execute(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(claimed > 0)
    }

    /// Gives the right to renew back.
    pub async fn release(&self, at: &PersonAtServer) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        let update = format!("UPDATE mcp_person_logins SET renewing_until = 0 WHERE {OF_PERSON}");
        bound!(batch.add(update), at);
        self.0.run(batch).await
    }

    /// The logins of a tenant's people, or of one of them.
    pub async fn list(
        &self,
        tenant: &TenantId,
        person: Option<PersonId>,
    ) -> Result<Vec<ListedPersonLogin>, StorageError> {
        let rows = query(format!(
            "SELECT mcp_person_logins.project, mcp_person_logins.server, mcp_person_logins.person,
                    mcp_person_logins.logged_in_at, mcp_person_logins.refused, named.name
             FROM mcp_person_logins JOIN people named ON named.id = mcp_person_logins.person
             WHERE mcp_person_logins.tenant = $1 AND ($2 = '' OR mcp_person_logins.person = $2)
             AND {MAY_COME_IN}
             ORDER BY mcp_person_logins.project, mcp_person_logins.server, named.login"
        ))
        .bind(tenant.as_str())
        .bind(person.map(|person| person.to_string()).unwrap_or_default())
        .fetch_all(self.0.reader())
        .await?;
        rows.iter().map(listed).collect()
    }
}

fn login(row: &Row) -> Result<PersonLogin, StorageError> {
    Ok(PersonLogin {
        id: row.try_get("id")?,
        sealed: row.try_get("sealed")?,
        logged_in_at: Timestamp(row.try_get("logged_in_at")?),
        refused: row.try_get("refused")?,
    })
}

fn listed(row: &Row) -> Result<ListedPersonLogin, StorageError> {
    Ok(ListedPersonLogin {
        project: parsed(row, "project")?,
        server: row.try_get("server")?,
        person: parsed(row, "person")?,
        name: row.try_get("name")?,
        logged_in_at: Timestamp(row.try_get("logged_in_at")?),
        refused: row.try_get("refused")?,
    })
}
