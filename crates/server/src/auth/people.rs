//! People with accounts of their own (Y-1): how they get one, change their password, are shut out.
//!
//! - By invitation: a link that works once ([`Access::invite`], [`Access::accept`]).
//! - By a login provider: whoever it names is found or gets an account ([`Access::log_in_identified`]).
//!   What it says is believed, so it has to be checked before.

use std::net::IpAddr;
use std::time::Duration;

use parlor_protocol::{PersonId, PersonName, RoleName, TenantId};
use parlor_storage::{AccessRole, Identity, Invitation, NewPerson, Person, StorageError};
use secrecy::{ExposeSecret, SecretString};
use uuid::Uuid;

use super::password::{HashError, PasswordHasher, weakness};
use super::session_store::NewSession;
use super::throttle::Target;
use super::token::{TokenHash, new_token};
use super::{Access, AccessError, LoginError};
use crate::clock::{Clock, later};

/// How long an invitation can be accepted.
const INVITATION_LASTS: Duration = Duration::from_secs(7 * 86_400);
/// A longer password is not taken: it would only take time to hash.
const LONGEST_PASSWORD: usize = 1024;

/// Somebody whom a login provider has identified.
#[derive(Debug, Clone)]
pub struct IdentifiedPerson<'i> {
    /// The tenant that they log in to.
    pub tenant: &'i TenantId,
    /// The provider, as the configuration names it.
    pub provider: &'i str,
    /// The provider's own id of the person, which never changes.
    pub subject: &'i str,
    /// The name that they get if they have no account yet.
    pub name: PersonName,
    /// Their address, if the provider has proven it.
    pub email: Option<String>,
    /// The access role that they have from now on.
    pub role: AccessRole,
    /// Their roles from now on, if the provider says them.
    pub roles: Option<Vec<RoleName>>,
}

/// Why an invitation was not accepted, by what the caller does next.
#[derive(Debug)]
pub(crate) enum AcceptError {
    /// Say that the link does not work: it is unknown, used, or has lapsed.
    NotValid,
    /// Ask for another name: somebody has this one.
    NameTaken,
    /// Say it and ask again.
    WeakPassword(PasswordProblem),
    /// Ask to try again in a moment.
    Busy,
    /// Log it.
    Failed(AccessError),
}

/// Why a password is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PasswordProblem {
    /// It is easy to guess.
    TooShort,
    /// It is longer than any that is taken.
    TooLong,
}

/// What is wrong with a new password, if anything.
pub(crate) fn password_problem(password: &SecretString) -> Option<PasswordProblem> {
    if password.expose_secret().len() > LONGEST_PASSWORD {
        return Some(PasswordProblem::TooLong);
    }
    weakness(password).map(|_| PasswordProblem::TooShort)
}

/// The hash of a new password, for a command.
pub(crate) async fn hash_password(password: SecretString) -> Result<String, HashError> {
    PasswordHasher::new().hash(vec![password]).await?.pop().ok_or(HashError::Failed)
}

/// Makes an invitation; returns the token of its link, which is shown once.
pub(crate) async fn add_invitation(
    store: &parlor_storage::Store,
    clock: &Clock,
    (tenant, role, email): (&TenantId, AccessRole, Option<String>),
    invited_by: &str,
) -> Result<(SecretString, Invitation), AccessError> {
    let (token, now) = (new_token("invite")?, clock.now());
    let invitation = Invitation {
        tenant: tenant.clone(),
        role,
        email,
        invited_by: invited_by.to_owned(),
        created_at: now,
        expires_at: later(now, INVITATION_LASTS),
    };
    let hash = TokenHash::of(token.expose_secret()).to_hex();
    store.people().invite(&hash, &invitation).await?;
    Ok((token, invitation))
}

impl From<StorageError> for AcceptError {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::NotFound => Self::NotValid,
            StorageError::NameTaken => Self::NameTaken,
            error => Self::Failed(error.into()),
        }
    }
}

impl From<HashError> for AcceptError {
    fn from(error: HashError) -> Self {
        match error {
            HashError::Busy => Self::Busy,
            HashError::Failed => Self::Failed(error.into()),
        }
    }
}

impl Access {
    /// Makes an invitation to a tenant; returns the token of its link, which is shown once.
    pub(crate) async fn invite(
        &self,
        tenant: &TenantId,
        role: AccessRole,
        email: Option<String>,
        invited_by: &str,
    ) -> Result<(SecretString, Invitation), AccessError> {
        add_invitation(&self.store, &self.clock, (tenant, role, email), invited_by).await
    }

    /// The invitation of a token, if it can be accepted. One to a tenant that is no longer
    /// configured cannot.
    pub(crate) async fn invitation(&self, token: &str) -> Result<Option<Invitation>, StorageError> {
        let hash = TokenHash::of(token).to_hex();
        let found = self.store.people().invitation(&hash, self.clock.now()).await?;
        Ok(found.filter(|invitation| self.has_tenant(&invitation.tenant)))
    }

    /// Accepts an invitation, and returns the secret of the new person's first session.
    pub(crate) async fn accept(
        &self,
        token: &str,
        name: PersonName,
        password: SecretString,
        device: String,
    ) -> Result<SecretString, AcceptError> {
        let invitation = self.invitation(token).await?.ok_or(AcceptError::NotValid)?;
        if let Some(problem) = password_problem(&password) {
            return Err(AcceptError::WeakPassword(problem));
        }
        let new = NewPerson {
            id: PersonId::new(Uuid::now_v7()),
            tenant: invitation.tenant,
            name,
            email: invitation.email,
            role: invitation.role,
            password_hash: self.hasher.hash(vec![password]).await?.pop(),
            created_at: self.clock.now(),
        };
        let hash = TokenHash::of(token).to_hex();
        self.store.people().accept_invitation(&hash, &new).await?;
        let session = NewSession {
            tenant: new.tenant,
            role: new.role,
            name: new.name.to_string(),
            person: Some(new.id),
            device,
        };
        self.sessions.begin(session).await.map_err(AcceptError::Failed)
    }

    /// Finds or creates the person whom a login provider has identified, and begins a session.
    pub async fn log_in_identified(
        &self,
        identified: IdentifiedPerson<'_>,
        device: String,
    ) -> Result<SecretString, LoginError> {
        let IdentifiedPerson { tenant, provider, subject, name, email, role, roles } = identified;
        if !self.has_tenant(tenant) {
            return Err(LoginError::Disabled);
        }
        let new = NewPerson {
            id: PersonId::new(Uuid::now_v7()),
            tenant: tenant.clone(),
            name,
            email,
            role,
            password_hash: None,
            created_at: self.clock.now(),
        };
        let people = self.store.people();
        let (person, ended_sessions) =
            people.identified(Identity { provider, subject }, &new).await?;
        if let Some(roles) = roles.filter(|roles| *roles != person.roles) {
            people.set_roles(tenant, person.id, &roles).await?;
        }
        if ended_sessions {
            self.sessions.changed().await?;
        }
        self.begin_session_of(person, device).await
    }

    /// Begins a session of a person.
    pub(super) async fn begin_session_of(
        &self,
        person: Person,
        device: String,
    ) -> Result<SecretString, LoginError> {
        if person.disabled_at.is_some() {
            return Err(LoginError::Disabled);
        }
        let Person { id, tenant, name, role, .. } = person;
        let session = NewSession { tenant, role, name, person: Some(id), device };
        self.sessions.begin(session).await.map_err(LoginError::Failed)
    }

    /// Changes the password of a person who knows the one they have, and ends their other sessions.
    pub(crate) async fn change_password(
        &self,
        person: &Person,
        (current, new): (SecretString, SecretString),
        kept_session: &str,
        from: IpAddr,
    ) -> Result<(), LoginError> {
        let target = Target { tenant: &person.tenant, name: Some(person.login.as_str()) };
        self.slowed_down(from, target, async {
            let found = self.person(&person.tenant, Some(&person.login), current).await?;
            Ok::<_, LoginError>(found.map(drop))
        })
        .await?;
        let hash = self.hasher.hash(vec![new]).await?.pop().ok_or(HashError::Failed)?;
        let (people, now) = (self.store.people(), self.clock.now());
        people.set_password(person.id, &hash, Some(kept_session), now).await?;
        Ok(self.sessions.changed().await?)
    }

    /// Shuts a person out, which ends their sessions and keys at once, or lets them in again.
    pub(crate) async fn set_disabled(
        &self,
        tenant: &TenantId,
        id: PersonId,
        disabled: bool,
    ) -> Result<Person, StorageError> {
        let people = self.store.people();
        people.set_disabled(tenant, id, disabled, self.clock.now()).await?;
        self.sessions.changed().await?;
        people.find(tenant, id).await
    }
}
