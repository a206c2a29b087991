//! Who may come in (X): passwords make sessions, sessions and keys are tokens.
//!
//! 1. A person logs in: [`throttle`] slows guesses down, [`password`] compares,
//!    [`sessions`] makes a random token, which travels in the [`cookie`].
//! 2. A request brings that cookie, or a key in `X-API-Key`: [`visitor`] finds
//!    out who it is before a handler runs.
//! 3. Logging out, revoking, a new password: the token ends, and every open
//!    stream of it.
//!
//! Only hashes are stored. No credential is ever read from a URL.

mod client_address;
pub(crate) mod cookie;
mod first_start;
pub(crate) mod notice;
mod password;
mod refused_logins;
mod session;
mod sessions;
mod throttle;
mod token;
mod visitor;

use std::net::IpAddr;
use std::time::Duration;

use parlor_protocol::TenantId;
use parlor_storage::{AccessRole, StorageError, Store};
use secrecy::SecretString;

pub use client_address::{ClientAddress, Peer};
pub use first_start::{Made, prepare_credentials};
pub use password::HashError;
pub use session::Session;
pub use token::NoRandomness;
pub use visitor::{Admin, Visitor};

pub(crate) use client_address::client_address;
pub(crate) use first_start::{add_key, set_passwords};
pub(crate) use password::weakness;
pub(crate) use token::is_short;

use crate::clock::Clock;
use crate::config::AccessConfig;
use password::PasswordHasher;
use refused_logins::{Refusal, RefusedLogins};
use sessions::Sessions;
use throttle::{Answer, Throttle, client};

/// Why credentials could not be made or changed.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// The database.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The hash.
    #[error(transparent)]
    Hash(#[from] HashError),
    /// The system.
    #[error(transparent)]
    Randomness(#[from] NoRandomness),
}

/// Why somebody is not logged in.
#[derive(Debug)]
pub(crate) enum LoginError {
    /// Show the form again.
    Wrong,
    /// Show the form again, and say when.
    SlowDown(Duration),
    /// Log it.
    Failed(AccessError),
}

/// Lets people in, and out.
#[derive(Debug)]
pub struct Access {
    pub(crate) sessions: Sessions,
    tenants: Vec<TenantId>,
    store: Store,
    clock: Clock,
    hasher: PasswordHasher,
    throttle: Throttle,
    /// For the log.
    pub(crate) refused_logins: RefusedLogins,
}

impl Access {
    /// `tenants` are those that exist; `key` is an admin key of one of them that
    /// is valid without being stored.
    pub fn new(
        store: Store,
        clock: Clock,
        lasts: AccessConfig,
        tenants: Vec<TenantId>,
        key: Option<(&SecretString, TenantId)>,
    ) -> Self {
        let mut sessions = Sessions::new(store.clone(), clock.clone(), lasts);
        if let Some((key, tenant)) = key {
            sessions.accept_environment_key(key, tenant);
        }
        let (hasher, throttle) = (PasswordHasher::new(), Throttle::default());
        let refused_logins = RefusedLogins::default();
        Self { sessions, tenants, store, clock, hasher, throttle, refused_logins }
    }

    /// A person's attempt with a password. Gives the secret of a new session. A
    /// tenant that does not exist looks, and takes as long, as a wrong password.
    pub(crate) async fn log_in(
        &self,
        tenant: &TenantId,
        password: SecretString,
        from: IpAddr,
    ) -> Result<SecretString, LoginError> {
        let tried = self.try_log_in(tenant, password, from).await;
        match &tried {
            Err(LoginError::Wrong) => self.refused_logins.count(client(from), Refusal::Wrong),
            Err(LoginError::SlowDown(_)) => {
                self.refused_logins.count(client(from), Refusal::SlowedDown);
            }
            Ok(_) | Err(LoginError::Failed(_)) => {}
        }
        tried
    }

    async fn try_log_in(
        &self,
        tenant: &TenantId,
        password: SecretString,
        from: IpAddr,
    ) -> Result<SecretString, LoginError> {
        match self.throttle.begin(from, tenant, self.clock.moment()) {
            Answer::ComeBack(wait) => return Err(LoginError::SlowDown(wait)),
            Answer::Go(hold) => tokio::time::sleep(hold).await,
        }
        let role = self.role_of(tenant, password).await.map_err(|error| match error {
            AccessError::Hash(HashError::Busy) => LoginError::SlowDown(Duration::from_secs(5)),
            error => LoginError::Failed(error),
        })?;
        let Some(role) = role else {
            self.throttle.failed(tenant, self.clock.moment());
            return Err(LoginError::Wrong);
        };
        self.throttle.succeeded(from);
        self.sessions.begin(tenant, role, "browser").await.map_err(LoginError::Failed)
    }

    /// What a password makes of whoever knows it. Without a tenant there is
    /// nothing to compare with, and a hash is made all the same.
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
