//! `[tenants.….login]`: how people log in, beside passwords.

use std::collections::BTreeMap;

use parlor_oidc::{ClaimRules, ProviderId, ProviderSettings};
use parlor_process::SettingValue;
use secrecy::SecretString;

use super::default_name::capitalised;
use super::raw::{RawLogin, RawOidc};
use super::{AtPlace, ConfigError};

/// How the people of a tenant log in, beside passwords.
#[derive(Debug, Clone, Default)]
pub struct LoginConfig {
    /// Providers of OpenID Connect.
    pub oidc: BTreeMap<ProviderId, OidcConfig>,
}

/// A provider of OpenID Connect.
#[derive(Debug, Clone)]
pub struct OidcConfig {
    /// What stands on its button.
    pub title: String,
    /// Its address, as it says it itself.
    pub issuer: String,
    /// How this server is known to it.
    pub client_id: String,
    /// The secret that goes with it.
    pub client_secret: Option<SettingValue>,
    /// What is asked for.
    pub scopes: Vec<String>,
    /// Whether it may be on this machine or in a private network.
    pub allow_private_addresses: bool,
    /// Whether logging out ends the session at the provider too.
    pub log_out_at_provider: bool,
    /// Who is admitted, and as what.
    pub claims: ClaimRules,
}

impl LoginConfig {
    /// Whether a provider says which roles of the tenant people have.
    pub(crate) fn says_roles(&self) -> bool {
        let rules = self.oidc.values().filter_map(|provider| provider.claims.roles.as_ref());
        rules.into_iter().any(|rules| !rules.named.is_empty())
    }

    pub(super) fn resolve(place: &str, raw: RawLogin) -> Result<Self, ConfigError> {
        let mut oidc = BTreeMap::new();
        for (name, raw) in raw.oidc {
            let place = format!("{place}.oidc.{name}");
            let id = name.parse::<ProviderId>().at(&place)?;
            let config = OidcConfig::resolve(&place, &id, raw)?;
            oidc.insert(id, config);
        }
        Ok(Self { oidc })
    }
}

impl OidcConfig {
    fn resolve(place: &str, id: &ProviderId, raw: RawOidc) -> Result<Self, ConfigError> {
        let needed = |key: &str, value: Option<String>| {
            value.ok_or_else(|| "it is missing".to_owned()).at(&format!("{place}.{key}"))
        };
        let scopes = || ["openid", "email", "profile"].map(str::to_owned).to_vec();
        let config = Self {
            title: raw.title.unwrap_or_else(|| capitalised(id.as_str())),
            issuer: needed("issuer", raw.issuer)?,
            client_id: needed("client_id", raw.client_id)?,
            client_secret: raw.client_secret,
            scopes: raw.scopes.unwrap_or_else(scopes),
            allow_private_addresses: raw.allow_private_addresses.unwrap_or(false),
            log_out_at_provider: raw.log_out_at_provider.unwrap_or(true),
            claims: raw.claims,
        };
        let checked = config.settings(id, None, String::new()).check();
        checked.map_err(|error| {
            ConfigError::invalid(&format!("{place}.{}", error.setting), error.why)
        })?;
        Ok(config)
    }

    /// The settings of the provider, with the secret and the address that it sends browsers
    /// back to.
    pub(crate) fn settings(
        &self,
        id: &ProviderId,
        client_secret: Option<SecretString>,
        redirect_uri: String,
    ) -> ProviderSettings {
        ProviderSettings {
            id: id.clone(),
            title: self.title.clone(),
            issuer: self.issuer.clone(),
            client_id: self.client_id.clone(),
            client_secret,
            scopes: self.scopes.clone(),
            allow_private_addresses: self.allow_private_addresses,
            redirect_uri,
            claims: self.claims.clone(),
        }
    }
}
