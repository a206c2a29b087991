//! The login to one server, in the store of the project.
//!
//! It is read from the store now and then, because another process may renew it or log out; and
//! always before it is renewed.

use std::sync::Arc;
use std::time::Duration;

use rmcp::transport::auth::{
    AuthError, CredentialRefreshGuard, CredentialStore, OAuthClientConfig, StoredCredentials,
};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::client_config;
use crate::login::LoginStore;
use crate::resolve::HttpEndpoint;

/// For how long what was read is used.
const KEPT_FOR: Duration = Duration::from_secs(20);

/// A login as it is stored.
#[derive(Clone, Serialize, Deserialize)]
struct Record {
    /// The server that the tokens are for: no other gets them.
    url: String,
    client_secret: Option<String>,
    redirect_uri: String,
    credentials: StoredCredentials,
}

/// The login to one server.
#[derive(Clone)]
pub(super) struct StoredLogin {
    store: Arc<dyn LoginStore>,
    server: String,
    url: String,
    /// The client of a login that is being made: its secret and where it is sent back to.
    client: Option<(Option<String>, String)>,
    /// What was read or written last.
    kept: Arc<Mutex<Option<Kept>>>,
}

/// A login, or that there is none, and since when that is known.
struct Kept {
    since: Instant,
    record: Option<Record>,
}

impl StoredLogin {
    pub(super) fn new(store: Arc<dyn LoginStore>, server: &str, endpoint: &HttpEndpoint) -> Self {
        let (server, url) = (server.to_owned(), endpoint.url.to_string());
        Self { store, server, url, client: None, kept: Arc::default() }
    }

    /// The same, for a new login of a client.
    pub(super) fn of_client(mut self, secret: Option<String>, redirect_uri: String) -> Self {
        self.client = Some((secret, redirect_uri));
        self
    }

    /// The client of the login that is stored.
    pub(super) async fn client(&self) -> Result<Option<OAuthClientConfig>, String> {
        let record = self.record().await?;
        Ok(record.map(|record| {
            let secret = record.client_secret.as_deref();
            client_config(&record.credentials.client_id, secret, &record.redirect_uri)
        }))
    }

    /// What the login that is stored covers.
    pub(super) async fn scopes(&self) -> Result<Vec<String>, String> {
        Ok(self.record().await?.map(|record| record.credentials.granted_scopes).unwrap_or_default())
    }

    async fn record(&self) -> Result<Option<Record>, String> {
        let mut kept = self.kept.lock().await;
        if let Some(known) = &*kept
            && known.since.elapsed() < KEPT_FOR
        {
            return Ok(known.record.clone());
        }
        let json = self.store.load(&self.server).await?;
        let record = json.map(|json| read(&json)).transpose()?;
        let record = record.filter(|record: &Record| record.url == self.url);
        *kept = Some(Kept { since: Instant::now(), record: record.clone() });
        Ok(record)
    }

    async fn write(&self, credentials: StoredCredentials) -> Result<(), String> {
        let is_new = self.client.is_some();
        let (client_secret, redirect_uri) = match &self.client {
            Some(client) => client.clone(),
            None => {
                let record = self.record().await?.ok_or("the login is gone")?;
                (record.client_secret, record.redirect_uri)
            }
        };
        let record = Record { url: self.url.clone(), client_secret, redirect_uri, credentials };
        let json = serde_json::to_string(&record).map_err(|error| error.to_string())?;
        let json = SecretString::from(json);
        match is_new {
            true => self.store.save(&self.server, json).await?,
            // A login that ended meanwhile does not come back.
            false => self.store.renew(&self.server, json).await?,
        }
        let kept = Kept { since: Instant::now(), record: Some(record) };
        *self.kept.lock().await = Some(kept);
        Ok(())
    }
}

fn read(json: &SecretString) -> Result<Record, String> {
    let unreadable = |_| "its login is of another version: log in again".to_owned();
    serde_json::from_str(json.expose_secret()).map_err(unreadable)
}

#[async_trait::async_trait]
impl CredentialStore for StoredLogin {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        let record = self.record().await.map_err(AuthError::CredentialStoreError)?;
        Ok(record.map(|record| record.credentials))
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        self.write(credentials).await.map_err(AuthError::CredentialStoreError)
    }

    async fn clear(&self) -> Result<(), AuthError> {
        *self.kept.lock().await = None;
        self.store.clear(&self.server).await.map_err(AuthError::CredentialStoreError)
    }

    /// The tokens are of no more use; who logs in again gets others.
    async fn on_refresh_token_rejected(&self, _: &StoredCredentials) -> Result<(), AuthError> {
        self.clear().await
    }

    async fn acquire_refresh_guard(&self) -> Result<Option<CredentialRefreshGuard>, AuthError> {
        let alone = self.store.renewing(&self.server).await;
        let alone = alone.map_err(AuthError::CredentialStoreError)?;
        // Somebody else may have renewed it meanwhile.
        *self.kept.lock().await = None;
        Ok(Some(CredentialRefreshGuard::new(alone)))
    }
}
