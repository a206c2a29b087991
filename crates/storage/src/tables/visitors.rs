//! Visitors of sites that embed a chat, the tokens that let them in, and their sessions. Only hashes
//! of tokens come here.

use parlor_database::{Connection, Row, query};
use parlor_protocol::{PersonId, ProjectId, TenantId, Timestamp};

use crate::columns::{optional, parsed};
use crate::error::StorageError;
use crate::store::Store;
use crate::tables::access::AccessRole;
use crate::tables::token_kind::TokenKind;

/// Whom a site says that somebody is.
#[derive(Debug, Clone, Copy)]
pub struct NewVisitor<'v> {
    /// The id, if they were never here.
    pub id: PersonId,
    /// The site's own id of them.
    pub subject: &'v str,
    /// Their name; an empty one if the site says none.
    pub name: &'v str,
}

/// A token for a page of a site.
#[derive(Debug, Clone)]
pub struct EmbedToken {
    /// The tenant.
    pub tenant: TenantId,
    /// The project that is embedded.
    pub project: ProjectId,
    /// The origin of the site.
    pub origin: String,
    /// The hash of the key that it was made with.
    pub issuer: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// Until when it is taken.
    pub expires_at: Timestamp,
}

/// The session that a token is given for.
#[derive(Debug, Clone)]
pub struct VisitorSession {
    /// Its public id.
    pub id: String,
    /// SHA-256 of its secret, in hex.
    pub hash: String,
    /// Who it is if the site does not know them: the visitor of this session, if it is one whom
    /// that site does not know either.
    pub same_as: Option<PersonId>,
    /// The id of somebody who was never here.
    pub new_visitor: PersonId,
    /// When it begins.
    pub begins_at: Timestamp,
    /// When it ends.
    pub ends_at: Timestamp,
}

/// A visitor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visitor {
    /// The id.
    pub id: PersonId,
    /// The name; empty if the site says none.
    pub name: String,
    /// Whether the site knows who it is, so that they are found again.
    pub is_known: bool,
}

/// The visitors of all sites.
#[derive(Debug, Clone, Copy)]
pub struct Visitors<'s>(&'s Store);

/// Sessions and tokens that ended so long ago are removed, in milliseconds.
const KEPT_MS: i64 = 86_400_000;

impl Store {
    /// The visitors of all sites.
    pub fn visitors(&self) -> Visitors<'_> {
        Visitors(self)
    }
}

impl Visitors<'_> {
    /// Stores a token for whom the site names, who is found again or is new.
    pub async fn add_token(
        &self,
        hash: &str,
        token: &EmbedToken,
        visitor: Option<NewVisitor<'_>>,
    ) -> Result<(), StorageError> {
        let mut transaction = self.0.begin().await?;
        query("DELETE FROM embed_tokens WHERE expires_at < $1")
            .bind(token.created_at.0 - KEPT_MS)
            .execute(&mut *transaction)
            .await?;
        let visitor = match visitor {
            Some(visitor) => Some(named(&mut transaction, token, visitor).await?),
            None => None,
        };
        query(
            "INSERT INTO embed_tokens
             (hash, tenant, project, origin, visitor, issuer, created_at, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        )
        .bind(hash)
        .bind(token.tenant.as_str())
        .bind(token.project.as_str())
        .bind(&token.origin)
        .bind(visitor)
        .bind(&token.issuer)
        .bind(token.created_at.0)
        .bind(token.expires_at.0)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(())
    }

    /// The token with this hash, used or not.
    pub async fn token(&self, hash: &str) -> Result<Option<EmbedToken>, StorageError> {
        let row = query("SELECT * FROM embed_tokens WHERE hash = $1")
            .bind(hash)
            .fetch_optional(self.0.reader())
            .await?;
        row.as_ref().map(embed_token).transpose()
    }

    /// Gives a session for a token: of several who try, one gets it. `NotFound` if the token was
    /// used, or its time is over, or its key was revoked.
    pub async fn begin_session(
        &self,
        token_hash: &str,
        session: &VisitorSession,
    ) -> Result<Visitor, StorageError> {
        let mut transaction = self.0.begin().await?;
        let used = query(
            "UPDATE embed_tokens SET used_at = $2
             WHERE hash = $1 AND used_at IS NULL AND expires_at > $2
             AND NOT EXISTS (SELECT 1 FROM tokens k
                             WHERE k.hash = embed_tokens.issuer AND k.revoked_at IS NOT NULL)",
        )
        .bind(token_hash)
        .bind(session.begins_at.0)
        .execute(&mut *transaction)
        .await?;
        if used == 0 {
            return Err(StorageError::NotFound);
        }
        let row = query("SELECT * FROM embed_tokens WHERE hash = $1")
            .bind(token_hash)
            .fetch_one(&mut *transaction)
            .await?;
        let token = embed_token(&row)?;
        let id = match optional(&row, "visitor")? {
            Some(id) => id,
            None => unknown(&mut transaction, &token, session).await?,
        };
        let visitor = visitor(&mut transaction, id).await?;
        add_session(&mut transaction, &token, &visitor, session).await?;
        transaction.commit().await?;
        Ok(visitor)
    }

    /// Revokes all sessions of a visitor.
    pub async fn end_sessions(&self, id: PersonId, now: Timestamp) -> Result<(), StorageError> {
        let mut transaction = self.0.begin().await?;
        query(
            "UPDATE tokens SET revoked_at = $2
             WHERE person = $1 AND kind = 'visitor' AND revoked_at IS NULL",
        )
        .bind(id.to_string())
        .bind(now.0)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(())
    }
}

/// Whom a site names: the same as before, under the name that it says now.
async fn named(
    transaction: &mut Connection,
    token: &EmbedToken,
    visitor: NewVisitor<'_>,
) -> Result<String, StorageError> {
    query(
        "INSERT INTO visitors (id, tenant, project, origin, subject, name, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (tenant, project, origin, subject) DO UPDATE SET name = $6",
    )
    .bind(visitor.id.to_string())
    .bind(token.tenant.as_str())
    .bind(token.project.as_str())
    .bind(&token.origin)
    .bind(visitor.subject)
    .bind(visitor.name)
    .bind(token.created_at.0)
    .execute(&mut *transaction)
    .await?;
    let row = query(
        "SELECT id FROM visitors
         WHERE tenant = $1 AND project = $2 AND origin = $3 AND subject = $4",
    )
    .bind(token.tenant.as_str())
    .bind(token.project.as_str())
    .bind(&token.origin)
    .bind(visitor.subject)
    .fetch_one(&mut *transaction)
    .await?;
    Ok(row.try_get("id")?)
}

/// Somebody whom the site does not know: who was here a moment ago, or somebody new.
async fn unknown(
    transaction: &mut Connection,
    token: &EmbedToken,
    session: &VisitorSession,
) -> Result<PersonId, StorageError> {
    if let Some(same) = session.same_as {
        let row = query(
            "SELECT id FROM visitors WHERE id = $1 AND tenant = $2 AND project = $3
             AND origin = $4 AND subject IS NULL",
        )
        .bind(same.to_string())
        .bind(token.tenant.as_str())
        .bind(token.project.as_str())
        .bind(&token.origin)
        .fetch_optional(&mut *transaction)
        .await?;
        if row.is_some() {
            return Ok(same);
        }
    }
    query(
        "INSERT INTO visitors (id, tenant, project, origin, name, created_at)
         VALUES ($1, $2, $3, $4, '', $5)",
    )
    .bind(session.new_visitor.to_string())
    .bind(token.tenant.as_str())
    .bind(token.project.as_str())
    .bind(&token.origin)
    .bind(session.begins_at.0)
    .execute(&mut *transaction)
    .await?;
    Ok(session.new_visitor)
}

async fn visitor(transaction: &mut Connection, id: PersonId) -> Result<Visitor, StorageError> {
    let row = query("SELECT * FROM visitors WHERE id = $1")
        .bind(id.to_string())
        .fetch_one(&mut *transaction)
        .await?;
    let is_known = row.try_get::<Option<String>>("subject")?.is_some();
    Ok(Visitor { id, name: row.try_get("name")?, is_known })
}

/// Adds the session, and removes those of the visitor that ended long ago.
async fn add_session(
    transaction: &mut Connection,
    token: &EmbedToken,
    visitor: &Visitor,
    session: &VisitorSession,
) -> Result<(), StorageError> {
    let kind = TokenKind::Visitor.as_str();
    query("DELETE FROM tokens WHERE person = $1 AND kind = $2 AND expires_at < $3")
        .bind(visitor.id.to_string())
        .bind(kind)
        .bind(session.begins_at.0 - KEPT_MS)
        .execute(&mut *transaction)
        .await?;
    query(
        "INSERT INTO tokens
         (id, hash, kind, tenant, role, name, created_at, last_used_at, expires_at, person, issuer)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9, $10)",
    )
    .bind(&session.id)
    .bind(&session.hash)
    .bind(kind)
    .bind(token.tenant.as_str())
    .bind(AccessRole::User.as_str())
    .bind(&visitor.name)
    .bind(session.begins_at.0)
    .bind(session.ends_at.0)
    .bind(visitor.id.to_string())
    .bind(&token.issuer)
    .execute(&mut *transaction)
    .await?;
    Ok(())
}

fn embed_token(row: &Row) -> Result<EmbedToken, StorageError> {
    Ok(EmbedToken {
        tenant: parsed(row, "tenant")?,
        project: parsed(row, "project")?,
        origin: row.try_get("origin")?,
        issuer: row.try_get("issuer")?,
        created_at: Timestamp(row.try_get("created_at")?),
        expires_at: Timestamp(row.try_get("expires_at")?),
    })
}
