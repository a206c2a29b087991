//! Invitations: links with which somebody gets an account, once.

use parlor_database::{Row, query};
use parlor_protocol::{TenantId, Timestamp};

use super::people::{self, NewPerson, People};
use crate::columns::parsed;
use crate::error::StorageError;
use crate::tables::access::AccessRole;

/// An invitation that can still be accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    /// The tenant that invites.
    pub tenant: TenantId,
    /// The access role of the new account.
    pub role: AccessRole,
    /// The address of whom it is for, if that is known.
    pub email: Option<String>,
    /// The name of who invites.
    pub invited_by: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it lapses.
    pub expires_at: Timestamp,
}

impl People<'_> {
    /// Stores an invitation under the hash of its token. Those that lapsed are removed.
    pub async fn invite(&self, hash: &str, invitation: &Invitation) -> Result<(), StorageError> {
        let mut transaction = self.0.begin().await?;
        query("DELETE FROM invitations WHERE tenant = $1 AND expires_at <= $2 AND used_at IS NULL")
            .bind(invitation.tenant.as_str())
            .bind(invitation.created_at.0)
            .execute(&mut *transaction)
            .await?;
        query(
            "INSERT INTO invitations
             (hash, tenant, role, email, invited_by, created_at, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
        )
        .bind(hash)
        .bind(invitation.tenant.as_str())
        .bind(invitation.role.as_str())
        .bind(&invitation.email)
        .bind(&invitation.invited_by)
        .bind(invitation.created_at.0)
        .bind(invitation.expires_at.0)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(())
    }

    /// The invitation of a token, if it was not accepted and has not lapsed.
    pub async fn invitation(
        &self,
        hash: &str,
        now: Timestamp,
    ) -> Result<Option<Invitation>, StorageError> {
        let row = query(
            "SELECT * FROM invitations WHERE hash = $1 AND used_at IS NULL AND expires_at > $2",
        )
        .bind(hash)
        .bind(now.0)
        .fetch_optional(self.0.reader())
        .await?;
        row.as_ref().map(invitation).transpose()
    }

    /// Accepts an invitation: of several who try, one gets the account. `NotFound` if it cannot be
    /// accepted; if the name is taken, it stays as it is.
    pub async fn accept_invitation(&self, hash: &str, new: &NewPerson) -> Result<(), StorageError> {
        let mut transaction = self.0.begin().await?;
        let accepted = query(
            "UPDATE invitations SET used_at = $2, person = $3
             WHERE hash = $1 AND used_at IS NULL AND expires_at > $2",
        )
        .bind(hash)
        .bind(new.created_at.0)
        .bind(new.id.to_string())
        .execute(&mut *transaction)
        .await?;
        if accepted == 0 {
            return Err(StorageError::NotFound);
        }
        people::insert(&mut transaction, new, &new.name.login()).await?;
        transaction.commit().await?;
        Ok(())
    }
}

fn invitation(row: &Row) -> Result<Invitation, StorageError> {
    Ok(Invitation {
        tenant: parsed(row, "tenant")?,
        role: AccessRole::from_name(row.try_get("role")?),
        email: row.try_get("email")?,
        invited_by: row.try_get("invited_by")?,
        created_at: Timestamp(row.try_get("created_at")?),
        expires_at: Timestamp(row.try_get("expires_at")?),
    })
}
