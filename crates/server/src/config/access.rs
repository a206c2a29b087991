//! `[access]`: the lifetime of sessions; and credentials from the environment.

use std::collections::BTreeMap;
use std::time::Duration;

use parlor_protocol::TenantId;
use secrecy::{ExposeSecret, SecretString};

use super::ConfigError;
use super::raw::RawAccess;

/// The lifetime of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessConfig {
    /// While it is not used.
    pub idle_expiry: Duration,
    /// At most.
    pub absolute_expiry: Duration,
}

/// Credentials of the tenant `home` from the environment. `Debug` does not print them.
#[derive(Debug, Clone, Default)]
pub struct Credentials {
    /// `PARLOR_PASSWORD`: the family password, for the access role `user`.
    pub password: Option<SecretString>,
    /// `PARLOR_ADMIN_PASSWORD`: for the access role `admin`.
    pub admin_password: Option<SecretString>,
    /// `PARLOR_API_KEY`: an admin key.
    pub api_key: Option<SecretString>,
    /// `PARLOR_SECRET_KEY`: encrypts logins to MCP servers.
    pub secret_key: Option<SecretString>,
    /// `parlor acp` alone: the key of the editor that it runs for, and its tenant.
    pub editor_key: Option<(SecretString, TenantId)>,
}

const SHORTEST_SECRET_KEY: usize = 32;

impl AccessConfig {
    pub(super) fn resolve(raw: &RawAccess) -> Result<Self, ConfigError> {
        let days = |n: u64| Duration::from_secs(n * 86_400);
        let access = Self {
            idle_expiry: raw.idle_expiry.map_or(days(7), |span| span.0),
            absolute_expiry: raw.absolute_expiry.map_or(days(30), |span| span.0),
        };
        if access.idle_expiry.is_zero() || access.idle_expiry > access.absolute_expiry {
            return Err(ConfigError::invalid(
                "access.idle_expiry",
                "it must be more than nothing and at most absolute_expiry".to_owned(),
            ));
        }
        Ok(access)
    }
}

impl Credentials {
    pub(super) fn resolve(environment: &BTreeMap<String, String>) -> Result<Self, ConfigError> {
        let secret = |name: &str| match environment.get(name) {
            Some(value) if value.trim().is_empty() => {
                Err(ConfigError::invalid(name, "it is set, but blank".to_owned()))
            }
            value => Ok(value.map(|value| SecretString::from(value.as_str()))),
        };
        let credentials = Self {
            password: secret("PARLOR_PASSWORD")?,
            admin_password: secret("PARLOR_ADMIN_PASSWORD")?,
            api_key: secret("PARLOR_API_KEY")?,
            secret_key: secret("PARLOR_SECRET_KEY")?,
            editor_key: None,
        };
        credentials.check()?;
        Ok(credentials)
    }

    /// One password cannot stand for both access roles, and a key must not be guessed.
    fn check(&self) -> Result<(), ConfigError> {
        let length = self.secret_key.as_ref().map(|key| key.expose_secret().chars().count());
        if length.is_some_and(|length| length < SHORTEST_SECRET_KEY) {
            let why = format!(
                "it must have at least {SHORTEST_SECRET_KEY} characters, such as the output of \
                 `openssl rand -base64 32`"
            );
            return Err(ConfigError::invalid("PARLOR_SECRET_KEY", why));
        }
        match (&self.password, &self.admin_password) {
            (Some(user), Some(admin)) if user.expose_secret() == admin.expose_secret() => {
                Err(ConfigError::invalid(
                    "PARLOR_ADMIN_PASSWORD",
                    "it must differ from PARLOR_PASSWORD, which makes users".to_owned(),
                ))
            }
            _ => Ok(()),
        }
    }
}
