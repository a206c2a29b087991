//! Providers of OpenID Connect that people log in with, and what their browsers keep meanwhile.
//!
//! Between the two halves of a login nothing is stored here: it is in a cookie, encrypted and
//! authenticated with the server's key ([`SealingKey`]). So the callback may reach another node,
//! strangers who begin logins fill no table, and only the browser that began a login can finish
//! it. After the login another cookie keeps the ID token in the same way, by which the provider
//! recognises its own session when the person logs out.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use data_encoding::BASE64URL_NOPAD;
use parlor_oidc::{PendingLogin, Provider, ProviderId};
use parlor_protocol::TenantId;
use secrecy::{ExposeSecret as _, SecretString};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::clock::Clock;
use crate::config::{Config, OidcConfig, PublicUrl};
use crate::mcp_logins::{McpLogins, SealError, SealingKey};

/// Browsers keep cookies of 4,096 bytes, with name and attributes.
const LONGEST_COOKIE: usize = 3_800;
/// What the two cookies are about, for their encryption.
const ABOUT_LOGIN: &str = "oidc login";
const ABOUT_SESSION: &str = "oidc session";

/// The providers of all tenants.
#[derive(Debug)]
pub struct OidcLogins {
    providers: BTreeMap<(TenantId, ProviderId), LoginProvider>,
    key: Arc<SealingKey>,
    public_url: PublicUrl,
    clock: Clock,
}

/// A provider, and what is done with it here.
#[derive(Debug)]
struct LoginProvider {
    provider: Provider,
    log_out_there: bool,
}

/// A login that was begun in a browser.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct BrowserLogin {
    pub(crate) tenant: TenantId,
    /// The page to show afterwards.
    pub(crate) next: String,
    pub(crate) pending: PendingLogin,
}

/// The session at a provider behind a session here.
#[derive(Serialize, Deserialize)]
struct ProviderSession {
    tenant: TenantId,
    provider: String,
    /// It may be too long for a cookie; the provider asks the person then.
    id_token: Option<String>,
}

impl OidcLogins {
    /// The configured providers. Nothing is requested from them yet.
    pub(crate) fn of(
        config: &Config,
        environment: &BTreeMap<String, String>,
        logins: &McpLogins,
    ) -> anyhow::Result<Self> {
        let (key, public_url) = (Arc::clone(logins.key()), logins.public_url().clone());
        let mut providers = BTreeMap::new();
        for (tenant, settings) in &config.tenants {
            for (id, settings) in &settings.login.oidc {
                let provider = provider(id, settings, environment, &public_url);
                let provider =
                    provider.with_context(|| format!("tenants.{tenant}.login.oidc.{id}"))?;
                let log_out_there = settings.log_out_at_provider;
                let key = (tenant.clone(), id.clone());
                providers.insert(key, LoginProvider { provider, log_out_there });
            }
        }
        Ok(Self { providers, key, public_url, clock: logins.clock().clone() })
    }

    /// A provider of a tenant.
    pub(crate) fn provider(&self, tenant: &TenantId, id: &ProviderId) -> Option<&Provider> {
        self.find(tenant, id).map(|found| &found.provider)
    }

    /// All providers of a tenant.
    pub(crate) fn providers(&self, tenant: &TenantId) -> impl Iterator<Item = &Provider> {
        let of_tenant = self.providers.iter().filter(move |((of, _), _)| of == tenant);
        of_tenant.map(|(_, found)| &found.provider)
    }

    /// The time of day.
    pub(crate) fn now(&self) -> SystemTime {
        let since = u64::try_from(self.clock.now().0).unwrap_or_default();
        UNIX_EPOCH + Duration::from_millis(since)
    }

    /// A login, for the cookie of the browser that began it.
    pub(crate) fn seal(&self, login: &BrowserLogin) -> Result<String, SealError> {
        self.sealed(ABOUT_LOGIN, login)
    }

    /// A login from its cookie.
    pub(crate) fn open(&self, cookie: &str) -> Result<BrowserLogin, SealError> {
        self.opened(ABOUT_LOGIN, cookie)
    }

    /// The session at a provider, for a cookie that is worth something only together with the
    /// session here.
    pub(crate) fn seal_session(
        &self,
        session: &SecretString,
        (tenant, provider): (&TenantId, &ProviderId),
        id_token: &SecretString,
    ) -> Result<Option<String>, SealError> {
        if !self.find(tenant, provider).is_some_and(|found| found.log_out_there) {
            return Ok(None);
        }
        let about = about_session(session.expose_secret());
        let with = |id_token: Option<&str>| ProviderSession {
            tenant: tenant.clone(),
            provider: provider.to_string(),
            id_token: id_token.map(str::to_owned),
        };
        let whole = self.sealed(&about, &with(Some(id_token.expose_secret())))?;
        if whole.len() <= LONGEST_COOKIE {
            return Ok(Some(whole));
        }
        self.sealed(&about, &with(None)).map(Some)
    }

    /// Where a browser ends the session at the provider that is in its cookie, if there is one, and
    /// the provider has such a page.
    pub(crate) async fn log_out_address(&self, session: &str, cookie: &str) -> Option<String> {
        let kept: ProviderSession = self.opened(&about_session(session), cookie).ok()?;
        let id: ProviderId = kept.provider.parse().ok()?;
        let found = self.find(&kept.tenant, &id).filter(|found| found.log_out_there)?;
        let id_token = kept.id_token.map(SecretString::from);
        let back = format!("{}/login", self.public_url.as_str());
        let address = found.provider.log_out_address(id_token.as_ref(), &back).await;
        address.unwrap_or_else(|error| {
            tracing::warn!(provider = %id, %error, "the session at the provider was not ended");
            None
        })
    }

    fn find(&self, tenant: &TenantId, id: &ProviderId) -> Option<&LoginProvider> {
        self.providers.get(&(tenant.clone(), id.clone()))
    }

    fn sealed<T: Serialize>(&self, about: &str, value: &T) -> Result<String, SealError> {
        let json = serde_json::to_string(value).map_err(|_| SealError::Damaged)?;
        let sealed = self.key.seal(about, &SecretString::from(json))?;
        Ok(BASE64URL_NOPAD.encode(&sealed))
    }

    fn opened<T: DeserializeOwned>(&self, about: &str, cookie: &str) -> Result<T, SealError> {
        let sealed = BASE64URL_NOPAD.decode(cookie.as_bytes()).map_err(|_| SealError::Damaged)?;
        let json = self.key.open(about, &sealed)?;
        serde_json::from_str(json.expose_secret()).map_err(|_| SealError::Damaged)
    }
}

fn provider(
    id: &ProviderId,
    settings: &OidcConfig,
    environment: &BTreeMap<String, String>,
    public_url: &PublicUrl,
) -> anyhow::Result<Provider> {
    let env = |name: &str| environment.get(name).cloned();
    let secret = settings.client_secret.as_ref().map(|value| value.resolve(&env)).transpose();
    let secret = secret.map_err(anyhow::Error::msg).context("client_secret")?;
    let back = format!("{}/login/oidc/{id}/callback", public_url.as_str());
    Ok(Provider::new(settings.settings(id, secret, back))?)
}

fn about_session(session: &str) -> String {
    format!("{ABOUT_SESSION}\0{session}")
}
