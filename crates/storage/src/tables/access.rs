//! Credentials: passwords, sessions and keys. Only hashes come here; hashing is done above.

use std::collections::HashMap;

use parlor_database::{Row, query};
use parlor_protocol::{PersonId, TenantId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::columns::{optional, parsed};
use crate::error::StorageError;
use crate::store::Store;
use crate::tables::token_kind::{TokenKind, Visit, visit};

/// The access role of a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccessRole {
    /// May chat.
    User,
    /// May read audit, blocked inputs and status too.
    Admin,
}

/// A token that is created.
#[derive(Debug, Clone)]
pub struct NewToken {
    /// Its public id.
    pub id: String,
    /// SHA-256 of the secret, in hex.
    pub hash: String,
    /// Session or key.
    pub kind: TokenKind,
    /// The tenant.
    pub tenant: TenantId,
    /// Its access role.
    pub role: AccessRole,
    /// Its name for people.
    pub name: String,
    /// Whose it is; none if it is of the tenant's shared account.
    pub person: Option<PersonId>,
    /// What a session runs on, in a few words.
    pub device: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it expires; keys do not.
    pub expires_at: Option<Timestamp>,
}

/// Whose sessions are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionsOf<'a> {
    /// Everybody's of the tenant.
    Tenant,
    /// A person's.
    Person(PersonId),
    /// This one alone.
    One(&'a str),
}

/// Whose a token is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenPerson {
    /// The person.
    pub id: PersonId,
    /// Their name.
    pub name: String,
}

/// A token as it is stored: valid, expired or revoked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Its public id.
    pub id: String,
    /// Session or key.
    pub kind: TokenKind,
    /// The tenant.
    pub tenant: TenantId,
    /// Its access role.
    pub role: AccessRole,
    /// Its name for people.
    pub name: String,
    /// Whose it is; none if it is of the tenant's shared account.
    pub person: Option<TokenPerson>,
    /// What the session of a visitor is held to.
    pub visit: Option<Visit>,
    /// What a session runs on, in a few words.
    pub device: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last used, to the minute.
    pub last_used_at: Timestamp,
    /// When it expires.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked, or the person disabled.
    pub revoked_at: Option<Timestamp>,
}

/// How many hashes one statement takes. A statement is prepared once for each of these sizes;
/// one that has fewer hashes repeats the last.
const BATCHES: [usize; 3] = [4, 50, 500];

/// A token, and whose it is. That of a visitor ends with the key that let them in.
pub(crate) const SELECT: &str =
    "SELECT t.*, COALESCE(t.revoked_at, p.disabled_at, k.revoked_at) AS ended_at,
     COALESCE(p.name, v.name) AS person_name, v.project AS visited_project,
     v.origin AS visited_from, k.id AS issuer_id
     FROM tokens t LEFT JOIN people p ON p.id = t.person
     LEFT JOIN visitors v ON v.id = t.person AND t.kind = 'visitor'
     LEFT JOIN tokens k ON k.hash = t.issuer";

/// The stored credentials.
#[derive(Debug, Clone, Copy)]
pub struct Access<'s>(pub(crate) &'s Store);

impl Store {
    /// The stored credentials.
    pub fn access(&self) -> Access<'_> {
        Access(self)
    }
}

impl Access<'_> {
    /// The stored hash of a password, if there is one.
    pub async fn password_hash(
        &self,
        tenant: &TenantId,
        role: AccessRole,
    ) -> Result<Option<String>, StorageError> {
        let row = query("SELECT hash FROM passwords WHERE tenant = $1 AND role = $2")
            .bind(tenant.as_str())
            .bind(role.as_str())
            .fetch_optional(self.0.reader())
            .await?;
        Ok(row.map(|row| row.try_get("hash")).transpose()?)
    }

    /// Sets the password of the shared account, and revokes the sessions that were opened with the
    /// old one.
    pub async fn set_password(
        &self,
        tenant: &TenantId,
        role: AccessRole,
        hash: &str,
        now: Timestamp,
    ) -> Result<(), StorageError> {
        let mut transaction = self.0.begin().await?;
        query(
            "INSERT INTO passwords (tenant, role, hash, changed_at) VALUES ($1, $2, $3, $4)
             ON CONFLICT (tenant, role) DO UPDATE SET hash = $3, changed_at = $4",
        )
        .bind(tenant.as_str())
        .bind(role.as_str())
        .bind(hash)
        .bind(now.0)
        .execute(&mut *transaction)
        .await?;
        query(
            "UPDATE tokens SET revoked_at = $3
             WHERE tenant = $1 AND role = $2 AND kind = 'session' AND person IS NULL
             AND revoked_at IS NULL",
        )
        .bind(tenant.as_str())
        .bind(role.as_str())
        .bind(now.0)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Stores a token.
    pub async fn add_token(&self, token: &NewToken) -> Result<(), StorageError> {
        let mut transaction = self.0.begin().await?;
        query(
            "INSERT INTO tokens
             (id, hash, kind, tenant, role, name, created_at, last_used_at, expires_at, person,
              device)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9, $10)
             ON CONFLICT (hash) DO NOTHING",
        )
        .bind(&token.id)
        .bind(&token.hash)
        .bind(token.kind.as_str())
        .bind(token.tenant.as_str())
        .bind(token.role.as_str())
        .bind(&token.name)
        .bind(token.created_at.0)
        .bind(token.expires_at.map(|at| at.0))
        .bind(token.person.map(|person| person.to_string()))
        .bind(&token.device)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(())
    }

    /// The token with this hash, even if it has expired or was revoked.
    pub async fn token_by_hash(&self, hash: &str) -> Result<Option<Token>, StorageError> {
        let row = query(format!("{SELECT} WHERE t.hash = $1"))
            .bind(hash)
            .fetch_optional(self.0.reader())
            .await?;
        row.as_ref().map(token).transpose()
    }

    /// The tokens with these hashes, by hash, even if they have expired or were revoked.
    pub async fn tokens_by_hash(
        &self,
        hashes: &[String],
    ) -> Result<HashMap<String, Token>, StorageError> {
        let mut found = HashMap::with_capacity(hashes.len());
        for hashes in hashes.chunks(BATCHES[BATCHES.len() - 1]) {
            let mut select = query(select_by_hash(batch_size(hashes.len())));
            for hash in padded(hashes) {
                select = select.bind(hash);
            }
            for row in select.fetch_all(self.0.reader()).await? {
                found.insert(row.try_get("hash")?, token(&row)?);
            }
        }
        Ok(found)
    }

    /// The tokens of one kind of a tenant, newest first.
    pub async fn tokens(
        &self,
        tenant: &TenantId,
        kind: TokenKind,
    ) -> Result<Vec<Token>, StorageError> {
        let rows = query(format!(
            "{SELECT} WHERE t.tenant = $1 AND t.kind = $2 ORDER BY t.created_at DESC, t.id"
        ))
        .bind(tenant.as_str())
        .bind(kind.as_str())
        .fetch_all(self.0.reader())
        .await?;
        rows.iter().map(token).collect()
    }

    /// The valid sessions of a tenant that are meant, newest first.
    pub async fn sessions(
        &self,
        tenant: &TenantId,
        of: SessionsOf<'_>,
        now: Timestamp,
    ) -> Result<Vec<Token>, StorageError> {
        let (person, id) = match of {
            SessionsOf::Tenant => (None, None),
            SessionsOf::Person(person) => (Some(person.to_string()), None),
            SessionsOf::One(id) => (None, Some(id)),
        };
        let rows = query(format!(
            "{SELECT} WHERE t.tenant = $1 AND t.kind = 'session' AND t.revoked_at IS NULL
             AND p.disabled_at IS NULL AND t.expires_at > $2
             AND ($3 IS NULL OR t.person = $3) AND ($4 IS NULL OR t.id = $4)
             ORDER BY t.created_at DESC, t.id"
        ))
        .bind(tenant.as_str())
        .bind(now.0)
        .bind(person)
        .bind(id)
        .fetch_all(self.0.reader())
        .await?;
        rows.iter().map(token).collect()
    }

    /// Stores when a token was used, and when it expires now.
    pub async fn touch_token(
        &self,
        id: &str,
        now: Timestamp,
        expires_at: Option<Timestamp>,
    ) -> Result<(), StorageError> {
        let mut transaction = self.0.begin().await?;
        query("UPDATE tokens SET last_used_at = $2, expires_at = $3 WHERE id = $1")
            .bind(id)
            .bind(now.0)
            .bind(expires_at.map(|at| at.0))
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Revokes a token of a tenant; `NotFound` if there is none to revoke.
    pub async fn revoke_token(
        &self,
        tenant: &TenantId,
        id: &str,
        now: Timestamp,
    ) -> Result<(), StorageError> {
        let mut transaction = self.0.begin().await?;
        let revoked = query(
            "UPDATE tokens SET revoked_at = $3
             WHERE id = $2 AND tenant = $1 AND revoked_at IS NULL",
        )
        .bind(tenant.as_str())
        .bind(id)
        .bind(now.0)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        if revoked == 0 { Err(StorageError::NotFound) } else { Ok(()) }
    }
}

/// The smallest batch that takes so many hashes.
fn batch_size(hashes: usize) -> usize {
    BATCHES.into_iter().find(|size| *size >= hashes).unwrap_or(hashes)
}

/// The hashes of a batch, the last as often as it takes to fill it.
fn padded(hashes: &[String]) -> impl Iterator<Item = &String> {
    let missing = batch_size(hashes.len()) - hashes.len();
    hashes.iter().chain(hashes.last().into_iter().cycle().take(missing))
}

fn select_by_hash(hashes: usize) -> String {
    let numbers: Vec<String> = (1..=hashes).map(|number| format!("${number}")).collect();
    format!("{SELECT} WHERE t.hash IN ({})", numbers.join(", "))
}

pub(crate) fn token(row: &Row) -> Result<Token, StorageError> {
    let time = |column| -> Result<Option<Timestamp>, StorageError> {
        Ok(row.try_get::<Option<i64>>(column)?.map(Timestamp))
    };
    let kind: String = row.try_get("kind")?;
    let mut is_gone = false;
    let person = match optional(row, "person")? {
        Some(id) => {
            let name = row.try_get::<Option<String>>("person_name")?;
            // Whoever is gone lets nobody in.
            is_gone = name.is_none();
            Some(TokenPerson { id, name: name.unwrap_or_default() })
        }
        None => None,
    };
    Ok(Token {
        id: row.try_get("id")?,
        kind: TokenKind::from_name(&kind),
        tenant: parsed(row, "tenant")?,
        role: AccessRole::from_name(row.try_get("role")?),
        name: row.try_get("name")?,
        person,
        visit: visit(row)?,
        device: row.try_get("device")?,
        created_at: Timestamp(row.try_get("created_at")?),
        last_used_at: Timestamp(row.try_get("last_used_at")?),
        expires_at: time("expires_at")?,
        revoked_at: time("ended_at")?.or(is_gone.then_some(Timestamp(0))),
    })
}

impl AccessRole {
    /// From its name. Fail closed: any other text is not an admin.
    pub(crate) fn from_name(name: &str) -> Self {
        if name == "admin" { Self::Admin } else { Self::User }
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Admin => "admin",
        }
    }
}
