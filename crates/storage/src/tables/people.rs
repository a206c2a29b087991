//! People with accounts of their own: their rows, passwords and identities. Only hashes come here.

use parlor_database::{Connection, Fault, Row, query};
use parlor_protocol::{LoginName, PersonId, PersonName, RoleName, TenantId, Timestamp};
use serde::Serialize;

use crate::columns::parsed;
use crate::error::StorageError;
use crate::store::Store;
use crate::tables::access::AccessRole;

/// A person of a tenant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Person {
    /// The id.
    pub id: PersonId,
    /// The tenant; its administrators know it.
    #[serde(skip)]
    pub tenant: TenantId,
    /// The name, as others read it.
    pub name: String,
    /// What they log in with.
    pub login: LoginName,
    /// The address, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// The access role.
    pub role: AccessRole,
    /// Their roles, for prompts that name who answers them.
    pub roles: Vec<RoleName>,
    /// When the account was created.
    pub created_at: Timestamp,
    /// Since when nothing of theirs lets anybody in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled_at: Option<Timestamp>,
}

/// A person who gets an account.
#[derive(Debug, Clone)]
pub struct NewPerson {
    /// The id.
    pub id: PersonId,
    /// The tenant.
    pub tenant: TenantId,
    /// The name.
    pub name: PersonName,
    /// The address, if it is known.
    pub email: Option<String>,
    /// The access role.
    pub role: AccessRole,
    /// The hash of the password, if they have one here.
    pub password_hash: Option<String>,
    /// When.
    pub created_at: Timestamp,
}

/// Who somebody is at a login provider.
#[derive(Debug, Clone, Copy)]
pub struct Identity<'i> {
    /// The provider, as the configuration names it.
    pub provider: &'i str,
    /// The provider's own id of the person, which never changes.
    pub subject: &'i str,
}

/// How often another login name is tried for somebody whose name is taken.
const MOST_NAMESAKES: u32 = 100;

/// The people of all tenants.
#[derive(Debug, Clone, Copy)]
pub struct People<'s>(pub(crate) &'s Store);

impl Store {
    /// The people of all tenants.
    pub fn people(&self) -> People<'_> {
        People(self)
    }
}

impl People<'_> {
    /// Whether anybody has an account, in whatever tenant.
    pub async fn exist(&self) -> Result<bool, StorageError> {
        let row = query("SELECT EXISTS (SELECT 1 FROM people) AS some_exist")
            .fetch_one(self.0.reader())
            .await?;
        Ok(row.try_get("some_exist")?)
    }

    /// The people of a tenant, in the order in which they came.
    pub async fn list(&self, tenant: &TenantId) -> Result<Vec<Person>, StorageError> {
        let rows = query("SELECT * FROM people WHERE tenant = $1 ORDER BY created_at, id")
            .bind(tenant.as_str())
            .fetch_all(self.0.reader())
            .await?;
        rows.iter().map(person).collect()
    }

    /// Gives a person another access role, and revokes what the one before let them in with.
    pub async fn set_role(
        &self,
        tenant: &TenantId,
        id: PersonId,
        role: AccessRole,
        now: Timestamp,
    ) -> Result<(), StorageError> {
        let mut transaction = self.0.begin().await?;
        let set = query("UPDATE people SET role = $3 WHERE tenant = $1 AND id = $2")
            .bind(tenant.as_str())
            .bind(id.to_string())
            .bind(role.as_str())
            .execute(&mut *transaction)
            .await?;
        if set == 0 {
            return Err(StorageError::NotFound);
        }
        revoke_of_other_role(&mut transaction, id, role, now).await?;
        transaction.commit().await?;
        Ok(())
    }

    /// The person of a tenant who logs in with this name.
    pub async fn by_login(
        &self,
        tenant: &TenantId,
        login: &LoginName,
    ) -> Result<Option<Person>, StorageError> {
        let row = query("SELECT * FROM people WHERE tenant = $1 AND login = $2")
            .bind(tenant.as_str())
            .bind(login.as_str())
            .fetch_optional(self.0.reader())
            .await?;
        row.as_ref().map(person).transpose()
    }

    /// A person of a tenant; another tenant's is `NotFound`.
    pub async fn find(&self, tenant: &TenantId, id: PersonId) -> Result<Person, StorageError> {
        let row = query("SELECT * FROM people WHERE tenant = $1 AND id = $2")
            .bind(tenant.as_str())
            .bind(id.to_string())
            .fetch_one(self.0.reader())
            .await?;
        person(&row)
    }

    /// The person who logs in with this name, and the hash of their password, if they have one
    /// here and may come in.
    pub async fn credentials(
        &self,
        tenant: &TenantId,
        login: &LoginName,
    ) -> Result<Option<(Person, String)>, StorageError> {
        let row = query(
            "SELECT * FROM people WHERE tenant = $1 AND login = $2
             AND disabled_at IS NULL AND password_hash IS NOT NULL",
        )
        .bind(tenant.as_str())
        .bind(login.as_str())
        .fetch_optional(self.0.reader())
        .await?;
        row.map(|row| Ok((person(&row)?, row.try_get("password_hash")?))).transpose()
    }

    /// Sets a person's password, and revokes their sessions but for one.
    pub async fn set_password(
        &self,
        id: PersonId,
        hash: &str,
        kept_session: Option<&str>,
        now: Timestamp,
    ) -> Result<(), StorageError> {
        let mut transaction = self.0.begin().await?;
        let set = query("UPDATE people SET password_hash = $2 WHERE id = $1")
            .bind(id.to_string())
            .bind(hash)
            .execute(&mut *transaction)
            .await?;
        if set == 0 {
            return Err(StorageError::NotFound);
        }
        query(
            "UPDATE tokens SET revoked_at = $2
             WHERE person = $1 AND kind = 'session' AND revoked_at IS NULL AND id <> $3",
        )
        .bind(id.to_string())
        .bind(now.0)
        .bind(kept_session.unwrap_or_default())
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Disables a person, which revokes their sessions and keys, or lets them in again.
    pub async fn set_disabled(
        &self,
        tenant: &TenantId,
        id: PersonId,
        disabled: bool,
        now: Timestamp,
    ) -> Result<(), StorageError> {
        let mut transaction = self.0.begin().await?;
        let set = query(
            "UPDATE people SET disabled_at = CASE WHEN $3 THEN COALESCE(disabled_at, $4) END
             WHERE tenant = $1 AND id = $2",
        )
        .bind(tenant.as_str())
        .bind(id.to_string())
        .bind(disabled)
        .bind(now.0)
        .execute(&mut *transaction)
        .await?;
        if set == 0 {
            return Err(StorageError::NotFound);
        }
        if disabled {
            query("UPDATE tokens SET revoked_at = $2 WHERE person = $1 AND revoked_at IS NULL")
                .bind(id.to_string())
                .bind(now.0)
                .execute(&mut *transaction)
                .await?;
            query("DELETE FROM mcp_person_logins WHERE person = $1")
                .bind(id.to_string())
                .execute(&mut *transaction)
                .await?;
            query("DELETE FROM mcp_login_attempts WHERE person = $1")
                .bind(id.to_string())
                .execute(&mut *transaction)
                .await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    /// The person who has this identity. Whoever comes for the first time gets the account that
    /// `new` describes, under another login name if it is taken; whoever comes again gets the role
    /// that the provider says now, and loses what another role let them in with. Also returns
    /// whether that has ended sessions.
    pub async fn identified(
        &self,
        identity: Identity<'_>,
        new: &NewPerson,
    ) -> Result<(Person, bool), StorageError> {
        if let Some(known) = self.known(&new.tenant, identity).await? {
            return self.renewed(known, new).await;
        }
        match self.add_identified(identity, new).await {
            Ok(added) => Ok((added, false)),
            // The same person came twice at the same moment.
            Err(StorageError::NameTaken) => {
                let known = self.known(&new.tenant, identity).await?;
                known.map(|known| (known, false)).ok_or(StorageError::NameTaken)
            }
            Err(error) => Err(error),
        }
    }

    async fn known(
        &self,
        tenant: &TenantId,
        identity: Identity<'_>,
    ) -> Result<Option<Person>, StorageError> {
        let row = query(
            "SELECT p.* FROM identities i JOIN people p ON p.id = i.person
             WHERE i.tenant = $1 AND i.provider = $2 AND i.subject = $3",
        )
        .bind(tenant.as_str())
        .bind(identity.provider)
        .bind(identity.subject)
        .fetch_optional(self.0.reader())
        .await?;
        row.as_ref().map(person).transpose()
    }

    async fn renewed(
        &self,
        known: Person,
        new: &NewPerson,
    ) -> Result<(Person, bool), StorageError> {
        if known.role == new.role && known.email == new.email {
            return Ok((known, false));
        }
        let mut transaction = self.0.begin().await?;
        query("UPDATE people SET role = $2, email = $3 WHERE id = $1")
            .bind(known.id.to_string())
            .bind(new.role.as_str())
            .bind(&new.email)
            .execute(&mut *transaction)
            .await?;
        let revoked =
            revoke_of_other_role(&mut transaction, known.id, new.role, new.created_at).await?;
        transaction.commit().await?;
        Ok((Person { role: new.role, email: new.email.clone(), ..known }, revoked > 0))
    }

    async fn add_identified(
        &self,
        identity: Identity<'_>,
        new: &NewPerson,
    ) -> Result<Person, StorageError> {
        let login = self.free_login(&new.tenant, new.name.login()).await?;
        let mut transaction = self.0.begin().await?;
        insert(&mut transaction, new, &login).await?;
        let named = query(
            "INSERT INTO identities (tenant, provider, subject, person, created_at)
             VALUES ($1, $2, $3, $4, $5)",
        )
        .bind(new.tenant.as_str())
        .bind(identity.provider)
        .bind(identity.subject)
        .bind(new.id.to_string())
        .bind(new.created_at.0)
        .execute(&mut *transaction)
        .await;
        named.map_err(name_taken)?;
        transaction.commit().await?;
        self.find(&new.tenant, new.id).await
    }

    /// The login name, or the first with a number that nobody has.
    async fn free_login(
        &self,
        tenant: &TenantId,
        login: LoginName,
    ) -> Result<LoginName, StorageError> {
        for number in 1..=MOST_NAMESAKES {
            let tried = if number == 1 { login.clone() } else { login.numbered(number) };
            if self.by_login(tenant, &tried).await?.is_none() {
                return Ok(tried);
            }
        }
        Err(StorageError::NameTaken)
    }
}

/// Revokes what another role let a person in with: their sessions, and keys that can do more.
async fn revoke_of_other_role(
    transaction: &mut Connection,
    id: PersonId,
    role: AccessRole,
    now: Timestamp,
) -> Result<u64, StorageError> {
    let revoked = query(
        "UPDATE tokens SET revoked_at = $3 WHERE person = $1 AND revoked_at IS NULL
         AND role <> $2 AND (kind = 'session' OR role = 'admin')",
    )
    .bind(id.to_string())
    .bind(role.as_str())
    .bind(now.0)
    .execute(transaction)
    .await?;
    Ok(revoked)
}

/// Adds a person; `NameTaken` if somebody of the tenant has the login name.
pub(crate) async fn insert(
    transaction: &mut Connection,
    new: &NewPerson,
    login: &LoginName,
) -> Result<(), StorageError> {
    let inserted = query(
        "INSERT INTO people (id, tenant, login, name, email, role, password_hash, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(new.id.to_string())
    .bind(new.tenant.as_str())
    .bind(login.as_str())
    .bind(new.name.as_str())
    .bind(&new.email)
    .bind(new.role.as_str())
    .bind(&new.password_hash)
    .bind(new.created_at.0)
    .execute(transaction)
    .await;
    inserted.map_err(name_taken)?;
    Ok(())
}

/// The only key of these rows that is not new is a name.
fn name_taken(fault: Fault) -> StorageError {
    match fault {
        Fault::Conflict(_) => StorageError::NameTaken,
        fault => fault.into(),
    }
}

pub(crate) fn person(row: &Row) -> Result<Person, StorageError> {
    Ok(Person {
        id: parsed(row, "id")?,
        tenant: parsed(row, "tenant")?,
        name: row.try_get("name")?,
        login: parsed(row, "login")?,
        email: row.try_get("email")?,
        role: AccessRole::from_name(row.try_get("role")?),
        // One that is no name is nobody's.
        roles: row.try_get::<String>("roles")?.split(' ').flat_map(str::parse).collect(),
        created_at: Timestamp(row.try_get("created_at")?),
        disabled_at: row.try_get::<Option<i64>>("disabled_at")?.map(Timestamp),
    })
}
