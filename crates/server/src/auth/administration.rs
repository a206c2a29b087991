//! What administrators change about who may come in: keys, roles, sessions. Each act is recorded
//! before it is done, so that none is missing from the record.
//!
//! A key is of the shared account, or of the administrator who makes it. Nobody makes keys for other
//! people here: they would read what those have to themselves.

use parlor_chat::Caller;
use parlor_protocol::{PersonId, RoleName, Timestamp};
use parlor_storage::{AccessRole, AdminAct, Person, StorageError, Token};
use secrecy::SecretString;
use uuid::Uuid;

use super::credentials::add_key;
use super::{Access, AccessError};

/// What an administrator did, or somebody who lets others read a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    KeyCreated,
    KeyRevoked,
    PersonInvited,
    PersonDisabled,
    PersonEnabled,
    RoleChanged,
    SessionEnded,
    SessionsEnded,
    ServerRestarted,
    ServerLogin,
    ServerLogout,
    DecisionsExported,
    LinkMade,
    LinkTakenBack,
    RolesChanged,
}

impl Act {
    fn as_str(self) -> &'static str {
        match self {
            Self::KeyCreated => "key_created",
            Self::KeyRevoked => "key_revoked",
            Self::PersonInvited => "person_invited",
            Self::PersonDisabled => "person_disabled",
            Self::PersonEnabled => "person_enabled",
            Self::RoleChanged => "role_changed",
            Self::SessionEnded => "session_ended",
            Self::SessionsEnded => "sessions_ended",
            Self::ServerRestarted => "server_restarted",
            Self::ServerLogin => "server_login",
            Self::ServerLogout => "server_logout",
            Self::DecisionsExported => "decisions_exported",
            Self::RolesChanged => "roles_changed",
            Self::LinkMade => "link_made",
            Self::LinkTakenBack => "link_taken_back",
        }
    }
}

impl Access {
    /// The time of day.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Records an act about whom or what an id and a name say.
    pub(crate) async fn record(
        &self,
        caller: &Caller,
        act: Act,
        (subject, subject_name): (&str, &str),
    ) -> Result<(), StorageError> {
        let (tenant, by, act) = (&caller.tenant, &caller.name, act.as_str());
        tracing::info!(%tenant, by, act, subject, "a recorded act");
        let act = AdminAct {
            id: Uuid::now_v7().to_string(),
            at: self.clock.now(),
            tenant: tenant.clone(),
            session: caller.session.clone(),
            name: by.clone(),
            person: caller.person(),
            act: act.to_owned(),
            subject: subject.to_owned(),
            subject_name: subject_name.to_owned(),
        };
        self.store.add_admin_act(&act).await
    }

    /// Creates a key of the shared account, or of this person; returns its id and its secret.
    pub(crate) async fn create_key(
        &self,
        caller: &Caller,
        whose: (AccessRole, Option<PersonId>),
        name: &str,
    ) -> Result<(String, SecretString), AccessError> {
        self.record(caller, Act::KeyCreated, ("", name)).await?;
        add_key(&self.store, &self.clock, &caller.tenant, whose, name).await
    }

    /// Revokes a key, and ends its open streams.
    pub(crate) async fn revoke_key(
        &self,
        caller: &Caller,
        key: &Token,
    ) -> Result<(), StorageError> {
        self.record(caller, Act::KeyRevoked, (&key.id, &key.name)).await?;
        self.sessions.end_by_id(&caller.tenant, &key.id).await?;
        // With it end the visitors whom it let in.
        self.sessions.changed().await
    }

    /// Gives a person another access role, which ends what the one before let them in with.
    pub(crate) async fn set_role(
        &self,
        caller: &Caller,
        person: &Person,
        role: AccessRole,
    ) -> Result<(), StorageError> {
        let about = format!("{} → {}", person.name, role.as_str());
        self.record(caller, Act::RoleChanged, (&person.id.to_string(), &about)).await?;
        let people = self.store.people();
        people.set_role(&caller.tenant, person.id, role, self.clock.now()).await?;
        self.sessions.changed().await
    }

    /// Gives a person these roles, and no others. They hold from the next answer on.
    pub(crate) async fn set_roles(
        &self,
        caller: &Caller,
        person: &Person,
        roles: &[RoleName],
    ) -> Result<(), StorageError> {
        let names: Vec<&str> = roles.iter().map(RoleName::as_str).collect();
        let about = format!("{} → {}", person.name, names.join(", "));
        self.record(caller, Act::RolesChanged, (&person.id.to_string(), &about)).await?;
        self.store.people().set_roles(&caller.tenant, person.id, roles).await
    }

    /// Ends all sessions of a person, on all servers.
    pub(crate) async fn end_sessions_of(
        &self,
        caller: &Caller,
        person: &Person,
    ) -> Result<(), StorageError> {
        self.record(caller, Act::SessionsEnded, (&person.id.to_string(), &person.name)).await?;
        self.store.access().revoke_sessions_of(person.id, self.clock.now()).await?;
        self.sessions.changed().await
    }
}
