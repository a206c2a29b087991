//! Access (X): passwords create sessions; sessions and keys are tokens.
//!
//! 1. Somebody logs in, to the tenant's shared account or to their own ([`people`]): [`throttle`]
//!    slows guessing down, [`password`] compares, [`sessions`] creates a random token, which
//!    travels in the [`cookie`].
//! 2. A request carries that cookie, or a key in `X-API-Key` or as `Authorization: Bearer`;
//!    [`principal`] finds out whose it is before a handler runs.
//!    A visitor of a site that embeds a chat has a session too, and no cookie ([`visitors`]).
//! 3. Logging out, revoking and changing a password end the token, and every stream
//!    that is open with it.
//!
//! Only hashes are stored. No credential is ever read from a URL.

mod administration;
pub(crate) mod change_file;
pub(crate) mod changes_elsewhere;
pub(crate) mod cookie;
mod credentials;
mod device;
mod password;
mod people;
mod principal;
mod refused_logins;
mod session;
mod session_store;
mod throttle;
mod token;
mod visitors;

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::time::Duration;

use parlor_fanout::Fanout;
use parlor_protocol::{LoginName, ProjectId, TenantId};
use parlor_storage::{AccessRole, Person, StorageError, Store};
use secrecy::SecretString;

pub use credentials::{NewCredential, prepare_credentials};
pub use password::HashError;
pub use people::IdentifiedPerson;
pub use principal::Principal;
pub use session::Session;
pub use token::NoRandomness;

pub(crate) use administration::Act;
pub(crate) use credentials::{add_key, set_passwords};
pub(crate) use device::device_of;
pub(crate) use password::weakness;
pub(crate) use people::{
    AcceptError, PasswordProblem, add_invitation, hash_password, password_problem,
};
pub(crate) use principal::given_key;
pub(crate) use session::ENVIRONMENT_KEY;
pub(crate) use token::{TokenHash, is_short, new_token};
pub(crate) use visitors::{Embedded, SitePerson};

use crate::client_address::client_network;
use crate::clock::Clock;
use crate::config::{AccessConfig, Credentials, HOME};
use password::PasswordHasher;
use refused_logins::{Refusal, RefusedLogins};
use session_store::{NewSession, Sessions};
use throttle::{Attempt, Target, Throttle};

/// Why credentials could not be created or changed.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// The database failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// A password could not be hashed.
    #[error(transparent)]
    Hash(#[from] HashError),
    /// There are no random numbers.
    #[error(transparent)]
    Randomness(#[from] NoRandomness),
}

/// Why a login was refused, by what the caller does next.
#[derive(Debug)]
pub enum LoginError {
    /// Show the form again: the password is wrong, or there is no such name.
    WrongPassword,
    /// Show the form again: the next attempt is accepted after this time.
    RetryAfter(Duration),
    /// Say so to whoever has proven who they are: an administrator has disabled the account.
    Disabled,
    /// Log it.
    Failed(AccessError),
}

/// Who wants to log in, and from where.
#[derive(Debug)]
pub(crate) struct Login<'l> {
    pub(crate) tenant: &'l TenantId,
    /// The login name; none for the shared account.
    pub(crate) name: Option<&'l str>,
    pub(crate) password: SecretString,
    pub(crate) from: IpAddr,
    /// What the session runs on, in a few words.
    pub(crate) device: String,
}

/// What a password lets into.
enum Account {
    /// The tenant's shared account, with this access role.
    Shared(AccessRole),
    Person(Person),
}

/// The name of the sessions of a shared account.
const SHARED_SESSION: &str = "browser";
/// How long to wait if too many passwords are being checked.
const RETRY_WHEN_BUSY: Duration = Duration::from_secs(5);

impl From<StorageError> for LoginError {
    fn from(error: StorageError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<HashError> for LoginError {
    fn from(error: HashError) -> Self {
        match error {
            HashError::Busy => Self::RetryAfter(RETRY_WHEN_BUSY),
            HashError::Failed => Self::Failed(error.into()),
        }
    }
}

/// What a tenant allows.
#[derive(Debug, Clone)]
pub struct TenantAccess {
    /// Whether its administrators read the conversations that people have to themselves.
    pub admins_read: bool,
    /// The origins of sites that embed a project.
    pub embeds: BTreeMap<ProjectId, Vec<String>>,
}

/// Logins, sessions and keys.
#[derive(Debug)]
pub struct Access {
    pub(crate) sessions: Sessions,
    tenants: HashMap<TenantId, TenantAccess>,
    store: Store,
    clock: Clock,
    hasher: PasswordHasher,
    throttle: Throttle,
    /// Counted for the log.
    pub(crate) refused_logins: RefusedLogins,
}

impl Access {
    /// `tenants` are the configured ones; the keys among `credentials` are valid without
    /// being stored; `fanout` tells other nodes of what ends here.
    pub fn new(
        store: Store,
        clock: Clock,
        expiry: AccessConfig,
        tenants: HashMap<TenantId, TenantAccess>,
        credentials: &Credentials,
        fanout: Fanout,
    ) -> Self {
        let mut sessions = Sessions::new(store.clone(), clock.clone(), expiry, fanout);
        if let (Some(key), Ok(home)) = (&credentials.api_key, HOME.parse()) {
            sessions.accept_process_key(key, Session::of_environment(home));
        }
        if let Some((key, tenant)) = &credentials.editor_key {
            sessions.accept_process_key(key, Session::of_editor(tenant.clone()));
        }
        let (hasher, throttle) = (PasswordHasher::new(), Throttle::new(&store, clock.clone()));
        let refused_logins = RefusedLogins::default();
        Self { sessions, tenants, store, clock, hasher, throttle, refused_logins }
    }

    /// Checks a password and returns the secret of a new session. An unknown tenant or name
    /// cannot be told from a wrong password, also not by the time that it takes.
    pub(crate) async fn log_in(&self, login: Login<'_>) -> Result<SecretString, LoginError> {
        let Login { tenant, name, password, from, device } = login;
        let login: Option<LoginName> = name.and_then(|name| name.parse().ok());
        // What is no name is nobody's.
        let name = name.map(|_| login.as_ref().map_or("", LoginName::as_str));
        let target = Target { tenant, name };
        let check = async {
            match name {
                Some(_) => {
                    let person = self.person(tenant, login.as_ref(), password).await?;
                    Ok::<_, LoginError>(person.map(Account::Person))
                }
                None => Ok(self.role_of(tenant, password).await?.map(Account::Shared)),
            }
        };
        let account = self.slowed_down(from, target, check).await?;
        match account {
            Account::Person(person) => self.begin_session_of(person, device).await,
            Account::Shared(role) => {
                let (tenant, name) = (tenant.clone(), SHARED_SESSION.to_owned());
                let session = NewSession { tenant, role, name, person: None, device };
                self.sessions.begin(session).await.map_err(LoginError::Failed)
            }
        }
    }

    /// Removes login attempts that no longer matter.
    pub(crate) async fn forget_old_attempts(&self) -> Result<(), StorageError> {
        self.throttle.forget_old().await
    }

    /// Whether a tenant is configured.
    fn has_tenant(&self, tenant: &TenantId) -> bool {
        self.tenants.contains_key(tenant)
    }

    /// Checks a password by `check`, which finds nothing if it is wrong: slowly, if there were many
    /// attempts, or not at all. Refusals are counted for the log.
    async fn slowed_down<T>(
        &self,
        from: IpAddr,
        target: Target<'_>,
        check: impl Future<Output = Result<Option<T>, LoginError>>,
    ) -> Result<T, LoginError> {
        let checked = self.checked(from, target, check).await;
        match &checked {
            Err(LoginError::WrongPassword) => {
                self.refused_logins.count(client_network(from), Refusal::WrongPassword)
            }
            Err(LoginError::RetryAfter(_)) => {
                self.refused_logins.count(client_network(from), Refusal::Throttled);
            }
            Ok(_) | Err(LoginError::Disabled | LoginError::Failed(_)) => {}
        }
        checked
    }

    async fn checked<T>(
        &self,
        from: IpAddr,
        target: Target<'_>,
        check: impl Future<Output = Result<Option<T>, LoginError>>,
    ) -> Result<T, LoginError> {
        match self.throttle.begin(from, target).await? {
            Attempt::RetryAfter(wait) => return Err(LoginError::RetryAfter(wait)),
            Attempt::CheckAfter(delay) => tokio::time::sleep(delay).await,
        }
        let Some(found) = check.await? else {
            self.throttle.failed(target).await?;
            return Err(LoginError::WrongPassword);
        };
        self.throttle.succeeded(from).await?;
        Ok(found)
    }

    /// The person with this login name and password. For an unknown name there is nothing to
    /// compare with, and a hash is computed all the same.
    async fn person(
        &self,
        tenant: &TenantId,
        login: Option<&LoginName>,
        password: SecretString,
    ) -> Result<Option<Person>, LoginError> {
        let found = match login.filter(|_| self.has_tenant(tenant)) {
            Some(login) => self.store.people().credentials(tenant, login).await?,
            None => None,
        };
        Ok(self.hasher.find(password, found.into_iter().collect()).await?)
    }

    /// The access role that a password grants. For an unknown tenant there is nothing
    /// to compare with, and a hash is computed all the same.
    async fn role_of(
        &self,
        tenant: &TenantId,
        password: SecretString,
    ) -> Result<Option<AccessRole>, LoginError> {
        let mut hashes = Vec::new();
        let roles: &[AccessRole] = match self.has_tenant(tenant) {
            true => &[AccessRole::User, AccessRole::Admin],
            false => &[],
        };
        for &role in roles {
            if let Some(hash) = self.store.access().password_hash(tenant, role).await? {
                hashes.push((role, hash));
            }
        }
        Ok(self.hasher.find(password, hashes).await?)
    }
}
