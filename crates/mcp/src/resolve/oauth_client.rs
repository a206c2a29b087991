//! How Parlor is known to an authorization server, from the settings.

use secrecy::SecretString;

use super::Place;
use crate::settings::{McpSettingsError, OAuthSettings};

/// How Parlor is known to an authorization server.
#[derive(Debug, Clone, Default)]
pub(crate) struct OAuthClient {
    pub(crate) client_id: Option<String>,
    pub(crate) client_secret: Option<SecretString>,
    pub(crate) client_metadata_url: Option<String>,
    pub(crate) scopes: Vec<String>,
}

impl OAuthClient {
    pub(super) fn resolve(
        place: Place<'_>,
        settings: &OAuthSettings,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, McpSettingsError> {
        if settings.client_secret.is_some() && settings.client_id.is_none() {
            return Err(
                place.error("oauth.client_secret", "it belongs to a client_id: set that too")
            );
        }
        let describes = settings.client_metadata_url.as_deref();
        if describes.is_some_and(|url| !url.starts_with("https://")) {
            return Err(place.error("oauth.client_metadata_url", "it must be an https address"));
        }
        if settings
            .scopes
            .iter()
            .any(|scope| scope.is_empty() || scope.contains(char::is_whitespace))
        {
            return Err(place.error("oauth.scopes", "a scope is a word without spaces"));
        }
        let secret = settings.client_secret.as_ref();
        Ok(Self {
            client_id: settings.client_id.clone(),
            client_secret: secret
                .map(|value| place.value("oauth.client_secret", value, env))
                .transpose()?,
            client_metadata_url: settings.client_metadata_url.clone(),
            scopes: settings.scopes.clone(),
        })
    }
}
