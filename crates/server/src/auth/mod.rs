//! Access (X): passwords create sessions; sessions and keys are tokens.
//!
//! 1. A person logs in: [`throttle`] slows guessing down, [`password`] compares,
//!    [`sessions`] creates a random token, which travels in the [`cookie`].
//! 2. A request carries that cookie, or a key in `X-API-Key` or as `Authorization: Bearer`;
//!    [`principal`] finds out whose it is before a handler runs.
//! 3. Logging out, revoking and changing a password end the token, and every stream
//!    that is open with it.
//!
//! Only hashes are stored. No credential is ever read from a URL.

pub(crate) mod change_file;
pub(crate) mod changes_elsewhere;
pub(crate) mod cookie;
mod credentials;
mod password;
mod principal;
mod refused_logins;
mod session;
mod session_store;
mod throttle;
mod token;

use std::net::IpAddr;
use std::time::Duration;

use parlor_fanout::Fanout;
use parlor_protocol::TenantId;
use parlor_storage::{AccessRole, StorageError, Store};
use secrecy::SecretString;

pub use credentials::{NewCredential, prepare_credentials};
pub use password::HashError;
pub use principal::Principal;
pub use session::Session;
pub use token::NoRandomness;

pub(crate) use credentials::{add_key, set_passwords};
pub(crate) use password::weakness;
pub(crate) use principal::given_key;
pub(crate) use token::{TokenHash, is_short, new_token};

use crate::client_address::client_network;
use crate::clock::Clock;
use crate::config::{AccessConfig, Credentials, HOME};
use password::PasswordHasher;
use refused_logins::{Refusal, RefusedLogins};
use session_store::Sessions;
use throttle::{Attempt, Throttle};

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
pub(crate) enum LoginError {
    /// Show the form again: the password is wrong.
    WrongPassword,
    /// Show the form again: the next attempt is accepted after this time.
    RetryAfter(Duration),
    /// Log it.
    Failed(AccessError),
}

/// Logins, sessions and keys.
#[derive(Debug)]
pub struct Access {
    pub(crate) sessions: Sessions,
    tenants: Vec<TenantId>,
    store: Store,
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
        tenants: Vec<TenantId>,
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
        let (hasher, throttle) = (PasswordHasher::new(), Throttle::new(&store, clock));
        let refused_logins = RefusedLogins::default();
        Self { sessions, tenants, store, hasher, throttle, refused_logins }
    }

    /// Checks a password and returns the secret of a new session. An unknown tenant
    /// cannot be told from a wrong password, also not by the time that it takes.
    pub(crate) async fn log_in(
        &self,
        tenant: &TenantId,
        password: SecretString,
        from: IpAddr,
    ) -> Result<SecretString, LoginError> {
        let attempt = self.try_log_in(tenant, password, from).await;
        match &attempt {
            Err(LoginError::WrongPassword) => {
                self.refused_logins.count(client_network(from), Refusal::WrongPassword)
            }
            Err(LoginError::RetryAfter(_)) => {
                self.refused_logins.count(client_network(from), Refusal::Throttled);
            }
            Ok(_) | Err(LoginError::Failed(_)) => {}
        }
        attempt
    }

    /// Removes login attempts that no longer matter.
    pub(crate) async fn forget_old_attempts(&self) -> Result<(), StorageError> {
        self.throttle.forget_old().await
    }

    async fn try_log_in(
        &self,
        tenant: &TenantId,
        password: SecretString,
        from: IpAddr,
    ) -> Result<SecretString, LoginError> {
        let not_counted = |error: StorageError| LoginError::Failed(error.into());
        match self.throttle.begin(from, tenant).await.map_err(not_counted)? {
            Attempt::RetryAfter(wait) => return Err(LoginError::RetryAfter(wait)),
            Attempt::CheckAfter(delay) => tokio::time::sleep(delay).await,
        }
        let role = self.role_of(tenant, password).await.map_err(|error| match error {
            AccessError::Hash(HashError::Busy) => LoginError::RetryAfter(Duration::from_secs(5)),
            error => LoginError::Failed(error),
        })?;
        let Some(role) = role else {
            self.throttle.failed(tenant).await.map_err(not_counted)?;
            return Err(LoginError::WrongPassword);
        };
        self.throttle.succeeded(from).await.map_err(not_counted)?;
        self.sessions.begin(tenant, role, "browser").await.map_err(LoginError::Failed)
    }

    /// The access role that a password grants. For an unknown tenant there is nothing
    /// to compare with, and a hash is computed all the same.
    async fn role_of(
        &self,
        tenant: &TenantId,
        password: SecretString,
    ) -> Result<Option<AccessRole>, AccessError> {
        let mut hashes = Vec::new();
        let roles: &[AccessRole] = match self.tenants.contains(tenant) {
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
